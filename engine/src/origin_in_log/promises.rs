//! Promises: what settled one, and so what `await` gave.

use event_log::model::{CallOutcome, Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, PathStep, Value};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::outcomes::Resolution;
use super::{InLog, Moment, Next, Spot};

/// How many calls are looked through.
const MOST_LOOKED_THROUGH: usize = 100_000;

impl InLog<'_> {
    /// What `await` gave.
    pub(super) fn awaited(
        &self,
        spot: Spot,
        value: &Value,
        awaited: &Value,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let Some((suspended, resumed)) = self.suspended(spot, value) else {
            return Next::unobserved(format!(
                "when `{}` was settled is not in the log",
                self.text(spot, awaited)
            ));
        };
        let stream = spot.moment.stream;
        let of = |event| self.event(event).map_or(Seen::Unknown, |it| it.value);
        let (promise, given) = (of(suspended), of(resumed));
        if way.is_empty() && given.same(seen) == Some(false) {
            return Next::unobserved("what `await` gave last is another value");
        }
        let before = Spot {
            moment: Moment {
                at: suspended,
                ..spot.moment
            },
            ..spot
        };
        if let Form::Call(call) = &awaited.form
            && let Some(end) = self.of_network(before, call)
        {
            return end;
        }
        let name = self.named(before, awaited);
        let at = value.span.start;
        hops.extend(self.hop(
            HopKind::Await,
            spot.script,
            at,
            (stream, given),
            name.clone(),
        ));
        if !way.is_empty() {
            let (next, _) = self.taken(spot, given, way, name, seen, hops);
            return next.unwrap_or_else(|| Next::unobserved("what `await` gave is no object"));
        }
        match promise {
            Seen::Object(id) if promise.same(given) != Some(true) => Next::Settled {
                stream,
                promise: id.0,
                before: resumed,
                seen: given,
            },
            // What is no promise is given as it is.
            _ => Next::Value {
                spot: before,
                value: Box::new(awaited.clone()),
                way: Vec::new(),
                seen: given,
            },
        }
    }

    /// What is read of a response, or the response itself.
    pub(super) fn of_network(&self, spot: Spot, call: &Call) -> Option<Next> {
        let callee = call.callee.as_ref()?;
        let whole = Value {
            span: call.span,
            ..callee.clone()
        };
        let text = || self.text(spot, &whole);
        if call.global.as_deref() == Some("fetch") {
            return Some(self.ended(EndKind::Network, spot, &whole, Some(text())));
        }
        let method = call.method.as_deref()?;
        if !matches!(
            method,
            "json" | "text" | "blob" | "arrayBuffer" | "formData" | "bytes"
        ) {
            return None;
        }
        let response = self.evaluated(spot, call.receiver.as_ref()?, 0)?.object()?;
        (self.class_of(spot.moment.stream, response.0) == "Response").then(|| {
            let address = self.address_of(spot.moment.stream, response.0);
            let detail = address.unwrap_or_else(text);
            self.ended(EndKind::Network, spot, &whole, Some(detail))
        })
    }

    /// What a response was asked for at, as it is in the call of `fetch`.
    pub(super) fn address_of(&self, stream: u16, response: u32) -> Option<String> {
        let (event, kind) = self.seen_first(stream, response)?;
        let (spot, fetched) = match kind {
            Kind::Resume => {
                let (script, awaited, suspended) = self.awaited_at(event)?;
                let moment = self.moment(suspended)?;
                let Form::Call(fetched) = awaited.form else {
                    return None;
                };
                (Spot { script, moment }, fetched)
            }
            // A reaction was given it.
            _ => {
                let number = self.given_first_to(stream, response)?;
                let registration = self.registration(number, 0)?;
                let promise = registration.call.receiver.as_ref()?;
                let promise = self.evaluated(registration.spot, promise, 0)?.object()?;
                let (_, spot, fetched) = self.first_given_by(stream, promise.0)?;
                (spot, fetched)
            }
        };
        if fetched.global.as_deref() != Some("fetch") {
            return None;
        }
        self.key_text(spot, &fetched.arguments.first()?.value)
    }

    /// What settled a promise with a value, before an event.
    pub(super) fn settled(
        &self,
        stream: u16,
        promise: u32,
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what settled the promise is not in the log");
        if !self.is_promise(stream, promise)
            && let Some(next) = self.of_thenable((stream, promise), before, seen, hops)
        {
            return next;
        }
        let Some((event, spot, call)) = self.first_given_by(stream, promise) else {
            if let Some(function) = self.mapped_to(stream, promise) {
                return self.settled_by(function, String::new(), before, seen, hops);
            }
            let next = self.by_resolvers(stream, promise, before, seen, hops);
            return next.unwrap_or_else(unknown);
        };
        let site = self.event(event).map(|it| it.site).unwrap_or_default();
        let Some(came) = self.came_back_at(site, event) else {
            return unknown();
        };
        if let Some(function) = self.direct(spot, &call, &came.calls) {
            let callee = call.callee.as_ref();
            let name = callee.map(|callee| self.named(spot, callee));
            return self.settled_by(function, name.unwrap_or_default(), before, seen, hops);
        }
        let global = call.global.as_deref().unwrap_or_default();
        let method = call.method.as_deref().unwrap_or_default();
        match (method, global) {
            // However it is named: compilers write `new (P || (P = Promise))(…)`.
            _ if call.kind == CallKind::New && self.is_promise(stream, promise) => {
                self.resolved(spot, &came.calls, before, seen, hops)
            }
            (_, "Promise.resolve") => match call.arguments.first() {
                Some(argument) if !argument.is_spread => {
                    self.resolved_with(spot, &argument.value, before, seen)
                }
                _ => unknown(),
            },
            ("then" | "catch" | "finally", _) => {
                self.reacted(spot, &call, event, before, seen, hops)
            }
            (_, "Promise.race" | "Promise.any") => self
                .first_of(spot, &call, (event, before), seen)
                .unwrap_or_else(unknown),
            ("json" | "text" | "blob" | "arrayBuffer" | "formData" | "bytes", _) => {
                self.of_network(spot, &call).unwrap_or_else(unknown)
            }
            (_, "fetch") => {
                let detail = call.arguments.first();
                let detail = detail.and_then(|it| self.key_text(spot, &it.value));
                let Some(callee) = &call.callee else {
                    return unknown();
                };
                self.ended(EndKind::Network, spot, callee, detail)
            }
            _ => unknown(),
        }
    }

    /// The call of an asynchronous function by `list.map(f)` that made a promise: nobody saw it before it was in the
    /// list that `map` made.
    fn mapped_to(&self, stream: u16, promise: u32) -> Option<u32> {
        let (told, Kind::Contents) = self.seen_first(stream, promise)? else {
            return None;
        };
        let list = self.event(told)?.owner.object()?.0;
        let index: usize = self
            .key_of_part(stream, (list, promise), told)?
            .parse()
            .ok()?;
        let (_, call, came) = self.maker(stream, list)?;
        let is_map = call.kind == CallKind::Plain && call.method.as_deref() == Some("map");
        let number = *came.calls.get(index).filter(|_| is_map)?;
        let function = self.model.tables.function(self.call_of(number)?.function)?;
        function.is_async.then_some(number)
    }

    /// An object with a method `then`, which a promise called: what that called its first argument with.
    fn of_thenable(
        &self,
        (stream, object): (u16, u32),
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let key = Key::Property("then".to_owned());
        let own = self.property(stream, object, &key, before);
        let own = own.or_else(|| self.inherited(stream, object, &key, before));
        let function = own.and_then(|own| {
            let object = self.model.object(stream, own.value.object()?.0)?;
            object.function.is_some().then_some(object.function)
        });
        let until = self.model.calls.partition_point(|call| call.enter < before);
        let calls = (0..until).rev().take(MOST_LOOKED_THROUGH);
        let called = calls.filter_map(|number| u32::try_from(number).ok());
        let number = called.into_iter().find(|&number| {
            self.call_of(number).is_some_and(|call| {
                let is_on = match call.this {
                    Seen::Unknown => function.is_some(),
                    this => this.object().is_some_and(|this| this.0 == object),
                };
                let is_it = match function {
                    Some(function) => call.function == function,
                    None => self.own_name(number) == Some("then"),
                };
                call.stream == stream && is_on && is_it
            })
        })?;
        let call = self.call_of(number)?;
        let Seen::Function(resolve) = *self.model.arguments_of(call)?.first()? else {
            return None;
        };
        // A function of the page is none that settles a promise.
        let resolving = self.model.object(stream, resolve.0)?;
        if resolving.function.is_some() {
            return None;
        }
        self.resolved_by(stream, (resolve.0, call.enter), before, seen, hops)
    }

    /// A function settled a promise by what it returned.
    fn settled_by(
        &self,
        number: u32,
        name: String,
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what settled the promise is not in the log");
        let Some(call) = self.call_of(number).filter(|call| call.exit < before) else {
            return unknown();
        };
        let CallOutcome::Returned(value) = call.outcome else {
            return unknown();
        };
        if value.same(seen) == Some(true) {
            return Next::Return {
                call: number,
                name,
                way: Vec::new(),
                seen,
            };
        }
        // It returned another promise.
        let (Some(inner), Some(exit)) = (value.object(), self.event(call.exit)) else {
            return unknown();
        };
        let Some((script, (at, _, _))) = self.site(exit.site) else {
            return unknown();
        };
        hops.extend(self.hop(HopKind::Return, script, *at, (call.stream, value), name));
        Next::Settled {
            stream: call.stream,
            promise: inner.0,
            before,
            seen,
        }
    }

    /// An argument that a promise was resolved with: the value, or another promise.
    fn resolved_with(&self, spot: Spot, argument: &Value, before: u32, seen: Seen) -> Next {
        match self.evaluated(spot, argument, 0) {
            Some(Seen::Object(inner)) if Seen::Object(inner).same(seen) != Some(true) => {
                Next::Settled {
                    stream: spot.moment.stream,
                    promise: inner.0,
                    before,
                    seen,
                }
            }
            _ => Next::Value {
                spot,
                value: Box::new(argument.clone()),
                way: Vec::new(),
                seen,
            },
        }
    }

    /// `new Promise((resolve) => …)`: the call of `resolve`.
    fn resolved(
        &self,
        spot: Spot,
        executors: &[u32],
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("which call resolved the promise is not in the log");
        let &[executor] = executors else {
            return unknown();
        };
        let stream = spot.moment.stream;
        let Some((resolve, from)) = self.handed_to_executor(executor, 0) else {
            return unknown();
        };
        self.resolved_by(stream, (resolve, from), before, seen, hops)
            .unwrap_or_else(unknown)
    }

    /// What a function that resolves a promise was called with first, from an event on.
    pub(super) fn resolved_by(
        &self,
        stream: u16,
        (resolve, from): (u32, u32),
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (own, call) = match self.resolution(stream, resolve, from, before)? {
            Resolution::Called(_, spot, call) => (spot, call),
            Resolution::Followed(spot, promise) => {
                let promise = self.evaluated(spot, &promise, 0)?.object()?;
                return Some(Next::Settled {
                    stream,
                    promise: promise.0,
                    before,
                    seen,
                });
            }
            Resolution::Timer(spot, Some(value)) => {
                let at = value.span.start;
                let name = self.named(spot, &value);
                hops.extend(self.hop(HopKind::Await, spot.script, at, (stream, seen), name));
                return Some(self.resolved_with(spot, &value, before, seen));
            }
            Resolution::Timer(_, None) => {
                let detail = "a timer resolves it without a value";
                return Some(Next::ended(EndKind::Literal, Some(detail.to_owned())));
            }
        };
        let Some(argument) = call.arguments.first() else {
            let detail = "it is resolved without a value".to_owned();
            return Some(Next::ended(EndKind::Literal, Some(detail)));
        };
        if argument.is_spread {
            return None;
        }
        let at = call.span.start;
        let name = call.callee.as_ref().map(|callee| self.named(own, callee));
        let name = name.unwrap_or_default();
        hops.extend(self.hop(HopKind::Await, own.script, at, (stream, seen), name));
        Some(self.resolved_with(own, &argument.value, before, seen))
    }

    /// `promise.then(f)`: what `f` returned, or what the promise itself was settled with.
    fn reacted(
        &self,
        spot: Spot,
        call: &Call,
        registered: u32,
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("which reaction settled the promise is not in the log");
        let mut found = Vec::new();
        for argument in call.arguments.iter().take(2) {
            found.extend(self.reactions_of(spot, &argument.value, registered, before));
        }
        match (found.as_slice(), &call.receiver) {
            (&[only], _) if call.method.as_deref() != Some("finally") => {
                let name = self.text(spot, &call.arguments[0].value);
                self.settled_by(only, name, before, seen, hops)
            }
            ([], Some(receiver)) | ([_], Some(receiver)) => {
                match self.evaluated(spot, receiver, 0).and_then(Seen::object) {
                    Some(inner) => Next::Settled {
                        stream: spot.moment.stream,
                        promise: inner.0,
                        before,
                        seen,
                    },
                    None => unknown(),
                }
            }
            _ => unknown(),
        }
    }
}
