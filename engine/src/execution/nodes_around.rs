//! The nodes around an element that the event log knows: `origin` reads of which node a text was.

use querypoint::query::Lookup;

use super::actions::asked_in_tab;
use super::{PauseLoop, Watcher};
use crate::agent_message::{NodesAround, answered};
use crate::collection::agent_lookup;
use crate::error::EngineError;
use crate::page::Page;
use crate::stopped::Frame;

/// What asks the agent for the nodes around an element.
fn asked(prefix: &str, lookup: &Lookup) -> String {
    let lookup = serde_json::json!(agent_lookup(lookup));
    format!("{prefix}LN({prefix}E.element({lookup}))")
}

impl Watcher<'_> {
    /// The nodes around the elements that are asked about, at the end, where the page is not paused.
    pub(super) async fn nodes_at_end(&self, page: &Page) -> Result<(), EngineError> {
        let mut elements = Vec::new();
        for lookup in &self.setting.elements {
            let expression = asked(&self.setting.collection.prefix, lookup);
            let answer = asked_in_tab(page, expression).await?;
            // Where there is no such element, nothing is known around it.
            let told = answer.result.value.unwrap_or_default();
            elements.push(answered(&told).unwrap_or_default());
        }
        self.gathered.lock().outcome.elements = elements;
        Ok(())
    }
}

impl PauseLoop<'_> {
    /// The same where the page is paused.
    pub(super) async fn nodes_at_pause(&self, frame: &Frame) -> Result<(), EngineError> {
        let mut elements = Vec::new();
        for lookup in &self.setting.elements {
            let expression = asked(&self.setting.collection.prefix, lookup);
            let nodes = match self.watcher.reader.json_in(frame, &expression).await {
                Ok(told) => answered(&told).unwrap_or_default(),
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(_) => NodesAround::default(),
            };
            elements.push(nodes);
        }
        self.watcher.gathered.lock().outcome.elements = elements;
        Ok(())
    }
}
