//! Functions that run on an empty stack: reactions to promises, timers, and what the browser calls.

use event_log::model::NONE;
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, PathStep, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::roles::Role;
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// The calls of a function on an empty stack, since it was registered in this very call.
    pub(super) fn reactions(
        &self,
        spot: Spot,
        function: &Value,
        from: u32,
        before: u32,
    ) -> Vec<u32> {
        let calls = &self.model.calls;
        let first = calls.partition_point(|call| call.enter <= from);
        let last = calls.partition_point(|call| call.enter < before);
        let numbers = (first..last).filter_map(|number| u32::try_from(number).ok());
        numbers
            .filter(|&number| {
                self.call_of(number).is_some_and(|call| {
                    call.parent == NONE
                        && call.stream == spot.moment.stream
                        && self.is_function(spot, function, number)
                        && self.is_made_in(number, spot.moment.call, function)
                })
            })
            .collect()
    }

    /// The calls of a function that a reaction was registered with at an event.
    pub(super) fn reactions_of(
        &self,
        spot: Spot,
        function: &Value,
        registered: u32,
        before: u32,
    ) -> Vec<u32> {
        let mut found = self.reactions(spot, function, registered, before);
        found.retain(|&number| match self.registration(number, 0) {
            Some(registration) => registration.event == registered,
            // It may be.
            None => true,
        });
        found
    }

    /// Whether a function that is in the text as an argument was made by a call; one with a name may be anyone's.
    fn is_made_in(&self, number: u32, maker: u32, function: &Value) -> bool {
        if function.form != Form::Literal {
            return true;
        }
        let around = self.call_of(number).and_then(|call| {
            let own = self.model.scope(call.stream, call.scope)?;
            Some(match self.model.scope(call.stream, own.parent) {
                Some(around) => around.call,
                None => maker,
            })
        });
        let has_scope = self
            .call_of(maker)
            .is_some_and(|maker| maker.scope.is_some());
        !has_scope || around == Some(maker)
    }

    /// The browser called the function: a reaction has what a promise was settled with.
    pub(super) fn by_browser(
        &self,
        number: u32,
        index: u32,
        (name, way): (String, &[PathStep]),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what called the function is not followed");
        let Some(call) = self.call_of(number) else {
            return unknown();
        };
        let passed = self.model.arguments_of(call).unwrap_or_default();
        let class = passed.get(index as usize).and_then(|it| {
            let object = self.model.object(call.stream, it.object()?.0)?;
            Some(self.model.text(call.stream, object.class).to_owned())
        });
        if class.is_some_and(|class| class.ends_with("Event")) {
            let detail = "the browser called the function, and handed it over".to_owned();
            return Next::ended(EndKind::Browser, Some(detail));
        }
        let Some(registration) = self.registration(number, 0) else {
            return unknown();
        };
        let (spot, stream) = (registration.spot, call.stream);
        let script = spot.script;
        let at = registration.call.span.start;
        let role = registration.role();
        match (role, &registration.call.receiver) {
            (Role::Fulfilled | Role::Rejected, Some(receiver)) if index == 0 => {
                let promise = self.evaluated(spot, receiver, 0).and_then(Seen::object);
                let given = passed.first().copied().unwrap_or(seen);
                hops.extend(self.hop(HopKind::Await, script, at, (stream, given), name.clone()));
                if !way.is_empty() {
                    let inside = Spot {
                        script,
                        moment: Moment {
                            call: number,
                            at: call.enter.saturating_add(1),
                            stream,
                        },
                    };
                    let (next, _) = self.taken(inside, given, way, name, seen, hops);
                    return next.unwrap_or_else(unknown);
                }
                match (promise, role) {
                    (Some(promise), Role::Fulfilled) => Next::Settled {
                        stream,
                        promise: promise.0,
                        before: call.enter,
                        seen,
                    },
                    (Some(promise), _) => {
                        let reason = (seen, name.as_str());
                        self.by_rejection(stream, promise.0, call.enter, reason, hops)
                    }
                    (None, _) => unknown(),
                }
            }
            (Role::Timer, _) => {
                let own = registration.call.arguments.get(index as usize + 2);
                match own.filter(|own| !own.is_spread) {
                    Some(own) => {
                        let at: ByteOffset = own.value.span.start;
                        let hop = self.hop(HopKind::Parameter, script, at, (stream, seen), name);
                        hops.extend(hop);
                        Next::Value {
                            spot,
                            value: Box::new(own.value.clone()),
                            way: way.to_vec(),
                            seen,
                        }
                    }
                    None => unknown(),
                }
            }
            _ => unknown(),
        }
    }
}
