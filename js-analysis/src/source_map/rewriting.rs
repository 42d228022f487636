//! The source map of a rewriting: from the text that runs to what its author wrote, through the text's own map if it
//! has one.
//!
//! With `~` for what was inserted, of a text without a map of its own, where each `|` is a mapping to the column
//! under it:
//!
//! ```text
//! rewritten   |~~~|let |x |= |~~~|f|(|1|)|~~|; |x|++
//! original         let  x  =       f ( 1 )   ;  x ++
//! ```
//!
//! Invariants:
//! - What is explained is what [`MappedText::original_position`] gives, and what the text's own map says of that
//!   place. Inserted text comes from the place that it was inserted at.
//! - Every line begins with a mapping, for some readers of maps carry one over to the next line and some do not. What
//!   a text's own map says nothing of is said to come from nowhere.

use super::{Mapping, NONE, Source, SourceMap};
use crate::edits::MappedText;
use crate::position::{ByteOffset, ByteSpan, Utf16Position};

impl SourceMap {
    /// The map from the rewritten text to what its author wrote: to the original text, which is called `url`, or where
    /// `own` is the original's map, to the sources of that.
    ///
    /// `let x = f()`, rewritten to `$Qp0();let x = $Qp1=f()`, has mappings at `$Qp0`, `let`, `x`, `=`, `$Qp1`, `f` and
    /// the parentheses. If it came from a longer name by a map of its own, that is where they lead.
    #[must_use]
    pub fn of_rewriting(text: &MappedText, url: &str, own: Option<&Self>) -> Self {
        let whole = ByteSpan {
            start: ByteOffset(0),
            end: ByteOffset::from_index(text.rewritten.len()),
        };
        Self::of_part(text, url, own, whole)
    }

    /// The map of what is at `part` of the rewritten text, such as a script of a document: its first character is
    /// in line 0 and column 0. It leads to the whole original text.
    #[must_use]
    pub fn of_part(text: &MappedText, url: &str, own: Option<&Self>, part: ByteSpan) -> Self {
        let mut places = text.beginnings();
        places.push(part.start);
        match own {
            Some(own) => {
                let in_original = own
                    .mappings
                    .iter()
                    .filter_map(|mapping| text.offset_of(mapping.generated));
                places.extend(in_original.map(|at| text.map().to_rewritten(at)));
            }
            None => places.extend(words(&text.original).map(|at| text.map().to_rewritten(at))),
        }
        places.retain(|&at| part.start <= at && (at < part.end || at == part.start));
        places.sort_unstable();
        places.dedup();
        let start = text.rewritten_position(part.start);
        let mut map = own.map_or_else(
            || Self {
                sources: vec![Source {
                    url: url.to_owned(),
                    ignored: false,
                    text: Some(text.original.clone()),
                }],
                ..Self::default()
            },
            |own| Self {
                sources: own.sources.clone(),
                names: own.names.clone(),
                ..Self::default()
            },
        );
        map.mappings.reserve(places.len());
        for at in places {
            let generated = from_start(start, text.rewritten_position(at));
            let in_original = text.position_of(text.map().to_original(at));
            let mapping = match own {
                None => Mapping {
                    generated,
                    original: in_original,
                    source: 0,
                    name: NONE,
                },
                Some(own) => {
                    let explained = own.mapping_at(in_original);
                    let mapping = explained.map_or(NOWHERE, |&explained| Mapping {
                        generated,
                        ..explained
                    });
                    let before = map.mappings.last();
                    let before = before.filter(|before| before.generated.line == generated.line);
                    // One place of the author's is one mapping, as it was.
                    if before.is_some_and(|before| goes_on(before, &mapping)) {
                        continue;
                    }
                    Mapping {
                        generated,
                        ..mapping
                    }
                }
            };
            map.mappings.push(mapping);
        }
        map
    }
}

/// A position as seen from an earlier one.
fn from_start(start: Utf16Position, position: Utf16Position) -> Utf16Position {
    let before = if position.line == start.line {
        start.column
    } else {
        0
    };
    Utf16Position {
        line: position.line - start.line,
        column: position.column - before,
    }
}

/// What comes from no source.
const NOWHERE: Mapping = Mapping {
    generated: Utf16Position { line: 0, column: 0 },
    original: Utf16Position { line: 0, column: 0 },
    source: NONE,
    name: NONE,
};

/// Whether what follows on a line comes from the same place.
fn goes_on(before: &Mapping, next: &Mapping) -> bool {
    let place = |mapping: &Mapping| (mapping.source, mapping.original, mapping.name);
    place(before) == place(next) || before.source == NONE && next.source == NONE
}

/// Where words and groups of other characters begin: there debuggers pause, and errors are. No line breaks, no blanks.
fn words(text: &str) -> impl Iterator<Item = ByteOffset> + '_ {
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Blank,
        Word,
        /// Each for itself.
        Bracket,
        Other,
    }
    let mut before = Kind::Blank;
    text.char_indices().filter_map(move |(at, character)| {
        let kind = match character {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' => Kind::Bracket,
            '_' | '$' => Kind::Word,
            _ if character.is_alphanumeric() => Kind::Word,
            _ if character.is_whitespace() => Kind::Blank,
            _ => Kind::Other,
        };
        let begins = kind != Kind::Blank && (kind != before || kind == Kind::Bracket);
        before = kind;
        begins.then(|| ByteOffset::from_index(at))
    })
}

#[cfg(test)]
mod tests;
