//! The call whose answer tells most about where the defect is.
//!
//! A defect is in the code behind one edge of the control-flow graph. How often it shows is not known: in a call that
//! covers the edge with a probability of `q`, which is one of a few. A call is wrong if in it or below it the defect
//! shows. So each answer says something of each edge (Bayes): an edge that right calls cover often is hardly the one.
//! Before any answer an edge weighs what Ochiai's measure says of the runs that are right.
//!
//! Asked about is the call that is as likely wrong as right; among equals the one with the fewest calls below it, which
//! is easiest to judge and to finish with.

use std::ops::Range;

use crate::coverage::Coverage;
use crate::session::{Answer, Session};
use crate::tree::{NodeId, ROOT};

/// How often a defect may show.
const SHOWS: [f64; 4] = [0.1, 0.35, 0.7, 1.0];
/// What is wrong in a call may be put right again in its caller.
const IS_SEEN: f64 = 0.97;
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
    let total: f64 = edges.iter().flatten().sum();
    if total <= 0.0 {
        return None;
    }
    let mut best: Option<(NodeId, f64, u32)> = None;
    for &node in open {
        let below = session.subtree(node);
        let mut wrongs = 0.0;
        for (edge, weights) in edges.iter().enumerate() {
            let count = counts.suspicious(edge, &below);
            if count > 0 {
                let each = weights.iter().zip(SHOWS);
                wrongs += each
                    .map(|(weight, shows)| weight * wrong(shows, count))
                    .sum::<f64>();
            }
        }
        let wrong = wrongs / total;
        // How much the less likely answer would tell: near nothing where it is almost known.
        let worth = wrong.min(1.0 - wrong);
        let size = below.end - below.start;
        // Hardly more is no more. It is a share: of calls that are all hardly wrong one can be so ten times as likely.
        const SAME: f64 = 0.96;
        let is_better = best.is_none_or(|(_, most, smallest)| {
            worth * SAME > most || worth > most * SAME && size < smallest
        });
        if is_better {
            let most = best.map_or(worth, |(_, most, _)| most.max(worth));
            best = Some((node, most, size));
        }
    }
    best.map(|(node, ..)| node)
}

/// How likely each edge is the faulty one, for each frequency with which a defect may show; not to scale.
fn likelihoods(
    coverage: &Coverage,
    session: &Session<'_>,
    counts: &Counts,
) -> Vec<[f64; SHOWS.len()]> {
    let ochiai = |&passing: &u32| [1.0 / f64::from(passing + 1).sqrt(); SHOWS.len()];
    let mut edges: Vec<_> = coverage.passing().iter().map(ochiai).collect();
    for judged in session.history() {
        let is_wrong = match judged.answer {
            Answer::Valid => false,
            Answer::Invalid => true,
            _ => continue,
        };
        // Of a right call all that it covers counts, of a wrong one what is not known to be right.
        let below = session.subtree(judged.node);
        for (edge, weights) in edges.iter_mut().enumerate() {
            let count = match is_wrong {
                true => counts.suspicious(edge, &below),
                false => counts.all(edge, &below),
            };
            for (weight, shows) in weights.iter_mut().zip(SHOWS) {
                let wrong = wrong(shows, count);
                *weight *= if is_wrong { wrong } else { 1.0 - wrong };
            }
        }
    }
    edges
}

/// How likely a call is wrong that covers the faulty edge so often.
fn wrong(shows: f64, count: u32) -> f64 {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    IS_SEEN * (1.0 - (1.0 - shows).powi(count))
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
}
