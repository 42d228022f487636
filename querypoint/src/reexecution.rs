//! Which execution of the page comes next (*Debugging by lastChange*, section on re-execution): from the first, which
//! finds the events, to the answer.
//!
//! [`Step`] says what is to be done. Each step holds the state that waits for what comes of it, and is fed that by
//! value, which gives the next step: a state is gone with the step that it led to, so nothing can be fed out of turn.
//!
//! ```text
//! FindEvents ──► ResolveResults ──► ReadStacks ──► CaptureState ──► Answer (TakeRead: without an execution)
//!   │    ▲ the browser's own            │           ▲  │   ▲ │
//!   ▼    │ objects included             ▼           │  │   └─┘ again: with more, or with events to look at
//! FindEvents                        WatchCalls ─────┘  ├──► WatchCalls ──► CaptureState
//!                                                      └──► CaptureInPage ──► Answer
//! ```
//! From each but `WatchCalls`, `ReadStacks` and `CaptureInPage` it may go to [`Step::Restart`]: an execution has shown
//! names that must be watched, so the events must be found anew. No browser, no clock.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Parent;
use crate::plan::{CollectionPlan, EventRange, Filter, Sought};
use crate::resolution::{Capture, Finding, Findings, NextStep, Resolution, Sequence};

/// What is done next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Execute, and find the events.
    Find(FindEvents),
    /// Put together what the page and the debugger have found in that execution.
    Resolve(ResolveResults),
    /// Look at the stacks that the execution has held for calls that must be watched.
    ReadStacks(ReadStacks),
    /// Put in hooks for the calls that must be watched.
    WatchCalls(WatchCalls),
    /// Execute, stop at events, and read the state there.
    Capture(CaptureState),
    /// The execution that found the events has read the state there already: it is taken for the capture.
    TakeRead(CaptureState),
    /// Execute, with the page capturing at every event itself.
    CaptureInPage(CaptureInPage),
    /// Answer.
    Answer(Conclusion),
    /// Begin again, with hooks for all that executions have shown to be needed.
    Restart,
}

/// What is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// The page, from the start.
    Replay,
    /// The oldest function of a page that is paused at the reproduction point. Its realm has the hooks that it was
    /// loaded with, so whatever needs others is for a replay.
    Call,
}

/// What the results of an execution say must be watched that was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// Nothing.
    Nothing,
    /// Conditions and `try` blocks around calls. Their events are numbered apart, so what is known of the others
    /// is.
    Calls,
    /// Names: the events must be found anew.
    Names,
}

/// What an answer is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The reproduction point was not reached.
    NotReached,
    /// It was reached in one execution and not in a later one.
    Diverged,
    /// The last capture has everything.
    Captured {
        /// In what the executions differ, in words, where it is nothing that was asked.
        difference: Option<String>,
    },
    /// The page has captured everything itself, in one execution.
    CapturedInPage,
    /// An execution took too long: the one that found the events has what there is.
    Unfinished,
}

/// What does not change from step to step.
#[derive(Clone, Debug)]
struct Course {
    execution: Execution,
    queries: usize,
    /// For each trace query, its filters that compare call stacks, by number.
    stack_filters: BTreeMap<usize, Vec<usize>>,
    /// For each query, its parent and whether it asks for a condition.
    asked: Vec<(Parent, bool)>,
    /// Whether no execution that does something else is taken for the first.
    holds_to_first: bool,
}

/// To leave out so many stops may be worth an execution more, which it takes now and then.
const WORTH_AN_EXECUTION: usize = 4;

impl Course {
    /// The queries whose events the first capture need not read: it must be followed by another, because only where the
    /// page is stopped at a point it is known which conditions led there, and the events of these are stopped at then.
    fn deferred(&self, first: &Findings) -> BTreeSet<usize> {
        let is_found =
            |query: usize| matches!(first.by_query.get(&query), Some(Finding::Changed(_)));
        let is_waiting = |query: usize, parent: Parent| {
            let is_stopped_at = match parent {
                Parent::ReproductionPoint => true,
                Parent::Query(parent) => is_found(parent),
            };
            is_stopped_at && !is_found(query)
        };
        if !self.stack_filters.is_empty() {
            return BTreeSet::new();
        }
        let waiting = self.asked.iter().enumerate();
        let waiting = waiting.filter(|(_, (_, is_condition))| *is_condition);
        let waiting: Vec<_> = waiting
            .filter(|(query, (parent, _))| is_waiting(*query, *parent))
            .map(|(query, _)| first.by_query.get(&query))
            .collect();
        let asked_at: BTreeSet<usize> = self
            .asked
            .iter()
            .filter_map(|(parent, _)| match parent {
                Parent::Query(parent) => Some(*parent),
                Parent::ReproductionPoint => None,
            })
            .collect();
        let others = (0..self.queries).filter(|query| !asked_at.contains(query));
        let deferred: BTreeSet<usize> = others.collect();
        let stops = deferred.iter().filter(|query| is_found(**query)).count();
        // Without a stop no caller was looked at, so that there is no condition is not the last word. If it is, an
        // execution more is the price.
        let is_followed = waiting.iter().any(|result| match result {
            Some(Finding::NoCondition) => stops >= WORTH_AN_EXECUTION,
            _ => true,
        });
        if is_followed {
            deferred
        } else {
            BTreeSet::new()
        }
    }
}

/// The first execution, or the second where objects of the browser's own must be followed.
#[derive(Clone, Debug)]
pub struct FindEvents {
    course: Course,
    parts: Vec<String>,
}

/// What an execution that was to find the events has shown at the reproduction point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFindings {
    /// What the page's own results say must be watched.
    pub refinement: Refinement,
    /// What of the platform they say must be followed: names under which objects are handed out.
    pub parts: Vec<String>,
}

impl FindEvents {
    /// Begins a question that has this plan.
    #[must_use]
    pub fn begin(plan: &CollectionPlan, execution: Execution) -> Self {
        let traces = plan.queries.iter().filter_map(|query| match &query.sought {
            Sought::Trace(trace) => Some((query.index, trace)),
            _ => None,
        });
        let stack_filters = traces.map(|(query, trace)| {
            let filters = trace.filters.iter().enumerate();
            let of_stacks = filters.filter(|(_, filter)| matches!(filter, Filter::MayAffect(_)));
            (query, of_stacks.map(|(number, _)| number).collect())
        });
        Self {
            course: Course {
                execution,
                queries: plan.queries.len(),
                stack_filters: stack_filters.collect(),
                asked: plan
                    .queries
                    .iter()
                    .map(|query| (query.parent, matches!(query.sought, Sought::Condition)))
                    .collect(),
                holds_to_first: false,
            },
            parts: Vec::new(),
        }
    }

    /// Takes no execution that does something else for the first: that was tried, and led here.
    pub fn hold_to_first(&mut self) {
        self.course.holds_to_first = true;
    }

    /// What of the platform is followed besides what the queries name.
    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The execution is done; `None`: it did not reach the reproduction point.
    #[must_use]
    pub fn found(self, found: Option<FirstFindings>) -> Step {
        let is_first = self.parts.is_empty();
        match found {
            None if is_first => Step::Answer(Conclusion::NotReached),
            None => Step::Answer(Conclusion::Diverged),
            Some(found) if found.refinement != Refinement::Nothing => Step::Restart,
            Some(found) if is_first && !found.parts.is_empty() => Step::Find(Self {
                parts: found.parts,
                ..self
            }),
            Some(_) => Step::Resolve(ResolveResults {
                course: self.course,
            }),
        }
    }
}

/// The events are found; what they mean is to be said.
#[derive(Clone, Debug)]
pub struct ResolveResults {
    course: Course,
}

/// What an execution has found at the reproduction point, page and debugger together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What must be watched.
    pub refinement: Refinement,
    /// What became of each query.
    pub findings: Findings,
    /// The events of trace queries that must be looked at before more can be said, by query.
    pub unexamined: BTreeMap<usize, EventRange>,
    /// The queries that compare call stacks, each with the number of a filter whose point has been reached.
    pub stacks: BTreeSet<(usize, usize)>,
    /// The events at which the state has been read ahead; `None`: not all that is asked at the reproduction point has
    /// been, or not every owner was followed.
    pub read_ahead: Option<BTreeSet<Sequence>>,
}

impl ResolveResults {
    /// That is said.
    #[must_use]
    pub fn resolved(self, resolved: Resolved) -> Step {
        let Course {
            execution, queries, ..
        } = self.course;
        if resolved.refinement != Refinement::Nothing {
            return Step::Restart;
        }
        let mut resolution = Resolution::begin(&resolved.findings, queries);
        resolution.defer(self.course.deferred(&resolved.findings));
        if execution == Execution::Call || self.course.holds_to_first {
            // From a call, a replay follows.
            resolution.hold_to_first();
        }
        let capture = resolution.capture();
        let is_read = resolved.unexamined.is_empty()
            && resolved.read_ahead.is_some_and(|read| {
                let mut events = capture.events.keys();
                events.all(|event| read.contains(event))
            });
        let known = Known {
            capture,
            is_read,
            hit: resolved.findings.hit,
            resolution,
            is_sure: true,
            unexamined: resolved.unexamined,
            stacks: resolved.stacks,
            // One that asks at the point of another must wait for it, and for its call stack.
            looks_left: 2 * queries,
            course: self.course,
        };
        match execution {
            Execution::Replay => Step::ReadStacks(ReadStacks { known }),
            Execution::Call => Step::Capture(CaptureState { known }),
        }
    }
}

/// What is known once the events are found.
#[derive(Clone, Debug)]
struct Known {
    course: Course,
    /// The hit of the reproduction point that counts.
    hit: u64,
    resolution: Resolution,
    /// What the next capture reads.
    capture: Capture,
    /// Whether it is known which functions must be kept from being optimised, so that what is not in a frame was not
    /// there.
    is_sure: bool,
    /// Whether the execution that found the events has read all that the capture is to read.
    is_read: bool,
    unexamined: BTreeMap<usize, EventRange>,
    stacks: BTreeSet<(usize, usize)>,
    looks_left: usize,
}

impl Known {
    /// Of the events that must be looked at, those of queries that compare no call stacks but with points that have
    /// been reached.
    fn examinable(&self) -> BTreeMap<usize, EventRange> {
        let is_reached = |query: usize| {
            let filters = self.course.stack_filters.get(&query);
            filters.is_some_and(|filters| {
                let mut filters = filters.iter();
                filters.all(|&filter| self.stacks.contains(&(query, filter)))
            })
        };
        let unexamined = self.unexamined.iter();
        let examinable = unexamined.filter(|(query, _)| is_reached(**query));
        examinable.map(|(&query, &range)| (query, range)).collect()
    }
}

/// The stacks that the execution has held are to be read.
#[derive(Clone, Debug)]
pub struct ReadStacks {
    known: Known,
}

impl ReadStacks {
    /// That is done; `needs_calls`: there are calls on them that must be watched, and are not.
    #[must_use]
    pub fn read(self, needs_calls: bool) -> Step {
        let known = self.known;
        if needs_calls {
            Step::WatchCalls(WatchCalls { known })
        } else if known.is_read {
            Step::TakeRead(CaptureState { known })
        } else {
            Step::Capture(CaptureState { known })
        }
    }
}

/// Calls are to be watched; what was found holds.
#[derive(Clone, Debug)]
pub struct WatchCalls {
    known: Known,
}

impl WatchCalls {
    /// They are; `is_sure`: it is known which functions must be kept from being optimised.
    #[must_use]
    pub fn watched(self, is_sure: bool) -> Step {
        let known = Known {
            is_sure,
            ..self.known
        };
        Step::Capture(CaptureState { known })
    }
}

/// An execution that is to stop at events.
#[derive(Clone, Debug)]
pub struct CaptureState {
    known: Known,
}

/// What a capture has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// What must be watched.
    pub refinement: Refinement,
    /// `None`: it did not reach the reproduction point.
    pub at_point: Option<CapturedAtPoint>,
    /// The events at which the page was stopped.
    pub met: BTreeSet<Sequence>,
    /// The queries that compare call stacks, each with the number of a filter whose point has been reached.
    pub stacks: BTreeSet<(usize, usize)>,
}

/// What a capture has found at the reproduction point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedAtPoint {
    /// What became of each query.
    pub findings: Findings,
    /// The events of trace queries that must be looked at before more can be said, by query.
    pub unexamined: BTreeMap<usize, EventRange>,
}

impl CaptureState {
    /// The events to stop at, each with the queries that it answers, and the owners that are followed.
    #[must_use]
    pub fn capture(&self) -> &Capture {
        &self.known.capture
    }

    /// Whether an execution that did something else has been taken for the first, or none may be.
    #[must_use]
    pub fn holds_to_first(&self) -> bool {
        self.known.resolution.holds_to_first()
    }

    /// Whether another execution is expected to come: this one leaves out what it does not need.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.known.resolution.is_partial()
    }

    /// The hit of the reproduction point at which the execution ends, in its document.
    #[must_use]
    pub fn hit(&self) -> u64 {
        self.known.hit
    }

    /// Whether it is known which functions must be kept from being optimised, so that what is not in a frame was not
    /// there.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.known.is_sure
    }

    /// The events of trace queries that are looked at as well, by query.
    #[must_use]
    pub fn examined(&self) -> BTreeMap<usize, EventRange> {
        self.known.examinable()
    }

    /// The execution took too long.
    #[must_use]
    pub fn timed_out(self) -> Step {
        Step::Answer(Conclusion::Unfinished)
    }

    /// The execution is done.
    #[must_use]
    pub fn captured(self, captured: Captured) -> Step {
        let mut known = self.known;
        let execution = known.course.execution;
        known.stacks.extend(captured.stacks);
        let findings = captured.at_point.map(|at_point| {
            known.unexamined = at_point.unexamined;
            at_point.findings
        });
        match (captured.refinement, execution) {
            (Refinement::Nothing, _) => {}
            (Refinement::Names, _) | (Refinement::Calls, Execution::Call) => return Step::Restart,
            (Refinement::Calls, Execution::Replay) => {
                return Step::WatchCalls(WatchCalls { known });
            }
        }
        let resolution = &mut known.resolution;
        let next = match resolution.after_capture(findings.as_ref(), &captured.met) {
            NextStep::Answer if !known.is_sure => NextStep::Capture(resolution.capture()),
            // Events that must be looked at first.
            NextStep::Answer if known.looks_left > 0 && !known.examinable().is_empty() => {
                known.looks_left -= 1;
                NextStep::Capture(known.resolution.capture())
            }
            next => next,
        };
        match (next, execution) {
            (NextStep::Answer, _) => Step::Answer(Conclusion::Captured {
                difference: known.resolution.difference().map(str::to_owned),
            }),
            (NextStep::Capture(capture), _) => Step::Capture(Self {
                known: Known {
                    capture,
                    is_sure: true,
                    ..known
                },
            }),
            (NextStep::CaptureInPage { .. }, Execution::Call) => Step::Restart,
            (NextStep::CaptureInPage { why }, Execution::Replay) => {
                Step::CaptureInPage(CaptureInPage { why })
            }
        }
    }
}

/// An execution in which the page captures everything itself.
#[derive(Clone, Debug)]
pub struct CaptureInPage {
    why: String,
}

impl CaptureInPage {
    /// How the executions before it differ, in words.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The execution took too long.
    #[must_use]
    pub fn timed_out(self) -> Step {
        Step::Answer(Conclusion::Unfinished)
    }

    /// The execution is done; `is_reached`: so is the reproduction point.
    #[must_use]
    pub fn captured(self, is_reached: bool) -> Step {
        Step::Answer(if is_reached {
            Conclusion::CapturedInPage
        } else {
            Conclusion::Diverged
        })
    }
}
