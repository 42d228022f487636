//! Whether the answer to a question may be kept, and where: what was asked before need not be asked again.
//!
//! That holds only as long as everything is as it was. Of a page that we serve ourselves that can be told without
//! running it: what it was given is known, file by file. Of any other page it can be told only by loading it, and even
//! then not of what it fetches; so answers about such a page are not kept, nor are those of a page that asked another
//! server for something, or that had workers, whose requests are not told.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use cdp_driver::native::{Browser, find_browser, version_of};
use engine::other_servers::OtherServers;
use querypoint::answer::{SCHEMA, WholeAnswer};
use recording::{Live, Recording};

use crate::browser::{BrowserOptions, purpose};
use crate::kept::{Asked, Kept};
use crate::page::Page;
use crate::question::Question;
use crate::recording_file::responses_beside;
use crate::served::digest_of;

/// What was typed, as far as an answer hangs on it and a [`Question`] no longer says it.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'t> {
    /// The file of the recording.
    pub recording: Option<&'t Path>,
    /// The reproduction point.
    pub at: &'t str,
    /// The queries.
    pub queries: &'t [String],
    /// The expressions to evaluate.
    pub watches: &'t [String],
    /// What is not taken from the recording.
    pub live: Live,
}

/// Where the answer is kept: beside the recording, else beside the page's file. `None` where none is: a page of another
/// server, or a recording that takes from elsewhere what may be another thing the next time.
pub(crate) async fn place(
    typed: &Typed<'_>,
    question: &Question,
    page: &Page,
    options: &BrowserOptions,
) -> Option<Kept> {
    let Page::Served(server) = page else {
        return None;
    };
    let recording = question.recording.as_ref();
    if recording.is_some_and(|recording| !recording.is_whole()) {
        return None;
    }
    let beside = typed.recording.unwrap_or(server.file());
    // Of a name alone the folder is the one that we are in.
    let folder = std::path::absolute(beside).ok()?.parent()?.to_owned();
    let browser = browser(options, recording).await?;
    let recording = match typed.recording {
        Some(path) => {
            let digest = digest_of(path).ok()?;
            let responses = digest_of(&responses_beside(path)).unwrap_or_default();
            Some(format!("{digest}{responses}"))
        }
        None => None,
    };
    let asked = Asked {
        program: program()?,
        schema: SCHEMA.to_owned(),
        browser,
        page: server.file().to_string_lossy().into_owned(),
        recording,
        at: typed.at.to_owned(),
        queries: typed.queries.to_vec(),
        watches: typed.watches.to_vec(),
        instrument: format!(
            "{:?}, {:?}, {:?}, {:?}, {}{}{}",
            question.instrument,
            question.reproduce,
            typed.live,
            question.limits,
            question.read_ahead,
            if question.live { ", live" } else { "" },
            composed(question),
        ),
        timeout: options.timeout,
    };
    Some(Kept::new(&folder, asked))
}

/// The kept answer, if there is one and the page is as it was.
pub(crate) fn kept_answer(kept: &Kept, page: &Page) -> Option<WholeAnswer> {
    let Page::Served(server) = page else {
        return None;
    };
    kept.read(|files| server.gives(files))
}

/// Keeps an answer that was just found, if it may be; otherwise what was kept before goes, for it was found otherwise
/// now.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn keep(
    kept: &Kept,
    page: &Page,
    answer: &WholeAnswer,
    reach: &OtherServers,
    recording: Option<&Recording>,
) -> io::Result<()> {
    let served = match page {
        Page::Served(server) if reach.is_within() => server.served(),
        _ => None,
    };
    // Two executions that agree say that the page does the same each time; of one, its scripts must.
    let may_vary = || match page {
        Page::Served(server) => {
            server.mentions(&VARYING) && !recording.is_some_and(has_what_varies)
        }
        Page::Remote(_) => true,
    };
    let is_sure = answer.exit_status() == 0
        && answer.answer.consistency.agrees
        && (answer.answer.executions > 1 || !may_vary());
    match served.filter(|_| is_sure) {
        None => {
            kept.remove();
            Ok(())
        }
        Some(served) => kept.write(&served, answer),
    }
}

/// What a page names that does not do the same each time: chance, the clock, frames.
const VARYING: [&str; 8] = [
    "random",
    "crypto",
    "Date",
    "performance",
    "timeStamp",
    "AnimationFrame",
    "IdleCallback",
    "Worker",
];

/// Whether a recording has what these gave.
fn has_what_varies(recording: &Recording) -> bool {
    let inputs = recording.recorded_inputs();
    inputs.random.is_some() && inputs.time.is_some()
}

/// What the questions to a log are made of: a definition may be another one the next time.
fn composed(question: &Question) -> String {
    let questions = question.log.iter().flat_map(|log| &log.questions);
    let composed = questions.filter_map(|question| match question {
        querypoint::catalogue::Question::Plain(_) => None,
        querypoint::catalogue::Question::Composed(composed) => Some(format!(", {composed:?}")),
    });
    composed.collect()
}

/// This build of the program.
fn program() -> Option<String> {
    let metadata = std::env::current_exe().ok()?.metadata().ok()?;
    let built = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let (version, size) = (env!("CARGO_PKG_VERSION"), metadata.len());
    Some(format!("{version}, {size} bytes of {}", built.as_nanos()))
}

/// The browser that the options ask for, and how it shows the page.
async fn browser(options: &BrowserOptions, recording: Option<&Recording>) -> Option<String> {
    match options.connect.as_slice() {
        [] => {
            let executable =
                find_browser(options.executable.as_deref(), purpose(options, recording)).ok()?;
            let version = version_of(&executable).await.ok()?;
            // Links are not followed: some programs are what they are called by.
            let executable = std::path::absolute(executable).ok()?;
            let (name, headed) = (executable.display(), options.headed);
            Some(format!("{version}, {name}, headed: {headed}"))
        }
        [address] => {
            let browser = Browser::connect(address).await.ok()?;
            let version = browser.version().await.ok();
            browser.close().await;
            Some(format!("{}, at {address}", version?))
        }
        _ => None,
    }
}
