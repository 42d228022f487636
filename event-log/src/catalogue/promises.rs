//! What a log knows of promises before a point: who made each, whether it is settled, and on what one hangs.
//!
//! A promise is known to be settled where a function that awaited it went on, where the log has its outcome (the page
//! reacts to it, or combines it with others), or where the `async` function ended whose promise it is. Who made it is
//! the call that gave it first.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::display;
use crate::ids::SiteId;
use crate::model::{Call, CallOutcome, Event, Key, Kind, Model, NONE};
use crate::value::Value;

/// The class of promises.
const CLASS: &str = "Promise";

/// An object of a realm, by number.
pub(super) type Thing = (u16, u32);

/// Of where the functions went that settle a promise so many are told.
const MOST_HANDED: usize = 5;
/// Of elements of a collection so many are looked at.
const MOST_ELEMENTS: usize = 1_000;
/// Of the calls before a promise was made so many are looked at for the function that it was made with.
const MOST_CALLS: usize = 1_000;

/// What is known just before a point.
pub(super) struct Promises<'m> {
    model: &'m Model,
    at: u32,
    /// The event that gave a promise first.
    given: HashMap<Thing, u32>,
    /// Where the log has what came of a promise.
    settled: HashMap<Thing, u32>,
    /// Calls of `then` and the like.
    pub(super) reactions: Vec<u32>,
    /// The event that gave a list which `map` made.
    mapped: HashMap<Thing, u32>,
    /// The texts that are names of promises' classes, by realm.
    classes: HashSet<(u16, u32)>,
    /// Calls of `async` functions, by realm, caller and place.
    asynchronous: HashMap<(u16, u32, u32), Vec<u32>>,
    /// Where functions without hooks went, once it is asked for.
    handed: OnceCell<HashMap<Thing, Vec<u32>>>,
}

impl<'m> Promises<'m> {
    pub(super) fn new(model: &'m Model, at: u32) -> Self {
        let mut classes = HashSet::new();
        for (tables, stream) in model.streams.iter().zip(0_u16..) {
            let named = tables
                .texts
                .iter()
                .zip(1_u32..)
                .filter(|(text, _)| *text == CLASS);
            classes.extend(named.map(|(_, text)| (stream, text)));
            let of_bases = tables
                .bases
                .iter()
                .filter(|(_, bases)| bases.iter().any(|it| it == CLASS));
            classes.extend(of_bases.map(|(&text, _)| (stream, text)));
        }
        let mut asynchronous: HashMap<_, Vec<u32>> = HashMap::new();
        for (call, number) in model.calls.iter().zip(0_u32..) {
            let function = model.tables.function(call.function);
            if call.site.is_some() && function.is_some_and(|it| it.is_async && !it.is_generator) {
                let key = (call.stream, call.parent, call.site.0);
                asynchronous.entry(key).or_default().push(number);
            }
        }
        Self {
            model,
            at,
            given: HashMap::new(),
            settled: HashMap::new(),
            reactions: Vec::new(),
            mapped: HashMap::new(),
            classes,
            asynchronous,
            handed: OnceCell::new(),
        }
    }

    /// Takes in an event.
    pub(super) fn event(&mut self, event: &Event, number: u32) {
        let stream = event.stream;
        match event.kind {
            Kind::Settle => {
                if let Some(promise) = event.owner.object() {
                    self.settle((stream, promise.0), number);
                }
            }
            Kind::CallEnd => {
                if let Some(promise) = self.promise(stream, event.value) {
                    self.given.entry(promise).or_insert(number);
                    if self.promise(stream, event.owner).is_some() {
                        self.reactions.push(number);
                    }
                } else if let Some(list) = event.value.object()
                    && self.name(event.site).ends_with(".map")
                {
                    self.mapped.entry((stream, list.0)).or_insert(number);
                }
            }
            _ => {}
        }
    }

    /// Takes in that a promise was settled by an event.
    pub(super) fn settle(&mut self, promise: Thing, number: u32) {
        self.settled.entry(promise).or_insert(number);
    }

    /// The event that gave a promise first.
    pub(super) fn given(&self, promise: Thing) -> Option<(u32, &'m Event)> {
        let given = *self.given.get(&promise)?;
        Some((given, self.model.events.get(given as usize)?))
    }

    /// A value, if it is a promise of the language.
    pub(super) fn promise(&self, stream: u16, value: Value) -> Option<Thing> {
        let Value::Object(id) = value else {
            return None;
        };
        let object = self.model.object(stream, id.0)?;
        let is_promise = !object.is_function && self.classes.contains(&(stream, object.class));
        is_promise.then_some((stream, id.0))
    }

    /// The name of a place.
    pub(super) fn name(&self, site: SiteId) -> &'m str {
        self.model.site(site).map_or("", |site| site.name.as_str())
    }

    /// A call.
    pub(super) fn call(&self, number: u32) -> Option<&'m Call> {
        self.model.calls.get(number as usize)
    }

    /// Whether a call has not ended.
    pub(super) fn is_open(&self, call: &Call) -> bool {
        call.exit == NONE || call.exit >= self.at
    }

    /// The call of an `async` function that gave a promise.
    pub(super) fn called(&self, given: u32, event: &Event) -> Option<u32> {
        let calls = self
            .asynchronous
            .get(&(event.stream, event.call, event.site.0))?;
        let begins_before = |&number: &u32| self.call(number).is_some_and(|it| it.enter < given);
        let before = calls.partition_point(begins_before).checked_sub(1)?;
        calls.get(before).copied()
    }

    /// What `then`, `catch` or `finally` was called on, by the event of the call.
    pub(super) fn owner(&self, reaction: u32) -> Option<Thing> {
        let event = self.model.events.get(reaction as usize)?;
        match event.kind {
            Kind::CallEnd => self.promise(event.stream, event.owner),
            _ => None,
        }
    }

    /// Whether it is known that a promise was settled.
    pub(super) fn is_settled(&self, promise: Thing) -> bool {
        if self.settled.contains_key(&promise) {
            return true;
        }
        let Some((given, event)) = self.given(promise) else {
            return false;
        };
        let call = self.called(given, event);
        call.and_then(|call| self.call(call)).is_some_and(|call| {
            !self.is_open(call)
                && match call.outcome {
                    CallOutcome::Returned(value) => self.promise(call.stream, value).is_none(),
                    _ => true,
                }
        })
    }

    /// Whether the log would have what came of a promise: the page reacts to it by the language's own means.
    pub(super) fn is_observed(&self, (stream, promise): Thing) -> bool {
        display::owner_class(self.model, stream, promise) == CLASS
    }

    /// The call with which a page reacted to a promise that is settled. Ours is told behind it.
    pub(super) fn reaction_to(&self, reaction: u32, promise: Thing) -> Option<u32> {
        let settled = *self.settled.get(&promise)?;
        let given = self.model.library_arguments_of(reaction)?;
        let functions: Vec<_> = given
            .iter()
            .filter_map(|value| match value {
                Value::Function(id) => self.model.object(promise.0, id.0).map(|it| it.function),
                _ => None,
            })
            .filter(|function| function.is_some())
            .collect();
        let calls = &self.model.calls;
        let from = calls.partition_point(|call| call.enter <= reaction);
        let behind = calls.partition_point(|call| call.enter < settled);
        let between = calls.get(from..behind)?;
        let found = between.iter().rposition(|call| {
            call.parent == NONE && call.stream == promise.0 && functions.contains(&call.function)
        })?;
        u32::try_from(from + found).ok()
    }

    /// The promises that one of several waits for. Where `map` made the list, each with the call that gave it.
    pub(super) fn elements(&self, given: u32, event: &Event) -> Vec<(Thing, Option<u32>)> {
        let values = self.model.library_arguments_of(given).unwrap_or_default();
        let Some(list) = values.first().and_then(|it| it.object()) else {
            return Vec::new();
        };
        let mut elements: HashMap<u32, Value> = HashMap::new();
        let writes = self.model.writes_of(event.stream, list.0).iter();
        for write in writes.filter(|write| write.event <= given) {
            elements.insert(write.key, self.model.written(write));
        }
        let calls = self.mapped.get(&(event.stream, list.0));
        let calls = calls.map_or(Vec::new(), |&mapped| self.calls_of(mapped));
        let index = |key: u32| match self.model.keys.get(key as usize) {
            Some(Key::Property(name)) => name.parse::<usize>().ok(),
            _ => None,
        };
        let mut promises: Vec<(usize, Thing)> = elements
            .iter()
            .filter_map(|(&key, &value)| Some((index(key)?, self.promise(event.stream, value)?)))
            .collect();
        promises.sort_unstable();
        let promises = promises.into_iter().take(MOST_ELEMENTS);
        promises
            .map(|(index, promise)| (promise, calls.get(index).copied()))
            .collect()
    }

    /// The calls that code without hooks made of an `async` function, by the event with which it came back.
    pub(super) fn calls_of(&self, given: u32) -> Vec<u32> {
        let Some(event) = self.model.events.get(given as usize) else {
            return Vec::new();
        };
        let calls = &self.model.calls;
        let behind = calls.partition_point(|call| call.enter < given);
        let first = self.call(event.call).map_or(0, |caller| caller.enter);
        let from = calls.partition_point(|call| call.enter <= first);
        // Since the call before at the same place.
        let events = self.model.events.get(..given as usize).unwrap_or_default();
        let earlier = events.iter().rposition(|it| {
            it.kind == Kind::CallEnd
                && it.site == event.site
                && it.call == event.call
                && it.stream == event.stream
        });
        let earlier = earlier.and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
        let numbers = (from..behind).filter_map(|number| {
            let call = calls.get(number)?;
            let is_its = call.parent == event.call
                && call.site == event.site
                && call.stream == event.stream
                && call.enter >= earlier;
            is_its.then(|| u32::try_from(number).ok()).flatten()
        });
        numbers.collect()
    }

    /// Where the functions went that settle a promise which `new Promise` made: the events that handed them on.
    pub(super) fn handed(&self, given: u32, event: &Event) -> Vec<u32> {
        let calls = &self.model.calls;
        let behind = calls.partition_point(|call| call.enter < given);
        let executor = calls.get(..behind).and_then(|before| {
            before.iter().rev().take(MOST_CALLS).find(|call| {
                call.parent == event.call && call.site == event.site && call.stream == event.stream
            })
        });
        let Some(executor) = executor else {
            return Vec::new();
        };
        let settling: HashSet<u32> = self
            .model
            .arguments_of(executor)
            .unwrap_or_default()
            .iter()
            .filter_map(|value| match value {
                Value::Function(id) => Some(id.0),
                _ => None,
            })
            .collect();
        let handed = self.handed.get_or_init(|| self.all_handed());
        let functions = settling
            .iter()
            .filter_map(|&id| handed.get(&(event.stream, id)));
        let mut handed: Vec<u32> = functions.flatten().copied().collect();
        handed.sort_unstable();
        // What `push` was called with it has written.
        let site = |number: &u32| self.model.events.get(*number as usize).map(|it| it.site);
        handed.dedup_by(|later, earlier| site(later) == site(earlier));
        handed.truncate(MOST_HANDED);
        handed
    }

    /// The events that handed on functions without hooks, or wrote them somewhere: the first of each function.
    fn all_handed(&self) -> HashMap<Thing, Vec<u32>> {
        let model = self.model;
        let passed = model
            .library_arguments
            .iter()
            .flat_map(|&(number, from, count)| {
                let to = from.saturating_add(count);
                let values = model.arguments.get(from as usize..to as usize);
                let values = values.unwrap_or_default().iter();
                values.map(move |&value| (number, value))
            });
        let events = model.events.iter().zip(0..self.at);
        let writes = [Kind::Write, Kind::WriteEntry, Kind::Assign];
        let written = events.filter(|(it, _)| writes.contains(&it.kind));
        let written = written.map(|(it, number)| (number, it.value));
        let mut handed: HashMap<Thing, Vec<u32>> = HashMap::new();
        for (number, value) in passed
            .filter(|(number, _)| *number < self.at)
            .chain(written)
        {
            let stream = model.events.get(number as usize).map(|it| it.stream);
            if let (Value::Function(id), Some(stream)) = (value, stream)
                && model
                    .object(stream, id.0)
                    .is_some_and(|it| !it.function.is_some())
            {
                let own = handed.entry((stream, id.0)).or_default();
                if own.len() < 2 * MOST_HANDED {
                    own.push(number);
                }
            }
        }
        handed
    }
}
