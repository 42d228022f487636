//! `querypoint diagnose` with a good version of the page: it answers what it can.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;

use crate::diagnose::said_of_good_version as said_of;
use crate::diagnose::{begin_diagnosis, diagnose, json, losing, pages};

const SHOP: &str = include_str!("../diagnose/shop.js");

#[test]
fn a_good_version_answers_by_itself_or_as_a_person() {
    let folder = losing();
    let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let by_itself = json(&output);
    let output = diagnose(folder.path(), &["--simulate", "good.html", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let as_person = json(&output);
    for diagnosis in [&by_itself, &as_person] {
        assert_eq!(diagnosis["found"]["function"], "Tree.removeAt");
        // The call with node 2, of whom the right child is lost.
        let last = diagnosis["questions"].as_array().unwrap().last().unwrap();
        assert_eq!(last["call"], diagnosis["found"]["call"]);
        assert!(
            last["arguments"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("Node {key: 2,")
        );
        assert!(
            last["why"]
                .as_str()
                .unwrap()
                .starts_with("the good version returned Node")
        );
    }
    let count = by_itself["questions"].as_array().unwrap().len();
    assert!(count < 15, "{by_itself}");
    assert_eq!([&by_itself["asked"], &by_itself["automatic"]], [0, count]);
    assert_eq!([&as_person["asked"], &as_person["automatic"]], [count, 0]);
    assert_eq!(by_itself["questions"][0]["by"], "oracle");
    assert_eq!(as_person["questions"][0]["by"], "person");
}

/// A line that is wrong, with the function that is found and why its last call is said to be wrong.
const FOUND: [(&str, &str, &str, &str); 6] = [
    (
        "return x + 1",
        "return x + 2",
        "later",
        "the good version returned 2",
    ),
    (
        "list.slice(1)",
        "list.slice(2)",
        "tail",
        "the good version returned another Array",
    ),
    (
        "x * factor",
        "x + factor",
        "scale",
        "the good version returned 2",
    ),
    (
        "value > 5",
        "value > 4",
        "check",
        "the good version throws nothing",
    ),
    (
        "#count += by",
        "#count = by",
        "Counter.step",
        "the good version returned another Object",
    ),
    (
        "seen.set(name, ",
        "seen.set(name + name, ",
        "remember",
        "the good version leaves 9 in the entry a",
    ),
];

/// A page that never ends is run until it is clear that it does not, not once more for each of its calls.
#[test]
fn a_good_version_of_a_page_that_never_ends_says_nothing() {
    let program = "function step(n) { return n + 1 }\nfunction spin() { step(1); while (true) step(2) }\nspin()";
    let folder = pages(program, "n + 1", "n + 2");
    let timed = ["--timeout", "2", "--json"];
    let output = diagnose(
        folder.path(),
        &[&["--simulate", "good.html"], &timed[..]].concat(),
        "",
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    let notes = diagnosis["notes"].to_string();
    assert!(
        notes.contains("the good version can say nothing"),
        "{notes}"
    );
    // A person can answer all the same.
    let oracle = [&["--oracle", "good.html"], &timed[..]].concat();
    let output = diagnose(folder.path(), &oracle, "invalid\n");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["questions"][0]["by"], "person", "{diagnosis}");
}

#[test]
fn results_exceptions_fields_and_entries_are_compared() {
    for (good, wrong, function, why) in FOUND {
        let folder = pages(SHOP, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], function);
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
        let whys: Vec<&str> = diagnosis["questions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["call"] == diagnosis["found"]["call"])
            .map(|it| it["why"].as_str().unwrap())
            .collect();
        assert_eq!(whys, [why], "{diagnosis}");
    }
}

#[test]
fn what_cannot_be_compared_is_left_to_a_person() {
    for (good, wrong, function) in [
        // A change that the log does not have, and what is no function.
        ("add('done')", "add('gone')", "paint"),
        ("\nfactor = 2", "\nfactor = 4", "(top level)"),
    ] {
        let folder = pages(SHOP, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        assert_eq!(output.status.code(), Some(1), "{good}: {output:?}");
        let diagnosis = json(&output);
        let questions = diagnosis["questions"].as_array().unwrap();
        assert!(!questions.is_empty(), "{good}: {diagnosis}");
        for question in questions {
            assert_eq!(question["answer"], "valid", "{good}: {diagnosis}");
            assert_ne!(question["function"], function, "{diagnosis}");
        }
        // It is said why.
        let notes = diagnosis["notes"].as_array().unwrap();
        let why = notes.last().unwrap().as_str().unwrap();
        assert!(
            why.starts_with("of ") && why.contains("the good version can say nothing: "),
            "{why}"
        );
        assert!(why.ends_with(')'), "{why}");
    }
}

/// Built-ins that give a text, or what matches, change nothing: what came of them is compared. One of the same name
/// that changes the document is not among them.
#[test]
fn what_texts_are_made_of_is_compared() {
    let program =
        "const slug = (text) => text.toLowerCase().replace(/ /g, '-').replaceAll('!', '');
const words = (text) => text.match(/[a-z]+/g) ?? [];
function shown(text) { return JSON.stringify({ slug: slug(text), words: words(text) }); }
function mark(on) { return document.documentElement.classList.replace('no', on ? 'yes' : 'no'); }
shown('A Cup!');
mark(true);";
    let answered = |good: &str, wrong: &str| {
        let folder = pages(program, good, wrong);
        json(&diagnose(
            folder.path(),
            &["--oracle", "good.html", "--json"],
            "",
        ))
    };
    for (good, wrong, function) in [("/ /g", "/u/g", "slug"), ("/[a-z]+/g", "/[a-z]/g", "words")] {
        let diagnosis = answered(good, wrong);
        assert_eq!(diagnosis["found"]["function"], function, "{diagnosis}");
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    }
    let diagnosis = answered("on ? 'yes'", "on ? 'y'");
    let questions = diagnosis["questions"].as_array().unwrap();
    assert!(
        questions.iter().all(|it| it["function"] != "mark"),
        "{diagnosis}"
    );
    assert_eq!(diagnosis["found"], serde_json::Value::Null);
}

/// What a page does with the time and with chance, which are others each time that it runs.
const TIMED: &str = "const began = performance.now();
let rounds = 0;
// How often is another number each time.
while (performance.now() - began < 5) rounds++;
const DAY = 86_400_000;
function stamp(item) { return { item, at: Date.now(), id: `${Math.random()}-${rounds}`, since: performance.now() }; }
function due(order) {
  const day = new Date();
  day.setTime(order.at + 3 * DAY);
  return day;
}
function add(item) {
  const order = stamp(item);
  order.due = due(order);
  return order;
}
function postpone(order) { order.due.setDate(order.due.getDate() + 7); }
function label({ due, item, id }) { return `${due.toISOString().slice(0, 10)} ${item} ${id}`; }
function age(order) { return new Date() - new Date(order.at + 1); }
const cup = add('cup');
postpone(cup);
label(cup);
age(cup);";

/// Random numbers and what the page reads from its clocks are the same in each execution, and dates are compared.
#[test]
fn what_comes_of_chance_and_of_the_clock_is_compared() {
    for (good, wrong, function, why) in [
        (
            "3 * DAY",
            "2 * DAY",
            "due",
            "the good version returned another Date",
        ),
        (
            "getDate() + 7",
            "getDate() + 6",
            "postpone",
            "in the time of a date",
        ),
        (
            "slice(0, 10)",
            "slice(0, 7)",
            "label",
            "the good version returned",
        ),
        (
            "order.at + 1)",
            "order.at - 1)",
            "age",
            "the good version returned",
        ),
        (
            "at: Date.now()",
            "at: Date.now() - 1",
            "stamp",
            "the good version returned another Object",
        ),
    ] {
        let folder = pages(TIMED, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        assert_eq!(output.status.code(), Some(0), "{wrong}: {output:?}");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], function, "{diagnosis}");
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
        let mut questions = diagnosis["questions"].as_array().unwrap().iter();
        let last = questions.find(|it| it["call"] == diagnosis["found"]["call"]);
        let shown = last.unwrap()["why"].as_str().unwrap();
        assert!(shown.contains(why), "{shown}");
    }
}

/// A recording of another tool has neither random numbers nor the time.
#[test]
fn a_recording_without_the_time_does_not_part_the_versions() {
    let folder = pages(TIMED, "3 * DAY", "2 * DAY");
    let recording = r#"{ "title": "t", "steps": [{ "type": "navigate", "url": "http://shop.test/bad.html" }] }"#;
    fs::write(folder.path().join("open.json"), recording).unwrap();
    let arguments = [
        "--recording",
        "open.json",
        "--oracle",
        "good.html",
        "--json",
    ];
    let diagnosis = json(&diagnose(folder.path(), &arguments, ""));
    assert_eq!(diagnosis["found"]["function"], "due", "{diagnosis}");
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
}

/// What is written to an element that the call looked for is compared; where both looked for others, nothing is said.
#[test]
fn what_is_written_to_elements_is_compared() {
    let program = "function show(n) { document.querySelector('title').textContent = `${n + 1}` }
function both(n) { show(n); document.querySelector('html').lang = 'en' }
both(1);";
    for (good, wrong, found) in [
        ("n + 1", "n + 2", serde_json::json!("show")),
        ("= 'en'", "= 'de'", serde_json::json!("both")),
        ("('html').lang", "('body').lang", serde_json::Value::Null),
    ] {
        let folder = pages(program, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], found, "{diagnosis}");
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    }
}

/// Where the versions ask the clock otherwise, what each got is another, and nothing is said.
#[test]
fn versions_that_ask_the_clock_otherwise_are_not_compared() {
    let folder = pages(TIMED, "at: Date.now()", "at: Date.now() + 0 * Date.now()");
    let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
    let diagnosis = json(&output);
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    for question in questions {
        assert_ne!(question["answer"], "invalid", "{diagnosis}");
        assert_ne!(question["function"], "stamp", "{diagnosis}");
    }
    assert_eq!(diagnosis["found"], serde_json::Value::Null);
}

/// Two builds of one application by esbuild 0.28, minified, with maps: a condition of the one has `4` where the other's
/// has `3`, and so much more is done with one variable that the minifier calls others otherwise.
#[test]
fn two_builds_in_which_the_minifier_chose_other_names() {
    const PAGE: &str = "<!doctype html><p id=total></p><script src=app.js></script>";
    let builds = [
        (
            "bad",
            include_str!("../diagnose/builds/bad.js"),
            include_str!("../diagnose/builds/bad.js.map"),
        ),
        (
            "good",
            include_str!("../diagnose/builds/good.js"),
            include_str!("../diagnose/builds/good.js.map"),
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, code, map) in builds {
        let build = folder.path().join(name);
        fs::create_dir(&build).unwrap();
        let files = [("index.html", PAGE), ("app.js", code), ("app.js.map", map)];
        for (file, text) in files {
            fs::write(build.join(file), text).unwrap();
        }
    }
    let arguments = ["bad/index.html", "--oracle", "good/index.html", "--json"];
    let diagnosing = begin_diagnosis(folder.path(), &arguments);
    let output = diagnosing.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "Booking", "{diagnosis}");
    assert_eq!(diagnosis["found"]["location"]["line"], 5, "{diagnosis}");
    let questions = diagnosis["questions"].as_array().unwrap();
    let unknown: Vec<_> = questions
        .iter()
        .filter(|it| it["answer"] == "unknown")
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Libraries and minified code call built-in functions by names of their own.
#[test]
fn built_in_functions_have_other_names() {
    let program = "const { is } = Object, has = Object.prototype.hasOwnProperty;
const scale = 'function' == typeof Math.fround ? Math.fround : (n) => n;
let draw = Math.random;
draw = document.createRange.bind(document);
function same(a, b) { return is(a, b) || is(-a, b); }
function own(o, key) { return has.call(o, key) && key.length > 0; }
function half(n) { return scale(n / 2) + 0; }
function range() { return draw() ? 1 : 0; }
same(1, 2); own({ a: 1 }, 'a'); half(3); range();";
    for (good, other, function) in [
        ("|| is(-a, b)", "|| is(b, -a)", "same"),
        ("key.length > 0", "key.length >= 1", "own"),
        ("n / 2) + 0", "n / 2)", "half"),
    ] {
        let said = said_of(program, good, other, function);
        assert_eq!(said, ["valid: the good version does the same"]);
    }
    // What may be something else is not known.
    let said = said_of(program, "draw() ? 1 : 0", "draw() ? 1 : 2", "range");
    assert_eq!(said, ["unknown: what draw did is not in the log"]);
}

/// What the language's own functions write is compared, and a call in a chain that ended is none.
#[test]
fn what_functions_of_the_language_write_is_compared() {
    let program = "const { assign } = Object, state = { count: 1 };
function set(n) { return Reflect.set(state, 'count', n * 2); }
function merge(n) { return assign(state, { count: n + 0 }); }
function note(list, n) { list?.add(n); return n + 1; }
set(1); merge(1); note(null, 1);";
    for (good, same, wrong, function) in [
        ("n * 2", "2 * n", "n * 3", "set"),
        ("n + 0", "0 + n", "n + 1", "merge"),
        ("return n + 1", "return 1 + n", "return n", "note"),
    ] {
        let said = said_of(program, good, same, function);
        assert_eq!(said, ["valid: the good version does the same"]);
        let folder = pages(program, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], function, "{diagnosis}");
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    }
}

/// A defect may take away what the recording clicks. Then the page is asked about as it was before that step.
#[test]
fn a_step_that_cannot_be_done_ends_the_recording() {
    let program = "function isOpen(n) { return n > 2; }
function show(n) {
  if (!isOpen(n)) return;
  const button = document.createElement('button');
  button.id = 'go';
  button.addEventListener('click', () => go(n));
  document.documentElement.append(button);
}
function go(n) { return n * 2; }
show(3);";
    let folder = pages(program, "n > 2", "n > 3");
    let recording = r##"{ "title": "t", "steps": [
        { "type": "navigate", "url": "http://shop.test/bad.html" },
        { "type": "click", "selectors": [["#go"]], "offsetX": 2, "offsetY": 2, "timeout": 500 } ] }"##;
    fs::write(folder.path().join("go.json"), recording).unwrap();
    let arguments = ["--recording", "go.json", "--oracle", "good.html", "--json"];
    let output = diagnose(folder.path(), &arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "isOpen", "{diagnosis}");
    let notes = diagnosis["notes"].to_string();
    assert!(
        notes.contains("step 2 of 2 (click #go) cannot be done"),
        "{notes}"
    );
}

/// A recording may wait for what only the wrong page shows. The good version answers for the calls before that.
#[test]
fn a_step_behind_the_call_that_cannot_be_done_is_no_matter() {
    let program =
        "function total(prices) { let sum = '0'; for (const it of prices) sum += it; return sum; }
function show() { document.querySelector('#out').textContent = total([1, 2]); }
document.write('<button id=go>go</button><p id=out></p>');
document.querySelector('#go').onclick = () => show();";
    let folder = pages(program, "sum = '0'", "sum = ''");
    let recording = r##"{ "title": "t", "steps": [
        { "type": "navigate", "url": "http://shop.test/bad.html" },
        { "type": "click", "selectors": [["#go"]], "offsetX": 2, "offsetY": 2 },
        { "type": "waitForExpression", "expression": "document.querySelector('#out').textContent === '12'",
          "timeout": 500 } ] }"##;
    fs::write(folder.path().join("go.json"), recording).unwrap();
    let arguments = ["--recording", "go.json", "--oracle", "good.html", "--json"];
    let output = diagnose(folder.path(), &arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "total", "{diagnosis}");
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
}

/// What is not recorded in a function says nothing of calls in which it did not run.
#[test]
fn what_is_not_recorded_elsewhere_is_no_doubt() {
    let program = "const box = {};
function last(list) { for (box.item of list); return list.length + 1; }
function next(n) { return n + 1; }
function main() { return next(last([1, 2])); }
main(); next(4);";
    let said = said_of(program, "return n + 1", "return 1 + n", "next");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter()
            .all(|it| it == "valid: the good version does the same"),
        "{said:?}"
    );
    let said = said_of(program, "list.length + 1", "1 + list.length", "last");
    let why = "unknown: not all that happens is recorded";
    assert!(said.iter().all(|it| it.starts_with(why)), "{said:?}");
    assert_eq!(said.len(), 1, "{said:?}");
}

/// A function that one version has and the other has not is no doubt where the function around it has both versions.
#[test]
fn functions_that_only_one_version_has_are_part_of_the_function_around() {
    let program = "const list = [{ n: 10 }, { n: 9 }];
function least(all) { return all.map((it) => it.n).sort((one, two) => one - two)[0]; }
least(list);";
    let folder = pages(program, "(one, two) => one - two", "");
    let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
    let diagnosis = json(&output);
    assert_eq!(diagnosis["found"]["function"], "least", "{diagnosis}");
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
}

/// `f.call(…)` of a function of the page does nothing but call it.
#[test]
fn functions_called_by_call_and_apply_are_those_of_the_page() {
    let program = "const state = { count: 1 };
function half(n) { return n / 2; }
function each(list, f) { for (const it of list) state.count += f.call(null, it); return list.length + 0; }
function all(list, f) { return f.apply(state, list) + 1; }
each([2, 4], half); all([6], half);";
    for (good, same, wrong, function) in [
        (
            "list.length + 0",
            "0 + list.length",
            "list.length + 1",
            "each",
        ),
        ("list) + 1", "list) - -1", "list) + 2", "all"),
    ] {
        let said = said_of(program, good, same, function);
        assert_eq!(said, ["valid: the good version does the same"]);
        let folder = pages(program, good, wrong);
        let output = diagnose(folder.path(), &["--oracle", "good.html", "--json"], "");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["found"]["function"], function, "{diagnosis}");
    }
}
