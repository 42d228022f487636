//! The replay against a browser in memory: what it does with what the page answers.

use futures::executor::block_on;
use serde_json::{Value, json};

use super::*;
use crate::fake::{self, FakeProtocol, event};
use cdp_driver::protocol::ProtocolError;
use cdp_driver::protocol::generated as cdp;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn recording(steps: Value) -> Recording {
    Recording::parse(&json!({ "title": "", "steps": steps }).to_string()).unwrap()
}

/// The selector script's next answer.
fn script_answers(protocol: &FakeProtocol, answer: Value) {
    protocol.on(
        cdp::page::CreateIsolatedWorld::METHOD,
        vec![],
        Some(Ok(json!({ "executionContextId": 1 }))),
    );
    protocol.on(
        cdp::runtime::Evaluate::METHOD,
        vec![],
        Some(Ok(
            json!({ "result": { "type": "object", "value": answer } }),
        )),
    );
}

fn click() -> Value {
    json!([{ "type": "click", "selectors": [["#a"], ["#b"]], "offsetX": 1, "offsetY": 2 }])
}

fn run(page: &Page, steps: Value) -> Result<ReplayReport, EngineError> {
    let options = ReplayOptions::default();
    block_on(replay(
        page,
        &recording(steps),
        &options,
        &ReplayCursor::default(),
        &mut |_, _, _| {},
    ))
}

#[test]
fn a_click_is_three_events_in_order() {
    let (protocol, _, page) = fake::page();
    script_answers(
        &protocol,
        json!({ "done": true, "x": 5, "y": 6, "selector": "#b", "notes": ["odd"] }),
    );
    script_answers(&protocol, json!({ "done": true }));
    let report = run(&page, click()).unwrap();
    assert_eq!(
        report.divergences,
        [Divergence {
            step: 1,
            note: "odd".into()
        }]
    );
    let sent = protocol.sent(cdp::input::DispatchMouseEvent::METHOD);
    let kinds: Vec<&str> = sent
        .iter()
        .map(|params| params["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["mouseMoved", "mousePressed", "mouseReleased"]);
    assert!(
        sent.iter()
            .all(|params| params["x"] == json!(5.0) && params["y"] == json!(6.0))
    );
}

#[test]
fn a_document_that_is_replaced_meanwhile_is_looked_at_again() {
    let (protocol, clock, page) = fake::page();
    let stale = ProtocolError::Refused {
        method: cdp::runtime::Evaluate::METHOD.into(),
        code: -32000,
        message: "Inspected target navigated or closed".into(),
    };
    protocol.on(
        cdp::page::CreateIsolatedWorld::METHOD,
        vec![],
        Some(Ok(json!({ "executionContextId": 1 }))),
    );
    protocol.on(cdp::runtime::Evaluate::METHOD, vec![], Some(Err(stale)));
    script_answers(&protocol, json!({ "done": true, "x": 5, "y": 6 }));
    script_answers(&protocol, json!({ "done": true }));
    let recording = recording(click());
    let (options, cursor) = (ReplayOptions::default(), ReplayCursor::default());
    let mut progress = |_: usize, _: usize, _: &str| {};
    let replay = replay(&page, &recording, &options, &cursor, &mut progress);
    let report = block_on(futures::future::join(replay, async {
        clock.advance(Duration::from_millis(5))
    }))
    .0;
    assert_eq!(report.unwrap().steps, 1);
}

#[test]
fn what_the_page_says_is_in_the_error() {
    let (protocol, _, page) = fake::page();
    script_answers(
        &protocol,
        json!({ "done": false, "why": "#a: no such element" }),
    );
    let error = run(&page, click()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 1 of 1 (click #a) cannot be done: #a: no such element"
    );
    // An answer of no known shape is no success either.
    let (protocol, _, page) = fake::page();
    script_answers(&protocol, json!(17));
    assert!(matches!(
        run(&page, click()).unwrap_err(),
        EngineError::StepFailed { step: 1, .. }
    ));
}

#[test]
fn a_crash_and_a_lost_connection_are_not_blamed_on_the_step() {
    let (protocol, _, page) = fake::page();
    script_answers(&protocol, json!({ "done": true, "x": 5, "y": 6 }));
    let crashed = ProtocolError::TargetCrashed {
        method: cdp::input::DispatchMouseEvent::METHOD.into(),
    };
    let crash = vec![event(cdp::inspector::TargetCrashed::METHOD, json!({}))];
    protocol.on(
        cdp::input::DispatchMouseEvent::METHOD,
        crash,
        Some(Err(crashed.clone())),
    );
    assert_eq!(run(&page, click()), Err(EngineError::Protocol(crashed)));
    let (protocol, _, page) = fake::page();
    let gone = ProtocolError::BrowserExited {
        status: "exit status: 1".into(),
        stderr_tail: String::new(),
    };
    protocol.lose(&gone);
    assert_eq!(run(&page, click()), Err(EngineError::Protocol(gone)));
}

#[test]
fn the_cursor_is_empty_once_the_replay_has_failed() {
    let (protocol, _, page) = fake::page();
    let cursor = ReplayCursor::default();
    let inside = cursor.clone();
    let mut during = Vec::new();
    let options = ReplayOptions::default();
    let recording = recording(
        json!([{ "type": "keyDown", "key": "x" }, { "type": "hover", "selectors": ["#a"] }]),
    );
    script_answers(&protocol, json!({ "done": true }));
    script_answers(&protocol, json!({ "done": false, "why": "gone" }));
    let result = block_on(replay(
        &page,
        &recording,
        &options,
        &cursor,
        &mut |_, _, _| during.push(inside.current()),
    ));
    assert!(result.is_err());
    let during: Vec<_> = during
        .into_iter()
        .flatten()
        .map(|step| (step.index, step.kind, step.selector))
        .collect();
    assert_eq!(
        during,
        [(0, "keyDown", None), (1, "hover", Some("#a".to_owned()))]
    );
    assert_eq!(cursor.current(), None);
}

#[test]
fn what_happens_while_the_replay_waits_comes_of_the_step_before() {
    let (protocol, _, page) = fake::page();
    let cursor = ReplayCursor::default();
    let inside = cursor.clone();
    let mut during = Vec::new();
    let options = ReplayOptions::default();
    let recording = recording(json!([
        { "type": "keyDown", "key": "x" },
        { "type": "waitForElement", "selectors": ["#paid"] },
    ]));
    for answer in [
        json!({ "done": true }),
        json!({ "done": true }),
        json!({ "done": true, "selector": "#paid" }),
    ] {
        script_answers(&protocol, answer);
    }
    let result = block_on(replay(
        &page,
        &recording,
        &options,
        &cursor,
        &mut |_, _, _| during.push(inside.current()),
    ));
    assert_eq!(result.unwrap().steps, 2);
    let during = during.into_iter().flatten();
    let during: Vec<_> = during.map(|step| (step.kind, step.selector)).collect();
    assert_eq!(during, [("keyDown", None), ("keyDown", None)]);
}

#[test]
fn a_step_in_another_tab_says_what_a_connection_of_one_tab_lacks() {
    let (protocol, _, page) = fake::page_of(FakeProtocol::of_one_tab());
    let steps = json!([{
        "type": "click", "target": "http://a/popup", "selectors": [["#a"]], "offsetX": 1, "offsetY": 2
    }]);
    let error = run(&page, steps).unwrap_err().to_string();
    assert!(
        error.contains("it acts on http://a/popup, and this connection does not list"),
        "{error}"
    );
    assert_eq!(protocol.sent_to_browser(), [""; 0]);
}

#[test]
fn a_click_is_done_in_the_only_tab_of_a_connection() {
    let (protocol, _, page) = fake::page_of(FakeProtocol::of_one_tab());
    script_answers(
        &protocol,
        json!({ "done": true, "x": 5, "y": 6, "selector": "#a", "notes": [] }),
    );
    script_answers(&protocol, json!({ "done": true }));
    run(&page, click()).unwrap();
    assert_eq!(
        protocol.sent(cdp::input::DispatchMouseEvent::METHOD).len(),
        3
    );
    assert_eq!(protocol.sent_to_browser(), [""; 0]);
}
