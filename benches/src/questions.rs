//! What a question costs, beside two plain replays of the same recording.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskRequest, Progress, Reproduce, ask, ask_with_log};
use engine::page::Page;
use engine::replay::{ReplayCursor, ReplayOptions, replay, wait_until_idle};
use querypoint::catalogue::Definitions;
use querypoint::point::ReproductionPoint;
use querypoint::questions::Questions;
use recording::Recording;
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::plan::graph;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::Served;

/// How long a replay or an answer may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The page's own time that may pass after the last step, as `querypoint replay` grants it.
const TIME_AFTER_LAST_STEP: Duration = Duration::from_secs(2);

/// What plain replays and questions took, in milliseconds, and how many executions the last question.
#[derive(Default)]
struct Rounds {
    replays: Vec<f64>,
    answers: Vec<f64>,
    more: Vec<f64>,
    executions: u32,
}

impl Rounds {
    /// Takes a round. The first of all fills caches of the browser and is not counted.
    fn take(&mut self, round: usize, replayed: f64, answered: f64, executions: u32) {
        self.executions = executions;
        if round > 0 {
            self.replays.push(replayed);
            self.answers.push(answered);
            self.more.push(answered - replayed);
        }
    }

    /// A row of a table, and how much more the questions took, in the median.
    fn row(self, name: String) -> (Vec<String>, f64) {
        let more = Sample::new(self.more);
        let row = vec![
            name,
            Sample::new(self.replays).described(digits),
            Sample::new(self.answers).described(digits),
            more.described(digits),
            self.executions.to_string(),
        ];
        (row, more.median())
    }
}

/// Measures both pages.
pub(crate) async fn run(
    browser: &Browser,
    repository: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let rounds = if quick { 5 } else { 15 };
    let mut rows = Vec::new();
    let mut slower_pages = Vec::new();
    let mut bounds = Vec::new();
    // With what two plain replays take on the reference machine, in milliseconds.
    for (name, two_replays) in [("counter", 598.0), ("painting", 1125.0)] {
        let folder = repository.join("test-pages").join(name);
        let served = Served::start(&folder)?;
        let request = request(&folder, served.url("index.html"))?;
        let mut taken = Rounds::default();
        for round in 0..=rounds {
            let start = Instant::now();
            for _ in 0..2 {
                plain_replay(browser, &request).await?;
            }
            let replayed = start.elapsed().as_secs_f64() * 1000.0;
            let start = Instant::now();
            let clock = Arc::new(TokioClock::new());
            let answer = ask(browser.protocol(), clock, &request, &mut |_| {}).await?;
            let answered = start.elapsed().as_secs_f64() * 1000.0;
            if answer.exit_status() != 0 {
                return Err(BenchError::Setup(format!(
                    "{name} is not answered: {}",
                    serde_json::to_string(&answer).unwrap_or_default()
                )));
            }
            taken.take(round, replayed, answered, answer.executions);
        }
        eprintln!("  {name}: {rounds} rounds");
        let slower = Sample::new(taken.replays.iter().copied()).median() / two_replays;
        slower_pages.push(slower);
        let (row, more) = taken.row(name.to_owned());
        rows.push(row);
        bounds.push(Bound {
            what: format!("`ask` on {name}, more than two plain replays"),
            at_most: 300.0,
            measured: more,
            unit: "ms".into(),
            slower,
        });
    }
    let mut calls = Vec::new();
    for (paused, slower) in PAUSED.iter().zip(slower_pages) {
        let called = call_stack(browser, repository, paused, slower, rounds).await?;
        calls.push(called.row);
        bounds.push(called.bound);
    }
    let (asked, asked_bounds) = beyond_writes(browser, repository, rounds).await?;
    bounds.extend(asked_bounds);
    let text = format!(
        "Milliseconds in a browser that runs, {rounds} rounds of two plain replays of the page's recording (nothing\n\
         rewritten, no agent, no debugger; each in a new tab, until the page is idle, as `querypoint replay` does it) \
         and one `ask` with all\n\
         of the page's questions.\n\n{}\n\
         Call-stack reproduction (`--reproduce callstack`): the page has paused at the reproduction point, and a\n\
         question is asked there, which calls the oldest function on the stack twice, once to find the events and\n\
         once to read the state at them. *Asked* is the time from the question to the answer, without closing the \
         tab; the handler's own run is\n\
         that function alone, in a page without hooks.\n\n{}\n\
         What needs an event log or the analyses, asked of the React page (`react-cart`, its built script), the log \
         included and nothing\nturned round, beside three plain replays of its recording.\n\n{asked}",
        table(
            &["page", "two replays", "`ask`", "more", "executions"],
            &rows
        ),
        table(&["page", "the handler's own run", "asked", "more"], &calls)
    );
    Ok(Section {
        title: "Questions".into(),
        text,
        bounds,
    })
}

/// What is asked of the React page that takes an event log or the analyses, and how many milliseconds it may take more
/// than three plain replays.
const BEYOND_WRITES: [(&str, f64); 4] = [
    ("origin(R:summary.total)", 0.0),
    ("callChain(R)", 300.0),
    ("history(R:summary.total)", 300.0),
    ("omitted(R:summary)", 1000.0),
];

/// Measures what takes more than hooks at writes: a table, and the bounds.
async fn beyond_writes(
    browser: &Browser,
    repository: &Path,
    rounds: usize,
) -> Result<(String, Vec<Bound>), BenchError> {
    let folder = repository.join("test-pages").join("react-cart");
    let served = Served::start(&folder)?;
    let request = request(&folder, served.url("dist/index.html"))?;
    let (mut rows, mut bounds) = (Vec::new(), Vec::new());
    for (query, at_most) in BEYOND_WRITES {
        let questions = Questions::read(&[query], &Definitions::default())
            .map_err(|error| BenchError::Setup(error.render()))?;
        let request = AskRequest {
            graph: questions.graph,
            watches: Vec::new(),
            ..request.clone()
        };
        let mut taken = Rounds::default();
        for round in 0..=rounds {
            let start = Instant::now();
            for _ in 0..3 {
                plain_replay(browser, &request).await?;
            }
            let replayed = start.elapsed().as_secs_f64() * 1000.0;
            let start = Instant::now();
            let clock = Arc::new(TokioClock::new());
            let protocol = browser.protocol();
            let (answer, is_found) = match &questions.log {
                Some(log) => {
                    let mut quiet = |_| {};
                    let asking = ask_with_log(protocol, clock, &request, log, &mut quiet);
                    let whole = Box::pin(asking).await?;
                    let is_found = whole.results.iter().any(|it| !it.events.is_empty());
                    (whole.answer, is_found)
                }
                None => {
                    let answer = ask(protocol, clock, &request, &mut |_| {}).await?;
                    // That nothing was left out is an answer, too.
                    let is_found = answer.points.len() == 2 && answer.points[0].location.is_some();
                    (answer, is_found)
                }
            };
            let answered = start.elapsed().as_secs_f64() * 1000.0;
            if !is_found {
                return Err(BenchError::Setup(format!(
                    "{query} is not answered: {}",
                    serde_json::to_string(&answer).unwrap_or_default()
                )));
            }
            taken.take(round, replayed, answered, answer.executions);
        }
        eprintln!("  {query} on react-cart: {rounds} rounds");
        let (row, more) = taken.row(format!("`{query}`"));
        rows.push(row);
        bounds.push(Bound {
            what: format!("`{query}` on react-cart, more than three plain replays"),
            at_most,
            measured: more,
            unit: "ms".into(),
            slower: 1.0,
        });
    }
    let header = ["question", "three replays", "`ask`", "more", "executions"];
    Ok((table(&header, &rows), bounds))
}

/// What is asked of a page that is paused.
struct AskedPaused {
    page: &'static str,
    at: &'static str,
    queries: &'static [&'static str],
    /// What runs the oldest function in a page as it was written.
    handler: &'static str,
}

const PAUSED: [AskedPaused; 2] = [
    AskedPaused {
        page: "counter",
        at: "index.html:22#2",
        queries: &["B = lastChange(R:myObject.myProperty)"],
        handler: "document.getElementById('myButton').click()",
    },
    AskedPaused {
        page: "painting",
        at: "painting.js:43#1",
        queries: &["B = lastChange(R:stroke.color)"],
        handler: "document.getElementById('canvas').dispatchEvent(new MouseEvent('click'))",
    },
];

/// What call-stack reproduction took on one page.
struct Called {
    row: Vec<String>,
    bound: Bound,
}

/// Measures how long a page that is paused takes to answer.
async fn call_stack(
    browser: &Browser,
    repository: &Path,
    paused: &AskedPaused,
    slower: f64,
    rounds: usize,
) -> Result<Called, BenchError> {
    let name = paused.page;
    let folder = repository.join("test-pages").join(name);
    let served = Served::start(&folder)?;
    let request = AskRequest {
        at: ReproductionPoint::parse(paused.at)
            .map_err(|error| BenchError::Setup(error.render()))?,
        graph: graph(paused.queries)?,
        watches: Vec::new(),
        reproduce: Reproduce::CallStack,
        ..request(&folder, served.url("index.html"))?
    };
    let (mut handlers, mut answers, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let handler = handler_run(browser, &request, paused.handler).await?;
        let clock = Arc::new(TokioClock::new());
        let start = Instant::now();
        let mut began = None;
        let mut reached = |progress: Progress| {
            // The first is for reaching the point.
            if let Progress::Execution { number: 2, .. } = progress {
                began = Some(start.elapsed());
            }
        };
        let answer = ask(browser.protocol(), clock, &request, &mut reached).await?;
        let Some(began) = began.filter(|_| answer.exit_status() == 0) else {
            return Err(BenchError::Setup(format!(
                "{name} is not answered: {}",
                serde_json::to_string(&answer).unwrap_or_default()
            )));
        };
        // The answer is there before the tab is closed.
        let asked = answer.timing_ms.total as f64 - began.as_secs_f64() * 1000.0;
        if round > 0 {
            handlers.push(handler);
            answers.push(asked);
            more.push(asked - handler);
        }
    }
    eprintln!("  {name}, by calling again: {rounds} rounds");
    let more = Sample::new(more);
    Ok(Called {
        row: vec![
            name.to_owned(),
            Sample::new(handlers).described(digits),
            Sample::new(answers).described(digits),
            more.described(digits),
        ],
        bound: Bound {
            what: format!(
                "a question on {name} by call-stack reproduction, more than the handler's own run"
            ),
            at_most: 150.0,
            measured: more.median(),
            unit: "ms".into(),
            slower,
        },
    })
}

/// How long the page's last event handler runs after a plain replay, called by a script: milliseconds.
async fn handler_run(
    browser: &Browser,
    request: &AskRequest,
    handler: &str,
) -> Result<f64, BenchError> {
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
    let options = ReplayOptions {
        page_url: Some(request.page.clone()),
        ..ReplayOptions::default()
    };
    if let Some(recording) = &request.recording {
        let cursor = ReplayCursor::default();
        replay(&page, recording, &options, &cursor, &mut |_, _, _| {}).await?;
    }
    let expression = format!(
        "(() => {{ const start = performance.now(); {handler}; return performance.now() - start; }})()"
    );
    let params = json!({ "expression": expression, "returnByValue": true });
    let result = page.send("Runtime.evaluate", params).await?;
    page.dispose().await?;
    let taken = result.pointer("/result/value").and_then(Value::as_f64);
    taken.ok_or_else(|| BenchError::Setup(format!("the handler did not run: {result}")))
}

/// The page's questions, from its expected answer.
fn request(folder: &Path, page: String) -> Result<AskRequest, BenchError> {
    let read = |file: &str| {
        let path = folder.join(file);
        std::fs::read_to_string(&path).map_err(BenchError::file(path))
    };
    let wrong = |why: String| BenchError::Setup(format!("{}: {why}", folder.display()));
    let expected: Value =
        serde_json::from_str(&read("expected.json")?).map_err(|error| wrong(error.to_string()))?;
    let texts = |member: &str| -> Vec<String> {
        let list = expected.get(member).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let at = expected
        .get("at")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Ok(AskRequest {
        recording: Some(
            Recording::parse(&read("recording.json")?).map_err(|error| wrong(error.to_string()))?,
        ),
        watches: texts("watches"),
        ..AskRequest::new(
            page,
            ReproductionPoint::parse(at).map_err(|error| wrong(error.render()))?,
            graph(&texts("queries"))?,
            LIMIT,
        )
    })
}

/// A replay of `recording` on `page`; nothing is asked.
pub(crate) fn plain_request(
    page: String,
    recording: Recording,
    at: ReproductionPoint,
) -> Result<AskRequest, BenchError> {
    Ok(AskRequest {
        recording: Some(recording),
        ..AskRequest::new(page, at, graph::<&str>(&[])?, LIMIT)
    })
}

/// The recording alone, or the page just opened, until it is idle.
pub(crate) async fn plain_replay(
    browser: &Browser,
    request: &AskRequest,
) -> Result<(), BenchError> {
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
    let options = ReplayOptions {
        page_url: Some(request.page.clone()),
        ..ReplayOptions::default()
    };
    match &request.recording {
        Some(recording) => {
            let cursor = ReplayCursor::default();
            replay(&page, recording, &options, &cursor, &mut |_, _, _| {}).await?;
        }
        None => {
            page.navigate(&request.page, LIMIT).await?;
        }
    }
    wait_until_idle(&page, TIME_AFTER_LAST_STEP, LIMIT).await?;
    Ok(page.dispose().await?)
}
