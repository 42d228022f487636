//! Flows of other tools as recordings.

mod playwright;

pub(crate) use playwright::{Imported, from_playwright};
