//! The value of an attribute: as it is written, as the browser reads it, and how an edit of what is read
//! becomes edits of what is written.
//!
//! ```text
//! written   onclick="if (a &amp;&amp; b) f(&quot;x&quot;)"
//! read               if (a && b) f("x")
//! edited             if (__h(1), a && b) f("x")
//! written   onclick="if (__h(1), a &amp;&amp; b) f(&quot;x&quot;)"
//! ```
//!
//! Only what an edit replaces or inserts is written anew; the rest keeps its spelling, so its place on its
//! line changes by the insertions alone.

use super::character_reference::character_reference;
use super::edit::TextEdit;
use crate::position::{ByteOffset, ByteSpan};
use thiserror::Error;

/// How an attribute's value is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`
    None,
}

/// An attribute's value in its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeValue {
    /// Where the value is written, without its quotes.
    pub raw: ByteSpan,
    /// The quotes around it.
    pub quote: Quote,
    /// What the browser reads: character references decoded. Line breaks are kept as they are written.
    pub decoded: String,
    /// The places where what is read is not what is written, in order.
    differences: Vec<Difference>,
}

/// A stretch of the value that is read as something else; empty on neither side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Difference {
    decoded_start: usize,
    decoded_end: usize,
    raw_start: usize,
    raw_end: usize,
}

/// Why edits of a decoded value cannot be made in the document.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttributeEditError {
    /// An edit begins or ends between two characters that are written as one character reference, inside a
    /// character, or past the end.
    #[error(
        "the edit at byte {0:?} of the attribute's value is not at a place where it can be cut"
    )]
    NotAPlace(ByteOffset),
    /// Edits overlap or are not in order.
    #[error(
        "the edit at byte {0:?} of the attribute's value begins before the one in front of it ends"
    )]
    OutOfOrder(ByteOffset),
    /// The text is not the one in which the attribute was found.
    #[error("the text is not the document in which the attribute was found")]
    OtherText,
}

impl AttributeValue {
    /// Reads the value at `raw` in `text`.
    pub(super) fn read(text: &str, raw: ByteSpan) -> Option<Self> {
        let (start, end) = (raw.start.index(), raw.end.index());
        let written = text.get(start..end)?;
        let before = start.checked_sub(1).map(|at| text.as_bytes()[at]);
        let quote = match (before, text.as_bytes().get(end)) {
            (Some(b'"'), Some(b'"')) => Quote::Double,
            (Some(b'\''), Some(b'\'')) => Quote::Single,
            _ => Quote::None,
        };
        let mut decoded = String::with_capacity(written.len());
        let mut differences = Vec::new();
        let mut at = 0;
        while let Some(found) = written[at..].find(['&', '\0']) {
            decoded.push_str(&written[at..at + found]);
            at += found;
            let (meaning, length) = if written.as_bytes()[at] == 0 {
                ("\u{FFFD}".to_owned(), 1)
            } else if let Some(reference) = character_reference(&written[at..]) {
                reference
            } else {
                decoded.push('&');
                at += 1;
                continue;
            };
            let decoded_start = decoded.len();
            decoded.push_str(&meaning);
            differences.push(Difference {
                decoded_start,
                decoded_end: decoded.len(),
                raw_start: start + at,
                raw_end: start + at + length,
            });
            at += length;
        }
        decoded.push_str(&written[at..]);
        Some(Self {
            raw,
            quote,
            decoded,
            differences,
        })
    }

    /// Where in the document the byte at `decoded` of the decoded value is written; the end of the value for
    /// its length. `None` inside a character reference (or a character), or past the end.
    #[must_use]
    pub fn raw_offset(&self, decoded: ByteOffset) -> Option<ByteOffset> {
        let offset = decoded.index();
        if !self.decoded.is_char_boundary(offset) {
            return None;
        }
        let passed = self
            .differences
            .partition_point(|difference| difference.decoded_end <= offset);
        if let Some(next) = self.differences.get(passed)
            && next.decoded_start < offset
        {
            return None;
        }
        let (decoded_end, raw_end) =
            passed
                .checked_sub(1)
                .map_or((0, self.raw.start.index()), |last| {
                    let last = self.differences[last];
                    (last.decoded_end, last.raw_end)
                });
        Some(ByteOffset::from_index(raw_end + (offset - decoded_end)))
    }

    /// The edits of the document `text` that make `edits` in the decoded value.
    ///
    /// `edits` are in bytes of [`decoded`](Self::decoded), in order, without overlaps. What is inserted is
    /// escaped as its place demands, line breaks stay line breaks, a value without quotes gets them, and an
    /// ampersand that what is inserted would turn into a character reference (or end one) is protected. The
    /// result is in order, and no two edits touch. No edits give no edits.
    ///
    /// # Errors
    /// See [`AttributeEditError`].
    pub fn edits(
        &self,
        text: &str,
        edits: &[TextEdit],
    ) -> Result<Vec<TextEdit>, AttributeEditError> {
        let (start, end) = (self.raw.start.index(), self.raw.end.index());
        let written = text.get(start..end).ok_or(AttributeEditError::OtherText)?;
        let mut raw_edits: Vec<RawEdit> = Vec::new();
        let quote = match self.quote {
            Quote::Double => '"',
            Quote::Single => '\'',
            Quote::None if written.contains('"') && !written.contains('\'') => '\'',
            Quote::None => '"',
        };
        let mut previous_end = 0;
        for edit in edits {
            if edit.span.start.index() < previous_end || edit.span.end < edit.span.start {
                return Err(AttributeEditError::OutOfOrder(edit.span.start));
            }
            previous_end = edit.span.end.index();
            if edit.span.start == edit.span.end && edit.replacement.is_empty() {
                continue;
            }
            let place = |offset| {
                self.raw_offset(offset)
                    .map(ByteOffset::index)
                    .ok_or(AttributeEditError::NotAPlace(offset))
            };
            let (raw_start, raw_end) = (place(edit.span.start)?, place(edit.span.end)?);
            if let Some(protection) = self.protection(text, raw_start) {
                raw_edits.push(protection);
            }
            raw_edits.push(RawEdit {
                start: raw_start,
                end: raw_end,
                order: Order::Edit,
                replacement: escaped(&edit.replacement, quote),
            });
        }
        if raw_edits.is_empty() {
            return Ok(Vec::new());
        }
        if self.quote == Quote::None {
            raw_edits.push(RawEdit::insertion(start, Order::OpeningQuote, quote));
            raw_edits.push(RawEdit::insertion(end, Order::ClosingQuote, quote));
            for (found, _) in written.match_indices(quote) {
                raw_edits.push(RawEdit {
                    start: start + found,
                    end: start + found + 1,
                    order: Order::Edit,
                    replacement: escaped(&quote.to_string(), quote),
                });
            }
        }
        Ok(merged(raw_edits))
    }

    /// What must be written so that the reference or ampersand in front of `raw_start` keeps its meaning
    /// when other text follows it.
    fn protection(&self, text: &str, raw_start: usize) -> Option<RawEdit> {
        let before = text.get(self.raw.start.index()..raw_start)?;
        let name = before
            .bytes()
            .rev()
            .take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'#')
            .count();
        let ampersand = raw_start.checked_sub(name + 1)?;
        if !before[..before.len() - name].ends_with('&') {
            return None;
        }
        let reference = self
            .differences
            .binary_search_by_key(&ampersand, |difference| difference.raw_start)
            .ok()
            .map(|found| self.differences[found]);
        match reference {
            // `&lt` and then something: `&lt;` and then something.
            Some(reference) if reference.raw_end == raw_start => {
                Some(RawEdit::insertion(raw_start, Order::Protection, ';'))
            }
            Some(_) => None,
            // `&` or `&am`, which means itself: `&amp;am`.
            None => Some(RawEdit {
                start: ampersand + 1,
                end: ampersand + 1,
                order: Order::Protection,
                replacement: "amp;".to_owned(),
            }),
        }
    }
}

/// Which of several edits at one place comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    OpeningQuote,
    Protection,
    Edit,
    ClosingQuote,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RawEdit {
    start: usize,
    end: usize,
    order: Order,
    replacement: String,
}

impl RawEdit {
    fn insertion(at: usize, order: Order, inserted: char) -> Self {
        Self {
            start: at,
            end: at,
            order,
            replacement: inserted.to_string(),
        }
    }
}

/// Puts edits in order, drops the protections and quotes that another edit replaces, and joins those that
/// touch.
fn merged(mut raw_edits: Vec<RawEdit>) -> Vec<TextEdit> {
    raw_edits.sort_by_key(|edit| (edit.start, edit.order));
    let mut result: Vec<TextEdit> = Vec::new();
    let mut protected = None;
    for edit in raw_edits {
        if edit.order == Order::Protection {
            let is_replaced = result.last().is_some_and(|last| {
                last.span.start.index() < edit.start && edit.start <= last.span.end.index()
            });
            if is_replaced || protected == Some(edit.start) {
                continue;
            }
            protected = Some(edit.start);
        }
        match result.last_mut() {
            Some(last) if edit.start < last.span.end.index() => {}
            Some(last) if edit.start == last.span.end.index() => {
                last.replacement.push_str(&edit.replacement);
                last.span.end = ByteOffset::from_index(edit.end);
            }
            _ => result.push(TextEdit {
                span: ByteSpan {
                    start: ByteOffset::from_index(edit.start),
                    end: ByteOffset::from_index(edit.end),
                },
                replacement: edit.replacement,
            }),
        }
    }
    result
}

/// `text` as it is written in an attribute between such quotes.
fn escaped(text: &str, quote: char) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '"' if quote == '"' => result.push_str("&quot;"),
            '\'' if quote == '\'' => result.push_str("&#39;"),
            other => result.push(other),
        }
    }
    result
}
