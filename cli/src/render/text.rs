//! Text that came from a page, made fit for a terminal.
//!
//! Invariants: no control character gets through (a page must not move the cursor or change the title),
//! and widths are those of the terminal's columns, so that carets are under their character.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How much of a source line is shown to the left and to the right of the caret, in terminal columns.
const SHOWN_BEFORE_CARET: usize = 50;
const SHOWN_AFTER_CARET: usize = 60;
const TAB: &str = "    ";

/// `text` without characters that a terminal would obey instead of show; cut at `limit` columns.
pub(super) fn printable(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for character in text.chars() {
        let piece = match character {
            '\n' => "⏎".to_owned(),
            '\t' => " ".to_owned(),
            _ if is_unsafe(character) => character.escape_unicode().to_string(),
            _ => character.to_string(),
        };
        width += piece.width();
        if width > limit {
            shown.push('…');
            break;
        }
        shown.push_str(&piece);
    }
    shown
}

/// Control characters, and those that reorder text so that it reads as what it is not.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// One line of source made ready to be shown, and where its caret is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    /// What to show: without indentation and, if it is very long, a window around the caret.
    pub(super) text: String,
    /// How many terminal columns the caret is to the right of the text's beginning.
    pub(super) caret: usize,
}

impl SourceLine {
    /// The line `text` with a caret under its 1-based UTF-16 column.
    pub(super) fn new(text: &str, utf16_column: u32) -> Self {
        let split = byte_of_utf16_column(text, utf16_column);
        let before: String = shown(text[..split].trim_start());
        // If the caret is in the indentation, nothing of it is kept.
        let after = shown(text[split..].trim_end());
        let after = if before.is_empty() {
            after.trim_start().to_owned()
        } else {
            after
        };

        let (cut_before, before) = last_columns(&before, SHOWN_BEFORE_CARET);
        let (after, cut_after) = first_columns(&after, SHOWN_AFTER_CARET);
        let start = if cut_before { "…" } else { "" };
        let end = if cut_after { "…" } else { "" };
        Self {
            caret: start.width() + before.width(),
            text: format!("{start}{before}{after}{end}"),
        }
    }

    /// What is before the caret, the character above it (a blank at the line's end), and what is behind.
    pub(super) fn around_caret(&self) -> (&str, &str, &str) {
        let mut width = 0;
        for (byte, character) in self.text.char_indices() {
            if width >= self.caret && character.width().is_some_and(|width| width > 0) {
                let end = byte + character.len_utf8();
                return (&self.text[..byte], &self.text[byte..end], &self.text[end..]);
            }
            width += character.width().unwrap_or(0);
        }
        (&self.text, " ", "")
    }
}

fn shown(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' => TAB.to_owned(),
            _ if is_unsafe(character) => "\u{FFFD}".to_owned(),
            _ => character.to_string(),
        })
        .collect()
}

fn byte_of_utf16_column(text: &str, column: u32) -> usize {
    let mut units = 1;
    for (byte, character) in text.char_indices() {
        if units >= column as usize {
            return byte;
        }
        units += character.len_utf16();
    }
    text.len()
}

/// The end of `text` that fits into `limit` columns, and whether anything was cut.
fn last_columns(text: &str, limit: usize) -> (bool, &str) {
    let mut width = 0;
    for (byte, character) in text.char_indices().rev() {
        width += character.width().unwrap_or(0);
        if width > limit {
            return (true, &text[byte + character.len_utf8()..]);
        }
    }
    (false, text)
}

/// The beginning of `text` that fits into `limit` columns, and whether anything was cut.
fn first_columns(text: &str, limit: usize) -> (&str, bool) {
    let mut width = 0;
    for (byte, character) in text.char_indices() {
        width += character.width().unwrap_or(0);
        if width > limit {
            return (&text[..byte], true);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line as it is shown, the caret under it.
    fn drawn(text: &str, column: u32) -> String {
        let line = SourceLine::new(text, column);
        format!("{}\n{}^", line.text, " ".repeat(line.caret))
    }

    #[test]
    fn a_page_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb", 80), "a\\u{1b}[2Jb");
        assert_eq!(printable("\u{202e}evil", 80), "\\u{202e}evil");
        assert_eq!(printable("two\nlines", 80), "two⏎lines");
        let line = SourceLine::new("x = '\u{1b}]0;title\u{7}'", 1);
        assert!(!line.text.contains('\u{1b}'));
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(printable("abcdef", 3), "abc…");
        assert_eq!(printable("abc", 3), "abc");
    }

    #[test]
    fn the_caret_is_under_its_character() {
        assert_eq!(drawn("    myObject.x = 0;", 5), "myObject.x = 0;\n^");
        assert_eq!(drawn("\tif (a) b.c = 1", 9), "if (a) b.c = 1\n       ^");
        // One emoji: two UTF-16 units and two terminal columns; one ideograph: one unit, two columns.
        assert_eq!(
            drawn("s = '😀', a.b = 1", 11),
            "s = '😀', a.b = 1\n          ^"
        );
        assert_eq!(drawn("s='値'; a.b = 1", 8), "s='値'; a.b = 1\n        ^");
    }

    #[test]
    fn a_line_is_split_around_the_character_above_the_caret() {
        let split = |text: &str, column: u32| {
            let line = SourceLine::new(text, column);
            let (before, under, after) = line.around_caret();
            format!("{before}[{under}]{after}")
        };
        assert_eq!(split("    a.b = 1;", 5), "[a].b = 1;");
        assert_eq!(split("s='値'; a.b = 1", 8), "s='値'; [a].b = 1");
        assert_eq!(split("e\u{301} = a", 6), "e\u{301} = [a]");
        assert_eq!(split("ab", 99), "ab[ ]");
        assert_eq!(split("", 1), "[ ]");
    }

    #[test]
    fn columns_outside_the_line_do_no_harm() {
        assert_eq!(drawn("", 1), "\n^");
        assert_eq!(drawn("ab", 0), "ab\n^");
        assert_eq!(drawn("ab", 99), "ab\n  ^");
        assert_eq!(drawn("    ab", 2), "ab\n^");
    }

    #[test]
    fn a_minified_line_shows_a_window_around_the_caret() {
        let text = format!("{}a.b=1;{}", "x();".repeat(500), "y();".repeat(500));
        let line = SourceLine::new(&text, 2001);
        assert!(line.text.width() <= SHOWN_BEFORE_CARET + SHOWN_AFTER_CARET + 2);
        assert!(line.text.starts_with('…') && line.text.ends_with('…'));
        assert!(
            line.text
                .chars()
                .skip(line.caret)
                .collect::<String>()
                .starts_with("a.b=1;")
        );
    }
}
