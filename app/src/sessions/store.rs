//! What survives the back end: its secret, its port, and the sessions, each in a folder of its own.
//!
//! ```text
//! STATE/lock                       held by the back end that uses the folder
//! STATE/listening                  the port at which it listens, locked as long as it does
//! STATE/secret, STATE/port         what panels find it by
//! STATE/example/index.html         the page that is shipped with the program, once somebody tried it
//! STATE/sessions/NAME/session.json what was asked, and the answer
//! STATE/sessions/NAME/sources.json the texts of the files that the answer is about
//! STATE/sessions/NAME/recording.json, recording.json.har
//! STATE/sessions/NAME/earlier/, STATE/sessions/NAME/later/
//!                                  the states that it had before, and those that were undone ([`history`])
//! STATE/sessions/NAME/logs/        its event logs ([`logs`])
//! ```
//! All of it can be read by its owner alone, and no file is ever there by half. What belongs together is written as a
//! whole before anything of it takes the place of what was there ([`Keep`]), and what was there is kept.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use etcetera::base_strategy::{BaseStrategy, Xdg};
use querypoint::session::messages::is_session_name;
use querypoint::session::results::SessionOutline;
use querypoint::session::{SCHEMA, Session};
use recording::{Har, Recording};

use crate::failure::Failure;
use crate::private;
use crate::recording_file::{recording_as_written, responses_beside, save_text};
pub use error::StoreError;
use history::History;
pub(super) use history::Way;
pub(super) use logs::{KeptLog, NewLog};
use staged::Staged;

mod error;
mod history;
mod logs;
mod staged;
#[cfg(test)]
mod tests;

/// The texts of source files, by their addresses.
pub(super) type SourceTexts = BTreeMap<String, String>;

/// What the names of files begin with that are being written.
const UNFINISHED: &[u8] = b".tmp";

const SESSION: &str = "session.json";
const SOURCES: &str = "sources.json";
const RECORDING: &str = "recording.json";

/// More of them is not kept: a session is not to fill the disk.
const MOST_SOURCE_BYTES: usize = 32 << 20;

/// What is kept of a session at once: all of it or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep<'k> {
    /// The session.
    pub(super) session: &'k Session,
    /// The texts that its answer is about, which are kept as far as they are not too large; none: those that are kept
    /// already.
    pub(super) sources: Option<&'k SourceTexts>,
    /// Its recording.
    pub(super) recording: Taped<'k>,
}

/// Where the recording of a session that is kept comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taped<'k> {
    /// It stays as it is, or there is none.
    AsBefore,
    /// It is new, with its responses.
    New(&'k Recording, Option<&'k Har>),
    /// It is that of another session.
    Of(&'k str),
}

impl<'k> Keep<'k> {
    /// The session alone has changed.
    pub(super) const fn of(session: &'k Session) -> Self {
        Self {
            session,
            sources: None,
            recording: Taped::AsBefore,
        }
    }
}

/// A session that is kept.
#[derive(Debug)]
pub(super) struct KeptSession {
    /// What is shown of it.
    pub(super) outline: SessionOutline,
    /// Whether nothing was ever done in it.
    pub(super) is_untouched: bool,
    /// Whether a person deleted it; it is outlined as it was then.
    pub(super) is_deleted: bool,
    /// How long ago it changed.
    pub(super) age: Duration,
}

/// The folder, and that nobody else uses it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: File,
}

/// Says to others where a back end listens, as long as it is there.
#[derive(Debug)]
pub struct Listening {
    _file: File,
}

/// The folder that is used where none is named.
///
/// # Errors
/// [`StoreError::NoHome`].
pub fn default_folder() -> Result<PathBuf, StoreError> {
    let folders = Xdg::new().map_err(|_| StoreError::NoHome)?;
    let state = folders.state_dir().ok_or(StoreError::NoHome)?;
    Ok(state.join("querypoint"))
}

/// The port of the back end that uses this folder, and its secret; none: there is none, or it does not listen yet.
///
/// A file that is locked was written by the back end that holds the lock, so nobody else who got an old port is told
/// the secret:
/// neither by a lock of theirs nor by a port that they took.
pub fn running(folder: &Path) -> Option<(u16, String)> {
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
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
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
    pub fn secret(&self) -> Result<String, StoreError> {
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

    /// Writes the page that is shipped with the program where it can be served, in a folder with nothing else in it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn example(&self, text: &str) -> Result<PathBuf, StoreError> {
        make_inner_folder(&self.folder.join("example"))?;
        self.write("example/index.html", text)?;
        Ok(self.folder.join("example/index.html"))
    }

    /// The port of the last time.
    pub fn last_port(&self) -> Option<u16> {
        let text = fs::read_to_string(self.folder.join("port")).ok()?;
        text.trim().parse().ok().filter(|port| *port != 0)
    }

    /// Keeps the port for the next time, and says that it is listened at now.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn listens_at(&self, port: u16) -> Result<Listening, StoreError> {
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
        match self.of(name) {
            Some(folder) => session_in(&folder),
            None => Ok(None),
        }
    }

    /// The texts that the answer of the session is about.
    pub(super) fn sources(&self, name: &str) -> SourceTexts {
        let folder = self.of(name);
        let text = folder.and_then(|it| fs::read_to_string(it.join(SOURCES)).ok());
        let texts = text.and_then(|text| serde_json::from_str(&text).ok());
        texts.unwrap_or_default()
    }

    /// Keeps a session, and what belongs to it. All of it is written before anything takes the place of what was there,
    /// so that a full disk leaves that as it was. What was there is a state to go back to, if this is another one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(&self, name: &str, keep: &Keep<'_>) -> Result<(), StoreError> {
        let Some(folder) = self.of(name) else {
            return Ok(());
        };
        make_inner_folder(&folder)?;
        let kept = self.stage(&folder, keep).and_then(|staged| {
            let before = self.session(name)?;
            let is_recorded = matches!(keep.recording, Taped::New(..));
            if before.is_some_and(|before| {
                keep.session.is_another_than(&before) || is_recorded && !before.is_untouched()
            }) {
                History(&folder).add()?;
            }
            staged.publish()
        });
        if kept.is_err() {
            // One that was made for it; any other holds something.
            let _ = fs::remove_dir(&folder);
            return kept;
        }
        if let Taped::New(_, None) = keep.recording {
            // Those of a recording that had no result; mostly there are none.
            let _ = fs::remove_file(responses_beside(&folder.join(RECORDING)));
        }
        Ok(())
    }

    /// Writes what is to be kept beside what is there.
    fn stage(&self, folder: &Path, keep: &Keep<'_>) -> Result<Staged, StoreError> {
        let mut staged = Staged::default();
        let path = folder.join(RECORDING);
        // The session names the recording, and that its responses, so they come first.
        match keep.recording {
            Taped::AsBefore => {}
            Taped::New(recording, responses) => {
                if let Some(responses) = responses {
                    let text = responses.to_json(env!("CARGO_PKG_VERSION"));
                    staged.text(&text, responses_beside(&path))?;
                }
                staged.text(&recording.to_json(), path)?;
            }
            Taped::Of(other) => {
                if let Some(of) = self.recording(other) {
                    let responses = responses_beside(&of);
                    if responses.is_file() {
                        staged.copy(&responses, responses_beside(&path))?;
                    }
                    staged.copy(&of, path)?;
                }
            }
        }
        if let Some(sources) = keep.sources {
            let (sources, place) = (fitting(sources), folder.join(SOURCES));
            // Mostly they are those of the answer before: then the states of the session have one file.
            if !is_at(&sources, &place) {
                staged.json(&sources, place)?;
            }
        }
        staged.json(keep.session, folder.join(SESSION))?;
        Ok(staged)
    }

    /// Where the recording of a session is; none: it has none.
    pub(super) fn recording(&self, name: &str) -> Option<PathBuf> {
        let path = self.of(name)?.join(RECORDING);
        path.is_file().then_some(path)
    }

    /// Whether the session, or a state that it had, has a recording of a tab that somebody had open.
    pub(super) fn has_tab_recording(&self, name: &str) -> bool {
        let recordings = self.of(name).map(|folder| recordings_in(&folder));
        recordings.unwrap_or_default().iter().any(|path| {
            recording_as_written(path).is_ok_and(|recording| recording.began_in_open_tab())
        })
    }

    /// Takes the cookies that keep a person logged in out of the recordings of a session and of its states.
    fn drop_logins(folder: &Path) -> Result<(), StoreError> {
        for path in recordings_in(folder) {
            if let Ok(recording) = recording_as_written(&path)
                && !recording.login().is_empty()
            {
                write(&path, &recording.without_login().to_json())?;
            }
        }
        Ok(())
    }

    /// Removes a recording that belongs to nothing that was done in the session.
    pub(super) fn drop_recording(&self, name: &str) {
        if let Some(path) = self.recording(name) {
            // What is not there cannot be removed.
            let _ = fs::remove_file(&path);
            let _ = fs::remove_file(responses_beside(&path));
        }
    }

    /// Whether there is another state of the session that way.
    pub(super) fn has_state(&self, name: &str, way: Way) -> bool {
        self.of(name)
            .is_some_and(|folder| History(&folder).has(way))
    }

    /// Has a session have the state before, or the one that was undone. Says whether there is one.
    ///
    /// # Errors
    /// If it cannot be written; the session is as it was then.
    pub(super) fn go(&self, name: &str, way: Way) -> Result<bool, StoreError> {
        match self.of(name) {
            Some(folder) => History(&folder).go(way),
            None => Ok(false),
        }
    }

    /// Deletes a session, but for the way back to it; nobody is logged in by what is left.
    ///
    /// # Errors
    /// If it cannot be written; the session is as it was then.
    pub(super) fn delete(&self, name: &str) -> Result<(), StoreError> {
        let Some(folder) = self.of(name) else {
            return Ok(());
        };
        if self.session(name)?.is_some_and(|it| !it.is_untouched()) {
            History(&folder).add()?;
        }
        Self::drop_logins(&folder)?;
        logs::delete_logs(&folder)?;
        if History(&folder).has(Way::Undo) {
            History(&folder).clear()
        } else {
            self.remove_all(name)
        }
    }

    /// Removes a session and what it keeps, with all of its states.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn remove_all(&self, name: &str) -> Result<(), StoreError> {
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

    /// Whether anything is kept by that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.of(name).is_some_and(|folder| folder.exists())
    }

    /// The sessions that are kept, the latest first.
    pub(super) fn sessions(&self) -> Vec<KeptSession> {
        let entries = fs::read_dir(self.folder.join("sessions"));
        let names = entries.into_iter().flatten().flatten();
        let mut sessions: Vec<KeptSession> = names
            .filter_map(|entry| self.outline(entry.file_name().to_str()?))
            .collect();
        sessions.sort_by_key(|KeptSession { outline, .. }| {
            let name = outline.session.clone();
            (std::cmp::Reverse(outline.changed_ms), name)
        });
        sessions
    }

    fn outline(&self, name: &str) -> Option<KeptSession> {
        let folder = self.of(name)?;
        let history = History(&folder);
        let now = self.session(name).ok()?;
        let is_untouched = now.as_ref().is_none_or(Session::is_untouched);
        let has_logs = logs::has_logs(&folder);
        let deleted = history.before().filter(|_| is_untouched);
        let deleted = deleted.and_then(|state| session_in(&state).ok()?);
        let is_deleted = deleted.is_some();
        let session = deleted.or(now)?;
        let file = match is_deleted {
            true => folder.clone(),
            false => folder.join(SESSION),
        };
        let changed = file.metadata().and_then(|it| it.modified()).ok()?;
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(KeptSession {
            is_untouched: is_untouched && !is_deleted && !has_logs && !history.has(Way::Redo),
            is_deleted,
            age: changed.elapsed().unwrap_or_default(),
            outline: SessionOutline {
                session: name.to_owned(),
                page: session.page,
                first_action: session.recording.and_then(|it| it.first_action),
                queries: session.queries.len(),
                changed_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            },
        })
    }

    /// The folder of a session; none: that is no name of one.
    fn of(&self, name: &str) -> Option<PathBuf> {
        is_session_name(name).then(|| self.folder.join("sessions").join(name))
    }

    fn write(&self, file: &str, text: &str) -> Result<(), StoreError> {
        write(&self.folder.join(file), text)
    }
}

/// The recordings of a session in its folder, with those of its other states.
fn recordings_in(folder: &Path) -> Vec<PathBuf> {
    let states = History(folder).folders();
    let folders = std::iter::once(folder.to_owned()).chain(states);
    let files = folders.map(|it| it.join(RECORDING));
    files.filter(|file| file.is_file()).collect()
}

/// The texts, as far as they are not too large together.
fn fitting(texts: &SourceTexts) -> BTreeMap<&str, &str> {
    let mut room = MOST_SOURCE_BYTES;
    let mut fitting = BTreeMap::new();
    for (url, text) in texts {
        if let Some(rest) = room.checked_sub(text.len()) {
            room = rest;
            fitting.insert(url.as_str(), text.as_str());
        }
    }
    fitting
}

/// Whether these texts are those of a file.
fn is_at(texts: &BTreeMap<&str, &str>, path: &Path) -> bool {
    let kept = fs::read(path).ok();
    kept.is_some_and(|kept| serde_json::to_vec(texts).is_ok_and(|texts| texts == kept))
}

/// The session that is kept in a folder; none: nothing is.
fn session_in(folder: &Path) -> Result<Option<Session>, StoreError> {
    let path = folder.join(SESSION);
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
    save_text(text, path).map_err(|error| unwritable(path, error))
}

fn unwritable(path: &Path, failure: Failure) -> StoreError {
    match failure {
        Failure::UnwritableFile { path, source } => StoreError::Unusable { path, source },
        other => StoreError::Unusable {
            path: path.to_owned(),
            source: io::Error::other(other.to_string()),
        },
    }
}

/// Makes the folder of the state, into which nobody else can look, if it is not there.
///
/// # Errors
/// If it cannot be made, or others can look into it.
pub fn make_folder(folder: &Path) -> Result<(), StoreError> {
    const OURS: [&str; 3] = ["lock", "listening", "native-host"];
    private::make_folder(folder, &OURS).map_err(unusable(folder))
}

/// Removes what a back end that was killed had not finished writing. Only who holds the lock may.
fn remove_unfinished(folder: &Path) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let sessions = entries(&folder.join("sessions")).map(|entry| entry.path());
    let sessions = sessions.flat_map(|session| [logs::folder_of_logs(&session), session]);
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
