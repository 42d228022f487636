//! Answers the questions of the catalogue ([`querypoint::catalogue`]) from a [`Model`].
//!
//! A question is asked at a point, which is an event: what is answered is so just before it. Every answer says whether
//! the log has all that it depends on; where it has not, the notes say what is missing.

mod composed;
mod console;
mod display;
mod finding;
mod instances;
mod lengths;
mod lines;
mod missing;
mod paths;
mod points;
mod promises;
mod references;
mod rejections;
mod sql;
mod untold;
mod waiting;

use std::cell::OnceCell;
use std::collections::HashMap;

use querypoint::catalogue::{CatalogueKind, CataloguePoint, CatalogueQuery, Question};
use querypoint::events::{EVENTS_SCHEMA, EventsAnswer, EventsResult, LoggedEvent};
use querypoint::point::ReproductionPoint;

use crate::model::{Model, NONE};
pub use console::failed_assertion;
pub(crate) use display::{
    about_page, function_label, key_text, kind_word, outcome_word, owner_class,
    shown as shown_value,
};
pub use display::{event as shown_event, value_type};
pub use missing::missing;
use paths::Paths;
use points::border;
pub use points::{point_in, reaching, reproduction_point_of};

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
    queries: &[Question],
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
    queries: &[Question],
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
    /// Worked out where a name is not that of a function or class.
    paths: OnceCell<Paths<'m>>,
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
            paths: OnceCell::new(),
        })
    }
}

impl<'m> Asked<'m> {
    fn paths(&self) -> &Paths<'m> {
        self.paths.get_or_init(|| Paths::of(self.model))
    }
}

impl Asked<'_> {
    fn all(mut self, queries: &[Question]) -> Result<EventsAnswer, CatalogueError> {
        let mut results = Vec::new();
        for (query, number) in queries.iter().zip(1..) {
            let name = query.name().map(str::to_owned);
            let name = name.unwrap_or_else(|| format!("Q{number}"));
            let result = match query {
                Question::Plain(query) => self.one(query, name)?,
                Question::Composed(composed) => self.composed(composed, name)?,
            };
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
        self.needs_detail(&query.kind, &mut found);
        let missing = missing(self.model);
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

    /// Says so where the log was recorded without what a question asks for.
    fn needs_detail(&self, kind: &CatalogueKind, found: &mut Found) {
        use CatalogueKind as Is;
        let is_asked = matches!(
            kind,
            Is::State(_)
                | Is::Contents(_)
                | Is::History(_)
                | Is::Locals(_)
                | Is::Arguments(_)
                | Is::Returned(_)
                | Is::ArgumentsOf(_)
                | Is::ReturnsOf(_)
                | Is::WasAssigned(..)
                | Is::Instances(_)
                | Is::Exists(_)
        );
        if is_asked && self.is_without_values() {
            found.is_partial = true;
            found.note("the log was recorded with --detail calls, without values; record it with --detail values");
            if found.total == 0 {
                found.holds = None;
            }
        }
    }

    /// Whether the log was recorded without values, or one of those that it was merged of.
    fn is_without_values(&self) -> bool {
        let mut details = self.model.info.detail.split(", ");
        details.any(|detail| detail == "calls")
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
}
