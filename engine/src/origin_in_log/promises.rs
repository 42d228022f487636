//! Promises, exceptions, and what runs on an empty stack.

use event_log::model::{CallOutcome, Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::log::LoggedKind;
use js_analysis::origin::{Call, CallKind, Form, LoggedPlace, PathStep, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Next, Spot};

/// How many calls are looked through for the one of `resolve`.
const MOST_LOOKED_THROUGH: usize = 20_000;

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
            moment: super::Moment {
                at: suspended,
                ..spot.moment
            },
            ..spot
        };
        if let Some(end) = self.of_network(before, awaited) {
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
    fn of_network(&self, spot: Spot, awaited: &Value) -> Option<Next> {
        let Form::Call(call) = &awaited.form else {
            return None;
        };
        if call.global.as_deref() == Some("fetch") {
            let detail = Some(self.text(spot, awaited));
            return Some(self.ended(EndKind::Network, spot, awaited, detail));
        }
        let method = call.method.as_deref()?;
        if !matches!(
            method,
            "json" | "text" | "blob" | "arrayBuffer" | "formData" | "bytes"
        ) {
            return None;
        }
        let response = self.evaluated(spot, call.receiver.as_ref()?, 0)?.object()?;
        let class = self.model.object(spot.moment.stream, response.0)?.class;
        (self.model.text(spot.moment.stream, class) == "Response").then(|| {
            let address = self.address_of(spot.moment.stream, response.0);
            let detail = address.unwrap_or_else(|| self.text(spot, awaited));
            self.ended(EndKind::Network, spot, awaited, Some(detail))
        })
    }

    /// What a response was asked for at, as it stands in the call of `fetch`.
    pub(super) fn address_of(&self, stream: u16, response: u32) -> Option<String> {
        let (event, kind) = self.seen_first(stream, response)?;
        if kind != Kind::Resume {
            return None;
        }
        let (script, awaited, suspended) = self.awaited_at(event)?;
        let Form::Call(fetched) = &awaited.form else {
            return None;
        };
        let spot = Spot {
            script,
            moment: self.moment(suspended)?,
        };
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
        let Some((event, Kind::CallEnd)) = self.seen_first(stream, promise) else {
            return unknown();
        };
        let site = self.event(event).map(|it| it.site).unwrap_or_default();
        let (Some((script, LoggedPlace::Call(call))), Some(moment), Some(came)) = (
            self.place(site),
            self.moment(event),
            self.came_back_at(site, event),
        ) else {
            return unknown();
        };
        let spot = Spot { script, moment };
        if let Some(function) = self.direct(spot, &call, &came.calls) {
            let callee = call.callee.as_ref();
            let name = callee.map(|callee| self.named(spot, callee));
            return self.settled_by(function, name.unwrap_or_default(), before, seen, hops);
        }
        let global = call.global.as_deref().unwrap_or_default();
        let method = call.method.as_deref().unwrap_or_default();
        match (method, global) {
            (_, "Promise") if call.kind == CallKind::New => {
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
        let resolve = self.call_of(executor).and_then(|call| {
            let passed = self.model.arguments_of(call)?.first().copied()?;
            Some((passed.object()?, call.enter))
        });
        let Some((resolve, from)) = resolve else {
            return unknown();
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
                break;
            }
            let Some((script, LoggedPlace::Call(call))) = self.place(event.site) else {
                continue;
            };
            let (Some(callee), Some(moment)) = (&call.callee, self.moment(number)) else {
                continue;
            };
            if !matches!(callee.form, Form::Reference(_)) || call.kind != CallKind::Plain {
                continue;
            }
            let own = Spot { script, moment };
            let called = self.evaluated(own, callee, 0).and_then(Seen::object);
            if called != Some(resolve) {
                continue;
            }
            // The first call counts.
            let Some(argument) = call.arguments.first().filter(|it| !it.is_spread) else {
                return Next::ended(
                    EndKind::Literal,
                    Some("it is resolved without a value".into()),
                );
            };
            let at = call.span.start;
            let name = self.named(own, callee);
            hops.extend(self.hop(HopKind::Await, script, at, (stream, seen), name));
            return self.resolved_with(own, &argument.value, before, seen);
        }
        unknown()
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
            found.extend(self.reactions(spot, &argument.value, registered, before));
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

    /// The calls of a function on an empty stack, since it was registered in this very call.
    fn reactions(&self, spot: Spot, function: &Value, from: u32, before: u32) -> Vec<u32> {
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

    /// Whether a function that stands in the text as an argument was made by a call; one with a name may be anyone's.
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
        let place = self.function_text(call.function);
        let passed = self.model.arguments_of(call).unwrap_or_default();
        let class = passed.get(index as usize).and_then(|it| {
            let object = self.model.object(call.stream, it.object()?.0)?;
            Some(self.model.text(call.stream, object.class).to_owned())
        });
        if class.is_some_and(|class| class.ends_with("Event")) {
            let detail = "the browser called the function, and handed it over".to_owned();
            return Next::ended(EndKind::Browser, Some(detail));
        }
        let Some((script, span)) = place else {
            return unknown();
        };
        let Some(code) = self.code(script) else {
            return unknown();
        };
        // A function with a name may be handed over anywhere.
        let [(given, argument)] = code.handed_over(span.start) else {
            return unknown();
        };
        let Some((at, text)) = code.call(*given) else {
            return unknown();
        };
        let site = self.site_at(script, at, LoggedKind::Call, text);
        let registered = site.and_then(|site| self.registered(site, number));
        let Some((registered, LoggedPlace::Call(registration))) = registered.and_then(|event| {
            let site = self.event(event)?.site;
            Some((event, self.place(site)?.1))
        }) else {
            return unknown();
        };
        let Some(moment) = self.moment(registered) else {
            return unknown();
        };
        let spot = Spot { script, moment };
        let method = registration.method.as_deref().unwrap_or_default();
        let stream = call.stream;
        let at = registration.span.start;
        match (method, *argument, &registration.receiver) {
            ("then", 0, Some(receiver)) if index == 0 => {
                let promise = self.evaluated(spot, receiver, 0).and_then(Seen::object);
                let given = passed.first().copied().unwrap_or(seen);
                hops.extend(self.hop(HopKind::Await, script, at, (stream, given), name.clone()));
                if !way.is_empty() {
                    let inside = Spot {
                        script,
                        moment: super::Moment {
                            call: number,
                            at: call.enter.saturating_add(1),
                            stream,
                        },
                    };
                    let (next, _) = self.taken(inside, given, way, name, seen, hops);
                    return next.unwrap_or_else(unknown);
                }
                match promise {
                    Some(promise) => Next::Settled {
                        stream,
                        promise: promise.0,
                        before: call.enter,
                        seen,
                    },
                    None => unknown(),
                }
            }
            _ => {
                let global = registration.global.as_deref().unwrap_or_default();
                let timers = ["setTimeout", "setInterval"];
                let own = registration.arguments.get(index as usize + 2);
                match own.filter(|own| timers.contains(&global) && !own.is_spread) {
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
        }
    }

    /// The only time that a call handed over the function of this call.
    fn registered(&self, site: event_log::ids::SiteId, number: u32) -> Option<u32> {
        let call = self.call_of(number)?;
        let own = self.model.scope(call.stream, call.scope)?;
        let maker = self
            .model
            .scope(call.stream, own.parent)
            .map(|scope| scope.call);
        let events = self.events.get(&site.0)?;
        let mut found = events.iter().copied().filter(|&event| {
            self.event(event).is_some_and(|it| {
                it.kind == Kind::CallEnd
                    && event < call.enter
                    && maker.is_none_or(|maker| it.call == maker)
            })
        });
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// What `Promise.all` gave at an event: the promise of that number.
    pub(super) fn of_all(&self, resumed: u32, index: usize, seen: Seen) -> Option<Next> {
        let it = *self.event(resumed)?;
        let suspended = (0..resumed).rev().find(|&number| {
            self.event(number)
                .is_some_and(|event| event.kind == Kind::Suspend && event.call == it.call)
        })?;
        let promise = self.event(suspended)?.value.object()?;
        let (event, Kind::CallEnd) = self.seen_first(it.stream, promise.0)? else {
            return None;
        };
        let (script, LoggedPlace::Call(call)) = self.place(self.event(event)?.site)? else {
            return None;
        };
        if call.global.as_deref() != Some("Promise.all") {
            return None;
        }
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        let list = self.evaluated(spot, &call.arguments.first()?.value, 0)?;
        let key = event_log::model::Key::Property(index.to_string());
        let own = self.property(it.stream, list.object()?.0, &key, event)?;
        if own.value.same(seen) == Some(true) {
            return Some(Next::Write(own, format!("[{index}]")));
        }
        Some(Next::Settled {
            stream: it.stream,
            promise: own.value.object()?.0,
            before: resumed,
            seen,
        })
    }

    /// An exception was caught: who threw it.
    pub(super) fn caught(
        &self,
        spot: Spot,
        (value, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown =
            || Next::unobserved("who threw it is not in the log: a built-in, or the browser");
        let mut number = spot.moment.at;
        let mut thrown = None;
        while let Some(event) = number.checked_sub(1).and_then(|it| self.event(it)) {
            number -= 1;
            match event.kind {
                Kind::Assign | Kind::Catch | Kind::Unwind => {}
                Kind::Throw => {
                    thrown = Some(number);
                    break;
                }
                Kind::Resume => {
                    thrown = self.rejected(number, value);
                    break;
                }
                _ => break,
            }
        }
        let Some(thrown) = thrown else {
            return unknown();
        };
        let Some(event) = self.event(thrown).copied() else {
            return unknown();
        };
        if event.value.same(value) != Some(true) {
            return unknown();
        }
        let (Some((script, LoggedPlace::Throw(of))), Some((_, (at, _, _))), Some(moment)) = (
            self.place(event.site),
            self.site(event.site),
            self.moment(thrown),
        ) else {
            return unknown();
        };
        hops.extend(self.hop(HopKind::Catch, script, *at, (event.stream, value), name));
        Next::Value {
            spot: Spot { script, moment },
            value: Box::new(of),
            way: Vec::new(),
            seen: value,
        }
    }

    /// The `throw` that left the `async` function whose promise was waited for.
    fn rejected(&self, resumed: u32, value: Seen) -> Option<u32> {
        let it = self.event(resumed)?;
        let suspended = (0..resumed).rev().find(|&number| {
            self.event(number)
                .is_some_and(|event| event.kind == Kind::Suspend && event.call == it.call)
        })?;
        let promise = self.event(suspended)?.value.object()?;
        let (event, Kind::CallEnd) = self.seen_first(it.stream, promise.0)? else {
            return None;
        };
        let site = self.event(event)?.site;
        let (script, LoggedPlace::Call(call)) = self.place(site)? else {
            return None;
        };
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        let came = self.came_back_at(site, event)?;
        let number = self.direct(spot, &call, &came.calls)?;
        let own = self.call_of(number)?;
        if own.outcome != CallOutcome::Threw {
            return None;
        }
        let mut number = own.exit;
        loop {
            number = number.checked_sub(1)?;
            let event = self.event(number)?;
            match event.kind {
                Kind::Unwind => {}
                Kind::Throw => return (event.value.same(value) == Some(true)).then_some(number),
                _ => return None,
            }
        }
    }
}
