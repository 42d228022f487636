//! `if (!user) return;` in the author's text, of which a minifier made a condition of what is behind it.
//!
//! ```js
//! if (!user) return;    // the author's
//! greet(user);
//! ```
//!
//! ```js
//! user&&greet(user);    // what runs
//! ```

use std::ops::Range;

/// How an `if` of the author's leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Return,
    Throw,
    Jump,
}

/// The `if` whose condition the offset `at` of `source` is in, where all that it does is to leave: its condition, how
/// it leaves, and where that is written.
pub(super) fn early_exit(source: &str, at: usize) -> Option<(Range<usize>, Exit, usize)> {
    /// Nobody writes a longer condition.
    const LONGEST: usize = 1000;
    // Some tools map what they make of an `if` to its first letter.
    let at = match source.get(at..)?.strip_prefix("if") {
        Some(rest) if rest.trim_start().starts_with('(') => {
            at + "if".len() + (rest.len() - rest.trim_start().len()) + 1
        }
        _ => at,
    };
    let before = source.get(..at)?;
    // The innermost `if (` before it that is still open there.
    let first = source.floor_char_boundary(at.saturating_sub(LONGEST));
    let mut opened = before.get(first..)?.match_indices('(').rev();
    let open = opened.find_map(|(index, _)| {
        let head = before.get(..first + index)?.trim_end();
        let word = head.strip_suffix("if")?;
        let is_word =
            !word.ends_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '.'));
        is_word.then_some(first + index)
    })?;
    let close = closing(source, open)?;
    if close <= at {
        return None;
    }
    let rest = source.get(close + 1..)?;
    let body = rest.trim_start();
    let body = body.strip_prefix('{').map_or(body, str::trim_start);
    let exits = [
        ("return", Exit::Return),
        ("throw", Exit::Throw),
        ("continue", Exit::Jump),
        ("break", Exit::Jump),
    ];
    let (_, exit) = exits.into_iter().find(|(word, _)| {
        let behind = body.strip_prefix(word);
        behind.is_some_and(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_'))
    })?;
    let condition = source.get(open + 1..close)?;
    let start = open + 1 + (condition.len() - condition.trim_start().len());
    let end = start + condition.trim().len();
    Some((start..end, exit, source.len() - body.len()))
}

/// The parenthesis that closes the one at `open`; text in quotes is none.
fn closing(source: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (index, character) in source.get(open..)?.char_indices() {
        match (quote, character) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(one), _) if one == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + index);
                }
            }
            (None, _) => {}
        }
    }
    None
}

/// Whether one of two texts of the same condition is the other turned round.
pub(super) fn is_negated(one: &str, other: &str) -> bool {
    let parity = |text: &str| {
        let text = text.trim();
        let bangs = text.chars().take_while(|it| *it == '!').count();
        (bangs + text.matches("!=").count()) % 2
    };
    parity(one) != parity(other)
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn exit(marked: &str) -> Option<(String, Exit, String)> {
        let at = marked.find('¶').unwrap();
        let source = marked.replace('¶', "");
        let (condition, exit, body) = early_exit(&source, at)?;
        let line = source[body..].lines().next().unwrap_or_default();
        Some((source[condition].to_owned(), exit, line.to_owned()))
    }

    #[test]
    fn an_if_that_only_leaves_is_found() {
        let found =
            |condition: &str, exit, body: &str| Some((condition.to_owned(), exit, body.to_owned()));
        assert_eq!(
            exit("if (!¶user) return;\ngreet();"),
            found("!user", Exit::Return, "return;")
        );
        assert_eq!(
            exit("f(); if (¶text.trim() === \")\") {\n  throw new Error(text);\n}"),
            found(
                "text.trim() === \")\"",
                Exit::Throw,
                "throw new Error(text);"
            )
        );
        assert_eq!(
            exit("if (a || ¶b) continue;"),
            found("a || b", Exit::Jump, "continue;")
        );
        assert_eq!(
            exit("¶if (!user) return;"),
            found("!user", Exit::Return, "return;")
        );
        assert_eq!(exit("if (¶user) greet();"), None);
        assert_eq!(exit("if (user) return ¶greet();"), None);
        assert_eq!(exit("if (user) returned(¶greet);"), None);
        assert_eq!(exit("notif(¶user); return;"), None);
    }

    #[test]
    fn what_is_turned_round_is_told() {
        assert!(is_negated("!user", "user"));
        assert!(is_negated("text.trim() === \"\"", "text.trim()!==\"\""));
        assert!(!is_negated("!user", "!u"));
        assert!(!is_negated("id < 0", "id<0"));
    }
}
