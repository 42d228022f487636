//! Flows of other tools as recordings.

mod playwright;
mod trace;

pub(crate) use playwright::{Imported, from_playwright};
pub(crate) use trace::{Trace, from_trace, is_trace};
