//! Behind the reproduction point: where what is asked may come after it (`after(R)`), the page goes on. While events
//! are being found it goes on to the end of what was recorded, so that they are counted; while they are read, until the
//! last one that is asked for has been come to.

use querypoint::resolution::Sequence;

use super::{EventCapture, Watcher};
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::page::Page;
use crate::report::Report;

impl Watcher<'_> {
    /// Whether the page is not left standing at the reproduction point: something that is asked comes after it.
    pub(super) fn goes_on(&self) -> bool {
        self.awaits_exceptions() || self.awaits_events()
    }

    fn awaits_events(&self) -> bool {
        if !self.setting.plan.goes_on() || self.task.capture {
            return false;
        }
        if self.counts_to_the_end() {
            return true;
        }
        let Some(document) = self.outcome.lock().counted else {
            return false;
        };
        let met = self.met.lock();
        let stops = &self.task.stops;
        stops
            .iter()
            .any(|&sequence| !met.contains(&(document, sequence)))
    }

    /// Whether this execution counts what comes after the reproduction point.
    fn counts_to_the_end(&self) -> bool {
        self.setting.plan.goes_on() && self.task.stop_at_hit.is_none() && !self.task.capture
    }

    /// The page stands at an event.
    pub(super) fn meets(&self, document: DocumentId, sequence: Sequence) {
        if self.setting.plan.goes_on() {
            self.met.lock().insert((document, sequence));
        }
    }

    /// Keeps what was read at an event.
    pub(super) fn keep(&self, document: DocumentId, capture: EventCapture) {
        self.meets(document, capture.sequence);
        let mut outcome = self.outcome.lock();
        let is_behind = self.has_gone_on() && outcome.counted == Some(document);
        if is_behind {
            outcome.events.insert(capture.sequence, capture);
        } else {
            let mut captured = self.captured.lock();
            let events = captured.entry(document).or_default();
            events.insert(capture.sequence, capture);
        }
    }

    /// A report was made behind the reproduction point: how many events there were by then.
    pub(super) fn count_on(&self, report: &Report) {
        if self.counts_to_the_end() {
            self.outcome.lock().count_on(report);
        }
    }

    /// Whether the page is given more time behind the reproduction point: not yet all that is asked has been come to,
    /// or it is to be counted once more.
    pub(super) async fn waits_behind(&self, page: &Page) -> Result<bool, EngineError> {
        if self.counts_to_the_end() {
            for report in self.present_reports(page).await? {
                self.count_on(&report);
            }
            return Ok(false);
        }
        Ok(self.awaits_events())
    }
}
