//! One execution, and the log of its events.
//!
//! The page is run as for a question without queries; its scripts are rewritten for the log
//! ([`js_analysis::log`]) and its agent encodes what they do. A binding carries the batches, and a [`Recorder`] appends
//! them to the output. What is kept in memory is one chunk and the tables of the scripts, whatever the page does.
//!
//! However the execution ends, the log is finished: it says what is missing.

mod in_memory;
mod kept_sources;
pub mod loops;
mod recorder;
mod two_versions;
pub mod versions;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use event_log::file::{LogEnd, LogInfo, Unrecorded, Written};
use event_log::ids::{FunctionId, SiteId};
use js_analysis::Goal;
use js_analysis::jsdoc::DocTypes;
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::versions::AuthorName;
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use recording::Recording;

use crate::ask::{AskError, Progress};
use crate::collection::{Collection, Instrument};
use crate::error::EngineError;
use crate::execution::{ExecutionOutcome, Setting, Task, run};
use crate::prefix::unguessable_prefix;
pub use crate::recorded_inputs::{ClockReadings, SameResponses};
use crate::sources::Sources;
use cdp_driver::protocol::{Clock, Protocol, with_time_limit};
pub(crate) use in_memory::{LoggedExecution, logged_execution, logged_in_memory};
pub use js_analysis::log::Detail;
pub use kept_sources::{read_sources, write_sources};
pub(crate) use recorder::{LoggedScript, Recorder, TellsInside};
pub use two_versions::{TwoVersions, Versions};

/// Which scripts are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoggedScripts {
    /// Those that the page's author wrote: not those that a source map lists as ignored, or of `node_modules`.
    #[default]
    Own,
    /// All of them.
    All,
    /// Those whose address a pattern matches, in which `*` represents anything.
    Matching(String),
}

impl LoggedScripts {
    /// Reads `own`, `all` or a pattern.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            "own" => Self::Own,
            "all" => Self::All,
            pattern => Self::Matching(pattern.to_owned()),
        }
    }

    /// The text that [`Self::read`] reads.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Own => "own",
            Self::All => "all",
            Self::Matching(pattern) => pattern,
        }
    }

    /// Whether a script of this address is recorded.
    pub(crate) fn take(&self, url: &str, is_ignored: bool) -> bool {
        match self {
            Self::Own => !is_ignored && !url.contains("/node_modules/"),
            Self::All => true,
            Self::Matching(pattern) => matches(pattern, url),
        }
    }
}

/// Whether a pattern matches an address or its end behind a `/`.
fn matches(pattern: &str, url: &str) -> bool {
    let pattern = match pattern.starts_with('*') || pattern.contains("://") {
        true => pattern.to_owned(),
        false => format!("*/{pattern}"),
    };
    let mut rest = url;
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(behind) = rest.strip_prefix(first) else {
        return false;
    };
    rest = behind;
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A script that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedSource {
    /// The address of the text that it is in.
    pub url: String,
    /// What it is.
    pub text: String,
    /// How it is read.
    pub goal: Goal,
    /// Whether a source map was followed.
    pub is_mapped: bool,
    /// Its functions, the script itself first: their numbers, and where they are.
    pub functions: Vec<(FunctionId, ByteSpan)>,
    /// The number of its first site, and where its sites are.
    pub sites: (SiteId, Vec<ByteOffset>),
    /// The variables that have other names in the files that a source map leads to.
    pub names: Vec<AuthorName>,
    /// What the files that a source map leads to declare of the values of functions.
    pub declared: Vec<(FunctionId, DocTypes)>,
    /// What happens in its functions without being recorded, and why not. It is not kept beside a log.
    pub unlogged: Vec<(FunctionId, &'static str)>,
}

/// What is to be recorded.
#[derive(Clone, Debug)]
pub struct LogRequest {
    /// The page's address.
    pub page: String,
    /// The user's actions; without them the page is just opened.
    pub recording: Option<Recording>,
    /// What the page reads from its clocks: kept, or what another execution read, where both are compared. It needs a
    /// recording with random numbers and the time.
    pub readings: Option<Arc<ClockReadings>>,
    /// What the page's scripts are answered: kept, or what another execution was answered, where both are compared. It
    /// needs what `readings` needs, and has no effect where the recording has the responses.
    pub responses: Option<Arc<SameResponses>>,
    /// What the log says of the recording: its file, as it was named.
    pub recording_name: Option<String>,
    /// Which scripts.
    pub scripts: LoggedScripts,
    /// How much.
    pub detail: Detail,
    /// Where the part begins that answers are about.
    pub from: Option<String>,
    /// Where it ends.
    pub to: Option<String>,
    /// How long the execution may take.
    pub timeout: Duration,
    /// Scripts in two versions.
    pub versions: Option<Versions>,
    /// Whether it is told what is inside of plain objects and collections that no script with hooks made.
    pub tells_inside: bool,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOutcome {
    /// How much.
    pub written: Written,
    /// Scripts that ran without hooks.
    pub unrecorded: Vec<Unrecorded>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// Why the execution ended before its end; `None`: it did not.
    pub ended_early: Option<String>,
    /// The step of the recording, from 1, that could not be done, if that is why.
    pub failed_step: Option<usize>,
    /// How long the replay took, in milliseconds.
    pub replay_ms: f64,
    /// The scripts that were recorded.
    pub sources: Vec<LoggedSource>,
    /// Whether each script that there is in two versions took the place of its own.
    pub has_all_versions: bool,
}

/// What the log is written to; called again where the execution has to be repeated.
pub type Output<'o> = dyn FnMut() -> std::io::Result<Box<dyn Write + Send>> + Send + 'o;

/// Runs the page of `request` and writes what it does to `output`.
///
/// # Errors
/// [`AskError::Engine`] if the browser cannot run the page at all, or the log cannot be written. A page that crashes,
/// or that does not end in time, has a log.
pub async fn log_execution(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &LogRequest,
    output: &mut Output<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LogOutcome, AskError> {
    let (outcome, _) = logged(protocol, clock, request, output, progress).await?;
    Ok(outcome)
}

/// The same, with the texts of the files that the log names, as their author wrote them, by their addresses.
///
/// # Errors
/// As [`log_execution`].
pub async fn log_with_texts(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &LogRequest,
    output: &mut Output<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(LogOutcome, BTreeMap<String, String>), AskError> {
    let (outcome, after) = logged(protocol, clock, request, output, progress).await?;
    let sources = after.sources.lock();
    let urls = after.recorder.urls().into_iter();
    let texts = urls.filter_map(|url| Some((sources.author_text(&url)?.to_owned(), url)));
    let texts = texts.map(|(text, url)| (url, text)).collect();
    Ok((outcome, texts))
}

/// What there is of an execution when its log is finished.
struct Logged {
    recorder: Arc<Recorder>,
    sources: Arc<Mutex<Sources>>,
}

async fn logged(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &LogRequest,
    output: &mut Output<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(LogOutcome, Logged), AskError> {
    let graph = DependencyGraph::new(Vec::new()).map_err(|error| EngineError::Log {
        message: error.to_string(),
    })?;
    let plan = CollectionPlan::new(&graph, &[])?;
    let prefix = unguessable_prefix(&request.page, clock.now_ms());
    let collection = Arc::new(Collection::new(&plan, &prefix, Instrument::Query));
    let info = LogInfo {
        page: request.page.clone(),
        detail: match request.detail {
            Detail::Calls => "calls",
            Detail::Values => "values",
            Detail::All => "all",
        }
        .to_owned(),
        scripts: request.scripts.text().to_owned(),
        recording: request.recording_name.clone(),
        from: request.from.clone(),
        to: request.to.clone(),
        runs: Vec::new(),
    };
    let recorder = Recorder::new(info, request.scripts.clone(), request.detail, &prefix);
    let tells_inside = match request.tells_inside {
        true => TellsInside::NewObjects,
        false => TellsInside::Nothing,
    };
    let mut recorder = recorder.for_versions(request.versions.clone(), tells_inside);
    if request.versions.is_none() {
        recorder = recorder.watching_the_page();
    }
    let recorder = Arc::new(recorder);
    let mut sources = Sources::new(collection.clone(), ReproductionPoint::End);
    sources.log_to(recorder.clone());
    let setting = Setting {
        protocol,
        clock: clock.clone(),
        page_url: request.page.clone(),
        recording: request.recording.clone(),
        readings: request.readings.clone(),
        responses: request.responses.clone(),
        at: ReproductionPoint::End,
        plan,
        collection,
        sources: Arc::new(Mutex::new(sources)),
        timeout: request.timeout,
        logged: None,
        recorder: Some(recorder.clone()),
        elements: Vec::new(),
        unanswered: Arc::default(),
        tabs: Arc::default(),
        takes_pictures: false,
        origins: BTreeMap::new(),
    };
    let result = run_logged(&setting, &Task::default(), &recorder, output, progress).await?;
    let outcome = finished(&recorder, result)?;
    let sources = setting.sources.clone();
    Ok((outcome, Logged { recorder, sources }))
}

/// Runs an execution that is logged; again, where it showed that a script has to be rewritten otherwise.
async fn run_logged(
    setting: &Setting,
    task: &Task,
    recorder: &Recorder,
    output: &mut Output<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Result<ExecutionOutcome, EngineError>, EngineError> {
    // A script may turn out to be a module only when it was compiled; then the page runs again.
    const MOST_REPETITIONS: u32 = 10;
    let mut number = 0;
    loop {
        number += 1;
        let file = output().map_err(written)?;
        recorder.begin(file).map_err(written)?;
        progress(Progress::Execution {
            number,
            purpose: "recording the log",
        });
        let before = setting.sources.lock().refinements();
        let mut step = |step: usize, steps: usize, description: &str| {
            progress(Progress::Step {
                step,
                steps,
                description: description.to_owned(),
            });
        };
        // Boxed, for it is one large future.
        let execution = Box::pin(run(setting, task, &mut step));
        let clock = setting.clock.as_ref();
        let limited = with_time_limit(clock, setting.timeout, "the execution", execution);
        let result = limited.await.map_err(EngineError::Protocol).flatten();
        if setting.sources.lock().refinements() == before || number > MOST_REPETITIONS {
            return Ok(result);
        }
    }
}

fn written(error: impl std::fmt::Display) -> EngineError {
    EngineError::Log {
        message: error.to_string(),
    }
}

/// Ends the log.
fn finished(
    recorder: &Recorder,
    result: Result<ExecutionOutcome, EngineError>,
) -> Result<LogOutcome, AskError> {
    let mut outcome = LogOutcome::default();
    match result {
        Ok(execution) => {
            let spots = execution.seen.blind_spots.into_iter();
            let unrecorded = spots.map(|spot| Unrecorded {
                url: spot.url,
                reason: spot.reason,
            });
            outcome.unrecorded = unrecorded.collect();
            outcome.notes = execution.notes;
            outcome.replay_ms = execution.replay_ms;
        }
        Err(error) => {
            let early = format!("the execution did not end: {error}");
            outcome.notes.push(early.clone());
            outcome.ended_early = Some(early);
            outcome.failed_step = match error {
                EngineError::StepFailed { step, .. } => Some(step),
                _ => None,
            };
        }
    }
    outcome.notes.extend(recorder.notes());
    (outcome.sources, outcome.has_all_versions) = recorder.sources();
    let end = LogEnd {
        unrecorded: outcome.unrecorded.clone(),
        notes: outcome.notes.clone(),
        ..LogEnd::default()
    };
    outcome.written = recorder.finish(&end).map_err(written)?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn scripts_are_chosen_by_pattern() {
        let take = |text: &str, url: &str| LoggedScripts::read(text).take(url, false);
        assert!(take("own", "http://h/app.js"));
        assert!(!take("own", "http://h/node_modules/react/index.js"));
        assert!(take("all", "http://h/node_modules/react/index.js"));
        assert!(take("app.js", "http://h/src/app.js"));
        assert!(!take("app.js", "http://h/src/myapp.js"));
        assert!(take("src/*.js", "http://h/src/app.js"));
        assert!(!take("src/*.js", "http://h/lib/app.js"));
        assert!(take("*", "http://h/anything"));
        assert!(take("http://h/*", "http://h/anything"));
        assert!(!LoggedScripts::Own.take("http://h/app.js", true));
    }
}
