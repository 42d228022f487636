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
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::recorder::Recorder;
use crate::support::{LIMIT, browser, click, recording};
use cdp_driver::native::TokioClock;
use engine::ask::{AskRequest, Reproduce, ask};
use engine::collection::Instrument;
use querypoint::answer::Answer;
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use recording::Recording;
use test_support::server::{Answer as Served, Server};

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

/// A question, and how it is asked.
struct RecordedQuestion<'a> {
    /// The name of the transcript.
    name: &'a str,
    /// The HTML of the page, for one execution after the other; all others get the last.
    pages: &'a [&'static str],
    at: &'a str,
    queries: &'a [&'a str],
    reproduce: Reproduce,
    /// See [`AskRequest::read_ahead`].
    read_ahead: bool,
    instrument: Instrument,
    /// What the user does.
    steps: Option<Value>,
    /// Whether the browser says, where the page is paused, that nothing of the user's input has come. What it drops
    /// then is another thing each time.
    drops_input: bool,
}

impl<'a> RecordedQuestion<'a> {
    /// A question that is asked in executions that find and in others that read.
    fn new(name: &'a str, html: &'a [&'static str], at: &'a str, queries: &'a [&'a str]) -> Self {
        Self {
            name,
            pages: html,
            at,
            queries,
            reproduce: Reproduce::Replay,
            read_ahead: false,
            instrument: Instrument::Query,
            steps: None,
            drops_input: false,
        }
    }
}

/// Serves a page that is another one each time; gives its address.
fn served(pages: &[&'static str]) -> String {
    let (pages, asked) = (pages.to_vec(), AtomicUsize::new(0));
    let server = Server::start(move |request| {
        let html = (request.path == "/page.html").then(|| {
            let time = asked.fetch_add(1, Ordering::Relaxed);
            pages[time.min(pages.len() - 1)]
        });
        let answer = html.map(|html| Served::new("text/html; charset=utf-8", html));
        async move { Some(answer.unwrap_or_else(Served::missing)) }
    });
    // It ends with the test's process.
    Box::leak(Box::new(server.unwrap())).url("/page.html")
}

/// Asks; the answer is that of the transcript, which is written where that is wanted.
async fn asked(question: RecordedQuestion<'_>) {
    let RecordedQuestion {
        name,
        queries,
        steps,
        ..
    } = question;
    let browser = browser().await;
    let parsed = queries.iter().map(|text| Query::parse(text).unwrap());
    let request = AskRequest {
        reproduce: question.reproduce,
        read_ahead: question.read_ahead,
        instrument: question.instrument,
        recording: steps.map(recording),
        ..AskRequest::new(
            served(question.pages),
            ReproductionPoint::parse(question.at).unwrap(),
            DependencyGraph::new(parsed.collect()).unwrap(),
            LIMIT,
        )
    };
    let recorder = Arc::new(Recorder::new(browser.protocol(), question.drops_input));
    let clock = Arc::new(TokioClock::new());
    let answer = ask(recorder.clone(), clock, &request, &mut |_| {})
        .await
        .unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(format!("{name}.json"));
    if std::env::var_os("QUERYPOINT_RECORD_TRANSCRIPTS").is_some() {
        let entries = recorder.take_entries();
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
    let mut prefixes = Vec::new();
    for entry in &mut entries {
        if entry[0] == "command" {
            let params = entry[4].to_string();
            for (at, _) in params.match_indices("$Qp") {
                let ours: String = params[at + 1..].chars().take("Qp01234567".len()).collect();
                if !prefixes.contains(&ours) {
                    prefixes.push(ours);
                }
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
        "is_live": request.instrument == Instrument::Live,
        "recording": request.recording.as_ref().map(Recording::to_json),
        "prefixes": prefixes,
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
    asked(RecordedQuestion::new(
        "last_change",
        &[CARTS],
        "page.html:12",
        &queries,
    ))
    .await;
}

/// What a question is by default: the execution that finds the change has read it.
#[tokio::test]
async fn a_change_that_the_execution_reads_that_finds_it() {
    let queries = ["B = lastChange(R:one.total)"];
    asked(RecordedQuestion {
        read_ahead: true,
        ..RecordedQuestion::new("read_ahead", &[CARTS], "page.html:12", &queries)
    })
    .await;
}

#[tokio::test]
async fn who_wrote_last() {
    let queries = ["B = lastChange(R:one.total)"];
    asked(RecordedQuestion {
        instrument: Instrument::Live,
        ..RecordedQuestion::new("live", &[CARTS], "page.html:12", &queries)
    })
    .await;
}

#[tokio::test]
async fn a_point_that_is_not_reached() {
    let queries = ["B = lastChange(R:one.total)"];
    asked(RecordedQuestion::new(
        "not_reached",
        &[CARTS],
        "console:never",
        &queries,
    ))
    .await;
}

const PAYS: &str = "<!doctype html><button id=pay>pay</button><script>
const cart = { total: 0 };
document.querySelector('#pay').onclick = () => {
  cart.total += 7;
  document.title = cart.total;
};
</script>";

/// It is not read what a page does that lacks some of the user's input: it runs once more without a pause.
#[tokio::test]
async fn a_click_that_is_lost_while_the_page_is_paused() {
    let queries = ["B = lastChange(R:cart.total)"];
    asked(RecordedQuestion {
        read_ahead: true,
        steps: Some(json!([click(json!([["#pay"]]))])),
        drops_input: true,
        ..RecordedQuestion::new("lost_input", &[PAYS], "page.html:5", &queries)
    })
    .await;
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
    asked(RecordedQuestion::new(
        "varies",
        &[VARIES],
        "page.html:7",
        &queries,
    ))
    .await;
}

const REACHES: &str = "<!doctype html><script>
const cart = { total: 0 };
cart.total = 5;
if (cart.total === 5) {
  document.title = cart.total;
}
</script>";

const REACHES_NOT: &str = "<!doctype html><script>
const cart = { total: 0 };
cart.total = 6;
if (cart.total === 5) {
  document.title = cart.total;
}
</script>";

#[tokio::test]
async fn a_point_that_is_reached_once_and_never_again() {
    let queries = ["B = lastChange(R:cart.total)"];
    let pages = [REACHES, REACHES_NOT];
    asked(RecordedQuestion::new(
        "diverged",
        &pages,
        "page.html:5",
        &queries,
    ))
    .await;
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
    asked(RecordedQuestion::new(
        "last_condition",
        &[CALLERS],
        "page.html:3",
        &queries,
    ))
    .await;
}

#[tokio::test]
async fn a_value_of_a_caller() {
    let queries = ["B = lastChange(R(1):cart.total)"];
    asked(RecordedQuestion::new(
        "frames",
        &[CALLERS],
        "page.html:3",
        &queries,
    ))
    .await;
}

#[tokio::test]
async fn a_line_that_does_not_run() {
    const NEVER: &str = "<!doctype html><script>
const cart = { total: 2 };
if (cart.total > 3) {
  document.title = cart.total;
}
</script>";
    let queries = ["W = whyNot(page.html:4)"];
    asked(RecordedQuestion::new("why_not", &[NEVER], "end", &queries)).await;
}

const PASSED_ON: &str = "<!doctype html><script>
function priced(item) {
  return { ...item, label: item.name.trim() };
}
function show(label) {
  document.title = label;
}
const name = ' tea ';
const cart = [{ name }].map(priced);
show(cart[0].label);
</script>";

/// What it is followed through is in a log that one execution records.
#[tokio::test]
async fn where_a_value_was_made() {
    let queries = ["O = origin(R:label)"];
    asked(RecordedQuestion::new(
        "origin",
        &[PASSED_ON],
        "page.html:6",
        &queries,
    ))
    .await;
}

#[tokio::test]
async fn what_could_have_been_done_to_a_list() {
    const EMPTY: &str = "<!doctype html><script>
const cart = { items: [], isOpen: false };
function add(item) {
  if (cart.isOpen) {
    cart.items.push(item);
  }
}
add('tea');
document.title = cart.items.length;
</script>";
    let queries = ["O = omitted(R:cart.items)"];
    asked(RecordedQuestion::new(
        "omitted",
        &[EMPTY],
        "page.html:9",
        &queries,
    ))
    .await;
}

const LIST: &str = "<!doctype html><script>
const list = ['one', 'two'];
function rename(i, text) {
  list[i] = text;
}
rename(1, 'deux');
const i = 1;
document.title = list[i];
</script>";

#[tokio::test]
async fn an_element_whose_name_the_first_execution_tells() {
    let queries = ["B = lastChange(R:list[i])"];
    asked(RecordedQuestion::new(
        "names",
        &[LIST],
        "page.html:8",
        &queries,
    ))
    .await;
}

const ATTRIBUTE: &str = "<!doctype html><div id=box>old</div><script>
const box = document.getElementById('box');
box.id = 'new';
document.title = box.id;
</script>";

#[tokio::test]
async fn an_object_that_the_browser_hands_out() {
    let queries = ["B = lastChange(R:box.attributes.id.value)"];
    asked(RecordedQuestion::new(
        "parts",
        &[ATTRIBUTE],
        "page.html:4",
        &queries,
    ))
    .await;
}

const AFFECTS: &str = "<!doctype html><script>
const cart = { total: 0 };
function check() {
  document.title = cart.total;
}
function add(value) {
  cart.total = value;
  helper();
  check();
}
function helper() { cart.total += 1; }
add(3);
cart.total = 2;
add(4);
</script>";

#[tokio::test]
async fn events_that_are_looked_at_once_a_call_stack_is_known() {
    let queries = ["T = trace(write(.total), mayAffect(R))"];
    asked(RecordedQuestion::new(
        "looks",
        &[AFFECTS],
        "page.html:4",
        &queries,
    ))
    .await;
}

const WORKER: &str = "<!doctype html><script>
const code = 'onmessage = (message) => postMessage(message.data * 2);';
const worker = new Worker(URL.createObjectURL(new Blob([code])));
const cart = { total: 0 };
worker.onmessage = (message) => {
  cart.total = message.data;
  document.title = cart.total;
};
worker.postMessage(4);
</script>";

#[tokio::test]
async fn a_page_with_a_session_of_its_own_for_a_worker() {
    let queries = ["B = lastChange(R:cart.total)"];
    asked(RecordedQuestion::new(
        "worker",
        &[WORKER],
        "page.html:7",
        &queries,
    ))
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
    asked(RecordedQuestion {
        reproduce: Reproduce::CallStack,
        ..RecordedQuestion::new("call_stack", &[CALLED], "page.html:4", &queries)
    })
    .await;
}
