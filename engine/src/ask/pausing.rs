//! The page once more, up to a point of the answer, where it is left paused.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{Either, select};
use querypoint::answer::{Answer, Status};
use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;

use super::{AskError, AskRequest, LastExecution, Progress, Question};
use crate::error::EngineError;
use crate::execution::{ExecutionOutcome, Setting, Task, run_and_hold};
use crate::pausing::{HeldFor, Hold, Moment, PauseAt, PauseError};
use crate::picture::Picture;
use cdp_driver::protocol::Protocol;

/// How often the page is run again for the same moment to come; the last of them takes one that is not quite the same.
const MOST_RUNS: u32 = 3;

/// What these executions are for.
const PURPOSE: &str = "running to the point again";

/// An answer, and the way back to its points: what was learned of the page's scripts, and the execution that gave the
/// answer. Each way back takes a browser, which may be another each time.
pub struct Asked {
    /// The answer.
    pub answer: Answer,
    pub(super) setting: Setting,
    last: Option<LastExecution>,
    /// How many executions gave the answer.
    executions: u32,
    /// The points that are reached from a reproduction point of their own, by name.
    pub(super) reached_from: BTreeMap<String, ReachedFrom>,
}

/// From where a point is reached that is none of the question that was asked.
pub(super) struct ReachedFrom {
    /// The question that has it.
    pub(super) request: AskRequest,
    /// Its name there.
    pub(super) name: String,
    /// The point that is the reproduction point there.
    pub(super) origin: String,
}

impl Asked {
    /// Runs the page again, in the browser behind `protocol`, and leaves it paused at the point `name` of the answer
    /// (`R`: the reproduction point) for as long as `hold` says, or until its tab is closed. The page is paused as at a
    /// breakpoint: every debugger that is attached to it sees that, and can step on.
    ///
    /// # Errors
    /// [`AskError::Pause`] if the page cannot be brought there; [`AskError::Engine`] if the page or the browser is
    /// lost.
    pub async fn pause_at(
        &self,
        protocol: Arc<dyn Protocol>,
        name: &str,
        held_for: HeldFor,
        hold: Hold<'_>,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), AskError> {
        if let Some(from) = self.reached_from.get(name) {
            let clock = self.setting.clock.clone();
            // Boxed, for it is this one again.
            let asked = super::ask_and_keep(protocol.clone(), clock, &from.request, progress);
            let asked = Box::pin(asked).await?;
            return Box::pin(asked.pause_at(protocol, &from.name, held_for, hold, progress)).await;
        }
        let (point, last) = self.point(name)?;
        let Some(mut pause) = pause_at(point, held_for, last) else {
            return Err(self.no_point(name).into());
        };
        let setting = Setting {
            protocol,
            tabs: Arc::default(),
            ..self.setting.clone()
        };
        for run in 1..=MOST_RUNS {
            pause.takes_any = run == MOST_RUNS;
            let task = Task {
                pause: Some(pause.clone()),
                ..last.task.clone()
            };
            progress(Progress::Execution {
                number: self.executions + run,
                purpose: PURPOSE,
            });
            if run_to(&setting, &task, &hold, progress).await?.was_held {
                return Ok(());
            }
        }
        Err(PauseError::NotMet {
            name: name.to_owned(),
            runs: MOST_RUNS,
        }
        .into())
    }

    /// What the tab showed at the point `name`, in the execution that found it; `None`: no picture was taken there.
    #[must_use]
    pub fn picture(&self, name: &str) -> Option<&Picture> {
        let last = self.last.as_ref()?;
        let outcome = &last.outcome;
        let mut queries = self.setting.plan.queries.iter();
        let state = match queries.find(|query| query.name.to_string() == name) {
            None => outcome.point.as_ref().filter(|_| name == "R"),
            Some(query) => match outcome.exceptions.get(&query.index) {
                Some(thrown) => Some(&thrown.state),
                None => {
                    let event = outcome.events.get(last.sequences.get(&query.index)?)?;
                    Some(&event.state)
                }
            },
        };
        state?.picture.as_ref()
    }

    /// The point of that name, and the execution in which it was seen.
    fn point(&self, name: &str) -> Result<(Parent, &LastExecution), PauseError> {
        let plan = &self.setting.plan;
        let query = plan
            .queries
            .iter()
            .find(|query| query.name.to_string() == name);
        let is_end = query.is_none() && self.setting.at == ReproductionPoint::End;
        if is_end {
            return Err(PauseError::AtEnd {
                name: name.to_owned(),
            });
        }
        let found = self.answer.points.iter().find(|point| point.name == name);
        if found.is_none_or(|point| point.status != Status::Found) {
            return Err(self.no_point(name));
        }
        let point = query.map_or(Parent::ReproductionPoint, |query| {
            Parent::Query(query.index)
        });
        match &self.last {
            Some(last) => Ok((point, last)),
            None => Err(PauseError::Varies {
                name: name.to_owned(),
            }),
        }
    }

    fn no_point(&self, name: &str) -> PauseError {
        let found = self.answer.points.iter().find(|point| point.name == name);
        PauseError::NoPoint {
            name: name.to_owned(),
            status: found.map_or("there is no such query", |point| point.status.word()),
        }
    }
}

/// The moment at which the page was at `point`. `None`: it was not paused there.
fn pause_at(point: Parent, held_for: HeldFor, last: &LastExecution) -> Option<PauseAt> {
    let (sequence, expected) = match point {
        Parent::ReproductionPoint => (None, Moment::of_state(last.outcome.point.as_ref()?)),
        Parent::Query(query) => match last.outcome.exceptions.get(&query) {
            Some(capture) => (None, capture.moment()),
            None => {
                let sequence = *last.sequences.get(&query)?;
                let event = last.outcome.events.get(&sequence)?;
                (Some(sequence), Moment::of_event(event))
            }
        },
    };
    Some(PauseAt {
        point,
        sequence,
        expected,
        takes_any: false,
        held_for,
    })
}

impl Question<'_> {
    /// With its answer, and without those who waited for it.
    pub(super) fn answered(self, answer: Answer) -> Asked {
        Asked {
            answer,
            setting: self.setting,
            last: self.last,
            executions: self.executions,
            reached_from: BTreeMap::new(),
        }
    }
}

/// One more execution, up to where the page is left paused. Time counts only until then: a person may look as long as
/// they like.
async fn run_to(
    setting: &Setting,
    task: &Task,
    hold: &Hold<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ExecutionOutcome, EngineError> {
    let (held, is_held) = futures::channel::oneshot::channel::<()>();
    let held = parking_lot::Mutex::new(Some(held));
    let held = &held;
    let noticed: Hold<'_> = Arc::new(move |paused| {
        let mut held = held.lock();
        if let Some(held) = held.take() {
            let _ = held.send(());
        }
        hold(paused)
    });
    let mut step = |step: usize, steps: usize, description: &str| {
        progress(Progress::Step {
            step,
            steps,
            description: description.to_owned(),
        });
    };
    // Boxed, for it is one large future.
    let execution = Box::pin(run_and_hold(setting, task, &noticed, &mut step));
    let time = setting.clock.sleep(setting.timeout);
    futures::pin_mut!(execution);
    let is_over = async {
        match select(time, is_held).await {
            Either::Left(_) | Either::Right((Err(_), _)) => {}
            Either::Right((Ok(()), _)) => std::future::pending().await,
        }
    };
    futures::pin_mut!(is_over);
    match select(execution, is_over).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => Err(EngineError::TimedOut {
            what: PURPOSE.to_owned(),
            after_ms: u64::try_from(setting.timeout.as_millis()).unwrap_or(u64::MAX),
        }),
    }
}
