//! What a built-in wrote into an object or a list: `push`, `set`, `splice`, `Object.assign` and others.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind};
use querypoint::answer::Hop;

use super::writes::{Target, Write, any_key_behind, key_behind};
use super::{InLog, Next, Spot};

impl InLog<'_> {
    /// What `push`, `set` or `add` wrote.
    pub(super) fn by_call(
        &self,
        spot: Spot,
        write: &Write,
        call: &Call,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let method = call.method.as_deref().unwrap_or_default();
        let unfollowed = || Next::unobserved(format!("what `{method}` writes is not followed"));
        let spread = call
            .arguments
            .iter()
            .position(|argument| argument.is_spread);
        if spread.is_some() && method != "push" {
            return unfollowed();
        }
        let Target::Key {
            object,
            key,
            is_listed,
        } = write.target
        else {
            return unfollowed();
        };
        let number = match (method, self.model.keys.get(key as usize)) {
            // The whole list was told: behind those that it had come the arguments.
            ("push", Some(Key::Property(index))) if is_listed => {
                let has = |index: &usize| {
                    let key = Key::Property(index.to_string());
                    self.property(write.stream, object, &key, write.event)
                        .is_some_and(|write| write.value != Seen::Absent)
                };
                let before = (0usize..).take_while(has).count();
                match index
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| index.checked_sub(before))
                {
                    Some(number) => number,
                    None => return unfollowed(),
                }
            }
            ("push", _) => {
                // One after the other.
                let mut before = 0;
                let mut event = write.event;
                while let Some(earlier) = event.checked_sub(1).and_then(|it| self.event(it)) {
                    event -= 1;
                    let own = self.event(write.event).map(|own| own.site);
                    let is_other = earlier.kind != Kind::Write
                        || Some(earlier.site) != own
                        || earlier.owner.object().map(|id| id.0) != Some(object);
                    if is_other {
                        break;
                    }
                    before += 1;
                }
                before
            }
            ("set", Some(Key::Entry(_))) => 1,
            ("add", Some(Key::Entry(_))) => 0,
            ("sort" | "reverse" | "splice" | "copyWithin" | "fill" | "unshift" | "shift", _) => {
                return self.moved(spot, write, call);
            }
            (_, Some(Key::Entry(_))) if call.kind == CallKind::New => {
                return self.of_entries(spot, write, call);
            }
            ("assign", _) => return self.assigned_from(spot, write, call),
            ("defineProperties", Some(Key::Property(key))) => {
                let found = self.described_all(spot, write, call, key);
                return found.unwrap_or_else(unfollowed);
            }
            ("defineProperty" | "set", Some(Key::Property(_))) => {
                return self.reflected_write(spot, write, call);
            }
            _ => return unfollowed(),
        };
        if let Some(spread) = spread.filter(|spread| number >= *spread) {
            // Of several spreads it is not known how long each is.
            return match call.arguments.get(spread..) {
                Some([only]) => {
                    self.element_of(spot, &only.value, number - spread, write.value, hops)
                }
                _ => unfollowed(),
            };
        }
        let Some(argument) = call.arguments.get(number) else {
            return unfollowed();
        };
        Next::Value {
            spot,
            value: Box::new(argument.value.clone()),
            way: Vec::new(),
            seen: write.value,
        }
    }

    /// `sort`, `splice` and others moved elements: the one with that value, or an argument that was put in.
    fn moved(&self, spot: Spot, write: &Write, call: &Call) -> Next {
        let unknown = || Next::unobserved("which element was moved there is not in the log");
        let Target::Key { object, .. } = write.target else {
            return unknown();
        };
        let method = call.method.as_deref().unwrap_or_default();
        let first = match method {
            "unshift" | "fill" => 0,
            "splice" => 2,
            _ => call.arguments.len(),
        };
        let put_in = call.arguments.iter().skip(first);
        let mut put_in = put_in.filter(|argument| {
            let value = self.evaluated(spot, &argument.value, 0);
            // What a literal is the log does not know.
            argument.is_spread || value.is_none_or(|value| value.same(write.value) != Some(false))
        });
        let before = self.only_with(write.stream, object, write.event, write.value);
        let stays = self.count_with(write.stream, object, write.event, write.value);
        match (before, stays, put_in.next(), put_in.next()) {
            (Some((write, key)), 1, None, _) => {
                let list = call.receiver.as_ref();
                let list = list.map(|list| self.named(spot, list)).unwrap_or_default();
                Next::Write(write, format!("{list}{}", any_key_behind(&key)))
            }
            (None, 0, Some(argument), None) if !argument.is_spread => Next::Value {
                spot,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: write.value,
            },
            _ => unknown(),
        }
    }

    /// `new Map([[key, value]])`
    fn of_entries(&self, spot: Spot, write: &Write, call: &Call) -> Next {
        let found = self.entry_of(spot, write, call);
        found.unwrap_or_else(|| Next::unobserved("what the map was made of is not in the log"))
    }

    fn entry_of(&self, spot: Spot, write: &Write, call: &Call) -> Option<Next> {
        let Target::Key { key, .. } = write.target else {
            return None;
        };
        let wanted = self.model.keys.get(key as usize)?;
        let of = &call.arguments.first()?.value;
        let list = self.evaluated(spot, of, 0)?.object()?;
        let (stream, at) = (write.stream, write.event);
        let is_set = call.global.as_deref() == Some("Set");
        if is_set {
            return None;
        }
        // The last entry with the key counts.
        let mut found = None;
        for index in 0usize.. {
            let number = Key::Property(index.to_string());
            let Some(pair) = self.property(stream, list.0, &number, at) else {
                break;
            };
            let pair = pair.value.object()?;
            let own = self.property(stream, pair.0, &Key::Property("0".to_owned()), at)?;
            if self.entry_key(stream, own.value).as_ref() == Some(wanted) {
                let value = self.property(stream, pair.0, &Key::Property("1".to_owned()), at)?;
                found = Some((index, value));
            }
        }
        let (index, value) = found?;
        (value.value.same(write.value) == Some(true)).then(|| {
            let name = format!("{}[{index}][1]", self.named(spot, of));
            Next::Write(value, name)
        })
    }

    /// `Object.assign(target, …sources)`: the last source that had the key.
    fn assigned_from(&self, spot: Spot, write: &Write, call: &Call) -> Next {
        let unknown = || Next::unobserved("what `Object.assign` copied is not in the log");
        let Target::Key { key, .. } = write.target else {
            return unknown();
        };
        let Some(key) = self.model.keys.get(key as usize) else {
            return unknown();
        };
        for source in call.arguments.iter().skip(1).rev() {
            let object = self
                .evaluated(spot, &source.value, 0)
                .and_then(Seen::object);
            let Some(object) = object else {
                return unknown();
            };
            let read = self.property(write.stream, object.0, key, write.event);
            match read {
                Some(read) if read.value.same(write.value) == Some(true) => {
                    let Key::Property(key) = key else {
                        return unknown();
                    };
                    let behind = key_behind(key);
                    let name = format!("{}{behind}", self.named(spot, &source.value));
                    return Next::Write(read, name);
                }
                Some(_) => return unknown(),
                None if self.is_literal(write.stream, object.0) => {}
                None => return unknown(),
            }
        }
        unknown()
    }

    /// `Reflect.set(object, key, value)`
    fn reflected_write(&self, spot: Spot, write: &Write, call: &Call) -> Next {
        match (call.global.as_deref(), call.arguments.get(2)) {
            (Some("Reflect.set"), Some(argument)) => Next::Value {
                spot,
                value: Box::new(argument.value.clone()),
                way: Vec::new(),
                seen: write.value,
            },
            _ => self
                .described(spot, write, call)
                .unwrap_or_else(|| Next::unobserved("what a built-in writes is not followed")),
        }
    }

    /// `Object.defineProperties(object, { key: { value } })`, and with what `Object.getOwnPropertyDescriptors` gave.
    fn described_all(&self, spot: Spot, write: &Write, call: &Call, key: &str) -> Option<Next> {
        let descriptions = &call.arguments.get(1).filter(|it| !it.is_spread)?.value;
        let object = self.evaluated(spot, descriptions, 0)?.object()?.0;
        let (stream, at) = (write.stream, write.event);
        let own_key = Key::Property(key.to_owned());
        let given = self.first_given_by(stream, object);
        let (spot, of, key, own) = match given {
            Some((_, spot, given))
                if given.global.as_deref() == Some("Object.getOwnPropertyDescriptors") =>
            {
                let of = given.arguments.first()?.value.clone();
                let object = self.evaluated(spot, &of, 0)?.object()?.0;
                let own = self.property(stream, object, &own_key, spot.moment.at)?;
                (spot, of, key_behind(key), own)
            }
            _ => {
                let described = self.property(stream, object, &own_key, at)?;
                let value = Key::Property("value".to_owned());
                let described = described.value.object()?.0;
                let own = self.property(stream, described, &value, at)?;
                let key = format!("{}.value", key_behind(key));
                (spot, descriptions.clone(), key, own)
            }
        };
        (own.value.same(write.value) == Some(true))
            .then(|| Next::Write(own, format!("{}{key}", self.named(spot, &of))))
    }

    /// `Object.defineProperty(object, key, { value })`
    fn described(&self, spot: Spot, write: &Write, call: &Call) -> Option<Next> {
        let description = call.arguments.get(2).filter(|it| !it.is_spread)?;
        let object = self.evaluated(spot, &description.value, 0)?.object()?;
        let key = Key::Property("value".to_owned());
        let own = self.property(write.stream, object.0, &key, write.event)?;
        (own.value.same(write.value) == Some(true)).then(|| {
            let name = format!("{}.value", self.named(spot, &description.value));
            Next::Write(own, name)
        })
    }
}
