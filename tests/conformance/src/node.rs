//! Programs in Node: each in a new context of one process, or in a new thread of it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::{ProgramOutcome, Run};

/// The runner: it reads the runs as JSON, one a line, and prints their outcomes, one a line.
const RUNNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/run.mjs");

/// Runs all of them.
///
/// # Errors
/// If Node is not there, or if the runner fails.
pub fn run(runs: &[Run]) -> Result<Vec<ProgramOutcome>, String> {
    answers(runs, "run")
}

/// Runs all of them, scripts without modules or timers, each in the realm of a thread of its own.
///
/// There a global variable costs what it costs in a page; in a context of Node's an interceptor is asked for each.
///
/// # Errors
/// As [`run`].
pub fn run_in_threads(runs: &[Run]) -> Result<Vec<ProgramOutcome>, String> {
    answers(runs, "thread")
}

/// Parses all of them: no line if that goes well.
///
/// # Errors
/// As [`run`].
pub fn parse(runs: &[Run]) -> Result<Vec<ProgramOutcome>, String> {
    answers(runs, "parse")
}

fn answers(runs: &[Run], what: &str) -> Result<Vec<ProgramOutcome>, String> {
    let mut child = Command::new("node")
        .args(["--experimental-vm-modules", "--no-warnings", RUNNER, what])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("node: {error}; it is installed by `cargo xtask test`"))?;
    let mut input = child.stdin.take().ok_or("node has no input")?;
    let lines: Result<Vec<String>, _> = runs.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| error.to_string())?.join("\n");
    // The runner reads everything before it prints anything.
    input
        .write_all(lines.as_bytes())
        .map_err(|error| format!("node: {error}"))?;
    drop(input);
    let output = child
        .wait_with_output()
        .map_err(|error| format!("node: {error}"))?;
    if !output.status.success() {
        return Err(format!("node ended with {}", output.status));
    }
    let outcomes: Result<Vec<ProgramOutcome>, _> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(serde_json::from_str)
        .collect();
    let outcomes = outcomes.map_err(|error| error.to_string())?;
    if outcomes.len() == runs.len() {
        Ok(outcomes)
    } else {
        Err(format!("{} of {} runs ended", outcomes.len(), runs.len()))
    }
}
