//! What the page starts: other tabs, frames in processes of their own, workers.

use agent::inputs_source;

use super::InputReplay;
use crate::page::auto_attach;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Event, SessionId};

impl InputReplay {
    /// Something new waits before its first script. Where we see to what the page starts, it is made ready and let go.
    pub(super) fn attached(&self, parent: &SessionId, attached: cdp::target::AttachedToTarget) {
        let (is_ours, is_of_browser) = {
            let state = self.state();
            let of_browser = state.browser.as_ref() == Some(parent);
            let known = *parent == self.tab || state.has(parent);
            (state.is_alone && (of_browser || known), of_browser)
        };
        let session = attached.session_id;
        let info = attached.target_info;
        let target = info.target_id.0;
        let is_own = target == self.target;
        self.state().targets.insert(session.clone(), target);
        if !is_ours {
            return;
        }
        let attach = || drop(self.protocol.call(Some(&session), &auto_attach(true)));
        let let_go = || {
            let go = cdp::runtime::RunIfWaitingForDebugger {};
            drop(self.protocol.call(Some(&session), &go));
        };
        let context = info.browser_context_id.map(|it| it.0);
        let is_other = context.as_ref() != Some(&self.context) || is_own;
        if is_of_browser && is_other {
            let_go();
            let gone = cdp::target::DetachFromTarget {
                session_id: Some(session.clone()),
            };
            drop(self.protocol.call(Some(parent), &gone));
            return;
        }
        match info.r#type.as_str() {
            "page" | "iframe" => {
                self.sessions.add(session.clone());
                self.install(&session);
                attach();
            }
            "worker" | "shared_worker" => {
                self.sessions.add(session.clone());
                self.state().starting_workers.insert(session.clone());
                self.workers.expect(&session);
                if info.r#type == "shared_worker" {
                    self.intercept(&session);
                }
                attach();
            }
            _ => {}
        }
        let_go();
    }

    pub(super) async fn paused(&self, session: &SessionId, event: &Event) {
        if !self.state().starting_workers.contains(session) {
            return;
        }
        let shift_ms = self.shift_ms();
        let script = format!("{}{}", inputs_source(&self.prefix), self.call());
        match self.workers.put(event, &script).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::debug!(%error, "a worker was gone before it began");
                return;
            }
        }
        {
            let mut state = self.state();
            if !state.starting_workers.remove(session) {
                return;
            }
            state.running_workers.insert(session.clone());
        }
        // What was published meanwhile was for those that run.
        if self.shift_ms() != shift_ms {
            self.move_clock_of(session);
        }
    }
}
