//! Event logs in files, opened to be asked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use event_log::file::{LogError, LogFile, MergedRun, ReadAt, Unrecorded};
use event_log::model::Model;
use event_log::relations::Relations;
use event_log_relational::{Limits, ParquetError, SqlError, Table, select, write_parquet};
use querypoint::query::QueryError;
use querypoint::session::results::LogOutline;
use serde::Serialize;

use crate::failure::Failure;
use crate::private;

/// A log's file.
#[derive(Debug)]
pub struct LogSource(File);

impl ReadAt for LogSource {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }
}

/// Opens a log.
///
/// # Errors
/// If it cannot be read, or is no log.
pub fn open_log(path: &Path) -> Result<LogFile<LogSource>, Failure> {
    let file = File::open(path).map_err(|source| unreadable(path, source))?;
    LogFile::open(LogSource(file)).map_err(|error| unusable(path, error))
}

/// What is shown of a log that is kept under a number, since this moment in milliseconds since 1970.
///
/// # Errors
/// As [`open_log`].
pub fn outline(number: u32, path: &Path, recorded_ms: u64) -> Result<LogOutline, Failure> {
    let log = open_log(path)?;
    Ok(LogOutline {
        log: number,
        page: log.info().page.clone(),
        first_action: log.info().recording.clone(),
        events: log.events(),
        bytes: log.size(),
        recorded_ms,
    })
}

/// What is in a log, and what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogSummary {
    /// The page's address.
    pub page: String,
    /// How much was recorded.
    pub detail: String,
    /// Of which scripts.
    pub scripts: String,
    /// Where the part begins that was asked for, as it was typed.
    pub from: Option<String>,
    /// Where it ends.
    pub to: Option<String>,
    /// The recording that was replayed.
    pub recording: Option<String>,
    /// The runs that it was merged of; empty: it is one run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<MergedRun>,
    /// How many events there are.
    pub events: u64,
    /// How many bytes the file has.
    pub bytes: u64,
    /// Whether the log was finished and all of it can be read.
    pub complete: bool,
    /// Scripts, or the original sources of scripts.
    pub files: Vec<SummaryFile>,
    /// How many functions these have.
    pub functions: usize,
    /// How many places at which something is recorded.
    pub sites: usize,
    /// How many pages, frames and workers.
    pub realms: usize,
    /// Scripts that ran without hooks; none: the log was not finished.
    pub unrecorded: Option<Vec<Unrecorded>>,
    /// What else a reader of an answer should know; none: the log was not finished.
    pub notes: Option<Vec<String>>,
    /// Parts of the file that are left out, in words.
    pub damage: Vec<String>,
}

/// A file of a [`LogSummary`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SummaryFile {
    /// Its address.
    pub url: String,
    /// Whether it is of a library.
    pub library: bool,
}

/// Says what is in a log.
///
/// # Errors
/// As [`open_log`].
pub fn log_summary(path: &Path) -> Result<LogSummary, Failure> {
    let log = open_log(path)?;
    let (info, end, tables) = (log.info().clone(), log.end().cloned(), log.tables());
    let files = tables.scripts.iter().map(|script| SummaryFile {
        url: script.url.clone(),
        library: script.library,
    });
    let (unrecorded, notes) = end.map(|end| (end.unrecorded, end.notes)).unzip();
    Ok(LogSummary {
        page: info.page,
        detail: info.detail,
        scripts: info.scripts,
        from: info.from,
        to: info.to,
        recording: info.recording,
        runs: info.runs,
        events: log.events(),
        bytes: log.size(),
        complete: notes.is_some() && log.damage().is_empty(),
        files: files.collect(),
        functions: tables.functions.len(),
        sites: tables.sites.len(),
        realms: tables.streams.len(),
        unrecorded,
        notes,
        damage: log.damage().iter().map(ToString::to_string).collect(),
    })
}

/// Reads a log into memory.
///
/// # Errors
/// As [`open_log`].
pub fn read_log(path: &Path) -> Result<Model, Failure> {
    let log = open_log(path)?;
    Model::read(&log).map_err(|error| unusable(path, error))
}

/// Answers a statement of SQL over the tables of a log.
///
/// # Errors
/// As [`open_log`], or if the statement cannot be answered.
pub fn select_of_log(path: &Path, sql: &str, limits: &Limits) -> Result<Table, Failure> {
    let relations = Arc::new(Relations::new(read_log(path)?));
    select(&relations, sql, limits).map_err(|error| match error {
        SqlError::Statement { message, offset } => {
            let at_boundary = |offset: &usize| sql.is_char_boundary(*offset);
            let error = QueryError {
                text: sql.to_owned(),
                offset: offset.filter(at_boundary).unwrap_or(sql.len()),
                help: Some(tables_of(&message)),
                message,
            };
            Failure::NotUnderstood {
                what: "statement",
                rendered: error.render(),
            }
        }
        error => Failure::NotPossible(error.to_string()),
    })
}

/// Which tables there are, or which columns, for who named one that there is not.
fn tables_of(message: &str) -> String {
    use event_log::relations::RELATIONS;
    let is_column = message.contains("column");
    let described = RELATIONS.iter().map(|relation| {
        let columns = relation.columns.iter().map(|column| column.name);
        match is_column {
            true => format!(
                "{}({})",
                relation.name,
                columns.collect::<Vec<_>>().join(", ")
            ),
            false => relation.name.to_owned(),
        }
    });
    let described: Vec<String> = described.collect();
    let (first, separator) = if is_column {
        ("\n  ", "\n  ")
    } else {
        (" ", ", ")
    };
    format!("the tables are{first}{}", described.join(separator))
}

/// Writes the tables of a log as Parquet files into a folder, which only this user can read.
///
/// # Errors
/// As [`open_log`], or if a file cannot be written.
pub fn export_parquet(model: Model, folder: &Path) -> Result<(), Failure> {
    let written = write_parquet(&Relations::new(model), folder, &|path| {
        private::create_file(path)
    });
    written.map_err(|error| {
        let source = match error {
            ParquetError::Io(source) => source,
            error @ ParquetError::Format(_) => io::Error::other(error.to_string()),
        };
        unwritable(folder, source)
    })
}

fn unreadable(path: &Path, source: io::Error) -> Failure {
    Failure::UnreadableFile {
        what: "log",
        path: path.to_owned(),
        source,
    }
}

fn unusable(path: &Path, error: LogError) -> Failure {
    match error {
        LogError::Io(source) => unreadable(path, source),
        error => Failure::UnusableFile {
            what: "log",
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}

pub(crate) fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    }
}
