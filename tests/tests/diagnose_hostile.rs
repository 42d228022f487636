//! `querypoint diagnose` of pages that do what is hard to log: calls that never end, documents that are left, proxies
//! and getters, cycles, large objects, other realms and tabs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::path::Path;

use crate::diagnose::{diagnose, json};

/// A folder with these files; the page itself is `bad.html`, with one script in it.
fn folder(script: &str, others: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let page = format!("<!doctype html><title>t</title><script>\n{script}\n</script>");
    fs::write(folder.path().join("bad.html"), page).unwrap();
    for (name, text) in others {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// What is asked of a page, from the top, where nobody can tell; and what is printed at the end.
fn asked(folder: &Path, arguments: &[&str]) -> String {
    let arguments = [&["--strategy", "top-down"], arguments].concat();
    let output = diagnose(folder, &arguments, &"unknown\n".repeat(100));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// What is shown of a function's first call.
fn shown<'s>(said: &'s str, function: &str) -> &'s str {
    let behind = said.split(&format!("\n{function}  ")).nth(1);
    let behind = behind.unwrap_or_else(|| panic!("{function}: {said}"));
    behind.split("\n\n").next().unwrap()
}

#[test]
fn what_has_not_ended_is_shown_as_it_is() {
    let script = "function* steps(n) { let done = 0; for (;;) { done += n; yield done } }
async function waits() { await new Promise(() => {}); return 1 }
function outer(a) { return inner(a) }
function inner(a) { for (;;) a++ }
const all = steps(5); all.next(); all.next();
waits();
outer(1);";
    let folder = folder(script, &[]);
    let said = asked(folder.path(), &["--timeout", "5"]);
    let steps = shown(&said, "steps");
    assert!(steps.contains("local     done = 10"), "{said}");
    assert!(steps.contains("suspended it waits"), "{said}");
    assert!(
        shown(&said, "waits").contains("suspended it waits"),
        "{said}"
    );
    for function in ["(top level)", "outer", "inner"] {
        let no_end = "no end    the log has no end of this call";
        assert!(shown(&said, function).contains(no_end), "{said}");
    }
    assert!(said.contains("the execution did not end"), "{said}");
}

/// A document that another takes the place of: all that ran in it is in the tree, also what ran while it was left, with
/// a body and without one.
#[test]
fn a_document_that_is_left_has_all_its_calls() {
    let other = "<!doctype html><script>function inOther(a) { return a + 1 } inOther(1)</script>";
    let script = "function step(n) { return n + 1 }
step(1);
location.href = 'other.html';
step(2);
setTimeout(step, 0, 3);";
    let calls = |folder: &Path, arguments: &[&str]| {
        let arguments = [&["--json", "--strategy", "top-down"], arguments].concat();
        let diagnosis = json(&diagnose(folder, &arguments, &"unknown\n".repeat(20)));
        let questions = diagnosis["questions"].as_array().unwrap().iter();
        let called = questions.map(|it| {
            let arguments = it["arguments"].as_array().unwrap();
            let first = arguments.first().and_then(|it| it["text"].as_str());
            format!(
                "{} {}",
                it["function"].as_str().unwrap(),
                first.unwrap_or("-")
            )
        });
        let mut called: Vec<String> = called.collect();
        // Whether the timer runs is a race of the page with its own navigation.
        called.retain(|it| it != "step 3");
        called.sort();
        called
    };
    let at_once = folder(script, &[("other.html", other)]);
    let both = [
        "(top level) -",
        "(top level) -",
        "inOther 1",
        "step 1",
        "step 2",
    ];
    assert_eq!(calls(at_once.path(), &[]), both);
    let clicked = "function step(n) { return n + 1 }
onclick = () => { step(1); location.href = 'other.html'; step(2) };
document.write('<button id=go>go</button>');";
    let recording = r##"{"title":"t","steps":[{"type":"navigate","url":"bad.html"},
        {"type":"click","selectors":[["#go"]],"offsetX":3,"offsetY":3}]}"##;
    let clicked = folder(clicked, &[("other.html", other), ("go.json", recording)]);
    let by_click = [&both[..2], &["inOther 1", "onclick -"], &both[3..]].concat();
    assert_eq!(calls(clicked.path(), &["--recording", "go.json"]), by_click);
}

/// No trap and no getter runs for what is shown; what leads back to itself ends; of 100,000 fields the first are shown.
#[test]
fn proxies_getters_cycles_and_large_objects_are_shown_as_they_are() {
    let script = "let ran = 0;
const trap = (name) => (...given) => { ran++; return Reflect[name](...given) };
const handler = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, trap(name)]));
const proxy = new Proxy({ a: 1 }, handler);
const own = { get costly() { ran++; return 1 }, kept: 2 };
class Shy { get costly() { ran++; return 1 } constructor() { this.kept = 3 } }
function given(proxy, own, shy) { return [proxy, own, shy] }
function cycle(n) { const a = { n }; a.self = a; const b = { a }; a.b = b; return b }
function many(n) { const all = {}; for (let i = 0; i < n; i++) all['k' + i] = i; return all }
function told() { return ran }
given(proxy, own, new Shy());
cycle(1);
many(100000);
told();";
    let folder = folder(script, &[]);
    let said = asked(folder.path(), &[]);
    let given = shown(&said, "given");
    for line in [
        "argument  proxy = Proxy {}",
        "argument  own = {costly: accessor, kept: 2}",
        "argument  shy = Shy {kept: 3}",
    ] {
        assert!(given.contains(line), "{line}: {said}");
    }
    assert!(shown(&said, "told").contains("returned  0"), "{said}");
    let cycle = "returned  {a: {n: 1, self: Object ↑1, b: Object ↑2}}";
    assert!(shown(&said, "cycle").contains(cycle), "{said}");
    let many = "k10: 10, k11: 11, 99988 more}";
    assert!(shown(&said, "many").contains(many), "{said}");
}

/// An exception goes through many frames: each says that it threw, down to who caught it.
#[test]
fn an_exception_through_many_frames_is_shown_in_each() {
    let script = "function deep(n) {
  if (n === 0) throw new RangeError('bottom');
  try { deep(n - 1) } finally { leave(n) }
}
function leave(n) { return n }
function outer(n) { try { deep(n) } catch (error) { return error.message } }
outer(30);";
    let folder = folder(script, &[]);
    let said = asked(folder.path(), &[]);
    let threw = "\n  threw     RangeError: bottom\n";
    assert_eq!(said.matches(threw).count(), 31, "{said}");
    assert!(
        shown(&said, "outer").contains("returned  \"bottom\""),
        "{said}"
    );
}

/// Calls of workers, of frames and of another tab are in the tree, each by itself.
#[test]
fn workers_frames_and_tabs_are_in_the_tree() {
    let script = "function ask(n) {
  const worker = new Worker('worker.js');
  worker.onmessage = (event) => show(event.data);
  worker.postMessage(n);
}
function show(text) { document.title = text; return text }
onclick = () => { window.open('tab.html'); ask(4) };
document.write('<button id=go>go</button><iframe src=frame.html></iframe>');";
    let worker =
        "function twice(n) { return n * 3 } onmessage = (event) => postMessage(twice(event.data));";
    let frame = "<!doctype html><script>function inFrame(a) { return a + 1 } inFrame(1)</script>";
    let tab = "<!doctype html><script>function inTab(a) { return a + 2 } inTab(1)</script>";
    let recording = r##"{"title":"t","steps":[{"type":"navigate","url":"bad.html"},
        {"type":"click","selectors":[["#go"]],"offsetX":3,"offsetY":3}]}"##;
    let files = [
        ("worker.js", worker),
        ("frame.html", frame),
        ("tab.html", tab),
        ("go.json", recording),
    ];
    let folder = folder(script, &files);
    let said = asked(folder.path(), &["--recording", "go.json"]);
    for (function, lines) in [
        ("twice", &["argument  n = 4", "returned  12"][..]),
        ("show", &["argument  text = 12", "returned  12"]),
        ("inFrame", &["argument  a = 1", "returned  2"]),
        ("inTab", &["argument  a = 1", "returned  3"]),
    ] {
        for line in lines {
            assert!(shown(&said, function).contains(line), "{line}: {said}");
        }
    }
}
