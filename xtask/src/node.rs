//! Node and npm, which some tests run programs with: found, or installed.

use std::process::{Command, Stdio};

use crate::browser::{may_install, run_install};
use crate::error::TaskError;

const INSTALL: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends nodejs npm";

/// Sees to it that both are there, installing them when we may.
///
/// # Errors
/// If they are not there and cannot be installed.
pub(crate) fn find_or_install() -> Result<(), TaskError> {
    if is_there("node") && is_there("npm") {
        return Ok(());
    }
    if !may_install() {
        return Err(TaskError::NoNode { install: INSTALL });
    }
    eprintln!("no Node or npm found; installing them: {INSTALL}");
    run_install(INSTALL)?;
    if is_there("node") && is_there("npm") {
        Ok(())
    } else {
        Err(TaskError::NoNode { install: INSTALL })
    }
}

/// Whether a program is in `PATH`, and starts.
pub(crate) fn is_there(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
