//! What an execution has given so far: reports of realms, the state at the reproduction point, the events captured on
//! the way there and behind it.

use std::collections::{BTreeMap, HashMap, HashSet};

use querypoint::resolution::Sequence;

use super::ExecutionOutcome;
use super::events::Identities;
use super::exceptions::Exceptions;
use crate::captured::{CapturedState, EventCapture};
use crate::document_id::DocumentId;
use crate::report::Report;

/// That. An event counts where its document is the one whose report counts, which is known at the reproduction point.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) outcome: ExecutionOutcome,
    /// Events captured before, by document.
    captured: HashMap<DocumentId, BTreeMap<Sequence, EventCapture>>,
    /// The hits of the reproduction point whose state was read ahead: the last of each document.
    points: HashMap<DocumentId, (u64, CapturedState)>,
    /// The events at which the page was paused.
    met: HashSet<(DocumentId, Sequence)>,
    pub(super) exceptions: Exceptions,
    /// What references of trace queries were at the end of the replay.
    pub(super) identities_at_end: Identities,
    /// Whether the reproduction point was reached, and left, if the page went on.
    is_passed: bool,
}

impl Gathered {
    /// The page is at the reproduction point, in the document of this report.
    pub(super) fn reach(&mut self, report: Report, state: Option<CapturedState>) {
        let document = report.document;
        self.outcome.counted = Some(document);
        self.outcome.add(report);
        if let Some(state) = state {
            self.outcome.point = Some(state);
            self.outcome.events = self.captured.remove(&document).unwrap_or_default();
        }
    }

    /// Whatever is done at the reproduction point is done; it stays there, or has gone on.
    pub(super) fn pass(&mut self) {
        self.is_passed = true;
    }

    /// Whether that is so.
    pub(super) fn is_passed(&self) -> bool {
        self.is_passed
    }

    /// A report of one of the page's realms. One that is made behind the reproduction point says nothing new but, with
    /// `counts_on`, how many events there were by then.
    pub(super) fn report(&mut self, report: Report, counts_on: bool) {
        if !self.is_passed {
            self.outcome.add(report);
        } else if counts_on {
            self.outcome.count_on(&report);
        }
    }

    /// The page is paused at an event.
    pub(super) fn meet(&mut self, document: DocumentId, sequence: Sequence) {
        self.met.insert((document, sequence));
    }

    /// Whether the page was at the reproduction point, and in its document at each of these events.
    pub(super) fn has_met(&self, events: &[Sequence]) -> bool {
        let Some(document) = self.outcome.counted else {
            return false;
        };
        let mut events = events.iter();
        events.all(|&event| self.met.contains(&(document, event)))
    }

    /// Whether the page was at the reproduction point.
    pub(super) fn is_reached(&self) -> bool {
        self.outcome.counted.is_some()
    }

    /// Keeps what was read at a hit of the reproduction point that may be the last of its document.
    pub(super) fn keep_point(&mut self, document: DocumentId, hit: u64, state: CapturedState) {
        self.points.insert(document, (hit, state));
    }

    /// The execution is over: whether all that it was to read ahead at the reproduction point is read, which is then
    /// part of the outcome, with the events of its document that can be told in full.
    pub(super) fn take_read_ahead(&mut self) -> bool {
        let Some(report) = self.outcome.report() else {
            return false;
        };
        let document = report.document;
        let counted = report.hit.as_ref().map(|hit| hit.hit);
        if !report.ahead {
            return false;
        }
        if self.outcome.point.is_none() {
            let Some((hit, state)) = self.points.remove(&document) else {
                return false;
            };
            if Some(hit) != counted {
                return false;
            }
            self.outcome.point = Some(state);
            self.outcome.events = self.captured.remove(&document).unwrap_or_default();
        }
        let events = &mut self.outcome.events;
        events.retain(|_, event| !event.state.lacks_values);
        let point = self.outcome.point.as_ref();
        point.is_some_and(|point| !point.lacks_values)
    }

    /// Keeps what was read at an event.
    pub(super) fn keep(&mut self, document: DocumentId, capture: EventCapture) {
        let is_behind = self.is_passed && self.outcome.counted == Some(document);
        let events = if is_behind {
            &mut self.outcome.events
        } else {
            self.captured.entry(document).or_default()
        };
        events.insert(capture.sequence, capture);
    }
}

#[cfg(test)]
mod tests {
    use querypoint::answer::Value as Preview;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const ONE: f64 = 0.25;
    const OTHER: f64 = 0.5;

    fn report(document: f64, hits: u64) -> Report {
        Report {
            document: document.into(),
            hits,
            counts: BTreeMap::from([(0, hits)]),
            ..Report::default()
        }
    }

    fn capture(sequence: u64) -> EventCapture {
        EventCapture {
            sequence: Sequence::new(sequence),
            site: 0,
            by: None,
            caller: None,
            owner: 0,
            owner_class: None,
            created: false,
            deleted: false,
            unknown: false,
            old: None,
            new: Preview::undefined(),
            index: 0,
            operands: Vec::new(),
            exception: None,
            state: CapturedState::default(),
        }
    }

    fn events(gathered: &Gathered) -> Vec<u64> {
        let events = gathered.outcome.events.keys();
        events.map(|sequence| sequence.number()).collect()
    }

    #[test]
    fn events_count_of_the_document_that_reached_the_point() {
        let mut gathered = Gathered::default();
        gathered.keep(ONE.into(), capture(3));
        gathered.keep(OTHER.into(), capture(4));
        assert!(!gathered.is_reached());
        gathered.reach(report(ONE, 1), Some(CapturedState::default()));
        assert!(gathered.is_reached() && !gathered.is_passed());
        assert_eq!(events(&gathered), [3]);
    }

    #[test]
    fn an_event_behind_the_point_counts_in_the_same_document_only() {
        let mut gathered = Gathered::default();
        gathered.reach(report(ONE, 1), Some(CapturedState::default()));
        // Still at it.
        gathered.keep(ONE.into(), capture(7));
        gathered.pass();
        gathered.keep(ONE.into(), capture(8));
        gathered.keep(OTHER.into(), capture(9));
        assert_eq!(events(&gathered), [8]);
    }

    #[test]
    fn a_point_whose_state_is_not_read_leaves_the_events() {
        let mut gathered = Gathered::default();
        gathered.keep(ONE.into(), capture(3));
        gathered.reach(report(ONE, 1), None);
        assert!(gathered.is_reached() && events(&gathered).is_empty());
        assert!(gathered.outcome.point.is_none());
    }

    #[test]
    fn a_document_has_one_report_and_a_late_one_only_counts_on() {
        let mut gathered = Gathered::default();
        gathered.report(report(ONE, 1), false);
        gathered.report(report(ONE, 2), false);
        assert_eq!(gathered.outcome.hits(), 2);
        gathered.pass();
        gathered.report(report(ONE, 5), false);
        assert_eq!(gathered.outcome.reports[0].counts[&0], 2);
        gathered.report(report(ONE, 6), true);
        // An event that comes late from a document that nobody knew is nothing.
        gathered.report(report(OTHER, 9), true);
        assert_eq!(gathered.outcome.reports.len(), 1);
        let known = &gathered.outcome.reports[0];
        assert_eq!((known.counts[&0], known.hits), (6, 2));
    }

    #[test]
    fn all_events_are_met_once_the_document_of_the_point_has_met_them() {
        let [three, four] = [3, 4].map(Sequence::new);
        let mut gathered = Gathered::default();
        gathered.meet(ONE.into(), three);
        gathered.meet(OTHER.into(), four);
        assert!(!gathered.has_met(&[three]));
        gathered.reach(report(ONE, 1), None);
        assert!(gathered.has_met(&[three]) && gathered.has_met(&[]));
        assert!(!gathered.has_met(&[three, four]));
        gathered.meet(ONE.into(), four);
        assert!(gathered.has_met(&[three, four]));
    }
}
