//! The engine: asynchronous code over one small trait, without threads, clock, files or tokio.

mod agent_message;
pub mod ask;
mod bodies;
mod built_ins;
mod captured;
pub mod collection;
mod debugger;
mod document_id;
mod early_names;
pub mod error;
mod execution;
#[cfg(test)]
pub(crate) mod fake;
pub mod inspected;
mod intercept;
mod log;
mod maps;
pub mod other_servers;
pub mod page;
pub mod pausing;
mod points;
mod prefix;
mod preview;
pub mod record;
mod recorded_inputs;
pub mod renew;
pub mod replay;
mod report;
mod sessions;
mod sources;
mod stopped;
mod streams;
pub mod survey;
mod traces;

pub use error::EngineError;
