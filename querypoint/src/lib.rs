//! The domain of Querypoint: what can be asked, where, and what an answer is.
//!
//! The way of one question through this crate: [`query`] parses what was typed, [`point`] parses where the execution
//! was stopped, [`graph`] puts the queries in order and checks that each point is known, [`plan`] says what must be
//! collected, [`schedule`] when, [`reexecution`] says which execution comes next, [`resolution`] finds the points among
//! the collected changes, and [`answer`] is what goes back; [`outline`] is what goes back where only the plan is asked
//! for. [`session`] is what a person has asked so far, where they go on asking, and what a panel and the back end say
//! to each other.
//!
//! Invariants: no I/O, no clock, no browser; compiles to `wasm32`; nothing here panics on what a person,
//! a file or a page gave.
//!
//! # Examples
//!
//! Two queries, the second about what the first finds, become a plan: which names need hooks.
//!
//! ```
//! use querypoint::graph::DependencyGraph;
//! use querypoint::plan::CollectionPlan;
//! use querypoint::point::ReproductionPoint;
//! use querypoint::query::{PropertyKey, Query};
//!
//! let at = ReproductionPoint::parse("app.js:22")?;
//! assert!(at.matches_url("http://127.0.0.1:8080/js/app.js"));
//!
//! let queries = vec![
//!     Query::parse("B = lastChange(R:cart.total)")?,
//!     Query::parse("C = lastChange(B:item.price)")?,
//! ];
//! let plan = CollectionPlan::new(&DependencyGraph::new(queries)?, &[])?;
//! let hooked: Vec<_> = plan.properties.iter().map(|property| &property.key).collect();
//! assert_eq!(hooked, [
//!     &PropertyKey::Public("total".to_owned()),
//!     &PropertyKey::Public("price".to_owned()),
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod caret;

pub mod answer;
pub mod catalogue;
pub mod diagnosis;
pub mod execution_line;
pub mod graph;
pub mod nearest;
pub mod outline;
pub mod plan;
pub mod point;
pub mod query;
pub mod questions;
pub mod reexecution;
pub mod resolution;
pub mod schedule;
#[cfg(test)]
mod schemas;
pub mod session;

pub use answer::events;
