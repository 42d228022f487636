//! Functions that the page hands to a library where they are written.
//!
//! ```js
//! wanted && jsx(Badge, {});
//! useEffect(() => () => leave());
//! ```
//!
//! Who calls them in the library is lost in what it does; but what kept them from being handed over is known.

use super::candidates::{Candidate, Reason};
use super::elements::is_reaction_of_element;
use super::search::{MOST_CALLS, Search};
use crate::call_graph::{
    CallFacts, CallRef, CalledBack, FunctionRef, RegistrationKind, given_whole,
    is_called_by_platform,
};
use crate::position::{ByteOffset, ByteSpan};

impl Search<'_, '_> {
    /// Looks at where the page hands a function to a library, if it does so where the function is written.
    pub(super) fn is_handed_to_library(&mut self, function: FunctionRef, calls: u32) -> bool {
        let handed = self.library_calls(function, calls);
        if handed.is_empty() && !self.is_given_to_library(function) {
            return false;
        }
        let nearest = self.decided_beside(function, calls);
        let known = self.found.candidates.len();
        for call in self.called_directly(function) {
            if let Some(fact) = self.fact(call) {
                self.not_reached(call.script, fact.span, calls);
            }
        }
        if handed.is_empty() {
            self.given_and_not_called(function, calls);
        } else if self.is_left_out(function) {
            self.member_not_called(function, calls, nearest.is_some());
        }
        for call in handed {
            self.registered(function, call, RegistrationKind::Callback, calls);
        }
        if let Some(nearest) = nearest {
            self.explained_beside(known, nearest, calls);
        }
        true
    }

    /// The calls of libraries that a function, or the object that it is a method of, is handed to.
    fn library_calls(&mut self, function: FunctionRef, calls: u32) -> Vec<CallRef> {
        let script = function.script;
        let Some(own) = self.script(script) else {
            return Vec::new();
        };
        let directly = own.facts.hand_over_directly(function.function);
        let as_object = own.facts.hand_over_object_of(function.function);
        let handed: Vec<CallRef> = directly
            .chain(as_object)
            .map(|call| CallRef { script, call })
            .collect();
        let is_to_library = |call: &CallRef| self.is_to_library(*call);
        let mut handed: Vec<CallRef> = handed.into_iter().filter(is_to_library).collect();
        if handed.is_empty() && self.only_libraries_call(function) {
            let in_literal = own.facts.hand_over_literal_of(function.function);
            let calls = in_literal.map(|call| CallRef { script, call });
            handed = calls.filter(|call| self.may_be_to_library(*call)).collect();
        }
        for call in self.whole_given(function, calls) {
            if !handed.contains(&call) {
                handed.push(call);
            }
        }
        handed
    }

    /// The calls of libraries that are given the object or the class that a function is a part of, by any name, where
    /// nothing of it ran and the author's code leaves it to the library to call the function.
    fn whole_given(&mut self, function: FunctionRef, calls: u32) -> Vec<CallRef> {
        // Of the function that is asked about a compiler may have written the head.
        let is_of_library = calls > 0 && self.is_of_library(function);
        if is_of_library || !self.is_left_to_libraries(function) {
            return Vec::new();
        }
        let facts: Vec<&CallFacts> = self.scripts.iter().map(|script| script.facts).collect();
        let ran = |number: u32| {
            let other = FunctionRef {
                function: number,
                ..function
            };
            self.called(other).is_some_and(|count| count > 0)
        };
        let calls = given_whole(&facts, function, &ran).into_iter();
        let to_library = calls.filter(|(call, is_named)| match is_named {
            // Of what a compiler makes of a template, source maps may know nothing; but libraries do not have the
            // author's variables.
            true => self.is_for_others(*call),
            false => self.may_be_to_library(*call),
        });
        to_library.map(|(call, _)| call).collect()
    }

    /// Whether a call calls no function of the author's.
    fn is_for_others(&mut self, call: CallRef) -> bool {
        let is_platform = self.fact(call).is_none_or(is_called_by_platform);
        let callees = self.graph.callees(call).to_vec();
        !is_platform && callees.iter().all(|callee| self.is_of_library(*callee))
    }

    /// Whether a function is in an object that a library was given, or in what a function gives which a library was
    /// given: a template may name it.
    pub(super) fn is_in_what_is_given(&mut self, function: FunctionRef) -> bool {
        let script = function.script;
        let Some(own) = self.script(script) else {
            return false;
        };
        let calls = own.facts.given_object_of(function.function).into_iter();
        let mut calls = calls.map(|call| CallRef { script, call });
        calls.any(|call| self.may_be_to_library(call))
    }

    /// Whether no call of the author's that has the function's name is one that was not made.
    pub(super) fn is_left_to_libraries(&mut self, function: FunctionRef) -> bool {
        let full = self.name_of(function);
        let name = full.rsplit('.').next().unwrap_or_default();
        if is_reaction_of_element(name) {
            return false;
        }
        let callers = self.graph.callers(function).to_vec();
        callers.iter().all(|caller| match *caller {
            _ if self.is_call_of_library(caller) => true,
            // What is an element of some list has another name.
            CalledBack::Call(call) => self.fact(call).is_some_and(|fact| {
                let last = ByteOffset(fact.span.end.0.saturating_sub(1));
                fact.name != name || self.ways.way_to(call.script, last).count > 0
            }),
            CalledBack::Registered(_, kind) => kind == RegistrationKind::Callback,
            CalledBack::Handler(_) | CalledBack::Access { .. } => false,
        })
    }

    /// Whether the page itself calls a function nowhere, and hands it to nobody.
    fn only_libraries_call(&mut self, function: FunctionRef) -> bool {
        let callers = self.graph.callers(function).to_vec();
        callers.iter().all(|caller| self.is_call_of_library(caller))
    }

    /// Whether the page calls a function of a library there, as far as is known.
    fn may_be_to_library(&mut self, call: CallRef) -> bool {
        let Some(fact) = self.fact(call) else {
            return false;
        };
        if self.graph.callees(call).is_empty() {
            let keeps = ["freeze", "seal", "assign", "create", "defineProperties"];
            return !is_called_by_platform(fact)
                && !keeps.contains(&fact.name.as_str())
                && !self.is_written_by_library(call);
        }
        self.is_to_library(call)
    }

    /// Whether the page calls a function of a library, or of nobody knows whom.
    fn is_to_library(&mut self, call: CallRef) -> bool {
        let Some(fact) = self.fact(call) else {
            return false;
        };
        if is_called_by_platform(fact) || self.is_written_by_library(call) {
            return false;
        }
        let callees = self.graph.callees(call);
        !callees.is_empty() && callees.iter().all(|callee| self.is_of_library(*callee))
    }

    pub(super) fn is_of_library(&mut self, function: FunctionRef) -> bool {
        let at = self.body_of(function);
        at.is_some_and(|at| self.ways.is_foreign(function.script, at))
    }

    /// Whether a function is what another one gives that is handed to a library, as the clean-up of an effect is.
    fn is_given_to_library(&mut self, function: FunctionRef) -> bool {
        let own = self.script(function.script);
        let Some(parent) = own.and_then(|own| own.facts.gives_it(function.function)) else {
            return false;
        };
        let parent = FunctionRef {
            function: parent,
            ..function
        };
        self.called(parent).is_some_and(|count| count > 0)
            && !self.library_calls(parent, MOST_CALLS).is_empty()
    }

    /// Whether a function is a member of an object of which others ran: the library has the object, and did not ask for
    /// this one, as of a computed value that nobody reads.
    fn is_left_out(&self, function: FunctionRef) -> bool {
        let Some(own) = self.script(function.script) else {
            return false;
        };
        let ran = |number: u32| {
            let other = FunctionRef {
                function: number,
                ..function
            };
            self.called(other).is_some_and(|count| count > 0)
        };
        let mut directly = own.facts.hand_over_directly(function.function);
        directly.next().is_none() && own.facts.has_others_beside(function.function, &ran)
    }

    fn member_not_called(&mut self, function: FunctionRef, calls: u32, is_explained: bool) {
        let Some(whole) = self.head_of(function) else {
            return;
        };
        let what = "it is in an object that was given to a library, which called others in it, and not this one";
        self.push(Candidate {
            calls,
            is_explained,
            detail: Some(what.to_owned()),
            ..Candidate::new(Reason::Callback, function.script, whole)
        });
    }

    fn head_of(&self, function: FunctionRef) -> Option<ByteSpan> {
        let own = self.script(function.script)?;
        let fact = own.facts.functions.get(function.function as usize)?;
        Some(ByteSpan {
            start: fact.span.start,
            end: fact.body.max(fact.span.start),
        })
    }

    fn called_directly(&mut self, function: FunctionRef) -> Vec<CallRef> {
        let script = function.script;
        let own = self.script(script);
        let calls = own.map(|own| own.facts.call_directly(function.function));
        let calls = calls.into_iter().flatten();
        calls.map(|call| CallRef { script, call }).collect()
    }

    fn given_and_not_called(&mut self, function: FunctionRef, calls: u32) {
        let Some(whole) = self.head_of(function) else {
            return;
        };
        self.push(Candidate {
            calls,
            detail: Some("it was given to a library, and never called".to_owned()),
            ..Candidate::new(Reason::Callback, function.script, whole)
        });
    }
}
