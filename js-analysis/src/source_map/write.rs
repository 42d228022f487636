//! Writes a source map as the JSON of version 3.

use std::sync::Arc;

use super::{NONE, SourceMap, SourceMapError};

/// The last generated line that is written; a map has a character for each line before it.
const MAX_LINE: u32 = 1 << 24;
/// The last column and the last line of a source that are written: numbers in a map have 31 bits.
const MAX_VALUE: u32 = (1 << 31) - 1;

impl SourceMap {
    /// The map's JSON: a plain map, with the addresses of the sources as they are here. `file`: the name of the
    /// generated file, if it is to be told.
    ///
    /// # Errors
    /// [`SourceMapError::TooLarge`] for a line or a column beyond any real file, [`SourceMapError::NotWritten`] if
    /// the writer fails.
    pub fn to_json(&self, file: Option<&str>) -> Result<String, SourceMapError> {
        for mapping in &self.mappings {
            let (generated, original) = (mapping.generated, mapping.original);
            let columns = generated.column.max(original.column);
            for (what, value, limit) in [
                ("generated lines", generated.line, MAX_LINE),
                ("original lines", original.line, MAX_VALUE),
                ("columns", columns, MAX_VALUE),
            ] {
                if value > limit {
                    let limit = limit as usize;
                    return Err(SourceMapError::TooLarge { what, limit });
                }
            }
        }
        let tokens = self.mappings.iter().map(|mapping| sourcemap::RawToken {
            dst_line: mapping.generated.line,
            dst_col: mapping.generated.column,
            src_line: mapping.original.line,
            src_col: mapping.original.column,
            // The writer has the same number for nothing.
            src_id: mapping.source,
            name_id: mapping.name,
            is_range: false,
        });
        let sources = self.sources.iter();
        let texts = sources.map(|source| source.text.as_deref().map(Arc::from));
        let mut map = sourcemap::SourceMap::new(
            file.map(Arc::from),
            tokens.collect(),
            self.names.iter().map(|name| name.as_str().into()).collect(),
            self.sources
                .iter()
                .map(|source| source.url.as_str().into())
                .collect(),
            Some(texts.collect()),
        );
        for (number, _) in (0..NONE)
            .zip(&self.sources)
            .filter(|(_, source)| source.ignored)
        {
            map.add_to_ignore_list(number);
        }
        let mut json = Vec::new();
        map.to_writer(&mut json)
            .map_err(|error| SourceMapError::NotWritten(error.to_string()))?;
        String::from_utf8(json).map_err(|error| SourceMapError::NotWritten(error.to_string()))
    }
}
