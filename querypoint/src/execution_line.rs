//! The execution line: what a query looked through, from the first event to the last, and why each is not the one it
//! found.
//!
//! A `lastChange` compiles to a trace query (see [`crate::plan`]): the writes of a name, before a point, of the same
//! object, that change something, the last of them. The line is all writes of that name in one execution, each with the
//! first of these constraints that it does not meet. (The trace viewer of *Debugging by lastChange*, 2011, and of
//! *Querypoint Debugging*: small circles for events that were looked at and rejected, large ones for points.)

use serde::{Deserialize, Serialize};

use crate::answer::Location;
use crate::graph::Parent;
use crate::plan::{CollectionPlan, PlannedQuery, Sought, TracePlan};
use crate::query::{Event, PointName, Target, TraceQuery};

/// More events are counted and not shown.
pub const MOST_EVENTS: usize = 250_000;

/// The events of one execution that one query looked through. What there is one of for each event is in columns of
/// equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionLine {
    /// The name of the query's point.
    pub point: String,
    /// What its events are, as a trace query names them: `write(.total)`.
    pub event: String,
    /// One letter for each event: see [`Verdict`].
    pub verdicts: String,
    /// For each event, its index in `places`.
    pub place_of: Vec<u32>,
    /// For each event, the object that was written to (of a variable, its activation): equal numbers are one.
    pub object_of: Vec<u32>,
    /// Where the events were.
    pub places: Vec<EventPlace>,
    /// How many events were before the point at which it was asked, and that point's name.
    pub asked_at: Mark,
    /// How many events were before the reproduction point.
    pub reproduction: usize,
    /// The points that are events of this line: `before` is each one's index.
    pub points: Vec<Mark>,
    /// What the user did, in order.
    pub actions: Vec<Mark>,
    /// How many more events there were.
    pub left_out: u64,
}

/// Something between events, or one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How many events were before it.
    pub before: usize,
    /// What it is.
    pub text: String,
}

/// Where an event was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPlace {
    /// In the file its author wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The built-in, or `the user`, that wrote where no script did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Whether an event is the one that was asked for, and if not, why not: the first reason that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the one.
    Found,
    /// It came after the point at which it was asked (or was that point).
    After,
    /// Another object, or another activation's variable, was written.
    OtherObject,
    /// The value was there already.
    SameValue,
    /// There was a later one.
    Earlier,
}

impl Verdict {
    /// All, with the letter that represents each in [`ExecutionLine::verdicts`].
    pub const LETTERS: [(Self, char); 5] = [
        (Self::Found, 'f'),
        (Self::Earlier, 'e'),
        (Self::SameValue, 's'),
        (Self::OtherObject, 'o'),
        (Self::After, 'a'),
    ];

    /// The letter.
    #[must_use]
    pub fn letter(self) -> char {
        let mut all = Self::LETTERS.into_iter();
        all.find(|(it, _)| *it == self).map_or('?', |it| it.1)
    }

    /// What a letter represents.
    #[must_use]
    pub fn of(letter: char) -> Option<Self> {
        let mut all = Self::LETTERS.into_iter();
        all.find(|it| it.1 == letter).map(|(it, _)| it)
    }
}

/// An event as it was logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    /// What was written to.
    pub object: u32,
    /// Whether the value became another one.
    pub is_change: bool,
}

/// What is to be said of each event: `found` is the index of the one that was asked for, if there is one; `before` how
/// many events there were before the point at which it was asked.
///
/// ```
/// use querypoint::execution_line::{Logged, verdicts};
/// let event = |object, is_change| Logged { object, is_change };
/// let events = [event(1, true), event(2, true), event(1, true), event(1, false), event(1, true)];
/// assert_eq!(verdicts(&events, Some(2), 4), "eofsa");
/// // Without an answer, nothing before the point was a change of what was asked.
/// assert_eq!(verdicts(&events, None, 4), "ooosa");
/// ```
#[must_use]
pub fn verdicts(events: &[Logged], found: Option<usize>, before: usize) -> String {
    let object = found
        .and_then(|found| events.get(found))
        .map(|it| it.object);
    let verdict = |(index, event): (usize, &Logged)| match () {
        () if found == Some(index) => Verdict::Found,
        () if index >= before => Verdict::After,
        () if object.is_some_and(|object| object != event.object) => Verdict::OtherObject,
        () if !event.is_change => Verdict::SameValue,
        () if object.is_none() => Verdict::OtherObject,
        () => Verdict::Earlier,
    };
    let verdicts = events.iter().enumerate().map(verdict);
    verdicts.map(Verdict::letter).collect()
}

impl ExecutionLine {
    /// What its events are, in words.
    ///
    /// ```
    /// use querypoint::execution_line::ExecutionLine;
    /// let line = |event: &str, shown: usize, left_out| ExecutionLine {
    ///     event: event.to_owned(),
    ///     verdicts: "e".repeat(shown),
    ///     left_out,
    ///     ..ExecutionLine::default()
    /// };
    /// assert_eq!(line("write(.total)", 100_003, 0).title(), "100,003 writes to total");
    /// assert_eq!(line("assign(n)", 1, 0).title(), "1 assignment to n");
    /// assert_eq!(line("write(.a)", 2, 1_234_565).title(), "1,234,567 writes to a; the first 2 are shown");
    /// ```
    #[must_use]
    pub fn title(&self) -> String {
        let shown = self.verdicts.len() as u64;
        let all = shown.saturating_add(self.left_out);
        let named = self.event.strip_suffix(')');
        let what = match named.and_then(|it| it.split_once('(')) {
            Some(("write", name)) => Some(("write", name.trim_start_matches('.'))),
            Some(("assign", name)) => Some(("assignment", name)),
            _ => None,
        };
        let what = what.map_or_else(
            || format!("of {}", self.event),
            |(noun, name)| format!("{noun}{} to {name}", if all == 1 { "" } else { "s" }),
        );
        match self.left_out {
            0 => format!("{} {what}", grouped(all)),
            _ => format!(
                "{} {what}; the first {} are shown",
                grouped(all),
                grouped(shown)
            ),
        }
    }

    /// What the user did last before an event, if that is known.
    #[must_use]
    pub fn action_before(&self, index: usize) -> Option<&str> {
        let later = self.actions.partition_point(|mark| mark.before <= index);
        let mark = self.actions.get(later.checked_sub(1)?)?;
        Some(&mark.text)
    }

    /// What became of an event, and where it was.
    #[must_use]
    pub fn event(&self, index: usize) -> Option<(Verdict, &EventPlace)> {
        // Each letter is one byte.
        let letter = self.verdicts.as_bytes().get(index)?;
        let place = self.places.get(*self.place_of.get(index)? as usize)?;
        Some((Verdict::of(char::from(*letter))?, place))
    }

    /// The query that finds the event with this index, from 0.
    ///
    /// ```
    /// use querypoint::execution_line::ExecutionLine;
    /// let line = ExecutionLine { event: "write(.total)".to_owned(), reproduction: 3, ..ExecutionLine::default() };
    /// assert_eq!(line.query_for(2), "trace(write(.total), index 2)");
    /// // What comes after the reproduction point is counted from there.
    /// assert_eq!(line.query_for(4), "trace(write(.total), after(R), index 1)");
    /// ```
    #[must_use]
    pub fn query_for(&self, index: usize) -> String {
        let event = &self.event;
        match index.checked_sub(self.reproduction) {
            None => format!("trace({event}, index {index})"),
            Some(later) => format!("trace({event}, after(R), index {later})"),
        }
    }
}

/// Why a query has no line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLine {
    /// There is no query of that name.
    #[error("there is no query {0}; a line is of a query's point")]
    NoQuery(String),
    /// It looks through something else.
    #[error(
        "{0} has no line: only of a lastChange of a variable, or of a property whose name is in the query, are the \
         candidate writes logged"
    )]
    NotOfWrites(String),
    /// The executions differ.
    #[error("{0} has no line: the page's executions differ, so no one of them gave the answer")]
    NoExecution(String),
}

impl CollectionPlan {
    /// The plan with one query more, which counts all events that the query `name` looks through; and the numbers of
    /// both.
    ///
    /// # Errors
    /// [`NoLine`] if there are none that can be counted.
    pub fn with_line_of(mut self, name: &str) -> Result<(Self, usize, usize), NoLine> {
        let mut queries = self.queries.iter();
        let of = queries.find(|query| query.name.as_str() == name);
        let of = of.ok_or_else(|| NoLine::NoQuery(name.to_owned()))?;
        let event = match of.sought.target() {
            Some(Target::Property { key, .. }) => Event::Write(key.clone()),
            Some(Target::Variable { name }) => Event::Assign(name.clone()),
            _ => return Err(NoLine::NotOfWrites(name.to_owned())),
        };
        let (index, parent) = (of.index, of.parent);
        let counter = self.queries.len();
        let is_free = |name: &PointName| self.queries.iter().all(|query| query.name != *name);
        let mut names = (counter..).map(PointName::automatic);
        // The execution goes on behind the reproduction point: what comes later is on the line as well.
        let other = Some(parent).filter(|parent| *parent != Parent::ReproductionPoint);
        let trace_query = TraceQuery {
            event: event.clone(),
            constraints: Vec::new(),
            index: None,
        };
        let counts = PlannedQuery {
            index: counter,
            name: names
                .find(is_free)
                .ok_or_else(|| NoLine::NoQuery(name.to_owned()))?,
            text: trace_query.to_string(),
            parent: Parent::ReproductionPoint,
            frame: 0,
            trace_query: trace_query.to_string(),
            is_origin: false,
            is_omission: false,
            sought: Sought::Trace(TracePlan {
                event,
                after: vec![Parent::ReproductionPoint],
                before: other.into_iter().collect(),
                filters: Vec::new(),
                index: -1,
            }),
            children: Vec::new(),
        };
        self.queries.push(counts);
        Ok((self, index, counter))
    }

    /// The event that a counting query counts, as a trace query names it.
    #[must_use]
    pub fn counted(&self, query: usize) -> Option<String> {
        match &self.queries.get(query)?.sought {
            Sought::Trace(trace) => Some(trace.event.to_string()),
            _ => None,
        }
    }
}

/// A number with a comma before each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
