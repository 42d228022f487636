//! Pages as they are, and what a hostile page may not get into them.

use std::collections::BTreeSet;

use querypoint::answer::{Answer, Runs};
use serde_json::{Value, json};

/// The page of an answer without a log.
fn page(answer: &Answer, source: super::SourceLookup<'_>) -> String {
    super::html(&answer.clone().into(), source)
}

const PAGE: &str = "http://127.0.0.1:41234/index.html";

fn answer(points: &Value) -> Answer {
    serde_json::from_value(json!({
        "schema": "querypoint/answer/1", "page": PAGE, "executions": 2, "points": points,
        "coverage": { "scripts": 2, "hooked": 1, "unhooked_sites": 1, "blind_spots": [
            { "url": "http://127.0.0.1:41234/broken.js", "reason": "it has a syntax error in line 3" } ] },
        "consistency": { "agrees": false, "notes": ["the second run took another branch"] },
        "timing_ms": { "replay": 120, "rewrite": 4, "total": 310 }
    }))
    .unwrap()
}

fn frame(function: &str, line: u32) -> Value {
    json!({ "function": function, "url": PAGE, "line": line, "column": 3 })
}

/// The page's body; its head never changes but for the title.
fn body(answer: &Answer) -> String {
    let page = page(answer, &|_, line| {
        (line == 22).then(|| "  show(myObject.myProperty);".to_owned())
    });
    // One element in a line, so that a change can be read.
    let body = page.split_once("<body>").unwrap().1;
    body.replace("><", ">\n<")
}

#[test]
fn of_a_minified_line_the_place_is_shown_or_nothing() {
    let line = format!("{}changed=1;", "a;".repeat(30_000));
    let answer = answer(&json!([
        { "name": "R", "status": "found", "location": { "url": PAGE, "line": 1, "column": 60_001 }, "function": "f",
          "source_line": &line[..500] }
    ]));
    let whole = page(&answer, &|_, _| Some(line.clone()));
    assert!(
        whole.contains("<span class=\"caret\">c</span>hanged=1;"),
        "{whole}"
    );
    let none = page(&answer, &|_, _| None);
    assert!(!none.contains("class=\"caret\""), "{none}");
}

#[test]
fn a_chain_with_everything_that_a_point_can_have() {
    let answer = answer(&json!([
        { "name": "R", "status": "found", "location": { "url": PAGE, "line": 22, "column": 3 }, "function": "",
          "hit": 2, "hits": 3, "stack": [frame("", 42)] },
        { "name": "B", "query": "lastChange(R:myObject.myProperty)", "status": "found",
          "location": { "url": "http://127.0.0.1:41234/src/bar.ts", "line": 29, "column": 5,
              "generated": { "url": "http://127.0.0.1:41234/app.js", "line": 1, "column": 2042 } },
          "source_line": "    myObject.myProperty = 0;", "function": "bar",
          "old": { "type": "number", "text": "2" }, "new": { "type": "number", "text": "0" },
          "owner": { "id": 12, "class": "Object" }, "index": 2, "changes": 3,
          "cause": { "type": "click", "target": "#myButton" },
          "stack": [frame("bar", 29), frame("f", 1), frame("g", 2), frame("h", 3), frame("i", 4), frame("", 41)],
          "scopes": [
              { "kind": "local", "function": "bar", "variables": [
                  { "name": "condition", "type": "undefined", "text": "undefined" } ] },
              { "kind": "block", "variables": [] },
              { "kind": "global", "variables": [ { "name": "window", "type": "object", "text": "Window" } ] } ],
          "watches": [ { "expression": "a.b", "type": "object", "text": "ReferenceError: a is not defined",
                         "threw": true } ] },
        { "name": "C", "query": "lastCondition(B)", "status": "found", "frame": 1,
          "condition": { "text": "a && b", "outcome": false,
              "operands": [{ "expression": "a", "type": "number", "text": "0" }] } },
        { "name": "E", "query": "exceptionAfter(R)", "status": "found",
          "exception": { "class": "TypeError", "message": "x is not a function", "caught": true } },
        { "name": "T", "query": "trace(call(add))", "status": "found", "index": 1, "events": 3 },
        { "name": "N", "query": "lastChange(R:rest)", "status": "never-changed",
          "value": { "type": "string", "text": "\"the value\"" } },
        { "name": "U", "query": "lastChange(R:field.value)", "status": "found", "by_user": true,
          "cause": { "type": "input", "target": "#amount" }, "note": "changed by the user" },
        { "name": "X", "query": "lastChange(R:lost)", "status": "blind", "note": "written by code that is not hooked" }
    ]));
    insta::assert_snapshot!(body(&answer));
}

#[test]
fn several_runs_are_a_table() {
    let mut answer = answer(&json!([
        { "name": "R", "status": "found", "location": { "url": PAGE, "line": 22, "column": 3 }, "function": "" }
    ]));
    answer.runs = Some(runs("the browser exited"));
    let body = body(&answer);
    let (header, _) = body.split_once("<main>").unwrap();
    insta::assert_snapshot!(header);
}

/// Two runs reached `R`, one did not, one failed for this reason.
fn runs(reason: &str) -> Runs {
    serde_json::from_value(json!({
        "asked": 4, "answered": 3, "reached": 2, "agreed": 2, "shown": 1, "alike": 2,
        "failed": [{ "reason": reason, "count": 1 }],
        "points": [{ "name": reason, "answers": [
            { "count": 2, "status": "found", "location": { "url": reason, "line": 22, "column": 3 } },
            { "count": 1, "status": "not-reached" } ] }]
    }))
    .unwrap()
}

#[test]
fn nothing_from_a_page_becomes_markup() {
    for evil in [
        "</script><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' style='background:url(http://evil/)",
        "</style></title><script>alert(1)</script>",
        "--><svg/onload=alert(1)>",
        "&lt;img&gt; \u{0} \u{202e} \u{1b}[2J",
    ] {
        let value = json!({ "type": "string", "text": evil });
        let mut named = value.clone();
        named["name"] = json!(evil);
        let mut watch = value.clone();
        watch["expression"] = json!(evil);
        let place = json!({ "url": evil, "line": 1, "column": 3,
            "generated": { "url": evil, "line": 1, "column": 1 },
            "maker": { "by": evil, "url": evil, "line": 1, "column": 1 } });
        let mut frame = place.clone();
        frame["function"] = json!(evil);
        let mut answer = answer(&json!([
            { "name": evil, "query": evil, "status": "blind", "location": place, "source_line": evil, "function": evil,
              "old": value, "new": value, "owner": { "id": 1, "class": evil }, "cause": { "type": evil, "target": evil },
              "condition": { "text": evil, "outcome": true, "operands": [watch] },
              "exception": { "class": evil, "message": evil, "caught": false }, "stack": [frame], "note": evil,
              "scopes": [{ "kind": "local", "function": evil, "variables": [named] }], "watches": [watch] },
            { "name": evil, "query": evil, "status": "never-changed", "value": value }
        ]));
        answer.page = evil.to_owned();
        answer.runs = Some(runs(evil));
        answer.consistency.notes = vec![evil.to_owned()];
        answer.coverage.blind_spots[0].url = evil.to_owned();
        answer.coverage.blind_spots[0].reason = evil.to_owned();
        let page = page(&answer, &|_, _| None);
        assert_eq!(tags(&page), expected_tags(), "{evil}");
        for unescaped in [
            "onerror=alert(1)>",
            "\" onmouseover",
            "<svg",
            "\u{0}",
            "\u{202e}",
            "\u{1b}",
        ] {
            assert!(!page.contains(unescaped), "{unescaped:?} of {evil:?}");
        }
    }
}

/// The names of all elements of a page, and whatever else looks like one.
fn tags(page: &str) -> BTreeSet<&str> {
    page.split('<')
        .skip(1)
        .filter_map(|rest| rest.split([' ', '>']).next())
        .map(|name| name.trim_start_matches('/'))
        .collect()
}

fn expected_tags() -> BTreeSet<&'static str> {
    "!DOCTYPE html head meta link title style body header h1 p main section h2 span pre code dl dt dd details summary \
     table tr td footer ul li"
        .split(' ')
        .collect()
}
