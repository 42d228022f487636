//! Diagnoses that are kept, each in a folder: the page, its logs and all answers.
//!
//! ```text
//! FOLDER/session.json        what was asked of which page, and the answers
//! FOLDER/DIGEST.qplog        a log that answers are about
//! FOLDER/DIGEST.scripts      the scripts that it is of, as JSON
//! FOLDER/lock                held by the command that uses the folder
//! ```
//! Logs and scripts never change: their names are their SHA-256 digests. `session.json` names those that count, and is
//! written as a whole beside its place before it takes it. So whatever happens, what was kept last is there. Only the
//! owner can read any of it.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use diagnosis::{Answer, Interview, Judged, LogTree, NodeId, Said};
use engine::logging::{LoggedSource, read_sources, write_sources};
use event_log::model::Model;
use querypoint::diagnosis::{AnsweredBy, CallAnswer};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::model_of;
use crate::failure::Failure;
use crate::files::{as_text, read_bytes};
use crate::private;
use crate::served::digest;

/// The name of the format.
pub const SESSION_SCHEMA: &str = "querypoint/diagnosis-session/1";
const SCHEMA_OF_ANY: &str = "querypoint/diagnosis-session/";

const SESSION: &str = "session.json";
const LOCK: &str = "lock";
const LOG: &str = ".qplog";
const SCRIPTS: &str = ".scripts";
const UNFINISHED: &str = ".unfinished-";

/// Answers are carried on from so many executions.
const MOST_EXECUTIONS: usize = 8;

/// A diagnosis that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptDiagnosis {
    /// [`SESSION_SCHEMA`].
    pub schema: String,
    /// The page: a URL, or the path of a file from the root.
    pub page: String,
    /// The file of the user's actions, from the root.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recording: Option<PathBuf>,
    /// Where the part begins that is asked about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to: Option<String>,
    /// How questions are chosen.
    pub strategy: String,
    /// Functions that are trusted from the start, by patterns.
    pub trust: Vec<String>,
    /// Whether chains of recursive calls are asked about as one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub compress: bool,
    /// Whether each iteration of a loop is asked about.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub expand_loops: bool,
    /// What the page's clock says when it is opened, in milliseconds since 1970.
    pub started_ms: f64,
    /// What was executed, the last one last.
    pub executions: Vec<KeptExecution>,
}

/// An execution of the page, and what was said of its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptExecution {
    /// The address that the page had.
    pub address: String,
    /// The digest of its log.
    pub log: String,
    /// The digest of its scripts.
    pub scripts: String,
    /// The digest of the recording that was replayed; absent: there was none, or it is not known which it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recording: Option<String>,
    /// What is missing in the log.
    pub notes: Vec<String>,
    /// What was said of its calls.
    #[serde(flatten)]
    pub said: KeptAnswers,
}

/// What was said of the calls of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptAnswers {
    /// How questions are chosen; absent: that is kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen_by: Option<String>,
    /// What was said, in order.
    pub answers: Vec<KeptAnswer>,
    /// The calls that only a person is to be asked about, by number.
    pub left_to_person: Vec<u32>,
    /// The iterations that only a person is to be asked about, by the events that they are known by.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub iterations_left: Vec<u32>,
}

/// What was said of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The call, by its number among all calls of the log, from 0; of an iteration the event that it is known by.
    pub call: u32,
    /// Whether it is an iteration of a loop.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_iteration: bool,
    /// What was said.
    pub answer: CallAnswer,
    /// By whom.
    pub by: AnsweredBy,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// The call of which the same was said before, where that is why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<u32>,
}

impl KeptAnswer {
    fn node(&self, log: &LogTree<'_>) -> Option<NodeId> {
        match self.is_iteration {
            true => log.iteration_at(self.call),
            false => log.node(self.call),
        }
    }
}

impl KeptAnswers {
    /// Takes what was said in a session.
    pub fn take(&mut self, log: &LogTree<'_>, interview: &Interview<'_>) {
        let number = |node: NodeId| log.call_number(node);
        let answers = interview.answers().filter_map(|(judged, said)| {
            let iteration = log.iteration_event(judged.node);
            Some(KeptAnswer {
                call: iteration.or_else(|| number(judged.node))?,
                is_iteration: iteration.is_some(),
                answer: as_call_answer(judged.answer),
                by: said.by,
                why: said.why.clone(),
                before: said.before.and_then(number),
            })
        });
        self.answers = answers.collect();
        self.left_to_person = interview.left_to_person().filter_map(number).collect();
        let left = interview.left_to_person();
        self.iterations_left = left.filter_map(|it| log.iteration_event(it)).collect();
    }

    /// Says it again in a session about the same log.
    pub fn restore(&self, log: &LogTree<'_>, interview: &mut Interview<'_>) {
        for it in &self.answers {
            let Some(node) = it.node(log) else {
                continue;
            };
            let said = Said {
                by: it.by,
                why: it.why.clone(),
                before: it.before.and_then(|call| log.node(call)),
            };
            interview.take(node, as_answer(it.answer), said);
        }
        let calls = self.left_to_person.iter().filter_map(|&it| log.node(it));
        let iterations = self.iterations_left.iter();
        let iterations = iterations.filter_map(|&it| log.iteration_at(it));
        for node in calls.chain(iterations) {
            interview.leave_to_person(node);
        }
    }

    /// What was said that can hold in another execution: what follows from other answers is left out.
    #[must_use]
    pub fn judged(&self, log: &LogTree<'_>) -> Vec<Judged> {
        let own = self.answers.iter().filter(|it| it.before.is_none());
        own.filter_map(|it| {
            Some(Judged {
                node: it.node(log)?,
                answer: as_answer(it.answer),
            })
        })
        .collect()
    }
}

pub(crate) const fn as_answer(answer: CallAnswer) -> Answer {
    match answer {
        CallAnswer::Valid => Answer::Valid,
        CallAnswer::Invalid => Answer::Invalid,
        CallAnswer::Trusted => Answer::Trusted,
        CallAnswer::Unknown => Answer::Unknown,
        CallAnswer::Inadmissible => Answer::Inadmissible,
    }
}

const fn as_call_answer(answer: Answer) -> CallAnswer {
    match answer {
        Answer::Valid => CallAnswer::Valid,
        Answer::Invalid => CallAnswer::Invalid,
        Answer::Trusted => CallAnswer::Trusted,
        Answer::Unknown => CallAnswer::Unknown,
        Answer::Inadmissible => CallAnswer::Inadmissible,
    }
}

/// The folder of a diagnosis, which no other command uses meanwhile.
#[derive(Debug)]
pub struct SessionFolder {
    folder: PathBuf,
    _lock: File,
}

impl SessionFolder {
    /// Opens a folder with what is kept in it; makes it, if it is not there and `is_new` says that it may be.
    ///
    /// # Errors
    /// If it cannot be used: it holds other files, another command uses it, or what is kept in it is not whole or is
    /// of a later version.
    pub fn open(folder: &Path, is_new: bool) -> Result<(Self, Option<KeptDiagnosis>), Failure> {
        let path = folder.join(SESSION);
        let has_session = path.is_file();
        if !has_session && !is_new {
            return Err(unusable(
                folder,
                "there is no session in it; name a page to begin one".to_owned(),
            ));
        }
        if !has_session && let Some(other) = other_file(folder) {
            let why = format!("it holds other files ({other}); name a new folder");
            return Err(unusable(folder, why));
        }
        let unwritable = |source| unwritable(folder, source);
        private::make_folder(folder, &[SESSION]).map_err(unwritable)?;
        let lock = private::create_file(&folder.join(LOCK)).map_err(unwritable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = "another command uses it; end that one first".to_owned();
                return Err(unusable(folder, why));
            }
            Err(TryLockError::Error(source)) => return Err(unwritable(source)),
        }
        let own = Self {
            folder: folder.to_owned(),
            _lock: lock,
        };
        let kept = match has_session {
            true => Some(own.read(&path)?),
            false => None,
        };
        Ok((own, kept))
    }

    fn read(&self, path: &Path) -> Result<KeptDiagnosis, Failure> {
        let bytes = read_bytes("session", path)?;
        let damaged = |why: String| {
            let why = format!("{why}; it is damaged, and another folder begins anew");
            unusable(&self.folder, why)
        };
        let json: serde_json::Value = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("{SESSION} cannot be read: {error}")))?;
        let schema = json.get("schema").and_then(serde_json::Value::as_str);
        match schema {
            Some(SESSION_SCHEMA) => {}
            Some(other) if other.starts_with(SCHEMA_OF_ANY) => {
                let why = format!("it is of another version ({other}); use that version for it");
                return Err(unusable(&self.folder, why));
            }
            _ => return Err(damaged(format!("{SESSION} has no session"))),
        }
        let kept: KeptDiagnosis = serde_json::from_value(json)
            .map_err(|error| damaged(format!("{SESSION} cannot be read: {error}")))?;
        match kept.executions.is_empty() {
            true => Err(damaged(format!("{SESSION} has no execution"))),
            false => Ok(kept),
        }
    }

    /// Keeps the log of an execution and its scripts.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn keep_execution(
        &self,
        address: &str,
        log: &[u8],
        sources: &[LoggedSource],
        recording: Option<&str>,
        notes: &[String],
    ) -> Result<KeptExecution, Failure> {
        let scripts = write_sources(sources)
            .map_err(|error| unwritable(&self.folder, io::Error::other(error)))?;
        Ok(KeptExecution {
            address: address.to_owned(),
            log: self.put(log, LOG)?,
            scripts: self.put(scripts.as_bytes(), SCRIPTS)?,
            recording: recording.map(str::to_owned),
            notes: notes.to_vec(),
            said: KeptAnswers::default(),
        })
    }

    /// The log of an execution and its scripts.
    ///
    /// # Errors
    /// If they are not as they were kept.
    pub fn execution(&self, of: &KeptExecution) -> Result<(Model, Vec<LoggedSource>), Failure> {
        let log = self.get(&of.log, LOG)?;
        Ok((model_of(&log)?, self.scripts(of)?))
    }

    /// The scripts of an execution.
    ///
    /// # Errors
    /// If they are not as they were kept.
    pub fn scripts(&self, of: &KeptExecution) -> Result<Vec<LoggedSource>, Failure> {
        let scripts = self.get(&of.scripts, SCRIPTS)?;
        let scripts = as_text("session's scripts", &self.folder, scripts)?;
        read_sources(&scripts).map_err(|error| {
            let why = format!("its scripts cannot be read: {error}");
            unusable(&self.folder, why)
        })
    }

    /// Keeps the diagnosis as it is now. Of many executions the oldest are left out.
    ///
    /// # Errors
    /// If it cannot be written; then what was kept before still is.
    pub fn keep(&self, kept: &mut KeptDiagnosis) -> Result<(), Failure> {
        let more = kept.executions.len().saturating_sub(MOST_EXECUTIONS);
        kept.executions.drain(..more);
        let text = serde_json::to_string_pretty(kept)
            .map_err(|error| unwritable(&self.folder, io::Error::other(error)))?;
        self.write(text.as_bytes(), SESSION)?;
        self.remove_others(kept);
        Ok(())
    }

    fn put(&self, bytes: &[u8], ending: &str) -> Result<String, Failure> {
        let name = digest(bytes);
        let file = format!("{name}{ending}");
        // What is there has the name of its contents; whether it is whole is seen where it is read.
        let length = fs::metadata(self.folder.join(&file)).map(|it| it.len());
        if !length.is_ok_and(|length| length == bytes.len() as u64) {
            self.write(bytes, &file)?;
        }
        Ok(name)
    }

    fn get(&self, name: &str, ending: &str) -> Result<Vec<u8>, Failure> {
        let file = format!("{name}{ending}");
        if !is_digest(name) {
            return Err(unusable(
                &self.folder,
                format!("{file:?} is no name of a file"),
            ));
        }
        let path = self.folder.join(&file);
        let bytes = read_bytes("session's file", &path)?;
        match digest(&bytes) == name {
            true => Ok(bytes),
            false => Err(unusable(
                &self.folder,
                format!("{file}: it was cut off or changed since it was written"),
            )),
        }
    }

    /// Writes a file beside its place, waits until it is kept, and gives it its place.
    fn write(&self, bytes: &[u8], file: &str) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            let mut new = tempfile::Builder::new()
                .prefix(UNFINISHED)
                .tempfile_in(&self.folder)?;
            new.write_all(bytes)?;
            new.as_file().sync_all()?;
            let place = self.folder.join(file);
            NamedTempFile::persist(new, place).map_err(|error| error.error)?;
            // The name is kept with the folder.
            File::open(&self.folder)?.sync_all()
        };
        write().map_err(|source| unwritable(&self.folder.join(file), source))
    }

    /// Removes logs and scripts that are not named any more, and what was left unfinished.
    fn remove_others(&self, kept: &KeptDiagnosis) {
        let executions = kept.executions.iter();
        let named: BTreeSet<String> = executions
            .flat_map(|it| {
                [
                    format!("{}{LOG}", it.log),
                    format!("{}{SCRIPTS}", it.scripts),
                ]
            })
            .collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let is_old = is_content(&name) && !named.contains(&name);
            if is_old || name.starts_with(UNFINISHED) {
                // What cannot be removed takes space, and nothing else.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file of this name is a log or scripts.
fn is_content(name: &str) -> bool {
    let mut names = [LOG, SCRIPTS]
        .into_iter()
        .filter_map(|it| name.strip_suffix(it));
    names.any(is_digest)
}

/// A file in the folder that is none of ours.
fn other_file(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = names.map(|it| it.file_name().to_string_lossy().into_owned());
    names.find(|it| it != LOCK && !it.starts_with(UNFINISHED) && !is_content(it))
}

fn unusable(folder: &Path, reason: String) -> Failure {
    Failure::UnusableFile {
        what: "session",
        path: folder.to_owned(),
        reason,
    }
}

fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
