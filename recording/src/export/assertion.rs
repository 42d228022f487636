//! What a test asserts: that a value which was wrong at the reproduction point is another one.

use querypoint::answer::{Answer, Location, PointAnswer, Value, ValueType};
use querypoint::query::{PointName, Query, QueryKind, Reference, ReferenceRoot};

/// A value that was wrong at the reproduction point.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// Where the reproduction point is, in the script as it runs. None: at the end, when no script runs.
    pub place: Option<WatchedPlace>,
    /// The frame whose variables are meant: 0 is the one that is there, -1 the oldest.
    pub frame: i32,
    /// JavaScript that gives the value.
    pub expression: String,
    /// JavaScript that is the value which was wrong.
    pub wrong: String,
}

/// A place in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPlace {
    /// The script's address; for an inline script that of its document.
    pub url: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// How often it was passed, the reproduction point being the last time.
    pub hits: u64,
}

/// An answer holds no value of which a test could say that it must be another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the answer has no wrong value that can be written in a test: ask `lastChange(R:…)` for a number, a string, a \
     boolean, null or undefined, or watch one (--watch EXPR)"
)]
pub struct NothingToAssert;

impl Assertion {
    /// What the answer's queries at `R` were about; if there are none, its watches there.
    ///
    /// # Errors
    /// [`NothingToAssert`] if none of these values is a primitive that can be written down.
    pub fn of(answer: &Answer) -> Result<Vec<Self>, NothingToAssert> {
        let (point, queries) = answer.points.split_first().ok_or(NothingToAssert)?;
        let place = point.location.as_ref().map(|location| {
            let hits = point.hits.unwrap_or(1);
            WatchedPlace::of(location, hits)
        });
        let asserted = |frame, expression, value: &Value| {
            Some(Self {
                place: place.clone(),
                frame,
                expression,
                wrong: literal(value)?,
            })
        };
        let asked: Vec<Self> = queries
            .iter()
            .filter_map(|query| {
                let (frame, reference) = asked_at_the_point(query)?;
                let value = query.new.as_ref().or(query.value.as_ref())?;
                asserted(frame, reference.to_string(), value)
            })
            .collect();
        if !asked.is_empty() {
            return Ok(asked);
        }
        let watches = point.watches.iter().filter(|watch| watch.threw.is_none());
        let watched: Vec<Self> = watches
            .filter_map(|watch| asserted(0, watch.expression.clone(), &watch.value))
            .collect();
        if watched.is_empty() {
            return Err(NothingToAssert);
        }
        Ok(watched)
    }
}

impl WatchedPlace {
    fn of(location: &Location, hits: u64) -> Self {
        let (url, line, column) = match &location.generated {
            Some(generated) => (&generated.url, generated.line, generated.column),
            None => (&location.url, location.line, location.column),
        };
        Self {
            url: url.clone(),
            line,
            column,
            hits,
        }
    }
}

/// What a query asks about in a frame of the reproduction point, if it can be evaluated there.
fn asked_at_the_point(query: &PointAnswer) -> Option<(i32, Reference)> {
    let query = Query::parse(query.query.as_deref()?).ok()?;
    let QueryKind::LastChange(asked) = query.kind else {
        return None;
    };
    let is_at_point = asked
        .point
        .as_ref()
        .is_none_or(PointName::is_reproduction_point);
    let can_be_evaluated = asked.reference.root != ReferenceRoot::EventObject;
    (is_at_point && can_be_evaluated).then_some((asked.frame, asked.reference))
}

/// The value in JavaScript; none for what has no literal, or is cut.
fn literal(value: &Value) -> Option<String> {
    let text = value.text.as_str();
    let is_literal = match value.kind {
        ValueType::Undefined | ValueType::Boolean => true,
        ValueType::Number => {
            matches!(text, "NaN" | "Infinity" | "-Infinity") || text.parse::<f64>().is_ok()
        }
        ValueType::Bigint => text
            .strip_suffix('n')
            .is_some_and(|digits| digits.parse::<i128>().is_ok()),
        ValueType::String => serde_json::from_str::<String>(text).is_ok(),
        ValueType::Object => text == "null",
        ValueType::Symbol
        | ValueType::Function
        | ValueType::Accessor
        | ValueType::Uninitialised => false,
    };
    is_literal.then(|| text.to_owned())
}
