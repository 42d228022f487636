//! One type per coordinate system, so that no bare integer crosses a function boundary.
//!
//! Three systems are in use: bytes into UTF-8 text (what the parser and the edits count in), 0-based
//! lines and UTF-16 columns (what the DevTools protocol counts in), and 1-based lines and columns (what
//! a person reads). [`LineIndex`] converts between them for one text.

use std::fmt;

/// A byte offset into UTF-8 text, 0-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteOffset(pub u32);

impl ByteOffset {
    /// The offset as an index into a string.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The offset for an index into a string; texts over 4 GiB saturate.
    #[must_use]
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSpan {
    /// First byte.
    pub start: ByteOffset,
    /// One past the last byte.
    pub end: ByteOffset,
}

/// A place as the DevTools protocol counts: 0-based line, 0-based column in UTF-16 code units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utf16Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based column in UTF-16 code units.
    pub column: u32,
}

/// A place as people count: 1-based line, 1-based column in UTF-16 code units (as editors and source
/// maps count).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HumanPosition {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in UTF-16 code units.
    pub column: u32,
}

impl From<Utf16Position> for HumanPosition {
    fn from(position: Utf16Position) -> Self {
        Self {
            line: position.line.saturating_add(1),
            column: position.column.saturating_add(1),
        }
    }
}

impl From<HumanPosition> for Utf16Position {
    fn from(position: HumanPosition) -> Self {
        Self {
            line: position.line.saturating_sub(1),
            column: position.column.saturating_sub(1),
        }
    }
}

impl fmt::Display for HumanPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

/// Where the lines of one text begin; converts between the coordinate systems for that text.
///
/// Lines end as JavaScript and V8 end them: `\n`, `\r\n`, a lone `\r`, U+2028 and U+2029.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    line_starts: Vec<u32>,
    /// For each character that is not ASCII: the byte after it, and how many bytes more than UTF-16 units
    /// the text up to there has.
    wide: Vec<(u32, u32)>,
    length: u32,
}

impl LineIndex {
    /// Indexes `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' => line_starts.push(ByteOffset::from_index(at + 1).0),
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => {
                    line_starts.push(ByteOffset::from_index(at + 1).0);
                }
                // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
                0xE2 if bytes.get(at + 1) == Some(&0x80)
                    && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) =>
                {
                    line_starts.push(ByteOffset::from_index(at + 3).0);
                }
                _ => {}
            }
            at += 1;
        }
        let mut wide = Vec::new();
        if !text.is_ascii() {
            let mut surplus = 0;
            for (index, character) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
                surplus += character.len_utf8() - character.len_utf16();
                let end = ByteOffset::from_index(index + character.len_utf8()).0;
                wide.push((end, ByteOffset::from_index(surplus).0));
            }
        }
        Self {
            line_starts,
            wide,
            length: ByteOffset::from_index(text.len()).0,
        }
    }

    /// How many UTF-16 units come before the byte at `offset`.
    fn units_before(&self, offset: u32) -> u32 {
        let passed = self.wide.partition_point(|&(end, _)| end <= offset);
        let surplus = passed.checked_sub(1).map_or(0, |last| self.wide[last].1);
        offset - surplus
    }

    /// The byte before which there are `units` UTF-16 units; the end of the character if that is inside one.
    fn byte_after(&self, text: &str, units: u32) -> u32 {
        let passed = self
            .wide
            .partition_point(|&(end, surplus)| end - surplus <= units);
        let surplus = passed.checked_sub(1).map_or(0, |last| self.wide[last].1);
        let mut byte = (units + surplus).min(self.length);
        while byte < self.length && !text.is_char_boundary(byte as usize) {
            byte += 1;
        }
        byte
    }

    /// How many lines the text has; at least 1.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        ByteOffset::from_index(self.line_starts.len()).0
    }

    /// The position of `offset` in `text`, the text this index was made of. Offsets past the end count
    /// as the end.
    #[must_use]
    pub fn position(&self, _text: &str, offset: ByteOffset) -> Utf16Position {
        let offset = offset.0.min(self.length);
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line];
        let column = self.units_before(offset) - self.units_before(start);
        Utf16Position {
            line: ByteOffset::from_index(line).0,
            column,
        }
    }

    /// The offset of `position` in `text`. A column past the line's end gives the line's end (before
    /// its terminator is not distinguished from after); `None` if there is no such line.
    #[must_use]
    pub fn offset(&self, text: &str, position: Utf16Position) -> Option<ByteOffset> {
        let start = *self.line_starts.get(position.line as usize)?;
        let end = self
            .line_starts
            .get(position.line as usize + 1)
            .copied()
            .unwrap_or(self.length);
        let units = self.units_before(start).saturating_add(position.column);
        Some(ByteOffset(self.byte_after(text, units).min(end)))
    }

    /// The bytes of one 0-based line, its terminator included; `None` if there is no such line.
    #[must_use]
    pub fn line_span(&self, line: u32) -> Option<ByteSpan> {
        let start = *self.line_starts.get(line as usize)?;
        let end = self
            .line_starts
            .get(line as usize + 1)
            .copied()
            .unwrap_or(self.length);
        Some(ByteSpan {
            start: ByteOffset(start),
            end: ByteOffset(end),
        })
    }
}

/// The length of `text` in UTF-16 code units.
#[must_use]
pub fn utf16_length(text: &str) -> u32 {
    ByteOffset::from_index(text.chars().map(char::len_utf16).sum()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_terminator_counts_once() {
        let text = "a\r\nb\rc\nd\u{2028}e";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 5);
        let e = ByteOffset::from_index(text.len() - 1);
        assert_eq!(
            index.position(text, e),
            Utf16Position { line: 4, column: 0 }
        );
    }

    #[test]
    fn every_character_of_a_mixed_text_maps_both_ways() {
        let text = "aé😀b\nü日本x\r\n😀😀z";
        let index = LineIndex::new(text);
        for (at, _) in text.char_indices() {
            let offset = ByteOffset::from_index(at);
            let position = index.position(text, offset);
            let line = index.line_span(position.line).unwrap();
            let before = &text[line.start.index()..at];
            assert_eq!(position.column, utf16_length(before), "at byte {at}");
            assert_eq!(index.offset(text, position), Some(offset), "at byte {at}");
        }
    }

    #[test]
    fn columns_are_utf16_units_both_ways() {
        let text = "x = '😀' + y";
        let index = LineIndex::new(text);
        let y = ByteOffset::from_index(text.len() - 1);
        let position = index.position(text, y);
        assert_eq!(position.column, 11);
        assert_eq!(index.offset(text, position), Some(y));
    }
}
