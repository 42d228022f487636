//! Edits on the text as it was written, and the map between the text before and after.
//!
//! Nothing is printed from a syntax tree: a rewritten script is the original with insertions (and a few
//! replacements) at byte offsets. Invariants: no line ever moves (a replaced line break is put back), and
//! every inserted character is in the [`PositionMap`].
//!
//! Edits of a script are [marked](crate::marks), so that a function can still be shown as it was written.

use std::fmt::{self, Write as _};

use crate::marks::{Marks, parts_to_hide};
use crate::position::{ByteOffset, ByteSpan, LineIndex, Utf16Position};

/// A list of edits on one text. Edits at the same offset keep the order in which they were made, so a
/// walk that inserts before it visits a child and after it has visited it gets its nesting right.
#[derive(Debug, Default)]
pub struct Edits {
    inserted: String,
    list: Vec<Edit>,
    marks: Option<Marks>,
}

#[derive(Clone, Copy, Debug)]
struct Edit {
    at: u32,
    deleted: u32,
    text_start: u32,
    text_end: u32,
    /// Whether what is deleted may be in a comment instead.
    hides: bool,
}

/// A place kept free for text that is known only later.
#[derive(Clone, Copy, Debug)]
pub struct Reserved(usize);

impl Edits {
    /// An empty list with room for `bytes` of inserted text.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        const BYTES_PER_EDIT: usize = 32;
        Self {
            inserted: String::with_capacity(bytes),
            list: Vec::with_capacity(bytes / BYTES_PER_EDIT),
            marks: None,
        }
    }

    /// Marks what is inserted in `source`, a script; text that is replaced (not: substituted) is hidden in
    /// comments instead of being left out.
    pub fn mark(&mut self, source: &str) {
        self.marks = Some(Marks::of([source, &self.inserted]));
    }

    /// Inserts `text` before the byte at `at`.
    pub fn insert(&mut self, at: ByteOffset, text: &str) {
        self.push(at, 0, |inserted| inserted.push_str(text));
    }

    /// Inserts formatted text before the byte at `at`.
    pub fn insert_args(&mut self, at: ByteOffset, text: fmt::Arguments<'_>) {
        self.push(at, 0, |inserted| {
            let _ = inserted.write_fmt(text);
        });
    }

    /// Inserts what `write` writes before the byte at `at`.
    pub fn insert_with(&mut self, at: ByteOffset, write: impl FnOnce(&mut String)) {
        self.push(at, 0, write);
    }

    /// Puts `text` in place of the bytes from `start` to `end` of `source`, which are punctuation and names,
    /// with white space and comments between them. Line breaks stay.
    pub fn replace(&mut self, source: &str, start: ByteOffset, end: ByteOffset, text: &str) {
        let old = source.get(start.index()..end.index()).unwrap_or("");
        let Some(parts) = parts_to_hide(old) else {
            let deleted = ByteOffset::from_index(old.len()).0;
            self.push(start, deleted, |inserted| {
                inserted.push_str(text);
                inserted.extend(old.chars().filter(|&character| is_line_break(character)));
            });
            return;
        };
        if !text.is_empty() {
            self.insert(start, text);
        }
        for part in parts {
            let at = ByteOffset::from_index(start.index() + part.start);
            self.push(at, ByteOffset::from_index(part.len()).0, |_| {});
            if let Some(edit) = self.list.last_mut() {
                edit.hides = true;
            }
        }
    }

    /// Replaces `deleted` bytes at `start` by `text`, which has the line breaks that were deleted.
    pub fn substitute(&mut self, start: ByteOffset, deleted: u32, text: &str) {
        self.push(start, deleted, |inserted| inserted.push_str(text));
    }

    /// Keeps a place before the byte at `at`, to be given to [`Edits::fill`]; empty until then.
    pub fn reserve(&mut self, at: ByteOffset) -> Reserved {
        self.push(at, 0, |_| {});
        Reserved(self.list.len() - 1)
    }

    /// Puts `text` into a reserved place.
    pub fn fill(&mut self, place: Reserved, text: &str) {
        let text_start = ByteOffset::from_index(self.inserted.len()).0;
        self.inserted.push_str(text);
        if let Some(edit) = self.list.get_mut(place.0) {
            edit.text_start = text_start;
            edit.text_end = ByteOffset::from_index(self.inserted.len()).0;
        }
    }

    /// How many edits there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether the first text inserted at `at` by the edits from number `from` on begins with `(`.
    #[must_use]
    pub fn begins_with_parenthesis(&self, from: usize, at: ByteOffset) -> bool {
        self.list.get(from..).is_some_and(|edits| {
            edits
                .iter()
                // A walk edits the start of a node before anything inside it.
                .take_while(|edit| edit.at == at.0)
                .filter(|edit| edit.text_start < edit.text_end)
                .map(|edit| self.inserted.as_bytes().get(edit.text_start as usize))
                .next()
                == Some(Some(&b'('))
        })
    }

    /// Whether an edit from number `from` on inserts something at `at`, or takes away what was before it.
    #[must_use]
    pub fn inserts_at(&self, from: usize, at: ByteOffset) -> bool {
        self.list.get(from..).is_some_and(|edits| {
            edits.iter().any(|edit| {
                (edit.at == at.0 && edit.text_start < edit.text_end)
                    || (edit.deleted > 0 && edit.at + edit.deleted == at.0)
            })
        })
    }

    fn push(&mut self, at: ByteOffset, deleted: u32, write: impl FnOnce(&mut String)) {
        let text_start = ByteOffset::from_index(self.inserted.len()).0;
        write(&mut self.inserted);
        self.list.push(Edit {
            at: at.0,
            deleted,
            text_start,
            text_end: ByteOffset::from_index(self.inserted.len()).0,
            hides: false,
        });
    }

    /// Applies the edits to `source`.
    #[must_use]
    pub fn apply(mut self, source: &str) -> (String, PositionMap) {
        let mut text =
            String::with_capacity(source.len() + self.inserted.len() + self.marks_size());
        let mut pieces: Vec<Piece> = Vec::with_capacity(self.list.len());
        let mut copied = 0;
        self.in_order(|at, deleted, parts| {
            text.push_str(source.get(copied..at).unwrap_or(""));
            let rewritten_start = ByteOffset::from_index(text.len()).0;
            for part in parts {
                text.push_str(part);
            }
            pieces.push(Piece {
                original_start: ByteOffset::from_index(at).0,
                original_length: deleted,
                rewritten_start,
                rewritten_length: ByteOffset::from_index(text.len()).0 - rewritten_start,
            });
            copied = at + deleted as usize;
        });
        text.push_str(source.get(copied..).unwrap_or(""));
        (text, PositionMap { pieces })
    }

    /// The edits as (start, deleted length, text), in the order of their place: for a text that is part
    /// of another.
    pub fn into_list(mut self) -> Vec<(ByteOffset, u32, String)> {
        let mut list = Vec::with_capacity(self.list.len());
        self.in_order(|at, deleted, parts| {
            list.push((ByteOffset::from_index(at), deleted, parts.concat()));
        });
        list
    }

    /// How many bytes the marks take at most.
    fn marks_size(&self) -> usize {
        self.marks.map_or(0, |marks| {
            (marks.open.len() + marks.close.len()) * self.list.len()
        })
    }

    /// Calls `edit` for what is to be done at each place, in order: the offset, how many bytes go, and the
    /// parts of the text that comes. Edits of one place are one, so a mark is never next to another.
    fn in_order(&mut self, mut edit: impl FnMut(usize, u32, &[&str])) {
        self.list
            .retain(|edit| edit.deleted > 0 || edit.text_start < edit.text_end);
        self.list.sort_by_key(|edit| edit.at);
        let (open, close) = self
            .marks
            .map_or(("", ""), |marks| (marks.open, marks.close));
        let mut parts: Vec<&str> = Vec::new();
        let mut edits = self.list.iter().peekable();
        // Where a comment that hides text ends.
        let mut hidden_until: Option<u32> = None;
        loop {
            let next = edits.peek().map(|next| next.at);
            let Some(at) = next.into_iter().chain(hidden_until).min() else {
                break;
            };
            parts.clear();
            parts.push(open);
            if hidden_until == Some(at) {
                parts.push("*/");
                hidden_until = None;
            }
            let mut deleted = 0;
            let mut hides = false;
            while let Some(next) = edits.next_if(|next| next.at == at) {
                let text = next.text_start as usize..next.text_end as usize;
                parts.push(self.inserted.get(text).unwrap_or(""));
                if next.hides && self.marks.is_some() {
                    hidden_until = Some(at + next.deleted);
                    hides = true;
                } else {
                    deleted += next.deleted;
                }
            }
            if hides {
                parts.push("/*");
            }
            parts.push(close);
            edit(at as usize, deleted, &parts);
        }
    }
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// One edit as seen from both texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    original_start: u32,
    original_length: u32,
    rewritten_start: u32,
    rewritten_length: u32,
}

/// The map between a text and what it became. Inserted text belongs to the place it was inserted before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionMap {
    pieces: Vec<Piece>,
}

impl PositionMap {
    /// Where the byte at `rewritten` of the rewritten text came from.
    #[must_use]
    pub fn to_original(&self, rewritten: ByteOffset) -> ByteOffset {
        let after = self
            .pieces
            .partition_point(|piece| piece.rewritten_start <= rewritten.0);
        let Some(piece) = after.checked_sub(1).map(|index| self.pieces[index]) else {
            return rewritten;
        };
        let past = rewritten.0 - piece.rewritten_start;
        if past < piece.rewritten_length {
            ByteOffset(piece.original_start)
        } else {
            let moved = past - piece.rewritten_length;
            ByteOffset(piece.original_start + piece.original_length + moved)
        }
    }

    /// Where the byte at `original` of the original text went; text inserted before it is skipped.
    #[must_use]
    pub fn to_rewritten(&self, original: ByteOffset) -> ByteOffset {
        let after = self
            .pieces
            .partition_point(|piece| piece.original_start <= original.0);
        let Some(piece) = after.checked_sub(1).map(|index| self.pieces[index]) else {
            return original;
        };
        let end = piece.original_start + piece.original_length;
        let moved = original.0.saturating_sub(end);
        ByteOffset(piece.rewritten_start + piece.rewritten_length + moved)
    }

    /// Whether the byte at `rewritten` was inserted by us.
    #[must_use]
    pub fn is_inserted(&self, rewritten: ByteOffset) -> bool {
        let after = self
            .pieces
            .partition_point(|piece| piece.rewritten_start <= rewritten.0);
        after.checked_sub(1).is_some_and(|index| {
            let piece = self.pieces[index];
            rewritten.0 - piece.rewritten_start < piece.rewritten_length
        })
    }

    /// The parts of the rewritten text that were inserted, in order.
    pub fn insertions(&self) -> impl Iterator<Item = ByteSpan> + '_ {
        let inserted = self
            .pieces
            .iter()
            .filter(|piece| piece.rewritten_length > 0);
        inserted.map(|piece| ByteSpan {
            start: ByteOffset(piece.rewritten_start),
            end: ByteOffset(piece.rewritten_start + piece.rewritten_length),
        })
    }

    /// Where inserted text and unchanged stretches begin, as offsets into the rewritten text, in order.
    fn beginnings(&self) -> impl Iterator<Item = ByteOffset> + '_ {
        let of_pieces = self.pieces.iter().flat_map(|piece| {
            let end = piece.rewritten_start + piece.rewritten_length;
            [ByteOffset(piece.rewritten_start), ByteOffset(end)]
        });
        std::iter::once(ByteOffset(0)).chain(of_pieces)
    }
}

/// A text, what it became, and everything needed to carry positions between the two.
#[derive(Clone, Debug)]
pub struct MappedText {
    /// The text as its author wrote it.
    pub original: String,
    /// The text that the browser runs.
    pub rewritten: String,
    map: PositionMap,
    original_lines: LineIndex,
    rewritten_lines: LineIndex,
}

impl MappedText {
    /// Puts the two texts and their map together.
    #[must_use]
    pub fn new(original: String, rewritten: String, map: PositionMap) -> Self {
        Self {
            original_lines: LineIndex::new(&original),
            rewritten_lines: LineIndex::new(&rewritten),
            original,
            rewritten,
            map,
        }
    }

    /// A position the browser names, in the text as it was written.
    #[must_use]
    pub fn original_position(&self, rewritten: Utf16Position) -> Utf16Position {
        self.original_offset(rewritten)
            .map_or(rewritten, |offset| self.position_of(offset))
    }

    /// A position the browser names, as an offset into the original text.
    #[must_use]
    pub fn original_offset(&self, rewritten: Utf16Position) -> Option<ByteOffset> {
        let offset = self.rewritten_lines.offset(&self.rewritten, rewritten)?;
        Some(self.map.to_original(offset))
    }

    /// The offset of a position that the browser names, in the text that it runs.
    #[must_use]
    pub fn rewritten_offset(&self, rewritten: Utf16Position) -> Option<ByteOffset> {
        self.rewritten_lines.offset(&self.rewritten, rewritten)
    }

    /// The position of an offset into the rewritten text.
    #[must_use]
    pub fn rewritten_position(&self, rewritten: ByteOffset) -> Utf16Position {
        self.rewritten_lines.position(&self.rewritten, rewritten)
    }

    /// The position of an offset into the original text.
    #[must_use]
    pub fn position_of(&self, original: ByteOffset) -> Utf16Position {
        self.original_lines.position(&self.original, original)
    }

    /// The offset of a position in the original text.
    #[must_use]
    pub fn offset_of(&self, original: Utf16Position) -> Option<ByteOffset> {
        self.original_lines.offset(&self.original, original)
    }

    /// Where the lines of the original text begin.
    #[must_use]
    pub fn original_lines(&self) -> &LineIndex {
        &self.original_lines
    }

    /// Where inserted text, unchanged stretches and lines begin, as offsets into the rewritten text, in no order.
    pub(crate) fn beginnings(&self) -> Vec<ByteOffset> {
        let lines = (0..self.rewritten_lines.line_count())
            .filter_map(|line| self.rewritten_lines.line_span(line));
        self.map
            .beginnings()
            .chain(lines.map(|line| line.start))
            .collect()
    }

    /// One 0-based line of the original text, without its terminator.
    #[must_use]
    pub fn original_line(&self, line: u32) -> Option<&str> {
        let span = self.original_lines.line_span(line)?;
        let text = self.original.get(span.start.index()..span.end.index())?;
        Some(text.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']))
    }

    /// The map alone.
    #[must_use]
    pub fn map(&self) -> &PositionMap {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_map_both_ways_and_keep_lines() {
        let source = "a.b =\n 1;\nc";
        let mut edits = Edits::default();
        edits.insert(ByteOffset(0), "(t=");
        edits.replace(source, ByteOffset(4), ByteOffset(6), "<>");
        edits.insert(ByteOffset(8), ")");
        let (text, map) = edits.apply(source);
        assert_eq!(text, "(t=a.b <>\n 1);\nc");
        assert_eq!(map.to_original(ByteOffset(3)), ByteOffset(0));
        assert_eq!(map.to_original(ByteOffset(0)), ByteOffset(0));
        let c = ByteOffset::from_index(text.len() - 1);
        assert_eq!(map.to_original(c), ByteOffset(10));
        assert_eq!(map.to_rewritten(ByteOffset(10)), c);
        assert!(map.is_inserted(ByteOffset(1)));
        assert!(!map.is_inserted(c));
    }

    #[test]
    fn edits_at_one_place_keep_their_order() {
        let mut edits = Edits::default();
        let place = edits.reserve(ByteOffset(1));
        edits.insert(ByteOffset(1), "2");
        edits.fill(place, "1");
        assert_eq!(edits.apply("ab").0, "a12b");
    }
}
