//! The sessions of one page: that of its tab, and those of what it starts elsewhere, as workers, frames of other sites
//! and other tabs are reached by sessions of their own. Who listens to the page hears these and no others.

use std::sync::OnceLock;

use cdp_driver::protocol::{Event, SessionId, SessionSet};

/// Which sessions are the page's. They only grow: what is said of a session that has ended has no result.
#[derive(Debug)]
pub(super) struct Sessions {
    own: SessionSet,
    browser: OnceLock<SessionId>,
    /// The browser's session alone, once there is one.
    of_browser: SessionSet,
    /// The browser context that is the page's alone.
    pub(super) context: String,
}

impl Sessions {
    pub(super) fn new(tab: SessionId, context: &str) -> Self {
        Self {
            own: SessionSet::from(tab),
            browser: OnceLock::new(),
            of_browser: SessionSet::default(),
            context: context.to_owned(),
        }
    }

    /// The page's, for who listens to them.
    pub(super) fn own(&self) -> &SessionSet {
        &self.own
    }

    /// The one of the browser, for who listens to it.
    pub(super) fn of_browser(&self) -> &SessionSet {
        &self.of_browser
    }

    /// Takes one in, before its first command.
    pub(super) fn add(&self, session: SessionId) {
        self.own.add(session);
    }

    /// Whether it is one of the page's.
    pub(super) fn has(&self, session: &SessionId) -> bool {
        self.own.has(session)
    }

    /// Whether the event is of one of them.
    pub(super) fn holds(&self, event: &Event) -> bool {
        event
            .session
            .as_ref()
            .is_some_and(|session| self.has(session))
    }

    /// The session on which the browser reports what has none of its own yet, of this page and of others; before its
    /// first command.
    pub(super) fn set_browser(&self, session: SessionId) {
        self.of_browser.add(session.clone());
        // Set once for each page.
        let _ = self.browser.set(session);
    }

    /// That session, once there is one.
    pub(super) fn browser(&self) -> Option<&SessionId> {
        self.browser.get()
    }
}
