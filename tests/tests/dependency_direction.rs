//! Dependencies point down only, and one crate knows the DevTools protocol.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::collections::{BTreeMap, BTreeSet};

use end_to_end::workspace_metadata;

/// Which members each member may depend on.
const MAY_USE: [(&str, &[&str]); 13] = [
    ("querypoint", &[]),
    ("js-analysis", &[]),
    ("cdp-driver", &["querypoint", "js-analysis"]),
    (
        "querypoint-cli",
        &["querypoint", "js-analysis", "cdp-driver"],
    ),
    // It speaks to the back end, and knows nothing else of it than the messages.
    ("panel", &["querypoint"]),
    ("panel-package", &[]),
    ("end-to-end", &["querypoint", "cdp-driver"]),
    // Only for its connection to the browser: the judge shares nothing with what it judges.
    ("oracle", &["cdp-driver"]),
    ("conformance", &["js-analysis", "cdp-driver"]),
    ("properties", &["querypoint", "js-analysis"]),
    ("xtask", &[]),
    ("book", &[]),
    // For the list of programs that both run.
    (
        "benches",
        &["querypoint", "js-analysis", "cdp-driver", "conformance"],
    ),
];

/// Crates that do input, output or time: the pure crates may not have them, not even through a feature.
const IMPURE: [&str; 8] = [
    "tokio",
    "async-std",
    "smol",
    "reqwest",
    "hyper",
    "tempfile",
    "web-time",
    "chromiumoxide",
];

/// Every member with the names of all its direct dependencies, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = workspace_metadata().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let names = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
                .map(|dependency| text(&dependency["name"]))
                .collect();
            (text(&package["name"]), names)
        })
        .collect()
}

#[test]
fn members_depend_only_on_those_below_them() {
    let dependencies = dependencies();
    let allowed: BTreeMap<_, _> = MAY_USE.into_iter().collect();
    let members: BTreeSet<_> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(
        members,
        allowed.keys().copied().collect(),
        "a member was added or removed: say here what it may depend on"
    );
    for (member, names) in &dependencies {
        for used in names.iter().filter(|name| members.contains(name.as_str())) {
            assert!(
                allowed[member.as_str()].contains(&used.as_str()),
                "{member} must not depend on {used}"
            );
        }
    }
}

#[test]
fn only_the_driver_knows_the_devtools_protocol() {
    for (member, names) in dependencies() {
        let knows = names.iter().any(|name| name.starts_with("chromiumoxide"));
        assert_eq!(knows, member == "cdp-driver", "{member}");
    }
}

#[test]
fn the_pure_crates_do_no_input_or_output() {
    let dependencies = dependencies();
    for member in ["querypoint", "js-analysis"] {
        for impure in IMPURE {
            assert!(
                !dependencies[member].contains(impure),
                "{member} uses {impure}"
            );
        }
    }
}
