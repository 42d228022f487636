//! Where a hook has stopped the page: what the agent tells of the event is read, with the state there.

use querypoint::answer::{Cause, Value as Shown};
use querypoint::resolution::{CountedEvent, Sequence};
use serde_json::Value;

use super::{EventCapture, PauseLoop, Role};
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::sources::{Caller, Place};
use crate::stopped::{Frame, Stopped};

impl PauseLoop<'_> {
    /// Reads what there is to read at the stop of a hook; whether it is the reproduction point.
    pub(super) async fn at_hook(
        &mut self,
        stop: &Frame,
        frames: &[&Frame],
        stopped: &Stopped,
    ) -> Result<bool, EngineError> {
        let prefix = &self.setting.collection.prefix;
        let told = format!("{prefix}E.told()");
        let event = self.watcher.reader.json_in(stop, &told).await?;
        let part = |name: &str| format!("{prefix}E.event().{name}");
        let (old, value, owner) = (part("old"), part("value"), part("owner"));
        let number = |name: &str| event.get(name).and_then(Value::as_u64).unwrap_or(0);
        let sequence = Sequence::new(number("sequence"));
        let document = event.get("document").and_then(Value::as_f64);
        let document = document.map(DocumentId::from).unwrap_or_default();
        match event.get("kind").and_then(Value::as_str) {
            Some("point" | "console") if self.has_gone_on() => Ok(false),
            Some("point") => {
                if self.task.realm.is_some()
                    && self.watcher.realms.name(document) != self.task.realm
                {
                    return Ok(false);
                }
                let at_point = match self.task.role {
                    Role::Standby => self.at_dormant_point(stop).await?,
                    _ => self.at_point(frames, stop, false).await?,
                };
                if at_point && self.task.role != Role::Page {
                    self.stand_at(stopped, number("index"));
                }
                Ok(at_point)
            }
            Some("console") => self.at_point(frames, stop, true).await,
            Some("condition") => {
                let (outcome, state, operands) = futures::try_join!(
                    self.shown(stop, &value),
                    self.state(frames, stop),
                    self.operands(stop, number("operands")),
                )?;
                let capture = EventCapture {
                    sequence,
                    site: u32::try_from(number("site")).unwrap_or(0),
                    by: None,
                    caller: None,
                    owner: 0,
                    owner_class: None,
                    created: false,
                    deleted: false,
                    unknown: false,
                    old: None,
                    new: outcome,
                    index: number("index"),
                    operands,
                    exception: None,
                    state,
                };
                self.take_event(document, capture, frames).await
            }
            Some("event") => {
                self.meets(document, sequence);
                if let Some(CountedEvent { query, number }) = sequence.counted() {
                    self.hand_over_receiver(query, frames).await?;
                    self.look_at(query, number, frames).await?;
                }
                if !self.task.answered.contains_key(&sequence) {
                    return Ok(false);
                }
                let (old, new, owner, state) = futures::try_join!(
                    self.shown(stop, &old),
                    self.shown(stop, &value),
                    self.class(stop, &owner),
                    self.state(frames, stop),
                )?;
                let counted = sequence.counted();
                let is_received = counted.is_some_and(|counted| self.is_received(counted.query));
                let written = event.get("written").and_then(Value::as_bool) == Some(true);
                let created = event.get("created").and_then(Value::as_bool) == Some(true);
                let by = event.get("by").and_then(Value::as_str).map(str::to_owned);
                let caller = self.caller(by.as_deref(), frames);
                let capture = EventCapture {
                    sequence,
                    site: u32::try_from(number("site")).unwrap_or(0),
                    by,
                    caller,
                    owner: 0,
                    owner_class: (owner != "undefined" && !is_received).then_some(owner),
                    created,
                    deleted: false,
                    unknown: !written,
                    old: written.then_some(old),
                    new,
                    index: 0,
                    operands: Vec::new(),
                    exception: None,
                    state,
                };
                self.take_event(document, capture, frames).await
            }
            Some("write" | "assign") => {
                let (old, new, owner, mut state) = futures::try_join!(
                    self.shown(stop, &old),
                    self.shown(stop, &value),
                    self.class(stop, &owner),
                    self.state(frames, stop),
                )?;
                let by = event.get("by").and_then(Value::as_str).map(str::to_owned);
                let caller = self.caller(by.as_deref(), frames);
                // Where the user did it nothing of the page runs.
                if let Some(cause) = event.get("cause").filter(|cause| cause.is_object()) {
                    let text = |name| cause.get(name).and_then(Value::as_str).map(str::to_owned);
                    state.cause = text("type").map(|kind| Cause {
                        kind,
                        target: text("target"),
                    });
                }
                let old_is_unknown = event.get("oldUnknown").and_then(Value::as_bool) == Some(true);
                let capture = EventCapture {
                    sequence,
                    site: u32::try_from(number("site")).unwrap_or(0),
                    by,
                    caller,
                    owner: number("number"),
                    owner_class: (owner != "undefined").then_some(owner),
                    created: event.get("created").and_then(Value::as_bool) == Some(true),
                    deleted: event.get("deleted").and_then(Value::as_bool) == Some(true),
                    unknown: event.get("unknown").and_then(Value::as_bool) == Some(true),
                    old: (!old_is_unknown).then_some(old),
                    new,
                    index: number("index"),
                    operands: Vec::new(),
                    exception: None,
                    state,
                };
                self.take_event(document, capture, frames).await
            }
            _ => Ok(false),
        }
    }

    /// Where the caller of the built-in `by` called it.
    fn caller(&self, by: Option<&str>, frames: &[&Frame]) -> Option<Result<Place, String>> {
        by.zip(frames.first()).map(|(by, frame)| {
            let caller = Caller {
                url: &frame.url,
                position: frame.position,
                function: &frame.function,
            };
            self.setting.sources.lock().call_place(caller, by)
        })
    }

    /// The values of a condition's operands, at the stop after it.
    async fn operands(&self, stop: &Frame, count: u64) -> Result<Vec<Option<Shown>>, EngineError> {
        // The rewriter hands over no more.
        const MOST: u64 = 8;
        let prefix = &self.setting.collection.prefix;
        let mut values = Vec::new();
        for index in 0..count.min(MOST) {
            let operand = format!("{prefix}E.event().operands[{index}]");
            let evaluated = self
                .watcher
                .reader
                .json_in(stop, &format!("{operand}!=={prefix}B"))
                .await?;
            values.push(if evaluated.as_bool() == Some(true) {
                let value = self.shown(stop, &operand).await?;
                Some(value)
            } else {
                None
            });
        }
        Ok(values)
    }
}
