//! The sessions of one page: that of its tab, and those of what it starts elsewhere, as workers, frames of other sites
//! and other tabs are reached by sessions of their own.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::OnceLock;

use cdp_driver::protocol::{Event, SessionId};

/// Which sessions are the page's. They only grow: what is said of a session that has ended has no result.
#[derive(Debug)]
pub(super) struct Sessions {
    known: Mutex<HashSet<SessionId>>,
    browser: OnceLock<SessionId>,
    /// The browser context that is the page's alone.
    pub(super) context: String,
}

impl Sessions {
    pub(super) fn new(tab: SessionId, context: &str) -> Self {
        Self {
            known: Mutex::new(HashSet::from([tab])),
            browser: OnceLock::new(),
            context: context.to_owned(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.known.lock()
    }

    /// Takes one in.
    pub(super) fn add(&self, session: SessionId) {
        self.known().insert(session);
    }

    /// Whether it is one of the page's.
    pub(super) fn has(&self, session: &SessionId) -> bool {
        self.known().contains(session)
    }

    /// Whether the event is of one of them.
    pub(super) fn holds(&self, event: &Event) -> bool {
        event
            .session
            .as_ref()
            .is_some_and(|session| self.has(session))
    }

    /// The session on which the browser reports what has none of its own yet, of this page and of others.
    pub(super) fn set_browser(&self, session: SessionId) {
        // Set once for each page.
        let _ = self.browser.set(session);
    }

    /// That session, once there is one.
    pub(super) fn browser(&self) -> Option<&SessionId> {
        self.browser.get()
    }
}
