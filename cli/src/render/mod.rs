//! An answer, or a plan, drawn for a person: the reproduction point on top, and below it, point by point, the way back
//! to the defect.
//!
//! The text carries ANSI colours; who prints it lets `anstream` take them out where they are not wanted.
//! Nothing that came from the page reaches the terminal unchecked (see [`text`]).

mod definitions;
mod diagnosis;
mod events;
mod folding;
mod footer;
mod html;
mod omission;
mod origin;
mod outline;
mod places;
mod point;
mod rows;
mod runs;
mod style;
mod table;
mod text;

use std::fmt::Write;

use querypoint::answer::{Answer, WholeAnswer};
use querypoint::query::{Query, QueryKind};

pub(crate) use self::definitions::definitions;
pub(crate) use self::diagnosis::{call, diagnosis, judged};
pub(crate) use self::events::{event, events};
pub(crate) use self::html::html;
pub(crate) use self::outline::outline;
use self::places::Places;
use self::style::{FAINT, QUERY};
pub(crate) use self::table::table;

/// Finds one line of source, by URL and 1-based line, where the answer does not carry it.
pub(crate) type SourceLookup<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

/// Text from a page or a recording, made fit for a terminal.
pub(crate) fn printable(text: &str) -> String {
    text::printable(text, LONGEST_TEXT)
}

const LONGEST_TEXT: usize = 400;

/// Draws the answer, and those of a log with it. `is_whole`: nothing of a tree of calls is folded.
pub(crate) fn whole_answer(
    whole: &WholeAnswer,
    source: SourceLookup<'_>,
    is_whole: bool,
) -> String {
    let mut of_log = events::results(&whole.results, &whole.answer.page, is_whole);
    if !of_log.is_empty() {
        of_log.push('\n');
    }
    drawn(&whole.answer, &of_log, source)
}

/// Draws an answer.
pub(crate) fn answer(answer: &Answer, source: SourceLookup<'_>) -> String {
    drawn(answer, "", source)
}

fn drawn(answer: &Answer, of_log: &str, source: SourceLookup<'_>) -> String {
    let places = Places::new(&answer.page, source);
    let mut drawing = String::new();
    let mut previous: Option<&str> = None;
    for (position, one) in answer.points.iter().enumerate() {
        let asked = one.query.as_deref().map(asked).unwrap_or_default();
        if let Some(query) = &one.query {
            draw_question(&mut drawing, query, asked.point.as_deref(), previous);
        }
        let is_last = position + 1 == answer.points.len();
        let label = asked.reference;
        point::draw(&mut drawing, one, label.as_deref(), &places, is_last);
        previous = Some(&one.name);
    }
    drawing.push('\n');
    drawing.push_str(of_log);
    if let Some(runs) = &answer.runs {
        runs::draw(&mut drawing, runs, &places);
    }
    footer::draw(&mut drawing, answer, &places);
    drawing
}

/// The line down to the next point, with the question on it.
fn draw_question(
    drawing: &mut String,
    query: &str,
    asked_at: Option<&str>,
    previous: Option<&str>,
) {
    // A question that goes on from an earlier point than the one drawn above it says so.
    let back = asked_at
        .filter(|base| previous.is_some_and(|previous| *base != previous))
        .map(|base| format!("back at {base}: "))
        .unwrap_or_default();
    let query = text::printable(query, 200);
    // Writing to a `String` cannot fail.
    let _ = writeln!(drawing, "{FAINT}│{FAINT:#}");
    let _ = writeln!(drawing, "{FAINT}│{FAINT:#}  {back}{QUERY}{query}{QUERY:#}");
    let _ = writeln!(drawing, "{FAINT}▼{FAINT:#}");
}

/// What a query asks about.
#[derive(Default)]
struct Asked {
    /// The point it is asked at, where there is one.
    point: Option<String>,
    /// The reference of a `lastChange`, without its point.
    reference: Option<String>,
}

fn asked(query: &str) -> Asked {
    match Query::parse(query).map(|query| query.kind) {
        Ok(
            QueryKind::LastChange(reference)
            | QueryKind::Origin(reference)
            | QueryKind::Omitted(reference),
        ) => Asked {
            point: Some(reference.point_or_reproduction_point().to_string()),
            reference: Some(reference.reference.to_string()),
        },
        Ok(QueryKind::OriginOfOperand(operand)) => Asked {
            point: Some(operand.origin.to_string()),
            reference: Some(format!("operand({})", operand.number)),
        },
        Ok(QueryKind::LastCondition(point) | QueryKind::ExceptionAfter(point)) => Asked {
            point: Some(point.to_string()),
            reference: None,
        },
        Ok(QueryKind::Trace(_) | QueryKind::WhyNot(_)) | Err(_) => Asked::default(),
    }
}

#[cfg(test)]
mod outline_tests;
#[cfg(test)]
mod tests;
