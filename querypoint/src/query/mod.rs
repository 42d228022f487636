//! The query language: what a person types to ask where a value came from.
//!
//! [`Query::parse`] takes the whole grammar of the contract; what of it can be answered is decided by
//! [`crate::plan`]. Every type here prints canonical text that parses back to the same value.

mod display;
mod error;
mod literal;
pub(crate) mod parser;
mod reference;
pub(crate) mod scanner;
#[cfg(test)]
mod tests;
mod trace;

use std::fmt;

pub use error::QueryError;
pub use literal::{is_identifier, is_reserved, number_to_string};
pub use reference::{
    ElementKey, GlobalReference, Lookup, OperandReference, PropertyKey, Reference, ReferenceRoot,
    Segment, Target,
};
pub use trace::{CodeLine, Constraint, Event, TraceQuery};

/// The name of a point: `R`, the name that a query was given, or an event that a question to a log found (`H[2]`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointName(String);

impl PointName {
    /// The reproduction point's name, `R`.
    #[must_use]
    pub fn reproduction_point() -> Self {
        Self("R".to_owned())
    }

    /// A name, if `text` is one: a JavaScript identifier other than `this`.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (is_identifier(text) && text != "this").then(|| Self(text.to_owned()))
    }

    /// The event with this index (negative: from the end) of those that the question called so found in the log of an
    /// execution: `H[2]`.
    #[must_use]
    pub fn event(question: &Self, index: i64) -> Self {
        Self(format!("{question}[{index}]"))
    }

    /// The question that found the event which this names, and its index. `None`: it names no event.
    #[must_use]
    pub fn as_event(&self) -> Option<(&str, i64)> {
        let (question, index) = self.0.strip_suffix(']')?.split_once('[')?;
        Some((question, index.parse().ok()?))
    }

    /// The `number`th automatic name, `Q1`, `Q2`, ….
    pub(crate) fn automatic(number: usize) -> Self {
        Self(format!("Q{number}"))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `R`.
    #[must_use]
    pub fn is_reproduction_point(&self) -> bool {
        self.0 == "R"
    }
}

impl fmt::Display for PointName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One query, as typed and as understood. Two queries are equal when they ask the same under the same
/// name, however they were typed.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name before `=`, if it was given one.
    pub name: Option<PointName>,
    /// What is asked.
    pub kind: QueryKind,
    /// The text as it was typed.
    pub text: String,
    /// Where the name and the points that the query uses are in `text`.
    pub(crate) places: Places,
}

/// Byte offsets into a query's text, so that later checks can put a caret under the place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Where the query's own name is.
    pub(crate) name: usize,
    /// Every point that the query names, in the order of the text.
    pub(crate) points: Vec<(PointName, usize)>,
    /// Where the kind (`lastChange`, …) begins.
    pub(crate) kind: usize,
    /// Where the reference of a `lastChange` begins.
    pub(crate) reference: usize,
    /// Where references to the object of a trace query's event begin.
    pub(crate) event_references: Vec<usize>,
}

impl Query {
    /// Parses one query, such as `B = lastChange(R:cart.total)`.
    ///
    /// # Errors
    /// [`QueryError`] with the place, what was expected there and what to do.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parser::parse(text)
    }

    /// Every point that the query names, in the order of the text.
    pub fn points(&self) -> impl Iterator<Item = &PointName> {
        self.places.points.iter().map(|(name, _)| name)
    }

    /// The reference whose origin is asked, with its point.
    #[must_use]
    pub fn origin(&self) -> Option<&GlobalReference> {
        match &self.kind {
            QueryKind::Origin(reference) => Some(reference),
            _ => None,
        }
    }

    /// The operand whose origin is asked.
    #[must_use]
    pub fn operand(&self) -> Option<&OperandReference> {
        match &self.kind {
            QueryKind::OriginOfOperand(operand) => Some(operand),
            _ => None,
        }
    }

    /// The object of which it is asked what was not done to it, with its point.
    #[must_use]
    pub fn omitted(&self) -> Option<&GlobalReference> {
        match &self.kind {
            QueryKind::Omitted(reference) => Some(reference),
            _ => None,
        }
    }

    /// The line of which it is asked why it did not run.
    #[must_use]
    pub fn why_not(&self) -> Option<&CodeLine> {
        match &self.kind {
            QueryKind::WhyNot(line) => Some(line),
            _ => None,
        }
    }

    /// The canonical text of the query with a point, or the query itself, called otherwise.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &PointName) -> String {
        let mut text = self.text.clone();
        let own = self.name.iter().map(|name| (name, self.places.name));
        let used = self.places.points.iter().map(|(name, at)| (name, *at));
        let mut places: Vec<(&PointName, usize)> = own.chain(used).collect();
        places.sort_unstable_by_key(|(_, at)| std::cmp::Reverse(*at));
        for (name, at) in places {
            let end = at + name.as_str().len();
            // A name that is written with escapes is there otherwise.
            if name.as_str() == from && text.get(at..end) == Some(from) {
                text.replace_range(at..end, to.as_str());
            }
        }
        text
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.kind == other.kind
    }
}

/// What a query asks.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryKind {
    /// The last change of a variable or a property before a point.
    LastChange(GlobalReference),
    /// Where the value of a variable or a property at a point was made: the writes that brought it, to the first.
    Origin(GlobalReference),
    /// Where an operand of the computation comes from that an origin ended at.
    OriginOfOperand(OperandReference),
    /// What could have been done to an object and was not, and which decisions kept it from being done.
    Omitted(GlobalReference),
    /// Which decisions kept a line from running.
    WhyNot(CodeLine),
    /// The last condition that decided that the point was reached.
    LastCondition(PointName),
    /// The first exception thrown after the point, inside the `try` block around it.
    ExceptionAfter(PointName),
    /// A trace query in full.
    Trace(TraceQuery),
}

impl QueryKind {
    /// The word of the language for this kind.
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::LastChange(_) => "lastChange",
            Self::Origin(_) | Self::OriginOfOperand(_) => "origin",
            Self::Omitted(_) => "omitted",
            Self::WhyNot(_) => "whyNot",
            Self::LastCondition(_) => "lastCondition",
            Self::ExceptionAfter(_) => "exceptionAfter",
            Self::Trace(_) => "trace",
        }
    }
}
