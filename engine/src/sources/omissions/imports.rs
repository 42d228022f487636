//! What was to load a file that did not load: `import("./chat.js")`, or what a bundler made of it.

use js_analysis::call_graph::CallFact;
use js_analysis::omission::{Candidate, Reason};
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition};
use js_analysis::source_map::SourceMap;
use querypoint::query::CodeLine;
use querypoint::session::libraries::is_library_url;

use super::located::{Analysed, Located, PlaceInScript};
use crate::sources::Sources;

impl Sources {
    /// The calls of `import` that name a file.
    pub(super) fn imports_of(&self, analysed: &Analysed, file: &str) -> Vec<Located> {
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut found = self.failed_imports_of(analysed, name);
        for (index, script) in analysed.scripts.iter().enumerate() {
            let imports = script.facts.calls.iter().filter(|call| {
                let text = call.text.as_deref().unwrap_or_default();
                let path = text.split(['?', '#']).next().unwrap_or_default();
                let last = path.rsplit('/').next().unwrap_or_default();
                call.name == "import" && (last == name || is_built_of(last, name))
            });
            for call in imports {
                let script = ByteOffset::from_index(index).0;
                found.extend(self.not_imported(analysed, script, call.span));
            }
        }
        if found.is_empty() {
            found = self.imports_in_sources(analysed, name);
        }
        found
    }

    /// What kept a call from being made that loads a file, else that it was made.
    fn not_imported(&self, analysed: &Analysed, script: u32, call: ByteSpan) -> Vec<Located> {
        let place = PlaceInScript {
            script,
            at: ByteOffset(call.end.0.saturating_sub(1)),
        };
        let explained = self.explained(analysed, place, js_analysis::omission::MOST_CALLS);
        if explained.count == 0 {
            return explained.candidates;
        }
        let candidate = Candidate {
            pause: Some(call.start),
            hits: explained.count,
            detail: Some("it was asked for, and did not load".to_owned()),
            ..Candidate::new(Reason::NotLoaded, script, call)
        };
        self.located(analysed, candidate).into_iter().collect()
    }

    /// The calls of `import` in the texts that source maps hold: what a bundler made of them may name a number.
    ///
    /// ```js
    /// __webpack_require__.e(722).then(__webpack_require__.bind(__webpack_require__, 722))
    /// ```
    fn imports_in_sources(&self, analysed: &Analysed, name: &str) -> Vec<Located> {
        let mut asked: Vec<CodeLine> = Vec::new();
        for script in &analysed.scripts {
            let map = self.texts.get(script.text);
            let map = map.and_then(|text| text.source_map.as_ref());
            for source in map.into_iter().flat_map(SourceMap::sources) {
                let Some((text, lines)) = map.and_then(|map| map.source_with_lines(&source.url))
                else {
                    continue;
                };
                if source.ignored || is_library_url(&source.url, &[]) {
                    continue;
                }
                for at in imports_in(text, name) {
                    let at = lines.position(text, ByteOffset::from_index(at));
                    let at = HumanPosition::from(at);
                    let line = CodeLine {
                        file: source.url.clone(),
                        line: at.line,
                        column: Some(at.column),
                    };
                    if !asked.contains(&line) {
                        asked.push(line);
                    }
                }
            }
        }
        let mut found = Vec::new();
        for line in asked {
            let Ok(place) = self.place_of_line(analysed, &line) else {
                continue;
            };
            let Some(own) = analysed.scripts.get(place.script as usize) else {
                continue;
            };
            let is_around =
                |call: &&CallFact| call.span.start <= place.at && place.at < call.span.end;
            let around = own.facts.calls.iter().filter(is_around);
            let call = around.min_by_key(|call| call.span.end.0 - call.span.start.0);
            if let Some(call) = call {
                found.extend(self.not_imported(analysed, place.script, call.span));
            }
        }
        found
    }
}

/// Where a text asks for a file of this name: `import("./chat")`, `import(/* … */ "./chat.js")`.
fn imports_in(text: &str, name: &str) -> Vec<usize> {
    /// Nobody writes more between the parenthesis and the name.
    const LONGEST: usize = 300;
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let calls = text.match_indices("import(");
    let named = calls.filter(|(at, call)| {
        let rest = text.get(at + call.len()..).unwrap_or_default();
        let given = rest.split(')').next().unwrap_or_default();
        let quoted = given.rsplit(['"', '\'', '`']).nth(1).unwrap_or_default();
        let path = quoted.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        given.len() < LONGEST && !last.is_empty() && (last == name || last == stem)
    });
    named.map(|(at, _)| at).collect()
}

/// Whether a bundler gave this name to what it made of a file: `chat-2ADT4KFJ.js` of `chat.ts`.
fn is_built_of(built: &str, file: &str) -> bool {
    const SHORTEST_HASH: usize = 6;
    // A module for each file: `Bill.vue.js`, `Bill.vue2.js`.
    let behind = built
        .strip_prefix(file)
        .and_then(|rest| rest.strip_suffix(".js"));
    if behind.is_some_and(|number| number.chars().all(|it| it.is_ascii_digit())) {
        return true;
    }
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let Some(rest) = built.strip_prefix(stem).filter(|_| !stem.is_empty()) else {
        return false;
    };
    let hash = rest.strip_prefix(['-', '.', '_']);
    let hash = hash.and_then(|hash| hash.split_once('.'));
    hash.is_some_and(|(hash, end)| {
        let is_of_hash =
            |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        hash.len() >= SHORTEST_HASH && hash.chars().all(is_of_hash) && end.ends_with("js")
    })
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::{imports_in, is_built_of};

    #[test]
    fn a_file_is_known_by_the_name_that_a_bundler_gives_to_what_it_makes_of_it() {
        assert!(is_built_of("chat-2ADT4KFJ.js", "chat.ts"));
        assert!(is_built_of("Chat.BqYq2x_1.mjs", "Chat.vue"));
        assert!(is_built_of("Chat.vue.js", "Chat.vue"));
        assert!(is_built_of("Chat.vue2.js", "Chat.vue"));
        assert!(!is_built_of("Chat.vuex.js", "Chat.vue"));
        assert!(!is_built_of("chat-2.js", "chat.ts"));
        assert!(!is_built_of("chats-2ADT4KFJ.js", "chat.ts"));
        assert!(!is_built_of("chat-2ADT4KFJ.css", "chat.ts"));
        assert!(!is_built_of("-2ADT4KFJ.js", ""));
    }

    #[test]
    fn a_call_that_loads_a_file_is_found_in_the_text_of_its_author() {
        let text = "import('./a'); import(/* webpackChunkName: \"b\" */ \"../x/chat.js\"); import(`./chat`)";
        assert_eq!(imports_in(text, "chat.js").len(), 2);
        assert_eq!(imports_in(text, "a.ts"), [0]);
        assert!(imports_in(text, "b.js").is_empty());
    }
}
