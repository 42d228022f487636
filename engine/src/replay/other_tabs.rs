//! Steps that are not done in the document that is shown: in tabs that the page opened, and in the history.

use std::sync::Arc;
use std::time::Duration;

use recording::{Step, StepKind};

use super::locate::Miss;
use super::runner::Runner;
use super::runner::ScriptEventsSoFar;
use super::waiting::path_of;
use crate::error::EngineError;
use crate::page::Page;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{CallBrowser as _, ProtocolError};

/// How often it is looked whether a tab is there.
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Runner<'_> {
    /// Does a step in the tab that shows `target`, once there is one.
    pub(super) async fn step_elsewhere(&mut self, step: &Step, target: &str) -> Result<(), Miss> {
        // What a script closed is closed.
        let closes = matches!(step.kind, StepKind::Close);
        let limit = if closes {
            Duration::ZERO
        } else {
            self.limit_of(step)
        };
        let Some(id) = self.tab_that_shows(target, limit).await? else {
            return match closes {
                true => Ok(()),
                false => Err(Miss::NotThere(format!(
                    "it acts on {target}, which no tab of the page shows"
                ))),
            };
        };
        if closes {
            let close = cdp::target::CloseTarget::new(id);
            let closed = self.page.drive(self.page.protocol().call_browser(&close));
            return match closed.await {
                Err(error) if error.is_fatal() => Err(error.into()),
                _ => Ok(()),
            };
        }
        let tab = self.tab(&id, target).await?;
        let mut there = Runner {
            page: &tab,
            recording: self.recording,
            options: self.options,
            cursor: self.cursor,
            input_replay: self.input_replay,
            input: std::mem::take(&mut self.input),
            divergences: Vec::new(),
            events: ScriptEventsSoFar::unknown(),
            number: self.number,
            storage_script: None,
            tabs: Vec::new(),
        };
        self.page.attended_tabs().attend(&id);
        let done = self.page.drive(there.step(step, None)).await;
        self.page.attended_tabs().leave(&id);
        there.note_dialogs();
        self.input = there.input;
        self.divergences.append(&mut there.divergences);
        match done {
            // It was the step that closed it: that is recorded as a step of its own.
            Err(Miss::Failed(EngineError::Protocol(ProtocolError::SessionClosed { .. })))
                if self.is_closed_next(target) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    /// Whether the next step closes that tab.
    fn is_closed_next(&self, target: &str) -> bool {
        let next = self.recording.steps.get(self.number);
        next.is_some_and(|next| {
            next.kind == StepKind::Close && next.target.as_deref() == Some(target)
        })
    }

    /// The id of the tab that shows `url`, the youngest if there are several. Origins differ with where a page is
    /// served.
    async fn tab_that_shows(&self, url: &str, limit: Duration) -> Result<Option<String>, Miss> {
        let clock = self.page.clock();
        let deadline_ms = clock.now_ms() + limit.as_secs_f64() * 1000.0;
        loop {
            let all = cdp::target::GetTargets::default();
            let sent = self.page.protocol().call_browser(&all);
            let targets = match self.page.drive(sent).await {
                Err(ProtocolError::NotOffered { missing, .. }) => {
                    return Err(Miss::NotThere(format!("it acts on {url}, and {missing}")));
                }
                told => told?.target_infos,
            };
            let context = self.page.context_id();
            // The browser names the youngest first.
            let tab = targets.into_iter().find(|target| {
                target.r#type == "page"
                    && target
                        .browser_context_id
                        .as_ref()
                        .is_some_and(|it| it.0 == context)
                    && target.target_id.0 != self.page.target_id()
                    && path_of(&target.url) == path_of(url)
            });
            if let Some(tab) = tab {
                return Ok(Some(tab.target_id.0));
            }
            if clock.now_ms() >= deadline_ms {
                return Ok(None);
            }
            self.page.drive(clock.sleep(LOOK_EVERY)).await;
        }
    }

    /// The tab with that id, which we are attached to from now on.
    async fn tab(&mut self, id: &str, url: &str) -> Result<Arc<Page>, Miss> {
        let is_it = |tab: &&Arc<Page>| tab.target_id() == id;
        if let Some(tab) = self.tabs.iter().find(is_it) {
            return Ok(tab.clone());
        }
        let tab = self.page.drive(self.page.tab(id, url)).await?;
        let tab = Arc::new(tab);
        self.tabs.push(tab.clone());
        Ok(tab)
    }

    /// Goes back or forward as with the browser's own buttons.
    pub(super) async fn go_in_history(&self, delta: i32) -> Result<(), Miss> {
        let history = self.page.call(&cdp::page::GetNavigationHistory {});
        let history = self.page.drive(history).await?;
        let delta_of = isize::try_from(delta).ok();
        let index = delta_of.and_then(|delta| history.current_index.checked_add_signed(delta));
        let Some(entry) = index.and_then(|index| history.entries.get(index)) else {
            return Err(Miss::NotThere(format!(
                "the history has no entry {delta:+} from here"
            )));
        };
        let gone = cdp::page::NavigateToHistoryEntry::new(entry.id);
        let gone = self.page.call(&gone);
        self.page.drive(gone).await?;
        Ok(())
    }
}
