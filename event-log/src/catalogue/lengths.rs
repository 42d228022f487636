//! The length of an array that the page gave a length: `list.length = 1; list.push(a)`. What writes elements later
//! changes it, and writes no `length`.

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
    /// The length that an array has at a point, and the event that gave it that, where it is no longer the one that was
    /// written last. `None`: it still is, or the write is of something else.
    pub(super) fn length_since(&self, last: &KeyWrite, at: u32) -> Option<(u32, u32)> {
        let model = self.model;
        let is_length = matches!(model.keys.get(last.key as usize), Some(Key::Property(name)) if name == "length");
        let array = Value::Object(ObjectId(last.object));
        if !is_length || !display::is_instance(model, last.stream, array, "Array") {
            return None;
        }
        let written = match model.written(last) {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an array throws for a length that is no such number"
            )]
            Value::Number(number) if (0.0..4_294_967_296.0).contains(&number) => number as u32,
            _ => return None,
        };
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
