//! What ended an object, or a stream, before it told what a function waits for; and what kept a function from being
//! called once more.
//!
//! ```js
//! tx.oncomplete = () => show();
//! tx.abort();
//! clicks.pipe(takeUntil(closed)).subscribe(show);
//! closed.next();
//! ```

use super::candidates::Reason;
use super::deciders::HOP;
use super::search::Search;
use super::untold::tells;
use crate::call_graph::{CallFact, CallRef, CalledBack, FlowPlace, FunctionRef, RegistrationKind};
use crate::position::ByteOffset;

/// So many functions around one are asked what kept them from being called once more.
const MOST_AROUND: usize = 3;
/// So many reasons for that are named.
const MOST_REASONS: usize = 3;

impl Search<'_, '_> {
    /// Calls that ran and ended the object whose event or promise is waited for: `tx.abort()`, `socket.close()`.
    pub(super) fn object_ended(
        &mut self,
        (script, object): (u32, &[FlowPlace]),
        reason: Reason,
        calls: u32,
    ) {
        let Some(own) = self.script(script) else {
            return;
        };
        let is_known = |place: &&FlowPlace| place.is_variable() || place.is_global();
        let known: Vec<&FlowPlace> = object.iter().filter(is_known).collect();
        let ending = (0..).zip(&own.facts.calls).filter(|(_, call)| {
            let is_same = call.receivers.iter().any(|place| known.contains(&place));
            is_same && call.arguments.len() < 2 && ends_object(&call.name)
        });
        let ending: Vec<CallRef> = ending.map(|(call, _)| CallRef { script, call }).collect();
        self.undone(&ending, reason, calls, "it ends what is waited for");
    }

    /// What another stream ended by telling something: `takeUntil(closed)`.
    pub(super) fn ended_by_another(&mut self, call: CallRef, reason: Reason, calls: u32) {
        let Some(own) = self.script(call.script) else {
            return;
        };
        let script = call.script;
        for number in own.facts.chained_before(call.call) {
            let Some(fact) = own.facts.calls.get(number as usize) else {
                continue;
            };
            if !waits_for_an_end(&fact.name) {
                continue;
            }
            let given: Vec<&FlowPlace> = fact.given.iter().flatten().collect();
            let telling = (0..).zip(&own.facts.calls).filter(|(_, other)| {
                let is_told = other.receivers.iter().any(|place| {
                    (place.is_variable() || place.is_global()) && given.contains(&place)
                });
                is_told && tells(&other.name)
            });
            let telling: Vec<CallRef> = telling.map(|(call, _)| CallRef { script, call }).collect();
            self.undone(
                &telling,
                reason,
                calls,
                "it ends what the function waits for",
            );
        }
    }

    /// A function ran, and a decision in it came out so each time: what kept it, or a function around it, from being
    /// called once more is behind that.
    pub(super) fn ran_too_rarely(&mut self, script: u32, at: ByteOffset) {
        let Some(own) = self.script(script) else {
            return;
        };
        let known = self.found.candidates.len();
        if known == 0 || self.ways.is_foreign(script, at) {
            return;
        }
        let mut number = own.facts.function_around(at);
        for _ in 0..MOST_AROUND {
            let Some(fact) = own.facts.functions.get(number as usize) else {
                break;
            };
            if number == 0 {
                break;
            }
            let function = FunctionRef {
                script,
                function: number,
            };
            let callers = self.graph.callers(function).iter();
            let mut handing: Vec<(CallRef, RegistrationKind)> = callers
                .filter_map(|caller| match *caller {
                    CalledBack::Registered(call, kind) => Some((call, kind)),
                    _ => None,
                })
                .collect();
            for &call in self.graph.handed_over(function) {
                if !handing.iter().any(|(known, _)| *known == call) {
                    handing.push((call, RegistrationKind::Callback));
                }
            }
            for (call, kind) in handing {
                if !self.is_written_by_library(call) {
                    self.ended_registration(call, kind);
                }
            }
            let mut deciders = self.ways.deciders(script, fact);
            deciders.retain(|decider| {
                decider.distance < HOP && decider.option.is_none() && decider.is_result
            });
            for decider in deciders {
                self.decider(script, decider, 1);
            }
            number = fact.parent;
        }
        self.found.candidates.truncate(known + MOST_REASONS);
        let found = self.found.candidates.get_mut(known..).unwrap_or_default();
        for candidate in found {
            candidate.is_explained = true;
            candidate.flip = None;
            candidate.detail =
                Some("it may have kept the function from being called once more".to_owned());
        }
    }

    /// What ended a registration of a function that was called before.
    fn ended_registration(&mut self, call: CallRef, kind: RegistrationKind) {
        let graph = self.graph;
        match kind {
            RegistrationKind::Timer => {
                self.undone(graph.cleared(call), Reason::Timer, 1, "");
            }
            RegistrationKind::Listener | RegistrationKind::Callback => {
                let reason = match kind {
                    RegistrationKind::Listener => Reason::Listener,
                    _ => Reason::Callback,
                };
                self.undone_by_result(call, reason, 1);
                self.ended_by_another(call, reason, 1);
            }
            RegistrationKind::Promise | RegistrationKind::Executor => {}
        }
    }

    /// An `await` of what a library makes of promises: what kept these from being settled, as in `await
    /// within(load(), 50)`, or in `await retry(() => load())`.
    pub(super) fn not_settled_for_library(&mut self, waiting: CallRef, calls: u32) {
        let (Some(own), Some(fact)) = (self.script(waiting.script), self.fact(waiting)) else {
            return;
        };
        let script = waiting.script;
        let is_it = |call: &CallFact| Some(call.span) == fact.receiver;
        let asked = (0..).zip(&own.facts.calls).find(|(_, call)| is_it(call));
        let Some((number, asked)) = asked else { return };
        let callees = self
            .graph
            .callees(CallRef {
                script,
                call: number,
            })
            .to_vec();
        if callees.is_empty() || !callees.iter().all(|callee| self.is_of_library(*callee)) {
            return;
        }
        let given = (0..).zip(&own.facts.calls);
        let given = given.filter(|(_, call)| asked.arguments.contains(&call.span));
        let mut functions: Vec<FunctionRef> = Vec::new();
        for (call, _) in given {
            let callees = self.graph.callees(CallRef { script, call });
            functions.extend(callees.iter().copied());
        }
        let handed = own.facts.functions_given(number).into_iter();
        functions.extend(handed.map(|function| FunctionRef { script, function }));
        for function in functions {
            self.not_ended(function, calls, MOST_AROUND);
        }
    }

    /// A function ran, and the promise that it gave was not settled.
    pub(super) fn not_ended(&mut self, function: FunctionRef, calls: u32, depth: usize) {
        let Some(own) = self.script(function.script) else {
            return;
        };
        let Some(fact) = own.facts.functions.get(function.function as usize) else {
            return;
        };
        if self.called(function).is_none_or(|count| count == 0) {
            return;
        }
        if fact.is_async {
            self.not_finished(function, calls);
        }
        let script = function.script;
        let made = (0..).zip(&own.facts.calls);
        let made = made.filter(|(_, made)| made.function == function.function);
        for (call, made) in made {
            let call = CallRef { script, call };
            if made.is_new && made.name == "Promise" {
                self.not_settled(call, calls);
            } else if fact.is_expression && made.span.start == fact.body && depth > 0 {
                // `() => load()`
                for callee in self.graph.callees(call).to_vec() {
                    self.not_ended(callee, calls, depth - 1);
                }
            }
        }
    }

    /// What kept streams from being told something that are in what a function was handed to: `combine([rate,
    /// amount]).subscribe(show)`.
    pub(super) fn chained(&self, call: CallRef) -> Vec<u32> {
        let Some(own) = self.script(call.script) else {
            return Vec::new();
        };
        let mut found = own.facts.chained_before(call.call);
        found.retain(|number| {
            let fact = own.facts.calls.get(*number as usize);
            fact.is_some_and(|fact| !waits_for_an_end(&fact.name))
        });
        found
    }
}

/// Whether a method of this name ends an object of the platform: nothing happens to it any more.
fn ends_object(name: &str) -> bool {
    matches!(
        name,
        "abort" | "cancel" | "close" | "disconnect" | "stop" | "terminate"
    )
}

/// Whether what a function of this name makes ends with another stream.
fn waits_for_an_end(name: &str) -> bool {
    matches!(
        name,
        "takeUntil" | "takeUntilDestroyed" | "until" | "untilDestroyed" | "endWith" | "stopWhen"
    )
}
