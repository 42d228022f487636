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
//! finds more, it is done again with them: their events are numbered apart, so what is known of the others stands.
//! Where an execution finds that other names must be (the property that `list[i]` means, or what the getter of an
//! accessor reads), step 1 is done again.
//!
//! (Debugging by lastChange, 2011, section on trace queries and re-execution.)

mod assembly;
mod calls;
mod learning;
mod line;
mod pausing;
mod request;
mod texts;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use querypoint::answer::Answer;
use querypoint::plan::{CollectionPlan, EventRange, Filter, Sought};
use querypoint::resolution::{Capture, NextStep, Resolution, Sequence};

use super::collection::{Collection, Instrument, Learned};
use super::execution::{Outcome, RealmName, Role, Setting, Task, run};
use super::page::Unanswered;
use super::prefix::unguessable_prefix;
use super::report::{Hit, QueryResult, ResultStatus, Text, collect, findings};
use super::sources::Sources;
use super::traces::{self, Counts, Passed};
use crate::error::EngineError;
pub(super) use assembly::why_not_reached;
use calls::Via;
use cdp_driver::protocol::{Clock, Protocol, ProtocolError, with_time_limit};
pub(super) use learning::Lesson;
use learning::{makers_of, parts_of};
pub use line::ask_line;
pub use pausing::Asked;
use request::check_watch;
pub use request::{AskError, AskRequest, Progress, Reproduce};

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
    let asked = ask_and_keep(protocol, clock, request, progress).await?;
    Ok(asked.answer)
}

/// [`ask`], keeping what is needed to come to the points of the answer again.
///
/// # Errors
/// As [`ask`].
pub async fn ask_and_keep(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AskError> {
    let mut question = Question::new(protocol, clock, request, progress)?;
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
    learned: Learned,
    rounds: u32,
    progress: &'q mut (dyn FnMut(Progress) + Send),
    executions: u32,
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
    outcome: Outcome,
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
            at: request.at.clone(),
            plan,
            collection,
            sources: Arc::new(Mutex::new(sources)),
            timeout: request.timeout,
            logged: None,
            unanswered: Arc::default(),
        };
        Ok(Self {
            setting,
            instrument: request.instrument,
            learned: Learned::default(),
            rounds: 1,
            progress,
            executions: 0,
            start_ms: clock.now_ms(),
            first_replay_ms: 0.0,
            rewrite_ms: 0.0,
            notes: Vec::new(),
            first_values: None,
            first_time: "in the first execution",
            last: None,
        })
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
    ) -> Result<Outcome, EngineError> {
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
        let lessons = || {
            let sources = sources.lock();
            sources.lessons()
        };
        // A page may ask for something else each time.
        const MOST_REPETITIONS: usize = 10;
        let mut repetitions = 0;
        let outcome = loop {
            let before = lessons();
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
                _ if lessons() > before && repetitions < MOST_REPETITIONS => repetitions += 1,
                result => break result?,
            }
        };
        if number == 1 {
            self.first_replay_ms = outcome.replay_ms;
        }
        self.rewrite_ms += outcome.seen.rewrite_ms;
        Ok(outcome)
    }

    /// Finds and captures. `None`: something must be watched that was not.
    async fn round(&mut self, via: &mut Via<'_, '_>) -> Result<Option<Answer>, EngineError> {
        let mut task = Task::default();
        let mut found = self.execute_by(via, &task, "finding the events").await?;
        let Some(mut hit) = found.report().and_then(|report| report.hit.clone()) else {
            return Ok(Some(self.not_reached(&found)));
        };
        let queries = 0..self.setting.plan.queries.len();
        let parents: Vec<Option<usize>> = queries
            .map(|query| self.setting.parent_query(query))
            .collect();
        let parent = |query: usize| parents.get(query).copied().flatten();
        if self.learn(&hit.all_results(&parent)) != Lesson::Nothing {
            return Ok(None);
        }
        task.parts = parts_of(&hit.results);
        if !task.parts.is_empty() {
            found = self
                .execute_by(
                    via,
                    &task,
                    "finding the events, the browser's own objects included",
                )
                .await?;
            hit = match found.report().and_then(|report| report.hit.clone()) {
                Some(hit) => hit,
                None => return Ok(Some(self.diverged(&found))),
            };
        }
        let parts = task.parts;
        // Where the page stood at the reproduction point, some results are the debugger's.
        let mut late: BTreeMap<usize, QueryResult> = found.late.clone();
        let mut examined = Passed::new();
        // One that asks at the point of another must wait for it, and for its call stack.
        let mut looks_left = 2 * self.setting.plan.queries.len();
        let mut stacks = found.stacks.clone();
        let mut counted = found.counts.clone();
        counted.extend(
            found
                .report()
                .map(traces::counts_at_end)
                .unwrap_or_default(),
        );
        let mut missing = self.count(&hit, &mut late, &mut counted, &examined, &parent);
        let mut results = hit.all_results(&parent);
        collect(&late, &parent, &mut results);
        if self.learn(&results) != Lesson::Nothing {
            return Ok(None);
        }
        let values = self.values_at_point(&results);
        self.first_values.get_or_insert(values);
        let first = findings(&hit, &results);
        let mut resolution = Resolution::begin(&first, self.setting.plan.queries.len());
        let mut capture = resolution.capture();
        let mut sites = self.sites_of(&results);
        let mut makers = makers_of(&results);
        // Whether the functions on the stack were kept from being optimised, so that what is not in a frame was not
        // there.
        let mut is_sure = true;
        if !via.is_standing() && self.learn_from_stacks(&results) {
            (sites, is_sure) = self.watch_calls(&sites);
        }
        loop {
            let task = Task {
                sites: sites.clone(),
                is_sure,
                makers: makers.clone(),
                parts: parts.clone(),
                ..capture_task(&capture, hit.hit, found.realm.clone())
            }
            .looking_at(&self.ready(&missing, &stacks));
            let captured = self
                .execute_by(via, &task, "reading the state at each event")
                .await;
            let captured = match captured {
                Err(error) if is_time_out(&error) => {
                    return Ok(Some(self.unfinished(&found, &hit, &late, &error)));
                }
                captured => captured?,
            };
            examined.extend(captured.examined.clone());
            counted.extend(captured.counts.clone());
            stacks.extend(&captured.stacks);
            late.extend(
                captured
                    .late
                    .iter()
                    .map(|(&query, result)| (query, result.clone())),
            );
            let second = captured.report().and_then(|report| report.hit.as_ref());
            if let Some(hit) = second {
                missing = self.count(hit, &mut late, &mut counted, &examined, &parent);
            }
            let mut results = second.map_or_else(BTreeMap::new, |hit| hit.all_results(&parent));
            collect(&late, &parent, &mut results);
            match self.learn(&results) {
                Lesson::Nothing => {}
                Lesson::Names => return Ok(None),
                Lesson::Calls if via.is_standing() => return Ok(None),
                Lesson::Calls => {
                    let known = self.sites_of(&results);
                    (sites, is_sure) = self.watch_calls(&known);
                    continue;
                }
            }
            let met = captured.events.keys().copied().collect();
            let second = second.map(|hit| findings(hit, &results));
            let next = match resolution.after_capture(second.as_ref(), &met) {
                NextStep::Answer if !is_sure => NextStep::Capture(resolution.capture()),
                // Events that must be looked at first.
                NextStep::Answer if looks_left > 0 && !self.ready(&missing, &stacks).is_empty() => {
                    looks_left -= 1;
                    NextStep::Capture(resolution.capture())
                }
                next => next,
            };
            match next {
                NextStep::Answer => {
                    self.notes
                        .extend(resolution.difference().map(str::to_owned));
                    let answer = self.assemble(&captured, &results, found.hits(), None);
                    let sequences = results.iter();
                    let sequences = sequences
                        .filter_map(|(&query, result)| Some((query, result.sequence?)))
                        .collect();
                    self.last = Some(LastExecution {
                        task,
                        outcome: captured,
                        sequences,
                        counts: counted,
                    });
                    return Ok(Some(answer));
                }
                NextStep::Capture(next) => {
                    capture = next;
                    is_sure = true;
                    sites = self.sites_of(&results);
                    makers = makers_of(&results);
                }
                NextStep::CaptureInPage { .. } if via.is_standing() => return Ok(None),
                NextStep::CaptureInPage { why } => {
                    self.notes.push(why);
                    let captured = self.in_page(parts).await;
                    return Ok(Some(match captured {
                        Err(error) if is_time_out(&error) => {
                            self.unfinished(&found, &hit, &late, &error)
                        }
                        captured => captured?,
                    }));
                }
            }
        }
    }

    /// Of events that must be looked at, those of queries that compare no call stacks but with points that have been
    /// come to.
    fn ready(
        &self,
        missing: &BTreeMap<usize, EventRange>,
        stacks: &BTreeSet<(usize, usize)>,
    ) -> BTreeMap<usize, EventRange> {
        let is_ready = |query: usize| {
            let asked = self.setting.plan.queries.get(query);
            let Some(Sought::Trace(trace)) = asked.map(|query| &query.sought) else {
                return false;
            };
            let mut filters = trace.filters.iter().enumerate();
            filters.all(|(number, filter)| {
                !matches!(filter, Filter::MayAffect(_)) || stacks.contains(&(query, number))
            })
        };
        let missing = missing.iter();
        let ready = missing.filter(|(query, _)| is_ready(**query));
        ready.map(|(&query, &range)| (query, range)).collect()
    }

    /// Puts together what the page and the debugger have found: resolves the trace queries into `late`; gives the
    /// events that must be looked at before the others can be.
    fn count(
        &self,
        hit: &Hit,
        late: &mut BTreeMap<usize, QueryResult>,
        counted: &mut Counts,
        examined: &Passed,
        parent: &dyn Fn(usize) -> Option<usize>,
    ) -> BTreeMap<usize, EventRange> {
        let plan = &self.setting.plan;
        // What the page itself has found stands, where the debugger finds nothing: in an event-handler attribute it
        // cannot tell where a frame stands.
        let own = hit.all_results(parent);
        let is_found = |query: &usize| {
            own.get(query)
                .is_some_and(|result| result.status == ResultStatus::Found)
        };
        late.retain(|query, result| result.status != ResultStatus::None || !is_found(query));
        let (resolved, missing) = {
            let mut results = hit.all_results(parent);
            collect(late, parent, &mut results);
            counted.extend(traces::counts(plan, &hit.results, &results));
            traces::resolved(plan, counted, examined)
        };
        late.extend(resolved);
        for &query in missing.keys() {
            // This holds if they are never looked at.
            let why = Some("a point that it names was not reached".to_owned());
            let unknown = || QueryResult::of(ResultStatus::Nothing, why);
            late.entry(query).or_insert_with(unknown);
        }
        missing
    }

    /// The sites that results name, those of conditions that are looked for on the stack, and 0 for the reproduction
    /// point.
    fn sites_of(&self, results: &BTreeMap<usize, &QueryResult>) -> Vec<u32> {
        let mut sites: Vec<u32> = results.values().filter_map(|result| result.site).collect();
        sites.push(0);
        let sources = self.setting.sources.lock();
        let sources = sources;
        sites.extend(sources.sites_on_stacks());
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    /// One execution in which the page captures at every event.
    async fn in_page(&mut self, parts: Vec<String>) -> Result<Answer, EngineError> {
        let task = Task {
            capture: true,
            parts,
            ..Task::default()
        };
        let outcome = self
            .execute(
                &task,
                "capturing inside the page, because executions differ",
            )
            .await?;
        let Some(hit) = outcome.report().and_then(|report| report.hit.clone()) else {
            return Ok(self.diverged(&outcome));
        };
        self.notes.push(
            "everything shown is from one execution; objects in it are shown as they were when captured"
                .to_owned(),
        );
        let results = hit.all_results(&|query| self.setting.parent_query(query));
        Ok(self.assemble(&outcome, &results, outcome.hits(), Some(&hit)))
    }
}

/// Whether an execution took too long; those before it are as good as they were.
fn is_time_out(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Protocol(ProtocolError::TimedOut { .. }) | EngineError::TimedOut { .. }
    )
}

impl Task {
    /// Stops at these events of trace queries as well.
    fn looking_at(mut self, events: &BTreeMap<usize, EventRange>) -> Self {
        for (&query, range) in events {
            let numbers = range.first..=range.last;
            self.stops
                .extend(numbers.map(|number| Sequence::of_counted(query, number)));
        }
        self.stops.sort_unstable();
        self.examined.clone_from(events);
        self
    }
}

fn capture_task(capture: &Capture, hit: u64, realm: Option<RealmName>) -> Task {
    Task {
        role: Role::Page,
        stops: capture.events.keys().copied().collect(),
        answered: capture.events.clone(),
        stop_at_hit: Some(hit),
        exact: capture.owners.iter().map(|owner| owner.0).collect(),
        capture: false,
        realm,
        sites: Vec::new(),
        is_sure: false,
        makers: Vec::new(),
        parts: Vec::new(),
        examined: BTreeMap::new(),
        pause: None,
    }
}
