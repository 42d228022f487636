//! What the platform carries: events, messages, storage, bodies of responses.

use event_log::model::{CallOutcome, Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{
    Call, CallKind, Form, LoggedPlace, Reference, Root, Step, Value, Written,
};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::made_objects::is_event;
use super::writes::key_behind;
use super::{InLog, Next, Spot};

/// How many promises are looked through, one behind the other.
const MOST_PROMISES: u32 = 100;
/// How many calls are looked through for one that stored or sent a value.
const MOST_LOOKED_THROUGH: usize = 100_000;

/// The storages that every page has.
const STORAGES: [&str; 2] = ["localStorage", "sessionStorage"];

/// What a method is called on.
enum Storage {
    /// A storage, by its name, or by the number of the object.
    Named(String),
    /// Another object.
    Other,
    /// Any object.
    Unknown,
}

impl InLog<'_> {
    /// What is in an event that the page made: `new CustomEvent("type", { detail })`.
    pub(super) fn of_event(
        &self,
        spot: Spot,
        call: &Call,
        (key, name): (&str, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let given = call.arguments.get(1).filter(|it| !it.is_spread)?;
        let stream = spot.moment.stream;
        let object = self.evaluated(spot, &given.value, 0)?.object()?;
        let write = self.property(
            stream,
            object.0,
            &Key::Property(key.to_owned()),
            spot.moment.at,
        )?;
        if write.value.same(seen) != Some(true) {
            return None;
        }
        let at = call.span.start;
        hops.extend(self.hop(
            HopKind::Event,
            spot.script,
            at,
            (stream, seen),
            name.to_owned(),
        ));
        let given = self.named(spot, &given.value);
        Some(Next::Write(write, format!("{given}{}", key_behind(key))))
    }

    /// The hop of a part of an event that the page made, through which something is read.
    pub(super) fn event_hop(
        &self,
        stream: u16,
        object: u32,
        value: Seen,
        name: &str,
    ) -> Option<Hop> {
        let (spot, call, _) = self.maker(stream, object)?;
        let is_it = call.kind == CallKind::New && call.global.as_deref().is_some_and(is_event);
        let at = call.span.start;
        let hop = self.hop(
            HopKind::Event,
            spot.script,
            at,
            (stream, value),
            name.to_owned(),
        );
        hop.filter(|_| is_it)
    }

    /// `target.dispatchEvent(event)` called a listener.
    pub(super) fn dispatched(
        &self,
        spot: Spot,
        call: &Call,
        (index, name): (usize, String),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let event = call.arguments.first().filter(|it| !it.is_spread)?;
        if index != 0 || self.evaluated(spot, &event.value, 0)?.same(seen) != Some(true) {
            return None;
        }
        let at = call.span.start;
        let stream = spot.moment.stream;
        hops.extend(self.hop(HopKind::Event, spot.script, at, (stream, seen), name));
        Some(Next::Value {
            spot,
            value: Box::new(event.value.clone()),
            way: Vec::new(),
            seen,
        })
    }

    /// `localStorage.getItem(key)`: the last `setItem` of that key, of any document of the same origin that the log
    /// has.
    pub(super) fn stored(
        &self,
        spot: Spot,
        value: &Value,
        storage: &str,
        key: &str,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let text = match seen {
            Seen::String(text) => Some(self.model.text(spot.moment.stream, text.0)),
            // Of a very long one the log knows only which it is.
            Seen::LongString { .. } => None,
            _ => return None,
        };
        let mut looked = 0;
        for number in (0..spot.moment.at).rev() {
            let event = *self.event(number)?;
            if event.kind == Kind::Write {
                if let Some(next) =
                    self.assigned_to_storage(&event, number, (storage, key), seen, hops)
                {
                    return next;
                }
                continue;
            }
            if event.kind != Kind::CallEnd {
                continue;
            }
            looked += 1;
            if looked > MOST_LOOKED_THROUGH {
                return None;
            }
            let Some((own, call)) = self.call_text(number) else {
                continue;
            };
            let method = call.method.as_deref().unwrap_or_default();
            if !matches!(method, "setItem" | "removeItem" | "clear") {
                continue;
            }
            match self.storage_called(own, &call) {
                Storage::Named(own) if own == storage => {}
                // By which name an object goes that was handed over is not known.
                Storage::Named(own) if own.starts_with('#') != storage.starts_with('#') => {
                    return None;
                }
                Storage::Unknown if method != "clear" => return None,
                _ => continue,
            }
            match (method, call.arguments.as_slice()) {
                ("clear", _) => return None,
                ("removeItem" | "setItem", [own_key, ..]) => {
                    match self.key_text(own, &own_key.value) {
                        Some(own_key) if own_key != key => continue,
                        Some(_) if method == "setItem" => {}
                        _ => return None,
                    }
                }
                _ => continue,
            }
            let stored = call.arguments.get(1).filter(|it| !it.is_spread)?;
            // What is stored is a text.
            let value_text = self.key_text(own, &stored.value);
            let is_it = match text {
                Some(text) => value_text.is_none_or(|stored| stored == text),
                None => {
                    let given = self.given_at(number, 1);
                    given.is_some_and(|given| given.same(seen) == Some(true))
                }
            };
            if !is_it {
                return None;
            }
            let name = self.text(spot, value);
            let at = call.span.start;
            let stream = spot.moment.stream;
            let mut hop = self.hop(HopKind::Storage, own.script, at, (stream, seen), name)?;
            hop.value = self.shown(stream, seen);
            hops.push(hop);
            return Some(Next::Value {
                spot: own,
                value: Box::new(stored.value.clone()),
                way: Vec::new(),
                seen: self
                    .evaluated(own, &stored.value, 0)
                    .unwrap_or(Seen::Unknown),
            });
        }
        None
    }

    /// `localStorage.key = value`; `None`: it is another key, or another storage.
    fn assigned_to_storage(
        &self,
        event: &event_log::model::Event,
        number: u32,
        (storage, key): (&str, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Option<Next>> {
        let object = event.owner.object()?.0;
        let is_key =
            self.model.keys.get(event.key as usize) == Some(&Key::Property(key.to_owned()));
        if !is_key || self.class_of(event.stream, object) != "Storage" {
            return None;
        }
        let (script, LoggedPlace::Written { at, .. }) = self.place(event.site)? else {
            return Some(None);
        };
        let written = self.home(script).and_then(|home| {
            let place = self.sources.place_in(home, at)?;
            let line = place.source_line?;
            let from = usize::try_from(place.location.column)
                .ok()?
                .checked_sub(1)?;
            Some(line.get(from..)?.to_owned())
        });
        let Some(written) = written else {
            return Some(None);
        };
        let written = written.trim_start_matches("window.");
        if !written.starts_with(storage) {
            // Which one another name means is not known.
            let is_other =
                written.starts_with("localStorage") || written.starts_with("sessionStorage");
            return (!is_other).then_some(None);
        }
        let text = event_log::model::plain_text(self.model, event.stream, event.value);
        if !self.is_text(event.stream, seen, &text) && event.value.same(seen) != Some(true) {
            return Some(None);
        }
        let write = super::writes::Write {
            stream: event.stream,
            event: number,
            value: event.value,
            target: super::writes::Target::Key {
                object,
                key: event.key,
                is_listed: false,
            },
        };
        let before = hops.len();
        let next = self.written(write, format!("{storage}{}", key_behind(key)), hops);
        if let Some(hop) = hops.get_mut(before) {
            hop.kind = HopKind::Storage;
        }
        Some(Some(next))
    }

    /// `localStorage.key`, what a storage has under a key.
    pub(super) fn of_stored_property(
        &self,
        spot: Spot,
        value: &Value,
        reference: &Reference,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (Root::Variable { name, .. }, [step]) = (&reference.root, reference.steps.as_slice())
        else {
            return None;
        };
        let Key::Property(key) = self.step_key(spot, step)? else {
            return None;
        };
        self.stored(spot, value, name, &key, seen, hops)
    }

    /// What a storage has under a key: `localStorage.getItem(key)`, `localStorage.key`.
    pub(super) fn of_storage(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if call.method.as_deref() != Some("getItem") {
            return None;
        }
        let Storage::Named(storage) = self.storage_called(spot, call) else {
            return None;
        };
        let key = self.key_text(spot, &call.arguments.first()?.value)?;
        let before = hops.len();
        let next = self.stored(spot, value, &storage, &key, seen, hops);
        next.or_else(|| {
            hops.truncate(before);
            let text = Some(self.text(spot, value));
            Some(self.ended(EndKind::Storage, spot, value, text))
        })
    }

    /// Which storage a method is called on.
    fn storage_called(&self, spot: Spot, call: &Call) -> Storage {
        let global = call.global.as_deref().unwrap_or_default();
        let name = global.split('.').next().unwrap_or_default();
        if STORAGES.contains(&name) {
            return Storage::Named(name.to_owned());
        }
        let object = call
            .receiver
            .as_ref()
            .and_then(|receiver| self.evaluated(spot, receiver, 0)?.object());
        let stream = spot.moment.stream;
        match object {
            Some(object) if self.class_of(stream, object.0) == "Storage" => {
                let name = self.storage_name(stream, object.0);
                Storage::Named(name.unwrap_or_else(|| format!("#{}", object.0)))
            }
            Some(_) => Storage::Other,
            None => Storage::Unknown,
        }
    }

    /// The name of a storage that a variable was given first, or a function.
    fn storage_name(&self, stream: u16, object: u32) -> Option<String> {
        let (event, kind) = self.seen_first(stream, object)?;
        let value = match (kind, self.place(self.event(event)?.site)) {
            (
                Kind::Assign | Kind::Write,
                Some((
                    _,
                    LoggedPlace::Written {
                        written: Written::Value { value, path },
                        ..
                    },
                )),
            ) if path.is_empty() => value,
            _ => {
                let number = self.given_first_to(stream, object)?;
                let passed = self.model.arguments_of(self.call_of(number)?)?;
                let is_it = |value: &Seen| value.object().is_some_and(|id| id.0 == object);
                let index = passed.iter().position(is_it)?;
                let (_, text) = self.caller_of(number)?;
                text.arguments.get(index)?.value.clone()
            }
        };
        let Form::Reference(reference) = &value.form else {
            return None;
        };
        let Root::Variable {
            name,
            is_declared: false,
            ..
        } = &reference.root
        else {
            return None;
        };
        let name = match reference.steps.as_slice() {
            [] => name,
            [Step::Property(own)] if matches!(name.as_str(), "window" | "self" | "globalThis") => {
                own
            }
            _ => return None,
        };
        STORAGES.contains(&name.as_str()).then(|| name.clone())
    }

    /// The property of an object that a response's body holds: the server made it.
    pub(super) fn of_response(&self, spot: Spot, object: u32, name: &str) -> Option<Next> {
        let stream = spot.moment.stream;
        let (event, kind) = self.seen_first(stream, object)?;
        let promise = match kind {
            Kind::Resume => self.event(self.suspended_before(event)?)?.value,
            // A reaction was given it.
            _ => {
                let registration = self.registration(self.given_first_to(stream, object)?, 0)?;
                let receiver = registration.call.receiver.as_ref()?;
                self.evaluated(registration.spot, receiver, 0)?
            }
        };
        let (own, call) = self.body_of(stream, promise.object()?.0, MOST_PROMISES)?;
        let response = self.evaluated(own, call.receiver.as_ref()?, 0)?.object()?;
        let value = Value {
            span: call.span,
            ..call.callee.clone()?
        };
        let address = self.address_of(stream, response.0);
        let address = address.unwrap_or_else(|| self.text(own, &value));
        let detail = format!("{address}: {name}");
        Some(self.ended(EndKind::Network, own, &value, Some(detail)))
    }

    /// The call of `json` whose promise settles another one.
    fn body_of(&self, stream: u16, promise: u32, left: u32) -> Option<(Spot, Box<Call>)> {
        let left = left.checked_sub(1)?;
        let (event, spot, call) = self.first_given_by(stream, promise)?;
        if call.method.as_deref() == Some("json") {
            let response = self.evaluated(spot, call.receiver.as_ref()?, 0)?.object()?;
            return (self.class_of(stream, response.0) == "Response").then_some((spot, call));
        }
        let came = self.came_back_at(self.event(event)?.site, event)?;
        let function = match (
            self.direct(spot, &call, &came.calls),
            call.method.as_deref(),
        ) {
            (Some(function), _) => function,
            (None, Some("then")) => {
                let reaction = &call.arguments.first()?.value;
                let end = u32::try_from(self.model.events.len()).ok()?;
                let reactions = self.reactions_of(spot, reaction, event, end);
                let &[only] = reactions.as_slice() else {
                    return None;
                };
                only
            }
            (None, Some("catch" | "finally")) => {
                let inner = self.evaluated(spot, call.receiver.as_ref()?, 0)?.object()?;
                return self.body_of(stream, inner.0, left);
            }
            _ => return None,
        };
        let CallOutcome::Returned(inner) = self.call_of(function)?.outcome else {
            return None;
        };
        self.body_of(stream, inner.object()?.0, left)
    }

    /// The `await` whose value a function took up again with at an event: its expression, and where it waited.
    pub(super) fn awaited_at(&self, resumed: u32) -> Option<(usize, Value, u32)> {
        let suspended = self.suspended_before(resumed)?;
        match self.place(self.event(suspended)?.site)? {
            (
                script,
                LoggedPlace::Suspend {
                    value: Some(value),
                    is_yield: false,
                    ..
                },
            ) => Some((script, value, suspended)),
            _ => None,
        }
    }
}
