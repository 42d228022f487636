//! The engine over a real browser.

mod accessible_names;
mod breakpoints;
mod console_flood;
mod execution_line;
mod lifecycle;
mod one_tab;
mod recorder;
mod replay;
mod stops;
mod strokes;
mod support;
mod test_pages;
mod transcripts;
