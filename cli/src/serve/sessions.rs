//! All sessions of one back end, and how many panels may be there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use querypoint::session::messages::{Refusal, RefusalCode, SessionOutline, is_session_name};
use tokio::sync::watch;

use super::browsers::Browsers;
use super::session::LiveSession;
use super::store::Store;
use crate::arguments::BrowserArguments;

/// More panels are not let in.
const MOST_PANELS: usize = 64;

/// The sessions, as far as a panel has them open or something is done for them.
pub(super) struct Sessions {
    store: Arc<Store>,
    browsers: Arc<Browsers>,
    live: Mutex<BTreeMap<String, Weak<LiveSession>>>,
    /// How many panels are connected.
    panels: watch::Sender<usize>,
}

/// A panel's place among those that are connected, until it is dropped.
pub(super) struct Seat(watch::Sender<usize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.send_modify(|panels| *panels -= 1);
    }
}

impl Sessions {
    /// The sessions of this folder.
    pub(super) fn new(store: Store, browser: BrowserArguments) -> Self {
        Self {
            store: Arc::new(store),
            browsers: Arc::new(Browsers::new(browser)),
            live: Mutex::default(),
            panels: watch::Sender::new(0),
        }
    }

    /// Whether work is done in a browser that somebody else started.
    pub(super) fn is_connected(&self) -> bool {
        self.browsers.are_connected()
    }

    /// A place for one panel more; none: there are too many.
    pub(super) fn seat(&self) -> Option<Seat> {
        let has_room = self.panels.send_if_modified(|panels| {
            let has_room = *panels < MOST_PANELS;
            *panels += usize::from(has_room);
            has_room
        });
        has_room.then(|| Seat(self.panels.clone()))
    }

    /// Ready when no panel was there for so long.
    pub(super) async fn unused_for(&self, limit: Duration) {
        let mut panels = self.panels.subscribe();
        // The sender is here as long as we are, so waiting does not fail.
        loop {
            let _ = panels.wait_for(|panels| *panels == 0).await;
            tokio::select! {
                () = tokio::time::sleep(limit) => return,
                _ = panels.wait_for(|panels| *panels > 0) => {}
            }
        }
    }

    /// The session of that name; all who open it get the same.
    ///
    /// # Errors
    /// If that is no name of a session, or what is kept of it cannot be read.
    pub(super) fn open(&self, name: &str) -> Result<Arc<LiveSession>, Refusal> {
        if !is_session_name(name) {
            let why = "the name of a session has 1 to 64 lower-case letters, digits and -";
            return Err(Refusal::new(RefusalCode::NotUnderstood, why));
        }
        let mut live = self.live();
        live.retain(|_, session| session.strong_count() > 0);
        if let Some(session) = live.get(name).and_then(Weak::upgrade) {
            return Ok(session);
        }
        let session = Arc::new(LiveSession::open(
            name,
            self.store.clone(),
            self.browsers.clone(),
        )?);
        live.insert(name.to_owned(), Arc::downgrade(&session));
        Ok(session)
    }

    /// The sessions that are kept, the latest first.
    pub(super) fn kept(&self) -> Vec<SessionOutline> {
        self.store.sessions()
    }

    /// Ends what is being done, and closes the browsers.
    pub(super) async fn close(&self) {
        let live: Vec<Arc<LiveSession>> = self.live().values().filter_map(Weak::upgrade).collect();
        for session in live {
            session.cancel();
        }
        self.browsers.close().await;
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<String, Weak<LiveSession>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
