//! Which browser to start.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::BrowserError;

/// Chromium without a window, tabs, extensions and developer tools, which starts in a third of the time.
const HEADLESS_SHELLS: [&str; 3] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
];
const FULL_BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// What a browser is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Purpose {
    /// Running pages that nobody looks at: a headless shell does, where there is one.
    #[default]
    Pages,
    /// What only a full browser has, still without a window: tabs that a page opens, the history, extensions, media.
    Everything,
    /// A window for a person.
    Window,
}

impl Purpose {
    fn needs_full_browser(self) -> bool {
        self != Self::Pages
    }
}

/// Whether this program is a headless shell; the name tells.
pub fn is_headless_shell(executable: &Path) -> bool {
    let name = executable.file_stem().and_then(OsStr::to_str);
    name.is_some_and(|name| HEADLESS_SHELLS.contains(&name))
}

/// The browser to start: `given` (`--browser`), else the environment's `QUERYPOINT_BROWSER`, else the first in `PATH`,
/// else the newest in Puppeteer's cache. For [`Purpose::Pages`] that is `chromium-headless-shell`,
/// `chrome-headless-shell` or `headless_shell` where there is one (in the cache only one that is not older than the
/// full browser in `PATH`); for all else, and where there is none, `chromium`, `chromium-browser`, `google-chrome`,
/// `google-chrome-stable` or `chrome`.
///
/// # Errors
/// [`BrowserError::NoBrowser`] with the command that installs one, the path that names no executable file, or the name
/// of a headless shell that cannot do this.
pub fn find_browser(given: Option<&Path>, purpose: Purpose) -> Result<PathBuf, BrowserError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("PUPPETEER_CACHE_DIR").map(PathBuf::from);
    let places = Places {
        variable: variable("QUERYPOINT_BROWSER"),
        path: std::env::var_os("PATH").unwrap_or_default(),
        cache: cache.or_else(|| Some(etcetera::home_dir().ok()?.join(".cache/puppeteer"))),
    };
    places.find(given, purpose)
}

/// Where browsers are looked for.
#[derive(Debug, Default)]
struct Places {
    variable: Option<OsString>,
    path: OsString,
    /// Puppeteer's: `chrome/linux-156.0.8078.79/chrome-linux64/chrome`.
    cache: Option<PathBuf>,
}

impl Places {
    fn find(&self, given: Option<&Path>, purpose: Purpose) -> Result<PathBuf, BrowserError> {
        let no_browser = |what: String| Err(BrowserError::NoBrowser { what });
        let named = match (given, &self.variable) {
            (Some(given), _) => Some((given.to_owned(), "--browser")),
            (None, Some(variable)) => Some((PathBuf::from(variable), "QUERYPOINT_BROWSER")),
            (None, None) => None,
        };
        if let Some((named, origin)) = named {
            // A bare name means what it means to a shell.
            let candidate = if named.components().count() == 1 {
                in_path(&self.path, &named)
            } else {
                None
            };
            let Some(found) = candidate.or_else(|| is_executable(&named).then(|| named.clone()))
            else {
                let named = named.display();
                return no_browser(format!(
                    "{origin} names {named}, which is no executable file"
                ));
            };
            if purpose.needs_full_browser() && is_headless_shell(&found) {
                let named = named.display();
                let lacks = match purpose {
                    Purpose::Window => "shows no window",
                    Purpose::Pages | Purpose::Everything => "has not all that this needs",
                };
                return no_browser(format!(
                    "{origin} names {named}, a headless shell, which {lacks}"
                ));
            }
            return Ok(found);
        }
        let in_path = self.first_of(&FULL_BROWSERS);
        let full = || {
            let cached = || Some(self.cached("chrome")?.program);
            in_path.clone().or_else(cached)
        };
        let shell = || {
            let cached = || {
                let shell = self.cached("chrome-headless-shell")?;
                // What somebody installed long ago would run pages otherwise than what they browse with.
                let is_old = in_path
                    .as_deref()
                    .is_some_and(|full| major_version(full) > shell.major());
                (!is_old).then_some(shell.program)
            };
            self.first_of(&HEADLESS_SHELLS).or_else(cached)
        };
        let found = match purpose.needs_full_browser() {
            true => full(),
            false => shell().or_else(full),
        };
        match found {
            Some(found) => Ok(found),
            None => no_browser(format!("none of {} is in PATH", FULL_BROWSERS.join(", "))),
        }
    }

    fn first_of(&self, names: &[&str]) -> Option<PathBuf> {
        let mut names = names.iter();
        names.find_map(|name| in_path(&self.path, Path::new(name)))
    }

    /// The newest of what Puppeteer has installed of a product.
    fn cached(&self, product: &str) -> Option<Cached> {
        let folders = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
        };
        let versions = folders(&self.cache.as_ref()?.join(product));
        versions
            .iter()
            .flat_map(|version| {
                let platforms = folders(version).into_iter();
                platforms.map(|platform| Cached {
                    version: numbers(&version.file_name().unwrap_or_default().to_string_lossy()),
                    program: platform.join(product),
                })
            })
            .filter(|cached| is_executable(&cached.program))
            .max()
    }
}

/// A browser in Puppeteer's cache.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cached {
    /// `156.0.8078.79`, of a folder `linux-156.0.8078.79`.
    version: Vec<u32>,
    program: PathBuf,
}

impl Cached {
    fn major(&self) -> Option<u32> {
        self.version.first().copied()
    }
}

/// The first version in a text, such as `Google Chrome 156.0.8078.79 built on …`.
fn numbers(text: &str) -> Vec<u32> {
    let mut words = text.split(|it: char| !(it.is_ascii_digit() || it == '.'));
    let version = words.find(|word| word.contains('.') && word.len() > 1);
    let numbers = version.unwrap_or_default().split('.');
    numbers.filter_map(|it| it.parse().ok()).collect()
}

/// What a browser says for `--version`; `None` if it does not say it.
fn major_version(program: &Path) -> Option<u32> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    let output = command.stderr(Stdio::null()).output().ok()?;
    numbers(&String::from_utf8_lossy(&output.stdout))
        .first()
        .copied()
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
    use crate::error::INSTALL_COMMAND;

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
        let mut places = Places {
            path: folder.path().into(),
            ..Places::default()
        };
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), chrome);
        assert_eq!(
            places.find(Some(Path::new("a")), Purpose::Pages).unwrap(),
            a
        );
        places.variable = Some(b.clone().into());
        assert_eq!(places.find(Some(&a), Purpose::Pages).unwrap(), a);
        assert_eq!(places.find(None, Purpose::Window).unwrap(), b);
    }

    #[test]
    fn pages_that_nobody_looks_at_run_in_the_lighter_browser() {
        let folder = tempfile::tempdir().unwrap();
        let (chrome, shell) = (
            executable(folder.path(), "google-chrome"),
            executable(folder.path(), "chrome-headless-shell"),
        );
        let mut places = Places {
            path: folder.path().into(),
            ..Places::default()
        };
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), shell);
        assert_eq!(places.find(None, Purpose::Everything).unwrap(), chrome);
        assert_eq!(places.find(None, Purpose::Window).unwrap(), chrome);
        // Who names one has meant it.
        assert_eq!(places.find(Some(&chrome), Purpose::Pages).unwrap(), chrome);
        places.variable = Some(shell.clone().into());
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), shell);
        let error = places.find(None, Purpose::Window).unwrap_err().to_string();
        assert!(
            error.contains("a headless shell, which shows no window"),
            "{error}"
        );
        assert!(error.contains("--browser PATH"), "{error}");
    }

    #[test]
    fn the_newest_of_puppeteers_cache_is_taken_after_those_in_path() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let cached = |product: &str, version: &str| {
            let folder = cache.join(format!("{product}/linux-{version}/{product}-linux64"));
            std::fs::create_dir_all(&folder).unwrap();
            executable(&folder, product)
        };
        cached("chrome-headless-shell", "99.0.1.2");
        let newest = cached("chrome-headless-shell", "156.0.8078.79");
        cached("chrome-headless-shell", "156.0.8078.9");
        let full = cached("chrome", "155.0.1.1");
        let mut places = Places {
            cache: Some(cache),
            ..Places::default()
        };
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), newest);
        assert_eq!(places.find(None, Purpose::Everything).unwrap(), full);
        places.path = folder.path().into();
        let in_path = executable(folder.path(), "chromium");
        let says =
            |text: &str| std::fs::write(&in_path, format!("#!/bin/sh\necho {text}\n")).unwrap();
        says("Chromium 156.0.9000.1 built on Debian");
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), newest);
        says("Chromium 157.0.1.1");
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), in_path);
        assert_eq!(places.find(None, Purpose::Window).unwrap(), in_path);
        let shell = executable(folder.path(), "headless_shell");
        assert_eq!(places.find(None, Purpose::Pages).unwrap(), shell);
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_to_type() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chromium"), "not executable").unwrap();
        let mut places = Places {
            path: folder.path().into(),
            ..Places::default()
        };
        let error = places.find(None, Purpose::Pages).unwrap_err();
        assert!(error.to_string().contains(INSTALL_COMMAND), "{error}");
        places.variable = Some("/no/such".into());
        let error = places.find(None, Purpose::Pages).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("QUERYPOINT_BROWSER names /no/such"),
            "{error}"
        );
    }
}
