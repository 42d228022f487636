//! `querypoint import`: a flow of another tool as a recording.

use std::process::ExitCode;

use js_analysis::call_chains::call_chains;
use querypoint::recording::Recording;
use serde_json::json;

use super::output;
use super::recording_file::save;
use crate::arguments::ImportArguments;
use crate::failure::{Failure, NO_ANSWER, read_file};
use crate::import::{Imported, from_playwright};
use crate::render;

/// Writes the recording, names what is not in it and gives the exit status.
///
/// # Errors
/// If the file cannot be read, is no JavaScript or has no step in it, or if the recording cannot be written.
pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let path = &arguments.test;
    let unusable = |reason: String| Failure::UnusableFile {
        what: "test",
        path: path.clone(),
        reason,
    };
    let source = read_file("test", path)?;
    let chains = call_chains(&source).map_err(|error| {
        unusable(format!(
            "{error}; what `codegen` writes with --target javascript or playwright-test can be read"
        ))
    })?;
    let Imported { steps, unmapped } = from_playwright(&chains);
    if steps.is_empty() {
        return Err(unusable(
            "it does nothing on `page` that has a counterpart".to_owned(),
        ));
    }
    let count = steps.len();
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    let recording = json!({ "title": title, "steps": steps }).to_string();
    let recording = Recording::parse(&recording).map_err(|error| unusable(error.to_string()))?;
    save(&recording, &arguments.out)?;
    for left_out in &unmapped {
        let first = left_out.text.lines().next().unwrap_or_default();
        anstream::eprintln!(
            "line {} ({}) is left out: {}",
            left_out.line,
            render::printable(first),
            left_out.why
        );
    }
    let plural = if count == 1 { "" } else { "s" };
    output::print(&format!(
        "{count} step{plural} in {}\n",
        arguments.out.display()
    ))?;
    Ok(match unmapped.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NO_ANSWER),
    })
}
