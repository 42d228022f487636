//! Drawings as they are: the plain form, without colours.

use querypoint::answer::Answer;
use serde_json::{Value, json};

use super::answer as draw;

/// The answer's drawing, colours taken out; the lines of source are those given.
fn drawn(answer: &Value, source: &[(u32, &str)]) -> String {
    let answer: Answer = serde_json::from_value(answer.clone()).unwrap();
    let lookup = |_: &str, line: u32| {
        source
            .iter()
            .find(|(number, _)| *number == line)
            .map(|(_, text)| (*text).to_owned())
    };
    anstream::adapter::strip_str(&draw(&answer, &lookup)).to_string()
}

const PAGE: &str = "http://127.0.0.1:41234/index.html";

fn place(line: u32, column: u32) -> Value {
    json!({ "url": PAGE, "line": line, "column": column })
}

fn frame(function: &str, line: u32, column: u32) -> Value {
    json!({ "function": function, "url": PAGE, "line": line, "column": column })
}

/// An answer with these points, everything else as good as can be.
fn with_points(points: &Value) -> Value {
    json!({
        "schema": "querypoint/answer/1", "page": PAGE, "executions": 2, "points": points,
        "coverage": { "scripts": 1, "hooked": 1, "blind_spots": [] },
        "consistency": { "agrees": true, "notes": [] },
        "timing_ms": { "replay": 120, "rewrite": 4, "total": 310 }
    })
}

#[test]
fn a_chain_leads_from_the_reproduction_point_to_the_defect() {
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(22, 3), "function": "updateButton", "hit": 2, "hits": 3,
          "stack": [frame("updateButton", 22, 3), frame("", 42, 3)] },
        { "name": "B", "query": "lastChange(R:myObject.myProperty)", "status": "found",
          "location": place(29, 5), "function": "bar",
          "old": { "type": "number", "text": "2" }, "new": { "type": "number", "text": "0" },
          "owner": { "id": 12, "class": "Object" }, "index": 2, "changes": 3,
          "cause": { "type": "click", "target": "#myButton" },
          "stack": [frame("bar", 29, 5), frame("", 41, 3)],
          "scopes": [
              { "kind": "local", "function": "bar", "variables": [
                  { "name": "condition", "type": "undefined", "text": "undefined" } ] },
              { "kind": "global", "variables": [ { "name": "window", "type": "object", "text": "Window" } ] } ],
          "watches": [ { "expression": "myCondition.value", "type": "undefined", "text": "undefined" },
                       { "expression": "a.b", "type": "object", "text": "ReferenceError: a is not defined",
                         "threw": true } ] },
        { "name": "C", "query": "lastChange(B:myCondition.value)", "status": "found",
          "location": place(35, 3), "function": "nextMood",
          "old": { "type": "string", "text": "\"busy\"" }, "new": { "type": "undefined", "text": "undefined" } }
    ]));
    let source = [
        (22, "  myButton.textContent = myObject.myProperty;"),
        (29, "    myObject.myProperty = 0;"),
        (35, "  myCondition.value = moods[clicks];"),
    ];
    insta::assert_snapshot!(drawn(&answer, &source));
}

#[test]
fn what_the_user_did_is_at_no_line() {
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(1, 1), "function": "" },
        { "name": "B", "query": "lastChange(R:field.value)", "status": "found", "by_user": true,
          "old": { "type": "string", "text": "\"4\"" }, "new": { "type": "string", "text": "\"45\"" },
          "owner": { "id": 1, "class": "HTMLInputElement" }, "index": 1, "changes": 2,
          "cause": { "type": "input", "target": "#amount" }, "note": "changed by the user: input on #amount" }
    ]));
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn a_question_from_an_earlier_point_says_so() {
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(1, 1), "function": "" },
        { "name": "B", "query": "lastChange(R:total)", "status": "found", "location": place(2, 1),
          "new": { "type": "number", "text": "0" }, "created": true },
        { "name": "P", "query": "lastChange(R(1):total)", "status": "never-changed",
          "value": { "type": "string", "text": "\"the value\"" } }
    ]));
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn what_is_missing_is_said() {
    let mut answer = with_points(&json!([
        { "name": "R", "status": "found", "location": { "url": "https://cdn.example/app.ts", "line": 3, "column": 1,
            "generated": { "url": "https://cdn.example/app.js", "line": 1, "column": 2042 } },
          "source_line": "export const a = b", "function": "f" },
        { "name": "Q1", "query": "lastChange(R:a.b)", "status": "blind",
          "note": "written by Object.assign, which is not hooked yet" },
        { "name": "Q2", "query": "lastChange(R:a.c)", "status": "diverged" },
        { "name": "Q3", "query": "lastChange(R:a.d)", "status": "not-reached" }
    ]));
    answer["coverage"] = json!({ "scripts": 3, "hooked": 1, "unhooked_sites": 1, "blind_spots": [
        { "url": "http://127.0.0.1:41234/broken.js", "reason": "it has a syntax error in line 3" } ] });
    answer["consistency"] =
        json!({ "agrees": false, "notes": ["the second run took another branch"] });
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn of_a_minified_line_the_place_is_shown_or_nothing() {
    let line = format!("{}changed=1;{}", "a;".repeat(30_000), "b;".repeat(100));
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(1, 60_001), "function": "f", "source_line": &line[..500] }
    ]));
    let shown = drawn(&answer, &[(1, &line)]);
    let mut lines = shown
        .lines()
        .skip_while(|line| !line.contains("changed=1;"));
    let (text, caret) = (lines.next().unwrap(), lines.next().unwrap());
    let column = |line: &str, what: &str| line[..line.find(what).unwrap()].chars().count();
    assert_eq!(column(text, "changed"), column(caret, "^"), "{shown}");
    // Where nobody has the whole of it.
    let shown = drawn(&answer, &[]);
    assert!(!shown.contains("a;") && !shown.contains('^'), "{shown}");
}

#[test]
fn long_stacks_and_scopes_are_cut() {
    let stack: Vec<Value> = (1..=9).map(|line| frame("fibonacci", line, 1)).collect();
    let variables: Vec<Value> = (0..12)
        .map(|number| json!({ "name": format!("v{number}"), "type": "string", "text": "x".repeat(200) }))
        .collect();
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(1, 1), "function": "fibonacci", "stack": stack,
          "scopes": [ { "kind": "local", "variables": variables } ] }
    ]));
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn a_page_cannot_steer_the_terminal_through_an_answer() {
    let evil = "\u{1b}]0;owned\u{7}\r\u{9b}2J";
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": { "url": format!("http://a/{evil}"), "line": 1, "column": 1 },
          "function": evil, "source_line": evil, "stack": [frame(evil, 1, 1)], "note": evil,
          "cause": { "type": evil, "target": evil }, "owner": { "id": 1, "class": evil },
          "new": { "type": "string", "text": evil },
          "scopes": [ { "kind": "local", "variables": [ { "name": evil, "type": "string", "text": evil } ] } ],
          "watches": [ { "expression": evil, "type": "string", "text": evil } ] }
    ]));
    let mut answer: Answer = serde_json::from_value(answer).unwrap();
    answer.consistency.notes = vec![evil.to_owned()];
    let drawing = draw(&answer, &|_, _| None);
    // What is left of escapes are our own colours.
    let without_colours = anstream::adapter::strip_str(&drawing).to_string();
    assert!(!drawing.contains("\u{1b}]"), "{drawing:?}");
    assert!(
        !without_colours.contains(|character: char| character.is_control() && character != '\n')
    );
}

#[test]
fn colours_are_there_for_terminals() {
    let answer = with_points(&json!([{ "name": "R", "status": "found", "location": place(1, 1) }]));
    let answer: Answer = serde_json::from_value(answer).unwrap();
    assert!(draw(&answer, &|_, _| None).contains("\u{1b}["));
}

#[test]
fn a_condition_says_how_it_came_out() {
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "apply" },
        { "name": "C", "query": "lastCondition(R)", "status": "found",
          "location": place(9, 7), "function": "checkout", "frame": 1,
          "condition": { "text": "cart.total > 5 && !cart.paid", "outcome": true, "operands": [
              { "expression": "cart.total", "type": "number", "text": "10" },
              { "expression": "cart.paid", "type": "boolean", "text": "false" } ] },
          "stack": [frame("checkout", 9, 7), frame("", 20, 1)] },
        { "name": "D", "query": "lastCondition(R)", "status": "not-reached",
          "note": "no condition led there" }
    ]));
    let source = [
        (3, "    cart.total -= 2;"),
        (9, "  if (cart.total > 5 && !cart.paid) apply();"),
    ];
    insta::assert_snapshot!(drawn(&answer, &source));
}

#[test]
fn events_and_exceptions_say_which_they_are() {
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "show" },
        { "name": "T", "query": "trace(call(Cart.add), mayAffect(R), index 1)", "status": "found",
          "location": place(9, 3), "function": "add", "index": 1, "events": 3,
          "cause": { "type": "click", "target": "#buy" } },
        { "name": "W", "query": "trace(write(.total), index 0)", "status": "found",
          "location": place(10, 5), "function": "add", "index": 0, "events": 2,
          "old": { "type": "number", "text": "0" }, "new": { "type": "number", "text": "12" } },
        { "name": "E", "query": "exceptionAfter(T)", "status": "found", "location": place(20, 9), "function": "price",
          "exception": { "class": "TypeError", "message": "rates is undefined", "caught": true },
          "stack": [frame("price", 20, 9), frame("add", 10, 18)] },
        { "name": "U", "query": "trace(throw(RangeError), index -1)", "status": "found", "location": place(21, 9),
          "function": "price", "index": 4, "events": 5,
          "exception": { "class": "RangeError", "message": "too many", "caught": false } },
        { "name": "N", "query": "trace(call(Cart.add), index 7)", "status": "not-reached",
          "note": "index 7 is out of range: there are 3 such events" }
    ]));
    let source = [
        (3, "    console.log(cart);"),
        (9, "  add(item) {"),
        (10, "    this.total = price(item);"),
        (20, "  return rates[item.kind];"),
        (21, "  throw new RangeError('too many');"),
    ];
    insta::assert_snapshot!(drawn(&answer, &source));
}

#[test]
fn long_values_are_cut_and_the_answer_has_them_in_full() {
    let long = "x".repeat(190);
    let value = |text: &str| json!({ "type": "string", "text": format!("\"{text}\"") });
    let answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "show" },
        { "name": "B", "query": "lastChange(R:text)", "status": "found", "location": place(9, 3), "function": "f",
          "old": value(&long), "new": value("short") },
        { "name": "C", "query": "lastCondition(B)", "status": "found", "location": place(8, 7), "function": "g",
          "frame": 2, "condition": { "text": long, "outcome": false, "operands": [
              { "expression": "text", "type": "string", "text": long } ] } },
        { "name": "E", "query": "exceptionAfter(B)", "status": "found", "location": place(20, 9), "function": "f",
          "exception": { "class": "Error", "message": long, "caught": true } }
    ]));
    let drawing = drawn(&answer, &[]);
    assert!(!drawing.contains(&long), "{drawing}");
    let parsed: Answer = serde_json::from_value(answer).unwrap();
    let json = serde_json::to_string(&parsed).unwrap();
    assert_eq!(json.matches(&long).count(), 4);
    insta::assert_snapshot!(drawing);
}

#[test]
fn several_runs_are_counted_and_what_went_wrong_is_said() {
    let found = |line: u32, count: u32| json!({ "count": count, "status": "found", "location": place(line, 5) });
    let unreached = json!({ "count": 2, "status": "not-reached" });
    let mut answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "show" },
        { "name": "B", "query": "lastChange(R:total)", "status": "found", "location": place(9, 5), "function": "f",
          "new": { "type": "number", "text": "0" }, "created": true }
    ]));
    answer["runs"] = json!({
        "asked": 12, "answered": 9, "reached": 7, "agreed": 6, "shown": 2, "alike": 4,
        "failed": [{ "reason": "the browser exited\u{1b}[2J", "count": 1 }],
        "points": [
            { "name": "R", "answers": [found(3, 7), unreached.clone()] },
            { "name": "B", "answers": [
                found(9, 4), unreached, { "count": 2, "status": "found", "by_user": true },
                { "count": 1, "status": "diverged" } ] } ]
    });
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn runs_that_all_came_out_alike_take_few_words() {
    let mut answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "show" }
    ]));
    answer["runs"] = json!({
        "asked": 5, "answered": 5, "reached": 5, "agreed": 5, "shown": 1, "alike": 5,
        "points": [{ "name": "R", "answers": [{ "count": 5, "status": "found", "location": place(3, 5) }] }]
    });
    insta::assert_snapshot!(drawn(&answer, &[]));
}

#[test]
fn a_kept_answer_says_so() {
    let mut answer = with_points(&json!([
        { "name": "R", "status": "found", "location": place(3, 5), "function": "show" }
    ]));
    answer["executions"] = json!(0);
    answer["kept"] = json!(true);
    insta::assert_snapshot!(drawn(&answer, &[]));
}
