//! Logs in files: asked, compared, and written for other tools.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use event_log::catalogue::{answer, explain, missing};
use event_log::compare::{compare, compare_answers};
use event_log::export::{chrome_trace, jel};
use event_log::model::Model;
use querypoint::catalogue::{Definitions, Question};
use querypoint::events::{Comparison, EventsAnswer, EventsResult};

use crate::failure::Failure;
use crate::logs::{export_parquet, read_log};
use crate::private::create_file;
use crate::question::reproduction_point;

/// What a log answers.
#[derive(Debug)]
pub struct LogAnswer {
    /// The answer.
    pub answer: EventsAnswer,
    /// The page of the log.
    pub page: String,
}

/// Asks the log in a file. `explains`: each answer comes with the SQL that gives its events.
///
/// # Errors
/// If something that was typed is wrong, the file is no log, or the point is not in it.
pub fn ask_log(
    file: &Path,
    at: &str,
    queries: &[String],
    explains: bool,
    definitions: &Definitions,
) -> Result<LogAnswer, Failure> {
    let at = reproduction_point(at)?;
    let queries = queries.iter().map(|text| log_question(text, definitions));
    let queries = queries.collect::<Result<Vec<_>, _>>()?;
    let model = read_log(file)?;
    let ask = if explains { explain } else { answer };
    Ok(LogAnswer {
        answer: ask(&model, &at, &queries)?,
        page: model.info.page,
    })
}

/// A question to a log as it was typed.
///
/// # Errors
/// If it is none: the place, with a caret under it.
pub fn log_question(text: &str, definitions: &Definitions) -> Result<Question, Failure> {
    definitions
        .question(text)
        .map_err(|error| Failure::NotUnderstood {
            what: "query",
            rendered: error.render(),
        })
}

/// Where two logs differ first.
#[derive(Debug)]
pub struct LogComparison {
    /// Where.
    pub comparison: Comparison,
    /// What the left and the right log, or the answers from them, have not all of.
    pub missing: [Vec<String>; 2],
}

/// Compares the logs in two files: all of them, or what they answer to `query`, asked at `at`.
///
/// # Errors
/// If something that was typed is wrong, a file is no log, or the point is not in it.
pub fn compare_log_files(
    [left, right]: [&Path; 2],
    at: &str,
    query: Option<&str>,
    definitions: &Definitions,
) -> Result<LogComparison, Failure> {
    let query = query
        .map(|text| log_question(text, definitions))
        .transpose()?;
    let at = reproduction_point(at)?;
    let (left, right) = (read_log(left)?, read_log(right)?);
    let Some(query) = query else {
        return Ok(LogComparison {
            missing: [missing(&left), missing(&right)],
            comparison: compare(&left, &right),
        });
    };
    let ask = |model: &Model| -> Result<EventsResult, Failure> {
        let answer = answer(model, &at, std::slice::from_ref(&query))?;
        Ok(answer.results.into_iter().next().unwrap_or_default())
    };
    let (one, other) = (ask(&left)?, ask(&right)?);
    let comparison = compare_answers((&left, &one), (&right, &other));
    let missing = [one, other].map(|result| match result.complete {
        true => Vec::new(),
        false => result.notes,
    });
    Ok(LogComparison {
        comparison,
        missing,
    })
}

/// What a log is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// A file of JSON lines, one for each event.
    Jel,
    /// A file that Chrome's tools for performance open.
    ChromeTrace,
    /// A folder of tables.
    Parquet,
}

/// Writes the log in a file for other tools, each to its file or folder, which only this user can read.
///
/// # Errors
/// If the file is no log, or something cannot be written.
pub fn export_log(file: &Path, outputs: &[(LogFormat, PathBuf)]) -> Result<(), Failure> {
    type Format = fn(&Model, &mut dyn Write) -> io::Result<()>;
    let model = read_log(file)?;
    let mut folder = None;
    for (format, path) in outputs {
        let write: Format = match format {
            LogFormat::Jel => jel,
            LogFormat::ChromeTrace => chrome_trace,
            LogFormat::Parquet => {
                folder = Some(path);
                continue;
            }
        };
        let written = create_file(path).and_then(|file| {
            let mut file = BufWriter::new(file);
            write(&model, &mut file)?;
            file.flush()
        });
        written.map_err(|source| Failure::UnwritableFile {
            path: path.clone(),
            source,
        })?;
    }
    match folder {
        // It takes the model, so it comes last.
        Some(folder) => export_parquet(model, folder),
        None => Ok(()),
    }
}
