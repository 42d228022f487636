//! Where two logs first part, in control or in data.
//!
//! What differs between any two executions is left out: numbers of objects and scopes, times, the server's address.
//! Objects are the same if they were seen first at the same place, and each stands for one other. Functions of two
//! versions of a page are matched by name, those without one by their shape; places by what is recorded there, and the
//! how manieth of its kind it is in its function. (Girgis and Jayaraman, *JavaTA*, compare executions by hand.)

use std::collections::HashMap;

use querypoint::answer::{Value as Shown, ValueType};
use querypoint::events::{
    COMPARISON_SCHEMA, Comparison, Difference, DifferenceCause, DifferenceCauseKind,
    DifferenceKind, EventsResult, LoggedEvent,
};

use crate::catalogue::shown_event;
use crate::ids::{FunctionId, SiteId};
use crate::model::{Event, Key, Kind, Model, text};
use crate::value::Value;

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
            left: found.left.and_then(|number| shown_event(left, number)),
            right: found.right.and_then(|number| shown_event(right, number)),
        }),
    }
}

/// Compares what one question is answered with by two logs, event by event. The events after which there is none are
/// a difference as well; numbers of objects do not count.
#[must_use]
pub fn compare_answers(
    left: (&Model, &EventsResult),
    right: (&Model, &EventsResult),
) -> Comparison {
    let comparer = Comparer::new(left.0, right.0);
    let (one, other) = (&left.1.events, &right.1.events);
    let parting = one
        .iter()
        .map(Some)
        .chain(std::iter::repeat(None))
        .zip(other.iter().map(Some).chain(std::iter::repeat(None)))
        .take(one.len().max(other.len()))
        .find_map(|(one, other)| {
            let is_control = match (one, other) {
                (Some(one), Some(other)) if comparer.are_elsewhere(one, other) => true,
                (Some(one), Some(other)) if said(one) == said(other) => return None,
                (Some(_), Some(_)) => false,
                _ => true,
            };
            Some((is_control, one, other))
        });
    let number = |event: Option<&LoggedEvent>| event.and_then(|it| u32::try_from(it.seq).ok());
    Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        differs: parting.is_some(),
        cause: parting.and_then(|(is_control, one, other)| {
            comparer.cause(&Parting {
                is_control,
                left: number(one),
                right: number(other),
            })
        }),
        first: parting.map(|(is_control, one, other)| Difference {
            kind: match is_control {
                true => DifferenceKind::Control,
                false => DifferenceKind::Data,
            },
            left: one.cloned(),
            right: other.cloned(),
        }),
    }
}

/// What an event says, without numbers of objects.
fn said(event: &LoggedEvent) -> (Option<&str>, Vec<Option<String>>) {
    let plain = |value: &Option<Shown>| {
        let value = value.as_ref()?;
        let is_numbered = matches!(value.kind, ValueType::Object | ValueType::Symbol);
        let text = match value.text.rsplit_once(" #") {
            Some((class, _)) if is_numbered => class,
            _ => value.text.as_str(),
        };
        Some(format!("{:?} {text}", value.kind))
    };
    let mut values = vec![
        event.owner.as_ref().map(|owner| owner.class.clone()),
        plain(&event.value),
        plain(&event.old),
        plain(&event.returned),
        plain(&event.exception),
    ];
    let arguments = event.arguments.iter().flatten();
    values.extend(arguments.map(|value| plain(&Some(value.clone()))));
    (event.name.as_deref(), values)
}

/// What a function is called in any version: its name, its kind, and its shape where it has no name.
type FunctionKey<'m> = (&'m str, u8, u32);
/// What a place is called in any version: its kind, its name, the how manieth it is of these, and its function.
type SiteKey<'m> = (u8, &'m str, u32, FunctionKey<'m>);

/// The place where they part.
struct Parting {
    is_control: bool,
    left: Option<u32>,
    right: Option<u32>,
}

/// A log, with what its places are called in any version.
struct Side<'m> {
    model: &'m Model,
    /// The how manieth of its kind and name a site is in its function.
    ordinals: Vec<u32>,
    /// The events of each realm.
    streams: Vec<Vec<u32>>,
}

impl<'m> Side<'m> {
    fn new(model: &'m Model) -> Self {
        let mut counts: HashMap<(FunctionId, u8, &str), u32> = HashMap::new();
        let mut ordinals = Vec::with_capacity(model.tables.sites.len());
        for site in &model.tables.sites {
            let count = counts
                .entry((site.function, site.kind as u8, &site.name))
                .or_default();
            ordinals.push(*count);
            *count += 1;
        }
        let mut streams = vec![Vec::new(); model.streams.len()];
        for (event, number) in model.events.iter().zip(0..) {
            if let Some(stream) = streams.get_mut(usize::from(event.stream)) {
                stream.push(number);
            }
        }
        Self {
            model,
            ordinals,
            streams,
        }
    }

    fn event(&self, number: u32) -> Option<&Event> {
        self.model.events.get(number as usize)
    }

    /// What a function is called in any version.
    fn function(&self, function: FunctionId) -> FunctionKey<'_> {
        match self.model.tables.function(function) {
            Some(it) if !it.name.is_empty() => (&it.name, it.kind as u8, 0),
            // The top of a script is one, whatever is in it.
            Some(it) if matches!(it.kind as u8, 1 | 2) => ("", it.kind as u8, 0),
            Some(it) => ("", it.kind as u8, it.shape),
            None => ("", u8::MAX, 0),
        }
    }

    fn site(&self, site: SiteId) -> Option<SiteKey<'_>> {
        let it = self.model.site(site)?;
        let ordinal = self.ordinals.get(site.index()?).copied().unwrap_or(0);
        Some((it.kind as u8, &it.name, ordinal, self.function(it.function)))
    }

    fn function_of(&self, event: &Event) -> FunctionId {
        let call = self.model.calls.get(event.call as usize);
        call.map_or(FunctionId::NONE, |call| call.function)
    }
}

struct Comparer<'m> {
    left: Side<'m>,
    right: Side<'m>,
    /// Objects that stand for each other, by realm and number.
    pairs: HashMap<(u16, u32), u32>,
    taken: HashMap<(u16, u32), u32>,
}

impl<'m> Comparer<'m> {
    fn new(left: &'m Model, right: &'m Model) -> Self {
        Self {
            left: Side::new(left),
            right: Side::new(right),
            pairs: HashMap::new(),
            taken: HashMap::new(),
        }
    }
}

impl Comparer<'_> {
    /// Whether two events of answers are not the same step of the same code.
    fn are_elsewhere(&self, one: &LoggedEvent, other: &LoggedEvent) -> bool {
        let number = |event: &LoggedEvent| u32::try_from(event.seq).unwrap_or(u32::MAX);
        match (
            self.left.event(number(one)),
            self.right.event(number(other)),
        ) {
            (Some(left), Some(right)) => self.parts_in_control(left, right),
            _ => one.kind != other.kind,
        }
    }

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
            let is_control = if self.parts_in_control(&left, &right) {
                true
            } else if self.parts_in_data((one, other), &left, &right) {
                false
            } else {
                continue;
            };
            return Some(Parting {
                is_control,
                left: Some(one),
                right: Some(other),
            });
        }
        let shared = left.len().min(right.len());
        (left.len() != right.len()).then(|| Parting {
            is_control: true,
            left: left.get(shared).copied(),
            right: right.get(shared).copied(),
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
            Kind::Task => {
                self.left.model.text(left.stream, left.key)
                    != self.right.model.text(right.stream, right.key)
            }
            Kind::Branch => !self.same_text(left, right),
            _ => false,
        }
    }

    fn same_text(&self, left: &Event, right: &Event) -> bool {
        text(self.left.model, left.stream, left.value)
            == text(self.right.model, right.stream, right.value)
    }

    fn parts_in_data(&mut self, numbers: (u32, u32), left: &Event, right: &Event) -> bool {
        let stream = left.stream;
        // What a task began at, and what a branch came to, is control.
        if matches!(left.kind, Kind::Branch) {
            return false;
        }
        if left.kind == Kind::Call {
            let one = self.left.model.calls.get(left.call as usize).copied();
            let other = self.right.model.calls.get(right.call as usize).copied();
            let (Some(one), Some(other)) = (one, other) else {
                return false;
            };
            let values = |model: &Model, call| model.arguments_of(call).map(<[Value]>::to_vec);
            let one_values = values(self.left.model, &one).unwrap_or_default();
            let other_values = values(self.right.model, &other).unwrap_or_default();
            return one_values.len() != other_values.len()
                || !self.same(stream, one.this, other.this)
                || one_values
                    .into_iter()
                    .zip(other_values)
                    .any(|(one, other)| !self.same(stream, one, other));
        }
        if left.kind == Kind::CallEnd {
            let one = self
                .left
                .model
                .library_arguments_of(numbers.0)
                .unwrap_or_default()
                .to_vec();
            let other = self
                .right
                .model
                .library_arguments_of(numbers.1)
                .unwrap_or_default()
                .to_vec();
            if one.len() != other.len()
                || one
                    .into_iter()
                    .zip(other)
                    .any(|(one, other)| !self.same(stream, one, other))
            {
                return true;
            }
        }
        if matches!(left.kind, Kind::Write | Kind::WriteEntry) {
            let one = self.left.model.keys.get(left.key as usize);
            let other = self.right.model.keys.get(right.key as usize);
            let plain = |key: Option<&Key>| match key {
                Some(Key::Symbol(_, _, description)) => Key::Property(description.clone()),
                Some(key) => key.clone(),
                None => Key::Property(String::new()),
            };
            if plain(one) != plain(other) {
                return true;
            }
        }
        !self.same(stream, left.owner, right.owner) || !self.same(stream, left.value, right.value)
    }

    /// Whether two values are the same, as far as the logs know. Objects that are met for the first time become a pair.
    fn same(&mut self, stream: u16, left: Value, right: Value) -> bool {
        let (one, other) = match (left, right) {
            (Value::Object(one), Value::Object(other))
            | (Value::Function(one), Value::Function(other))
            | (Value::Symbol(one), Value::Symbol(other)) => (one.0, other.0),
            (left, right) => {
                let kind = std::mem::discriminant(&left) == std::mem::discriminant(&right);
                return kind
                    && text(self.left.model, stream, left)
                        == text(self.right.model, stream, right);
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
                    let object = side
                        .model
                        .object(stream, number)
                        .copied()
                        .unwrap_or_default();
                    side.model.text(stream, object.class).to_owned()
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

    /// Why they part there, as far as that can be said.
    fn cause(&self, found: &Parting) -> Option<DifferenceCause> {
        let left = self.left.event(found.left?)?;
        let right = self.right.event(found.right?)?;
        let shape = |side: &Side<'_>, event: &Event| {
            let function = side.model.tables.function(side.function_of(event));
            function.map(|function| (function.shape, function.name.clone()))
        };
        if let (Some((one, name)), Some((other, _))) =
            (shape(&self.left, left), shape(&self.right, right))
            && one != other
        {
            let name = if name.is_empty() {
                "the script".to_owned()
            } else {
                name
            };
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
        if left.kind == Kind::CallEnd && !found.is_control {
            let name = self
                .left
                .model
                .site(left.site)
                .map(|site| site.name.clone());
            return Some(DifferenceCause {
                kind: DifferenceCauseKind::Input,
                detail: format!("{} gave another value", name.unwrap_or_default()),
            });
        }
        None
    }
}
