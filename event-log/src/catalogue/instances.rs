//! The objects that `new` made of a class: by the name of the class; else by a name under which it is reached: a member
//! (`lunr.Pipeline`), a variable that it was assigned to, or the name of an export that a construction uses.

use std::collections::HashSet;

use querypoint::nearest::nearest;

use super::{Asked, Found, display};
use crate::ids::FunctionId;
use crate::model::{Kind, OF_THE_PLATFORM};
use crate::tables::FunctionKind;

/// More classes are not named.
const MOST_NAMED: usize = 5;

impl Asked<'_> {
    pub(super) fn instances(&self, class: &str, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let other = self.other_instances(class);
        let events = self.model.events.iter().zip(0..);
        for (_, number) in events.filter(|(event, _)| event.kind == Kind::Create) {
            let is_it = match &other {
                Some(other) => other.binary_search(&number).is_ok(),
                None => self.class_made(number) == Some(class),
            };
            if is_it && within(number) {
                found.add(self.event(number));
            }
        }
        let is_none = found.total == 0 && other.is_none_or(|other| other.is_empty());
        let is_unknown = class.contains('.') || !self.is_class(class);
        let is_told = !self.is_without_values();
        if is_none && is_unknown && is_told && !OF_THE_PLATFORM.contains(&class) {
            found.note(self.unknown_class(class));
        }
    }

    /// The class of the object that an event made.
    fn class_made(&self, number: u32) -> Option<&str> {
        let event = self.model.events.get(number as usize)?;
        let object = event.owner.object()?;
        Some(display::owner_class(self.model, event.stream, object.0))
    }

    /// Where no object's class has that name, the events that made objects of a class that is reached by it; `None`:
    /// some have it.
    pub(super) fn other_instances(&self, class: &str) -> Option<Vec<u32>> {
        let model = self.model;
        let made = || {
            let events = model.events.iter().zip(0..);
            events.filter(|(event, _)| event.kind == Kind::Create)
        };
        // A class of the page is not taken for the browser's, whatever its author calls it.
        let is_named = made().any(|(_, number)| self.class_made(number) == Some(class));
        if is_named || OF_THE_PLATFORM.contains(&class) {
            return None;
        }
        let paths = self.paths();
        let segments: Vec<&str> = class.split('.').collect();
        let mut constructors: HashSet<FunctionId> =
            paths.functions_at(&segments).into_iter().collect();
        // What an import is called, and what a namespace has, only a construction tells.
        let mut classes: HashSet<&str> = HashSet::new();
        for (event, number) in made() {
            let called = model.site(event.site).map_or("", |site| site.name.as_str());
            let is_called = called == class
                || called
                    .strip_suffix(class)
                    .is_some_and(|rest| rest.ends_with('.'));
            let known = event.owner.object();
            let known = known.and_then(|id| model.object(event.stream, id.0));
            if let Some(object) = known.filter(|_| is_called) {
                match object.constructor.is_some() {
                    true => {
                        constructors.insert(object.constructor);
                    }
                    // All objects without another class have that one.
                    false => classes.extend(self.class_made(number).filter(|it| *it != "Object")),
                }
            }
        }
        let is_of = |number: u32, event: &crate::model::Event| {
            let known = event.owner.object();
            let known = known.and_then(|id| model.object(event.stream, id.0));
            known.is_some_and(|object| match object.constructor.is_some() {
                true => constructors.contains(&object.constructor),
                false => self
                    .class_made(number)
                    .is_some_and(|it| classes.contains(it)),
            })
        };
        let found = made().filter(|(event, number)| is_of(*number, event));
        Some(found.map(|(_, number)| number).collect())
    }

    /// Whether a script has a class of that name, though it made none.
    fn is_class(&self, class: &str) -> bool {
        let functions = self.model.tables.functions.iter();
        let last = last_of(class);
        let mut own = functions
            .filter(|it| matches!(it.kind, FunctionKind::Constructor | FunctionKind::Function));
        own.any(|it| !last.is_empty() && it.name == last)
    }

    /// Says that there is no such class, and which are most like it.
    fn unknown_class(&self, class: &str) -> String {
        let events = self.model.events.iter().zip(0..);
        let made = events.filter(|(event, _)| event.kind == Kind::Create);
        let made = made.filter_map(|(_, number)| self.class_made(number));
        let functions = self.model.tables.functions.iter();
        let written = functions.filter(|it| it.kind == FunctionKind::Constructor);
        let mut there: Vec<&str> = made
            .chain(written.map(|it| it.name.as_str()))
            .filter(|name| !name.is_empty())
            .collect();
        there.sort_unstable();
        there.dedup();
        let last = last_of(class);
        let mut near: Vec<&str> = there.iter().copied().filter(|it| *it == last).collect();
        while near.len() < MOST_NAMED {
            let others = there.iter().copied().filter(|it| !near.contains(it));
            let Some(next) = nearest(last, others) else {
                break;
            };
            near.push(next);
        }
        let known = match self.is_class(class) {
            true => format!("nothing that a recorded script made is known to be of {class}"),
            false => format!("no recorded script has a class {class} or made one"),
        };
        let word = match near.is_empty() {
            true => "there are",
            false => "the nearest are",
        };
        if near.is_empty() {
            let own = there
                .iter()
                .filter(|it| !matches!(**it, "Object" | "Array"));
            near.extend(own.take(MOST_NAMED));
        }
        match near.is_empty() {
            true => known,
            false => format!("{known}; {word} {}", near.join(", ")),
        }
    }
}

/// What is behind the last dot of a name.
fn last_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
