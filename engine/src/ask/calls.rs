//! Call-stack reproduction: the page is run once, with dormant hooks, and is at the reproduction point; what is
//! asked is found by calling the oldest function on its stack again.
//!
//! It finds what that function and those that it calls have done. What was done before, by the page or in another task,
//! only a replay shows; and what the calls change stays changed, which the answer says.

use querypoint::answer::{Answer, PointAnswer, Status};
use querypoint::point::ReproductionPoint;

use super::{ExecutionOutcome, Progress, Question, Reproduce, Role, Task};
use crate::error::EngineError;
use crate::execution::{AtPoint, PausedExecution, Refusal, run_and_pause};
use crate::report::Hit;

/// What executes.
pub(crate) enum Via<'s, 'p> {
    /// The page, from the start.
    Page,
    /// A function of a page that is paused.
    Paused(&'s mut PausedExecution<'p>),
}

impl Via<'_, '_> {
    pub(super) fn is_paused(&self) -> bool {
        matches!(self, Self::Paused(_))
    }
}

/// Why no function was called again.
struct Refused {
    /// In words.
    why: String,
    /// Whether the calls taught what must be watched besides.
    is_refined: bool,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            why: refusal.to_string(),
            is_refined: matches!(refusal, Refusal::NotEnough { .. }),
        }
    }
}

/// Which hit of the reproduction point it is, and of how many.
#[derive(Clone, Copy)]
struct HitCount {
    hit: u64,
    hits: u64,
}

/// A question that waits for the page to pause.
struct Asker<'a, 'q> {
    question: &'a mut Question<'q>,
    last: Option<HitCount>,
}

impl AtPoint for Asker<'_, '_> {
    type Found = Result<Result<Answer, Refused>, EngineError>;

    fn step(&mut self, step: usize, steps: usize, description: &str) {
        (self.question.progress)(Progress::Step {
            step,
            steps,
            description: description.to_owned(),
        });
    }

    async fn ask(&mut self, paused: PausedExecution<'_>, come: &ExecutionOutcome) -> Self::Found {
        let Self { question, last } = self;
        question.ask_paused(paused, come, *last).await
    }
}

impl Question<'_> {
    /// Executes once more, in the page or in one that is paused.
    pub(super) async fn execute_by(
        &mut self,
        via: &mut Via<'_, '_>,
        task: &Task,
        purpose: &'static str,
    ) -> Result<ExecutionOutcome, EngineError> {
        match via {
            Via::Page => self.execute(task, purpose).await,
            Via::Paused(paused) => {
                self.begin_execution(purpose);
                let outcome = paused.call(&self.setting, task).await;
                if let Some(values) = paused.take_values() {
                    let values = values.iter().map(|(&query, result)| (query, result));
                    self.first_values = Some(self.values_at_point(&values.collect()));
                    self.first_time = "when the page stopped there";
                }
                outcome
            }
        }
    }

    /// Answers by calling the oldest function at the reproduction point again. `None`: replays are to answer.
    ///
    /// # Errors
    /// The page or the browser is lost, or time is up.
    pub(super) async fn by_call_stack(
        &mut self,
        reproduce: Reproduce,
    ) -> Result<Option<Answer>, EngineError> {
        if reproduce == Reproduce::Replay {
            return Ok(None);
        }
        let is_asked_for = reproduce == Reproduce::CallStack;
        let hit = match self.hit_to_stop_at() {
            Ok(hit) => hit,
            Err(why) => return Ok(self.refused(is_asked_for, why.to_owned())),
        };
        // To know which hit is the last takes a replay, as many as a replay needs.
        if hit.is_none() && !is_asked_for {
            return Ok(None);
        }
        let mut task = Task {
            role: Role::Standby,
            stop_at_hit: hit,
            ..Task::default()
        };
        let mut last = None;
        if hit.is_none() {
            let counted = self
                .execute(&task, "counting the hits of the point")
                .await?;
            let Some(report) = counted.report() else {
                return Ok(Some(self.not_reached(&counted)));
            };
            task.stop_at_hit = report.hit.as_ref().map(|hit| hit.hit);
            task.realm.clone_from(&counted.realm);
            last = Some(HitCount {
                hit: counted.hits_before() + task.stop_at_hit.unwrap_or_default(),
                hits: counted.hits(),
            });
        }
        let (outcome, called) = self.run_and_pause(&task, last).await?;
        Ok(match called {
            None => Some(self.not_reached(&outcome)),
            Some(Err(Refused { why, is_refined })) => {
                if is_refined {
                    self.watch_more();
                }
                self.refused(is_asked_for, why)
            }
            Some(Ok(answer)) => {
                let is_whole = answer
                    .points
                    .iter()
                    .all(|point| point.status == Status::Found);
                if !is_whole && !is_asked_for {
                    let why = "what is asked was not done in the function that was called again";
                    return Ok(self.refused(false, why.to_owned()));
                }
                Some(answer)
            }
        })
    }

    /// The hit at which the page is to pause; `None`: the last. An error says why what is asked cannot be found so.
    fn hit_to_stop_at(&self) -> Result<Option<u64>, &'static str> {
        let ReproductionPoint::Location { hit, .. } = &self.setting.at else {
            return Err(
                "only a place in a script, FILE:LINE, can be reached by calling a function again",
            );
        };
        let collection = &self.setting.collection;
        if self.setting.plan.goes_on()
            || collection.counts_exceptions()
            || !collection.exception_queries().is_empty()
        {
            return Err(
                "exceptions, and what comes after the reproduction point, are found by a replay only",
            );
        }
        Ok(u64::try_from(hit.0).ok())
    }

    /// Has the page pause at the point, and asks there.
    async fn run_and_pause(
        &mut self,
        task: &Task,
        last: Option<HitCount>,
    ) -> Result<(ExecutionOutcome, Option<Result<Answer, Refused>>), EngineError> {
        // As in `execute`.
        const MOST_REPETITIONS: usize = 10;
        let mut repetitions = 0;
        self.begin_execution("running to the reproduction point");
        loop {
            let setting = self.setting.clone();
            let refinements = || {
                let sources = setting.sources.lock();
                let sources = sources;
                sources.refinements()
            };
            let before = refinements();
            let mut asker = Asker {
                question: self,
                last,
            };
            // Boxed, for it is one large future.
            let paused = Box::pin(run_and_pause(&setting, task, &mut asker)).await;
            match paused {
                Err(error) if error.is_fatal() => return Err(error),
                Ok((outcome, Some(called))) => {
                    self.rewrite_ms += outcome.seen.rewrite_ms;
                    return Ok((outcome, Some(called?)));
                }
                _ if refinements() > before && repetitions < MOST_REPETITIONS => repetitions += 1,
                paused => {
                    let (outcome, _) = paused?;
                    return Ok((outcome, None));
                }
            }
        }
    }

    /// The page is paused at the reproduction point.
    async fn ask_paused(
        &mut self,
        mut paused: PausedExecution<'_>,
        come: &ExecutionOutcome,
        last: Option<HitCount>,
    ) -> Result<Result<Answer, Refused>, EngineError> {
        if let Some(refusal) = paused.refusal().await? {
            return Ok(Err(refusal.into()));
        }
        self.first_replay_ms = paused.replay_ms();
        let place = last.unwrap_or_else(|| place_in(come));
        let oldest = paused.oldest();
        let answer = self.round(&mut Via::Paused(&mut paused)).await?;
        let (function, location) = oldest.unzip();
        let function = function.unwrap_or_default();
        let Some(mut answer) = answer else {
            return Ok(Err(Refusal::NotEnough { function }.into()));
        };
        if paused.refusal().await? == Some(Refusal::WentOn) {
            return Ok(Err(Refusal::NotReached { function }.into()));
        }
        if let Some(point) = answer.points.first_mut() {
            point.hit = Some(place.hit);
            point.hits = Some(place.hits);
        }
        let others = answer.points.iter_mut().skip(1);
        for point in others.filter(|point| point.status != Status::Found) {
            beyond_the_call(point, &function);
        }
        let at = location.map_or_else(String::new, |at| {
            let file = at.url.rsplit('/').next().unwrap_or_default();
            format!(" ({file}:{})", at.line)
        });
        answer.consistency.notes.push(format!(
            "found by calling {function}{at} again, {}: what it had changed before stayed changed, and so does what \
             the calls have changed",
            match paused.calls() {
                1 => "once".to_owned(),
                2 => "twice".to_owned(),
                calls => format!("{calls} times"),
            }
        ));
        Ok(Ok(answer))
    }

    /// Why a function was not called again: an answer, where nothing else was asked for; else a note to that of a
    /// replay.
    fn refused(&mut self, is_asked_for: bool, why: String) -> Option<Answer> {
        if !is_asked_for {
            self.first_values = None;
            self.first_time = "in the first execution";
            self.notes.push(format!(
                "no function was called again, the page was replayed: {why}"
            ));
            return None;
        }
        let note = format!("{why}; ask with --reproduce replay");
        let mut answer = self.diverged(&ExecutionOutcome::default());
        for point in &mut answer.points {
            point.status = Status::NotReached;
            point.note = Some(note.clone());
        }
        Some(answer)
    }
}

/// Which hit the page is paused at, as its own counter has it.
fn place_in(come: &ExecutionOutcome) -> HitCount {
    let hit = come.report().and_then(|report| report.hit.as_ref());
    let before = come.hits_before();
    HitCount {
        hit: before + hit.map_or(0, |hit: &Hit| hit.hit),
        hits: come.hits(),
    }
}

/// Says of a query without a point that a call shows nothing of what was before it.
fn beyond_the_call(point: &mut PointAnswer, function: &str) {
    let beyond = format!(
        "in the call of {function}; what was before it, a replay shows: ask with --reproduce replay"
    );
    // Whether there was a hook before the call nobody can say.
    let is_unwritten = matches!(point.status, Status::NeverChanged | Status::Blind);
    point.note = Some(match point.note.take() {
        Some(note) if !is_unwritten => format!("{note} ({beyond})"),
        _ => format!("it was not changed {beyond}"),
    });
    if is_unwritten {
        point.status = Status::Blind;
    }
}
