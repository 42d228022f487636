//! The scripts of a page, as the browser told them when it compiled them.

use std::collections::{HashMap, HashSet};

use js_analysis::position::Utf16Position;

use crate::stopped::ParsedScript;
use cdp_driver::protocol::SessionId;

/// What is known of them, by session and the number that the browser gave each there.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    compiled: HashMap<(SessionId, String), ParsedScript>,
    /// Those that put agents into realms that had one.
    further_agents: HashSet<(SessionId, String)>,
    /// Where the browser takes those to begin that came in responses.
    starts: HashMap<(SessionId, String), Utf16Position>,
    /// The number of the agent's script in each realm, by session and context: the first script there.
    agents: HashMap<(SessionId, i64), String>,
}

impl Scripts {
    /// One was compiled.
    pub(super) fn add(&mut self, session: &SessionId, number: &str, script: ParsedScript) {
        let key = (session.clone(), number.to_owned());
        self.compiled.insert(key, script);
    }

    /// Where the browser takes one to begin in its response.
    pub(super) fn begins(&mut self, session: &SessionId, number: &str, start: Utf16Position) {
        let key = (session.clone(), number.to_owned());
        self.starts.insert(key, start);
    }

    /// The text that one is in, and where it begins there.
    pub(super) fn text_of(
        &self,
        session: &SessionId,
        number: &str,
    ) -> Option<(String, Utf16Position)> {
        let script = self.get(session, number)?;
        let key = (session.clone(), number.to_owned());
        let start = self.starts.get(&key).copied().unwrap_or(script.shift);
        Some((script.url.clone(), start))
    }

    /// One of ours is to be compiled, in a realm that has an agent.
    pub(super) fn add_agent(&mut self, session: &SessionId, number: &str) {
        let key = (session.clone(), number.to_owned());
        self.further_agents.insert(key);
    }

    /// One was compiled that has the agent's address; whether it is not the agent. A page can read that address in a
    /// stack and give it to a script of its own. That is not the first script of its realm. (Of a document that is gone
    /// back to, every script is told once more.)
    pub(super) fn is_forged(&mut self, session: &SessionId, context: i64, number: &str) -> bool {
        let first = self.agents.entry((session.clone(), context));
        first.or_insert_with(|| number.to_owned()) != number
    }

    /// The one with this number.
    pub(super) fn get(&self, session: &SessionId, number: &str) -> Option<&ParsedScript> {
        self.compiled.get(&(session.clone(), number.to_owned()))
    }

    /// The same, as it is in a stack: one that put an agent into a realm has the `agent`'s address.
    pub(super) fn in_stack(
        &self,
        session: &SessionId,
        number: &str,
        agent: &str,
    ) -> Option<ParsedScript> {
        let known = self.get(session, number)?.clone();
        let key = (session.clone(), number.to_owned());
        Some(if self.further_agents.contains(&key) {
            ParsedScript {
                url: agent.to_owned(),
                ..known
            }
        } else {
            known
        })
    }
}

#[cfg(test)]
mod tests {
    use js_analysis::position::Utf16Position;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const NOWHERE: Utf16Position = Utf16Position { line: 0, column: 0 };

    fn script(url: &str) -> ParsedScript {
        ParsedScript {
            url: url.to_owned(),
            shift: NOWHERE,
            start: NOWHERE,
            context: 1,
        }
    }

    fn session(name: &str) -> SessionId {
        SessionId(name.into())
    }

    #[test]
    fn numbers_are_those_of_one_session() {
        let (tab, worker) = (session("tab"), session("worker"));
        let mut scripts = Scripts::default();
        scripts.add(&tab, "7", script("a.js"));
        scripts.add(&worker, "7", script("b.js"));
        let address = |session, number| Some(scripts.get(session, number)?.url.as_str());
        assert_eq!(address(&tab, "7"), Some("a.js"));
        assert_eq!(address(&worker, "7"), Some("b.js"));
        assert_eq!(address(&tab, "8"), None);
    }

    #[test]
    fn a_script_of_ours_is_in_stacks_as_the_agent() {
        let tab = session("tab");
        let mut scripts = Scripts::default();
        scripts.add_agent(&tab, "7");
        assert!(scripts.in_stack(&tab, "7", "agent.js").is_none());
        scripts.add(&tab, "7", script("evaluated"));
        scripts.add(&tab, "8", script("page.js"));
        let address = |number| Some(scripts.in_stack(&tab, number, "agent.js")?.url);
        assert_eq!(address("7").as_deref(), Some("agent.js"));
        assert_eq!(address("8").as_deref(), Some("page.js"));
    }

    #[test]
    fn only_the_first_script_of_a_realm_with_the_agents_address_is_the_agent() {
        let tab = session("tab");
        let mut scripts = Scripts::default();
        assert!(!scripts.is_forged(&tab, 1, "7"));
        assert!(scripts.is_forged(&tab, 1, "8"));
        // It is told once more, and another realm has its own.
        assert!(!scripts.is_forged(&tab, 1, "7"));
        assert!(!scripts.is_forged(&tab, 2, "8"));
    }
}
