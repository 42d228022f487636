//! The page once more, up to a point of the answer, where it is left standing.

use std::sync::Arc;

use futures::future::{Either, select};
use querypoint::answer::{Answer, Status};
use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;

use super::{AskError, LastExecution, Progress, Question};
use crate::engine::execution::{Outcome, Task, run_and_hold};
use crate::engine::pausing::{Hold, Moment, PauseAt, PauseError};
use crate::error::DriverError;

/// How often the page is run again for the same moment to come; the last of them takes one that is not quite the same.
const MOST_RUNS: u32 = 3;

/// An answer, and the way back to its points.
pub struct Asked<'q> {
    /// The answer.
    pub answer: Answer,
    pub(super) question: Question<'q>,
}

impl Asked<'_> {
    /// Runs the page again and leaves it standing at the point `name` of the answer (`R`: the reproduction point) for as
    /// long as `hold` says, or until its tab is closed. The page stands as at a breakpoint: every debugger that is attached
    /// to it sees that, and can step on.
    ///
    /// # Errors
    /// [`AskError::Pause`] if the page cannot be brought there; [`AskError::Driver`] if the page or the browser is lost.
    pub async fn pause_at(&mut self, name: &str, hold: Hold<'_>) -> Result<(), AskError> {
        let (point, last) = self.point(name)?;
        let Some(mut pause) = pause_at(point, last) else {
            return Err(self.no_point(name).into());
        };
        let task = last.task.clone();
        for run in 1..=MOST_RUNS {
            pause.takes_any = run == MOST_RUNS;
            let task = Task {
                pause: Some(pause.clone()),
                ..task.clone()
            };
            if self.question.run_to(&task, run, &hold).await?.was_held {
                return Ok(());
            }
        }
        Err(PauseError::NotMet {
            name: name.to_owned(),
            runs: MOST_RUNS,
        }
        .into())
    }

    /// The point of that name, and the execution in which it was seen.
    fn point(&self, name: &str) -> Result<(Parent, &LastExecution), PauseError> {
        let plan = &self.question.setting.plan;
        let query = plan
            .queries
            .iter()
            .find(|query| query.name.to_string() == name);
        let is_end = query.is_none() && self.question.setting.at == ReproductionPoint::End;
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
        match &self.question.last {
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

/// The moment at which the page was at `point`. `None`: it did not stand there.
fn pause_at(point: Parent, last: &LastExecution) -> Option<PauseAt> {
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
    })
}

impl Question<'_> {
    /// One more execution, up to where the page is left standing. Time counts only until then: a person may look as long as
    /// they like.
    async fn run_to(
        &mut self,
        task: &Task,
        run: u32,
        hold: &Hold<'_>,
    ) -> Result<Outcome, DriverError> {
        (self.progress)(Progress::Execution {
            number: self.executions + run,
            purpose: "coming to the point again",
        });
        let (held, is_held) = futures::channel::oneshot::channel::<()>();
        let held = std::sync::Mutex::new(Some(held));
        let held = &held;
        let noticed: Hold<'_> = Arc::new(move |standing| {
            let mut held = held
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(held) = held.take() {
                let _ = held.send(());
            }
            hold(standing)
        });
        let progress = &mut *self.progress;
        let mut step = |step: usize, steps: usize, description: &str| {
            progress(Progress::Step {
                step,
                steps,
                description: description.to_owned(),
            });
        };
        let execution = run_and_hold(&self.setting, task, &noticed, &mut step);
        let time = self.setting.clock.sleep(self.setting.timeout);
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
            Either::Right(_) => Err(DriverError::TimedOut {
                what: "coming to the point again".to_owned(),
                after_ms: u64::try_from(self.setting.timeout.as_millis()).unwrap_or(u64::MAX),
            }),
        }
    }
}
