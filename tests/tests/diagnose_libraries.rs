//! `querypoint diagnose`: nobody is asked about libraries and about what a bundler adds.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;

use crate::diagnose::{diagnose, json};

/// An application of three modules, as esbuild 0.28 bundles it for browsers, with a map.
const BUNDLE: &str = include_str!("../diagnose/bundled/bad.js");
const MAP: &str = include_str!("../diagnose/bundled/bad.js.map");

/// A library as it is given out: with a comment that has its name and version, and without a map.
const LIBRARY: &str = "/*! Money v1.2.0 | MIT */
window.Money = { round(n) { return Money.scale(n, 100) / 100 }, scale(n, by) { return Math.round(n * by) } };";

/// Runs the page of these files, says that the first calls are wrong and all others right, and gives the functions that
/// were asked about.
fn asked(files: &[(&str, &str)], invalid: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut page = "<!doctype html><title>t</title>".to_owned();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
        if name.ends_with(".js") {
            page.push_str(&format!("<script src={name}></script>"));
        }
    }
    fs::write(folder.path().join("bad.html"), page).unwrap();
    let answers = "invalid\n".repeat(invalid) + &"valid\n".repeat(20);
    let arguments = ["--strategy", "top-down", "--json"];
    let diagnosis = json(&diagnose(folder.path(), &arguments, &answers));
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    let names = questions.map(|it| it["function"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn what_a_bundler_adds_is_trusted() {
    let files = [("bad.js", BUNDLE), ("bad.js.map", MAP)];
    assert!(BUNDLE.contains("var __toESM = "));
    assert_eq!(
        asked(&files, 2),
        ["(top level)", "(anonymous)", "cart.cjs", "receipt"]
    );
}

#[test]
fn a_library_without_a_map_is_trusted_by_how_it_begins() {
    let app = "function total(a, b) { return Money.round(a + b) }\ntotal(1, 2.345);";
    let files = [("money.js", LIBRARY), ("app.js", app)];
    assert_eq!(asked(&files, 2), ["(top level)", "total"]);
    // What is on its own what the page is made of is asked about.
    let calls = format!("{LIBRARY}\nMoney.round(1.234);");
    let alone = asked(&[("money.js", &calls)], 1);
    assert_eq!(alone, ["(top level)", "round"]);
}
