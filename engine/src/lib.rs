//! The engine: asynchronous code over one small trait, without threads, clock, files or tokio.
//!
//! A question is an [`ask::AskRequest`]; [`ask::ask`] answers it, over any connection. What the page's scripts and the
//! agent do for it is a [`collection::Collection`]:
//!
//! ```
//! use engine::collection::{Collection, Instrument};
//! use querypoint::graph::DependencyGraph;
//! use querypoint::plan::CollectionPlan;
//! use querypoint::query::Query;
//!
//! let graph = DependencyGraph::new(vec![Query::parse("B = lastChange(R:cart.total)")?])?;
//! let plan = CollectionPlan::new(&graph, &[])?;
//! let collection = Collection::new(&plan, "$Qp", Instrument::Query);
//! let config = collection.agent_config();
//! assert_eq!(config.slots.len(), 1); // `total` is watched,
//! assert_eq!(config.roots.len(), 1); // and asked of `cart` at the reproduction point.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent_message;
pub mod ask;
pub mod bodies;
mod built_ins;
mod captured;
pub mod collection;
mod debugger;
mod document_id;
mod early_names;
pub mod error;
mod event_reader;
mod execution;
#[cfg(test)]
pub(crate) mod fake;
pub mod inspected;
mod intercept;
mod last_writers;
mod log;
pub mod logging;
mod maps;
mod origin;
mod origin_in_log;
pub mod other_servers;
pub mod page;
pub mod pausing;
pub mod picture;
mod points;
mod prefix;
mod preview;
pub mod record;
mod recorded_inputs;
pub mod renew;
pub mod replay;
mod report;
pub mod sandbox;
mod sessions;
mod sources;
mod stopped;
mod streams;
pub mod survey;
mod traces;

pub use error::EngineError;
