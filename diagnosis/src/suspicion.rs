//! The call whose answer tells most about where the defect is.
//!
//! A defect is in the code behind one edge of the control-flow graph. How often it shows is not known: in a call that
//! covers the edge with a probability of `q`, which is one of a few. A call is wrong if in it or below it the defect
//! shows. So each answer says something of each edge (Bayes): an edge that right calls cover often is hardly the one.
//! Before any answer an edge weighs what Ochiai's measure says of the runs that are right, and the execution is wrong.
//!
//! What is asked about is below a call that is wrong. So it counts how likely a call is wrong *if that one is*: of an
//! edge that only calls below it cover it is certain. And a wrong call says no more than the wrong calls below it do.
//!
//! Asked about is the call that is as likely wrong as right; among those that are nearly so the one with the fewest
//! calls below it, which is easiest to judge and to finish with.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::coverage::Coverage;
use crate::session::{Answer, Session};
use crate::tree::{NodeId, ROOT};

/// How often a defect may show.
const SHOWS: [f64; 4] = [0.1, 0.35, 0.7, 1.0];
/// What is wrong in a call may be put right again in its caller.
const IS_SEEN: f64 = 0.97;
/// What tells hardly less than another tells as much. It is a share: of calls that are all hardly wrong one can be so
/// ten times as likely.
const SAME: f64 = 0.85;
/// The most numbers that are worked with.
const MOST_NUMBERS: usize = 8_000_000;

/// Chooses among `open`; `None`: the tree is too large for it, or nothing is covered.
pub(crate) fn most_informative(
    coverage: &Coverage,
    session: &Session<'_>,
    open: &[NodeId],
) -> Option<NodeId> {
    let nodes = session.subtree(ROOT).end as usize;
    if coverage.len() == 0 || nodes.saturating_mul(coverage.len()) > MOST_NUMBERS {
        return None;
    }
    let counts = Counts::new(coverage, session, nodes);
    let edges = likelihoods(coverage, session, &counts);
    let focus = session.subtree(session.focus());
    let total: f64 = edges.iter().flatten().sum();
    if total <= 0.0 {
        return None;
    }
    let worth = |node: NodeId| {
        let below = session.subtree(node);
        let mut wrongs = 0.0;
        for (edge, weights) in edges.iter().enumerate() {
            let count = counts.suspicious(edge, &below);
            if count > 0 {
                let of_focus = counts.suspicious(edge, &focus);
                let each = weights.iter().zip(SHOWS);
                wrongs += each
                    .map(|(weight, q)| weight * shows(q, count) / shows(q, of_focus))
                    .sum::<f64>();
            }
        }
        let wrong = wrongs / total;
        // How much the less likely answer would tell: near nothing where it is almost known.
        wrong.min(1.0 - wrong)
    };
    let worths: Vec<f64> = open.iter().map(|&node| worth(node)).collect();
    let most = worths.iter().copied().fold(0.0, f64::max);
    let size = |node: NodeId| session.subtree(node).len();
    let tell_most = open.iter().zip(&worths);
    tell_most
        .filter(|&(_, &worth)| worth >= most * SAME)
        .min_by(|(one, its), (other, others)| {
            let by_size = size(**one).cmp(&size(**other));
            by_size.then_with(|| others.total_cmp(its))
        })
        .map(|(&node, _)| node)
}

/// How likely each edge is the faulty one, for each frequency with which a defect may show; not to scale.
fn likelihoods(
    coverage: &Coverage,
    session: &Session<'_>,
    counts: &Counts,
) -> Vec<[f64; SHOWS.len()]> {
    let ochiai = |&passing: &u32| [1.0 / f64::from(passing + 1).sqrt(); SHOWS.len()];
    let mut edges: Vec<_> = coverage.passing().iter().map(ochiai).collect();
    let judged = |answer: Answer| -> Vec<Range<u32>> {
        let all = session.history().iter().filter(|it| it.answer == answer);
        let all: BTreeSet<u32> = all.map(|it| it.node.0).collect();
        all.into_iter()
            .map(|node| session.subtree(NodeId(node)))
            .collect()
    };
    let holds = |one: &Range<u32>, other: &Range<u32>| {
        one != other && one.start <= other.start && other.end <= one.end
    };
    // Of right calls in right ones, and of wrong calls around wrong ones, nothing more is known.
    let mut right = judged(Answer::Valid);
    let all = right.clone();
    right.retain(|own| !all.iter().any(|other| holds(other, own)));
    // All of it is wrong, or there would be no session.
    let mut wrong = judged(Answer::Invalid);
    wrong.push(session.subtree(ROOT));
    let all = wrong.clone();
    wrong.retain(|own| !all.iter().any(|other| holds(own, other)));
    for (edge, weights) in edges.iter_mut().enumerate() {
        // Of a right call all that it covers counts, of a wrong one what is not known to be right.
        for (weight, q) in weights.iter_mut().zip(SHOWS) {
            for below in &right {
                *weight *= 1.0 - IS_SEEN * shows(q, counts.all(edge, below));
            }
            for below in &wrong {
                *weight *= shows(q, counts.suspicious(edge, below));
            }
        }
    }
    edges
}

/// How likely a defect shows in one of so many calls that cover its edge, of each with a probability of `q`.
fn shows(q: f64, count: u32) -> f64 {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    1.0 - (1.0 - q).powi(count)
}

/// How many calls up to each cover an edge: of all, and of those that are suspicious.
struct Counts {
    columns: usize,
    all: Vec<u32>,
    suspicious: Vec<u32>,
}

impl Counts {
    fn new(coverage: &Coverage, session: &Session<'_>, nodes: usize) -> Self {
        let columns = nodes + 1;
        let mut counts = Self {
            columns,
            all: vec![0; columns * coverage.len()],
            suspicious: vec![0; columns * coverage.len()],
        };
        let mut out_until = 0;
        for (at, node) in (0..nodes).zip(0..) {
            if node >= out_until && session.is_out(NodeId(node)) {
                out_until = session.subtree(NodeId(node)).end;
            }
            let is_suspicious = node >= out_until && !session.is_trusted(NodeId(node));
            for &edge in coverage.items(node) {
                let place = edge as usize * columns + at + 1;
                counts.all[place] = 1;
                counts.suspicious[place] = u32::from(is_suspicious);
            }
        }
        for rows in [&mut counts.all, &mut counts.suspicious] {
            for row in rows.chunks_mut(columns) {
                let mut sum = 0;
                for count in row {
                    sum += *count;
                    *count = sum;
                }
            }
        }
        counts
    }

    fn all(&self, edge: usize, below: &Range<u32>) -> u32 {
        between(&self.all, edge * self.columns, below)
    }

    fn suspicious(&self, edge: usize, below: &Range<u32>) -> u32 {
        between(&self.suspicious, edge * self.columns, below)
    }
}

fn between(sums: &[u32], row: usize, below: &Range<u32>) -> u32 {
    let at = |node: u32| sums.get(row + node as usize).copied().unwrap_or(0);
    at(below.end).saturating_sub(at(below.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    /// In a flat tree each call is hardly wrong: the one that is asked about is wrong as likely as any.
    #[test]
    fn of_calls_that_are_all_hardly_wrong_the_likeliest_is_asked_about() {
        // One call makes twenty calls of one function, then one call of each of eighty.
        let calls = 101_u32;
        let parents: Vec<Option<u32>> = (0..calls).map(|call| (call > 0).then_some(0)).collect();
        let tree = Tree::new(&parents, &[]);
        let edge = |call: u32| if call <= 20 { 1 } else { call };
        let mut items = vec![Vec::new()];
        items.extend((0..calls).map(|call| vec![edge(call)]));
        let coverage = Coverage::of_items(&items);
        let mut session = Session::new(&tree);
        session.answer(NodeId(1), Answer::Invalid);
        let open = session.suspicious_calls();
        let asked = most_informative(&coverage, &session, &open);
        assert_eq!(asked, Some(NodeId(2)), "all are as likely");
        // Of the function whose call was right another call is hardly wrong.
        session.answer(NodeId(2), Answer::Valid);
        for _ in 0..40 {
            let open = session.suspicious_calls();
            let asked = most_informative(&coverage, &session, &open);
            let asked = asked.filter(|asked| asked.0 > 21);
            session.answer(asked.unwrap(), Answer::Valid);
        }
    }

    /// The execution is wrong, so a call that all of it is below is wrong as well, and so is what is below a wrong call
    /// alone: to ask tells nothing.
    #[test]
    fn a_call_that_must_be_wrong_is_not_asked_about() {
        // Call 0 makes all others, each of a function of its own; call 1 makes those behind it.
        let parents: Vec<Option<u32>> = (0..32_u32)
            .map(|call| call.checked_sub(1).map(|_| u32::from(call > 1)))
            .collect();
        let tree = Tree::new(&parents, &[]);
        let mut items = vec![Vec::new(), Vec::new(), Vec::new()];
        items.extend((2..32_u32).map(|call| vec![call]));
        let coverage = Coverage::of_items(&items);
        let mut session = Session::new(&tree);
        for wrong in [None, Some(NodeId(1)), Some(NodeId(2))] {
            if let Some(wrong) = wrong {
                session.answer(wrong, Answer::Invalid);
            }
            let open = session.suspicious_calls();
            let asked = most_informative(&coverage, &session, &open).unwrap();
            assert!(asked > NodeId(2), "{asked:?} after {wrong:?}");
        }
    }
}
