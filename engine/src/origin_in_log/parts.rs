//! What a way of steps leads to in a value: properties, elements, and the default values of a pattern.

use event_log::ids::ObjectId;
use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, PathStep, Step, Value};
use querypoint::answer::{EndKind, Hop, HopKind};

use super::document::Reached;
use super::writes::Write;
use super::{InLog, Next, Spot};

/// What a property read gave.
pub(super) enum Read {
    /// What was written last.
    Written(Write),
    /// What a getter, or the trap of a proxy, returned.
    Got(u32, HopKind),
}

impl InLog<'_> {
    /// What a destructuring takes out of a literal.
    pub(super) fn part_of_literal(
        &self,
        spot: Spot,
        value: &Value,
        way: &[PathStep],
        seen: Seen,
    ) -> Next {
        let Some((first, rest)) = way.split_first() else {
            return Next::unobserved("a way without a step");
        };
        let part = match (&value.form, first) {
            (Form::Object(properties), PathStep::Into(step)) => {
                let Some(Key::Property(key)) = self.step_key(spot, step) else {
                    return Next::unobserved("a literal is taken apart by a key that is computed");
                };
                let mut found = None;
                for property in properties.iter().rev() {
                    match property {
                        None => {
                            return Next::unobserved(
                                "a literal is taken apart that has a spread, a method or a computed key",
                            );
                        }
                        Some((own, value)) if *own == key => {
                            found = Some(value);
                            break;
                        }
                        Some(_) => {}
                    }
                }
                found
            }
            (Form::Array { elements, is_open }, PathStep::Iterated(number)) => {
                match elements.get(*number) {
                    Some(element) => element.as_ref(),
                    None if *is_open => {
                        return Next::unobserved("a literal is taken apart that has a spread");
                    }
                    None => None,
                }
            }
            // The literal is a value: no default value was taken.
            (_, PathStep::Default(_)) => {
                return Next::Value {
                    spot,
                    value: Box::new(value.clone()),
                    way: rest.to_vec(),
                    seen,
                };
            }
            _ => return Next::unobserved("a literal is taken apart by a rest element"),
        };
        let (default, behind) = match rest.split_first() {
            Some((PathStep::Default(default), behind)) => (Some(default), behind),
            _ => (None, rest),
        };
        let is_missing = match part {
            None => Some(true),
            Some(part) if part.is_constant() => {
                Some(self.evaluated(spot, part, 0) == Some(Seen::Undefined))
            }
            Some(part) => self
                .evaluated(spot, part, 0)
                .map(|value| value == Seen::Undefined),
        };
        match (part, default, is_missing) {
            (_, Some(default), Some(true)) => self.by_default(spot, default, behind, seen),
            (Some(_), Some(_), None) => {
                Next::unobserved("whether the default value was taken is not in the log")
            }
            (Some(part), _, _) => Next::Value {
                spot,
                value: Box::new(part.clone()),
                way: behind.to_vec(),
                seen,
            },
            (None, _, _) => self.ended(
                EndKind::Missing,
                spot,
                value,
                Some("the literal that is taken apart has no such part".to_owned()),
            ),
        }
    }

    /// What a way leads to in a value; `None`: a property of what is no object.
    pub(super) fn taken(
        &self,
        spot: Spot,
        value: Seen,
        way: &[PathStep],
        name: String,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> (Option<Next>, String) {
        let (mut value, mut name) = (value, name);
        let stream = spot.moment.stream;
        let mut last: Option<Read> = None;
        let mut passed = 0;
        for (index, step) in way.iter().enumerate() {
            if index < passed {
                name.push_str(&self.with_way(spot, "", std::slice::from_ref(step)));
                continue;
            }
            let (key, text) = match step {
                PathStep::Into(step) => match self.step_key(spot, step) {
                    Some(key) => (key, self.step_name(spot, step)),
                    None => {
                        let why = format!("the key behind {name} is not in the log");
                        return (Some(Next::unobserved(why)), name);
                    }
                },
                PathStep::Iterated(number) => {
                    (Key::Property(number.to_string()), format!("[{number}]"))
                }
                PathStep::Default(default) => {
                    if value == Seen::Undefined {
                        let behind = way.get(index + 1..).unwrap_or_default();
                        return (Some(self.by_default(spot, default, behind, seen)), name);
                    }
                    continue;
                }
                PathStep::Rest(_) => {
                    return (Some(Next::unobserved("what a rest element made")), name);
                }
            };
            let Some(object) = value.object() else {
                if matches!(value, Seen::Undefined | Seen::Null) {
                    let why = format!("{name} has no properties");
                    return (Some(Next::ended(EndKind::Missing, Some(why))), name);
                }
                return (None, name);
            };
            name.push_str(&text);
            let is_last = way
                .get(index + 1..)
                .unwrap_or_default()
                .iter()
                .all(|step| matches!(step, PathStep::Default(_)));
            let behind = way.get(index + 1..).unwrap_or_default();
            if is_last && let Some(next) = self.of_length(spot, value, &key, &name, hops) {
                return (Some(next), name);
            }
            if let Key::Property(key) = &key
                && behind.is_empty()
                && let Some(next) = self.by_user(spot, object.0, (key, &name))
            {
                return (Some(next), name);
            }
            match self.read(spot, object.0, &key) {
                None if let Some((reached, taken)) =
                    self.through_nodes(spot, object.0, &key, || {
                        self.keys_behind(spot, way, index)
                    }) =>
                {
                    let rest = way.get(index + taken..).unwrap_or_default();
                    match reached {
                        Reached::Node(node) => {
                            value = Seen::Object(ObjectId(node));
                            last = None;
                            passed = index + taken;
                        }
                        Reached::Text(source) => {
                            let name = self.with_way(
                                spot,
                                &name,
                                way.get(index + 1..).unwrap_or_default(),
                            );
                            let is_its = |step: &PathStep| match step {
                                PathStep::Into(Step::Property(key) | Step::Key(key)) => {
                                    matches!(&**key, "data" | "nodeValue" | "textContent")
                                }
                                _ => false,
                            };
                            let next = match rest {
                                [only] if is_its(only) => {
                                    self.of_text_put(stream, source, (&name, seen), hops)
                                }
                                _ => None,
                            };
                            let why =
                                || Next::unobserved(format!("what gave {name} is not in the log"));
                            return (Some(next.unwrap_or_else(why)), name.clone());
                        }
                    }
                }
                None if let Some(next) =
                    self.of_own_host(spot, object.0, (&key, behind), (&name, seen), hops) =>
                {
                    return (Some(next), name);
                }
                Some((read, read_value)) => {
                    value = read_value;
                    last = Some(read);
                }
                None if self.is_parsed(stream, object.0) => {
                    let behind = way.get(index + 1..).unwrap_or_default();
                    let next = self.of_parsed(spot, object.0, (step, behind), &name, seen, hops);
                    let why = || Next::unobserved(format!("what made {name} is not in the log"));
                    return (Some(next.unwrap_or_else(why)), name);
                }
                None if is_last => {
                    let has_default = index + 1 < way.len();
                    if has_default && self.is_literal(stream, object.0) {
                        value = Seen::Undefined;
                        last = None;
                        continue;
                    }
                    let iterated = match step {
                        PathStep::Iterated(number) if !has_default => {
                            let place = (*number, spot.moment.at);
                            let of = name.strip_suffix(text.as_str()).unwrap_or(&name);
                            self.iterated_in(spot, (object.0, of), place, seen, hops)
                        }
                        _ => None,
                    };
                    let next = match has_default {
                        _ if iterated.is_some() => iterated,
                        true => None,
                        false => self
                            .born(spot, object.0, &key, &name, seen, hops)
                            .or_else(|| self.of_response(spot, object.0, &name)),
                    };
                    let next = next.or_else(|| {
                        let way = way.get(index..).unwrap_or_default();
                        self.of_foreign(spot, object.0, way, (&name, seen), hops)
                    });
                    let why = || self.nothing_wrote(spot, (object.0, &key), &name, seen);
                    return (Some(next.unwrap_or_else(why)), name);
                }
                None => match self.born_value(stream, object.0, &key) {
                    Some(made) => {
                        hops.extend(self.event_hop(stream, object.0, made, &name));
                        value = made;
                        last = None;
                    }
                    None => {
                        let behind = way.get(index + 1..).unwrap_or_default();
                        let whole = self.with_way(spot, &name, behind);
                        if let Some(next) = self.of_response(spot, object.0, &whole) {
                            return (Some(next), whole);
                        }
                        let way = way.get(index..).unwrap_or_default();
                        let found = self.of_foreign(spot, object.0, way, (&whole, seen), hops);
                        if let Some(next) = found {
                            return (Some(next), whole);
                        }
                        let next = self.nothing_wrote(spot, (object.0, &key), &name, seen);
                        return (Some(next), name);
                    }
                },
            }
        }
        let next = match last {
            Some(Read::Written(write)) => self.checked(write, name.clone(), seen),
            Some(Read::Got(call, kind)) => self.by_getter(call, kind, name.clone(), seen, hops),
            None => Next::unobserved(format!("the value of {name} is not in the log")),
        };
        (Some(next), name)
    }

    /// The keys of a way from a step on, as far as they are known.
    fn keys_behind<'a>(
        &'a self,
        spot: Spot,
        way: &'a [PathStep],
        index: usize,
    ) -> impl Iterator<Item = Key> + 'a {
        way.iter().skip(index).map_while(move |step| match step {
            PathStep::Into(step) => self.step_key(spot, step),
            PathStep::Iterated(number) => Some(Key::Property(number.to_string())),
            PathStep::Default(_) | PathStep::Rest(_) => None,
        })
    }

    /// What is behind a key of one of the browser's own objects.
    fn of_own_host(
        &self,
        spot: Spot,
        object: u32,
        (key, behind): (&Key, &[PathStep]),
        (name, seen): (&str, Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Key::Property(key) = key else { return None };
        let name = self.with_way(spot, name, behind);
        self.of_host(spot, object, (key, behind), (&name, seen), hops)
    }

    /// A name with a way behind it.
    pub(super) fn with_way(&self, spot: Spot, name: &str, way: &[PathStep]) -> String {
        let mut text = name.to_owned();
        for step in way {
            match step {
                PathStep::Into(step) => text.push_str(&self.step_name(spot, step)),
                PathStep::Iterated(number) => text.push_str(&format!("[{number}]")),
                PathStep::Default(_) | PathStep::Rest(_) => {}
            }
        }
        text
    }

    /// Nothing in the log wrote a property.
    fn nothing_wrote(
        &self,
        spot: Spot,
        (object, key): (u32, &Key),
        name: &str,
        seen: Seen,
    ) -> Next {
        if seen != Seen::Undefined {
            return Next::unobserved(format!("no write of {name} is in the log"));
        }
        let stream = spot.moment.stream;
        let index = match key {
            Key::Property(key) => key.parse::<usize>().ok(),
            _ => None,
        };
        if let Some(index) = index
            && let Some(length) = self.length_then(spot, object)
            && index >= length
        {
            let detail = format!("{name} was never written: the list has {length} elements");
            return Next::ended(EndKind::Missing, Some(detail));
        }
        let is_whole = self.is_literal(stream, object)
            || !name.ends_with(']') && self.is_list_literal(stream, object);
        if is_whole {
            let detail = format!("{name} was never written");
            return Next::ended(EndKind::Missing, Some(detail));
        }
        Next::unobserved(format!("no write of {name} is in the log"))
    }

    /// Goes on at a write, if it gave the value that was read.
    pub(super) fn checked(&self, write: Write, name: String, seen: Seen) -> Next {
        match (seen, write.value.same(seen)) {
            (Seen::Unknown, _) | (_, Some(true)) => Next::Write(write, name),
            // Two long texts of one beginning.
            (_, None) => {
                Next::unobserved(format!("whether {name} had that value is not in the log"))
            }
            (_, Some(false)) => Next::unobserved(format!(
                "the last write of {name} in the log gave another value"
            )),
        }
    }

    /// The value that a key of an object had, and where it was from.
    pub(super) fn read(&self, spot: Spot, object: u32, key: &Key) -> Option<(Read, Seen)> {
        let stream = spot.moment.stream;
        let class = self.model.object(stream, object)?.class;
        let class = self.model.text(stream, class);
        let is_proxy = class == "Proxy";
        if !self.is_as_told(spot, object, class) {
            return None;
        }
        if !is_proxy
            && let Some(write) = self.property(stream, object, key, spot.moment.at)
            && !matches!(write.value, Seen::Accessor | Seen::Unknown | Seen::Absent)
        {
            return Some((Read::Written(write), write.value));
        }
        if !is_proxy && let Some(write) = self.written_as_variable(spot, object, key) {
            return Some((Read::Written(write), write.value));
        }
        if !is_proxy && let Some(write) = self.message_of(stream, object, key, spot.moment.at) {
            return Some((Read::Written(write), write.value));
        }
        if let Some((call, value)) = self.got(spot, object, key) {
            let kind = match is_proxy {
                true => HopKind::Proxy,
                false => HopKind::Getter,
            };
            return Some((Read::Got(call, kind), value));
        }
        if !is_proxy {
            let write = self.inherited(stream, object, key, spot.moment.at)?;
            return Some((Read::Written(write), write.value));
        }
        // Without a trap it is what the target has.
        let target = self.target_of(stream, object)?.object()?;
        let write = self.property(stream, target.0, key, spot.moment.at)?;
        let is_known = !matches!(write.value, Seen::Accessor | Seen::Unknown | Seen::Absent);
        is_known.then_some((Read::Written(write), write.value))
    }
}
