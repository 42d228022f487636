//! Whose events somebody listens to.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

use super::SessionId;

/// Sessions that belong together, as those of a page and of what it starts. It only grows, for who listens to it as
/// well. Cheap to clone; all clones are one set.
///
/// A browser says nothing in a session in which nothing was asked for yet. So a listener misses nothing of a session
/// that is added before its first command is sent, however late it reads that there is one.
#[derive(Clone, Debug, Default)]
pub struct SessionSet(Arc<Mutex<HashSet<SessionId>>>);

impl SessionSet {
    /// Takes one in, before its first command.
    pub fn add(&self, session: SessionId) {
        self.0.lock().insert(session);
    }

    /// Whether it is one of them.
    pub fn has(&self, session: &SessionId) -> bool {
        self.0.lock().contains(session)
    }
}

impl From<SessionId> for SessionSet {
    fn from(session: SessionId) -> Self {
        Self(Arc::new(Mutex::new(HashSet::from([session]))))
    }
}

/// Whose events a listener wants. What belongs to others is not kept for it.
#[derive(Clone, Debug)]
pub enum SessionFilter {
    /// Those of one session.
    One(SessionId),
    /// Those of each session of a set, from when it is one of them.
    Set(SessionSet),
    /// Those that belong to no session: the browser's own.
    Browser,
    /// Those of all sessions and of the browser: for who answers for whatever the connection drives, whoever attached
    /// to it.
    Every,
}

impl SessionFilter {
    /// Whether events of that session are among them; `None`: those of the browser.
    pub fn has(&self, session: Option<&SessionId>) -> bool {
        match (self, session) {
            (Self::Every, _) | (Self::Browser, None) => true,
            (Self::One(one), Some(session)) => one == session,
            (Self::Set(set), Some(session)) => set.has(session),
            (Self::Browser, Some(_)) | (Self::One(_) | Self::Set(_), None) => false,
        }
    }
}

impl From<&SessionId> for SessionFilter {
    fn from(session: &SessionId) -> Self {
        Self::One(session.clone())
    }
}

impl From<&SessionSet> for SessionFilter {
    fn from(sessions: &SessionSet) -> Self {
        Self::Set(sessions.clone())
    }
}
