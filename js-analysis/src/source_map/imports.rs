//! What a source imports and declares, by its text alone: it may be of any language that a bundler knows.

use memchr::memmem;

/// The longest clause of an `import` that is read, in bytes.
const LONGEST_CLAUSE: usize = 4096;

/// Whether `name` can mean what another file declares, for somebody who reads this text. A word that is not in it has
/// no other meaning there. In a module one that is means what the module imports, or something of its own; a text
/// without `import` and `export` shares its globals with others. Words in comments may be taken for statements.
pub(super) fn may_import(text: &str, name: &str) -> bool {
    if places_of_word(text, name).next().is_none() || imports(text, name) {
        return true;
    }
    let is_statement = |at: usize| {
        !text[at + "import".len()..]
            .trim_start()
            .starts_with(['(', '.'])
    };
    !statements(text, "import").any(is_statement) && statements(text, "export").next().is_none()
}

/// Whether a statement of this text declares or imports `name`, somewhere. Of what is in patterns and lists of
/// parameters nothing is known.
pub(super) fn declares(text: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 7] = [
        "let",
        "const",
        "var",
        "function",
        "function*",
        "class",
        "enum",
    ];
    places_of_word(text, name).any(|at| {
        let before = text[..at].trim_end();
        let is_apart = before.len() < at;
        is_apart
            && KEYWORDS.iter().any(|keyword| {
                let rest = before.strip_suffix(keyword);
                rest.is_some_and(|rest| !rest.ends_with(is_part_of_word))
            })
    }) || imports(text, name)
}

/// What a source imports under a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alias<'t> {
    /// What the exporting file calls it; `default` for the default export, `*` for all of it.
    pub(super) exported: &'t str,
    /// The file, as the statement names it.
    pub(super) from: &'t str,
}

/// What this text imports as `name`, if the exporting file has another name for it.
pub(super) fn alias<'t>(text: &'t str, name: &str) -> Option<Alias<'t>> {
    places_of_word(text, name).next()?;
    statements(text, "import").find_map(|at| {
        let rest = &text[at + "import".len()..];
        let clause = clause(rest);
        let exported = renamed(clause, name)?;
        Some(Alias {
            exported,
            from: specifier(&rest[clause.len()..])?,
        })
    })
}

/// Where the `name` that a text exports comes from: the name it has there, and the other file if it is of one.
pub(super) fn exported<'t>(text: &'t str, name: &str) -> Option<(&'t str, Option<&'t str>)> {
    statements(text, "export").find_map(|at| {
        let rest = text[at + "export".len()..].trim_start();
        if let Some(list) = rest.strip_prefix('{') {
            let (list, rest) = list.split_once('}')?;
            let local = list.split(',').find_map(|entry| {
                let (local, exported) = entry.split_once(" as ").unwrap_or((entry, entry));
                (exported.trim() == name).then(|| local.trim())
            })?;
            let from = rest.trim_start().strip_prefix("from");
            return Some((local, from.and_then(|from| specifier(from.trim_start()))));
        }
        let (keyword, rest) = match name {
            "default" => ("default", rest.strip_prefix("default")?),
            _ => ("", rest),
        };
        let declared = rest
            .split(|it: char| !is_part_of_word(it))
            .filter(|word| !word.is_empty())
            .find(|word| !DECLARING.contains(word))?;
        let is_first = |rest: &str| {
            let words = rest[..rest.find(declared).unwrap_or_default()].split_whitespace();
            let mut words = words.map(|word| word.trim_end_matches('*'));
            words.all(|word| word.is_empty() || DECLARING.contains(&word))
        };
        let is_meant = match keyword {
            // `export default total + 1` is no variable's.
            "default" => {
                let behind =
                    rest[rest.find(declared)? + declared.len()..].trim_start_matches([' ', '\t']);
                let declares = rest.trim_start() != rest.trim_start().trim_start_matches(declared);
                let is_alone = behind.is_empty() || behind.starts_with([';', '\n', '\r']);
                is_first(rest) && (is_alone || !declares)
            }
            _ => declared == name && is_first(rest),
        };
        is_meant.then_some((declared, None))
    })
}

const DECLARING: [&str; 7] = [
    "async", "class", "const", "function", "let", "var", "abstract",
];

/// `a` of `{ a as name }`, `default` of `name, { b }`, `*` of `* as name`.
fn renamed<'t>(clause: &'t str, name: &str) -> Option<&'t str> {
    if clause.trim_start().starts_with(['(', '.']) {
        return None;
    }
    let (before, list) = match clause.split_once('{') {
        Some((before, rest)) => (before, rest.split('}').next()),
        None => (clause, None),
    };
    let mut entries = list.into_iter().flat_map(|list| list.split(','));
    let in_list = entries.find_map(|entry| {
        let (exported, local) = entry.split_once(" as ")?;
        let exported = exported.trim();
        let exported = exported.strip_prefix("type ").unwrap_or(exported).trim();
        (local.trim() == name && exported != name).then_some(exported)
    });
    let mut in_front = before.split(',').map(|entry| {
        let entry = entry.trim();
        entry.strip_suffix(" from").unwrap_or(entry).trim()
    });
    in_list.or_else(|| {
        in_front.find_map(|entry| match entry.strip_prefix('*') {
            Some(all) => (all.trim().strip_prefix("as ")?.trim() == name).then_some("*"),
            None => (entry == name).then_some("default"),
        })
    })
}

fn specifier(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    text[1..].split(quote).next()
}

fn imports(text: &str, name: &str) -> bool {
    statements(text, "import").any(|at| {
        let clause = clause(&text[at + "import".len()..]);
        !clause.trim_start().starts_with(['(', '.']) && words(clause).any(|word| word == name)
    })
}

fn places_of_word<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    memmem::find_iter(text.as_bytes(), word).filter(move |&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part_of_word) && !after.starts_with(is_part_of_word)
    })
}

/// Where statements may begin with a word.
fn statements<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    memmem::find_iter(text.as_bytes(), word).filter(move |&at| {
        let before = text[..at].trim_end().chars().next_back();
        let begins_line = text[..at]
            .trim_end_matches([' ', '\t'])
            .ends_with(['\n', '\r']);
        let is_first = begins_line || before.is_none_or(|before| ";}/>".contains(before));
        let after = text[at + word.len()..].chars().next();
        let is_whole = !after.is_some_and(is_part_of_word);
        is_first && is_whole && !text[..at].ends_with(is_part_of_word)
    })
}

/// The text up to the specifier.
fn clause(rest: &str) -> &str {
    let end = rest.find(['"', '\'', ';', '`']).unwrap_or(rest.len());
    let end = rest.floor_char_boundary(end.min(LONGEST_CLAUSE));
    &rest[..end]
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_part_of_word(character))
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_means_its_own_and_what_it_imports() {
        for (text, may) in [
            ("import { state } from './store'\nf(state)", true),
            ("import { a as state } from './store'", true),
            ("import state, * as all from \"./store\"", true),
            ("'use strict';import{b,state}from'./store';", true),
            ("import {\n  a,\n  state,\n} from './store'", true),
            ("/* one */ import { state } from './store'", true),
            (
                "<script setup>import { state } from './store'</script>",
                true,
            ),
            ("import { other } from './store'\nlet state", false),
            ("import './state'", false),
            ("import { states } from './store'; f(state)", false),
            ("export let other = { state: 1 }", false),
            ("import { states } from './store'; export let other", true),
            (
                "export default function () { return import('./state') }",
                false,
            ),
            // No module.
            ("var other; function f() { return state }", true),
            ("import('./state').then(f)", true),
            ("const important = 1", true),
        ] {
            assert_eq!(may_import(text, "state"), may, "{text}");
        }
    }

    #[test]
    fn what_is_declared_is_known_by_its_keyword() {
        for (text, does) in [
            ("let state = 1", true),
            ("export const\n  state: State = 1", true),
            ("async function state() {}", true),
            ("function* state() {}", true),
            ("import { state } from './store'", true),
            ("let states", false),
            ("f(state); o.state = outlet state", false),
            ("import('./state')", false),
            ("({ state }) => 1", false),
        ] {
            assert_eq!(declares(text, "state"), does, "{text}");
        }
    }
}
