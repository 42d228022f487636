//! Finds the address that a script gives itself: its last `//# sourceURL=` comment.
//!
//! As V8 does it: a comment of one line, `//#` or `//@`, white space, `sourceURL=` and a word without quotes; nothing
//! else in the line.

/// The address that `script` gives itself, if it does.
#[must_use]
pub fn find_source_url(script: &str) -> Option<&str> {
    const NAME: &str = "sourceURL=";
    let mut end = script.len();
    while let Some(at) = script.get(..end)?.rfind(NAME) {
        let before = script.get(..at)?;
        let opening = before.trim_end_matches([' ', '\t']);
        let is_comment =
            opening.len() < before.len() && (opening.ends_with("//#") || opening.ends_with("//@"));
        let rest = script.get(at + NAME.len()..)?;
        let line = rest
            .split(['\n', '\r', '\u{2028}', '\u{2029}'])
            .next()
            .unwrap_or_default()
            .trim();
        let is_word = !line.is_empty()
            && !line.contains(|character: char| {
                character.is_whitespace() || matches!(character, '"' | '\'')
            });
        if is_comment && is_word {
            return Some(line);
        }
        end = at;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_source_url;

    #[test]
    fn the_last_comment_counts() {
        for (script, url) in [
            ("f()\n//# sourceURL=a.js", Some("a.js")),
            (
                "//@ sourceURL=a.js\nf()\n//# sourceURL=b.js\ng()",
                Some("b.js"),
            ),
            (
                "f() //# sourceURL=webpack-internal:///./src/a.js\n",
                Some("webpack-internal:///./src/a.js"),
            ),
            ("//# sourceURL=a.js\n//# sourceURL=b c", Some("a.js")),
            ("//# sourceURL='a.js'", None),
            ("//#sourceURL=a.js", None),
            ("// sourceURL=a.js", None),
            ("//# sourceURL=", None),
            ("", None),
        ] {
            assert_eq!(find_source_url(script), url, "{script}");
        }
    }
}
