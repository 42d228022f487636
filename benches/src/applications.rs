//! What questions about whole applications cost, beside a plain replay: twelve TodoMVC applications.
//!
//! They are the built applications of the TodoMVC project (MIT; the licence is in the archive `todomvc.zip`, which
//! holds the folders `examples/*/dist` of its repository at ff43b02e5 and nothing else).

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cdp_driver::native::Browser;
use serde_json::Value;

use crate::error::BenchError;
use crate::recordings::record_while;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::Served;
use crate::user::User;

const ARCHIVE: &str = "benches/todomvc.zip";
/// How long the user looks at what came of an action.
const LOOKS: Duration = Duration::from_millis(150);
/// As the commands have it by default.
const TIMEOUT_S: &str = "60";

/// An application, and how its elements are reached: by selectors, each in the shadow tree of what the one before
/// finds.
struct Application {
    name: &'static str,
    /// Where a new entry is typed.
    input: &'static [&'static str],
    /// What holds the entries.
    list: &'static [&'static str],
    /// The check box of the first entry.
    toggle: &'static [&'static str],
    /// How many entries are left.
    count: &'static [&'static str],
}

/// One whose elements are all in the document.
const fn in_document(name: &'static str) -> Application {
    Application {
        name,
        input: &[".new-todo"],
        list: &[".todo-list"],
        toggle: &[".todo-list li .toggle"],
        count: &[".todo-count"],
    }
}

const APPLICATIONS: [Application; 12] = [
    in_document("angular"),
    in_document("backbone"),
    in_document("es5"),
    in_document("es6"),
    in_document("jquery"),
    Application {
        name: "lit",
        input: &["todo-app", "todo-form", ".new-todo"],
        list: &["todo-app", "todo-list", ".todo-list"],
        toggle: &["todo-app", "todo-list", "todo-item", ".toggle"],
        count: &["todo-app", "todo-footer", ".todo-count"],
    },
    in_document("preact"),
    in_document("react"),
    in_document("react-redux"),
    in_document("svelte"),
    in_document("vue"),
    Application {
        name: "web-components",
        input: &["todo-app", "todo-topbar", ".new-todo-input"],
        list: &["todo-app", "todo-list", ".todo-list"],
        toggle: &["todo-app", "todo-list", "todo-item", ".toggle-todo-input"],
        count: &["todo-app", "todo-bottombar", ".todo-status"],
    },
];

/// The element that selectors lead to, in a question as in the page.
fn element(way: &[&str]) -> String {
    let steps: Vec<String> = way
        .iter()
        .map(|it| format!("querySelector('{it}')"))
        .collect();
    format!("document.{}", steps.join(".shadowRoot."))
}

impl Application {
    /// Adds three entries and checks the first.
    async fn used_by(&self, user: &User) -> Result<(), BenchError> {
        for entry in ["milk", "bread", "tea"] {
            user.clicks_on(&element(self.input)).await?;
            user.types(entry).await?;
            // Angular takes no notice of a field that is emptied before what was typed has been drawn.
            tokio::time::sleep(LOOKS).await;
            user.enters().await?;
            tokio::time::sleep(LOOKS).await;
        }
        user.clicks_on(&element(self.toggle)).await?;
        tokio::time::sleep(LOOKS).await;
        let left = user
            .value(&format!("{}.textContent", element(self.count)))
            .await?;
        match left.as_str() {
            Some(left) if left.contains('2') => Ok(()),
            _ => Err(BenchError::Setup(format!(
                "{}: 2 of 3 entries should be left to do, and it shows {left}",
                self.name
            ))),
        }
    }

    /// What a person who looks at the page asks about it; the first is the one that is asked alone.
    fn questions(&self) -> [String; 9] {
        let ways = [self.input, self.list, self.toggle, self.count];
        let [input, list, toggle, count] = ways.map(element);
        [
            format!("A = lastChange(R:{count}.textContent)"),
            format!("B = lastChange(R:{list}.textContent)"),
            format!("C = lastChange(R:{input}.value)"),
            format!("D = lastChange(R:{toggle}.checked)"),
            format!("E = lastChange(R:{list}.children.length)"),
            format!("F = lastChange(R:{list}.firstElementChild.className)"),
            format!("G = lastChange(R:{list}.lastElementChild.textContent)"),
            "H = lastCondition(A)".to_owned(),
            "I = exceptionAfter(A)".to_owned(),
        ]
    }
}

/// Measures every application.
pub(crate) async fn run(
    browser: &Browser,
    command: &Path,
    repository: &Path,
    only: Option<&str>,
    quick: bool,
) -> Result<Section, BenchError> {
    let rounds = if quick { 1 } else { 5 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a folder for applications"))?;
    unpack(&repository.join(ARCHIVE), folder.path())?;
    let mut rows = Vec::new();
    let (mut ones, mut nines) = (Vec::new(), Vec::new());
    for application in &APPLICATIONS {
        if only.is_some_and(|only| only != application.name) {
            continue;
        }
        let measured = measure(browser, command, folder.path(), application, rounds).await?;
        eprintln!("  {}: {rounds} rounds", application.name);
        ones.push(measured.one.median());
        nines.push(measured.nine.median());
        let ratio = |sample: &Sample| sample.described(|ratio| format!("{ratio:.2}"));
        rows.push(vec![
            application.name.to_owned(),
            measured.replay.described(digits),
            ratio(&measured.one),
            ratio(&measured.nine),
            measured.executions.to_string(),
            format!("{} of 9", measured.answered),
        ]);
    }
    let bound = |what: &str, at_most: f64, ratios: Vec<f64>| Bound {
        what: format!("{what} about a TodoMVC application over a plain replay, median of them"),
        at_most,
        measured: Sample::new(ratios).median(),
        unit: "".into(),
        slower: 1.0,
    };
    let bounds = vec![
        bound("one question", 1.7, ones),
        bound("nine questions", 3.5, nines),
    ];
    let text = format!(
        "Whole processes, with the browser's start: `querypoint replay` of a recording of each application (three\n\
         entries are typed, one is checked), then `querypoint ask` with one question about what the page shows, then\n\
         with nine, in turns, {rounds} rounds. *One* and *nine* are ratios to the plain replay of the same round.\n\
         *Answered* are those of the nine that are not `blind`.\n\n{}",
        table(
            &[
                "application",
                "plain replay, ms",
                "one",
                "nine",
                "executions for nine",
                "answered"
            ],
            &rows
        )
    );
    Ok(Section {
        title: "Applications".into(),
        text,
        bounds,
    })
}

/// What one application took.
struct Measured {
    replay: Sample,
    one: Sample,
    nine: Sample,
    executions: u64,
    answered: usize,
}

async fn measure(
    browser: &Browser,
    command: &Path,
    folder: &Path,
    application: &Application,
    rounds: usize,
) -> Result<Measured, BenchError> {
    let served = Served::start(&folder.join(application.name))?;
    let url = served.url("index.html");
    let ((), recorded) =
        record_while(browser, &url, async |user| application.used_by(user).await).await?;
    let file = folder.join(format!("{}.json", application.name));
    std::fs::write(&file, recorded.recording.to_json()).map_err(BenchError::file(&file))?;
    if let Some(responses) = recorded.responses {
        let file = folder.join(format!("{}.json.har", application.name));
        let json = responses.to_json(env!("CARGO_PKG_VERSION"));
        std::fs::write(&file, json).map_err(BenchError::file(&file))?;
    }
    let questions = application.questions();
    let (mut replays, mut one, mut nine) = (Vec::new(), Vec::new(), Vec::new());
    let (mut executions, mut answered) = (0, 0);
    // The first fills caches and is not counted.
    for round in 0..=rounds {
        let start = Instant::now();
        replayed(command, &file)?;
        let replay = start.elapsed().as_secs_f64() * 1000.0;
        let start = Instant::now();
        asked(command, &url, &file, &questions[..1])?;
        let with_one = start.elapsed().as_secs_f64() * 1000.0;
        let start = Instant::now();
        let answer = asked(command, &url, &file, &questions)?;
        let with_nine = start.elapsed().as_secs_f64() * 1000.0;
        if round > 0 {
            replays.push(replay);
            one.push(with_one / replay);
            nine.push(with_nine / replay);
        }
        executions = answer
            .get("executions")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        answered = statuses(&answer)
            // That no exception was thrown is an answer.
            .filter(|status| matches!(*status, "found" | "never-changed" | "not-reached"))
            .count()
            // The reproduction point is one of the points.
            .saturating_sub(1);
    }
    Ok(Measured {
        replay: Sample::new(replays),
        one: Sample::new(one),
        nine: Sample::new(nine),
        executions,
        answered,
    })
}

fn statuses(answer: &Value) -> impl Iterator<Item = &str> {
    let points = answer.get("points").and_then(Value::as_array);
    points
        .into_iter()
        .flatten()
        .filter_map(|point| point.get("status")?.as_str())
}

fn replayed(command: &Path, recording: &Path) -> Result<(), BenchError> {
    let output = Command::new(command)
        .arg("replay")
        .arg(recording)
        .stdin(Stdio::null())
        .output()
        .map_err(BenchError::file(command))?;
    if output.status.success() {
        return Ok(());
    }
    Err(BenchError::Setup(format!(
        "{} is not replayed: {}",
        recording.display(),
        String::from_utf8_lossy(&output.stderr)
    )))
}

fn asked(
    command: &Path,
    url: &str,
    recording: &Path,
    questions: &[String],
) -> Result<Value, BenchError> {
    let output = Command::new(command)
        .args(["ask", url, "--json", "--no-keep", "--at", "end"])
        .args(["--timeout", TIMEOUT_S])
        .arg("--recording")
        .arg(recording)
        .args(questions)
        .stdin(Stdio::null())
        .output()
        .map_err(BenchError::file(command))?;
    let not_asked = || {
        BenchError::Setup(format!(
            "{url} is not asked: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    };
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|_| not_asked())?;
    let is_reached = statuses(&answer).next() == Some("found");
    match is_reached {
        true => Ok(answer),
        false => Err(not_asked()),
    }
}

fn unpack(archive: &Path, folder: &Path) -> Result<(), BenchError> {
    let file = std::fs::File::open(archive).map_err(BenchError::file(archive))?;
    let wrong =
        |error: zip::result::ZipError| BenchError::Setup(format!("{}: {error}", archive.display()));
    let mut archive = zip::ZipArchive::new(file).map_err(wrong)?;
    archive.extract(folder).map_err(wrong)
}
