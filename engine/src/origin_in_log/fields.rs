//! Fields by name: of an address's parameters, and of what a form was filled in with.

use event_log::model::Key;
use event_log::record::CONTROL;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, PathStep, Step};
use querypoint::answer::{Hop, HopKind};

use super::{InLog, Next, Spot};

/// How many objects are looked through, each made of the one before.
const DEEPEST: u32 = 8;

impl InLog<'_> {
    /// `parameters.get(key)`, `data.get(key)`: what was set, or what the object was made of.
    pub(super) fn of_parameters(
        &self,
        spot: Spot,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let receiver = call.receiver.as_ref()?;
        let key = self.key_text(spot, &call.arguments.first()?.value)?;
        let shown = serde_json::Value::from(key.as_str());
        let name = format!("{}.get({shown})", self.named(spot, receiver));
        if let Some(object) = self.evaluated(spot, receiver, 0).and_then(Seen::object) {
            return self.of_field(spot, (object.0, &key), (&name, seen), hops);
        }
        // `address.searchParams`, which the log does not have.
        let (last, address) = match &receiver.form {
            Form::Reference(reference) => {
                let (last, before) = reference.steps.split_last()?;
                (last, self.reference_value(spot, reference, before.len())?)
            }
            Form::Part { of, steps } => {
                let (last, before) = steps.split_last()?;
                let of = self.evaluated(spot, of, 0)?;
                (last, self.behind(spot, of, before)?)
            }
            _ => return None,
        };
        if *last != Step::Property("searchParams".to_owned()) {
            return None;
        }
        let address = address.object()?.0;
        let is_written = self
            .calls_of_method("set")
            .iter()
            .chain(self.calls_of_method("append"))
            .any(|&event| {
                self.given_at(event, 0)
                    .is_some_and(|own| self.is_text(stream, own, &key))
            });
        if is_written || self.class_of(stream, address) != "URL" {
            return None;
        }
        self.of_address(spot, address, (&name, seen), hops)
    }

    /// The first text that an object of fields has under a name.
    pub(super) fn of_field(
        &self,
        spot: Spot,
        (object, key): (u32, &str),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let before = hops.len();
        let mut object = object;
        for _ in 0..DEEPEST {
            match self.of_own_field(spot, (object, key), (name, seen), hops) {
                Some(Field::Found(next)) => return Some(*next),
                Some(Field::Of(other)) => object = other,
                None => break,
            }
        }
        hops.truncate(before);
        None
    }

    fn of_own_field(
        &self,
        spot: Spot,
        (object, key): (u32, &str),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Field> {
        let stream = spot.moment.stream;
        let kind = match self.class_of(stream, object) {
            "FormData" => HopKind::Dom,
            "URLSearchParams" => HopKind::Url,
            _ => return None,
        };
        let methods = ["set", "append", "delete"];
        for (event, own, written) in self.calls_on((stream, object), &methods, spot.moment.at) {
            if !self.is_text(stream, self.given_at(event, 0)?, key) {
                continue;
            }
            let value = written.arguments.get(1).filter(|it| !it.is_spread)?;
            // Of several the first counts.
            let given = self.given_at(event, 1)?;
            let text = event_log::model::plain_text(self.model, stream, given);
            if !self.is_text(stream, seen, &text) {
                return None;
            }
            let at = written.span.start;
            hops.extend(self.hop(kind, own.script, at, (stream, seen), name.to_owned()));
            return Some(Field::Found(Box::new(Next::Value {
                spot: own,
                value: Box::new(value.value.clone()),
                way: Vec::new(),
                seen: given,
            })));
        }
        let (made, construction, _) = self.maker(stream, object)?;
        if construction.kind != CallKind::New {
            return None;
        }
        let of = &construction.arguments.first()?.value;
        let at = construction.span.start;
        let mut hop =
            || hops.extend(self.hop(kind, made.script, at, (stream, seen), name.to_owned()));
        let next = match self.evaluated(made, of, 0) {
            Some(Seen::Object(_)) if kind == HopKind::Dom => {
                hop();
                let control = Key::Property(format!("{CONTROL}{key}]]"));
                let control = self.property(stream, object, &control, spot.moment.at)?;
                let text = format!("{}.elements.{key}", self.named(made, of));
                let step = [PathStep::Into(Step::Key("value".to_owned()))];
                self.taken(made, control.value, &step, text, seen, hops).0?
            }
            Some(Seen::Object(id)) if self.class_of(stream, id.0) == "Object" => {
                hop();
                let step = [PathStep::Into(Step::Key(key.to_owned()))];
                let of_name = self.named(made, of);
                self.taken(made, Seen::Object(id), &step, of_name, seen, hops)
                    .0?
            }
            Some(Seen::Object(id)) => {
                hop();
                return Some(Field::Of(id.0));
            }
            _ => {
                hop();
                self.text_of_address(made, of, seen, hops)?
            }
        };
        Some(Field::Found(Box::new(next)))
    }
}

/// Where a field is from.
enum Field {
    Found(Box<Next>),
    /// The same field of another object.
    Of(u32),
}
