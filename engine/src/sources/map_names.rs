//! The author's names of a script that a bundler renamed, through its source map.

use std::cell::RefCell;
use std::collections::HashMap;

use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::OriginalNames;
use js_analysis::source_map::{Imported, SourceMap};
use querypoint::query::is_reserved;
use querypoint::session::libraries::is_library_url;

/// The names that a source map's sources have where the bundler's text has shorter ones.
pub(crate) struct MapNames<'a> {
    map: &'a SourceMap,
    text: &'a str,
    lines: &'a LineIndex,
    known: RefCell<HashMap<ByteOffset, Option<String>>>,
    /// The variables that sources import under a name of their own, by that name.
    imported: RefCell<HashMap<String, Vec<(u32, String)>>>,
}

impl<'a> MapNames<'a> {
    pub(crate) fn new(
        map: Option<&'a SourceMap>,
        text: &'a str,
        lines: &'a LineIndex,
    ) -> Option<Self> {
        map.map(|map| Self {
            map,
            text,
            lines,
            known: RefCell::default(),
            imported: RefCell::default(),
        })
    }

    fn look_up(&self, at: ByteOffset) -> Option<String> {
        let position = self.lines.position(self.text, at);
        let original = self.map.original(position)?;
        if !original.exact {
            return None;
        }
        if let Some(name) = original.name {
            // A private name has its mark.
            let word = name.strip_prefix('#').unwrap_or(&name);
            return is_name(word).then_some(name);
        }
        // Not every bundler writes names; the identifier is in the source.
        let (source, lines) = self.map.source_with_lines(&original.source)?;
        let start = lines.offset(source, original.position)?.index();
        name_at(source, start).map(str::to_owned)
    }
}

/// The identifier that begins there and can be a variable: no part of another word, no property behind a dot.
fn name_at(source: &str, start: usize) -> Option<&str> {
    let (before, rest) = source.split_at_checked(start)?;
    let is_property = before.ends_with('.') && !before.ends_with("...");
    if is_property || before.ends_with(is_part_of_name) {
        return None;
    }
    let length = rest.find(|character| !is_part_of_name(character));
    let name = rest.get(..length.unwrap_or(rest.len()))?;
    is_name(name).then_some(name)
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Whether a text can be the name of a variable; some bundlers write others where they made one up.
fn is_name(text: &str) -> bool {
    // These are names in some code; a map never gives one.
    const WORDS: [&str; 5] = ["async", "await", "let", "static", "this"];
    !text.is_empty()
        && text.chars().all(is_part_of_name)
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !is_reserved(text)
        && !WORDS.contains(&text)
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

    fn assigns(&self, at: ByteOffset, name: Option<&str>) -> bool {
        self.map.assigns(self.lines.position(self.text, at), name)
    }

    fn file_at(&self, at: ByteOffset) -> Option<u32> {
        self.map.source_at(self.lines.position(self.text, at))
    }

    fn is_of_library(&self, file: u32) -> bool {
        let source = self.map.sources().get(file as usize);
        source.is_some_and(|it| it.ignored || is_library_url(&it.url, &[]))
    }

    fn may_import(&self, file: u32, name: &str) -> bool {
        self.map.may_import(file, name)
    }

    fn declares(&self, file: u32, name: &str) -> bool {
        self.map.declares(file, name)
    }

    fn imported(&self, file: u32, name: &str) -> Option<Imported> {
        self.map.imported(file, name)
    }

    fn is_imported_as(&self, at: ByteOffset, name: &str) -> bool {
        let mut imported = self.imported.borrow_mut();
        let variables = imported
            .entry(name.to_owned())
            .or_insert_with(|| self.map.imported_somewhere(name));
        if variables.is_empty() {
            return false;
        }
        let (Some(file), Some(given)) = (self.file_at(at), self.original_name(at)) else {
            return false;
        };
        variables.contains(&(file, given))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_name_is_a_whole_identifier_that_a_variable_can_have() {
        for (source, name) in [
            ("let ^state = 1", Some("state")),
            ("({ ^state }) => 1", Some("state")),
            ("(...^rest) => 1", Some("rest")),
            ("(^$größe, b) => 1", Some("$größe")),
            ("let st^ate = 1", None),
            ("action.^payload", None),
            ("^function f() {}", None),
            ("^import React from 'react'", None),
            ("^{ state }", None),
            ("f(^1e3)", None),
            ("let a = ^", None),
        ] {
            let at = source.find('^').unwrap();
            assert_eq!(name_at(&source.replacen('^', "", 1), at), name, "{source}");
        }
    }
}
