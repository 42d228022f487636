//! A call and a function that it may call: what flows from the one to the other.

use swc_atoms::Atom;

use super::facts::{ELEMENT, FlowPlace};
use super::graph::{CallRef, CalledBack, FunctionRef, Promised, RegistrationKind};
use super::platform::{registration, removes_listener};
use super::solver::{Node, Solver, Through};

impl Solver<'_> {
    /// Arguments flow into parameters.
    pub(super) fn arguments(&mut self, call: CallRef, function: FunctionRef, through: Through) {
        let Some(fact) = self.fact(call) else { return };
        if through == Through::Apply {
            for place in &fact.applied {
                let from = self.node(call.script, place);
                self.given(from, function, 0, true);
            }
            return;
        }
        let spread = fact.spread.as_ref().map(|(first, _)| *first);
        for (position, places) in (0..).zip(&fact.given) {
            let is_spread = spread.is_some_and(|first| position >= first);
            let Some(position) = u32::checked_sub(position, through.skipped()) else {
                continue;
            };
            if is_spread {
                break;
            }
            for place in places {
                let from = self.node(call.script, place);
                self.given(from, function, position, false);
            }
        }
        if let Some((first, places)) = &fact.spread {
            for place in places {
                let from = self.node(call.script, place);
                self.given(
                    from,
                    function,
                    first.saturating_sub(through.skipped()),
                    true,
                );
            }
        }
    }

    /// A function is given something at a position, or from there on.
    fn given(&mut self, from: Node, function: FunctionRef, position: u32, and_behind: bool) {
        let script = self.scripts.get(function.script as usize);
        let fact = script.and_then(|facts| facts.functions.get(function.function as usize));
        let Some(fact) = fact else { return };
        let own = fact.rest.unwrap_or(fact.parameters);
        let last = if and_behind {
            own
        } else {
            own.min(position.saturating_add(1))
        };
        for position in position..last {
            let parameter = FlowPlace::Parameter(function.function, position);
            let to = self.node(function.script, &parameter);
            self.edge(from, to);
        }
        if fact.rest.is_some_and(|rest| and_behind || position >= rest) {
            let to = self.node(function.script, &FlowPlace::Rest(function.function));
            self.edge(from, to);
        }
        if fact.uses_arguments {
            let to = self.node(function.script, &FlowPlace::Arguments(function.function));
            self.edge(from, to);
        }
    }

    pub(super) fn connect(&mut self, call: CallRef, function: FunctionRef, through: Through) {
        let callees = self.graph.callees.entry(call).or_default();
        if !callees.contains(&function) {
            callees.push(function);
        }
        self.note(function, CalledBack::Call(call));
        self.arguments(call, function, through);
        if self.has_objects {
            self.receive(call, function, through);
        }
        let returned = self.node(function.script, &FlowPlace::Returned(function.function));
        let result = self.node(call.script, &FlowPlace::Result(call.call));
        self.edge(returned, result);
        let callee = self.scripts.get(function.script as usize);
        let callee = callee.and_then(|facts| facts.functions.get(function.function as usize));
        if callee.is_some_and(|callee| callee.is_async) {
            let number = self.promise(Promised::Async(function));
            self.put(result, number);
        }
    }

    /// A function is an argument of a call.
    pub(super) fn handed_over(&mut self, call: CallRef, position: u32, function: FunctionRef) {
        let Some(fact) = self.fact(call) else { return };
        if removes_listener(&fact.name) {
            let removed = self.graph.removed.entry(function).or_default();
            if !removed.contains(&call) {
                removed.push(call);
            }
        }
        let Some(kind) = registration(fact, position) else {
            return;
        };
        self.note(function, CalledBack::Registered(call, kind));
        let result = self.node(call.script, &FlowPlace::Result(call.call));
        let returned = self.node(function.script, &FlowPlace::Returned(function.function));
        let element = self.node(call.script, &FlowPlace::Property(Atom::from(ELEMENT)));
        let parameter = |number| FlowPlace::Parameter(function.function, number);
        match (kind, fact.name.as_str()) {
            (RegistrationKind::Promise, _) => {
                self.edge(returned, result);
                let to = self.node(function.script, &parameter(0));
                for place in &fact.receivers {
                    let from = self.node(call.script, place);
                    self.edge(from, to);
                }
            }
            (RegistrationKind::Executor, _) => {
                let calls = self.executors.entry(function).or_default();
                if !calls.contains(&call) {
                    calls.push(call);
                }
                let known = self.settlers.iter().find(|(_, of)| **of == function);
                if known.is_none() {
                    // A function that no script has represents `resolve` and `reject`.
                    let number = self.nobody();
                    self.settlers.insert(number, function);
                    for position in 0..2 {
                        let to = self.node(function.script, &parameter(position));
                        self.put(to, number);
                    }
                }
            }
            (RegistrationKind::Callback, "map" | "flatMap" | "from") => {
                self.edge(returned, element);
                let to = self.node(function.script, &parameter(0));
                self.edge(element, to);
            }
            (RegistrationKind::Callback, "forEach" | "filter" | "find" | "some" | "every") => {
                let to = self.node(function.script, &parameter(0));
                self.edge(element, to);
            }
            (RegistrationKind::Callback, "reduce") => {
                let to = self.node(function.script, &parameter(1));
                self.edge(element, to);
            }
            _ => {}
        }
    }
}
