//! What a source imports and declares, by its text alone: it may be of any language that a bundler knows.

use memchr::memmem;

/// The longest clause of an `import` that is read, in bytes.
const LONGEST_CLAUSE: usize = 4096;

/// Whether `name` can mean what another file declares, for somebody who reads this text. A word that is not in it has
/// no other
/// meaning there. In a module one that is means what the module imports, or something of its own; a text without
/// `import` and
/// `export` shares its globals with others. Words in comments may be taken for statements.
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

/// Whether a statement of this text declares or imports `name`, somewhere. Of what stands in patterns and lists of
/// parameters
/// nothing is known.
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
