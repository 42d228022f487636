//! Elements of arrays and entries of maps: which one a read, a built-in or a loop gave.

use event_log::model::{Key, Kind, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Form, PathStep, Step, Value};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::moments::CameBack;
use super::writes::{Write, any_key_behind};
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// Goes on at an element of a list.
    pub(super) fn element_of(
        &self,
        spot: Spot,
        list: &Value,
        index: usize,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let name = format!("{}[{index}]", self.named(spot, list));
        if let Some(next) = self.of_arguments_list(spot, list, index, seen, hops) {
            return next;
        }
        let before = hops.len();
        if let Some(next) = self.iterated_element(spot, list, (index, spot.moment.at), seen, hops) {
            return next;
        }
        hops.truncate(before);
        let object = self.evaluated(spot, list, 0).and_then(Seen::object);
        let Some(object) = object else {
            return Next::unobserved(format!("the list of {name} is not in the log"));
        };
        let key = Key::Property(index.to_string());
        let Moment { stream, at, .. } = spot.moment;
        match self.property(stream, object.0, &key, at) {
            Some(write) if write.value.same(seen) == Some(true) => Next::Write(write, name),
            _ => match self.born(spot, object.0, &key, &name, seen, hops) {
                Some(next) => next,
                None => Next::unobserved(format!("{name} had another value in the log")),
            },
        }
    }

    /// The keys of an object that have a value just before an event, each with its last write.
    fn keys_with(
        &self,
        (stream, object): (u16, u32),
        at: u32,
        seen: Seen,
    ) -> impl Iterator<Item = (Write, &Key)> {
        let mut last = NONE;
        let keys = self.model.writes_of(stream, object).iter();
        let keys = keys.filter(move |write| std::mem::replace(&mut last, write.key) != write.key);
        let written = keys.filter_map(move |write| {
            let key = self.model.keys.get(write.key as usize)?;
            let write = self.property(stream, object, key, at)?;
            (write.value.same(seen) == Some(true)).then_some((write, key))
        });
        let kept = self.kept_in_rest(stream, object, at).into_iter();
        written.chain(kept.filter(move |(write, _)| write.value.same(seen) == Some(true)))
    }

    /// The only element or entry of an object that has a value.
    pub(super) fn only_with(
        &self,
        stream: u16,
        object: u32,
        at: u32,
        seen: Seen,
    ) -> Option<(Write, Key)> {
        let found = self.keys_with((stream, object), at, seen);
        only(found.filter(|(_, key)| matches!(key, Key::Entry(_)) || is_element(key)))
    }

    /// The only element of a list, or of those inside it down to a depth, that has a value, and what is behind the
    /// list's name there.
    pub(super) fn only_in_flat(
        &self,
        list: (u16, u32),
        at: u32,
        seen: Seen,
        depth: u32,
    ) -> Option<(Write, String)> {
        let mut found = Vec::new();
        self.all_in_flat((list, ""), at, seen, depth, &mut found);
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    fn all_in_flat(
        &self,
        (list, behind): ((u16, u32), &str),
        at: u32,
        seen: Seen,
        depth: u32,
        found: &mut Vec<(Write, String)>,
    ) {
        let own = self.keys_with(list, at, seen);
        let own = own.filter(|(_, key)| is_element(key));
        found.extend(own.map(|(write, key)| (write, format!("{behind}{}", any_key_behind(key)))));
        // Two are too many.
        if depth == 0 || found.len() > 1 {
            return;
        }
        for (inner, key) in self.lists_inside(list, at) {
            let behind = format!("{behind}{}", any_key_behind(key));
            self.all_in_flat(((list.0, inner), &behind), at, seen, depth - 1, found);
        }
    }

    /// The lists that are elements of a list just before an event.
    fn lists_inside(
        &self,
        (stream, object): (u16, u32),
        at: u32,
    ) -> impl Iterator<Item = (u32, &Key)> {
        let mut last = NONE;
        let keys = self.model.writes_of(stream, object).iter();
        let keys = keys.filter(move |write| std::mem::replace(&mut last, write.key) != write.key);
        keys.filter_map(move |write| {
            let key = self.model.keys.get(write.key as usize)?;
            let inner = self.property(stream, object, key, at)?.value.object()?.0;
            (is_element(key) && self.class_of(stream, inner) == "Array").then_some((inner, key))
        })
    }

    /// The only key of an object that has a value.
    pub(super) fn only_property(
        &self,
        stream: u16,
        object: u32,
        at: u32,
        seen: Seen,
    ) -> Option<(Write, Key)> {
        only(self.keys_with((stream, object), at, seen))
    }

    /// The entries of a map just before an event, in their order.
    pub(super) fn entries_before(&self, stream: u16, map: u32, at: u32) -> Vec<(Write, &Key)> {
        let mut last = NONE;
        let keys = self.model.writes_of(stream, map).iter();
        let keys = keys.filter(move |write| std::mem::replace(&mut last, write.key) != write.key);
        let entries = keys.filter_map(|write| {
            let key = self.model.keys.get(write.key as usize)?;
            let own = self.property(stream, map, key, at)?;
            let is_there = matches!(key, Key::Entry(_)) && own.value != Seen::Absent;
            if !is_there {
                return None;
            }
            // An entry has its place from where it was put in: to set it again changes nothing.
            let before = self.model.writes_of_key(stream, map, write.key);
            let before = before.iter().take_while(|write| write.event < at);
            let mut first = None;
            for write in before {
                match self.model.written(write) {
                    Seen::Absent => first = None,
                    _ => first = first.or(Some((write.event, write.listed))),
                }
            }
            Some((first?, own, key))
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|(first, ..)| *first);
        let entries = entries.into_iter().map(|(_, own, key)| (own, key));
        entries.collect()
    }

    /// How many elements of a list have a value.
    pub(super) fn count_with(&self, stream: u16, object: u32, at: u32, seen: Seen) -> usize {
        let found = self.keys_with((stream, object), at, seen);
        found.filter(|(_, key)| is_element(key)).count()
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
                let only = match came.calls.as_slice() {
                    &[only] => only,
                    // To read a variable calls no getter.
                    [] if matches!(&receiver.form, Form::Reference(of) if of.steps.is_empty()) => {
                        self.getter_called_at(came)?
                    }
                    _ => return None,
                };
                let is_it =
                    self.is_function(spot, receiver, only) || self.is_called_on(spot, call, only);
                is_it.then(|| Next::Return {
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
            "get" => self
                .entry(spot, call, seen)
                .or_else(|| self.weak_entry(spot, call, seen)),
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
                // The list may be a literal at the call: what is in it is told with the event behind it.
                let at = match self.seen_first(stream, object.0) {
                    Some((made, Kind::Create)) if made > came.step => made.saturating_add(2),
                    _ => came.step,
                };
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
        if self.is_awaiting(spot, of) {
            let next = self.awaited_element(spot, (of, path), value, before, hops);
            let why = "what the loop waited for is not in the log";
            return next.unwrap_or_else(|| unknown(why));
        }
        let last = self.event(before).copied();
        if let Some(last) = last
            && last.call != spot.moment.call
            && self.call_of(last.call).is_some()
        {
            let yielded = match path {
                [] => self.yielded(spot, before, value, hops),
                path => self.part_of_yielded(before, path, value, hops),
            };
            if let Some(next) = yielded {
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
        let list_name = self.named(spot, of);
        let moment = spot.moment;
        let mut path = path;
        let mut list = list;
        if let Some((source, method, _)) = self.iterator_of(stream, list.0)
            && method == "entries"
        {
            list = event_log::ids::ObjectId(source);
            if self.class_of(stream, source) == "Array" {
                match path {
                    [PathStep::Iterated(1), rest @ ..] => path = rest,
                    _ => return self.position(spot, of),
                }
            }
        }
        match (self.class_of(stream, list.0), path) {
            ("Array", []) => {
                let Some(passes) = self.passes(spot, of) else {
                    return unknown("which element the loop had reached is not in the log");
                };
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
                    _ => {
                        // What a rest element or a built-in made.
                        let key = Key::Property(passes.to_string());
                        let name = format!("{list_name}[{passes}]");
                        let born = self.born(spot, list.0, &key, &name, value, hops);
                        let why = "several elements of the list have that value, or none has";
                        born.unwrap_or_else(|| unknown(why))
                    }
                }
            }
            ("Array", path) => {
                let Some(passes) = self.passes(spot, of) else {
                    return unknown("which element the loop had reached is not in the log");
                };
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
            ("Set", []) => {
                let before = hops.len();
                let member = self.member(stream, list.0, moment.at, (value, &list_name), hops);
                member.unwrap_or_else(|| {
                    hops.truncate(before);
                    unknown("who put the member into the set is not in the log")
                })
            }
            ("Map", [PathStep::Iterated(part @ 0)]) => {
                let entry = (list.0, list_name.as_str());
                let place = (*part, moment.at);
                let next = self.part_of_entry(stream, entry, place, value, hops);
                next.unwrap_or_else(|| unknown("who wrote the entry is not in the log"))
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
            (_, []) => {
                let next = self.passes(spot, of).and_then(|passes| {
                    self.iterated_element(spot, of, (passes, moment.at), value, hops)
                });
                next.unwrap_or_else(|| unknown("what is iterated is no array, and is not followed"))
            }
            _ => unknown("what is iterated is no array, and is not followed"),
        }
    }

    /// The position of an element in its list, which no code of the page made.
    pub(super) fn position(&self, spot: Spot, list: &Value) -> Next {
        let detail = format!("the position of an element of {}", self.named(spot, list));
        self.ended(EndKind::Computation, spot, list, Some(detail))
    }
}

/// What is found, if it is found once.
fn only<'k>(mut found: impl Iterator<Item = (Write, &'k Key)>) -> Option<(Write, Key)> {
    match (found.next(), found.next()) {
        (Some((write, key)), None) => Some((write, key.clone())),
        _ => None,
    }
}

/// Whether a key is the index of an element.
fn is_element(key: &Key) -> bool {
    matches!(key, Key::Property(name) if name.bytes().all(|byte| byte.is_ascii_digit()))
}
