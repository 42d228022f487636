//! Edits of a text: what to replace by what.

use crate::position::{ByteOffset, ByteSpan};

/// One replacement. An empty span is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced.
    pub span: ByteSpan,
    /// What is there afterwards.
    pub replacement: String,
}

impl TextEdit {
    /// An insertion before the byte at `offset`.
    #[must_use]
    pub fn insertion(offset: ByteOffset, inserted: impl Into<String>) -> Self {
        Self {
            span: ByteSpan {
                start: offset,
                end: offset,
            },
            replacement: inserted.into(),
        }
    }
}

/// The text with all edits made.
///
/// The order of the edits is that of their places; edits at the same place are made in the order given. An
/// edit that overlaps the one before it, or does not lie on character boundaries inside the text, is left
/// out: the text around it stays as it was.
#[must_use]
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut ordered: Vec<&TextEdit> = edits.iter().collect();
    ordered.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let inserted: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let mut result = String::with_capacity(text.len() + inserted);
    let mut copied = 0;
    for edit in ordered {
        let (start, end) = (edit.span.start.index(), edit.span.end.index());
        let Some(before) = text.get(copied..start) else {
            continue;
        };
        if text.get(start..end).is_none() {
            continue;
        }
        result.push_str(before);
        result.push_str(&edit.replacement);
        copied = end;
    }
    result.push_str(&text[copied..]);
    result
}
