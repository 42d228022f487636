//! The states that a session had before, and the way back to them and on again.
//!
//! ```text
//! STATE/sessions/NAME/earlier/N/…  what `undo` brings back, the highest number first
//! STATE/sessions/NAME/later/N/…    what `redo` brings back, the highest number first
//! ```
//! A state is a folder with the files that the session had then. They are other names of the same files: a file never
//! changes, another one takes its place. A state without files is that of a session that was deleted.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::staged::{Staged, is_same_file, link};
use super::{RECORDING, SESSION, SOURCES, StoreError, make_inner_folder, unusable};
use crate::recording_file::responses_beside;

/// Where the states before are.
const EARLIER: &str = "earlier";
/// Where the states are that were undone.
const LATER: &str = "later";

/// How many states before are kept,
const MOST_STATES: usize = 100;
/// and how many bytes of them: those that are the oldest go.
const MOST_BYTES: u64 = 256 << 20;

/// The way through the states of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the one before.
    Undo,
    /// To the one that was undone.
    Redo,
}

/// The states of the session in a folder.
#[derive(Debug)]
pub(super) struct History<'f>(pub(super) &'f Path);

impl History<'_> {
    /// Whether there is a state that way.
    pub(super) fn has(&self, way: Way) -> bool {
        !self.states(way).is_empty()
    }

    /// Where the state before is; none: there is none.
    pub(super) fn before(&self) -> Option<PathBuf> {
        Some(self.states(Way::Undo).pop()?.1)
    }

    /// The folders of all other states.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let ways = [Way::Undo, Way::Redo].into_iter();
        ways.flat_map(|way| self.states(way))
            .map(|(_, folder)| folder)
            .collect()
    }

    /// Keeps the state that the session has now, because it is going to have another one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(&self) -> Result<(), StoreError> {
        let undone = self.states(Way::Redo);
        self.set_aside(Way::Undo)?;
        if !undone.is_empty() {
            // On the way back is first what was undone, and then this state again.
            for (_, state) in undone.iter().rev() {
                let place = self.next(Way::Undo);
                fs::rename(state, &place).map_err(unusable(&place))?;
            }
            self.set_aside(Way::Undo)?;
        }
        self.drop_oldest();
        Ok(())
    }

    /// Has the session have the next state that way, and keeps the one that it has. Says whether there is one.
    ///
    /// # Errors
    /// If it cannot be written; the session is as it was then.
    pub(super) fn go(&self, way: Way) -> Result<bool, StoreError> {
        while let Some((_, state)) = self.states(way).pop() {
            // What was added for a change that was not written after all is no other state.
            let is_other = !self.is_now(&state);
            if is_other {
                self.set_aside(match way {
                    Way::Undo => Way::Redo,
                    Way::Redo => Way::Undo,
                })?;
                self.take(&state)?;
            }
            self.remove(way, &state);
            if is_other {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the files that the session has now, and nothing else.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub(super) fn clear(&self) -> Result<(), StoreError> {
        self.remove_but(None)
    }

    fn folder(&self, way: Way) -> PathBuf {
        self.0.join(match way {
            Way::Undo => EARLIER,
            Way::Redo => LATER,
        })
    }

    /// The states that way with their numbers, the next one last.
    fn states(&self, way: Way) -> Vec<(u64, PathBuf)> {
        let entries = fs::read_dir(self.folder(way)).into_iter().flatten();
        let mut states: Vec<(u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let number = entry.file_name().to_str()?.parse().ok()?;
                Some((number, entry.path()))
            })
            .collect();
        states.sort();
        states
    }

    /// Where another state goes.
    fn next(&self, way: Way) -> PathBuf {
        let last = self.states(way).pop().map_or(0, |(number, _)| number);
        self.folder(way).join((last + 1).to_string())
    }

    /// Where a state is while it is not whole. Nobody takes it for one.
    fn unfinished(&self, way: Way) -> PathBuf {
        self.folder(way).join(".tmp")
    }

    /// Adds the state that the session has now on that side.
    fn set_aside(&self, way: Way) -> Result<(), StoreError> {
        let folder = self.unfinished(way);
        // A back end that was killed may have left it.
        let _ = fs::remove_dir_all(&folder);
        make_inner_folder(&folder)?;
        let set_aside = || -> Result<(), StoreError> {
            for name in files() {
                let of = self.0.join(&name);
                if of.is_file() {
                    link(&of, &folder.join(&name)).map_err(unusable(&folder))?;
                }
            }
            let place = self.next(way);
            fs::rename(&folder, &place).map_err(unusable(&place))
        };
        let done = set_aside();
        if done.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        done
    }

    /// Has the session have the files of a state.
    fn take(&self, state: &Path) -> Result<(), StoreError> {
        let mut staged = Staged::default();
        for name in files() {
            let of = state.join(&name);
            if of.is_file() {
                staged.copy(&of, self.0.join(&name))?;
            }
        }
        staged.publish()?;
        self.remove_but(Some(state))
    }

    /// Removes the files that the session has now and this state has not.
    fn remove_but(&self, state: Option<&Path>) -> Result<(), StoreError> {
        // What names others goes before them.
        for name in files().into_iter().rev() {
            let path = self.0.join(&name);
            let stays = state.is_some_and(|state| state.join(&name).is_file());
            if !stays && path.is_file() {
                fs::remove_file(&path).map_err(unusable(&path))?;
            }
        }
        Ok(())
    }

    /// Whether the session has this state now.
    fn is_now(&self, state: &Path) -> bool {
        // Other sources alone are no other state.
        let mut files = files()
            .into_iter()
            .filter(|name| *name != Path::new(SOURCES));
        files.all(|name| {
            let (then, now) = (state.join(&name), self.0.join(&name));
            is_same_file(&then, &now) || fs::read(then).ok() == fs::read(now).ok()
        })
    }

    /// Removes a state. It is none any more before anything of it goes.
    fn remove(&self, way: Way, state: &Path) {
        let unfinished = self.unfinished(way);
        // What cannot be removed stays; if it is a state still, it is one that the session has had.
        let _ = fs::rename(state, &unfinished);
        let _ = fs::remove_dir_all(&unfinished);
    }

    /// Removes the oldest states, where there are too many or too large ones.
    fn drop_oldest(&self) {
        let (mut seen, mut bytes) = (BTreeSet::new(), 0);
        for (age, (_, state)) in self.states(Way::Undo).iter().rev().enumerate() {
            for name in files() {
                if let Ok(metadata) = state.join(name).metadata()
                    && seen.insert((metadata.dev(), metadata.ino()))
                {
                    bytes += metadata.len();
                }
            }
            if age > 0 && (age >= MOST_STATES || bytes > MOST_BYTES) {
                self.remove(Way::Undo, state);
            }
        }
    }
}

/// The files of a session; what names others comes after them.
fn files() -> [PathBuf; 4] {
    let recording = PathBuf::from(RECORDING);
    [
        responses_beside(&recording),
        recording,
        SOURCES.into(),
        SESSION.into(),
    ]
}
