//! The engine: asynchronous code over one small trait, without threads, clock, files or tokio.

#[cfg(test)]
pub(crate) mod fake;
pub mod page;
pub mod protocol;
pub mod replay;
