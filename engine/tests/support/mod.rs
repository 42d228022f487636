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
use parking_lot::Mutex;
use recording::Recording;
use serde_json::{Value, json};
use test_support::browsers;
use test_support::server::{Answer, Ending, Server};

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

/// The servers of this process, which end with it.
static SERVERS: Mutex<Vec<Server>> = Mutex::new(Vec::new());

/// Serves `pages` (path with query → status, type, body) on loopback; a path under `/slow/` is answered after 300 ms,
/// and one under `/hang/` never ends. Answers with the origin. It ends with the test's process.
pub async fn serve(pages: &[(&str, u16, &str, &str)]) -> String {
    let answers: HashMap<String, Answer> = pages
        .iter()
        .map(|(path, status, kind, body)| {
            let answer = Answer {
                status: *status,
                ..Answer::new(kind, *body)
            };
            ((*path).to_owned(), answer)
        })
        .collect();
    let answers = Arc::new(answers);
    let server = Server::start(move |asked| answered(answers.clone(), asked.path)).unwrap();
    let origin = format!("http://127.0.0.1:{}", server.port());
    SERVERS.lock().push(server);
    origin
}

async fn answered(answers: Arc<HashMap<String, Answer>>, path: String) -> Option<Answer> {
    if path.starts_with("/hang/") {
        return Some(Answer {
            headers: vec![("Content-Length".to_owned(), "9".to_owned())],
            ending: Ending::Never,
            ..Answer::new("", "")
        });
    }
    if path.starts_with("/slow/") {
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let answer = answers.get(&path).cloned();
    Some(answer.unwrap_or_else(Answer::missing))
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
