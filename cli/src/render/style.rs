//! The colours of an answer, in one place. Where colours are not wanted, `anstream` takes them out again.

use anstyle::{AnsiColor, Style};

/// Names of points.
pub(super) const POINT: Style = AnsiColor::Cyan.on_default().bold();
/// The question between two points.
pub(super) const QUERY: Style = Style::new().bold();
/// Places in files.
pub(super) const PLACE: Style = AnsiColor::Blue.on_default();
/// The value before.
pub(super) const OLD: Style = AnsiColor::Green.on_default();
/// The value after: most often the wrong one.
pub(super) const NEW: Style = AnsiColor::Red.on_default().bold();
/// What asks for attention: no answer, blind spots, runs that disagree.
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Lines, labels and other furniture.
pub(super) const FAINT: Style = AnsiColor::BrightBlack.on_default();
/// The caret under a place.
pub(super) const CARET: Style = AnsiColor::Red.on_default().bold();
