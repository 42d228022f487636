//! `cargo xtask agent` and `cargo xtask editor`: bundle modules of JavaScript into a folder `dist`, which is committed.
//! The tests check that it is what the sources give, and run the linter, the type checker and the unit tests of each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::TaskError;
use crate::node;
use crate::steps::run_through;

/// The folder of the agent's npm package.
pub(crate) const AGENT: &str = "agent";
/// The folder of the npm package of the panel's view of source.
pub(crate) const EDITOR: &str = "wasm/editor";

/// Bundles the modules of a folder.
///
/// # Errors
/// If there is no npm, or a module cannot be bundled.
pub(crate) fn run(root: &Path, folder: &str) -> Result<(), TaskError> {
    node::find_or_install()?;
    let folder = install(root, folder)?;
    run_script(&folder, "build")
}

/// Checks style, types and bundle, all of them even if one fails.
///
/// # Errors
/// If there is no npm, or one of them fails.
pub(crate) fn check(root: &Path, folder: &str) -> Result<(), TaskError> {
    let folder = install(root, folder)?;
    ["lint", "types", "check"]
        .map(|script| run_script(&folder, script))
        .into_iter()
        .collect()
}

/// What runs the unit tests.
pub(crate) fn tests(root: &Path, folder: &str) -> Command {
    let mut tests = Command::new("npm");
    tests
        .args(["run", "--silent", "test"])
        .current_dir(root.join(folder));
    tests
}

fn run_script(folder: &Path, script: &str) -> Result<(), TaskError> {
    run_through(
        Command::new("npm")
            .args(["run", "--silent", script])
            .current_dir(folder),
    )
}

/// Installs the packages that the lock file names, unless just these are there already.
fn install(root: &Path, folder: &str) -> Result<PathBuf, TaskError> {
    let folder = root.join(folder);
    let lock = folder.join("package-lock.json");
    let wanted = fs::read_to_string(&lock).map_err(|source| TaskError::Unreadable {
        path: lock.clone(),
        source,
    })?;
    let stamp = folder.join("node_modules").join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    run_through(
        Command::new("npm")
            // Scripts of packages are not needed, so they are not run.
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(&folder),
    )?;
    fs::write(&stamp, wanted).map_err(|source| TaskError::Unwritable {
        path: stamp,
        source,
    })?;
    Ok(folder)
}
