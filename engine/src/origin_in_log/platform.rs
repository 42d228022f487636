//! What the platform carries: events, messages, storage, bodies of responses.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, LoggedPlace, PathStep, Reference, Step, Value};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::made_objects::is_event;
use super::writes::key_behind;
use super::{InLog, Next, Spot};

/// How many calls are looked through for one that stored or sent a value.
const MOST_LOOKED_THROUGH: usize = 100_000;

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
        let Seen::String(text) = seen else {
            return None;
        };
        let text = self.model.text(spot.moment.stream, text.0);
        let mut looked = 0;
        for number in (0..spot.moment.at).rev() {
            let event = self.event(number)?;
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
            let global = call.global.as_deref().unwrap_or_default();
            let Some(method) = global
                .strip_prefix(storage)
                .and_then(|rest| rest.strip_prefix('.'))
            else {
                // Another name of the storage may have written it.
                let is_other = matches!(call.method.as_deref(), Some("setItem" | "removeItem"))
                    && !global.ends_with("Storage.setItem")
                    && !global.ends_with("Storage.removeItem");
                if is_other {
                    return None;
                }
                continue;
            };
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
            if value_text.is_some_and(|stored| stored != text) {
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

    /// What a storage has under a key: `localStorage.getItem(key)`, `localStorage.key`.
    pub(super) fn of_storage(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let global = call.global.as_deref()?;
        let storage = global.strip_suffix(".getItem")?;
        if !matches!(storage, "localStorage" | "sessionStorage") {
            return None;
        }
        let key = self.key_text(spot, &call.arguments.first()?.value)?;
        self.stored(spot, value, storage, &key, seen, hops)
    }

    /// `event.data` of a message, and what is in it: the same way into what was sent, if the log has only one message
    /// that can be it.
    pub(super) fn inside_message(
        &self,
        spot: Spot,
        reference: &Reference,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let data = Step::Property("data".to_owned());
        let at = reference.steps.iter().position(|step| *step == data)?;
        let event = self.reference_value(spot, reference, at)?.object()?;
        let stream = spot.moment.stream;
        let class = self.model.object(stream, event.0)?.class;
        if self.model.text(stream, class) != "MessageEvent" {
            return None;
        }
        let unknown = || Next::unobserved("which message it was is not in the log");
        let mut way = Vec::new();
        for step in reference.steps.get(at + 1..)? {
            let Some(Key::Property(key)) = self.step_key(spot, step) else {
                return Some(unknown());
            };
            way.push(Step::Key(key));
        }
        let Some((own, call)) = self.only_message(event.0, stream) else {
            return Some(unknown());
        };
        let argument = call.arguments.first().filter(|it| !it.is_spread);
        let sent = argument.and_then(|it| Some((it, self.evaluated(own, &it.value, 0)?)));
        let Some((argument, sent)) = sent else {
            return Some(unknown());
        };
        // In another realm a value has another number: its text says whether it is the same.
        let inner = self.behind(own, sent, &way)?;
        if self.shown(own.moment.stream, inner) != self.shown(stream, seen) {
            return Some(Next::unobserved(
                "what was sent has another value in the log",
            ));
        }
        let name = self.reference_text(spot, reference);
        let at = call.span.start;
        hops.extend(self.hop(HopKind::Message, own.script, at, (stream, seen), name));
        if way.is_empty() {
            return Some(Next::Value {
                spot: own,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: inner,
            });
        }
        let way: Vec<PathStep> = way.into_iter().map(PathStep::Into).collect();
        let name = self.named(own, &argument.value);
        self.taken(own, sent, &way, name, inner, hops).0
    }

    /// The call of `postMessage` that sent the message of an event, if there was only one before.
    fn only_message(&self, event: u32, stream: u16) -> Option<(Spot, Box<Call>)> {
        let (first, _) = self.seen_first(stream, event)?;
        let mut found = None;
        for number in 0..first {
            let event = self.event(number)?;
            if event.kind != Kind::CallEnd {
                continue;
            }
            let Some((spot, call)) = self.call_text(number) else {
                continue;
            };
            let is_sending = call.method.as_deref() == Some("postMessage")
                || call.global.as_deref() == Some("postMessage");
            if !is_sending || call.kind != CallKind::Plain {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((spot, call));
        }
        found
    }

    /// The property of an object that a response's body holds: the server made it.
    pub(super) fn of_response(&self, spot: Spot, object: u32, name: &str) -> Option<Next> {
        let stream = spot.moment.stream;
        let (event, kind) = self.seen_first(stream, object)?;
        if kind != Kind::Resume {
            return None;
        }
        let (script, value, suspended) = self.awaited_at(event)?;
        let Form::Call(call) = &value.form else {
            return None;
        };
        if call.method.as_deref() != Some("json") {
            return None;
        }
        let own = Spot {
            script,
            moment: self.moment(suspended)?,
        };
        let response = self.evaluated(own, call.receiver.as_ref()?, 0)?.object()?;
        let class = self.model.object(stream, response.0)?.class;
        if self.model.text(stream, class) != "Response" {
            return None;
        }
        let address = self.address_of(stream, response.0);
        let address = address.unwrap_or_else(|| self.text(own, &value));
        let detail = format!("{address}: {name}");
        Some(self.ended(EndKind::Network, own, &value, Some(detail)))
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
