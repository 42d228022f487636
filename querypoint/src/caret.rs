//! Errors about text that a person typed: the text, a caret under the place, what was expected, what to do.
//!
//! The caret is placed by display width, so that it is under the right character after wide (CJK,
//! emoji) and zero-width characters too. The text is always shown on one line.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text, a caret under the byte `offset`, the message beside it, and the help on a line of its own.
///
/// An offset that is past the end or inside a character counts as the nearest place before it.
pub(crate) fn render(text: &str, offset: usize, message: &str, help: Option<&str>) -> String {
    let mut boundary = offset.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary -= 1;
    }
    let (before, after) = text.split_at(boundary);
    let before = on_one_line(before);
    let padding = " ".repeat(before.width());
    let after = on_one_line(after);
    let mut rendered = format!(
        "{}\n{padding}^ {message}",
        format!("{before}{after}").trim_end()
    );
    if let Some(help) = help {
        rendered.push_str("\nhelp: ");
        rendered.push_str(help);
    }
    rendered
}

/// Characters that have no width of their own on a terminal (tabs, line ends, escapes) become spaces.
fn on_one_line(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.width().is_none() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn the_caret_is_under_wide_characters() {
        insta::assert_snapshot!(render("a.価格?", "a.価格".len(), "here", Some("do this")), @r"
        a.価格?
              ^ here
        help: do this
        ");
    }

    #[test]
    fn line_ends_and_offsets_inside_a_character_are_tolerated() {
        assert_eq!(render("a\n\tb", 3, "here", None), "a  b\n   ^ here");
        assert_eq!(render("é", 1, "here", None), "é\n^ here");
        assert_eq!(render("", 9, "here", None), "\n^ here");
    }
}
