//! Descriptions of properties: what `Object.getOwnPropertyDescriptor` and its plural give, by whatever name, and what
//! `Object.create` is given.

use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Value};

use super::moments::CameBack;
use super::writes::key_behind;
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// `.value` in a description that a call gave which no function of the page answered: the property that the call's
    /// arguments say it describes, which must have this value.
    pub(super) fn of_description(
        &self,
        spot: Spot,
        call: &Call,
        came: &CameBack,
        (keys, seen): (&[String], Seen),
    ) -> Option<Next> {
        if call.kind != CallKind::Plain || !came.calls.is_empty() {
            return None;
        }
        let (of, key) = match (call.arguments.as_slice(), keys) {
            ([of], [key, value]) if value == "value" => (of, key.clone()),
            ([of, key], [value]) if value == "value" && !key.is_spread => {
                (of, self.key_text(spot, &key.value)?)
            }
            _ => return None,
        };
        let described = self.evaluated(spot, &of.value, 0).filter(|_| !of.is_spread);
        let own = Key::Property(key.clone());
        let at = spot.moment.at;
        let write = self.property(spot.moment.stream, described?.object()?.0, &own, at)?;
        (write.value.same(seen) == Some(true)).then(|| {
            let name = format!("{}{}", self.named(spot, &of.value), key_behind(&key));
            Next::Write(write, name)
        })
    }

    /// `Object.create(prototype, { key: { value } })`: the value in the description.
    pub(super) fn of_description_in(
        &self,
        spot: Spot,
        descriptions: &Value,
        key: &str,
        seen: Seen,
    ) -> Option<Next> {
        let (stream, at) = (spot.moment.stream, spot.moment.at);
        let all = self.evaluated(spot, descriptions, 0)?.object()?.0;
        let own = Key::Property(key.to_owned());
        let described = self.property(stream, all, &own, at)?.value.object()?.0;
        let value = Key::Property("value".to_owned());
        let write = self.property(stream, described, &value, at)?;
        (write.value.same(seen) == Some(true)).then(|| {
            let name = self.named(spot, descriptions);
            Next::Write(write, format!("{name}{}.value", key_behind(key)))
        })
    }
}
