//! What was typed, understood and checked before any browser starts.

use querypoint::graph::DependencyGraph;
use querypoint::plan::{CollectionPlan, PlanError};
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;

use crate::failure::Failure;

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
