//! `querypoint compare`: where two logs part first.

use std::fmt::Write as _;
use std::process::ExitCode;

use app::failure::Failure;
use app::logs::read_log;
use event_log::compare::compare;
use querypoint::events::{Comparison, DifferenceKind, LoggedEvent};

use super::output;
use crate::arguments::CompareArguments;
use crate::render;

/// The status of logs that part.
const DIFFERENT: u8 = 1;

/// Compares, prints where they part, and gives the exit status.
///
/// # Errors
/// If a file is no log.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let (left, right) = (read_log(&arguments.left)?, read_log(&arguments.right)?);
    let comparison = compare(&left, &right);
    match arguments.json {
        true => output::print(&output::json(&comparison))?,
        false => output::print(&described(&comparison))?,
    }
    Ok(match comparison.differs {
        true => ExitCode::from(DIFFERENT),
        false => ExitCode::SUCCESS,
    })
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
