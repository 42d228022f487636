//! `cargo xtask panel`: the panel, compiled and put beside the command.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::TaskError;
use crate::steps::{cargo, run_through};

/// What browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the panel with that program, into the folder `panel` beside this one, where the command of the same profile
/// looks for it; that folder.
///
/// # Errors
/// If it does not compile, or its target cannot be installed.
pub(crate) fn run(packer: &mut Command, root: &Path) -> Result<PathBuf, TaskError> {
    let program = env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let out = folder.ok_or(TaskError::NoRepository)?.join("panel");
    put_into(packer, root, &out)?;
    Ok(out)
}

/// The program that builds the panel and makes a folder of it, built if it is not.
pub(crate) fn packer(root: &Path) -> Command {
    let mut packer = cargo(root);
    packer.args(["run", "--locked", "--quiet", "--package", "panel-package"]);
    packer
}

/// Builds it into a folder, with that program.
///
/// # Errors
/// As [`run`].
pub(crate) fn put_into(packer: &mut Command, root: &Path, out: &Path) -> Result<(), TaskError> {
    install_target(root)?;
    run_through(packer.arg(out))
}

/// Installs the standard library of that target, if it is not there.
///
/// # Errors
/// If rustup cannot.
pub(crate) fn install_target(root: &Path) -> Result<(), TaskError> {
    if is_target_installed() {
        return Ok(());
    }
    run_through(
        Command::new("rustup")
            .args(["target", "add", TARGET])
            .current_dir(root),
    )
}

/// Whether the toolchain has the standard library for `wasm32`, with or without rustup.
fn is_target_installed() -> bool {
    Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}
