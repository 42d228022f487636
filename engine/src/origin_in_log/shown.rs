//! Values of the log as an answer shows them: an object with the properties that it was seen to have at the end.

use event_log::model::{Key, text};
use event_log::record::{CONTROL, PROTOTYPE};
use event_log::value::Value as Seen;
use querypoint::answer::{Value as Preview, ValueType};

use super::InLog;

/// How many properties are shown.
const MOST_SHOWN: usize = 5;

impl InLog<'_> {
    pub(super) fn shown(&self, stream: u16, value: Seen) -> Preview {
        let kind = match value {
            Seen::Undefined | Seen::Absent => ValueType::Undefined,
            Seen::Null | Seen::Object(_) | Seen::Unknown => ValueType::Object,
            Seen::Boolean(_) => ValueType::Boolean,
            Seen::Number(_) => ValueType::Number,
            Seen::String(_) | Seen::LongString { .. } => ValueType::String,
            Seen::BigInt(_) => ValueType::Bigint,
            Seen::Function(_) => ValueType::Function,
            Seen::Symbol(_) => ValueType::Symbol,
            Seen::Uninitialised => ValueType::Uninitialised,
            Seen::Accessor => ValueType::Accessor,
        };
        Preview::new(kind, self.value_text(stream, value, 0))
    }

    fn value_text(&self, stream: u16, value: Seen, depth: u32) -> String {
        let Seen::Object(id) = value else {
            return match value {
                Seen::Function(_) if depth > 0 => "ƒ".to_owned(),
                value => text(self.model, stream, value),
            };
        };
        let object = self.model.object(stream, id.0).copied().unwrap_or_default();
        let class = self.model.text(stream, object.class);
        let is_array = class == "Array";
        let mut parts: Vec<(&Key, Seen)> = Vec::new();
        for write in self.model.writes_of(stream, id.0) {
            let Some(key) = self.model.keys.get(write.key as usize) else {
                continue;
            };
            let written = self.model.written(write);
            match parts.last_mut() {
                Some((last, value)) if *last == key => *value = written,
                _ => parts.push((key, written)),
            }
        }
        // Nor are fields shown that no script can name.
        let is_ours = |key: &Key| matches!(key, Key::Property(name) if name == PROTOTYPE || name.starts_with(CONTROL));
        parts.retain(|(key, value)| *value != Seen::Absent && !is_ours(key));
        let index = |key: &Key| match key {
            Key::Property(name) => name.parse::<u32>().ok(),
            _ => None,
        };
        if is_array {
            parts.retain(|(key, _)| index(key).is_some());
            parts.sort_by_key(|(key, _)| index(key));
        } else {
            // In the order in which they were written first, as an object has them.
            let first = |key: &Key| {
                let number = self.model.key(key).unwrap_or_default();
                let writes = self.model.writes_of_key(stream, id.0, number);
                writes.first().map(|write| write.event)
            };
            parts.sort_by_cached_key(|(key, _)| first(key));
        }
        let name = match class {
            "" | "Object" => String::new(),
            "Array" => format!("({}) ", parts.len()),
            class => format!("{class} "),
        };
        let (open, close) = if is_array { ('[', ']') } else { ('{', '}') };
        if depth > 0 {
            return match (class, parts.is_empty()) {
                ("Array", _) => format!("Array({})", parts.len()),
                (_, true) => format!("{name}{{}}"),
                _ => format!("{name}{{…}}"),
            };
        }
        let has_more = parts.len() > MOST_SHOWN;
        let parts = parts.into_iter().take(MOST_SHOWN).map(|(key, value)| {
            let value = self.value_text(stream, value, depth + 1);
            match key {
                _ if is_array => value,
                Key::Property(name) => format!("{name}: {value}"),
                Key::Symbol(_, _, name) => format!("{name}: {value}"),
                Key::Entry(key) => format!("{key} => {value}"),
            }
        });
        let mut shown = parts.collect::<Vec<_>>().join(", ");
        if has_more {
            shown.push_str(", …");
        }
        format!("{name}{open}{shown}{close}")
    }
}
