//! The build that the tests run on, by a compiler that judges as it compiles: Clippy's driver in the place of rustc,
//! for the crates of the workspace. So nothing compiles a second time to be judged.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::TaskError;
use crate::steps::{cargo, check_status, describe};

/// What cargo says of a build, a line each; what else it says is left out.
#[derive(Deserialize)]
struct Message {
    reason: String,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

/// A cargo command whose workspace crates are those of [`run`]: with another compiler they would be compiled again.
///
/// # Errors
/// If the toolchain has no Clippy.
pub(crate) fn command(root: &Path) -> Result<Command, TaskError> {
    let mut command = cargo(root);
    judges(&mut command)?;
    Ok(command)
}

/// What this command has cargo build is compiled as in [`command`].
///
/// # Errors
/// As [`command`].
pub(crate) fn judges(command: &mut Command) -> Result<(), TaskError> {
    command.env("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?);
    Ok(())
}

/// Where the program of the workspace is that [`run`] has built: beside this one.
///
/// # Errors
/// If it is not known where this one is.
pub(crate) fn program(name: &str) -> Result<PathBuf, TaskError> {
    let own = std::env::current_exe().ok();
    let folder = own.as_deref().and_then(Path::parent);
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(folder.ok_or(TaskError::NoRepository)?.join(name))
}

/// Builds everything that is tested, and the tests. What the compiler and Clippy warn of is printed.
///
/// # Errors
/// If there is a warning, or if something does not compile.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    let mut build = command(root)?;
    build.args(["build", "--locked", "--workspace", "--exclude", "panel"]);
    build.arg("--all-targets");
    judged(build)
}

/// Builds the panel as `panel-package` does when it is run with [`command`]'s compiler, which finds it built then.
///
/// # Errors
/// As [`run`].
pub(crate) fn panel(root: &Path) -> Result<(), TaskError> {
    let mut build = command(root)?;
    build.args(["build", "--locked", "--package", "panel", "--lib"]);
    build.args(["--target", crate::panel::TARGET, "--profile", "panel"]);
    judged(build)
}

/// Runs a build of cargo's, and prints what is warned of.
fn judged(mut build: Command) -> Result<(), TaskError> {
    build.args(["--quiet", "--message-format", "json"]);
    let described = describe(&build);
    let cannot_run = |source| TaskError::CannotStart {
        program: described.clone(),
        source,
    };
    let mut child = build.stdout(Stdio::piped()).spawn().map_err(cannot_run)?;
    let mut warnings = 0_usize;
    for line in child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines())
    {
        let line = line.map_err(cannot_run)?;
        let Some(diagnostic) = diagnostic(&line) else {
            continue;
        };
        warnings += 1;
        eprintln!("{}", diagnostic.rendered.unwrap_or_default().trim_end());
    }
    check_status(child.wait().map_err(cannot_run)?, &described)?;
    match warnings {
        0 => Ok(()),
        warnings => Err(TaskError::Warnings { warnings }),
    }
}

/// The warning or the error that a line of cargo's tells.
fn diagnostic(line: &str) -> Option<Diagnostic> {
    let message: Message = serde_json::from_str(line).ok()?;
    let is_told = message.reason == "compiler-message";
    let judged = message.message.filter(|_| is_told)?;
    matches!(judged.level.as_str(), "warning" | "error").then_some(judged)
}

/// Clippy's driver of the toolchain that is in use.
fn clippy_driver() -> Result<PathBuf, TaskError> {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let name = format!("clippy-driver{}", std::env::consts::EXE_SUFFIX);
    sysroot
        .map(|sysroot| Path::new(&sysroot).join("bin").join(name))
        .ok()
        .filter(|driver| driver.is_file())
        .ok_or(TaskError::NoClippy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_told_from_the_rest_that_cargo_says() {
        let warning =
            r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"unused"}}"#;
        let told = diagnostic(warning).unwrap();
        assert_eq!(told.rendered.as_deref(), Some("unused"));
        for other in [
            r#"{"reason":"compiler-artifact","target":{}}"#,
            r#"{"reason":"compiler-message","message":{"level":"note","rendered":"see"}}"#,
            "no JSON",
        ] {
            assert!(diagnostic(other).is_none(), "{other}");
        }
    }
}
