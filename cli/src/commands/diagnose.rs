//! `querypoint diagnose`: asks about calls until the faulty one is known.

mod kept;
mod replies;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use app::cancelling::Cancellation;
use app::diagnosis::functions::{FunctionFile, is_function_file};
use app::diagnosis::{
    GoodVersion, Judgement, LoggingBrowser, declared_of, model_of, reads_of, same_each_time,
    uses_of,
};
use app::failure::Failure;
use app::logs::read_log;
use app::page::Page;
use app::question::reproduction_point;
use app::recording_file::recording;
use diagnosis::{Answer, Interview, LogTree, NodeId, Step};
use engine::logging::{Detail, LogOutcome, LogRequest, LoggedScripts, LoggedSource};
use event_log::catalogue::point_in;
use event_log::model::{Model, NONE};
use querypoint::diagnosis::AnsweredBy;
use recording::Live;

use super::output;
use crate::arguments::DiagnoseArguments;
use crate::exit::NO_ANSWER;
use crate::progress::ProgressReport;
use crate::render;
use kept::asked;
use replies::{Replies, Reply};

/// An execution of the page, as it is asked about.
struct Execution {
    /// The address that the page had.
    address: String,
    model: Model,
    sources: Vec<LoggedSource>,
    /// What is missing, and what else a reader should know.
    notes: Vec<String>,
}

/// Asks, prints what was found and gives the exit status.
///
/// # Errors
/// If something that was named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &DiagnoseArguments) -> Result<ExitCode, Failure> {
    for point in [&arguments.from, &arguments.to].into_iter().flatten() {
        reproduction_point(point)?;
    }
    let mut replies = Replies::open(arguments.answers.as_deref())?;
    let (mut session, asked) = asked(arguments, now_ms())?;
    // Without a page nothing is replayed, but for a good version: then a recording that is gone is no matter.
    let recording_file = match &asked.recording {
        Some(path) if asked.recording_digest.is_some() => Some(recording(path, Live::default())?),
        _ => None,
    };
    let (recording, _files) = recording_file.unzip();
    let browser = arguments.browser.options();
    let (files, pages): (Vec<_>, Vec<_>) =
        arguments.oracle.iter().partition(|it| is_function_file(it));
    if pages.len() > 1 {
        let why = "--oracle names several pages; one good version can answer".to_owned();
        return Err(Failure::NotPossible(why));
    }
    let good = pages.first().copied().or(arguments.simulate.as_ref());
    let mut report = ProgressReport::new();
    // What is kept is gone on with where it was: then a browser is there for a good version alone.
    let goes_on = arguments.page.is_none();
    let page = match goes_on && good.is_none() {
        true => None,
        false => Some(Page::open(&asked.page, &browser.connect).await?),
    };
    let request = match &page {
        None => None,
        Some(page) => Some(LogRequest {
            page: page.url().to_string(),
            // Without a recording chance and the time are made the same each time, for what is compared.
            recording: match recording {
                None if good.is_some() || session.is_some() => {
                    Some(same_each_time(page.url(), asked.started_ms)?)
                }
                recording => recording,
            },
            recording_name: None,
            scripts: LoggedScripts::Own,
            detail: Detail::All,
            from: None,
            to: None,
            timeout: browser.timeout,
            versions: None,
            tells_inside: true,
        }),
    };
    let logging = match request.is_some() || !files.is_empty() {
        true => {
            let recording = request.as_ref().and_then(|it| it.recording.as_ref());
            let end = Cancellation::by_signals();
            Some(LoggingBrowser::open(&browser, recording, &end, &mut report).await?)
        }
        false => None,
    };
    let mut functions = Vec::new();
    if let Some(logging) = &logging {
        for file in files {
            functions.push(FunctionFile::open(logging, Path::new(file)).await?);
        }
    }
    let execution = match (&logging, &request, &mut session) {
        (Some(logging), Some(request), session) if !goes_on => {
            let (log, outcome) = logging.log_file(request, &mut report).await?;
            let model = model_of(&log)?;
            let new = Execution {
                address: request.page.clone(),
                notes: notes(&outcome, &model),
                model,
                sources: outcome.sources,
            };
            match session {
                Some(session) => session.begin(new, &log)?,
                None => new,
            }
        }
        (_, _, Some(session)) => {
            if good.is_some() {
                session.expect_same_recording()?;
            }
            session.last()?
        }
        _ => {
            let why = "name a page, or a session with --session".to_owned();
            return Err(Failure::NotPossible(why));
        }
    };
    let good_page = match good {
        Some(good) => Some(Page::open(good, &browser.connect).await?),
        None => None,
    };
    let mut good = match (&good_page, &logging, &request) {
        (Some(good), Some(logging), Some(request)) => {
            let good = good.url().as_str();
            let sources = &execution.sources;
            Some(GoodVersion::open(logging, request, sources, good, &mut report).await?)
        }
        _ => None,
    };
    let window = border(&execution.model, asked.from.as_deref(), 0)?
        ..border(&execution.model, asked.to.as_deref(), NONE)?;
    let log = LogTree::new(&execution.model, window);
    let uses = uses_of(&execution.sources);
    let mut interview = Interview::new(&log, asked.strategy, &asked.trust);
    interview.reads(&reads_of(&execution.sources));
    interview.checks(&declared_of(&execution.sources));
    if asked.compress {
        interview.join_recursive_calls();
    }
    for path in &arguments.passing {
        interview.passed(&read_log(path)?);
    }
    let mut notes = execution.notes;
    if let Some(session) = &mut session {
        notes.extend(session.restore(&log, &uses, &mut interview)?);
        session.keep(&log, &interview)?;
    }
    let page = execution.address.as_str();
    let mut number = answered(&interview);
    let is_simulated = arguments.simulate.is_some();
    // Calls of which the good version can say nothing.
    let mut unsaid = BTreeSet::new();
    // And those of which the functions say nothing.
    let mut silent = BTreeSet::new();
    loop {
        let Step::Ask(node) = interview.next() else {
            // Answers that nobody gave may have led here.
            let last = interview.last().map(|it| it.by);
            let is_by_itself = last.is_some_and(|by| by != AnsweredBy::Person);
            match replies.after_the_end(is_by_itself).await? {
                Some(call) => undo(&mut interview, &log, call),
                None => break,
            }
            number = answered(&interview);
            continue;
        };
        if let Some(why) = good
            .as_ref()
            .filter(|_| is_simulated)
            .and_then(GoodVersion::endless)
        {
            notes.push(format!("the good version can say nothing: {why}"));
            break;
        }
        if good.is_none() && interview.take_checked(node) || interview.take_said_before(node, &uses)
        {
            shows(&interview, &report, page);
        } else if let Some((node, said)) =
            said_by_functions(&mut functions, &interview, &log, &mut silent).await?
        {
            interview.answer(node, said.answer, AnsweredBy::Oracle, Some(said.why));
            shows(&interview, &report, page);
        } else if let (Some(good), Some(logging)) = (&mut good, &logging)
            && good.endless().is_none()
            && let Some(node) = next_for_machine(&interview, node, &unsaid, is_simulated)
        {
            // What it cannot say of one call it may say of others: a person is asked last.
            let said = good.judge(logging, &log, node, &mut report).await?;
            if said.answer == Answer::Unknown && !is_simulated {
                unsaid.insert(node);
                continue;
            }
            let by = match is_simulated {
                true => AnsweredBy::Person,
                false => AnsweredBy::Oracle,
            };
            interview.answer(node, said.answer, by, Some(said.why));
            shows(&interview, &report, page);
        } else {
            let Some(view) = interview.view(node) else {
                break;
            };
            number += 1;
            if replies.are_asked_for() {
                let suspicious = interview.remaining();
                let shown = render::call(&view, page, number, suspicious);
                report.aside().print(|| anstream::eprint!("{shown}"));
            }
            match replies.next(number).await? {
                Reply::Is(answer) => interview.answer(node, answer, AnsweredBy::Person, None),
                Reply::Undo(call) => {
                    undo(&mut interview, &log, call);
                    number = answered(&interview);
                }
                Reply::Quit => {
                    notes.push("the session was ended before a call was found".to_owned());
                    break;
                }
                Reply::NoMore => {
                    notes.push("there were no more answers".to_owned());
                    break;
                }
            }
        }
        if let Some(session) = &mut session {
            session.keep(&log, &interview)?;
        }
    }
    drop(report);
    for file in functions {
        notes.extend(file.problems().iter().cloned());
        file.close().await?;
    }
    let diagnosis = interview.diagnosis(notes);
    match arguments.json {
        true => output::print(&output::json(&diagnosis))?,
        false => output::print(&render::diagnosis(&diagnosis, page))?,
    }
    Ok(match diagnosis.found {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(NO_ANSWER),
    })
}

/// The call that the good version is asked of, where `node` is the one that was chosen.
fn next_for_machine(
    interview: &Interview<'_>,
    node: NodeId,
    unsaid: &BTreeSet<NodeId>,
    is_simulated: bool,
) -> Option<NodeId> {
    if is_simulated {
        return Some(node);
    }
    let others = interview.left_to_person().chain(unsaid.iter().copied());
    interview.next_except(&others.collect())
}

/// A suspicious call of which a function says something, and what. Those of which none does are remembered.
async fn said_by_functions(
    functions: &mut [FunctionFile],
    interview: &Interview<'_>,
    log: &LogTree<'_>,
    silent: &mut BTreeSet<(usize, NodeId)>,
) -> Result<Option<(NodeId, Judgement)>, Failure> {
    for (number, file) in functions.iter_mut().enumerate() {
        loop {
            let is_judged = |node: NodeId| {
                !silent.contains(&(number, node))
                    && !interview.is_left_to_person(node)
                    && file.judges(log, node)
            };
            let Some(node) = interview.next_where(is_judged) else {
                break;
            };
            if let Some(said) = file.judge(log, node).await?
                && said.answer != Answer::Unknown
            {
                return Ok(Some((node, said)));
            }
            silent.insert((number, node));
        }
    }
    Ok(None)
}

/// How many answers a person gave.
fn answered(interview: &Interview<'_>) -> usize {
    let answers = interview.answers();
    answers
        .filter(|(_, said)| said.by == AnsweredBy::Person)
        .count()
}

/// Takes back the last answer, or that about a call.
fn undo(interview: &mut Interview<'_>, log: &LogTree<'_>, call: Option<u64>) {
    let is_undone = match call {
        None => interview.undo().is_some(),
        Some(call) => log
            .node_at(call)
            .is_some_and(|node| interview.take_back(node)),
    };
    match (is_undone, call) {
        (true, _) => {}
        (false, None) => anstream::eprintln!("there is no answer to take back"),
        (false, Some(call)) => {
            anstream::eprintln!("nothing was said of a call #{call} that can be taken back");
        }
    }
}

/// Shows the last answer.
fn shows(interview: &Interview<'_>, report: &ProgressReport, page: &str) {
    if let Some(judged) = interview.last() {
        let shown = render::judged(&judged, page);
        report.aside().print(|| anstream::eprint!("{shown}"));
    }
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
