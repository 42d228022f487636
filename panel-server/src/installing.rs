//! Tells the browsers of this user which program their extension may start ([`crate::native_host`]): a manifest for
//! each (<https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging>), and the script that it
//! names.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use app::failure::Failure;
use app::recording_file::save_text;
use app::sessions::store::{default_folder, make_folder};
use etcetera::base_strategy::{BaseStrategy, Xdg};
use querypoint::session::command_line::quoted;
use querypoint::session::native_host::{EXTENSION_ID, GECKO_ID, NAME};
use serde_json::{Value, json};

/// Which browsers start the back end, and where its state is.
#[derive(Clone, Copy, Debug)]
pub struct InstallRequest<'r> {
    /// The folders with the profiles of relatives of Chromium; empty: all browsers that this user has started before.
    pub profiles: &'r [PathBuf],
    /// The folder of the back end; none: the one that is used where none is named.
    pub state: Option<&'r Path>,
}

/// Writes a manifest for each browser, and the script that they start. Gives the files of the manifests.
///
/// # Errors
/// If there is no browser to write for, or a file cannot be written.
pub fn install_host(request: &InstallRequest<'_>) -> Result<Vec<PathBuf>, Failure> {
    let (state, browsers) = request.resolve()?;
    let script = script_in(&state);
    write_script(&state, &script)?;
    let mut written = Vec::new();
    for browser in &browsers {
        let path = browser.manifest();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(unwritable(folder))?;
        }
        save_text(&format!("{:#}\n", browser.manifest_text(&script)), &path)?;
        written.push(path);
    }
    Ok(written)
}

/// Removes what [`install_host`] wrote. Gives the files that were there.
///
/// # Errors
/// If there is no browser that it could have been written for.
pub fn remove_host(request: &InstallRequest<'_>) -> Result<Vec<PathBuf>, Failure> {
    let (state, browsers) = request.resolve()?;
    let files = browsers.iter().map(Browser::manifest);
    let files = files.chain([script_in(&state)]);
    Ok(files.filter(|path| fs::remove_file(path).is_ok()).collect())
}

impl InstallRequest<'_> {
    /// The folder of the back end, and the browsers.
    fn resolve(&self) -> Result<(PathBuf, Vec<Browser>), Failure> {
        let state = match self.state {
            Some(state) => std::path::absolute(state).map_err(unwritable(state))?,
            None => default_folder()?,
        };
        let browsers = match self.profiles.is_empty() {
            true => installed(),
            false => self
                .profiles
                .iter()
                .map(|it| Browser::chromium(it))
                .collect(),
        };
        if browsers.is_empty() {
            let why = "no browser of this user was found; start yours once, or name its profile with --profile FOLDER";
            return Err(Failure::NotPossible(why.to_owned()));
        }
        Ok((state, browsers))
    }
}

/// What the browsers start.
fn script_in(state: &Path) -> PathBuf {
    state.join("native-host")
}

/// What the browser starts: it passes no options of ours.
fn write_script(state: &Path, script: &Path) -> Result<(), Failure> {
    make_folder(state)?;
    let program = std::env::current_exe().map_err(Failure::UnwritableOutput)?;
    let text = |path: &Path| match path.to_str() {
        Some(path) => Ok(quoted(path)),
        None => Err(Failure::NotPossible(format!(
            "the path {} is no text that a shell takes; move it",
            path.display()
        ))),
    };
    let (program, state) = (text(&program)?, text(state)?);
    let lines = format!("#!/bin/sh\nexec {program} native-host --state {state} -- \"$@\"\n");
    save_text(&lines, script)?;
    let mode = fs::Permissions::from_mode(0o700);
    fs::set_permissions(script, mode).map_err(unwritable(script))
}

fn unwritable(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |source| Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    }
}

/// A browser that can start programs for its extensions.
#[derive(Debug, PartialEq, Eq)]
struct Browser {
    /// Where it looks for their manifests.
    folder: PathBuf,
    is_firefox: bool,
}

impl Browser {
    /// Chromium, or one of its relatives, with this folder for its profiles.
    fn chromium(profiles: &Path) -> Self {
        Self {
            folder: profiles.join("NativeMessagingHosts"),
            is_firefox: false,
        }
    }

    fn manifest(&self) -> PathBuf {
        self.folder.join(format!("{NAME}.json"))
    }

    fn manifest_text(&self, script: &Path) -> Value {
        let mut manifest = json!({
            "name": NAME,
            "description": "Finds the back end of Querypoint, or starts it",
            "path": script,
            "type": "stdio",
        });
        match self.is_firefox {
            true => manifest["allowed_extensions"] = json!([GECKO_ID]),
            false => {
                let origin = format!("chrome-extension://{EXTENSION_ID}/");
                manifest["allowed_origins"] = json!([origin]);
            }
        }
        manifest
    }
}

/// The browsers that this user has started before.
fn installed() -> Vec<Browser> {
    match Xdg::new() {
        Ok(folders) => installed_below(folders.home_dir(), &folders.config_dir()),
        Err(_) => Vec::new(),
    }
}

fn installed_below(user: &Path, config: &Path) -> Vec<Browser> {
    let mac = user.join("Library/Application Support");
    let chromium = [
        config.join("google-chrome"),
        config.join("google-chrome-beta"),
        config.join("google-chrome-unstable"),
        config.join("chromium"),
        config.join("microsoft-edge"),
        config.join("BraveSoftware/Brave-Browser"),
        config.join("vivaldi"),
        mac.join("Google/Chrome"),
        mac.join("Chromium"),
        mac.join("Microsoft Edge"),
        mac.join("BraveSoftware/Brave-Browser"),
        mac.join("Vivaldi"),
    ];
    let firefox = [
        (user.join(".mozilla"), "native-messaging-hosts"),
        (mac.join("Mozilla"), "NativeMessagingHosts"),
    ];
    let firefox = firefox.into_iter().filter(|(folder, _)| folder.is_dir());
    let firefox = firefox.map(|(folder, name)| Browser {
        folder: folder.join(name),
        is_firefox: true,
    });
    let chromium = chromium.iter().filter(|folder| folder.is_dir());
    chromium
        .map(|it| Browser::chromium(it))
        .chain(firefox)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_browsers_that_are_there_are_told() {
        let user = tempfile::tempdir().unwrap();
        let config = user.path().join(".config");
        assert_eq!(installed_below(user.path(), &config), []);
        fs::create_dir_all(config.join("chromium")).unwrap();
        fs::create_dir_all(user.path().join(".mozilla")).unwrap();
        let manifests: Vec<PathBuf> = installed_below(user.path(), &config)
            .iter()
            .map(Browser::manifest)
            .collect();
        let file = "dev.querypoint.back_end.json";
        let paths = [
            config.join("chromium/NativeMessagingHosts").join(file),
            user.path()
                .join(".mozilla/native-messaging-hosts")
                .join(file),
        ];
        assert_eq!(manifests, paths);
    }

    #[test]
    fn nobody_but_the_extension_may_start_it() {
        let chromium = Browser::chromium(Path::new("/p"));
        let manifest = chromium.manifest_text(Path::new("/s/native-host"));
        let origins = json!(["chrome-extension://bakegmiicnglloflihecifmopfeocpan/"]);
        assert_eq!(manifest["allowed_origins"], origins);
        assert_eq!(manifest["path"], "/s/native-host");
        assert!(manifest.get("allowed_extensions").is_none());
        let firefox = Browser {
            folder: PathBuf::from("/p"),
            is_firefox: true,
        };
        let manifest = firefox.manifest_text(Path::new("/s/native-host"));
        assert_eq!(
            manifest["allowed_extensions"],
            json!(["panel@querypoint.dev"])
        );
        assert!(manifest.get("allowed_origins").is_none());
    }

    #[test]
    fn what_was_written_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let request = InstallRequest {
            profiles: &[folder.path().join("one"), folder.path().join("two")],
            state: Some(&state),
        };
        let written = install_host(&request).unwrap();
        assert_eq!(written.len(), 2);
        let script = script_in(&state);
        for path in &written {
            let manifest: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            assert_eq!(manifest["path"], json!(script));
        }
        let mode = fs::metadata(&script).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let removed = remove_host(&request).unwrap();
        assert_eq!(removed, [written, vec![script]].concat());
        assert_eq!(remove_host(&request).unwrap(), Vec::<PathBuf>::new());
    }
}
