//! A page asks everything it can about its own code, its errors, its document and the built-ins, and says the same
//! whether it runs plainly, with hooks for a question, or with dormant hooks everywhere.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use end_to_end::repository;

fn file(name: &str) -> String {
    fs::read_to_string(repository().join("tests/untouched").join(name)).unwrap()
}

fn site() -> Site {
    Site::new(&[
        ("/", html(&file("page.html"))),
        ("/classic.js", script(&file("classic.js"))),
        ("/module.js", script(&file("module.js"))),
        ("/digest.js", script(&file("digest.js"))),
    ])
}

/// The lines that differ, each with the one that was expected.
fn difference(plain: &str, other: &str) -> String {
    let (mut plain, mut other) = (plain.lines(), other.lines());
    let mut report = String::new();
    loop {
        match (plain.next(), other.next()) {
            (None, None) => return report,
            (one, two) if one == two => {}
            (one, two) => {
                let shown = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
                report.push_str(&format!("plain: {}\nasked: {}\n\n", shown(one), shown(two)));
            }
        }
    }
}

fn check(instrument: &str) {
    let site = site();
    let url = site.url("/");
    let plain = plainly(&url, &[]);
    let said = site.said();
    let [said] = said.as_slice() else {
        panic!("the page says one thing: {said:#?} {plain:#?}");
    };
    let folder = Folder::new();
    let path = recording(&folder, &url, &[]);
    let more = [
        "--recording",
        path.to_str().unwrap(),
        "--instrument",
        instrument,
    ];
    let answer = ask(&url, &more).answer();
    let asked = site.said();
    assert_eq!(answer["executions"], asked.len(), "{answer:#}");
    for other in &asked {
        let difference = difference(said, other);
        assert!(difference.is_empty(), "{difference}");
    }
    assert!(said.lines().count() > 100, "{said}");
    let module = file("module.js");
    let last = module.lines().position(|line| line == "probe.value = 1;");
    let at = format!("found module.js:{}:1", last.unwrap() + 1);
    assert_eq!(place(&answer), at, "{answer:#}");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn the_page_cannot_tell_that_it_is_asked() {
    check("query");
}

#[test]
fn the_page_cannot_tell_dormant_hooks() {
    check("standby");
}
