//! What an execution gave.

use std::collections::{BTreeMap, BTreeSet};

use querypoint::resolution::Sequence;

use super::counting::{RunCounts, Uncaught};
use super::page_reads::PageRead;
use super::realm_name::RealmName;
use crate::agent_message::NodesAround;
use crate::captured::{CapturedState, EventCapture, ExceptionCapture};
use crate::document_id::DocumentId;
use crate::log::Log;
use crate::origin::Probe;
use crate::report::{QueryResult, Report};
use crate::sources::SeenScripts;
use crate::traces::{Counts, Passed};

/// What an execution gave.
#[derive(Debug, Default)]
pub(crate) struct ExecutionOutcome {
    /// The reports of the documents (and workers) in which the reproduction point was passed, in order.
    pub(crate) reports: Vec<Report>,
    /// The realm of the one that counts.
    pub(crate) realm: Option<RealmName>,
    /// By sequence number.
    pub(crate) events: BTreeMap<Sequence, EventCapture>,
    pub(crate) point: Option<CapturedState>,
    /// Whether the state at the reproduction point has been read ahead, and every owner followed.
    pub(crate) is_read_ahead: bool,
    /// Whether some of the user's input may have been dropped, since the page was paused when it came.
    pub(crate) may_lack_input: bool,
    /// What only a debugger could resolve, by query number.
    pub(crate) late: BTreeMap<usize, QueryResult>,
    /// What the page reads through proxies otherwise than it was looked up, by query number.
    pub(crate) page_reads: BTreeMap<usize, PageRead>,
    /// Where the values come from that are followed, by the event that wrote them.
    pub(crate) origins: BTreeMap<Sequence, Probe>,
    /// What the browser has counted, if it was to.
    pub(crate) run_counts: Option<RunCounts>,
    /// The exceptions that nothing caught, as the browser told them, if they were read.
    pub(crate) uncaught: Vec<Uncaught>,
    /// By query number.
    pub(crate) exceptions: BTreeMap<usize, ExceptionCapture>,
    /// What was counted at stops, and what was found of events that were looked at.
    pub(crate) counts: Counts,
    pub(crate) examined: Passed,
    /// The queries that compare call stacks, each with the constraint whose point has been reached, by number.
    pub(crate) stacks: BTreeSet<(usize, usize)>,
    /// For each of the elements that are asked about ([`Setting::elements`]) the nodes that the log knows around it.
    pub(crate) elements: Vec<NodesAround>,
    /// What the document has logged whose report counts.
    pub(crate) log: Log,
    pub(crate) seen: SeenScripts,
    pub(crate) replay_ms: f64,
    pub(crate) notes: Vec<String>,
    /// Whether a function of a page that was paused was called, and nothing else.
    pub(crate) is_of_call: bool,
    /// Whether the page was left paused for a person.
    pub(crate) was_held: bool,
    /// The document whose report counts, where the page was left paused in it.
    pub(super) counted: Option<DocumentId>,
}

impl ExecutionOutcome {
    /// The report that counts: of the realm that was left paused at the reproduction point, else of the one in which
    /// it was passed last.
    pub(crate) fn report(&self) -> Option<&Report> {
        let reports = self.reports.iter().filter(|report| report.hit.is_some());
        match self.counted {
            Some(document) => reports.rev().find(|report| report.document == document),
            None => reports.max_by(|one, other| one.time().total_cmp(&other.time())),
        }
    }

    /// Takes a report; the document's earlier one is out of date.
    pub(crate) fn add(&mut self, report: Report) {
        self.reports
            .retain(|other| other.document != report.document);
        self.reports.push(report);
    }

    pub(crate) fn hits(&self) -> u64 {
        sum_of_hits(self.reports.iter())
    }

    /// Takes of a report, made after the page went on behind the reproduction point, how many events there were.
    pub(super) fn count_on(&mut self, later: &Report) {
        let mut reports = self.reports.iter_mut();
        if let Some(report) = reports.find(|report| report.document == later.document) {
            report.counts.clone_from(&later.counts);
        }
    }

    /// How many hits there were in other documents before the one that counts.
    pub(crate) fn hits_before(&self) -> u64 {
        let Some(counted) = self.report() else {
            return 0;
        };
        let before = |report: &&Report| {
            report.document != counted.document && report.time() <= counted.time()
        };
        let before = self.reports.iter().filter(before);
        sum_of_hits(before)
    }
}

/// What a page reports may be any number.
pub(super) fn sum_of_hits<'r>(reports: impl Iterator<Item = &'r Report>) -> u64 {
    reports.fold(0, |sum, report| sum.saturating_add(report.hits))
}
