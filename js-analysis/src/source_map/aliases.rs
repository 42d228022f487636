//! Names that a source gives to what it imports, where the file that exports it has others.

use super::{SourceMap, imports};

/// What a name means for somebody who reads a source, if that imports it under a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// The variable of another source.
    Variable {
        /// The number of the source that declares it.
        source: u32,
        /// Its name there.
        name: String,
    },
    /// Something that cannot be followed.
    Unknown {
        /// What it is, in words.
        what: String,
    },
}

impl SourceMap {
    /// What the source with that number imports as `name`; `None` if it imports no such name, or by the same name.
    #[must_use]
    pub fn imported(&self, source: u32, name: &str) -> Option<Imported> {
        let text = self.sources.get(source as usize)?.text.as_deref()?;
        let alias = imports::alias(text, name)?;
        let found = match alias.exported {
            "*" => None,
            exported => self.exported(source, alias.from, exported),
        };
        let what = || {
            let what = match alias.exported {
                "*" => "all exports",
                "default" => "the default export",
                exported => exported,
            };
            format!("`{name}` is {what} of {}", alias.from)
        };
        Some(match found {
            Some((source, name)) => Imported::Variable { source, name },
            None => Imported::Unknown { what: what() },
        })
    }

    /// The variables that sources import as `name`, each with the number of its own source.
    #[must_use]
    pub fn imported_somewhere(&self, name: &str) -> Vec<(u32, String)> {
        let numbers = 0..u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let found = numbers.filter_map(|number| match self.imported(number, name)? {
            Imported::Variable { source, name } => Some((source, name)),
            Imported::Unknown { .. } => None,
        });
        found.collect()
    }

    /// The variable that the file `from`, as a source names it, exports as `name`.
    fn exported(&self, source: u32, from: &str, name: &str) -> Option<(u32, String)> {
        /// How many files may hand a name on.
        const MOST: usize = 8;
        let (mut source, mut from, mut name) = (source, from, name);
        for _ in 0..MOST {
            source = self.source_named(source, from)?;
            let text = self.sources.get(source as usize)?.text.as_deref()?;
            match imports::exported(text, name)? {
                (local, None) => {
                    // What is exported may be imported itself.
                    return match self.imported(source, local) {
                        None => Some((source, local.to_owned())),
                        Some(Imported::Variable { source, name }) => Some((source, name)),
                        Some(Imported::Unknown { .. }) => None,
                    };
                }
                (there, Some(further)) => (name, from) = (there, further),
            }
        }
        None
    }

    /// The source that another one names by a relative path.
    fn source_named(&self, from: u32, path: &str) -> Option<u32> {
        const ENDINGS: [&str; 13] = [
            "",
            ".js",
            ".ts",
            ".tsx",
            ".jsx",
            ".mjs",
            ".mts",
            ".vue",
            ".svelte",
            "/index.js",
            "/index.ts",
            "/index.tsx",
            "/index.jsx",
        ];
        if !path.starts_with("./") && !path.starts_with("../") {
            return None;
        }
        let base = &self.sources.get(from as usize)?.url;
        let folder = base.rfind('/').map_or("", |end| &base[..=end]);
        let wanted = normalised(&format!("{folder}{path}"));
        // TypeScript names the file that will be made.
        let stem = wanted.strip_suffix(".js");
        let mut candidates = ENDINGS.iter().map(|ending| format!("{wanted}{ending}"));
        let found = candidates.find_map(|candidate| self.number_of(&candidate));
        found.or_else(|| {
            let stem = stem?;
            let mut candidates = [".ts", ".tsx"]
                .iter()
                .map(|ending| format!("{stem}{ending}"));
            candidates.find_map(|candidate| self.number_of(&candidate))
        })
    }

    fn number_of(&self, url: &str) -> Option<u32> {
        let is_it =
            |source: &super::Source| normalised(&source.url) == url && source.text.is_some();
        let number = self.sources.iter().position(is_it)?;
        u32::try_from(number).ok()
    }
}

/// A path without `.` and `..`, as far as there is something to leave.
fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts
                .last()
                .is_some_and(|last| !last.is_empty() && *last != "..") =>
            {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(sources: &[(&str, &str)]) -> SourceMap {
        let map = json!({
            "version": 3, "names": [], "mappings": "AAAA",
            "sources": sources.iter().map(|it| it.0).collect::<Vec<_>>(),
            "sourcesContent": sources.iter().map(|it| it.1).collect::<Vec<_>>(),
        });
        SourceMap::parse(&map.to_string(), Some("http://host/dist/app.js.map")).expect("a good map")
    }

    #[test]
    fn a_name_of_the_importing_file_leads_to_the_variable() {
        for (import, export, name) in [
            (
                "import { a as b } from './store.js'",
                "export let a = 1",
                Some("a"),
            ),
            (
                "import { c, a as b, } from './store'",
                "let a;\nexport { a }",
                Some("a"),
            ),
            (
                "import { a as b } from \"./store\"",
                "let x;\nexport { y, x as a };",
                Some("x"),
            ),
            (
                "import b from './store'",
                "let total = 1;\nexport default total;",
                Some("total"),
            ),
            (
                "import b, { c } from './store'",
                "export default function total() {}",
                Some("total"),
            ),
            (
                "import b from './store'",
                "export default class Total {}",
                Some("Total"),
            ),
            (
                "import { default as b } from './store'",
                "export { t as default }",
                Some("t"),
            ),
            // Nothing has a name there.
            (
                "import b from './store'",
                "export default { total: 1 }",
                None,
            ),
            ("import b from './store'", "export default total + 1", None),
            ("import b from './store'", "export default f(total)", None),
            ("import * as b from './store'", "export let a = 1", None),
            ("import { a as b } from 'store'", "export let a = 1", None),
            ("import { a as b } from './other'", "export let a = 1", None),
        ] {
            let map = map(&[("../src/main.js", import), ("../src/store.js", export)]);
            let found = match map.imported(0, "b") {
                Some(Imported::Variable { source: 1, name }) => Some(name),
                Some(Imported::Unknown { .. }) => None,
                other => panic!("{import}: {other:?}"),
            };
            assert_eq!(found.as_deref(), name, "{import} {export}");
        }
    }

    #[test]
    fn a_name_that_is_the_same_there_is_none_of_its_own() {
        for text in [
            "import { b } from './store'",
            "let b",
            "import('./b')",
            "f(b)",
        ] {
            let map = map(&[
                ("../src/main.js", text),
                ("../src/store.js", "export let b"),
            ]);
            assert_eq!(map.imported(0, "b"), None, "{text}");
        }
    }

    #[test]
    fn a_file_may_hand_a_name_on() {
        let map = map(&[
            ("../src/main.ts", "import { a as b } from './lib'"),
            (
                "../src/lib/index.ts",
                "export { total as a } from '../store.js';",
            ),
            ("../src/store.ts", "export let total: number = 1;"),
        ]);
        assert_eq!(map.imported_somewhere("b"), [(2, "total".to_owned())]);
    }
}
