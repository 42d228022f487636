//! Reading ahead: while it is found out which events are asked for, the page also stops at those that may be, and at
//! the hits that may be the last. Where all that is asked was read, no other execution is needed. What it may cost the
//! agent decides (`agent/js/read-ahead.js`).

use querypoint::graph::Parent;

use super::{CapturedState, PauseLoop, Watcher};
use crate::agent_message::answered;
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::replay::SentInput;
use crate::stopped::Frame;

impl Watcher<'_> {
    /// Says how input is sent: where the page stops at events, each part of it waits for the one before; where
    /// executions are compared, each character waits until the page is idle.
    pub(super) fn prepare_input(&self) {
        let sent = self.sent();
        if self.task.read_ahead {
            let prefix = &self.setting.collection.prefix;
            sent.count_by(format!(
                "(isLast)=>typeof {prefix}E==='undefined'?'':{prefix}E.inputs(isLast)"
            ));
        }
        if !self.task.stops.is_empty() {
            sent.send_one_by_one();
        }
        // Executions are compared, so they must be the same.
        if self.setting.responses.is_some() {
            sent.wait_until_idle();
        }
    }

    pub(super) fn sent(&self) -> &SentInput {
        &self.cursor.sent
    }
}

impl PauseLoop<'_> {
    /// The page is paused by a hook, to read ahead: whether what the user does can have been dropped.
    pub(super) async fn compare_input(&self, stop: &Frame) -> Result<(), EngineError> {
        let sent = self.watcher.sent();
        if !self.task.read_ahead || !sent.is_on_its_way() {
            return Ok(());
        }
        let expression = format!("{}E.inputs()", self.setting.collection.prefix);
        match self.watcher.reader.json_in(stop, &expression).await {
            Ok(come) => sent.paused_with(answered(&come)?),
            Err(error) if error.is_fatal() => return Err(error.into()),
            // Where the stack is full, nothing can be called.
            Err(_) => {}
        }
        Ok(())
    }

    /// The page is paused at a hit of the reproduction point that may be the last: it is read, and the page goes on.
    pub(super) async fn read_point_ahead(
        &mut self,
        document: DocumentId,
        hit: u64,
        frames: &[&Frame],
        stop: &Frame,
    ) -> Result<bool, EngineError> {
        let state: CapturedState = self.state(frames, stop).await?;
        // What was read at a hit before is no longer asked for.
        self.readings.page_reads.clear();
        self.compare_with_page(Parent::ReproductionPoint, frames)
            .await?;
        self.watcher
            .gathered
            .lock()
            .keep_point(document, hit, state);
        Ok(false)
    }
}
