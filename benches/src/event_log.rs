//! What it costs to record the event log: seven programs of the Octane suite, as they are, with their calls recorded,
//! and with everything that is recorded. What the page sends goes to the driver, as it does when a log is written.

use std::path::Path;

use agent::{AgentConfig, AgentLog, agent_source};
use cdp_driver::native::Browser;
use conformance::octane::PROGRAMS;
use engine::page::Page;
use js_analysis::Goal;
use js_analysis::log::{Detail, FirstNumbers, LogOptions};
use js_analysis::rewrite::{DEFAULT_PREFIX, NamesAsWritten, with_script};

use crate::error::BenchError;
use crate::octane::{as_it_is, milliseconds_a_run, pages};
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits, geometric_mean};
use crate::tab::{Served, open, open_with_binding};

/// The programs that the bounds are about.
const SEVEN: [&str; 7] = [
    "Richards",
    "DeltaBlue",
    "RayTrace",
    "EarleyBoyer",
    "NavierStokes",
    "Splay",
    "Box2D",
];
const BINDING: &str = "$QpLog";
/// As what a page is opened: its name, and whether it has the agent.
const KINDS: [(&str, bool); 3] = [("plain", false), ("calls", true), ("all", true)];

/// Measures the seven programs, or the one that is named.
pub(crate) async fn run(
    browser: &Browser,
    packages: &Path,
    program: Option<&str>,
    quick: bool,
) -> Result<Section, BenchError> {
    let rounds = if quick { 2 } else { 5 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a temporary folder"))?;
    let octane = packages.join("benchmark-octane/lib/octane");
    let wanted = |name: &str| {
        SEVEN.contains(&name) && program.is_none_or(|program| program.eq_ignore_ascii_case(name))
    };
    let programs: Vec<_> = PROGRAMS.iter().filter(|(name, _)| wanted(name)).collect();
    for (name, files) in &programs {
        // The suite's own script comes first; each has numbers of its own.
        let numbered = |file: &str| {
            1 + files
                .iter()
                .position(|it| *it == file)
                .map_or(0, |it| it + 1)
        };
        let calls = |source: &str, file: &str| logged(source, file, numbered(file), Detail::Calls);
        let all = |source: &str, file: &str| logged(source, file, numbered(file), Detail::All);
        pages(
            folder.path(),
            &octane,
            name,
            files,
            &[("plain", &as_it_is), ("calls", &calls), ("all", &all)],
        )?;
    }
    let served = Served::start(folder.path())?;
    let agent = agent_source(
        DEFAULT_PREFIX,
        &AgentConfig {
            hit: -1,
            log: Some(AgentLog {
                binding: BINDING.to_owned(),
                ..AgentLog::default()
            }),
            ..AgentConfig::default()
        },
    );
    let mut rows = Vec::new();
    let mut ratios = [Vec::new(), Vec::new()];
    for (name, _) in &programs {
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..rounds {
            // Who begins changes with each round.
            for turn in 0..KINDS.len() {
                let which = (round + turn) % KINDS.len();
                let (kind, has_agent) = KINDS[which];
                let url = served.url(&format!("{kind}-{name}.html"));
                let page: Page = match has_agent {
                    true => open_with_binding(browser, &url, &agent, BINDING).await?,
                    false => open(browser, &url, None).await?,
                };
                times[which].push(milliseconds_a_run(&page, quick).await?);
                page.dispose().await?;
            }
        }
        let [plain, calls, all] = times;
        let over_plain = |with_hooks: &[f64]| {
            let ratios = plain.iter().zip(with_hooks);
            Sample::new(ratios.map(|(plain, with_hooks)| with_hooks / plain))
        };
        let (calls, all) = (over_plain(&calls), over_plain(&all));
        eprintln!(
            "  {name}: calls {}, all {}",
            calls.described(digits),
            all.described(digits)
        );
        rows.push(vec![
            (*name).to_owned(),
            digits(Sample::new(plain.iter().copied()).median()),
            calls.described(|ratio| format!("{ratio:.2}")),
            all.described(|ratio| format!("{ratio:.1}")),
        ]);
        ratios[0].push(calls.median());
        ratios[1].push(all.median());
    }
    let [calls, all] = ratios.map(geometric_mean);
    rows.push(vec![
        "**geometric mean**".to_owned(),
        String::new(),
        format!("**{calls:.2}**"),
        format!("**{all:.1}**"),
    ]);
    let text = format!(
        "Seven programs of the npm package `benchmark-octane`, each in a page of its own: as it is, with its calls\n\
         recorded (`querypoint log --detail calls`) and with everything (`--detail all`); {rounds} rounds. *Plain* \
         are milliseconds of\n\
         the page's main thread for one run of the program, as in the section about dormant hooks; encoding a log and\n\
         handing it to the browser is work of that thread. Packing and writing it is not.\n\n{}",
        table(&["program", "plain", "calls ÷ plain", "all ÷ plain"], &rows)
    );
    let bound = |what: &str, at_most: f64, measured: f64| Bound {
        what: what.to_owned(),
        at_most,
        measured,
        unit: "".into(),
        slower: 1.0,
    };
    Ok(Section {
        title: "The event log".into(),
        text,
        bounds: vec![
            bound(
                "recording calls over seven Octane programs, geometric mean",
                2.5,
                calls,
            ),
            bound(
                "recording everything over seven Octane programs, geometric mean",
                15.0,
                all,
            ),
        ],
    })
}

/// A script with the hooks of the log. Its numbers are its own: nobody reads this log.
fn logged(source: &str, name: &str, script: usize, detail: Detail) -> Result<String, BenchError> {
    let options = LogOptions {
        prefix: DEFAULT_PREFIX.to_owned(),
        script: u32::try_from(script).unwrap_or(u32::MAX),
        first: FirstNumbers::default(),
        detail,
        watches_document: true,
        in_document: false,
        outer: None,
        first_code_site: 1,
    };
    let logged = with_script(source, Goal::Script, |script| {
        script.logged(&options, &NamesAsWritten)
    })
    .and_then(|logged| logged)
    .map_err(|error| BenchError::NotRewritten {
        script: name.to_owned(),
        why: error.to_string(),
    })?;
    Ok(logged.edits.apply(source).0)
}
