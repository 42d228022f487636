use cdp_driver::protocol::generated as cdp;
use futures::executor::block_on;
use recording::{RealmSeed, RecordedInputs, RecordedTime, Recording};
use serde_json::json;

use super::*;
use crate::fake::{self, FakeProtocol, event};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SEED: &str = "9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c9f2c";

fn worker() -> SessionId {
    SessionId("worker".to_owned())
}

/// What was evaluated in the worker.
fn evaluated_there(protocol: &FakeProtocol) -> Vec<String> {
    let sent = protocol.sent_in(&worker(), cdp::runtime::Evaluate::METHOD);
    let texts = sent.iter().map(|params| params["expression"].as_str());
    texts.map(|text| text.unwrap().to_owned()).collect()
}

/// Evaluating anything in a worker that is to pause before its first script has it pause at that instead.
#[test]
fn nothing_is_evaluated_in_a_worker_before_it_is_paused() {
    let (protocol, _, page) = fake::page();
    let now = json!({ "result": { "type": "number", "value": 5000.0 } });
    protocol.on(cdp::runtime::Evaluate::METHOD, Vec::new(), Some(Ok(now)));
    let browser = json!({ "sessionId": "browser" });
    protocol.on(
        cdp::target::AttachToBrowserTarget::METHOD,
        Vec::new(),
        Some(Ok(browser)),
    );
    let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
    let place = "worker /w.js".to_owned();
    let seed = SEED.to_owned();
    recording.set_recorded_inputs(&RecordedInputs {
        random: Some(vec![RealmSeed { place, seed }]),
        time: Some(RecordedTime { start: 1000.0 }),
        ..RecordedInputs::default()
    });
    block_on(async {
        let input_replay = InputReplay::new(&page, &recording, None, "$Q", None)
            .await
            .unwrap();
        let input_replay = input_replay.unwrap();
        input_replay.go_alone(&page).await.unwrap();
        let attached = json!({
            "sessionId": "worker", "waitingForDebugger": true,
            "targetInfo": { "targetId": "w", "type": "worker", "title": "", "url": "http://a/w.js", "browserContextId": "context" },
        });
        assert!(
            input_replay
                .happened(event(cdp::target::AttachedToTarget::METHOD, attached))
                .is_none()
        );
        input_replay.publish().await;
        assert_eq!(evaluated_there(&protocol), [""; 0]);

        let paused = Event {
            session: Some(worker()),
            ..event(
                cdp::debugger::Paused::METHOD,
                json!({ "reason": "instrumentation", "callFrames": [] }),
            )
        };
        input_replay.happened(paused).unwrap().await;
        let [tape] = evaluated_there(&protocol).try_into().unwrap();
        assert!(
            tape.contains(SEED) && tape.contains("\"shift\":-4000"),
            "{tape}"
        );
        // Now it runs, and its clock is moved with the others.
        input_replay.publish().await;
        assert_eq!(evaluated_there(&protocol).len(), 2);
    });
}

/// There is no session of the browser around the tab, and nobody else who lets requests go.
#[test]
fn in_the_one_tab_of_a_connection_what_waits_is_answered_too() {
    let (protocol, _, page) = fake::page_of(FakeProtocol::of_one_tab());
    let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
    let (place, seed) = ("page".to_owned(), SEED.to_owned());
    recording.set_recorded_inputs(&RecordedInputs {
        random: Some(vec![RealmSeed { place, seed }]),
        ..RecordedInputs::default()
    });
    block_on(async {
        let input_replay = InputReplay::new(&page, &recording, None, "$Q", None).await;
        let input_replay = input_replay.unwrap().unwrap();
        input_replay.go_alone(&page).await.unwrap();
        let request = json!({ "url": "http://a/", "method": "GET", "headers": {} });
        let paused = json!({ "requestId": "1", "request": request, "frameId": "f", "resourceType": "Document" });
        let paused = event(cdp::fetch::RequestPaused::METHOD, paused);
        input_replay.happened(paused).unwrap().await;
        let going_on = protocol.sent(cdp::fetch::ContinueRequest::METHOD);
        assert_eq!(going_on, [json!({ "requestId": "1" })]);
    });
}
