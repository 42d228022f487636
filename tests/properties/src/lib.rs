//! What holds for any input, as functions that panic where it does not hold.
//!
//! The fuzz targets (`tests/fuzz/`, on a nightly compiler) call them with whatever a fuzzer makes; a test of
//! this crate calls them with the inputs that fuzzing has left behind, so that CI checks those on a stable compiler.
//!
//! Where a target has choices to make (which goal, what is watched), the first byte of the input makes them, so that an
//! input is one file.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a panic is how a property fails"
)]

mod encoding;
mod event_log;
mod html;
mod language;
mod rewriter;
mod source_map;

pub use encoding::encoding;
pub use event_log::event_log;
pub use html::html;
pub use language::{point, query, recording};
pub use rewriter::rewriter;
pub use source_map::source_map;

/// Checks one input; panics where the property does not hold.
pub type Property = fn(&[u8]);

/// Every property by the name of its fuzz target, which is also that of its corpus.
pub const PROPERTIES: [(&str, Property); 8] = [
    ("encoding", encoding),
    ("event_log", event_log),
    ("html", html),
    ("point", point),
    ("query", query),
    ("recording", recording),
    ("rewriter", rewriter),
    ("source_map", source_map),
];

/// The byte that makes the choices, and the rest.
fn choices(input: &[u8]) -> (u8, &[u8]) {
    input
        .split_first()
        .map_or((0, input), |(&first, rest)| (first, rest))
}
