//! What an object inherits: the properties of its prototypes, as far as the log knows these.

use event_log::model::{Key, Kind};
use event_log::record::PROTOTYPE;
use event_log::value::Value as Seen;
use js_analysis::origin::{LoggedPlace, LoggedProperty, Value};
use querypoint::answer::{Hop, HopKind};

use super::writes::Write;
use super::{InLog, Next, Spot};

/// How many prototypes are looked through, one behind the other.
const MOST_PROTOTYPES: usize = 64;

impl InLog<'_> {
    /// The last write of a key of the nearest prototype that has it, before a moment.
    pub(super) fn inherited(&self, stream: u16, object: u32, key: &Key, at: u32) -> Option<Write> {
        let mut object = object;
        for _ in 0..MOST_PROTOTYPES {
            object = self.prototype_of(stream, object, at)?;
            match self.property(stream, object, key, at) {
                Some(write) if matches!(write.value, Seen::Accessor | Seen::Unknown) => {
                    return None;
                }
                Some(write) if write.value != Seen::Absent => return Some(write),
                _ => {}
            }
        }
        None
    }

    /// `super.name`, where a getter of the class that is extended gave it.
    pub(super) fn of_super(
        &self,
        spot: Spot,
        value: &Value,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let text = self.sources.text_at(self.home(spot.script)?, value.span)?;
        let key = text.strip_prefix("super.")?;
        let object = self.call_of(spot.moment.call)?.this.object()?;
        let (call, got) = self.got(spot, object.0, &Key::Property(key.to_owned()))?;
        let name = self.text(spot, value);
        (got.same(seen) == Some(true))
            .then(|| self.by_getter(call, HopKind::Getter, name, seen, hops))
    }

    /// What an object inherits from: as the log says, or as a script wrote to `__proto__`.
    fn prototype_of(&self, stream: u16, object: u32, at: u32) -> Option<u32> {
        // What was parsed may have a key of that name, which no script wrote.
        let is_written = |write: &Write| {
            let event = self.event(write.event);
            event.is_some_and(|event| event.kind == Kind::Write)
        };
        let keys = [PROTOTYPE, "__proto__"].map(|key| Key::Property(key.to_owned()));
        let writes = keys.iter().filter_map(|key| {
            let write = self.property(stream, object, key, at)?;
            is_written(&write).then_some(write)
        });
        let last = writes.max_by_key(|write| write.event);
        let value = match last {
            Some(last) => last.value,
            None => self.prototype_in_literal(stream, object)?,
        };
        value.object().map(|prototype| prototype.0)
    }

    /// `{ __proto__: value }`
    fn prototype_in_literal(&self, stream: u16, object: u32) -> Option<Seen> {
        let (event, kind) = self.seen_first(stream, object)?;
        let (script, place) = self.place(self.event(event)?.site)?;
        let LoggedPlace::Object(parts) = place else {
            return None;
        };
        // `{ __proto__ }` has it as any other property.
        let found = parts.iter().find_map(|(at, part)| match part {
            LoggedProperty::Value(key, value) if key == "__proto__" && *at != value.span.start => {
                Some(value)
            }
            _ => None,
        });
        let moment = self.moment(event).filter(|_| kind == Kind::Create)?;
        self.evaluated(Spot { script, moment }, found?, 0)
    }
}
