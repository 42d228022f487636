//! `querypoint import`: a flow of another tool as a recording.

use std::process::ExitCode;

use app::failure::Failure;
use app::importing::{Import, ImportedFrom, import};
use app::recording_file::responses_beside;

use super::output;
use crate::arguments::ImportArguments;
use crate::exit::NO_ANSWER;
use crate::render;

/// Writes the recording, names what is not in it and gives the exit status.
///
/// # Errors
/// If the file cannot be read, is neither JavaScript nor a trace or has no step in it, or if the recording cannot be
/// written.
pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let Import {
        from,
        recording,
        responses,
        unmapped,
    } = import(&arguments.test, &arguments.out)?;
    let place = match from {
        ImportedFrom::Test => "line",
        ImportedFrom::Trace => "action",
    };
    for left_out in &unmapped {
        let first = left_out.text.lines().next().unwrap_or_default();
        anstream::eprintln!(
            "{place} {} ({}) is left out: {}",
            left_out.line,
            render::printable(first),
            render::printable(&left_out.why)
        );
    }
    let count = recording.steps.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut said = format!("{count} step{plural} in {}\n", arguments.out.display());
    if let Some(number) = responses {
        let plural = if number == 1 { "" } else { "s" };
        let beside = responses_beside(&arguments.out);
        said.push_str(&format!(
            "{number} response{plural} in {}\n",
            beside.display()
        ));
    }
    output::print(&said)?;
    Ok(match unmapped.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NO_ANSWER),
    })
}
