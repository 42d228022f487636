//! How a page ends: its tab is closed with its browser context. The one tab of a connection stays, and is left as it
//! can be used again: what runs in it ends, and nothing of ours stays.

use std::time::Duration;

use super::Page;
use crate::error::EngineError;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{CallBrowser as _, Command as _, Encoded, ProtocolError};

/// What becomes of the tab when the page is not needed any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing: it is another's.
    #[default]
    Nothing,
    /// It is the one that the connection has: what was put into it is taken out.
    Leave,
    /// It is closed with its browser context.
    Context,
}

/// What the navigation away may take: where it takes longer, the next one takes its place.
const LONGEST: Duration = Duration::from_secs(5);

/// The script that is paused ends where it is, as in a tab that is closed; and the page goes before what intercepts its
/// requests does: none of them reaches a server that should not have it.
fn go_away() -> [Encoded; 3] {
    [
        cdp::runtime::TerminateExecution {}.encoded(),
        cdp::debugger::Disable {}.encoded(),
        cdp::page::Navigate::new("about:blank").encoded(),
    ]
}

impl Page {
    /// Closes the tab and its browser context. The one tab of a connection stays, blank and without anything of ours;
    /// so does a tab that was there before.
    ///
    /// # Errors
    /// [`EngineError::Protocol`]; a connection that is gone has taken the context with it.
    pub async fn dispose(self) -> Result<(), EngineError> {
        let ending = std::mem::take(&mut *self.ending.lock());
        self.let_go_of_browser();
        let ended = match ending {
            Ending::Nothing => Ok(()),
            Ending::Leave => return self.leave().await,
            Ending::Context => {
                let dispose = cdp::target::DisposeBrowserContext::new(&self.context_id);
                self.protocol.call_browser(&dispose).await.map(drop)
            }
        };
        match ended {
            Err(ProtocolError::Refused { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What other tabs start must not wait for us any longer.
    fn let_go_of_browser(&self) {
        if let Some(browser) = self.browser.lock().take() {
            let session_id = Some(browser);
            let detach = cdp::target::DetachFromTarget { session_id };
            drop(self.protocol.call_browser(&detach));
        }
    }

    /// Leaves the tab.
    ///
    /// # Errors
    /// The connection or the tab is gone.
    async fn leave(&self) -> Result<(), EngineError> {
        let sent = go_away().map(|it| it.send(self.protocol.as_ref(), Some(&self.session)));
        for sent in sent {
            let done = self
                .limited("the blank page", LONGEST, self.drive(sent))
                .await;
            match done {
                // A document that does not let go of the tab goes with the next navigation.
                Ok(Ok(_) | Err(ProtocolError::Refused { .. })) | Err(_) => {}
                Ok(Err(error)) => return Err(error.into()),
            }
        }
        self.protocol.renew_tab().await?;
        Ok(())
    }

    /// The same, where nobody waits for it.
    fn begin_to_leave(&self) {
        for command in go_away() {
            drop(command.send(self.protocol.as_ref(), Some(&self.session)));
        }
        drop(self.protocol.renew_tab());
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.let_go_of_browser();
        match std::mem::take(&mut *self.ending.lock()) {
            Ending::Nothing => {}
            Ending::Leave => self.begin_to_leave(),
            Ending::Context => {
                let dispose = cdp::target::DisposeBrowserContext::new(&self.context_id);
                drop(self.protocol.call_browser(&dispose));
            }
        }
    }
}
