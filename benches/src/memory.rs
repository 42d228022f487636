//! How much memory the driver needs at most for a page with a script of 9 MB.
//!
//! A peak is of a whole process, so each question is asked by a process of its own: this program, called again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use engine::ask::{AskRequest, ask};
use engine::collection::Instrument;
use querypoint::answer::Status;
use querypoint::point::ReproductionPoint;
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::plan::graph;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::Served;

const HTML: &str = "<!doctype html><title>typescript</title><script src=typescript.js></script>\
     <script>const kept = { version: 0 };\nkept.version = ts.version;</script>";

/// What a process of its own prints that is called with `what` to measure.
pub(crate) fn process(
    what: &[&str],
    packages: &Path,
    executable: &Path,
) -> Result<Value, BenchError> {
    let program = std::env::current_exe().map_err(BenchError::file("this program"))?;
    let output = Command::new(&program)
        .args(what)
        .arg("--packages")
        .arg(packages)
        .arg("--browser")
        .arg(executable)
        .output()
        .map_err(BenchError::file(&program))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        BenchError::Setup(format!("{} was not asked: {words}", what.join(" ")))
    })
}

/// Measures with hooks for one question and with hooks everywhere.
pub(crate) fn run(executable: &Path, packages: &Path, quick: bool) -> Result<Section, BenchError> {
    let rounds = if quick { 1 } else { 5 };
    let mut rows = Vec::new();
    let mut bounds = Vec::new();
    for mode in ["query", "standby"] {
        let (mut peaks, mut times) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let answer = process(&["--peak-of", mode], packages, executable)?;
            let number = |name: &str| answer.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
            peaks.push(number("peakMb"));
            times.push(number("ms"));
        }
        eprintln!("  {mode}: {rounds} rounds");
        let peak = Sample::new(peaks);
        rows.push(vec![
            mode.to_owned(),
            peak.described(digits),
            Sample::new(times).described(digits),
        ]);
        bounds.push(Bound {
            what: format!("peak memory of the driver on `typescript.js`, {mode}"),
            at_most: 600.0,
            measured: peak.median(),
            unit: "MB".into(),
            slower: 1.0,
        });
    }
    let text = format!(
        "The largest resident size (`VmHWM`) of a process that serves a page with the 9 MB of `typescript.js`, asks\n\
         it one question and ends; {rounds} rounds. The time is that of the whole question, without the browser's \
         start.\n\n{}",
        table(&["hooks", "peak MB", "ms"], &rows)
    );
    Ok(Section {
        title: "Memory".into(),
        text,
        bounds,
    })
}

/// What the process of its own does: asks, and prints what it took.
pub(crate) async fn child(
    mode: &str,
    executable: Option<PathBuf>,
    packages: &Path,
) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let script = packages.join("typescript/lib/typescript.js");
    std::fs::copy(&script, folder.path().join("typescript.js"))
        .and_then(|_| std::fs::write(folder.path().join("index.html"), HTML))
        .map_err(BenchError::file(script))?;
    let served = Served::start(folder.path())?;
    let browser = Browser::launch(LaunchOptions {
        executable,
        ..LaunchOptions::default()
    })
    .await?;
    let request = AskRequest {
        instrument: if mode == "standby" {
            Instrument::Standby
        } else {
            Instrument::Query
        },
        ..AskRequest::new(
            served.url("index.html"),
            ReproductionPoint::End,
            graph(&["lastChange(R:kept.version)"])?,
            Duration::from_secs(120),
        )
    };
    let start = Instant::now();
    let clock = Arc::new(TokioClock::new());
    let answer = ask(browser.protocol(), clock, &request, &mut |_| {}).await?;
    let took = start.elapsed().as_secs_f64() * 1000.0;
    browser.close().await;
    let found = answer
        .points
        .last()
        .is_some_and(|point| point.status == Status::Found);
    if !found {
        let answer = serde_json::to_string(&answer).unwrap_or_default();
        return Err(BenchError::Setup(format!(
            "no last change was found: {answer}"
        )));
    }
    println!("{}", json!({ "peakMb": peak_mb()?, "ms": took }));
    Ok(())
}

/// The largest resident size of this process so far, in megabytes.
pub(crate) fn peak_mb() -> Result<f64, BenchError> {
    let status = Path::new("/proc/self/status");
    let text = std::fs::read_to_string(status).map_err(BenchError::file(status))?;
    let kibibytes: f64 = text
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or(f64::NAN);
    Ok(kibibytes * 1024.0 / 1e6)
}
