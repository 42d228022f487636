//! How many elements or entries a collection has. The length of an array changes with what writes elements
//! (`list.length = 1; list.push(a)`), the size of a map or set with what writes entries: both write no such property.

use std::collections::HashSet;

use querypoint::catalogue::CatalogueKey;

use super::{Asked, display};
use crate::ids::ObjectId;
use crate::model::{Key, KeyWrite, NONE};
use crate::tables::SiteKind;
use crate::value::Value;

/// What an event did to an array.
#[derive(Clone, Copy)]
enum Change {
    /// The element of this index was given a value.
    Has(u32),
    /// The last element was taken away: this index.
    Popped(u32),
    /// The array was told whole: so many elements.
    Told(u32),
}

impl Asked<'_> {
    /// The name of what says how many elements or entries a collection has, if it is what a key names.
    pub(super) fn counted(
        &self,
        stream: u16,
        object: u32,
        key: &CatalogueKey,
    ) -> Option<&'static str> {
        let CatalogueKey::Property(name) = key else {
            return None;
        };
        let value = Value::Object(ObjectId(object));
        let is_any = |classes: &[&str]| {
            let mut classes = classes.iter();
            classes.any(|class| display::is_instance(self.model, stream, value, class))
        };
        let is_typed = || {
            let class = display::owner_class(self.model, stream, object);
            class.ends_with("Array") && self.model.is_whole(stream, object)
        };
        match name.as_str() {
            "length" if is_any(&["Array"]) || is_typed() => Some("length"),
            "size" if is_any(&["Map", "Set"]) => Some("size"),
            _ => None,
        }
    }

    /// Each number of elements or entries that a collection had, with the event that made it so.
    pub(super) fn lengths(&self, stream: u16, object: u32) -> Vec<(u32, u32)> {
        let model = self.model;
        let mut writes: Vec<&KeyWrite> = model.writes_of(stream, object).iter().collect();
        writes.sort_by_key(|write| write.event);
        let mut told = model.told_of(stream, object).iter().peekable();
        let mut counts: Vec<(u32, u32)> = Vec::new();
        let mut give = |event: u32, count: u32| {
            if counts.last().is_none_or(|(_, last)| *last != count) {
                counts.push((event, count));
            }
            count
        };
        // Which entries there are, besides those that are beyond what was told.
        let mut entries: HashSet<u32> = HashSet::new();
        let mut beyond = 0;
        let mut length = 0;
        for write in writes {
            while let Some(whole) = told.next_if(|told| told.event < write.event) {
                length = give(whole.event, whole.total);
                beyond = whole.total.saturating_sub(whole.count);
            }
            let value = model.written(write);
            let is_entry = matches!(model.keys.get(write.key as usize), Some(Key::Entry(_)));
            if is_entry {
                match value {
                    Value::Absent => entries.remove(&write.key),
                    _ => entries.insert(write.key),
                };
            }
            // What is told whole says how many there are.
            if told.peek().is_some_and(|told| told.event == write.event) {
                continue;
            }
            let count = match (is_entry, self.element(write)) {
                (true, _) => u32::try_from(entries.len()).unwrap_or(NONE) + beyond,
                (false, Some(Change::Has(index))) => length.max(index.saturating_add(1)),
                (false, Some(Change::Popped(index))) => index.min(length),
                (false, _) => match self.length_written(write) {
                    Some(length) => length,
                    None => continue,
                },
            };
            length = give(write.event, count);
        }
        for whole in told {
            give(whole.event, whole.total);
        }
        counts
    }

    /// The length that a write of `length` gives an array.
    fn length_written(&self, write: &KeyWrite) -> Option<u32> {
        let model = self.model;
        let is_length = matches!(model.keys.get(write.key as usize), Some(Key::Property(name)) if name == "length");
        match model.written(write) {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an array throws for a length that is no such number"
            )]
            Value::Number(number) if is_length && (0.0..4_294_967_296.0).contains(&number) => {
                Some(number as u32)
            }
            _ => None,
        }
    }

    /// The length that an array has at a point, and the event that gave it that, where it is no longer the one that was
    /// written last. `None`: it still is, or the write is of something else.
    pub(super) fn length_since(&self, last: &KeyWrite, at: u32) -> Option<(u32, u32)> {
        let model = self.model;
        let array = Value::Object(ObjectId(last.object));
        if !display::is_instance(model, last.stream, array, "Array") {
            return None;
        }
        let written = self.length_written(last)?;
        let is_since = |event: u32| last.event < event && event < at;
        let writes = model.writes_of(last.stream, last.object).iter();
        let writes = writes.filter(|write| write.listed == NONE && is_since(write.event));
        let elements = writes.filter_map(|write| Some((write.event, self.element(write)?)));
        let told = model.told_of(last.stream, last.object).iter();
        let told = told.filter(|told| is_since(told.event));
        let told = told.map(|told| (told.event, Change::Told(told.total)));
        let mut changes: Vec<(u32, Change)> = elements.chain(told).collect();
        changes.sort_unstable_by_key(|(event, _)| *event);
        let mut length = (last.event, written);
        for (event, change) in changes {
            let now = match change {
                Change::Has(index) => length.1.max(index.saturating_add(1)),
                Change::Popped(index) => index,
                Change::Told(total) => total,
            };
            if now != length.1 {
                length = (event, now);
            }
        }
        (length.0 != last.event).then_some(length)
    }

    /// What a write of an array's element did; `None`: it is of no element, or leaves the length as it is.
    fn element(&self, write: &KeyWrite) -> Option<Change> {
        let Some(Key::Property(name)) = self.model.keys.get(write.key as usize) else {
            return None;
        };
        let index = name
            .parse::<u32>()
            .ok()
            .filter(|it| it.to_string() == *name)?;
        if self.model.written(write) != Value::Absent {
            return Some(Change::Has(index));
        }
        // `delete list[2]` leaves a hole.
        let event = self.model.events.get(write.event as usize)?;
        let site = self.model.site(event.site)?;
        (site.kind == SiteKind::Call).then_some(Change::Popped(index))
    }
}
