//! Why a promise was not settled.

use super::candidates::{Candidate, Reason, Suspect};
use super::gate::{Gate, GateKind};
use super::search::Search;
use super::untold::is_same_variable;
use crate::call_graph::{AWAIT, CallFact, CallRef, FunctionRef, Promised};
use crate::position::{ByteOffset, ByteSpan};

/// So many calls are looked at that hand something to the same object.
const MOST_SIBLINGS: usize = 4;

impl Search<'_, '_> {
    /// An `await` did not come back: what kept its promise from being settled.
    pub(super) fn what_is_waited_for(&mut self, script: u32, gate: &Gate, calls: u32) {
        if !matches!(gate.kind, GateKind::Await | GateKind::Yield) {
            return;
        }
        let Some(own) = self.script(script) else {
            return;
        };
        let is_it = |fact: &CallFact| fact.name == AWAIT && fact.span == gate.decision;
        if let Some(call) = own.facts.calls.iter().position(is_it) {
            let call = ByteOffset::from_index(call).0;
            self.promise(CallRef { script, call }, calls + 1);
        }
    }

    /// Why the promise was not settled that is waited for.
    pub(super) fn promise(&mut self, waiting: CallRef, calls: u32) {
        if calls > self.most_calls || !self.waited.insert(waiting) {
            return;
        }
        // What another reaction of a promise gives is settled when that ran.
        if let (Some(fact), Some(own)) = (self.fact(waiting), self.script(waiting.script))
            && let Some(receiver) = fact.receiver
        {
            let is_it = |other: &CallFact| {
                other.span == receiver
                    && matches!(other.name.as_str(), "then" | "catch" | "finally")
            };
            if let Some(call) = own.facts.calls.iter().position(is_it) {
                let script = waiting.script;
                let given = own
                    .facts
                    .calls
                    .get(call)
                    .map(|call| call.arguments.as_slice());
                for argument in given.unwrap_or_default() {
                    if let Some(function) = own.facts.function_at(argument.start) {
                        self.not_finished(FunctionRef { script, function }, calls);
                    }
                }
                let call = ByteOffset::from_index(call).0;
                self.promise(CallRef { script, call }, calls);
            }
        }
        self.request_aborted(waiting, calls);
        self.not_released(waiting, calls);
        if let Some(fact) = self.fact(waiting) {
            self.object_ended((waiting.script, &fact.applied), Reason::Promise, calls);
        }
        if self.graph.promises(waiting).is_empty() {
            self.not_settled_for_library(waiting, calls);
        }
        for promised in self.graph.promises(waiting) {
            match *promised {
                Promised::Constructed(construction) => self.not_settled(construction, calls),
                Promised::Async(function) => self.not_finished(function, calls),
                Promised::Imported(import) => self.not_imported(import, calls),
            }
        }
    }

    /// What a library was handed that gives the promise which is waited for: `new Validator(rules).validate(order)`.
    pub(super) fn decided_in_library(&mut self, waiting: CallRef, calls: u32) {
        let receiver = self.fact(waiting).and_then(|fact| fact.receiver);
        let Some(receiver) = receiver else { return };
        for decider in self.ways.deciders_in(waiting.script, receiver) {
            self.decider_and_called(waiting.script, decider, calls);
        }
    }

    /// What was handed to the same object before may keep it busy: its promise was not settled, as in
    /// `queue.add(first); queue.add(second);`.
    pub(super) fn kept_busy(&mut self, call: CallRef, calls: u32) {
        let (Some(own), Some(fact)) = (self.script(call.script), self.fact(call)) else {
            return;
        };
        let script = call.script;
        let siblings = (0..).zip(&own.facts.calls).filter(|(number, other)| {
            *number != call.call
                && other.name == fact.name
                && is_same_variable((script, fact), (script, other))
        });
        let siblings: Vec<u32> = siblings
            .map(|(number, _)| number)
            .take(MOST_SIBLINGS)
            .collect();
        for sibling in siblings {
            for function in own.facts.functions_given(sibling) {
                let function = FunctionRef { script, function };
                self.not_ended(function, calls, 0);
            }
        }
    }

    /// What is waited for may be held by who got it before: what kept that from being given back, as in `const release
    /// = await lock.acquire(); if (!dirty) return; release();`.
    fn not_released(&mut self, waiting: CallRef, calls: u32) {
        let (Some(own), Some(fact)) = (self.script(waiting.script), self.fact(waiting)) else {
            return;
        };
        let script = waiting.script;
        let all = || (0..).zip(&own.facts.calls);
        let is_asked = |call: &CallFact| Some(call.span) == fact.receiver;
        let Some((_, asked)) = all().find(|(_, call)| is_asked(call)) else {
            return;
        };
        let is_same = |call: &CallFact| {
            call.name == asked.name && is_same_variable((script, asked), (script, call))
        };
        let mut given_back: Vec<ByteSpan> = Vec::new();
        for (number, holding) in all().filter(|(_, call)| is_same(call)) {
            if self.reached(script, holding.span) > 0 {
                given_back.extend(own.facts.uses_of_result(number));
            }
        }
        let by_name = all().filter(|(_, call)| {
            gives_back(&call.name) && is_same_variable((script, asked), (script, call))
        });
        given_back.extend(by_name.map(|(_, call)| call.span));
        for span in given_back.into_iter().take(MOST_SIBLINGS) {
            let last = ByteOffset(span.end.0.saturating_sub(1));
            let way = self.ways.way_to(script, last);
            let mut blocking = way.gates.iter().filter(|gate| gate.before > 0);
            let blocking = blocking.find(|gate| gate.after == 0);
            let is_other = blocking.is_some_and(|gate| gate.decision != fact.span);
            if way.count == 0 && way.entered > 0 && is_other {
                self.in_function(script, last, &way, calls, None);
            }
        }
    }

    fn reached(&mut self, script: u32, span: ByteSpan) -> u64 {
        let last = ByteOffset(span.end.0.saturating_sub(1));
        self.ways.way_to(script, last).count
    }

    /// A `new Promise` whose functions were not called that settle it.
    pub(super) fn not_settled(&mut self, construction: CallRef, calls: u32) {
        let mut settling = self.graph.settling(construction).to_vec();
        let rejects = |call: &CallRef| {
            let facts = self.script(call.script).map(|own| own.facts);
            facts.is_some_and(|facts| facts.calls_parameter(call.call, 1))
        };
        // What is waited for is not that it fails.
        if !settling.iter().all(rejects) {
            settling.retain(|call| !rejects(call));
        }
        for settling in settling {
            if let Some(fact) = self.fact(settling) {
                self.not_reached(settling.script, fact.span, calls);
            }
        }
    }

    /// Whether the signal of the request was aborted that is waited for.
    fn request_aborted(&mut self, waiting: CallRef, calls: u32) {
        let (Some(fact), Some(own)) = (self.fact(waiting), self.script(waiting.script)) else {
            return;
        };
        let requests = own.facts.calls.iter().filter(|call| {
            let is_it = Some(call.span) == fact.receiver || fact.arguments.contains(&call.span);
            is_it && call.signal.is_some()
        });
        for request in requests {
            let what = (Reason::Promise, "it aborts the request");
            self.aborted(waiting.script, request, what, calls);
        }
    }

    /// The module of an `import()` was waited for in vain.
    fn not_imported(&mut self, import: CallRef, calls: u32) {
        let Some(fact) = self.fact(import) else {
            return;
        };
        let last = ByteOffset(fact.span.end.0.saturating_sub(1));
        let hits = self.ways.way_to(import.script, last).count;
        if hits > 0 {
            self.push(Candidate {
                pause: Some(fact.span.start),
                hits,
                calls,
                detail: Some("it was asked for, and did not load".to_owned()),
                ..Candidate::new(Reason::NotLoaded, import.script, fact.span)
            });
        }
    }

    /// Whether a test is about a promise itself: it calls what is `async`, and nobody waits for that.
    pub(super) fn uses_promise(&self, script: u32, test: ByteSpan) -> bool {
        let Some(own) = self.script(script) else {
            return false;
        };
        let function = own.facts.function_around(test.start);
        let is_in = |span: ByteSpan| test.start <= span.start && span.end <= test.end;
        let calls = own.facts.calls.iter().enumerate();
        let calls: Vec<_> = calls
            .filter(|(_, call)| call.function == function && is_in(call.span))
            .collect();
        calls.iter().any(|(number, call)| {
            let is_used = calls.iter().any(|(_, other)| {
                let is_waited_for = other.receiver == Some(call.span)
                    && matches!(other.name.as_str(), AWAIT | "then" | "catch" | "finally");
                is_waited_for || other.arguments.contains(&call.span)
            });
            let call = CallRef {
                script,
                call: ByteOffset::from_index(*number).0,
            };
            !is_used && self.gives_promise(call)
        })
    }

    /// Whether a call gives a promise, whatever it calls.
    fn gives_promise(&self, call: CallRef) -> bool {
        let callees = self.graph.callees(call);
        let is_async = |function: &FunctionRef| {
            let own = self.script(function.script);
            let fact = own.and_then(|own| own.facts.functions.get(function.function as usize));
            fact.is_some_and(|fact| fact.is_async && !fact.is_generator)
        };
        match callees.is_empty() {
            true => self
                .fact(call)
                .is_some_and(|fact| fact.name == "fetch" && fact.receiver.is_none()),
            false => callees.iter().all(is_async),
        }
    }

    /// An `async` function was called and did not end.
    pub(super) fn not_finished(&mut self, function: FunctionRef, calls: u32) {
        if self.called(function).is_none_or(|count| count == 0) {
            return;
        }
        let Some(own) = self.script(function.script) else {
            return;
        };
        let Some(fact) = own.facts.functions.get(function.function as usize) else {
            return;
        };
        let last = ByteOffset(fact.span.end.0.saturating_sub(1));
        let way = self.ways.way_to(function.script, last);
        let gates = way.gates.iter().filter(|gate| {
            let kept = matches!(gate.kind, GateKind::Await | GateKind::Throw);
            kept && gate.before > 0 && gate.after == 0
        });
        let known = self.found.candidates.len();
        for gate in gates {
            self.gate(function.script, gate, calls + 1, true, None);
            self.explained_by(|this| this.what_is_waited_for(function.script, gate, calls + 1));
        }
        if self.found.candidates.len() == known && !self.is_of_library(function) {
            // What is thrown without a `throw` is not counted.
            self.found.suspects.push(Suspect {
                script: function.script,
                at: fact.span,
                calls,
                is_to_end: true,
            });
        }
    }
}

/// Whether a method of this name gives back what others wait for.
fn gives_back(name: &str) -> bool {
    matches!(
        name,
        "release" | "unlock" | "leave" | "signal" | "free" | "put" | "done"
    )
}
