//! Source maps: from the generated code that the browser runs to the source its author wrote, and back.
//!
//! Reads version 3 maps, plain and indexed (ECMA-426), and writes plain ones. Makes the map of a rewriting
//! ([`SourceMap::of_rewriting`]). Finds a script's reference to its map ([`find_source_mapping_url`]).
//!
//! Invariants:
//! - A map is a stranger's input: what is malformed is a typed error. A small map cannot take much memory:
//!   the size of the JSON, the number of mappings and the values in them are bounded.
//! - Lines and columns are 0-based, columns in UTF-16 code units, on both sides.
//! - A position is only ever explained by a mapping on its own line.

mod aliases;
mod author_text;
mod declared_types;
mod decode;
mod imports;
mod original_text;
mod reference;
mod rewriting;
mod source_url;
mod write;

use std::sync::OnceLock;

use crate::position::{LineIndex, Utf16Position};
use thiserror::Error;

pub use aliases::Imported;
pub(crate) use author_text::AuthorText;
pub use reference::{MapReference, find_source_mapping_url};
pub use source_url::find_source_url;

/// A parsed source map.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
    names: Vec<String>,
    /// Sorted by generated position.
    mappings: Vec<Mapping>,
    /// Where the lines of the sources begin, once it was asked.
    lines: OnceLock<Vec<OnceLock<LineIndex>>>,
}

/// One original source of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its URL: `sourceRoot` and the entry in `sources`, resolved against the map's URL where that is
    /// possible, otherwise as written. Empty if the map names none.
    pub url: String,
    /// Whether the map lists it in `ignoreList`, or it is a bundler's own: code that its author did not write.
    pub ignored: bool,
    /// Its text, if the map holds it in `sourcesContent`.
    pub text: Option<String>,
}

/// A mapping; `source` and `name` are indices, [`NONE`] if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapping {
    generated: Utf16Position,
    original: Utf16Position,
    source: u32,
    name: u32,
}

/// The index of nothing.
const NONE: u32 = u32::MAX;

/// Where generated code comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// URL of the source, as in [`Source::url`].
    pub source: String,
    /// The place in the source that the mapping names.
    pub position: Utf16Position,
    /// The name that is there in the source, if the map says so.
    pub name: Option<String>,
    /// Whether the mapping begins exactly at the position that was asked for. If not, it begins before it on
    /// the same line, and `position` belongs to that beginning.
    pub exact: bool,
    /// Where the mapping begins in the generated code.
    pub generated: Utf16Position,
}

/// A place in the generated code that comes from a line that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The place in the generated code.
    pub generated: Utf16Position,
    /// The place in the source.
    pub original: Utf16Position,
    /// URL of the source, as in [`Source::url`].
    pub source: String,
}

/// Why something is not a source map that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceMapError {
    /// The JSON, the number of mappings or a number in them is beyond what is read.
    #[error("the source map is too large: {what}; at most {limit} are read")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// The text is not JSON, or not of a source map's shape.
    #[error("the source map is not valid JSON of a source map: {0}")]
    NotJson(String),
    /// The map has neither `mappings` nor `sections`.
    #[error("the source map has neither `mappings` nor `sections`")]
    NoMappings,
    /// A character that is not base64, or a number that does not end or is too large.
    #[error("segment {segment} of generated line {line} (0-based) of `mappings` is not valid VLQ")]
    BadVlq {
        /// 0-based generated line.
        line: u32,
        /// 0-based segment on the line.
        segment: u32,
    },
    /// A segment has not 1, 4 or 5 numbers.
    #[error(
        "segment {segment} of generated line {line} (0-based) of `mappings` has {size} numbers; 1, 4 or 5 are possible"
    )]
    SegmentSize {
        /// 0-based generated line.
        line: u32,
        /// 0-based segment on the line.
        segment: u32,
        /// How many numbers it has.
        size: usize,
    },
    /// A line, a column or an index is negative, or there is no such source or name.
    #[error(
        "segment {segment} of generated line {line} (0-based) of `mappings` leads to {what} {value}, which does not \
         exist"
    )]
    OutOfRange {
        /// 0-based generated line.
        line: u32,
        /// 0-based segment on the line.
        segment: u32,
        /// What the number counts.
        what: &'static str,
        /// The number.
        value: i64,
    },
    /// A section of an indexed map has sections itself, or names its map by URL.
    #[error("section {section} of the source map {problem}")]
    BadSection {
        /// 0-based section.
        section: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A map could not be written.
    #[error("the source map could not be written: {0}")]
    NotWritten(String),
}

impl SourceMap {
    /// Parses the JSON of a source map; a guard line such as `)]}'` in front of it is skipped.
    ///
    /// `base_url` is the URL of the map (of the script, for a map in a `data:` URL); sources are resolved
    /// against it.
    ///
    /// # Errors
    /// See [`SourceMapError`].
    pub fn parse(json: &str, base_url: Option<&str>) -> Result<Self, SourceMapError> {
        decode::decode(json, base_url)
    }

    /// Where the code at `generated` comes from: the last mapping on its line that does not begin after it.
    /// `None` if there is none, or it says that the code comes from no source.
    #[must_use]
    pub fn original(&self, generated: Utf16Position) -> Option<Original> {
        let mapping = self.mapping_at(generated)?;
        let original = self.original_of(mapping)?;
        Some(Original {
            exact: mapping.generated == generated,
            ..original
        })
    }

    /// Where the code from `from` up to `until` comes from, one after the other. Some tools write several mappings
    /// for one place.
    pub fn within(
        &self,
        from: Utf16Position,
        until: Utf16Position,
    ) -> impl Iterator<Item = Original> {
        let first = self
            .mappings
            .partition_point(|mapping| mapping.generated < from);
        let rest = self.mappings.get(first..).unwrap_or_default().iter();
        let within = rest.take_while(move |mapping| mapping.generated < until);
        within.filter_map(|mapping| self.original_of(mapping))
    }

    /// Where the code comes from that begins exactly there, by all mappings that say so.
    pub fn all_at(&self, generated: Utf16Position) -> impl Iterator<Item = Original> {
        let after = Utf16Position {
            column: generated.column.saturating_add(1),
            ..generated
        };
        self.within(generated, after)
    }

    /// Where the code comes from just before and just behind a place, as far as mappings begin there.
    pub(crate) fn beside(&self, generated: Utf16Position) -> [Option<Original>; 2] {
        let found = |at: Option<usize>| self.original_of(self.mappings.get(at?)?);
        let first = self
            .mappings
            .partition_point(|mapping| mapping.generated < generated);
        let behind = self
            .mappings
            .partition_point(|mapping| mapping.generated <= generated);
        [found(first.checked_sub(1)), found(Some(behind))]
    }

    /// Where the code comes from at the beginning of a mapping.
    fn original_of(&self, mapping: &Mapping) -> Option<Original> {
        Some(Original {
            source: self.sources.get(mapping.source as usize)?.url.clone(),
            position: mapping.original,
            name: self.names.get(mapping.name as usize).cloned(),
            exact: true,
            generated: mapping.generated,
        })
    }

    /// The last mapping on the line of `generated` that does not begin after it.
    fn mapping_at(&self, generated: Utf16Position) -> Option<&Mapping> {
        let after = self
            .mappings
            .partition_point(|mapping| mapping.generated <= generated);
        let mapping = self.mappings.get(after.checked_sub(1)?)?;
        (mapping.generated.line == generated.line).then_some(mapping)
    }

    /// The places in the generated code that come from line `line` (0-based) of the sources whose URL
    /// `is_source` accepts, in the order of the generated code.
    #[must_use]
    pub fn generated(&self, is_source: &dyn Fn(&str) -> bool, line: u32) -> Vec<Generated> {
        let accepted = self.accepted(is_source);
        self.mappings
            .iter()
            .filter(|mapping| mapping.original.line == line && is_accepted(&accepted, mapping))
            .filter_map(|mapping| {
                Some(Generated {
                    generated: mapping.generated,
                    original: mapping.original,
                    source: self.sources.get(mapping.source as usize)?.url.clone(),
                })
            })
            .collect()
    }

    /// The lines (0-based) nearest to `line` from which generated code comes, nearest first, at most
    /// `count`: what to suggest where [`generated`](Self::generated) finds nothing.
    #[must_use]
    pub fn nearest_lines(
        &self,
        is_source: &dyn Fn(&str) -> bool,
        line: u32,
        count: usize,
    ) -> Vec<u32> {
        let accepted = self.accepted(is_source);
        let mut lines: Vec<u32> = self
            .mappings
            .iter()
            .filter(|mapping| is_accepted(&accepted, mapping))
            .map(|mapping| mapping.original.line)
            .collect();
        lines.sort_unstable_by_key(|&found| (found.abs_diff(line), found));
        lines.dedup();
        lines.truncate(count);
        lines
    }

    /// The map of a text that was made of the map's own by inserting: `moved` gives where a position is then, and each
    /// part that was inserted begins and ends at `inserted`. Of what is in it nothing is known; behind it goes on what
    /// was there.
    #[must_use]
    pub fn moved(
        &self,
        moved: impl Fn(Utf16Position) -> Option<Utf16Position>,
        inserted: &[(Utf16Position, Utf16Position)],
    ) -> Self {
        let mut mappings: Vec<Mapping> = self
            .mappings
            .iter()
            .filter_map(|mapping| {
                let generated = moved(mapping.generated)?;
                Some(Mapping {
                    generated,
                    ..*mapping
                })
            })
            .collect();
        let own = mappings.len();
        for &(begin, end) in inserted {
            let nothing = Mapping {
                generated: begin,
                original: Utf16Position::default(),
                source: NONE,
                name: NONE,
            };
            let known = mappings.get(..own).unwrap_or_default();
            let after = known.partition_point(|it| it.generated < begin);
            let around = after.checked_sub(1).and_then(|index| known.get(index));
            let goes_on = around.filter(|around| around.generated.line == begin.line);
            let is_mapped = known.get(after).is_some_and(|next| next.generated == end);
            let behind = goes_on.filter(|_| !is_mapped).map(|around| Mapping {
                generated: end,
                name: NONE,
                ..*around
            });
            mappings.push(nothing);
            mappings.extend(behind);
        }
        mappings.sort_by_key(|mapping| mapping.generated);
        Self {
            sources: self.sources.clone(),
            names: self.names.clone(),
            mappings,
            lines: OnceLock::new(),
        }
    }

    /// The original sources, in the map's order (those of an indexed map section by section).
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The text of the source with that URL, if the map holds it.
    #[must_use]
    pub fn source_text(&self, url: &str) -> Option<&str> {
        self.sources
            .iter()
            .filter(|source| source.url == url)
            .find_map(|source| source.text.as_deref())
    }

    /// Whether the value that begins exactly at `generated` was assigned by its author, to a variable or property of
    /// this name (`None`: a computed one), right before it.
    #[must_use]
    pub fn assigns(&self, generated: Utf16Position, name: Option<&str>) -> bool {
        self.all_at(generated).any(|original| {
            let text = self.author_text(&original.source);
            let assigned = text.and_then(|text| text.assigned_before(original.position));
            assigned.is_some_and(|(assigned, _)| assigned.is_none() || assigned == name)
        })
    }

    /// The text of the source with that URL and where its lines begin, if the map holds it.
    #[must_use]
    pub fn source_with_lines(&self, url: &str) -> Option<(&str, &LineIndex)> {
        let source = self.author_text(url)?;
        Some((source.text, source.lines))
    }

    /// A line (0-based) of the source with that URL, if the map holds it.
    #[must_use]
    pub fn source_line(&self, url: &str, line: u32) -> Option<&str> {
        let (text, lines) = self.source_with_lines(url)?;
        let span = lines.line_span(line)?;
        let line = text.get(span.start.index()..span.end.index())?;
        Some(line.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']))
    }

    /// The text of the source with its lines.
    pub(crate) fn author_text(&self, url: &str) -> Option<AuthorText<'_>> {
        let has_text = |source: &Source| source.url == url && source.text.is_some();
        let number = self.sources.iter().position(has_text)?;
        let text = self.sources.get(number)?.text.as_deref()?;
        let empty = || self.sources.iter().map(|_| OnceLock::new()).collect();
        let lines = self.lines.get_or_init(empty).get(number)?;
        Some(AuthorText {
            text,
            lines: lines.get_or_init(|| LineIndex::new(text)),
        })
    }

    /// The number of the source that the code at `generated` comes from.
    #[must_use]
    pub fn source_at(&self, generated: Utf16Position) -> Option<u32> {
        let source = self.mapping_at(generated)?.source;
        (source != NONE).then_some(source)
    }

    /// Whether `name` can mean a variable of another source, for somebody who reads the code of this one: it imports
    /// the name,
    /// has no such word, is no module, or is not known.
    #[must_use]
    pub fn may_import(&self, source: u32, name: &str) -> bool {
        let source = self.sources.get(source as usize);
        let text = source.and_then(|source| source.text.as_deref());
        text.is_none_or(|text| imports::may_import(text, name))
    }

    /// Whether a statement of a source declares or imports `name`, as far as its text tells.
    #[must_use]
    pub fn declares(&self, source: u32, name: &str) -> bool {
        let source = self.sources.get(source as usize);
        let text = source.and_then(|source| source.text.as_deref());
        text.is_some_and(|text| imports::declares(text, name))
    }

    /// Whether the source with that URL is one that its author did not write, by the map's `ignoreList`.
    #[must_use]
    pub fn is_ignored(&self, url: &str) -> bool {
        self.sources
            .iter()
            .any(|source| source.url == url && source.ignored)
    }

    /// Which sources `is_source` accepts, by index.
    fn accepted(&self, is_source: &dyn Fn(&str) -> bool) -> Vec<bool> {
        self.sources
            .iter()
            .map(|source| is_source(&source.url))
            .collect()
    }
}

fn is_accepted(accepted: &[bool], mapping: &Mapping) -> bool {
    accepted.get(mapping.source as usize) == Some(&true)
}

#[cfg(test)]
mod tests;
