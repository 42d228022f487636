//! The same work several times, each time from the beginning, in several browsers at once.
//!
//! Each worker has one browser and takes the next run when it is done with one; a run opens contexts of its own there,
//! so that runs share nothing but the server of the page. A run that lost its browser is done once more in another one.
//! After a run that failed the worker takes a new browser (or a new connection); when it gets none, it ends and leaves
//! what is left to the others. What nobody is left to do has failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::available_parallelism;

use cdp_driver::native::{Browser, Purpose};
use tokio::sync::{mpsc, watch};

use crate::browser::{BrowserOptions, open_one};
use crate::cancelling::Cancellation;
use crate::failure::{Failure, FailureKind};
use crate::progress::Reporter;

/// What is done in each run.
pub trait Job: Send + Sync + 'static {
    /// What comes of it.
    type Output: Send + 'static;

    /// Does it once, in a browser that others may use beside it.
    fn run(&self, browser: &Browser) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// How many runs, and where.
pub struct Runs<'a> {
    /// How many.
    pub count: u32,
    /// At most so many at once; otherwise as many as there are cores.
    pub at_once: Option<u32>,
    /// In which browsers.
    pub browsers: &'a BrowserOptions,
    /// What the browsers are started for.
    pub purpose: Purpose,
    /// What ends them before all are done.
    pub cancellation: &'a Cancellation,
}

/// How the runs ended.
pub struct Ends {
    /// Whether it was cancelled before all were done.
    pub is_interrupted: bool,
    /// The first run, by number, that failed, and why; if that was for want of a browser, the last.
    pub first_failure: Option<(u32, Failure)>,
}

/// Runs `job` so often. `each` is told the end of every run, in the order in which they end: what came of it, or in one
/// line why nothing did. All browsers are gone when this returns.
pub async fn run_all<J: Job>(
    job: J,
    runs: &Runs<'_>,
    report: &mut dyn Reporter,
    each: &mut dyn FnMut(u32, Result<J::Output, String>),
) -> Ends {
    let (told, mut news) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(false);
    let worker = Worker {
        job: Arc::new(job),
        options: runs.browsers.clone(),
        purpose: runs.purpose,
        cancellation: runs.cancellation.clone(),
        address: None,
        begun: Arc::new(AtomicU32::new(0)),
        runs: runs.count,
        told,
        stopped,
    };
    for address in addresses(runs) {
        let worker = Worker {
            address,
            ..worker.clone()
        };
        tokio::spawn(worker.work());
    }
    // The news end when the last worker does.
    drop(worker);

    let count = runs.count;
    report.stage("starting the browsers");
    let mut ends = Ends {
        is_interrupted: false,
        first_failure: None,
    };
    let (mut begun, mut ended) = (0, 0);
    let mut without_browser = None;
    let cancelled = runs.cancellation.requested();
    tokio::pin!(cancelled);
    loop {
        let told = tokio::select! {
            told = news.recv() => told,
            () = &mut cancelled, if !ends.is_interrupted => {
                ends.is_interrupted = true;
                report.stage("ending the browsers");
                // An error says that all have ended by themselves.
                let _ = stop.send(true);
                continue;
            }
        };
        match told {
            None => break,
            Some(News::Begun(number)) => {
                begun = begun.max(number);
                report.part(&format!("run {number} of {count}"), ended, count as usize);
            }
            Some(News::Ended(number, Ok(output))) => {
                each(number, Ok(output));
                ended += 1;
            }
            Some(News::Ended(number, Err(failure))) => {
                let shown = reason(&failure);
                report.stage(&format!("run {number} of {count} failed: {shown}"));
                if matches!(
                    failure.kind(),
                    FailureKind::NotUnderstood | FailureKind::Files
                ) {
                    // It would be for all of them.
                    let _ = stop.send(true);
                }
                each(number, Err(reason(&failure)));
                ended += 1;
                let first = ends.first_failure.as_ref();
                if first.is_none_or(|(first, _)| number < *first) {
                    ends.first_failure = Some((number, failure));
                }
            }
            Some(News::NoBrowser(failure)) => without_browser = Some(failure),
        }
    }
    if let Some(failure) = without_browser
        && !ends.is_interrupted
    {
        let reason = reason(&failure);
        for number in begun + 1..=count {
            each(number, Err(reason.clone()));
        }
        ends.first_failure.get_or_insert((count, failure));
    }
    ends
}

/// One for each worker: the address of its browser, or nothing where it is to start one.
fn addresses(runs: &Runs<'_>) -> Vec<Option<String>> {
    let connect = &runs.browsers.connect;
    let cores = || available_parallelism().map_or(1, usize::from);
    let at_once = runs.at_once.map(|at_once| at_once as usize);
    let mut addresses: Vec<Option<String>> = connect.iter().cloned().map(Some).collect();
    match (addresses.len(), at_once) {
        (0, at_once) => addresses.resize(at_once.unwrap_or_else(cores), None),
        // Several workers may share a browser: their runs have contexts of their own.
        (given, Some(at_once)) => {
            addresses = (0..at_once)
                .map(|index| addresses[index % given].clone())
                .collect();
        }
        _ => {}
    }
    addresses.truncate(runs.count as usize);
    addresses
}

/// Why a run had no result, in one line: what a browser printed last is another thing each time.
fn reason(failure: &Failure) -> String {
    let message = failure.to_string();
    message.lines().next().unwrap_or_default().to_owned()
}

/// What a worker tells.
enum News<T> {
    Begun(u32),
    Ended(u32, Result<T, Failure>),
    /// The worker has ended for want of a browser.
    NoBrowser(Failure),
}

struct Worker<J: Job> {
    job: Arc<J>,
    options: BrowserOptions,
    purpose: Purpose,
    cancellation: Cancellation,
    address: Option<String>,
    /// How many runs were begun by all.
    begun: Arc<AtomicU32>,
    runs: u32,
    told: mpsc::UnboundedSender<News<J::Output>>,
    stopped: watch::Receiver<bool>,
}

impl<J: Job> Clone for Worker<J> {
    fn clone(&self) -> Self {
        Self {
            job: self.job.clone(),
            options: self.options.clone(),
            purpose: self.purpose,
            cancellation: self.cancellation.clone(),
            address: self.address.clone(),
            begun: self.begun.clone(),
            runs: self.runs,
            told: self.told.clone(),
            stopped: self.stopped.clone(),
        }
    }
}

impl<J: Job> Worker<J> {
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
            let browser = match self.browser(slot).await {
                Ok(browser) => browser,
                Err(failure) => {
                    let _ = self.told.send(News::NoBrowser(failure));
                    return;
                }
            };
            let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
            if number > self.runs {
                return;
            }
            let _ = self.told.send(News::Begun(number));
            let mut end = self.job.run(browser).await;
            let is_lost =
                |end: &Result<_, Failure>| end.as_ref().is_err_and(Failure::is_loss_of_browser);
            if is_lost(&end) {
                close(slot).await;
                // It may be the page that ends it: then it ends the next one, too.
                if let Ok(another) = self.browser(slot).await {
                    end = self.job.run(another).await;
                }
            }
            let failed = end.is_err();
            let _ = self.told.send(News::Ended(number, end));
            // Whatever state it is in: the next run gets another one.
            if failed {
                close(slot).await;
            }
        }
    }

    /// The browser of this worker: the one that it has, or a new one.
    async fn browser<'b>(&self, slot: &'b mut Option<Browser>) -> Result<&'b Browser, Failure> {
        Ok(match slot {
            Some(browser) => browser,
            None => {
                let address = self.address.as_deref();
                let opening = open_one(&self.options, address, self.purpose, &self.cancellation);
                slot.insert(opening.await?)
            }
        })
    }
}

async fn close(slot: &mut Option<Browser>) {
    if let Some(browser) = slot.take() {
        browser.close().await;
    }
}
