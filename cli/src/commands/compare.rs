//! `querypoint compare`: where two logs part first.

use std::fmt::Write as _;
use std::process::ExitCode;

use app::failure::Failure;
use app::log_questions::{LogComparison, compare_log_files};
use querypoint::events::{Comparison, DifferenceKind, LoggedEvent};

use super::output;
use super::query::known;
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
    let (at, query) = (&arguments.at, arguments.query.as_deref());
    let files = [arguments.left.as_path(), arguments.right.as_path()];
    let LogComparison {
        comparison,
        missing,
    } = compare_log_files(files, at, query, &definitions)?;
    for (file, notes) in files.iter().zip(&missing) {
        warn_of_what_is_missing(&file.display().to_string(), notes);
    }
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
