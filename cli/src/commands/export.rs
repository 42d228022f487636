//! `querypoint export`: a recording and an answer as a test of another tool.

use std::process::ExitCode;

use querypoint::answer::Answer;
use recording::export::{Assertion, Exported, playwright};

use super::output;
use crate::arguments::{ExportArguments, ToolChoice};
use crate::exit::NO_ANSWER;
use crate::render;
use app::failure::Failure;
use app::files::{read_file, write_file};
use app::recording_file::recording_as_written;

/// Writes the test, names what is not in it and gives the exit status.
///
/// # Errors
/// If a file cannot be read or written, or if the answer has nothing that a test could assert.
pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    let recording = recording_as_written(&arguments.recording)?;
    let unusable = |reason: String| Failure::UnusableFile {
        what: "answer",
        path: arguments.answer.clone(),
        reason,
    };
    let answer = read_file("answer", &arguments.answer)?;
    let answer: Answer =
        serde_json::from_str(&answer).map_err(|error| unusable(error.to_string()))?;
    let assertions = Assertion::of(&answer).map_err(|error| unusable(error.to_string()))?;
    let Exported {
        text,
        unmapped,
        is_from_folder,
    } = match arguments.tool {
        ToolChoice::Playwright => playwright(&recording, &assertions),
    };
    match &arguments.out {
        Some(out) => write_file(out, &text)?,
        None => output::print_script(&text)?,
    }
    if is_from_folder {
        anstream::eprintln!(
            "the page was a file: put the test into the folder that was served, or name that folder with SITE=FOLDER \
             when you run the test"
        );
    }
    for step in &unmapped {
        let description = render::printable(&step.description);
        anstream::eprintln!(
            "step {} ({description}) is missing: {}",
            step.step,
            step.why
        );
    }
    Ok(match unmapped.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NO_ANSWER),
    })
}
