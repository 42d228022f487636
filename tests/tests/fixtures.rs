//! Every page below `tests/fixtures/`, end to end: the question that its opening comment asks, in one real
//! browser, against the answer that it expects. Each page is a test of its own name: a new case is a new file.

#![allow(clippy::panic, reason = "a panic is how a test fails")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Purpose, TokioClock};
use cdp_driver::protocol::Protocol;
use end_to_end::fixture::{Fixture, fixture, fixtures};
use end_to_end::{querypoint_command, repository};
use engine::ask::{AskRequest, ask, ask_live};
use engine::collection::Instrument;
use libtest_mimic::{Arguments, Failed, Trial};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use recording::Recording;
use serde_json::Value;
use test_support::browsers;
use test_support::server::Server;
use tokio::runtime::Handle;

const TIMEOUT: Duration = Duration::from_secs(60);
/// In an ordinary run, how many fixtures of a group there are for one whose answer is read from the shadows of live
/// hooks.
const SHADOWS_OF: usize = 6;
/// And for one that is asked from one execution.
const LIVE_OF: usize = 3;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Two questions at a time: what two cores carry without one waiting for the other's turn.
    arguments.test_threads.get_or_insert(2);
    let fixtures = wanted(&arguments).unwrap_or_else(|problem| panic!("{problem}"));
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    runtime.block_on(run(arguments, fixtures))
}

/// The fixtures that may be asked for.
fn wanted(arguments: &Arguments) -> Result<Vec<Fixture>, String> {
    let folder = repository().join("tests/fixtures");
    match &arguments.filter {
        Some(test) if arguments.exact => {
            let name = test.split(" (").next().unwrap_or_default();
            Ok(fixture(&folder, name)?.into_iter().collect())
        }
        _ => fixtures(&folder),
    }
}

async fn run(arguments: Arguments, fixtures: Vec<Fixture>) -> ExitCode {
    if arguments.list {
        return libtest_mimic::run(&arguments, trials(fixtures, None)).exit_code();
    }
    // The worker's: under a runner with a process for each test, its next test finds it again.
    let browser = browsers::browser(Purpose::Pages)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let server = Server::of_folder(&repository().join("tests/fixtures"))
        .unwrap_or_else(|error| panic!("{error}"));
    let stage = Stage {
        server: Arc::new(server),
        protocol: browser.protocol(),
        handle: Handle::current(),
    };
    let trials = trials(fixtures, Some(stage));
    let ran = tokio::task::spawn_blocking(move || libtest_mimic::run(&arguments, trials)).await;
    browser.close().await;
    match ran {
        Ok(conclusion) => conclusion.exit_code(),
        Err(_) => ExitCode::FAILURE,
    }
}

/// What the questions are asked with.
#[derive(Clone)]
struct Stage {
    /// Serves the fixtures' folder.
    server: Arc<Server>,
    protocol: Arc<dyn Protocol>,
    handle: Handle,
}

/// Every fixture in each way that it is to be asked in: a test of its name each.
fn trials(fixtures: Vec<Fixture>, stage: Option<Stage>) -> Vec<Trial> {
    let is_every = std::env::var_os("QUERYPOINT_EVERY_PROGRAM").is_some();
    let groups = fixtures.chunk_by(|one, next| one.group() == next.group());
    let numbered = groups.flat_map(|group| group.iter().enumerate());
    let mut trials = Vec::new();
    for (index, fixture) in numbered {
        let is_one_of = |count: usize| is_every || index.is_multiple_of(count);
        let ways = [
            (true, Way::Instrument(Instrument::Query)),
            (fixture.standby, Way::Instrument(Instrument::Standby)),
            (fixture.command, Way::Command),
            (is_one_of(LIVE_OF), Way::OneExecution(Instrument::Query)),
            (is_one_of(SHADOWS_OF), Way::OneExecution(Instrument::Live)),
        ];
        for (_, way) in ways.into_iter().filter(|(is_asked, _)| *is_asked) {
            let (fixture, stage) = (fixture.clone(), stage.clone());
            let name = format!("{}{}", fixture.name, way.suffix());
            trials.push(Trial::test(name, move || match stage {
                Some(stage) => check(&fixture, way, &stage),
                None => Ok(()),
            }));
        }
    }
    trials
}

/// How a fixture is asked.
#[derive(Clone, Copy, Debug)]
enum Way {
    Instrument(Instrument),
    /// From one execution; with live hooks the answers are read from their shadows.
    OneExecution(Instrument),
    Command,
}

impl Way {
    /// How the name of the test ends.
    fn suffix(self) -> &'static str {
        match self {
            Self::Instrument(Instrument::Standby) => " (standby)",
            Self::Instrument(_) => "",
            Self::OneExecution(Instrument::Live) => " (shadows)",
            Self::OneExecution(_) => " (live)",
            Self::Command => " (command)",
        }
    }
}

fn check(fixture: &Fixture, way: Way, stage: &Stage) -> Result<(), Failed> {
    let page = stage.server.url(&format!("/{}.html", fixture.name));
    let in_browser = |how| {
        stage
            .handle
            .block_on(ask_browser(fixture, page, how, stage))
    };
    let answer = match way {
        Way::Instrument(instrument) => in_browser((instrument, false))?,
        Way::OneExecution(instrument) => in_browser((instrument, true))?,
        Way::Command => ask_command(fixture)?,
    };
    let compared = match way {
        Way::OneExecution(_) => fixture.compare_live(&answer),
        Way::Instrument(_) | Way::Command => fixture.compare(&answer),
    };
    compared.map_err(|problems| {
        let answer = serde_json::to_string_pretty(&answer).unwrap_or_default();
        let shown = if std::env::var_os("QUERYPOINT_SHOW_ANSWER").is_some() {
            answer
        } else {
            "set QUERYPOINT_SHOW_ANSWER to see the answer".to_owned()
        };
        Failed::from(format!("{problems}{shown}"))
    })
}

/// `is_one`: from one execution.
async fn ask_browser(
    fixture: &Fixture,
    page: String,
    (instrument, is_one): (Instrument, bool),
    stage: &Stage,
) -> Result<Value, Failed> {
    let request = request(fixture, page, instrument)?;
    let (protocol, clock) = (stage.protocol.clone(), Arc::new(TokioClock::new()));
    let mut silent = |_| ();
    let answer = match is_one {
        true => ask_live(protocol, clock, &request, &mut silent).await?,
        false => ask(protocol, clock, &request, &mut silent).await?,
    };
    Ok(serde_json::to_value(answer)?)
}

fn request(fixture: &Fixture, page: String, instrument: Instrument) -> Result<AskRequest, Failed> {
    let queries = fixture
        .queries
        .iter()
        .map(|query| Query::parse(query))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(AskRequest {
        recording: match fixture.recording() {
            Some(recording) => Some(Recording::parse(&recording)?),
            None => None,
        },
        instrument,
        // Whether executions agree only two of them say.
        read_ahead: !fixture.diverges(),
        ..AskRequest::new(
            page,
            ReproductionPoint::parse(&fixture.at)?,
            DependencyGraph::new(queries)?,
            TIMEOUT,
        )
    })
}

fn ask_command(fixture: &Fixture) -> Result<Value, Failed> {
    let mut command = Command::new(querypoint_command()?);
    command.args(["ask", "--json", "--no-keep", "--timeout", "60"]);
    if let Some(address) = browsers::address(Purpose::Pages) {
        command.args(["--connect", &address]);
    }
    command.args(["--at", &fixture.at]);
    if let Some(recording) = fixture.recording() {
        let name = fixture.name.replace('/', "-");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
        std::fs::write(&file, recording)?;
        command.arg("--recording").arg(file);
    }
    let output = command.arg(&fixture.page).args(&fixture.queries).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failed::from(format!("{}: {error}\n{errors}", output.status)))
}
