//! One of two logs that are compared: its events, and what its places and functions are called in any version.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::ids::{FunctionId, SiteId};
use crate::model::{Call, Event, GONE_WITH_OTHERS, Kind, Model, NONE};
use crate::value::Value;

use super::noise::Noise;

/// What a function is called in any version: its name, its kind, and its shape where it has no name.
pub(super) type FunctionKey<'m> = (&'m str, u8, u32);

/// What a place is called in any version: its kind, its name, the how manieth it is of these, and its function.
pub(super) type SiteKey<'m> = (u8, &'m str, u32, FunctionKey<'m>);

/// A log, with what its places are called in any version.
pub(super) struct Side<'m> {
    pub(super) model: &'m Model,
    /// What it took from the clock and from chance.
    noise: OnceCell<Noise>,
    /// The how manieth of its kind and name a site is in its function.
    ordinals: Vec<u32>,
    /// The events of each realm.
    pub(super) streams: Vec<Vec<u32>>,
    /// What events told of what an object holds: event, key and value, in the order of events.
    told: Vec<(u32, u32, Value)>,
}

impl<'m> Side<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let mut counts: HashMap<(FunctionId, u8, &str), u32> = HashMap::new();
        let mut ordinals = Vec::with_capacity(model.tables.sites.len());
        for site in &model.tables.sites {
            let count = counts
                .entry((site.function, site.kind as u8, site.shown()))
                .or_default();
            ordinals.push(*count);
            *count += 1;
        }
        let mut streams = vec![Vec::new(); model.streams.len()];
        for (event, number) in model.events.iter().zip(0..) {
            // When these come says the browser. What the page does about them is compared.
            let is_from_outside = match event.kind {
                Kind::Response | Kind::Action => true,
                Kind::Dom => !event.site.is_some(),
                _ => false,
            };
            if is_from_outside {
                continue;
            }
            if let Some(stream) = streams.get_mut(usize::from(event.stream)) {
                stream.push(number);
            }
        }
        let told = model.writes.iter();
        let told = told.filter(|write| !matches!(write.listed, NONE | GONE_WITH_OTHERS));
        let mut told: Vec<_> = told
            .map(|write| (write.event, write.listed, write.key))
            .collect();
        told.sort_unstable();
        let told = told.into_iter().map(|(event, listed, key)| {
            let value = model.listed.get(listed as usize).copied();
            (event, key, value.unwrap_or(Value::Unknown))
        });
        Self {
            model,
            noise: OnceCell::new(),
            ordinals,
            streams,
            told: told.collect(),
        }
    }

    /// What it took from the clock and from chance; worked out where something is not the same.
    pub(super) fn noise(&self) -> &Noise {
        self.noise.get_or_init(|| Noise::of(self.model))
    }

    /// The keys and values that an event told.
    pub(super) fn told_by(&self, event: u32) -> &[(u32, u32, Value)] {
        let from = self.told.partition_point(|it| it.0 < event);
        let rest = self.told.get(from..).unwrap_or_default();
        let to = rest.partition_point(|it| it.0 == event);
        rest.get(..to).unwrap_or_default()
    }

    /// What an argument of a call is called.
    pub(super) fn parameter(&self, call: &Call, index: usize) -> String {
        let function = self.model.tables.function(call.function);
        let name = function.and_then(|function| function.parameters.get(index));
        name.map_or_else(|| format!("argument {}", index + 1), Clone::clone)
    }

    pub(super) fn event(&self, number: u32) -> Option<&Event> {
        self.model.events.get(number as usize)
    }

    /// What a function is called in any version.
    pub(super) fn function(&self, function: FunctionId) -> FunctionKey<'_> {
        match self.model.tables.function(function) {
            Some(it) if !it.name.is_empty() => (&it.name, it.kind as u8, 0),
            // The top of a script is one, whatever is in it.
            Some(it) if matches!(it.kind as u8, 1 | 2) => ("", it.kind as u8, 0),
            Some(it) => ("", it.kind as u8, it.shape),
            None => ("", u8::MAX, 0),
        }
    }

    pub(super) fn site(&self, site: SiteId) -> Option<SiteKey<'_>> {
        let it = self.model.site(site)?;
        let ordinal = self.ordinals.get(site.index()?).copied().unwrap_or(0);
        Some((it.kind as u8, &it.name, ordinal, self.function(it.function)))
    }

    pub(super) fn function_of(&self, event: &Event) -> FunctionId {
        let call = self.model.calls.get(event.call as usize);
        call.map_or(FunctionId::NONE, |call| call.function)
    }
}
