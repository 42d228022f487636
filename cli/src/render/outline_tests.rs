//! Drawings of plans as they are: the plain form, without colours.

use querypoint::outline::Outline;
use serde_json::{Value, json};

use super::outline as draw;

const PAGE: &str = "http://127.0.0.1:41234/index.html";

fn drawn(outline: &Value) -> String {
    let outline: Outline = serde_json::from_value(outline.clone()).unwrap();
    anstream::adapter::strip_str(&draw(&outline, &|_, _| None)).to_string()
}

fn site(kind: &str, line: u32, column: u32, function: &str, text: &str) -> Value {
    json!({ "kind": kind, "url": PAGE, "line": line, "column": column, "function": function, "source_line": text })
}

fn outline(points: &Value) -> Value {
    json!({
        "schema": "querypoint/plan/1", "page": PAGE, "at": "index.html:22#-1", "points": points,
        "executions": [{ "finds": ["B", "C"], "learns": ["D"] }, { "finds": ["D"], "reads": ["R", "B", "C"] },
            { "reads": ["R", "B", "C", "D"] }],
        "further": ["a write turns out to have had no effect: the one before it is read instead",
            "executions differ: one more is tried; then, in another, the page captures everything itself"],
        "coverage": { "scripts": 2, "hooked": 1, "blind_spots": [
            { "url": "http://127.0.0.1:41234/broken.js", "reason": "it has a syntax error in line 3" } ] }
    })
}

#[test]
fn a_plan_follows_the_chain() {
    let mut condition = site(
        "condition",
        27,
        7,
        "bar",
        "    if (condition === undefined) {",
    );
    condition["condition"] = json!("condition === undefined");
    let drawing = drawn(&outline(&json!([
        { "name": "R",
          "sites": [{ "kind": "reproduction point", "url": PAGE, "line": 22, "column": 3,
              "source_line": "  myButton.textContent = myObject.myProperty;" }],
          "look_ups": [
              { "for": "B", "references": ["myObject"], "frame": 0, "by": "page",
                "seeks": "the last write to its .myProperty", "execution": 1 },
              { "for": "D", "references": ["list", "i"], "frame": 1, "by": "debugger",
                "seeks": "the last write to the property that i names", "execution": 2 }] },
        { "name": "B", "query": "lastChange(myObject.myProperty)", "asked_at": "R",
          "trace_query": "trace(write(.myProperty), before(R), sameness(.owner, R:myObject), index -1)",
          "watched": [".myProperty"], "keeps": "for each object its last write: number, place, value",
          "sites": [site("property", 14, 20, "", "  const myObject = { myProperty: 0 };"),
              site("assignment", 29, 5, "bar", "    myObject.myProperty = 0;")],
          "calls": [site("call of assign", 3, 1, "", ""), site("call of set", 4, 1, "", ""),
              site("call of assign", 5, 1, "", "")],
          "look_ups": [{ "for": "C", "frame": 0, "by": "page", "seeks": "the last outcome", "execution": 1 }] },
        { "name": "C", "query": "lastCondition(B)", "asked_at": "B", "trace_query": "trace(branch(B), before(B))",
          "keeps": "for each call of the function the last outcome", "sites": [condition], "look_ups": [] },
        { "name": "D", "query": "lastChange(R(1):list[i])", "asked_at": "R", "trace_query": "trace(write([\"[i]\"]))",
          "watched": ["the property that i names"], "sites": [], "look_ups": [] }
    ])));
    insta::assert_snapshot!(drawing);
}

#[test]
fn many_sites_are_cut_and_points_that_are_nowhere_say_so() {
    let sites: Vec<Value> = (1..=40)
        .map(|line| {
            site(
                "assignment",
                line,
                1,
                "f",
                &format!("o.x = \"{}\";", "long ".repeat(40)),
            )
        })
        .collect();
    let drawing = drawn(&outline(&json!([
        { "name": "R", "sites": [], "look_ups": [], "note": "no script whose address ends in app.js was loaded" },
        { "name": "B", "query": "lastChange(o.x)", "asked_at": "R", "trace_query": "trace(write(.x))",
          "sites": sites, "look_ups": [] },
        { "name": "E", "query": "exceptionAfter(R)", "asked_at": "R", "trace_query": "trace(throw())",
          "sites": [], "look_ups": [] }
    ])));
    insta::assert_snapshot!(drawing);
}

#[test]
fn a_page_cannot_steer_the_terminal_through_a_plan() {
    let evil = "\u{1b}]0;owned\u{7}\r\u{9b}2J";
    let mut evil_site = site(evil, 1, 1, evil, evil);
    evil_site["url"] = json!(format!("http://a/{evil}"));
    let drawing = drawn(&outline(&json!([
        { "name": "R", "sites": [evil_site], "look_ups": [], "note": evil },
        { "name": "B", "query": evil, "asked_at": "R", "trace_query": evil, "watched": [evil], "keeps": evil,
          "sites": [evil_site], "calls": [evil_site],
          "look_ups": [{ "for": evil, "references": [evil], "frame": 0, "by": "page", "seeks": evil, "execution": 1 }] }
    ])));
    assert!(
        !drawing.contains(|character: char| character.is_control() && character != '\n'),
        "{drawing:?}"
    );
}
