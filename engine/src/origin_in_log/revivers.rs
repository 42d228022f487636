//! What the function made that `JSON.parse` was given: it is called for each part of the text, the innermost first.

use event_log::model::{CallOutcome, Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, LoggedPlace, Step, Value};
use querypoint::answer::{Hop, HopKind};

use super::json_order::ways_of_reviver;
use super::writes::any_key_behind;
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// The property of an object that a reviver of `JSON.parse` was called for, in this call or another of the same
    /// parse: what it returned for it.
    pub(super) fn revived(
        &self,
        number: u32,
        object: u32,
        (key, name): (&str, &str),
        seen: Seen,
    ) -> Option<Next> {
        let mut found = self.revivals(number)?.into_iter().filter(|&call| {
            self.call_of(call).is_some_and(|own| {
                let is_its = own.this.object().is_none_or(|id| id.0 == object);
                let returned = matches!(own.outcome, CallOutcome::Returned(value) if value.same(seen) == Some(true));
                is_its && returned && self.revived_key(call).as_deref() == Some(key)
            })
        });
        match (found.next(), found.next()) {
            (Some(only), None) => Some(Next::Return {
                call: only,
                name: name.to_owned(),
                way: Vec::new(),
                seen,
            }),
            _ => None,
        }
    }

    /// The value of a property of an object that a reviver was called for.
    pub(super) fn revived_value(&self, stream: u16, object: u32, key: &str) -> Option<Seen> {
        let (seen, _) = self.seen_first(stream, object)?;
        let mut found = self
            .revivals(self.event(seen)?.call)?
            .into_iter()
            .filter_map(|call| {
                let own = self.call_of(call)?;
                let is_its = own.this.object().is_none_or(|id| id.0 == object);
                match own.outcome {
                    CallOutcome::Returned(value)
                        if is_its && self.revived_key(call).as_deref() == Some(key) =>
                    {
                        Some(value)
                    }
                    _ => None,
                }
            });
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// The calls of a reviver in one parse; `None`: the call is not one of a reviver.
    fn revivals(&self, number: u32) -> Option<Vec<u32>> {
        let own = self.call_of(number)?;
        let (_, call) = self.call_text_at(own.site)?;
        if call.global.as_deref() != Some("JSON.parse") {
            return None;
        }
        let moment = super::Moment {
            stream: own.stream,
            call: own.parent,
            at: own.enter,
        };
        let from = self.last_at(own.site, event_log::model::Kind::Step, moment)?;
        let events = self.events.get(&own.site.0)?;
        let to = events.iter().copied().find(|&event| {
            event > own.enter
                && self.event(event).is_some_and(|it| {
                    it.kind == event_log::model::Kind::CallEnd && it.call == own.parent
                })
        })?;
        Some(self.calls_at(own.parent, own.site, from, to))
    }

    fn revived_key(&self, call: u32) -> Option<String> {
        let own = self.call_of(call)?;
        match self.model.arguments_of(own)?.first()? {
            Seen::String(id) => Some(self.model.text(own.stream, id.0).to_owned()),
            _ => None,
        }
    }

    /// What a reviver was handed over: a part of the text.
    pub(super) fn given_to_reviver(
        &self,
        number: u32,
        spot: Spot,
        call: &Call,
        (seen, name): (Seen, String),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let text = call.arguments.first().filter(|it| !it.is_spread)?;
        let at = call.span.start;
        hops.extend(self.hop(HopKind::Callback, spot.script, at, (stream, seen), name));
        let way = self
            .way_of_revival(number)
            .or_else(|| self.way_by_text(number, spot, &text.value));
        self.enter_text(way, self.shown(stream, seen));
        self.passed_on(
            HopKind::Json,
            spot,
            call.callee.as_ref()?,
            &text.value,
            hops,
        )
    }

    /// The keys that lead to the part of the text for which a reviver was called.
    fn way_of_revival(&self, number: u32) -> Option<Vec<Step>> {
        let calls = self.revivals(number)?;
        let mut way = Vec::new();
        let mut current = number;
        loop {
            let key = self.revived_key(current)?;
            if key.is_empty() {
                way.reverse();
                return Some(way);
            }
            way.push(Step::Key(key));
            if way.len() > calls.len() {
                return None;
            }
            // The holder is what it is called with later.
            let holder = self.call_of(current)?.this.object()?;
            current = calls.iter().copied().find(|&call| {
                let passed = self
                    .call_of(call)
                    .and_then(|own| self.model.arguments_of(own));
                let value = passed.and_then(|passed| passed.get(1)?.object());
                call > current && value == Some(holder)
            })?;
        }
    }

    /// The same of a reviver without a `this`, as an arrow function is: it is called for the parts of the text in an
    /// order that the text tells.
    fn way_by_text(&self, number: u32, spot: Spot, text: &Value) -> Option<Vec<Step>> {
        let Seen::String(id) = self.evaluated(spot, text, 0)? else {
            return None;
        };
        let mut ways = ways_of_reviver(self.model.text(spot.moment.stream, id.0))?;
        let calls = self.revivals(number)?;
        let agrees = |(&call, way): (&u32, &Vec<String>)| {
            let key = way.last().map_or("", String::as_str);
            self.revived_key(call).as_deref() == Some(key)
        };
        let is_its = calls.len() == ways.len() && calls.iter().zip(&ways).all(agrees);
        let at = calls
            .iter()
            .position(|&call| call == number)
            .filter(|_| is_its)?;
        Some(ways.swap_remove(at).into_iter().map(Step::Key).collect())
    }

    /// A pair that is an entry of a map or of a list, of `[...map]`, `[...list.entries()]`: its key or its value.
    pub(super) fn of_pair(
        &self,
        (pair, made): (u32, u32),
        (key, index): (&str, usize),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (script, place) = self.place(self.event(made)?.site)?;
        let js_analysis::origin::LoggedPlace::Array(elements) = place else {
            return None;
        };
        let [Some(spread)] = elements.as_slice() else {
            return None;
        };
        let spot = Spot {
            script,
            moment: self.moment(made)?,
        };
        if !spread.is_spread {
            return None;
        }
        let map = self.evaluated(spot, &spread.value, 0)?.object()?.0;
        let map = self.source_of_entries(spot, map)?;
        let stream = spot.moment.stream;
        if self.class_of(stream, map) == "Array" {
            if index == 0 {
                return Some(self.position(spot, &spread.value));
            }
            let around = self.event(made)?.owner.object()?.0;
            let element = Key::Property(self.key_of_part(stream, (around, pair), made)?);
            let write = self.property(stream, map, &element, made)?;
            let name = self.text(spot, &spread.value);
            let name = format!("{name}{}", any_key_behind(&element));
            return (write.value.same(seen) == Some(true)).then_some(Next::Write(write, name));
        }
        debug_assert_eq!(key, index.to_string());
        let name = self.named(spot, &spread.value);
        self.part_of_entry(stream, (map, &name), (index, made), seen, hops)
    }

    /// The value (1) in such a pair.
    pub(super) fn value_in_pair(&self, stream: u16, pair: u32, key: &str) -> Option<Seen> {
        let (made, kind) = self.seen_first(stream, pair)?;
        if !matches!(kind, Kind::Contents | Kind::Create) || key != "1" {
            return None;
        }
        let (script, place) = self.place(self.event(made)?.site)?;
        let LoggedPlace::Array(elements) = place else {
            return None;
        };
        let [Some(spread)] = elements.as_slice() else {
            return None;
        };
        let moment = self.moment(made).filter(|_| spread.is_spread)?;
        let map = self.evaluated(Spot { script, moment }, &spread.value, 0)?;
        let map = self.source_of_entries(Spot { script, moment }, map.object()?.0)?;
        let around = self.event(made)?.owner.object()?.0;
        let index = self.key_of_part(stream, (around, pair), made)?;
        if self.class_of(stream, map) == "Array" {
            let element = self.property(stream, map, &Key::Property(index), made)?;
            return Some(element.value);
        }
        let entries = self.entries_before(stream, map, made);
        let (entry, _) = entries.get(index.parse::<usize>().ok()?)?;
        Some(entry.value)
    }

    /// The key (0) or the value (1) of an entry of a map, by its value.
    pub(super) fn part_of_entry(
        &self,
        stream: u16,
        (map, name): (u32, &str),
        (part, before): (usize, u32),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if self.class_of(stream, map) != "Map" {
            return None;
        }
        match part {
            0 => self.entry_name(stream, map, before, seen, hops),
            1 => match self.only_with(stream, map, before, seen)? {
                (write, Key::Entry(key)) => {
                    let key = serde_json::Value::from(key.as_str());
                    Some(Next::Write(write, format!("{name}.get({key})")))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
