//! What the comment before a function declares of its values.
//!
//! ```js
//! /**
//!  * @param {number} price
//!  * @param {string} [currency]
//!  * @returns {string}
//!  */
//! export function shown(price, currency = "EUR") { … }
//! ```
//! gives `price` as `number` and the result as `string`; what may be left out may be anything.

use crate::position::ByteOffset;

/// What is between a comment and its function, before the function: so many words at most.
const MOST_WORDS: usize = 8;

/// What a comment declares, as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocTypes {
    /// Names of parameters, and their types.
    pub parameters: Vec<(String, String)>,
    /// The type of the result.
    pub returns: Option<String>,
}

/// What the comment before a function declares; `function` is where the function begins. `None`: nothing.
#[must_use]
pub fn doc_types(source: &str, function: ByteOffset) -> Option<DocTypes> {
    let comment = comment_before(source, function)?;
    let mut found = DocTypes::default();
    for tag in tags(comment) {
        let (word, rest) = tag.split_at(
            tag.find(|it: char| !it.is_alphanumeric())
                .unwrap_or(tag.len()),
        );
        let Some((of, rest)) = braced(rest.trim_start()) else {
            continue;
        };
        match word {
            "returns" | "return" => found.returns = Some(of),
            "param" | "arg" | "argument" => {
                let name = rest.trim_start();
                let end = name.find(|it: char| !(it.is_alphanumeric() || matches!(it, '_' | '$')));
                let (name, behind) = name.split_at(end.unwrap_or(name.len()));
                // `[name]` may be left out; `name.inner` is a part of one.
                if !name.is_empty() && !behind.starts_with('.') {
                    found.parameters.push((name.to_owned(), of));
                }
            }
            _ => {}
        }
    }
    (found != DocTypes::default()).then_some(found)
}

/// The tags of a comment, each with what belongs to it.
fn tags(comment: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for line in comment.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix('*').unwrap_or(line).trim();
        match (line.strip_prefix('@'), tags.last_mut()) {
            (Some(tag), _) => tags.push(tag.to_owned()),
            (None, Some(tag)) => {
                tag.push(' ');
                tag.push_str(line);
            }
            (None, None) => {}
        }
    }
    tags
}

/// What is between braces at the beginning of a text, and what is behind.
fn braced(text: &str) -> Option<(String, &str)> {
    if !text.starts_with('{') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(1..at)?.trim().to_owned(), text.get(at + 1..)?));
        }
    }
    None
}

/// The text of the comment that documents a function.
fn comment_before(source: &str, function: ByteOffset) -> Option<&str> {
    let mut before = source.get(..function.0 as usize)?;
    for _ in 0..MOST_WORDS {
        before = before.trim_end();
        if let Some(comment) = before.strip_suffix("*/") {
            let start = comment.rfind("/*")?;
            return comment.get(start + 2..)?.strip_prefix('*');
        }
        before = without_last(before)?;
    }
    None
}

/// Without the last word, or the name that the function is assigned to.
fn without_last(text: &str) -> Option<&str> {
    const BEFORE: [&str; 8] = [
        "async", "const", "default", "export", "get", "let", "static", "var",
    ];
    let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '#' | '.');
    if let Some(assigned) = text.strip_suffix(['=', ':']) {
        let assigned = assigned.trim_end();
        let name = assigned.trim_end_matches(is_name);
        return (name.len() < assigned.len()).then_some(name);
    }
    let rest = text.trim_end_matches(is_name);
    let word = text.get(rest.len()..)?;
    BEFORE.contains(&word).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(source: &str, function: &str) -> Option<DocTypes> {
        let at = source.rfind(function).unwrap();
        doc_types(source, ByteOffset(u32::try_from(at).unwrap()))
    }

    const COMMENT: &str = "/**\n * Adds.\n * @param {number} a the first\n * @param {{x: number}}\n *   b\n \
        * @param {number} [c=1]\n * @param {string} b.x\n * @throws {Error}\n * @return {string|null} the sum\n */\n";

    #[test]
    fn the_comment_before_a_function_is_read() {
        let expected = DocTypes {
            parameters: vec![
                ("a".to_owned(), "number".to_owned()),
                ("b".to_owned(), "{x: number}".to_owned()),
            ],
            returns: Some("string|null".to_owned()),
        };
        for (before, function) in [
            ("", "function add(a, b, c) {}"),
            ("", "async function add(a, b, c) {}"),
            ("export default ", "function (a, b, c) {}"),
            ("export const add = ", "(a, b, c) => {}"),
            ("exports.add = ", "function (a, b, c) {}"),
            ("class A { static ", "add(a, b, c) {} }"),
            ("const o = { ", "add(a, b, c) {} }"),
        ] {
            let source = match before.split_once('{') {
                Some((outside, inside)) => format!("{outside}{{ {COMMENT}{inside}{function}"),
                None => format!("first();\n{COMMENT}{before}{function}"),
            };
            assert_eq!(
                declared(&source, function),
                Some(expected.clone()),
                "{source}"
            );
        }
        let property = format!("const o = {{ {COMMENT} add: (a) => {{}} }}");
        assert_eq!(declared(&property, "(a)"), Some(expected));
    }

    #[test]
    fn what_is_no_comment_of_the_function_is_not_read() {
        for (source, function) in [
            (
                "/** @returns {number} */ first(); function f() {}",
                "function",
            ),
            ("/* @returns {number} */ function f() {}", "function"),
            ("// @returns {number}\nfunction f() {}", "function"),
            ("/** @returns {number */ function f() {}", "function"),
            ("*/ function f() {}", "function"),
            (
                "/** @returns {number} */ if (a == function () {}) {}",
                "function",
            ),
            ("/** @returns number */ function f() {}", "function"),
            ("function f() {}", "function"),
        ] {
            assert_eq!(declared(source, function), None, "{source}");
        }
        assert_eq!(doc_types("", ByteOffset(7)), None);
    }
}
