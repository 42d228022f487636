//! The engine over a real browser.

mod execution_line;
mod lifecycle;
mod replay;
mod stops;
mod strokes;
mod support;
mod test_pages;
