//! What a hook costs for each write: not there, dormant, armed; and the same write under breakpoints.
//!
//! The page is what the rewriter makes of `writes.js`, with the agent before it, both configured as for a question.

use std::fmt::Write;
use std::path::Path;

use agent::{agent_source, dormant_agent};
use cdp_driver::native::Browser;
use cdp_driver::protocol::Event;
use engine::page::Page;
use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::BoxStream;
use js_analysis::Goal;
use js_analysis::rewrite::{DEFAULT_PREFIX, Instrumentation, NamesAsWritten, with_script};
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::plan::collection;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits, geometric_mean};
use crate::tab::{Served, number, open, value, work_for};

/// One loop of `writes.js`.
struct Loop {
    function: &'static str,
    what: &'static str,
    query: &'static str,
    bound: Option<LoopBound>,
}

/// Nanoseconds for a turn, on the reference machine.
#[derive(Clone, Copy)]
struct LoopBound {
    /// What it may take armed.
    at_most: f64,
    /// What it takes without hooks.
    plain: f64,
}

const PROPERTY: &str = "lastChange(R:object.p)";
const VARIABLE: &str = "lastChange(R:v)";

const fn at_most(at_most: f64, plain: f64) -> Option<LoopBound> {
    Some(LoopBound { at_most, plain })
}

const LOOPS: [Loop; 11] = [
    property("oldObject", "old object", at_most(15.0, 0.32)),
    property("oldObjects", "old, a thousand objects in turn", None),
    property("oldShapes", "old, objects of 20 shapes in turn", None),
    property("sameValue", "old object, the value it has", None),
    property(
        "freshLiteral",
        "fresh object, in its literal",
        at_most(60.0, 4.68),
    ),
    property("freshAdded", "fresh object, added after its literal", None),
    property(
        "freshMade",
        "fresh object, in its constructor",
        at_most(60.0, 4.86),
    ),
    property("freshField", "fresh object, a class field", None),
    property(
        "freshShapes",
        "fresh objects of 20 shapes, in their constructors",
        at_most(60.0, 17.5),
    ),
    variable("localVariable", "local variable"),
    variable("closureVariable", "variable of a closure, set by a call"),
];

const fn property(function: &'static str, what: &'static str, bound: Option<LoopBound>) -> Loop {
    Loop {
        function,
        what,
        query: PROPERTY,
        bound,
    }
}

const fn variable(function: &'static str, what: &'static str) -> Loop {
    Loop {
        function,
        what,
        query: VARIABLE,
        bound: None,
    }
}

/// A page and its agent.
struct Variant {
    file: &'static str,
    agent: Option<String>,
}

/// Measures all loops.
pub(crate) async fn run(browser: &Browser, quick: bool) -> Result<Section, BenchError> {
    let rounds = if quick { 3 } else { 9 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let source = source()?;
    let [plain, dormant, property, variable] = variants(folder.path(), &source)?;
    let served = Served::start(folder.path())?;

    let mut rows = Vec::new();
    let mut bounds = Vec::new();
    let mut slower = Vec::new();
    for measured in &LOOPS {
        let armed = if measured.query == PROPERTY {
            &property
        } else {
            &variable
        };
        let mut times = [const { Vec::new() }; 3];
        let mut all_threads = Vec::new();
        for _ in 0..rounds {
            for (times, variant) in times.iter_mut().zip([&plain, &dormant, armed]) {
                let url = served.url(variant.file);
                let page = open(browser, &url, variant.agent.as_deref()).await?;
                // As it is when a question is asked.
                page.send("Debugger.enable", json!({})).await?;
                let name = measured.function;
                let turns = number(&page, &format!("warmUp({name})")).await?;
                let (turns, worked) = work_for(&page, &format!("run({name}, {turns})")).await?;
                times.push(worked.thread * 1e9 / turns);
                if std::ptr::eq(variant, armed) {
                    all_threads.push(worked.process * 1e9 / turns);
                }
                page.dispose().await?;
            }
        }
        eprintln!("  {}: {rounds} rounds", measured.what);
        let cost = times[2]
            .iter()
            .zip(&times[0])
            .map(|(armed, plain)| armed - plain);
        let cost = Sample::new(cost);
        let [plain, dormant, armed] = times.map(Sample::new);
        if let Some(bound) = measured.bound {
            slower.push(plain.median() / bound.plain);
            bounds.push(Bound {
                what: format!("a write with an armed hook, {}", measured.what),
                at_most: bound.at_most,
                measured: armed.median(),
                unit: "ns".into(),
                slower: 1.0,
            });
        }
        rows.push(vec![
            measured.what.to_owned(),
            plain.described(digits),
            dormant.described(digits),
            armed.described(digits),
            digits(cost.median()),
            digits(Sample::new(all_threads).median()),
        ]);
    }

    // One loop may wait for memory where another computes, and what a hook does is both: a machine is as slow as the
    // loops together.
    let slower = geometric_mean(slower);
    for bound in &mut bounds {
        bound.slower = slower;
    }

    let stops = breakpoints(browser, &served.url(plain.file), &source, quick).await?;
    let heap = populated(browser, &served, &[&plain, &dormant, &property], quick).await?;
    let text = format!(
        "Nanoseconds for one turn of a loop that writes once, in a page of its own each time ({rounds} rounds); one \
         watched\n\
         name, debugger on. *Plain* is the script without hooks, *dormant* with hooks for everything and nothing\n\
         asked, *armed* with hooks for the question. The time is what the page's main thread worked, so that other\n\
         programs do not count; the last column is that of all threads of the page's process (compiling and \
         collecting garbage beside it).\n\
         The hook alone is armed less plain, round by round.\n\n{}\n\
         The write to the old object, when a debugger does it instead:\n\n{stops}\n\
         A million objects that live, each written once in its constructor:\n\n{heap}",
        table(
            &[
                "write",
                "plain",
                "dormant",
                "armed",
                "the hook alone",
                "armed, all threads",
            ],
            &rows
        )
    );
    Ok(Section {
        title: "Hooks".into(),
        text,
        bounds,
    })
}

/// `writes.js`, with 20 constructors whose objects are all of another shape.
fn source() -> Result<String, BenchError> {
    let mut shapes = String::new();
    let mut names = Vec::new();
    for number in 0..20 {
        let _ = writeln!(
            shapes,
            "function Shape{number}(p) {{ this.own{number} = 1; this.p = p; }}"
        );
        names.push(format!("Shape{number}"));
    }
    let _ = write!(shapes, "const constructors = [{}];", names.join(", "));
    Ok(include_str!("writes.js").replace("SHAPES", &shapes))
}

/// Writes the pages: plain, dormant, armed for the property, armed for the variable.
fn variants(folder: &Path, source: &str) -> Result<[Variant; 4], BenchError> {
    let armed = |query: &str| -> Result<(Instrumentation, String), BenchError> {
        let collection = collection(query)?;
        let instrumentation = collection.instrumentation(1, 1, false, Vec::new());
        Ok((
            instrumentation,
            agent_source(DEFAULT_PREFIX, &collection.agent_config()),
        ))
    };
    let (property, property_agent) = armed(PROPERTY)?;
    let (variable, variable_agent) = armed(VARIABLE)?;
    let page = |file: &'static str, text: &str, agent: Option<String>| {
        let path = folder.join(file);
        // The script is in the page, so its lines are the page's.
        let html = format!("<!doctype html><title>writes</title><script>{text}</script>");
        std::fs::write(&path, html).map_err(BenchError::file(path))?;
        Ok::<_, BenchError>(Variant { file, agent })
    };
    Ok([
        page("plain.html", source, None)?,
        page(
            "dormant.html",
            &rewritten(source, "writes.js", &Instrumentation::default())?,
            Some(dormant_agent(DEFAULT_PREFIX)),
        )?,
        page(
            "property.html",
            &rewritten(source, "writes.js", &property)?,
            Some(property_agent),
        )?,
        page(
            "variable.html",
            &rewritten(source, "writes.js", &variable)?,
            Some(variable_agent),
        )?,
    ])
}

/// What a classic script becomes.
pub(crate) fn rewritten(
    source: &str,
    name: &str,
    instrumentation: &Instrumentation,
) -> Result<String, BenchError> {
    let rewritten = with_script(source, Goal::Script, |script| {
        script.rewrite(instrumentation, &NamesAsWritten)
    })
    .and_then(|rewritten| rewritten)
    .map_err(|error| BenchError::NotRewritten {
        script: name.to_owned(),
        why: error.to_string(),
    })?;
    Ok(rewritten.apply(source).0)
}

/// The same write under a conditional breakpoint, and under one at which the driver lets it go on.
async fn breakpoints(
    browser: &Browser,
    url: &str,
    source: &str,
    quick: bool,
) -> Result<String, BenchError> {
    let (rounds, turns, stops) = if quick { (3, 300, 50) } else { (7, 1000, 200) };
    let line = source
        .lines()
        .position(|line| line.ends_with("// the write"))
        .ok_or_else(|| BenchError::Setup("no write is marked in writes.js".to_owned()))?;
    let mut conditional = Vec::new();
    let mut paused = Vec::new();
    for _ in 0..rounds {
        for (condition, turns, times) in
            [("false", turns, &mut conditional), ("", stops, &mut paused)]
        {
            let page = open(browser, url, None).await?;
            page.send("Debugger.enable", json!({})).await?;
            let breakpoint = json!({ "url": url, "lineNumber": line, "condition": condition });
            page.send("Debugger.setBreakpointByUrl", breakpoint).await?;
            let expression = format!("measureTurns(oldObject, {turns})");
            let time = {
                let work = number(&page, &expression);
                let resume = resume_always(browser.protocol().events(), &page);
                futures::pin_mut!(work, resume);
                match select(work, resume).await {
                    Either::Left((time, _)) => time?,
                    Either::Right((error, _)) => return Err(error),
                }
            };
            times.push(time / 1000.0);
            page.dispose().await?;
        }
    }
    Ok(table(
        &["by", "µs a write", "rounds"],
        &[
            vec![
                "conditional breakpoint (`false`)".to_owned(),
                Sample::new(conditional).described(digits),
                format!("{rounds} of {turns} writes"),
            ],
            vec![
                "breakpoint, resumed by the driver".to_owned(),
                Sample::new(paused).described(digits),
                format!("{rounds} of {stops} writes"),
            ],
        ],
    ))
}

/// Lets the page go on wherever it stops; ends only with an error.
async fn resume_always(mut events: BoxStream<'static, Event>, page: &Page) -> BenchError {
    while let Some(event) = events.next().await {
        if event.is(page.session(), "Debugger.paused")
            && let Err(error) = page.send("Debugger.resume", json!({})).await
        {
            return error.into();
        }
    }
    BenchError::Setup("the browser's events ended".to_owned())
}

/// Time and memory of a million objects.
async fn populated(
    browser: &Browser,
    served: &Served,
    variants: &[&Variant; 3],
    quick: bool,
) -> Result<String, BenchError> {
    const OBJECTS: f64 = 1_000_000.0;
    let rounds = if quick { 2 } else { 5 };
    let mut times = [const { Vec::new() }; 3];
    let mut bytes = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        for (index, variant) in variants.iter().enumerate() {
            let page = open(browser, &served.url(variant.file), variant.agent.as_deref()).await?;
            let before = heap(&page).await?;
            let time = number(&page, "measureTurns(populate, 1000000)").await?;
            times[index].push(time * OBJECTS / 1e6);
            bytes[index].push((heap(&page).await? - before) / OBJECTS);
            value(&page, "population.length").await?;
            page.dispose().await?;
        }
    }
    let rows: Vec<Vec<String>> = ["plain", "dormant", "armed"]
        .iter()
        .zip(times.into_iter().zip(bytes))
        .map(|(name, (times, bytes))| {
            vec![
                (*name).to_owned(),
                Sample::new(times).described(digits),
                format!("{:.0}", Sample::new(bytes).median()),
            ]
        })
        .collect();
    Ok(table(&["hooks", "ms", "bytes an object"], &rows))
}

/// Bytes of the page's heap that are in use after everything unreachable is gone.
pub(crate) async fn heap(page: &Page) -> Result<f64, BenchError> {
    page.send("HeapProfiler.collectGarbage", json!({})).await?;
    let usage = page.send("Runtime.getHeapUsage", json!({})).await?;
    usage
        .get("usedSize")
        .and_then(Value::as_f64)
        .ok_or_else(|| BenchError::Setup("the browser does not tell its heap".to_owned()))
}
