//! All sessions of one back end, and how many panels may be there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use querypoint::session::messages::{Refusal, RefusalCode, SessionOutline, is_session_name};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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
    seats: Arc<Semaphore>,
}

impl Sessions {
    /// The sessions of this folder.
    pub(super) fn new(store: Store, browser: BrowserArguments) -> Self {
        Self {
            store: Arc::new(store),
            browsers: Arc::new(Browsers::new(browser)),
            live: Mutex::default(),
            seats: Arc::new(Semaphore::new(MOST_PANELS)),
        }
    }

    /// A place for one panel more, until it is dropped.
    pub(super) fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.seats.clone().try_acquire_owned().ok()
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
