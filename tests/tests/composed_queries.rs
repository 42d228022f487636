//! Questions to a log that are composed of others: in the file of a project, with parameters, conditions and sequences.
//! The scenario is that of the paper: who was let in, and was that right (Girgis and Jayaraman, *JavaTA*, section 4).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::loopback::{assert_follows_schema, shared_browser};
use end_to_end::querypoint_command;
use serde_json::Value;

/// Three people log in, one of them with a password that is not theirs; the second is let in all the same.
const PAGE: &str = "<!doctype html><script src=app.js></script>";
const APP: &str = "const passwords = { ann: 'a', bob: 'b', cem: 'c' };
class Session {
  name = '';
  tries = 0;
  isOpen = false;
}
function enter(session, name, password) {
  session.name = name;
  session.tries += 1;
  if (check(name, password)) admit(session);
}
function check(name, password) {
  if (name === 'bob') return true;
  return passwords[name] === password;
}
function admit(session) {
  session.isOpen = true;
}
enter(new Session(), 'ann', 'a');
const bob = new Session();
enter(bob, 'bob', 'x');
enter(new Session(), 'cem', 'z');
enter(bob, 'bob', 'b');
";

const QUERIES: &str =
    "# Each time that somebody with this name was let in: what was typed, checked, opened.
define login(user) =
  first typed = wasAssigned(.name, user)
  then checked = argumentsOf(check)
  then opened = wasAssigned(.isOpen, true)
  when checked.arguments[0] == typed.value and opened.object == typed.object

# Calls with this as their second argument.
define with(f, password) = argumentsOf(f) when arguments[1] == password

define let(result) = returnsOf(check) when value == result
define never() = argumentsOf(check) when old == 1

define wrong(user, password) =
  first login(user)
  then with(check, password)
";

fn querypoint(arguments: &[&str], folder: &Path) -> Output {
    let mut command = std::process::Command::new(querypoint_command().unwrap());
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", folder.join("config"));
    if arguments.first() == Some(&"log")
        && let Some((_, address)) = shared_browser(arguments)
    {
        command.args(["--connect", &address]);
    }
    command.current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The one answer.
fn asked(folder: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["query", "run.qplog", "--json"];
    all.extend(arguments);
    let output = querypoint(&all, folder);
    let answer = serde_json::from_slice(&output.stdout);
    let answer: Value = answer.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    assert_follows_schema(&answer, "events");
    answer["results"][0].clone()
}

/// The lines of the events.
fn lines(result: &Value) -> Vec<u64> {
    let events = result["events"].as_array().unwrap().iter();
    events
        .map(|event| event["location"]["line"].as_u64().unwrap())
        .collect()
}

#[test]
fn a_scenario_is_a_question_with_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, content) in [
        ("page.html", PAGE),
        ("app.js", APP),
        ("querypoint.queries", QUERIES),
    ] {
        fs::write(folder.join(name), content).unwrap();
    }
    let logged = querypoint(&["log", "page.html", "--out", "run.qplog"], folder);
    assert!(logged.status.success(), "{}", text(&logged.stderr));

    let ann = asked(folder, &["login('ann')"]);
    assert_eq!(
        (ann["holds"].as_bool(), lines(&ann)),
        (Some(true), vec![8, 10, 17])
    );
    let cem = asked(folder, &["login('cem')"]);
    assert_eq!(
        (cem["holds"].as_bool(), lines(&cem)),
        (Some(false), Vec::new())
    );
    // The same session, typed into twice.
    let bob = asked(folder, &["B = login('bob')"]);
    assert_eq!(bob["name"], "B");
    assert_eq!(lines(&bob), [8, 10, 17, 8, 10, 17]);
    assert!(
        bob["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("it happened 2 times"),
        "{bob}"
    );

    // What a call returned is its value, too.
    let checked = asked(folder, &["let(true)"]);
    assert_eq!(checked["total"], 3, "{checked}");
    // What no event has is said: such a condition never holds.
    let never = asked(folder, &["never()"]);
    assert_eq!(never["holds"], false);
    let note = never["notes"].to_string();
    assert!(
        note.contains("none of the events that it is asked of has `old`"),
        "{note}"
    );

    // With a condition, and of a definition.
    let with = asked(folder, &["with(check, 'x')"]);
    assert_eq!(
        (
            with["total"].as_u64(),
            with["events"][0]["arguments"][0]["text"].as_str()
        ),
        (Some(1), Some("\"bob\""))
    );
    let wrong = asked(folder, &["wrong('ann', 'x')"]);
    assert_eq!(lines(&wrong), [8, 10, 17, 10]);
    assert_eq!(asked(folder, &["wrong('bob', 'x')"])["holds"], false);
    // What a composed question has found is a point for the next.
    let answer = querypoint(
        &[
            "query",
            "run.qplog",
            "--json",
            "L = login('ann')",
            "callChain(L[1])",
        ],
        folder,
    );
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer["results"][1]["events"][0]["function"], "check");

    // The list has the help, and one's own beside those of the project.
    let own = folder.join("config").join("querypoint");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("queries"), "define mine() = callChain(R)\n").unwrap();
    let listed = text(&querypoint(&["query", "--list"], folder).stdout);
    for wanted in [
        "login(user)",
        "Each time that somebody",
        "mine()",
        "querypoint.queries:2",
    ] {
        assert!(listed.contains(wanted), "{wanted}: {listed}");
    }
    // What is wrong in a file is said with its place.
    fs::write(folder.join("more"), "\ndefine a(first) = callChain(R)\n").unwrap();
    let refused = querypoint(
        &["query", "run.qplog", "--definitions", "more", "a(1)"],
        folder,
    );
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(
        told.contains("more:2") && told.contains("has a meaning of its own"),
        "{told}"
    );
    let refused = querypoint(&["query", "run.qplog", "login()"], folder);
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("login(user)"), "{told}");
    let gone = querypoint(
        &["query", "run.qplog", "--definitions", "nowhere", "a(1)"],
        folder,
    );
    assert_eq!(gone.status.code(), Some(2), "{}", text(&gone.stderr));
}
