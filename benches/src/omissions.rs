//! Why something did not happen: how often the right decision is named first, over programs with omissions put in, and
//! how long the analyses take on whole bundles.
//!
//! A program of `benches/omissions` has `// why: NAME` behind each line that is asked about, and `// NAME: reason`
//! behind the line of the decision that keeps it from running. What is in `libraries` under its name is loaded before
//! it, as a library.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskRequest, ask};
use js_analysis::Goal;
use js_analysis::call_graph::{CallFacts, CallGraph};
use js_analysis::rewrite::with_script;
use querypoint::answer::PointAnswer;
use querypoint::point::ReproductionPoint;

use crate::error::BenchError;
use crate::plan::graph;
use crate::report::{Bound, Section, table};
use crate::statistics::digits;
use crate::tab::Served;

/// How long one execution may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Whole bundles: name, path in the packages, goal, and in how many seconds the call graph is to be there.
const SCRIPTS: [(&str, &str, Goal, f64); 3] = [
    (
        "react-dom (development)",
        "react-dom/cjs/react-dom-client.development.js",
        Goal::Script,
        1.0,
    ),
    ("three", "three/build/three.core.js", Goal::Module, 1.0),
    (
        "typescript.js",
        "typescript/lib/typescript.js",
        Goal::Script,
        12.0,
    ),
];

/// What is asked of one program.
struct Marked {
    /// Each name with the line that is asked about, and the line and the reason of the decision.
    asked: Vec<(String, usize, usize, String)>,
}

impl Marked {
    fn read(file: &str, source: &str) -> Result<Self, BenchError> {
        let lines = || {
            source
                .lines()
                .enumerate()
                .map(|(number, line)| (number + 1, line))
        };
        let mut asked = Vec::new();
        for (number, line) in lines() {
            let Some((_, name)) = line.split_once("// why: ") else {
                continue;
            };
            let name = name.trim();
            let mark = format!("// {name}: ");
            let decision = lines().find_map(|(number, line)| {
                let (_, reason) = line.split_once(&mark)?;
                let reason = reason.split("//").next()?.trim();
                Some((number, reason.to_owned()))
            });
            let Some((at, reason)) = decision else {
                return Err(BenchError::Setup(format!(
                    "{file} has no line marked {name}"
                )));
            };
            asked.push((name.to_owned(), number, at, reason));
        }
        Ok(Self { asked })
    }
}

/// How many were found.
#[derive(Default)]
struct Found {
    asked: usize,
    first: usize,
    among_three: usize,
}

impl Found {
    fn take(&mut self, point: Option<&PointAnswer>, line: usize, reason: &str) {
        self.asked += 1;
        let candidates = point.map_or(&[][..], |point| point.candidates.as_slice());
        let place = candidates.iter().position(|candidate| {
            usize::try_from(candidate.location.line) == Ok(line)
                && candidate.reason.word() == reason
        });
        self.first += usize::from(place == Some(0));
        self.among_three += usize::from(place.is_some_and(|place| place < 3));
    }
}

/// Asks every program, and analyses the bundles.
pub(crate) async fn run(
    browser: &Browser,
    packages: &Path,
    repository: &Path,
) -> Result<Section, BenchError> {
    let (programs, whole) = programs(browser, repository).await?;
    let (bundles, mut bounds) = bundles(packages)?;
    let share = |part: usize| match whole.asked {
        0 => f64::NAN,
        asked => 100.0 * part as f64 / asked as f64,
    };
    // What is not found is bounded: a bound is at most.
    bounds.push(at_most(
        "omissions whose decision is not first",
        20.0,
        100.0 - share(whole.first),
    ));
    bounds.push(at_most(
        "omissions whose decision is not among the first three",
        5.0,
        100.0 - share(whole.among_three),
    ));
    Ok(Section {
        title: "Why something did not happen".into(),
        text: format!(
            "Programs of `benches/omissions` with omissions in them, made for this table by who made the finder. For \
             each the line that did not run is asked with `whyNot`, nothing turned round; the decision and its reason \
             must be those that are marked.\n\n{programs}\n\nThe call graph of whole bundles, parsing not counted: \
             what the text says, and where functions flow.\n\n{bundles}"
        ),
        bounds,
    })
}

fn at_most(what: &str, at_most: f64, measured: f64) -> Bound {
    Bound {
        what: what.to_owned(),
        at_most,
        measured,
        unit: "%".into(),
        slower: 1.0,
    }
}

async fn programs(browser: &Browser, repository: &Path) -> Result<(String, Found), BenchError> {
    let folder = repository.join("benches").join("omissions");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .map_err(BenchError::file(&folder))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "js"))
        .collect();
    files.sort();
    let served_folder = tempfile::tempdir().map_err(BenchError::file(&folder))?;
    let mut whole = Found::default();
    let mut rows = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let marked = Marked::read(name, &source)?;
        let library = folder.join("libraries").join(name);
        let library = std::fs::read_to_string(library).unwrap_or_default();
        let packages = served_folder.path().join("node_modules");
        std::fs::create_dir_all(&packages).map_err(BenchError::file(&packages))?;
        let html = format!(
            "<!doctype html><button id=b>b</button><script src=node_modules/{name}></script><script src={name}></script>"
        );
        let as_library = format!("node_modules/{name}");
        let files = [
            ("index.html", &html),
            (&*as_library, &library),
            (name, &source),
        ];
        for (file, text) in files {
            let to = served_folder.path().join(file);
            std::fs::write(&to, text).map_err(BenchError::file(&to))?;
        }
        let served = Served::start(served_folder.path())?;
        let asked = marked.asked.iter();
        let queries: Vec<String> = asked
            .map(|(asked, line, ..)| format!("{asked} = whyNot({name}:{line})"))
            .collect();
        let request = AskRequest::new(
            served.url("index.html"),
            ReproductionPoint::End,
            graph(&queries)?,
            LIMIT,
        );
        let start = Instant::now();
        let clock = Arc::new(TokioClock::new());
        let answer = ask(browser.protocol(), clock, &request, &mut |_| {}).await?;
        let time = start.elapsed().as_secs_f64();
        let mut own = Found::default();
        for (name, _, line, reason) in &marked.asked {
            let point = answer.points.iter().find(|point| point.name == *name);
            own.take(point, *line, reason);
        }
        whole.asked += own.asked;
        whole.first += own.first;
        whole.among_three += own.among_three;
        rows.push(vec![
            name.to_owned(),
            own.asked.to_string(),
            own.first.to_string(),
            own.among_three.to_string(),
            answer.executions.to_string(),
            digits(time),
        ]);
    }
    rows.push(vec![
        "all".to_owned(),
        whole.asked.to_string(),
        whole.first.to_string(),
        whole.among_three.to_string(),
        String::new(),
        String::new(),
    ]);
    let head = [
        "program",
        "omissions",
        "first",
        "among three",
        "executions",
        "s",
    ];
    Ok((table(&head, &rows), whole))
}

fn bundles(packages: &Path) -> Result<(String, Vec<Bound>), BenchError> {
    let mut rows = Vec::new();
    let mut bounds = Vec::new();
    for (name, path, goal, most) in SCRIPTS {
        let path = packages.join(path);
        let source = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
        let read = with_script(&source, goal, |script| {
            let start = Instant::now();
            (script.call_facts(), start.elapsed().as_secs_f64())
        });
        let (facts, reading) = read.map_err(|error| BenchError::NotRewritten {
            script: name.to_owned(),
            why: error.to_string(),
        })?;
        let timed = |graph: fn(&[&CallFacts]) -> CallGraph| {
            let start = Instant::now();
            let graph = graph(&[&facts]);
            (graph, start.elapsed().as_secs_f64())
        };
        let (graph, solving) = timed(CallGraph::new);
        let (_, with_objects) = timed(CallGraph::with_objects);
        let (calls, edges) = graph.size();
        rows.push(vec![
            name.to_owned(),
            format!("{:.1} MB", source.len() as f64 / 1e6),
            facts.functions.len().to_string(),
            facts.calls.len().to_string(),
            calls.to_string(),
            edges.to_string(),
            digits(reading),
            digits(solving),
            digits(with_objects),
        ]);
        bounds.push(Bound {
            what: format!("call graph of {name}"),
            at_most: most,
            measured: reading + solving,
            unit: "s".into(),
            slower: 1.0,
        });
    }
    let head = [
        "script",
        "size",
        "functions",
        "calls",
        "with a callee",
        "edges",
        "text, s",
        "flow, s",
        "flow with objects, s",
    ];
    Ok((table(&head, &rows), bounds))
}
