//! Every test page, end to end: `querypoint ask --json` in a real browser against the page's expected answer.
//!
//! A page's folder says everything: `recording.json`, and `expected.json` with the reproduction point, the
//! queries, the chain of locations, and the queries with `origin` that lead to the same defect. Every answer is also
//! checked against the published schema.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::loopback::{Folder, assert_follows_schema, purpose_of};
use crate::user::User;
use end_to_end::{querypoint_command, repository};
use serde_json::Value;
use test_support::browsers;

/// One test for each page, and the list of their names.
macro_rules! pages {
    ($($test:ident: $folder:literal,)+) => {
        $(
            #[test]
            fn $test() {
                check($folder);
            }
        )+

        const PAGES: &[&str] = &[$($folder),+];
    };
}

pages! {
    counter: "counter",
    file_lister: "file-lister",
    jquery_table: "jquery-table",
    moving_circle: "moving-circle",
    painting: "painting",
    react_cart: "react-cart",
    recursion: "recursion",
    shapes: "shapes",
    vue_board: "vue-board",
}

#[test]
fn no_page_is_left_out() {
    let folders: BTreeSet<String> = fs::read_dir(pages_folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let tested: BTreeSet<String> = PAGES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(tested, folders, "add the page to the list in {}", file!());
}

/// Asks what `expected.json` of the page asks, and compares the answer.
fn check(folder: &str) {
    let folder = pages_folder().join(folder);
    let expected: Value = read_json(&folder.join("expected.json"));
    let recording = folder.join("recording.json");
    agrees(&expected, &ask(&folder, &recording, &expected));
    passes_the_defect(&folder, &recording, &expected);
}

/// The way of the value that `byOrigin` asks for leads through the line of the defect.
fn passes_the_defect(folder: &Path, recording: &Path, expected: &Value) {
    let answer = ask(
        folder,
        recording,
        &serde_json::json!({
            "page": expected["page"],
            "at": expected["at"],
            "queries": expected["byOrigin"],
        }),
    );
    let last = answer["points"].as_array().unwrap().last().unwrap();
    let hops = last["hops"].as_array().into_iter().flatten();
    let places = hops.chain([&last["end"]]).map(|hop| &hop["location"]);
    let places: Vec<String> = places
        .map(|at| format!("{}:{}", at["url"].as_str().unwrap_or_default(), at["line"]))
        .collect();
    let defect = &expected["defect"];
    let line = format!("{}:{}", defect["file"].as_str().unwrap(), defect["line"]);
    assert!(
        places.iter().any(|place| place.ends_with(&line)),
        "{places:?} does not lead through {line}:\n{answer:#}"
    );
}

/// The answer is the expected one.
fn agrees(expected: &Value, answer: &Value) {
    if let Err(problems) = compare(expected, answer) {
        panic!(
            "{problems}\nthe answer was:\n{}",
            serde_json::to_string_pretty(answer).unwrap()
        );
    }
}

fn pages_folder() -> PathBuf {
    repository().join("test-pages")
}

fn read_json(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| item.as_str().unwrap())
}

/// Runs the command as a person would, and gives back its answer, checked against the schema.
fn ask(folder: &Path, recording: &Path, expected: &Value) -> Value {
    let page = folder.join(expected["page"].as_str().unwrap_or("index.html"));
    let mut command = Command::new(querypoint_command().unwrap());
    command
        .args(["ask", "--json", "--no-keep", "--timeout", "60", "--at"])
        .arg(expected["at"].as_str().unwrap())
        .arg("--recording")
        .arg(recording)
        .arg(&page);
    for watch in strings(&expected["watches"]) {
        command.args(["--watch", watch]);
    }
    command.args(strings(&expected["queries"]));
    if let Some(address) = browsers::address(purpose_of(recording)) {
        command.args(["--connect", &address]);
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{command:?} ended with {}: {error}\n{text}\n{errors}",
            output.status
        )
    });
    assert!(
        output.status.success(),
        "{command:?} ended with {}\n{text}\n{errors}",
        output.status
    );

    assert_follows_schema(&answer, "answer");
    answer
}

/// Whether the answer's chain is the expected one; otherwise every difference, one to a line.
fn compare(expected: &Value, answer: &Value) -> Result<(), String> {
    let mut problems = String::new();
    let wanted = expected["points"].as_array().unwrap();
    let found = answer["points"].as_array().unwrap();
    if wanted.len() != found.len() {
        let _ = writeln!(
            problems,
            "{} points instead of {}",
            found.len(),
            wanted.len()
        );
    }
    for (wanted, found) in wanted.iter().zip(found) {
        let name = wanted["name"].as_str().unwrap();
        let url = found["location"]["url"].as_str().unwrap_or_default();
        let file = wanted["file"].as_str().unwrap();
        if !url.ends_with(&format!("/{file}")) && url != file {
            let _ = writeln!(problems, "{name}: is in {url:?} instead of {file:?}");
        }
        let pairs = [
            ("name", &found["name"]),
            ("status", &found["status"]),
            ("line", &found["location"]["line"]),
            ("column", &found["location"]["column"]),
            ("function", &found["function"]),
            ("old", &found["old"]["text"]),
            ("new", &found["new"]["text"]),
        ];
        for (key, found) in pairs {
            let wanted = &wanted[key];
            if !wanted.is_null() && wanted != found {
                let _ = writeln!(problems, "{name}: {key} is {found} instead of {wanted}");
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// Records what `act` does to a page with `querypoint record`, and asks what `expected.json` asks with that recording.
async fn asked_as_recorded(folder: &str, act: impl AsyncFnOnce(&User)) {
    let folder = pages_folder().join(folder);
    let expected = read_json(&folder.join("expected.json"));
    let page = folder.join(expected["page"].as_str().unwrap_or("index.html"));
    let scratch = Folder::new();
    let out = scratch.0.join("recording.json");
    let viewport = ["--viewport", "800x600"];
    let user = User::at(page.to_str().unwrap(), &out, &viewport).await;
    act(&user).await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    agrees(&expected, &ask(&folder, &out, &expected));
}

#[tokio::test]
async fn jquery_table_as_recorded() {
    asked_as_recorded("jquery-table", async |user| {
        user.clicks_on("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Correct \
            103')")
            .await;
        user.clicks_on("document.querySelector('#amount')").await;
        user.key("a", "Control").await;
        user.types("45").await;
        user.clicks_on("document.querySelector('#save')").await;
        user.has_recorded("click aria/Save").await;
        user.until("document.querySelector('#customers').textContent.includes('45')")
            .await;
    })
    .await;
}

#[tokio::test]
async fn react_cart_as_recorded() {
    asked_as_recorded("react-cart", async |user| {
        user.clicks_on("document.querySelector('[aria-label=\"More Ink\"]')")
            .await;
        user.clicks_on("document.querySelector('#code')").await;
        user.types("BONUS15").await;
        user.clicks_on("document.querySelector('#apply')").await;
        user.has_recorded("click aria/Apply").await;
    })
    .await;
}

#[tokio::test]
async fn vue_board_as_recorded() {
    asked_as_recorded("vue-board", async |user| {
        user.clicks_on("document.querySelector('[aria-label=\"Advance Search\"]')")
            .await;
        while user.look("document.activeElement.id").await != "Linus" {
            user.key("Tab", "").await;
        }
        user.types("5").await;
        user.until("document.querySelector('#Linus').value === '5'")
            .await;
        user.has_recorded("change #Linus to \"5\"").await;
    })
    .await;
}

#[test]
fn a_wrong_answer_is_told_from_a_right_one() {
    let expected = serde_json::json!({ "points": [
        { "name": "B", "file": "a.js", "line": 3, "column": 5, "function": "f", "old": "1", "new": "2",
          "status": "found" },
    ] });
    let right = serde_json::json!({ "points": [
        { "name": "B", "status": "found", "function": "f",
          "location": { "url": "http://127.0.0.1:1/x/a.js", "line": 3, "column": 5 },
          "old": { "type": "number", "text": "1" }, "new": { "type": "number", "text": "2" } },
    ] });
    assert_eq!(compare(&expected, &right), Ok(()));
    for (pointer, wrong) in [
        ("/points/0/location/line", Value::from(4)),
        (
            "/points/0/location/url",
            Value::from("http://127.0.0.1:1/x/aa.js"),
        ),
        ("/points/0/new/text", Value::from("3")),
        ("/points/0/status", Value::from("diverged")),
        ("/points", Value::Array(Vec::new())),
    ] {
        let mut answer = right.clone();
        *answer.pointer_mut(pointer).unwrap() = wrong;
        assert!(compare(&expected, &answer).is_err(), "{pointer}");
    }
}
