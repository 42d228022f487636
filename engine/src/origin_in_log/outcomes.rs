//! What a promise was settled with, as far as the log says it at once: it tells apart which of several promises a
//! reaction was of.

use event_log::model::{CallOutcome, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, Value};

use super::roles::{Registration, Role};
use super::{InLog, Spot};

/// How many promises are looked through, one behind the other.
const MOST_PROMISES: u32 = 12;
/// How many calls are looked through for the one of `resolve`.
const MOST_LOOKED_THROUGH: usize = 20_000;

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PromiseOutcome {
    /// It was fulfilled with this.
    Fulfilled(Seen),
    /// It was rejected with this.
    Rejected(Seen),
    /// It was not fulfilled yet.
    NotFulfilled,
}

/// Where a promise was resolved by the function that its executor was given.
pub(super) enum Resolution {
    /// That function was called: the event behind the call, its text, and where.
    Called(u32, Spot, Box<Call>),
    /// It was handed over to `then` of a promise.
    Followed(Spot, Value),
    /// It was handed over to a timer with this argument.
    Timer(Spot, Option<Value>),
}

impl InLog<'_> {
    /// What a promise was settled with before an event.
    pub(super) fn outcome(
        &self,
        stream: u16,
        promise: u32,
        before: u32,
        depth: u32,
    ) -> Option<PromiseOutcome> {
        if depth > MOST_PROMISES {
            return None;
        }
        let (event, spot, call) = self.first_given_by(stream, promise)?;
        let came = self.came_back_at(self.event(event)?.site, event)?;
        let followed = |value: Seen| self.followed(stream, value, before, depth);
        if let Some(function) = self.direct(spot, &call, &came.calls) {
            let own = self.call_of(function)?;
            if own.exit >= before {
                return Some(PromiseOutcome::NotFulfilled);
            }
            return match own.outcome {
                CallOutcome::Returned(value) => followed(value),
                CallOutcome::Threw => self.model.thrown(own).map(PromiseOutcome::Rejected),
                _ => None,
            };
        }
        let global = call.global.as_deref().unwrap_or_default();
        let method = call.method.as_deref().unwrap_or_default();
        match (method, global) {
            (_, "Promise") if call.kind == CallKind::New => {
                let &[executor] = came.calls.as_slice() else {
                    return None;
                };
                let own = self.call_of(executor)?;
                if self.model.arguments_of(own).is_some_and(<[Seen]>::is_empty)
                    && own.this == Seen::Unknown
                {
                    // An arrow function that takes no function cannot call it.
                    return Some(PromiseOutcome::NotFulfilled);
                }
                if let Some((reject, from)) = self.handed_to_executor(executor, 1)
                    && let Some(Resolution::Called(event, _, _)) =
                        self.resolution(stream, reject, from, before)
                {
                    return self.given_at(event, 0).map(PromiseOutcome::Rejected);
                }
                let (resolve, from) = self.handed_to_executor(executor, 0)?;
                match self.resolution(stream, resolve, from, before)? {
                    Resolution::Called(event, _, _) => followed(self.given_at(event, 0)?),
                    Resolution::Followed(spot, of) => followed(self.evaluated(spot, &of, 0)?),
                    // If it has settled the promise by now, it was with this.
                    Resolution::Timer(spot, _) => followed(self.given_at(spot.moment.at, 2)?),
                }
            }
            (_, "Promise.resolve") => followed(self.given_at(event, 0)?),
            (_, "Promise.reject") => self.given_at(event, 0).map(PromiseOutcome::Rejected),
            ("then" | "catch", _) => {
                let mut reactions = Vec::new();
                for argument in call.arguments.iter().take(2) {
                    let own = self.reactions(spot, &argument.value, event, before);
                    for number in own {
                        match self.registration(number, depth + 1) {
                            Some(registration) if registration.event == event => {
                                reactions.push(number);
                            }
                            Some(_) => {}
                            // It may be one.
                            None => return None,
                        }
                    }
                }
                if reactions.is_empty() && method == "then" {
                    // The function that is to fulfil it has not run.
                    let has_function = matches!(
                        self.given_at(event, 0),
                        Some(Seen::Function(id)) if self
                            .model
                            .object(stream, id.0)
                            .is_some_and(|object| object.function.is_some())
                    );
                    return has_function.then_some(PromiseOutcome::NotFulfilled);
                }
                let &[reaction] = reactions.as_slice() else {
                    return None;
                };
                match self.call_of(reaction)?.outcome {
                    CallOutcome::Returned(value) => followed(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a promise is settled with that is resolved with a value: that of another promise.
    fn followed(
        &self,
        stream: u16,
        value: Seen,
        before: u32,
        depth: u32,
    ) -> Option<PromiseOutcome> {
        match value {
            Seen::Unknown => None,
            Seen::Object(id) if self.is_promise(stream, id.0) => {
                self.outcome(stream, id.0, before, depth + 1)
            }
            value => Some(PromiseOutcome::Fulfilled(value)),
        }
    }

    /// Whether an object is a promise.
    pub(super) fn is_promise(&self, stream: u16, object: u32) -> bool {
        let class = self.model.object(stream, object).map(|it| it.class);
        class.is_some_and(|class| self.model.text(stream, class) == "Promise")
    }

    /// An argument of a built-in, as the log has it.
    pub(super) fn given_at(&self, event: u32, argument: usize) -> Option<Seen> {
        let given = self.model.library_arguments_of(event)?;
        Some(given.get(argument).copied().unwrap_or(Seen::Undefined))
    }

    /// `resolve` (0) or `reject` (1) that an executor was given, and the event from which on it had it.
    pub(super) fn handed_to_executor(&self, executor: u32, argument: usize) -> Option<(u32, u32)> {
        let call = self.call_of(executor)?;
        let function = self.model.arguments_of(call)?.get(argument)?.object()?;
        Some((function.0, call.enter))
    }

    /// Whether a built-in that was called at an event keeps what it is given, and calls none of it.
    fn is_only_kept(&self, event: u32) -> bool {
        let call = self.call_text(event).map(|(_, call)| call);
        let is_bind =
            |call: &Call| call.kind == CallKind::Plain && call.method.as_deref() == Some("bind");
        call.is_some_and(|call| is_bind(&call))
            && self
                .event(event)
                .is_some_and(|event| matches!(event.value, Seen::Function(_)))
    }

    /// Where a function that settles a promise was called first.
    pub(super) fn resolution(
        &self,
        stream: u16,
        resolve: u32,
        from: u32,
        before: u32,
    ) -> Option<Resolution> {
        let given = self.given_away(stream, resolve).iter();
        let given = given.filter(|(event, _)| (from..before).contains(event));
        let mut given = given.filter(|(event, _)| !self.is_only_kept(*event));
        let handed_over = match (given.next(), given.next()) {
            (None, _) => None,
            (Some(&(event, argument)), None) => {
                let (spot, call) = self.call_text(event)?;
                Some((spot, call, argument))
            }
            // One of several places.
            _ => return None,
        };
        let mut looked = 0;
        for number in from..before {
            let Some(event) = self.event(number) else {
                break;
            };
            if event.kind != Kind::CallEnd
                || event.stream != stream
                || !matches!(event.value, Seen::Undefined | Seen::Unknown)
            {
                continue;
            }
            looked += 1;
            if looked > MOST_LOOKED_THROUGH {
                return None;
            }
            let Some((own, call)) = self.call_text(number) else {
                continue;
            };
            let Some(callee) = &call.callee else {
                continue;
            };
            let is_call = matches!(callee.form, Form::Reference(_)) && call.kind == CallKind::Plain;
            if !is_call
                || self
                    .evaluated(own, callee, 0)
                    .and_then(Seen::object)
                    .map(|id| id.0)
                    != Some(resolve)
            {
                continue;
            }
            // The first call counts; what it was handed over to as well may have called it before.
            return match handed_over {
                None => Some(Resolution::Called(number, own, call)),
                Some(_) => None,
            };
        }
        let (spot, call, argument) = handed_over?;
        let registration = Registration {
            event: spot.moment.at,
            spot,
            call,
            argument,
        };
        match registration.role() {
            Role::Fulfilled => Some(Resolution::Followed(spot, registration.call.receiver?)),
            Role::Timer => {
                let value = registration.call.arguments.get(2);
                let value = value.filter(|it| !it.is_spread).map(|it| it.value.clone());
                Some(Resolution::Timer(spot, value))
            }
            Role::Rejected | Role::Other => None,
        }
    }
}
