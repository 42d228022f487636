//! The rows below the title of a point, each behind the line that leads on to the next one.

use std::fmt::Write;

use anstyle::Style;
use querypoint::answer::Location;

use super::style::{CARET, FAINT};
use super::text::SourceLine;

/// `text` in a style.
pub(super) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Lines below a title, each behind the line that leads on to the next point.
pub(super) struct Rows<'a> {
    drawing: &'a mut String,
    is_last: bool,
    /// The label of the last row: it is written only where it changes.
    label: String,
}

impl<'a> Rows<'a> {
    /// Rows at the end of `drawing`. `is_last`: no line leads on from here.
    pub(super) fn new(drawing: &'a mut String, is_last: bool) -> Self {
        Self {
            drawing,
            is_last,
            label: String::new(),
        }
    }

    pub(super) fn row(&mut self, label: &str, text: &str) {
        let shown = if self.label == label { "" } else { label };
        self.plain(&format!(
            "  {}{text}",
            styled(FAINT, &format!("{shown:<9}"))
        ));
        label.clone_into(&mut self.label);
    }

    /// A row whose label may be longer than those of others.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        self.plain(&format!(
            "  {}{text}",
            styled(FAINT, &format!("{label:<15}"))
        ));
    }

    pub(super) fn end_group(&mut self) {
        self.label.clear();
    }

    pub(super) fn blank(&mut self) {
        self.plain("");
    }

    pub(super) fn plain(&mut self, text: &str) {
        let line = if self.is_last {
            " ".to_owned()
        } else {
            styled(FAINT, "│")
        };
        let text = format!("{line}{text}");
        let _ = writeln!(self.drawing, "{}", text.trim_end());
    }
}

/// Whether the text of a line goes so far: an answer has the beginning of a very long one only.
pub(super) fn reaches(text: &str, location: &Location) -> bool {
    let column = usize::try_from(location.column).unwrap_or(usize::MAX);
    text.encode_utf16().take(column).count() + 1 >= column
}

/// The line `text` at a place, with its number and a caret under the column; nothing, if the text ends before it.
pub(super) fn draw_source_line(rows: &mut Rows<'_>, location: &Location, text: &str) {
    if !reaches(text, location) {
        return;
    }
    let line = SourceLine::new(text, location.column);
    let number = location.line.to_string();
    let margin = " ".repeat(number.len());
    rows.blank();
    rows.plain(&format!("  {FAINT}{number} │{FAINT:#} {}", line.text));
    rows.plain(&format!(
        "  {FAINT}{margin} │{FAINT:#} {}{}",
        " ".repeat(line.caret),
        styled(CARET, "^")
    ));
}
