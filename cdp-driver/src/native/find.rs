//! Which browser to start.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::DriverError;

/// The command that installs a browser on Debian and Ubuntu.
pub const INSTALL_COMMAND: &str = "apt-get install -y --no-install-recommends chromium";

const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// The browser to start: `given` (`--browser`), else the environment's `QUERYPOINT_BROWSER`, else the first of
/// `chromium`, `chromium-browser`, `google-chrome`, `google-chrome-stable`, `chrome` in `PATH`.
///
/// # Errors
/// [`DriverError::NoBrowser`] with the command that installs one, or the path that names no executable file.
pub fn find_browser(given: Option<&Path>) -> Result<PathBuf, DriverError> {
    find_in(
        given,
        std::env::var_os("QUERYPOINT_BROWSER")
            .filter(|value| !value.is_empty())
            .as_deref(),
        std::env::var_os("PATH").unwrap_or_default().as_os_str(),
    )
}

fn find_in(
    given: Option<&Path>,
    variable: Option<&OsStr>,
    path: &OsStr,
) -> Result<PathBuf, DriverError> {
    let named = match (given, variable) {
        (Some(given), _) => Some((given.to_owned(), "--browser")),
        (None, Some(variable)) => Some((PathBuf::from(variable), "QUERYPOINT_BROWSER")),
        (None, None) => None,
    };
    if let Some((named, origin)) = named {
        // A bare name means what it means to a shell.
        let candidate = if named.components().count() == 1 {
            in_path(path, &named)
        } else {
            None
        };
        return match candidate.or_else(|| is_executable(&named).then(|| named.clone())) {
            Some(found) => Ok(found),
            None => Err(DriverError::NoBrowser {
                what: format!(
                    "{origin} names {}, which is no executable file",
                    named.display()
                ),
            }),
        };
    }
    NAMES
        .iter()
        .find_map(|name| in_path(path, Path::new(name)))
        .ok_or_else(|| DriverError::NoBrowser {
            what: format!("none of {} is in PATH", NAMES.join(", ")),
        })
}

fn in_path(path: &OsStr, name: &Path) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn executable(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn the_option_wins_over_the_variable_and_that_over_path() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (
            executable(folder.path(), "a"),
            executable(folder.path(), "b"),
        );
        let chrome = executable(folder.path(), "google-chrome");
        let path = folder.path().as_os_str();
        assert_eq!(find_in(Some(&a), Some(b.as_os_str()), path).unwrap(), a);
        assert_eq!(find_in(None, Some(b.as_os_str()), path).unwrap(), b);
        assert_eq!(find_in(None, None, path).unwrap(), chrome);
        assert_eq!(find_in(Some(Path::new("a")), None, path).unwrap(), a);
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_to_type() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chromium"), "not executable").unwrap();
        let error = find_in(None, None, folder.path().as_os_str()).unwrap_err();
        assert!(error.to_string().contains(INSTALL_COMMAND), "{error}");
        assert_eq!(error.exit_status(), 4);
        let error = find_in(None, Some(OsStr::new("/no/such")), OsStr::new("")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("QUERYPOINT_BROWSER names /no/such"),
            "{error}"
        );
    }
}
