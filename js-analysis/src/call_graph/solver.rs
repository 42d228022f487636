//! Where functions and objects flow, until nothing more flows.

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;

use super::facts::{AWAIT, CallFact, CallFacts, ELEMENT, FlowPlace, MethodOf};
use super::graph::{CallGraph, CallRef, CalledBack, FunctionRef, Made, Promised, is_shared};
use super::platform::{clears_timer, is_call_of_itself, is_followed_where_given, sets_timer};
use super::values::Values;
use crate::position::ByteOffset;

/// A place that more functions reach says nothing: no more are kept.
const MOST_FUNCTIONS: usize = 200;
/// The same of what calls gave that were handed a function.
const MOST_REGISTRATIONS: u8 = 50;
/// After so many steps a call graph gives up.
pub const MOST_STEPS: u64 = 200_000_000;
/// The same of what is in the properties of objects.
const MOST_MEMBERS: usize = 50;
/// The same of objects, and of functions and objects together.
const MOST_OBJECTS: usize = 400;

impl CallGraph {
    /// The graph of scripts, which it numbers in their order.
    #[must_use]
    pub fn new(scripts: &[&CallFacts]) -> Self {
        Self::within(scripts, false, MOST_STEPS)
    }

    /// The same, which also knows which objects each place may hold.
    #[must_use]
    pub fn with_objects(scripts: &[&CallFacts]) -> Self {
        Self::within(scripts, true, MOST_STEPS)
    }

    /// One of both, which gives up after so many steps, each of which is a function that reaches a place: then it says
    /// so in [`CallGraph::gave_up`], and lacks calls.
    #[must_use]
    pub fn within(scripts: &[&CallFacts], with_objects: bool, most_steps: u64) -> Self {
        let mut solver = Solver::new(scripts);
        solver.has_objects = with_objects;
        solver.steps_left = most_steps;
        Self::solved(solver)
    }

    fn solved(mut solver: Solver<'_>) -> Self {
        solver.link();
        solver.run();
        solver.finish()
    }
}

/// A place of all scripts, by number.
pub(super) type Node = u32;

#[derive(Clone, Copy)]
pub(super) enum Trigger {
    /// What is called.
    Callee(CallRef),
    /// The function whose `call`, `apply` or `bind` is called.
    Receiver(CallRef),
    /// What is handed over: which argument.
    Argument(CallRef, u32),
    /// What a property such as `onclick` is set to.
    Handler(CallRef),
    /// What is waited for, by `await` or `then`.
    Awaited(CallRef),
    /// What is handed to, or is the object of, a call that by its name undoes something.
    Undoing(CallRef),
}

/// How a call calls a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// `f(a)`
    Call,
    /// `f.call(this, a)`, `f.bind(this, a)`
    CallMethod,
    /// `f.apply(this, list)`
    Apply,
}

impl Through {
    /// How many arguments come before those of the function.
    pub(super) fn skipped(self) -> u32 {
        match self {
            Self::Call => 0,
            Self::CallMethod | Self::Apply => 1,
        }
    }
}

pub(super) struct Solver<'f> {
    pub(super) scripts: &'f [&'f CallFacts],
    /// The nodes of the places of each script; the last are those of all scripts.
    nodes: Vec<FxHashMap<FlowPlace, Node>>,
    next: Vec<Vec<Node>>,
    pub(super) prev: Vec<Vec<Node>>,
    edges: FxHashSet<u64>,
    /// What happens to what reaches a node.
    triggers: Vec<Vec<Trigger>>,
    pub(super) values: Vec<Values>,
    left: Vec<(Node, u32)>,
    steps_left: u64,
    /// Functions by number; behind them what settles the promise of an executor, by that executor.
    pub(super) functions: Vec<FunctionRef>,
    numbers: FxHashMap<FunctionRef, u32>,
    /// For each executor the calls that make a promise with it.
    pub(super) executors: FxHashMap<FunctionRef, Vec<CallRef>>,
    /// Which functions represent the `resolve` of which executor.
    pub(super) settlers: FxHashMap<u32, FunctionRef>,
    /// Which numbers of functions represent a promise.
    promised: FxHashMap<u32, Promised>,
    numbers_of_promises: FxHashMap<Promised, u32>,
    /// Which numbers represent what a call that sets a timer gives.
    timers: FxHashMap<u32, CallRef>,
    /// Which numbers represent what a call gives that was handed a function.
    pub(super) registered: FxHashMap<u32, CallRef>,
    /// How many of these are among the values of each node.
    registrations: Vec<u8>,
    pub(super) graph: CallGraph,
    called: FxHashSet<(FunctionRef, CalledBack)>,
    /// Whether objects are followed, too; which numbers represent objects.
    pub(super) has_objects: bool,
    /// What made each of them is known, too.
    pub(super) objects: FxHashMap<u32, Made>,
    pub(super) constructed: FxHashMap<CallRef, u32>,
    /// Which numbers represent classes, and whether each extends another one.
    pub(super) classes: FxHashMap<u32, (Node, bool)>,
    /// What makes objects at nodes: literals, classes, `this`.
    pub(super) makers: FxHashMap<Node, (u32, FlowPlace)>,
    /// Where the properties are, by the node of the object; where that was asked.
    pub(super) member_nodes: FxHashMap<Node, Node>,
    /// How many steps further each object is followed.
    pub(super) member_steps: FxHashMap<Node, u32>,
    pub(super) is_members: FxHashSet<Node>,
    /// The node of elements.
    pub(super) element: Option<Node>,
    /// The classes of what is made at a node.
    pub(super) instances: FxHashMap<Node, Vec<Node>>,
    /// Where only objects go on that have methods of the scripts.
    pub(super) into_methods: FxHashMap<Node, Vec<(Node, MethodOf)>>,
}

pub(super) fn index(length: usize) -> u32 {
    ByteOffset::from_index(length).0
}

impl<'f> Solver<'f> {
    pub(super) fn new(scripts: &'f [&'f CallFacts]) -> Self {
        Self {
            scripts,
            nodes: vec![FxHashMap::default(); scripts.len() + 1],
            next: Vec::new(),
            prev: Vec::new(),
            edges: FxHashSet::default(),
            triggers: Vec::new(),
            values: Vec::new(),
            left: Vec::new(),
            steps_left: MOST_STEPS,
            functions: Vec::new(),
            numbers: FxHashMap::default(),
            executors: FxHashMap::default(),
            settlers: FxHashMap::default(),
            promised: FxHashMap::default(),
            numbers_of_promises: FxHashMap::default(),
            timers: FxHashMap::default(),
            registered: FxHashMap::default(),
            registrations: Vec::new(),
            graph: CallGraph::default(),
            called: FxHashSet::default(),
            has_objects: false,
            objects: FxHashMap::default(),
            constructed: FxHashMap::default(),
            classes: FxHashMap::default(),
            makers: FxHashMap::default(),
            member_nodes: FxHashMap::default(),
            member_steps: FxHashMap::default(),
            is_members: FxHashSet::default(),
            element: None,
            instances: FxHashMap::default(),
            into_methods: FxHashMap::default(),
        }
    }

    pub(super) fn node(&mut self, script: u32, place: &FlowPlace) -> Node {
        if let FlowPlace::Members(inner) = place {
            let of = self.node(script, inner);
            return self.members(of);
        }
        let of = match is_shared(place) {
            true => self.scripts.len(),
            false => script as usize,
        };
        if let Some(&node) = self.nodes.get(of).and_then(|nodes| nodes.get(place)) {
            return node;
        }
        let node = self.new_node();
        if matches!(
            place,
            FlowPlace::Literal(_) | FlowPlace::This(_) | FlowPlace::Class(_)
        ) {
            self.makers.insert(node, (script, place.clone()));
        }
        if let Some(nodes) = self.nodes.get_mut(of) {
            nodes.insert(place.clone(), node);
        }
        node
    }

    pub(super) fn new_node(&mut self) -> Node {
        let node = index(self.next.len());
        self.next.push(Vec::new());
        self.prev.push(Vec::new());
        self.values.push(Values::default());
        self.registrations.push(0);
        self.triggers.push(Vec::new());
        node
    }

    pub(super) fn fact(&self, call: CallRef) -> Option<&'f CallFact> {
        self.scripts
            .get(call.script as usize)?
            .calls
            .get(call.call as usize)
    }

    pub(super) fn put(&mut self, node: Node, function: u32) {
        let Some(values) = self.values.get_mut(node as usize) else {
            return;
        };
        let most = if self.has_objects {
            MOST_OBJECTS
        } else {
            MOST_FUNCTIONS
        };
        // What registrations gave does not count: no function is left out because of it.
        let of_registrations = self.registrations.get_mut(node as usize);
        let Some(of_registrations) = of_registrations else {
            return;
        };
        let is_registration = self.registered.contains_key(&function);
        let length = values.len() - usize::from(*of_registrations);
        // Where it is known that something was cut, it need not be found out what.
        if length >= most && self.graph.is_cut && !is_registration {
            return;
        }
        if values.contains(function) {
            return;
        }
        if is_registration {
            if *of_registrations < MOST_REGISTRATIONS {
                *of_registrations += 1;
                values.push(function);
                self.left.push((node, function));
            }
            return;
        }
        // What has many properties is called by computed names as a list is: then no more is known.
        if length >= MOST_MEMBERS && self.is_members.contains(&node) {
            return;
        }
        if length >= most {
            self.graph.is_cut = true;
            return;
        }
        values.push(function);
        self.left.push((node, function));
    }

    pub(super) fn edge(&mut self, from: Node, to: Node) {
        if from == to || !self.edges.insert((u64::from(from) << 32) | u64::from(to)) {
            return;
        }
        if let Some(next) = self.next.get_mut(from as usize) {
            next.push(to);
        }
        if let Some(prev) = self.prev.get_mut(to as usize) {
            prev.push(from);
        }
        self.members_before(from, to);
        // What is put there meanwhile comes through the edge.
        let count = self.values.get(from as usize).map_or(0, Values::len);
        for at in 0..count {
            let values = self.values.get(from as usize);
            if let Some(&function) = values.and_then(|values| values.as_slice().get(at)) {
                self.put(to, function);
            }
        }
    }

    fn number(&mut self, function: FunctionRef) -> u32 {
        if let Some(&number) = self.numbers.get(&function) {
            return number;
        }
        let number = index(self.functions.len());
        self.functions.push(function);
        self.numbers.insert(function, number);
        number
    }

    /// The number that represents a promise.
    pub(super) fn promise(&mut self, promised: Promised) -> u32 {
        if let Some(&number) = self.numbers_of_promises.get(&promised) {
            return number;
        }
        let number = self.nobody();
        self.promised.insert(number, promised);
        self.numbers_of_promises.insert(promised, number);
        number
    }

    /// A number that no function of the scripts has.
    pub(super) fn nobody(&mut self) -> u32 {
        let number = index(self.functions.len());
        self.functions.push(FunctionRef {
            script: u32::MAX,
            function: number,
        });
        number
    }

    pub(super) fn trigger(&mut self, node: Node, trigger: Trigger) {
        if let Some(triggers) = self.triggers.get_mut(node as usize) {
            triggers.push(trigger);
        }
    }

    /// Puts the scripts together.
    pub(super) fn link(&mut self) {
        self.element = Some(self.node(0, &FlowPlace::Property(Atom::from(ELEMENT))));
        for (script, facts) in self.scripts.iter().enumerate() {
            let script = index(script);
            for call in 0..index(facts.calls.len()) {
                self.link_call(CallRef { script, call });
            }
            self.link_registrations(script, facts);
            for (number, handler) in facts.handlers.iter().enumerate() {
                let at = CallRef {
                    script,
                    call: index(number),
                };
                for place in &handler.value {
                    let node = self.node(script, place);
                    self.trigger(node, Trigger::Handler(at));
                }
            }
        }
        for (script, facts) in self.scripts.iter().enumerate() {
            let script = index(script);
            for (from, to) in &facts.flows {
                let (from, to) = (self.node(script, from), self.node(script, to));
                self.edge(from, to);
            }
            self.link_classes(script, facts);
            if self.has_objects {
                self.link_objects(script, facts);
            }
            for function in 0..index(facts.functions.len()) {
                let reference = FunctionRef { script, function };
                let number = self.number(reference);
                let node = self.node(script, &FlowPlace::Function(function));
                self.put(node, number);
            }
        }
    }

    fn link_call(&mut self, call: CallRef) {
        let Some(fact) = self.fact(call) else { return };
        let script = call.script;
        for place in &fact.callee {
            let node = self.node(script, place);
            self.trigger(node, Trigger::Callee(call));
        }
        if fact.receiver.is_some() && is_call_of_itself(&fact.name) {
            for place in &fact.receivers {
                let node = self.node(script, place);
                self.trigger(node, Trigger::Receiver(call));
            }
        }
        for (position, places) in (0..).zip(&fact.given) {
            let is_followed = is_followed_where_given(fact, position);
            for place in places {
                let node = self.node(script, place);
                if is_followed {
                    self.trigger(node, Trigger::Argument(call, position));
                }
            }
        }
        let element = self.node(script, &FlowPlace::Property(Atom::from(ELEMENT)));
        let is_method = fact.receiver.is_some();
        if fact.is_new && fact.name == "Promise" {
            let number = self.promise(Promised::Constructed(call));
            let result = self.node(script, &FlowPlace::Result(call.call));
            self.put(result, number);
        }
        if fact.name == "import" && fact.callee.is_empty() {
            let number = self.promise(Promised::Imported(call));
            let result = self.node(script, &FlowPlace::Result(call.call));
            self.put(result, number);
        }
        if self.has_objects {
            self.link_made(call, fact);
        }
        self.link_promises(call, fact);
        if sets_timer(&fact.name) {
            let number = self.nobody();
            self.timers.insert(number, call);
            let result = self.node(script, &FlowPlace::Result(call.call));
            self.put(result, number);
        }
        if matches!(fact.name.as_str(), "then" | "catch" | "finally" | AWAIT) {
            for place in &fact.receivers {
                let node = self.node(script, place);
                self.trigger(node, Trigger::Awaited(call));
            }
        }
        match fact.name.as_str() {
            "push" | "unshift" | "add" | "set" | "splice" if is_method => {
                for place in fact.given.iter().flatten() {
                    let node = self.node(script, place);
                    self.edge(node, element);
                }
            }
            "get" | "pop" | "shift" | "at" | "find" if is_method => {
                let result = self.node(script, &FlowPlace::Result(call.call));
                self.edge(element, result);
            }
            _ => {}
        }
    }

    pub(super) fn run(&mut self) {
        while let Some((node, function)) = self.left.pop() {
            let Some(steps_left) = self.steps_left.checked_sub(1) else {
                self.graph.gave_up = true;
                return;
            };
            self.steps_left = steps_left;
            // The lists are not held, nor copied: what is done with an entry may add others, which know of this value.
            for number in 0.. {
                let next = self.next.get(node as usize);
                let Some(&to) = next.and_then(|next| next.get(number)) else {
                    break;
                };
                self.put(to, function);
            }
            for (to, of) in self.into_methods.get(&node).cloned().unwrap_or_default() {
                self.put_into_method(to, of, function);
            }
            for number in 0.. {
                let triggers = self.triggers.get(node as usize);
                let Some(&trigger) = triggers.and_then(|all| all.get(number)) else {
                    break;
                };
                self.pull(trigger, function);
            }
        }
    }

    fn pull(&mut self, trigger: Trigger, number: u32) {
        if let Some(&executor) = self.settlers.get(&number) {
            if let Trigger::Callee(call) = trigger {
                for construction in self.executors.get(&executor).cloned().unwrap_or_default() {
                    let settling = self.graph.settling.entry(construction).or_default();
                    if !settling.contains(&call) {
                        settling.push(call);
                    }
                }
            }
            return;
        }
        if self.objects.contains_key(&number) {
            return;
        }
        if let Some(&(class, is_derived)) = self.classes.get(&number) {
            if let Trigger::Callee(call) = trigger {
                self.graph.classes.entry(call).or_default().push(is_derived);
                let result = self.node(call.script, &FlowPlace::Result(call.call));
                self.instance(result, class);
            }
            return;
        }
        if let Some(&timer) = self.timers.get(&number) {
            if let Trigger::Argument(call, 0) = trigger
                && self.fact(call).is_some_and(|fact| clears_timer(&fact.name))
            {
                let cleared = self.graph.cleared.entry(timer).or_default();
                if !cleared.contains(&call) {
                    cleared.push(call);
                }
            }
            return;
        }
        if let Some(&registration) = self.registered.get(&number) {
            return self.undone_by(registration, trigger);
        }
        if let Some(&promised) = self.promised.get(&number) {
            if let Trigger::Awaited(call) = trigger {
                let promises = self.graph.promises.entry(call).or_default();
                if !promises.contains(&promised) {
                    promises.push(promised);
                }
            }
            return;
        }
        let Some(&function) = self.functions.get(number as usize) else {
            return;
        };
        match trigger {
            Trigger::Awaited(_) | Trigger::Undoing(_) => {}
            Trigger::Callee(call) => self.connect(call, function, Through::Call),
            Trigger::Receiver(call) => {
                let Some(fact) = self.fact(call) else { return };
                match fact.name.as_str() {
                    "call" => self.connect(call, function, Through::CallMethod),
                    "apply" => self.connect(call, function, Through::Apply),
                    _ => {
                        let result = self.node(call.script, &FlowPlace::Result(call.call));
                        self.put(result, number);
                        self.arguments(call, function, Through::CallMethod);
                    }
                }
            }
            Trigger::Argument(call, position) => self.handed_over(call, position, function),
            Trigger::Handler(at) => self.note(function, CalledBack::Handler(at)),
        }
    }

    pub(super) fn note(&mut self, function: FunctionRef, caller: CalledBack) {
        if self.called.insert((function, caller)) {
            self.graph.callers.entry(function).or_default().push(caller);
        }
    }

    pub(super) fn finish(mut self) -> CallGraph {
        for (place, node) in self.nodes.iter().flatten() {
            let FlowPlace::Property(name) = place else {
                continue;
            };
            let values = self.values.get(*node as usize).map(Values::as_slice);
            for number in values.into_iter().flatten() {
                let function = self.functions.get(*number as usize);
                if let Some(function) = function.filter(|it| it.script != u32::MAX) {
                    let kept = self.graph.kept.entry(*function).or_default();
                    // Of several, always the same.
                    if kept.is_empty() || **name < **kept {
                        *kept = name.to_string();
                    }
                }
            }
        }
        self.what_is_given();
        if self.has_objects {
            self.graph.made = std::mem::take(&mut self.objects);
            let shared = index(self.scripts.len());
            let nodes = (0..).zip(std::mem::take(&mut self.nodes));
            let places = nodes.flat_map(|(script, nodes)| {
                let script = if script == shared { u32::MAX } else { script };
                nodes
                    .into_iter()
                    .map(move |(place, node)| ((script, place), node))
            });
            for (key, node) in places {
                let values = self.values.get(node as usize).map(Values::as_slice);
                let values = values.into_iter().flatten();
                let objects = values
                    .copied()
                    .filter(|value| self.graph.made.contains_key(value));
                let objects: Vec<u32> = objects.collect();
                if !objects.is_empty() {
                    self.graph.objects.insert(key, objects);
                }
            }
        }
        self.accesses();
        self.graph
    }
}
