//! What the tests in a real browser share: a browser, and a small server on loopback.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, LaunchOptions, Purpose, TokioClock};
use cdp_driver::protocol::generated as cdp;
use engine::EngineError;
use engine::page::Page;
use engine::replay::{ReplayCursor, ReplayOptions, ReplayReport, replay};
use recording::Recording;
use serde_json::{Value, json};
use test_support::browsers;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What a step or a load may take on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// This worker's browser, in which pages have contexts of their own.
pub async fn browser() -> Browser {
    browsers::browser(Purpose::Pages).await.unwrap()
}

/// A browser of the test's own, with its own profile.
pub async fn own_browser() -> Browser {
    Browser::launch(LaunchOptions::default()).await.unwrap()
}

/// A page in `browser`.
pub async fn page(browser: &Browser) -> Page {
    Page::open(browser.protocol(), Arc::new(TokioClock::new()))
        .await
        .unwrap()
}

/// The value of `expression` in the page's own world.
pub async fn value(page: &Page, expression: &str) -> Value {
    let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
    let answer = page
        .drive(page.send(cdp::runtime::Evaluate::METHOD, params))
        .await
        .unwrap();
    assert!(
        answer.get("exceptionDetails").is_none(),
        "{expression}: {answer}"
    );
    answer
        .pointer("/result/value")
        .cloned()
        .unwrap_or(Value::Null)
}

/// A page of HTML as an address.
pub fn data_url(html: &str) -> String {
    let mut url = "data:text/html;charset=utf-8,".to_owned();
    for byte in html.bytes() {
        url.push_str(&format!("%{byte:02X}"));
    }
    url
}

/// Serves `pages` (path with query → status, type, body) on loopback; a path under `/slow/` is answered after 300 ms,
/// and one under `/hang/` never ends. Answers with the origin. It ends with the runtime.
pub async fn serve(pages: &[(&str, u16, &str, &str)]) -> String {
    let pages: HashMap<String, (u16, String, String)> = pages
        .iter()
        .map(|(path, status, kind, body)| {
            (
                (*path).to_owned(),
                (*status, (*kind).to_owned(), (*body).to_owned()),
            )
        })
        .collect();
    let pages = Arc::new(pages);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let pages = pages.clone();
            tokio::spawn(async move {
                let mut request = Vec::new();
                let mut chunk = [0; 2048];
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    match socket.read(&mut chunk).await {
                        Ok(0) | Err(_) => return,
                        Ok(count) => request.extend_from_slice(&chunk[..count]),
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
                if path.starts_with("/hang/") {
                    let _ = socket
                        .write_all(b"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n")
                        .await;
                    std::future::pending::<()>().await;
                }
                if path.starts_with("/slow/") {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
                let missing = (404, "text/plain".to_owned(), "not here".to_owned());
                let (status, kind, body) = pages.get(&path).unwrap_or(&missing);
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = socket.write_all(head.as_bytes()).await;
                let _ = socket.write_all(body.as_bytes()).await;
            });
        }
    });
    origin
}

/// A recording of these steps.
pub fn recording(steps: Value) -> Recording {
    Recording::parse(&json!({ "title": "test", "steps": steps }).to_string()).unwrap()
}

/// Fast, and patient.
pub fn options() -> ReplayOptions {
    ReplayOptions {
        step_limit: LIMIT,
        ..ReplayOptions::default()
    }
}

/// Replays these steps.
pub async fn run(page: &Page, steps: Value) -> Result<ReplayReport, EngineError> {
    replay(
        page,
        &recording(steps),
        &options(),
        &ReplayCursor::default(),
        &mut |_, _, _| {},
    )
    .await
}

/// A click step.
pub fn click(selectors: Value) -> Value {
    json!({ "type": "click", "selectors": selectors, "offsetX": 3, "offsetY": 3 })
}
