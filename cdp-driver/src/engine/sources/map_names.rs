//! The author's names of a script that a bundler renamed, through its source map.

use std::cell::RefCell;
use std::collections::HashMap;

use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::OriginalNames;
use js_analysis::source_map::SourceMap;

/// The names that a source map's sources have where the bundler's text has shorter ones.
pub(in crate::engine) struct MapNames<'a> {
    map: &'a SourceMap,
    text: &'a str,
    lines: &'a LineIndex,
    source_lines: RefCell<HashMap<String, LineIndex>>,
    known: RefCell<HashMap<ByteOffset, Option<String>>>,
}

impl<'a> MapNames<'a> {
    pub(in crate::engine) fn new(
        map: Option<&'a SourceMap>,
        text: &'a str,
        lines: &'a LineIndex,
    ) -> Option<Self> {
        map.map(|map| Self {
            map,
            text,
            lines,
            source_lines: RefCell::default(),
            known: RefCell::default(),
        })
    }

    fn look_up(&self, at: ByteOffset) -> Option<String> {
        let position = self.lines.position(self.text, at);
        let original = self.map.original(position)?;
        if !original.exact {
            return None;
        }
        if original.name.is_some() {
            return original.name;
        }
        // Not every bundler writes names; the identifier stands in the source.
        let source = self.map.source_text(&original.source)?;
        let mut indices = self.source_lines.borrow_mut();
        let lines = indices
            .entry(original.source)
            .or_insert_with(|| LineIndex::new(source));
        let start = lines.offset(source, original.position)?.index();
        let rest = source.get(start..)?;
        let length = rest
            .find(|character: char| {
                !(character.is_alphanumeric() || character == '_' || character == '$')
            })
            .unwrap_or(rest.len());
        rest.get(..length)
            .filter(|name| {
                !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())
            })
            .map(str::to_owned)
    }
}

impl OriginalNames for MapNames<'_> {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        if let Some(known) = self.known.borrow().get(&at) {
            return known.clone();
        }
        let name = self.look_up(at);
        self.known.borrow_mut().insert(at, name.clone());
        name
    }
}
