//! Where the page makes code of a text: it is paused, the text is rewritten, and it goes on with what that has
//! become.

use serde_json::{Value, json};

use super::PauseLoop;
use crate::error::EngineError;
use crate::sources::{Caller, DynamicCode, RewrittenCode};
use crate::stopped::Frame;
use cdp_driver::protocol::SessionId;

/// The agent's function in which the page is paused.
pub(super) const FUNCTION: &str = "hand";

impl PauseLoop<'_> {
    /// Takes the text that the page handed over just before it stopped at `stop`, gives back what it becomes, and lets
    /// the page go on. `frames` are the page's own.
    pub(super) async fn make(
        &mut self,
        session: &SessionId,
        stop: &Frame,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let started = self.setting.clock.now_ms();
        let prefix = &self.setting.collection.prefix;
        let handed = self.handed.remove(session);
        let blob = match &handed {
            Some(DynamicCode::Memory(memory)) if memory.needs_reading() => {
                self.watcher
                    .reader
                    .blob_in(stop, &format!("{prefix}Ch.blob"))
                    .await?
            }
            _ => None,
        };
        let code = handed.and_then(|text| self.rewritten(&text, blob.as_deref(), frames));
        self.watcher.interceptor.seen().rewrite_ms += self.setting.clock.now_ms() - started;
        if let Some(code) = code {
            let code = match code {
                RewrittenCode::Text(text) => Value::String(text),
                RewrittenCode::Function { parameters, body } => {
                    json!({ "parameters": parameters, "body": body })
                }
                RewrittenCode::Blob { text, media_type } => {
                    json!({ "text": text, "type": media_type })
                }
                RewrittenCode::Address(address) => json!({ "address": address }),
                RewrittenCode::Imports(imports) => json!({ "imports": imports }),
            };
            // What was read is the page's text; what is written is a literal of ours.
            let assignment = format!("{prefix}Ch.request.code={code};0");
            self.watcher.reader.json_in(stop, &assignment).await?;
        }
        self.resume(session).await
    }

    fn rewritten(
        &self,
        text: &DynamicCode,
        blob: Option<&[u8]>,
        frames: &[&Frame],
    ) -> Option<RewrittenCode> {
        let mut sources = self.setting.sources.lock();
        let caller = frames.first().and_then(|frame| {
            let caller = Caller {
                url: &frame.url,
                position: frame.position,
                function: &frame.function,
            };
            sources.call_place(caller, text.by()).ok()
        });
        let caller = caller.map(|place| place.location);
        let mut seen = self.watcher.interceptor.seen();
        let (caller, capture) = (caller.as_ref(), self.task.capture);
        match text {
            DynamicCode::Memory(memory) => {
                sources.rewrite_in_memory(memory, blob, caller, capture, &mut seen)
            }
            DynamicCode::WorkletModule { address } => {
                sources.runs_elsewhere(address, &mut seen);
                None
            }
            _ => sources.make(text, caller, capture, &mut seen),
        }
    }
}
