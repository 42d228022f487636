//! The files in a trace.

use std::io::{Cursor, Read};

use serde_json::Value;
use zip::ZipArchive;
use zip::result::ZipError;

/// What a file may be at most, unpacked; one may be packed that is far larger than it looks.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It is no archive.
    #[error("it is no archive: {0}")]
    NotAnArchive(#[from] ZipError),
    /// A file in it cannot be read.
    #[error("{name} in it cannot be read: {why}")]
    Unreadable {
        /// The file.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// It is another archive.
    #[error("it is no trace of Playwright: there is no file NAME.trace in it")]
    NotATrace,
    /// It is of several browser contexts.
    #[error("it is of {contexts} browser contexts, and a recording is of one")]
    SeveralContexts {
        /// How many.
        contexts: usize,
    },
}

/// An archive in memory.
pub(super) struct Archive<'f> {
    zip: ZipArchive<Cursor<&'f [u8]>>,
}

impl<'f> Archive<'f> {
    pub(super) fn open(file: &'f [u8]) -> Result<Self, TraceError> {
        let zip = ZipArchive::new(Cursor::new(file))?;
        Ok(Self { zip })
    }

    /// The names of its files that end so.
    pub(super) fn names_ending_in(&self, end: &str) -> Vec<String> {
        let names = self.zip.file_names();
        names
            .filter_map(|name| Some(name.ok()?.into_owned()))
            .filter(|name| name.ends_with(end))
            .collect()
    }

    /// A file; none: there is none of that name.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, TraceError> {
        let unreadable = |why: String| TraceError::Unreadable {
            name: name.to_owned(),
            why,
        };
        let file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let mut bytes = Vec::new();
        let mut limited = file.take(MOST_BYTES + 1);
        limited
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(unreadable(format!(
                "it is larger than {} MiB",
                MOST_BYTES / 1024 / 1024
            )));
        }
        Ok(Some(bytes))
    }

    /// A file of text; empty where there is none.
    pub(super) fn text(&mut self, name: &str) -> Result<String, TraceError> {
        let bytes = self.bytes(name)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The values of a file that has one on each line; what is none is passed over, as a trace that was cut short ends in
/// half of one.
pub(super) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
