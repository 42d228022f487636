//! Why a promise was rejected: the `throw` that left a function, the call of `reject`.

use event_log::model::{CallOutcome, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{CallKind, LoggedPlace};
use querypoint::answer::{Hop, HopKind};

use super::outcomes::Resolution;
use super::{InLog, Next, Spot};

/// How many promises are looked through, one behind the other.
const MOST_PROMISES: u32 = 1_000;

impl InLog<'_> {
    /// What rejected a promise with a value before an event; `None`: that is not in the log.
    pub(super) fn rejected_with(
        &self,
        (stream, promise): (u16, u32),
        before: u32,
        (seen, name): (Seen, &str),
        left: u32,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let left = left.checked_sub(1)?;
        let (event, spot, call) = self.first_given_by(stream, promise)?;
        let came = self.came_back_at(self.event(event)?.site, event)?;
        if let Some(function) = self.direct(spot, &call, &came.calls) {
            return self.left_by(function, before, (seen, name), hops);
        }
        let behind = |promise: Seen, hops: &mut Vec<Hop>| {
            let inner = (stream, promise.object()?.0);
            self.rejected_with(inner, before, (seen, name), left, hops)
        };
        let global = call.global.as_deref().unwrap_or_default();
        match (call.method.as_deref().unwrap_or_default(), global) {
            (_, "Promise.reject") => {
                let reason = call.arguments.first().filter(|it| !it.is_spread)?;
                if self.given_at(event, 0)?.same(seen) != Some(true) {
                    return None;
                }
                let at = call.span.start;
                hops.extend(self.hop(
                    HopKind::Catch,
                    spot.script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                Some(Next::Value {
                    spot,
                    value: Box::new(reason.value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            (_, "Promise") if call.kind == CallKind::New => {
                let &[executor] = came.calls.as_slice() else {
                    return None;
                };
                if self.call_of(executor)?.outcome == CallOutcome::Threw {
                    return self.left_by(executor, before, (seen, name), hops);
                }
                let (reject, from) = self.handed_to_executor(executor, 1)?;
                let Resolution::Called(event, own, call) =
                    self.resolution(stream, reject, from, before)?
                else {
                    return None;
                };
                let reason = call.arguments.first().filter(|it| !it.is_spread)?;
                if self.given_at(event, 0)?.same(seen) != Some(true) {
                    return None;
                }
                let at = call.span.start;
                hops.extend(self.hop(
                    HopKind::Catch,
                    own.script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                Some(Next::Value {
                    spot: own,
                    value: Box::new(reason.value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            ("then" | "catch" | "finally", _) => {
                let mut reactions = Vec::new();
                for argument in call.arguments.iter().take(2) {
                    reactions.extend(self.reactions_of(spot, &argument.value, event, before));
                }
                let receiver = call.receiver.as_ref()?;
                match reactions.as_slice() {
                    [] => behind(self.evaluated(spot, receiver, 0)?, hops),
                    [only] => match self.call_of(*only)?.outcome {
                        CallOutcome::Threw => self.left_by(*only, before, (seen, name), hops),
                        CallOutcome::Returned(inner) => match inner.object() {
                            Some(id) if self.is_promise(stream, id.0) => behind(inner, hops),
                            _ if call.method.as_deref() == Some("finally") => {
                                behind(self.evaluated(spot, receiver, 0)?, hops)
                            }
                            _ => None,
                        },
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The `throw` with a value that left a call, or the rejection that an `async` function passed on.
    fn left_by(
        &self,
        number: u32,
        before: u32,
        (value, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let call = self.call_of(number).filter(|call| call.exit < before)?;
        match call.outcome {
            CallOutcome::Threw => {}
            // It returned a promise.
            CallOutcome::Returned(inner) => {
                let inner = (call.stream, inner.object()?.0);
                return self.rejected_with(inner, before, (value, name), MOST_PROMISES, hops);
            }
            _ => return None,
        }
        let mut number = call.exit;
        loop {
            number = number.checked_sub(1)?;
            let event = *self.event(number)?;
            match event.kind {
                Kind::Unwind => {}
                Kind::Throw if event.value.same(value) == Some(true) => {
                    let (script, LoggedPlace::Throw(of)) = self.place(event.site)? else {
                        return None;
                    };
                    let at = self.site(event.site)?.1.0;
                    let moment = self.moment(number)?;
                    hops.extend(self.hop(
                        HopKind::Catch,
                        script,
                        at,
                        (event.stream, value),
                        name.to_owned(),
                    ));
                    return Some(Next::Value {
                        spot: Spot { script, moment },
                        value: Box::new(of),
                        way: Vec::new(),
                        seen: value,
                    });
                }
                Kind::Resume => return self.rejected_at(number, (value, name), hops),
                _ => return None,
            }
        }
    }

    /// Why what a function waited for was rejected, when it took up again at an event.
    pub(super) fn rejected_at(
        &self,
        resumed: u32,
        (value, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let it = self.event(resumed)?;
        let suspended = self.suspended_before(resumed)?;
        let promise = (it.stream, self.event(suspended)?.value.object()?.0);
        self.rejected_with(promise, resumed, (value, name), MOST_PROMISES, hops)
    }

    /// A reaction was given why a promise was rejected.
    pub(super) fn by_rejection(
        &self,
        stream: u16,
        promise: u32,
        before: u32,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Next {
        let next = self.rejected_with((stream, promise), before, (seen, name), MOST_PROMISES, hops);
        next.unwrap_or_else(|| Next::unobserved("why the promise was rejected is not in the log"))
    }
}
