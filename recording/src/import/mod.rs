//! Flows of other tools as recordings.

mod playwright;
mod trace;

pub use playwright::{Imported, Unmapped, from_playwright};
pub use trace::{Trace, TraceError, from_trace, is_trace};
