//! Behind the reproduction point: where what is asked may come after it (`after(R)`), the page goes on. While events
//! are being found it goes on to the end of what was recorded, so that they are counted; while they are read, until the
//! last one that is asked for has been reached.

use querypoint::resolution::Sequence;

use super::{EventCapture, PauseLoop, Watcher};
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::page::Page;

impl PauseLoop<'_> {
    /// The page is paused at an event.
    pub(super) fn meets(&self, document: DocumentId, sequence: Sequence) {
        if self.setting.plan.goes_on() {
            self.watcher.gathered.lock().meet(document, sequence);
        }
    }

    /// Keeps what was read at an event.
    pub(super) fn keep(&self, document: DocumentId, capture: EventCapture) {
        self.meets(document, capture.sequence);
        self.watcher.gathered.lock().keep(document, capture);
    }
}

impl Watcher<'_> {
    /// Whether the page is not left paused at the reproduction point: something that is asked comes after it.
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
        let gathered = self.gathered.lock();
        gathered.is_reached() && !gathered.has_met(&self.task.stops)
    }

    /// Whether this execution counts what comes after the reproduction point.
    pub(super) fn counts_to_the_end(&self) -> bool {
        self.setting.plan.goes_on() && self.task.stop_at_hit.is_none() && !self.task.capture
    }

    /// Whether the page is given more time behind the reproduction point: not yet all that is asked has been reached,
    /// or it is to be counted once more.
    pub(super) async fn waits_behind(&self, page: &Page) -> Result<bool, EngineError> {
        if self.counts_to_the_end() {
            for report in self.present_reports(page).await? {
                self.gathered.lock().report(report, true);
            }
            return Ok(false);
        }
        Ok(self.awaits_events())
    }
}
