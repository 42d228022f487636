//! Where the engine can stop in a page, known before the page runs.
//!
//! The page is run once without a stop: a rehearsal. It tells which scripts there are, texts that become code among
//! them, and where each can be stopped at. Breakpoints by address (for a text without one: by its hash) then wait for
//! the scripts of the next run, and are set when one is compiled, before any of it runs.
//!
//! Why no instrumentation breakpoint does this: it is meant to stop before a script begins, but the engine sets it on
//! the first place that says of itself that it is at the script's very start. An optional chain in a comma
//! expression, `(a, b.m?.())`, says so wherever it is; then the whole script up to there has run when the page
//! stops. For the same reason a place at the very start counts only where a statement can be there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, ProtocolError, required_text};
use engine::page::Page;
use futures::StreamExt;
use futures::future::join_all;
use serde_json::json;

use super::SteppingError;
use super::stops::{BreakKind, place};

/// What the addresses of the judge's own scripts begin with.
pub(super) const OWN: &str = "oracle:";

/// What a script is known by in both runs: its address, its hash, and where it starts in its document.
type Name = (String, String, (u32, u32));

/// The scripts of one run, by their ids.
pub(super) type Scripts = HashMap<String, Arc<Script>>;

/// A script of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// Its address, or the document's for what is in it.
    pub(super) url: String,
    /// Lines of the document that come before it.
    pub(super) first_line: u32,
    /// Its own lines.
    pub(super) lines: Vec<String>,
    /// What is where the engine can stop: line and column, counted from 0.
    pub(super) kinds: HashMap<(u32, u32), BreakKind>,
}

impl Script {
    /// The text of a line, counted from 0 in the document.
    pub(super) fn line(&self, line: u32) -> &str {
        line.checked_sub(self.first_line)
            .and_then(|line| self.lines.get(line as usize))
            .map_or("", String::as_str)
    }

    /// The first place in the line from this one on.
    pub(super) fn place_from(&self, (line, column): (u32, u32)) -> Option<(u32, u32)> {
        let places = self.kinds.keys().copied();
        places
            .filter(|&(at_line, at)| at_line == line && at >= column)
            .min()
    }
}

/// The scripts of a page that ran once.
#[derive(Debug, Default)]
pub(super) struct Rehearsal {
    scripts: HashMap<Name, Arc<Script>>,
}

impl Rehearsal {
    /// Runs the page at `url` to its end and sets every breakpoint.
    pub(super) async fn of(page: &Page, url: &str, limit: Duration) -> Result<Self, SteppingError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Self::attempt(page, url, limit).await {
                // A script that nothing holds any more may be collected before it is asked for.
                Err(SteppingError::Protocol(ProtocolError::Refused { .. })) if attempts < 5 => {}
                Err(error) => return Err(error),
                Ok(rehearsal) => {
                    rehearsal.set_breakpoints(page).await?;
                    return Ok(rehearsal);
                }
            }
        }
    }

    async fn attempt(page: &Page, url: &str, limit: Duration) -> Result<Self, SteppingError> {
        // Breakpoints of the page before are gone with this.
        page.send(cdp::debugger::Disable::METHOD, json!({})).await?;
        page.send(cdp::debugger::Enable::METHOD, json!({})).await?;
        let mut events = page.protocol().events();
        let skip = |skip: bool| {
            page.send(
                cdp::debugger::SetSkipAllPauses::METHOD,
                json!({ "skip": skip }),
            )
        };
        skip(true).await?;
        let end = format!("{OWN}end");
        let run = async {
            run_to_the_end(page, url, limit).await?;
            let params = json!({ "expression": format!("0\n//# sourceURL={end}") });
            page.send(cdp::runtime::Evaluate::METHOD, params).await?;
            Ok::<(), SteppingError>(())
        };
        let mut rehearsal = Self::default();
        let learn = async {
            while let Some(event) = events.next().await {
                match event.text("/url") {
                    _ if !is_of_main_frame(page, &event) => {}
                    url if url == end => break,
                    url if url.starts_with(OWN) => {}
                    _ => rehearsal.learn(page, &event).await?,
                }
            }
            Ok(())
        };
        futures::try_join!(run, learn)?;
        skip(false).await?;
        Ok(rehearsal)
    }

    async fn learn(&mut self, page: &Page, event: &Event) -> Result<(), SteppingError> {
        let name = name(event);
        if self.scripts.contains_key(&name) {
            return Ok(());
        }
        let id = event.text("/scriptId");
        let (line, column) = name.2;
        let start = json!({ "scriptId": id, "lineNumber": line, "columnNumber": column });
        let source = page.send(
            cdp::debugger::GetScriptSource::METHOD,
            json!({ "scriptId": id }),
        );
        let places = page.send(
            cdp::debugger::GetPossibleBreakpoints::METHOD,
            json!({ "start": start }),
        );
        let (source, places) = futures::try_join!(source, places)?;
        let source = required_text(
            cdp::debugger::GetScriptSource::METHOD,
            &source,
            "/scriptSource",
        )?;
        let is_real = |&at: &(u32, u32)| at != name.2 || may_begin_with_a_stop(&source);
        let kinds = places["locations"].as_array().into_iter().flatten();
        let kinds = kinds
            .map(|location| (place(location), BreakKind::of(location)))
            .filter(|(at, _)| is_real(at));
        // Columns count from the start of the document's line.
        let lines = format!("{}{source}", " ".repeat(column as usize));
        let script = Script {
            url: name.0.clone(),
            first_line: line,
            kinds: kinds.collect(),
            lines: lines.lines().map(str::to_owned).collect(),
        };
        self.scripts.insert(name, Arc::new(script));
        Ok(())
    }

    async fn set_breakpoints(&self, page: &Page) -> Result<(), SteppingError> {
        let mut wanted = HashSet::new();
        for ((url, hash, _), script) in &self.scripts {
            let which = match url.is_empty() {
                true => ("scriptHash", hash),
                false => ("url", url),
            };
            wanted.extend(script.kinds.keys().map(|&at| (which, at)));
        }
        let set = wanted.into_iter().map(|((by, name), (line, column))| {
            let at = json!({ by: name, "lineNumber": line, "columnNumber": column });
            page.send(cdp::debugger::SetBreakpointByUrl::METHOD, at)
        });
        for answer in join_all(set).await {
            match answer {
                // Those by hash outlive `Debugger.disable`: a text that a page before made code of as well.
                Err(ProtocolError::Refused { message, .. })
                    if message.contains("already exists") => {}
                answer => _ = answer?,
            }
        }
        Ok(())
    }

    /// The script that an event `Debugger.scriptParsed` tells of.
    pub(super) fn script(&self, event: &Event) -> Option<&Arc<Script>> {
        self.scripts.get(&name(event))
    }
}

/// Goes to `url`; what the page left for later has run as well then.
pub(super) async fn run_to_the_end(
    page: &Page,
    url: &str,
    limit: Duration,
) -> Result<(), SteppingError> {
    page.navigate(url, limit).await?;
    let settled = format!(
        "new Promise((done) => setTimeout(() => setTimeout(done)))\n//# sourceURL={OWN}settled"
    );
    let params = json!({ "expression": settled, "awaitPromise": true });
    page.send(cdp::runtime::Evaluate::METHOD, params).await?;
    Ok(())
}

/// Whether the event tells of a script of the main frame. One of another has a realm of its own, where the watcher's
/// objects may not go.
pub(super) fn is_of_main_frame(page: &Page, event: &Event) -> bool {
    event.is(page.session(), cdp::debugger::ScriptParsed::METHOD)
        && event.text("/executionContextAuxData/frameId") == page.target_id()
}

fn name(event: &Event) -> Name {
    let number = |name: &str| {
        let number = event.params[name].as_u64().unwrap_or_default();
        u32::try_from(number).unwrap_or_default()
    };
    (
        event.text("/url").to_owned(),
        event.text("/hash").to_owned(),
        (number("startLine"), number("startColumn")),
    )
}

/// Whether the engine can stop at the first character of a script: not in white space, comments, directives and
/// declarations.
fn may_begin_with_a_stop(source: &str) -> bool {
    const NOT: [&str; 12] = [
        "let ", "const ", "var ", "class ", "function", "async ", "import ", "export ", "/", "'",
        "\"", "{",
    ];
    !source.starts_with(char::is_whitespace) && !NOT.iter().any(|text| source.starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_at_the_very_start_counts_where_a_statement_can_be() {
        for source in ["a = 1;", "f();", "if (a) b();"] {
            assert!(may_begin_with_a_stop(source), "{source}");
        }
        for source in [
            "",
            "\na = 1;",
            "let a = 1;",
            "'use strict';\na = 1;",
            "// a\nb();",
        ] {
            assert!(
                source.is_empty() || !may_begin_with_a_stop(source),
                "{source}"
            );
        }
    }
}
