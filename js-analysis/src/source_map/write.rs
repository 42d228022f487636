//! Writes a source map for a text that was made from one source, such as a rewritten script.

use super::SourceMapError;
use crate::position::Utf16Position;

/// The last generated line that is written; a map has a character for each line before it.
const MAX_LINE: u32 = 1 << 24;

/// Collects mappings and writes them as a version 3 source map.
#[derive(Clone, Debug)]
pub struct SourceMapBuilder {
    source: String,
    file: Option<String>,
    source_text: Option<String>,
    mappings: Vec<(Utf16Position, Utf16Position)>,
}

impl SourceMapBuilder {
    /// A map without mappings to the source of that name (a URL or a path, relative to the map).
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            file: None,
            source_text: None,
            mappings: Vec::new(),
        }
    }

    /// Names the generated file.
    #[must_use]
    pub fn with_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Puts the source's text into the map (`sourcesContent`).
    #[must_use]
    pub fn with_source_text(mut self, text: impl Into<String>) -> Self {
        self.source_text = Some(text.into());
        self
    }

    /// Says that the generated code at `generated` comes from `original`. The order does not matter.
    pub fn add(&mut self, generated: Utf16Position, original: Utf16Position) {
        self.mappings.push((generated, original));
    }

    /// The map's JSON.
    ///
    /// # Errors
    /// [`SourceMapError::TooLarge`] for a line beyond any real file, [`SourceMapError::NotWritten`] if the
    /// writer fails.
    pub fn to_json(&self) -> Result<String, SourceMapError> {
        let mut builder = sourcemap::SourceMapBuilder::new(self.file.as_deref());
        let source = builder.add_source(&self.source);
        builder.set_source_contents(source, self.source_text.as_deref());
        let mut mappings = self.mappings.clone();
        mappings.sort_unstable();
        mappings.dedup();
        for (generated, original) in mappings {
            if generated.line > MAX_LINE {
                return Err(SourceMapError::TooLarge {
                    what: "generated lines",
                    limit: MAX_LINE as usize,
                });
            }
            builder.add_raw(
                generated.line,
                generated.column,
                original.line,
                original.column,
                Some(source),
                None,
                false,
            );
        }
        let mut json = Vec::new();
        builder
            .into_sourcemap()
            .to_writer(&mut json)
            .map_err(|error| SourceMapError::NotWritten(error.to_string()))?;
        String::from_utf8(json).map_err(|error| SourceMapError::NotWritten(error.to_string()))
    }
}

impl Extend<(Utf16Position, Utf16Position)> for SourceMapBuilder {
    fn extend<T: IntoIterator<Item = (Utf16Position, Utf16Position)>>(&mut self, mappings: T) {
        self.mappings.extend(mappings);
    }
}
