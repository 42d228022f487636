//! A page diagnosed: it is logged once, and then asked about, call by call, until the faulty call is known.
//!
//! Who answers is a front end's [`Answerer`]: a person at a terminal, an editor, a program. What needs no answer of
//! theirs is taken first: what the page itself says of its calls, what was said of the same call before, functions and
//! a good version that are named as oracles.

mod kept;
mod questions;
mod replies;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use diagnosis::{CallView, LogTree, Strategy};
use engine::logging::{Detail, LogOutcome, LogRequest, LoggedScripts, LoggedSource, SameResponses};
use event_log::catalogue::point_in;
use event_log::model::{Model, NONE};
use querypoint::diagnosis::{Diagnosis, JudgedCall};
use recording::{Live, Recording};

use crate::browser::BrowserOptions;
use crate::cancelling::Cancellation;
use crate::diagnosis::functions::{FunctionFile, is_function_file};
use crate::diagnosis::{
    GoodVersion, LoggingBrowser, interview_about, loops_of, model_of, same_each_time, uses_of,
};
use crate::failure::Failure;
use crate::logs::read_log;
use crate::page::Page;
use crate::progress::Reporter;
use crate::question::reproduction_point;
use crate::recording_file::recording;
use kept::{AskedDiagnosis, KeptSession, asked};
use questions::{ByItself, Questions};
pub use replies::{Reply, UndoneAnswer, answer_words, read_answers};

/// What is diagnosed, and by what.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiagnoseRequest<'r> {
    /// The page; none: the diagnosis that is kept in `session` goes on.
    pub page: Option<&'r str>,
    /// The folder that the diagnosis is kept in.
    pub session: Option<&'r Path>,
    /// The file of the recording.
    pub recording: Option<&'r Path>,
    /// Only calls that began after this point are asked about.
    pub from: Option<&'r str>,
    /// Only calls that began before this point.
    pub to: Option<&'r str>,
    /// How the next question is chosen; none: as before in the session, else by suspicion.
    pub strategy: Option<Strategy>,
    /// Whether chains of recursive calls are asked about as one.
    pub compress: bool,
    /// Whether each iteration of a loop is asked about, with all behind it.
    pub expand_loops: bool,
    /// Logs of runs that are right: code that they ran is less suspicious.
    pub passing: &'r [PathBuf],
    /// What answers by itself what it can: files of functions, and at most one good version of the page.
    pub oracles: &'r [String],
    /// A good version of the page that plays the person: each of its answers counts as asked.
    pub simulate: Option<&'r str>,
    /// Functions that are trusted, by patterns.
    pub trust: &'r [String],
}

/// A call that somebody is asked about.
#[derive(Clone, Copy, Debug)]
pub struct CallQuestion<'q> {
    /// What is shown of it.
    pub call: &'q CallView,
    /// The address of the page.
    pub page: &'q str,
    /// Which question it is, from 1.
    pub number: usize,
    /// How many calls are suspicious.
    pub suspicious: usize,
}

/// Who says of calls whether they are right. What is waited for here ends when the diagnosis is cancelled.
pub trait Answerer: Send {
    /// A call was judged without them; `page` is its address.
    fn judged(&mut self, judged: &JudgedCall, page: &str);

    /// What they say of a call.
    ///
    /// # Errors
    /// If they cannot be asked; that ends the diagnosis.
    fn ask(
        &mut self,
        question: &CallQuestion<'_>,
    ) -> impl Future<Output = Result<Reply, Failure>> + Send;

    /// Nothing is asked any more: gives the answer that they take back all the same. `is_by_itself`: the last answer
    /// was not theirs.
    ///
    /// # Errors
    /// As [`Self::ask`].
    fn at_the_end(
        &mut self,
        is_by_itself: bool,
    ) -> impl Future<Output = Result<Option<UndoneAnswer>, Failure>> + Send;

    /// What they took back was never said.
    fn nothing_undone(&mut self, undone: UndoneAnswer);
}

/// What came of a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosed {
    /// The faulty call, and what was said of which.
    pub diagnosis: Diagnosis,
    /// The address that the page had.
    pub page: String,
}

/// An execution of the page, as it is asked about.
struct Execution {
    /// The address that the page had.
    address: String,
    model: Model,
    sources: Vec<LoggedSource>,
    /// What is missing, and what else a reader should know.
    notes: Vec<String>,
}

/// Diagnoses a page, or goes on with a diagnosis that is kept. A browser that is started is gone when this returns.
/// What was answered until an error or a cancellation is kept, if a session is named.
///
/// # Errors
/// If something that was named is wrong, a point is not reached, the page or the browser is lost, `answerer` cannot be
/// asked, or it is cancelled.
pub async fn diagnose<A: Answerer>(
    request: &DiagnoseRequest<'_>,
    browser: &BrowserOptions,
    answerer: &mut A,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<Diagnosed, Failure> {
    for point in [request.from, request.to].into_iter().flatten() {
        reproduction_point(point)?;
    }
    let (mut session, asked) = asked(request, now_ms())?;
    // Without a page nothing is replayed, but for a good version: then a recording that is gone is no matter.
    let recording_file = match &asked.recording {
        Some(path) if asked.recording_digest.is_some() => Some(recording(path, Live::default())?),
        _ => None,
    };
    let (recording, _files) = recording_file.unzip();
    let oracles = Oracles::of(request)?;
    // What is kept is gone on with where it was: then a browser is there for a good version alone.
    let goes_on = request.page.is_none();
    let page = match goes_on && oracles.good.is_none() {
        true => None,
        false => Some(Page::open(&asked.page, &browser.connect).await?),
    };
    let is_compared = oracles.good.is_some() || session.is_some();
    let logged = page.as_ref();
    let logged = logged.map(|page| log_request(page, recording, &asked, is_compared, browser));
    let mut logged = logged.transpose()?;
    let logging = match logged.is_some() || !oracles.functions.is_empty() {
        true => {
            let recording = logged.as_ref().and_then(|it| it.recording.as_ref());
            Some(LoggingBrowser::open(browser, recording, cancellation, reporter).await?)
        }
        false => None,
    };
    let mut functions = Vec::new();
    if let Some(logging) = &logging {
        for file in oracles.functions {
            functions.push(FunctionFile::open(logging, file).await?);
        }
    }
    let execution = match (&logging, &mut logged) {
        (Some(logging), Some(logged)) if !goes_on => {
            executed(logging, logged, session.as_mut(), reporter).await?
        }
        _ => kept_execution(session.as_ref(), oracles.good.is_some())?,
    };
    let good_page = match oracles.good {
        Some(good) => Some(Page::open(good, &browser.connect).await?),
        None => None,
    };
    let good = match (&good_page, &logging, &logged) {
        (Some(good), Some(logging), Some(logged)) => {
            let (good, sources) = (good.url().as_str(), &execution.sources);
            let good = GoodVersion::open(logging, logged, sources, good, reporter).await?;
            Some((good, logging))
        }
        _ => None,
    };
    let window = border(&execution.model, asked.from.as_deref(), 0)?
        ..border(&execution.model, asked.to.as_deref(), NONE)?;
    let log = match asked.expand_loops {
        true => LogTree::with_loops(&execution.model, window, &loops_of(&execution.sources)),
        false => LogTree::new(&execution.model, window),
    };
    let uses = uses_of(&execution.sources);
    let mut interview = interview_about(&log, &execution.sources, asked.strategy, &asked.trust);
    if asked.compress {
        interview.join_recursive_calls();
    }
    for path in request.passing {
        interview.passed(&read_log(path)?);
    }
    let mut notes = execution.notes;
    if let Some(session) = &mut session {
        notes.extend(session.restore(&log, &uses, &mut interview)?);
    }
    let by_itself = ByItself::new(uses, functions, good, request.simulate.is_some());
    let page = execution.address;
    let mut questions = Questions {
        log: &log,
        interview,
        by_itself,
        session,
        page: &page,
        cancellation,
        notes,
    };
    questions.ask_all(answerer, reporter).await?;
    let diagnosis = questions.diagnosis().await?;
    Ok(Diagnosed { diagnosis, page })
}

/// What is named as answering by itself.
struct Oracles<'r> {
    functions: Vec<&'r Path>,
    /// A good version of the page.
    good: Option<&'r str>,
}

impl<'r> Oracles<'r> {
    fn of(request: &DiagnoseRequest<'r>) -> Result<Self, Failure> {
        let (files, pages): (Vec<&String>, Vec<&String>) =
            request.oracles.iter().partition(|it| is_function_file(it));
        if pages.len() > 1 {
            let why = "--oracle names several pages; one good version can answer".to_owned();
            return Err(Failure::NotPossible(why));
        }
        let page = pages.first().map(|it| it.as_str());
        Ok(Self {
            functions: files.into_iter().map(Path::new).collect(),
            good: page.or(request.simulate),
        })
    }
}

/// What is recorded of the page.
fn log_request(
    page: &Page,
    recording: Option<Recording>,
    asked: &AskedDiagnosis,
    is_compared: bool,
    browser: &BrowserOptions,
) -> Result<LogRequest, Failure> {
    Ok(LogRequest {
        page: page.url().to_string(),
        // Without a recording chance and the time are made the same each time, for what is compared.
        recording: match recording {
            None if is_compared => Some(same_each_time(page.url(), asked.started_ms)?),
            // One that another tool wrote has neither.
            Some(recording) if is_compared => Some(with_inputs(
                recording,
                &same_each_time(page.url(), asked.started_ms)?,
            )),
            recording => recording,
        },
        readings: None,
        responses: is_compared.then(SameResponses::keep),
        recording_name: None,
        scripts: LoggedScripts::Own,
        detail: Detail::All,
        from: None,
        to: None,
        timeout: browser.timeout,
        versions: None,
        tells_inside: true,
    })
}

/// A recording with the random numbers and the time of another, where it has none of its own.
fn with_inputs(mut recording: Recording, same: &Recording) -> Recording {
    let mut inputs = recording.recorded_inputs();
    let others = same.recorded_inputs();
    inputs.random = inputs.random.or(others.random);
    inputs.time = inputs.time.or(others.time);
    recording.set_recorded_inputs(&inputs);
    recording
}

/// Runs the page as it is now, as far as the recording can be replayed.
async fn executed(
    logging: &LoggingBrowser,
    request: &mut LogRequest,
    session: Option<&mut KeptSession>,
    reporter: &mut dyn Reporter,
) -> Result<Execution, Failure> {
    let (log, outcome) = logging.log_as_far_as_possible(request, reporter).await?;
    // What is compared with it is answered the same.
    request.responses = request.responses.as_ref().map(|it| it.again());
    let model = model_of(&log)?;
    let new = Execution {
        address: request.page.clone(),
        notes: notes(&outcome, &model),
        model,
        sources: outcome.sources,
    };
    match session {
        Some(session) => session.begin(new, &log),
        None => Ok(new),
    }
}

/// The execution that a session has. `is_compared`: with a good version that replays the recording.
fn kept_execution(session: Option<&KeptSession>, is_compared: bool) -> Result<Execution, Failure> {
    let Some(session) = session else {
        let why = "name a page, or a session with --session".to_owned();
        return Err(Failure::NotPossible(why));
    };
    if is_compared {
        session.expect_same_recording()?;
    }
    session.last()
}

/// What the clock says, in whole milliseconds since 1970.
fn now_ms() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since
        .map_or(0.0, |since| since.as_secs_f64() * 1000.0)
        .floor()
}

/// Where a part of the log begins or ends.
fn border(model: &Model, point: Option<&str>, otherwise: u32) -> Result<u32, Failure> {
    let Some(point) = point else {
        return Ok(otherwise);
    };
    let point = reproduction_point(point)?;
    Ok(point_in(model, &point)?)
}

/// What is missing in the log.
fn notes(outcome: &LogOutcome, model: &Model) -> Vec<String> {
    let mut notes = outcome.notes.clone();
    for script in &outcome.unrecorded {
        notes.push(format!("not recorded: {}: {}", script.url, script.reason));
    }
    notes.extend(model.gaps.iter().map(|(_, why)| why.message().to_owned()));
    notes.extend(model.notes.iter().cloned());
    notes.dedup();
    notes
}

#[cfg(test)]
mod tests;
