//! `querypoint compare`: where two logs part first.

use std::fmt::Write as _;
use std::process::ExitCode;

use app::failure::Failure;
use app::logs::read_log;
use app::question::reproduction_point;
use event_log::catalogue::{answer, missing};
use event_log::compare::{compare, compare_answers};
use event_log::model::Model;
use querypoint::events::{Comparison, DifferenceKind, EventsResult, LoggedEvent};

use super::output;
use super::query::{known, parsed, unanswered};
use crate::arguments::CompareArguments;
use crate::render;

/// The status of logs that part.
const DIFFERENT: u8 = 1;

/// Compares, prints where they part, and gives the exit status.
///
/// # Errors
/// If a file is no log.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let definitions = known(&[])?;
    let query = arguments.query.as_deref();
    let query = query.map(|text| parsed(text, &definitions)).transpose()?;
    let at = reproduction_point(&arguments.at)?;
    let (left, right) = (read_log(&arguments.left)?, read_log(&arguments.right)?);
    let names = [&arguments.left, &arguments.right].map(|it| it.display().to_string());
    let comparison = match query {
        None => {
            for (name, model) in names.iter().zip([&left, &right]) {
                warn_of_what_is_missing(name, &missing(model));
            }
            compare(&left, &right)
        }
        Some(query) => {
            let asked = |model: &Model| -> Result<EventsResult, Failure> {
                let answer =
                    answer(model, &at, std::slice::from_ref(&query)).map_err(unanswered)?;
                Ok(answer.results.into_iter().next().unwrap_or_default())
            };
            let (one, other) = (asked(&left)?, asked(&right)?);
            for (name, result) in names.iter().zip([&one, &other]) {
                if !result.complete {
                    warn_of_what_is_missing(name, &result.notes);
                }
            }
            compare_answers((&left, &one), (&right, &other))
        }
    };
    match arguments.json {
        true => output::print(&output::json(&comparison))?,
        false => output::print(&described(&comparison))?,
    }
    Ok(match comparison.differs {
        true => ExitCode::from(DIFFERENT),
        false => ExitCode::SUCCESS,
    })
}

/// Says on standard error what a log, or an answer from it, has not all of.
fn warn_of_what_is_missing(name: &str, notes: &[String]) {
    for note in notes {
        anstream::eprintln!("{name}: {}", render::printable(note));
    }
}

/// Where they part, in words.
fn described(comparison: &Comparison) -> String {
    let Some(first) = &comparison.first else {
        return "the executions do not part\n".to_owned();
    };
    let mut text = match first.kind {
        DifferenceKind::Control => "they part in what is done\n",
        DifferenceKind::Data => "they part in a value\n",
    }
    .to_owned();
    for (word, event) in [("left ", &first.left), ("right", &first.right)] {
        let _ = writeln!(text, "  {word}  {}", side(event.as_ref()));
    }
    if let Some(cause) = &comparison.cause {
        let _ = writeln!(text, "  {}", render::printable(&cause.detail));
    }
    text
}

fn side(event: Option<&LoggedEvent>) -> String {
    match event {
        Some(event) => render::event(event),
        None => "(has ended, or has something here that no answer shows)".to_owned(),
    }
}
