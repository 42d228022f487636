//! What a built-in wrote into an object or a list: `push`, `set`, `splice`, `Object.assign` and others.

use event_log::model::{Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Call, CallKind, PathStep, Step, Value};
use querypoint::answer::Hop;

use super::parameters::is_arguments;
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
        // `super.set(key, value)`, `list[name](value)`, `[].push.apply(list, values)`
        let by_name = match call.method.as_deref() {
            None => self.as_method_call(spot, call, &[]),
            Some("call" | "apply") => self
                .as_method_call(spot, call, &[])
                .filter(|call| call.method.as_deref().is_some_and(writes_receiver)),
            Some(_) => None,
        };
        let call = by_name.as_ref().unwrap_or(call);
        let method = call.method.as_deref().unwrap_or_default();
        let unfollowed = || Next::unobserved(format!("what `{method}` writes is not followed"));
        let spread = call
            .arguments
            .iter()
            .position(|argument| argument.is_spread);
        if spread.is_some() && !matches!(method, "push" | "splice" | "unshift") {
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
            (_, Some(Key::Entry(_))) if matches!(call.kind, CallKind::New | CallKind::Super) => {
                return self.of_entries(spot, write, call);
            }
            ("from", Some(Key::Property(index)))
                if call.global.as_deref() == Some("Array.from") && call.arguments.len() == 1 =>
            {
                let list = call.arguments.first().filter(|it| !it.is_spread);
                return match (list, index.parse()) {
                    (Some(list), Ok(index)) => {
                        self.element_of(spot, &list.value, index, write.value, hops)
                    }
                    _ => unfollowed(),
                };
            }
            (_, Some(key)) => {
                let found = self.by_language(spot, write, call, key, hops);
                // An object from outside is told whole where it is handed over first.
                let found = found.or_else(|| match key {
                    Key::Property(name) if is_listed => {
                        let way = [PathStep::Into(Step::Key(name.clone()))];
                        let name = key_behind(name);
                        self.of_foreign(spot, object, &way, (&name, write.value), hops)
                    }
                    _ => None,
                });
                return found.unwrap_or_else(unfollowed);
            }
            _ => return unfollowed(),
        };
        let parts: Vec<Option<&Argument>> = call.arguments.iter().map(Some).collect();
        let Some((argument, of_spread)) = self.part_at(spot, &parts, number, None) else {
            return unfollowed();
        };
        if let Some(index) = of_spread {
            return self.element_of(spot, &argument.value, index, write.value, hops);
        }
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
        // What is spread may be from the first argument on.
        if let [only] = call.arguments.as_slice()
            && only.is_spread
            && matches!(method, "splice" | "unshift")
        {
            return self
                .put_in_by_spread(spot, write, (object, &only.value, first))
                .unwrap_or_else(unknown);
        }
        let put_in = call.arguments.iter().skip(first);
        let mut put_in = put_in.filter(|argument| {
            let value = self.evaluated(spot, &argument.value, 0);
            // What a literal is the log does not know.
            let is_other = match write.value {
                Seen::String(text) if value.is_none() && !argument.is_spread => self
                    .key_text(spot, &argument.value)
                    .is_some_and(|own| own != self.model.text(write.stream, text.0)),
                _ => false,
            };
            argument.is_spread
                || !is_other && value.is_none_or(|value| value.same(write.value) != Some(false))
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

    /// `splice(...list)`, `unshift.apply(object, list)`: an element that was put in, from the one at `first` on, or one
    /// that was moved.
    fn put_in_by_spread(
        &self,
        spot: Spot,
        write: &Write,
        (object, list, first): (u32, &Value, usize),
    ) -> Option<Next> {
        let (stream, at) = (write.stream, write.event);
        let from = self.evaluated(spot, list, 0)?.object()?.0;
        let put_in = self.count_with(stream, from, at, write.value);
        let stays = self.count_with(stream, object, at, write.value);
        match (put_in, stays) {
            (1, 0) => {
                let (own, key) = self.only_with(stream, from, at, write.value)?;
                let Key::Property(index) = &key else {
                    return None;
                };
                let index = index.parse::<usize>().ok()?;
                let name = format!("{}{}", self.named(spot, list), any_key_behind(&key));
                (index >= first).then_some(Next::Write(own, name))
            }
            (0, 1) => {
                let (own, key) = self.only_with(stream, object, at, write.value)?;
                Some(Next::Write(own, any_key_behind(&key)))
            }
            _ => None,
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
        for (pair, index) in self.pairs_of(spot, list.0, at).into_iter().zip(0usize..) {
            let own = self.property(stream, pair, &Key::Property("0".to_owned()), at)?;
            if self.entry_key(stream, own.value).as_ref() == Some(wanted) {
                let value = self.property(stream, pair, &Key::Property("1".to_owned()), at)?;
                found = Some((index, value));
            }
        }
        let (index, value) = found?;
        (value.value.same(write.value) == Some(true)).then(|| {
            let name = format!("{}[{index}][1]", self.named(spot, of));
            Next::Write(value, name)
        })
    }

    /// `Object.assign`, `Object.defineProperty`, `Object.defineProperties` or `Reflect.set` wrote a key. A page calls
    /// them by many names: which it was, the arguments say.
    fn by_language(
        &self,
        spot: Spot,
        write: &Write,
        call: &Call,
        key: &Key,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let sources = match self.applied_to_arguments(spot, call) {
            Some(passed) => {
                let given = passed.iter().zip(0u32..).skip(1);
                given
                    .map(|(value, index)| (*value, format!("arguments[{index}]")))
                    .collect()
            }
            None => {
                let sources = call.arguments.get(1..)?;
                if sources.iter().any(|source| source.is_spread) {
                    return None;
                }
                let evaluated = sources.iter().map(|source| {
                    let value = self.evaluated(spot, &source.value, 0);
                    (
                        value.unwrap_or(Seen::Unknown),
                        self.named(spot, &source.value),
                    )
                });
                evaluated.collect::<Vec<(Seen, String)>>()
            }
        };
        let name = call.method.as_deref().or(call.global.as_deref());
        let may_be = |names: &[&str]| match name {
            Some("assign" | "defineProperty" | "defineProperties" | "set") => {
                names.contains(&name.unwrap_or_default())
            }
            _ => true,
        };
        let copied = may_be(&["assign"])
            .then(|| self.assigned_from(spot, write, &sources, key, hops))
            .flatten();
        copied
            .or_else(|| {
                let argument = call.arguments.get(2).filter(|it| !it.is_spread)?;
                let value = self.evaluated(spot, &argument.value, 0);
                let is_it = call.global.as_deref() == Some("Reflect.set")
                    || (may_be(&["set"]) && value?.same(write.value) == Some(true));
                is_it.then(|| Next::Value {
                    spot,
                    value: Box::new(argument.value.clone()),
                    way: Vec::new(),
                    seen: write.value,
                })
            })
            .or_else(|| self.described(spot, write, call))
            .or_else(|| match key {
                Key::Property(key) => self.described_all(spot, write, call, key),
                _ => None,
            })
    }

    /// `assign.apply(null, arguments)`: what the caller was given.
    fn applied_to_arguments(&self, spot: Spot, call: &Call) -> Option<&[Seen]> {
        let list = call.arguments.get(1).filter(|it| !it.is_spread)?;
        let is_applied = call.method.as_deref() == Some("apply") && is_arguments(&list.value);
        let around = self.call_of(spot.moment.call).filter(|_| is_applied)?;
        self.model.arguments_of(around)
    }

    /// `Object.assign(target, …sources)`: the last source that had the key.
    fn assigned_from(
        &self,
        spot: Spot,
        write: &Write,
        sources: &[(Seen, String)],
        key: &Key,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        for (source, name) in sources.iter().rev() {
            let Some(object) = source.object() else {
                // Nothing is copied of what is no object.
                match source {
                    Seen::Unknown | Seen::String(_) | Seen::LongString { .. } => return None,
                    _ => continue,
                }
            };
            match self.property(write.stream, object.0, key, write.event) {
                Some(read) if read.value.same(write.value) == Some(true) => {
                    return Some(Next::Write(read, format!("{name}{}", any_key_behind(key))));
                }
                Some(read) if read.value == Seen::Absent => {}
                Some(_) => return None,
                None if self.is_literal(write.stream, object.0) => {}
                // What a rest element took, or a built-in made.
                None => {
                    let name = format!("{name}{}", any_key_behind(key));
                    return self.born(spot, object.0, key, &name, write.value, hops);
                }
            }
        }
        None
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

/// Whether a method of that name may be a built-in that writes what it is called on.
fn writes_receiver(name: &str) -> bool {
    const WRITING: [&str; 11] = [
        "push",
        "pop",
        "shift",
        "unshift",
        "splice",
        "sort",
        "reverse",
        "fill",
        "copyWithin",
        "set",
        "add",
    ];
    WRITING.contains(&name)
}
