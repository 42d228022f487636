//! Questions as the driver carries them out: what the rewriter and the agent are told.

use engine::collection::{Collection, Instrument};
use js_analysis::rewrite::{DEFAULT_PREFIX, Instrumentation};
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::query::Query;

use crate::error::BenchError;

/// The graph of these queries.
pub(crate) fn graph<Text: AsRef<str>>(queries: &[Text]) -> Result<DependencyGraph, BenchError> {
    let queries = queries
        .iter()
        .map(|text| Query::parse(text.as_ref()).map_err(|error| BenchError::Setup(error.render())))
        .collect::<Result<Vec<_>, _>>()?;
    DependencyGraph::new(queries).map_err(|error| BenchError::Setup(error.render()))
}

/// What is collected for one query.
pub(crate) fn collection(query: &str) -> Result<Collection, BenchError> {
    let plan = CollectionPlan::new(&graph(&[query])?, &[])
        .map_err(|error| BenchError::Setup(error.render()))?;
    Ok(Collection::new(&plan, DEFAULT_PREFIX, Instrument::Query))
}

/// What the rewriter is told when a property is asked.
pub(crate) fn property_instrumentation(property: &str) -> Result<Instrumentation, BenchError> {
    Ok(
        collection(&format!("lastChange(R:object.{property})"))?.instrumentation(
            1,
            1,
            false,
            Vec::new(),
        ),
    )
}
