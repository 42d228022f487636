//! The page against a browser in memory.

use cdp_driver::protocol::generated as cdp;
use std::time::Duration;

use futures::executor::block_on;
use futures::future::join;
use serde_json::json;

use super::*;
use crate::fake::{self, SESSION, TARGET, event};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LIMIT: Duration = Duration::from_secs(5);

fn navigated(loader: &str, url: &str) -> Event {
    event(
        cdp::page::FrameNavigated::METHOD,
        json!({ "frame": { "id": TARGET, "loaderId": loader, "url": url } }),
    )
}

fn load(loader: &str) -> Event {
    event(
        cdp::page::LifecycleEvent::METHOD,
        json!({ "frameId": TARGET, "name": "load", "loaderId": loader }),
    )
}

fn started(loader: &str) -> Option<Result<Value, ProtocolError>> {
    Some(Ok(json!({ "frameId": TARGET, "loaderId": loader })))
}

#[test]
fn opening_takes_three_round_trips_and_one_batch() {
    let (protocol, _, page) = fake::page();
    assert_eq!(page.session(), &SessionId(SESSION.into()));
    assert_eq!(
        protocol.sent(cdp::target::CreateBrowserContext::METHOD),
        [json!({ "disposeOnDetach": true })]
    );
    assert_eq!(
        protocol.sent(cdp::target::SetAutoAttach::METHOD),
        [auto_attach(false).encoded().params]
    );
    drop(page);
    assert_eq!(
        protocol.sent(cdp::target::DisposeBrowserContext::METHOD),
        [json!({ "browserContextId": "context" })]
    );
}

#[test]
fn a_load_may_be_over_before_its_command_is_answered() {
    let (protocol, _, page) = fake::page();
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![navigated("L", "http://a/"), load("L")],
        started("L"),
    );
    let outcome = block_on(page.navigate("http://a/", LIMIT)).unwrap();
    assert_eq!(
        outcome,
        LoadOutcome {
            url: "http://a/".into(),
            status: None
        }
    );
}

#[test]
fn events_nobody_knows_do_not_disturb() {
    let (protocol, _, page) = fake::page();
    let noise = [
        "Future.event",
        cdp::page::FrameNavigated::METHOD,
        cdp::page::LifecycleEvent::METHOD,
        cdp::target::AttachedToTarget::METHOD,
        "x",
    ];
    let mut events: Vec<Event> = noise
        .map(|method| event(method, json!({ "kind": ["never", "seen"] })))
        .to_vec();
    events.extend([
        navigated("L", "http://a/"),
        event("", Value::Null),
        load("L"),
    ]);
    protocol.on(cdp::page::Navigate::METHOD, events, started("L"));
    block_on(page.navigate("http://a/", LIMIT)).unwrap();
}

#[test]
fn a_page_that_does_not_load_is_typed() {
    let (protocol, _, page) = fake::page();
    let refused =
        json!({ "frameId": TARGET, "loaderId": "L", "errorText": "net::ERR_CONNECTION_REFUSED" });
    protocol.on(cdp::page::Navigate::METHOD, vec![], Some(Ok(refused)));
    let error = block_on(page.navigate("http://a/", LIMIT)).unwrap_err();
    assert_eq!(
        error,
        EngineError::PageNotLoaded {
            url: "http://a/".into(),
            why: "net::ERR_CONNECTION_REFUSED".into()
        }
    );
}

#[test]
fn a_load_that_does_not_end_times_out() {
    let (protocol, clock, page) = fake::page();
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![navigated("L", "http://a/")],
        started("L"),
    );
    let (error, ()) = block_on(join(page.navigate("http://a/", LIMIT), async {
        clock.advance(LIMIT)
    }));
    assert!(
        matches!(error, Err(EngineError::TimedOut { after_ms: 5000, .. })),
        "{error:?}"
    );
}

#[test]
fn a_crash_ends_every_wait() {
    let (protocol, _, page) = fake::page();
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![navigated("L", "http://a/")],
        started("L"),
    );
    let crash = async {
        protocol.emit(&event(cdp::inspector::TargetCrashed::METHOD, json!({})));
    };
    let (error, ()) = block_on(join(page.navigate("http://a/", LIMIT), crash));
    assert!(
        matches!(
            error,
            Err(EngineError::Protocol(ProtocolError::TargetCrashed { .. }))
        ),
        "{error:?}"
    );
}

#[test]
fn a_lost_connection_ends_every_wait() {
    let gone = ProtocolError::ConnectionLost {
        reason: "test".into(),
    };
    // While the command waits, and while the load does.
    for answer in [None, started("L")] {
        let (protocol, _, page) = fake::page();
        protocol.on(
            cdp::page::Navigate::METHOD,
            vec![navigated("L", "http://a/")],
            answer,
        );
        let (error, ()) = block_on(join(page.navigate("http://a/", LIMIT), async {
            protocol.lose(&gone)
        }));
        assert_eq!(error, Err(EngineError::Protocol(gone.clone())));
    }
}

#[test]
fn dialogs_are_accepted_while_something_waits() {
    let (protocol, _, page) = fake::page();
    let dialog = event(
        cdp::page::JavascriptDialogOpening::METHOD,
        json!({ "type": "prompt", "message": "m", "defaultPrompt": "7" }),
    );
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![dialog, navigated("L", "http://a/"), load("L")],
        started("L"),
    );
    block_on(page.navigate("http://a/", LIMIT)).unwrap();
    assert_eq!(
        protocol.sent(cdp::page::HandleJavaScriptDialog::METHOD),
        [json!({ "accept": true, "promptText": "7" })]
    );
    assert_eq!(page.dialogs_accepted(), 1);
}

#[test]
fn two_waits_at_once_both_learn_of_it() {
    let (protocol, _, page) = fake::page();
    let wait = || page.wait_for_child("worker", LIMIT);
    let info = json!({ "sessionId": "C", "targetInfo": { "type": "worker", "targetId": "W", "title": "", "url": "w.js" } });
    let (a, b, ()) = block_on(futures::future::join3(wait(), wait(), async {
        protocol.emit(&event(cdp::target::AttachedToTarget::METHOD, info));
    }));
    assert_eq!(a, b);
    assert_eq!(a.unwrap().url, "w.js");
}

#[test]
fn what_others_do_is_not_kept_and_what_the_page_starts_is_heard_before_anybody_reads_that_it_is_there()
 {
    let (protocol, _, page) = fake::page();
    let of = |session: &str, method: &str, params| Event {
        session: Some(SessionId(session.to_owned())),
        ..event(method, params)
    };
    let worker = |session: &str| {
        let info = json!({ "type": "worker", "targetId": session, "title": "", "url": session });
        json!({ "sessionId": session, "targetInfo": info })
    };
    let attached = cdp::target::AttachedToTarget::METHOD;
    for _ in 0..10_000 {
        let asked = of("other", cdp::network::RequestWillBeSent::METHOD, json!({}));
        assert_eq!(protocol.emit(&asked), 0);
        assert_eq!(protocol.emit(&of("other", attached, worker("theirs"))), 0);
    }
    assert_eq!(protocol.emit(&of(SESSION, attached, worker("ours"))), 1);
    // Who prepares it takes it in, whether or not the page has read that it is there.
    page.sessions().add(SessionId("ours".to_owned()));
    assert_eq!(protocol.emit(&of("ours", attached, worker("nested"))), 1);
    let logged = of("ours", cdp::runtime::ConsoleApiCalled::METHOD, json!({}));
    assert_eq!(protocol.emit(&logged), 0);
    let urls: Vec<String> = page.child_targets().into_iter().map(|it| it.url).collect();
    assert_eq!(urls, ["ours", "nested"]);
}

#[test]
fn what_the_browser_leaves_out_is_named() {
    let protocol = Arc::new(fake::FakeProtocol::default());
    protocol.on(
        cdp::target::CreateTarget::METHOD,
        vec![],
        Some(Ok(json!({ "targetId": 3 }))),
    );
    let clock = Arc::new(fake::FakeClock::default());
    let error = block_on(Page::open(protocol, clock)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Target.createTarget was answered with something unexpected"),
        "{error}"
    );
}

#[test]
fn a_connection_of_one_tab_runs_the_page_in_that_tab() {
    let (protocol, _, page) = fake::page_of(fake::FakeProtocol::of_one_tab());
    assert_eq!(
        (page.session(), page.target_id()),
        (&SessionId(SESSION.into()), TARGET)
    );
    // A worker of the page waits; what other tabs do is not reported.
    assert_eq!(block_on(page.hold_children()), Ok(None));
    assert_eq!(
        protocol.sent(cdp::target::SetAutoAttach::METHOD),
        [auto_attach(false), auto_attach(true)].map(|it| it.encoded().params)
    );
    block_on(allow_local_network(&page)).unwrap();
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![navigated("L", "http://a/"), load("L")],
        started("L"),
    );
    let outcome = block_on(page.navigate("http://a/", LIMIT)).unwrap();
    assert_eq!(outcome.url, "http://a/");
    // A frame of another site has no session here, and the error says what is lost.
    let error = block_on(page.session_of_frame("F")).unwrap_err();
    assert!(
        matches!(
            error,
            ProtocolError::NotOffered {
                missing: Missing::Targets,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("frames of other sites is not observed"),
        "{error}"
    );
    block_on(page.dispose()).unwrap();
    // The tab is the user's: it stays, and the browser around it was never spoken to.
    assert_eq!(protocol.sent_to_browser(), [""; 0]);
}

#[test]
fn a_connection_of_one_tab_that_ends_is_lost() {
    let (protocol, _, page) = fake::page_of(fake::FakeProtocol::of_one_tab());
    let gone = ProtocolError::ConnectionLost {
        reason: "test".into(),
    };
    protocol.on(
        cdp::page::Navigate::METHOD,
        vec![navigated("L", "http://a/")],
        started("L"),
    );
    let (error, ()) = block_on(join(page.navigate("http://a/", LIMIT), async {
        protocol.lose(&gone)
    }));
    assert!(
        matches!(
            error,
            Err(EngineError::Protocol(ProtocolError::ConnectionLost { .. }))
        ),
        "{error:?}"
    );
}
