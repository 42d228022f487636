//! Whether the execution that finds the events reads them as well, and what of it can be taken for an answer.

use std::collections::{BTreeMap, BTreeSet};

use querypoint::resolution::Sequence;

use super::Question;
use super::calls::Via;
use crate::collection::Instrument;
use crate::execution::ExecutionOutcome;
use crate::report::{QueryResult, ResultStatus};

impl Question<'_> {
    /// Whether it does. What a query asks in frames only a debugger finds, once it is known where; and where more is
    /// done with the execution than to ask, it is left as it is.
    pub(super) fn reads_ahead(&self, via: &Via<'_, '_>) -> bool {
        let setting = &self.setting;
        let mut queries = setting.plan.queries.iter();
        let are_late = queries.any(|query| setting.collection.is_late(query.index));
        self.read_ahead
            && setting.plan.may_read_ahead()
            && !are_late
            && self.instrument == Instrument::Query
            && !via.is_paused()
            && setting.origins.is_empty()
            && setting.logged.is_none()
            && setting.recorder.is_none()
    }
}

/// The events that an execution has read ahead; `None`: the debugger has to look at more than these.
pub(super) fn read_ahead(
    found: &ExecutionOutcome,
    results: &BTreeMap<usize, &QueryResult>,
) -> Option<BTreeSet<Sequence>> {
    let is_told = |result: &&QueryResult| {
        let needs_frame = matches!(result.status, ResultStatus::Late | ResultStatus::None);
        !needs_frame && !result.trapped && result.accessor.is_none()
    };
    let is_read = found.is_read_ahead
        && !found.may_lack_input
        && !found
            .page_reads
            .values()
            .any(|read| read.is_for_side_effects())
        && results.values().all(is_told);
    is_read.then(|| found.events.keys().copied().collect())
}
