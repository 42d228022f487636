//! Promises that several others settle, and those whose functions are handed out: `Promise.all`, `race`,
//! `withResolvers`.

use event_log::model::{CallOutcome, Key};
use event_log::value::Value as Seen;
use js_analysis::origin::Call;
use querypoint::answer::Hop;

use super::outcomes::PromiseOutcome;
use super::{InLog, Next, Spot};

/// How many promises are looked through.
const MOST_PROMISES: usize = 1_000;

impl InLog<'_> {
    /// What `Promise.all` gave at an event: the promise of that number.
    pub(super) fn of_all(&self, resumed: u32, index: usize, seen: Seen) -> Option<Next> {
        let (event, spot, call) = self.combined(resumed, "Promise.all")?;
        let stream = spot.moment.stream;
        let list = self.evaluated(spot, &call.arguments.first()?.value, 0)?;
        let key = Key::Property(index.to_string());
        let own = self.property(stream, list.object()?.0, &key, event)?;
        if own.value.same(seen) == Some(true) {
            return Some(Next::Write(own, format!("[{index}]")));
        }
        Some(Next::Settled {
            stream,
            promise: own.value.object()?.0,
            before: resumed,
            seen,
        })
    }

    /// The call that made the promise for which a function waited that took up again at an event.
    fn combined(&self, resumed: u32, global: &str) -> Option<(u32, Spot, Box<Call>)> {
        let it = *self.event(resumed)?;
        let suspended = self.suspended_before(resumed)?;
        let promise = self.event(suspended)?.value.object()?;
        let mut promise = promise.0;
        // Asynchronous functions may have returned it, one to the other.
        for _ in 0..MOST_PROMISES {
            let made = self.first_given_by(it.stream, promise)?;
            if made.2.global.as_deref() == Some(global) {
                return Some(made);
            }
            let (event, spot, call) = made;
            let came = self.came_back_at(self.event(event)?.site, event)?;
            let own = self.call_of(self.direct(spot, &call, &came.calls)?)?;
            let returned = match own.outcome {
                CallOutcome::Returned(value) if own.exit < resumed => value.object()?.0,
                _ => return None,
            };
            if returned == promise {
                return None;
            }
            promise = returned;
        }
        None
    }

    /// What `Promise.allSettled` gave at an event, of the promise of that number.
    pub(super) fn of_all_settled(
        &self,
        resumed: u32,
        index: usize,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (event, spot, call) = self.combined(resumed, "Promise.allSettled")?;
        let stream = spot.moment.stream;
        let list = self.evaluated(spot, &call.arguments.first()?.value, 0)?;
        let key = Key::Property(index.to_string());
        let own = self.property(stream, list.object()?.0, &key, event)?;
        if own.value.same(seen) == Some(true) {
            return Some(Next::Write(own, format!("[{index}]")));
        }
        let promise = own.value.object()?.0;
        match self.outcome(stream, promise, resumed, 0) {
            Some(PromiseOutcome::Rejected(_)) => {
                Some(self.by_rejection(stream, promise, resumed, (seen, name), hops))
            }
            _ => Some(Next::Settled {
                stream,
                promise,
                before: resumed,
                seen,
            }),
        }
    }

    /// `Promise.race(list)`, `Promise.any(list)`: the only one of the list that was settled with the value.
    pub(super) fn first_of(
        &self,
        spot: Spot,
        call: &Call,
        (made, before): (u32, u32),
        seen: Seen,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let list = self
            .evaluated(spot, &call.arguments.first()?.value, 0)?
            .object()?;
        let mut found = None;
        for index in 0..MOST_PROMISES {
            let key = Key::Property(index.to_string());
            let Some(own) = self.property(stream, list.0, &key, made) else {
                break;
            };
            let next = match own.value {
                Seen::Object(id) if self.is_promise(stream, id.0) => {
                    let outcome = self.outcome(stream, id.0, before, 0);
                    let may_be = match outcome {
                        Some(PromiseOutcome::Fulfilled(value)) => value.same(seen) != Some(false),
                        Some(PromiseOutcome::Rejected(_) | PromiseOutcome::NotFulfilled) => false,
                        None => true,
                    };
                    may_be.then_some(Next::Settled {
                        stream,
                        promise: id.0,
                        before,
                        seen,
                    })
                }
                value => {
                    (value.same(seen) == Some(true)).then(|| Next::Write(own, format!("[{index}]")))
                }
            };
            match (next, &found) {
                (Some(_), Some(_)) => return None,
                (Some(next), None) => found = Some(next),
                (None, _) => {}
            }
        }
        found
    }

    /// A promise of `Promise.withResolvers()`: the call of its `resolve`.
    pub(super) fn by_resolvers(
        &self,
        stream: u16,
        promise: u32,
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (told, _) = self.seen_first(stream, promise)?;
        let around = self.event(told)?.owner.object()?.0;
        let (event, _, call) = self.first_given_by(stream, around)?;
        if call.global.as_deref() != Some("Promise.withResolvers") {
            return None;
        }
        let resolve =
            self.property(stream, around, &Key::Property("resolve".to_owned()), before)?;
        let resolve = resolve.value.object()?.0;
        self.resolved_by(stream, (resolve, event), before, seen, hops)
    }
}
