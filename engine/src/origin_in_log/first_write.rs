//! The write that a chain begins with: in the log, the one that an execution without it has found.

use std::collections::{BTreeMap, BTreeSet};

use event_log::ids::VariableId;
use event_log::model::{Key, NONE, VariableWrite};
use event_log::value::Value as Seen;
use querypoint::answer::{EndKind, PointAnswer, ValueType};
use querypoint::query::{ElementKey, GlobalReference, ReferenceRoot, Segment, number_to_string};

use super::InLog;
use super::document::put::Put;
use super::document::several::Several;
use super::writes::{TEXTS, Target, Write};
use crate::agent_message::NodesAround;

/// The write that a chain begins with.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(super) start: Start,
    pub(super) name: String,
    /// Whether it gave another value than in the execution without the log: chance or time made it.
    is_other: bool,
}

/// What a chain begins with.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// A write.
    Write(Write),
    /// A built-in put a text into the document.
    Put(Box<Put>),
    /// It is of several texts.
    Several(Box<Several>),
}

/// The number of the global object: it is the first that the log knows.
const GLOBAL_OBJECT: u32 = 1;

/// What one variable or one object has: the realm, the variable or object, the scope or key.
type Group = (u16, u32, u32);

impl Found {
    /// Whether a way may be that of the write: one that gave another value must come from what is another each time.
    pub(crate) fn explains(&self, trail: &super::Trail) -> bool {
        let kind = trail.end.kind;
        !self.is_other || matches!(kind, EndKind::Random | EndKind::Time | EndKind::Network)
    }
}

impl InLog<'_> {
    /// The write that an execution without the log has found to be the last change of `reference`. The log ends where
    /// that was asked if `ends_there` is set; of an element, the nodes around it are those at the end.
    pub(crate) fn find(
        &self,
        first: &PointAnswer,
        reference: &GlobalReference,
        (ends_there, nodes): (bool, Option<&NodesAround>),
    ) -> Option<Found> {
        if let Some(several) = self.find_several(first, reference, nodes) {
            return Some(Found {
                start: Start::Several(Box::new(several)),
                name: reference.reference.to_string(),
                is_other: false,
            });
        }
        let groups = match reference.reference.segments.last() {
            None => match &reference.reference.root {
                ReferenceRoot::Variable(name) => self.of_variable(name),
                _ => return None,
            },
            Some(last) => self.of_any(&key_of(last)?, self.owners(reference, ends_there)),
        };
        let (mut found, mut others) = self.last_changes(groups, first, ends_there);
        if found.is_empty()
            && others.is_empty()
            && reference.reference.segments.is_empty()
            && let ReferenceRoot::Variable(name) = &reference.reference.root
        {
            // A global variable that was written as a property: `window.x = 1`.
            let of_global = self.of_any(&Key::Property(name.clone()), None);
            (found, others) = self.last_changes(of_global, first, ends_there);
        }
        if found.is_empty() && others.is_empty() {
            // What an element shows may be written to a node in it, by another name.
            let by_other_names = self.of_texts(reference);
            (found, others) = self.last_changes(by_other_names, first, ends_there);
        }
        let put = || self.find_put(first, reference, (ends_there, nodes));
        let (start, is_other) = match (found.as_slice(), others.as_slice()) {
            ([write], _) => (Start::Write(*write), false),
            (_, others) => match (put(), others) {
                (Some(put), _) => (put, false),
                (None, [write]) if found.is_empty() => (Start::Write(*write), true),
                _ => return None,
            },
        };
        Some(Found {
            start,
            name: reference.reference.to_string(),
            is_other,
        })
    }

    /// Which of these writes may be the one that was found: with its value, and with another one.
    fn last_changes(
        &self,
        groups: BTreeMap<Group, Vec<Write>>,
        first: &PointAnswer,
        ends_there: bool,
    ) -> (Vec<Write>, Vec<Write>) {
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for mut writes in groups.into_values() {
            writes.sort_by_key(|write| write.event);
            // What wrote the same value again has changed nothing.
            let mut changes: Vec<Write> = Vec::new();
            for write in writes {
                let before = changes.last().map_or(Seen::Absent, |last| last.value);
                if before.same(write.value) != Some(true) {
                    changes.push(write);
                }
            }
            let is_it = |write: &&Write| self.is_found(write, first);
            let is_there = |write: &&Write| self.is_place(write, first);
            match ends_there {
                true => {
                    found.extend(changes.last().filter(is_it).copied());
                    others.extend(changes.last().filter(is_there).copied());
                }
                false => found.extend(changes.iter().filter(is_it).copied()),
            }
        }
        (found, others)
    }

    /// The writes of texts to nodes, where the text or the markup of an element is asked for.
    fn of_texts(&self, reference: &GlobalReference) -> BTreeMap<Group, Vec<Write>> {
        let is_text = |key: &str| TEXTS.contains(&key);
        let asked = reference.reference.segments.last().and_then(key_of);
        let Some(Key::Property(asked)) =
            asked.filter(|key| matches!(key, Key::Property(it) if is_text(it)))
        else {
            return BTreeMap::new();
        };
        let others = TEXTS.iter().filter(|key| **key != asked);
        let keys = others.map(|key| Key::Property((*key).to_owned()));
        keys.flat_map(|key| self.of_any(&key, None)).collect()
    }

    fn of_variable(&self, name: &str) -> BTreeMap<Group, Vec<Write>> {
        let mut groups: BTreeMap<Group, Vec<Write>> = BTreeMap::new();
        let variables = self.model.tables.variables.iter().zip(1..);
        for (_, number) in variables.filter(|(variable, _)| variable.name == name) {
            let number = VariableId(number);
            for write in self.model.variables.get(&number.0).into_iter().flatten() {
                // Each script has its own number for a global variable.
                let variable = match write.scope.is_some() {
                    true => number.0,
                    false => 0,
                };
                let group = (write.stream, variable, write.scope.0);
                groups
                    .entry(group)
                    .or_default()
                    .push(self.variable_write(write));
            }
        }
        groups
    }

    pub(super) fn variable_write(&self, write: &VariableWrite) -> Write {
        Write {
            stream: write.stream,
            event: write.event,
            value: self.model.assigned(write),
            target: Target::Variable {
                argument: (write.argument != NONE).then_some(write.argument),
            },
        }
    }

    /// The writes of a key of these objects; `None`: of any.
    pub(super) fn of_any(
        &self,
        key: &Key,
        owners: Option<Vec<(u16, u32)>>,
    ) -> BTreeMap<Group, Vec<Write>> {
        let mut groups: BTreeMap<Group, Vec<Write>> = BTreeMap::new();
        let Some(number) = self.model.key(key) else {
            return groups;
        };
        for write in self.model.writes.iter().filter(|write| write.key == number) {
            if owners
                .as_ref()
                .is_some_and(|owners| !owners.contains(&(write.stream, write.object)))
            {
                continue;
            }
            let group = (write.stream, write.object, number);
            groups.entry(group).or_default().push(Write {
                stream: write.stream,
                event: write.event,
                value: self.model.written(write),
                target: Target::Key {
                    object: write.object,
                    key: number,
                    is_listed: write.listed != NONE,
                },
            });
        }
        groups
    }

    /// The objects that the owner of a reference may be; `None`: any. Where the log goes on behind the place that was
    /// asked at, a variable or a property may have got another value since (a loop went on), so each that it ever had
    /// counts.
    pub(super) fn owners(
        &self,
        reference: &GlobalReference,
        ends_there: bool,
    ) -> Option<Vec<(u16, u32)>> {
        let ReferenceRoot::Variable(name) = &reference.reference.root else {
            return None;
        };
        let end = u32::try_from(self.model.events.len()).unwrap_or(NONE);
        let mut owners = BTreeSet::new();
        // A script may have a variable of that name, and another one writes it as a property of the global object.
        let is_global = |group: &Group| group.1 == GLOBAL_OBJECT;
        let of_global = self.of_any(&Key::Property(name.clone()), None).into_iter();
        let of_global = of_global.filter_map(|(group, writes)| is_global(&group).then_some(writes));
        for mut writes in self.of_variable(name).into_values().chain(of_global) {
            writes.sort_by_key(|write| write.event);
            let from = match ends_there {
                true => writes.len().saturating_sub(1),
                false => 0,
            };
            let values = writes.iter().skip(from);
            let mut objects: BTreeSet<(u16, u32)> = values
                .filter_map(|it| Some((it.stream, it.value.object()?.0)))
                .collect();
            let segments = &reference.reference.segments;
            for segment in &segments[..segments.len().saturating_sub(1)] {
                let Some(key) = key_of(segment) else {
                    objects.clear();
                    break;
                };
                let inside = objects.iter().flat_map(|&(stream, object)| {
                    let last = self.property(stream, object, &key, end);
                    let number = self.model.key(&key).filter(|_| !ends_there);
                    let all = number.map(|number| self.model.writes_of_key(stream, object, number));
                    let all = all.into_iter().flatten();
                    let values = all.map(|write| self.model.written(write));
                    let values = values.chain(last.map(|write| write.value));
                    values.filter_map(move |value| Some((stream, value.object()?.0)))
                });
                objects = inside.collect();
            }
            owners.extend(objects);
        }
        // Where a getter or a built-in gave one of them, the log may not know it.
        (!owners.is_empty()).then(|| owners.into_iter().collect())
    }

    /// Whether a write is where another execution has found it, with the same value.
    fn is_found(&self, write: &Write, first: &PointAnswer) -> bool {
        let Some(new) = &first.new else {
            return false;
        };
        let is_object = |kind: ValueType| matches!(kind, ValueType::Object | ValueType::Function);
        let shown = self.shown(write.stream, write.value);
        // What a document keeps is a text, whatever was written.
        let is_primitive = matches!(shown.kind, ValueType::Number | ValueType::Boolean);
        let is_text = is_primitive
            && new.kind == ValueType::String
            && self.is_shown(write)
            && new.text == format!("\"{}\"", shown.text);
        let is_value = is_text
            || shown.kind == new.kind
                && (shown.text == new.text
                    || is_object(new.kind) && write.value != Seen::Null && new.text != "null");
        is_value && self.is_place(write, first)
    }

    /// Whether a write is one of what a node shows.
    fn is_shown(&self, write: &Write) -> bool {
        let Target::Key { key, .. } = write.target else {
            return false;
        };
        matches!(self.model.keys.get(key as usize), Some(Key::Property(key)) if TEXTS.contains(&key.as_str()))
    }

    /// Whether a write is where another execution has found it.
    pub(super) fn is_place(&self, write: &Write, first: &PointAnswer) -> bool {
        let Some(location) = &first.location else {
            return false;
        };
        let Some(event) = self.event(write.event) else {
            return false;
        };
        if let Target::Variable { argument: Some(_) } = write.target {
            let call = self.call_of(event.call);
            let function = call.and_then(|call| self.model.tables.function(call.function));
            return function.is_some_and(|function| {
                (function.line..=function.end_line).contains(&location.line)
            });
        }
        let Some((script, at)) = self.place_of_write(write) else {
            return false;
        };
        let place = self
            .home(script)
            .and_then(|home| self.sources.place_in(home, at));
        place.is_some_and(|place| {
            (place.location.line, place.location.column) == (location.line, location.column)
                && place.location.url == location.url
        })
    }
}

/// The key of a step of a reference.
fn key_of(segment: &Segment) -> Option<Key> {
    let text = |key: &ElementKey| match key {
        ElementKey::Number(number) => Some(number_to_string(*number)),
        ElementKey::String(text) => Some(text.clone()),
        ElementKey::Variable(_) => None,
    };
    Some(match segment {
        Segment::Property(name) => Key::Property(name.clone()),
        Segment::Private(name) => Key::Property(format!("#{name}")),
        Segment::Element(key) => Key::Property(text(key)?),
        Segment::MapEntry(key) | Segment::SetMember(key) => Key::Entry(text(key)?),
        Segment::Within(_) => return None,
    })
}
