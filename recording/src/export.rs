//! Recordings as tests of other tools: what the user did, and that the value which was wrong is not wrong any more.

mod assertion;
mod playwright;
#[cfg(test)]
mod tests;

pub use assertion::{Assertion, NothingToAssert};
pub use playwright::{Exported, Unmapped, playwright};
