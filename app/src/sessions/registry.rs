//! The sessions, as they are kept and as far as somebody works at them: each is there once, under a name of its own.

pub mod session;

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use querypoint::session::messages::Refusal;
use querypoint::session::results::SessionOutline;

use super::Report;
use super::browsers::Browsers;
use super::store::{Keep, Store};
use session::{LiveSession, SessionState, failed};

/// How long a session in which nothing was done is kept for a panel that may come back to it.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);

/// How long a session that was deleted can be brought back.
const DELETED_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The longest name that a session's other names are made of; with a number they are names still.
const LONGEST_BASE: usize = 54;

/// All sessions of one back end.
pub(super) struct Registry {
    pub(super) store: Store,
    pub(super) browsers: Arc<Browsers>,
    /// How an answer is drawn for a report.
    pub(super) report: Report,
    live: Mutex<BTreeMap<String, Weak<LiveSession>>>,
}

impl Registry {
    /// The sessions of this folder, without those in which nothing was ever done and that nobody came back to.
    pub(super) fn new(store: Store, browsers: Browsers, report: Report) -> Self {
        let this = Self {
            store,
            browsers: Arc::new(browsers),
            report,
            live: Mutex::default(),
        };
        this.kept();
        this
    }

    /// The session of that name; all who open it get the same.
    ///
    /// # Errors
    /// If what is kept of it cannot be read.
    pub(super) fn open(self: &Arc<Self>, name: &str) -> Result<Arc<LiveSession>, Refusal> {
        let mut live = self.live();
        live.retain(|_, session| session.strong_count() > 0);
        if let Some(session) = live.get(name).and_then(Weak::upgrade) {
            return Ok(session);
        }
        let session = Arc::new(LiveSession::open(name, self.clone())?);
        live.insert(name.to_owned(), Arc::downgrade(&session));
        Ok(session)
    }

    /// A new session beside the one called `name`, which stays as it is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn beside(
        self: &Arc<Self>,
        name: &str,
        state: SessionState,
        keep: &Keep<'_>,
    ) -> Result<Arc<LiveSession>, Refusal> {
        let mut live = self.live();
        live.retain(|_, session| session.strong_count() > 0);
        let is_taken = |name: &str| live.contains_key(name) || self.store.has(name);
        let name = free_name(name, is_taken);
        let session = Arc::new(LiveSession::of(&name, self.clone(), state));
        live.insert(name.clone(), Arc::downgrade(&session));
        drop(live);
        self.store
            .keep(&name, keep)
            .map_err(|error| failed(&error))?;
        Ok(session)
    }

    /// Whoever had this session open goes. One in which nothing was ever done goes with the last of them.
    pub(super) fn leave(&self, session: Arc<LiveSession>) {
        let mut live = self.live();
        // It can be opened by nobody else meanwhile.
        if Arc::strong_count(&session) == 1 && session.is_untouched() {
            live.remove(session.name());
            // What cannot be removed stays, with nothing in it.
            let _ = self.store.remove_all(session.name());
        }
    }

    /// The sessions that are kept, the latest first, and likewise those that were deleted and can be brought back.
    /// Those in which nothing was ever done, and that nobody has open, are not among them.
    pub(super) fn kept(&self) -> (Vec<SessionOutline>, Vec<SessionOutline>) {
        let live = self.live();
        let (mut kept, mut deleted) = (Vec::new(), Vec::new());
        for it in self.store.sessions() {
            let session = live.get(&it.outline.session);
            let is_open = session.is_some_and(|session| session.strong_count() > 0);
            let limit = match (it.is_deleted, it.is_untouched) {
                (true, _) => Some(DELETED_FOR),
                (false, true) => Some(ABANDONED_AFTER),
                (false, false) => None,
            };
            if !is_open && limit.is_some_and(|limit| it.age > limit) {
                // What cannot be removed stays, and is tried again the next time.
                let _ = self.store.remove_all(&it.outline.session);
            } else if it.is_deleted {
                deleted.push(it.outline);
            } else if is_open || !it.is_untouched {
                kept.push(it.outline);
            }
        }
        (kept, deleted)
    }

    /// Whether something is being done in one of them.
    pub(super) fn is_busy(&self) -> bool {
        let live: Vec<Arc<LiveSession>> = self.live().values().filter_map(Weak::upgrade).collect();
        live.iter().any(|session| session.is_busy())
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
        self.live.lock()
    }
}

/// The first of `shop-2`, `shop-3`, … that is free; the sessions beside `shop-2` are called so too, if there is a
/// `shop`.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = name.rsplit_once('-').filter(|(base, number)| {
        number.chars().all(|it| it.is_ascii_digit()) && !number.is_empty() && is_taken(base)
    });
    let base = numbered.map_or(name, |(base, _)| base);
    // Names are of letters that have one byte.
    let base = base.get(..LONGEST_BASE).unwrap_or(base);
    let mut number: u64 = 2;
    loop {
        let name = format!("{base}-{number}");
        if !is_taken(&name) {
            return name;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::SystemTime;

    use querypoint::session::Session;
    use querypoint::session::messages::is_session_name;

    use super::*;
    use crate::browser::BrowserOptions;

    fn registry(store: Store) -> Arc<Registry> {
        let options = BrowserOptions {
            executable: None,
            connect: Vec::new(),
            headed: false,
            user: None,
            timeout: Duration::from_secs(30),
        };
        let report = |_: &_, _: &dyn Fn(&str, u32) -> _| String::new();
        Arc::new(Registry::new(store, Browsers::new(options), report))
    }

    #[test]
    fn a_session_beside_another_has_its_name_with_a_number() {
        let free = |name: &str, taken: &[&str]| free_name(name, |it| taken.contains(&it));
        assert_eq!(free("shop", &["shop"]), "shop-2");
        assert_eq!(free("shop", &["shop", "shop-2"]), "shop-3");
        assert_eq!(free("shop-2", &["shop", "shop-2"]), "shop-3");
        assert_eq!(free("tab-12", &["tab-12"]), "tab-12-2");
        assert_eq!(free("shop-", &["shop"]), "shop--2");
        let long = "x".repeat(64);
        assert!(is_session_name(&free(&long, &[&long])));
    }

    #[test]
    fn sessions_in_which_nothing_was_done_are_not_listed_and_go_after_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let page = Session::of_page("a.html");
        let asked = page.stopped_at("end").unwrap();
        for (name, session) in [("old", &page), ("new", &page), ("asked", &asked)] {
            store.keep(name, &Keep::of(session)).unwrap();
        }
        for name in ["old", "asked"] {
            let file = folder
                .path()
                .join("sessions")
                .join(name)
                .join("session.json");
            let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH);
            let file = File::options().write(true).open(file).unwrap();
            file.set_times(times).unwrap();
        }
        let registry = registry(store);
        let listed = || -> Vec<String> {
            let (kept, _) = registry.kept();
            kept.into_iter().map(|it| it.session).collect()
        };
        assert_eq!(listed(), ["asked"]);
        assert!(!registry.store.has("old"));
        // Whoever had it open may come back, and goes on to another one.
        let open = registry.open("new").unwrap();
        assert_eq!(listed(), ["new", "asked"]);
        let other = registry.open("new").unwrap();
        registry.leave(open);
        assert!(registry.store.has("new"));
        registry.leave(other);
        assert!(!registry.store.has("new"));
        registry.leave(registry.open("asked").unwrap());
        assert_eq!(listed(), ["asked"]);
    }

    #[test]
    fn a_session_that_was_deleted_can_be_brought_back_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let asked = Session::of_page("a.html").stopped_at("end").unwrap();
        for name in ["old", "new"] {
            store.keep(name, &Keep::of(&asked)).unwrap();
            store.delete(name).unwrap();
        }
        let old = File::open(folder.path().join("sessions/old")).unwrap();
        let long_ago = SystemTime::now() - DELETED_FOR - Duration::from_secs(1);
        old.set_times(FileTimes::new().set_modified(long_ago))
            .unwrap();
        let registry = registry(store);
        let (kept, deleted) = registry.kept();
        let names: Vec<String> = deleted.into_iter().map(|it| it.session).collect();
        assert_eq!(
            (kept.len(), names.as_slice()),
            (0, ["new".to_owned()].as_slice())
        );
        assert!(!registry.store.has("old"));
        // Who only looks does not lose it.
        registry.leave(registry.open("new").unwrap());
        assert!(
            registry
                .store
                .go("new", super::super::store::Way::Undo)
                .unwrap()
        );
        assert_eq!(registry.kept().0.len(), 1);
    }
}
