//! `ask` with questions to a log: they are answered with the queries, from one more execution, and each event of an
//! answer is a point at which queries are asked on.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use serde_json::{Value, json};

/// Line 7 makes the second price no number; line 8 adds it to the total.
const APP: &str = "const cart = { items: [], total: 0 };
function price(name) {
  return name === 'pear' ? undefined : 2;
}
function add(name, count) {
  cart.items.push(name);
  const cost = price(name) * count;
  cart.total += cost;
  show();
}
function show() {
  document.title = `total ${cart.total}`;
}
document.getElementById('b').onclick = () => {
  add('apple', 2);
  add('pear', 1);
  add('apple', 1);
};
";
const PAGE: &str = "<!doctype html><button id=b>Buy</button><script src=app.js></script>
<script src=node_modules/shown/shown.js></script>";
const LIBRARY: &str = "function shown() {
  shown.count += 1;
}
shown.count = 0;
document.getElementById('b').addEventListener('click', shown);
";

struct Shop(Folder);

impl Shop {
    fn new() -> Self {
        let shop = Self(Folder::new());
        shop.0.file("shop.html", PAGE);
        shop.0.file("app.js", APP);
        fs::create_dir_all(shop.0.0.join("node_modules/shown")).unwrap();
        shop.0.file("node_modules/shown/shown.js", LIBRARY);
        let click = json!({ "type": "click", "selectors": ["#b"], "offsetX": 3, "offsetY": 3 });
        let recording = json!({ "title": "buy", "steps": [click] });
        shop.0.file("buy.json", &recording.to_string());
        shop
    }

    /// Asks after a press of the button.
    fn run(&self, at: &str, more: &[&str]) -> Ran {
        let path = |name: &str| self.0.0.join(name).to_str().unwrap().to_owned();
        let (page, recording) = (path("shop.html"), path("buy.json"));
        let first = ["ask", &page, "--recording", &recording, "--at", at];
        let mut command = shared_command(&[&first[..], &["--timeout", "60"], more].concat());
        let output = command.current_dir(&self.0.0).output().unwrap();
        Ran {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn ask(&self, at: &str, queries: &[&str]) -> Value {
        let ran = self.run(at, &[&["--json", "--no-keep"], queries].concat());
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        ran.answer()
    }
}

/// `H[2] where(H[2]) found 8`
fn points(answer: &Value) -> Vec<String> {
    let points = answer["points"].as_array().unwrap().iter();
    let points = points.map(|point| {
        format!(
            "{} {} {} {}",
            point["name"].as_str().unwrap(),
            point["query"].as_str().unwrap_or("-"),
            point["status"].as_str().unwrap(),
            point["location"]["line"]
        )
    });
    points.collect()
}

fn lines(result: &Value) -> Vec<u64> {
    let events = result["events"].as_array().unwrap().iter();
    events
        .map(|event| event["location"]["line"].as_u64().unwrap())
        .collect()
}

#[test]
fn questions_to_a_log_are_answered_with_the_queries_and_their_events_are_points() {
    let shop = Shop::new();
    let answer = shop.ask(
        "app.js:12",
        &[
            "callChain(R)",
            "H = history(R:cart.total)",
            "lastChange(H[2]:cost)",
            "C = lastChange(R:cart.total)",
            "wasCalled(price)",
            "lastChange(H[-1]:cart.total)",
            "trace(call(price), before(H[2]), index -1)",
        ],
    );
    assert_eq!(
        points(&answer),
        [
            "R - found 12",
            "H[2] where(H[2]) found 8",
            "Q2 lastChange(H[2]:cost) found 7",
            "C lastChange(R:cart.total) found 8",
            "H[-1] where(H[-1]) found 8",
            "Q4 lastChange(H[-1]:cart.total) found 8",
            "Q5 trace(call(price), before(H[2]), index -1) found 2",
        ]
    );
    let results = answer["results"].as_array().unwrap();
    let names: Vec<&str> = results
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Q1", "H", "Q3"]);
    assert_eq!(lines(&results[0]), [9, 17, 14]);
    assert_eq!(lines(&results[1]), [1, 8, 8, 8]);
    assert_eq!(results[2]["holds"], true);
    // The point of an event is that event: the second of three calls.
    let points = answer["points"].as_array().unwrap();
    let local = &points[1]["scopes"][0]["variables"];
    let name = local
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "name");
    assert_eq!(name.unwrap()["text"], "\"pear\"");
    assert_eq!(points[2]["new"]["text"], "NaN");
    assert_eq!(points[5]["new"]["text"], "NaN");
    assert_eq!(answer["consistency"]["agrees"], true);
}

#[test]
fn without_queries_the_page_runs_once_for_the_point_and_once_for_the_log() {
    let shop = Shop::new();
    let answer = shop.ask("end", &["callTree(R)", "E = argumentsOf(add)"]);
    assert_eq!(points(&answer), ["R - found null"]);
    assert_eq!(answer["executions"], 2);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(lines(&results[1]), [15, 16, 17]);
    assert_eq!(results[1]["events"][1]["arguments"][0]["text"], "\"pear\"");

    // A library is in the log where the point is in one.
    let answer = shop.ask("shown.js:2", &["callChain(R)"]);
    assert_eq!(answer["executions"], 3);
    assert_eq!(answer["results"][0]["events"][0]["function"], "shown");
}

#[test]
fn what_cannot_be_answered_says_why() {
    let shop = Shop::new();
    let refused = |at: &str, queries: &[&str], why: &str| {
        let ran = shop.run(at, &[&["--no-keep"], queries].concat());
        assert_eq!(ran.status, Some(2), "{ran:#?}");
        assert!(ran.err.contains(why), "{ran:#?}");
    };
    refused("end", &["calltree(R)"], "did you mean \"callTree\"?");
    refused(
        "end",
        &["callTree(R)", "lastChange(E[1]:x)"],
        "none is called \"E[1]\"",
    );
    refused(
        "end",
        &["callTree(R)", "--runs", "2"],
        "--runs does not go with questions to a log",
    );
    refused(
        "end",
        &["callTree(R)", "--live"],
        "--live does not go with questions to a log",
    );
    refused("end", &["state(R:basket)"], "basket");
    let page = shop.0.0.join("shop.html");
    let planned = querypoint(&["plan", "callTree(R)", "--at", "end", page.to_str().unwrap()]);
    assert_eq!(planned.status, Some(2), "{planned:#?}");
    assert!(planned.err.contains("give it to `ask`"), "{planned:#?}");

    let ran = shop.run(
        "end",
        &[
            "--json",
            "--no-keep",
            "H = history(cart.total)",
            "lastChange(H[9]:cost)",
        ],
    );
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let answer = ran.answer();
    assert_eq!(
        points(&answer)[1..],
        [
            "H[9] where(H[9]) not-reached null",
            "Q1 lastChange(H[9]:cost) not-reached null"
        ]
    );
    assert_eq!(answer["points"][1]["note"], "there is no such event");
    assert_eq!(answer["results"][0]["total"], 4);

    let ran = shop.run("app.js:12#7", &["--json", "--no-keep", "callChain(R)"]);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(ran.answer()["results"], Value::Null);
}

#[test]
fn what_was_composed_is_asked_and_the_answer_is_drawn() {
    let shop = Shop::new();
    let define = |limit: &str| {
        let text = format!("define many() = argumentsOf(add) when arguments[1] >= {limit}\n");
        shop.0.file("querypoint.queries", &text);
    };
    define("2");
    let ran = shop.run("end", &["many()"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.contains("many()  yes, 1 event"), "{ran:#?}");
    assert!(ran.out.contains("add(\"apple\", 2)"), "{ran:#?}");
    // An answer is kept for the definitions that it was asked with.
    let again = shop.run("end", &["many()"]);
    assert!(again.out.contains("no execution: kept"), "{again:#?}");
    define("1");
    let other = shop.run("end", &["many()"]);
    assert!(other.out.contains("many()  yes, 3 events"), "{other:#?}");

    let html = shop.run("end", &["many()", "--format", "html", "--no-keep"]);
    assert!(html.out.contains("add(&quot;apple&quot;, 2)"), "{html:#?}");
}
