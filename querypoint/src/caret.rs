//! Errors about text that a person typed: the text, a caret under the place, what was expected, what to do.
//!
//! The caret is placed by display width, so that it stands under the right character after wide (CJK,
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

/// The candidate that `typed` most likely stands for, if one is near enough to suggest: equal but for
/// case, or at most a third of its letters wrong.
pub(crate) fn nearest<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in characters. Only short words are compared: the typed one is cut.
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).collect();
    let mut previous: Vec<usize> = (0..=left.len()).collect();
    for (row, right_character) in right.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, left_character) in left.iter().enumerate() {
            let replaced = previous[column] + usize::from(*left_character != right_character);
            current.push(
                replaced
                    .min(previous[column + 1] + 1)
                    .min(current[column] + 1),
            );
        }
        previous = current;
    }
    previous[left.len()]
}

#[cfg(test)]
mod tests {
    use super::{nearest, render};

    #[test]
    fn the_caret_stands_under_wide_characters() {
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

    #[test]
    fn suggestions_are_near_or_none() {
        let kinds = ["lastChange", "lastCondition"];
        assert_eq!(nearest("lastchange", kinds), Some("lastChange"));
        assert_eq!(nearest("lastChnage", kinds), Some("lastChange"));
        assert_eq!(nearest("print", kinds), None);
    }
}
