//! Where a function that runs on an empty stack was handed over: to `then`, to a timer, to something else.
//!
//! The log has what built-ins were given, functions as objects with numbers. Of several places that may be it, those
//! are left out that gave, or would have given, another value, or closed over another activation. If one is left, the
//! function was handed over there.

use std::collections::HashMap;

use event_log::ids::FunctionId;
use event_log::model::{Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;

use super::InLog;
use super::functions::is_callback_caller;
use super::outcomes::PromiseOutcome;
use super::roles::{Registration, Role};

/// How many promises are looked through, one behind the other.
const MOST_PROMISES: u32 = 12;
/// How many earlier calls of a function are looked at.
const MOST_EARLIER: usize = 100;

/// What built-ins were given.
#[derive(Debug, Default)]
pub(super) struct GivenFunctions {
    /// By realm and function object: the events behind the calls, and which argument it was.
    given: HashMap<(u16, u32), Vec<(u32, usize)>>,
    /// By realm and function of the text: its objects.
    objects: HashMap<(u16, u32), Vec<u32>>,
}

impl InLog<'_> {
    /// The events at which a function object was handed over to a built-in, and as which argument.
    pub(super) fn given_away(&self, stream: u16, object: u32) -> &[(u32, usize)] {
        let known = self.given_functions().given.get(&(stream, object));
        known.map_or(&[], Vec::as_slice)
    }

    fn given_functions(&self) -> &GivenFunctions {
        self.given_functions.get_or_init(|| {
            let mut known = GivenFunctions::default();
            for &(event, from, count) in &self.model.library_arguments {
                let Some(stream) = self.event(event).map(|it| it.stream) else {
                    continue;
                };
                let arguments = self.model.arguments.iter().skip(from as usize);
                for (argument, index) in arguments.take(count as usize).zip(0..) {
                    if let Seen::Function(id) = argument {
                        let given = known.given.entry((stream, id.0)).or_default();
                        given.push((event, index));
                    }
                }
            }
            for (realm, stream) in self.model.streams.iter().zip(0..) {
                for (object, number) in realm.objects.iter().zip(1..) {
                    if object.function.is_some() {
                        let objects = known.objects.entry((stream, object.function.0));
                        objects.or_default().push(number);
                    }
                }
            }
            known
        })
    }

    /// The objects of a function of the text.
    fn objects_of(&self, stream: u16, function: FunctionId) -> &[u32] {
        let known = self.given_functions().objects.get(&(stream, function.0));
        known.map_or(&[], Vec::as_slice)
    }

    /// Where the function of a call on an empty stack was handed over; `None`: that is not in the log, or several
    /// places may be it.
    pub(super) fn registration(&self, number: u32, depth: u32) -> Option<Registration> {
        if let Some(known) = self.registrations.borrow().get(&number) {
            return known.clone();
        }
        let found = self.only_registration(number, depth);
        // What a limit kept from being found may be found another time.
        if found.is_some() || depth == 0 {
            let mut known = self.registrations.borrow_mut();
            known.insert(number, found.clone());
        }
        found
    }

    fn only_registration(&self, number: u32, depth: u32) -> Option<Registration> {
        let call = self.call_of(number)?;
        if call.parent != NONE || depth > MOST_PROMISES {
            return None;
        }
        let stream = call.stream;
        let mut found = Vec::new();
        for &object in self.objects_of(stream, call.function) {
            for &(event, argument) in self.given_away(stream, object) {
                let Some(registration) = self.registered_at(event, argument) else {
                    continue;
                };
                if event < call.enter
                    && self.closes_over(object, number)
                    && self.may_call(&registration, number, depth)
                {
                    found.push(registration);
                }
            }
        }
        if found.is_empty() {
            found = self.registrations_of_bound(number);
        }
        if found.is_empty() {
            found.extend(self.registration_of_literal(number));
        }
        if found.len() > 1 {
            self.leave_out_answered(&mut found, number, depth);
        }
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    /// Leaves out the promises that have called the function already: each does once.
    fn leave_out_answered(&self, found: &mut Vec<Registration>, number: u32, depth: u32) {
        let (Some(first), Some(call)) =
            (found.iter().map(|it| it.event).min(), self.call_of(number))
        else {
            return;
        };
        let from = self.model.calls.partition_point(|call| call.enter <= first);
        let earlier = (from..).map_while(|earlier| u32::try_from(earlier).ok());
        let earlier = earlier.take_while(|&earlier| earlier < number);
        let same = earlier.filter(|&earlier| {
            self.call_of(earlier)
                .is_some_and(|it| it.parent == NONE && it.function == call.function)
        });
        for earlier in same.take(MOST_EARLIER) {
            let Some(answered) = self.registration(earlier, depth + 1) else {
                continue;
            };
            if matches!(answered.role(), Role::Fulfilled | Role::Rejected) {
                found.retain(|it| it.event != answered.event);
            }
        }
    }

    /// A function that is in the text as an argument, of a call that does not tell its arguments: it was made only
    /// once in the call around.
    fn registration_of_literal(&self, number: u32) -> Option<Registration> {
        let call = self.call_of(number)?;
        let (script, span) = self.function_text(call.function)?;
        let code = self.code(script)?;
        let &[(given, argument)] = code.handed_over(span.start) else {
            return None;
        };
        let (at, text) = code.call(given)?;
        let site = self.site_at(script, at, LoggedKind::Call, text)?;
        let own = self.model.scope(call.stream, call.scope)?;
        let maker = self.model.scope(call.stream, own.parent);
        let maker = maker.map(|scope| scope.call);
        let events = self.events.get(&site.0)?.iter().copied();
        let mut events = events.filter(|&event| {
            self.event(event).is_some_and(|it| {
                it.kind == Kind::CallEnd
                    && event < call.enter
                    && maker.is_none_or(|maker| it.call == maker)
            })
        });
        match (events.next(), events.next()) {
            (Some(event), None) => self.registered_at(event, argument),
            _ => None,
        }
    }

    fn registered_at(&self, event: u32, argument: usize) -> Option<Registration> {
        let (spot, call) = self.call_text(event)?;
        let method = call.method.as_deref().unwrap_or_default();
        let is_later = matches!(method, "then" | "catch" | "finally" | "try");
        (is_later || !is_callback_caller(method)).then_some(Registration {
            event,
            spot,
            call,
            argument,
        })
    }

    /// Functions that `bind` made of the function of a call, where they were handed over.
    fn registrations_of_bound(&self, number: u32) -> Vec<Registration> {
        let Some(call) = self.call_of(number) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (&(stream, object), given) in &self.given_functions().given {
            let is_bound = stream == call.stream
                && self
                    .first_given_by(stream, object)
                    .is_some_and(|(_, spot, bind)| {
                        bind.method.as_deref() == Some("bind")
                            && bind.arguments.len() == 1
                            && bind
                                .receiver
                                .as_ref()
                                .is_some_and(|receiver| self.is_function(spot, receiver, number))
                    });
            if !is_bound {
                continue;
            }
            for &(event, argument) in given {
                if event < call.enter
                    && let Some(registration) = self.registered_at(event, argument)
                    && self.may_call(&registration, number, 0)
                {
                    found.push(registration);
                }
            }
        }
        found
    }

    /// Whether a function object may be the one that a call is of: it was not seen first in another activation of the
    /// scope that the call closes over.
    fn closes_over(&self, object: u32, number: u32) -> bool {
        let around = self.call_of(number).and_then(|call| {
            let own = self.model.scope(call.stream, call.scope)?;
            let around = self.model.scope(call.stream, own.parent)?;
            let seen = self.model.object(call.stream, object)?.seen;
            Some((own.parent, self.instance(self.moment(seen)?, around.of)))
        });
        around.is_none_or(|(own, seen)| !seen.is_some() || seen == own)
    }

    /// Whether what the call was given may be what the built-in hands over.
    fn may_call(&self, registration: &Registration, number: u32, depth: u32) -> bool {
        let Some(call) = self.call_of(number) else {
            return false;
        };
        let passed = self.model.arguments_of(call).unwrap_or_default();
        match registration.role() {
            Role::Fulfilled | Role::Rejected => {
                let Some(receiver) = &registration.call.receiver else {
                    return false;
                };
                let spot = registration.spot;
                let promise = self.evaluated(spot, receiver, 0).and_then(Seen::object);
                let Some(promise) = promise else { return true };
                let settled = self.outcome(spot.moment.stream, promise.0, call.enter, depth + 1);
                match (settled, registration.role()) {
                    (Some(PromiseOutcome::Fulfilled(value)), Role::Fulfilled)
                    | (Some(PromiseOutcome::Rejected(value)), Role::Rejected) => {
                        let given = passed.first();
                        given.is_none_or(|given| given.same(value) != Some(false))
                    }
                    (Some(PromiseOutcome::NotFulfilled), Role::Rejected) | (None, _) => true,
                    (Some(_), _) => false,
                }
            }
            Role::Timer => {
                let given = self.model.library_arguments_of(registration.event);
                let given = given.unwrap_or_default().iter().skip(2);
                given
                    .zip(passed)
                    .all(|(given, passed)| given.same(*passed) != Some(false))
            }
            Role::Other => !matches!(
                registration.call.method.as_deref(),
                Some("finally") if !passed.is_empty()
            ),
        }
    }
}
