//! What hooks everywhere cost whole programs: the Octane suite, each program in a page of its own, as it is and with
//! dormant hooks, or with live ones.
//!
//! The programs come from npm when this runs; they are under various licences, some GPL, and never part of this
//! repository.

use std::path::Path;

use agent::{AgentConfig, agent_source, dormant_agent};
use cdp_driver::native::Browser;
use engine::page::Page;
use js_analysis::rewrite::{DEFAULT_PREFIX, Instrumentation, Watch};

use crate::error::BenchError;
use crate::hooks::{heap, rewritten};
use conformance::octane::PROGRAMS;

use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits, geometric_mean};
use crate::tab::{Served, number, open, value, work_for};

/// The suite's own way to run a benchmark: set up, run for a second, and on until it has run often enough.
const RUNNER: &str = "
  const benchmarks = BenchmarkSuite.suites[0].benchmarks;
  BenchmarkSuite.ResetRNG();
  function runFor(benchmark, milliseconds, atLeast) {
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < milliseconds || runs < atLeast) { benchmark.run(); runs++; }
    return runs;
  }";

/// Which hooks are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hooks {
    Dormant,
    Live,
}

impl Hooks {
    fn name(self) -> &'static str {
        match self {
            Self::Dormant => "dormant",
            Self::Live => "live",
        }
    }

    fn instrumentation(self) -> Instrumentation {
        Instrumentation {
            watch: match self {
                Self::Dormant => Watch::Standby,
                Self::Live => Watch::Live,
            },
            ..Instrumentation::default()
        }
    }

    fn agent(self) -> String {
        match self {
            Self::Dormant => dormant_agent(DEFAULT_PREFIX),
            Self::Live => agent_source(
                DEFAULT_PREFIX,
                &AgentConfig {
                    armed: true,
                    shadows: true,
                    hit: -1,
                    ..AgentConfig::default()
                },
            ),
        }
    }
}

/// Measures all programs, or the one that is named.
pub(crate) async fn run(
    browser: &Browser,
    packages: &Path,
    program: Option<&str>,
    hooks: Hooks,
    quick: bool,
) -> Result<Section, BenchError> {
    let rounds = if quick { 2 } else { 5 };
    let hooked = hooks.name();
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let octane = packages.join("benchmark-octane/lib/octane");
    let agent = hooks.agent();
    let wanted = |name: &str| program.is_none_or(|program| program.eq_ignore_ascii_case(name));
    for (name, files) in PROGRAMS.iter().filter(|(name, _)| wanted(name)) {
        let rewrite = |source: &str, file: &str| rewritten(source, file, &hooks.instrumentation());
        pages(
            folder.path(),
            &octane,
            name,
            files,
            &[("plain", &as_it_is), (hooked, &rewrite)],
        )?;
    }
    let served = Served::start(folder.path())?;

    let mut rows = Vec::new();
    let mut all = Vec::new();
    let mut heaps = Vec::new();
    for (name, _) in PROGRAMS.iter().filter(|(name, _)| wanted(name)) {
        let mut times = [Vec::new(), Vec::new()];
        let mut held = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            // Who begins changes with each round.
            for turn in 0..2 {
                let is_hooked = (round + turn) % 2;
                let (kind, agent) = if is_hooked == 1 {
                    (hooked, Some(agent.as_str()))
                } else {
                    ("plain", None)
                };
                let page =
                    open(browser, &served.url(&format!("{kind}-{name}.html")), agent).await?;
                times[is_hooked].push(milliseconds_a_run(&page, quick).await?);
                held[is_hooked].push(heap(&page).await?);
                page.dispose().await?;
            }
        }
        let [plain, with_hooks] = times;
        let [held, held_with_hooks] = held.map(|held| Sample::new(held).median());
        let ratios: Vec<f64> = plain
            .iter()
            .zip(&with_hooks)
            .map(|(plain, with_hooks)| with_hooks / plain)
            .collect();
        let ratio = Sample::new(ratios.iter().copied());
        eprintln!("  {name}: {}", ratio.described(digits));
        rows.push(vec![
            (*name).to_owned(),
            digits(Sample::new(plain).median()),
            digits(Sample::new(with_hooks).median()),
            ratio.described(|ratio| format!("{ratio:.3}")),
            format!("{:.2}", held_with_hooks / held),
        ]);
        all.push(ratios);
        heaps.push(held_with_hooks / held);
    }
    let mean = geometric_mean(
        all.iter()
            .map(|ratios| Sample::new(ratios.iter().copied()).median()),
    );
    let by_round =
        Sample::new((0..rounds).map(|round| {
            geometric_mean(all.iter().filter_map(|ratios| ratios.get(round).copied()))
        }));
    rows.push(vec![
        "**geometric mean**".to_owned(),
        String::new(),
        String::new(),
        format!("**{mean:.3}**"),
        format!("**{:.2}**", geometric_mean(heaps.iter().copied())),
    ]);
    let text = format!(
        "The programs of the npm package `benchmark-octane`, each in a page of its own, as it is and rewritten with\n\
         {hooked} hooks everywhere (its own scripts and the suite's `base.js`; what it gives to `eval` stays as it \
         is); {rounds} rounds.\n\
         *Plain* and *{hooked}* are milliseconds of the page's main thread for one run of the program (the geometric\n\
         mean of its benchmarks), each run as the suite's own runner does it: set up, a second to warm up, a second\n\
         to measure. *Heap* is what the page's JavaScript holds afterwards, beside the plain page's.\n\
         The geometric mean of single rounds: {}.\n\n{}",
        by_round.described(|ratio| format!("{ratio:.3}")),
        table(
            &[
                "program",
                "plain",
                hooked,
                &format!("{hooked} ÷ plain"),
                "heap"
            ],
            &rows
        )
    );
    let bound = |what: &str, at_most: f64, measured: f64| Bound {
        what: what.to_owned(),
        at_most,
        measured,
        unit: "".into(),
        slower: 1.0,
    };
    let medians = all
        .iter()
        .map(|ratios| Sample::new(ratios.iter().copied()).median());
    let worst = medians.fold(0.0, f64::max);
    let heap = geometric_mean(heaps.iter().copied());
    let (title, bounds) = match hooks {
        Hooks::Dormant => (
            "Dormant hooks in whole programs",
            vec![bound(
                "dormant hooks over the Octane programs, geometric mean",
                1.05,
                mean,
            )],
        ),
        Hooks::Live => (
            "Live hooks in whole programs",
            vec![
                bound(
                    "live hooks over the Octane programs, geometric mean",
                    1.6,
                    mean,
                ),
                bound("live hooks, the slowest Octane program", 3.0, worst),
                bound(
                    "the heap with live hooks over the Octane programs, geometric mean",
                    1.6,
                    heap,
                ),
            ],
        ),
    };
    Ok(Section {
        title: title.into(),
        text,
        bounds,
    })
}

/// The geometric mean over the program's benchmarks.
pub(crate) async fn milliseconds_a_run(page: &Page, quick: bool) -> Result<f64, BenchError> {
    value(page, RUNNER).await?;
    let span = if quick { 300 } else { 1000 };
    let mut times = Vec::new();
    let count = number(page, "benchmarks.length").await?;
    let mut index = 0.0;
    while index < count {
        value(page, &format!("benchmarks[{index}].Setup()")).await?;
        number(page, &format!("runFor(benchmarks[{index}], {span}, 1)")).await?;
        let least = format!("Math.ceil(benchmarks[{index}].minIterations * {span} / 1000)");
        let expression = format!("runFor(benchmarks[{index}], {span}, {least})");
        let (runs, worked) = work_for(page, &expression).await?;
        times.push(worked.thread * 1000.0 / runs);
        value(page, &format!("benchmarks[{index}].TearDown()")).await?;
        index += 1.0;
    }
    Ok(geometric_mean(times))
}

/// What becomes of a script, by its text and its name.
pub(crate) type Rewrite<'a> = dyn Fn(&str, &str) -> Result<String, BenchError> + 'a;

/// A script as its author wrote it.
pub(crate) fn as_it_is(source: &str, _: &str) -> Result<String, BenchError> {
    Ok(source.to_owned())
}

/// Writes a program's pages with their scripts, one page for each kind.
pub(crate) fn pages(
    folder: &Path,
    octane: &Path,
    name: &str,
    files: &[&str],
    kinds: &[(&str, &Rewrite<'_>)],
) -> Result<(), BenchError> {
    let mut elements = vec![String::new(); kinds.len()];
    for file in ["base.js"].iter().chain(files) {
        let path = octane.join(file);
        let bytes = std::fs::read(&path).map_err(BenchError::file(&path))?;
        let source = String::from_utf8(bytes).unwrap_or_else(|wrong| {
            wrong
                .into_bytes()
                .iter()
                .map(|&byte| char::from(byte))
                .collect()
        });
        for ((kind, rewrite), elements) in kinds.iter().zip(&mut elements) {
            let script = format!("{kind}-{file}");
            let path = folder.join(&script);
            std::fs::write(&path, rewrite(&source, file)?).map_err(BenchError::file(path))?;
            elements.push_str(&format!("<script src=\"{script}\"></script>\n"));
        }
    }
    for ((kind, _), elements) in kinds.iter().zip(&elements) {
        let path = folder.join(format!("{kind}-{name}.html"));
        let html = format!("<!doctype html><meta charset=utf-8><title>{name}</title>\n{elements}");
        std::fs::write(&path, html).map_err(BenchError::file(path))?;
    }
    Ok(())
}
