//! The event logs of a session.
//!
//! ```text
//! STATE/sessions/NAME/logs/N.qplog         the log with this number
//! STATE/sessions/NAME/logs/N.sources.json  the texts of the files that it names
//! STATE/sessions/NAME/logs/N.scripts.json  the scripts that ran
//! STATE/sessions/NAME/logs/N.answers.json  what was said of its calls
//! ```
//! They can be recorded again, so only the latest are kept, no state of the session has them, and they go with a
//! session that is deleted.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tempfile::NamedTempFile;

use super::staged::Staged;
use super::{SourceTexts, Store, StoreError, fitting, make_inner_folder, unusable, unwritable};
use crate::diagnosis::session::KeptAnswers;
use crate::recording_file::temporary_beside;

/// Older ones are removed.
const MOST_LOGS: usize = 5;

const FOLDER: &str = "logs";
const LOG: &str = "qplog";

/// A log that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sessions) struct KeptLog {
    /// Its number, from 1.
    pub(in crate::sessions) number: u32,
    /// Its file.
    pub(in crate::sessions) path: PathBuf,
    /// When it was recorded, in milliseconds since 1970.
    pub(in crate::sessions) recorded_ms: u64,
}

/// A log that is being recorded. One that is not published is removed.
#[derive(Debug)]
pub(in crate::sessions) struct NewLog {
    file: NamedTempFile,
    folder: PathBuf,
}

impl NewLog {
    /// What it is written to, from its beginning on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::sessions) fn output(&self) -> io::Result<File> {
        let file = self.file.reopen()?;
        file.set_len(0)?;
        Ok(file)
    }

    /// Keeps it with the texts of its files and the scripts that ran, and removes the oldest ones.
    ///
    /// # Errors
    /// If it cannot be written; those that were there are there as before.
    pub(in crate::sessions) fn publish(
        self,
        texts: &SourceTexts,
        scripts: &str,
    ) -> Result<KeptLog, StoreError> {
        let before = logs_in(&self.folder);
        let number = before.first().map_or(1, |log| log.number.saturating_add(1));
        // A log without its texts is of use, texts without their log are not.
        let path = self.folder.join(format!("{number}.{LOG}"));
        self.file
            .persist(&path)
            .map_err(|error| unusable(&path)(error.error))?;
        let mut staged = Staged::default();
        staged.json(&fitting(texts), texts_beside(&path))?;
        staged.text(scripts, scripts_beside(&path))?;
        staged.publish()?;
        for old in before.iter().skip(MOST_LOGS - 1) {
            // What cannot be removed now may be the next time.
            let _ = remove(&old.path);
        }
        let recorded_ms = recorded_ms(&path);
        Ok(KeptLog {
            number,
            path,
            recorded_ms,
        })
    }
}

impl Store {
    /// The logs of a session, the latest first.
    pub(in crate::sessions) fn logs(&self, name: &str) -> Vec<KeptLog> {
        self.of(name)
            .map_or_else(Vec::new, |folder| logs_in(&folder.join(FOLDER)))
    }

    /// A log; none: there is none with this number.
    pub(in crate::sessions) fn log(&self, name: &str, number: u32) -> Option<KeptLog> {
        let mut logs = self.logs(name).into_iter();
        logs.find(|log| log.number == number)
    }

    /// The texts of the files that a log names.
    pub(in crate::sessions) fn log_texts(&self, name: &str, number: u32) -> SourceTexts {
        let path = self.log(name, number).map(|log| texts_beside(&log.path));
        let text = path.and_then(|path| fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// The scripts that ran while a log was recorded, as they were kept; none: they were not.
    pub(in crate::sessions) fn log_scripts(&self, log: &KeptLog) -> Option<String> {
        fs::read_to_string(scripts_beside(&log.path)).ok()
    }

    /// What was said of the calls of a log; none: nothing yet.
    ///
    /// # Errors
    /// If it cannot be read: then nothing may be written in its place.
    pub(in crate::sessions) fn answers(
        &self,
        log: &KeptLog,
    ) -> Result<Option<KeptAnswers>, StoreError> {
        let path = answers_beside(&log.path);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(unusable(&path))?,
        };
        let answers = serde_json::from_str(&text).map_err(io::Error::other);
        answers.map(Some).map_err(unusable(&path))
    }

    /// Keeps what was said of the calls of a log.
    ///
    /// # Errors
    /// If it cannot be written; what was there is there as before.
    pub(in crate::sessions) fn keep_answers(
        &self,
        log: &KeptLog,
        answers: &KeptAnswers,
    ) -> Result<(), StoreError> {
        let mut staged = Staged::default();
        staged.json(answers, answers_beside(&log.path))?;
        staged.publish()
    }

    /// Begins a log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::sessions) fn new_log(&self, name: &str) -> Result<NewLog, StoreError> {
        let folder = self
            .of(name)
            .unwrap_or_else(|| self.folder.clone())
            .join(FOLDER);
        make_inner_folder(&folder)?;
        let place = folder.join(LOG);
        let file = temporary_beside(&place).map_err(|failure| unwritable(&place, failure))?;
        Ok(NewLog { file, folder })
    }

    /// Removes a log. Says whether there was one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(in crate::sessions) fn delete_log(
        &self,
        name: &str,
        number: u32,
    ) -> Result<bool, StoreError> {
        match self.log(name, number) {
            Some(log) => remove(&log.path).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Removes all logs of the session in a folder.
///
/// # Errors
/// If they cannot be removed.
pub(super) fn delete_logs(folder: &Path) -> Result<(), StoreError> {
    let logs = folder.join(FOLDER);
    match fs::remove_dir_all(&logs) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(unusable(&logs)(source)),
        _ => Ok(()),
    }
}

/// Whether the session in a folder has a log.
pub(super) fn has_logs(folder: &Path) -> bool {
    !logs_in(&folder.join(FOLDER)).is_empty()
}

/// Where the logs of the session in a folder are.
pub(super) fn folder_of_logs(folder: &Path) -> PathBuf {
    folder.join(FOLDER)
}

fn logs_in(folder: &Path) -> Vec<KeptLog> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut logs: Vec<KeptLog> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_name()?.to_str()?;
            let number = name.strip_suffix(LOG)?.strip_suffix('.')?.parse().ok()?;
            let recorded_ms = recorded_ms(&path);
            Some(KeptLog {
                number,
                path,
                recorded_ms,
            })
        })
        .collect();
    logs.sort_by_key(|log| std::cmp::Reverse(log.number));
    logs
}

fn recorded_ms(path: &Path) -> u64 {
    let modified = path.metadata().and_then(|it| it.modified());
    let since = modified
        .ok()
        .and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX))
}

fn texts_beside(log: &Path) -> PathBuf {
    log.with_extension("sources.json")
}

fn scripts_beside(log: &Path) -> PathBuf {
    log.with_extension("scripts.json")
}

fn answers_beside(log: &Path) -> PathBuf {
    log.with_extension("answers.json")
}

fn remove(log: &Path) -> Result<(), StoreError> {
    for beside in [texts_beside(log), scripts_beside(log), answers_beside(log)] {
        // There may be none.
        let _ = fs::remove_file(beside);
    }
    fs::remove_file(log).map_err(unusable(log))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn texts(text: &str) -> SourceTexts {
        SourceTexts::from([("http://h/app.js".to_owned(), text.to_owned())])
    }

    fn recorded(store: &Store, text: &str) -> u32 {
        let new = store.new_log("a").unwrap();
        // An execution that has to be repeated begins its log anew.
        new.output()
            .unwrap()
            .write_all(b"an execution that was given up")
            .unwrap();
        new.output().unwrap().write_all(text.as_bytes()).unwrap();
        new.publish(&texts(text), "[]").unwrap().number
    }

    #[test]
    fn the_latest_logs_are_kept_with_their_texts() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.logs("a"), []);
        for number in 1..=7 {
            assert_eq!(recorded(&store, &format!("log {number}")), number);
        }
        let numbers = |store: &Store| {
            store
                .logs("a")
                .iter()
                .map(|log| log.number)
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(&store), [7, 6, 5, 4, 3]);
        let path = store.log("a", 5).unwrap().path;
        assert_eq!(fs::read_to_string(path).unwrap(), "log 5");
        assert_eq!(store.log_texts("a", 5), texts("log 5"));
        assert!(store.log("a", 1).is_none() && store.log_texts("a", 1).is_empty());
        assert!(store.delete_log("a", 5).unwrap() && !store.delete_log("a", 5).unwrap());
        assert_eq!(numbers(&store), [7, 6, 4, 3]);
        let left = fs::read_dir(folder.path().join("sessions/a/logs"))
            .unwrap()
            .count();
        assert_eq!(left, 12);
        // The number of one that was removed is not given again while later ones are there.
        assert_eq!(recorded(&store, "log 8"), 8);
    }

    #[test]
    fn answers_that_cannot_be_read_are_said_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        recorded(&store, "log");
        let log = store.log("a", 1).unwrap();
        assert_eq!(store.answers(&log).unwrap(), None);
        let said = KeptAnswers {
            left_to_person: vec![4],
            ..KeptAnswers::default()
        };
        store.keep_answers(&log, &said).unwrap();
        assert_eq!(store.answers(&log).unwrap(), Some(said));
        fs::write(answers_beside(&log.path), "{").unwrap();
        assert!(store.answers(&log).is_err());
        assert_eq!(fs::read_to_string(answers_beside(&log.path)).unwrap(), "{");
    }

    #[test]
    fn a_log_that_is_not_finished_is_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let new = store.new_log("a").unwrap();
        new.output().unwrap().write_all(b"half").unwrap();
        assert_eq!(store.logs("a"), []);
        drop(new);
        // One whose back end was killed is removed by the next.
        let new = store.new_log("a").unwrap();
        std::mem::forget(new);
        drop(store);
        let _store = Store::open(folder.path()).unwrap();
        let left = fs::read_dir(folder.path().join("sessions/a/logs"))
            .unwrap()
            .count();
        assert_eq!(left, 0);
    }

    #[test]
    fn logs_are_those_of_their_session_and_go_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        recorded(&store, "log");
        assert_eq!(store.logs("b"), []);
        assert!(store.log("../a", 1).is_none());
        store.delete("a").unwrap();
        assert_eq!(store.logs("a"), []);
    }
}
