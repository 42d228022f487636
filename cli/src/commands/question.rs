//! What was typed, understood and checked before any browser starts.

use std::path::Path;

use querypoint::graph::DependencyGraph;
use querypoint::plan::{CollectionPlan, PlanError};
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use querypoint::recording::Recording;

use crate::failure::{Failure, read_file};

/// The reproduction point.
///
/// # Errors
/// [`Failure::NotUnderstood`] with a caret under the place.
pub(crate) fn reproduction_point(text: &str) -> Result<ReproductionPoint, Failure> {
    ReproductionPoint::parse(text).map_err(|error| Failure::NotUnderstood {
        what: "reproduction point",
        rendered: error.render(),
    })
}

/// The queries, put in order by which uses the point of which.
///
/// # Errors
/// [`Failure::NotUnderstood`] with a caret under the place.
pub(crate) fn dependency_graph<Text: AsRef<str>>(
    queries: &[Text],
) -> Result<DependencyGraph, Failure> {
    let not_understood = |rendered| Failure::NotUnderstood {
        what: "query",
        rendered,
    };
    let queries = queries
        .iter()
        .map(|text| Query::parse(text.as_ref()).map_err(|error| not_understood(error.render())))
        .collect::<Result<Vec<_>, _>>()?;
    DependencyGraph::new(queries).map_err(|error| not_understood(error.render()))
}

/// The recording in a file, with what it does not hold taken from the environment.
///
/// # Errors
/// If it cannot be read or is no recording, or if a secret is not given; the message names the file.
pub(crate) fn recording(path: &Path) -> Result<Recording, Failure> {
    let text = read_file("recording", path)?;
    let unusable = |reason: String| Failure::UnusableFile {
        what: "recording",
        path: path.to_owned(),
        reason,
    };
    let mut recording = Recording::parse(&text).map_err(|error| unusable(error.to_string()))?;
    recording
        .fill_secrets(|variable| std::env::var(variable).ok())
        .map_err(|error| unusable(error.to_string()))?;
    Ok(recording)
}

/// What must be collected for the queries and watches.
///
/// # Errors
/// [`Failure::NotUnderstood`] for what this version cannot answer, with a caret under the place.
pub(crate) fn collection_plan(
    graph: &DependencyGraph,
    watches: &[String],
) -> Result<CollectionPlan, Failure> {
    CollectionPlan::new(graph, watches).map_err(|error| match error {
        PlanError::EmptyWatch { .. } => Failure::NotPossible(error.render()),
        PlanError::NotYet { .. } | PlanError::NoEvent { .. } | PlanError::NoObject { .. } => {
            Failure::NotUnderstood {
                what: "query",
                rendered: error.render(),
            }
        }
    })
}
