//! `ask --runs`: the same question several times, each time from the beginning, in several browsers at once.
//!
//! Each worker has one browser and takes the next run when it is done with one; a run opens contexts of its own there, so
//! that runs share nothing but the server of the page. After a run that failed the worker takes a new browser (or a new
//! connection); when it gets none, it ends and leaves what is left to the others. What nobody is left to do has failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::available_parallelism;

use cdp_driver::engine::ask::{AskRequest, ask};
use cdp_driver::native::{Browser, TokioClock, interrupted};
use querypoint::answer::Answer;
use querypoint::answer::runs::RunCounts;
use tokio::sync::{mpsc, watch};

use super::ask::Question;
use super::browser::open_one;
use crate::arguments::BrowserArguments;
use crate::failure::{Failure, WRONG_USAGE};
use crate::page::Page;
use crate::progress::ProgressReport;
use crate::render;

/// What the runs that have ended say.
pub(super) struct Repeated {
    /// One answer for all.
    pub(super) answer: Answer,
    /// Whether Ctrl-C, or a request to terminate, came before all were done.
    pub(super) is_interrupted: bool,
}

/// Asks `runs` times, in as many browsers at once as there are cores, or in those that the options name. All browsers are
/// gone when this returns.
///
/// # Errors
/// If no run has an answer: why the first one has none.
pub(super) async fn find_answers(
    page: &Page,
    question: Question,
    arguments: &BrowserArguments,
    runs: u32,
) -> Result<Repeated, Failure> {
    let request = question.into_request(page.url().to_string(), arguments.timeout);
    let (told, mut news) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(false);
    let worker = Worker {
        request: Arc::new(request),
        arguments: arguments.clone(),
        address: None,
        begun: Arc::new(AtomicU32::new(0)),
        runs,
        told,
        stopped,
    };
    for address in addresses(arguments, runs) {
        let worker = Worker {
            address,
            ..worker.clone()
        };
        tokio::spawn(worker.work());
    }
    // The news end when the last worker does.
    drop(worker);

    let mut report = ProgressReport::new();
    report.stage("starting the browsers");
    let mut ends = Ends::default();
    let mut is_interrupted = false;
    let interrupted = interrupted();
    tokio::pin!(interrupted);
    loop {
        let told = tokio::select! {
            told = news.recv() => told,
            () = &mut interrupted, if !is_interrupted => {
                is_interrupted = true;
                report.stage("ending the browsers");
                // An error says that all have ended by themselves.
                let _ = stop.send(true);
                continue;
            }
        };
        match told {
            None => break,
            Some(News::Begun(number)) => {
                ends.begun = ends.begun.max(number);
                report.part(
                    &format!("run {number} of {runs}"),
                    ends.count,
                    runs as usize,
                );
            }
            Some(News::Ended(number, Ok(answer))) => ends.add(number, Ok(*answer)),
            Some(News::Ended(number, Err(failure))) => {
                let shown = render::printable(&reason(&failure));
                report.stage(&format!("run {number} of {runs} failed: {shown}"));
                if failure.exit_status() == WRONG_USAGE {
                    // It would be for all of them.
                    let _ = stop.send(true);
                }
                ends.fail(number, failure);
            }
            Some(News::NoBrowser(failure)) => ends.without_browser = Some(failure),
        }
    }
    drop(report);
    if let Some(failure) = ends.without_browser.take()
        && !is_interrupted
    {
        let reason = reason(&failure);
        for number in ends.begun + 1..=runs {
            ends.add(number, Err(reason.clone()));
        }
        ends.first_failure.get_or_insert((runs, failure));
    }
    match ends.counts.answer(runs) {
        Some(answer) => Ok(Repeated {
            answer,
            is_interrupted,
        }),
        None if is_interrupted => Err(Failure::Interrupted),
        None => Err(ends
            .first_failure
            .map_or(Failure::Interrupted, |(_, failure)| failure)),
    }
}

/// How runs have ended so far.
#[derive(Default)]
struct Ends {
    counts: RunCounts,
    /// How many have ended.
    count: usize,
    /// The last run that was begun.
    begun: u32,
    first_failure: Option<(u32, Failure)>,
    /// Why a worker got no browser.
    without_browser: Option<Failure>,
}

impl Ends {
    fn add(&mut self, number: u32, end: Result<Answer, String>) {
        self.counts.add(number, end);
        self.count += 1;
    }

    fn fail(&mut self, number: u32, failure: Failure) {
        self.add(number, Err(reason(&failure)));
        let first = self.first_failure.as_ref();
        if first.is_none_or(|(first, _)| number < *first) {
            self.first_failure = Some((number, failure));
        }
    }
}

/// One for each worker: the address of its browser, or nothing where it is to start one.
fn addresses(arguments: &BrowserArguments, runs: u32) -> Vec<Option<String>> {
    let mut addresses: Vec<Option<String>> = arguments.connect.iter().cloned().map(Some).collect();
    if addresses.is_empty() {
        addresses.resize(available_parallelism().map_or(1, usize::from), None);
    }
    addresses.truncate(runs as usize);
    addresses
}

/// Why a run has no answer, in one line: what a browser printed last is another thing each time.
fn reason(failure: &Failure) -> String {
    let message = failure.to_string();
    message.lines().next().unwrap_or_default().to_owned()
}

/// What a worker tells.
enum News {
    Begun(u32),
    Ended(u32, Result<Box<Answer>, Failure>),
    /// The worker has ended for want of a browser.
    NoBrowser(Failure),
}

#[derive(Clone)]
struct Worker {
    request: Arc<AskRequest>,
    arguments: BrowserArguments,
    address: Option<String>,
    /// How many runs were begun by all.
    begun: Arc<AtomicU32>,
    runs: u32,
    told: mpsc::UnboundedSender<News>,
    stopped: watch::Receiver<bool>,
}

impl Worker {
    async fn work(mut self) {
        let mut stopped = self.stopped.clone();
        let mut browser = None;
        tokio::select! {
            // An error says that nobody is left who could stop us.
            Ok(_) = stopped.wait_for(|stopped| *stopped) => {}
            () = self.run_all(&mut browser) => {}
        }
        if let Some(browser) = browser {
            browser.close().await;
        }
    }

    /// Does what is left, until nothing is, or there is no browser.
    async fn run_all(&mut self, slot: &mut Option<Browser>) {
        while self.begun.load(Ordering::Relaxed) < self.runs {
            let browser = match slot {
                Some(browser) => browser,
                None => match open_one(&self.arguments, self.address.as_deref()).await {
                    Ok(browser) => slot.insert(browser),
                    Err(failure) => {
                        let _ = self.told.send(News::NoBrowser(failure));
                        return;
                    }
                },
            };
            let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
            if number > self.runs {
                return;
            }
            let _ = self.told.send(News::Begun(number));
            let clock = Arc::new(TokioClock::new());
            let end = ask(browser.protocol(), clock, &self.request, &mut |_| ()).await;
            let failed = end.is_err();
            let end = end.map(Box::new).map_err(Failure::from);
            let _ = self.told.send(News::Ended(number, end));
            // Whatever state it is in: the next run gets another one.
            if failed && let Some(browser) = slot.take() {
                browser.close().await;
            }
        }
    }
}
