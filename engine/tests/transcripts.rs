//! Questions that are asked in a real browser, and what was said on the wire meanwhile. The tests of `engine/src/ask`
//! play the transcripts in `engine/tests/transcripts`, without a browser; here it is seen that a browser still gives
//! these answers. `QUERYPOINT_RECORD_TRANSCRIPTS=1` writes them anew.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::path::Path;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::{BoxStream, StreamExt};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::support::{LIMIT, browser, serve};
use cdp_driver::native::TokioClock;
use cdp_driver::protocol::{Event, Offers, Protocol, ProtocolError, SessionId, Wanted};
use engine::ask::{AskRequest, Reproduce, ask};
use querypoint::answer::Answer;
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;

/// A connection that keeps what is said over it: commands, answers, and the events that somebody listens to.
struct Recorder {
    protocol: Arc<dyn Protocol>,
    log: Arc<Mutex<Log>>,
}

struct Log {
    events: BoxStream<'static, Event>,
    wanted: Vec<Wanted>,
    commands: usize,
    entries: Vec<Value>,
}

impl Log {
    /// Whatever comes next is said after the events so far.
    fn add(&mut self, entry: Value) {
        while let Some(Some(event)) = self.events.next().now_or_never() {
            if self.wanted.iter().any(|wanted| wanted.has(&event)) {
                let Event {
                    session,
                    method,
                    params,
                    ..
                } = event;
                self.entries
                    .push(json!(["event", session, method, *params]));
            }
        }
        self.entries.push(entry);
    }
}

impl Recorder {
    fn new(protocol: Arc<dyn Protocol>) -> Self {
        let log = Log {
            events: protocol.events(),
            wanted: Vec::new(),
            commands: 0,
            entries: Vec::new(),
        };
        Self {
            protocol,
            log: Arc::new(Mutex::new(log)),
        }
    }
}

impl Protocol for Recorder {
    fn offers(&self) -> Offers {
        self.protocol.offers()
    }

    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let number = {
            let mut log = self.log.lock();
            log.commands += 1;
            let number = log.commands;
            log.add(json!(["command", number, session, method, params]));
            number
        };
        let answer = self.protocol.send(session, method, params);
        async move {
            let answer = answer.await;
            let mut log = self.log.lock();
            match &answer {
                Ok(result) => log.add(json!(["answer", number, result])),
                // A breakpoint that is refused is missed nowhere, but at stops in functions that were optimised.
                Err(error @ ProtocolError::Refused { .. }) => {
                    panic!("all is in its order: {error}")
                }
                Err(error) => panic!("nothing is recorded of a connection that is lost: {error}"),
            }
            answer
        }
        .boxed()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.log.lock().wanted.push(wanted.clone());
        self.protocol.events_of(wanted)
    }
}

/// What an answer says of each point, as far as it is the same each time.
fn outline(answer: &Answer) -> Value {
    let points = answer.points.iter().map(|point| {
        let line = point.location.as_ref().map(|location| location.line);
        json!([point.name, point.status, line])
    });
    json!([
        answer.executions,
        answer.consistency.agrees,
        points.collect::<Vec<_>>()
    ])
}

/// Asks on a page of this HTML; the answer is that of the transcript `name`, which is written where that is wanted.
async fn asked(name: &str, html: &str, at: &str, queries: &[&str], reproduce: Reproduce) {
    asked_so(name, html, at, queries, (reproduce, false)).await;
}

/// The same; `read_ahead`: see [`AskRequest`].
async fn asked_so(
    name: &str,
    html: &str,
    at: &str,
    queries: &[&str],
    (reproduce, read_ahead): (Reproduce, bool),
) {
    let browser = browser().await;
    let kind = "text/html; charset=utf-8";
    let origin = serve(&[("/page.html", 200, kind, html)]).await;
    let page = format!("{origin}/page.html");
    let parsed = queries.iter().map(|text| Query::parse(text).unwrap());
    let request = AskRequest {
        reproduce,
        read_ahead,
        ..AskRequest::new(
            page.clone(),
            ReproductionPoint::parse(at).unwrap(),
            DependencyGraph::new(parsed.collect()).unwrap(),
            LIMIT,
        )
    };
    let recorder = Arc::new(Recorder::new(browser.protocol()));
    let clock = Arc::new(TokioClock::new());
    let answer = ask(recorder.clone(), clock, &request, &mut |_| {})
        .await
        .unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(format!("{name}.json"));
    if std::env::var_os("QUERYPOINT_RECORD_TRANSCRIPTS").is_some() {
        let entries = std::mem::take(&mut recorder.log.lock().entries);
        std::fs::write(&path, transcript(&request, queries, &answer, entries)).unwrap();
    }
    let known: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let known: Answer = serde_json::from_value(known["answer"].clone()).unwrap();
    assert_eq!(outline(&answer), outline(&known));
}

/// The text of a transcript. Our names are in it as they were: the player puts its own in their place. Parameters are
/// kept as far as they tell one command from another.
fn transcript(
    request: &AskRequest,
    queries: &[&str],
    answer: &Answer,
    mut entries: Vec<Value>,
) -> String {
    const LONGEST: usize = 200;
    let mut prefix = String::new();
    for entry in &mut entries {
        if entry[0] == "command" {
            let params = entry[4].to_string();
            if let (true, Some(at)) = (prefix.is_empty(), params.find("$Qp")) {
                prefix = params[at + 1..].chars().take("Qp01234567".len()).collect();
            }
            entry[4] = params.chars().take(LONGEST).collect::<String>().into();
        }
    }
    let head = json!({
        "page": request.page,
        "at": request.at.to_string(),
        "queries": queries,
        "by_call": request.reproduce == Reproduce::CallStack,
        "reads_ahead": request.read_ahead,
        "prefix": prefix,
        "answer": answer,
    });
    let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
    let head = head.to_string();
    let head = head.strip_suffix('}').unwrap();
    format!("{head},\"entries\":[\n{}\n]}}\n", lines.join(",\n"))
}

const CARTS: &str = "<!doctype html><script>
const one = { total: 0 };
const two = { total: 0 };
function add(cart, item) {
  cart.total += item.price;
}
const item = { price: 0 };
item.price = 5;
add(one, item);
add(two, item);
add(one, { price: 0 });
document.title = one.total;
</script>";

#[tokio::test]
async fn a_change_and_what_it_was_computed_from() {
    let queries = [
        "B = lastChange(R:one.total)",
        "C = lastChange(B:item.price)",
    ];
    asked(
        "last_change",
        CARTS,
        "page.html:12",
        &queries,
        Reproduce::Replay,
    )
    .await;
}

/// What a question is by default: the execution that finds the change has read it.
#[tokio::test]
async fn a_change_that_the_execution_reads_that_finds_it() {
    let queries = ["B = lastChange(R:one.total)"];
    let how = (Reproduce::Replay, true);
    asked_so("read_ahead", CARTS, "page.html:12", &queries, how).await;
}

const VARIES: &str = "<!doctype html><script>
const cart = { total: 0 };
const times = 1 + Math.floor(Math.random() * 1000);
for (let time = 0; time < times; time++) {
  cart.total = time + 1;
}
document.title = cart.total;
</script>";

#[tokio::test]
async fn a_page_that_does_something_else_each_time() {
    let queries = ["B = lastChange(R:cart.total)"];
    asked("varies", VARIES, "page.html:7", &queries, Reproduce::Replay).await;
}

const CALLERS: &str = "<!doctype html><script>
function inner(cart) {
  document.title = cart.total;
}
function outer(cart) {
  if (cart.total > 3) {
    inner(cart);
  }
}
outer({ total: 2 });
outer({ total: 7 });
</script>";

#[tokio::test]
async fn a_condition_of_a_caller() {
    let queries = ["C = lastCondition(R)"];
    asked(
        "last_condition",
        CALLERS,
        "page.html:3",
        &queries,
        Reproduce::Replay,
    )
    .await;
}

const CALLED: &str = "<!doctype html><script>
function pay(cart) {
  cart.total += 7;
  document.title = cart.total;
}
setTimeout(pay, 0, { total: 2 });
</script>";

#[tokio::test]
async fn a_function_that_is_called_again() {
    let queries = ["B = lastChange(R:cart.total)"];
    asked(
        "call_stack",
        CALLED,
        "page.html:4",
        &queries,
        Reproduce::CallStack,
    )
    .await;
}
