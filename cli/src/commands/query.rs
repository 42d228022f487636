//! `querypoint query`: asks a log.

use std::process::ExitCode;

use app::failure::Failure;
use app::logs::read_log;
use app::question::reproduction_point;
use event_log::catalogue::{CatalogueError, answer};
use querypoint::catalogue::CatalogueQuery;

use super::output;
use crate::arguments::QueryArguments;
use crate::exit::NO_ANSWER;
use crate::render;

/// Asks, prints the answer and gives the exit status.
///
/// # Errors
/// If something that was typed is wrong, the file is no log, or the point is not in it.
pub(crate) fn run(arguments: &QueryArguments) -> Result<ExitCode, Failure> {
    let at = reproduction_point(&arguments.at)?;
    let queries = arguments
        .queries
        .iter()
        .map(|text| {
            CatalogueQuery::parse(text).map_err(|error| Failure::NotUnderstood {
                what: "query",
                rendered: error.render(),
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let model = read_log(&arguments.file)?;
    let answer = answer(&model, &at, &queries).map_err(|error| match error {
        CatalogueError::NotReached(why) => Failure::NotReached(why),
        error @ CatalogueError::Question { .. } => Failure::NotPossible(error.to_string()),
    })?;
    match arguments.json {
        true => output::print(&output::json(&answer))?,
        false => output::print(&render::events(&answer, &model.info.page))?,
    }
    let is_complete = answer.results.iter().all(|result| result.complete);
    Ok(match is_complete {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NO_ANSWER),
    })
}
