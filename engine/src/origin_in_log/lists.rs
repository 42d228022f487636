//! Elements of arrays, entries of maps, and what built-ins make of them.

use event_log::model::{CallOutcome, Key, Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, LoggedPlace, PathStep, Step, Value, Written};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::moments::CameBack;
use super::writes::{Target, Write};
use super::{InLog, Moment, Next, Spot};
use crate::origin::OF_EACH;

impl InLog<'_> {
    /// Goes on at an element of a list.
    pub(super) fn element_of(&self, spot: Spot, list: &Value, index: usize, seen: Seen) -> Next {
        let name = format!("{}[{index}]", self.named(spot, list));
        let object = self.evaluated(spot, list, 0).and_then(Seen::object);
        let Some(object) = object else {
            return Next::unobserved(format!("the list of {name} is not in the log"));
        };
        let key = Key::Property(index.to_string());
        let Moment { stream, at, .. } = spot.moment;
        match self.property(stream, object.0, &key, at) {
            Some(write) if write.value.same(seen) == Some(true) => Next::Write(write, name),
            _ => match self.born(spot, object.0, &key, &name, seen, &mut Vec::new()) {
                Some(next) => next,
                None => Next::unobserved(format!("{name} had another value in the log")),
            },
        }
    }

    /// The only element or entry of an object that has a value.
    fn only_with(&self, stream: u16, object: u32, at: u32, seen: Seen) -> Option<(Write, Key)> {
        let mut found: Option<(Write, Key)> = None;
        let mut last = NONE;
        for write in self.model.writes_of(stream, object) {
            if write.key == last {
                continue;
            }
            last = write.key;
            let key = self.model.keys.get(write.key as usize)?;
            let is_element = match key {
                Key::Entry(_) => true,
                Key::Property(name) => name.bytes().all(|byte| byte.is_ascii_digit()),
                Key::Symbol(..) => false,
            };
            if !is_element {
                continue;
            }
            let Some(write) = self.property(stream, object, key, at) else {
                continue;
            };
            if write.value.same(seen) == Some(true) {
                if found.is_some() {
                    return None;
                }
                found = Some((write, key.clone()));
            }
        }
        found
    }

    /// What a list, map or iterator gave: the element that a built-in chose.
    pub(super) fn given_by_list(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        came: &CameBack,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let method = call.method.as_deref()?;
        let receiver = call.receiver.as_ref()?;
        let name = || self.named(spot, receiver);
        match method {
            "call" | "apply" => {
                let &[only] = came.calls.as_slice() else {
                    return None;
                };
                self.is_function(spot, receiver, only)
                    .then(|| Next::Return {
                        call: only,
                        name: name(),
                        way: Vec::new(),
                        seen,
                    })
            }
            "reduce" | "reduceRight" => came.calls.last().map(|&last| Next::Return {
                call: last,
                name: self.text(spot, value),
                way: Vec::new(),
                seen,
            }),
            "get" => self.entry(spot, call, seen),
            "next" => self.next_of_generator(spot, came, &[], seen, hops),
            "find" | "findLast" | "at" | "pop" | "shift" => {
                let object = self.evaluated(spot, receiver, 0)?.object()?;
                let stream = spot.moment.stream;
                let index = match method {
                    "find" if !came.calls.is_empty() => Some(came.calls.len() - 1),
                    "shift" => Some(0),
                    "at" => {
                        let index = self.key_text(spot, &call.arguments.first()?.value)?;
                        index.parse().ok()
                    }
                    _ => None,
                };
                let at = came.step;
                if let Some(index) = index {
                    let key = Key::Property(index.to_string());
                    let write = self.property(stream, object.0, &key, at)?;
                    let is_it = write.value.same(seen) == Some(true);
                    return is_it.then(|| Next::Write(write, format!("{}[{index}]", name())));
                }
                let (write, key) = self.only_with(stream, object.0, at, seen)?;
                let Key::Property(key) = key else { return None };
                Some(Next::Write(write, format!("{}[{key}]", name())))
            }
            _ => None,
        }
    }

    /// `generator.next()`: the `yield` that ran, or the `return`.
    fn next_of_generator(
        &self,
        spot: Spot,
        came: &CameBack,
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let [PathStep::Into(Step::Property(value)), rest @ ..] = way else {
            return None;
        };
        if value != "value" || !rest.is_empty() {
            return None;
        }
        let last = came.end.checked_sub(1)?;
        self.yielded(spot, last, seen, hops)
    }

    /// A `yield` that handed over a value at an event, or the `return` of a generator.
    fn yielded(&self, _spot: Spot, event: u32, seen: Seen, hops: &mut Vec<Hop>) -> Option<Next> {
        let it = *self.event(event)?;
        let function = self.call_of(it.call)?.function;
        if !self.model.tables.function(function)?.is_generator {
            return None;
        }
        if it.value.same(seen) != Some(true) {
            return None;
        }
        let (script, place) = self.place(it.site)?;
        let (at, value) = match (it.kind, place) {
            (
                Kind::Suspend,
                LoggedPlace::Suspend {
                    value,
                    is_yield: true,
                    delegates: false,
                },
            ) => (self.site(it.site)?.1.0, value?),
            (Kind::Return, LoggedPlace::Return(value)) => (self.site(it.site)?.1.0, value?),
            _ => return None,
        };
        let kind = match it.kind {
            Kind::Suspend => HopKind::Yield,
            _ => HopKind::Return,
        };
        let name = self.model.tables.function(function)?.name.clone();
        hops.extend(self.hop(kind, script, at, (it.stream, it.value), name));
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        Some(Next::Value {
            spot,
            value: Box::new(value),
            way: Vec::new(),
            seen,
        })
    }

    /// A `for-of` loop reached an element.
    pub(super) fn iterated(
        &self,
        spot: Spot,
        of: &Value,
        path: &[PathStep],
        (value, name): (Seen, String),
        at: ByteOffset,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let stream = spot.moment.stream;
        hops.extend(self.hop(HopKind::Iterator, spot.script, at, (stream, value), name));
        // Names of one pattern are told one after the other.
        let mut before = spot.moment.at;
        while let Some(event) = before.checked_sub(1).and_then(|before| self.event(before)) {
            before -= 1;
            if event.kind != Kind::Assign || event.call != spot.moment.call {
                break;
            }
        }
        let unknown = |why: &str| Next::unobserved(why.to_owned());
        let last = self.event(before).copied();
        if let Some(last) = last
            && last.call != spot.moment.call
            && self.call_of(last.call).is_some()
        {
            if path.is_empty()
                && let Some(next) = self.yielded(spot, before, value, hops)
            {
                return next;
            }
            let function = self.call_of(last.call).map(|call| call.function);
            let function = function.and_then(|it| self.model.tables.function(it));
            if last.kind == Kind::Return
                && function.is_some_and(|it| it.name.rsplit('.').next() == Some("next"))
            {
                let step = PathStep::Into(Step::Property("value".to_owned()));
                let way: Vec<PathStep> = std::iter::once(step).chain(path.to_vec()).collect();
                let name = "next()".to_owned();
                let (next, _) = self.taken(spot, last.value, &way, name, value, hops);
                return next.unwrap_or_else(|| unknown("what an iterator gave is no object"));
            }
        }
        let list = self.evaluated(spot, of, 0).and_then(Seen::object);
        let Some(list) = list else {
            return unknown("what is iterated is not in the log");
        };
        let class = self.model.object(stream, list.0).map_or(0, |it| it.class);
        let list_name = self.named(spot, of);
        let moment = spot.moment;
        match (self.model.text(stream, class), path) {
            ("Array", []) => {
                let passes = self.passes(spot);
                let key = Key::Property(passes.to_string());
                let by_count = self.property(stream, list.0, &key, moment.at);
                let by_count = by_count.filter(|write| write.value.same(value) == Some(true));
                let found = match by_count {
                    Some(write) => Some((write, key)),
                    None => self.only_with(stream, list.0, moment.at, value),
                };
                match found {
                    Some((write, Key::Property(index))) => {
                        Next::Write(write, format!("{list_name}[{index}]"))
                    }
                    _ => unknown("several elements of the list have that value, or none has"),
                }
            }
            ("Array", path) => {
                let passes = self.passes(spot);
                let key = Key::Property(passes.to_string());
                let element = self.property(stream, list.0, &key, moment.at);
                let Some(element) = element else {
                    let step = PathStep::Iterated(passes);
                    let way = (&step, path);
                    let next = match self.is_parsed(stream, list.0) {
                        true => self.of_parsed(spot, list.0, way, &list_name, value, hops),
                        false => self.born_value(stream, list.0, &key).and_then(|element| {
                            let name = format!("{list_name}[{passes}]");
                            self.taken(spot, element, path, name, value, hops).0
                        }),
                    };
                    let why = "the element that is taken apart is not in the log";
                    return next.unwrap_or_else(|| unknown(why));
                };
                let name = format!("{list_name}[{passes}]");
                let (next, _) = self.taken(spot, element.value, path, name, value, hops);
                next.unwrap_or_else(|| unknown("an element that is taken apart is no object"))
            }
            ("Map" | "Set", [] | [PathStep::Iterated(1)]) => {
                match self.only_with(stream, list.0, moment.at, value) {
                    Some((write, Key::Entry(key))) => Next::Write(
                        write,
                        format!("{list_name}.get({})", serde_json::Value::from(key.as_str())),
                    ),
                    _ => unknown("several entries have that value, or none has"),
                }
            }
            _ => unknown("what is iterated is no array, and is not followed"),
        }
    }

    /// How many passes a loop has made before in the same call.
    fn passes(&self, spot: Spot) -> usize {
        let Some(own) = self.event(spot.moment.at) else {
            return 0;
        };
        let variable = self.model.site(own.site).map(|site| site.variable);
        let writes = variable.and_then(|variable| self.model.variables.get(&variable.0));
        let writes = writes.into_iter().flatten().filter(|write| {
            write.event < spot.moment.at
                && self
                    .event(write.event)
                    .is_some_and(|event| event.call == own.call && event.site == own.site)
        });
        writes.count()
    }

    /// What `push`, `set` or `add` wrote.
    pub(super) fn by_call(&self, spot: Spot, write: &Write, call: &Call) -> Next {
        let method = call.method.as_deref().unwrap_or_default();
        let unfollowed = || Next::unobserved(format!("what `{method}` writes is not followed"));
        if call.arguments.iter().any(|argument| argument.is_spread) {
            return unfollowed();
        }
        let Target::Key { object, key, .. } = write.target else {
            return unfollowed();
        };
        let number = match (method, self.model.keys.get(key as usize)) {
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
            ("defineProperty" | "set", Some(Key::Property(_))) => {
                return self.reflected_write(spot, write, call);
            }
            _ => return unfollowed(),
        };
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
                let name = name_of(&key);
                let list = call.receiver.as_ref();
                let list = list.map(|list| self.named(spot, list)).unwrap_or_default();
                Next::Write(write, format!("{list}{}", super::writes::key_behind(&name)))
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

    /// How many elements of a list have a value.
    fn count_with(&self, stream: u16, object: u32, at: u32, seen: Seen) -> usize {
        let mut count = 0;
        let mut last = NONE;
        for write in self.model.writes_of(stream, object) {
            if write.key == last {
                continue;
            }
            last = write.key;
            let Some(key @ Key::Property(name)) = self.model.keys.get(write.key as usize) else {
                continue;
            };
            let is_element = name.bytes().all(|byte| byte.is_ascii_digit());
            let write = self.property(stream, object, key, at);
            let is_it = write.is_some_and(|write| write.value.same(seen) == Some(true));
            count += usize::from(is_element && is_it);
        }
        count
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

    /// Whether an object is what `JSON.parse` or `structuredClone` made, or what a response held.
    pub(super) fn is_parsed(&self, stream: u16, object: u32) -> bool {
        self.maker(stream, object).is_some_and(|(_, call, _)| {
            matches!(
                call.global.as_deref(),
                Some("JSON.parse" | "structuredClone" | "Object.entries")
            )
        })
    }

    /// The call of a built-in that made an object.
    pub(super) fn maker(&self, stream: u16, object: u32) -> Option<(Spot, Box<Call>, CameBack)> {
        let (event, Kind::CallEnd) = self.seen_first(stream, object)? else {
            return None;
        };
        let site = self.event(event)?.site;
        let (script, LoggedPlace::Call(call)) = self.place(site)? else {
            return None;
        };
        let spot = Spot {
            script,
            moment: self.moment(event)?,
        };
        Some((spot, call, self.came_back_at(site, event)?))
    }

    /// What is behind some steps in what `JSON.parse` or `structuredClone` made.
    pub(super) fn of_parsed(
        &self,
        reading: Spot,
        object: u32,
        (step, behind): (&PathStep, &[PathStep]),
        name: &str,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = reading.moment.stream;
        let (spot, call, came) = self.maker(stream, object)?;
        let mut name = name.to_owned();
        for step in behind {
            match step {
                PathStep::Into(step) => {
                    let Some(Key::Property(key)) = self.step_key(reading, step) else {
                        return None;
                    };
                    name.push_str(&super::writes::key_behind(&key));
                }
                PathStep::Iterated(number) => name.push_str(&format!("[{number}]")),
                PathStep::Default(_) | PathStep::Rest(_) => return None,
            }
        }
        let of = call.arguments.first().filter(|it| !it.is_spread)?;
        let at = call.span.start;
        if call.global.as_deref() == Some("Object.entries") {
            return self.of_entries_of(spot, &of.value, came.step, behind, seen);
        }
        if call.global.as_deref() == Some("structuredClone") {
            hops.extend(self.hop(HopKind::Clone, spot.script, at, (stream, seen), name));
            let source = self.evaluated(spot, &of.value, 0)?;
            // Keys were worked out where they are read.
            let mut way = Vec::new();
            for step in std::iter::once(step).chain(behind) {
                way.push(match step {
                    PathStep::Into(step) => {
                        let Key::Property(key) = self.step_key(reading, step)? else {
                            return None;
                        };
                        PathStep::Into(Step::Key(key))
                    }
                    step => step.clone(),
                });
            }
            let name = self.named(spot, &of.value);
            return self.taken(spot, source, &way, name, seen, hops).0;
        }
        if call.arguments.len() > 1 {
            // A reviver gave it: the only one of its calls that did, for that key.
            let last = behind.last().unwrap_or(step);
            let PathStep::Into(last) = last else {
                return None;
            };
            let Key::Property(key) = self.step_key(reading, last)? else {
                return None;
            };
            let mut gave = came.calls.iter().copied().filter(|&number| {
                self.call_of(number).is_some_and(|own| {
                    let arguments = self.model.arguments_of(own).unwrap_or_default();
                    let is_key = matches!(arguments.first(), Some(Seen::String(id)) if self.model.text(stream, id.0) == key);
                    is_key
                        && matches!(own.outcome, CallOutcome::Returned(value) if value.same(seen) == Some(true))
                })
            });
            let (Some(only), None) = (gave.next(), gave.next()) else {
                return None;
            };
            return Some(Next::Return {
                call: only,
                name,
                way: Vec::new(),
                seen,
            });
        }
        hops.extend(self.hop(HopKind::Property, spot.script, at, (stream, seen), name));
        let callee = call.callee.as_ref()?;
        self.passed_on(HopKind::Json, spot, callee, &of.value, hops)
    }

    /// `Object.entries(object)[n][1]`: the only property of the object that has the value.
    fn of_entries_of(
        &self,
        spot: Spot,
        of: &Value,
        at: u32,
        behind: &[PathStep],
        seen: Seen,
    ) -> Option<Next> {
        let is_value = match behind {
            [PathStep::Iterated(number)] => *number == 1,
            [PathStep::Into(step)] => {
                self.step_key(spot, step) == Some(Key::Property("1".to_owned()))
            }
            _ => false,
        };
        let object = self.evaluated(spot, of, 0)?.object()?;
        let (write, key) = self.only_property(spot.moment.stream, object.0, at, seen)?;
        is_value.then(|| {
            let behind = super::writes::key_behind(&name_of(&key));
            Next::Write(write, format!("{}{behind}", self.named(spot, of)))
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
                    let behind = super::writes::key_behind(key);
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

    /// What made an object that no write in the log filled: a rest element, a built-in.
    pub(super) fn born(
        &self,
        spot: Spot,
        object: u32,
        key: &Key,
        name: &str,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let (event, kind) = self.seen_first(stream, object)?;
        let it = *self.event(event)?;
        let Key::Property(key) = key else { return None };
        let index = key.parse::<usize>().ok();
        match kind {
            Kind::Assign => {
                let LoggedPlace::Written { written, .. } = self.place(it.site)?.1 else {
                    return None;
                };
                if let Written::Value { value, path } = &written {
                    let (script, _) = self.place(it.site)?;
                    let made = Spot {
                        script,
                        moment: self.moment(event)?,
                    };
                    return self.rest_of(made, value, path, (key, name), seen, hops);
                }
                let Written::Parameter {
                    index: first,
                    is_rest: true,
                    path,
                } = written
                else {
                    return None;
                };
                let number = u32::try_from(first.checked_add(index?)?).ok()?;
                let call = self.call_of(it.call)?;
                let passed = self.model.arguments_of(call)?.get(number as usize);
                // An arrow function does not tell what it was passed, where it takes it apart.
                let is_known = passed.is_some() || call.this != Seen::Unknown;
                let is_same = passed.map(|passed| passed.same(seen)) == Some(Some(true));
                let is_it = path.is_empty() && (is_same || !is_known);
                is_it.then(|| self.parameter(it.call, number, name.to_owned(), &[], seen, hops))
            }
            Kind::Resume => self.of_all(event, index?, seen),
            Kind::CallEnd => {
                let (script, LoggedPlace::Call(call)) = self.place(it.site)? else {
                    return None;
                };
                let made = Spot {
                    script,
                    moment: self.moment(event)?,
                };
                let came = self.came_back_at(it.site, event)?;
                self.of_built_in(made, &call, &came, (key, name), seen, hops)
            }
            _ => None,
        }
    }

    /// What a rest element took: the same key of what is taken apart, or an element behind.
    fn rest_of(
        &self,
        spot: Spot,
        value: &Value,
        path: &[PathStep],
        (key, name): (&str, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (PathStep::Rest(first), before) = path.split_last()? else {
            return None;
        };
        let key = match key.parse::<usize>() {
            Ok(index) => (index + first).to_string(),
            Err(_) => key.to_owned(),
        };
        let source = self.evaluated(spot, value, 0)?;
        let mut way = before.to_vec();
        way.push(PathStep::Into(Step::Key(key)));
        let at = value.span.start;
        let stream = spot.moment.stream;
        hops.extend(self.hop(
            HopKind::Destructuring,
            spot.script,
            at,
            (stream, seen),
            name.to_owned(),
        ));
        let name = self.named(spot, value);
        self.taken(spot, source, &way, name, seen, hops).0
    }

    /// What an element of an array is that a built-in made of what a callback returned.
    pub(super) fn born_value(&self, stream: u16, object: u32, key: &Key) -> Option<Seen> {
        let (spot, call, came) = self.maker(stream, object)?;
        if call.kind == CallKind::New && call.global.as_deref().is_some_and(is_event) {
            let given = self.evaluated(spot, &call.arguments.get(1)?.value, 0)?;
            let write = self.property(stream, given.object()?.0, key, spot.moment.at)?;
            return Some(write.value);
        }
        let Key::Property(key) = key else { return None };
        let index = key.parse::<usize>().ok()?;
        let is_map =
            call.method.as_deref() == Some("map") || call.global.as_deref() == Some("Array.from");
        if !is_map || call.kind != CallKind::Plain {
            return None;
        }
        match self.call_of(*came.calls.get(index)?)?.outcome {
            CallOutcome::Returned(value) if value != Seen::Unknown => Some(value),
            _ => None,
        }
    }

    /// What is in the object that a built-in made.
    fn of_built_in(
        &self,
        spot: Spot,
        call: &Call,
        came: &CameBack,
        (key, name): (&str, &str),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let index = key.parse::<usize>().ok();
        let method = call.method.as_deref().unwrap_or_default();
        let global = call.global.as_deref().unwrap_or_default();
        if call.kind == CallKind::New && global.ends_with("Error") && key == "message" {
            let message = call.arguments.first().filter(|it| !it.is_spread)?;
            let at = call.span.start;
            hops.extend(self.hop(
                HopKind::Property,
                spot.script,
                at,
                (stream, seen),
                name.to_owned(),
            ));
            return Some(Next::Value {
                spot,
                value: Box::new(message.value.clone()),
                way: Vec::new(),
                seen,
            });
        }
        if call.kind == CallKind::New && is_event(global) {
            return self.of_event(spot, call, (key, name), seen, hops);
        }
        if call.kind != CallKind::Plain {
            return None;
        }
        match (method, global) {
            (_, "Object.create") => {
                let of = call.arguments.first().filter(|it| !it.is_spread)?;
                let object = self.evaluated(spot, &of.value, 0)?.object()?;
                let key = Key::Property(key.to_owned());
                let write = self.property(stream, object.0, &key, spot.moment.at)?;
                if write.value.same(seen) != Some(true) {
                    return None;
                }
                let behind = super::writes::key_behind(&name_of(&key));
                Some(Next::Write(
                    write,
                    format!("{}{behind}", self.named(spot, &of.value)),
                ))
            }
            ("map", _) | (_, "Array.from") if !came.calls.is_empty() => {
                let &number = came.calls.get(index?)?;
                let outcome = self.call_of(number)?.outcome;
                matches!(outcome, CallOutcome::Returned(value) if value.same(seen) == Some(true))
                    .then(|| Next::Return {
                        call: number,
                        name: name.to_owned(),
                        way: Vec::new(),
                        seen,
                    })
            }
            ("filter", _) if !came.calls.is_empty() => {
                let kept = came.calls.iter().zip(0usize..).filter(|(number, _)| {
                    let outcome = self.call_of(**number).map(|call| call.outcome);
                    matches!(outcome, Some(CallOutcome::Returned(value)) if self.is_true(stream, value))
                });
                let (_, from) = kept.into_iter().nth(index?)?;
                let list = call.receiver.as_ref()?;
                let object = self.evaluated(spot, list, 0)?.object()?;
                let key = Key::Property(from.to_string());
                let write = self.property(stream, object.0, &key, came.step)?;
                (write.value.same(seen) == Some(true))
                    .then(|| Next::Write(write, format!("{}[{from}]", self.named(spot, list))))
            }
            (
                "slice" | "concat" | "flat" | "toSorted" | "toReversed" | "splice" | "toSpliced",
                _,
            )
            | (_, "Array.from" | "Object.values") => {
                // The element is the only one of all lists that has the value.
                let receiver = match global {
                    "Array.from" | "Object.values" => None,
                    _ => call.receiver.as_ref(),
                };
                let arguments = call.arguments.iter().map(|argument| &argument.value);
                let mut found: Option<(Write, String)> = None;
                for list in receiver.into_iter().chain(arguments) {
                    let of = self.evaluated(spot, list, 0);
                    let Some(object) = of.and_then(Seen::object) else {
                        // A value that `concat` appends, or `splice` puts in, may be it.
                        let appends = matches!(method, "concat" | "toSpliced");
                        if appends && of.is_none_or(|of| of.same(seen) != Some(false)) {
                            return None;
                        }
                        continue;
                    };
                    let only = match global {
                        "Object.values" => self.only_property(stream, object.0, came.step, seen),
                        _ => self.only_with(stream, object.0, came.step, seen),
                    };
                    if let Some((write, key)) = only {
                        if found.is_some() {
                            return None;
                        }
                        let behind = super::writes::key_behind(&name_of(&key));
                        found = Some((write, format!("{}{behind}", self.named(spot, list))));
                    }
                }
                found.map(|(write, name)| Next::Write(write, name))
            }
            ("next", _) => {
                let step = PathStep::Into(Step::Property(key.to_owned()));
                self.next_of_generator(spot, came, &[step], seen, hops)
            }
            _ => None,
        }
    }

    /// The only property of an object that has a value.
    fn only_property(&self, stream: u16, object: u32, at: u32, seen: Seen) -> Option<(Write, Key)> {
        let mut found: Option<(Write, Key)> = None;
        let mut last = NONE;
        for write in self.model.writes_of(stream, object) {
            if write.key == last {
                continue;
            }
            last = write.key;
            let key = self.model.keys.get(write.key as usize)?;
            let write = self.property(stream, object, key, at);
            if let Some(write) = write.filter(|write| write.value.same(seen) == Some(true)) {
                if found.is_some() {
                    return None;
                }
                found = Some((write, key.clone()));
            }
        }
        found
    }

    /// Whether a value is taken for true.
    fn is_true(&self, stream: u16, value: Seen) -> bool {
        match value {
            Seen::Undefined | Seen::Null | Seen::Absent | Seen::Unknown => false,
            Seen::Boolean(value) => value,
            Seen::Number(number) => number != 0.0 && !number.is_nan(),
            Seen::String(id) => !self.model.text(stream, id.0).is_empty(),
            Seen::BigInt(id) => self.model.text(stream, id.0) != "0",
            _ => true,
        }
    }

    /// A built-in called the function: what it handed over.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a parameter is, and the call"
    )]
    pub(super) fn by_callback(
        &self,
        number: u32,
        index: usize,
        (name, way): (String, &[PathStep]),
        spot: Spot,
        call: &Call,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let unknown = || Next::unobserved("what called the function is not followed");
        let method = call.method.as_deref().unwrap_or_default();
        let Some(own) = self.call_of(number) else {
            return unknown();
        };
        let stream = own.stream;
        let is_callback = call
            .arguments
            .iter()
            .take(2)
            .any(|argument| self.is_function(spot, &argument.value, number));
        if method == "dispatchEvent" && way.is_empty() {
            let given = (index, name);
            return self
                .dispatched(spot, call, given, seen, hops)
                .unwrap_or_else(unknown);
        }
        if !is_callback {
            return unknown();
        }
        let Some(step) = self.last_at(own.site, Kind::Step, spot.moment) else {
            return unknown();
        };
        // Which of the calls of the built-in it is.
        let made = self.calls_at(own.parent, own.site, step, own.enter).len();
        let list = match (method, call.global.as_deref()) {
            ("from", Some("Array.from")) => call.arguments.first().map(|argument| &argument.value),
            ("from", _) => None,
            _ => call.receiver.as_ref(),
        };
        let Some(list) = list else {
            return unknown();
        };
        let is_reduce = matches!(method, "reduce" | "reduceRight");
        let has_first = call.arguments.len() > 1;
        let element = match (method, index) {
            ("findLast" | "findLastIndex" | "reduceRight", _) => None,
            (_, 0) if OF_EACH.contains(&method) => Some(made),
            ("reduce", 0) if made == 0 && !has_first => Some(0),
            ("reduce", 1) => Some(made + usize::from(!has_first)),
            _ => None,
        };
        let at = call.span.start;
        let hop = self.hop(
            HopKind::Callback,
            spot.script,
            at,
            (stream, seen),
            name.clone(),
        );
        if is_reduce && index == 0 && made > 0 {
            let before = self.calls_at(own.parent, own.site, step, own.enter);
            let Some(&before) = before.last() else {
                return unknown();
            };
            hops.extend(hop);
            return Next::Return {
                call: before,
                name,
                way: way.to_vec(),
                seen,
            };
        }
        if method == "reduce" && index == 0 && has_first {
            hops.extend(hop);
            return Next::Value {
                spot,
                value: Box::new(call.arguments[1].value.clone()),
                way: way.to_vec(),
                seen,
            };
        }
        let Some(object) = self.evaluated(spot, list, 0).and_then(Seen::object) else {
            hops.extend(hop);
            return Next::unobserved("the list is not in the log");
        };
        let list_name = self.named(spot, list);
        if let Some(element) = element {
            let key = Key::Property(element.to_string());
            let moment_at = own.enter;
            let passed = self.model.arguments_of(own).unwrap_or_default();
            // An arrow function that takes it apart does not tell what was passed.
            let passed = passed.get(index).copied();
            let passed = passed.or((way.is_empty()).then_some(seen));
            let write = self.property(stream, object.0, &key, moment_at);
            let write = write
                .filter(|write| passed.is_none_or(|passed| write.value.same(passed) == Some(true)));
            hops.extend(hop);
            let element_name = format!("{list_name}[{element}]");
            let Some(write) = write else {
                let next = match way.is_empty() {
                    true => self.born(spot, object.0, &key, &element_name, seen, hops),
                    false => self.born_value(stream, object.0, &key).and_then(|element| {
                        self.taken(spot, element, way, element_name.clone(), seen, hops)
                            .0
                    }),
                };
                return next.unwrap_or_else(|| {
                    Next::unobserved(format!("{element_name} is not in the log"))
                });
            };
            if way.is_empty() {
                return Next::Write(write, element_name);
            }
            let (next, _) = self.taken(spot, write.value, way, element_name, seen, hops);
            return next.unwrap_or_else(unknown);
        }
        if !way.is_empty() {
            return unknown();
        }
        // Of `sort`, `forEach` of a map, and others: the only element that has the value.
        match self.only_with(stream, object.0, own.enter, seen) {
            Some((write, key))
                if matches!(
                    method,
                    "sort" | "toSorted" | "forEach" | "findLast" | "findLastIndex" | "reduceRight"
                ) =>
            {
                hops.extend(hop);
                let behind = super::writes::key_behind(&name_of(&key));
                Next::Write(write, format!("{list_name}{behind}"))
            }
            _ => {
                hops.extend(hop);
                if matches!((method, index), ("replace" | "replaceAll", 0)) {
                    return self.ended(EndKind::Computation, spot, list, Some(list_name));
                }
                Next::unobserved("several elements of the list have that value, or none has")
            }
        }
    }
}

/// Whether it is the name of a class of events.
pub(super) fn is_event(name: &str) -> bool {
    name.ends_with("Event")
}

fn name_of(key: &Key) -> String {
    match key {
        Key::Property(name) | Key::Entry(name) | Key::Symbol(_, _, name) => name.clone(),
    }
}
