//! The dialogs that come because of a step are answered as they were when it was recorded.

use std::time::Duration;

use recording::Step;

use super::locate::Miss;
use super::runner::Runner;
use crate::error::EngineError;
use crate::page::ExpectedDialog;

impl Runner<'_> {
    /// Has the page know how the step's dialogs are answered, before it is done.
    pub(super) fn expect_dialogs(&self, step: &Step) {
        let dialogs = step.dialogs().into_iter().map(|dialog| ExpectedDialog {
            kind: dialog.kind,
            accept: dialog.accept,
            text: dialog.text,
        });
        self.page.expect_dialogs(dialogs.collect());
    }

    /// Waits for those that did not come yet, and notes what was otherwise than recorded.
    pub(super) async fn settle_dialogs(&mut self, limit: Duration) -> Result<(), Miss> {
        let answered = self.page.wait_for("the recorded dialog", |state| {
            (state.dialogs.missing() == 0).then_some(())
        });
        let answered = self.page.limited("the recorded dialog", limit, answered);
        match answered.await {
            Ok(answered) => answered?,
            Err(EngineError::TimedOut { after_ms, .. }) => self.note(format!(
                "the recording answers a dialog here, the page showed none within {after_ms} ms"
            )),
            Err(error) => return Err(error.into()),
        }
        self.note_dialogs();
        Ok(())
    }

    /// Notes the dialogs whose answer the recording does not hold.
    pub(super) fn note_dialogs(&mut self) {
        for (kind, message) in self.page.take_unexpected_dialogs() {
            self.note(format!(
                "the page showed a dialog ({kind}) that the recording does not answer; it was accepted: {message:?}"
            ));
        }
    }
}
