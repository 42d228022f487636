//! Event logs: recorded into a file, and opened to be asked.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cdp_driver::native::{Browser, TokioClock};
use engine::logging::{LogOutcome, LogRequest, log_execution};
use event_log::file::{LogError, LogFile, ReadAt};
use event_log::model::Model;
use event_log::relations::Relations;
use event_log_relational::{Limits, ParquetError, SqlError, Table, select, write_parquet};
use querypoint::query::QueryError;
use querypoint::session::results::LogOutline;

use crate::browser::{BrowserOptions, in_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::private;
use crate::progress::{Reporter, of_questions};

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

/// Runs a page and writes what it does to a file, in a browser that is gone when this returns.
///
/// # Errors
/// If the file cannot be written, the page or the browser is lost before anything was recorded, or if
/// it is cancelled.
pub async fn record_log(
    request: &LogRequest,
    browser: &BrowserOptions,
    path: &Path,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<LogOutcome, Failure> {
    // What cannot be written is said before a browser starts.
    private::create_file(path).map_err(|source| unwritable(path, source))?;
    reporter.stage("starting the browser");
    let purpose = purpose(browser, request.recording.as_ref());
    let path: PathBuf = path.to_owned();
    let logging = async |browser: &Browser| {
        let mut show = of_questions(reporter);
        let clock = Arc::new(TokioClock::new());
        let mut output = move || {
            let file = private::create_file(&path)?;
            let file: Box<dyn Write + Send> = Box::new(BufWriter::new(file));
            Ok(file)
        };
        let protocol = browser.protocol();
        Box::pin(log_execution(
            protocol,
            clock,
            request,
            &mut output,
            &mut show,
        ))
        .await
    };
    in_browser(browser, purpose, cancellation, logging).await
}

fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::UnwritableFile {
        path: path.to_owned(),
        source,
    }
}
