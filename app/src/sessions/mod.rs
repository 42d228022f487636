//! The sessions that panels work at, and how many panels may be there.

mod browsers;
mod registry;
pub mod store;
mod work;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use querypoint::answer::Answer;
use querypoint::session::messages::{Refusal, RefusalCode, is_session_name};
use querypoint::session::results::SessionList;
use tokio::sync::watch;

use crate::browser::BrowserOptions;
use browsers::Browsers;
use registry::Registry;
pub use registry::session;
use registry::session::LiveSession;
use store::{Listening, Store};

/// Draws an answer as one page of HTML: a front end's business. The second argument gives a line (from 1) of a source
/// file, by its address.
pub type Report = fn(&Answer, &dyn Fn(&str, u32) -> Option<String>) -> String;

/// More panels are not let in.
const MOST_PANELS: usize = 64;

/// The sessions, and who is connected.
pub struct Sessions {
    registry: Arc<Registry>,
    /// How many panels are connected.
    panels: watch::Sender<usize>,
    /// Whether they are to end, and for what.
    end: watch::Sender<Option<End>>,
    /// Says to others where they are, until they are to end.
    listening: Mutex<Option<Listening>>,
}

/// Why a back end ends that somebody ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A person does not want it.
    Unwanted,
    /// Another one takes its place.
    ForAnother,
}

/// A panel's place among those that are connected, until it is dropped.
pub struct Seat(watch::Sender<usize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.send_modify(|panels| *panels -= 1);
    }
}

impl Sessions {
    /// The sessions of this folder, found where it is listened at, whose answers are reported so.
    #[must_use]
    pub fn new(
        store: Store,
        listening: Listening,
        browser: BrowserOptions,
        report: Report,
    ) -> Self {
        Self {
            registry: Arc::new(Registry::new(store, Browsers::new(browser), report)),
            panels: watch::Sender::new(0),
            end: watch::Sender::new(None),
            listening: Mutex::new(Some(listening)),
        }
    }

    /// Whether work is done in a browser that somebody else started.
    pub fn is_connected(&self) -> bool {
        self.registry.browsers.are_connected()
    }

    /// A place for one panel more; none: there are too many.
    pub fn seat(&self) -> Option<Seat> {
        let has_room = self.panels.send_if_modified(|panels| {
            let has_room = *panels < MOST_PANELS;
            *panels += usize::from(has_room);
            has_room
        });
        has_room.then(|| Seat(self.panels.clone()))
    }

    /// Has the back end be ended.
    ///
    /// # Errors
    /// If another one is to take its place and something is being done.
    pub fn end(&self, why: End) -> Result<(), Refusal> {
        if why == End::ForAnother && self.registry.is_busy() {
            let busy = "a panel has something done just now; cancel that, or wait for its end";
            return Err(Refusal::new(RefusalCode::NotNow, busy));
        }
        // Nobody who hears of it finds this one again: closing the browsers takes a while.
        drop(self.listening.lock().take());
        self.end.send_replace(Some(why));
        Ok(())
    }

    /// Whether somebody ended the back end.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// Ready when somebody ended the back end, and why.
    pub async fn ended(&self) -> End {
        let mut end = self.end.subscribe();
        // The sender is here as long as we are.
        match end.wait_for(Option::is_some).await.map(|it| *it) {
            Ok(Some(why)) => why,
            _ => std::future::pending().await,
        }
    }

    /// Ready when no panel was there for so long.
    pub async fn unused_for(&self, limit: Duration) {
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
    pub fn open(&self, name: &str) -> Result<Arc<LiveSession>, Refusal> {
        if !is_session_name(name) {
            let why = "the name of a session has 1 to 64 lower-case letters, digits and -";
            return Err(Refusal::new(RefusalCode::NotUnderstood, why));
        }
        self.registry.open(name)
    }

    /// Whoever had this session open goes.
    pub fn leave(&self, session: Arc<LiveSession>) {
        self.registry.leave(session);
    }

    /// The sessions that are kept, and those that were deleted and can be restored.
    pub fn kept(&self) -> SessionList {
        let (sessions, deleted) = self.registry.kept();
        SessionList { sessions, deleted }
    }

    /// Ends what is being done, and closes the browsers.
    pub async fn close(&self) {
        drop(self.listening.lock().take());
        self.registry.close().await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use store::running;

    #[test]
    fn one_that_is_ended_is_not_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.secret().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let listening = store.listens_at(port).unwrap();
        let browser = BrowserOptions {
            executable: None,
            connect: Vec::new(),
            headed: false,
            user: None,
            timeout: Duration::from_secs(1),
        };
        let sessions = Sessions::new(store, listening, browser, |_, _| String::new());
        assert!(running(folder.path()).is_some());
        assert!(!sessions.is_ending());
        sessions.end(End::Unwanted).unwrap();
        assert!(sessions.is_ending());
        assert_eq!(running(folder.path()), None);
        // Whoever takes its place waits for the folder, which is in use until it is closed.
        assert!(Store::open(folder.path()).is_err());
        drop(sessions);
        Store::open(folder.path()).unwrap();
    }
}
