//! Which objects there are, what made each, and of which methods each can be `this`.

use super::facts::{CallFact, CallFacts, FlowPlace, MethodOf};
use super::graph::{CallRef, FunctionRef, Made};
use super::platform::{gives_element, is_built_in_class, makes_list, makes_object};
use super::solver::{Node, Solver, Through, index};

impl Solver<'_> {
    fn object(&mut self, node: Node, made: Made) -> u32 {
        let number = self.nobody();
        self.objects.insert(number, made);
        self.put(node, number);
        number
    }

    /// The objects of the literals of a script.
    pub(super) fn link_objects(&mut self, script: u32, facts: &CallFacts) {
        for (literal, fact) in facts.literals.iter().enumerate() {
            let node = self.node(script, &FlowPlace::Literal(index(literal)));
            let made = match fact.is_list {
                true => Made::BuiltIn,
                false => Made::Literal,
            };
            self.object(node, made);
        }
    }

    /// The classes of a script.
    pub(super) fn link_classes(&mut self, script: u32, facts: &CallFacts) {
        for (class, fact) in facts.classes.iter().enumerate() {
            let node = self.node(script, &FlowPlace::Class(index(class)));
            let number = self.nobody();
            self.classes.insert(number, (node, fact.is_derived));
            self.put(node, number);
        }
    }

    /// The object that a call makes, as far as its name says.
    pub(super) fn link_made(&mut self, call: CallRef, fact: &CallFact) {
        let is_global = fact
            .callee
            .iter()
            .all(|place| matches!(place, FlowPlace::Global(_)));
        let made = match fact.name.as_str() {
            "Promise" if fact.is_new => return,
            name if fact.is_new && is_global && is_built_in_class(name) => Made::BuiltIn,
            _ if fact.is_new => Made::Constructed(call),
            name if makes_list(name) => Made::BuiltIn,
            name if gives_element(name) => Made::Element,
            name if makes_object(name) => Made::Unknown,
            _ => return,
        };
        let result = self.node(call.script, &FlowPlace::Result(call.call));
        let number = self.object(result, made);
        self.constructed.insert(call, number);
    }

    fn method_of(&self, function: FunctionRef) -> MethodOf {
        let script = self.scripts.get(function.script as usize);
        let fact = script.and_then(|facts| facts.functions.get(function.function as usize));
        fact.map_or(MethodOf::Nothing, |fact| fact.method_of)
    }

    /// What a method is called on flows into its `this`, but for what has no such method.
    fn edge_into_method(&mut self, from: Node, to: Node, of: MethodOf) {
        let known = self.into_methods.entry(from).or_default();
        if known.contains(&(to, of)) {
            return;
        }
        known.push((to, of));
        let values = self.values.get(from as usize).cloned().unwrap_or_default();
        for &value in values.as_slice() {
            self.put_into_method(to, of, value);
        }
    }

    pub(super) fn put_into_method(&mut self, to: Node, of: MethodOf, value: u32) {
        let made = self.objects.get(&value);
        if made.is_none_or(|made| made.may_be_this(of)) {
            self.put(to, value);
        }
    }

    /// What `this` of a function is in a call.
    pub(super) fn receive(&mut self, call: CallRef, function: FunctionRef, through: Through) {
        let Some(fact) = self.fact(call) else { return };
        let to = self.node(function.script, &FlowPlace::This(function.function));
        if let Some(&made) = self.constructed.get(&call).filter(|_| fact.is_new) {
            self.put(to, made);
        }
        let places = match through {
            Through::Call => fact.receivers.as_slice(),
            _ => fact.given.first().map_or(&[][..], Vec::as_slice),
        };
        // `super(…)` is called on what is being made.
        let of_super = [FlowPlace::This(fact.function)];
        let is_super = fact.name.is_empty() && fact.receiver.is_none() && through == Through::Call;
        let places = if is_super { &of_super[..] } else { places };
        let of = self.method_of(function);
        let is_method_call = through == Through::Call && !is_super;
        for place in places {
            let from = self.node(call.script, place);
            match (is_method_call, of) {
                (true, MethodOf::Own | MethodOf::Derived) => self.edge_into_method(from, to, of),
                _ => self.edge(from, to),
            }
        }
    }
}
