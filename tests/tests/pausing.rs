//! `ask --pause NAME`: the page is paused at the point of the answer, where another debugger sees it and steps on;
//! where it cannot be brought there again, that is said.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::path::Path;

use crate::loopback::*;
use crate::paused_page::{Debugger, Paused};
use end_to_end::repository;
use serde_json::json;

fn test_page(name: &str) -> String {
    let path = repository().join(Path::new(name));
    path.to_str().unwrap().to_owned()
}

/// The papers' misplaced semicolon: stop where `vector.r` got its wrong value, look at what the loop left, and step on.
#[tokio::test]
async fn the_page_is_paused_where_the_value_was_written_and_is_stepped() {
    let page = test_page("tests/fixtures/papers/misplaced-semicolon.html");
    let mut paused = Paused::new(
        &page,
        &[
            "--at",
            "misplaced-semicolon.html:19",
            "B = lastChange(R:vector.r)",
            "--pause",
            "B",
        ],
    );
    assert_eq!(
        paused.place(),
        "misplaced-semicolon.html:17:8 at the top level"
    );
    assert_eq!(paused.warnings(), Vec::<&str>::new());
    let mut debugger = Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    let here = &frames[0];
    assert_eq!(here.line, 17);
    assert_eq!(debugger.evaluate(here, "vector.r").await, 3, "just before");
    assert_eq!(debugger.evaluate(here, "i").await, 2, "the loop is over");
    debugger.send("Debugger.stepOver", json!({})).await;
    let after = debugger.frames().await;
    assert_eq!(after[0].line, 19);
    assert_eq!(debugger.evaluate(&after[0], "vector.r").await, 0);
    // Nothing of ours stops it again.
    debugger.send("Debugger.resume", json!({})).await;
    let params = json!({ "expression": "vector.r", "returnByValue": true });
    let result = debugger.send("Runtime.evaluate", params).await;
    assert_eq!(result["result"]["value"], 0);
    let close = json!({ "targetId": paused.target });
    let protocol = debugger.browser.protocol();
    protocol
        .send(None, "Target.closeTarget", close)
        .await
        .unwrap();
    let (status, answer) = paused.end();
    assert_eq!(status, Some(0), "closing the tab ends it");
    assert_eq!(answer["points"][1]["new"]["text"], "0");
    assert_eq!(answer["executions"], 1, "those of the answer");
}

const SWALLOWED: &str = "<script>
function read(list, index) {
  if (index >= list.length) {
    throw new RangeError('no ' + index);
  }
  return list[index];
}
var probe = { value: 0 };
function sum(list) {
  try {
    for (let index = 0; index <= list.length; index++) {
      probe.value += read(list, index);
    }
  } catch {}
  return probe.value;
}
sum([1, 2]);
done();
</script>";

/// Where it is at R, at a condition, at an exception: the page's newest frame and a value in it.
#[tokio::test]
async fn every_kind_of_point_can_be_paused_at() {
    let site = Site::new(&[("/", page(SWALLOWED))]);
    let queries = [
        "B = lastChange(R:probe.value)",
        "C = lastCondition(B)",
        "D = exceptionAfter(B)",
        "E = lastChange(B:index)",
        "F = trace(call(read), before(B))",
    ];
    // The line in the served file: the head is one line before.
    for (name, at_line, expression, value) in [
        ("R", 16, "probe.value", json!(3)),
        ("B", 13, "probe.value", json!(1)),
        ("C", 12, "index", json!(1)),
        ("D", 5, "index", json!(2)),
        ("E", 12, "index", json!(0)),
        ("F", 4, "index", json!(1)),
    ] {
        let url = site.url("/");
        let mut more = vec!["--at", "/:16", "--pause", name];
        more.extend(queries);
        let paused = Paused::new(&url, &more);
        let mut debugger = Debugger::attach(&paused).await;
        let frames = debugger.frames().await;
        assert_eq!(frames[0].line, at_line, "{name} {:?}", paused.said);
        assert_eq!(
            debugger.evaluate(&frames[0], expression).await,
            value,
            "{name}"
        );
        assert_eq!(paused.warnings(), Vec::<&str>::new(), "{name}");
        let (status, answer) = paused.interrupt();
        assert_eq!(status, Some(0), "{name}");
        assert_eq!(answer["points"].as_array().unwrap().len(), 6);
    }
}

/// A built-in made the change: the page is paused inside of what represents it, when its work is done.
#[tokio::test]
async fn a_change_by_a_built_in_is_paused_at_inside_the_call() {
    let body = "<script>\nfunction fill(source) {\n  Object.assign(probe, source);\n}\n\
                fill({ value: 7 });\nsay(probe.value);\n</script>";
    let site = Site::new(&[("/", page(body))]);
    let paused = Paused::new(
        &site.url("/"),
        &[
            "--at",
            "/:7",
            "B = lastChange(R:probe.value)",
            "--pause",
            "B",
        ],
    );
    let mut debugger = Debugger::attach(&paused).await;
    let frames = debugger.frames().await;
    let here = frames.iter().find(|frame| !frame.is_ours()).unwrap();
    assert!(frames[0].is_ours());
    assert_eq!(here.line, 4);
    assert_eq!(debugger.evaluate(here, "probe.value").await, 7);
    let (status, _) = paused.interrupt();
    assert_eq!(status, Some(0));
}

/// A page whose timers wait for the browser goes on with its life when it is let go.
#[tokio::test]
async fn time_goes_on_for_a_page_that_is_let_go() {
    let body = "<script>\nsetTimeout(() => {\n  probe.value = 1;\n  say(probe.value);\n  \
                setTimeout(() => { window.later = true; }, 500);\n}, 300);\n</script>";
    let site = Site::new(&[("/", page(body))]);
    let paused = Paused::new(
        &site.url("/"),
        &[
            "--at",
            "/:5",
            "B = lastChange(R:probe.value)",
            "--pause",
            "B",
        ],
    );
    let mut debugger = Debugger::attach(&paused).await;
    debugger.frames().await;
    debugger.send("Debugger.resume", json!({})).await;
    let expression = "new Promise((done) => {\n  const look = () => window.later ? done(true) : \
                      setTimeout(look, 10);\n  look();\n})";
    let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
    let result = debugger.send("Runtime.evaluate", params).await;
    assert_eq!(result["result"]["value"], true);
    paused.interrupt();
}

/// The value differs in each execution: it is said which was met.
#[tokio::test]
async fn a_moment_that_is_not_quite_the_same_is_told() {
    let body = "<script>\nprobe.value = Math.random();\nsay(probe.value);\n</script>";
    let site = Site::new(&[("/", page(body))]);
    let paused = Paused::new(
        &site.url("/"),
        &[
            "--at",
            "/:4",
            "B = lastChange(R:probe.value)",
            "--pause",
            "B",
        ],
    );
    let warnings = paused.warnings().join("\n");
    assert!(
        warnings.starts_with("this is not quite the moment of the answer: the new value is 0."),
        "{warnings}"
    );
    let attempts = paused.said.iter();
    let attempts = attempts.filter(|line| line.contains("running to the point again"));
    assert_eq!(attempts.count(), 3, "{:?}", paused.said);
    paused.interrupt();
}

/// What cannot be paused at, and why not; the answer is there all the same.
#[test]
fn where_it_cannot_pause_it_says_why() {
    // Up to 10,000 events: with a hundred, one run in some ten met one that it could be matched with, and was
    // there.
    let varying = "<script>\nfor (let n = Math.floor(Math.random() * 1e9) + 5; n > 0; n -= 1e5) probe.value = n;\n\
                   say(probe.value);\n</script>";
    let site = Site::new(&[
        ("/", page("<script>\nsay(probe.value);\n</script>")),
        ("/varying", page(varying)),
    ]);
    let ask = |path: &str, at: &str, name: &str| {
        let url = site.url(path);
        let query = "B = lastChange(R:probe.value)";
        let more = ["ask", &url, "--json", "--at", at, query, "--pause", name];
        querypoint(&more)
    };
    let ran = ask("/varying", "/varying:4", "B");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(
        ran.err
            .contains("cannot pause at B: the executions of this page differ"),
        "{ran:?}"
    );
    assert_eq!(ran.answer()["points"][1]["status"], "found");

    let ran = ask("/", "/:3", "C");
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(
        ran.err
            .contains("there is no such point; these there are: R, B"),
        "{ran:?}"
    );
    assert_eq!(ran.out, "");

    let ran = ask("/", "end", "R");
    assert_eq!(ran.status, Some(2), "{ran:?}");

    let url = site.url("/");
    let query = "B = lastChange(R:probe.other)";
    let ran = querypoint(&["ask", &url, "--json", "--at", "/:3", query, "--pause", "B"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(
        ran.err
            .contains("it has no point in this answer (never-changed)"),
        "{ran:?}"
    );
    assert_eq!(ran.answer()["points"][1]["status"], "never-changed");
}
