//! JavaScript and HTML for Querypoint: parse once, find scopes and sites, rewrite, map positions.
//!
//! Pure: no I/O, no clock, compiles to `wasm32`. Knows nothing of browsers or of the query language.

pub mod call_chains;
pub mod control_flow;
pub mod edits;
pub mod html;
pub mod marks;
mod parse;
pub mod position;
pub mod rewrite;
mod scopes;
pub mod source_map;
pub mod text_encoding;

pub use parse::{Goal, SyntaxError};
