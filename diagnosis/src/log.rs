//! The computation tree of a log.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

use event_log::catalogue::shown_event;
use event_log::ids::SiteId;
use event_log::model::{Call, Kind, Model, NONE, text};
use event_log::tables::Function;
use event_log::value::Value;
use querypoint::events::LoggedEvent;

use crate::look_ups::look_ups;
use crate::loops::{Iteration, Iterations, Loop, Loops};
use crate::tree::{NodeId, ROOT, Tree};

/// A log, and the tree of its calls. A function represents all its calls where it is trusted.
///
/// An `async` function or a generator is one node, however often it was resumed: what it calls afterwards is its child.
/// A callback is under who ran it. Where loops are expanded, each iteration is a node, too ([`crate::Loops`]).
#[derive(Debug)]
pub struct LogTree<'m> {
    model: &'m Model,
    tree: Tree,
    /// The call of each number that the tree has.
    calls: Range<u32>,
    /// Where loops are expanded: what the tree has beside calls.
    expanded: Option<Expanded>,
    /// Objects of which the log has all.
    whole: OnceLock<BTreeSet<u32>>,
    /// How the page looked for its elements, by realm and object.
    looked_up: OnceLock<HashMap<(u16, u32), String>>,
    /// Which sites may call a built-in function by another name ([`Self::with_renamed`]).
    renamed: HashMap<SiteId, (String, String)>,
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
            expanded: None,
            whole: OnceLock::new(),
            looked_up: OnceLock::new(),
            renamed: HashMap::new(),
        }
    }

    /// The same, with a node for each iteration of a loop.
    #[must_use]
    pub fn with_loops(model: &'m Model, window: Range<u32>, loops: &Loops) -> Self {
        let mut log = Self::new(model, window);
        let iterations = Iterations::of(model, loops);
        let mut units: Vec<Unit> = log.calls.clone().map(Unit::Call).collect();
        let own = iterations.all.iter().zip(0..);
        let own = own.filter(|(it, _)| log.calls.contains(&it.call));
        units.extend(own.map(|(_, index)| Unit::Iteration(index)));
        let call = |number: u32| model.calls.get(number as usize);
        let iteration = |index: u32| iterations.all.get(index as usize);
        // What a condition calls is in its iteration.
        units.sort_by_key(|&unit| match unit {
            Unit::Call(number) => (call(number).map_or(NONE, |it| it.enter), true),
            Unit::Iteration(index) => (iteration(index).map_or(NONE, |it| it.start), false),
        });
        let mut expanded = Expanded {
            of_calls: vec![NONE; log.calls.len()],
            of_iterations: vec![NONE; iterations.all.len()],
            loops: loops.loops.clone(),
            iterations,
            units,
        };
        for (&unit, place) in expanded.units.iter().zip(0..) {
            let (all, index) = match unit {
                Unit::Call(number) => (&mut expanded.of_calls, number - log.calls.start),
                Unit::Iteration(index) => (&mut expanded.of_iterations, index),
            };
            if let Some(it) = all.get_mut(index as usize) {
                *it = place;
            }
        }
        let (mut parents, mut functions) = (Vec::new(), Vec::new());
        for &unit in &expanded.units {
            let parent = match unit {
                Unit::Call(number) => call(number).and_then(|it| {
                    let innermost = expanded.iterations.innermost(it.parent, it.enter);
                    let innermost = innermost.and_then(|it| expanded.place_of_iteration(it));
                    innermost.or_else(|| expanded.place_of_call(it.parent, log.calls.start))
                }),
                Unit::Iteration(index) => {
                    expanded.iterations.all.get(index as usize).and_then(|it| {
                        let around = it.before.or(it.around);
                        let around = around.and_then(|it| expanded.place_of_iteration(it));
                        around.or_else(|| expanded.place_of_call(it.call, log.calls.start))
                    })
                }
            };
            parents.push(parent);
            functions.push(match unit {
                Unit::Call(number) => call(number).map_or(0, |it| it.function.0),
                // Numbers of loops are above all those of functions.
                Unit::Iteration(index) => {
                    NONE - expanded
                        .iterations
                        .all
                        .get(index as usize)
                        .map_or(0, |it| it.of)
                }
            });
        }
        log.tree = Tree::new(&parents, &functions);
        log.expanded = Some(expanded);
        log
    }

    /// With the built-in functions that the scripts call by other names: of a site the callee as it is written, and the
    /// function's own name.
    #[must_use]
    pub fn with_renamed(mut self, renamed: HashMap<SiteId, (String, String)>) -> Self {
        self.renamed = renamed;
        self
    }

    /// How the page looked for an element, as it is written; `None`: it did not, or it is none.
    pub(crate) fn looked_up(&self, stream: u16, object: u32) -> Option<&str> {
        let all = self.looked_up.get_or_init(|| look_ups(self.model));
        all.get(&(stream, object)).map(String::as_str)
    }

    /// An object by the way in which the page looked for it, else by its number; another value as a console prints it.
    pub(crate) fn named(&self, stream: u16, value: Value) -> String {
        let looked_up = value.object().and_then(|it| self.looked_up(stream, it.0));
        looked_up.map_or_else(|| text(self.model, stream, value), str::to_owned)
    }

    /// What is called at a site: a built-in function by its own name, all others as they are written.
    pub(crate) fn callee(&self, site: SiteId) -> &str {
        let written = self.model.site(site).map_or("", |it| it.name.as_str());
        match self.renamed.get(&site) {
            // Several calls may begin at one place: `f(a)(b)`.
            Some((callee, name)) if callee == written => name,
            _ => written,
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

    /// What a node is.
    fn unit(&self, node: NodeId) -> Option<Unit> {
        let place = self.tree.call_of(node)?;
        match &self.expanded {
            Some(expanded) => expanded.units.get(place as usize).copied(),
            None => Some(Unit::Call(self.calls.start.saturating_add(place))),
        }
    }

    /// The number of a node's call in [`Model::calls`]; an iteration is none.
    #[must_use]
    pub fn call_number(&self, node: NodeId) -> Option<u32> {
        match self.unit(node)? {
            Unit::Call(number) => Some(number),
            Unit::Iteration(_) => None,
        }
    }

    /// The call of a node; an iteration is none.
    #[must_use]
    pub fn call(&self, node: NodeId) -> Option<&'m Call> {
        self.model.calls.get(self.call_number(node)? as usize)
    }

    /// The iteration of a node; a call is none.
    pub(crate) fn iteration(&self, node: NodeId) -> Option<&Iteration> {
        match self.unit(node)? {
            Unit::Call(_) => None,
            Unit::Iteration(index) => {
                let expanded = self.expanded.as_ref()?;
                expanded.iterations.all.get(index as usize)
            }
        }
    }

    /// The event that an iteration is known by; of a call none.
    #[must_use]
    pub fn iteration_event(&self, node: NodeId) -> Option<u32> {
        self.iteration(node).map(|it| it.id)
    }

    /// The loop of an iteration, as it is written.
    pub(crate) fn loop_of(&self, iteration: &Iteration) -> Option<&Loop> {
        self.expanded.as_ref()?.loops.get(iteration.of as usize)
    }

    /// The call that a node is, or that runs the iteration that it is.
    pub(crate) fn call_around(&self, node: NodeId) -> Option<&'m Call> {
        match self.iteration(node) {
            Some(it) => self.model.calls.get(it.call as usize),
            None => self.call(node),
        }
    }

    /// The first event of a node.
    pub(crate) fn start(&self, node: NodeId) -> Option<u32> {
        match self.iteration(node) {
            Some(it) => Some(it.start),
            None => Some(self.call(node)?.enter),
        }
    }

    /// The node of a call, by its number in [`Model::calls`].
    #[must_use]
    pub fn node(&self, call: u32) -> Option<NodeId> {
        let place = match &self.expanded {
            Some(expanded) => expanded.place_of_call(call, self.calls.start)?,
            None => call.checked_sub(self.calls.start)?,
        };
        self.tree.node_of(place)
    }

    /// The innermost node that an event is in; of the beginning of a call that call.
    pub(crate) fn node_in(&self, at: u32) -> Option<NodeId> {
        let event = self.model.events.get(at as usize)?;
        if let Some(expanded) = &self.expanded
            && event.kind != Kind::Call
            && let Some(index) = expanded.iterations.innermost(event.call, at)
        {
            return self.tree.node_of(expanded.place_of_iteration(index)?);
        }
        self.node(event.call)
    }

    /// The node of the call that began with an event, or of the iteration that is known by it.
    #[must_use]
    pub fn node_at(&self, event: u64) -> Option<NodeId> {
        let event = u32::try_from(event).ok()?;
        let number = self.model.calls.binary_search_by_key(&event, |it| it.enter);
        match number {
            Ok(number) => self.node(u32::try_from(number).ok()?),
            Err(_) => self.iteration_at(event),
        }
    }

    /// The node of the iteration that is known by an event.
    #[must_use]
    pub fn iteration_at(&self, event: u32) -> Option<NodeId> {
        let expanded = self.expanded.as_ref()?;
        let index = expanded
            .iterations
            .all
            .iter()
            .position(|it| it.id == event)?;
        let place = expanded.place_of_iteration(u32::try_from(index).ok()?)?;
        self.tree.node_of(place)
    }

    /// Behind the last event of a call, or of the loop of an iteration; the end of the log, if it has none.
    #[must_use]
    pub fn end(&self, node: NodeId) -> u32 {
        let length = u32::try_from(self.model.events.len()).unwrap_or(NONE);
        if let Some(it) = self.iteration(node) {
            return it.end.min(length);
        }
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
        let range = self.start(node).map_or(0..0, |start| start..before);
        range.filter(self.is_below(node))
    }

    /// Whether an event is one of a call or of what is below it.
    pub(crate) fn is_below(&self, node: NodeId) -> impl FnMut(&u32) -> bool + '_ {
        let stream = self.call_around(node).map_or(0, |call| call.stream);
        let below = self.tree.subtree(node);
        let is_iteration = self.iteration(node).is_some();
        let mut last = (NONE, false);
        move |&number| {
            let Some(event) = self.model.events.get(number as usize) else {
                return false;
            };
            if event.stream != stream || event.call == NONE {
                return false;
            }
            if is_iteration {
                return self.node_in(number).is_some_and(|it| below.contains(&it.0));
            }
            if last.0 != event.call {
                let node = self.node(event.call);
                last = (event.call, node.is_some_and(|it| below.contains(&it.0)));
            }
            last.1
        }
    }

    /// What happened in a call itself, in order: the first so many events, and how many more there are. Of what it
    /// called there is that it was called. Of an iteration it is what happened before the next one.
    #[must_use]
    pub fn own_events(&self, node: NodeId, most: usize) -> (Vec<LoggedEvent>, usize) {
        let Some(start) = self.start(node) else {
            return (Vec::new(), 0);
        };
        let is_in = |it: Option<NodeId>| it == Some(node);
        let is_own = |at: &u32| {
            let event = self.model.events.get(*at as usize);
            event.is_some_and(|event| match event.kind {
                Kind::Call => is_in(self.node(event.call).and_then(|it| self.tree.parent(it))),
                Kind::Step | Kind::Contents | Kind::Gap => false,
                _ => is_in(self.node_in(*at)),
            })
        };
        // The event with which a call begins is known already.
        let first = match self.iteration(node) {
            Some(_) => start,
            None => start.saturating_add(1),
        };
        let mut own = (first..self.end(node)).filter(is_own);
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
        let matches_function = |function: &Function| {
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

    /// The functions of libraries, which are trusted from the start; none, where only such functions were called: then
    /// what looks like a library is what is asked about.
    #[must_use]
    pub fn library_functions(&self) -> Vec<u32> {
        let tables = &self.model.tables;
        let is_of_library = |it: &Function| tables.script(it.script).is_some_and(|it| it.library);
        let calls = self
            .calls
            .clone()
            .filter_map(|it| self.model.calls.get(it as usize));
        let mut called = calls.filter_map(|it| tables.function(it.function));
        let is_all = called.all(is_of_library);
        let functions = tables.functions.iter().zip(1..);
        functions
            .filter(|(it, _)| !is_all && is_of_library(it))
            .map(|(_, number)| number)
            .collect()
    }

    /// The calls that are directly under nothing, or under a call.
    #[must_use]
    pub fn is_top(&self, node: NodeId) -> bool {
        self.tree.parent(node) == Some(ROOT)
    }
}

/// What a node is: a call by its number in [`Model::calls`], or an iteration by index.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Call(u32),
    Iteration(u32),
}

/// The nodes of a tree with expanded loops.
#[derive(Debug)]
struct Expanded {
    loops: Vec<Loop>,
    iterations: Iterations,
    /// What the tree was made of, in this order.
    units: Vec<Unit>,
    /// Where each call is in `units`.
    of_calls: Vec<u32>,
    /// Where each iteration is; [`NONE`]: it is one of a call that is left out.
    of_iterations: Vec<u32>,
}

impl Expanded {
    fn place_of_call(&self, call: u32, first: u32) -> Option<u32> {
        self.of_calls
            .get(call.checked_sub(first)? as usize)
            .copied()
    }

    fn place_of_iteration(&self, index: u32) -> Option<u32> {
        let place = self.of_iterations.get(index as usize).copied();
        place.filter(|&it| it != NONE)
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
