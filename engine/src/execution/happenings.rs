//! What the browser tells while the page runs: scripts it has parsed, what it logs, what agents post.

use agent::EVALUATED_URL;
use js_analysis::position::Utf16Position;
use querypoint::answer::BlindSpot;
use serde::Deserialize;
use serde_json::Value;

use super::stops::STOP;
use super::{Watcher, agent_url, lock, making};
use crate::replay::SCRIPT_URL;
use crate::report::{Greeting, Report};
use crate::sources::{MadeText, Origin};
use crate::stopped::ParsedScript;
use cdp_driver::protocol::{Event, SessionId};

/// A text of which the page is about to make code.
#[derive(Deserialize)]
struct Handed {
    handed: MadeText,
}

/// Functions of the agent in which nothing of the page is compiled that is not known: where it stands and we evaluate,
/// where handlers are compiled from rewritten texts, where a function is made only to see whether that fails.
const KNOWN: [&str; 5] = [
    STOP,
    making::FUNCTION,
    "restoreHandlers",
    "hookHandler",
    "tryMaking",
];

impl Watcher<'_> {
    pub(super) fn script_parsed(&self, session: &SessionId, event: &Event) {
        let url = event.text("/url");
        let number = |pointer: &str| {
            let number = event.params.pointer(pointer).and_then(Value::as_u64);
            number
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(0)
        };
        let context = event.params.get("executionContextId");
        let context = context.and_then(Value::as_i64).unwrap_or(0);
        // A page can read the agent's address in a stack and give it to a script of its own. It is not the first script
        // of its realm. (Of a document that is gone back to, every script is told once more.)
        let is_forged = url == agent_url(&self.setting.collection.prefix) && {
            let script = event.text("/scriptId");
            let mut agents = lock(&self.agents);
            let first = agents.entry((session.clone(), context));
            first.or_insert_with(|| script.to_owned()) != script
        };
        let url = if is_forged { "" } else { url };
        let made = lock(&self.setting.sources).made_address(event.text("/hash"));
        let is_made = made.is_some();
        let script = match made {
            // Its lines are those of the text, wherever the browser takes it to stand.
            Some((address, shift)) => ParsedScript {
                url: address,
                shift,
                start: Utf16Position {
                    line: number("/startLine"),
                    column: number("/startColumn"),
                },
                context,
            },
            None => ParsedScript {
                url: url.to_owned(),
                shift: Utf16Position { line: 0, column: 0 },
                start: Utf16Position { line: 0, column: 0 },
                context,
            },
        };
        lock(&self.scripts).insert(
            (session.clone(), event.text("/scriptId").to_owned()),
            script,
        );
        if event.params.get("isModule").and_then(Value::as_bool) == Some(true) {
            lock(&self.setting.sources).is_a_module(url);
        }
        let is_page = event
            .params
            .pointer("/executionContextAuxData/isDefault")
            .and_then(Value::as_bool)
            != Some(false);
        if is_page && !is_made {
            self.account_for(event, url);
        }
    }

    /// Lists a script that no response held: the page made it, and it is not rewritten.
    fn account_for(&self, event: &Event, url: &str) {
        const LONGEST_ADDRESS: usize = 200;
        let agent = agent_url(&self.setting.collection.prefix);
        let number = |pointer: &str| {
            let number = event.params.pointer(pointer).and_then(Value::as_i64);
            number.unwrap_or(0)
        };
        // The browser tells only the frame on top, where there is one: a function of the agent may stand for a built-in
        // that puts nodes into the document.
        let has_maker = event.params.pointer("/stackTrace/callFrames/0").is_some();
        let maker = event.text("/stackTrace/callFrames/0/url");
        let function = event.text("/stackTrace/callFrames/0/functionName");
        let is_put = maker == agent;
        let is_known = is_put && KNOWN.contains(&function);
        if url == agent || url == SCRIPT_URL || url == EVALUATED_URL || is_known {
            return;
        }
        let line = number("/stackTrace/callFrames/0/lineNumber") + 1;
        let context = number("/executionContextId");
        let document = event
            .session
            .as_ref()
            .and_then(|session| self.realms.address(session, context))
            .unwrap_or_default();
        let origin = if url.is_empty() {
            Origin::Unknown
        } else if lock(&self.setting.sources).is_elsewhere(url) {
            Origin::Response
        } else {
            let start = (number("/startLine"), number("/startColumn"));
            lock(&self.setting.sources).origin(url, start)
        };
        let (place, reason) = match origin {
            Origin::Response => return,
            _ if is_put => (
                document.as_str(),
                "code that a script made, or put into the document, is not rewritten".to_owned(),
            ),
            Origin::Unknown if has_maker => (
                maker,
                format!(
                    "code made at line {line} by eval, Function, a string timer or an inserted script is not rewritten"
                ),
            ),
            // Nothing else has no address and no maker.
            Origin::Unknown if url.is_empty() => (
                "javascript:",
                "the code of a javascript: URL is not rewritten".to_owned(),
            ),
            Origin::Unknown if url.starts_with("blob:") || url.starts_with("data:") => (
                url,
                "a script that the page keeps in memory is not rewritten".to_owned(),
            ),
            Origin::Unknown => (
                url,
                "a script that did not come as a response of the page is not rewritten".to_owned(),
            ),
            Origin::MadeInDocument if has_maker => (
                url,
                format!(
                    "an event handler that was set by a script and first ran at line {line} is not rewritten"
                ),
            ),
            Origin::MadeInDocument => (
                url,
                "a script or event handler that a script wrote into the document is not rewritten"
                    .to_owned(),
            ),
        };
        let place: String = place.chars().take(LONGEST_ADDRESS).collect();
        // A response that stays as it is has told so.
        let is_listed = |spots: &[BlindSpot]| spots.iter().any(|spot| spot.url == place);
        let told = origin == Origin::Unknown
            && !has_maker
            && is_listed(&self.interceptor.seen().blind_spots);
        if !told {
            lock(&self.outcome).seen.blind(&place, reason);
        }
    }

    /// The browser refused a script because its digest is not the one that a script or an import map gave: that
    /// script must stay as it is, and the execution is worth nothing.
    pub(super) fn logged(&self, event: &Event) {
        const REFUSED: &str =
            "Failed to find a valid digest in the 'integrity' attribute for resource '";
        let url = event
            .text("/entry/text")
            .strip_prefix(REFUSED)
            .and_then(|rest| rest.split('\'').next());
        if let Some(url) = url
            && event.text("/entry/source") == "security"
        {
            lock(&self.setting.sources).leave_untouched(url);
        }
    }

    /// An agent tells where it is, or what it saw.
    pub(super) fn posted(&self, event: &Event) {
        if event.text("/name") != format!("{}B", self.setting.collection.prefix) {
            return;
        }
        if let Ok(greeting) = serde_json::from_str::<Greeting>(event.text("/payload")) {
            self.realms.greeted(event, &greeting);
        } else if let Ok(report) = serde_json::from_str::<Report>(event.text("/payload")) {
            if self.has_gone_on() {
                self.count_on(&report);
            } else {
                lock(&self.outcome).add(report);
            }
        } else if let Ok(Handed { handed }) = serde_json::from_str(event.text("/payload"))
            && let Some(session) = &event.session
        {
            lock(&self.handed).insert(session.clone(), handed);
        }
    }
}
