//! What decides in the functions that a decision calls by their names.
//!
//! ```js
//! const isOpen = (order) => order.state === "open";
//! if (isOpen(order)) send(order);
//! ```
//!
//! The decision is the test; why it came out so is what `isOpen` gives.

use super::candidates::Reason;
use super::deciders::Decider;
use super::gate::GateKind;
use super::search::Search;
use crate::call_graph::{CallRef, FunctionRef};
use crate::position::ByteSpan;

/// A call that may call more functions says nothing.
const MOST_CALLEES: usize = 3;

impl Search<'_, '_> {
    /// What the functions gave that a decision calls, if the author wrote them: behind the decision itself.
    pub(super) fn decided_in_called(&mut self, script: u32, decision: ByteSpan, calls: u32) {
        let Some(own) = self.script(script) else {
            return;
        };
        let function = own.facts.function_around(decision.start);
        let is_in =
            |outer: ByteSpan, span: ByteSpan| outer.start <= span.start && span.end <= outer.end;
        let within = (0..).zip(&own.facts.calls);
        let within: Vec<_> = within
            .filter(|(_, call)| call.function == function && is_in(decision, call.span))
            .collect();
        for (number, call) in &within {
            // What an argument is made of is not what is tested.
            let is_argument = within.iter().any(|(_, outer)| {
                let mut arguments = outer.arguments.iter();
                arguments.any(|argument| is_in(*argument, call.span))
            });
            let callees = self
                .graph
                .callees(CallRef {
                    script,
                    call: *number,
                })
                .to_vec();
            if is_argument || call.is_new || callees.len() > MOST_CALLEES {
                continue;
            }
            for callee in callees {
                self.decided_in_function(callee, calls);
            }
        }
    }

    /// A decision in a function that a library called, and those in the functions that it calls: where one of these
    /// threw, that is why.
    pub(super) fn decider_and_called(&mut self, script: u32, decider: Decider, calls: u32) {
        let decision = decider.gate.decision;
        self.decider(script, decider, calls);
        let known = self.found.candidates.len();
        self.decided_in_called(script, decision, calls);
        let found = self.found.candidates.get(known..).unwrap_or_default();
        if found.iter().any(|one| one.reason == Reason::Exception) {
            self.are_explained(known.saturating_sub(1)..known);
        }
    }

    fn decided_in_function(&mut self, callee: FunctionRef, calls: u32) {
        let Some(own) = self.script(callee.script) else {
            return;
        };
        let Some(fact) = own.facts.functions.get(callee.function as usize) else {
            return;
        };
        let is_called = self.called(callee).is_some_and(|count| count > 0);
        if !is_called || fact.is_generator {
            return;
        }
        let mut deciders = self.ways.decided_by(callee.script, fact);
        if fact.is_async {
            // What it gives is a promise; that it threw is known.
            deciders.retain(|decider| decider.gate.kind == GateKind::Throw);
        }
        for decider in deciders {
            self.decider(callee.script, decider, calls);
            if let Some(candidate) = self.found.candidates.last_mut() {
                candidate.detail =
                    Some("the decision calls its function; what that gives decides".to_owned());
            }
        }
    }
}
