//! `querypoint diagnose`: asks about calls until the faulty one is known.

use std::collections::BTreeSet;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use app::browser::unless_interrupted;
use app::diagnosis::{GoodVersion, LoggingBrowser, reads_of, same_each_time, uses_of};
use app::failure::Failure;
use app::logs::read_log;
use app::page::Page;
use app::question::reproduction_point;
use app::recording_file::recording;
use diagnosis::{Answer, Interview, LogTree, NodeId, Step};
use engine::logging::{Detail, LogOutcome, LogRequest, LoggedScripts};
use event_log::catalogue::{CatalogueError, point_in};
use event_log::model::{Model, NONE};
use querypoint::diagnosis::AnsweredBy;
use recording::Live;

use super::output;
use crate::arguments::DiagnoseArguments;
use crate::exit::NO_ANSWER;
use crate::progress::ProgressReport;
use crate::render;

/// Asks, prints what was found and gives the exit status.
///
/// # Errors
/// If something that was named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &DiagnoseArguments) -> Result<ExitCode, Failure> {
    for point in [&arguments.from, &arguments.to].into_iter().flatten() {
        reproduction_point(point)?;
    }
    let mut replies = Replies::open(arguments.answers.as_deref())?;
    let recording_file = match &arguments.recording {
        Some(path) => Some(recording(path, Live::default())?),
        None => None,
    };
    let (recording, _files) = recording_file.unzip();
    let browser = arguments.browser.options();
    let page = Page::open(&arguments.page, &browser.connect).await?;
    // Without a recording chance and the time are made the same each time, for a good version is compared with.
    let has_good = arguments.oracle.is_some() || arguments.simulate.is_some();
    let recording = match recording {
        None if has_good => Some(same_each_time(page.url(), now_ms())?),
        recording => recording,
    };
    let request = LogRequest {
        page: page.url().to_string(),
        recording,
        recording_name: None,
        scripts: LoggedScripts::Own,
        detail: Detail::All,
        from: None,
        to: None,
        timeout: browser.timeout,
        versions: None,
        tells_results: true,
    };
    let mut report = ProgressReport::new();
    let logging = LoggingBrowser::open(&browser, &request, &mut report).await?;
    let (model, outcome) = logging.log(&request, &mut report).await?;
    let good = arguments.oracle.as_ref().or(arguments.simulate.as_ref());
    let good_page = match good {
        Some(good) => Some(Page::open(good, &browser.connect).await?),
        None => None,
    };
    let mut good = match &good_page {
        Some(good) => {
            let good = good.url().as_str();
            Some(GoodVersion::open(&logging, &request, &outcome, good, &mut report).await?)
        }
        None => None,
    };
    let window = border(&model, arguments.from.as_deref(), 0)?
        ..border(&model, arguments.to.as_deref(), NONE)?;
    let log = LogTree::new(&model, window);
    let mut interview = Interview::new(&log, arguments.strategy, &arguments.trust);
    interview.reads(&reads_of(&outcome));
    for path in &arguments.passing {
        interview.passed(&read_log(path)?);
    }
    let mut notes = notes(&outcome, &model);
    let page = request.page.as_str();
    let mut number = 0;
    let uses = uses_of(&outcome);
    let is_simulated = arguments.simulate.is_some();
    // Calls of which the good version can say nothing.
    let mut unsaid = BTreeSet::new();
    while let Step::Ask(node) = interview.next() {
        if let Some((answer, before)) = interview.said_before(node, &uses) {
            let before = interview.view(before).map_or(0, |it| it.call.call);
            let why = format!("it is the same as the call #{before}");
            interview.answer(node, answer, AnsweredBy::Same, Some(why));
            shows(&interview, &report, page);
            continue;
        }
        if let Some(good) = &mut good {
            // What it cannot say of one call it may say of others: a person is asked last.
            let next = match is_simulated {
                true => Some(node),
                false => interview.next_except(&unsaid),
            };
            if let Some(node) = next {
                let said = good.judge(&logging, &log, node, &mut report).await?;
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
                continue;
            }
        }
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
            Reply::Undo => number = undone(&mut interview, number),
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
    drop(report);
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

/// Takes back an answer; gives how many there are.
fn undone(interview: &mut Interview<'_>, number: usize) -> usize {
    match interview.undo() {
        Some(NodeId(_)) => number.saturating_sub(2),
        None => {
            anstream::eprintln!("there is no answer to take back");
            number.saturating_sub(1)
        }
    }
}

/// Where a part of the log begins or ends.
fn border(model: &Model, point: Option<&str>, otherwise: u32) -> Result<u32, Failure> {
    let Some(point) = point else {
        return Ok(otherwise);
    };
    let point = reproduction_point(point)?;
    point_in(model, &point).map_err(|error| match error {
        CatalogueError::NotReached(why) => Failure::NotReached(why),
        error @ CatalogueError::Question { .. } => Failure::NotPossible(error.to_string()),
    })
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

/// What is said to a question.
enum Reply {
    Is(Answer),
    Undo,
    Quit,
    /// Nobody is there any more.
    NoMore,
}

/// Where answers are from.
enum Replies {
    /// A file: its words, the next one last.
    Words(Vec<Answer>),
    /// Standard input, line by line.
    Input(mpsc::Sender<()>, tokio::sync::mpsc::Receiver<String>),
}

impl Replies {
    fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else {
            return Ok(Self::of_input());
        };
        let text = std::fs::read_to_string(path).map_err(|source| Failure::UnreadableFile {
            what: "answers file",
            path: path.to_owned(),
            source,
        })?;
        let mut words = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let word = line.trim();
            if word.is_empty() || word.starts_with('#') {
                continue;
            }
            let answer = Answer::ALL.into_iter().find(|it| it.word() == word);
            words.push(answer.ok_or_else(|| Failure::UnusableFile {
                what: "answers file",
                path: path.to_owned(),
                reason: format!("line {number} is {word:?}; {}", words_text()),
            })?);
        }
        words.reverse();
        Ok(Self::Words(words))
    }

    /// Lines are read by a thread of their own: a signal ends the wait.
    fn of_input() -> Self {
        let (ask, asked) = mpsc::channel::<()>();
        let (tell, told) = tokio::sync::mpsc::channel(1);
        std::thread::spawn(move || {
            while asked.recv().is_ok() {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {
                        if tell.blocking_send(line).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Self::Input(ask, told)
    }

    /// Whether calls are to be shown.
    const fn are_asked_for(&self) -> bool {
        matches!(self, Self::Input(..))
    }

    async fn next(&mut self, number: usize) -> Result<Reply, Failure> {
        let (ask, told) = match self {
            Self::Words(words) => return Ok(words.pop().map_or(Reply::NoMore, Reply::Is)),
            Self::Input(ask, told) => (ask, told),
        };
        loop {
            if std::io::stdin().is_terminal() {
                anstream::eprint!(
                    "{number}: valid, invalid, trusted, unknown, inadmissible, undo, quit? "
                );
            }
            if ask.send(()).is_err() {
                return Ok(Reply::NoMore);
            }
            let Some(line) = unless_interrupted(told.recv()).await? else {
                return Ok(Reply::NoMore);
            };
            match read(line.trim()) {
                Some(reply) => return Ok(reply),
                None => anstream::eprintln!("{}", words_text()),
            }
        }
    }
}

fn words_text() -> String {
    let words: Vec<&str> = Answer::ALL.iter().map(|it| it.word()).collect();
    format!("an answer is one of {}", words.join(", "))
}

/// A word, or its beginning where no other begins so.
fn read(word: &str) -> Option<Reply> {
    let word = word.to_lowercase();
    if word.is_empty() {
        return None;
    }
    let named = [("undo", Reply::Undo), ("quit", Reply::Quit)];
    let answers = Answer::ALL.map(|it| (it.word(), Reply::Is(it)));
    let mut found = answers.into_iter().chain(named);
    // The whole word before a beginning: `u` is unknown, `i` is invalid.
    found
        .find(|(name, _)| name.starts_with(&word))
        .map(|(_, reply)| reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_word_is_enough() {
        let is = |text: &str, answer| matches!(read(text), Some(Reply::Is(it)) if it == answer);
        assert!(is("v", Answer::Valid) && is("i", Answer::Invalid) && is("t", Answer::Trusted));
        assert!(is("u", Answer::Unknown) && is("ina", Answer::Inadmissible));
        assert!(matches!(read("und"), Some(Reply::Undo)));
        assert!(matches!(read("Q"), Some(Reply::Quit)));
        assert!(read("").is_none() && read("yes").is_none());
    }
}
