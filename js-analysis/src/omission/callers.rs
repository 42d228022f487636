//! Who may call a function: which of its callers are the author's, which a library's, and what only the browser calls.

use super::candidates::{Candidate, Reason};
use super::elements::is_reaction_of_element;
use super::search::Search;
use crate::call_graph::{CallFact, CallRef, CalledBack, FunctionRef, RegistrationKind};
use crate::position::ByteSpan;

impl Search<'_, '_> {
    /// Whether the browser calls a method for an element, and beside it only libraries and the methods of the same name
    /// do, as `super.connectedCallback()` does.
    pub(super) fn is_left_to_browser(
        &mut self,
        function: FunctionRef,
        callers: &[CalledBack],
    ) -> bool {
        let full = self.name_of(function);
        let name = full.rsplit('.').next().unwrap_or_default();
        let is_in_namesake = |search: &Self, caller: &CalledBack| {
            let CalledBack::Call(call) = *caller else {
                return false;
            };
            let around = search.fact(call).map(|fact| FunctionRef {
                script: call.script,
                function: fact.function,
            });
            let around = around.map(|around| search.name_of(around));
            around.is_some_and(|around| around.rsplit('.').next() == Some(name))
        };
        is_reaction_of_element(name)
            && callers
                .iter()
                .all(|caller| self.is_call_of_library(caller) || is_in_namesake(self, caller))
    }

    /// What may call a function from elsewhere. Where the author's code says which event it is for, what libraries call
    /// by the same name says no more.
    pub(super) fn callers_but_itself(&mut self, function: FunctionRef) -> Vec<CalledBack> {
        let mut callers = self.graph.callers(function).to_vec();
        callers.retain(|caller| match *caller {
            CalledBack::Call(call) => {
                let is_in_it = |fact: &CallFact| fact.function == function.function;
                call.script != function.script || !self.fact(call).is_some_and(is_in_it)
            }
            _ => true,
        });
        let is_for_event = callers.iter().any(|caller| match *caller {
            CalledBack::Handler(handler) => {
                let own = self.script(handler.script);
                let fact = own.and_then(|own| own.facts.handlers.get(handler.call as usize));
                fact.is_some_and(|fact| !self.ways.is_foreign(handler.script, fact.span.start))
            }
            CalledBack::Registered(_, RegistrationKind::Listener) => {
                !self.is_call_of_library(caller)
            }
            _ => false,
        });
        if is_for_event {
            callers.retain(|caller| !self.is_call_of_library(caller));
        }
        callers
    }

    /// The function around one, where that was not called: then the one in it is not there for anybody to call.
    pub(super) fn is_in_what_was_not_called(&self, function: FunctionRef) -> Option<FunctionRef> {
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        let around = FunctionRef {
            function: fact.parent,
            ..function
        };
        let is_inner = fact.parent != 0 && fact.parent != function.function;
        (is_inner && self.called(around) == Some(0)).then_some(around)
    }

    /// The call of the author's that hands a function over for each element, where the function is written there: what
    /// else may call functions of elements says no more.
    pub(super) fn is_for_elements(&mut self, function: FunctionRef) -> Option<CallRef> {
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        let callers = self.graph.callers(function).to_vec();
        let mut callers = callers.into_iter();
        callers.find_map(|caller| {
            let CalledBack::Registered(call, RegistrationKind::Callback) = caller else {
                return None;
            };
            let handing = self.fact(call)?;
            let is_written =
                call.script == function.script && handing.arguments.contains(&fact.span);
            let callees = self.graph.callees(call).to_vec();
            (is_written
                && self.is_loop_over_nothing(handing)
                && !self.is_written_by_library(call)
                && callees.iter().all(|callee| self.is_of_library(*callee)))
            .then_some(call)
        })
    }

    /// Whether only the browser calls what is called so.
    pub(super) fn is_by_platform(&self, caller: &CalledBack) -> bool {
        match caller {
            CalledBack::Handler(_) | CalledBack::Access { .. } => true,
            CalledBack::Registered(call, RegistrationKind::Listener) => {
                let fact = self.fact(*call);
                fact.is_some_and(|fact| fact.name == "addEventListener")
            }
            CalledBack::Registered(_, kind) => *kind != RegistrationKind::Callback,
            CalledBack::Call(_) => false,
        }
    }

    pub(super) fn name_of(&self, function: FunctionRef) -> String {
        let script = self.script(function.script);
        let fact = script.and_then(|it| it.facts.functions.get(function.function as usize));
        match fact {
            Some(fact) if !fact.name.is_empty() => fact.name.clone(),
            _ => "a function without a name".to_owned(),
        }
    }

    pub(super) fn nobody_calls(&mut self, function: FunctionRef, calls: u32) {
        let Some(own) = self.script(function.script) else {
            return;
        };
        let Some(fact) = own.facts.functions.get(function.function as usize) else {
            return;
        };
        let end = fact.body;
        let whole = ByteSpan {
            start: fact.span.start,
            end: end.max(fact.span.start),
        };
        let own_name = fact.name.rsplit('.').next().unwrap_or_default();
        if is_reaction_of_element(own_name) {
            if own_name == "connectedCallback" && self.is_of_defined_element(function, calls) {
                return;
            }
            self.push(Candidate {
                calls,
                detail: Some("the browser calls it for an element, and did not".to_owned()),
                ..Candidate::new(Reason::Callback, function.script, whole)
            });
            return;
        }
        if let Some(detail) = self.others_may_call(function, own_name) {
            self.push(Candidate {
                calls,
                detail: Some(detail),
                ..Candidate::new(Reason::Callback, function.script, whole)
            });
            return;
        }
        if let Some(name) = self.graph.kept_as(function) {
            let what = format!("who may call {name} by a name that is computed");
            self.not_looked_at(&what);
        }
        self.push(Candidate {
            calls,
            detail: Some(match self.graph.kept_as(function) {
                Some(name) => format!("nothing in the scripts calls {name} by its name"),
                None => format!("nothing in the scripts calls {}", self.name_of(function)),
            }),
            ..Candidate::new(Reason::Unreachable, function.script, whole)
        });
    }

    /// Who may call a function by a name that no script has: what the markup names, what has the object that it is in.
    fn others_may_call(&mut self, function: FunctionRef, name: &str) -> Option<String> {
        let kept = self.graph.kept_as(function).map(str::to_owned);
        let markup = self.ways.named_in_markup(kept.as_deref().unwrap_or(name));
        let at_markup = markup.as_ref().map(|place| format!("; {place} names it"));
        let at_markup = at_markup.unwrap_or_default();
        if self.is_in_what_is_given(function) {
            let what = "it is in an object that was given to a library, which did not call it";
            return Some(format!("{what}{at_markup}"));
        }
        if let Some(place) = markup {
            return Some(format!(
                "{place} names it in the markup, and nothing called it from there"
            ));
        }
        let own = self.script(function.script)?;
        let call = own.facts.call_that_has_object_of(function.function);
        if let Some(fact) = call.and_then(|call| own.facts.calls.get(call as usize)) {
            let whose = match fact.name.as_str() {
                "" => "another function".to_owned(),
                name => format!("{name}()"),
            };
            return Some(format!(
                "no script calls it by its name; {whose} has the object that it is in, and did not call it"
            ));
        }
        let place = self.ways.way_out(function)?;
        Some(format!(
            "no call of it was seen; others may have it, or the object that it is in, from {place}"
        ))
    }

    /// Whether a function is given to a library where it is written, or by its variable, and to nobody else.
    pub(super) fn is_given_to_libraries(&mut self, function: FunctionRef) -> bool {
        let script = function.script;
        let Some(own) = self.script(script) else {
            return false;
        };
        let mut given = own.facts.hand_over_directly(function.function).peekable();
        given.peek().is_some()
            && given.all(|call| {
                let callees = self.graph.callees(CallRef { script, call }).to_vec();
                callees.iter().all(|callee| self.is_of_library(*callee))
            })
    }

    /// Whether a function is given to functions of the author's only, as far as is known.
    pub(super) fn is_handed_to_authors(&mut self, function: FunctionRef) -> bool {
        let handed = self.graph.handed_over(function).to_vec();
        !handed.is_empty() && handed.into_iter().all(|call| self.is_to_authors(call))
    }

    /// Whether a call calls functions of the author's that ran, and no others.
    pub(super) fn is_to_authors(&mut self, call: CallRef) -> bool {
        let mut callees = self.graph.callees(call).to_vec();
        callees.retain(|callee| self.called(*callee).is_some_and(|count| count > 0));
        !callees.is_empty() && !callees.into_iter().any(|callee| self.is_of_library(callee))
    }

    /// Whether a decision is among the candidates from `known` on that came out so each time.
    pub(super) fn is_sure_from(&self, known: usize) -> bool {
        let found = self.found.candidates.get(known..).unwrap_or_default();
        found.iter().any(|one| {
            let is_decision = !matches!(
                one.reason,
                Reason::Callback | Reason::Listener | Reason::Unreachable
            );
            !one.is_partial && !one.is_explained && is_decision
        })
    }

    /// Whether a function is written in what a call is handed.
    pub(super) fn is_written_in_call(&self, function: FunctionRef) -> bool {
        let Some(own) = self.script(function.script) else {
            return false;
        };
        let Some(fact) = own.facts.functions.get(function.function as usize) else {
            return false;
        };
        let holds = |argument: &ByteSpan| {
            argument.start <= fact.span.start && fact.span.end <= argument.end
        };
        let mut calls = own.facts.calls.iter();
        calls.any(|call| call.function == fact.parent && call.arguments.iter().any(holds))
    }

    /// Whether a call has the name of a function, as far as that has one.
    pub(super) fn is_called_so(&self, call: CallRef, function: FunctionRef) -> bool {
        let full = self.name_of(function);
        let own = full.rsplit('.').next().unwrap_or_default();
        self.fact(call).is_some_and(|fact| fact.name == own)
    }

    /// What is a handler by its name may be an option of a library, or of an element: what is beside it in its literal
    /// may have decided, as in `useBox({ isDisabled: (item) => item.sold, onChange: choose })`. How near that is.
    pub(super) fn decided_in_literal(
        &mut self,
        function: FunctionRef,
        callers: &[CalledBack],
        calls: u32,
    ) -> Option<u32> {
        let is_handler = |caller: &CalledBack| matches!(caller, CalledBack::Handler(_));
        if !callers.iter().all(is_handler) {
            return None;
        }
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        let mut deciders = self.ways.deciders(function.script, fact);
        deciders.retain(|decider| decider.distance == 0);
        let nearest = deciders.first()?.distance;
        for decider in deciders {
            self.decider_and_called(function.script, decider, calls + 1);
        }
        Some(nearest)
    }

    /// Whether what a call calls is but an element of some list, or of an object whose names are computed.
    pub(super) fn calls_any_element(&self, call: CallRef) -> bool {
        let own = self.script(call.script);
        own.is_some_and(|own| own.facts.calls_element(call.call))
    }

    pub(super) fn is_call_of_library(&mut self, caller: &CalledBack) -> bool {
        match *caller {
            CalledBack::Call(call) | CalledBack::Registered(call, _) => {
                self.fact(call).is_some() && self.is_written_by_library(call)
            }
            CalledBack::Access { script, at, .. } => self.ways.is_foreign(script, at.start),
            CalledBack::Handler(_) => false,
        }
    }

    /// A call, or what it is handed where only that is the author's: minifiers put the body of a library's function in
    /// the place of its name.
    pub(super) fn authored_part(&mut self, script: u32, fact: &CallFact) -> ByteSpan {
        let mut arguments = fact.arguments.iter();
        let is_foreign = self.ways.is_foreign(script, fact.span.start);
        let first = arguments.find(|it| is_foreign && !self.ways.is_foreign(script, it.start));
        match (first, fact.arguments.last()) {
            (Some(first), Some(last)) => ByteSpan {
                start: first.start,
                end: last.end,
            },
            _ => fact.span,
        }
    }

    /// Whether a call is not the author's. Of what a compiler makes of a template, `delegated("click", button, save)`,
    /// source maps know the arguments only.
    pub(super) fn is_written_by_library(&mut self, call: CallRef) -> bool {
        let Some(fact) = self.fact(call) else {
            return true;
        };
        let mut starts = std::iter::once(&fact.span).chain(&fact.arguments);
        starts.all(|span| self.ways.is_foreign(call.script, span.start))
    }
}
