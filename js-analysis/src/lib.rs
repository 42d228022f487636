//! JavaScript and HTML for Querypoint: parse once, find scopes and sites, rewrite, map positions.
//!
//! Pure: no I/O, no clock, compiles to `wasm32`. Knows nothing of browsers or of the query language.

pub mod position;
