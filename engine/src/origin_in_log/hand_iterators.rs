//! Iterators that are asked by hand (`iterator.next().value`), and those that are written by hand
//! (`{ [Symbol.iterator]() { return { next() { … } } } }`): what `next` returned, and in which order, are events.

use event_log::model::{Call, CallOutcome, Key, Kind};
use event_log::value::Value as Seen;
use js_analysis::origin::{Call as CallText, PathStep, Step};
use querypoint::answer::Hop;

use super::moments::CameBack;
use super::{InLog, Next, Spot};

/// How many calls are looked through for the one that made an iterator.
const MOST_LOOKED_THROUGH: usize = 10_000;

impl InLog<'_> {
    /// Where the iterator that a function of the page made of an object gave out values between two events: the events
    /// at which its `next` returned to the call `own`.
    pub(super) fn given_by_hand(
        &self,
        (own, object): (u32, u32),
        (first, before): (u32, u32),
    ) -> Vec<u32> {
        // Right before, a loop may have been over, or another iterator asked.
        let mut calls = (first..before).rev().filter_map(|number| {
            let event = self.event(number).filter(|it| it.kind == Kind::Call);
            event.map(|event| event.call)
        });
        let made = calls.find_map(|number| self.iterator_made_by(number, own, object));
        let Some((made, iterator)) = made else {
            return Vec::new();
        };
        let is_next = |&number: &u32| {
            let event = self.event(number).filter(|it| it.kind == Kind::Return);
            event.is_some_and(|event| {
                self.call_of(event.call).is_some_and(|call| {
                    call.parent == own
                        && call.enter > made.exit
                        && call.this.same(iterator) != Some(false)
                        && self.is_next(call)
                })
            })
        };
        (first..before).filter(is_next).collect()
    }

    /// The iterator that a function of the page made of an object last, just before an event.
    pub(super) fn iterator_by_hand(&self, spot: Spot, object: u32, before: u32) -> Option<Seen> {
        let until = self.model.calls.partition_point(|call| call.enter < before);
        let numbers = (0..until).rev().take(MOST_LOOKED_THROUGH);
        let made = numbers.filter_map(|number| {
            let number = u32::try_from(number).ok()?;
            self.iterator_made_by(number, spot.moment.call, object)
        });
        made.map(|(_, iterator)| iterator).next()
    }

    /// What the call of `[Symbol.iterator]` of an object returned, if this is one, made in the call `own`.
    fn iterator_made_by(&self, number: u32, own: u32, object: u32) -> Option<(&Call, Seen)> {
        let call = self.call_of(number).filter(|call| call.parent == own)?;
        let is_on_it = call.this.object().is_some_and(|this| this.0 == object);
        // What has a computed key has no name.
        if !is_on_it || !self.own_name(number)?.is_empty() {
            return None;
        }
        match call.outcome {
            CallOutcome::Returned(iterator) if iterator.object().is_some() => {
                Some((call, iterator))
            }
            _ => None,
        }
    }

    fn is_next(&self, call: &Call) -> bool {
        let function = self.model.tables.function(call.function);
        function.is_some_and(|it| it.name.rsplit('.').next() == Some("next"))
    }

    /// What `next` of an iterator that is written by hand returned at an event.
    pub(super) fn returned_by_next(
        &self,
        event: u32,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let it = *self.event(event)?;
        if it.kind != Kind::Return || !self.is_next(self.call_of(it.call)?) {
            return None;
        }
        let (script, _) = self.place(it.site)?;
        let moment = self.moment(event)?;
        let step = PathStep::Into(Step::Property("value".to_owned()));
        let name = "next()".to_owned();
        let spot = Spot { script, moment };
        self.taken(spot, it.value, &[step], name, seen, hops).0
    }

    /// A part of `iterator.next().value`, where a built-in made the iterator: the element that came next.
    pub(super) fn of_next(
        &self,
        spot: Spot,
        call: &CallText,
        came: &CameBack,
        (part, seen): (&[String], Seen),
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        let receiver = call.receiver.as_ref()?;
        let iterator = self.evaluated(spot, receiver, 0)?.object()?.0;
        let (source, method, made) = self.iterator_of(stream, iterator)?;
        let name = self.named(made, &self.first_given_by(stream, iterator)?.2.receiver?);
        let index = self
            .calls_on((stream, iterator), &["next"], came.step)
            .len();
        let at = came.end;
        match (self.class_of(stream, source), method.as_str(), part) {
            ("Map", "entries", [part]) => {
                let entries = self.entries_before(stream, source, at);
                let (entry, key) = entries.get(index)?;
                match (part.as_str(), key) {
                    ("0", _) => self.entry_name(stream, source, at, seen, hops),
                    ("1", Key::Entry(key)) if entry.value.same(seen) == Some(true) => {
                        let key = serde_json::Value::from(key.as_str());
                        Some(Next::Write(*entry, format!("{name}.get({key})")))
                    }
                    _ => None,
                }
            }
            ("Map", "keys", []) => self.entry_name(stream, source, at, seen, hops),
            ("Array", "entries", [part]) if part == "1" => {
                self.next_of_list(made, (source, &name), (index, at), seen, hops)
            }
            ("Array", "values", []) => {
                self.next_of_list(made, (source, &name), (index, at), seen, hops)
            }
            ("Map" | "Set", "values", []) => {
                self.iterated_in(made, (source, &name), (index, at), seen, hops)
            }
            _ => None,
        }
    }

    /// An element of a list that an iterator gave. Something else may have taken elements of it, so only one may have
    /// the value.
    fn next_of_list(
        &self,
        made: Spot,
        (list, name): (u32, &str),
        place: (usize, u32),
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let is_alone = self.count_with(made.moment.stream, list, place.1, seen) == 1;
        is_alone.then(|| self.iterated_in(made, (list, name), place, seen, hops))?
    }
}
