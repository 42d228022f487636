//! `cargo xtask demo`: build the command and let it show itself.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::browser;
use crate::error::TaskError;
use crate::repository_root;

/// Builds `querypoint` and runs its `demo`, with a Chromium that is found or installed.
///
/// # Errors
/// If there is no browser or cargo cannot be started.
pub(crate) fn run(given_browser: Option<&Path>) -> Result<ExitCode, TaskError> {
    let browser = browser::find_or_install(given_browser)?;
    // The same selection as `test` uses, so that features are unified alike and nothing compiles twice.
    let built = cargo()?
        .args(["build", "--locked", "--workspace", "--bin", "querypoint"])
        .status()
        .map_err(cannot_start_cargo)?;
    if !built.success() {
        return Err(TaskError::Failed {
            command: "cargo build --workspace --bin querypoint".to_owned(),
        });
    }
    let demo = cargo()?
        .args(["run", "--quiet", "--locked", "--workspace"])
        .args(["--bin", "querypoint", "--", "demo"])
        .env("QUERYPOINT_BROWSER", &browser)
        .status()
        .map_err(cannot_start_cargo)?;
    Ok(if demo.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn cargo() -> Result<Command, TaskError> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(repository_root()?);
    Ok(cargo)
}

fn cannot_start_cargo(source: std::io::Error) -> TaskError {
    TaskError::CannotStart {
        program: "cargo".to_owned(),
        source,
    }
}
