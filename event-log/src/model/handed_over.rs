//! Who handed over a function that nothing with hooks called: to a timer, as a listener, as the reaction to a promise.
//!
//! A log has what was passed to code without hooks, and of each scope which one is around it. So it can tell which of
//! several functions that one expression made was called, and where that one was handed over.

use std::collections::HashMap;

use super::{Key, Kind, Model, NONE};
use crate::ids::SiteId;
use crate::value::Value;

/// Methods that are handed a function to drop it: their names begin so.
const DROPPING: [&str; 6] = [
    "cancel",
    "clear",
    "off",
    "remove",
    "unobserve",
    "unsubscribe",
];

/// Functions that were handed over, by realm and function: the events, in order, each with the object.
#[derive(Debug, Default)]
pub(super) struct HandedOver(HashMap<(u16, u32), Vec<(u32, u32)>>);

impl HandedOver {
    fn of(model: &Model) -> Self {
        let mut all = Self::default();
        let passed = model
            .library_arguments
            .iter()
            .filter_map(|&(event, from, count)| {
                let to = from.checked_add(count)?;
                let values = model.arguments.get(from as usize..to as usize)?;
                let name = model
                    .events
                    .get(event as usize)
                    .and_then(|it| model.site(it.site));
                let name = name.map_or("", |it| it.name.as_str());
                let method = name.rsplit('.').next().unwrap_or_default();
                let keeps = !name.starts_with("console.")
                    && !DROPPING.iter().any(|it| method.starts_with(it));
                keeps.then(|| values.iter().map(move |&value| (event, value)))
            });
        // `element.onclick = …`
        let handler = |key: u32| match model.keys.get(key as usize) {
            Some(Key::Property(name)) => name.starts_with("on"),
            _ => false,
        };
        let events = model.events.iter().zip(0_u32..);
        let written = events.filter(|(it, _)| it.kind == Kind::Write && handler(it.key));
        let written = written.map(|(it, number)| (number, it.value));
        for (number, value) in passed.flatten().chain(written) {
            if let Value::Function(id) = value
                && let Some(event) = model.events.get(number as usize)
                && let Some(object) = model.object(event.stream, id.0)
                && object.function.is_some()
            {
                let own = all.0.entry((event.stream, object.function.0)).or_default();
                own.push((number, id.0));
            }
        }
        for own in all.0.values_mut() {
            own.sort_unstable();
        }
        all
    }
}

impl Model {
    /// The event with which the function of a call was handed over, if nothing with hooks called it. `None`: it was
    /// not, or the log cannot tell which of several it was.
    #[must_use]
    pub fn handed_over_at(&self, call: u32) -> Option<u32> {
        let own = self.calls.get(call as usize)?;
        if own.parent != NONE {
            return None;
        }
        let all = self.handed_over.get_or_init(|| HandedOver::of(self));
        let all = all.0.get(&(own.stream, own.function.0))?;
        let before = all.get(..all.partition_point(|(event, _)| *event < own.enter))?;
        let around = self.scope(own.stream, own.scope).map(|it| it.parent);
        let around = around.and_then(|it| self.scope(own.stream, it));
        if let Some(around) = around
            && around.call != NONE
        {
            // The call that made the function handed it over, before it made another one in the next turn of a loop.
            let is_its = |(event, _): &&(u32, u32)| {
                let by = self.events.get(*event as usize).map(|it| it.call);
                *event >= around.entered && by == Some(around.call)
            };
            let mut its = before.iter().filter(is_its);
            if let Some(&first) = its.next() {
                let next = its.find(|(_, object)| *object != first.1);
                let is_between = |scope: &super::ScopeInstance| {
                    let until = next.map_or(u32::MAX, |(event, _)| *event);
                    scope.of == around.of && (first.0..until).contains(&scope.entered)
                };
                let scopes = self
                    .streams
                    .get(usize::from(own.stream))
                    .map(|it| &it.scopes);
                let is_sure = next.is_none() || scopes.is_some_and(|it| it.iter().any(is_between));
                let of_object = before.iter().filter(|(_, object)| *object == first.1);
                return if is_sure {
                    self.pending(call, of_object)
                } else {
                    None
                };
            }
        }
        let first = before.first()?;
        let is_one = before.iter().all(|(_, object)| *object == first.1);
        if is_one {
            self.pending(call, before.iter())
        } else {
            None
        }
    }

    /// Of the events with which one function was handed over the one that a call of it came of.
    fn pending<'e>(&self, call: u32, events: impl Iterator<Item = &'e (u32, u32)>) -> Option<u32> {
        let events: Vec<u32> = events.map(|(event, _)| *event).collect();
        let last = *events.last()?;
        let site = |event: &u32| self.events.get(*event as usize).map(|it| it.site);
        let is_one_place = events
            .iter()
            .all(|it| site(it) == site(&last) && site(it) != Some(SiteId::NONE));
        if events.len() == 1 || is_one_place && self.is_listener(last) {
            return Some(last);
        }
        // Each was called before the next one.
        let own = self.calls.get(call as usize)?;
        let around = |scope| self.scope(own.stream, scope).map(|it| it.parent);
        let earlier = self.calls.get(..call as usize)?.iter();
        let earlier = earlier.filter(|it| {
            it.function == own.function
                && it.stream == own.stream
                && it.parent == NONE
                && around(it.scope) == around(own.scope)
        });
        let earlier: Vec<u32> = earlier.map(|it| it.enter).collect();
        let mut in_turn = events.iter().skip(1).zip(&earlier);
        let is_sure =
            events.len() == earlier.len() + 1 && in_turn.all(|(event, call)| event > call);
        is_sure.then_some(last)
    }

    /// Whether a function that was handed over with an event is called as often as something happens.
    fn is_listener(&self, event: u32) -> bool {
        let event = self.events.get(event as usize);
        let name = event
            .and_then(|it| self.site(it.site))
            .map_or("", |it| it.name.as_str());
        ![
            "setTimeout",
            "queueMicrotask",
            "requestAnimationFrame",
            "requestIdleCallback",
            "then",
            "catch",
            "finally",
        ]
        .contains(&name.rsplit('.').next().unwrap_or_default())
    }
}
