//! SWI-Prolog, which judges what the catalogue says of event logs: found, or installed.

use crate::browser::{may_install, run_install};
use crate::error::TaskError;
use crate::node::is_there;

const INSTALL: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends swi-prolog-nox";
/// The name of the program.
const PROGRAM: &str = "swipl";

/// Sees to it that it is there, installing it when we may.
///
/// # Errors
/// If it is not there and cannot be installed.
pub(crate) fn find_or_install() -> Result<(), TaskError> {
    if is_there(PROGRAM) {
        return Ok(());
    }
    let missing = TaskError::NoProlog { install: INSTALL };
    if !may_install() {
        return Err(missing);
    }
    eprintln!("no SWI-Prolog found; installing it: {INSTALL}");
    run_install(INSTALL)?;
    match is_there(PROGRAM) {
        true => Ok(()),
        false => Err(missing),
    }
}
