//! Answers that were found before, kept in a folder of our own.
//!
//! An entry is a file named by the digest of what was asked. It holds that once more, the digest of every file that the
//! page was given, and the answer; its first line is the digest of the rest. An entry is of use only if all of that is
//! as it was: what cannot be read, or was damaged, is as if it were not there, and is replaced.
//!
//! Invariants: an entry is there as a whole or not at all; nobody but its owner can read it, for answers hold what the
//! page held; there are never more than so many, and only files that are named as entries are ever removed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use querypoint::answer::{Answer, WholeAnswer};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::served::{Files, digest};

/// The name of the folder.
pub(crate) const FOLDER: &str = ".querypoint";

const ENDING: &str = ".answer";
const UNFINISHED: &str = ".unfinished-";
/// What an entry that is being written for longer than this is: left behind.
const LONGEST_WRITE: Duration = Duration::from_secs(3600);

/// Everything that is asked, and of whom; what is served is looked at apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Which program answers: its version, and which build of it.
    pub(crate) program: String,
    /// Which form the answer has.
    pub(crate) schema: String,
    /// Which browser runs the page, and how.
    pub(crate) browser: String,
    /// The path of the page's file.
    pub(crate) page: String,
    /// The digest of the recording.
    pub(crate) recording: Option<String>,
    /// The reproduction point.
    pub(crate) at: String,
    /// The queries.
    pub(crate) queries: Vec<String>,
    /// The expressions to evaluate.
    pub(crate) watches: Vec<String>,
    /// Where hooks are placed.
    pub(crate) instrument: String,
    /// How long an execution may take.
    pub(crate) timeout: Duration,
}

/// How much is kept in one folder.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    entries: usize,
    bytes: u64,
}

const BOUNDS: Bounds = Bounds {
    entries: 100,
    bytes: 64 << 20,
};

#[derive(Serialize)]
struct NewEntry<'a> {
    asked: &'a Asked,
    served: &'a Files,
    answer: &'a WholeAnswer,
}

#[derive(Deserialize)]
struct Entry {
    asked: Asked,
    served: Files,
    answer: WholeAnswer,
}

/// The answer to one question, kept or not.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
    asked: Asked,
    bounds: Bounds,
}

impl Kept {
    /// The answer to what is asked, in the folder of ours inside `folder`. Nothing is read or made yet.
    pub(crate) fn new(folder: &Path, asked: Asked) -> Self {
        Self {
            folder: folder.join(FOLDER),
            asked,
            bounds: BOUNDS,
        }
    }

    /// The answer, if it is kept and `is_given` says that the same files are given as then.
    pub(crate) fn read(&self, is_given: impl FnOnce(&Files) -> bool) -> Option<WholeAnswer> {
        let file = self.file();
        let size = file.metadata().ok()?.len();
        if size > self.bounds.bytes {
            return None;
        }
        let text = fs::read_to_string(file).ok()?;
        let (checksum, rest) = text.split_once('\n')?;
        if checksum != digest(rest.as_bytes()) {
            return None;
        }
        let entry: Entry = serde_json::from_str(rest).ok()?;
        let is_same = entry.asked == self.asked && is_given(&entry.served);
        let WholeAnswer { answer, results } = entry.answer;
        let answer = Answer {
            executions: 0,
            kept: Some(true),
            ..answer
        };
        is_same.then_some(WholeAnswer { answer, results })
    }

    /// Removes the answer, if it is kept.
    pub(crate) fn remove(&self) {
        // Where it cannot be removed, there is none, or it cannot be replaced either.
        let _ = fs::remove_file(self.file());
    }

    /// Keeps this answer, in place of an older one, and removes the oldest where they are too many. One that is too
    /// large is not kept.
    ///
    /// # Errors
    /// If the folder or the entry cannot be written; then there is no entry, or the one from before.
    pub(crate) fn write(&self, served: &Files, answer: &WholeAnswer) -> io::Result<()> {
        let entry = NewEntry {
            asked: &self.asked,
            served,
            answer,
        };
        let rest = serde_json::to_string(&entry)?;
        if rest.len() as u64 >= self.bounds.bytes {
            self.remove();
            return Ok(());
        }
        self.make_folder()?;
        // Only its owner can read such a file, whatever the umask.
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.folder)?;
        writeln!(file, "{}", digest(rest.as_bytes()))?;
        file.write_all(rest.as_bytes())?;
        file.persist(self.file())
            .map_err(|error| error.error)
            .map(drop)?;
        self.remove_old();
        Ok(())
    }

    fn file(&self) -> PathBuf {
        // The type has string keys only, so that this cannot fail.
        let asked = serde_json::to_vec(&self.asked).unwrap_or_default();
        self.folder.join(format!("{}{ENDING}", digest(&asked)))
    }

    /// Makes the folder, of which no system for versions is to take notice.
    fn make_folder(&self) -> io::Result<()> {
        match fs::symlink_metadata(&self.folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(io::Error::other("it is no folder")),
            Err(_) => make_private_folder(&self.folder)?,
        }
        let ignored = self.folder.join(".gitignore");
        if !ignored.exists() {
            let mut file = NamedTempFile::new_in(&self.folder)?;
            file.write_all(b"*\n")?;
            file.persist(ignored).map_err(|error| error.error)?;
        }
        Ok(())
    }

    /// Removes what is too old. What cannot be looked at or removed stays: the next time may do better.
    fn remove_old(&self) {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (Ok(metadata), Ok(name)) = (entry.metadata(), entry.file_name().into_string())
            else {
                continue;
            };
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if metadata.is_file() && is_entry(&name) {
                entries.push((written, metadata.len(), entry.path()));
            } else if metadata.is_file()
                && name.starts_with(UNFINISHED)
                && written.elapsed().is_ok_and(|age| age > LONGEST_WRITE)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        entries.sort_by(|a, b| b.cmp(a));
        let own = self.file();
        let mut bytes = 0;
        for (index, (_, size, file)) in entries.iter().enumerate() {
            bytes += size;
            let is_too_much = index >= self.bounds.entries || bytes > self.bounds.bytes;
            if is_too_much && *file != own {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// Whether a file of this name is an entry of ours.
fn is_entry(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(|digest| {
        digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        // Another command was a moment earlier.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(test)]
mod tests;
