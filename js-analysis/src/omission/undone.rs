//! What undid a registration, or what ran in its place: calls that remove listeners, clear timers, stop events or abort
//! requests; what calls another function; a result that is not used.

use super::candidates::{Candidate, Reason};
use super::elements::is_reaction_of_element;
use super::search::Search;
use crate::call_graph::{
    CallFact, CallRef, CalledBack, FunctionRef, RegistrationKind, ends, registers, undoes,
};
use crate::position::{ByteOffset, ByteSpan};

/// Of an event that was stopped for somebody.
pub(super) const STOPS_SOME: &str =
    "it stops an event of this kind; whether that was on its way there is not known";
/// So many places that use a result are looked at.
const MOST_USES: usize = 8;

/// So many functions of a library are looked through for what it listens for.
const MOST_LIBRARY_FUNCTIONS: usize = 40;

impl<'a> Search<'a, '_> {
    /// Calls that ran and undid what another call did.
    pub(super) fn undone(&mut self, undoing: &[CallRef], reason: Reason, calls: u32, detail: &str) {
        for &call in undoing {
            let Some(fact) = self.fact(call) else {
                continue;
            };
            let last = ByteOffset(fact.span.end.0.saturating_sub(1));
            let hits = self.ways.way_to(call.script, last).count;
            if hits > 0 {
                // What clears a timer is handed it.
                let timer = fact.arguments.first().copied();
                let operands = timer.filter(|_| reason == Reason::Timer);
                self.push(Candidate {
                    pause: Some(fact.span.start),
                    held: true,
                    hits,
                    calls,
                    operands: operands.into_iter().collect(),
                    detail: Some(detail.to_owned()),
                    ..Candidate::new(reason, call.script, fact.span)
                });
            }
        }
    }

    /// Calls of `abort` that ran, of the controller whose signal a listener was added or a request was sent with.
    pub(super) fn aborted(
        &mut self,
        script: u32,
        with_signal: &CallFact,
        (reason, detail): (Reason, &str),
        calls: u32,
    ) {
        let (Some(own), Some(signal)) = (self.script(script), &with_signal.signal) else {
            return;
        };
        let aborting = own.facts.calls.iter().enumerate().filter(|(_, call)| {
            let is_same = call.receivers.iter().any(|place| signal.contains(place));
            call.name == "abort" && (is_same || signal.is_empty())
        });
        let aborting: Vec<CallRef> = aborting
            .map(|(number, _)| CallRef {
                script,
                call: ByteOffset::from_index(number).0,
            })
            .collect();
        self.undone(&aborting, reason, calls, detail);
    }

    /// `bus.off("add")`: all listeners of the event are removed. jQuery names kinds of listeners behind a dot, and
    /// the elements that they are for behind the event: `$("#list").off("click.cart", ".row")`.
    pub(super) fn removed_with_event(&mut self, of: u32, listening: &CallFact, calls: u32) {
        let mut removing = Vec::new();
        for (script, own) in self.scripts.iter().enumerate() {
            let script = ByteOffset::from_index(script).0;
            let all = own.facts.calls.iter().enumerate().filter(|(_, call)| {
                let is_of_event = match call.arguments.as_slice() {
                    [] => true,
                    [_] => removes_event(call, listening),
                    // A function that is named is no text.
                    [_, _] => {
                        let is_same = call.second_text == listening.second_text;
                        call.second_text.is_some() && is_same && removes_event(call, listening)
                    }
                    _ => false,
                };
                let removes = matches!(
                    call.name.as_str(),
                    "off" | "removeAllListeners" | "unbind" | "un" | "stopListening"
                );
                removes && is_of_event && self.is_same_receiver((script, call), (of, listening))
            });
            removing.extend(all.map(|(number, _)| CallRef {
                script,
                call: ByteOffset::from_index(number).0,
            }));
        }
        let what = "it removes the listeners of the event";
        self.undone(&removing, Reason::Listener, calls, what);
    }

    /// Whether two calls are on the same object, as far as the text says: the same variable, or what two calls of the
    /// same function with the same text give, as `$("#list")` is.
    fn is_same_receiver(&self, one: (u32, &CallFact), other: (u32, &CallFact)) -> bool {
        let mut receivers = one.1.receivers.iter();
        if receivers.any(|place| other.1.receivers.contains(place)) {
            return true;
        }
        let of = |(script, fact): (u32, &CallFact)| {
            let own = self.script(script)?;
            let mut calls = own.facts.calls.iter();
            calls.find(|call| Some(call.span) == fact.receiver)
        };
        let (Some(one), Some(other)) = (of(one), of(other)) else {
            return false;
        };
        let is_selection = one.receiver.is_none() && other.receiver.is_none();
        let is_same_name = !one.name.is_empty() && one.name == other.name;
        let is_same_given = match (&one.text, &other.text) {
            (Some(one), Some(other)) => one == other,
            (None, None) => {
                // `$(document)`
                let (one, other) = (one.given.first(), other.given.first());
                one.is_some_and(|given| !given.is_empty() && Some(given) == other)
            }
            _ => false,
        };
        is_selection && is_same_name && is_same_given
    }

    /// Calls of `stopPropagation` in what a framework sets as listeners of the same event: `onClick`.
    pub(super) fn stopped_by_handlers(&mut self, name: &str, calls: u32) {
        let mut stopping = Vec::new();
        for (script, own) in self.scripts.iter().enumerate() {
            let script = ByteOffset::from_index(script).0;
            for (number, stop) in own.facts.calls.iter().enumerate() {
                let stops = ["stopPropagation", "stopImmediatePropagation"];
                if !stops.contains(&stop.name.as_str()) {
                    continue;
                }
                let function = FunctionRef {
                    script,
                    function: stop.function,
                };
                let mut callers = self.graph.callers(function).iter();
                let is_same = callers.any(|caller| match caller {
                    CalledBack::Handler(other) => self.handler_name(*other) == Some(name),
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
        self.undone(&stopping, Reason::Listener, calls, STOPS_SOME);
    }

    /// A library that was handed a function may listen for an event itself: calls of `stopPropagation` in listeners of
    /// the author's for the same event, or for one that the library knows by a name that is computed.
    pub(super) fn stopped_before_library(&mut self, call: CallRef, calls: u32) {
        let stopping = self.stops_of_authors();
        if stopping.is_empty() {
            return;
        }
        let Some(fact) = self.fact(call) else { return };
        let listened = self.events_of_library(call);
        let texts = [&fact.text, &fact.second_text];
        let is_given = |event: &str| {
            let mut given = texts.into_iter().flatten();
            given.any(|text| text.eq_ignore_ascii_case(event))
        };
        for (stop, event) in stopping {
            let is_same = listened.iter().any(|known| match known {
                Some(known) => known.eq_ignore_ascii_case(event),
                None => is_given(event) || texts == [&None, &None],
            });
            if is_same {
                self.undone(&[stop], Reason::Listener, calls, STOPS_SOME);
            }
        }
    }

    /// The calls of the author's that stop an event, in listeners for it, and the event.
    fn stops_of_authors(&mut self) -> Vec<(CallRef, &'a str)> {
        let mut found = Vec::new();
        for (script, own) in (0..).zip(self.scripts) {
            for (number, stop) in (0..).zip(&own.facts.calls) {
                let stops = ["stopPropagation", "stopImmediatePropagation"];
                if !stops.contains(&stop.name.as_str())
                    || self.ways.is_foreign(script, stop.span.start)
                {
                    continue;
                }
                let function = FunctionRef {
                    script,
                    function: stop.function,
                };
                let events =
                    self.graph
                        .callers(function)
                        .iter()
                        .filter_map(|caller| match caller {
                            CalledBack::Registered(call, RegistrationKind::Listener) => {
                                self.fact(*call)?.text.as_deref()
                            }
                            CalledBack::Handler(handler) => {
                                let own = self.script(handler.script)?;
                                let fact = own.facts.handlers.get(handler.call as usize)?;
                                fact.name.strip_prefix("on")
                            }
                            _ => None,
                        });
                let stop = CallRef {
                    script,
                    call: number,
                };
                found.extend(events.map(|event| (stop, event)));
            }
        }
        found
    }

    /// The events that a call of a library may listen for; `None`: a name that is computed.
    fn events_of_library(&self, call: CallRef) -> Vec<Option<&'a str>> {
        let mut functions: Vec<FunctionRef> = self.graph.callees(call).to_vec();
        let mut found = Vec::new();
        let mut next = 0;
        while let Some(function) = functions.get(next).copied() {
            next += 1;
            let Some(own) = self.script(function.script) else {
                continue;
            };
            let within = (0..).zip(&own.facts.calls);
            for (number, fact) in within.filter(|(_, fact)| fact.function == function.function) {
                if fact.name == "addEventListener" {
                    found.push(fact.text.as_deref());
                }
                let called = CallRef {
                    script: function.script,
                    call: number,
                };
                for callee in self.graph.callees(called) {
                    if functions.len() < MOST_LIBRARY_FUNCTIONS && !functions.contains(callee) {
                        functions.push(*callee);
                    }
                }
            }
        }
        found
    }

    fn handler_name(&self, handler: CallRef) -> Option<&str> {
        let own = self.script(handler.script)?;
        let fact = own.facts.handlers.get(handler.call as usize)?;
        Some(&fact.name)
    }

    /// A call was made that may call several functions, and called another one: what led away from it at other times,
    /// and what cleared the timer that makes it.
    pub(super) fn calls_another(&mut self, call: CallRef, fact: &CallFact, calls: u32) {
        if self.graph.callees(call).len() < 2 || self.ways.is_foreign(call.script, fact.span.start)
        {
            return;
        }
        let last = ByteOffset(fact.span.end.0.saturating_sub(1));
        let way = self.ways.way_to(call.script, last);
        if way.count == 0 {
            return;
        }
        for gate in way.gates.iter().filter(|gate| gate.away() > 0) {
            self.gate(call.script, gate, calls + 1, false, None);
        }
        let around = FunctionRef {
            script: call.script,
            function: fact.function,
        };
        for caller in self.graph.callers(around) {
            if let CalledBack::Registered(timer, RegistrationKind::Timer) = caller {
                let cleared = self.graph.cleared(*timer);
                self.undone(cleared, Reason::Timer, calls, "it clears the timer");
            }
        }
    }

    /// What a library makes of a function is in a variable, and that is not reached: `const undo = useCallback(…)`.
    pub(super) fn result_not_used(&mut self, call: CallRef, calls: u32) {
        let Some(own) = self.script(call.script) else {
            return;
        };
        let uses: Vec<ByteSpan> = own.facts.uses_of_result(call.call);
        for span in uses.into_iter().take(MOST_USES) {
            let last = ByteOffset(span.end.0.saturating_sub(1));
            let way = self.ways.way_to(call.script, last);
            if way.count == 0 && way.entered > 0 {
                self.in_function(call.script, last, &way, calls, None);
            }
        }
        self.result_not_called(call, calls);
    }

    /// The same wherever it got: `const { add } = useContext(Cart); add(item);`, where a library made `add`.
    fn result_not_called(&mut self, call: CallRef, calls: u32) {
        let is_registration = self.fact(call).is_none_or(|fact| registers(&fact.name));
        let callees = self.graph.callees(call).to_vec();
        if is_registration || !callees.iter().all(|callee| self.is_of_library(*callee)) {
            return;
        }
        for other in self.graph.undoing(call).iter().copied().take(MOST_USES) {
            let Some(fact) = self.fact(other).filter(|fact| !undoes(&fact.name)) else {
                continue;
            };
            let last = ByteOffset(fact.span.end.0.saturating_sub(1));
            if !self.ways.is_foreign(other.script, fact.span.start)
                && self.ways.way_to(other.script, last).count == 0
            {
                self.not_made(other, calls);
            }
        }
        for handler in self.graph.handling(call).iter().copied().take(MOST_USES) {
            self.handler(handler, calls);
        }
    }

    /// What a registration gave was used to undo it: `const token = bus.on("price", show); bus.off(token);`, or
    /// `token.unsubscribe()`, or `const stop = watch(price, show); stop();`, however it got there.
    pub(super) fn undone_by_result(&mut self, call: CallRef, reason: Reason, calls: u32) {
        let Some(own) = self.script(call.script) else {
            return;
        };
        let undoing = own.facts.undoing_by_result(call.call).into_iter();
        let mut undoing: Vec<CallRef> = undoing
            .filter(|number| *number != call.call)
            .map(|number| CallRef {
                call: number,
                ..call
            })
            .collect();
        let is_registration = self.fact(call).is_some_and(|fact| registers(&fact.name));
        for other in self.graph.undoing(call).to_vec() {
            // `const off = bus.on("add", show); off();`
            let is_call_of_it = self.fact(other).is_some_and(|fact| {
                let is_bare = fact.arguments.is_empty() && fact.receiver.is_none();
                is_registration && is_bare && !self.ways.is_foreign(other.script, fact.span.start)
            });
            if !undoing.contains(&other) && (is_call_of_it || self.is_end_of_something(other)) {
                undoing.push(other);
            }
        }
        self.undone(&undoing, reason, calls + 1, "it undoes the registration");
    }

    /// Whether a call of the author's ends something, by its name or by that of the function that it is in.
    fn is_end_of_something(&mut self, call: CallRef) -> bool {
        let Some(fact) = self.fact(call) else {
            return false;
        };
        let mut around = fact.function;
        let own = self.script(call.script);
        let name_of = |number: u32| {
            let functions = own.map(|own| own.facts.functions.as_slice());
            let function = functions.and_then(|all| all.get(number as usize))?;
            let name = function.authored.as_ref().unwrap_or(&function.name);
            Some((name.as_str(), function.parent))
        };
        let mut is_end = undoes(&fact.name);
        while let Some((name, parent)) = name_of(around).filter(|_| !is_end) {
            is_end = ends(name);
            if parent == around || around == 0 {
                break;
            }
            around = parent;
        }
        is_end && !self.ways.is_foreign(call.script, fact.span.start)
    }

    /// Libraries may call a method by the name that they were given for it: whether they were. The text is shown.
    pub(super) fn is_named(&mut self, function: FunctionRef, calls: u32) -> bool {
        let Some(own) = self.script(function.script) else {
            return false;
        };
        let Some(fact) = own.facts.functions.get(function.function as usize) else {
            return false;
        };
        let callers = self.graph.callers(function);
        if self.ways.is_foreign(function.script, fact.span.start)
            || !callers.iter().all(|caller| self.is_call_of_library(caller))
        {
            return false;
        }
        let named = self.ways.named(function.script, fact);
        for span in &named {
            let way = self.ways.way_to(function.script, span.start);
            if way.count == 0 {
                self.in_function(function.script, span.start, &way, calls + 1, None);
                continue;
            }
            self.push(Candidate {
                pause: Some(span.start),
                hits: way.count,
                calls: calls + 1,
                detail: Some("it is named there, and was not called by that name".to_owned()),
                ..Candidate::new(Reason::Callback, function.script, *span)
            });
        }
        !named.is_empty()
    }

    /// What kept an element of a name from being made, where the scripts name it.
    fn not_named_element(&mut self, name: &str, calls: u32) {
        for (script, own) in (0..).zip(self.scripts) {
            for span in own.facts.names_element(name).into_iter().take(MOST_USES) {
                if self.ways.is_foreign(script, span.start) {
                    continue;
                }
                let way = self.ways.way_to(script, span.start);
                if way.count == 0 && way.entered > 0 {
                    self.in_function(script, span.start, &way, calls, None);
                }
            }
        }
    }

    /// Whether a method that only a library calls is one of an element of which there was none.
    pub(super) fn is_of_no_element(&mut self, function: FunctionRef, calls: u32) -> bool {
        let name = self.name_of(function);
        let name = name.rsplit('.').next().unwrap_or_default();
        !is_reaction_of_element(name)
            && self.is_left_to_libraries(function)
            && self.is_of_defined_element(function, calls)
    }

    /// A method that the browser calls for an element: whether the scripts name the element, and where.
    pub(super) fn is_of_defined_element(&mut self, function: FunctionRef, calls: u32) -> bool {
        let script = function.script;
        let Some(own) = self.script(script) else {
            return false;
        };
        let of_class = |number: u32| {
            let fact = own.facts.functions.get(number as usize);
            fact.filter(|fact| fact.accessor.is_none())?.class
        };
        let class = of_class(function.function);
        let mut functions = 0..ByteOffset::from_index(own.facts.functions.len()).0;
        let is_there = functions.any(|number| {
            let other = FunctionRef {
                script,
                function: number,
            };
            of_class(number) == class && self.called(other).is_some_and(|count| count > 0)
        });
        if is_there {
            return false;
        }
        let defining = own.facts.define_class_of(function.function);
        for call in &defining {
            let call = CallRef {
                script,
                call: *call,
            };
            let Some(fact) = self.fact(call) else {
                continue;
            };
            let last = ByteOffset(fact.span.end.0.saturating_sub(1));
            let way = self.ways.way_to(script, last);
            if way.count == 0 {
                self.in_function(script, last, &way, calls + 1, None);
                continue;
            }
            let what = "the browser calls it for an element of this name, and did not";
            self.push(Candidate {
                pause: Some(fact.span.start),
                hits: way.count,
                calls: calls + 1,
                detail: Some(what.to_owned()),
                ..Candidate::new(Reason::Callback, script, fact.span)
            });
            if let Some(name) = &fact.text {
                self.explained_by(|this| this.not_named_element(name, calls + 1));
            }
        }
        !defining.is_empty()
    }
}

/// Whether what a call removes by a text is what another one added by a text.
fn removes_event(removing: &CallFact, adding: &CallFact) -> bool {
    let (Some(removed), Some(added)) = (&removing.text, &adding.text) else {
        return false;
    };
    // `"click.cart keyup"`: events with kinds.
    removed.split_whitespace().any(|removed| {
        let (event, kind) = removed.split_once('.').unwrap_or((removed, ""));
        added.split_whitespace().any(|added| {
            let (own, kinds) = added.split_once('.').unwrap_or((added, ""));
            let is_of_kind = kind.is_empty() || kinds.split('.').any(|own| own == kind);
            (event.is_empty() || event == own) && is_of_kind
        })
    })
}
