//! `querypoint import`: a flow of another tool as a recording.

use std::path::Path;
use std::process::ExitCode;

use js_analysis::call_chains::call_chains;
use recording::{Har, RecordedInputs, RecordedTime, Recording};
use serde_json::json;

use super::output;
use crate::arguments::ImportArguments;
use crate::exit::NO_ANSWER;
use crate::render;
use app::failure::Failure;
use app::files::{as_text, read_bytes};
use app::recording_file::{responses_beside, save, save_text};
use recording::import::{Imported, Trace, from_playwright, from_trace, is_trace};

/// Writes the recording, names what is not in it and gives the exit status.
///
/// # Errors
/// If the file cannot be read, is neither JavaScript nor a trace or has no step in it, or if the recording cannot be
/// written.
pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let path = arguments.test.as_path();
    let file = read_bytes("test", path)?;
    match is_trace(&file) {
        true => trace(&file, arguments),
        false => test(file, arguments),
    }
}

fn test(file: Vec<u8>, arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let path = arguments.test.as_path();
    let source = as_text("test", path, file)?;
    let chains = call_chains(&source).map_err(|error| {
        unusable(
            "test",
            path,
            format!(
                "{error}; what `codegen` writes with --target javascript or playwright-test can be read"
            ),
        )
    })?;
    let imported = from_playwright(&chains);
    let texts = Texts {
        what: "test",
        place: "line",
    };
    write(texts, arguments, &imported, None, None)
}

fn trace(file: &[u8], arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let path = arguments.test.as_path();
    let Trace {
        imported,
        start_ms,
        responses,
    } = from_trace(file).map_err(|error| unusable("trace", path, error.to_string()))?;
    let responses = responses.map(|text| Har::parse(&text)).transpose();
    let responses = responses
        .map_err(|error| unusable("trace", path, format!("what servers answered: {error}")))?;
    let texts = Texts {
        what: "trace",
        place: "action",
    };
    write(texts, arguments, &imported, start_ms, responses.as_ref())
}

/// What things are called.
struct Texts {
    /// The file.
    what: &'static str,
    /// A place in it.
    place: &'static str,
}

fn write(
    Texts { what, place }: Texts,
    arguments: &ImportArguments,
    Imported { steps, unmapped }: &Imported,
    start_ms: Option<f64>,
    responses: Option<&Har>,
) -> Result<ExitCode, Failure> {
    let path = arguments.test.as_path();
    let beside = responses_beside(&arguments.out);
    if steps.is_empty() {
        let why = "it does nothing on `page` that has a counterpart".to_owned();
        return Err(unusable(what, path, why));
    }
    let count = steps.len();
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    let recording = json!({ "title": title, "steps": steps });
    let mut recording = Recording::parse(&recording.to_string())
        .map_err(|error| unusable(what, path, error.to_string()))?;
    recording.set_recorded_inputs(&RecordedInputs {
        time: start_ms.map(|start| RecordedTime { start }),
        network: responses.is_some(),
        ..RecordedInputs::default()
    });
    // The recording names the responses, so they come first.
    if let Some(responses) = responses {
        save_text(&responses.to_json(env!("CARGO_PKG_VERSION")), &beside)?;
    }
    save(&recording, &arguments.out)?;
    for left_out in unmapped {
        let first = left_out.text.lines().next().unwrap_or_default();
        anstream::eprintln!(
            "{place} {} ({}) is left out: {}",
            left_out.line,
            render::printable(first),
            render::printable(&left_out.why)
        );
    }
    let plural = if count == 1 { "" } else { "s" };
    let mut said = format!("{count} step{plural} in {}\n", arguments.out.display());
    if let Some(Har { exchanges, .. }) = responses {
        let number = exchanges.len();
        let plural = if number == 1 { "" } else { "s" };
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

fn unusable(what: &'static str, path: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what,
        path: path.to_owned(),
        reason,
    }
}
