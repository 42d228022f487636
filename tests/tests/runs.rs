//! Pages that do not run the same way twice: an answer is about one execution, and `--runs` counts what else it can be.
//!
//! The pages here vary as a server tells them to, so that what comes out is known beforehand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use parking_lot::Mutex;
use std::future::pending;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::loopback::*;
use cdp_driver::native::{Browser, LaunchOptions, Purpose, TokioClock};
use engine::page::Page;
use futures::StreamExt;
use serde_json::{Value, json};
use test_support::browsers;
use test_support::server::{self, Answer};
use tokio::sync::watch;

/// Which function writes last, the server says; it is told what was written. What is marked is found by the texts.
const PAGE: &str = "<!doctype html><meta charset=utf-8>
<script>
const shared = { value: '' };
let turn = '';
function first() {
  const text = `first in ${turn}`;
  shared.value = text;
}
function second() {
  const text = `second in ${turn}`;
  shared.value = text;
}
function get(path) {
  const request = new XMLHttpRequest();
  request.open('GET', path, false);
  request.send();
  return request.responseText;
}
const [order, number, name] = get('/turn').split(' ');
turn = name;
if (order === 'first') {
  second(); first();
} else {
  first(); second();
}
get(`/last/${number}/${shared.value}`);
if (order !== 'never')
  console.log(shared);
</script>";

/// The line of `PAGE` that holds `text`, from 1.
fn line(text: &str) -> u64 {
    let index = PAGE.lines().position(|line| line.contains(text)).unwrap();
    index as u64 + 1
}

const FIRST: &str = "first in";
const SECOND: &str = "second in";

/// The line on which the function whose text begins so writes.
fn writes(which: &str) -> u64 {
    line(which) + 1
}

fn point() -> String {
    format!("page.html:{}", line("console.log"))
}

/// What happens to the execution of that number, from 1.
type Orders = dyn Fn(usize) -> &'static str + Send + Sync;

#[derive(Default)]
struct ServerState {
    /// How many executions have asked for their turn, or were lost.
    turns: watch::Sender<usize>,
    /// What was written last, by execution.
    last: Mutex<Vec<(usize, String)>>,
}

/// A server that tells each execution in turn what to do: `first` or `second` writes last, it `never` reaches `R`, is
/// `lost` for want of a page, waits for the next one and then is as `first` (`together`), or has to `wait` for ever.
/// Its name is a second word, else its number.
struct Server {
    state: Arc<ServerState>,
    server: server::Server,
}

impl Server {
    fn new(orders: impl Fn(usize) -> &'static str + Send + Sync + 'static) -> Self {
        let state = Arc::new(ServerState::default());
        let answering: (Arc<ServerState>, Arc<Orders>) = (state.clone(), Arc::new(orders));
        let server = server::Server::start(move |asked| {
            let (state, orders) = answering.clone();
            answer(state, orders, asked.path)
        });
        Self {
            state,
            server: server.unwrap(),
        }
    }

    fn url(&self) -> String {
        self.server.url("/page.html")
    }

    /// Waits until so many executions have had their turn.
    async fn wait_for_turn(&self, turn: usize) {
        let mut turns = self.state.turns.subscribe();
        let come = turns.wait_for(|turns| *turns >= turn);
        let come = tokio::time::timeout(Duration::from_secs(60), come).await;
        assert!(come.is_ok(), "only {} turns", self.turns());
    }

    /// What the execution of that number wrote last.
    fn last(&self, turn: usize) -> String {
        let last = self.state.last.lock();
        let of_turn = last.iter().find(|(number, _)| *number == turn);
        let of_turn = of_turn.unwrap_or_else(|| panic!("{turn}: {last:?}"));
        of_turn.1.clone()
    }

    fn turns(&self) -> usize {
        *self.state.turns.borrow()
    }
}

async fn answer(state: Arc<ServerState>, orders: Arc<Orders>, path: String) -> Option<Answer> {
    match path.as_str() {
        "/page.html" => {
            let next = *state.turns.borrow() + 1;
            if orders(next) == "lost" {
                state.turns.send_modify(|turns| *turns += 1);
                // Nothing that a browser would ask for once more.
                let two = ["/one", "/other"].map(|to| ("Location".to_owned(), to.to_owned()));
                return Some(Answer {
                    status: 302,
                    headers: two.into(),
                    ..Answer::new("", "")
                });
            }
            Some(Answer::new("text/html", PAGE))
        }
        "/turn" => Some(Answer::new(
            "text/plain",
            turn(&state, orders.as_ref()).await,
        )),
        _ => {
            if let Some(last) = path.strip_prefix("/last/") {
                let (number, text) = last.split_once('/').unwrap();
                let last = (number.parse().unwrap(), text.replace("%20", " "));
                state.last.lock().push(last);
            }
            Some(Answer::new("text/plain", ""))
        }
    }
}

/// The next execution's turn: what it is to do, and its number.
async fn turn(state: &ServerState, orders: &Orders) -> String {
    let mut number = 0;
    state.turns.send_modify(|turns| {
        *turns += 1;
        number = *turns;
    });
    match orders(number) {
        "together" => {
            let mut turns = state.turns.subscribe();
            let _ = turns.wait_for(|turns| *turns > number).await;
        }
        "wait" => pending().await,
        _ => {}
    }
    let order = orders(number).replace("together", "first");
    let (order, name) = order.split_once(' ').unwrap_or((&order, ""));
    let name = if name.is_empty() {
        number.to_string()
    } else {
        name.to_owned()
    };
    format!("{order} {number} {name}")
}

/// A browser to attach to, and its address.
async fn browser() -> (Browser, String) {
    let browser = browsers::browser(Purpose::Pages).await.unwrap();
    let address = format!("http://{}", browser.authority());
    (browser, address)
}

/// One more.
async fn another_browser() -> (Browser, String) {
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    (browser, address)
}

/// The command that asks who wrote last, and waits for its end without holding up this test's browsers.
async fn ask(server: &Server, more: &[&str]) -> Ran {
    let mut command = asking(server, more);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let output = output.await.unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn asking(server: &Server, more: &[&str]) -> Command {
    let (url, point) = (server.url(), point());
    let mut arguments = vec![
        "ask",
        "--json",
        "--twice",
        "--timeout",
        "60",
        "--at",
        &point,
        &url,
    ];
    arguments.push("B = lastChange(R:shared.value)");
    arguments.extend(more);
    shared_command(&arguments)
}

/// The value of a watch at a point, as text.
fn watched(answer: &Value, point: usize, expression: &str) -> String {
    let watches = answer["points"][point]["watches"].as_array().unwrap();
    let watch = watches
        .iter()
        .find(|watch| watch["expression"] == expression);
    watch.unwrap()["text"].as_str().unwrap().to_owned()
}

/// `count status line` of the answers to the point of that index.
fn counts(answer: &Value, point: usize) -> Vec<(u64, String, u64)> {
    let answers = answer["runs"]["points"][point]["answers"]
        .as_array()
        .unwrap();
    let one = |one: &Value| {
        let status = one["status"].as_str().unwrap().to_owned();
        let line = one["location"]["line"].as_u64().unwrap_or(0);
        (one["count"].as_u64().unwrap(), status, line)
    };
    answers.iter().map(one).collect()
}

/// The argument of *Querypoint Debugging* (SPLASH 2010): the last line that was recorded in one execution is no place
/// to break at in another. The answer does not: its line, its state and the value at `R` are of one execution.
#[tokio::test]
async fn an_answer_is_of_one_execution_where_a_breakpoint_on_its_line_would_mislead() {
    let server = Server::new(|turn| if turn % 2 == 1 { "first" } else { "second" });
    let ran = ask(&server, &["--watch", "turn", "--watch", "shared.value"]).await;
    let answer = ran.answer();
    assert!(
        server.last(1).starts_with("first") && server.last(2).starts_with("second"),
        "executions must differ, or nothing is tested"
    );

    let turn = watched(&answer, 1, "turn");
    let number: usize = turn.trim_matches('"').parse().unwrap();
    let last = server.last(number);
    assert_eq!(
        watched(&answer, 0, "turn"),
        turn,
        "R is of the execution of B"
    );
    assert_eq!(watched(&answer, 0, "shared.value"), format!("{last:?}"));
    let change = &answer["points"][1];
    assert_eq!(change["status"], "found", "{answer:#}");
    assert_eq!(change["new"]["text"], format!("{last:?}"));
    let which = if last.starts_with("first") {
        FIRST
    } else {
        SECOND
    };
    assert_eq!(change["location"]["line"], writes(which));
    assert_eq!(answer["consistency"]["agrees"], false);

    // A breakpoint on that line in the next execution: the last time that it stops there, another value is written, and
    // not the one that is seen at the end.
    let next = server.turns() + 1;
    let (browser, _) = browser().await;
    let stopped = last_stop(&browser, &server.url(), writes(which)).await;
    browser.close().await;
    assert_eq!(server.turns(), next);
    assert_eq!(
        stopped,
        format!("{} in {next}", last.split(' ').next().unwrap())
    );
    assert_ne!(stopped, last);
    assert_ne!(
        stopped,
        server.last(next),
        "the breakpoint happened to be right"
    );
}

/// The variable `text` where a breakpoint on that line stops last while the page loads.
async fn last_stop(browser: &Browser, url: &str, line: u64) -> String {
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new()))
        .await
        .unwrap();
    page.drive(page.send("Debugger.enable", json!({})))
        .await
        .unwrap();
    let place = json!({ "url": url, "lineNumber": line - 1 });
    page.drive(page.send("Debugger.setBreakpointByUrl", place))
        .await
        .unwrap();
    let (protocol, session) = (browser.protocol(), page.session().clone());
    let mut events = protocol.events();
    let stopping = tokio::spawn(async move {
        let mut last = String::new();
        while let Some(event) = events.next().await {
            if event.is(&session, "Page.loadEventFired") {
                break;
            }
            if !event.is(&session, "Debugger.paused") {
                continue;
            }
            let frame = event.text("/callFrames/0/callFrameId");
            let params = json!({ "callFrameId": frame, "expression": "text" });
            let evaluated = protocol.send(Some(&session), "Debugger.evaluateOnCallFrame", params);
            let value = evaluated.await.unwrap();
            value["result"]["value"]
                .as_str()
                .unwrap()
                .clone_into(&mut last);
            let resumed = protocol.send(Some(&session), "Debugger.resume", json!({}));
            resumed.await.unwrap();
        }
        last
    });
    page.navigate(url, Duration::from_secs(60)).await.unwrap();
    stopping.await.unwrap()
}

#[tokio::test]
async fn runs_are_counted_with_those_that_never_reach_the_point_and_those_that_fail() {
    // A run has two executions, or one where it does not reach R or is lost.
    const ORDERS: [&str; 10] = [
        "first a", "first b", "second c", "second c", "never", "first d", "first d", "lost",
        "first e", "first e",
    ];
    let server = Server::new(|turn| ORDERS.get(turn - 1).copied().unwrap_or("extra"));
    let (browser, address) = browser().await;
    let ran = ask(&server, &["--runs", "6", "--connect", &address]).await;
    browser.close().await;
    assert_eq!(server.turns(), ORDERS.len(), "{ran:#?}");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    for run in 1..=6 {
        assert!(
            ran.err.contains(&format!("run {run} of 6\n")),
            "{}",
            ran.err
        );
    }
    let answer = ran.answer();
    assert_eq!(answer["points"][1]["location"]["line"], writes(FIRST));
    assert_eq!(
        answer["points"][1]["new"]["text"], "\"first in d\"",
        "the first run whose executions agree"
    );
    let runs = &answer["runs"];
    for (member, expected) in [
        ("asked", 6),
        ("answered", 5),
        ("reached", 4),
        ("agreed", 3),
        ("shown", 4),
        ("alike", 3),
    ] {
        assert_eq!(runs[member], expected, "{member}: {runs:#}");
    }
    let failed = runs["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 1, "{runs:#}");
    assert_eq!(failed[0]["count"], 1);
    let reason = failed[0]["reason"].as_str().unwrap();
    assert!(reason.contains("does not load"), "{reason}");
    let (found, unreached) = ("found".to_owned(), "not-reached".to_owned());
    assert_eq!(
        counts(&answer, 0),
        [
            (4, found.clone(), line("console.log")),
            (1, unreached.clone(), 0)
        ]
    );
    assert_eq!(
        counts(&answer, 1),
        [
            (3, found.clone(), writes(FIRST)),
            (1, found, writes(SECOND)),
            (1, unreached, 0)
        ]
    );
}

#[tokio::test]
async fn runs_are_dealt_out_over_all_browsers_that_are_named() {
    // The first execution of one run goes on when the other run's has begun.
    let server = Server::new(|turn| if turn == 1 { "together" } else { "first" });
    let ((one, first), (other, second)) = tokio::join!(browser(), another_browser());
    let connect = ["--runs", "2", "--connect", &first, "--connect", &second];
    let ran = ask(&server, &connect).await;
    one.close().await;
    other.close().await;
    let runs = &ran.answer()["runs"];
    assert_eq!(
        (&runs["answered"], &runs["alike"]),
        (&json!(2), &json!(2)),
        "{ran:#?}"
    );
    assert_eq!(server.turns(), 4);
}

#[tokio::test]
async fn without_an_address_browsers_are_started() {
    let server = Server::new(|_| "second");
    let ran = ask(&server, &["--runs", "3"]).await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let answer = ran.answer();
    assert_eq!(answer["runs"]["alike"], 3);
    assert_eq!(answer["points"][1]["location"]["line"], writes(SECOND));
    assert_eq!(server.turns(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_browser_is_left_to_do_has_failed() {
    // The browser is killed while the second run's first execution waits.
    let server = Server::new(|turn| if turn == 3 { "wait" } else { "first" });
    let (browser, address) = another_browser().await;
    let arguments = ["--runs", "4", "--connect", &address];
    let asked = ask(&server, &arguments);
    let killed = async {
        server.wait_for_turn(3).await;
        browser.close().await;
    };
    let (ran, ()) = tokio::join!(asked, killed);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let runs = &ran.answer()["runs"];
    assert_eq!((&runs["asked"], &runs["answered"]), (&json!(4), &json!(1)));
    let failed = runs["failed"].as_array().unwrap();
    let failed: Vec<_> = failed
        .iter()
        .map(|one| {
            (
                one["count"].as_u64().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let [(2, unreachable), (1, lost)] = failed[..] else {
        panic!("{runs:#}");
    };
    assert!(
        unreachable.contains("no DevTools connection"),
        "{unreachable}"
    );
    assert!(
        lost.contains("connection to the browser was lost"),
        "{lost}"
    );
}

#[tokio::test]
async fn after_ctrl_c_there_is_what_there_is_so_far() {
    let server = Server::new(|turn| if turn == 5 { "wait" } else { "first" });
    let (browser, address) = browser().await;
    let mut command = asking(&server, &["--runs", "50", "--connect", &address]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    server.wait_for_turn(5).await;
    let ran = tokio::task::spawn_blocking(move || {
        let pid = child.id().to_string();
        let killed = Command::new("kill").args(["-s", "INT", &pid]).status();
        assert!(killed.unwrap().success());
        let output = child.wait_with_output().unwrap();
        Ran {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    });
    let ran = ran.await.unwrap();
    browser.close().await;
    assert_eq!(ran.status, Some(130), "{ran:#?}");
    let answer = ran.answer();
    let runs = &answer["runs"];
    assert_eq!((&runs["asked"], &runs["answered"]), (&json!(50), &json!(2)));
    assert!(runs.get("failed").is_none(), "{runs:#}");
    assert_eq!(answer["points"][1]["location"]["line"], writes(FIRST));
}

#[tokio::test]
async fn without_any_answer_the_status_is_that_of_the_failure() {
    let server = Server::new(|_| "lost");
    let ran = ask(&server, &["--runs", "2"]).await;
    assert_eq!((ran.status, ran.out.as_str()), (Some(4), ""), "{ran:#?}");
    assert!(ran.err.contains("does not load"), "{ran:#?}");
    // What is wrong with the question is wrong in every run: it is said once.
    let ran = ask(&server, &["--runs", "2", "--watch", "a b"]).await;
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
    assert!(
        ran.err.contains("is not a JavaScript expression"),
        "{ran:#?}"
    );
}

/// A function that decides runs once more in each execution than in the one before, as where the browser dispatches an
/// event more. What decided last is found where it is asked for, and read there.
#[tokio::test]
async fn a_condition_is_the_same_where_its_function_has_run_more_often_before() {
    const PAGE: &str = "<!doctype html><meta charset=utf-8>
<script>
const box = { value: '' };
function show(text, isWanted) {
  if (isWanted)
    box.value = text;
}
const request = new XMLHttpRequest();
request.open('GET', '/often', false);
request.send();
for (let turn = 0; turn < Number(request.responseText); turn++) show('', false);
box.value = 'begun';
show('shown', true);
console.log(box);
</script>";
    let often = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let asked = often.clone();
    let server = server::Server::start(move |request| {
        let answer = match request.path.as_str() {
            "/often" => {
                let turn = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Answer::new("text/plain", turn.to_string())
            }
            _ => Answer::new("text/html", PAGE),
        };
        std::future::ready(Some(answer))
    })
    .unwrap();
    let url = server.url("/page.html");
    let queries = ["A = lastChange(R:box.value)", "B = lastCondition(A)"];
    let ran = querypoint(&[
        "ask",
        "--json",
        "--twice",
        "--timeout",
        "60",
        "--at",
        "page.html:14",
        &url,
        queries[0],
        queries[1],
    ]);
    let answer = ran.answer();
    assert!(
        often.load(std::sync::atomic::Ordering::Relaxed) > 1,
        "executions must differ, or nothing is tested"
    );
    let condition = &answer["points"][2];
    assert_eq!(condition["status"], "found", "{answer:#}");
    assert_eq!(condition["location"]["line"], 5);
    // Only an execution that is paused there has them.
    let variables = &condition["scopes"][0]["variables"];
    assert_eq!(variables[0]["text"], "\"shown\"", "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], true, "{answer:#}");
}
