//! Who may not speak to the back end, and what may not be said to it. Each test attacks.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel, knock};
use async_tungstenite::tungstenite::Error;
use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use cdp_driver::protocol::SessionId;
use querypoint::session::messages::{LARGEST_MESSAGE, News, RefusalCode, ResponseOutcome};
use querypoint::session::methods;
use serde_json::{Value, json};

#[tokio::test]
async fn without_the_secret_nobody_comes_in() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let right = format!("querypoint.2, {}", back_end.secret);
    let shorter = &right[..right.len() - 1];
    for protocols in [
        "querypoint.2",
        "querypoint.2, secret.",
        "querypoint.1",
        shorter,
    ] {
        let headers = [("Sec-WebSocket-Protocol", protocols)];
        let knocked = knock(&back_end.url, &headers).await;
        assert_eq!(knocked.err(), Some(403), "{protocols}");
    }
    assert_eq!(knock(&back_end.url, &[]).await.err(), Some(403));
    // Nor by another name, or from another page, whatever is known.
    for (name, value) in [
        ("Host", "evil.example"),
        ("Host", "127.0.0.1"),
        ("Origin", "http://evil.example"),
        ("Origin", "http://127.0.0.1:1"),
        ("Origin", "null"),
        (
            "Origin",
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
    ] {
        let headers = [("Sec-WebSocket-Protocol", right.as_str()), (name, value)];
        let knocked = knock(&back_end.url, &headers).await;
        assert_eq!(knocked.err(), Some(403), "{name}: {value}");
    }
    let own = format!("http://127.0.0.1:{}", back_end.port());
    let headers = [("Sec-WebSocket-Protocol", right.as_str()), ("Origin", &own)];
    let mut panel = knock(&back_end.url, &headers).await.unwrap();
    panel
        .hears(|news| matches!(news, News::Welcome { protocol: 2, .. }))
        .await;
}

/// What comes of it when a page of `url` tries every way to the back end; it knows the secret.
async fn tried_by_a_page(
    browser: &Browser,
    url: &str,
    back_end: &BackEnd,
    by_name: &str,
) -> String {
    let protocol = browser.protocol();
    let made = protocol
        .send(None, "Target.createTarget", json!({ "url": url }))
        .await;
    let target = made.unwrap()["targetId"].clone();
    let attach = json!({ "targetId": target, "flatten": true });
    let attached = protocol
        .send(None, "Target.attachToTarget", attach)
        .await
        .unwrap();
    let session = SessionId(attached["sessionId"].as_str().unwrap().to_owned());
    let port = back_end.port();
    let expression = format!(
        "(async () => {{\n\
         const socket = await new Promise((say) => {{\n\
           const socket = new WebSocket('ws://{by_name}:{port}/panel', ['querypoint.2', '{secret}']);\n\
           socket.onopen = () => say('open');\n\
           socket.onerror = () => say('closed');\n\
         }});\n\
         const read = await fetch('http://{by_name}:{port}/panel').then((response) => `read ${{response.status}}`, () \
         => 'not read');\n\
         return `${{location.origin}} ${{socket}} ${{read}}`;\n\
         }})()",
        secret = back_end.secret,
    );
    // Once the page is there.
    let evaluate = async |expression: &str| {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = protocol
            .send(Some(&session), "Runtime.evaluate", params)
            .await;
        answer.map_or(json!(null), |answer| answer["result"]["value"].clone())
    };
    let is_there = format!("location.href === '{url}' && document.readyState === 'complete'");
    while evaluate(&is_there).await != json!(true) {
        tokio::task::yield_now().await;
    }
    let tried = evaluate(&expression).await;
    tried.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_page_in_the_same_browser_does_not_come_in() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let site = Site::new(&[("/", page("<p>Evil"))]);
    let port = back_end.port();
    let options = LaunchOptions {
        extra_flags: vec!["--host-resolver-rules=MAP evil.example 127.0.0.1".to_owned()],
        ..LaunchOptions::of(Purpose::Everything)
    };
    let browser = Browser::launch(options).await.unwrap();
    let origin = site.url("");
    let tried = tried_by_a_page(&browser, &site.url("/"), &back_end, "127.0.0.1").await;
    assert_eq!(tried, format!("{origin} closed not read"));
    // A site whose name was turned to this machine: to the browser it is the back end itself that it speaks to.
    let rebound = format!("http://evil.example:{port}/");
    let tried = tried_by_a_page(&browser, &rebound, &back_end, "evil.example").await;
    assert_eq!(tried, format!("http://evil.example:{port} closed read 403"));
    browser.close().await;
}

#[tokio::test]
async fn it_listens_on_this_machine_only() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let port = format!(":{:04X}", back_end.port());
    let listening = |table: &str| {
        let table = std::fs::read_to_string(table).unwrap_or_default();
        let rows = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let ours = rows.filter(|row| row.len() > 3 && row[1].ends_with(&port) && row[3] == "0A");
        ours.map(|row| row[1].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert_eq!(listening("/proc/net/tcp6"), [""; 0]);
}

#[tokio::test]
async fn what_is_no_request_is_said_to_be_none() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::connected(&back_end).await;
    for (text, id, code) in [
        ("{", None, RefusalCode::NotJson),
        ("", None, RefusalCode::NotJson),
        ("[]", None, RefusalCode::NoRequest),
        ("null", None, RefusalCode::NoRequest),
        ("{\"id\":7}", Some(7), RefusalCode::NoRequest),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"evaluate\",\"params\":{\"expression\":\"1\"}}",
            Some(7),
            RefusalCode::NoRequest,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ask\",\"params\":{\"query\":\"lastChange(R:a)\"}}",
            Some(7),
            RefusalCode::NotNow,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"open\",\"params\":{\"session\":\"../../x\"}}",
            Some(7),
            RefusalCode::NotUnderstood,
        ),
    ] {
        panel.send(text).await;
        match panel.response(id).await.outcome {
            ResponseOutcome::Error(refusal) => assert_eq!(refusal.code, code, "{text}"),
            ResponseOutcome::Result(given) => panic!("{text}: {given:?}"),
        }
    }
    // Deeper than anybody's stack.
    panel
        .send(format!("{}1{}", "[".repeat(400_000), "]".repeat(400_000)))
        .await;
    assert!(matches!(
        panel.response(None).await.outcome,
        ResponseOutcome::Error(_)
    ));
    panel.done(methods::Sessions {}).await;
    // Too much at once ends the connection, and nothing else.
    let ended = panel.sends("x".repeat(LARGEST_MESSAGE + 1)).await;
    assert!(matches!(ended, Ok(()) | Err(Error::Io(_))), "{ended:?}");
    while panel.hear().await.is_some() {}
    Panel::with(&back_end, "one")
        .await
        .done(methods::Sessions {})
        .await;
    let state = folder.0.join("state");
    assert!(!state.join("x").exists() && !folder.0.join("x").exists());
}

#[tokio::test]
async fn there_is_no_room_for_any_number_of_panels() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panels = Vec::new();
    for _ in 0..64 {
        panels.push(Panel::connected(&back_end).await);
    }
    let protocols = format!("querypoint.2, {}", back_end.secret);
    let headers = [("Sec-WebSocket-Protocol", protocols.as_str())];
    assert_eq!(knock(&back_end.url, &headers).await.err(), Some(503));
    // Who goes makes room; that takes as long as it takes until it is noticed.
    panels.clear();
    let start = std::time::Instant::now();
    while let Err(status) = knock(&back_end.url, &headers).await {
        assert_eq!(status, 503);
        assert!(start.elapsed() < std::time::Duration::from_secs(10));
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_folder_and_a_port_have_one_back_end() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let state = folder.0.join("state");
    let second = querypoint(&["serve", "--state", state.to_str().unwrap()]);
    assert_eq!(second.status, Some(2), "{second:#?}");
    assert!(
        second.err.contains("another `querypoint serve` uses"),
        "{second:#?}"
    );
    let other = folder.0.join("other");
    let port = back_end.port().to_string();
    let second = querypoint(&["serve", "--state", other.to_str().unwrap(), "--port", &port]);
    assert_eq!(second.status, Some(4), "{second:#?}");
    assert!(second.err.contains("--port"), "{second:#?}");
}

#[tokio::test]
async fn what_a_panel_passes_on_may_be_anything() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::connected(&back_end).await;
    let event = |event: &str, params: Value| methods::Event {
        event: event.to_owned(),
        params,
    };
    let answered = |command: u64, result: Option<Value>| methods::Answered {
        command,
        result,
        error: None,
    };
    // Of a tab that nobody attached nothing is believed.
    panel.done(event("Debugger.paused", json!({}))).await;
    panel.done(answered(1, Some(json!({})))).await;
    let events = panel.done(methods::Attach {}).await.events;
    let domains = [
        "Debugger.",
        "Fetch.",
        "Inspector.",
        "Log.",
        "Network.",
        "Overlay.",
        "Page.",
        "Runtime.",
    ];
    let is_known = |event: &String| domains.iter().any(|domain| event.starts_with(domain));
    assert!(events.iter().all(is_known), "{events:?}");
    // The recording of the tab has commands of its own, before or after this one.
    let is_debugger =
        |news: &News| matches!(news, News::Command { name, .. } if name == "Debugger.enable");
    let News::Command { command, .. } = panel.hears(is_debugger).await else {
        panic!();
    };
    panel.done(answered(command + 7, None)).await;
    panel.done(answered(command, Some(json!({})))).await;
    for params in [
        json!(null),
        json!({ "callFrames": "none" }),
        json!({ "callFrames": [null, 5, { "scopeChain": [{}], "location": { "lineNumber": -1 } }] }),
        json!({ "reason": { "deep": [[[[]]]] } }),
    ] {
        // It is skipped.
        panel.done(event("Debugger.paused", params)).await;
    }
    let paused = json!({ "reason": "neverSeen", "callFrames": [], "future": [null] });
    panel.done(event("Debugger.paused", paused)).await;
    panel
        .hears(|news| matches!(news, News::Stopped { stop: Some(_) }))
        .await;
    panel.done(event("Debugger.resumed", json!(5))).await;
    panel
        .hears(|news| matches!(news, News::Stopped { stop: None }))
        .await;
    panel
        .done(event("Runtime.consoleAPICalled", json!({})))
        .await;
    panel.done(methods::Detach {}).await;
    panel.done(event("Debugger.paused", json!({}))).await;
    panel.done(methods::Sessions {}).await;
}
