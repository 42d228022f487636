//! One round of a question: the executions from the first to an answer, or to what must be watched besides. Which comes
//! next the domain says ([`Step`]); here it is run, and what it has given is fed back.

use std::collections::BTreeMap;

use querypoint::answer::Answer;
use querypoint::plan::EventRange;
use querypoint::reexecution::{
    CaptureInPage, CaptureState, Captured, CapturedAtPoint, Conclusion, Execution, FindEvents,
    FirstFindings, Refinement, Resolved, Step,
};
use querypoint::resolution::Sequence;

use super::calls::Via;
use super::read_ahead::read_ahead;
use super::refinement::{native_functions_of, parts_of};
use super::{LastExecution, Question};
use crate::error::EngineError;
use crate::execution::{ExecutionOutcome, Task};
use crate::report::{Hit, QueryResult, ResultStatus, collect, findings};
use crate::traces::{self, Counts, Passed};
use cdp_driver::protocol::ProtocolError;

/// What the executions of one round have given.
#[derive(Default)]
struct Evidence {
    /// The one that found the events, and its hit of the reproduction point.
    found: ExecutionOutcome,
    hit: Option<Hit>,
    /// What of the platform is followed.
    parts: Vec<String>,
    /// The last capture.
    captured: Option<(Task, ExecutionOutcome)>,
    /// The one in which the page captured everything itself.
    in_page: Option<ExecutionOutcome>,
    /// Results that are the debugger's, those of trace queries included.
    late: BTreeMap<usize, QueryResult>,
    examined: Passed,
    counted: Counts,
    /// The sites and built-ins at which functions are kept from being optimised in the next capture.
    sites: Vec<u32>,
    native_functions: Vec<String>,
    /// Why an execution was not waited for any longer, or not begun, in words.
    took_too_long: String,
}

/// The hit of the reproduction point that counts.
pub(super) fn hit_of(outcome: &ExecutionOutcome) -> Option<&Hit> {
    outcome.report()?.hit.as_ref()
}

impl Question<'_> {
    /// Finds and captures. `None`: something must be watched that was not.
    pub(super) async fn round(
        &mut self,
        via: &mut Via<'_, '_>,
    ) -> Result<Option<Answer>, EngineError> {
        let execution = if via.is_paused() {
            Execution::Call
        } else {
            Execution::Replay
        };
        let mut evidence = Evidence::default();
        let mut begun = FindEvents::begin(&self.setting.plan, execution);
        if self.tried_another_first {
            begun.hold_to_first();
        }
        let mut step = Step::Find(begun);
        loop {
            step = match step {
                Step::Find(_) | Step::Capture(_) | Step::CaptureInPage(_) | Step::Restart
                    if self.is_spent() =>
                {
                    self.is_cut = true;
                    let times = self.executions;
                    evidence.took_too_long =
                        format!("the page has run {times} times, and it was to run no more often");
                    Step::Answer(Conclusion::Unfinished)
                }
                Step::Find(state) => self.find(via, state, &mut evidence).await?,
                Step::Resolve(state) => state.resolved(self.resolve(&mut evidence)),
                Step::ReadStacks(state) => {
                    let results = self.results(evidence.hit.as_ref(), &evidence.late);
                    state.read(self.learn_from_stacks(&results))
                }
                Step::WatchCalls(state) => {
                    let (sites, is_sure) = self.watch_calls(&evidence.sites);
                    evidence.sites = sites;
                    state.watched(is_sure)
                }
                Step::Capture(state) => self.capture(via, state, &mut evidence).await?,
                Step::CaptureInPage(state) => self.in_page(state, &mut evidence).await?,
                Step::TakeRead(state) => self.take_read(state, &mut evidence),
                Step::Answer(conclusion) => return Ok(Some(self.conclude(conclusion, evidence))),
                Step::Restart => return Ok(None),
            };
        }
    }

    /// Runs the execution that finds the events.
    async fn find(
        &mut self,
        via: &mut Via<'_, '_>,
        state: FindEvents,
        evidence: &mut Evidence,
    ) -> Result<Step, EngineError> {
        let mut task = Task {
            parts: state.parts().to_vec(),
            read_ahead: self.reads_ahead(via),
            ..Task::default()
        };
        task.is_followed = !task.read_ahead && !via.is_paused();
        let purpose = if task.parts.is_empty() {
            "finding the events"
        } else {
            "finding the events, the browser's own objects included"
        };
        evidence.found = self.execute_by(via, &task, purpose).await?;
        if evidence.found.may_lack_input && !self.is_spent() {
            // It did not do what the user did.
            task.read_ahead = false;
            task.is_followed = true;
            let again =
                "finding the events, since a click or a key was lost while the page was paused";
            evidence.found = self.execute_by(via, &task, again).await?;
        }
        evidence.hit = hit_of(&evidence.found).cloned();
        evidence.parts = task.parts;
        let Some(hit) = &evidence.hit else {
            return Ok(state.found(None));
        };
        let refinement = self.learn(&self.results(Some(hit), &BTreeMap::new()));
        let parts = parts_of(&hit.results);
        Ok(state.found(Some(FirstFindings { refinement, parts })))
    }

    /// Puts together what the page and the debugger have found in that execution.
    fn resolve(&mut self, evidence: &mut Evidence) -> Resolved {
        let hit = evidence.hit.clone().unwrap_or_default();
        let found = &evidence.found;
        let stacks = found.stacks.clone();
        // Where the page was paused at the reproduction point, some results are the debugger's.
        evidence.late = found.late.clone();
        evidence.counted = found.counts.clone();
        let at_end = found.report().map(traces::counts_at_end);
        evidence.counted.extend(at_end.unwrap_or_default());
        let unexamined = self.count(&hit, evidence);
        let results = self.results(Some(&hit), &evidence.late);
        let refinement = self.learn(&results);
        if refinement == Refinement::Nothing {
            let values = self.values_at_point(&results);
            self.first_values.get_or_insert(values);
        }
        evidence.sites = self.sites_of(&results);
        evidence.native_functions = native_functions_of(&results);
        let read_ahead = read_ahead(&evidence.found, &results);
        Resolved {
            refinement,
            findings: findings(&hit, &results),
            unexamined,
            stacks,
            read_ahead,
        }
    }

    /// Takes the execution that found the events for the one that stops at them: it has read them.
    fn take_read(&mut self, state: CaptureState, evidence: &mut Evidence) -> Step {
        let task = capture_task(&state, evidence);
        let read = std::mem::take(&mut evidence.found);
        let results = self.results(evidence.hit.as_ref(), &evidence.late);
        let at_point = evidence.hit.as_ref().map(|hit| CapturedAtPoint {
            findings: findings(hit, &results),
            unexamined: BTreeMap::new(),
        });
        let next = state.captured(Captured {
            refinement: Refinement::Nothing,
            at_point,
            met: read.events.keys().copied().collect(),
            stacks: read.stacks.clone(),
        });
        evidence.found.reports.clone_from(&read.reports);
        evidence.captured = Some((task, read));
        next
    }

    /// Runs an execution that stops at events and reads the state there.
    async fn capture(
        &mut self,
        via: &mut Via<'_, '_>,
        state: CaptureState,
        evidence: &mut Evidence,
    ) -> Result<Step, EngineError> {
        let task = capture_task(&state, evidence);
        let captured = self
            .execute_by(via, &task, "reading the state at each event")
            .await;
        let captured = match captured {
            Err(error) if is_time_out(&error) => {
                evidence.took_too_long = error.to_string();
                return Ok(state.timed_out());
            }
            captured => captured?,
        };
        evidence.examined.extend(captured.examined.clone());
        evidence.counted.extend(captured.counts.clone());
        evidence.late.extend(captured.late.clone());
        let hit = hit_of(&captured);
        let unexamined = hit.map(|hit| self.count(hit, evidence));
        let results = self.results(hit, &evidence.late);
        let refinement = self.learn(&results);
        let (sites, native_functions) = (self.sites_of(&results), native_functions_of(&results));
        let at_point = hit
            .zip(unexamined)
            .map(|(hit, unexamined)| CapturedAtPoint {
                findings: findings(hit, &results),
                unexamined,
            });
        let next = state.captured(Captured {
            refinement,
            at_point,
            met: captured.events.keys().copied().collect(),
            stacks: captured.stacks.clone(),
        });
        if matches!(next, Step::Capture(_) | Step::WatchCalls(_)) {
            evidence.sites = sites;
        }
        if let Step::Capture(next) = &next {
            evidence.native_functions = native_functions;
            self.tried_another_first |= next.holds_to_first() && !via.is_paused();
        }
        evidence.captured = Some((task, captured));
        Ok(next)
    }

    /// Runs one execution in which the page captures at every event.
    async fn in_page(
        &mut self,
        state: CaptureInPage,
        evidence: &mut Evidence,
    ) -> Result<Step, EngineError> {
        self.notes.push(state.why().to_owned());
        let results = self.results(evidence.hit.as_ref(), &evidence.late);
        let found_owners = results.values().filter_map(|result| result.owner).collect();
        let task = Task {
            capture: true,
            parts: evidence.parts.clone(),
            found_owners,
            ..Task::default()
        };
        let purpose = "capturing inside the page, because executions differ";
        match self.execute(&task, purpose).await {
            Err(error) if is_time_out(&error) => {
                evidence.took_too_long = error.to_string();
                Ok(state.timed_out())
            }
            Err(error) => Err(error),
            Ok(outcome) => {
                let is_reached = hit_of(&outcome).is_some();
                evidence.in_page = Some(outcome);
                Ok(state.captured(is_reached))
            }
        }
    }

    /// Makes the answer.
    fn conclude(&mut self, conclusion: Conclusion, evidence: Evidence) -> Answer {
        let Evidence {
            found, hit, late, ..
        } = evidence;
        match conclusion {
            Conclusion::NotReached => self.not_reached(&found),
            Conclusion::Diverged => self.diverged(evidence.in_page.as_ref().unwrap_or(&found)),
            Conclusion::Captured { difference } => {
                self.notes.extend(difference);
                let (task, outcome) = evidence.captured.unwrap_or_default();
                let results = self.results(hit_of(&outcome), &late);
                let answer = self.assemble(&outcome, &results, found.hits(), None);
                let sequences = results.iter();
                let sequences = sequences
                    .filter_map(|(&query, result)| Some((query, result.sequence?)))
                    .collect();
                self.last = Some(LastExecution {
                    task,
                    outcome,
                    sequences,
                    counts: evidence.counted,
                });
                answer
            }
            Conclusion::CapturedInPage => {
                let outcome = evidence.in_page.unwrap_or_default();
                self.notes.push(
                    "everything shown is from one execution; objects in it are shown as they were when captured"
                        .to_owned(),
                );
                let hit = hit_of(&outcome);
                let nothing = BTreeMap::new();
                let results = self.results(hit, &nothing);
                self.assemble(&outcome, &results, outcome.hits(), hit)
            }
            Conclusion::Unfinished => {
                let hit = hit.unwrap_or_default();
                self.unfinished(&found, &hit, &late, &evidence.took_too_long)
            }
        }
    }

    /// What the page has found at this hit, and over it what the debugger has.
    pub(super) fn results<'r>(
        &self,
        hit: Option<&'r Hit>,
        late: &'r BTreeMap<usize, QueryResult>,
    ) -> BTreeMap<usize, &'r QueryResult> {
        let parent = |query: usize| self.setting.parent_query(query);
        let mut results = hit.map_or_else(BTreeMap::new, |hit| hit.all_results(&parent));
        collect(late, &parent, &mut results);
        results
    }

    /// Puts together what the page and the debugger have found: resolves the trace queries into what the debugger has
    /// found; gives the events that must be looked at before the others can be.
    fn count(&self, hit: &Hit, evidence: &mut Evidence) -> BTreeMap<usize, EventRange> {
        let plan = &self.setting.plan;
        let parent = |query: usize| self.setting.parent_query(query);
        let Evidence {
            late,
            counted,
            examined,
            ..
        } = evidence;
        // What the page itself has found holds, where the debugger finds nothing: in an event-handler attribute it
        // cannot tell where a frame is.
        let own = hit.all_results(&parent);
        let is_found = |query: &usize| {
            own.get(query)
                .is_some_and(|result| result.status == ResultStatus::Found)
        };
        late.retain(|query, result| result.status != ResultStatus::None || !is_found(query));
        let (resolved, unexamined) = {
            let results = self.results(Some(hit), late);
            counted.extend(traces::counts(plan, &hit.results, &results));
            traces::resolved(plan, counted, examined)
        };
        late.extend(resolved);
        for &query in unexamined.keys() {
            // This holds if they are never looked at.
            let why = Some("a point that it names was not reached".to_owned());
            let unknown = || QueryResult::of(ResultStatus::Nothing, why);
            late.entry(query).or_insert_with(unknown);
        }
        unexamined
    }

    /// The sites that results name, those of conditions that are looked for on the stack, and 0 for the reproduction
    /// point.
    fn sites_of(&self, results: &BTreeMap<usize, &QueryResult>) -> Vec<u32> {
        let mut sites: Vec<u32> = results.values().filter_map(|result| result.site).collect();
        sites.push(0);
        sites.extend(self.setting.sources.lock().sites_on_stacks());
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// Whether an execution took too long; those before it are as good as they were.
fn is_time_out(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Protocol(ProtocolError::TimedOut { .. }) | EngineError::TimedOut { .. }
    )
}

/// What an execution does that captures: it stops at the events, at those of trace queries that are looked at, and at
/// the hit of the reproduction point.
fn capture_task(state: &CaptureState, evidence: &Evidence) -> Task {
    let capture = state.capture();
    let examined = state.examined();
    let mut stops: Vec<Sequence> = capture.events.keys().copied().collect();
    for (&query, range) in &examined {
        let numbers = range.first..=range.last;
        stops.extend(numbers.map(|number| Sequence::of_counted(query, number)));
    }
    stops.sort_unstable();
    Task {
        stops,
        answered: capture.events.clone(),
        stop_at_hit: Some(state.hit()),
        exact: capture.owners.iter().map(|owner| owner.0).collect(),
        realm: evidence.found.realm.clone(),
        sites: evidence.sites.clone(),
        is_sure: state.is_sure(),
        native_functions: evidence.native_functions.clone(),
        parts: evidence.parts.clone(),
        examined,
        is_followed: state.is_followed(),
        ..Task::default()
    }
}
