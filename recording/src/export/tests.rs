//! What a test of another tool says.

use serde_json::json;

use super::*;
use crate::Recording;
use querypoint::answer::Answer;

fn recording() -> Recording {
    let click = |selectors: serde_json::Value| json!({ "type": "click", "selectors": selectors, "offsetX": 5, "offsetY": 6.5 });
    let steps = json!([
        { "type": "setViewport", "width": 800, "height": 600, "deviceScaleFactor": 1, "isMobile": false,
          "hasTouch": false, "isLandscape": true },
        { "type": "navigate", "url": "http://h:8080/shop.html?a=\"1\"" },
        click(json!([["aria/Add to \"cart\"[role=\"button\"]"], ["#add"]])),
        click(json!([["aria/no role"], ["#host", "#inner"]])),
        { "type": "doubleClick", "selectors": [["xpath///*[@id=\"a\"]"]], "offsetX": 1, "offsetY": 1, "button": "secondary" },
        { "type": "click", "selectors": [["text/Buy"]], "offsetX": 1, "offsetY": 1, "frame": [1, 0], "deviceType": "touch" },
        { "type": "click", "selectors": [["pierce/#x"]], "offsetX": 1, "offsetY": 1, "duration": 300,
          "assertedEvents": [{ "type": "navigation", "url": "http://h:8080/end", "title": "" }] },
        { "type": "hover", "selectors": [["#menu"]] },
        { "type": "change", "selectors": [["#name"]], "value": "O'Neill\u{2028}\\" },
        { "type": "change", "selectors": [["#code"]], "value": "", "querypoint": { "secret": "SHOP_CODE" } },
        { "type": "keyDown", "key": "Shift" },
        { "type": "keyUp", "key": "Shift" },
        { "type": "scroll", "y": 40 },
        { "type": "scroll", "selectors": [["#list"]], "x": 1, "y": 2 },
        { "type": "waitForElement", "selectors": [[".row"]], "operator": "==", "count": 3 },
        { "type": "waitForElement", "selectors": [[".row"]], "operator": "<=", "count": 9 },
        { "type": "waitForElement", "selectors": [[".row"]], "visible": true },
        { "type": "waitForExpression", "expression": "window.ready" },
        { "type": "customStep", "name": "querypoint/drag", "parameters": { "selectors": [["#canvas"]], "offsetX": 1,
          "offsetY": 2, "path": [[3, 4, 10], [5, 6, 20]] } },
        { "type": "customStep", "name": "querypoint/wheel", "parameters": { "selectors": [["#map"]], "offsetX": 1,
          "offsetY": 2, "deltaX": 0, "deltaY": 100 } },
        { "type": "customStep", "name": "querypoint/files", "parameters": { "selectors": [["#upload"]],
          "files": [{ "name": "a.csv", "type": "text/csv", "contents": "YSxi" }] } },
        { "type": "customStep", "name": "querypoint/files", "parameters": { "selectors": [["#upload"]],
          "files": [{ "name": "film.mkv", "size": 9_000_000_000u64 }] } },
        { "type": "customStep", "name": "querypoint/history", "parameters": { "delta": -1 } },
        { "type": "customStep", "name": "querypoint/history", "parameters": { "delta": 3 } },
        { "type": "click", "selectors": [["#ask"]], "offsetX": 1, "offsetY": 1, "querypoint": { "dialogs": [
          { "type": "confirm", "message": "?", "accept": false }, { "type": "prompt", "accept": true, "text": "x" }] } },
        { "type": "customStep", "name": "mine", "parameters": {} },
        { "type": "click", "selectors": [["#popup"]], "offsetX": 1, "offsetY": 1, "target": "http://h:8080/other" },
        { "type": "emulateNetworkConditions", "download": 1, "upload": 1, "latency": 1 },
        { "type": "close" },
    ]);
    Recording::parse(&json!({ "title": "buy */ \"all\"", "steps": steps }).to_string()).unwrap()
}

fn answer(points: &serde_json::Value) -> Answer {
    serde_json::from_value(json!({
        "schema": querypoint::answer::SCHEMA, "page": "http://h:8080/shop.html", "executions": 2, "points": points,
        "coverage": { "scripts": 1, "hooked": 1, "blind_spots": [] }, "consistency": { "agrees": true, "notes": [] },
        "timing_ms": { "total": 1, "replay": 1, "rewrite": 1 },
    }))
    .unwrap()
}

fn reproduction_point() -> serde_json::Value {
    json!({ "name": "R", "status": "found", "hit": 2, "hits": 3, "stack": [], "scopes": [],
        "location": { "url": "http://h:8080/src/shop.ts", "line": 9, "column": 1,
            "generated": { "url": "http://h:8080/shop.js?v=(1)", "line": 22, "column": 3 } },
        "watches": [
            { "expression": "cart.size", "type": "number", "text": "0" },
            { "expression": "cart.gone", "type": "string", "text": "no", "threw": true },
        ] })
}

fn query(text: &str, kind: &str, value: &str) -> serde_json::Value {
    json!({ "name": "B", "query": text, "status": "found", "stack": [], "scopes": [], "watches": [],
        "new": { "type": kind, "text": value } })
}

#[test]
fn every_kind_of_step_is_mapped_or_named() {
    let points = json!([
        reproduction_point(),
        query("B = lastChange(R:cart.total)", "number", "NaN"),
        query("lastChange(R(1):list[\"a b\"].x)", "string", "\"a\\nb\""),
        query("lastChange(B:other)", "number", "1"),
        query("lastChange(R:whole)", "object", "{a: 1}"),
    ]);
    let assertions = Assertion::of(&answer(&points)).unwrap();
    let Exported {
        text,
        unmapped,
        is_from_folder,
    } = playwright(&recording(), &assertions);
    assert!(!is_from_folder);
    insta::assert_snapshot!(text);
    let unmapped: Vec<String> = unmapped
        .iter()
        .map(|step| format!("{} {}: {}", step.step, step.description, step.why))
        .collect();
    insta::assert_snapshot!(unmapped.join("\n"));
}

#[test]
fn watches_are_asserted_where_nothing_was_asked_at_the_point() {
    let points = json!([
        reproduction_point(),
        query("lastCondition(R)", "number", "1")
    ]);
    let assertions = Assertion::of(&answer(&points)).unwrap();
    let expressions: Vec<&str> = assertions
        .iter()
        .map(|assertion| assertion.expression.as_str())
        .collect();
    assert_eq!(expressions, ["cart.size"]);
    assert_eq!(assertions[0].place.as_ref().unwrap().hits, 3);
}

#[test]
fn at_the_end_the_page_itself_is_asked() {
    let point = json!({ "name": "R", "status": "found", "stack": [], "scopes": [], "watches": [] });
    let points = json!([
        point,
        query("lastChange(cart.total)", "undefined", "undefined")
    ]);
    let assertions = Assertion::of(&answer(&points)).unwrap();
    let empty = Recording::parse(r#"{"title":"","steps":[]}"#).unwrap();
    insta::assert_snapshot!(playwright(&empty, &assertions).text);
}

#[test]
fn without_a_value_that_can_be_written_there_is_no_test() {
    let mut point = reproduction_point();
    point["watches"] = json!([]);
    let cut = format!("\"{}…", "a".repeat(300));
    for (kind, text) in [
        ("object", "{a: 1}"),
        ("function", "ƒ f()"),
        ("number", "x();"),
        ("string", cut.as_str()),
        ("bigint", "1n;n"),
    ] {
        let points = json!([point, query("lastChange(R:a)", kind, text)]);
        assert_eq!(
            Assertion::of(&answer(&points)),
            Err(NothingToAssert),
            "{text}"
        );
    }
}

#[test]
fn cookies_that_scripts_cannot_read_are_in_no_test() {
    let mut recording = recording();
    let plain = playwright(&recording, &[]);
    recording.set_login(&[crate::LoginCookie {
        name: "session".to_owned(),
        value: "s3cret".to_owned(),
        domain: "h".to_owned(),
        path: "/".to_owned(),
        secure: false,
        same_site: None,
    }]);
    assert_eq!(playwright(&recording, &[]), plain);
}

#[test]
fn what_the_page_had_stored_is_there_before_it_is_opened() {
    let mut recording = recording();
    recording.set_storage(&crate::Storage {
        local: vec![("the\"me".to_owned(), "dark".to_owned())],
        session: Vec::new(),
        cookies: vec!["lang=en=US".to_owned()],
    });
    let exported = playwright(&recording, &[]);
    let line = exported
        .text
        .lines()
        .find(|line| line.starts_with("test.use("));
    let state = line
        .unwrap()
        .strip_prefix("test.use({ storageState: ")
        .unwrap();
    let state: serde_json::Value =
        serde_json::from_str(state.strip_suffix(" });").unwrap()).unwrap();
    assert_eq!(
        state,
        json!({
            "cookies": [{ "name": "lang", "value": "en=US", "domain": "h", "path": "/", "expires": -1,
                "httpOnly": false, "secure": false, "sameSite": "Lax" }],
            "origins": [{ "origin": "http://h:8080", "localStorage": [{ "name": "the\"me", "value": "dark" }] }],
        })
    );
    let unmapped = exported.unmapped.len();
    recording.set_storage(&crate::Storage {
        session: vec![("visit".to_owned(), "1".to_owned())],
        ..recording.storage()
    });
    let exported = playwright(&recording, &[]);
    assert_eq!(exported.unmapped.len(), unmapped + 1);
    assert_eq!(exported.unmapped.last().unwrap().step, 2);
    assert!(
        exported
            .text
            .contains("// Playwright has nothing for what is in sessionStorage.")
    );
}
