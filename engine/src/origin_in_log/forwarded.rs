//! What is inside an element of a list that a call handed over: `f(...list)`, `f.apply(this, list)`. And where the
//! default values of a pattern are evaluated.

use event_log::ids::{SiteId, StringId};
use event_log::model::{Key, NONE};
use event_log::value::Value as Seen;
use js_analysis::origin::{Argument, Form, PathStep, Value};
use querypoint::answer::{EndKind, Hop};

use super::parameters::{Handed, is_arguments};
use super::text_parts::literal_text;
use super::writes::{Target, Write};
use super::{InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// Where a pattern is whose way is followed from here on.
    pub(super) fn enter_pattern(&self, spot: Spot, way: &[PathStep]) {
        if way.iter().any(|step| matches!(step, PathStep::Default(_))) {
            self.pattern.set(Some(spot));
        }
    }

    /// Where the default value of a step of a way is evaluated: at the pattern, which may be in another script.
    pub(super) fn by_default(
        &self,
        spot: Spot,
        default: &Value,
        behind: &[PathStep],
        seen: Seen,
    ) -> Next {
        Next::Value {
            spot: self.pattern.get().unwrap_or(spot),
            value: Box::new(default.clone()),
            way: behind.to_vec(),
            seen,
        }
    }

    /// Goes on at an element of a list, and in it at what the way leads to.
    pub(super) fn inside_element_of(
        &self,
        spot: Spot,
        (list, index): (&Value, usize),
        way: &[PathStep],
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        if way.is_empty() {
            return self.element_of(spot, list, index, seen, hops);
        }
        let name = format!("{}[{index}]", self.named(spot, list));
        let stream = spot.moment.stream;
        let object = self.evaluated(spot, list, 0).and_then(Seen::object);
        let key = Key::Property(index.to_string());
        let element = self.element_value(spot, list, index, 0);
        let element = element.or_else(|| self.born_value(stream, object?.0, &key));
        let is_known = |value: &Seen| !matches!(value, Seen::Unknown | Seen::Absent);
        if let Some(element) = element.filter(is_known) {
            return self.inside(spot, element, way, name, seen, hops);
        }
        let taken_by = match is_arguments(list) {
            true => self.call_with_arguments(spot.moment.call).map(|it| (it, 0)),
            false => object.and_then(|object| self.rest_of_call(stream, object.0)),
        };
        let Some((number, first)) = taken_by else {
            return Next::unobserved(format!("{name} is not in the log"));
        };
        match u32::try_from(first.saturating_add(index)) {
            // No such argument: the default value of the pattern, if it has one.
            Ok(at) if matches!(way.first(), Some(PathStep::Default(_))) => {
                self.parameter(number, at, name, way, seen, hops)
            }
            _ => Next::unobserved(format!("{name} is not in the log")),
        }
    }

    /// What a call was passed as this argument, as the log or the text of the call says it.
    pub(super) fn passed_value(&self, number: u32, index: usize, depth: u32) -> Option<Seen> {
        /// So many functions may hand over to each other.
        const DEEPEST: u32 = 20;
        let call = self.call_of(number)?;
        let passed = self.model.arguments_of(call).unwrap_or_default();
        if let Some(passed) = passed.get(index)
            && *passed != Seen::Unknown
        {
            return Some(*passed);
        }
        if call.site == SiteId::NONE || depth > DEEPEST {
            return None;
        }
        let (spot, text) = self.caller_of(number)?;
        let Handed::Arguments(first) = self.handed_over(spot, &text, number)? else {
            return None;
        };
        let parts: Vec<Option<&Argument>> = text.arguments.iter().skip(first).map(Some).collect();
        let (argument, of_spread) = self.part_at(spot, &parts, index, None)?;
        match of_spread {
            None => self
                .evaluated(spot, &argument.value, 0)
                .or_else(|| self.literal_number(spot, &argument.value)),
            Some(index) => self.element_value(spot, &argument.value, index, depth + 1),
        }
    }

    /// An element of a list that is spread.
    pub(super) fn element_value(
        &self,
        spot: Spot,
        list: &Value,
        index: usize,
        depth: u32,
    ) -> Option<Seen> {
        if is_arguments(list) {
            let number = self.call_with_arguments(spot.moment.call)?;
            return self.passed_value(number, index, depth);
        }
        let Moment { stream, at, .. } = spot.moment;
        let object = self.evaluated(spot, list, 0)?.object()?;
        let key = Key::Property(index.to_string());
        if let Some(write) = self.property(stream, object.0, &key, at) {
            return Some(write.value);
        }
        let (call, first) = self.rest_of_call(stream, object.0)?;
        self.passed_value(call, first.checked_add(index)?, depth)
    }

    /// The text that a literal is, as a value of the log.
    fn literal_number(&self, spot: Spot, literal: &Value) -> Option<Seen> {
        let home = self
            .home(spot.script)
            .filter(|_| literal.form == Form::Literal)?;
        let text = literal_text(self.sources.text_at(home, literal.span)?)?;
        let stream = spot.moment.stream;
        let mut known = self.text_numbers.borrow_mut();
        let numbers = known.entry(stream).or_insert_with(|| {
            let tables = self.model.streams.get(usize::from(stream));
            let texts = tables.map(|it| it.texts.as_slice()).unwrap_or_default();
            texts.iter().cloned().zip(1..).collect()
        });
        numbers
            .get(&text)
            .map(|number| Seen::String(StringId(*number)))
    }

    /// What a rest parameter was filled with under a key, as if the call had written it.
    pub(super) fn put_in_rest(
        &self,
        stream: u16,
        object: u32,
        key: &str,
        at: u32,
    ) -> Option<Write> {
        let index = key.parse::<usize>().ok()?;
        let (call, first) = self.rest_of_call(stream, object)?;
        let (event, _) = self.seen_first(stream, object)?;
        // What a built-in has changed is told whole, and what is not told then is no longer there.
        let mut written = self.model.writes_of(stream, object).iter();
        if written.any(|write| write.listed != NONE && write.event < at) {
            return None;
        }
        let number = self.model.key(&Key::Property(key.to_owned()))?;
        let index = first.checked_add(index)?;
        let value = self.deeper(|| self.passed_value(call, index, 0))?;
        let target = Target::Key {
            object,
            key: number,
            is_listed: false,
        };
        (event < at).then_some(Write {
            stream,
            event,
            value,
            target,
        })
    }

    /// All that a rest parameter was filled with, where nothing wrote that later; nothing, if one of them is not known.
    pub(super) fn kept_in_rest(&self, stream: u16, object: u32, at: u32) -> Vec<(Write, &Key)> {
        let all = || {
            let count = self.rest_length(stream, object)?;
            let all = (0..count).map(|index| {
                let write = self.put_in_rest(stream, object, &index.to_string(), at)?;
                let Target::Key { key, .. } = write.target else {
                    return None;
                };
                Some((write, self.model.keys.get(key as usize)?, key))
            });
            all.collect::<Option<Vec<_>>>()
        };
        let all = all().unwrap_or_default().into_iter();
        let is_kept = |key: u32| self.model.writes_of_key(stream, object, key).is_empty();
        all.filter(|(.., key)| is_kept(*key))
            .map(|(write, key, _)| (write, key))
            .collect()
    }

    /// How many arguments a rest parameter took.
    pub(super) fn rest_length(&self, stream: u16, object: u32) -> Option<usize> {
        let (call, first) = self.rest_of_call(stream, object)?;
        Some(self.passed_count(call, 0)?.saturating_sub(first))
    }

    /// The arguments of a call of the text, those that are spread one by one; `None`: how many, is not known.
    pub(super) fn one_by_one<'a>(
        &self,
        spot: Spot,
        arguments: &'a [Argument],
    ) -> Option<Vec<Given<'a>>> {
        let mut all = Vec::new();
        for argument in arguments {
            let of = &argument.value;
            if !argument.is_spread {
                let own = self.evaluated(spot, of, 0);
                all.push(Given {
                    argument,
                    element: None,
                    value: own.or_else(|| self.literal_number(spot, of)),
                });
                continue;
            }
            for index in 0..self.deeper(|| self.spread_length(spot, of, 0))? {
                all.push(Given {
                    argument,
                    element: Some(index),
                    value: self.deeper(|| self.element_value(spot, of, index, 0)),
                });
            }
        }
        Some(all)
    }

    /// Works something out about the call before, which may ask for the one before that, and so on.
    fn deeper<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        /// So many functions may hand over to each other.
        const DEEPEST: u32 = 20;
        let depth = self.forwarded.get();
        if depth >= DEEPEST {
            return None;
        }
        self.forwarded.set(depth + 1);
        let found = work();
        self.forwarded.set(depth);
        found
    }

    /// What a way leads to in a value that is known.
    pub(super) fn inside(
        &self,
        spot: Spot,
        value: Seen,
        way: &[PathStep],
        name: String,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Next {
        let (next, name) = self.taken(spot, value, way, name, seen, hops);
        next.unwrap_or_else(|| Next::ended(EndKind::Computation, Some(name)))
    }

    /// The call whose `arguments` a call sees: of an arrow function those of the function around.
    pub(super) fn call_with_arguments(&self, number: u32) -> Option<u32> {
        let mut number = number;
        for _ in 0..100 {
            let call = self.call_of(number)?;
            if call.this != Seen::Unknown {
                break;
            }
            let own = self.model.scope(call.stream, call.scope)?;
            number = self.model.scope(call.stream, own.parent)?.call;
        }
        Some(number)
    }
}

/// What a call of the text hands over as one argument.
pub(super) struct Given<'a> {
    /// The text of it.
    pub(super) argument: &'a Argument,
    /// Which element it is, of a list that is spread.
    pub(super) element: Option<usize>,
    /// What it is; `None`: the log does not say it.
    pub(super) value: Option<Seen>,
}
