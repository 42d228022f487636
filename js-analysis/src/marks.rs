//! Marks around what rewriting inserts: so that a function can still be shown as its author wrote it.
//!
//! `Function.prototype.toString` gives the text of a function as it runs. What was inserted therefore is
//! between two *marks*, and what was replaced is not left out but hidden in a comment. The agent then gives
//! the author's text from the running text alone: every second of the parts between marks, in whatever
//! function, realm or script. With `|` for the mark,
//!
//! ```text
//! o.p = f()       o.p = |($Qp1=|f()|,$QpA&&$QpW(1,o,"p",$Qp1),$Qp1)|
//! x += f()        x |/*|+|*/|= |($Qp1=x+(|f()|),$QpA&&…,$Qp1)|
//! k => o.p = k    k => |{return |o.p = …|}|
//! ```
//!
//! A function that ends with text of ours (the last line) has an odd number of marks; the last part is then ours.
//!
//! The mark is a vertical tab: white space for JavaScript, one byte in every encoding, and hardly ever in a
//! script. In a script that has one, inserted text opens with two of them and a form feed, and closes with
//! these in reverse; a script that has two in a row is not rewritten. Text without the prefix of our names
//! holds no hook, and is left as it is.

use std::ops::Range;

use memchr::memmem;

/// What is before and after inserted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
}

/// What marks a script; no text of one may have it.
pub(crate) const UNMARKABLE: &str = "\u{b}\u{b}";
const USUAL: Marks = Marks {
    open: "\u{b}",
    close: "\u{b}",
};
const RARE: Marks = Marks {
    open: "\u{b}\u{b}\u{c}",
    close: "\u{c}\u{b}\u{b}",
};

/// Whether a text holds the character that marks begin with: one look at each byte, which hardly ever finds it.
pub(crate) fn may_hold_mark(text: &str) -> bool {
    memchr::memchr(0x0b, text.as_bytes()).is_some()
}

impl Marks {
    /// The marks for a script and what is inserted there.
    pub(crate) fn of(texts: [&str; 2]) -> Self {
        if texts.iter().any(|text| may_hold_mark(text)) {
            RARE
        } else {
            USUAL
        }
    }
}

/// What the author wrote of `text`, which is (part of) a rewritten script whose hooks' names begin with
/// `prefix`. The agent does the same in `source_text.js`.
#[must_use]
pub fn author_text(text: &str, prefix: &str) -> String {
    let has = |part: &str| memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    if !has(prefix) {
        return text.to_owned();
    }
    let marks = if has(RARE.open) { RARE } else { USUAL };
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inserted)) = rest.split_once(marks.open) {
        written.push_str(before);
        rest = inserted
            .split_once(marks.close)
            .map_or("", |(_, after)| after);
    }
    written.push_str(rest);
    written
}

/// `inserted` between the marks of `running`, a rewritten script: what is there is not its author's.
#[must_use]
pub fn marked(running: &str, inserted: &str) -> String {
    let marks = if running.contains(RARE.open) {
        RARE
    } else {
        USUAL
    };
    format!("{}{inserted}{}", marks.open, marks.close)
}

/// The parts of `text` (punctuation, names and comments) that can be put into comments so that nothing of it
/// but its own comments and white space is left; `None` if that cannot be done.
pub(crate) fn parts_to_hide(text: &str) -> Option<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let next = next_comment(rest)?;
        let part = rest[..next.start].trim();
        if !part.is_empty() {
            let start = at + next.start - rest[..next.start].trim_start().len();
            parts.push(start..start + part.len());
        }
        at += next.end;
    }
    let is_safe = |part: &Range<usize>| !text[part.clone()].contains("*/");
    parts.iter().all(is_safe).then_some(parts)
}

/// The first comment of `text`, string literals skipped; the empty range at its end if there is none. `None`
/// where the text cannot be told apart.
fn next_comment(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while *bytes.get(at)? != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' => {
                let end = match bytes.get(at + 1)? {
                    b'*' => at + 2 + text.get(at + 2..)?.find("*/")? + 2,
                    b'/' => text[at..]
                        .find(['\n', '\r', '\u{2028}', '\u{2029}'])
                        .map_or(text.len(), |length| at + length),
                    _ => return None,
                };
                return Some(at..end);
            }
            b'`' => return None,
            // Comments as HTML writes them.
            b'<' | b'-' if text[at..].starts_with("<!--") || text[at..].starts_with("-->") => {
                return None;
            }
            _ => {}
        }
        at += 1;
    }
    Some(text.len()..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::Edits;
    use crate::position::ByteOffset;

    fn edited(source: &str, from: usize, to: usize, by: &str) -> String {
        let mut edits = Edits::default();
        edits.insert(ByteOffset(0), "$Qp1;");
        let (start, end) = (ByteOffset::from_index(from), ByteOffset::from_index(to));
        edits.replace(source, start, end, by);
        edits.mark(source);
        let (text, map) = edits.apply(source);
        assert_eq!(author_text(&text, "$Qp"), source);
        for (offset, character) in source.char_indices() {
            let there = map.to_rewritten(ByteOffset::from_index(offset));
            assert!(text[there.index()..].starts_with(character), "{text:?}");
            assert_eq!(map.to_original(there).index(), offset);
        }
        text.replace('\u{b}', "|")
    }

    #[test]
    fn what_is_replaced_is_hidden() {
        assert_eq!(edited("x += 1", 2, 3, ""), "|$Qp1;|x |/*|+|*/|= 1");
        assert_eq!(edited("++x", 0, 2, "($1="), "|$Qp1;($1=/*|++|*/|x");
        assert_eq!(edited("x++", 1, 3, ",x)"), "|$Qp1;|x|,x)/*|++|*/|");
    }

    #[test]
    fn comments_in_what_is_replaced_stay() {
        let source = "a /* ( */ ( // )\n (['*'+'/'";
        assert_eq!(
            edited(source, 2, 20, "<"),
            "|$Qp1;|a |<|/* ( */ |/*|(|*/| // )\n |/*|([|*/|'*'+'/'"
        );
    }

    #[test]
    fn what_cannot_be_hidden_is_left_out() {
        for source in ["a '*/' b", "a `*/` b", "a <!-- */\n b"] {
            let mut edits = Edits::default();
            let end = ByteOffset::from_index(source.len() - 1);
            edits.replace(source, ByteOffset(2), end, "$Qp");
            edits.mark(source);
            let (text, _) = edits.apply(source);
            let breaks: String = source.chars().filter(|&c| c == '\n').collect();
            assert_eq!(text, format!("a \u{b}$Qp{breaks}\u{b}b"));
        }
    }

    #[test]
    fn a_script_with_the_usual_mark_gets_another() {
        for source in ["a++", "a\u{b}++", "\u{b}a\u{b}\u{c}++\u{b}", "a\u{c}++"] {
            let at = source.find('+').unwrap_or(0);
            edited(source, at, at + 2, "");
        }
    }

    #[test]
    fn what_is_put_behind_a_script_is_not_its_authors() {
        for source in ["a++", "a\u{b}++"] {
            let mut edits = Edits::default();
            edits.insert(ByteOffset::from_index(source.len()), ";$Qp1()");
            edits.mark(source);
            let running = edits.apply(source).0;
            let whole = format!("{running}{}", marked(&running, " // more"));
            assert_eq!(author_text(&whole, "$Qp"), source);
        }
    }

    #[test]
    fn text_without_hooks_stays() {
        assert_eq!(author_text("f\u{b}(\u{b})", "$Qp"), "f\u{b}(\u{b})");
    }
}
