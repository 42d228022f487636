//! `querypoint export`: a recording and an answer as a test of another tool.

use std::process::ExitCode;

use app::exporting::{TestTool, export};
use app::failure::Failure;
use app::files::write_file;
use recording::export::Exported;

use super::output;
use crate::arguments::{ExportArguments, ToolChoice};
use crate::exit::NO_ANSWER;
use crate::render;

/// Writes the test, names what is not in it and gives the exit status.
///
/// # Errors
/// If a file cannot be read or written, or if the answer has nothing that a test could assert.
pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    let tool = match arguments.tool {
        ToolChoice::Playwright => TestTool::Playwright,
    };
    let Exported {
        text,
        unmapped,
        is_from_folder,
    } = export(&arguments.recording, &arguments.answer, tool)?;
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
