//! A recording and an answer as a test of another tool, which fails as long as the bug is there.

use std::path::Path;

use querypoint::answer::Answer;
use recording::export::{Assertion, Exported, playwright};

use crate::failure::Failure;
use crate::files::read_file;
use crate::recording_file::recording_as_written;

/// Which tool the test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestTool {
    /// `npx playwright test`.
    Playwright,
}

/// Makes a test of the recording in a file that asserts of the answer in another that it is not so.
///
/// # Errors
/// If a file cannot be read, or if the answer has nothing that a test could assert.
pub fn export(recording: &Path, answer: &Path, tool: TestTool) -> Result<Exported, Failure> {
    let recording = recording_as_written(recording)?;
    let unusable = |reason: String| Failure::UnusableFile {
        what: "answer",
        path: answer.to_owned(),
        reason,
    };
    let text = read_file("answer", answer)?;
    let asserted: Answer =
        serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    let assertions = Assertion::of(&asserted).map_err(|error| unusable(error.to_string()))?;
    Ok(match tool {
        TestTool::Playwright => playwright(&recording, &assertions),
    })
}
