//! The licences of the npm packages that are bundled into the panel: cargo-deny knows none of npm.
//!
//! The packages are those of the lock file that are not for development only; each must have a licence that `deny.toml`
//! allows for any dependency, by its name alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bundles;
use crate::error::TaskError;

/// Checks what is bundled.
///
/// # Errors
/// If a file cannot be read, or if a package has a licence that is not allowed.
pub(crate) fn check(root: &Path) -> Result<(), TaskError> {
    let policy = root.join("deny.toml");
    let allowed = allowed_in(&read(&policy)?).map_err(bad(&policy))?;
    let lock_file = root.join(bundles::EDITOR).join("package-lock.json");
    let problems = judge(&read(&lock_file)?, &allowed).map_err(bad(&lock_file))?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(TaskError::Failed {
            command: "the check of bundled npm packages".to_owned(),
        })
    }
}

fn read(path: &Path) -> Result<String, TaskError> {
    fs::read_to_string(path).map_err(|source| TaskError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn bad(path: &Path) -> impl FnOnce(String) -> TaskError {
    let path: PathBuf = path.to_owned();
    |reason| TaskError::BadLicences { path, reason }
}

/// The licences that `deny.toml` allows for any dependency.
fn allowed_in(policy: &str) -> Result<BTreeSet<String>, String> {
    #[derive(Deserialize)]
    struct Policy {
        licenses: Licences,
    }
    #[derive(Deserialize)]
    struct Licences {
        allow: BTreeSet<String>,
    }
    let policy: Policy = toml::from_str(policy).map_err(|error| error.to_string())?;
    Ok(policy.licenses.allow)
}

/// A package-lock.json, version 3.
#[derive(Deserialize)]
struct LockFile {
    packages: BTreeMap<String, LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    license: Option<String>,
    #[serde(default)]
    dev: bool,
}

/// What is wrong with the packages of a lock file that are bundled.
fn judge(lock_file: &str, allowed: &BTreeSet<String>) -> Result<Vec<String>, String> {
    let lock_file: LockFile = serde_json::from_str(lock_file).map_err(|error| error.to_string())?;
    let problems = lock_file.packages.iter().filter_map(|(path, package)| {
        // The package that the lock file belongs to is in no such folder.
        let (_, name) = path.rsplit_once("node_modules/")?;
        let licence = package.license.as_deref().unwrap_or("no licence");
        let is_wrong = !package.dev && !allowed.contains(licence);
        is_wrong.then(|| {
            format!(
                "{name} has {licence}, which deny.toml does not allow: use another package, or allow it with a \
                 reason"
            )
        })
    });
    Ok(problems.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bundled_of_npm_is_judged_and_what_only_bundles_is_not() {
        let policy = "[graph]\ntargets = []\n[licenses]\nallow = [\"MIT\", \"Apache-2.0\"]\n";
        let lock_file = r#"{ "packages": {
            "": { "dependencies": { "editor": "1.0.0" } },
            "node_modules/editor": { "version": "1.0.0", "license": "GPL-3.0-only" },
            "node_modules/a/node_modules/@scope/b": { "version": "2.0.0", "license": "MIT" },
            "node_modules/c": { "version": "2.0.0" },
            "node_modules/bundler": { "version": "3.0.0", "dev": true }
        } }"#;
        let problems = judge(lock_file, &allowed_in(policy).unwrap()).unwrap();
        let starts: Vec<&str> = problems
            .iter()
            .filter_map(|it| it.split(',').next())
            .collect();
        assert_eq!(starts, ["c has no licence", "editor has GPL-3.0-only"]);
    }

    #[test]
    fn what_would_check_nothing_is_refused() {
        assert!(allowed_in("[licenses]\n").is_err());
        assert!(judge("{}", &BTreeSet::new()).is_err());
    }
}
