//! A flow of another tool as a recording: a test of Playwright, or the trace of one that was run.

use std::path::Path;

use js_analysis::call_chains::call_chains;
use recording::import::{Imported, Trace, Unmapped, from_playwright, from_trace, is_trace};
use recording::{Har, RecordedInputs, RecordedTime, Recording};
use serde_json::json;

use crate::failure::Failure;
use crate::files::{as_text, read_bytes};
use crate::recording_file::{responses_beside, save, save_text};

/// What a recording was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportedFrom {
    /// A test, which has lines.
    Test,
    /// The trace of one, which has actions.
    Trace,
}

/// A recording that was made of something else.
#[derive(Debug)]
pub struct Import {
    /// Of what.
    pub from: ImportedFrom,
    /// The recording. It is in the file, too.
    pub recording: Recording,
    /// How many responses are in the file beside it; none: the flow has none.
    pub responses: Option<usize>,
    /// What has no counterpart in a recording.
    pub unmapped: Vec<Unmapped>,
}

/// Makes a recording of the flow in the file `flow`, and writes it to `out`.
///
/// # Errors
/// If the file cannot be read, is neither JavaScript nor a trace or has no step in it, or if the recording cannot be
/// written.
pub fn import(flow: &Path, out: &Path) -> Result<Import, Failure> {
    let file = read_bytes("test", flow)?;
    let (
        from,
        Trace {
            imported,
            start_ms,
            responses,
        },
    ) = match is_trace(&file) {
        true => (ImportedFrom::Trace, trace(&file, flow)?),
        false => (ImportedFrom::Test, test(file, flow)?),
    };
    let responses = responses.map(|text| Har::parse(&text)).transpose();
    let responses = responses
        .map_err(|error| unusable(from, flow, format!("what servers answered: {error}")))?;
    let Imported { steps, unmapped } = imported;
    if steps.is_empty() {
        let why = "it does nothing on `page` that has a counterpart".to_owned();
        return Err(unusable(from, flow, why));
    }
    let title = flow.file_stem().unwrap_or_default().to_string_lossy();
    let recording = json!({ "title": title, "steps": steps });
    let mut recording = Recording::parse(&recording.to_string())
        .map_err(|error| unusable(from, flow, error.to_string()))?;
    recording.set_recorded_inputs(&RecordedInputs {
        time: start_ms.map(|start| RecordedTime { start }),
        network: responses.is_some(),
        ..RecordedInputs::default()
    });
    // The recording names the responses, so they come first.
    if let Some(responses) = &responses {
        let text = responses.to_json(env!("CARGO_PKG_VERSION"));
        save_text(&text, &responses_beside(out))?;
    }
    save(&recording, out)?;
    Ok(Import {
        from,
        recording,
        responses: responses.map(|it| it.exchanges.len()),
        unmapped,
    })
}

fn test(file: Vec<u8>, path: &Path) -> Result<Trace, Failure> {
    let source = as_text("test", path, file)?;
    let chains = call_chains(&source).map_err(|error| {
        let readable =
            "what `codegen` writes with --target javascript or playwright-test can be read";
        unusable(ImportedFrom::Test, path, format!("{error}; {readable}"))
    })?;
    Ok(Trace {
        imported: from_playwright(&chains),
        start_ms: None,
        responses: None,
    })
}

fn trace(file: &[u8], path: &Path) -> Result<Trace, Failure> {
    from_trace(file).map_err(|error| unusable(ImportedFrom::Trace, path, error.to_string()))
}

fn unusable(from: ImportedFrom, path: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what: match from {
            ImportedFrom::Test => "test",
            ImportedFrom::Trace => "trace",
        },
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_becomes_a_recording_and_what_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let [flow, out] = ["buy.spec.js", "buy.json"].map(|name| folder.path().join(name));
        let test = "test('buy', async ({ page }) => {\n  await page.goto('http://localhost:8080/');\n  \
                    await page.locator('#buy').click();\n  await page.pdf();\n});\n";
        std::fs::write(&flow, test).unwrap();
        let imported = import(&flow, &out).unwrap();
        assert_eq!(imported.from, ImportedFrom::Test);
        assert_eq!(imported.responses, None);
        assert_eq!(imported.recording.title, "buy.spec");
        let lines: Vec<u32> = imported.unmapped.iter().map(|it| it.line).collect();
        assert_eq!(lines, [4]);
        let written = crate::recording_file::recording_as_written(&out).unwrap();
        assert_eq!(written.steps.len(), imported.recording.steps.len());
    }

    #[test]
    fn what_has_no_step_makes_no_recording() {
        let folder = tempfile::tempdir().unwrap();
        let [flow, out] = ["nothing.js", "nothing.json"].map(|name| folder.path().join(name));
        std::fs::write(&flow, "console.log(1);\n").unwrap();
        let failure = import(&flow, &out).unwrap_err();
        assert!(
            matches!(failure, Failure::UnusableFile { what: "test", .. }),
            "{failure}"
        );
        assert!(!out.exists());
    }
}
