//! The check of dependencies' licences and of versions with known faults, without the network.
//!
//! The policy is `deny.toml`, in the format of `cargo deny` (so `cargo deny check licenses bans` reads the
//! same file); we read the parts named in [`Policy`] and refuse what we do not understand. The facts come
//! from `cargo metadata`, and of the npm packages that are bundled into the panel from their lock file. Judging is a pure function of the two, so that tests need neither.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use semver::{Version, VersionReq};
use serde::Deserialize;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

use crate::bundles;
use crate::error::TaskError;
use crate::steps::{cargo, check_status, describe};

/// Checks the workspace at `root` against its `deny.toml`.
///
/// # Errors
/// If the policy or the metadata cannot be read, or if a dependency breaks the policy.
pub(crate) fn run(root: &Path) -> Result<(), TaskError> {
    let path = root.join("deny.toml");
    let text = fs::read_to_string(&path).map_err(|source| TaskError::Unreadable {
        path: path.clone(),
        source,
    })?;
    let policy = Policy::parse(&text).map_err(|reason| TaskError::BadPolicy { path, reason })?;

    let mut packages = BTreeSet::new();
    for target in &policy.targets {
        packages.extend(packages_for(root, target)?);
    }
    packages.extend(bundled_packages(root)?);
    let problems = judge(&policy, &packages);
    for problem in &problems {
        eprintln!("{problem}");
    }
    println!(
        "{} packages, {} licences allowed, {} versions refused",
        packages.len(),
        policy.allowed.len(),
        policy.refused.len()
    );
    if problems.is_empty() {
        Ok(())
    } else {
        Err(TaskError::Failed {
            command: "the check of deny.toml".to_owned(),
        })
    }
}

/// What we read of `deny.toml`, ready to be applied.
struct Policy {
    /// Target triples whose dependencies are checked.
    targets: Vec<String>,
    /// Licences that any dependency may have.
    allowed: Vec<Licensee>,
    /// Licences that one dependency may have.
    exceptions: Vec<(String, Vec<Licensee>)>,
    /// Versions that must not be used.
    refused: Vec<Refused>,
}

/// A crate, or some versions of it, that must not be used.
struct Refused {
    name: String,
    versions: VersionReq,
    reason: String,
}

/// One package of the dependency graph, as far as the policy asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Package {
    name: String,
    version: Version,
    license: Option<String>,
}

/// A dependency that breaks the policy.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    /// It says nothing about its licence.
    NoLicence { package: String },
    /// What it says is no licence expression.
    BadExpression { package: String, reason: String },
    /// No licence it offers is allowed.
    LicenceNotAllowed { package: String, licence: String },
    /// This version is on the list of refused ones.
    Refused { package: String, reason: String },
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLicence { package } => write!(
                formatter,
                "{package}: names no licence; replace it, or ask its authors to name one"
            ),
            Self::BadExpression { package, reason } => {
                write!(formatter, "{package}: its licence cannot be read: {reason}")
            }
            Self::LicenceNotAllowed { package, licence } => write!(
                formatter,
                "{package}: its licence `{licence}` is not allowed; replace the dependency, or allow the \
                 licence in deny.toml with a reason"
            ),
            Self::Refused { package, reason } => write!(
                formatter,
                "{package}: refused ({reason}); run `cargo update` or replace the dependency"
            ),
        }
    }
}

fn judge(policy: &Policy, packages: &BTreeSet<Package>) -> Vec<Problem> {
    packages
        .iter()
        .flat_map(|package| [licence_problem(policy, package), refusal(policy, package)])
        .flatten()
        .collect()
}

fn licence_problem(policy: &Policy, package: &Package) -> Option<Problem> {
    let label = format!("{} {}", package.name, package.version);
    let Some(licence) = package.license.as_deref() else {
        return Some(Problem::NoLicence { package: label });
    };
    // Lax, because older crates still write `MIT/Apache-2.0`.
    let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => {
            return Some(Problem::BadExpression {
                package: label,
                reason: error.to_string(),
            });
        }
    };
    let excepted = policy
        .exceptions
        .iter()
        .filter(|(name, _)| *name == package.name)
        .flat_map(|(_, licences)| licences);
    let allowed: Vec<&Licensee> = policy.allowed.iter().chain(excepted).collect();
    let is_allowed =
        expression.evaluate(|wanted: &LicenseReq| allowed.iter().any(|one| one.satisfies(wanted)));
    (!is_allowed).then(|| Problem::LicenceNotAllowed {
        package: label,
        licence: licence.to_owned(),
    })
}

fn refusal(policy: &Policy, package: &Package) -> Option<Problem> {
    policy
        .refused
        .iter()
        .find(|refused| refused.name == package.name && refused.versions.matches(&package.version))
        .map(|refused| Problem::Refused {
            package: format!("{} {}", package.name, package.version),
            reason: refused.reason.clone(),
        })
}

impl Policy {
    fn parse(text: &str) -> Result<Self, String> {
        let file: PolicyFile = toml::from_str(text).map_err(|error| error.to_string())?;
        if file.graph.targets.is_empty() {
            return Err("`graph.targets` names no target, so nothing would be checked".to_owned());
        }
        Ok(Self {
            targets: file.graph.targets,
            allowed: licensees(&file.licenses.allow)?,
            exceptions: file
                .licenses
                .exceptions
                .iter()
                .map(|exception| Ok((exception.name.clone(), licensees(&exception.allow)?)))
                .collect::<Result<_, String>>()?,
            refused: file
                .bans
                .deny
                .into_iter()
                .map(Refused::parse)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Refused {
    fn parse(entry: DenyEntry) -> Result<Self, String> {
        let (name, versions) = entry
            .specification
            .split_once(':')
            .unwrap_or((&entry.specification, "*"));
        Ok(Self {
            name: name.to_owned(),
            versions: VersionReq::parse(versions)
                .map_err(|error| format!("`{}`: {error}", entry.specification))?,
            reason: entry.reason,
        })
    }
}

fn licensees(names: &[String]) -> Result<Vec<Licensee>, String> {
    names
        .iter()
        .map(|name| Licensee::parse(name).map_err(|error| format!("`{name}`: {error}")))
        .collect()
}

/// `deny.toml` as written. Sections that are only for `cargo deny` itself are passed over.
#[derive(Deserialize)]
struct PolicyFile {
    graph: GraphSection,
    licenses: LicenceSection,
    bans: BanSection,
}

#[derive(Deserialize)]
struct GraphSection {
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct LicenceSection {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<LicenceException>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LicenceException {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct BanSection {
    deny: Vec<DenyEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DenyEntry {
    /// `name`, or `name:REQUIREMENT`.
    #[serde(rename = "crate")]
    specification: String,
    reason: String,
}

/// The packages the workspace needs on one target, tests and build scripts included.
fn packages_for(root: &Path, target: &str) -> Result<Vec<Package>, TaskError> {
    let mut command = cargo(root);
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", target])
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|source| TaskError::CannotStart {
        program: "cargo".to_owned(),
        source,
    })?;
    check_status(output.status, &describe(&command))?;
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).map_err(TaskError::BadMetadata)?;
    Ok(metadata.packages)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The npm packages that come into the panel: those of its lock file that are not for development only.
fn bundled_packages(root: &Path) -> Result<Vec<Package>, TaskError> {
    let path = root.join(bundles::EDITOR).join("package-lock.json");
    let text = fs::read_to_string(&path).map_err(|source| TaskError::Unreadable {
        path: path.clone(),
        source,
    })?;
    packages_in(&text).map_err(TaskError::BadMetadata)
}

fn packages_in(lock_file: &str) -> Result<Vec<Package>, serde_json::Error> {
    let lock_file: LockFile = serde_json::from_str(lock_file)?;
    let bundled = lock_file.packages.into_iter().filter_map(|(path, it)| {
        let (_, name) = path.rsplit_once("node_modules/")?;
        (!it.dev).then(|| Package {
            name: name.to_owned(),
            version: it.version,
            license: it.license,
        })
    });
    Ok(bundled.collect())
}

/// A package-lock.json, version 3.
#[derive(Deserialize)]
struct LockFile {
    packages: BTreeMap<String, LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    #[serde(default = "no_version")]
    version: Version,
    license: Option<String>,
    #[serde(default)]
    dev: bool,
}

/// The package that the lock file belongs to has none.
const fn no_version() -> Version {
    Version::new(0, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"
        [graph]
        targets = ["x86_64-unknown-linux-gnu"]
        [licenses]
        allow = ["MIT", "Apache-2.0"]
        exceptions = [{ crate = "tables", allow = ["Unicode-3.0"] }]
        [bans]
        deny = [
            { crate = "leaky:<1.2.3", reason = "RUSTSEC-0000-0001: leaks" },
            { crate = "abandoned", reason = "nobody answers" },
        ]
        [advisories]
        yanked = "deny"
    "#;

    /// What the policy above says of one package.
    fn check(name: &str, version: &str, license: Option<&str>) -> Vec<Problem> {
        let policy = Policy::parse(POLICY).unwrap();
        let package = Package {
            name: name.to_owned(),
            version: Version::parse(version).unwrap(),
            license: license.map(str::to_owned),
        };
        judge(&policy, &BTreeSet::from([package]))
    }

    #[test]
    fn allowed_licences_pass_also_as_one_of_several() {
        assert_eq!(check("a", "1.0.0", Some("MIT")), []);
        assert_eq!(check("a", "1.0.0", Some("GPL-3.0-only OR MIT")), []);
        assert_eq!(check("a", "1.0.0", Some("MIT/Apache-2.0")), []);
        assert_eq!(
            check(
                "tables",
                "1.0.0",
                Some("(MIT OR Apache-2.0) AND Unicode-3.0")
            ),
            []
        );
    }

    #[test]
    fn a_forbidden_licence_fails() {
        let problems = check("copyleft", "2.0.0", Some("GPL-3.0-only"));
        assert_eq!(
            problems,
            [Problem::LicenceNotAllowed {
                package: "copyleft 2.0.0".to_owned(),
                licence: "GPL-3.0-only".to_owned(),
            }]
        );
        assert!(problems[0].to_string().contains("not allowed"));
    }

    #[test]
    fn every_part_of_an_and_must_be_allowed() {
        assert_eq!(check("a", "1.0.0", Some("MIT AND GPL-3.0-only")).len(), 1);
        // The exception is for another crate.
        assert_eq!(check("a", "1.0.0", Some("MIT AND Unicode-3.0")).len(), 1);
    }

    #[test]
    fn a_missing_or_unreadable_licence_fails() {
        assert_eq!(
            check("a", "1.0.0", None),
            [Problem::NoLicence {
                package: "a 1.0.0".to_owned()
            }]
        );
        assert!(matches!(
            check("a", "1.0.0", Some("see file")).as_slice(),
            [Problem::BadExpression { .. }]
        ));
    }

    #[test]
    fn versions_with_known_faults_fail_and_repaired_ones_pass() {
        assert_eq!(
            check("leaky", "1.2.2", Some("MIT")),
            [Problem::Refused {
                package: "leaky 1.2.2".to_owned(),
                reason: "RUSTSEC-0000-0001: leaks".to_owned(),
            }]
        );
        assert_eq!(check("leaky", "1.2.3", Some("MIT")), []);
        assert_eq!(check("abandoned", "9.0.0", Some("MIT")).len(), 1);
    }

    #[test]
    fn what_is_bundled_of_npm_is_judged_and_what_only_bundles_is_not() {
        let lock = r#"{ "packages": {
            "": { "dependencies": { "editor": "1.0.0" } },
            "node_modules/editor": { "version": "1.0.0", "license": "GPL-3.0-only" },
            "node_modules/a/node_modules/@scope/b": { "version": "2.0.0", "license": "MIT" },
            "node_modules/bundler": { "version": "3.0.0", "dev": true }
        } }"#;
        let packages = packages_in(lock).unwrap();
        let names: Vec<&str> = packages.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["@scope/b", "editor"]);
        let policy = Policy::parse(POLICY).unwrap();
        let problems = judge(&policy, &packages.into_iter().collect());
        assert!(matches!(
            problems.as_slice(),
            [Problem::LicenceNotAllowed { package, .. }] if package == "editor 1.0.0"
        ));
    }

    #[test]
    fn a_policy_that_would_check_nothing_is_refused() {
        let text = POLICY.replace("\"x86_64-unknown-linux-gnu\"", "");
        assert!(Policy::parse(&text).is_err());
        let text = POLICY.replace("\"MIT\", ", "\"NOT-A-LICENCE\", ");
        assert!(Policy::parse(&text).is_err());
        let text = POLICY.replace("reason = \"nobody answers\"", "because = \"x\"");
        assert!(Policy::parse(&text).is_err());
    }
}
