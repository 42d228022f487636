//! How a tab is opened, in two parts: the browser takes a while to start its process, and meanwhile others can work.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::future::join_all;
use parking_lot::Mutex;

use super::dialogs::AttendedTabs;
use super::state::PageState;
use super::{Ending, Page, attach_to, auto_attach, open_context, state};
use crate::error::EngineError;
use crate::sessions::Sessions;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Command as _, Contexts, Protocol};

/// A tab that is attached to and in which nothing is watched yet.
pub(crate) struct Opening(Page);

impl Opening {
    /// Enables what is watched: one round trip.
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub(crate) async fn enabled(self) -> Result<Page, EngineError> {
        let Self(page) = self;
        let enabled = [
            cdp::inspector::Enable {}.encoded(),
            cdp::page::Enable {}.encoded(),
            cdp::page::SetLifecycleEventsEnabled::new(true).encoded(),
            cdp::runtime::Enable {}.encoded(),
            cdp::network::Enable::default().encoded(),
            auto_attach(false).encoded(),
            // A tab that is not in front gets focus events and animation frames as if it were.
            cdp::emulation::SetFocusEmulationEnabled::new(true).encoded(),
        ];
        let session = Some(&page.session);
        for result in join_all(enabled.map(|it| it.send(page.protocol.as_ref(), session))).await {
            result?;
        }
        Ok(page)
    }
}

impl Page {
    /// Opens a blank tab in a new browser context, or takes the one tab that the connection has, and enables what is
    /// watched: four round trips.
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub async fn open(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EngineError> {
        Self::begin(protocol, clock).await?.enabled().await
    }

    /// The same, up to where the browser starts a process for it.
    ///
    /// # Errors
    /// [`EngineError::Protocol`].
    pub(crate) async fn begin(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
    ) -> Result<Opening, EngineError> {
        let (tab, ending) = match protocol.offers().contexts {
            Contexts::Own => (open_context(protocol.as_ref()).await?, Ending::Context),
            Contexts::OneTab { target_id } => ((target_id, String::new()), Ending::Leave),
        };
        Self::attach(protocol, clock, tab, ending).await
    }

    /// Attaches to a tab of a browser context, both by their ids.
    pub(super) async fn attach(
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
        (target_id, context_id): (String, String),
        ending: Ending,
    ) -> Result<Opening, EngineError> {
        let session = attach_to(protocol.as_ref(), &target_id).await?;
        // Nothing was asked for there yet; and a tab that is closed by now answers nothing any more.
        let sessions = Arc::new(Sessions::new(session.clone(), &context_id));
        let events = protocol.events_of(state::wanted(&session, &sessions));
        Ok(Opening(Self {
            protocol,
            clock,
            // The main frame has the id of its target.
            state: Arc::new(Mutex::new(PageState::new(
                session.clone(),
                target_id.clone(),
            ))),
            session,
            sessions,
            target_id,
            context_id,
            events: futures::lock::Mutex::new(events),
            ending: Mutex::new(ending),
            browser: Mutex::default(),
            virtual_time: AtomicBool::new(false),
            attended: AttendedTabs::default(),
            frames: Mutex::default(),
            environment: Arc::default(),
        }))
    }
}
