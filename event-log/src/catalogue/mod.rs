//! Answers the questions of the catalogue ([`querypoint::catalogue`]) from a [`Model`].
//!
//! A question is asked at a point, which is an event: what is answered is so just before it. Every answer says whether
//! the log has all that it depends on; where it has not, the notes say what is missing.

mod console;
mod display;
mod references;
mod sql;

use std::collections::HashMap;

use querypoint::catalogue::{CatalogueKind, CatalogueLine, CataloguePoint, CatalogueQuery};
use querypoint::events::{EVENTS_SCHEMA, EventsAnswer, EventsResult, LoggedEvent};
use querypoint::point::{Hit, ReproductionPoint};

use crate::file::Damage;
use crate::ids::{FunctionId, SiteId};
use crate::model::{CallOutcome, Kind, Model, NONE};
pub use display::{call_line, event as shown_event};
pub(crate) use display::{function_label, key_text, kind_word, owner_class};

/// More events of an answer are counted and not shown.
const MOST_EVENTS: usize = 10_000;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The point that the log is asked at was not reached.
    #[error("the point is not in the log: {0}")]
    NotReached(String),
    /// A question names something that there is not.
    #[error("{query}: {message}")]
    Question {
        /// The question.
        query: String,
        /// What is wrong.
        message: String,
    },
}

/// What an answer has while it is worked out.
#[derive(Debug, Default)]
struct Found {
    events: Vec<LoggedEvent>,
    total: u64,
    holds: Option<bool>,
    notes: Vec<String>,
    is_partial: bool,
}

impl Found {
    fn add(&mut self, event: Option<LoggedEvent>) {
        let Some(event) = event else { return };
        self.total += 1;
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        }
    }

    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Answers questions, each with what those before it found.
///
/// # Errors
/// [`CatalogueError`] if a point is not in the log, or a question names a question that there is not.
pub fn answer(
    model: &Model,
    at: &ReproductionPoint,
    queries: &[CatalogueQuery],
) -> Result<EventsAnswer, CatalogueError> {
    Asked::new(model, at)?.all(queries)
}

/// The same, each answer with the SQL over [`crate::relations`] that gives its events.
///
/// # Errors
/// As [`answer`].
pub fn explain(
    model: &Model,
    at: &ReproductionPoint,
    queries: &[CatalogueQuery],
) -> Result<EventsAnswer, CatalogueError> {
    let asked = Asked::new(model, at)?;
    let is_explained = true;
    Asked {
        is_explained,
        ..asked
    }
    .all(queries)
}

struct Asked<'m> {
    model: &'m Model,
    at: u32,
    /// The part of the log that was asked for when it was recorded.
    window: (u32, u32),
    known: HashMap<String, Vec<u64>>,
    /// Whether the SQL is wanted.
    is_explained: bool,
}

/// Where the part begins or ends that was asked for.
fn border(model: &Model, text: Option<&str>) -> Result<Option<u32>, CatalogueError> {
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
fn hits(model: &Model, at: &ReproductionPoint, line: u32, column: Option<u32>) -> Vec<u32> {
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
    let mut by_site: HashMap<u32, Vec<u32>> = HashMap::new();
    for (event, number) in model.events.iter().zip(0..) {
        // Of a call the place is where it was made, which is an event of its own.
        if event.site.is_some() && event.kind != Kind::Call && event.kind != Kind::CallEnd {
            by_site.entry(event.site.0).or_default().push(number);
        }
    }
    sites
        .iter()
        .find_map(|(_, site)| by_site.remove(site))
        .unwrap_or_default()
}

impl<'m> Asked<'m> {
    fn new(model: &'m Model, at: &ReproductionPoint) -> Result<Self, CatalogueError> {
        Ok(Self {
            model,
            at: point_in(model, at)?,
            window: (
                border(model, model.info.from.as_deref())?.unwrap_or(0),
                border(model, model.info.to.as_deref())?.unwrap_or(NONE),
            ),
            known: HashMap::new(),
            is_explained: false,
        })
    }
}

impl Asked<'_> {
    fn all(mut self, queries: &[CatalogueQuery]) -> Result<EventsAnswer, CatalogueError> {
        let mut results = Vec::new();
        for (query, number) in queries.iter().zip(1..) {
            let name = query.name.clone().unwrap_or_else(|| format!("Q{number}"));
            let result = self.one(query, name)?;
            let numbers = result.events.iter().map(|event| event.seq).collect();
            self.known.insert(result.name.clone(), numbers);
            results.push(result);
        }
        Ok(EventsAnswer {
            schema: EVENTS_SCHEMA.to_owned(),
            results,
        })
    }

    fn one(&self, query: &CatalogueQuery, name: String) -> Result<EventsResult, CatalogueError> {
        let wrong = |message: String| CatalogueError::Question {
            query: query.text.clone(),
            message,
        };
        let between = match &query.between {
            Some((from, to)) => Some((
                self.point(from).map_err(wrong)?,
                self.point(to).map_err(wrong)?,
            )),
            None => None,
        };
        let mut found = Found::default();
        self.find(&query.kind, between, &mut found).map_err(wrong)?;
        let sql = match self.is_explained {
            true => Some(self.sql(&query.kind, between).map_err(wrong)?),
            false => None,
        };
        let missing = self.missing();
        let is_cut = found.total > found.events.len() as u64;
        if is_cut {
            found.note(format!("the first {MOST_EVENTS} events are shown"));
        }
        let mut notes = found.notes;
        notes.extend(missing.iter().cloned());
        Ok(EventsResult {
            name,
            query: query.text.clone(),
            complete: missing.is_empty() && !found.is_partial,
            notes,
            total: found.total,
            holds: found.holds,
            events: found.events,
            sql,
        })
    }

    /// What is missing in the log.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let model = self.model;
        if model.end.is_none() {
            missing.push("the log was cut off: what came later is not in it".to_owned());
        }
        for damage in &model.damage {
            if let Damage::Chunk { offset, reason } = damage {
                missing.push(format!(
                    "a part of the log at byte {offset} is left out: {reason}"
                ));
            }
        }
        let mut reasons: Vec<&str> = model
            .gaps
            .iter()
            .map(|(_, reason)| reason.message())
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        missing.extend(reasons.into_iter().map(str::to_owned));
        if let Some(end) = &model.end {
            const MOST: usize = 5;
            for script in end.unrecorded.iter().take(MOST) {
                missing.push(format!("{}: {}", script.url, script.reason));
            }
            if end.unrecorded.len() > MOST {
                missing.push(format!(
                    "and {} more that is not recorded",
                    end.unrecorded.len() - MOST
                ));
            }
            missing.extend(end.notes.iter().cloned());
        }
        missing.extend(model.notes.iter().cloned());
        missing
    }

    fn point(&self, point: &CataloguePoint) -> Result<u32, String> {
        match point {
            CataloguePoint::R => Ok(self.at),
            CataloguePoint::Event(number) => match usize::try_from(*number) {
                Ok(at) if at <= self.model.events.len() => Ok(u32::try_from(at).unwrap_or(NONE)),
                _ => Err(format!(
                    "there is no event {number}; the log has {}",
                    self.model.events.len()
                )),
            },
            CataloguePoint::Result { name, index } => {
                let events = self
                    .known
                    .get(name)
                    .ok_or_else(|| format!("there is no question {name} before this one"))?;
                let at = match *index {
                    index if index < 0 => events
                        .len()
                        .checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
                    index => usize::try_from(index).ok(),
                };
                let number = at.and_then(|at| events.get(at)).ok_or_else(|| {
                    format!(
                        "{name} has {} events, none with the index {index}",
                        events.len()
                    )
                })?;
                u32::try_from(*number).map_err(|error| error.to_string())
            }
        }
    }

    /// The call that is running at a point; at the end of the log none.
    fn call_at(&self, point: u32) -> u32 {
        self.model.call_before(point)
    }

    /// The same; of the event that begins a call that call, for what is asked about it.
    fn call_of(&self, point: u32) -> u32 {
        self.model
            .events
            .get(point as usize)
            .map_or(NONE, |event| event.call)
    }

    fn event(&self, number: u32) -> Option<LoggedEvent> {
        display::event(self.model, number)
    }

    fn call_event(&self, call: u32) -> Option<LoggedEvent> {
        self.event(self.model.calls.get(call as usize)?.enter)
    }

    fn find(
        &self,
        kind: &CatalogueKind,
        between: Option<(u32, u32)>,
        found: &mut Found,
    ) -> Result<(), String> {
        let model = self.model;
        let (first, last) = self.window;
        let within = |number: u32| {
            first <= number
                && number <= last
                && between.is_none_or(|(from, to)| from <= number && number <= to)
        };
        match kind {
            CatalogueKind::CallChain(point) => {
                let at = self.point(point)?;
                if at as usize >= model.events.len() {
                    found.note("nothing is running at the end of the log; give a point with --at");
                }
                let mut call = self.call_of(at);
                while let Some(it) = model.calls.get(call as usize) {
                    if within(it.enter) {
                        found.add(self.call_event(call));
                    }
                    call = it.parent;
                }
            }
            CatalogueKind::Where(Some(point)) => {
                let at = self.point(point)?;
                found.add(self.event(at));
            }
            CatalogueKind::Where(None) => {
                self.each(&within, found, |event| event.kind == Kind::Throw);
            }
            CatalogueKind::State(reference) => {
                let at = self.point(&reference.point)?;
                let (stream, value) = self.value(reference, at)?;
                self.state(stream, value, at, found, false)?;
            }
            CatalogueKind::Contents(reference) => {
                let at = self.point(&reference.point)?;
                let (stream, value) = self.value(reference, at)?;
                self.state(stream, value, at, found, true)?;
            }
            CatalogueKind::CallsBefore(point) | CatalogueKind::CallsAfter(point) => {
                let at = self.point(point)?;
                let is_before = matches!(kind, CatalogueKind::CallsBefore(_));
                let parent = self.call_at(at);
                for (call, number) in model.calls.iter().zip(0..) {
                    let is_side = if is_before {
                        call.enter < at
                    } else {
                        call.enter > at
                    };
                    if call.parent == parent && is_side && within(call.enter) {
                        found.add(self.call_event(number));
                    }
                }
            }
            CatalogueKind::Arguments(point) => {
                let at = self.point(point)?;
                found.add(self.call_event(self.call_of(at)));
            }
            CatalogueKind::Returned(point) => {
                let at = self.point(point)?;
                if let Some(call) = model.calls.get(self.call_of(at) as usize) {
                    match call.exit {
                        NONE => found.note("the call has no end in the log"),
                        exit => found.add(self.event(exit)),
                    }
                }
            }
            CatalogueKind::Locals(point) => {
                let at = self.point(point)?;
                self.locals(at, found);
            }
            CatalogueKind::History(reference) => {
                let at = self.point(&reference.point)?;
                self.history(reference, at, &within, found)?;
            }
            CatalogueKind::ArgumentsOf(name) => {
                self.calls_of(name, &within, found, |_| true);
                self.library_calls(name, &within, found);
                self.unknown_name(name, found);
            }
            CatalogueKind::ReturnsOf(name) => {
                let mut exits: Vec<u32> = Vec::new();
                for call in self.named(name) {
                    let exit = call.exit;
                    if exit != NONE && within(exit) {
                        exits.push(exit);
                    }
                }
                exits.sort_unstable();
                for exit in exits {
                    found.add(self.event(exit));
                }
                self.library_calls(name, &within, found);
                self.unknown_name(name, found);
            }
            CatalogueKind::Instances(class) => self.instances(class, &within, found),
            CatalogueKind::Running(point) => {
                let at = self.point(point)?;
                for (call, number) in model.calls.iter().zip(0..) {
                    if call.enter < at && (call.exit == NONE || call.exit >= at) {
                        found.add(self.call_event(number));
                    }
                }
            }
            CatalogueKind::CallTree(point) => {
                let at = self.point(point)?;
                self.tree(self.call_of(at), &within, found);
            }
            CatalogueKind::WasEvaluated(line) => self.was_evaluated(line, &within, found),
            CatalogueKind::WasCalled(name) => {
                self.calls_of(name, &within, found, |_| true);
                self.library_calls(name, &within, found);
                found.holds = Some(found.total > 0);
                self.unknown_name(name, found);
            }
            CatalogueKind::WasAssigned(target, value) => {
                self.each(&within, found, |event| {
                    let is_kind = match target.is_property {
                        true => matches!(event.kind, Kind::Write | Kind::WriteEntry),
                        false => event.kind == Kind::Assign,
                    };
                    if !is_kind {
                        return false;
                    }
                    let name = match target.is_property {
                        true => model.keys.get(event.key as usize).map(display::key_text),
                        false => model.site(event.site).map(|site| site.name.clone()),
                    };
                    name.as_deref() == Some(&*target.name)
                        && value.as_ref().is_none_or(|value| {
                            *value == crate::model::text(model, event.stream, event.value)
                        })
                });
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::Exists(class) => {
                self.instances(class, &within, found);
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::WasCaught(class) => {
                self.each(&within, found, |event| {
                    event.kind == Kind::Catch
                        && display::owner(model, event.stream, event.value)
                            .is_some_and(|owner| owner.class == *class)
                });
                found.holds = Some(found.total > 0);
            }
            CatalogueKind::IsRunning(name) => {
                self.calls_of(name, &within, found, |outcome| outcome == CallOutcome::Open);
                found.holds = Some(found.total > 0);
                self.unknown_name(name, found);
            }
            CatalogueKind::HasEnded(name) => {
                self.calls_of(name, &within, found, |outcome| outcome == CallOutcome::Open);
                let any = self.named(name).next().is_some();
                found.holds = Some(any && found.total == 0);
                self.unknown_name(name, found);
            }
        }
        Ok(())
    }

    /// All events of which `is_asked` says yes.
    fn each(
        &self,
        within: &dyn Fn(u32) -> bool,
        found: &mut Found,
        is_asked: impl Fn(&crate::model::Event) -> bool,
    ) {
        for (event, number) in self.model.events.iter().zip(0..) {
            if within(number) && is_asked(event) {
                found.add(self.event(number));
            }
        }
    }

    /// The functions of a name: the whole of it, or what is behind its class.
    fn functions(&self, name: &str) -> Vec<FunctionId> {
        let tables = &self.model.tables;
        let named = tables.functions.iter().zip(1..).filter(|(function, _)| {
            let own = function.name.as_str();
            own == name || own.rsplit_once('.').is_some_and(|(_, last)| last == name)
        });
        named.map(|(_, number)| FunctionId(number)).collect()
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &crate::model::Call> {
        let functions = self.functions(name);
        self.model
            .calls
            .iter()
            .filter(move |call| functions.contains(&call.function))
    }

    fn calls_of(
        &self,
        name: &str,
        within: &dyn Fn(u32) -> bool,
        found: &mut Found,
        is_asked: impl Fn(CallOutcome) -> bool,
    ) {
        let enters: Vec<u32> = self
            .named(name)
            .filter(|call| is_asked(call.outcome))
            .map(|call| call.enter)
            .collect();
        for enter in enters.into_iter().filter(|&enter| within(enter)) {
            found.add(self.event(enter));
        }
    }

    /// Calls of code without hooks, by the last word of what is called.
    fn library_calls(&self, name: &str, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let is_it = |site: SiteId| {
            self.model.site(site).is_some_and(|site| {
                site.name == name
                    || site
                        .name
                        .rsplit_once('.')
                        .is_some_and(|(_, last)| last == name)
            })
        };
        if !self.functions(name).is_empty() {
            return;
        }
        self.each(within, found, |event| {
            event.kind == Kind::CallEnd && is_it(event.site)
        });
    }

    fn unknown_name(&self, name: &str, found: &mut Found) {
        if self.functions(name).is_empty() && found.total == 0 {
            found.note(format!("no recorded script has or calls a function {name}"));
        }
    }

    fn instances(&self, class: &str, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        self.each(within, found, |event| {
            event.kind == Kind::Create
                && display::owner(self.model, event.stream, event.owner)
                    .is_some_and(|owner| owner.class == class)
        });
    }

    fn was_evaluated(&self, line: &CatalogueLine, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let at = ReproductionPoint::Location {
            file: line.file.clone(),
            line: line.line,
            column: None,
            hit: Hit(-1),
        };
        for number in hits(self.model, &at, line.line, None) {
            if within(number) {
                found.add(self.event(number));
            }
        }
        found.holds = Some(found.total > 0);
        let tables = &self.model.tables;
        let is_known = tables.sites.iter().any(|site| {
            site.line == line.line
                && tables
                    .script(site.script)
                    .is_some_and(|script| at.matches_url(&script.url))
        });
        if !is_known {
            found.holds = None;
            found.is_partial = true;
            found.note("nothing on that line is recorded: whether it was evaluated is not known");
        }
    }

    /// The calls below one, with how deep they are; without one those that nothing called.
    fn tree(&self, root: u32, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let calls = &self.model.calls;
        let (base, last) = match calls.get(root as usize) {
            Some(call) => (call.depth, call.exit),
            None => (0, NONE),
        };
        let from = if root == NONE { 0 } else { root as usize };
        // A call that is suspended goes on later: what it calls then is below it too.
        let mut below = vec![false; calls.len() - from.min(calls.len())];
        for (call, offset) in calls.iter().skip(from).zip(0..) {
            let number = from + offset;
            if last != NONE && call.enter > last {
                break;
            }
            let parent = (call.parent as usize).checked_sub(from);
            let is_below = root == NONE
                || number == from
                || parent
                    .and_then(|parent| below.get(parent))
                    .copied()
                    .unwrap_or(false);
            if let Some(entry) = below.get_mut(offset) {
                *entry = is_below;
            }
            if is_below && within(call.enter) {
                let number = u32::try_from(number).unwrap_or(NONE);
                let event = self.call_event(number).map(|event| LoggedEvent {
                    depth: Some(call.depth.saturating_sub(base)),
                    ..event
                });
                found.add(event);
            }
        }
    }
}
