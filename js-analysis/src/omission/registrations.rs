//! Why a function was not called by what it was handed to: a listener, a timer, a promise, a callback.
//!
//! What undid a registration, or called something else in its place, is in [`super::undone`].

use super::candidates::{Candidate, EventPath, Handed, Reason, Suspect};
use super::search::Search;
use super::undone::STOPS_SOME;
use super::untold::is_same_variable;
use crate::call_graph::{CallFact, CallRef, CalledBack, FunctionRef, RegistrationKind};
use crate::position::{ByteOffset, ByteSpan};

impl Search<'_, '_> {
    /// A call that hands the function over.
    pub(super) fn registered(
        &mut self,
        function: FunctionRef,
        call: CallRef,
        kind: RegistrationKind,
        calls: u32,
    ) {
        let Some(fact) = self.fact(call) else { return };
        if self.is_in_uncalled(call.script, fact.function, calls) {
            return;
        }
        let last = ByteOffset(fact.span.end.0.saturating_sub(1));
        let way = self.ways.way_to(call.script, last);
        if way.count == 0 {
            return self.in_function(call.script, last, &way, calls + 1, None);
        }
        let (reason, detail) = match kind {
            RegistrationKind::Listener => (Reason::Listener, "it was added, and never called"),
            RegistrationKind::Promise => match fact.name.as_str() {
                "catch" => (Reason::Promise, "the promise was not rejected"),
                _ => (Reason::Promise, "the promise was not settled so"),
            },
            RegistrationKind::Timer => (Reason::Timer, "it was set, and did not fire"),
            RegistrationKind::Executor | RegistrationKind::Callback => {
                match self.is_loop_over_nothing(fact) {
                    true => (Reason::Loop, "there was no element"),
                    false => (Reason::Callback, "it was handed over, and never called"),
                }
            }
        };
        let graph = self.graph;
        match kind {
            RegistrationKind::Listener => {
                self.undone(
                    graph.removed(function),
                    reason,
                    calls,
                    "it removes the listener",
                );
                self.removed_with_event(call.script, fact, calls);
                self.stopped(call.script, fact, calls);
                let what = "it aborts the signal of the listener";
                self.aborted(call.script, fact, (Reason::Listener, what), calls);
                self.object_ended((call.script, &fact.receivers), Reason::Listener, calls);
            }
            RegistrationKind::Timer => {
                let known = self.found.candidates.len();
                self.undone(graph.cleared(call), reason, calls, "it clears the timer");
                self.set_anew(known, call);
            }
            _ => {}
        }
        let is_loop = reason == Reason::Loop;
        let handed = match kind {
            RegistrationKind::Callback if !is_loop => self.may_be_handed(call, function),
            _ => None,
        };
        let hits = way.count;
        let mut operands: Vec<ByteSpan> = fact.receiver.into_iter().collect();
        if is_loop && operands.is_empty() {
            operands.extend(fact.arguments.first());
        }
        if kind != RegistrationKind::Promise && !is_loop {
            // Functions say nothing by their values.
            let facts = self.script(call.script).map(|own| own.facts);
            let given = fact.arguments.iter().copied().take(3);
            operands.extend(given.filter(|argument| {
                facts.is_some_and(|facts| facts.function_at(argument.start).is_none())
            }));
        }
        let decision = self.authored_part(call.script, fact);
        // What the author's own functions do with it is followed.
        let is_explained = reason == Reason::Callback && self.is_to_authors(call);
        self.push(Candidate {
            is_explained,
            pause: Some(fact.span.start),
            hits,
            calls: calls + 1,
            operands,
            detail: Some(detail.to_owned()),
            handed,
            ..Candidate::new(reason, call.script, decision)
        });
        let itself = self.found.candidates.len().checked_sub(1);
        self.found.suspects.push(Suspect {
            script: call.script,
            at: fact.span,
            calls: calls + 1,
            is_to_end: false,
        });
        if is_loop && let Some(list) = fact.receiver {
            // `const open = items.filter(…); open.forEach(…)`
            let known = self.found.candidates.len();
            let deciders = self.ways.deciders_in(call.script, list);
            let is_known = !deciders.is_empty();
            for decider in deciders {
                self.decider(call.script, decider, calls + 1);
            }
            let itself = known.checked_sub(1);
            let itself = itself.and_then(|itself| self.found.candidates.get_mut(itself));
            if let Some(itself) = itself.filter(|_| is_known) {
                itself.is_explained = true;
            }
        }
        if reason == Reason::Callback {
            self.is_explained_by(itself, |this| {
                this.stopped_before_library(call, calls);
                this.result_not_used(call, calls + 1);
            });
        }
        if matches!(
            kind,
            RegistrationKind::Callback | RegistrationKind::Listener
        ) && !is_loop
        {
            self.is_explained_by(itself, |this| {
                this.not_told(call, calls + 1);
                this.not_told_by_text(call, calls + 1);
                this.undone_by_result(call, reason, calls);
                this.ended_by_another(call, reason, calls);
                if kind == RegistrationKind::Callback {
                    this.kept_busy(call, calls + 1);
                }
            });
        }
        if kind == RegistrationKind::Promise {
            self.is_explained_by(itself, |this| {
                this.promise(call, calls + 1);
                this.decided_in_library(call, calls + 1);
            });
        }
    }

    /// What clears a timer just before it is set anew, as `clearTimeout(t); t = setTimeout(…)` does, is not why the
    /// last one did not fire, if something else clears it, too: of the candidates from `known` on.
    fn set_anew(&mut self, known: usize, setting: CallRef) {
        let (Some(own), Some(fact)) = (self.script(setting.script), self.fact(setting)) else {
            return;
        };
        let is_before = |one: &Candidate| {
            one.script == setting.script
                && one.decision.end <= fact.span.start
                && own.facts.function_around(one.decision.start) == fact.function
        };
        let found = self.found.candidates.get_mut(known..).unwrap_or_default();
        if found.iter().any(|one| !is_before(one)) {
            for one in found.iter_mut().filter(|one| is_before(one)) {
                one.is_explained = true;
            }
        }
    }

    /// A property such as `onclick` that was set to it.
    pub(super) fn handler(&mut self, handler: CallRef, calls: u32) {
        let Some(own) = self.script(handler.script) else {
            return;
        };
        let Some(fact) = own.facts.handlers.get(handler.call as usize) else {
            return;
        };
        let way = self.ways.way_to(handler.script, fact.span.start);
        if way.count == 0 {
            return self.in_function(handler.script, fact.span.start, &way, calls + 1, None);
        }
        // `onClick: locked ? undefined : save`
        let (mut set, mut other) = (false, None);
        for one in &fact.alternatives {
            let way = self.ways.way_to(handler.script, one.start);
            match way.count {
                0 => other = other.or(Some((one.start, way))),
                _ => set = true,
            }
        }
        if let Some((at, way)) = other.filter(|_| !set) {
            return self.in_function(handler.script, at, &way, calls + 1, None);
        }
        self.stopped_by_handlers(&fact.name, calls);
        self.object_ended((handler.script, &fact.object), Reason::Listener, calls);
        self.push(Candidate {
            pause: Some(fact.span.start),
            hits: way.count,
            calls: calls + 1,
            detail: Some("it was set, and never called".to_owned()),
            ..Candidate::new(Reason::Listener, handler.script, fact.span)
        });
    }

    /// The arguments of a call of which one may be a function; none: it, or the object with it, is written there.
    fn may_be_handed(&self, call: CallRef, function: FunctionRef) -> Option<Handed> {
        let (own, fact) = (self.script(call.script)?, self.fact(call)?);
        let its_script = self.script(function.script)?;
        let written = its_script.facts.functions.get(function.function as usize)?;
        if call.script == function.script {
            let is_written =
                fact.span.start <= written.span.start && written.span.end <= fact.span.end;
            let mut directly = own.facts.hand_over_directly(function.function);
            let mut as_object = own.facts.hand_over_object_of(function.function);
            let mut by_name =
                || directly.any(|it| it == call.call) || as_object.any(|it| it == call.call);
            if is_written || by_name() {
                return None;
            }
        }
        let spread = fact.first_spread();
        let arguments = (0..).zip(&fact.arguments);
        Some(Handed {
            name: written.name.clone(),
            arguments: arguments
                .map(|(number, argument)| (*argument, spread == Some(number)))
                .collect(),
        })
    }

    /// Calls of `stopPropagation` that ran in other listeners for the same event. Whether the event was on its way to
    /// this listener is known when the page is read there.
    pub(super) fn stopped(&mut self, of: u32, listening: &CallFact, calls: u32) {
        let (Some(event), Some(object)) = (&listening.text, listening.receiver) else {
            return;
        };
        let mut stopping = Vec::new();
        for (script, own) in self.scripts.iter().enumerate() {
            let stops = own.facts.calls.iter().enumerate().filter(|(_, call)| {
                matches!(
                    call.name.as_str(),
                    "stopPropagation" | "stopImmediatePropagation"
                )
            });
            for (number, stop) in stops {
                let script = ByteOffset::from_index(script).0;
                let function = FunctionRef {
                    script,
                    function: stop.function,
                };
                let is_same = self
                    .graph
                    .callers(function)
                    .iter()
                    .any(|caller| match caller {
                        CalledBack::Registered(call, RegistrationKind::Listener) => self
                            .fact(*call)
                            .is_some_and(|other| other.text.as_ref() == Some(event)),
                        _ => false,
                    });
                if is_same {
                    stopping.push(CallRef {
                        script,
                        call: ByteOffset::from_index(number).0,
                    });
                }
            }
        }
        if listening.name != "addEventListener" {
            // A library's own way to add one: which element that was, its text does not say.
            for call in stopping {
                self.undone(&[call], Reason::Listener, calls, STOPS_SOME);
            }
            return;
        }
        for call in stopping {
            let Some(fact) = self.fact(call) else {
                continue;
            };
            let known = self.found.candidates.len();
            self.undone(&[call], Reason::Listener, calls, "it stops the event");
            // What the listeners of one object hear of was there.
            let is_immediate = fact.name == "stopImmediatePropagation";
            if is_immediate && self.listens_there(call, (of, listening)) {
                continue;
            }
            let (Some(event), Some(candidate)) =
                (fact.receiver, self.found.candidates.get_mut(known))
            else {
                continue;
            };
            candidate.path = Some(EventPath {
                event,
                is_immediate,
                listening: (of, object),
            });
        }
    }

    /// Whether a call is in a listener of the object that another call adds one to.
    fn listens_there(&self, stopping: CallRef, (of, listening): (u32, &CallFact)) -> bool {
        let Some(fact) = self.fact(stopping) else {
            return false;
        };
        let function = FunctionRef {
            script: stopping.script,
            function: fact.function,
        };
        let mut callers = self.graph.callers(function).iter();
        callers.any(|caller| match caller {
            CalledBack::Registered(call, RegistrationKind::Listener) => {
                let other = self.fact(*call);
                other.is_some_and(|other| is_same_variable((call.script, other), (of, listening)))
            }
            _ => false,
        })
    }

    /// Whether it is `forEach` and the like: each element would have been handed over.
    pub(super) fn is_loop_over_nothing(&self, fact: &CallFact) -> bool {
        // What Vue makes of `v-for`.
        let is_of_template = fact.receiver.is_none() && fact.name.ends_with("renderList");
        is_of_template
            || fact.receiver.is_some()
                // `clock.every(10, draw)` is another one.
                && fact.given.first().is_some_and(|first| !first.is_empty())
                && matches!(
                    fact.name.as_str(),
                    "forEach"
                        | "map"
                        | "filter"
                        | "some"
                        | "every"
                        | "find"
                        | "findIndex"
                        | "findLast"
                        | "findLastIndex"
                        | "flatMap"
                        | "reduce"
                        | "reduceRight"
                )
    }
}
