//! Where a hop is, as a point at which everything else can be asked: its place, which hit of it, and its realm.

use std::collections::HashMap;

use event_log::catalogue::{reaching, reproduction_point_of};
use event_log::model::NONE;
use querypoint::answer::{Hop, Location};
use querypoint::session::excerpt::short_name;

use super::{InLog, Next};

/// How many events before a moment are looked through for the line of a hop.
const MOST_BEFORE: usize = 20_000;
/// Of how many hops of a chain it is looked for which hit they are: each is counted through the log.
const MOST_COUNTED: usize = 100;
/// The object that is a realm's global one.
const GLOBAL_OBJECT: u32 = 1;

/// The end of the name of a class of a worker's global object.
const OF_WORKER: &str = "WorkerGlobalScope";

impl InLog<'_> {
    /// The call and the event at which a step of a chain is; what is known of the step before, where it has none.
    pub(super) fn moment_of(&self, next: &Next, before: (u32, u32)) -> (u32, u32) {
        match next {
            Next::Value { spot, .. } => (spot.moment.call, spot.moment.at),
            Next::Settled { .. } => (NONE, NONE),
            _ => before,
        }
    }

    /// Gives the hops of a step their points: which hit of its line each is, where that line was reached once in the
    /// call of the step or in the one around it.
    pub(super) fn place_hops(&self, (call, at): (u32, u32), hops: &mut [Hop], before: usize) {
        let Some(new) = hops.get_mut(before..) else {
            return;
        };
        for (hop, number) in new.iter_mut().zip(before..) {
            if hop.point.is_none() {
                let counted = (number < MOST_COUNTED)
                    .then(|| self.hit_of(call, at, &hop.location))
                    .flatten();
                hop.point = Some(counted.unwrap_or_else(|| crate::origin::hop_place(hop)));
            }
        }
    }

    /// The only time that a line was reached in a call up to an event, or in the call around it.
    fn hit_of(&self, call: u32, at: u32, location: &Location) -> Option<String> {
        let around = self.call_of(call)?.parent;
        let events = self.model.events.get(..=usize::try_from(at).ok()?)?;
        let mut hits: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, event) in events.iter().enumerate().rev().take(MOST_BEFORE) {
            let is_near = event.call == call || event.call == around && around != NONE;
            let Some(site) = self.model.site(event.site).filter(|_| is_near) else {
                continue;
            };
            let script = self.model.tables.script(site.script);
            if site.line == location.line
                && reaching(site.kind) == event.kind
                && script.is_some_and(|script| script.url == location.url)
            {
                hits.entry(event.site.0)
                    .or_default()
                    .push(u32::try_from(number).ok()?);
            }
        }
        // A line has several places: one that is reached twice says that the line is.
        if hits.values().any(|hits| hits.len() > 1) {
            return None;
        }
        let column = |site: u32| {
            let site = self.model.site(event_log::ids::SiteId(site));
            site.map_or(u32::MAX, |site| site.column)
        };
        let mut hits: Vec<(u32, u32)> = hits
            .into_iter()
            .filter_map(|(site, hits)| Some((column(site), *hits.first()?)))
            .collect();
        hits.sort_unstable();
        // The last place of the line that is not behind the hop; else the first one.
        let behind = hits.partition_point(|(column, _)| *column <= location.column);
        let (_, hit) = hits.get(behind.saturating_sub(1))?;
        reproduction_point_of(self.model, *hit)
    }

    /// What a realm is called that is not the page's own: a frame or a worker, by the file that ran first in it.
    pub(super) fn realm(&self, stream: u16) -> Option<String> {
        let names = self.realms.get_or_init(|| self.realm_names());
        names.get(&stream).cloned()
    }

    fn realm_names(&self) -> HashMap<u16, String> {
        let mut first: Vec<(u16, u32)> = Vec::new();
        for (call, number) in self.model.calls.iter().zip(0..) {
            if first.iter().all(|(stream, _)| *stream != call.stream) {
                first.push((call.stream, number));
            }
        }
        let is_worker = |stream| self.class_of(stream, GLOBAL_OBJECT).ends_with(OF_WORKER);
        // The page's own document is the first one that runs.
        let page = first.iter().find(|(stream, _)| !is_worker(*stream));
        let page = page.map(|(stream, _)| *stream);
        let others = first.iter().filter(|(stream, _)| Some(*stream) != page);
        let named = others.map(|&(stream, call)| {
            let kind = if is_worker(stream) { "worker" } else { "frame" };
            let function = self
                .call_of(call)
                .and_then(|call| self.model.tables.function(call.function));
            let script = function.and_then(|it| self.model.tables.script(it.script));
            let file = script.map(|it| short_name(&it.url));
            let name = file.map_or_else(|| kind.to_owned(), |file| format!("{kind} {file}"));
            (stream, name)
        });
        named.collect()
    }
}
