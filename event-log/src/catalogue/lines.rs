//! How often a line was evaluated. A line is reached with its first place; the condition of a loop whose head is there
//! is evaluated more often than what is before it: `for (let i = 0; i < n; i++)`.

use std::collections::HashMap;

use querypoint::events::EventKind;
use querypoint::point::ReproductionPoint;

use super::points::first_reached;
use super::{Asked, Found};
use crate::ids::SiteId;
use crate::model::{Event, Kind};
use crate::tables::SiteKind;

impl Asked<'_> {
    /// The events of a line: those that reach it, and each time that a loop's condition is evaluated there, in order.
    pub(super) fn evaluated(&self, at: &ReproductionPoint, line: u32) -> Vec<u32> {
        let Some((first, mut numbers)) = first_reached(self.model, at, line, None) else {
            return Vec::new();
        };
        let loops = self.loops_beside(&first, numbers.len());
        let events = self.model.events.iter().zip(0..);
        let decided = events.filter(|(event, _)| is_decision_of(event, &loops));
        numbers.extend(decided.map(|(_, number)| number));
        numbers.sort_unstable();
        numbers
    }

    /// The conditions behind the first place of a line that are evaluated more often than that is reached, in the same
    /// function: a loop goes back to them.
    pub(super) fn loops_beside(&self, first: &[SiteId], reached: usize) -> Vec<SiteId> {
        let tables = &self.model.tables;
        let known = first.iter().filter_map(|&site| tables.site(site));
        let heads: Vec<_> = known
            .filter(|site| site.kind != SiteKind::Branch)
            .map(|site| (site.script, site.line, site.function))
            .collect();
        let sites = tables
            .sites
            .iter()
            .zip(1..)
            .map(|(site, number)| (site, SiteId(number)));
        let beside = sites.filter(|(site, _)| {
            site.kind == SiteKind::Branch
                && heads.contains(&(site.script, site.line, site.function))
        });
        let mut counts: HashMap<SiteId, usize> = beside.map(|(_, site)| (site, 0)).collect();
        let events = self.model.events.iter();
        for event in events.filter(|event| event.kind == Kind::Branch) {
            if let Some(count) = counts.get_mut(&event.site) {
                *count += 1;
            }
        }
        counts.retain(|_, count| *count > reached);
        let mut loops: Vec<SiteId> = counts.into_keys().collect();
        loops.sort_unstable();
        loops
    }

    /// Says how often the conditions among the events held: so often the body of a loop ran.
    pub(super) fn count_decisions(&self, found: &mut Found) {
        let mut decided: Vec<(&str, u32, u32)> = Vec::new();
        let branches = found
            .events
            .iter()
            .filter(|it| it.kind == EventKind::Branch);
        for event in branches {
            let (Some(name), Some(value)) = (&event.name, &event.value) else {
                continue;
            };
            let held = u32::from(!matches!(
                value.text.as_str(),
                "false" | "0" | "-0" | "NaN" | "\"\"" | "null" | "undefined" | "0n"
            ));
            match decided.iter_mut().find(|it| it.0 == name) {
                Some(known) => (known.1, known.2) = (known.1 + 1, known.2 + held),
                None => decided.push((name, 1, held)),
            }
        }
        decided.retain(|it| it.1 > 1);
        let notes: Vec<String> = decided
            .into_iter()
            .map(|(name, count, held)| {
                format!("{name} was evaluated {count} times, and held in {held} of them")
            })
            .collect();
        notes.into_iter().for_each(|note| found.note(note));
    }
}

/// Whether a condition is decided that is one of these, which are sorted.
fn is_decision_of(event: &Event, sites: &[SiteId]) -> bool {
    event.kind == Kind::Branch && sites.binary_search(&event.site).is_ok()
}
