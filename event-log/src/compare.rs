//! Where two logs first part, in control or in data.
//!
//! What differs between any two executions is left out: numbers of objects and scopes, the server's address, times and
//! what chance gave, with what is worked out of them ([`noise`]).
//! Objects are the same if they were seen first at the same place, and each represents one other. Functions of two
//! versions of a page are matched by name, those without one by their shape; places by what is recorded there, and the
//! how manieth of its kind it is in its function. (Girgis and Jayaraman, *JavaTA*, compare executions by hand.)

mod answers;
mod noise;
mod side;

use std::collections::HashMap;

use querypoint::events::{
    COMPARISON_SCHEMA, Comparison, Difference, DifferenceCause, DifferenceCauseKind,
    DifferenceKind, LoggedEvent,
};

use crate::catalogue::{key_text, shown_event, shown_value};
use crate::model::{Call, Event, Key, Kind, Model, NONE, plain_text, text};
use crate::tables::FunctionKind;
use crate::value::Value;
pub use answers::compare_answers;
use noise::{are_noise, are_noisy_texts};
use side::Side;

/// Compares two logs, realm by realm.
#[must_use]
pub fn compare(left: &Model, right: &Model) -> Comparison {
    let mut comparer = Comparer::new(left, right);
    let first = comparer.first();
    Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        differs: first.is_some(),
        cause: first.as_ref().and_then(|found| comparer.cause(found)),
        first: first.map(|found| Difference {
            kind: match found.is_control {
                true => DifferenceKind::Control,
                false => DifferenceKind::Data,
            },
            left: found.shown(left, found.left, |part| part.left),
            right: found.shown(right, found.right, |part| part.right),
        }),
    }
}

/// The place where they part.
struct Parting {
    is_control: bool,
    left: Option<u32>,
    right: Option<u32>,
    /// Which of the values that an event has is not the same.
    part: Option<Part>,
}

/// An argument, `this`, an element, entry or property that differs.
struct Part {
    /// What it is called; `None`: the arguments of the event say it.
    name: Option<String>,
    left: Value,
    right: Value,
}

impl Parting {
    /// An event of one side, with the value that differs.
    fn shown(
        &self,
        model: &Model,
        number: Option<u32>,
        value: impl Fn(&Part) -> Value,
    ) -> Option<LoggedEvent> {
        let number = number?;
        let event = shown_event(model, number)?;
        let it = model.events.get(number as usize)?;
        Some(match &self.part {
            Some(part) if part.name.is_some() => LoggedEvent {
                name: part.name.clone(),
                value: shown_value(model, it.stream, value(part)),
                ..event
            },
            // Which of several calls is about to be made.
            None if it.kind == Kind::Step => LoggedEvent {
                name: model.site(it.site).map(|site| site.shown().to_owned()),
                ..event
            },
            _ => event,
        })
    }
}

struct Comparer<'m> {
    left: Side<'m>,
    right: Side<'m>,
    /// Objects that represent each other, by realm and number.
    pairs: HashMap<(u16, u32), u32>,
    taken: HashMap<(u16, u32), u32>,
    /// The events that are compared, where their places say whether their values are noise.
    may_be_noise: Option<(u32, u32)>,
}

impl<'m> Comparer<'m> {
    fn new(left: &'m Model, right: &'m Model) -> Self {
        Self {
            left: Side::new(left),
            right: Side::new(right),
            pairs: HashMap::new(),
            taken: HashMap::new(),
            may_be_noise: None,
        }
    }
}

impl Comparer<'_> {
    /// The first difference, by the number of the left one.
    fn first(&mut self) -> Option<Parting> {
        let mut first: Option<Parting> = None;
        let count = self.left.streams.len().max(self.right.streams.len());
        for stream in 0..count {
            let found = self.first_in(stream);
            let number = |parting: &Parting| parting.left.or(parting.right).unwrap_or(u32::MAX);
            if let Some(found) = found
                && first
                    .as_ref()
                    .is_none_or(|first| number(&found) < number(first))
            {
                first = Some(found);
            }
        }
        first
    }

    fn first_in(&mut self, stream: usize) -> Option<Parting> {
        let nothing = Vec::new();
        let left = self.left.streams.get(stream).unwrap_or(&nothing).clone();
        let right = self.right.streams.get(stream).unwrap_or(&nothing).clone();
        for (&one, &other) in left.iter().zip(&right) {
            let (Some(left), Some(right)) = (
                self.left.event(one).copied(),
                self.right.event(other).copied(),
            ) else {
                break;
            };
            let mut part = None;
            let is_control = if self.parts_in_control(&left, &right) {
                true
            } else if self.parts_in_data((one, other), &left, &right, &mut part) {
                false
            } else {
                continue;
            };
            return Some(Parting {
                is_control,
                left: Some(one),
                right: Some(other),
                part,
            });
        }
        let shared = left.len().min(right.len());
        (left.len() != right.len()).then(|| Parting {
            is_control: true,
            left: left.get(shared).copied(),
            right: right.get(shared).copied(),
            part: None,
        })
    }

    fn parts_in_control(&self, left: &Event, right: &Event) -> bool {
        if left.kind != right.kind || self.left.site(left.site) != self.right.site(right.site) {
            return true;
        }
        match left.kind {
            Kind::Call | Kind::Return | Kind::Unwind => {
                let (one, other) = (self.left.function_of(left), self.right.function_of(right));
                self.left.function(one) != self.right.function(other)
            }
            Kind::Task | Kind::Dom => {
                self.left.model.text(left.stream, left.key)
                    != self.right.model.text(right.stream, right.key)
            }
            Kind::Request => {
                let one = self.left.model.text(left.stream, left.key);
                let other = self.right.model.text(right.stream, right.key);
                !self.is_same_name(one, other)
            }
            Kind::Settle => left.key != right.key,
            Kind::Branch => !self.same_text(left, right) && !self.same_noise(left, right),
            _ => false,
        }
    }

    /// Whether both decided the same by what is noise.
    fn same_noise(&self, left: &Event, right: &Event) -> bool {
        let is_false = |model: &Model, event: &Event| match event.value {
            Value::Number(number) => number == 0.0 || number.is_nan(),
            value => plain_text(model, event.stream, value).is_empty(),
        };
        let (own, others) = (self.left.model, self.right.model);
        is_false(own, left) == is_false(others, right)
            && are_noise(
                left.stream,
                (self.left.noise(), own, left.value),
                (self.right.noise(), others, right.value),
            )
    }

    fn same_text(&self, left: &Event, right: &Event) -> bool {
        text(self.left.model, left.stream, left.value)
            == text(self.right.model, right.stream, right.value)
    }

    fn parts_in_data(
        &mut self,
        numbers: (u32, u32),
        left: &Event,
        right: &Event,
        part: &mut Option<Part>,
    ) -> bool {
        let stream = left.stream;
        // What a task began at, and what became of a branch, is control.
        if matches!(left.kind, Kind::Branch) {
            return false;
        }
        self.may_be_noise = Some(numbers);
        if left.kind == Kind::Call {
            let one = self.left.model.calls.get(left.call as usize).copied();
            let other = self.right.model.calls.get(right.call as usize).copied();
            let (Some(one), Some(other)) = (one, other) else {
                return false;
            };
            let values = |model: &Model, call| model.arguments_of(call).map(<[Value]>::to_vec);
            let one_values = values(self.left.model, &one).unwrap_or_default();
            let other_values = values(self.right.model, &other).unwrap_or_default();
            if !self.same(stream, one.this, other.this) {
                *part = Some(Part {
                    name: Some("this".to_owned()),
                    left: one.this,
                    right: other.this,
                });
                return true;
            }
            // Of several arguments the place does not say which is noise.
            self.may_be_noise = Some(numbers).filter(|_| one_values.len() == 1);
            let Some((index, values)) = self.first_other(stream, &one_values, &other_values) else {
                return false;
            };
            *part = Some(Part {
                name: Some(self.left.parameter(&one, index)),
                left: values.0,
                right: values.1,
            });
            return true;
        }
        if left.kind == Kind::Contents {
            return self.parts_in_contents(numbers, left, right, part);
        }
        if left.kind == Kind::CallEnd {
            let given = |side: &Side<'_>, number| {
                let values = side.model.library_arguments_of(number);
                values.unwrap_or_default().to_vec()
            };
            let (one, other) = (given(&self.left, numbers.0), given(&self.right, numbers.1));
            self.may_be_noise = Some(numbers).filter(|_| one.len() == 1);
            if let Some((_, values)) = self.first_other(stream, &one, &other) {
                *part = Some(Part {
                    name: None,
                    left: values.0,
                    right: values.1,
                });
                return true;
            }
            self.may_be_noise = Some(numbers);
        }
        if matches!(left.kind, Kind::Write | Kind::WriteEntry) {
            let one = self.left.model.keys.get(left.key as usize);
            let other = self.right.model.keys.get(right.key as usize);
            let kind = |key: Option<&Key>| matches!(key, Some(Key::Entry(_)));
            let name = |key: Option<&Key>| match key {
                Some(Key::Symbol(_, _, text) | Key::Property(text)) => text.clone(),
                // Numbers of objects do not count.
                Some(Key::Entry(text)) => match text.rsplit_once(" #") {
                    Some((class, _)) => class.to_owned(),
                    None => text.clone(),
                },
                None => String::new(),
            };
            if kind(one) != kind(other) || !self.is_same_name(&name(one), &name(other)) {
                return true;
            }
        }
        !self.same(stream, left.owner, right.owner) || !self.same(stream, left.value, right.value)
    }

    /// The first of several values that is not the same.
    fn first_other(
        &mut self,
        stream: u16,
        one: &[Value],
        other: &[Value],
    ) -> Option<(usize, (Value, Value))> {
        (0..one.len().max(other.len())).find_map(|index| {
            let value = |values: &[Value]| values.get(index).copied().unwrap_or(Value::Absent);
            let (left, right) = (value(one), value(other));
            (!self.same(stream, left, right)).then_some((index, (left, right)))
        })
    }

    /// The same for what a collection or an object was told to hold.
    fn parts_in_contents(
        &mut self,
        numbers: (u32, u32),
        left: &Event,
        right: &Event,
        part: &mut Option<Part>,
    ) -> bool {
        let stream = left.stream;
        if !self.same(stream, left.owner, right.owner) {
            return true;
        }
        let one = self.left.told_by(numbers.0).to_vec();
        let other = self.right.told_by(numbers.1).to_vec();
        for index in 0..one.len().max(other.len()) {
            let (one, other) = (one.get(index), other.get(index));
            let name = |side: &Side<'_>, told: Option<&(u32, u32, Value)>| {
                let key = side.model.keys.get(told?.1 as usize)?;
                // Numbers of objects do not count.
                Some(match key {
                    Key::Entry(text) => match text.rsplit_once(" #") {
                        Some((class, _)) => format!("[{class}]"),
                        None => key_text(key),
                    },
                    key => key_text(key),
                })
            };
            let (own, others) = (name(&self.left, one), name(&self.right, other));
            let value = |told: Option<&(u32, u32, Value)>| told.map_or(Value::Absent, |it| it.2);
            let (one, other) = (value(one), value(other));
            let is_named = match (&own, &others) {
                (Some(own), Some(others)) => self.is_same_name(own, others),
                _ => false,
            };
            if !is_named || !self.same(stream, one, other) {
                *part = Some(Part {
                    name: own.or(others),
                    left: one,
                    right: other,
                });
                return true;
            }
        }
        left.key != right.key
    }

    /// Whether two names are the same but for noise, as that of the property that a library marks elements with.
    fn is_same_name(&self, one: &str, other: &str) -> bool {
        one == other || are_noisy_texts((self.left.noise(), one), (self.right.noise(), other))
    }

    /// Whether two values are the same, as far as the logs know. Objects that are met for the first time become a pair.
    fn same(&mut self, stream: u16, left: Value, right: Value) -> bool {
        let (one, other) = match (left, right) {
            (Value::Object(one), Value::Object(other))
            | (Value::Function(one), Value::Function(other))
            | (Value::Symbol(one), Value::Symbol(other)) => (one.0, other.0),
            (left, right) => {
                let kind = std::mem::discriminant(&left) == std::mem::discriminant(&right);
                let (own, others) = (&self.left, &self.right);
                let is_plain = matches!(left, Value::Number(_) | Value::String(_));
                return kind
                    && (text(own.model, stream, left) == text(others.model, stream, right)
                        || is_plain
                            && self.may_be_noise.is_some_and(|(one, other)| {
                                own.noise().is_of(one) && others.noise().is_of(other)
                            })
                        || are_noise(
                            stream,
                            (own.noise(), own.model, left),
                            (others.noise(), others.model, right),
                        ));
            }
        };
        match (
            self.pairs.get(&(stream, one)),
            self.taken.get(&(stream, other)),
        ) {
            (Some(&known), _) => known == other,
            (None, Some(_)) => false,
            (None, None) => {
                let class = |side: &Side<'_>, number| {
                    let object = side.model.object(stream, number);
                    let object = object.copied().unwrap_or_default();
                    match object.is_function {
                        true => side.model.text(stream, object.class).to_owned(),
                        false => side.model.class_of(stream, number).to_owned(),
                    }
                };
                if class(&self.left, one) != class(&self.right, other) {
                    return false;
                }
                self.pairs.insert((stream, one), other);
                self.taken.insert((stream, other), one);
                true
            }
        }
    }

    /// The function whose code is not the same in both: the one that an event is in, else the nearest of those that
    /// called it. What a call is and is given its caller says.
    fn other_code(&self, left: &Event, right: &Event) -> Option<String> {
        let of = |side: &Side<'_>, event: &Event| match event.kind {
            Kind::Call => {
                let call = side.model.calls.get(event.call as usize);
                let caller = call.map(|call| call.parent).filter(|it| *it != NONE);
                caller.unwrap_or(event.call)
            }
            _ => event.call,
        };
        let (mut one, mut other) = (of(&self.left, left), of(&self.right, right));
        let mut is_first = true;
        loop {
            let call =
                |side: &Side<'_>, number: u32| side.model.calls.get(number as usize).copied();
            let (own, others) = (call(&self.left, one)?, call(&self.right, other)?);
            let function = |side: &Side<'_>, call: &Call| {
                let function = side.model.tables.function(call.function);
                function.map(|it| (it.shape, it.name.clone(), it.kind))
            };
            let (own_code, name, kind) = function(&self.left, &own)?;
            let (other_code, ..) = function(&self.right, &others)?;
            // The top of a script has the text of all functions in it.
            let is_top = matches!(kind, FunctionKind::Script | FunctionKind::Module);
            if own_code != other_code && (is_first || !is_top) {
                return Some(match name.is_empty() {
                    true if is_top => "the script".to_owned(),
                    true => "a function without a name".to_owned(),
                    false => name,
                });
            }
            (one, other) = (own.parent, others.parent);
            is_first = false;
        }
    }

    /// Why they part there, as far as that can be said.
    fn cause(&self, found: &Parting) -> Option<DifferenceCause> {
        let left = self.left.event(found.left?)?;
        let right = self.right.event(found.right?)?;
        if let Some(name) = self.other_code(left, right) {
            return Some(DifferenceCause {
                kind: DifferenceCauseKind::Code,
                detail: format!("{name} is not the same code in both"),
            });
        }
        if left.kind == Kind::Task && right.kind == Kind::Task {
            return Some(DifferenceCause {
                kind: DifferenceCauseKind::Order,
                detail: format!(
                    "{} ran where the other had {}",
                    self.left.model.text(left.stream, left.key),
                    self.right.model.text(right.stream, right.key)
                ),
            });
        }
        // What code without hooks gave is from outside.
        if left.kind == Kind::CallEnd && !found.is_control && found.part.is_none() {
            let name = self
                .left
                .model
                .site(left.site)
                .map(|site| site.shown().to_owned());
            return Some(DifferenceCause {
                kind: DifferenceCauseKind::Input,
                detail: format!("{} gave another value", name.unwrap_or_default()),
            });
        }
        // What was worked out of the clock by code that says nothing of it.
        let taken = self.left.noise().before(found.left?);
        let name = taken.filter(|_| {
            self.right
                .noise()
                .before(found.right.unwrap_or(0))
                .is_some()
        })?;
        Some(DifferenceCause {
            kind: DifferenceCauseKind::Input,
            detail: format!(
                "both took times or random values before ({name}); whether this was worked out of them the logs do \
                 not say"
            ),
        })
    }
}
