//! What is iterated: members of sets, what a generator gave out, entries of maps; and calls of methods by their
//! objects.

use std::collections::HashMap;

use event_log::ids::SiteId;
use event_log::model::{Key, Kind, NONE};
use event_log::record::EXTENDS;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, CallKind, Form, LoggedPlace, Step, Value};
use querypoint::answer::{Hop, HopKind};

use super::writes::{Target, Write, any_key_behind};
use super::{InLog, Next, Spot};

/// Instead of the name of a method that is computed: `object[key]()`.
pub(super) const COMPUTED: &str = "[computed]";
/// How many calls of methods of one name are looked through.
const MOST_LOOKED_THROUGH: usize = 10_000;

impl InLog<'_> {
    /// The events behind the calls of methods of this name.
    pub(super) fn calls_of_method(&self, method: &str) -> &[u32] {
        let known = self.method_calls().get(method);
        known.map_or(&[], Vec::as_slice)
    }

    /// The events behind the calls of a global function of this name, which no object is before.
    pub(super) fn calls_of_global(&self, name: &str) -> &[u32] {
        let known = self.method_calls().get(&format!("({name})"));
        known.map_or(&[], Vec::as_slice)
    }

    /// The names of the methods that are called.
    pub(super) fn method_names(&self) -> impl Iterator<Item = &str> {
        self.method_calls().keys().map(String::as_str)
    }

    /// By the names of methods, and of global functions in brackets.
    fn method_calls(&self) -> &HashMap<String, Vec<u32>> {
        self.method_calls.get_or_init(|| {
            let mut names: HashMap<SiteId, (Option<String>, bool)> = HashMap::new();
            let mut known = HashMap::<String, Vec<u32>>::new();
            let name_of = |call: &Call| {
                let global = || Some(format!("({})", call.global.as_ref()?));
                let is_computed = || {
                    let is_plain = call.kind == CallKind::Plain && call.receiver.is_some();
                    is_plain.then(|| COMPUTED.to_owned())
                };
                call.method.clone().or_else(global).or_else(is_computed)
            };
            for (event, number) in self.model.events.iter().zip(0..) {
                if event.kind != Kind::CallEnd {
                    continue;
                }
                let (name, is_other) = names.entry(event.site).or_insert_with(|| {
                    let found = self.call_text_at(event.site).zip(self.moment(number));
                    let Some(((script, call), moment)) = found else {
                        return (None, false);
                    };
                    let is_other = self.may_have_own_name(Spot { script, moment }, &call);
                    (name_of(&call), is_other)
                });
                let own = is_other.then(|| self.call_text(number)).flatten();
                let own = own.and_then(|(_, call)| name_of(&call));
                if let Some(name) = own.as_ref().or(name.as_ref()) {
                    known.entry(name.clone()).or_default().push(number);
                }
            }
            known
        })
    }

    /// The calls of methods of an object before an event, the last one first.
    pub(super) fn calls_on(
        &self,
        (stream, object): (u16, u32),
        methods: &[&str],
        before: u32,
    ) -> Vec<(u32, Spot, Box<Call>)> {
        let mut events: Vec<u32> = Vec::new();
        for method in methods {
            let known = self.calls_of_method(method).iter().copied();
            events.extend(known.filter(|&event| event < before));
        }
        events.sort_unstable();
        let events = events.into_iter().rev().take(MOST_LOOKED_THROUGH);
        let calls = events.filter_map(|event| {
            let (spot, call) = self.call_text(event)?;
            let receiver = call.receiver.as_ref()?;
            let own = self.evaluated(spot, receiver, 0)?.object()?;
            (spot.moment.stream == stream && own.0 == object).then_some((event, spot, call))
        });
        calls.collect()
    }

    /// The class of an object, by its name.
    pub(super) fn class_of(&self, stream: u16, object: u32) -> &str {
        let class = self.model.object(stream, object).map_or(0, |it| it.class);
        self.model.text(stream, class)
    }

    /// The element `index` of what is iterated, just before an event: of a list, a set, a generator.
    pub(super) fn iterated_element(
        &self,
        spot: Spot,
        iterated: &Value,
        place: (usize, u32),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let name = self.named(spot, iterated);
        let object = self.evaluated(spot, iterated, 0)?.object()?.0;
        self.iterated_in(spot, (object, &name), place, seen, hops)
    }

    /// The element `index` of an object that is iterated, just before an event.
    pub(super) fn iterated_in(
        &self,
        spot: Spot,
        (object, name): (u32, &str),
        (index, before): (usize, u32),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        match self.class_of(stream, object) {
            "Set" => self.member(stream, object, before, (seen, name), hops),
            "Map" => {
                let (write, key) = self.only_with(stream, object, before, seen)?;
                Some(Next::Write(
                    write,
                    format!("{name}{}", any_key_behind(&key)),
                ))
            }
            "Array" => {
                let key = Key::Property(index.to_string());
                let write = self.property(stream, object, &key, before)?;
                let is_it = write.value.same(seen) == Some(true);
                is_it.then(|| Next::Write(write, format!("{name}[{index}]")))
            }
            _ => {
                let Some((source, method, made)) = self.iterator_of(stream, object) else {
                    let events = self.given_out(spot, object, before);
                    if let Some(event) = events.get(index) {
                        return self.yielded(spot, *event, seen, hops);
                    }
                    // `[Symbol.iterator]() { return this.list[Symbol.iterator](); }`
                    let made = self.iterator_by_hand(spot, object, before)?.object()?.0;
                    self.iterator_of(stream, made)?;
                    return self.iterated_in(spot, (made, name), (index, before), seen, hops);
                };
                match (self.class_of(stream, source), method.as_str()) {
                    ("Map", "keys") => self.entry_name(stream, source, before, seen, hops),
                    ("Array", "keys") => None,
                    (_, "values" | "keys") => {
                        let place = (index, before);
                        self.iterated_in(made, (source, name), place, seen, hops)
                    }
                    _ => None,
                }
            }
        }
    }

    /// The list, map or set of an iterator that a call of a method made, the method, and where it was called.
    pub(super) fn iterator_of(&self, stream: u16, iterator: u32) -> Option<(u32, String, Spot)> {
        // The list that `map` or `filter` makes is none, nor is one of a class that extends them.
        let mut classes = self.class_of(stream, iterator).split(EXTENDS);
        if classes.any(|class| matches!(class, "Array" | "Map" | "Set")) {
            return None;
        }
        let (_, made, call) = self.first_given_by(stream, iterator)?;
        let source = self
            .evaluated(made, call.receiver.as_ref()?, 0)?
            .object()?
            .0;
        let class = self.class_of(stream, source);
        let method = match (call.method, class) {
            (Some(method), _) => method,
            // `list[Symbol.iterator]()`
            (None, "Map") if self.is_by_symbol(made, call.callee.as_ref()?) => "entries".to_owned(),
            (None, _) if self.is_by_symbol(made, call.callee.as_ref()?) => "values".to_owned(),
            (None, _) => String::new(),
        };
        matches!(class, "Map" | "Set" | "Array").then_some((source, method, made))
    }

    /// Whether an expression reads what makes an iterator: `list[Symbol.iterator]`.
    fn is_by_symbol(&self, spot: Spot, value: &Value) -> bool {
        let step = match &value.form {
            Form::Reference(reference) => reference.steps.last(),
            Form::Part { steps, .. } => steps.last(),
            _ => None,
        };
        let Some(Step::Computed { span, .. }) = step else {
            return false;
        };
        let home = self.home(spot.script);
        let text = home.and_then(|home| self.sources.text_at(home, *span));
        text == Some("Symbol.iterator")
    }

    /// The map whose entries are iterated: itself, or that of its `entries()`.
    pub(super) fn source_of_entries(&self, spot: Spot, object: u32) -> Option<u32> {
        let stream = spot.moment.stream;
        match self.class_of(stream, object) {
            "Map" => Some(object),
            _ => match self.iterator_of(stream, object)? {
                (source, method, _) if method == "entries" => Some(source),
                _ => None,
            },
        }
    }

    /// Whether a call is that of the generator, asynchronous or not, that an object is, or that iterates it.
    pub(super) fn is_generator_of(
        &self,
        stream: u16,
        object: u32,
        call: u32,
        is_async: bool,
    ) -> bool {
        let Some(own) = self.call_of(call) else {
            return false;
        };
        let function = self.model.tables.function(own.function);
        if !function.is_some_and(|function| function.is_generator && function.is_async == is_async)
        {
            return false;
        }
        if own.this.object().is_some_and(|this| this.0 == object) {
            // `*[Symbol.iterator]()`: what has a computed key has no name.
            return self.own_name(call).is_some_and(str::is_empty);
        }
        let Some((_, made, text)) = self.first_given_by(stream, object) else {
            return false;
        };
        let called = text
            .callee
            .as_ref()
            .and_then(|callee| self.evaluated(made, callee, 0));
        if let Some(called) = called {
            let called = called
                .object()
                .and_then(|id| self.model.object(stream, id.0));
            return called.is_some_and(|called| called.function == own.function);
        }
        if let Some(callee) = &text.callee
            && self.is_function(made, callee, call)
        {
            return true;
        }
        // A method of a class, which no write put there.
        let receiver = text
            .receiver
            .as_ref()
            .and_then(|of| self.evaluated(made, of, 0));
        let is_on_it = receiver.is_some_and(|of| of.same(own.this) == Some(true));
        is_on_it && text.method.is_some() && text.method.as_deref() == self.own_name(call)
    }

    /// Where the generator that an object is, or that iterates it, handed over values, to what took all of them just
    /// before an event: the events of its `yield`s.
    pub(super) fn given_out(&self, spot: Spot, object: u32, before: u32) -> Vec<u32> {
        let own = spot.moment.call;
        let mut last = None;
        let mut first = before;
        while let Some(event) = first.checked_sub(1).and_then(|it| self.event(it)) {
            if event.call == own {
                // Other names of the same pattern, and what was made there, which is told behind it.
                let is_told_behind = match event.kind {
                    Kind::Assign | Kind::Contents | Kind::Create => true,
                    // Of `new Set(generator)` what it made has the next site.
                    Kind::CallEnd => self
                        .event(before)
                        .is_some_and(|it| [event.site.0, event.site.0 + 1].contains(&it.site.0)),
                    _ => false,
                };
                if last.is_some() || !is_told_behind {
                    break;
                }
            } else {
                last.get_or_insert(event.call);
            }
            first -= 1;
        }
        let Some(last) = last else { return Vec::new() };
        // What it hands over to others (`yield*`) may have given out the last value.
        let mut events = (first..before).filter_map(|number| self.event(number));
        let entered = events.find(|event| event.call != own);
        let generator = match entered {
            Some(event) if event.kind == Kind::Call => event.call,
            _ => last,
        };
        match self.is_generator_of(spot.moment.stream, object, generator, false) {
            true => self
                .handed_out(generator, (first, before))
                .unwrap_or_default(),
            false => self.given_by_hand((own, object), (first, before)),
        }
    }

    /// Where a generator, and those that it hands over to by `yield*`, gave out values between two events; `None`: it
    /// hands over to something else, which does not tell what it gives out.
    fn handed_out(&self, generator: u32, (first, before): (u32, u32)) -> Option<Vec<u32>> {
        let mut generators = vec![generator];
        let mut events = Vec::new();
        let mut hands_over = false;
        for number in first..before {
            let event = self.event(number)?;
            if std::mem::take(&mut hands_over) {
                let function = self.call_of(event.call).map(|call| call.function);
                let function = function.and_then(|it| self.model.tables.function(it));
                if event.kind != Kind::Call || !function.is_some_and(|it| it.is_generator) {
                    // What it gave out before is known.
                    return Some(events);
                }
                generators.push(event.call);
            }
            if event.kind != Kind::Suspend || !generators.contains(&event.call) {
                continue;
            }
            match self.place(event.site)?.1 {
                LoggedPlace::Suspend {
                    delegates: true, ..
                } => hands_over = true,
                _ => events.push(number),
            }
        }
        Some(events)
    }

    /// The pairs that a list has, or that a generator gave out, just before an event.
    pub(super) fn pairs_of(&self, spot: Spot, object: u32, before: u32) -> Vec<u32> {
        let stream = spot.moment.stream;
        let id = |value: Seen| value.object().map(|pair| pair.0);
        if self.class_of(stream, object) != "Array" {
            let events = self.given_out(spot, object, before).into_iter();
            let pairs = events.map(|event| id(self.event(event)?.value));
            return pairs.collect::<Option<_>>().unwrap_or_default();
        }
        let elements = (0usize..).map_while(|index| {
            let key = Key::Property(index.to_string());
            id(self.property(stream, object, &key, before)?.value)
        });
        elements.collect()
    }

    /// A member of a set: who put it in.
    pub(super) fn member(
        &self,
        stream: u16,
        set: u32,
        before: u32,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let write = self.first_put_in(stream, set, before, seen)?;
        self.put_in(write, 0, (seen, name), hops)
    }

    /// The key of an entry of a map: who put it in.
    pub(super) fn entry_name(
        &self,
        stream: u16,
        map: u32,
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let write = self.first_put_in(stream, map, before, seen)?;
        self.put_in(write, 0, (seen, "a key of the map"), hops)
    }

    /// The write that put a member or key into a set or map: to add it again changes nothing.
    fn first_put_in(&self, stream: u16, object: u32, before: u32, member: Seen) -> Option<Write> {
        let key = self.entry_key(stream, member)?;
        let number = self.model.key(&key)?;
        let cleared = self.calls_on((stream, object), &["clear"], before);
        let cleared = cleared.first().map_or(0, |(event, _, _)| *event);
        let writes = self.model.writes_of_key(stream, object, number);
        let from = writes.partition_point(|write| write.event <= cleared);
        let until = writes.partition_point(|write| write.event < before);
        let writes = writes.get(from..until)?;
        let gone = writes
            .iter()
            .rposition(|write| self.model.written(write) == Seen::Absent);
        let first = writes.get(gone.map_or(0, |gone| gone + 1))?;
        Some(Write {
            stream,
            event: first.event,
            value: self.model.written(first),
            target: Target::Key {
                object,
                key: number,
                is_listed: first.listed != NONE,
            },
        })
    }

    /// What a call of `add` or `set` put in as a member or key.
    fn put_in(
        &self,
        write: Write,
        argument: usize,
        (seen, name): (Seen, &str),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let (spot, call) = self.call_text(write.event)?;
        let stream = write.stream;
        let at = call.span.start;
        match call.method.as_deref() {
            Some("add" | "set") => {
                let given = call.arguments.get(argument).filter(|it| !it.is_spread)?;
                hops.extend(self.hop(
                    HopKind::Entry,
                    spot.script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                Some(Next::Value {
                    spot,
                    value: Box::new(given.value.clone()),
                    way: Vec::new(),
                    seen,
                })
            }
            _ if call.global.as_deref() == Some("Map") => {
                let given = &call.arguments.first()?.value;
                let list = self.evaluated(spot, given, 0)?.object()?.0;
                hops.extend(self.hop(
                    HopKind::Entry,
                    spot.script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                self.name_in_pairs(spot, (list, given), write.event, seen, hops)
            }
            _ if call.global.as_deref() == Some("Set") => {
                let given = &call.arguments.first()?.value;
                let list = self.evaluated(spot, given, 0)?.object()?.0;
                hops.extend(self.hop(
                    HopKind::Entry,
                    spot.script,
                    at,
                    (stream, seen),
                    name.to_owned(),
                ));
                let name = self.named(spot, given);
                match self.class_of(stream, list) {
                    "Array" => {
                        let (write, key) = self.only_with(stream, list, write.event, seen)?;
                        Some(Next::Write(
                            write,
                            format!("{name}{}", any_key_behind(&key)),
                        ))
                    }
                    "Set" => self.member(stream, list, write.event, (seen, &name), hops),
                    _ => {
                        let events = self.given_out(spot, list, write.event);
                        let is_it = |event: &&u32| {
                            let given = self.event(**event).map(|it| it.value);
                            given.is_some_and(|given| given.same(seen) == Some(true))
                        };
                        self.yielded(spot, *events.iter().find(is_it)?, seen, hops)
                    }
                }
            }
            _ => None,
        }
    }

    /// The first name in a list of pairs, or of another map, that is `seen`.
    fn name_in_pairs(
        &self,
        spot: Spot,
        (list, given): (u32, &Value),
        before: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let name = self.named(spot, given);
        match self.class_of(stream, list) {
            "Map" => self.entry_name(stream, list, before, seen, hops),
            _ => {
                for (pair, index) in self.pairs_of(spot, list, before).into_iter().zip(0usize..) {
                    let zero = Key::Property("0".to_owned());
                    let own = self.property(stream, pair, &zero, before)?;
                    if own.value.same(seen) == Some(true) {
                        return Some(Next::Write(own, format!("{name}[{index}][0]")));
                    }
                }
                None
            }
        }
    }

    /// `map.get(key)` of a `WeakMap`, whose entries the log does not tell: the last call of `set` with that key.
    pub(super) fn weak_entry(&self, spot: Spot, call: &Call, seen: Seen) -> Option<Next> {
        let stream = spot.moment.stream;
        let receiver = call.receiver.as_ref()?;
        let object = self.evaluated(spot, receiver, 0)?.object()?.0;
        if self.class_of(stream, object) != "WeakMap" {
            return None;
        }
        let key = self.evaluated(spot, &call.arguments.first()?.value, 0)?;
        let sets = self.calls_on((stream, object), &["set"], spot.moment.at);
        for (event, own, set) in sets {
            if self.given_at(event, 0)?.same(key) != Some(true) {
                continue;
            }
            let given = set.arguments.get(1).filter(|it| !it.is_spread)?;
            if self.given_at(event, 1)?.same(seen) != Some(true) {
                return None;
            }
            return Some(Next::Value {
                spot: own,
                value: Box::new(given.value.clone()),
                way: Vec::new(),
                seen,
            });
        }
        None
    }
}
