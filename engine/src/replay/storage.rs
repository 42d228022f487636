//! The page finds stored what it had stored when its recording began.

use serde_json::{Value, json};

use super::locate::WORLD_NAME;
use super::runner::Runner;
use crate::error::EngineError;

impl Runner<'_> {
    /// Before the page is opened: has its first document begin with what was stored then.
    pub(super) async fn store_before_page(&mut self) -> Result<(), EngineError> {
        let stored = self.recording.storage();
        if !stored.is_empty() {
            let params = json!({ "source": stored.writing(), "worldName": WORLD_NAME });
            let method = "Page.addScriptToEvaluateOnNewDocument";
            let added = self.page.drive(self.page.send(method, params)).await?;
            let id = added.get("identifier").and_then(Value::as_str);
            self.storage_script = id.map(str::to_owned);
        }
        Ok(())
    }

    /// The page is open: its later documents find what it stores itself.
    pub(super) async fn has_stored(&mut self) -> Result<(), EngineError> {
        if let Some(id) = self.storage_script.take() {
            let method = "Page.removeScriptToEvaluateOnNewDocument";
            let removed = self.page.send(method, json!({ "identifier": id }));
            self.page.drive(removed).await?;
        }
        Ok(())
    }
}
