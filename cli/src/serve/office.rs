//! All sessions of one back end, and how many panels may be there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use querypoint::session::messages::{Refusal, RefusalCode, SessionOutline, is_session_name};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::browsers::Browsers;
use super::desk::Desk;
use super::store::Store;
use crate::arguments::BrowserArguments;

/// More panels are not let in.
const MOST_PANELS: usize = 64;

/// The sessions, as far as a panel has them open or something is done for them.
pub(super) struct Office {
    store: Arc<Store>,
    browsers: Arc<Browsers>,
    desks: Mutex<BTreeMap<String, Weak<Desk>>>,
    seats: Arc<Semaphore>,
}

impl Office {
    /// The sessions of this folder.
    pub(super) fn new(store: Store, browser: BrowserArguments) -> Self {
        Self {
            store: Arc::new(store),
            browsers: Arc::new(Browsers::new(browser)),
            desks: Mutex::default(),
            seats: Arc::new(Semaphore::new(MOST_PANELS)),
        }
    }

    /// A place for one panel more, until it is dropped.
    pub(super) fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.seats.clone().try_acquire_owned().ok()
    }

    /// The desk of a session; all who open it get the same.
    ///
    /// # Errors
    /// If that is no name of a session.
    pub(super) fn desk(&self, name: &str) -> Result<Arc<Desk>, Refusal> {
        if !is_session_name(name) {
            let why = "the name of a session has 1 to 64 lower-case letters, digits and -";
            return Err(Refusal::new(RefusalCode::NotUnderstood, why));
        }
        let mut desks = self.desks();
        desks.retain(|_, desk| desk.strong_count() > 0);
        if let Some(desk) = desks.get(name).and_then(Weak::upgrade) {
            return Ok(desk);
        }
        let desk = Arc::new(Desk::open(name, self.store.clone(), self.browsers.clone()));
        desks.insert(name.to_owned(), Arc::downgrade(&desk));
        Ok(desk)
    }

    /// The sessions that are kept, the latest first.
    pub(super) fn sessions(&self) -> Vec<SessionOutline> {
        self.store.sessions()
    }

    /// Ends what is being done, and closes the browsers.
    pub(super) async fn close(&self) {
        let desks: Vec<Arc<Desk>> = self.desks().values().filter_map(Weak::upgrade).collect();
        for desk in desks {
            desk.cancel();
        }
        self.browsers.close().await;
    }

    fn desks(&self) -> MutexGuard<'_, BTreeMap<String, Weak<Desk>>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
