//! Names that have no value where they are asked: of a variable whose declaration has not run yet that is said, also
//! where a built-in made the change; a worker's variables are asked in the worker.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::Value;

fn asked(pages: &[(&str, Reply)], at: &str, queries: &[&str]) -> Value {
    let site = Site::new(pages);
    let url = site.url("/");
    let mut arguments = vec!["ask", &url, "--at", at, "--json"];
    arguments.extend(queries);
    querypoint(&arguments).answer()
}

/// Status and note of each query.
fn said(answer: &Value) -> Vec<String> {
    let points = answer["points"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let said = |point: &Value| format!("{} {}", text(&point["status"]), text(&point["note"]));
    points.iter().skip(1).map(said).collect()
}

fn watch(point: &Value) -> &str {
    point["watches"][0]["text"].as_str().unwrap()
}

const EARLY: &str = "\
var list = [];
function start() {
  list.push(1);
  let state = list.length;
  return () => state;
}
start();
list.push(2), list.length;
let later = 5;
list.later = later;
";

#[test]
fn a_variable_before_its_declaration_is_not_initialised_yet() {
    let pages = [
        ("/", html("<!doctype html><script src=/app.js></script>")),
        ("/app.js", script(EARLY)),
    ];
    let not_yet = "it has no value at B: later is not initialised yet there";
    // At the call of a built-in, in the script.
    let queries = [
        "B = lastChange(R:list[1])",
        "C = lastChange(B:later)",
        "D = lastChange(B:later.x)",
    ];
    let answer = asked(
        &pages,
        "end",
        &[&queries[..], &["--watch", "later"]].concat(),
    );
    assert_eq!(
        said(&answer),
        [
            "found written by Array.prototype.push".to_owned(),
            format!("blind {not_yet}"),
            format!("blind {not_yet}"),
        ]
    );
    assert_eq!(
        watch(&answer["points"][1]),
        "later is not initialised yet there"
    );
    // In a function.
    let queries = ["B = lastChange(R:list[0])", "C = lastChange(B:state)"];
    let answer = asked(
        &pages,
        "end",
        &[&queries[..], &["--watch", "state"]].concat(),
    );
    assert_eq!(
        said(&answer)[1],
        "blind it has no value at B: state is not initialised yet there"
    );
    assert_eq!(
        watch(&answer["points"][1]),
        "state is not initialised yet there"
    );
    // At a line of the page, and of what is nowhere.
    let queries = ["lastChange(R:state)", "lastChange(R:nowhere)"];
    let answer = asked(
        &pages,
        "app.js:3",
        &[&queries[..], &["--watch", "state"]].concat(),
    );
    let said = said(&answer);
    assert_eq!(
        said[0],
        "blind it has no value at the reproduction point: state is not initialised yet there"
    );
    assert!(
        said[1]
            .starts_with("blind it has no value at the reproduction point: nowhere is not defined"),
        "{said:?}"
    );
    assert_eq!(
        watch(&answer["points"][0]),
        "state is not initialised yet there"
    );
}

#[test]
fn a_workers_variables_are_asked_in_the_worker() {
    const WORKER: &str = "\
let v = [];
v.push(1);
const shared = { n: 0 };
Object.assign(shared, { n: Object.keys(v).length });
v.push(2);
postMessage(v.length);
";
    for first in ["", "Object.keys({ a: 1 });"] {
        let page = format!(
            "{first} var got = []; const worker = new Worker('/worker.js');\n\
             worker.onmessage = (event) => got.push(event.data);"
        );
        let pages = [
            ("/", html("<!doctype html><script src=/app.js></script>")),
            ("/app.js", script(&page)),
            ("/worker.js", script(WORKER)),
        ];
        let queries = ["B = lastChange(R:shared.n)", "C = lastChange(B:v.length)"];
        let answer = asked(&pages, "worker.js:6", &queries);
        let line = |index: usize| answer["points"][index]["location"]["line"].clone();
        assert_eq!((line(1), line(2)), (4.into(), 2.into()), "{first}");
    }
}
