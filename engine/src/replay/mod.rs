//! Replays a recording: the user's actions, as trusted input, each once the page is ready for it.
//!
//! Invariants: a step waits for what it needs and for nothing else; nothing sleeps a fixed time unless the recording
//! itself asks for it at [`Speed::Real`]; whoever debugs the page may stop it at any moment, and the replay then waits;
//! what was done differently from the recording, or found otherwise, is in the report.

mod dialogs;
mod files;
mod idle;
mod input;
mod keys;
mod locate;
mod other_tabs;
mod runner;
mod sent;
mod storage;
#[cfg(test)]
mod tests;
mod waiting;

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use recording::Recording;

pub(crate) use idle::keep_time_going;
pub use idle::{IdleReport, wait_until_idle};
pub use locate::{SCRIPT_URL, WORLD_NAME};
pub(crate) use runner::environment::{environment_command, environment_of};
pub(crate) use sent::{InputCounts, SentInput};

use super::page::Page;
use super::prefix::unguessable_prefix;
use super::recorded_inputs::{InputReplay, wanted_of_input_replay};
use crate::error::EngineError;

/// How fast to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speed {
    /// Each step as soon as the page is ready for it.
    #[default]
    Fast,
    /// At the recorded pace: a step's `querypoint.afterMs` (milliseconds since the one before) and its `duration`.
    Real,
}

/// How to replay.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// The pace.
    pub speed: Speed,
    /// How long a step may take whose recording names no time.
    pub step_limit: Duration,
    /// How long loading a page may take where the recording names no time.
    pub load_limit: Duration,
    /// Where the page is served now: the first `navigate` step goes there, or, if the recording acts before it
    /// navigates (or does not at all), the replay begins by going there.
    pub page_url: Option<String>,
    /// The page's own time that may pass after the last step, for what that step set going: see [`wait_until_idle`].
    /// None: the replay ends with the last step.
    pub time_after: Option<Duration>,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            speed: Speed::Fast,
            step_limit: Duration::from_secs(10),
            load_limit: Duration::from_secs(30),
            page_url: None,
            time_after: None,
        }
    }
}

/// The step that is being done, or was done last if the replay waits for what comes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentStep {
    /// Which one, counted from 0.
    pub index: usize,
    /// In words: `click #myButton`.
    pub description: String,
    /// The recording's word for it: `click`.
    pub kind: &'static str,
    /// The selector that matched, or the best one until one has.
    pub selector: Option<String>,
}

/// Where the replay is, for whoever wants to say which action of the user caused an event. Cheap to clone; all clones
/// show the same replay. Empty before the first and after the last step.
#[derive(Debug, Clone, Default)]
pub struct ReplayCursor {
    step: Arc<Mutex<Option<CurrentStep>>>,
    /// What of the user's input is on its way.
    pub(crate) sent: SentInput,
}

impl ReplayCursor {
    /// The step that is being done, or was done last.
    pub fn current(&self) -> Option<CurrentStep> {
        self.step.lock().clone()
    }

    fn set(&self, step: Option<CurrentStep>) {
        *self.step.lock() = step;
    }

    fn matched(&self, selector: Option<String>) {
        if let (Some(step), Some(selector)) = (self.step.lock().as_mut(), selector) {
            step.selector = Some(selector);
        }
    }
}

/// A place where the replay departed from the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The step, counted from 1 as people count; 0 before the first.
    pub step: usize,
    /// What was different.
    pub note: String,
}

/// What came of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// How many steps were done.
    pub steps: usize,
    /// Real time, in milliseconds.
    pub time_ms: f64,
    /// Where it departed from the recording.
    pub divergences: Vec<Divergence>,
}

/// Replays `recording` on `page`. `progress` is called as each step begins, with its number from 1, their number and
/// its description.
///
/// # Errors
/// [`EngineError::StepFailed`] with the step that cannot be done, [`EngineError::PageNotLoaded`], and those of the
/// connection.
pub async fn replay(
    page: &Page,
    recording: &Recording,
    options: &ReplayOptions,
    cursor: &ReplayCursor,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ReplayReport, EngineError> {
    replay_then(page, recording, options, cursor, progress, None).await
}

/// Replays `recording` on `page` and leaves the page to a person then, until its tab is closed. `is_there` is called as
/// soon as it is theirs. What the page requests is answered from the recording as before; what that does not have goes
/// to its server, unless it might change something there.
///
/// # Errors
/// As [`replay`], and if the page crashes in the person's hands.
pub async fn replay_for_person(
    page: &Page,
    recording: &Recording,
    options: &ReplayOptions,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    is_there: &mut (dyn FnMut(&ReplayReport) + Send),
) -> Result<ReplayReport, EngineError> {
    let cursor = ReplayCursor::default();
    replay_then(page, recording, options, &cursor, progress, Some(is_there)).await
}

/// Whoever is told that the page is theirs.
type IsThere<'p> = &'p mut (dyn FnMut(&ReplayReport) + Send);

async fn replay_then(
    page: &Page,
    recording: &Recording,
    options: &ReplayOptions,
    cursor: &ReplayCursor,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    person: Option<IsThere<'_>>,
) -> Result<ReplayReport, EngineError> {
    let prefix = unguessable_prefix(&page.url(), page.clock().now_ms());
    let wanted = wanted_of_input_replay(page.sessions(), false);
    let events = page.protocol().events_of(wanted);
    let address = options.page_url.as_deref();
    let Some(input_replay) = InputReplay::new(page, recording, address, &prefix, None).await?
    else {
        let replayed = replay_with_inputs(page, recording, options, cursor, None, progress).await?;
        go_on(page, options, &replayed, person).await?;
        return Ok(replayed);
    };
    input_replay.go_alone(page).await?;
    let inputs = input_replay.run(events);
    let replayed = async {
        let mut replayed = replay_with_inputs(
            page,
            recording,
            options,
            cursor,
            Some(&input_replay),
            progress,
        )
        .await?;
        // Responses that are still to come are fed meanwhile: what nobody feeds, the page would wait for.
        go_on(page, options, &replayed, person).await?;
        let step = replayed.steps;
        let notes = input_replay.differences().into_iter();
        let notes = notes.map(|note| Divergence { step, note });
        replayed.divergences.extend(notes);
        Ok(replayed)
    };
    futures::pin_mut!(inputs, replayed);
    match select(inputs, replayed).await {
        // The connection is gone; what waits has been answered with that.
        Either::Left(((), replayed)) => replayed.await,
        Either::Right((replayed, _)) => replayed,
    }
}

/// What the last step set going ends, where the options say so; then the page is the person's, if there is one.
async fn go_on(
    page: &Page,
    options: &ReplayOptions,
    replayed: &ReplayReport,
    person: Option<IsThere<'_>>,
) -> Result<(), EngineError> {
    if let Some(budget) = options.time_after {
        wait_until_idle(page, budget, options.load_limit).await?;
    }
    let Some(is_there) = person else {
        return Ok(());
    };
    page.leave_to_person().await?;
    is_there(replayed);
    page.closed().await
}

/// [`replay`] on a page that gets the recorded inputs from `input_replay`, if there are any.
///
/// # Errors
/// As [`replay`].
pub(crate) async fn replay_with_inputs(
    page: &Page,
    recording: &Recording,
    options: &ReplayOptions,
    cursor: &ReplayCursor,
    input_replay: Option<&InputReplay>,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ReplayReport, EngineError> {
    let result = runner::Runner::new(page, recording, options, cursor, input_replay)
        .run(progress)
        .await;
    cursor.set(None);
    result
}
