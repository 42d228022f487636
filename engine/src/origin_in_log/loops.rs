//! Loops over elements: which pass of a loop it is, and what `for await` waits for.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{LoggedPlace, PathStep, Value};
use querypoint::answer::{Hop, HopKind};

use super::outcomes::PromiseOutcome;
use super::{InLog, Next, Spot};

/// How many events are looked through.
const MOST_EVENTS: u32 = 1_000_000;

impl InLog<'_> {
    /// How many passes a loop has made before, since it was reached last; `None`: that is not known. `of` is what it
    /// iterates.
    pub(super) fn passes(&self, spot: Spot, of: &Value) -> Option<usize> {
        let code = self.code(spot.script)?;
        let (within, _) = code.loop_over(of.span)?;
        let own = *self.event(spot.moment.at)?;
        let variable = self.model.site(own.site)?.variable;
        let writes = self.model.variables.get(&variable.0);
        let is_pass = |number: &u32| {
            let event = self.event(*number);
            event.is_some_and(|event| event.call == own.call && event.site == own.site)
        };
        let writes = writes.into_iter().flatten().map(|write| write.event);
        let passes: Vec<u32> = writes
            .filter(|it| *it < spot.moment.at)
            .filter(is_pass)
            .collect();
        // What is outside of the loop, between two passes, reaches it again.
        let is_outside = |number: u32| {
            let event = self.event(number).filter(|event| event.call == own.call);
            event
                .and_then(|event| self.site(event.site))
                .is_some_and(|(script, (at, ..))| {
                    script == spot.script && !(within.start..within.end).contains(at)
                })
        };
        let mut later = spot.moment.at;
        for (pass, number) in passes.iter().rev().zip(0usize..) {
            if spot.moment.at - pass > MOST_EVENTS {
                return None;
            }
            if (pass + 1..later).any(is_outside) {
                return Some(number);
            }
            later = *pass;
        }
        Some(passes.len())
    }

    /// Whether a loop is a `for await`.
    pub(super) fn is_awaiting(&self, spot: Spot, of: &Value) -> bool {
        let code = self.code(spot.script);
        code.and_then(|code| code.loop_over(of.span))
            .is_some_and(|(_, is_await)| is_await)
    }

    /// What a `for await` loop took up again with at an event: an element of a list, or what an asynchronous generator
    /// handed over.
    pub(super) fn awaited_element(
        &self,
        spot: Spot,
        (of, path): (&Value, &[PathStep]),
        seen: Seen,
        resumed: u32,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let is_its = |kind| {
            let event = self.event(resumed);
            event.is_some_and(|event| event.kind == kind && event.call == spot.moment.call)
        };
        let list = self.evaluated(spot, of, 0)?.object()?.0;
        if !is_its(Kind::Resume) {
            return None;
        }
        let name = self.named(spot, of);
        if self.class_of(stream, list) == "Array" {
            let passes = self.passes(spot, of)?;
            let key = Key::Property(passes.to_string());
            let write = self.property(stream, list, &key, spot.moment.at)?;
            let name = format!("{name}[{passes}]");
            if path.is_empty() && write.value.same(seen) == Some(true) {
                return Some(Next::Write(write, name));
            }
            return self.waited_for((spot, write.value), path, (seen, name), resumed, hops);
        }
        let generator = self.generator_over(spot, list, resumed)?;
        let yields = (0..resumed).rev().take(MOST_EVENTS as usize);
        let yielded = yields.into_iter().find(|&number| {
            let event = self.event(number).filter(|event| event.call == generator);
            event.is_some_and(|event| {
                let place = self.place(event.site);
                event.kind == Kind::Suspend
                    && matches!(
                        place,
                        Some((_, LoggedPlace::Suspend { is_yield: true, .. }))
                    )
            })
        })?;
        if path.is_empty()
            && let Some(next) = self.yielded(spot, yielded, seen, hops)
        {
            return Some(next);
        }
        let it = *self.event(yielded)?;
        let (script, place) = self.place(it.site)?;
        let at = self.site(it.site)?.1.0;
        if let LoggedPlace::Suspend {
            delegates: true, ..
        } = place
        {
            return None;
        }
        let name = self.own_name(generator)?.to_owned();
        hops.extend(self.hop(HopKind::Yield, script, at, (stream, it.value), name));
        let spot = Spot {
            script,
            moment: self.moment(yielded)?,
        };
        let name = "what is yielded".to_owned();
        self.waited_for((spot, it.value), path, (seen, name), resumed, hops)
    }

    /// A value that is waited for, if it is a promise, and what a way leads to in it.
    fn waited_for(
        &self,
        (spot, value): (Spot, Seen),
        path: &[PathStep],
        (seen, name): (Seen, String),
        resumed: u32,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let promise = value.object().filter(|id| self.is_promise(stream, id.0));
        match (promise, path) {
            (Some(promise), []) => Some(Next::Settled {
                stream,
                promise: promise.0,
                before: resumed,
                seen,
            }),
            (Some(promise), path) => match self.outcome(stream, promise.0, resumed, 0)? {
                PromiseOutcome::Fulfilled(value) => {
                    self.taken(spot, value, path, name, seen, hops).0
                }
                _ => None,
            },
            (None, []) => None,
            (None, path) => self.taken(spot, value, path, name, seen, hops).0,
        }
    }

    /// The call of the asynchronous generator that a loop iterates: it begins where the loop waits for it first.
    fn generator_over(&self, spot: Spot, object: u32, resumed: u32) -> Option<u32> {
        let first = resumed.saturating_sub(MOST_EVENTS);
        let began = (first..resumed).rev().find(|&number| {
            self.event(number).is_some_and(|event| {
                let waits_for = event.value.object().is_some_and(|id| id.0 == object);
                event.kind == Kind::Suspend && event.call == spot.moment.call && waits_for
            })
        })?;
        let is_around = |kind| matches!(kind, Kind::Task | Kind::TaskEnd);
        let mut behind = (began + 1..resumed).filter_map(|number| self.event(number));
        let entered = behind.find(|event| !is_around(event.kind))?;
        let is_its = self.is_generator_of(spot.moment.stream, object, entered.call, true);
        (entered.kind == Kind::Call && is_its).then_some(entered.call)
    }
}
