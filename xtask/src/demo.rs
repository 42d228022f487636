//! `cargo xtask demo`: build the command and let it show itself.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::browser;
use crate::error::TaskError;
use crate::repository_root;
use crate::steps::{cargo, run_through};

/// Builds `querypoint` and runs its `demo`, with a Chromium that is found or installed.
///
/// # Errors
/// If there is no browser or cargo cannot be started.
pub(crate) fn run(given_browser: Option<&Path>) -> Result<ExitCode, TaskError> {
    let browsers = browser::find_or_install(given_browser)?;
    // The same selection as `test` uses, so that features are unified alike and nothing compiles twice.
    run_through(cargo(repository_root()?).args([
        "build",
        "--locked",
        "--workspace",
        "--exclude",
        "panel",
        "--bin",
        "querypoint",
    ]))?;
    // It lies beside this program, because both were built into one folder.
    let querypoint = env::current_exe()
        .ok()
        .and_then(|xtask| Some(xtask.parent()?.join("querypoint")))
        .map(|path| path.with_extension(env::consts::EXE_EXTENSION))
        .ok_or(TaskError::NoRepository)?;
    let demo = browsers
        .are_used_by(Command::new(&querypoint).arg("demo"))
        .status()
        .map_err(|source| TaskError::CannotStart {
            program: querypoint.display().to_string(),
            source,
        })?;
    Ok(if demo.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
