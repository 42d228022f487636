//! What a chain of questions costs while it is found, and whether what the driver holds grows with the events.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use engine::ask::{AskRequest, Progress, ask};
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::memory::{peak_mb, process};
use crate::plan::graph;
use crate::questions::plain_replay;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::Served;

/// How long a replay or an answer may take.
const LIMIT: Duration = Duration::from_secs(120);
/// The names of the properties; each is computed from the next.
const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// How often each is written.
const WRITES: u32 = 100_000;
/// How many events there are where memory is measured.
const EVENTS: [(u32, &str); 4] = [
    (10_000, "10,000"),
    (100_000, "100,000"),
    (1_000_000, "1,000,000"),
    (10_000_000, "10,000,000"),
];

/// A page that writes each of eight properties so many times, computing each from the one after it.
fn page(writes: &str, work: &str) -> String {
    let mut body = "  box.h = i;\n".to_owned();
    for pair in NAMES.windows(2).rev() {
        body.push_str(&format!(
            "  box.{} = {};\n",
            pair[0],
            work.replace('$', &format!("box.{}", pair[1]))
        ));
    }
    let members: Vec<String> = NAMES.iter().map(|name| format!("{name}: 0")).collect();
    format!(
        "<!doctype html><title>chain</title>\n<script>\n\
         function digest(number) {{\n  let hash = number | 0;\n  for (let round = 0; round < 40; round++) hash = \
         (hash * 31 + round) | 0;\n  return hash;\n}}\n\
         const box = {{ {} }};\nconst writes = {writes};\nfor (let i = 1; i <= writes; i++) {{\n{body}}}\n\
         console.log('the end', box.a);\n</script>",
        members.join(", ")
    )
}

/// Asks for the last change of the first property, and for that of the next at the point found, and so on.
fn chain() -> Vec<String> {
    let points = ["R", "B", "C", "D", "E", "F", "G", "H", "I"];
    NAMES
        .iter()
        .zip(points.windows(2))
        .map(|(name, points)| format!("{} = lastChange({}:box.{name})", points[1], points[0]))
        .collect()
}

fn request(page: String) -> Result<AskRequest, BenchError> {
    Ok(AskRequest::new(
        page,
        ReproductionPoint::parse("console:the end")
            .map_err(|error| BenchError::Setup(error.render()))?,
        graph(&chain())?,
        LIMIT,
    ))
}

/// Measures the finding, the driver's memory and the planning.
pub(crate) async fn run(
    browser: &Browser,
    executable: &Path,
    packages: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let (finding, mut bounds) = finding(browser, quick).await?;
    let (memory, bound) = memory(executable, packages, quick)?;
    bounds.push(bound);
    let (planning, bound) = planning()?;
    bounds.push(bound);
    Ok(Section {
        title: "Chains".into(),
        text: format!("{finding}\n{memory}\n{planning}"),
        bounds,
    })
}

async fn finding(browser: &Browser, quick: bool) -> Result<(String, Vec<Bound>), BenchError> {
    let rounds = if quick { 3 } else { 15 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let mut rows = Vec::new();
    let mut bounds = Vec::new();
    for (name, what, work, is_bound) in [
        (
            "computing.html",
            "each value is computed",
            "digest($)",
            true,
        ),
        ("bare.html", "nothing but the writes", "$ + 1", false),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, page(&WRITES.to_string(), work)).map_err(BenchError::file(&path))?;
        let served = Served::start(folder.path())?;
        let request = request(served.url(name))?;
        let (mut plain, mut found, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=rounds {
            let start = Instant::now();
            plain_replay(browser, &request).await?;
            let plainly = milliseconds(start);
            let finding = finding_time(browser, &request).await?;
            if round > 0 {
                plain.push(plainly);
                found.push(finding);
                ratios.push(finding / plainly);
            }
        }
        eprintln!("  {what}: {rounds} rounds");
        let ratio = Sample::new(ratios);
        if is_bound {
            bounds.push(Bound {
                what: format!(
                    "finding a chain of 8 over a plain replay, 100,000 writes of each name, {what}"
                ),
                at_most: 1.3,
                measured: ratio.median(),
                unit: "".into(),
                slower: 1.0,
            });
        }
        rows.push(vec![
            what.to_owned(),
            Sample::new(plain).described(digits),
            Sample::new(found).described(digits),
            ratio.described(digits),
        ]);
    }
    let text = format!(
        "A page writes each of eight properties 100,000 times, computing each from the next one: with a little work\n\
         (40 rounds of a hash), and with none at all, where hooks cost the most in proportion. Eight questions, each\n\
         asked at the point that the one before finds; {rounds} rounds of a plain replay and a question. Milliseconds \
         of a plain replay and of the\n\
         execution that finds all eight, each with opening and closing its tab.\n\n{}",
        table(&["page", "plain", "finding", "finding ÷ plain"], &rows)
    );
    Ok((text, bounds))
}

/// How long the execution takes in which the events are found.
async fn finding_time(browser: &Browser, request: &AskRequest) -> Result<f64, BenchError> {
    let start = Instant::now();
    let mut began = [None; 2];
    let mut note = |progress: Progress| {
        if let Progress::Execution { number, .. } = progress
            && let Some(time) = began.get_mut(number as usize - 1)
        {
            *time = Some(milliseconds(start));
        }
    };
    let clock = Arc::new(TokioClock::new());
    let answer = ask(browser.protocol(), clock, request, &mut note).await?;
    match began {
        [Some(first), Some(second)] if answer.exit_status() == 0 && answer.executions == 2 => {
            Ok(second - first)
        }
        _ => Err(BenchError::Setup(format!(
            "the chain is not answered in two executions: {}",
            serde_json::to_string(&answer).unwrap_or_default()
        ))),
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn memory(executable: &Path, packages: &Path, quick: bool) -> Result<(String, Bound), BenchError> {
    let rounds = if quick { 1 } else { 3 };
    let mut rows = Vec::new();
    let mut medians = Vec::new();
    for (events, shown) in EVENTS {
        let mut peaks = Vec::new();
        for _ in 0..rounds {
            let what = ["--peak-of-events", &events.to_string()];
            let answer = process(&what, packages, executable)?;
            peaks.push(
                answer
                    .get("peakMb")
                    .and_then(Value::as_f64)
                    .unwrap_or(f64::NAN),
            );
        }
        let peak = Sample::new(peaks);
        medians.push(peak.median());
        rows.push(vec![shown.to_owned(), peak.described(digits)]);
    }
    eprintln!("  memory: {rounds} rounds");
    let (fewest, more) = medians
        .split_first()
        .map_or((0.0, &[][..]), |(first, rest)| (*first, rest));
    let largest = more.iter().copied().fold(0.0, f64::max);
    let text = format!(
        "The largest resident size of a driver that asks the same chain of a page with so many events (writes of all\n\
         eight properties together), each in a process of its own; {rounds} rounds.\n\n{}",
        table(&["events", "peak MB"], &rows)
    );
    Ok((
        text,
        Bound {
            what:
                "peak memory of the driver, the largest of 100,000 to 10,000,000 events over 10,000"
                    .to_owned(),
            at_most: 1.1,
            measured: largest / fewest,
            unit: "".into(),
            slower: 1.0,
        },
    ))
}

/// What the process of its own does: asks, and prints what it took.
pub(crate) async fn child(events: u32, executable: Option<PathBuf>) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let path = folder.path().join("index.html");
    let writes = events / u32::try_from(NAMES.len()).unwrap_or(1);
    std::fs::write(&path, page(&writes.to_string(), "$ + 1")).map_err(BenchError::file(&path))?;
    let served = Served::start(folder.path())?;
    let browser = Browser::launch(LaunchOptions {
        executable,
        ..LaunchOptions::default()
    })
    .await?;
    let request = request(served.url("index.html"))?;
    let clock = Arc::new(TokioClock::new());
    let answer = ask(browser.protocol(), clock, &request, &mut |_| {}).await?;
    browser.close().await;
    let changes = answer.points.last().and_then(|point| point.changes);
    if answer.exit_status() != 0 || changes.is_none_or(|changes| changes < u64::from(writes)) {
        let answer = serde_json::to_string(&answer).unwrap_or_default();
        return Err(BenchError::Setup(format!(
            "the chain is not answered: {answer}"
        )));
    }
    println!("{}", json!({ "peakMb": peak_mb()? }));
    Ok(())
}

/// How long it takes to understand and plan the chain.
fn planning() -> Result<(String, Bound), BenchError> {
    const TURNS: usize = 2000;
    let queries = chain();
    let mut times = Vec::new();
    for _ in 0..TURNS {
        let start = Instant::now();
        let graph = graph(&queries)?;
        let plan =
            CollectionPlan::new(&graph, &[]).map_err(|error| BenchError::Setup(error.render()))?;
        times.push(milliseconds(start));
        if plan.queries.len() != queries.len() {
            return Err(BenchError::Setup("a query is not planned".to_owned()));
        }
    }
    let time = Sample::new(times);
    let text = format!(
        "Parsing and planning the eight queries takes {} ms ({TURNS} rounds).\n",
        time.described(digits)
    );
    Ok((
        text,
        Bound {
            what: "parsing and planning a chain of 8".to_owned(),
            at_most: 1.0,
            measured: time.median(),
            unit: "ms".into(),
            slower: 1.0,
        },
    ))
}
