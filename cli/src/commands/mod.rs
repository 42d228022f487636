//! One module for each command.

pub(crate) mod ask;
pub(crate) mod browser;
pub(crate) mod demo;
mod keeping;
pub(crate) mod output;
mod pause;
pub(crate) mod plan;
mod pool;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod rewrite;
mod runs;
