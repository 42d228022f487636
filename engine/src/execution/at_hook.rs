//! Where a hook has stopped the page: what the agent tells of the event is read, with the state there.

use querypoint::answer::{Cause, Value as Preview};
use querypoint::resolution::CountedEvent;

use super::{EventCapture, PauseLoop, Role};
use crate::agent_message::{AgentEvent, AgentEventKind, answered, site_number};
use crate::error::EngineError;
use crate::report::CapturedCause;
use crate::sources::{Caller, SourceLocation};
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
        let event = match self.watcher.reader.json_in(stop, &told).await {
            Ok(event) => event,
            Err(error) if error.is_fatal() => return Err(error.into()),
            // Where the stack is full, nothing can be called: such an event cannot be read.
            Err(_) => return Ok(false),
        };
        let part = |name: &str| format!("{prefix}E.event().{name}");
        let (old, value, owner) = (part("old"), part("value"), part("owner"));
        let AgentEvent { document, kind } = match answered(&event) {
            Ok(event) => event,
            // A page that calls hooks itself hands over what it likes. Such an event is none that is asked for; if it
            // is, this is said when it is read.
            Err(_) if self.task.read_ahead => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        match kind {
            AgentEventKind::Point { .. } | AgentEventKind::Console if self.has_gone_on() => {
                Ok(false)
            }
            AgentEventKind::Point { hit, .. } if self.task.read_ahead => {
                self.read_point_ahead(document, hit, frames, stop).await
            }
            AgentEventKind::Point { index, .. } => {
                if self.task.realm.is_some()
                    && self.watcher.realms.lock().name(document) != self.task.realm
                {
                    return Ok(false);
                }
                let at_point = match self.task.role {
                    Role::Standby => self.at_dormant_point(stop).await?,
                    _ => self.at_point(frames, stop, false).await?,
                };
                if at_point && self.task.role != Role::Page {
                    self.pause_for_call(stopped, index);
                }
                Ok(at_point)
            }
            AgentEventKind::Console => self.at_point(frames, stop, true).await,
            AgentEventKind::Condition {
                sequence,
                site,
                index,
                operands,
            } => {
                let (outcome, state, operands) = futures::try_join!(
                    self.shown(stop, &value),
                    self.state(frames, stop),
                    self.operands(stop, operands),
                )?;
                let capture = EventCapture {
                    sequence,
                    site: site_number(site),
                    by: None,
                    caller: None,
                    owner: 0,
                    owner_class: None,
                    created: false,
                    deleted: false,
                    unknown: false,
                    old: None,
                    new: outcome,
                    index,
                    operands,
                    exception: None,
                    state,
                };
                self.take_event(document, capture, frames).await
            }
            AgentEventKind::Event {
                sequence,
                site,
                by,
                written,
                created,
            } => {
                self.meets(document, sequence);
                if let Some(CountedEvent { query, number }) = sequence.counted() {
                    self.hand_over_receiver(query, frames).await?;
                    self.look_at(document, query, number, frames).await?;
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
                let caller = self.caller(by.as_deref(), frames);
                let capture = EventCapture {
                    sequence,
                    site: site_number(site),
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
            AgentEventKind::Write(write) | AgentEventKind::Assign(write) => {
                let (old, new, owner, mut state) = futures::try_join!(
                    self.shown(stop, &old),
                    self.shown(stop, &value),
                    self.class(stop, &owner),
                    self.state(frames, stop),
                )?;
                let caller = self.caller(write.by.as_deref(), frames);
                // Where the user did it nothing of the page runs.
                if let Some(CapturedCause { kind, target }) = write.cause {
                    state.cause = Some(Cause { kind, target });
                }
                let capture = EventCapture {
                    sequence: write.sequence,
                    site: site_number(write.site),
                    by: write.by,
                    caller,
                    owner: write.number,
                    owner_class: (owner != "undefined").then_some(owner),
                    created: write.created,
                    deleted: write.deleted,
                    unknown: write.unknown == Some(true),
                    old: (write.old_unknown != Some(true)).then_some(old),
                    new,
                    index: write.index,
                    operands: Vec::new(),
                    exception: None,
                    state,
                };
                self.take_event(document, capture, frames).await
            }
        }
    }

    /// Where the caller of the built-in `by` called it.
    fn caller(
        &self,
        by: Option<&str>,
        frames: &[&Frame],
    ) -> Option<Result<SourceLocation, String>> {
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
    async fn operands(
        &self,
        stop: &Frame,
        count: u64,
    ) -> Result<Vec<Option<Preview>>, EngineError> {
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
