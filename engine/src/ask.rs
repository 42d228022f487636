//! One question, from the queries to the answer.
//!
//! 1. *Find*: the page is replayed with hooks; at the reproduction point the agent knows the last change of
//!    every value that was asked, and of every value asked at those changes, by sequence number.
//! 2. *Capture*: it is replayed again, stops exactly at those events, everything is read there, and it goes on to
//!    the reproduction point, where both executions must agree.
//! 3. Only where step 2 learns something new (a write that had no effect, a reference that only a debugger can
//!    resolve) is there another capture; only where the executions do not agree is there one more in which the
//!    page captures at every event itself, so that what is shown is from one execution.
//!
//! Which conditions or `try` blocks of callers must be watched, the stacks say that step 1 has held; where a capture
//! finds more, it is done again with them: their events are numbered apart, so what is known of the others holds.
//! Where an execution finds that other names must be (the property that `list[i]` means, or what the getter of an
//! accessor reads), step 1 is done again.
//!
//! Which of these comes next, [`querypoint::reexecution`] says; `round` runs it.
//!
//! (Debugging by lastChange, 2011, section on trace queries and re-execution.)

mod assembly;
mod calls;
mod line;
mod live;
mod log_questions;
mod omission;
mod origin;
mod pausing;
mod read_ahead;
mod refinement;
mod request;
mod round;
#[cfg(test)]
mod tests;
mod texts;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::Answer;
use querypoint::plan::CollectionPlan;
use querypoint::resolution::Sequence;

use super::collection::{Collection, Instrument, Refinements};
use super::execution::{ExecutionOutcome, Role, Setting, Task, run};
use super::page::Unanswered;
use super::prefix::unguessable_prefix;
use super::report::Text;
use super::sources::Sources;
use super::traces::Counts;
use crate::error::EngineError;
pub(super) use assembly::why_not_reached;
use calls::Via;
use cdp_driver::protocol::{Clock, Protocol, ProtocolError, with_time_limit};
pub use line::ask_line;
pub use live::ask_live;
pub use log_questions::ask_with_log;
pub use pausing::Asked;
use request::check_watch;
pub use request::{AskError, AskRequest, Flips, OriginLimits, Progress, Reproduce};

/// Finds the answer to `request` in the browser behind `protocol`.
///
/// # Errors
/// [`AskError::Plan`] and [`AskError::Watch`] before the browser is touched; [`AskError::Engine`] if the page or the
/// browser is lost or time is up. A reproduction point that is not reached is an answer.
pub async fn ask(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Answer, AskError> {
    if request.instrument == Instrument::Live {
        return ask_live(protocol, clock, request, progress).await;
    }
    let asked = ask_and_keep(protocol, clock, request, progress).await?;
    Ok(asked.answer)
}

/// [`ask`], keeping what is needed to reach the points of the answer again.
///
/// # Errors
/// As [`ask`].
pub async fn ask_and_keep(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AskError> {
    ask_within(protocol, clock, request, progress, None).await
}

/// [`ask_and_keep`], in at most so many executions; an origin has the limit that its request names.
async fn ask_within(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
    most_executions: Option<u32>,
) -> Result<Asked, AskError> {
    if omission::is_asked(request) {
        return omission::ask_and_keep(protocol, clock, request, progress).await;
    }
    if origin::is_asked(request) {
        return origin::ask_and_keep(protocol, clock, request, progress).await;
    }
    let mut question = Question::new(protocol, clock, request, progress)?;
    question.most_executions = most_executions;
    if let Some(answer) = question.by_call_stack(request.reproduce).await? {
        return Ok(question.answered(answer));
    }
    loop {
        if let Some(answer) = question.round(&mut Via::Page).await? {
            return Ok(question.answered(answer));
        }
        question.watch_more();
    }
}

pub(super) struct Question<'q> {
    pub(super) setting: Setting,
    instrument: Instrument,
    /// Whether the execution that finds the events may read them as well.
    read_ahead: bool,
    /// Whether an execution that did something else has been taken for the first: once is enough.
    tried_another_first: bool,
    refinements: Refinements,
    rounds: u32,
    progress: &'q mut (dyn FnMut(Progress) + Send),
    executions: u32,
    /// How often the page may run.
    most_executions: Option<u32>,
    /// Whether it was to run once more, and did not.
    is_cut: bool,
    start_ms: f64,
    first_replay_ms: f64,
    rewrite_ms: f64,
    notes: Vec<String>,
    /// The values asked about at the reproduction point, as the first execution had them, by query number.
    first_values: Option<BTreeMap<usize, Text>>,
    /// When it had them, in words.
    first_time: &'static str,
    /// The execution that gave the answer, unless the executions differ.
    last: Option<LastExecution>,
}

/// The execution that gave an answer.
struct LastExecution {
    task: Task,
    outcome: ExecutionOutcome,
    /// The number of each query's event.
    sequences: BTreeMap<usize, Sequence>,
    /// How many events there were at points.
    counts: Counts,
}

impl<'q> Question<'q> {
    /// Understands a request; no browser is touched.
    pub(super) fn new(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
        request: &AskRequest,
        progress: &'q mut (dyn FnMut(Progress) + Send),
    ) -> Result<Self, AskError> {
        let plan = CollectionPlan::new(&request.graph, &request.watches)?;
        Self::planned(protocol, clock, request, plan, progress)
    }

    /// Takes up a request that has been planned.
    fn planned(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
        request: &AskRequest,
        plan: CollectionPlan,
        progress: &'q mut (dyn FnMut(Progress) + Send),
    ) -> Result<Self, AskError> {
        for watch in &request.watches {
            check_watch(watch)?;
        }
        let prefix = unguessable_prefix(&request.page, clock.now_ms());
        let collection = Arc::new(Collection::new(&plan, &prefix, request.instrument));
        let sources = Sources::new(collection.clone(), request.at.clone());
        let setting = Setting {
            protocol,
            clock: clock.clone(),
            page_url: request.page.clone(),
            recording: request.recording.clone(),
            readings: None,
            responses: None,
            at: request.at.clone(),
            plan,
            collection,
            sources: Arc::new(Mutex::new(sources)),
            timeout: request.timeout,
            origins: BTreeMap::new(),
            logged: None,
            recorder: None,
            elements: Vec::new(),
            unanswered: Arc::default(),
            tabs: Arc::default(),
            takes_pictures: request.takes_pictures,
        };
        Ok(Self {
            setting,
            instrument: request.instrument,
            read_ahead: request.read_ahead,
            tried_another_first: false,
            refinements: Refinements::default(),
            rounds: 1,
            progress,
            executions: 0,
            most_executions: None,
            is_cut: false,
            start_ms: clock.now_ms(),
            first_replay_ms: 0.0,
            rewrite_ms: 0.0,
            notes: Vec::new(),
            first_values: None,
            first_time: "in the first execution",
            last: None,
        })
    }

    /// Whether the page has run as often as it may.
    fn is_spent(&self) -> bool {
        self.most_executions
            .is_some_and(|most| self.executions >= most)
    }

    /// Says that one more execution begins; gives its number.
    fn begin_execution(&mut self, purpose: &'static str) -> u32 {
        self.executions += 1;
        let number = self.executions;
        (self.progress)(Progress::Execution { number, purpose });
        number
    }

    pub(super) async fn execute(
        &mut self,
        task: &Task,
        purpose: &'static str,
    ) -> Result<ExecutionOutcome, EngineError> {
        let number = self.begin_execution(purpose);
        let progress = &mut *self.progress;
        let mut step = |step: usize, steps: usize, description: &str| {
            progress(Progress::Step {
                step,
                steps,
                description: description.to_owned(),
            });
        };
        // A script whose digest the page checks is known only once it was refused, one that is a module and does not
        // look like one only once it was compiled; then the page ran otherwise than it does, and runs again.
        let sources = &self.setting.sources;
        let refinements = || {
            let sources = sources.lock();
            sources.refinements()
        };
        // A page may ask for something else each time.
        const MOST_REPETITIONS: usize = 10;
        let mut repetitions = 0;
        let outcome = loop {
            let before = refinements();
            let what = format!("execution {number} ({purpose})");
            // Boxed, for it is one large future.
            let execution = Box::pin(run(&self.setting, task, &mut step));
            let limited = with_time_limit(
                self.setting.clock.as_ref(),
                self.setting.timeout,
                &what,
                execution,
            );
            let result = limited.await;
            let awaited = {
                let mut sources = sources.lock();
                sources.take_awaited()
            };
            let result = result.map_err(|error| match (error, awaited) {
                (ProtocolError::TimedOut { method, after_ms }, Some(url)) => {
                    let method = format!("{method}, in which the response of {url} did not end,");
                    ProtocolError::TimedOut { method, after_ms }
                }
                (ProtocolError::TimedOut { method, after_ms }, None) => {
                    let unanswered = self.setting.unanswered.lock();
                    let unanswered = unanswered;
                    let waits = unanswered.as_ref().map(Unanswered::text);
                    let method = method + &waits.unwrap_or_default();
                    ProtocolError::TimedOut { method, after_ms }
                }
                (error, _) => error,
            });
            match result.map_err(EngineError::Protocol).flatten() {
                Err(error) if error.is_fatal() => return Err(error),
                _ if refinements() > before && repetitions < MOST_REPETITIONS => repetitions += 1,
                result => break result?,
            }
        };
        if number == 1 {
            self.first_replay_ms = outcome.replay_ms;
        }
        self.rewrite_ms += outcome.seen.rewrite_ms;
        Ok(outcome)
    }
}

/// Progress of executions that are counted from here; so many were before.
fn numbered(
    before: u32,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> impl FnMut(Progress) + Send {
    move |it| {
        progress(match it {
            Progress::Execution { number, purpose } => Progress::Execution {
                number: before + number,
                purpose,
            },
            other => other,
        });
    }
}
