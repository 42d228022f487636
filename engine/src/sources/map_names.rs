//! The author's names of a script that a bundler renamed, through its source map.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

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
        let original = self.map.original(position).filter(|it| it.exact);
        let Some(original) = original else {
            return self.name_of_shorthand(at);
        };
        if let Some(name) = original.name {
            // A private name has its mark.
            let word = name.strip_prefix('#').unwrap_or(&name);
            return is_name(word).then_some(name);
        }
        // Not every bundler writes names; the identifier is in the source.
        let (source, lines) = self.map.source_with_lines(&original.source)?;
        let start = lines.offset(source, original.position)?.index();
        if source
            .get(start..)
            .is_some_and(|rest| rest.starts_with('#'))
        {
            return name_at(source, start + 1).map(|name| format!("#{name}"));
        }
        name_at(source, start).map(str::to_owned)
    }

    /// The name of a variable in a pattern such as `{ sum: e }`, of which the bundler has mapped only the key, because
    /// its author wrote `{ sum }`.
    fn name_of_shorthand(&self, at: ByteOffset) -> Option<String> {
        let key = key_before(self.text, at.index())?;
        let position = self
            .lines
            .position(self.text, ByteOffset::from_index(key.start));
        let original = self.map.original(position).filter(|it| it.exact)?;
        let (source, lines) = self.map.source_with_lines(&original.source)?;
        let start = lines.offset(source, original.position)?.index();
        let name = &self.text[key];
        (is_name(name) && is_shorthand(source, start, name)).then(|| name.to_owned())
    }
}

/// Where the key is whose value begins at `at`, as in `{ key: value }`.
fn key_before(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?.trim_end().strip_suffix(':')?.trim_end();
    let length = before
        .chars()
        .rev()
        .take_while(|&character| is_part_of_name(character))
        .map(char::len_utf8)
        .sum::<usize>();
    Some(before.len() - length..before.len())
}

/// Whether `name` is at `start`, as a member of a pattern or literal that has no other value than the variable of this
/// name.
fn is_shorthand(source: &str, start: usize, name: &str) -> bool {
    let Some((before, rest)) = source.split_at_checked(start) else {
        return false;
    };
    let Some(behind) = rest.strip_prefix(name) else {
        return false;
    };
    let is_first = |character: char| matches!(character, '{' | ',');
    let is_next = |character: char| matches!(character, ',' | '}' | '=');
    before.trim_end().ends_with(is_first) && behind.trim_start().starts_with(is_next)
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

    #[test]
    fn a_shorthand_is_the_whole_member_of_a_pattern_or_literal() {
        for (source, holds) in [
            ("function f({ ^sum }) {}", true),
            ("let { total, ^sum = 1 } = cart", true),
            ("let { ^sum: total } = cart", false),
            ("a ? ^sum : total", false),
            ("let { ^summary } = cart", false),
            ("return ^sum", false),
        ] {
            let at = source.find('^').unwrap();
            let source = source.replacen('^', "", 1);
            assert_eq!(is_shorthand(&source, at, "sum"), holds, "{source}");
        }
    }

    #[test]
    fn a_variable_that_a_minifier_put_behind_a_key_has_the_name_of_the_shorthand() {
        // `sum` is mapped, `e` is not.
        let text = "function f({sum:e}){return e}";
        let lines = LineIndex::new(text);
        let name_of = |source: &str, mappings: &str| {
            let map = serde_json::json!({
                "version": 3, "sources": ["a.js"], "sourcesContent": [source], "names": [], "mappings": mappings,
            });
            let map = SourceMap::parse(&map.to_string(), None).unwrap();
            let names = MapNames::new(Some(&map), text, &lines).unwrap();
            names.original_name(ByteOffset::from_index(text.find(":e").unwrap() + 1))
        };
        let shorthand = name_of("function f({ sum }) { return sum }", "YAAa");
        assert_eq!(shorthand.as_deref(), Some("sum"));
        let renamed = name_of("function f({ sum: x }) { return x }", "YAAa");
        assert_eq!(renamed, None);
        let another = name_of("function f({ tot }) { return tot }", "YAAa");
        assert_eq!(another, None);
    }
}
