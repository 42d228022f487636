//! `querypoint query`: asks a log.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::definitions::definitions;
use app::failure::Failure;
use app::log_questions::{LogAnswer, ask_log};
use app::logs::select_of_log;
use event_log_relational::Limits;
use querypoint::catalogue::Definitions;
use serde_json::json;

use super::output;
use crate::arguments::QueryArguments;
use crate::exit::NO_ANSWER;
use crate::render;

/// The name of the format of what `--sql --json` prints: `docs/table.schema.json`.
const TABLE_SCHEMA: &str = "querypoint/table/1";

/// Asks, prints the answer and gives the exit status.
///
/// # Errors
/// If something that was typed is wrong, the file is no log, or the point is not in it.
pub(crate) fn run(arguments: &QueryArguments) -> Result<ExitCode, Failure> {
    let Some(file) = &arguments.file else {
        output::print(&render::definitions(&known(&arguments.definitions)?))?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(sql) = &arguments.sql {
        return statement(arguments, file, sql);
    }
    let definitions = known(&arguments.definitions)?;
    let (at, queries) = (&arguments.at, &arguments.queries);
    let LogAnswer { answer, page } = ask_log(file, at, queries, arguments.explain, &definitions)?;
    match arguments.json {
        true => output::print(&output::json(&answer))?,
        false => output::print(&render::events(&answer, &page, arguments.whole_tree))?,
    }
    let is_complete = answer.results.iter().all(|result| result.complete);
    Ok(match is_complete {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NO_ANSWER),
    })
}

/// What was composed and saved, for whoever works in this folder.
///
/// # Errors
/// If a file of definitions cannot be used.
pub(super) fn known(named: &[PathBuf]) -> Result<Definitions, Failure> {
    // In a folder that is gone there is no project.
    let folder = std::env::current_dir().unwrap_or_default();
    definitions(Some(&folder), named)
}

fn statement(arguments: &QueryArguments, file: &Path, sql: &str) -> Result<ExitCode, Failure> {
    let table = select_of_log(file, sql, &Limits::default())?;
    match arguments.json {
        true => output::print(&output::json(&json!({
            "schema": TABLE_SCHEMA, "columns": table.columns, "rows": table.rows, "cut": table.cut,
        })))?,
        false => output::print(&render::table(&table))?,
    }
    Ok(ExitCode::SUCCESS)
}
