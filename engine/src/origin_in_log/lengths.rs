//! Lengths: `items.length`, `text.length`. No write of the page gives a list its length; what made it longer or shorter
//! does.

use event_log::model::{Key, Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{CallKind, LoggedPlace};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::operands::Ended;
use super::writes::{Target, Write};
use super::{InLog, Next, Spot};

/// The log tells so many elements of a list at least, when a built-in has changed it.
const MOST_ELEMENTS: usize = 100;

impl InLog<'_> {
    /// The length of a text, or of a list whose elements the log has; `None`: it is another key, or not known.
    pub(super) fn length(&self, spot: Spot, of: Seen, key: &Key) -> Option<Seen> {
        if *key != Key::Property("length".to_owned()) {
            return None;
        }
        if let Seen::String(id) = of {
            let text = self.model.text(spot.moment.stream, id.0);
            let units = u32::try_from(text.encode_utf16().count()).ok()?;
            return Some(Seen::Number(f64::from(units)));
        }
        let (length, _) = self.length_of_list(spot, of.object()?.0, key)?;
        Some(Seen::Number(f64::from(u32::try_from(length).ok()?)))
    }

    /// Where the length of a list is from: what gave it an element, or took one away, last.
    pub(super) fn of_length(
        &self,
        spot: Spot,
        list: Seen,
        key: &Key,
        name: &str,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        if *key != Key::Property("length".to_owned()) {
            return None;
        }
        let (length, last) = self.length_of_list(spot, list.object()?.0, key)?;
        let stream = spot.moment.stream;
        let seen = Seen::Number(f64::from(u32::try_from(length).ok()?));
        let site = self.event(last?.event)?.site;
        let (script, place) = self.place(site)?;
        let (_, (at, _, _)) = self.site(site)?;
        let at = *at;
        match place {
            LoggedPlace::Array(_) => {
                hops.extend(self.hop(
                    HopKind::Property,
                    script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                Some(self.ended_at(EndKind::Literal, script, at, None))
            }
            LoggedPlace::Call(call) => {
                let at = call.span.start;
                hops.extend(self.hop(
                    HopKind::Property,
                    script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                let home = self.home(script)?;
                let place = self.sources.place_in(home, at)?;
                let text = self.sources.author_text_at(home, call.span)?;
                let text = crate::origin::one_line(text);
                Some(Next::End(Ended::computed(
                    Some(place.location),
                    text,
                    Vec::new(),
                )))
            }
            _ => None,
        }
    }

    /// How many elements a list had then, if the log says it.
    pub(super) fn length_then(&self, spot: Spot, list: u32) -> Option<usize> {
        let key = Key::Property("length".to_owned());
        Some(self.length_of_list(spot, list, &key)?.0)
    }

    /// How many elements a list had, and the write that made it so many.
    fn length_of_list(&self, spot: Spot, list: u32, key: &Key) -> Option<(usize, Option<Write>)> {
        let (stream, at) = (spot.moment.stream, spot.moment.at);
        if self.class_of(stream, list) != "Array" || self.property(stream, list, key, at).is_some()
        {
            return None;
        }
        let (first, kind) = self.seen_first(stream, list)?;
        // `new Array(3)` has holes, and what else makes a list may have more than the log tells.
        if let Kind::CallEnd = kind
            && self.call_text(first)?.1.kind == CallKind::New
        {
            return None;
        }
        if let Some((call, first)) = self.rest_of_call(stream, list) {
            let is_written = !self.model.writes_of(stream, list).is_empty();
            let passed = self.passed_count(call, 0).filter(|_| !is_written)?;
            return Some((passed.saturating_sub(first), None));
        }
        let mut length = 0;
        let mut kept = 0;
        let mut changed: Option<Write> = None;
        let mut before = NONE;
        for write in self.model.writes_of(stream, list) {
            let key = std::mem::replace(&mut before, write.key);
            if key == write.key {
                continue;
            }
            let Some(Key::Property(name)) = self.model.keys.get(write.key as usize) else {
                continue;
            };
            let Ok(index) = name.parse::<usize>() else {
                continue;
            };
            let Some(last) = self.property(stream, list, &Key::Property(name.clone()), at) else {
                continue;
            };
            let Target::Key { is_listed, .. } = last.target else {
                return None;
            };
            let is_call = self
                .event(last.event)
                .is_some_and(|it| it.kind != Kind::Write);
            if last.value == Seen::Absent && !is_listed && !is_call {
                // `delete list[1]` leaves the length as it is.
                return None;
            }
            if last.value != Seen::Absent {
                kept += 1;
                length = length.max(index + 1);
            }
            if changed.is_none_or(|changed| changed.event < last.event) {
                changed = Some(last);
            }
        }
        let is_made_here = kind == Kind::Create;
        let is_whole = kept == length && length <= MOST_ELEMENTS && (length > 0 || is_made_here);
        is_whole.then_some((length, changed))
    }
}
