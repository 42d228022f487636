//! Points in a log: the event at which a reproduction point is reached.

use std::collections::HashMap;

use querypoint::point::ReproductionPoint;
use querypoint::session::stop::line_point;

use super::{CatalogueError, console};
use crate::ids::SiteId;
use crate::model::{Kind, Model, NONE};
use crate::tables::SiteKind;

/// Where the part begins or ends that was asked for.
pub(super) fn border(model: &Model, text: Option<&str>) -> Result<Option<u32>, CatalogueError> {
    let Some(text) = text else { return Ok(None) };
    let point = ReproductionPoint::parse(text)
        .map_err(|error| CatalogueError::NotReached(error.message))?;
    point_in(model, &point).map(Some)
}

/// The event that a point means.
///
/// # Errors
/// [`CatalogueError::NotReached`] if it is not in the log.
pub fn point_in(model: &Model, at: &ReproductionPoint) -> Result<u32, CatalogueError> {
    let end = u32::try_from(model.events.len()).unwrap_or(NONE);
    match at {
        ReproductionPoint::End => Ok(end),
        ReproductionPoint::Location {
            line, column, hit, ..
        } => {
            let hits = hits(model, at, *line, *column);
            let count = hits.len();
            let index = match hit.0 {
                negative if negative < 0 => count
                    .checked_sub(usize::try_from(negative.unsigned_abs()).unwrap_or(usize::MAX)),
                index => usize::try_from(index).ok(),
            };
            let found = index.and_then(|index| hits.get(index).copied());
            found.ok_or_else(|| {
                CatalogueError::NotReached(match count {
                    0 => format!("nothing was recorded on line {line} of that file"),
                    count => format!("line {line} was reached {count} times"),
                })
            })
        }
        ReproductionPoint::Exception { text } => {
            let uncaught = model.events.iter().position(|event| {
                event.kind == Kind::Uncaught
                    && text.as_ref().is_none_or(|text| {
                        crate::model::text(model, event.stream, event.value).contains(text)
                    })
            });
            uncaught
                .and_then(|at| u32::try_from(at).ok())
                .ok_or_else(|| {
                    CatalogueError::NotReached("there was no such uncaught exception".to_owned())
                })
        }
        ReproductionPoint::Console { text } => console::message(model, text).ok_or_else(|| {
            CatalogueError::NotReached(
                "no recorded script gave a method of `console` such a text; name a line".to_owned(),
            )
        }),
    }
}

/// The events with which a line was reached, each time: those of its first place that was reached at all.
pub(super) fn hits(
    model: &Model,
    at: &ReproductionPoint,
    line: u32,
    column: Option<u32>,
) -> Vec<u32> {
    first_reached(model, at, line, column).map_or_else(Vec::new, |(_, hits)| hits)
}

/// The kind of the event with which a place is reached. What else has its number is a consequence: what a call of
/// `push` writes, what a collection that it gave holds, the message of what was caught.
#[must_use]
pub const fn reaching(kind: SiteKind) -> Kind {
    match kind {
        // Of a call the place is where it was made, which is an event of its own.
        SiteKind::Call | SiteKind::Step => Kind::Step,
        SiteKind::Return => Kind::Return,
        SiteKind::Throw => Kind::Throw,
        SiteKind::Catch => Kind::Catch,
        SiteKind::Write => Kind::Write,
        SiteKind::Assign => Kind::Assign,
        SiteKind::Create => Kind::Create,
        SiteKind::Branch => Kind::Branch,
        SiteKind::Suspend => Kind::Suspend,
    }
}

/// The first place of a line that was reached at all, with the events that reached it. Of a log that was merged of
/// several runs each run has a place of its own there: all of them.
pub(super) fn first_reached(
    model: &Model,
    at: &ReproductionPoint,
    line: u32,
    column: Option<u32>,
) -> Option<(Vec<SiteId>, Vec<u32>)> {
    let mut sites: Vec<(u32, u32)> = Vec::new();
    for (site, number) in model.tables.sites.iter().zip(1..) {
        if site.line != line || column.is_some_and(|column| site.column < column) {
            continue;
        }
        let script = model.tables.script(site.script);
        if script.is_some_and(|script| at.matches_url(&script.url)) {
            sites.push((site.column, number));
        }
    }
    sites.sort_unstable();
    let numbers = sites.iter().map(|(_, number)| *number);
    let between = numbers.clone().min()?..=numbers.clone().max()?;
    let mut by_site: HashMap<u32, Vec<u32>> = numbers.map(|number| (number, Vec::new())).collect();
    for (event, number) in model.events.iter().zip(0..) {
        if between.contains(&event.site.0)
            && let Some(hits) = by_site.get_mut(&event.site.0)
            && let Some(site) = model.site(event.site)
            && reaching(site.kind) == event.kind
        {
            hits.push(number);
        }
    }
    by_site.retain(|_, hits| !hits.is_empty());
    let mut sites = sites.into_iter().map(|(_, site)| SiteId(site));
    let (first, mut hits) = sites.find_map(|site| Some((site, by_site.remove(&site.0)?)))?;
    let mut reached = vec![first];
    if !model.info.runs.is_empty() {
        let place = model.site(first).map(|it| (it.column, it.kind));
        let others = sites.filter(|site| model.site(*site).map(|it| (it.column, it.kind)) == place);
        for site in others {
            if let Some(more) = by_site.remove(&site.0) {
                reached.push(site);
                hits.extend(more);
            }
        }
        hits.sort_unstable();
    }
    Some((reached, hits))
}

/// The reproduction point that leads a replay to where an event happened: its line and column, and how often that place
/// had been reached before. `None`: the event is at no place of its own.
#[must_use]
pub fn reproduction_point_of(model: &Model, number: u32) -> Option<String> {
    let event = model.events.get(number as usize)?;
    let site = model.site(event.site)?;
    let url = &model.tables.script(site.script)?.url;
    let place = format!("{}:{}", line_point(url, site.line), site.column);
    let at = ReproductionPoint::parse(&place).ok()?;
    // Of a call the place is where it was made, which is an event of its own, just before.
    let hits = hits(model, &at, site.line, Some(site.column));
    let hit = hits.partition_point(|hit| *hit <= number).checked_sub(1)?;
    let own = model.events.get(*hits.get(hit)? as usize)?;
    (own.site == event.site).then(|| format!("{place}#{hit}"))
}
