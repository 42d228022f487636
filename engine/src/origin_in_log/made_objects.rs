//! What is in an object that no write in the log filled: a rest element, what a built-in made, what was parsed.

use event_log::model::{CallOutcome, Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, LoggedPlace, PathStep, Step, Value, Written};
use querypoint::answer::{Hop, HopKind};

use super::moments::CameBack;
use super::parameters::is_arguments;
use super::writes::{Write, any_key_behind, key_behind};
use super::{InLog, Next, Spot};

impl InLog<'_> {
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
        let (event, spot, call) = self.first_given_by(stream, object)?;
        let came = self.came_back_at(self.event(event)?.site, event)?;
        Some((spot, call, came))
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
                    name.push_str(&key_behind(&key));
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
        hops.extend(self.hop(HopKind::Property, spot.script, at, (stream, seen), name));
        let callee = call.callee.as_ref()?;
        let mut way = Vec::new();
        for step in std::iter::once(step).chain(behind) {
            way.push(Step::Key(match step {
                PathStep::Into(step) => match self.step_key(reading, step)? {
                    Key::Property(key) => key,
                    _ => return None,
                },
                PathStep::Iterated(number) => number.to_string(),
                PathStep::Default(_) | PathStep::Rest(_) => return None,
            }));
        }
        self.enter_text(Some(way), self.shown(stream, seen));
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
            let behind = any_key_behind(&key);
            Next::Write(write, format!("{}{behind}", self.named(spot, of)))
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
        if key == "cause" {
            let before = hops.len();
            match self.of_cause((stream, object), (name, seen), hops) {
                Some(next) => return Some(next),
                None => hops.truncate(before),
            }
        }
        if let Some(index) = index {
            let before = hops.len();
            let element = (index, name);
            let passed = self.of_arguments_object(stream, object, element, seen, hops);
            let passed =
                passed.or_else(|| self.of_trapped_call((stream, object), element, seen, hops));
            match passed {
                Some(next) => return Some(next),
                None => hops.truncate(before),
            }
        }
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
                if let Written::Parameter {
                    index: argument,
                    is_rest: false,
                    path,
                } = &written
                {
                    let way = way_to_rest(path, key)?;
                    if let Some((script, moment)) =
                        self.place(it.site).map(|it| it.0).zip(self.moment(event))
                    {
                        self.enter_pattern(Spot { script, moment }, &way);
                    }
                    let argument = u32::try_from(*argument).ok()?;
                    let name = name.to_owned();
                    return Some(self.parameter(it.call, argument, name, &way, seen, hops));
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
            Kind::Contents | Kind::Create => {
                self.of_pair((object, event), (key, index?), seen, hops)
            }
            Kind::CallEnd => {
                let (made, call) = self.call_text(event)?;
                let came = self.came_back_at(it.site, event)?;
                self.of_built_in(made, &call, &came, (key, name), seen, hops)
            }
            _ => self.revived(it.call, object, (key, name), seen),
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
        let way = way_to_rest(path, key)?;
        self.enter_pattern(spot, &way);
        let source = self.evaluated(spot, value, 0)?;
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
        if let Key::Property(key) = key
            && let Some(value) = self.revived_value(stream, object, key)
        {
            return Some(value);
        }
        if matches!(key, Key::Property(key) if key == "cause")
            && let Some(cause) = self.cause_of(stream, object)
        {
            return Some(cause);
        }
        if let Key::Property(key) = key
            && let Some(value) = self.value_in_pair(stream, object, key)
        {
            return Some(value);
        }
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
        let by_name = self.as_method_call(spot, call, &came.calls);
        let call = by_name.as_ref().unwrap_or(call);
        let method = call.method.as_deref().unwrap_or_default();
        let global = call.global.as_deref().unwrap_or_default();
        if call.kind == CallKind::New && is_event(global) {
            return self.of_event(spot, call, (key, name), seen, hops);
        }
        if call.kind != CallKind::Plain {
            return None;
        }
        if method == "concat"
            && let Some(next) =
                index.and_then(|index| self.of_concat(spot, call, index, seen, hops))
        {
            return Some(next);
        }
        match (method, global) {
            (_, "Object.create") => {
                if let Some(descriptions) = call.arguments.get(1).filter(|it| !it.is_spread)
                    && let Some(next) = self.of_description_in(spot, &descriptions.value, key, seen)
                {
                    return Some(next);
                }
                let of = call.arguments.first().filter(|it| !it.is_spread)?;
                let object = self.evaluated(spot, &of.value, 0)?.object()?;
                let key = Key::Property(key.to_owned());
                let write = self.property(stream, object.0, &key, spot.moment.at)?;
                if write.value.same(seen) != Some(true) {
                    return None;
                }
                let behind = any_key_behind(&key);
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
                let at = self.before_call(stream, object.0, came);
                let write = self.property(stream, object.0, &key, at)?;
                (write.value.same(seen) == Some(true))
                    .then(|| Next::Write(write, format!("{}[{from}]", self.named(spot, list))))
            }
            ("with", _) => {
                let [place, put_in] = call.arguments.as_slice() else {
                    return None;
                };
                if place.is_spread || put_in.is_spread {
                    return None;
                }
                let index = index?;
                let place: i64 = self.key_text(spot, &place.value)?.parse().ok()?;
                let list = call.receiver.as_ref()?;
                let object = self.evaluated(spot, list, 0)?.object()?;
                let at = self.before_call(stream, object.0, came);
                let length = (0usize..).take_while(|index| {
                    let key = Key::Property(index.to_string());
                    self.property(stream, object.0, &key, at).is_some()
                });
                let place = match place < 0 {
                    true => i64::try_from(length.count()).ok()? + place,
                    false => place,
                };
                if i64::try_from(index) == Ok(place) {
                    return Some(Next::Value {
                        spot,
                        value: Box::new(put_in.value.clone()),
                        way: Vec::new(),
                        seen,
                    });
                }
                let key = Key::Property(index.to_string());
                let write = self.property(stream, object.0, &key, at)?;
                (write.value.same(seen) == Some(true))
                    .then(|| Next::Write(write, format!("{}[{index}]", self.named(spot, list))))
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
                let lists: Vec<&Value> = receiver.into_iter().chain(arguments).collect();
                if let Some(&list) = lists.iter().find(|list| is_arguments(list)) {
                    let passed = self.model.arguments_of(self.call_of(spot.moment.call)?)?;
                    let same = passed.iter().zip(0usize..);
                    let mut same = same.filter(|(value, _)| value.same(seen) == Some(true));
                    let from = match (global, same.next(), same.next()) {
                        ("Array.from", ..) => index?,
                        (_, Some((_, only)), None) => only,
                        _ => return None,
                    };
                    return self.of_arguments_list(spot, list, from, seen, hops);
                }
                let mut found: Option<(Write, String)> = None;
                for &list in &lists {
                    let of = self.evaluated(spot, list, 0);
                    let Some(object) = of.and_then(Seen::object) else {
                        // A value that `concat` appends, or `splice` puts in, may be it.
                        let appends = matches!(method, "concat" | "toSpliced");
                        if appends && of.is_none_or(|of| of.same(seen) != Some(false)) {
                            return None;
                        }
                        continue;
                    };
                    let at = self.before_call(stream, object.0, came);
                    let named = |(write, key)| (write, any_key_behind(&key));
                    let only = match (method, global) {
                        (_, "Object.values") => {
                            let only = self.only_property(stream, object.0, at, seen);
                            only.map(named)
                        }
                        ("flat", _) => {
                            let depth = self.flat_depth(spot, call)?;
                            self.only_in_flat((stream, object.0), at, seen, depth)
                        }
                        _ => self.only_with(stream, object.0, at, seen).map(named),
                    };
                    if let Some((write, behind)) = only {
                        if found.is_some() {
                            return None;
                        }
                        found = Some((write, format!("{}{behind}", self.named(spot, list))));
                    }
                }
                match found {
                    Some((write, name)) => Some(Next::Write(write, name)),
                    None => self.of_rest_in(spot, &lists, seen, hops),
                }
            }
            ("next", _) => {
                let step = PathStep::Into(Step::Property(key.to_owned()));
                self.next_of_generator(spot, came, &[step], seen, hops)
            }
            _ => None,
        }
    }

    /// How many lists inside one another `flat` takes apart; `None`: it is not known.
    fn flat_depth(&self, spot: Spot, call: &Call) -> Option<u32> {
        /// Lists inside one another that are looked through.
        const DEEPEST: u32 = 8;
        let Some(argument) = call.arguments.first() else {
            return Some(1);
        };
        // `1/0` is how minifiers write it.
        let is_infinite = matches!(
            self.text(spot, &argument.value).as_str(),
            "Infinity" | "1/0" | "1 / 0"
        );
        match self.evaluated(spot, &argument.value, 0) {
            _ if is_infinite => Some(DEEPEST),
            Some(Seen::Number(depth)) => Some((depth.max(0.0) as u32).min(DEEPEST)),
            _ => None,
        }
    }

    /// The only element of these lists that has the value, where one is a rest parameter: no write filled that.
    fn of_rest_in(
        &self,
        spot: Spot,
        lists: &[&Value],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let mut found = None;
        for list in lists {
            let Some(object) = self.evaluated(spot, list, 0).and_then(Seen::object) else {
                continue;
            };
            let passed = self.passed_to_rest(stream, object.0).unwrap_or_default();
            let same = passed.iter().zip(0usize..);
            for (_, index) in same.filter(|(value, _)| value.same(seen) == Some(true)) {
                if found.replace((*list, object.0, index)).is_some() {
                    return None;
                }
            }
        }
        let (list, object, index) = found?;
        let name = format!("{}[{index}]", self.named(spot, list));
        let key = Key::Property(index.to_string());
        self.born(spot, object, &key, &name, seen, hops)
    }

    /// What a rest parameter holds: the arguments that it took.
    pub(super) fn passed_to_rest(&self, stream: u16, object: u32) -> Option<&[Seen]> {
        let (call, index) = self.rest_of_call(stream, object)?;
        self.model.arguments_of(self.call_of(call)?)?.get(index..)
    }

    /// The call whose rest parameter an object is, and from which argument on it has them.
    pub(super) fn rest_of_call(&self, stream: u16, object: u32) -> Option<(u32, usize)> {
        let (event, Kind::Assign) = self.seen_first(stream, object)? else {
            return None;
        };
        let it = self.event(event)?;
        let (_, LoggedPlace::Written { written, .. }) = self.place(it.site)? else {
            return None;
        };
        match written {
            Written::Parameter {
                index,
                is_rest: true,
                path,
            } if path.is_empty() => Some((it.call, index)),
            _ => None,
        }
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
}

/// The way to a key of a rest element, in what is taken apart.
fn way_to_rest(path: &[PathStep], key: &str) -> Option<Vec<PathStep>> {
    let (PathStep::Rest(first), before) = path.split_last()? else {
        return None;
    };
    let key = match key.parse::<usize>() {
        Ok(index) => (index + first).to_string(),
        Err(_) => key.to_owned(),
    };
    let mut way = before.to_vec();
    way.push(PathStep::Into(Step::Key(key)));
    Some(way)
}

/// Whether it is the name of a class of events.
pub(super) fn is_event(name: &str) -> bool {
    name.ends_with("Event")
}
