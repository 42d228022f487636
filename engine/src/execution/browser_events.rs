//! What the browser tells while the page runs: scripts it has parsed, what it logs, what agents post.

use agent::EVALUATED_URL;
use js_analysis::position::Utf16Position;
use querypoint::answer::BlindSpot;
use serde_json::Value;

use super::stops::STOP;
use super::{PauseLoop, agent_url, dynamic_code};
use crate::agent_message::AgentMessage;
use crate::intercept::refused_for_its_digest;
use crate::replay::SCRIPT_URL;
use crate::sources::Origin;
use crate::stopped::ParsedScript;
use cdp::debugger::ScriptParsed;
use cdp::runtime::BindingCalled;
use cdp_driver::protocol::SessionId;
use cdp_driver::protocol::generated as cdp;

/// Functions of the agent in which nothing of the page is compiled that is not known: where it is paused and we
/// evaluate, where handlers are compiled from rewritten texts, where a function is made only to see whether that fails.
const KNOWN: [&str; 5] = [
    STOP,
    dynamic_code::FUNCTION,
    "restoreHandlers",
    "hookHandler",
    "tryMaking",
];

/// A line or column; a browser may tell of one before the first.
fn first_or(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

impl PauseLoop<'_> {
    pub(super) fn script_parsed(&self, session: &SessionId, parsed: &ScriptParsed) {
        let url = parsed.url.as_str();
        let context = parsed.execution_context_id.0;
        let number = parsed.script_id.as_str();
        let is_forged = url == agent_url(&self.setting.collection.prefix)
            && self
                .watcher
                .scripts
                .lock()
                .is_forged(session, context, number);
        let url = if is_forged { "" } else { url };
        let made = self.setting.sources.lock().dynamic_address(&parsed.hash);
        let is_made = made.is_some();
        let script = match made {
            // Its lines are those of the text, wherever the browser takes it to be.
            Some((address, shift)) => ParsedScript {
                url: address,
                shift,
                start: Utf16Position {
                    line: first_or(parsed.start_line),
                    column: first_or(parsed.start_column),
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
        {
            let mut scripts = self.watcher.scripts.lock();
            scripts.add(session, number, script);
            if !is_made {
                let start = Utf16Position {
                    line: first_or(parsed.start_line),
                    column: first_or(parsed.start_column),
                };
                scripts.begins(session, number, start);
            }
        }
        if parsed.is_module == Some(true) {
            self.setting.sources.lock().is_a_module(url);
        }
        let about = parsed.execution_context_aux_data.as_ref();
        let is_page = about.and_then(|it| it.get("isDefault")) != Some(&Value::Bool(false));
        if is_page && !is_made {
            self.account_for(session, parsed, url);
        }
    }

    /// Lists a script that no response held: the page made it, and it is not rewritten.
    fn account_for(&self, session: &SessionId, parsed: &ScriptParsed, url: &str) {
        const LONGEST_ADDRESS: usize = 200;
        let agent = agent_url(&self.setting.collection.prefix);
        // The browser tells only the frame on top, where there is one: a function of the agent may be there for a
        // built-in that puts nodes into the document.
        let frames = parsed.stack_trace.iter().flat_map(|it| &it.call_frames);
        let made_by = frames.into_iter().next();
        let has_script = made_by.is_some();
        let by_script = made_by.map_or("", |frame| &frame.url);
        let function = made_by.map_or("", |frame| &frame.function_name);
        let is_put = by_script == agent;
        let is_known = is_put && KNOWN.contains(&function);
        if url == agent || url == SCRIPT_URL || url == EVALUATED_URL || is_known {
            return;
        }
        // It is only told where there is a frame.
        let line = made_by.map_or(0, |frame| frame.line_number) + 1;
        let document = self
            .watcher
            .realms
            .lock()
            .address(session, parsed.execution_context_id.0)
            .unwrap_or_default();
        let origin = if url.is_empty() {
            Origin::Unknown
        } else if self.setting.sources.lock().is_elsewhere(url) {
            Origin::Response
        } else {
            let start = (parsed.start_line, parsed.start_column);
            self.setting.sources.lock().origin(url, start)
        };
        let (place, reason) = match origin {
            Origin::Response => return,
            _ if is_put => (
                document.as_str(),
                "code that a script made, or put into the document, is not rewritten".to_owned(),
            ),
            Origin::Unknown if has_script => (
                by_script,
                format!(
                    "dynamic code at line {line} (eval, Function, a string timer or an inserted script) is not rewritten"
                ),
            ),
            // Nothing else has neither an address nor a script that made it.
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
            Origin::MadeInDocument if has_script => (
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
            && !has_script
            && is_listed(&self.watcher.interceptor.seen().blind_spots);
        if !told {
            let mut gathered = self.watcher.gathered.lock();
            gathered.outcome.seen.blind(&place, reason);
        }
    }

    /// The browser refused a script because its digest is not the one that a script or an import map gave: that
    /// script must stay as it is, and the execution is worth nothing.
    pub(super) fn logged(&self, entry: &cdp::log::LogEntry) {
        if let Some(url) = refused_for_its_digest(entry) {
            self.setting.sources.lock().leave_untouched(url);
        }
    }

    /// An agent tells where it is, or what it saw.
    pub(super) fn posted(&mut self, session: &SessionId, called: &BindingCalled) {
        if called.name != format!("{}B", self.setting.collection.prefix) {
            return;
        }
        let context = called.execution_context_id;
        match AgentMessage::posted(&called.payload) {
            Ok(AgentMessage::Greeting(greeting)) => {
                self.watcher
                    .realms
                    .lock()
                    .greeted(session, context, &greeting);
            }
            Ok(AgentMessage::Report(report)) => {
                let counts_on = self.watcher.counts_to_the_end();
                self.watcher.gathered.lock().report(report, counts_on);
            }
            Ok(AgentMessage::Handed(handed)) => {
                self.handed.insert(session.clone(), handed);
            }
            // Others take these: `log.rs`, `recorded_inputs`. The rest is given by expressions, and never posted.
            Ok(_) => {}
            Err(unknown) => {
                let realm = self.watcher.realms.lock().address(session, context.0);
                let place = realm.unwrap_or_default();
                let mut gathered = self.watcher.gathered.lock();
                gathered.outcome.seen.blind(&place, unknown.to_string());
            }
        }
    }
}
