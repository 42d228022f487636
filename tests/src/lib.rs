//! What the tests of the whole repository share: where it is, what is in it, how its parts are built.
//!
//! The tests themselves are in `tests/`. They see the project from outside: its files, its command, its pages.

pub mod fixture;
pub mod forms;
pub mod step_kinds;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The repository's root folder.
///
/// # Panics
/// If this crate is not inside the repository; only tests call it.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or_else(|| Path::new("."))
}

/// What `cargo metadata` says of the workspace members alone.
///
/// # Errors
/// If cargo cannot be run or prints something else.
pub fn workspace_metadata() -> Result<Value, String> {
    let output = run(
        "cargo",
        [
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ],
    )?;
    serde_json::from_str(&output).map_err(|error| format!("cargo metadata: {error}"))
}

/// The files that git tracks, relative to the root; those that were deleted are left out.
///
/// # Errors
/// If git cannot be run.
pub fn tracked_files() -> Result<Vec<PathBuf>, String> {
    let listing = run("git", ["ls-files", "-z"])?;
    Ok(listing
        .split('\0')
        .filter(|path| !path.is_empty() && repository().join(path).is_file())
        .map(PathBuf::from)
        .collect())
}

/// The `querypoint` command as it was built beside the running test.
///
/// # Errors
/// If it has not been built: says how.
pub fn querypoint_command() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    // target/debug/deps/test-0123 → target/debug/querypoint
    let command = test
        .parent()
        .and_then(Path::parent)
        .map(|folder| folder.join(format!("querypoint{}", std::env::consts::EXE_SUFFIX)))
        .unwrap_or_default();
    if command.is_file() {
        Ok(command)
    } else {
        Err(format!(
            "{} is not there; build it with `cargo build -p querypoint-cli`, or run `cargo xtask test`",
            command.display()
        ))
    }
}

/// What `querypoint ARGUMENTS` prints on standard output.
///
/// # Errors
/// If it cannot be run or fails.
pub fn querypoint_output<Argument: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = Argument>,
) -> Result<String, String> {
    run(querypoint_command()?, arguments)
}

fn run<Argument: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = Argument>,
) -> Result<String, String> {
    let program = program.as_ref();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(repository())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!(
            "{} ended with {}: {}",
            program.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", program.display()))
}
