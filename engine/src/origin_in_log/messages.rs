//! Messages: which call of `postMessage` sent what `event.data` holds. Those that sent something else, or through
//! something else, are left out; if one is left, it is the one.

use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, PathStep, Reference, Step};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::{InLog, Next, Spot};

impl InLog<'_> {
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
        if self.class_of(stream, event.0) != "MessageEvent" {
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
        let name = self.reference_text(spot, reference);
        Some(
            self.of_message(stream, event.0, &way, (name, seen), hops)?
                .unwrap_or_else(unknown),
        )
    }

    /// What the event of a message has in its `data`, behind a way.
    pub(super) fn of_message(
        &self,
        stream: u16,
        event: u32,
        way: &[Step],
        named: (String, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Option<Next>> {
        let target = self.target_of_message(event, stream);
        let (first, _) = self.seen_first(stream, event)?;
        self.of_message_at((stream, first), target, way, named, hops)
    }

    /// The same of a message that came at an event; `None` inside: which one it was is not known.
    pub(super) fn of_message_at(
        &self,
        (stream, first): (u16, u32),
        target: Option<u32>,
        way: &[Step],
        (name, seen): (String, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Option<Next>> {
        let target = target.map(|target| self.class_of(stream, target));
        if matches!(target, Some("WebSocket" | "EventSource")) {
            return Some(Some(Next::ended(EndKind::Network, Some(name))));
        }
        let Some((own, call, sent, inner)) = self.only_message((stream, first), target, way, seen)
        else {
            return Some(None);
        };
        let argument = call.arguments.first().filter(|it| !it.is_spread)?;
        let at = call.span.start;
        hops.extend(self.hop(HopKind::Message, own.script, at, (stream, seen), name));
        if way.is_empty() {
            return Some(Some(Next::Value {
                spot: own,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: inner,
            }));
        }
        let way: Vec<PathStep> = way.iter().cloned().map(PathStep::Into).collect();
        let name = self.named(own, &argument.value);
        self.taken(own, sent, &way, name, inner, hops).0.map(Some)
    }

    /// Where the event of a message was dispatched.
    fn target_of_message(&self, event: u32, stream: u16) -> Option<u32> {
        let (_, target) = self.target_of_task(self.given_first_to(stream, event)?)?;
        Some(target)
    }

    /// The only call of `postMessage` that can have sent a message that came at an event, what it sent, and what a way
    /// leads to in that.
    fn only_message(
        &self,
        (stream, first): (u16, u32),
        target: Option<&str>,
        way: &[Step],
        seen: Seen,
    ) -> Option<(Spot, Box<Call>, Seen, Seen)> {
        let shown = self.shown(stream, seen);
        let mut found = None;
        let mut events = self.calls_of_method("postMessage").to_vec();
        events.extend(self.calls_of_global("postMessage"));
        for number in events {
            let Some((spot, call)) = self.call_text(number) else {
                continue;
            };
            // What another realm did comes in an order of its own.
            let is_later = spot.moment.stream == stream && number > first;
            if call.kind != CallKind::Plain
                || is_later
                || !self.may_reach(spot, &call, stream, target)
            {
                continue;
            }
            let argument = call.arguments.first();
            let sent = self
                .given_at(number, 0)
                .or_else(|| self.evaluated(spot, &argument?.value, 0));
            let sent = sent?;
            if self.has_not(spot, sent, way) {
                continue;
            }
            let inner = self.behind(spot, sent, way);
            // In another realm a value has another number: its text says whether it is the same.
            if inner.is_some_and(|inner| self.shown(spot.moment.stream, inner) != shown) {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((spot, call, sent, inner));
        }
        let (spot, call, sent, inner) = found?;
        Some((spot, call, sent, inner?))
    }

    /// Whether a value has certainly nothing where a way leads.
    fn has_not(&self, spot: Spot, value: Seen, way: &[Step]) -> bool {
        let stream = spot.moment.stream;
        let mut value = value;
        for step in way {
            let Some(object) = value.object() else {
                return value != Seen::Unknown;
            };
            let Some(key) = self.step_key(spot, step) else {
                return false;
            };
            match self.read(spot, object.0, &key) {
                Some((_, inner)) => value = inner,
                None => return self.is_literal(stream, object.0),
            }
        }
        false
    }

    /// Whether what a call sends can be what came where `target` is the class of what the event was dispatched at.
    fn may_reach(&self, spot: Spot, call: &Call, stream: u16, target: Option<&str>) -> bool {
        let is_same_realm = spot.moment.stream == stream;
        let through = call
            .receiver
            .as_ref()
            .and_then(|receiver| self.evaluated(spot, receiver, 0)?.object())
            .map(|object| self.class_of(spot.moment.stream, object.0));
        let is_carrier =
            |class: &str| matches!(class, "MessagePort" | "BroadcastChannel" | "Worker");
        match target {
            // A port or worker sends through its own kind alone.
            Some(own @ ("MessagePort" | "BroadcastChannel")) => {
                through.is_none_or(|through| through == own)
                    && call.global.as_deref() != Some("postMessage")
            }
            Some("Worker") => !is_same_realm && !through.is_some_and(is_carrier),
            Some("DedicatedWorkerGlobalScope") => {
                !is_same_realm
                    && through.is_none_or(|through| through == "Worker")
                    && call.global.as_deref() != Some("postMessage")
            }
            Some("Window") => !through.is_some_and(is_carrier),
            _ => true,
        }
    }
}
