//! Breakpoints in the tab that a person debugs. They are there as long as the connection to it.

use js_analysis::position::Utf16Position;

use super::InspectedTab;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, ProtocolError};

/// A breakpoint that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// By which the tab knows it. Where the line runs in several places, all of theirs, with [`BETWEEN`] between them.
    pub id: String,
    /// The line (1-based) at which it stops: the first from the one that was asked for on that has code.
    pub line: u32,
}

/// What is between the names that the tab gave; in none of them.
const BETWEEN: char = '\n';

/// Why there is no breakpoint.
#[derive(Debug, thiserror::Error)]
pub enum BreakpointError {
    /// The tab did not take it.
    #[error("the tab took no breakpoint: {0}")]
    Refused(#[from] ProtocolError),
    /// It would never stop.
    #[error("the tab has run no code at line {line} of {url}; open the page there first")]
    NoCode {
        /// The address.
        url: String,
        /// The line, 1-based.
        line: u32,
    },
    /// What the script comes from is not known.
    #[error(
        "{script} has no source map that can be read, so no line of {url} is known in it: {why}"
    )]
    NoMap {
        /// The script.
        script: String,
        /// The file that it should come from.
        url: String,
        /// In words.
        why: String,
    },
}

impl InspectedTab {
    /// Has the tab stop at a line (1-based) of the script or document with this address, now and after it was loaded
    /// again. `runs_as` is the address of the script that has the code of that file in it, where it comes through a
    /// source map.
    ///
    /// # Errors
    /// If the tab has no code there, or does not answer.
    pub async fn set_breakpoint(
        &self,
        url: &str,
        runs_as: Option<&str>,
        line: u32,
    ) -> Result<Breakpoint, BreakpointError> {
        let asked = line.saturating_sub(1);
        let no_code = || BreakpointError::NoCode {
            url: url.to_owned(),
            line,
        };
        let Some(script) = runs_as else {
            let at = cdp::debugger::SetBreakpointByUrl {
                url: Some(url.to_owned()),
                ..cdp::debugger::SetBreakpointByUrl::new(i64::from(asked))
            };
            let set = self.set(&at).await?;
            let (id, bound) = set.ok_or_else(no_code)?;
            return Ok(Breakpoint {
                id,
                line: bound.line.saturating_add(1),
            });
        };
        let id = self.scripts().at(script).ok_or_else(no_code)?;
        let written = self.written(id).await;
        let written = written.map_err(|why| BreakpointError::NoMap {
            script: script.to_owned(),
            url: url.to_owned(),
            why,
        })?;
        let mut ids = Vec::new();
        let mut line = None;
        for place in written.running(url, asked) {
            let at = cdp::debugger::SetBreakpointByUrl {
                url: Some(script.to_owned()),
                column_number: Some(i64::from(place.column)),
                ..cdp::debugger::SetBreakpointByUrl::new(i64::from(place.line))
            };
            let Some((id, bound)) = self.set(&at).await? else {
                continue;
            };
            // The next place where it can stop may be in another file already.
            match written.line_of(url, bound).filter(|it| *it >= asked) {
                Some(stops) => {
                    ids.push(id);
                    line = line.or(Some(stops));
                }
                None => self.remove_breakpoint(&id).await?,
            }
        }
        Ok(Breakpoint {
            id: ids.join(&BETWEEN.to_string()),
            line: line.ok_or_else(no_code)?.saturating_add(1),
        })
    }

    /// What the tab calls a breakpoint, and where it is; `None`: there is no code, and it is not there any more.
    async fn set(
        &self,
        at: &cdp::debugger::SetBreakpointByUrl,
    ) -> Result<Option<(String, Utf16Position)>, ProtocolError> {
        let set = self.protocol.call(Some(&self.session), at).await?;
        let id = set.breakpoint_id.0;
        match set.locations.first() {
            Some(bound) => {
                let (line, column) = (bound.line_number, bound.column_number.unwrap_or(0));
                Ok(Some((id, Utf16Position { line, column })))
            }
            None => {
                self.remove_breakpoint(&id).await?;
                Ok(None)
            }
        }
    }

    /// Has the tab not stop there any more. What it does not know is no mistake.
    ///
    /// # Errors
    /// If the tab does not answer.
    pub async fn remove_breakpoint(&self, id: &str) -> Result<(), ProtocolError> {
        for id in id.split(BETWEEN) {
            let remove = cdp::debugger::RemoveBreakpoint::new(id);
            self.protocol.call(Some(&self.session), &remove).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::executor::block_on;

    use serde_json::{Value, json};

    use super::*;
    use crate::fake::{FakeProtocol, SESSION};
    use cdp_driver::protocol::SessionId;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn set(answer: Value) -> (Result<Breakpoint, BreakpointError>, Arc<FakeProtocol>) {
        let fake = Arc::new(FakeProtocol::default());
        fake.on(
            cdp::debugger::SetBreakpointByUrl::METHOD,
            Vec::new(),
            Some(Ok(answer)),
        );
        let tab = InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()));
        let set = block_on(tab.set_breakpoint("http://h/app.js", None, 22));
        (set, fake)
    }

    #[test]
    fn it_pauses_at_the_next_line_with_code() {
        let (set, fake) = set(
            json!({ "breakpointId": "1:2", "locations": [{ "scriptId": "9", "lineNumber": 23 }] }),
        );
        let wanted = Breakpoint {
            id: "1:2".to_owned(),
            line: 24,
        };
        assert_eq!(set.unwrap(), wanted);
        let sent = fake.sent(cdp::debugger::SetBreakpointByUrl::METHOD);
        assert_eq!(
            sent,
            [json!({ "url": "http://h/app.js", "lineNumber": 21 })]
        );
        assert!(
            fake.sent(cdp::debugger::RemoveBreakpoint::METHOD)
                .is_empty()
        );
    }

    #[test]
    fn where_there_is_no_code_none_is_left_behind() {
        let odd = json!({ "breakpointId": "1:2", "locations": 5 });
        let said = set(odd).0.unwrap_err().to_string();
        assert!(
            said.contains("Debugger.setBreakpointByUrl") && said.contains("locations"),
            "{said}"
        );
        {
            let (set, fake) = set(json!({ "breakpointId": "1:2", "locations": [] }));
            let said = set.unwrap_err().to_string();
            assert!(
                said.contains("no code at line 22 of http://h/app.js"),
                "{said}"
            );
            assert_eq!(
                fake.sent(cdp::debugger::RemoveBreakpoint::METHOD),
                [json!({ "breakpointId": "1:2" })]
            );
        }
    }

    #[test]
    fn a_line_that_comes_through_a_map_is_found_where_it_runs() {
        use crate::inspected::scripts::original::tests::{RUNNING, SOURCE, told_script};
        let fake = Arc::new(FakeProtocol::default());
        let tab = InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()));
        tab.scripts().add(told_script("9").decode().unwrap());
        for _ in 0..3 {
            let source = json!({ "scriptSource": RUNNING });
            fake.on(
                cdp::debugger::GetScriptSource::METHOD,
                Vec::new(),
                Some(Ok(source)),
            );
        }
        let method = cdp::debugger::SetBreakpointByUrl::METHOD;
        // The second time there is nothing at which it could stop but something that no source has.
        for (line, column) in [(0, 14), (1, 0)] {
            let location = json!({ "scriptId": "9", "lineNumber": line, "columnNumber": column });
            let bound = json!({ "breakpointId": "1:0", "locations": [location] });
            fake.on(method, Vec::new(), Some(Ok(bound)));
        }
        let script = Some("http://h/app.js");
        let set = block_on(tab.set_breakpoint(SOURCE, script, 2)).unwrap();
        let wanted = Breakpoint {
            id: "1:0".to_owned(),
            line: 3,
        };
        assert_eq!(set, wanted);
        let at = json!({ "url": "http://h/app.js", "lineNumber": 0, "columnNumber": 0 });
        assert_eq!(fake.sent(method), [at]);

        let error = |url, runs_as, line| {
            let set = block_on(tab.set_breakpoint(url, Some(runs_as), line));
            set.unwrap_err().to_string()
        };
        let said = error(SOURCE, "http://h/app.js", 3);
        assert!(
            said.contains("no code at line 3 of http://h/cart.ts"),
            "{said}"
        );
        let removed = fake.sent(cdp::debugger::RemoveBreakpoint::METHOD);
        assert_eq!(removed, [json!({ "breakpointId": "1:0" })]);
        assert!(
            error(SOURCE, "http://h/app.js", 4).contains("no code at line 4 of http://h/cart.ts")
        );
        assert!(error(SOURCE, "http://h/gone.js", 3).contains("no code at line 3"));
        // Now the text has no map.
        assert!(error(SOURCE, "http://h/app.js", 3).contains("has no source map that can be read"));
    }

    #[test]
    fn a_breakpoint_in_several_places_is_taken_from_all() {
        let fake = Arc::new(FakeProtocol::default());
        let tab = InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()));
        block_on(tab.remove_breakpoint("1:0\n1:10")).unwrap();
        let sent = fake.sent(cdp::debugger::RemoveBreakpoint::METHOD);
        let wanted = ["1:0", "1:10"].map(|id| json!({ "breakpointId": id }));
        assert_eq!(sent, wanted);
    }
}
