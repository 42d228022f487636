//! The scripts of the tab: a stop names them by their numbers alone.

pub(super) mod original;

use std::collections::BTreeMap;
use std::sync::Arc;

use js_analysis::position::Utf16Position;

use crate::stopped::ParsedScript;
use cdp_driver::protocol::generated::debugger::ScriptParsed;
use original::Written;

/// Of so many scripts the addresses are kept, the latest.
pub(super) const MOST_SCRIPTS: usize = 50_000;

/// Of so many scripts the maps are kept, the latest.
const MOST_MAPS: usize = 8;

/// A script of the tab.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) url: String,
    pub(super) map: MapAt,
    pub(super) is_module: bool,
    /// The realm that it runs in.
    pub(super) context: i64,
}

/// Where a script says that its source map is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MapAt {
    /// It says nothing, or is part of a document.
    Nowhere,
    /// In its own text, where it is left: it can be longer than the script.
    InScript,
    /// There, relative to the script's address.
    Address(String),
}

impl MapAt {
    fn of(told: &ScriptParsed) -> Self {
        const LONGEST: usize = 4096;
        let is_whole = (told.start_line, told.start_column) == (0, 0);
        match told.source_map_url.as_deref().unwrap_or_default() {
            "" => Self::Nowhere,
            _ if !is_whole => Self::Nowhere,
            url if url.starts_with("data:") => Self::InScript,
            url if url.len() > LONGEST => Self::Nowhere,
            url => Self::Address(url.to_owned()),
        }
    }
}

/// What is known of them, by the numbers that the browser gives in turn.
#[derive(Default)]
pub(super) struct Scripts {
    known: BTreeMap<u64, Script>,
    /// Those whose maps were looked for. Nothing: there is none to be had.
    written: BTreeMap<u64, Option<Arc<Written>>>,
}

impl Scripts {
    /// Takes up what a `Debugger.scriptParsed` tells.
    pub(super) fn add(&mut self, told: ScriptParsed) {
        if let (Ok(id), false) = (told.script_id.0.parse(), told.url.is_empty()) {
            let script = Script {
                map: MapAt::of(&told),
                is_module: told.is_module == Some(true),
                context: told.execution_context_id.0,
                url: told.url,
            };
            self.known.insert(id, script);
        }
        if self.known.len() > MOST_SCRIPTS {
            self.known.pop_first();
        }
    }

    /// What is known of the script with this number. Its lines and columns are those of the file: the browser counts
    /// so.
    pub(super) fn parsed(&self, id: &str) -> Option<ParsedScript> {
        let script = self.known.get(&id.parse().ok()?)?;
        Some(ParsedScript {
            url: script.url.clone(),
            start: Utf16Position::default(),
            shift: Utf16Position::default(),
            context: script.context,
        })
    }

    /// The latest script with this address.
    pub(super) fn at(&self, url: &str) -> Option<u64> {
        let mut latest = self.known.iter().rev();
        latest
            .find(|(_, script)| script.url == url)
            .map(|(id, _)| *id)
    }

    pub(super) fn get(&self, id: u64) -> Option<Script> {
        self.known.get(&id).cloned()
    }

    /// Whether a script has a map that has not been looked for.
    pub(super) fn is_unread(&self, id: u64) -> bool {
        let script = self.known.get(&id);
        script.is_some_and(|it| it.map != MapAt::Nowhere) && !self.written.contains_key(&id)
    }

    /// What the author wrote, if that was found.
    pub(super) fn written(&self, id: u64) -> Option<Arc<Written>> {
        self.written.get(&id)?.clone()
    }

    /// Keeps what was found.
    pub(super) fn keep(&mut self, id: u64, written: Option<Arc<Written>>) {
        self.written.insert(id, written);
        let found = |(id, it): (&u64, &Option<_>)| it.is_some().then_some(*id);
        let with_map: Vec<u64> = self.written.iter().filter_map(found).collect();
        if let Some(of_old) = with_map.len().checked_sub(MOST_MAPS) {
            for id in with_map.iter().take(of_old) {
                self.written.remove(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn parsed(mut params: Value) -> ScriptParsed {
        for position in ["startLine", "startColumn", "executionContextId"] {
            if params.get(position).is_none() {
                params[position] = json!(0);
            }
        }
        params["hash"] = json!("");
        serde_json::from_value(params).unwrap()
    }

    #[test]
    fn of_very_many_scripts_the_latest_are_known() {
        let mut scripts = Scripts::default();
        for id in 0..=MOST_SCRIPTS {
            scripts.add(parsed(
                json!({ "scriptId": id.to_string(), "url": "http://h/a.js" }),
            ));
        }
        scripts.add(parsed(
            json!({ "scriptId": "no number", "url": "http://h/a.js" }),
        ));
        assert_eq!(scripts.known.len(), MOST_SCRIPTS);
        assert!(scripts.parsed("0").is_none());
        assert!(scripts.parsed(&MOST_SCRIPTS.to_string()).is_some());
        assert_eq!(
            scripts.at("http://h/a.js"),
            u64::try_from(MOST_SCRIPTS).ok()
        );
    }

    #[test]
    fn where_a_map_is_is_told_by_the_script() {
        let at = |map: &str, column: u64| {
            MapAt::of(&parsed(json!({
                "scriptId": "1", "url": "http://h/a.js", "sourceMapURL": map, "startLine": 0, "startColumn": column,
            })))
        };
        assert_eq!(at("a.js.map", 0), MapAt::Address("a.js.map".to_owned()));
        assert_eq!(at("data:application/json,{}", 0), MapAt::InScript);
        assert_eq!(at("", 0), MapAt::Nowhere);
        assert_eq!(at(&"m".repeat(5000), 0), MapAt::Nowhere);
        // Part of a document.
        assert_eq!(at("a.js.map", 8), MapAt::Nowhere);
    }

    #[test]
    fn maps_are_kept_of_the_latest_and_looked_for_once() {
        let mut scripts = Scripts::default();
        let script = json!({ "scriptId": "3", "url": "http://h/a.js", "sourceMapURL": "a.map" });
        scripts.add(parsed(script));
        assert!(scripts.is_unread(3));
        scripts.keep(3, None);
        assert!(!scripts.is_unread(3));
        assert!(scripts.written(3).is_none());
    }
}
