//! Finding Chromium, or installing it: the full one, and the headless shell in which pages run that nobody looks at;
//! and
//! Firefox, for the tests.
//!
//! The order is: the path given (`--browser`, `QUERYPOINT_BROWSER`), then `PATH`, then apt if we are root;
//! otherwise the exact command is named and nothing is changed on the machine.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::TaskError;

/// Names a Chromium goes by, the most likely to work first.
const PROGRAM_NAMES: [&str; 5] = [
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-browser",
];

/// Names of a headless shell.
const SHELL_NAMES: [&str; 3] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
];

/// What to type on Debian.
const INSTALL_ON_DEBIAN: &str = "sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium \
    chromium-headless-shell";
/// Ubuntu has no Chromium package but a snap, whose private /tmp hides profiles; so Google's own package.
const INSTALL_ON_UBUNTU: &str = "sudo apt-get update && sudo apt-get install -y wget && \
     wget https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb && \
     sudo apt-get install -y ./google-chrome-stable_current_amd64.deb";

/// The same for Firefox, in which the extension is tried. Ubuntu has it as a snap, which cannot be driven: there
/// Mozilla's package is needed.
const INSTALL_FIREFOX: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends firefox-esr";
const FIREFOX_NAMES: [&str; 2] = ["firefox-esr", "firefox"];

/// Sees to it that there is a Firefox, installing one when it may.
///
/// # Errors
/// If there is none and none can be installed.
pub(crate) fn find_or_install_firefox() -> Result<(), TaskError> {
    let is_there = || search_path(&FIREFOX_NAMES).is_some();
    if is_there() {
        return Ok(());
    }
    let install = INSTALL_FIREFOX;
    if !may_install() {
        return Err(TaskError::NoFirefox { install });
    }
    eprintln!("no Firefox found; installing it: {install}");
    match run_install(install) {
        Ok(()) if is_there() => Ok(()),
        _ => Err(TaskError::NoFirefox { install }),
    }
}

/// The browsers that there are.
#[derive(Debug)]
pub(crate) struct Browsers {
    /// The full one, or the one that was given.
    pub(crate) full: PathBuf,
    /// The lighter one, where there is one and none was given.
    shell: Option<PathBuf>,
    is_given: bool,
}

impl Browsers {
    /// Has a command use them: one that was given is named, others are found again.
    pub(crate) fn are_used_by<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        match self.is_given {
            true => command.env("QUERYPOINT_BROWSER", &self.full),
            false => command,
        }
    }
}

impl fmt::Display for Browsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.full.display())?;
        match &self.shell {
            Some(shell) => write!(f, "; without a window: {}", shell.display()),
            None => Ok(()),
        }
    }
}

/// Finds a Chromium that starts and a headless shell, installing them when it may. It goes without the shell where that
/// cannot be installed.
///
/// # Errors
/// If a given path does not start, or if there is no Chromium and none can be installed.
pub(crate) fn find_or_install(given: Option<&Path>) -> Result<Browsers, TaskError> {
    if let Some(path) = given {
        return match version_of(path) {
            Ok(_) => Ok(Browsers {
                full: path.to_owned(),
                shell: None,
                is_given: true,
            }),
            Err(reason) => Err(TaskError::BrowserUnusable {
                path: path.to_owned(),
                reason,
            }),
        };
    }
    let install = install_command();
    let full = match search_path(&PROGRAM_NAMES) {
        Some(full) => full,
        None if !may_install() => return Err(TaskError::NoBrowser { install }),
        None => {
            eprintln!("no Chromium found; installing it: {install}");
            run_install(install)?;
            search_path(&PROGRAM_NAMES).ok_or(TaskError::InstalledButAbsent { install })?
        }
    };
    Ok(Browsers {
        full,
        shell: search_path(&SHELL_NAMES).or_else(|| install_shell(install)),
        is_given: false,
    })
}

/// Installs the lighter browser, where that can be done.
fn install_shell(install: &'static str) -> Option<PathBuf> {
    if install != INSTALL_ON_DEBIAN {
        return None;
    }
    if !may_install() {
        eprintln!(
            "with a headless shell this takes half the time; to install it, type:\n\n    {install}\n"
        );
        return None;
    }
    eprintln!("no headless shell found; installing it: {install}");
    match run_install(install) {
        Ok(()) => search_path(&SHELL_NAMES),
        Err(error) => {
            eprintln!("{error}\nThe full browser is used instead, which takes twice the time.");
            None
        }
    }
}

/// Runs a line that installs something, as root.
///
/// # Errors
/// If it fails.
pub(crate) fn run_install(install: &'static str) -> Result<(), TaskError> {
    // As root `sudo` may be absent and is not needed.
    let script = install.replace("sudo ", "");
    let mut command = Command::new("sh");
    command
        .args(["-e", "-c", &script])
        .current_dir(env::temp_dir())
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::from(std::io::stderr()));
    let status = command.status().map_err(|source| TaskError::CannotStart {
        program: "sh".to_owned(),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(TaskError::NotInstalled { install })
    }
}

/// The first program in `PATH` that has one of these names and starts.
fn search_path(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file() && version_of(candidate).is_ok())
}

/// What the program says for `--version`, or why it says nothing.
fn version_of(program: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(format!("`--version` ended with {}", output.status))
    }
}

/// The line that installs a Chromium on this distribution.
fn install_command() -> &'static str {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    install_command_for(&release)
}

fn install_command_for(os_release: &str) -> &'static str {
    let is_ubuntu = os_release
        .lines()
        .any(|line| line.strip_prefix("ID=").map(|id| id.trim_matches('"')) == Some("ubuntu"));
    if is_ubuntu {
        INSTALL_ON_UBUNTU
    } else {
        INSTALL_ON_DEBIAN
    }
}

/// Whether we are root on a machine with apt.
pub(crate) fn may_install() -> bool {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let has_apt = Command::new("apt-get")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    is_root && has_apt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_type_fits_the_distribution() {
        assert_eq!(
            install_command_for("NAME=x\nID=debian\n"),
            INSTALL_ON_DEBIAN
        );
        assert_eq!(
            install_command_for("ID=\"ubuntu\"\nID_LIKE=debian\n"),
            INSTALL_ON_UBUNTU
        );
        assert_eq!(
            install_command_for("ID=mint\nID_LIKE=ubuntu\n"),
            INSTALL_ON_DEBIAN
        );
    }

    #[test]
    fn a_given_browser_that_does_not_start_is_named() {
        let error = find_or_install(Some(Path::new("/no/such/chromium"))).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("/no/such/chromium is not a Chromium that starts"));
        assert!(message.contains("--browser PATH"));
    }

    #[test]
    fn a_program_that_fails_is_not_taken_for_a_browser() {
        let error = find_or_install(Some(Path::new("/bin/false"))).unwrap_err();
        assert!(error.to_string().contains("`--version` ended with"));
    }
}
