//! What is done about each event, without a browser.

use std::sync::Arc;

use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

fn session(name: &str) -> SessionId {
    SessionId(name.into())
}

fn realms() -> Realms {
    Realms::new(session("tab"), "tab target", "ours")
}

/// What is done about an event of a session, as it comes from the wire; `browser` is the browser's own session.
fn told(realms: &mut Realms, of: &str, method: &str, params: Value) -> Vec<RealmAction> {
    let event = Event {
        session: Some(session(of)),
        method: method.into(),
        params: Arc::new(params),
        times: 1,
    };
    let event = RealmEvent::read(&event, of == "browser", realms);
    event.map_or_else(Vec::new, |event| realms.take(event))
}

fn attached(
    realms: &mut Realms,
    by: &str,
    kind: &str,
    name: &str,
    context: &str,
) -> Vec<RealmAction> {
    let params = json!({
        "sessionId": name,
        "targetInfo": {
            "targetId": format!("{name} target"), "type": kind, "title": "", "url": format!("http://a/{name}"),
            "attached": true, "canAccessOpener": false, "browserContextId": context,
        },
        "waitingForDebugger": true,
    });
    told(realms, by, "Target.attachedToTarget", params)
}

fn compiled(realms: &mut Realms, of: &str, context: i64, url: &str) -> Vec<RealmAction> {
    let params = json!({
        "scriptId": "7", "url": url, "startLine": 0, "startColumn": 0, "endLine": 1, "endColumn": 0,
        "executionContextId": context, "hash": "", "buildId": "",
    });
    told(realms, of, "Debugger.scriptParsed", params)
}

fn greeting(document: f64, url: &str, top: bool) -> Greeting {
    serde_json::from_value(json!({ "document": document, "realm": { "url": url, "top": top } }))
        .unwrap()
}

#[test]
fn breakpoints_of_a_frame_wait_until_its_debugger_has_told_of_a_script() {
    let mut realms = realms();
    let actions = attached(&mut realms, "tab", "iframe", "frame", "ours");
    let kind = TargetKind::Documents;
    assert_eq!(
        actions,
        [
            RealmAction::Prepare {
                session: session("frame"),
                kind
            },
            RealmAction::Run(session("frame")),
        ]
    );
    // One of the tab says nothing of it.
    assert_eq!(compiled(&mut realms, "tab", 1, "http://a/a.js"), []);
    assert_eq!(
        compiled(&mut realms, "frame", 1, "agent.js"),
        [RealmAction::KeepUnoptimised(session("frame"))]
    );
    assert_eq!(compiled(&mut realms, "frame", 1, "http://a/b.js"), []);
}

#[test]
fn a_worker_is_paused_before_its_first_script_where_it_begins_once() {
    let mut realms = realms();
    let actions = attached(&mut realms, "tab", "worker", "one", "ours");
    assert_eq!(
        actions,
        [
            RealmAction::Prepare {
                session: session("one"),
                kind: TargetKind::Worker
            },
            RealmAction::HoldRequestsOfWorkers,
            RealmAction::PauseBeforeFirstScript(session("one")),
            RealmAction::Run(session("one")),
        ]
    );
    // The browser holds requests already, and no script tells that a worker's debugger is enabled: its pause does.
    let actions = attached(&mut realms, "one", "worker", "two", "ours");
    assert!(!actions.contains(&RealmAction::HoldRequestsOfWorkers));
    assert_eq!(compiled(&mut realms, "one", 1, "http://a/one"), []);
    assert!(realms.are_starting());
    assert!(realms.begin_worker(&session("one")));
    assert!(!realms.begin_worker(&session("one")));
    assert!(realms.are_starting());
    // The other ends before it began.
    let detached = json!({ "sessionId": "two" });
    assert_eq!(
        told(&mut realms, "one", "Target.detachedFromTarget", detached),
        [RealmAction::DropFirstScript(session("two"))]
    );
    assert!(!realms.are_starting());
}

#[test]
fn what_the_browser_reports_of_others_and_of_the_tab_itself_is_let_go() {
    let mut realms = realms();
    for (name, context) in [("popup", "another"), ("tab", "ours")] {
        assert_eq!(
            attached(&mut realms, "browser", "page", name, context),
            [RealmAction::Release {
                session: session(name),
                parent: Some(session("browser"))
            }]
        );
    }
    let actions = attached(&mut realms, "browser", "page", "popup", "ours");
    assert_eq!(actions.last(), Some(&RealmAction::Run(session("popup"))));
}

#[test]
fn a_service_worker_runs_without_hooks_and_that_is_said() {
    let mut realms = realms();
    let actions = attached(&mut realms, "browser", "service_worker", "sw", "ours");
    assert_eq!(actions, [RealmAction::Run(session("sw"))]);
    attached(&mut realms, "tab", "worker", "one", "ours");
    let child = |name: &str, kind: &str| ChildTarget {
        session: Some(session(name)),
        kind: kind.to_owned(),
        url: "http://a/".to_owned(),
    };
    let why = realms.why_unhooked(&child("sw", "service_worker"));
    assert!(why.unwrap().starts_with("it is a service worker"));
    assert_eq!(realms.why_unhooked(&child("one", "worker")), None);
    let why = realms.why_unhooked(&child("unknown", "webview"));
    assert_eq!(
        why,
        Some("it runs in another target, where nothing is hooked")
    );
}

#[test]
fn a_dialog_is_answered_with_its_own_text_but_for_those_of_the_tab() {
    let mut realms = realms();
    attached(&mut realms, "browser", "page", "popup", "ours");
    let dialog = |text: &str| {
        json!({
            "url": "", "frameId": "", "message": "", "type": "prompt", "hasBrowserHandler": false, "defaultPrompt": text,
        })
    };
    let method = "Page.javascriptDialogOpening";
    assert_eq!(told(&mut realms, "tab", method, dialog("x")), []);
    assert_eq!(
        told(&mut realms, "popup", method, dialog("x")),
        [RealmAction::AnswerDialog {
            session: session("popup"),
            target: Some("popup target".to_owned()),
            prompt: Some("x".to_owned())
        }]
    );
}

#[test]
fn a_document_is_loading_until_its_own_frame_has_stopped() {
    let mut realms = realms();
    attached(&mut realms, "tab", "iframe", "frame", "ours");
    assert!(realms.are_starting() && realms.are_many());
    let stopped = |frame: &str| json!({ "frameId": frame });
    let method = "Page.frameStoppedLoading";
    told(&mut realms, "frame", method, stopped("a child of it"));
    assert!(realms.are_starting());
    told(&mut realms, "frame", method, stopped("frame target"));
    assert!(!realms.are_starting());
}

#[test]
fn a_script_that_is_asked_for_by_no_document_starts_a_worker_until_it_is_known_to_start_none() {
    let sent = |loader: &str| {
        json!({
            "requestId": "1", "loaderId": loader, "documentURL": "", "timestamp": 0, "wallTime": 0, "type": "Script",
            "request": {
                "url": "http://a/w.js", "method": "GET", "headers": {}, "initialPriority": "High",
                "referrerPolicy": "no-referrer",
            },
            "initiator": { "type": "script" }, "redirectHasExtraInfo": false,
        })
    };
    let mut realms = realms();
    let method = "Network.requestWillBeSent";
    told(&mut realms, "tab", method, sent("of a document"));
    assert!(!realms.are_starting());
    told(&mut realms, "tab", method, sent(""));
    assert!(realms.are_starting());
    let paused = |status: u16| {
        json!({
            "requestId": "1", "frameId": "", "resourceType": "Other", "responseStatusCode": status,
            "request": {
                "url": "http://a/w.js", "method": "GET", "headers": {}, "initialPriority": "High",
                "referrerPolicy": "no-referrer",
            },
        })
    };
    told(&mut realms, "tab", "Fetch.requestPaused", paused(200));
    assert!(realms.are_starting());
    told(&mut realms, "tab", "Fetch.requestPaused", paused(404));
    assert!(!realms.are_starting());
    // A worklet that paints compiles it beside the document.
    told(&mut realms, "tab", method, sent(""));
    let created = json!({ "context": {
        "id": 5, "origin": "", "name": "", "uniqueId": "5", "auxData": { "type": "worker" },
    } });
    told(
        &mut realms,
        "tab",
        "Runtime.executionContextCreated",
        created,
    );
    compiled(&mut realms, "tab", 4, "http://a/w.js");
    assert!(realms.are_starting());
    compiled(&mut realms, "tab", 5, "http://a/w.js");
    assert!(!realms.are_starting());
}

#[test]
fn realms_are_known_by_what_they_are_where_and_how_many_came_before() {
    let mut realms = realms();
    attached(&mut realms, "tab", "worker", "one", "ours");
    attached(&mut realms, "tab", "worker", "two", "ours");
    let mut greet = |of: &str, document: f64, url: &str, top: bool| {
        let context = cdp::runtime::ExecutionContextId(1);
        realms.greeted(&session(of), context, &greeting(document, url, top));
        realms.name(DocumentId::from(document)).unwrap()
    };
    let named = |place: &str, number| RealmName {
        place: place.to_owned(),
        number,
    };
    assert_eq!(greet("tab", 0.1, "http://a/", true), named("page", 0));
    assert_eq!(greet("tab", 0.2, "http://b/", true), named("page", 1));
    assert_eq!(
        greet("tab", 0.3, "http://a/f?1#x", false),
        named("page http://a/f", 0)
    );
    assert_eq!(
        greet("one", 0.4, "blob:http://a/1", true),
        named("worker blob:", 0)
    );
    assert_eq!(
        greet("two", 0.5, "blob:http://a/2", true),
        named("worker blob:", 1)
    );
    assert_eq!(
        realms.address(&session("one"), 1).as_deref(),
        Some("blob:http://a/1")
    );
    let mut beside = realms.beside_the_tab();
    beside.sort();
    assert_eq!(
        beside,
        [
            (session("one"), 1),
            (session("tab"), 1),
            (session("two"), 1)
        ]
    );
    told(
        &mut realms,
        "tab",
        "Target.detachedFromTarget",
        json!({ "sessionId": "one" }),
    );
    assert!(realms.name(DocumentId::from(0.4)).is_none());
    assert!(realms.name(DocumentId::from(0.1)).is_some());
}
