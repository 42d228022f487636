//! Which call is asked about next.
//!
//! All strategies choose among the same calls: those of the suspicious set that were not judged. Each finds a faulty
//! call, they differ in how many answers it takes.

use crate::ranking::{MOST_RANKED, Ranking};
use crate::tree::{NodeId, Tree};

/// How the next call is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The first child, and below it where it is wrong (Shapiro).
    TopDown,
    /// The child with the most calls below it.
    Heaviest,
    /// The call with the most calls below it, but at most half of all (Shapiro).
    DivideAndQuery,
    /// The call whose answer leaves about the same number of calls to ask about, whichever it is: what was judged does
    /// not count (Insa and Silva, section 4). Of a set of up to 120 calls it takes no more answers than any strategy
    /// must take in the worst case.
    Optimal,
    /// Divide and query, where a call weighs what its edges of the control-flow graph do (Hermanns and Kuchen).
    Edges,
    /// Divide and query, where a call weighs what its definition-use pairs do (the same).
    DefUse,
    /// The call whose answer tells most about which edge of the control-flow graph is faulty, where code that right
    /// runs ran is less suspicious (Ochiai); in a very large tree optimal divide and query, where a call weighs that.
    #[default]
    Suspicion,
}

/// A word that is no strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(pub String);

impl std::fmt::Display for UnknownStrategy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = Strategy::ALL.iter().map(|it| it.word()).collect();
        write!(
            formatter,
            "{} is no strategy; there are {}",
            self.0,
            words.join(", ")
        )
    }
}

impl std::error::Error for UnknownStrategy {}

impl std::str::FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(word: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|it| it.word() == word);
        found.ok_or_else(|| UnknownStrategy(word.to_owned()))
    }
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::TopDown,
        Self::Heaviest,
        Self::DivideAndQuery,
        Self::Optimal,
        Self::Edges,
        Self::DefUse,
        Self::Suspicion,
    ];

    /// Its word on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::TopDown => "top-down",
            Self::Heaviest => "heaviest",
            Self::DivideAndQuery => "divide-and-query",
            Self::Optimal => "optimal",
            Self::Edges => "edges",
            Self::DefUse => "def-use",
            Self::Suspicion => "suspicion",
        }
    }

    /// Chooses among `open`.
    pub(crate) fn choose(self, tree: &Tree, part: &Part<'_>) -> Option<NodeId> {
        match self {
            Self::TopDown => part.open_children(tree).next(),
            Self::Heaviest => best(part.open_children(tree), |node| -part.below(node)),
            Self::DivideAndQuery => {
                let all = part.total + part.focus_weight;
                // Where each has more than half, the least.
                best(part.open.iter().copied(), |node| {
                    let below = part.below(node);
                    if 2.0 * below <= all { -below } else { below }
                })
            }
            Self::Edges | Self::DefUse => {
                // How far it is from half of all, with the call that is known to be wrong.
                let all = part.total + part.focus_weight;
                best(part.open.iter().copied(), |node| {
                    (2.0 * part.below(node) - all).abs()
                })
            }
            Self::Optimal | Self::Suspicion => optimal(tree, part),
        }
    }
}

/// The call whose answer leaves about as much to ask about if it is wrong as if it is right. Where all weigh the same
/// and they are not very many, only among those with which the worst case is as good as it can be.
fn optimal(tree: &Tree, part: &Part<'_>) -> Option<NodeId> {
    let unevenness = |node: NodeId| {
        let down = part.below(node) - part.weight(node);
        let up = part.total - part.below(node);
        (up - down).abs()
    };
    if !part.is_uniform || part.open.len() > MOST_RANKED {
        return best(part.open.iter().copied(), unevenness);
    }
    let ranking = Ranking::new(part.open_parents(tree));
    let mut candidates: Vec<(usize, NodeId)> = part.open.iter().copied().enumerate().collect();
    candidates.sort_by(|&(_, one), &(_, other)| unevenness(one).total_cmp(&unevenness(other)));
    let found = candidates
        .iter()
        .find(|&&(index, _)| ranking.is_optimal(index));
    found.or(candidates.first()).map(|&(_, node)| node)
}

/// What a call weighs, by node; without weights each weighs 1.
pub type Weights<'w> = Option<&'w [f64]>;

/// The suspicious set, as a strategy sees it.
pub(crate) struct Part<'s> {
    /// The call that is known to be wrong, or the root.
    pub(crate) focus: NodeId,
    /// What it weighs; nothing, where it cannot be found.
    pub(crate) focus_weight: f64,
    /// Whether all weigh the same.
    pub(crate) is_uniform: bool,
    /// What can be asked about, in the order of the tree.
    pub(crate) open: &'s [NodeId],
    /// What all suspicious calls below the focus weigh.
    pub(crate) total: f64,
    /// What each weighs with all that is suspicious below it; by node, less the focus.
    pub(crate) below: &'s [f64],
    /// What each weighs itself.
    pub(crate) own: &'s dyn Fn(NodeId) -> f64,
}

impl Part<'_> {
    fn below(&self, node: NodeId) -> f64 {
        let at = node.0.saturating_sub(self.focus.0);
        self.below.get(at as usize).copied().unwrap_or(0.0)
    }

    fn weight(&self, node: NodeId) -> f64 {
        (self.own)(node)
    }

    /// The nearest call around each that can be asked about, by index.
    fn open_parents(&self, tree: &Tree) -> Vec<Option<usize>> {
        let mut around: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(self.open.len());
        for (index, node) in self.open.iter().enumerate() {
            let is_around = |&other: &usize| tree.subtree(self.open[other]).contains(&node.0);
            while around.last().is_some_and(|other| !is_around(other)) {
                around.pop();
            }
            parents.push(around.last().copied());
            around.push(index);
        }
        parents
    }

    /// Those that have nothing that can be asked about above them. What is trusted is looked through.
    fn open_children<'t>(&'t self, tree: &'t Tree) -> impl Iterator<Item = NodeId> + 't {
        let mut end = 0;
        self.open.iter().copied().filter(move |&node| {
            if node.0 < end {
                return false;
            }
            end = tree.subtree(node).end;
            true
        })
    }
}

/// The first with the smallest measure.
fn best(nodes: impl Iterator<Item = NodeId>, measure: impl Fn(NodeId) -> f64) -> Option<NodeId> {
    let mut best: Option<(NodeId, f64)> = None;
    for node in nodes {
        let measured = measure(node);
        if best.is_none_or(|(_, least)| measured < least) {
            best = Some((node, measured));
        }
    }
    best.map(|(node, _)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.word().parse(), Ok(strategy));
        }
        let error = "best".parse::<Strategy>().unwrap_err().to_string();
        assert!(
            error.starts_with("best is no strategy; there are top-down, heaviest"),
            "{error}"
        );
    }
}
