//! The browser: launch or attach, intercept, replay, capture. The only crate that knows the DevTools protocol.
//!
//! Two halves. [`engine`] is asynchronous code over one small trait, [`engine::protocol::Protocol`]: no threads, no
//! clock, no files, no tokio. [`native`] is chromiumoxide, processes, profiles and sockets.

pub mod engine;
pub mod error;
pub mod native;

pub use error::DriverError;
