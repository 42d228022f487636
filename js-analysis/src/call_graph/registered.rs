//! What a call gives that was handed a function: where it goes, and what undoes the registration by it.
//!
//! ```js
//! stops.push(clock.on("tick", show));
//! for (const stop of stops) stop();
//! ```

use rustc_hash::FxHashSet;

use super::endings::undoes;
use super::facts::{CallFact, CallFacts, FlowPlace};
use super::graph::CallRef;
use super::platform::{calls_elements, is_call_of_itself, sets_timer};
use super::solver::{Solver, Trigger};

impl Solver<'_> {
    /// A number represents what each such call gives, where something is done with it.
    pub(super) fn link_registrations(&mut self, script: u32, facts: &CallFacts) {
        let used = facts.used_results();
        let functions = facts.functions_by_name();
        for (number, fact) in (0..).zip(&facts.calls) {
            let call = CallRef {
                script,
                call: number,
            };
            if undoes(&fact.name) {
                for place in fact.receivers.iter().chain(fact.given.iter().flatten()) {
                    let node = self.node(script, place);
                    self.trigger(node, Trigger::Undoing(call));
                }
            }
            let hands_over = |place: &FlowPlace| {
                matches!(place, FlowPlace::Function(_) | FlowPlace::Parameter(..))
                    || functions.contains(place)
            };
            if used.contains(&number)
                && may_register(fact)
                && fact.given.iter().flatten().any(hands_over)
            {
                let token = self.nobody();
                self.registered.insert(token, call);
                let result = self.node(script, &FlowPlace::Result(number));
                self.put(result, token);
            }
        }
    }

    /// What a registration gave reached a place where something is done with it.
    pub(super) fn undone_by(&mut self, registration: CallRef, trigger: Trigger) {
        if let Trigger::Handler(handler) = trigger {
            let handling = self.graph.handling.entry(registration).or_default();
            if !handling.contains(&handler) {
                handling.push(handler);
            }
        }
        if let Trigger::Callee(call) | Trigger::Undoing(call) = trigger
            && call != registration
        {
            let undoing = self.graph.undoing.entry(registration).or_default();
            if !undoing.contains(&call) {
                undoing.push(call);
            }
        }
    }
}

impl CallFacts {
    /// The calls of which something is done with what they give, by number.
    fn used_results(&self) -> FxHashSet<u32> {
        let flows = self.flows.iter().map(|(from, _)| from);
        let of_calls = self.calls.iter().flat_map(|call| {
            let given = call.given.iter().flatten();
            given.chain(&call.callee).chain(&call.receivers)
        });
        let results = flows.chain(of_calls).filter_map(|place| match place {
            FlowPlace::Result(call) => Some(*call),
            _ => None,
        });
        results.collect()
    }

    /// The variables that functions are put into where they are written, and the parameters' variables.
    fn functions_by_name(&self) -> FxHashSet<&FlowPlace> {
        let is_function =
            |from: &FlowPlace| matches!(from, FlowPlace::Function(_) | FlowPlace::Parameter(..));
        let flows = self.flows.iter();
        let named = flows.filter(|(from, to)| is_function(from) && to.is_variable());
        named.map(|(_, to)| to).collect()
    }
}

/// Whether what a call gives may undo that it was handed a function.
fn may_register(fact: &CallFact) -> bool {
    let name = fact.name.as_str();
    !fact.is_new
        && !sets_timer(name)
        && !calls_elements(name)
        && !is_call_of_itself(name)
        && !matches!(
            name,
            "then" | "catch" | "finally" | "import" | "push" | "set" | "add"
        )
}
