//! The computation tree of a log.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use event_log::catalogue::shown_event;
use event_log::model::{Call, Kind, Model, NONE};
use querypoint::events::LoggedEvent;

use crate::tree::{NodeId, ROOT, Tree};

/// A log, and the tree of its calls. A function represents all its calls where it is trusted.
///
/// An `async` function or a generator is one node, however often it was resumed: what it calls afterwards is its child.
/// A callback is under who ran it.
#[derive(Debug)]
pub struct LogTree<'m> {
    model: &'m Model,
    tree: Tree,
    /// The call of each number that the tree has.
    calls: Range<u32>,
    /// Objects of which the log has all.
    whole: OnceLock<BTreeSet<u32>>,
}

impl<'m> LogTree<'m> {
    /// The calls that began in a part of the log, by numbers of events.
    #[must_use]
    pub fn new(model: &'m Model, window: Range<u32>) -> Self {
        // Calls are in the order in which they began.
        let border = |event: u32| model.calls.partition_point(|call| call.enter < event);
        let (first, last) = (border(window.start), border(window.end));
        let own = model.calls.get(first..last).unwrap_or_default();
        let first = u32::try_from(first).unwrap_or(NONE);
        let parents: Vec<Option<u32>> = own
            .iter()
            .map(|call| {
                call.parent
                    .checked_sub(first)
                    .filter(|_| call.parent != NONE)
            })
            .collect();
        let functions: Vec<u32> = own.iter().map(|call| call.function.0).collect();
        Self {
            model,
            tree: Tree::new(&parents, &functions),
            calls: first..first.saturating_add(u32::try_from(own.len()).unwrap_or(0)),
            whole: OnceLock::new(),
        }
    }

    /// Whether the log saw an object being made, or was told what is inside it.
    pub(crate) fn is_whole(&self, object: u32) -> bool {
        let whole = self.whole.get_or_init(|| {
            let made = self.model.events.iter();
            made.filter(|event| matches!(event.kind, Kind::Create | Kind::Contents))
                .filter_map(|event| event.owner.object())
                .map(|it| it.0)
                .collect()
        });
        whole.contains(&object)
    }

    /// The log.
    #[must_use]
    pub const fn model(&self) -> &'m Model {
        self.model
    }

    /// The tree.
    #[must_use]
    pub const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of a node's call in [`Model::calls`].
    #[must_use]
    pub fn call_number(&self, node: NodeId) -> Option<u32> {
        Some(self.calls.start.saturating_add(self.tree.call_of(node)?))
    }

    /// The call of a node.
    #[must_use]
    pub fn call(&self, node: NodeId) -> Option<&'m Call> {
        self.model.calls.get(self.call_number(node)? as usize)
    }

    /// The node of a call, by its number in [`Model::calls`].
    #[must_use]
    pub fn node(&self, call: u32) -> Option<NodeId> {
        self.tree.node_of(call.checked_sub(self.calls.start)?)
    }

    /// The node of the call that began with an event.
    #[must_use]
    pub fn node_at(&self, event: u64) -> Option<NodeId> {
        let event = u32::try_from(event).ok()?;
        let number = self.model.calls.binary_search_by_key(&event, |it| it.enter);
        self.node(u32::try_from(number.ok()?).ok()?)
    }

    /// Behind the last event of a call; the end of the log, if it has none.
    #[must_use]
    pub fn end(&self, node: NodeId) -> u32 {
        let length = u32::try_from(self.model.events.len()).unwrap_or(NONE);
        match self.call(node) {
            Some(call) if call.exit != NONE => call.exit.saturating_add(1).min(length),
            _ => length,
        }
    }

    /// Behind the last event of a call and of all below it: what waits goes on when its caller has returned.
    pub(crate) fn last_end(&self, node: NodeId) -> u32 {
        let below = self.tree.subtree(node);
        below.map(|it| self.end(NodeId(it))).max().unwrap_or(0)
    }

    /// The numbers of the events of a call and of all below it, before one.
    pub(crate) fn events_below(&self, node: NodeId, before: u32) -> impl Iterator<Item = u32> + '_ {
        let range = match self.call(node) {
            Some(call) => call.enter..before,
            None => 0..0,
        };
        range.filter(self.is_below(node))
    }

    /// Whether an event is one of a call or of what is below it.
    pub(crate) fn is_below(&self, node: NodeId) -> impl FnMut(&u32) -> bool + '_ {
        let stream = self.call(node).map_or(0, |call| call.stream);
        let below = self.tree.subtree(node);
        let mut last = (NONE, false);
        move |&number| {
            let Some(event) = self.model.events.get(number as usize) else {
                return false;
            };
            if event.stream != stream || event.call == NONE {
                return false;
            }
            if last.0 != event.call {
                let node = self.node(event.call);
                last = (event.call, node.is_some_and(|it| below.contains(&it.0)));
            }
            last.1
        }
    }

    /// What happened in a call itself, in order: the first so many events, and how many more there are. Of what it
    /// called there is that it was called.
    #[must_use]
    pub fn own_events(&self, node: NodeId, most: usize) -> (Vec<LoggedEvent>, usize) {
        let (Some(call), Some(number)) = (self.call(node), self.call_number(node)) else {
            return (Vec::new(), 0);
        };
        let is_own = |at: &u32| {
            let event = self.model.events.get(*at as usize);
            event.is_some_and(|event| match event.kind {
                Kind::Call => {
                    let called = self.model.calls.get(event.call as usize);
                    called.is_some_and(|it| it.parent == number)
                }
                Kind::Step | Kind::Contents | Kind::Gap => false,
                _ => event.call == number,
            })
        };
        let mut own = (call.enter.saturating_add(1)..self.end(node)).filter(is_own);
        let events = own
            .by_ref()
            .take(most)
            .filter_map(|at| shown_event(self.model, at));
        (events.collect(), own.count())
    }

    /// What left a call as an exception, where the log has it.
    #[must_use]
    pub fn thrown(&self, node: NodeId) -> Option<event_log::value::Value> {
        self.model.thrown(self.call(node)?)
    }

    /// The functions whose name or file a pattern matches, in which `*` represents anything.
    #[must_use]
    pub fn functions_matching(&self, pattern: &str) -> Vec<u32> {
        let tables = &self.model.tables;
        let matches_function = |function: &event_log::tables::Function| {
            let url = tables.script(function.script).map_or("", |it| &it.url);
            let behind =
                |pattern: &str| matches(pattern, url) || matches(&format!("*/{pattern}"), url);
            matches(pattern, &function.name) || behind(pattern)
        };
        let functions = tables.functions.iter().zip(1..);
        functions
            .filter(|(function, _)| matches_function(function))
            .map(|(_, number)| number)
            .collect()
    }

    /// The functions of libraries, which are trusted from the start.
    #[must_use]
    pub fn library_functions(&self) -> Vec<u32> {
        let tables = &self.model.tables;
        let functions = tables.functions.iter().zip(1..);
        functions
            .filter(|(it, _)| tables.script(it.script).is_some_and(|it| it.library))
            .map(|(_, number)| number)
            .collect()
    }

    /// The calls that are directly under nothing, or under a call.
    #[must_use]
    pub fn is_top(&self, node: NodeId) -> bool {
        self.tree.parent(node) == Some(ROOT)
    }
}

/// Whether a pattern matches all of a text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        assert!(matches("Tree.*", "Tree.insert"));
        assert!(matches("*.insert", "Tree.insert"));
        assert!(matches("*/vendor/*", "http://h/vendor/a.js"));
        assert!(!matches("insert", "Tree.insert"));
        assert!(!matches("aba*aba", "aba"));
        assert!(matches("", ""));
    }
}
