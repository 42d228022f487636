//! A recording replayed: once, or many times to see how often it goes as recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, TokioClock};
use engine::EngineError;
use engine::page::Page as Tab;
use engine::replay::{ReplayCursor, ReplayOptions, ReplayReport, Speed, replay, replay_for_person};
use recording::{Live, Recording};

use crate::browser::{BrowserOptions, in_browser, purpose};
use crate::cancelling::Cancellation;
use crate::chosen_files::ChosenFiles;
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Job, Runs, run_all};
use crate::progress::Reporter;
use crate::recording_file::recording;

/// The page's own time that may pass after the last step, for what that step set going.
const TIME_AFTER_LAST_STEP: Duration = Duration::from_secs(2);

/// What is replayed, and how.
#[derive(Clone, Copy, Debug)]
pub struct ReplayRequest<'r> {
    /// The file of the recording.
    pub recording: &'r Path,
    /// The page to replay on instead of the one that it was recorded on.
    pub page: Option<&'r str>,
    /// As fast as the page goes, or with the pauses that were recorded.
    pub speed: Speed,
    /// What is not taken from the recording but left to vary.
    pub live: Live,
}

/// How often a recording is replayed.
#[derive(Clone, Copy, Debug)]
pub struct Repetitions {
    /// So often.
    pub runs: u32,
    /// At most so many at once; otherwise as many as there are cores.
    pub at_once: Option<u32>,
}

/// What is replayed, read, with what is there for as long as this is held: its page's server and the files it chooses.
struct Prepared {
    recording: Recording,
    options: ReplayOptions,
    _page: Option<Page>,
    _files: ChosenFiles,
}

impl Prepared {
    async fn new(request: &ReplayRequest<'_>, browser: &BrowserOptions) -> Result<Self, Failure> {
        let (recording, files) = recording(request.recording, request.live)?;
        let page = match request.page {
            Some(page) => Some(Page::open(page, &browser.connect).await?),
            None => None,
        };
        let options = ReplayOptions {
            speed: request.speed,
            load_limit: browser.timeout,
            page_url: page.as_ref().map(|page| page.url().to_string()),
            time_after: Some(TIME_AFTER_LAST_STEP),
            ..ReplayOptions::default()
        };
        Ok(Self {
            recording,
            options,
            _page: page,
            _files: files,
        })
    }
}

/// Replays once, in a browser that is gone when this returns.
///
/// # Errors
/// If the recording cannot be read, a step cannot be done, the page or the browser is lost, or it is cancelled.
pub async fn replay_once(
    request: &ReplayRequest<'_>,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<ReplayReport, Failure> {
    let prepared = Prepared::new(request, browser).await?;
    reporter.stage("starting the browser");
    let limit = browser.timeout;
    let purpose = purpose(browser, Some(&prepared.recording));
    let replaying = async |browser: &Browser| {
        let mut show = |step: usize, steps: usize, description: &str| {
            let stage = format!("step {step} of {steps}: {description}");
            reporter.part(&stage, step, steps);
        };
        let Prepared {
            recording, options, ..
        } = &prepared;
        replay_within(browser, recording, options, limit, &mut show).await
    };
    in_browser(browser, purpose, cancellation, replaying).await
}

/// Replays many times, in several browsers at once, which are gone when this returns. Where it is cancelled, what was
/// counted until then is the result.
///
/// # Errors
/// If the recording cannot be read, or no replay ended: why the first one did not.
pub async fn replay_repeatedly(
    request: &ReplayRequest<'_>,
    repetitions: Repetitions,
    browsers: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<ReplayCounts, Failure> {
    let Prepared {
        recording,
        options,
        _page,
        _files,
    } = Prepared::new(request, browsers).await?;
    let runs = Runs {
        count: repetitions.runs,
        at_once: repetitions.at_once,
        browsers,
        purpose: purpose(browsers, Some(&recording)),
        cancellation,
    };
    let job = ReplayJob {
        recording,
        options,
        limit: browsers.timeout,
    };
    let mut counts = ReplayCounts::of(repetitions.runs);
    let ends = run_all(job, &runs, reporter, &mut |_, end| counts.add(end)).await;
    counts.is_interrupted = ends.is_interrupted;
    match ends.first_failure {
        _ if counts.replayed() > 0 => Ok(counts),
        Some((_, failure)) => Err(failure),
        None => Err(Failure::Interrupted),
    }
}

struct ReplayJob {
    recording: Recording,
    options: ReplayOptions,
    limit: Duration,
}

impl Job for ReplayJob {
    type Output = ReplayReport;

    async fn run(&self, browser: &Browser) -> Result<ReplayReport, Failure> {
        let (recording, options) = (&self.recording, &self.options);
        let mut show = |_: usize, _: usize, _: &str| ();
        Ok(replay_within(browser, recording, options, self.limit, &mut show).await?)
    }
}

/// What came of many replays; it takes no more memory than there are different outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayCounts {
    /// How many were wanted.
    pub runs: u32,
    /// How many went as recorded.
    pub as_recorded: u32,
    /// How many ended otherwise, by the first step that was not as recorded (0 before the first), and how.
    pub first_divergences: BTreeMap<(usize, String), u32>,
    /// How many failed, by reason.
    pub failed: BTreeMap<String, u32>,
    /// Whether it was cancelled before all were done.
    pub is_interrupted: bool,
    /// How long each that ended took, in milliseconds.
    pub times_ms: Vec<f64>,
}

impl ReplayCounts {
    /// The counts of so many runs, before the first.
    #[must_use]
    pub fn of(runs: u32) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }

    /// Counts a replay: what came of it, or why nothing did.
    pub fn add(&mut self, end: Result<ReplayReport, String>) {
        let report = match end {
            Ok(report) => report,
            Err(reason) => {
                *self.failed.entry(reason).or_default() += 1;
                return;
            }
        };
        self.times_ms.push(report.time_ms);
        match report.divergences.into_iter().next() {
            None => self.as_recorded += 1,
            Some(first) => {
                let first = (first.step, first.note);
                *self.first_divergences.entry(first).or_default() += 1;
            }
        }
    }

    /// How many replays ended.
    #[must_use]
    pub fn replayed(&self) -> u32 {
        self.as_recorded + self.first_divergences.values().sum::<u32>()
    }

    /// Half of the replays took at most so long.
    #[must_use]
    pub fn median_ms(&self) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    /// How many runs neither ended nor failed.
    #[must_use]
    pub fn not_done(&self) -> u32 {
        let done = self.replayed() + self.failed.values().sum::<u32>();
        self.runs.saturating_sub(done)
    }
}

/// Replays once, in a tab of its own, for at most `limit`.
///
/// # Errors
/// If a step cannot be done, time is up, or the page or the browser is lost.
pub async fn replay_within(
    browser: &Browser,
    recording: &Recording,
    options: &ReplayOptions,
    limit: Duration,
    show: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ReplayReport, EngineError> {
    let replayed = async {
        let tab = Tab::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
        let cursor = ReplayCursor::default();
        let replayed = replay(&tab, recording, options, &cursor, show).await?;
        tab.dispose().await?;
        Ok(replayed)
    };
    match tokio::time::timeout(limit, replayed).await {
        Ok(replayed) => replayed,
        Err(_) => Err(timed_out(limit)),
    }
}

/// Replays in a browser that a person sees, and leaves the page to them until its tab is closed. `is_there` is called
/// as soon as it is theirs.
///
/// # Errors
/// As [`replay_within`]; the limit counts until the page is theirs.
pub(crate) async fn replay_for_person_within(
    browser: &Browser,
    recording: &Recording,
    options: &ReplayOptions,
    limit: Duration,
    show: &mut (dyn FnMut(usize, usize, &str) + Send),
    is_there: &mut (dyn FnMut(&ReplayReport) + Send),
) -> Result<ReplayReport, EngineError> {
    let theirs = tokio::sync::Notify::new();
    let replayed = async {
        let tab = Tab::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
        let mut is_there = |report: &ReplayReport| {
            theirs.notify_one();
            is_there(report);
        };
        replay_for_person(&tab, recording, options, show, &mut is_there).await
    };
    let is_late = async {
        match tokio::time::timeout(limit, theirs.notified()).await {
            Ok(()) => std::future::pending().await,
            Err(_) => timed_out(limit),
        }
    };
    tokio::select! {
        replayed = replayed => replayed,
        late = is_late => Err(late),
    }
}

/// The recording was not replayed in time.
fn timed_out(limit: Duration) -> EngineError {
    EngineError::TimedOut {
        what: "the end of the recording".to_owned(),
        after_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use engine::replay::Divergence;

    use super::*;

    #[test]
    fn replays_are_counted_by_what_was_different_first() {
        let replayed = |time_ms: f64, notes: &[(usize, &str)]| {
            let divergences = notes.iter().map(|(step, note)| Divergence {
                step: *step,
                note: (*note).to_owned(),
            });
            Ok(ReplayReport {
                steps: 9,
                time_ms,
                divergences: divergences.collect(),
            })
        };
        let mut counts = ReplayCounts::of(8);
        for end in [
            replayed(300.0, &[]),
            replayed(100.0, &[]),
            replayed(200.0, &[(3, "another element"), (4, "more")]),
            replayed(400.0, &[(3, "another element")]),
            replayed(500.0, &[(0, "a dialog")]),
            Err("the browser exited".to_owned()),
        ] {
            counts.add(end);
        }
        let divergences = [
            ((0, "a dialog".to_owned()), 1),
            ((3, "another element".to_owned()), 2),
        ];
        assert_eq!(counts.first_divergences, divergences.into());
        assert_eq!(
            (counts.as_recorded, counts.replayed(), counts.not_done()),
            (2, 5, 2)
        );
        assert!((counts.median_ms() - 300.0).abs() < 0.1, "{counts:?}");
        assert_eq!(counts.failed, [("the browser exited".to_owned(), 1)].into());
    }
}
