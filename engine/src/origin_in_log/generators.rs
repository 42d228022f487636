//! What a generator hands over: the `yield` that ran, its `return`, and what `next` gave back to it.

use event_log::model::Kind;
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;
use js_analysis::origin::{Call, CallKind, LoggedPlace, PathStep, Step, Value};
use querypoint::answer::{Hop, HopKind};

use super::moments::CameBack;
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// Where the text calls a function that makes a generator, of which this call of the log runs: what asks it for a
    /// value first begins that, and does not hand over its arguments.
    pub(super) fn generator_made_at(&self, number: u32) -> Option<(Spot, Box<Call>)> {
        /// How many events are looked through for the call.
        const MOST: usize = 10_000;
        let call = self.call_of(number)?;
        let function = self.model.tables.function(call.function)?;
        if !function.is_generator {
            return None;
        }
        let is_made = |spot: Spot, text: &Call| {
            let is_plain = text.kind == CallKind::Plain && !text.arguments.is_empty();
            let callee = text.callee.as_ref();
            // A method of a class, which no write put there.
            let is_method = || {
                let receiver = text.receiver.as_ref();
                let on = receiver.and_then(|it| self.evaluated(spot, it, 0));
                on.is_some_and(|on| on.same(call.this) == Some(true))
                    && text.method.is_some()
                    && text.method.as_deref() == self.own_name(number)
            };
            is_plain
                && (callee.is_some_and(|it| self.is_function(spot, it, number)) || is_method())
                && self.is_passed(spot, &text.arguments, number)
        };
        // `generator.next()`
        if let Some((script, LoggedPlace::Call(next))) = self.place(call.site)
            && next.method.as_deref() == Some("next")
        {
            let moment = Moment {
                stream: call.stream,
                call: call.parent,
                at: call.enter,
            };
            let asked = Spot { script, moment };
            let generator = self
                .evaluated(asked, next.receiver.as_ref()?, 0)?
                .object()?;
            let (_, spot, text) = self.first_given_by(call.stream, generator.0)?;
            return is_made(spot, &text).then_some((spot, text));
        }
        // A loop, or another that takes all: in the same call, the last one that is not running yet.
        let before = (0..call.enter).rev().take(MOST);
        for event in before {
            let it = *self.event(event)?;
            let is_running = it.kind == Kind::Call
                && self.call_of(it.call).is_some_and(|other| {
                    other.parent == call.parent && other.function == call.function
                });
            if is_running {
                return None;
            }
            if it.kind == Kind::CallEnd
                && it.call == call.parent
                && let Some((spot, text)) = self.call_text(event)
                && is_made(spot, &text)
            {
                return Some((spot, text));
            }
        }
        None
    }

    /// `generator.next()`: the `yield` that ran, or the `return`.
    pub(super) fn next_of_generator(
        &self,
        spot: Spot,
        came: &CameBack,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let [PathStep::Into(Step::Property(value)), rest @ ..] = way else {
            return None;
        };
        if value != "value" || !rest.is_empty() {
            return None;
        }
        let last = came.end.checked_sub(1)?;
        self.yielded(spot, last, seen, hops)
    }

    /// A `yield` that handed over a value at an event, or the `return` of a generator, or of `next`.
    pub(super) fn yielded(
        &self,
        _spot: Spot,
        event: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let it = *self.event(event)?;
        let function = self.call_of(it.call)?.function;
        if !self.model.tables.function(function)?.is_generator {
            return self.returned_by_next(event, seen, hops);
        }
        if it.value.same(seen) != Some(true) {
            return None;
        }
        let (script, place) = self.place(it.site)?;
        let (at, value) = match (it.kind, place) {
            (
                Kind::Suspend,
                LoggedPlace::Suspend {
                    value,
                    is_yield: true,
                    delegates: false,
                },
            ) => (self.site(it.site)?.1.0, value?),
            (Kind::Return, LoggedPlace::Return(value)) => (self.site(it.site)?.1.0, value?),
            _ => return None,
        };
        let kind = match it.kind {
            Kind::Suspend => HopKind::Yield,
            _ => HopKind::Return,
        };
        let name = self.model.tables.function(function)?.name.clone();
        hops.extend(self.hop(kind, script, at, (it.stream, it.value), name));
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        Some(Next::Value {
            spot,
            value: Box::new(value),
            way: Vec::new(),
            seen,
        })
    }

    /// A part of what a `yield` handed over at an event.
    pub(super) fn part_of_yielded(
        &self,
        event: u32,
        path: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let it = *self.event(event)?;
        let function = self
            .model
            .tables
            .function(self.call_of(it.call)?.function)?;
        let (script, place) = self.place(it.site)?;
        let is_handed_over = matches!(
            place,
            LoggedPlace::Suspend {
                is_yield: true,
                delegates: false,
                ..
            }
        );
        if !function.is_generator || it.kind != Kind::Suspend || !is_handed_over {
            return None;
        }
        let name = function.name.clone();
        let at = self.site(it.site)?.1.0;
        let moment = self.moment(event)?;
        let before = hops.len();
        hops.extend(self.hop(HopKind::Yield, script, at, (it.stream, it.value), name));
        let name = "what is yielded".to_owned();
        let next = self.taken(Spot { script, moment }, it.value, path, name, seen, hops);
        if next.0.is_none() {
            hops.truncate(before);
        }
        next.0
    }

    /// What `next` handed over to a generator, if the expression is a `yield`.
    pub(super) fn yielded_to(
        &self,
        spot: Spot,
        value: &Value,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (suspended, resumed) = self.suspended(spot, value)?;
        let site = self.event(suspended)?.site;
        let (_, place) = self.place(site)?;
        let LoggedPlace::Suspend { is_yield: true, .. } = place else {
            return None;
        };
        // Who called `next` was about to, just before.
        let before = self.event(resumed.checked_sub(1)?)?;
        if before.kind != event_log::model::Kind::Step {
            return None;
        }
        let (spot, call) = self.call_text(resumed - 1)?;
        let by_name = self.as_method_call(spot, &call, &[]);
        let call = by_name.as_ref().unwrap_or(&call);
        let argument = call.arguments.first().filter(|it| !it.is_spread)?;
        if call.method.as_deref() != Some("next") {
            return None;
        }
        let name = call.callee.as_ref().map(|callee| self.named(spot, callee));
        let given = self.event(resumed)?;
        hops.extend(self.hop(
            HopKind::Yield,
            spot.script,
            argument.value.span.start,
            (given.stream, given.value),
            name.unwrap_or_default(),
        ));
        Some(Next::Value {
            spot,
            value: Box::new(argument.value.clone()),
            way: Vec::new(),
            seen: self.event(resumed)?.value,
        })
    }

    /// A part of what `next` handed over to a generator: `const { a } = yield x`.
    pub(super) fn part_yielded_to(
        &self,
        spot: Spot,
        value: &Value,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (suspended, resumed) = self.suspended(spot, value)?;
        let (_, place) = self.place(self.event(suspended)?.site)?;
        let LoggedPlace::Suspend { is_yield: true, .. } = place else {
            return None;
        };
        let given = self.event(resumed)?.value;
        let name = self.text(spot, value);
        self.taken(spot, given, way, name, seen, hops).0
    }

    /// Where an `await` or `yield` handed over control last, and where it had it again.
    pub(super) fn suspended(&self, spot: Spot, value: &Value) -> Option<(u32, u32)> {
        let at = value.span.start;
        let site = self.site_at(spot.script, at, LoggedKind::Suspend, "")?;
        let suspended = self.last_at(site, event_log::model::Kind::Suspend, spot.moment)?;
        let behind = self.resumed.partition_point(|&event| event < suspended);
        let mut later = self.resumed.get(behind..)?.iter();
        let resumed = later.find(|&&number| {
            self.event(number)
                .is_some_and(|event| event.call == spot.moment.call)
        })?;
        Some((suspended, *resumed))
    }
}
