//! The page finds stored what it had stored when its recording began.

use cdp_driver::protocol::generated as cdp;

use super::locate::WORLD_NAME;
use super::runner::Runner;
use crate::error::EngineError;

impl Runner<'_> {
    /// Before the page is opened: has its first document begin with what was stored then.
    pub(super) async fn store_before_page(&mut self) -> Result<(), EngineError> {
        let stored = self.recording.storage();
        if !stored.is_empty() {
            let script = cdp::page::AddScriptToEvaluateOnNewDocument {
                world_name: Some(WORLD_NAME.to_owned()),
                ..cdp::page::AddScriptToEvaluateOnNewDocument::new(stored.writing())
            };
            let added = self.page.drive(self.page.call(&script)).await?;
            self.storage_script = Some(added.identifier);
        }
        Ok(())
    }

    /// The page is open: its later documents find what it stores itself.
    pub(super) async fn has_stored(&mut self) -> Result<(), EngineError> {
        if let Some(id) = self.storage_script.take() {
            let remove = cdp::page::RemoveScriptToEvaluateOnNewDocument::new(id);
            let removed = self.page.call(&remove);
            self.page.drive(removed).await?;
        }
        Ok(())
    }
}
