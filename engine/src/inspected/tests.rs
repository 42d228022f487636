//! What is told of the stops of a tab.

use futures::executor::block_on;
use serde_json::{Value, json};

use super::*;
use crate::fake::{FakeProtocol, SESSION, event};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn paused(frames: usize) -> Value {
    let frame = json!({
        "callFrameId": "1", "functionName": "pay", "url": "",
        "location": { "scriptId": "9", "lineNumber": 21, "columnNumber": 4 },
        "functionLocation": { "scriptId": "9", "lineNumber": 20, "columnNumber": 0 },
        "scopeChain": [
            { "type": "local", "object": { "type": "object", "objectId": "scope" } },
            { "type": "global", "object": { "type": "object", "objectId": "global" } },
        ],
        "this": { "type": "undefined" },
    });
    json!({ "reason": "other", "hitBreakpoints": ["b"], "callFrames": vec![frame; frames] })
}

/// What is told of these events, and the connection that they used, which is lost then.
fn told(fake: FakeProtocol, events: Vec<Event>) -> (Vec<Option<Stop>>, Arc<FakeProtocol>) {
    fake.on(cdp::debugger::Enable::METHOD, events, Some(Ok(json!({}))));
    let fake = Arc::new(fake);
    let mut told = Vec::new();
    let tab = SessionId(SESSION.to_owned());
    let reason = "the test is over".to_owned();
    let mut tell = |stop: Option<Stop>| {
        if stop.is_none() {
            let reason = reason.clone();
            fake.lose(&ProtocolError::ConnectionLost { reason });
        }
        told.push(stop);
    };
    block_on(InspectedTab::new(fake.clone(), tab).follow_stops(&mut tell)).unwrap();
    (told, fake)
}

#[test]
fn a_stop_is_told_with_its_scopes_and_that_it_goes_on() {
    let fake = FakeProtocol::default();
    let properties = json!({ "result": [
        { "name": "total", "value": { "type": "number", "value": 3, "description": "3" } },
        { "name": "later" },
    ] });
    fake.on(
        cdp::runtime::GetProperties::METHOD,
        Vec::new(),
        Some(Ok(properties)),
    );
    let script = json!({ "scriptId": "9", "url": "http://h/app.js", "startLine": 0, "startColumn": 0,
        "executionContextId": 1, "hash": "" });
    let events = vec![
        event(cdp::debugger::ScriptParsed::METHOD, script),
        event(cdp::debugger::Paused::METHOD, paused(1)),
        event(cdp::debugger::Resumed::METHOD, json!({})),
    ];
    let (told, fake) = told(fake, events);
    let [Some(stop), None] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(stop.reason, "breakpoint");
    assert_eq!(stop.point().as_deref(), Some("app.js:22:5"));
    let frame = &stop.frames[0];
    assert_eq!(frame.frame.function, "pay");
    assert_eq!(frame.scopes.len(), 1);
    let shown: Vec<(&str, &str)> = frame.scopes[0]
        .variables
        .iter()
        .map(|it| (it.name.as_str(), it.value.text.as_str()))
        .collect();
    assert_eq!(shown, [("total", "3"), ("later", "<not yet initialised>")]);
    // The global object is not read: it is large.
    let read = fake.sent(cdp::runtime::GetProperties::METHOD);
    assert_eq!(read.len(), 1);
    assert_eq!(read[0]["objectId"], "scope");
}

#[test]
fn a_script_that_comes_through_a_map_is_told_as_its_author_wrote_it() {
    use crate::inspected::scripts::original::tests::{RUNNING, SOURCE, told_script};
    let fake = Arc::new(FakeProtocol::default());
    let variables = json!({ "result": [{ "name": "t", "value": { "type": "number", "value": 3, "description": "3" } }] });
    let source = json!({ "scriptSource": RUNNING });
    fake.on(
        cdp::debugger::GetScriptSource::METHOD,
        Vec::new(),
        Some(Ok(source)),
    );
    for _ in 0..2 {
        let variables = Some(Ok(variables.clone()));
        fake.on(cdp::runtime::GetProperties::METHOD, Vec::new(), variables);
    }
    let mut stop = paused(1);
    let frame = &mut stop["callFrames"][0];
    frame["functionName"] = json!("a");
    frame["location"] = json!({ "scriptId": "9", "lineNumber": 0, "columnNumber": 14 });
    let stop = event(cdp::debugger::Paused::METHOD, stop);
    let resumed = event(cdp::debugger::Resumed::METHOD, json!({}));
    let events = vec![told_script("9"), stop.clone()];
    fake.on(cdp::debugger::Enable::METHOD, events, Some(Ok(json!({}))));
    let mut told = Vec::new();
    let tab = InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()));
    let mut tell = |stopped: Option<Stop>| {
        let shown = stopped.map(|stop| {
            let top = &stop.frames[0];
            let at = &top.frame.location;
            let name = &top.scopes[0].variables[0].name;
            let point = stop.point().unwrap();
            format!(
                "{} {}:{}:{} {name} {point}",
                top.frame.function, at.url, at.line, at.column
            )
        });
        told.push(shown);
        match told.len() {
            // The map was read meanwhile.
            2 => _ = fake.emit(&resumed),
            3 => _ = fake.emit(&stop),
            4 => fake.lose(&ProtocolError::ConnectionLost {
                reason: "the test is over".to_owned(),
            }),
            _ => {}
        }
    };
    block_on(tab.follow_stops(&mut tell)).unwrap();
    let runs = Some("a http://h/app.js:1:15 t app.js:1:15".to_owned());
    let written = Some(format!("pay {SOURCE}:3:21 total app.js:1:15"));
    assert_eq!(told, [runs, written.clone(), None, written]);
    assert_eq!(fake.sent(cdp::debugger::GetScriptSource::METHOD).len(), 1);
}

#[test]
fn of_a_deep_recursion_only_the_top_is_read() {
    let events = vec![
        event(cdp::debugger::Paused::METHOD, paused(5000)),
        event(cdp::debugger::Resumed::METHOD, json!({})),
    ];
    let (told, fake) = told(FakeProtocol::default(), events);
    let frames = &told[0].as_ref().unwrap().frames;
    assert_eq!(frames.len(), MOST_FRAMES);
    assert_eq!(
        fake.sent(cdp::runtime::GetProperties::METHOD).len(),
        FRAMES_WITH_SCOPES
    );
}

#[test]
fn a_page_that_goes_on_meanwhile_is_not_told_as_paused() {
    let fake = FakeProtocol::default();
    let gone = ProtocolError::Refused {
        method: cdp::runtime::GetProperties::METHOD.to_owned(),
        code: -32000,
        message: "Could not find object with given id".to_owned(),
    };
    fake.on(
        cdp::runtime::GetProperties::METHOD,
        Vec::new(),
        Some(Err(gone)),
    );
    let events = vec![
        event(cdp::debugger::Paused::METHOD, paused(1)),
        event(cdp::debugger::Resumed::METHOD, json!({})),
    ];
    assert_eq!(told(fake, events).0, [None]);
}

#[test]
fn what_the_browser_says_may_be_anything() {
    let thrown = json!({ "description": "TypeError: no\n    at f", "uncaught": false });
    let events = vec![
        event(cdp::debugger::Paused::METHOD, json!({ "callFrames": 5 })),
        event(cdp::debugger::Paused::METHOD, json!(null)),
        event(
            cdp::debugger::Paused::METHOD,
            json!({ "reason": "exception", "callFrames": [{}], "data": thrown }),
        ),
        event(
            cdp::debugger::Paused::METHOD,
            json!({ "reason": "exception", "callFrames": [], "data": thrown }),
        ),
        // A newer browser may have reasons of its own.
        event(
            cdp::debugger::Paused::METHOD,
            json!({ "reason": "neverSeen", "callFrames": [], "future": 1 }),
        ),
        event(
            cdp::debugger::Paused::METHOD,
            json!({ "reason": "exception", "callFrames": [],
            "data": { "description": "TypeError: no\n    at f", "uncaught": true } }),
        ),
        event(cdp::debugger::Resumed::METHOD, json!({})),
    ];
    let (told, _) = told(FakeProtocol::default(), events);
    let reasons: Vec<&str> = told.iter().flatten().map(|it| it.reason.as_str()).collect();
    // What cannot be read is skipped.
    let wanted = [
        "exception: TypeError: no",
        "pause",
        "exception: TypeError: no",
    ];
    assert_eq!(reasons, wanted);
    let exceptions = told.iter().flatten().map(|it| it.exception.as_deref());
    let exceptions: Vec<Option<&str>> = exceptions.collect();
    assert_eq!(exceptions, [None, None, Some("exception:TypeError: no")]);
}
