//! A page that is left paused for a person: they look at it with the browser's own developer tools, step on and let
//! it run, while this driver only serves what the page needs of it.

use std::time::Duration;

use agent::HOOKS;
use futures::future::{Either, select};
use querypoint::graph::Parent;

use super::stops::STOP;
use super::{EventCapture, PauseLoop, Watcher, agent_url};
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::page::Page;
use crate::pausing::{Hold, Moment, NamesThere, PausedPage};
use crate::replay::keep_time_going;
use crate::stopped::{Frame, Stopped};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command as _, ProtocolError, SessionId};

/// How often a page whose time is ours is given some.
const PULSE: Duration = Duration::from_millis(100);

impl PauseLoop<'_> {
    /// Whether the page was left paused for a person: then what it does is no longer ours.
    pub(super) fn is_held(&self) -> bool {
        self.watcher.pause_status.lock().for_person().is_some()
    }

    /// Leaves the page paused at an event, if that is the one.
    pub(super) fn hold_at_event(
        &self,
        document: DocumentId,
        event: &EventCapture,
        frames: &[&Frame],
    ) {
        let Some(pause) = &self.task.pause else {
            return;
        };
        let is_there = self.task.realm.is_none()
            || self.watcher.realms.lock().name(document) == self.task.realm;
        if pause.sequence == Some(event.sequence) && is_there {
            self.hold_at(pause.point, frames, || Moment::of_event(event));
        }
    }

    /// Leaves the page paused at `point`, if that is the one and the moment is right.
    pub(super) fn hold_at(
        &self,
        point: Parent,
        frames: &[&Frame],
        moment: impl FnOnce() -> Moment,
    ) {
        let (Some(pause), Some(top)) = (&self.task.pause, frames.first()) else {
            return;
        };
        if pause.point != point {
            return;
        }
        let moment = moment();
        if let Some(differences) = pause.accepts(&moment) {
            let mut pause_status = self.watcher.pause_status.lock();
            pause_status.hold(top, moment, differences);
        }
    }

    /// The page has reached where it is left paused: nothing of ours stops it again, and it is led out of the hook,
    /// to where the script called it: just before the write, or what else happens there. Whether it is paused there
    /// already.
    pub(super) async fn release(
        &mut self,
        session: &SessionId,
        stopped: &Stopped,
    ) -> Result<bool, EngineError> {
        if let Some(stop) = stopped.frames.first().filter(|top| self.is_of_agent(top)) {
            let release = format!("{}E.release()", self.setting.collection.prefix);
            self.watcher.reader.json_in(stop, &release).await?;
        }
        self.watcher.gathered.lock().exceptions.give_up();
        self.pause_on_exceptions(session, "none").await?;
        self.lead_out(session, stopped).await
    }

    /// Something is paused while a person has the page. In its own session that is what they do; elsewhere an agent
    /// that knows nothing of it stops at an event with the same number. Whether the page has just come out of the hook.
    pub(super) async fn pass_by(
        &self,
        session: &SessionId,
        stopped: &Stopped,
    ) -> Result<bool, EngineError> {
        let held = self.watcher.pause_status.lock().for_person().cloned();
        let Some(held) = held.filter(|held| held.session == *session) else {
            let top = stopped.frames.first();
            if top.is_some_and(|top| self.is_of_agent(top) && top.function == STOP) {
                self.resume(session).await?;
            }
            return Ok(false);
        };
        match held.is_released {
            true => Ok(false),
            false => self.lead_out(session, stopped).await,
        }
    }

    /// Steps out of the hook on top of the stack, if there is one. Hooks are in comma expressions, whose operands V8
    /// takes for places to stop at: so the page stops at what follows the hook, before it is done. Out of what is
    /// for a built-in it is not led: there may be no such place behind the call.
    async fn lead_out(&self, session: &SessionId, stopped: &Stopped) -> Result<bool, EngineError> {
        let ours = stopped
            .frames
            .iter()
            .take_while(|frame| self.is_of_agent(frame));
        let called = ours.last();
        if called.is_some_and(|called| HOOKS.contains(&called.function.as_str())) {
            let protocol = &self.watcher.reader.protocol;
            let out = cdp::debugger::StepOut {};
            protocol.call(Some(session), &out).await?;
            return Ok(false);
        }
        self.watcher.pause_status.lock().release();
        Ok(true)
    }

    fn is_of_agent(&self, frame: &Frame) -> bool {
        frame.url == agent_url(&self.setting.collection.prefix)
    }
}

impl Watcher<'_> {
    /// While the page is paused for a person, until `hold` ends or the tab is closed.
    pub(super) async fn keep_paused(
        &self,
        page: &Page,
        hold: &Hold<'_>,
    ) -> Result<(), EngineError> {
        let Some(held) = self.pause_status.lock().for_person().cloned() else {
            return Ok(());
        };
        let message = cdp::overlay::SetPausedInDebuggerMessage {
            message: Some("Paused by Querypoint".to_owned()),
        };
        for command in [cdp::overlay::Enable {}.encoded(), message.encoded()] {
            match command
                .send(page.protocol().as_ref(), Some(page.session()))
                .await
            {
                // A browser without a window has nothing to show it on.
                Ok(_) | Err(ProtocolError::Refused { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let top = held.moment.stack.first();
        let paused = PausedPage {
            target_id: page.target_id().to_owned(),
            location: held.moment.location.clone(),
            function: top.map(|frame| frame.function.clone()).unwrap_or_default(),
            agent_url: agent_url(&self.setting.collection.prefix),
            differences: held.differences,
            names: NamesThere::new(self.setting.sources.clone(), held.top),
            prefix: self.setting.collection.prefix.clone(),
        };
        let person = hold(paused);
        let closed = self.attend(page);
        futures::pin_mut!(closed);
        match select(person, closed).await {
            Either::Left(((), _)) => Ok(()),
            Either::Right((result, _)) => result,
        }
    }

    /// Gives the page what it needs of us, until it is closed.
    async fn attend(&self, page: &Page) -> Result<(), EngineError> {
        loop {
            let closed = page.wait_for("the tab's end", |_| None::<()>);
            match page.limited("the tab's end", PULSE, closed).await {
                Err(EngineError::TimedOut { .. }) => keep_time_going(page, PULSE).await?,
                Ok(Err(EngineError::Protocol(ProtocolError::SessionClosed { .. }))) => {
                    return Ok(());
                }
                Ok(result) => return result,
                Err(error) => return Err(error),
            }
        }
    }
}
