//! What each call covers, and what it weighs by that: code that right calls ran is less likely to be wrong.
//!
//! A call weighs the sum of `g(x)` over what it covers itself, where `x` is how many calls (each with all below it)
//! were found right that cover it too, and `g(x) = p^x` (Hermanns and Kuchen, section 4: with 0.5 for edges, 0.6 for
//! pairs of a definition and a use). With runs that
//! are said to be right, `g` is Ochiai's measure for one run that is wrong: `1/√(1 + x)`, with `x` right runs and
//! calls.
//!
//! An edge of the control-flow graph is a function's entry, or a condition with how it came out: all others are covered
//! where one of these is.

use std::collections::HashMap;

use event_log::ids::SiteId;
use event_log::model::{Key, Kind, Model, NONE};
use event_log::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::log::LogTree;
use crate::session::{Answer, Session};
use crate::strategy::Strategy;

/// What is covered, where it is in the files that its author wrote: the end of the address, line, column, and how a
/// condition came out (2: the entry of a function).
type CodePlace = (String, u32, u32, u8);

/// What the statement reads that a site is in: a number for the statement, and names of variables and of properties
/// (with a dot).
pub type ReadsAt = HashMap<SiteId, (u32, Vec<String>)>;

/// What calls cover, while it is put together.
#[derive(Default)]
struct Builder {
    numbers: FxHashMap<(u32, u32), u32>,
    pairs: Vec<(u32, u32)>,
    places: Vec<CodePlace>,
}

impl Builder {
    fn covers(&mut self, node: u32, what: (u32, u32), place: impl FnOnce() -> CodePlace) {
        let next = u32::try_from(self.numbers.len()).unwrap_or(NONE);
        let number = *self.numbers.entry(what).or_insert(next);
        if number == next {
            self.places.push(place());
        }
        if self.pairs.last() != Some(&(node, number)) {
            self.pairs.push((node, number));
        }
    }

    fn finish(mut self, log: &LogTree<'_>) -> Coverage {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut coverage = Coverage {
            passing: vec![0; self.places.len()],
            places: self.places,
            ..Coverage::default()
        };
        let mut pairs = self.pairs.into_iter().peekable();
        for node in 0..=log.tree().len() {
            let begin = u32::try_from(coverage.items.len()).unwrap_or(NONE);
            coverage.starts.push(begin);
            while let Some((_, item)) = pairs.next_if(|it| it.0 as usize == node) {
                coverage.items.push(item);
            }
        }
        let end = u32::try_from(coverage.items.len()).unwrap_or(NONE);
        coverage.starts.push(end);
        coverage
    }
}

/// What each call covers itself.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Where the items of each node begin, and where the last ends.
    starts: Vec<u32>,
    items: Vec<u32>,
    places: Vec<CodePlace>,
    /// How many runs that are right cover each item.
    passing: Vec<u32>,
}

impl Coverage {
    /// The edges that each call of a log covers.
    #[must_use]
    pub fn edges(log: &LogTree<'_>) -> Self {
        let model = log.model();
        let mut builder = Builder::default();
        for (event, at) in model.events.iter().zip(0..) {
            if let (Some(node), Some(edge)) = (log.node_in(at), edge(model, event)) {
                builder.covers(node.0, (edge.0, u32::from(edge.1)), || place(model, edge));
            }
        }
        builder.finish(log)
    }

    /// The pairs of a definition and a use that each call of a log covers: a statement, and what gave a variable or
    /// property last that it reads. Properties are told apart by name alone, and variables of several calls as well.
    #[must_use]
    pub fn definitions_and_uses(log: &LogTree<'_>, reads: &ReadsAt) -> Self {
        let model = log.model();
        let mut builder = Builder::default();
        // What defined a name last: a site, or the function whose parameter it is.
        let mut defined: FxHashMap<String, u32> = FxHashMap::default();
        let property = |key: u32| match model.keys.get(key as usize) {
            Some(Key::Property(name)) if name.bytes().all(|it| it.is_ascii_digit()) => None,
            Some(Key::Property(name)) => Some(format!(".{name}")),
            _ => None,
        };
        for (event, at) in model.events.iter().zip(0..) {
            let Some(node) = log.node_in(at) else {
                continue;
            };
            if event.kind == Kind::Call {
                let function = model.calls.get(event.call as usize).map(|it| it.function);
                let function = function.unwrap_or_default();
                let parameters = model
                    .tables
                    .function(function)
                    .map(|it| it.parameters.as_slice());
                for name in parameters.unwrap_or_default() {
                    // Numbers of functions are above all those of sites.
                    defined.insert(name.clone(), NONE - function.0);
                }
                builder.covers(node.0, (function.0, NONE), CodePlace::default);
                continue;
            }
            if let Some((part, names)) = reads.get(&event.site) {
                for name in names {
                    let definition = defined.get(name).copied().unwrap_or(0);
                    builder.covers(node.0, (definition, *part), CodePlace::default);
                }
            }
            let name = match event.kind {
                Kind::Assign => model.site(event.site).map(|it| it.name.clone()),
                Kind::Write => property(event.key),
                _ => None,
            };
            if let Some(name) = name {
                defined.insert(name, event.site.0);
            }
        }
        builder.finish(log)
    }

    /// What each node covers, by node; the first is the root.
    #[cfg(test)]
    pub(crate) fn of_items(each: &[Vec<u32>]) -> Self {
        let items: Vec<u32> = each.concat();
        let count = items.iter().max().map_or(0, |most| *most as usize + 1);
        let mut starts = vec![0];
        for items in each {
            let behind = starts.last().copied().unwrap_or(0) as usize + items.len();
            starts.push(u32::try_from(behind).unwrap_or(NONE));
        }
        Self {
            starts,
            items,
            places: vec![CodePlace::default(); count],
            passing: vec![0; count],
        }
    }

    /// Takes the log of a run that is right, of the same version of the page.
    pub fn passed(&mut self, model: &Model) {
        let covered: FxHashSet<CodePlace> = model
            .events
            .iter()
            .filter_map(|event| edge(model, event))
            .collect::<FxHashSet<_>>()
            .into_iter()
            .map(|edge| place(model, edge))
            .collect();
        for (place, count) in self.places.iter().zip(&mut self.passing) {
            *count += u32::from(covered.contains(place));
        }
    }

    /// How many things there are to cover.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many runs that are right cover each.
    pub(crate) fn passing(&self) -> &[u32] {
        &self.passing
    }

    /// What a node covers itself.
    pub(crate) fn items(&self, node: u32) -> &[u32] {
        let at = |index: usize| self.starts.get(index).copied().unwrap_or(0) as usize;
        let node = node as usize;
        self.items.get(at(node)..at(node + 1)).unwrap_or_default()
    }

    /// What each node weighs, by what was said so far.
    #[must_use]
    pub fn weights(&self, session: &Session<'_>, strategy: Strategy) -> Vec<f64> {
        let mut right = match strategy {
            Strategy::Suspicion => self.passing.clone(),
            _ => vec![0; self.places.len()],
        };
        let mut seen_by = vec![NONE; self.places.len()];
        for judged in session.history() {
            if judged.answer != Answer::Valid {
                continue;
            }
            for node in session.subtree(judged.node) {
                for &item in self.items(node) {
                    let item = item as usize;
                    if seen_by[item] != judged.node.0 {
                        seen_by[item] = judged.node.0;
                        right[item] += 1;
                    }
                }
            }
        }
        let each: Vec<f64> = right
            .iter()
            .map(|&count| match strategy {
                Strategy::Suspicion => 1.0 / (1.0 + f64::from(count)).sqrt(),
                Strategy::DefUse => 0.6_f64.powf(f64::from(count)),
                _ => 0.5_f64.powf(f64::from(count)),
            })
            .collect();
        let nodes = u32::try_from(self.starts.len().saturating_sub(1)).unwrap_or(NONE);
        (0..nodes)
            .map(|node| self.items(node).iter().map(|&it| each[it as usize]).sum())
            .collect()
    }
}

/// The edge that an event covers: of a site with an outcome, or of a function.
fn edge(model: &Model, event: &event_log::model::Event) -> Option<(u32, u8)> {
    match event.kind {
        Kind::Call => Some((model.calls.get(event.call as usize)?.function.0, 2)),
        Kind::Branch => match event.value {
            Value::Boolean(held) => Some((event.site.0, u8::from(held))),
            _ => None,
        },
        _ => None,
    }
}

fn place(model: &Model, (number, outcome): (u32, u8)) -> CodePlace {
    let tables = &model.tables;
    let (script, line, column) = match outcome {
        2 => tables
            .function(event_log::ids::FunctionId(number))
            .map(|it| (it.script, it.line, it.column)),
        _ => tables
            .site(SiteId(number))
            .map(|it| (it.script, it.line, it.column)),
    }
    .unwrap_or_default();
    let url = tables.script(script).map_or("", |it| &it.url);
    // Another run may have another server.
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split_once('/').map_or(path, |(_, path)| path);
    (path.to_owned(), line, column, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{NodeId, Tree};

    /// Call 0 makes the calls 1 and 2, and 2 makes 3.
    fn tree() -> Tree {
        Tree::new(&[None, Some(0), Some(0), Some(2)], &[1, 2, 3, 4])
    }

    fn near(weights: &[f64], expected: &[f64]) {
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
        let is_same = weights.len() == expected.len();
        assert!(
            is_same && weights.iter().zip(expected).all(is_near),
            "{weights:?}, not {expected:?}"
        );
    }

    /// Hermanns and Kuchen, section 4: `g(x) = p^x`, with 0.5 for edges and 0.6 for pairs; `x` is the number of right
    /// calls that cover it, each counted once, with what is below it.
    #[test]
    fn what_right_calls_cover_weighs_less_by_the_papers_factor() {
        let tree = tree();
        // The root; then what each call covers.
        let items = [vec![], vec![0, 1], vec![1, 2], vec![3], vec![1, 3]];
        let coverage = Coverage::of_items(&items);
        let mut session = Session::new(&tree);
        let of = |session: &Session<'_>, strategy| coverage.weights(session, strategy);
        near(&of(&session, Strategy::Edges), &[0.0, 2.0, 2.0, 1.0, 2.0]);
        // Call 2, in which items 1 and 3 are covered, 3 twice.
        session.answer(NodeId(3), Answer::Valid);
        near(&of(&session, Strategy::Edges), &[0.0, 1.5, 1.5, 0.5, 1.0]);
        near(&of(&session, Strategy::DefUse), &[0.0, 1.6, 1.6, 0.6, 1.2]);
        session.answer(NodeId(2), Answer::Valid);
        near(
            &of(&session, Strategy::Edges),
            &[0.0, 1.25, 0.75, 0.5, 0.75],
        );
        near(
            &of(&session, Strategy::DefUse),
            &[0.0, 1.36, 0.96, 0.6, 0.96],
        );
        // A wrong call takes nothing away.
        session.answer(NodeId(1), Answer::Invalid);
        near(
            &of(&session, Strategy::Edges),
            &[0.0, 1.25, 0.75, 0.5, 0.75],
        );
    }

    /// Ochiai's measure for one run that is wrong: one over the root of one and the right runs and calls.
    #[test]
    fn what_right_runs_cover_weighs_less_by_ochiais_measure() {
        let tree = tree();
        let mut coverage = Coverage::of_items(&[vec![], vec![0], vec![1], vec![2], vec![1]]);
        coverage.passing = vec![0, 3, 8];
        let mut session = Session::new(&tree);
        let of = |session: &Session<'_>| coverage.weights(session, Strategy::Suspicion);
        near(&of(&session), &[0.0, 1.0, 0.5, 1.0 / 3.0, 0.5]);
        session.answer(NodeId(4), Answer::Valid);
        let once_more = 1.0 / 5_f64.sqrt();
        near(&of(&session), &[0.0, 1.0, once_more, 1.0 / 3.0, once_more]);
    }
}
