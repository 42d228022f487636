//! `querypoint diagnose`: what the page itself, and a file of functions, say of calls.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;

use crate::diagnose::{diagnose, json};
use serde_json::Value;

/// A folder with a page that has a script.
fn page(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.js"), script).unwrap();
    let page = "<!doctype html><title>t</title><script src=bad.js></script>";
    fs::write(folder.path().join("bad.html"), page).unwrap();
    folder
}

/// Diagnoses a page with a script; the answers are those of a person.
fn diagnosed(script: &str, arguments: &[&str], answers: &str) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    json(&diagnose(page(script).path(), &arguments, answers))
}

/// The same, with answers from a file.
fn with_answers(script: &str, arguments: &[&str], answers: &str) -> Value {
    let folder = page(script);
    fs::write(folder.path().join("answers.txt"), answers).unwrap();
    let arguments = [arguments, &["--answers", "answers.txt", "--json"]].concat();
    json(&diagnose(folder.path(), &arguments, ""))
}

/// Each answer on a line: function, answer, by whom and why.
fn said(diagnosis: &Value) -> Vec<String> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    questions
        .map(|it| {
            let line = ["function", "answer", "by", "why"].map(|name| text(it, name));
            line.join(" ").trim_end().to_owned()
        })
        .collect()
}

#[test]
fn values_that_have_not_the_declared_type_are_answers() {
    let script = "/**\n * @param {number} n\n * @returns {number}\n */\n\
        function half(n) { return n % 2 ? String(n / 2) : n / 2 }\n\
        /** @param {{n: number}} of */\nconst double = (of) => of.n * 2;\n\
        /** @returns {Promise<string[]>} */\nasync function list(first) { return [first, 'b'] }\n\
        function ask() { half(4); double({ n: 1 }); list('a'); return half(3) }\nask();";
    let diagnosis = diagnosed(script, &[], "");
    assert_eq!(diagnosis["found"]["function"], "half", "{diagnosis}");
    assert_eq!(
        said(&diagnosis),
        ["half invalid test it returned \"1.5\", and is declared to return number"]
    );
    // An argument that is not as declared is the caller's: it called nothing else, so only it is left.
    let diagnosis = diagnosed(&script.replace("half(3)", "half('4')"), &[], "invalid\n");
    assert_eq!(
        said(&diagnosis)[..2],
        [
            "half inadmissible test n was given \"4\", and is declared as number",
            "ask invalid person",
        ]
    );
    let diagnosis = diagnosed(&script.replace("list('a')", "list(3)"), &[], "");
    let lists = said(&diagnosis);
    assert!(
        lists
            .iter()
            .any(|it| it.starts_with("list invalid test it returned")),
        "{lists:?}"
    );
}

/// What is taken back is asked about, and the same declaration says nothing of other calls.
#[test]
fn a_declared_type_that_is_not_right_is_taken_back() {
    let script = "/** @returns {number} */\nfunction shown(n) { return n + ' EUR' }\n\
        function both() { return shown(1) + shown(2) }\nboth();";
    let first = diagnosed(script, &["--strategy", "top-down"], "");
    assert_eq!([&first["asked"], &first["automatic"]], [0, 1], "{first}");
    let call = &first["found"]["call"];
    let answers = format!("undo #{call}\ninvalid\ninvalid\nvalid\nvalid\n");
    let diagnosis = with_answers(script, &["--strategy", "top-down"], &answers);
    assert_eq!(diagnosis["found"]["function"], "both", "{diagnosis}");
    assert_eq!([&diagnosis["asked"], &diagnosis["automatic"]], [4, 0]);
}

#[test]
fn assertions_that_fail_are_answers() {
    let script = "class AssertionError extends Error {}\n\
        function assertThat(ok, text) { if (!ok) throw new AssertionError(text) }\n\
        function rest(list) { const left = list.slice(2); console.assert(left.length > 0, 'none of %d', list.length); return left }\n\
        function first(list) { assertThat(list.length > 0, 'no element'); return list[0] }\n\
        function ask(list) { const left = rest(list); try { return first(left) } catch (error) { return error.message } }\n\
        function main() { return ask([1, 2]) }\nmain();";
    // The assertion of `rest` failed first, and it called nothing: it is found.
    let diagnosis = diagnosed(script, &[], "");
    assert_eq!(diagnosis["found"]["function"], "rest", "{diagnosis}");
    assert_eq!(
        said(&diagnosis),
        ["rest invalid test console.assert failed in it: none of 2"]
    );
    // Without it `first` says that it should not have been called so; its caller is asked about.
    let without = script.replace(
        "console.assert(left.length > 0, 'none of %d', list.length); ",
        "",
    );
    let diagnosis = diagnosed(&without, &[], "invalid\ninvalid\n");
    assert_eq!(diagnosis["found"]["function"], "rest", "{diagnosis}");
    assert_eq!(
        said(&diagnosis)[..2],
        [
            "first inadmissible test an AssertionError left it: no element; it had done nothing before",
            "ask invalid person",
        ]
    );
    // What holds says nothing.
    let holds = script.replace("[1, 2]", "[1, 2, 3]");
    let diagnosis = diagnosed(&holds, &[], "valid\n");
    assert_eq!(diagnosis["automatic"], 0, "{diagnosis}");
}
