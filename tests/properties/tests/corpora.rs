//! The inputs that fuzzing has left behind, and every script, page and recording of the repository, on a stable
//! compiler.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use properties::{PROPERTIES, Property};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

/// The files of a folder and of those in it.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder);
        for entry in entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Checks `input`; a failure names where it is from.
fn check(property: Property, input: &[u8], origin: &str, failed: &mut Vec<String>) {
    if catch_unwind(|| property(input)).is_err() {
        failed.push(origin.to_owned());
    }
}

fn property(name: &str) -> Property {
    PROPERTIES
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap()
        .1
}

#[test]
fn every_property_has_a_target_and_a_corpus() {
    let names: BTreeSet<String> = PROPERTIES
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let in_folder = |folder: &str| -> BTreeSet<String> {
        fs::read_dir(repository().join("tests/fuzz").join(folder))
            .unwrap()
            .map(|entry| {
                entry
                    .unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(in_folder("fuzz_targets"), names);
    assert_eq!(in_folder("corpus"), names);
}

#[test]
fn corpora_hold() {
    let mut failed = Vec::new();
    for (name, property) in PROPERTIES {
        let files = files_below(&repository().join("tests/fuzz/corpus").join(name));
        assert!(files.len() >= 10, "{name}: {} inputs", files.len());
        for file in files {
            let origin = file.display().to_string();
            check(property, &fs::read(&file).unwrap(), &origin, &mut failed);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Every choice that the first byte makes, in many combinations, on each of the rewriter's own fixtures.
#[test]
fn scripts_of_the_repository_hold_whatever_is_watched() {
    let mut failed = Vec::new();
    let rewriter = property("rewriter");
    for file in files_below(&repository().join("js-analysis/tests/rewrite")) {
        if file.extension().is_some_and(|ending| ending == "js") {
            let source = fs::read(&file).unwrap();
            for choice in (0..=u8::MAX).step_by(13) {
                let input = [&[choice], source.as_slice()].concat();
                let origin = format!("{} with {choice}", file.display());
                check(rewriter, &input, &origin, &mut failed);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn pages_and_recordings_of_the_repository_hold() {
    let mut failed = Vec::new();
    let mut pages = 0;
    for folder in ["test-pages", "tests/fixtures"] {
        for file in files_below(&repository().join(folder)) {
            let text = fs::read(&file).unwrap();
            let origin = file.display().to_string();
            match file.extension().and_then(|ending| ending.to_str()) {
                Some("html") => {
                    pages += 1;
                    for choice in [0, 1, 5, 0x3f] {
                        let input = [&[choice], text.as_slice()].concat();
                        check(property("html"), &input, &origin, &mut failed);
                    }
                }
                Some("json") => check(property("recording"), &text, &origin, &mut failed),
                _ => {}
            }
        }
    }
    assert!(pages > 20, "{pages} pages");
    assert!(failed.is_empty(), "{failed:#?}");
}
