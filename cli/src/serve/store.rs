//! What survives the back end: its secret, its port, and the sessions, each in a folder of its own.
//!
//! ```text
//! STATE/lock                       held by the back end that uses the folder
//! STATE/listening                  the port at which it listens, locked as long as it does
//! STATE/secret, STATE/port         what panels find it by
//! STATE/sessions/NAME/session.json what was asked, and the answer
//! STATE/sessions/NAME/sources.json the texts of the files that the answer is about
//! STATE/sessions/NAME/recording.json, recording.json.har
//! ```
//! All of it can be read by its owner alone, and no file is ever there by half.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use querypoint::recording::{Har, Recording};
use querypoint::session::messages::{SessionOutline, is_session_name};
use querypoint::session::{SCHEMA, Session};

use crate::commands::recording_file::{responses_beside, save, save_text};
use crate::failure::Failure;
use crate::private;

/// The texts of source files, by their addresses.
pub(super) type SourceTexts = BTreeMap<String, String>;

/// What the names of files begin with that are being written.
const UNFINISHED: &[u8] = b".tmp";

/// More of them is not kept: a session is not to fill the disk.
const MOST_SOURCE_BYTES: usize = 32 << 20;

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// Something in it cannot be read or written.
    #[error(
        "{path} cannot be used: {source}; check its permissions, or name another folder with --state"
    )]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another back end uses it.
    #[error(
        "another `querypoint serve` uses {folder}; end it, or name another folder with --state"
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A session that is kept is not understood.
    #[error(
        "{path} is no session that this version reads ({why}); use the version that wrote it, or move the file away to begin anew"
    )]
    NoSession {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no folder of the user.
    #[error(
        "there is no folder for the state: neither XDG_STATE_HOME nor HOME is set; name one with --state"
    )]
    NoHome,
}

/// The folder, and that nobody else uses it.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    _lock: File,
}

/// Says to others where a back end listens, as long as it is there.
#[derive(Debug)]
pub(super) struct Listening {
    _file: File,
}

/// The folder that is used where none is named.
///
/// # Errors
/// [`StoreError::NoHome`].
pub(crate) fn default_folder() -> Result<PathBuf, StoreError> {
    let set = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")));
    Ok(state.ok_or(StoreError::NoHome)?.join("querypoint"))
}

/// The port of the back end that uses this folder, and its secret; none: there is none, or it does not listen yet.
///
/// A file that is locked was written by the back end that holds the lock, so nobody else who got an old port is told the secret:
/// neither by a lock of theirs nor by a port that they took.
pub(super) fn running(folder: &Path) -> Option<(u16, String)> {
    // Who could open the file could hold the lock of a back end that has ended, at whose port they listen now.
    if !private::is_private(&folder.metadata().ok()?) {
        return None;
    }
    let mut file = File::open(folder.join("listening")).ok()?;
    let metadata = file.metadata().ok()?;
    if !private::is_private(&metadata) {
        return None;
    }
    match file.try_lock_shared() {
        Err(fs::TryLockError::WouldBlock) => {}
        Ok(()) | Err(fs::TryLockError::Error(_)) => return None,
    }
    let mut port = String::new();
    file.read_to_string(&mut port).ok()?;
    let port = port.parse().ok()?;
    let is_ours = private::is_locked_by_us(&metadata) && private::is_listened_by_us(port);
    let secret = fs::read_to_string(folder.join("secret")).ok()?;
    is_ours.then(|| (port, secret.trim().to_owned()))
}

impl Store {
    /// Opens the folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be used, or is in use.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        make_folder(folder)?;
        make_inner_folder(&folder.join("sessions"))?;
        let path = folder.join("lock");
        let lock = private::create_file(&path).map_err(unusable(&path))?;
        match lock.try_lock() {
            Ok(()) => {
                remove_unfinished(folder);
                Ok(Self {
                    folder: folder.to_owned(),
                    _lock: lock,
                })
            }
            Err(fs::TryLockError::WouldBlock) => Err(StoreError::InUse {
                folder: folder.to_owned(),
            }),
            Err(fs::TryLockError::Error(source)) => Err(StoreError::Unusable { path, source }),
        }
    }

    /// The secret, which is made the first time: 128 random bits in hexadecimal.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(super) fn secret(&self) -> Result<String, StoreError> {
        let path = self.folder.join("secret");
        let is_secret =
            |text: &str| text.len() == 32 && text.chars().all(|c| c.is_ascii_hexdigit());
        match fs::read_to_string(&path) {
            Ok(text) if is_secret(text.trim()) => return Ok(text.trim().to_owned()),
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Unusable { path, source });
            }
            _ => {}
        }
        let mut bits = [0; 16];
        getrandom::fill(&mut bits)
            .map_err(io::Error::other)
            .map_err(unusable(&path))?;
        let secret: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        self.write("secret", &secret)?;
        Ok(secret)
    }

    /// The port of the last time.
    pub(super) fn last_port(&self) -> Option<u16> {
        let text = fs::read_to_string(self.folder.join("port")).ok()?;
        text.trim().parse().ok().filter(|port| *port != 0)
    }

    /// Keeps the port for the next time, and says that it is listened at now.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn listens_at(&self, port: u16) -> Result<Listening, StoreError> {
        let text = port.to_string();
        self.write("port", &text)?;
        // It gets its name when it is locked, so that a locked one always is its holder's.
        let (new, path) = (
            self.folder.join("listening.new"),
            self.folder.join("listening"),
        );
        let written = private::create_file(&new).and_then(|mut file| {
            file.lock()?;
            file.write_all(text.as_bytes())?;
            fs::rename(&new, &path)?;
            Ok(Listening { _file: file })
        });
        written.map_err(unusable(&path))
    }

    /// The session of that name; none: nothing is kept of it.
    ///
    /// # Errors
    /// If it is kept, and cannot be read or is of another version.
    pub(super) fn session(&self, name: &str) -> Result<Option<Session>, StoreError> {
        let Some(folder) = self.of(name) else {
            return Ok(None);
        };
        let path = folder.join("session.json");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Unusable { path, source }),
        };
        match session_of(&text) {
            Ok(session) => Ok(Some(session)),
            Err(why) => Err(StoreError::NoSession { path, why }),
        }
    }

    /// The texts that the answer of the session is about.
    pub(super) fn sources(&self, name: &str) -> SourceTexts {
        let folder = self.of(name);
        let text = folder.and_then(|it| fs::read_to_string(it.join("sources.json")).ok());
        let texts = text.and_then(|text| serde_json::from_str(&text).ok());
        texts.unwrap_or_default()
    }

    /// Keeps a session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(&self, name: &str, session: &Session) -> Result<(), StoreError> {
        self.write_json(name, "session.json", session)
    }

    /// Keeps the texts that its answer is about, as far as they are not too large.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn keep_sources(&self, name: &str, texts: &SourceTexts) -> Result<(), StoreError> {
        let mut room = MOST_SOURCE_BYTES;
        let mut fitting = SourceTexts::new();
        for (url, text) in texts {
            if let Some(rest) = room.checked_sub(text.len()) {
                room = rest;
                fitting.insert(url.clone(), text.clone());
            }
        }
        self.write_json(name, "sources.json", &fitting)
    }

    /// Where the recording of a session is; none: it has none.
    pub(super) fn recording(&self, name: &str) -> Option<PathBuf> {
        let path = self.of(name)?.join("recording.json");
        path.is_file().then_some(path)
    }

    /// Keeps a recording and its responses.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn keep_recording(
        &self,
        name: &str,
        recording: &Recording,
        responses: Option<&Har>,
    ) -> Result<(), Failure> {
        let Some(folder) = self.of(name) else {
            return Ok(());
        };
        make_inner_folder(&folder).map_err(|error| Failure::NotPossible(error.to_string()))?;
        let path = folder.join("recording.json");
        // The recording names the responses, so they come first.
        match responses {
            Some(responses) => {
                let text = responses.to_json(env!("CARGO_PKG_VERSION"));
                save_text(&text, &responses_beside(&path))?;
            }
            None => drop(fs::remove_file(responses_beside(&path))),
        }
        save(recording, &path)
    }

    /// Removes the recording of a session, which goes to another page.
    pub(super) fn drop_recording(&self, name: &str) {
        if let Some(path) = self.recording(name) {
            // What is not there cannot be removed.
            let _ = fs::remove_file(&path);
            let _ = fs::remove_file(responses_beside(&path));
        }
    }

    /// Removes a session and what it keeps.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn forget(&self, name: &str) -> Result<(), StoreError> {
        let Some(folder) = self.of(name) else {
            return Ok(());
        };
        match fs::remove_dir_all(&folder) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::Unusable {
                path: folder,
                source,
            }),
            _ => Ok(()),
        }
    }

    /// The sessions that are kept, the latest first.
    pub(super) fn sessions(&self) -> Vec<SessionOutline> {
        let entries = fs::read_dir(self.folder.join("sessions"));
        let names = entries.into_iter().flatten().flatten();
        let mut sessions: Vec<SessionOutline> = names
            .filter_map(|entry| self.outline(entry.file_name().to_str()?))
            .collect();
        sessions.sort_by(|one, other| {
            let key = |it: &SessionOutline| (std::cmp::Reverse(it.changed_ms), it.session.clone());
            key(one).cmp(&key(other))
        });
        sessions
    }

    fn outline(&self, name: &str) -> Option<SessionOutline> {
        let session = self.session(name).ok()??;
        let file = self.of(name)?.join("session.json");
        let changed = file.metadata().and_then(|it| it.modified()).ok()?;
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(SessionOutline {
            session: name.to_owned(),
            page: session.page,
            queries: session.queries.len(),
            changed_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The folder of a session; none: that is no name of one.
    fn of(&self, name: &str) -> Option<PathBuf> {
        is_session_name(name).then(|| self.folder.join("sessions").join(name))
    }

    fn write_json(
        &self,
        name: &str,
        file: &str,
        value: &impl serde::Serialize,
    ) -> Result<(), StoreError> {
        let Some(folder) = self.of(name) else {
            return Ok(());
        };
        make_inner_folder(&folder)?;
        let path = folder.join(file);
        let text = serde_json::to_string(value)
            .map_err(io::Error::other)
            .map_err(unusable(&path))?;
        write(&path, &text)
    }

    fn write(&self, file: &str, text: &str) -> Result<(), StoreError> {
        write(&self.folder.join(file), text)
    }
}

/// The schema comes first: what another version wrote may have other fields.
fn session_of(text: &str) -> Result<Session, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|it| it.to_string())?;
    match value.get("schema").and_then(serde_json::Value::as_str) {
        Some(SCHEMA) => serde_json::from_value(value).map_err(|it| it.to_string()),
        Some(schema) => Err(format!("its schema is {schema}, not {SCHEMA}")),
        None => Err("it names no schema".to_owned()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), StoreError> {
    save_text(text, path).map_err(|error| match error {
        Failure::UnwritableFile { path, source } => StoreError::Unusable { path, source },
        other => StoreError::Unusable {
            path: path.to_owned(),
            source: io::Error::other(other.to_string()),
        },
    })
}

/// Makes the folder of the state, into which nobody else can look, if it is not there.
///
/// # Errors
/// If it cannot be made, or others can look into it.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    const OURS: [&str; 3] = ["lock", "listening", "native-host"];
    private::make_folder(folder, &OURS).map_err(unusable(folder))
}

/// Removes what a back end that was killed had not finished writing. Only who holds the lock may.
fn remove_unfinished(folder: &Path) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let sessions = entries(&folder.join("sessions")).map(|entry| entry.path());
    for inner in sessions.chain([folder.to_owned()]) {
        for entry in entries(&inner) {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && entry.file_name().as_encoded_bytes().starts_with(UNFINISHED) {
                // What cannot be removed stays: the next time may do better.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Makes a folder in it.
fn make_inner_folder(folder: &Path) -> Result<(), StoreError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(unusable(folder))
}

fn unusable(path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |source| StoreError::Unusable {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::commands::recording_file::temporary_beside;

    #[test]
    fn what_was_kept_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::of_page("a.html").stopped_at("a.js:1").unwrap();
        let sources = SourceTexts::from([("http://h/a.js".to_owned(), "a\n".to_owned())]);
        let secret = {
            let store = Store::open(folder.path()).unwrap();
            store.keep("one", &session).unwrap();
            store.keep_sources("one", &sources).unwrap();
            let secret = store.secret().unwrap();
            assert_eq!(running(folder.path()), None);
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let _listening = store.listens_at(port).unwrap();
            assert_eq!(running(folder.path()), Some((port, secret.clone())));
            drop(listener);
            assert_eq!(running(folder.path()), None, "nobody listens there");
            let _listening = store.listens_at(4000).unwrap();
            secret
        };
        assert_eq!(running(folder.path()), None);
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.session("one").unwrap(), Some(session));
        assert_eq!(store.sources("one"), sources);
        assert_eq!(store.last_port(), Some(4000));
        assert_eq!(store.secret().unwrap(), secret);
        assert_eq!(store.session("two").unwrap(), None);
        let names: Vec<String> = store.sessions().into_iter().map(|it| it.session).collect();
        assert_eq!(names, ["one"]);
        store.forget("one").unwrap();
        assert_eq!(store.sessions(), []);
        store.forget("one").unwrap();
    }

    #[test]
    fn nobody_else_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state")).unwrap();
        store.secret().unwrap();
        store.keep("one", &Session::default()).unwrap();
        let mode = |path: &str| {
            let metadata = folder.path().join("state").join(path).metadata().unwrap();
            metadata.permissions().mode() & 0o777
        };
        let listening = store.listens_at(4000).unwrap();
        for file in ["secret", "lock", "listening", "port"] {
            assert_eq!(mode(file), 0o600, "{file}");
        }
        drop(listening);
        assert_eq!(mode("sessions"), 0o700);
        assert_eq!(mode("sessions/one"), 0o700);
        assert_eq!(mode("sessions/one/session.json"), 0o600);
    }

    #[test]
    fn who_others_can_take_the_place_of_is_not_told_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.secret().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let _listening = store.listens_at(port).unwrap();
        let is_told = |file: &str, mode: u32, closed: u32| {
            let path = folder.path().join(file);
            let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            set(mode);
            let is_told = running(folder.path()).is_some();
            set(closed);
            is_told
        };
        assert!(is_told(".", 0o700, 0o700));
        assert!(!is_told(".", 0o755, 0o700));
        assert!(!is_told("listening", 0o644, 0o600));
        assert!(is_told("listening", 0o600, 0o600));
    }

    #[test]
    fn a_folder_has_one_back_end() {
        let folder = tempfile::tempdir().unwrap();
        let first = Store::open(folder.path()).unwrap();
        let refused = Store::open(folder.path()).unwrap_err();
        assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
        drop(first);
        Store::open(folder.path()).unwrap();
    }

    #[test]
    fn names_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state")).unwrap();
        for name in ["../x", "..", "", "a/b", "A", "a\0"] {
            store.keep(name, &Session::default()).unwrap();
            store.forget(name).unwrap();
            assert_eq!(store.session(name).unwrap(), None);
        }
        assert!(folder.path().join("state/sessions").is_dir());
        assert!(!folder.path().join("state/x").exists());
        assert_eq!(store.sessions(), []);
    }

    #[test]
    fn broken_files_are_no_sessions_and_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.keep("one", &Session::default()).unwrap();
        for (text, why) in [
            ("{\"sch", "EOF while parsing"),
            ("{}", "it names no schema"),
            (
                "{\"schema\": \"querypoint/session/2\"}",
                "its schema is querypoint/session/2, not querypoint/session/1",
            ),
        ] {
            fs::write(folder.path().join("sessions/one/session.json"), text).unwrap();
            let refused = store.session("one").unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
            assert!(refused.contains("one/session.json"), "{refused}");
            assert_eq!(store.sessions(), []);
        }
        fs::write(folder.path().join("secret"), "").unwrap();
        fs::write(folder.path().join("port"), "70000").unwrap();
        assert_eq!(store.secret().unwrap().len(), 32);
        assert_eq!(store.last_port(), None);
    }

    #[test]
    fn what_a_killed_back_end_was_writing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.keep("one", &Session::default()).unwrap();
        // As if it were killed now: nobody removes the files.
        let unfinished = ["secret", "sessions/one/session.json"].map(|name| {
            let file = temporary_beside(&folder.path().join(name)).unwrap();
            file.keep().unwrap().1
        });
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        assert!(unfinished.iter().all(|file| !file.exists()));
        assert_eq!(store.sessions().len(), 1);
    }

    #[test]
    fn too_large_sources_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let large = "x".repeat(MOST_SOURCE_BYTES);
        let sources =
            SourceTexts::from([("a".to_owned(), large), ("b".to_owned(), "b".to_owned())]);
        store.keep_sources("one", &sources).unwrap();
        let kept: Vec<String> = store.sources("one").into_keys().collect();
        assert_eq!(kept, ["a"]);
    }
}
