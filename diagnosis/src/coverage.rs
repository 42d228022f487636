//! What each call covers, and what it weighs by that: code that right calls ran is less likely to be wrong.
//!
//! A call weighs the sum of `g(x)` over what it covers itself, where `x` is how many calls (each with all below it) were
//! found right that cover it too, and `g(x) = p^x` (Hermanns and Kuchen, section 4: with 0.5 for edges). With runs that
//! are said to be right, `g` is Ochiai's measure for one run that is wrong: `1/√(1 + x)`, with `x` right runs and calls.
//!
//! An edge of the control-flow graph is a function's entry, or a condition with how it came out: all others are covered
//! where one of these is.

use event_log::ids::SiteId;
use event_log::model::{Kind, Model, NONE};
use event_log::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::log::LogTree;
use crate::session::{Answer, Session};
use crate::strategy::Strategy;

/// What is covered, where it is in the files that its author wrote: the end of the address, line, column, and how a
/// condition came out (2: the entry of a function).
type Place = (String, u32, u32, u8);

/// What each call covers itself.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Where the items of each node begin, and where the last ends.
    starts: Vec<u32>,
    items: Vec<u32>,
    places: Vec<Place>,
    /// How many runs that are right cover each item.
    passing: Vec<u32>,
}

impl Coverage {
    /// The edges that each call of a log covers.
    #[must_use]
    pub fn edges(log: &LogTree<'_>) -> Self {
        let model = log.model();
        let mut numbers: FxHashMap<(u32, u8), u32> = FxHashMap::default();
        let mut coverage = Self::default();
        let nodes = log.tree().len() + 1;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for event in &model.events {
            let Some(node) = log.node(event.call) else {
                continue;
            };
            let Some(edge) = edge(model, event) else {
                continue;
            };
            let next = u32::try_from(numbers.len()).unwrap_or(NONE);
            let number = *numbers.entry(edge).or_insert(next);
            if number == next {
                coverage.places.push(place(model, edge));
            }
            pairs.push((node.0, number));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut pairs = pairs.into_iter().peekable();
        for node in 0..nodes {
            coverage
                .starts
                .push(u32::try_from(coverage.items.len()).unwrap_or(NONE));
            while let Some((_, item)) = pairs.next_if(|it| it.0 as usize == node) {
                coverage.items.push(item);
            }
        }
        coverage
            .starts
            .push(u32::try_from(coverage.items.len()).unwrap_or(NONE));
        coverage.passing = vec![0; coverage.places.len()];
        coverage
    }

    /// Takes the log of a run that is right, of the same version of the page.
    pub fn passed(&mut self, model: &Model) {
        let covered: FxHashSet<Place> = model
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

fn place(model: &Model, (number, outcome): (u32, u8)) -> Place {
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
