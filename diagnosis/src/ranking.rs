//! How many answers a set of calls takes in the worst case, whatever is asked: an optimal ranking of its edges.
//!
//! A question about a call asks on which side of the edge above it the faulty call is. Give each edge the number of
//! answers that are needed at most from its question on; on the way between two edges with the same number there must
//! be one with a greater. The numbers that are *visible* from a call, downwards, are those that no greater one hides.
//! Bottom up, those at each call are made as small as they can be (Onak and Parys, *Generalization of Binary Search*,
//! 2006, section 3).

/// The most calls that can be ranked: their numbers are bits of one word.
pub(crate) const MOST_RANKED: usize = 120;

/// Numbers that are visible from a call, downwards: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Visible(u128);

impl Visible {
    /// The first so many numbers.
    fn first(count: u32) -> Self {
        Self(
            u128::MAX
                .checked_shr(128_u32.saturating_sub(count))
                .unwrap_or(0),
        )
    }

    const fn has(self, number: u32) -> bool {
        self.0.unbounded_shr(number) & 1 != 0
    }

    const fn without(self, number: u32) -> Self {
        Self(self.0 & !1_u128.unbounded_shl(number))
    }

    /// Those that are less than a number.
    fn below(self, number: u32) -> Self {
        Self(self.0 & Self::first(number).0)
    }

    /// One more than the greatest.
    const fn height(self) -> u32 {
        128 - self.0.leading_zeros()
    }
}

/// Calls that can be asked about below one that is wrong; a parent is before its children.
pub(crate) struct Ranking {
    /// Of each the parent, as an index; [`None`]: it is a child of the one that is wrong.
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    tops: Vec<usize>,
    visible: Vec<Visible>,
    most: u32,
}

impl Ranking {
    /// Ranks calls by their parents.
    pub(crate) fn new(parents: Vec<Option<usize>>) -> Self {
        let mut children = vec![Vec::new(); parents.len()];
        let mut tops = Vec::new();
        for (call, parent) in parents.iter().enumerate() {
            match parent.and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(call),
                None => tops.push(call),
            }
        }
        let mut ranking = Self {
            visible: vec![Visible::default(); parents.len()],
            parents,
            children,
            tops,
            most: 0,
        };
        for call in (0..ranking.parents.len()).rev() {
            let below = ranking.children[call].iter().map(|&it| ranking.visible[it]);
            ranking.visible[call] = extended(&below.collect::<Vec<_>>());
        }
        let tops = ranking.tops.iter().map(|&it| ranking.visible[it]);
        ranking.most = extended(&tops.collect::<Vec<_>>()).height();
        ranking
    }

    /// Whether nothing is lost by asking about a call: whatever the answer is, one less is needed than now.
    pub(crate) fn is_optimal(&self, call: usize) -> bool {
        if self.visible[call].height() >= self.most {
            return false;
        }
        // Without the call, from its parent up.
        let mut left_out = Some(call);
        let mut changed: Option<(usize, Visible)> = None;
        let mut at = self.parents[call];
        loop {
            let siblings = at.map_or(&self.tops, |at| &self.children[at]);
            let below =
                siblings
                    .iter()
                    .filter(|&&it| Some(it) != left_out)
                    .map(|&it| match changed {
                        Some((call, visible)) if call == it => visible,
                        _ => self.visible[it],
                    });
            let visible = extended(&below.collect::<Vec<_>>());
            let Some(call) = at else {
                return visible.height() < self.most;
            };
            left_out = None;
            changed = Some((call, visible));
            at = self.parents[call];
        }
    }
}

/// What is visible from a call of what is visible from its children: each edge to one gets a number, which hides those
/// that are less.
fn extended(below: &[Visible]) -> Visible {
    let highest = below.iter().map(|it| it.height()).max().unwrap_or(0);
    let count = highest.saturating_add(u32::try_from(below.len()).unwrap_or(u32::MAX));
    // Leave out each number that can be left out, the greatest first.
    let mut allowed = Visible::first(count);
    for number in (0..count).rev() {
        let less = allowed.without(number);
        if is_possible(below, less, count) {
            allowed = less;
        }
    }
    allowed
}

/// Whether edges can have numbers with which no more is visible than is allowed, and nothing twice.
fn is_possible(below: &[Visible], allowed: Visible, count: u32) -> bool {
    let mut open = below.to_vec();
    for number in (0..count).rev() {
        let visible = open.iter().filter(|it| it.has(number)).count();
        if visible > usize::from(allowed.has(number)) {
            return false;
        }
        if visible == 0 && allowed.has(number) {
            // It goes where it hides most.
            let chosen = (0..open.len()).max_by_key(|&at| open[at].below(number));
            if let Some(chosen) = chosen {
                open.swap_remove(chosen);
            }
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(parents: &[Option<usize>]) -> u32 {
        Ranking::new(parents.to_vec()).most
    }

    #[test]
    fn a_chain_takes_a_binary_search_and_a_star_all() {
        let chain: Vec<_> = (0..15_usize).map(|call| call.checked_sub(1)).collect();
        assert_eq!(most(&chain), 4);
        assert_eq!(most(&[None; 7]), 7);
        assert_eq!(most(&[]), 0);
        assert_eq!(most(&[None]), 1);
    }
}
