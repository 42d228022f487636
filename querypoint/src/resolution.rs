//! From what executions found to the status of each point (*Debugging by lastChange*, section 4).
//!
//! An execution gives, for each query, a [`Finding`]: the last change of the value as the page itself knew it
//! when it reached the point. [`Resolution`] compares the findings of successive executions and says what to
//! do next: stop at these events and read, capture inside the page, or answer. Pure: no browser, no clock;
//! whoever replays asks it after each execution.

mod sequence;
mod stack;
#[cfg(test)]
mod tables;

pub use sequence::{CountedEvent, Sequence};
pub use stack::{Activation, MayAffect, may_affect};

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::Status;

/// An object id or a scope id: what was written to, within one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u64);

/// The last change of a value, as one execution knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// When it happened.
    pub sequence: Sequence,
    /// What it wrote to.
    pub owner: OwnerId,
    /// Whether the value at the point is still the one that it wrote. If not, something wrote unseen.
    pub still_holds: bool,
}

/// What one execution says of one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// There is a last change.
    Changed(LastChange),
    /// It was never written.
    NeverChanged,
    /// It has a value that no hook saw written.
    WrittenUnseen,
    /// A property whose getter and setter are the page's own.
    Accessor {
        /// In words.
        message: String,
    },
    /// A variable whose writes no hook of its script can see: an import, a function's own name.
    Unwatched,
    /// It was asked in a frame that only a stopped page has, and the page did not stop.
    NeedsFrame,
    /// No condition was evaluated that led there: neither in the function itself nor in its callers, as far as they
    /// were asked.
    NoCondition,
    /// An exception was thrown after it.
    Thrown,
    /// No exception was thrown after it, inside the `try` block around it.
    NotThrown,
    /// No event of a trace query, or none with that index.
    NoEvent {
        /// In words.
        message: String,
    },
    /// It cannot be told which event of a trace query is meant.
    Undecided {
        /// Why.
        message: String,
    },
    /// The reference has no value there.
    NoValue {
        /// Why.
        message: String,
    },
}

/// What one execution found, up to the reproduction point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// How many hooks had run at the reproduction point. Executions that did the same have the same number.
    pub hooks_run: u64,
    /// Which hit of the reproduction point it was.
    pub hit: u64,
    /// By query number; a query whose parent has no event is missing.
    pub by_query: BTreeMap<usize, Finding>,
}

impl Findings {
    /// The last changes found, by query number.
    fn changes(&self) -> BTreeMap<usize, (Sequence, OwnerId)> {
        self.by_query
            .iter()
            .filter_map(|(&query, finding)| match finding {
                Finding::Changed(change) => Some((query, (change.sequence, change.owner))),
                _ => None,
            })
            .collect()
    }
}

/// What to do after an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Run again, stop at these events, follow these owners exactly, and read everything.
    Capture(Capture),
    /// The last execution has everything.
    Answer,
    /// Executions differ, so run once more with state captured inside the page.
    CaptureInPage {
        /// How they differ, in words.
        why: String,
    },
}

/// What the next execution reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The events to stop at, each with the queries that it answers.
    pub events: BTreeMap<Sequence, Vec<usize>>,
    /// The owners whose writes are followed exactly.
    pub owners: BTreeSet<OwnerId>,
}

/// The course of one question over its executions.
#[derive(Clone, Debug)]
pub struct Resolution {
    hooks_run: u64,
    hit: u64,
    known: BTreeMap<usize, (Sequence, OwnerId)>,
    captures_left: usize,
    difference: Option<String>,
    /// The queries whose events the next capture does not read: it cannot be the last.
    deferred: BTreeSet<usize>,
    /// Whether an execution that did something else has been taken for the first already.
    has_begun_anew: bool,
}

impl Resolution {
    /// Begins with what the first execution found, for a plan of `queries` queries.
    #[must_use]
    pub fn begin(first: &Findings, queries: usize) -> Self {
        Self {
            hooks_run: first.hooks_run,
            hit: first.hit,
            known: first.changes(),
            // Each further capture must have learned something, so there are not more than there is to learn.
            captures_left: 2 + queries,
            difference: None,
            deferred: BTreeSet::new(),
            has_begun_anew: false,
        }
    }

    /// Leaves the events of these queries to a later capture than the next, which will learn of events that must be
    /// stopped at as well.
    pub fn defer(&mut self, queries: BTreeSet<usize>) {
        self.deferred = queries;
    }

    /// Whether the next capture leaves out what a later one reads.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// In what the executions differ, in words, where it is nothing that was asked: a page may go on for longer in one
    /// than in the other.
    #[must_use]
    pub fn difference(&self) -> Option<&str> {
        self.difference.as_deref()
    }

    /// Takes no execution that did something else for the first.
    pub fn hold_to_first(&mut self) {
        self.has_begun_anew = true;
    }

    /// Whether an execution that did something else has been taken for the first, or none may be.
    #[must_use]
    pub fn holds_to_first(&self) -> bool {
        self.has_begun_anew
    }

    /// What the next capture reads.
    #[must_use]
    pub fn capture(&self) -> Capture {
        let mut capture = Capture::default();
        let now = self.known.iter();
        let now = now.filter(|(query, _)| !self.deferred.contains(query));
        let stopped_at: BTreeSet<Sequence> = now.map(|(_, (sequence, _))| *sequence).collect();
        for (&query, &(sequence, owner)) in &self.known {
            if stopped_at.contains(&sequence) {
                capture.events.entry(sequence).or_default().push(query);
            }
            capture.owners.insert(owner);
        }
        capture
    }

    /// What to do after a capture that found `second` (`None`: it did not reach the reproduction point) and
    /// stopped at the events `met`.
    pub fn after_capture(
        &mut self,
        second: Option<&Findings>,
        met: &BTreeSet<Sequence>,
    ) -> NextStep {
        let is_partial = !std::mem::take(&mut self.deferred).is_empty();
        let Some(second) = second else {
            return NextStep::CaptureInPage {
                why: "the reproduction point was reached in one execution and not in the next"
                    .to_owned(),
            };
        };
        let now = second.changes();
        if second.hooks_run != self.hooks_run || second.hit != self.hit {
            let counted = format!(
                "{} hooked writes before the reproduction point in one, {} in the other",
                self.hooks_run, second.hooks_run
            );
            // With what they differ in before them, the changes would have other numbers.
            let is_same = |(query, change)| now.get(query) == Some(change);
            if second.hit != self.hit || self.known.is_empty() || !self.known.iter().all(is_same) {
                if second.hit == self.hit && !self.has_begun_anew {
                    self.has_begun_anew = true;
                    self.hooks_run = second.hooks_run;
                    self.known = now;
                    return NextStep::Capture(self.capture());
                }
                let why = format!("two executions did not do the same: {counted}");
                return NextStep::CaptureInPage { why };
            }
            self.difference = Some(format!(
                "two executions did not do the same, though what was asked is the same in both: {counted}"
            ));
        }
        let complete = now.values().all(|(sequence, _)| met.contains(sequence));
        match (complete, now == self.known) {
            (true, _) => return NextStep::Answer,
            (false, true) if is_partial => return NextStep::Capture(self.capture()),
            (false, true) => return NextStep::Answer,
            (false, false) => {}
        }
        self.captures_left = self.captures_left.saturating_sub(1);
        if self.captures_left == 0 {
            return NextStep::CaptureInPage {
                why: "the events could not be pinned down by running again".to_owned(),
            };
        }
        self.known = now;
        NextStep::Capture(self.capture())
    }
}

/// Why a value can have been written without a hook seeing it.
const UNSEEN: &str = "its value was written where no hook could be placed: by the browser itself, by a built-in that \
                      is not watched, by dynamic code, or in one of the blind spots";

/// The status of a query's point, and a note where it has no answer. `parent_found`: whether the point it is
/// asked at was found; `at`: that point, in words.
#[must_use]
pub fn verdict(
    finding: Option<&Finding>,
    parent_found: bool,
    at: &str,
) -> (Status, Option<String>) {
    let note = |text: &str| Some(text.to_owned());
    if !parent_found {
        return (
            Status::NotReached,
            note("the point it is asked at was not found"),
        );
    }
    match finding {
        None => (
            Status::Blind,
            note("it was not resolved: the point it is asked at has no event"),
        ),
        Some(Finding::Changed(change)) if change.still_holds => (Status::Found, None),
        Some(Finding::Changed(_) | Finding::WrittenUnseen) => (Status::Blind, note(UNSEEN)),
        Some(Finding::NeverChanged) => (Status::NeverChanged, None),
        Some(Finding::Accessor { message }) => (Status::Blind, note(message)),
        Some(Finding::NoEvent { message }) => (Status::NotReached, note(message)),
        Some(Finding::Thrown) => (Status::Found, None),
        Some(Finding::NotThrown) => (
            Status::NotReached,
            note(
                "no exception was thrown after it, before the try block around it (or else the task) was left",
            ),
        ),
        Some(Finding::NoCondition) => (
            Status::NotReached,
            note(
                "no condition led there: every function on the stack reached it without one that could have gone \
                 another way",
            ),
        ),
        Some(Finding::Unwatched) => (
            Status::Blind,
            note(
                "its writes happen where no hook of this script can see them: it is imported, or is the own name of a \
                 function",
            ),
        ),
        Some(Finding::NeedsFrame) => (
            Status::Blind,
            note(
                "the frame it names exists only while the page is stopped, and no stop was possible in this execution",
            ),
        ),
        Some(Finding::Undecided { message }) => (
            Status::Blind,
            Some(format!("it cannot be told which event is meant: {message}")),
        ),
        Some(Finding::NoValue { message }) => (
            Status::Blind,
            Some(format!("it has no value at {at}: {message}")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(sequence: u64, owner: u64) -> Finding {
        Finding::Changed(LastChange {
            sequence: Sequence::new(sequence),
            owner: OwnerId(owner),
            still_holds: true,
        })
    }

    fn findings(hooks_run: u64, by_query: &[(usize, Finding)]) -> Findings {
        Findings {
            hooks_run,
            hit: 0,
            by_query: by_query.iter().cloned().collect(),
        }
    }

    fn met(sequences: &[u64]) -> BTreeSet<Sequence> {
        sequences.iter().copied().map(Sequence::new).collect()
    }

    #[test]
    fn executions_that_agree_need_one_capture() {
        let first = findings(9, &[(0, changed(7, 1)), (1, changed(3, 2))]);
        let mut resolution = Resolution::begin(&first, 2);
        let capture = resolution.capture();
        assert_eq!(
            capture.events.keys().copied().collect::<Vec<_>>(),
            [Sequence::new(3), Sequence::new(7)]
        );
        assert_eq!(capture.events[&Sequence::new(7)], [0]);
        assert_eq!(capture.owners, BTreeSet::from([OwnerId(1), OwnerId(2)]));
        assert_eq!(
            resolution.after_capture(Some(&first), &met(&[3, 7])),
            NextStep::Answer
        );
    }

    #[test]
    fn what_is_deferred_is_read_by_the_capture_after_the_next() {
        let first = findings(
            9,
            &[(0, changed(7, 1)), (1, changed(3, 2)), (2, changed(7, 3))],
        );
        let condition = Sequence::of_counted(3, 1).number();
        let mut with_condition = first.clone();
        with_condition.by_query.insert(3, changed(condition, 0));
        let sequences = |capture: &Capture| {
            let events = capture.events.keys();
            events.map(|event| event.number()).collect::<Vec<_>>()
        };
        for (second, then) in [
            (&with_condition, vec![3, 7, condition]),
            (&first, vec![3, 7]),
        ] {
            let mut resolution = Resolution::begin(&first, 4);
            resolution.defer(BTreeSet::from([1, 2]));
            let capture = resolution.capture();
            // The third is at the event of the first, and so is read with it. All owners are followed.
            assert_eq!(sequences(&capture), [7]);
            assert_eq!(capture.events[&Sequence::new(7)], [0, 2]);
            assert_eq!(capture.owners.len(), 3);
            let next = resolution.after_capture(Some(second), &met(&[7]));
            let NextStep::Capture(next) = next else {
                panic!("what was left out is to be read, and not {next:?}");
            };
            assert_eq!(sequences(&next), then);
            let next = resolution.after_capture(Some(second), &met(&then));
            assert_eq!(next, NextStep::Answer);
        }
    }

    #[test]
    fn one_event_may_answer_two_queries() {
        let first = findings(9, &[(0, changed(7, 1)), (1, changed(7, 1))]);
        let capture = Resolution::begin(&first, 2).capture();
        assert_eq!(capture.events[&Sequence::new(7)], [0, 1]);
    }

    #[test]
    fn an_execution_that_did_something_else_leads_to_capture_in_the_page() {
        let first = findings(9, &[(0, changed(7, 1))]);
        let mut resolution = Resolution::begin(&first, 1);
        let other = findings(10, &[(0, changed(8, 1))]);
        // A page that goes one of two ways may go the second again.
        let next = resolution.after_capture(Some(&other), &met(&[]));
        let mut again = resolution.clone();
        assert!(
            matches!(&next, NextStep::Capture(next) if next.events.contains_key(&Sequence::new(8))),
            "{next:?}"
        );
        let next = again.after_capture(Some(&other), &met(&[8]));
        assert_eq!(next, NextStep::Answer);
        assert!(matches!(
            resolution.after_capture(Some(&first), &met(&[])),
            NextStep::CaptureInPage { why } if why.contains("10 hooked writes") && why.contains("9 in")
        ));
        let mut resolution = Resolution::begin(&first, 1);
        assert!(matches!(
            resolution.after_capture(None, &met(&[])),
            NextStep::CaptureInPage { .. }
        ));
        let mut elsewhere = findings(9, &[(0, changed(7, 1))]);
        elsewhere.hit = 1;
        assert!(matches!(
            resolution.after_capture(Some(&elsewhere), &met(&[7])),
            NextStep::CaptureInPage { .. }
        ));
    }

    #[test]
    fn what_executions_do_after_the_changes_does_not_count() {
        let first = findings(9, &[(0, changed(7, 1))]);
        let mut resolution = Resolution::begin(&first, 2);
        // A condition was found as well, whose number is its own.
        let condition = Sequence::of_counted(1, 1).number();
        let longer = findings(11, &[(0, changed(7, 1)), (1, changed(condition, 0))]);
        let next = resolution.after_capture(Some(&longer), &met(&[7]));
        assert!(matches!(next, NextStep::Capture(_)), "{next:?}");
        let shorter = findings(8, &[(0, changed(7, 1)), (1, changed(condition, 0))]);
        let next = resolution.after_capture(Some(&shorter), &met(&[7, condition]));
        assert_eq!(next, NextStep::Answer);
        let difference = resolution.difference().unwrap();
        assert!(difference.contains("9 hooked writes") && difference.contains("8 in"));
        // Where nothing was asked that has a number, nothing says that the executions are the same.
        let nothing = findings(9, &[(0, Finding::NeverChanged)]);
        let mut resolution = Resolution::begin(&nothing, 1);
        let other = findings(10, &[(0, Finding::NeverChanged)]);
        let next = resolution.after_capture(Some(&other), &met(&[]));
        assert!(matches!(next, NextStep::Capture(_)), "{next:?}");
        let next = resolution.after_capture(Some(&nothing), &met(&[]));
        assert!(matches!(next, NextStep::CaptureInPage { .. }));
    }

    #[test]
    fn what_a_capture_learns_is_captured_next() {
        // Followed exactly, the owner's last write had no effect: the change is the one before it.
        let mut resolution = Resolution::begin(&findings(9, &[(0, changed(7, 1))]), 1);
        let learned = findings(9, &[(0, changed(5, 1))]);
        let NextStep::Capture(next) = resolution.after_capture(Some(&learned), &met(&[])) else {
            panic!("another capture was to follow");
        };
        assert_eq!(
            next.events.keys().copied().collect::<Vec<_>>(),
            [Sequence::new(5)]
        );
        assert_eq!(
            resolution.after_capture(Some(&learned), &met(&[5])),
            NextStep::Answer
        );
    }

    #[test]
    fn events_that_keep_moving_end_in_capture_in_the_page() {
        let mut resolution = Resolution::begin(&findings(9, &[(0, changed(1, 1))]), 1);
        let mut last = NextStep::Answer;
        for sequence in 2..20 {
            let other = findings(9, &[(0, changed(sequence, 1))]);
            last = resolution.after_capture(Some(&other), &met(&[]));
            if matches!(last, NextStep::CaptureInPage { .. }) {
                break;
            }
        }
        assert!(matches!(last, NextStep::CaptureInPage { .. }));
    }

    #[test]
    fn a_value_that_changed_unseen_is_blind_and_never_a_wrong_line() {
        let overwritten = Finding::Changed(LastChange {
            sequence: Sequence::new(7),
            owner: OwnerId(1),
            still_holds: false,
        });
        let (status, note) = verdict(Some(&overwritten), true, "R");
        assert_eq!(status, Status::Blind);
        assert!(note.is_some_and(|note| note.contains("no hook could be placed")));
    }

    #[test]
    fn every_finding_has_its_status() {
        let status = |finding: &Finding| verdict(Some(finding), true, "R").0;
        assert_eq!(status(&changed(1, 1)), Status::Found);
        assert_eq!(status(&Finding::NeverChanged), Status::NeverChanged);
        assert_eq!(status(&Finding::WrittenUnseen), Status::Blind);
        assert_eq!(status(&Finding::Unwatched), Status::Blind);
        assert_eq!(status(&Finding::NoCondition), Status::NotReached);
        assert_eq!(status(&Finding::Thrown), Status::Found);
        assert_eq!(status(&Finding::NotThrown), Status::NotReached);
        assert_eq!(status(&Finding::NeedsFrame), Status::Blind);
        let message = "it took too long".to_owned();
        let (blind, note) = verdict(Some(&Finding::Undecided { message }), true, "R");
        assert_eq!(blind, Status::Blind);
        assert_eq!(
            note.as_deref(),
            Some("it cannot be told which event is meant: it took too long")
        );
        let message = "cart is not defined".to_owned();
        let (blind, note) = verdict(Some(&Finding::NoValue { message }), true, "R");
        assert_eq!(blind, Status::Blind);
        assert_eq!(
            note.as_deref(),
            Some("it has no value at R: cart is not defined")
        );
        assert_eq!(verdict(None, true, "B").0, Status::Blind);
        assert_eq!(
            verdict(Some(&changed(1, 1)), false, "B").0,
            Status::NotReached
        );
    }
}
