//! How often each place of the page's scripts ran, as the browser counts it: no hook is needed for it.

use std::collections::HashSet;

use js_analysis::omission::CountedSpan;
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};

use super::Watcher;
use crate::error::EngineError;
use crate::event_reader::TakesEvents;
use cdp::runtime::{CallFrame, ExceptionDetails, ExceptionThrown};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command, Encoded, Event, SessionSet, Wanted};

/// The counts of one script, by UTF-16 code units of the text that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptCounts {
    /// The address by which its text is known.
    pub(crate) url: String,
    /// Where it begins in that text.
    pub(crate) start: Utf16Position,
    /// From the outside in; offsets are code units behind `start`, not bytes.
    pub(crate) spans: Vec<CountedSpan>,
}

/// What was counted in one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunCounts {
    pub(crate) scripts: Vec<ScriptCounts>,
    /// What else ran, and was not counted.
    pub(crate) uncounted: Vec<String>,
    /// The exceptions that nothing caught.
    pub(crate) uncaught: Vec<Uncaught>,
}

/// An exception that nothing caught, and a script that could not be compiled or linked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Uncaught {
    /// The class and the message.
    pub(crate) text: String,
    /// Where it was thrown, in the text that ran.
    pub(crate) url: String,
    pub(crate) at: Utf16Position,
    /// Where the oldest function on the stack was; none: no code ran.
    pub(crate) root: Option<(String, Utf16Position)>,
}

/// More different ones are not kept.
const MOST_UNCAUGHT: usize = 1000;

/// A longer text of one is cut after so many characters.
const LONGEST_TEXT: usize = 2000;

/// The events of exceptions that nothing caught; more do not wait than are kept.
pub(super) fn wanted(sessions: &SessionSet) -> Wanted {
    Wanted::of(sessions, &[ExceptionThrown::METHOD]).at_most(MOST_UNCAUGHT)
}

/// The exceptions that nothing caught, each kept once: a page can throw by the million.
#[derive(Debug, Default)]
pub(super) struct UncaughtLog {
    found: Vec<Uncaught>,
    known: HashSet<Uncaught>,
}

impl UncaughtLog {
    /// In the order in which each came first.
    pub(super) fn into_found(self) -> Vec<Uncaught> {
        self.found
    }
}

impl TakesEvents for UncaughtLog {
    fn take(&mut self, event: &Event) {
        if self.found.len() >= MOST_UNCAUGHT {
            return;
        }
        if let Some(thrown) = event.read::<ExceptionThrown>() {
            let uncaught = Uncaught::of(thrown.exception_details);
            if self.known.insert(uncaught.clone()) {
                self.found.push(uncaught);
            }
        }
    }
}

impl Uncaught {
    fn of(details: ExceptionDetails) -> Self {
        let described = details.exception.and_then(|it| it.description);
        let described = described.filter(|text| !text.is_empty()).or(details.text);
        let text = described.unwrap_or_default();
        let text = text.lines().next().unwrap_or_default();
        let frames = details.stack_trace.map(|stack| stack.call_frames);
        let frames = frames.unwrap_or_default();
        let place = |frame: &CallFrame| {
            let at = position(Some(frame.line_number), frame.column_number);
            (frame.url.clone(), at)
        };
        let own = || {
            let at = position(details.line_number, details.column_number);
            (details.url.clone().unwrap_or_default(), at)
        };
        let (url, at) = frames.first().map_or_else(own, place);
        Self {
            text: text.chars().take(LONGEST_TEXT).collect(),
            url,
            at,
            root: frames.last().map(place),
        }
    }
}

/// A place as the browser counts; what it does not say is the beginning.
fn position(line: Option<i64>, column: Option<i64>) -> Utf16Position {
    let number = |it: Option<i64>| it.and_then(|it| u32::try_from(it).ok());
    Utf16Position {
        line: number(line).unwrap_or_default(),
        column: number(column).unwrap_or_default(),
    }
}

/// What a session gets before its first script runs, so that it counts.
pub(super) fn start() -> [Encoded; 2] {
    let start = cdp::profiler::StartPreciseCoverage {
        call_count: Some(true),
        detailed: Some(true),
    };
    [cdp::profiler::Enable {}.encoded(), start.encoded()]
}

impl Watcher<'_> {
    /// Reads what the tab has counted.
    pub(super) async fn counts(&self) -> Result<RunCounts, EngineError> {
        let take = cdp::profiler::TakePreciseCoverage {};
        let taken = self.reader.protocol.call(Some(&self.tab), &take).await?;
        let scripts = self.scripts.lock();
        let mut counts = RunCounts::default();
        for script in taken.result {
            let Some((url, start)) = scripts.text_of(&self.tab, script.script_id.as_str()) else {
                continue;
            };
            let mut spans = Vec::new();
            for function in script.functions {
                for (number, range) in function.ranges.iter().enumerate() {
                    spans.push(CountedSpan {
                        span: ByteSpan {
                            start: ByteOffset(range.start_offset),
                            end: ByteOffset(range.end_offset),
                        },
                        count: range.count,
                        is_function: number == 0,
                    });
                }
            }
            counts.scripts.push(ScriptCounts { url, start, spans });
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn told(details: Value) -> Event {
        Event {
            session: None,
            method: ExceptionThrown::METHOD.to_owned(),
            params: Arc::new(json!({ "timestamp": 1, "exceptionDetails": details })),
            times: 1,
        }
    }

    fn at(line: u32, column: u32) -> Utf16Position {
        Utf16Position { line, column }
    }

    #[test]
    fn an_exception_is_where_its_newest_frame_is_and_begins_at_its_oldest() {
        let mut log = UncaughtLog::default();
        let frame = |url: &str, line: u32| json!({ "functionName": "", "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 4 });
        log.take(&told(json!({
            "exceptionId": 1, "text": "Uncaught", "lineNumber": 9, "columnNumber": 8, "url": "own.js",
            "exception": { "type": "object", "description": "TypeError: no\n    at f" },
            "stackTrace": { "callFrames": [frame("new.js", 1), frame("old.js", 2)] },
        })));
        let no_code_ran = json!({
            "exceptionId": 2, "text": "Uncaught SyntaxError: x", "lineNumber": 9, "columnNumber": -1, "url": "own.js",
        });
        log.take(&told(no_code_ran));
        // What a browser does not say, or says otherwise, is skipped.
        log.take(&told(json!({})));
        log.take(&told(json!({ "text": 5 })));
        let nothing = Uncaught {
            text: String::new(),
            url: String::new(),
            at: at(0, 0),
            root: None,
        };
        let thrown = Uncaught {
            text: "TypeError: no".to_owned(),
            url: "new.js".to_owned(),
            at: at(1, 4),
            root: Some(("old.js".to_owned(), at(2, 4))),
        };
        let not_compiled = Uncaught {
            text: "Uncaught SyntaxError: x".to_owned(),
            url: "own.js".to_owned(),
            at: at(9, 0),
            root: None,
        };
        assert_eq!(log.into_found(), [thrown, not_compiled, nothing]);
    }

    #[test]
    fn a_page_that_throws_without_end_does_not_fill_the_memory() {
        let mut log = UncaughtLog::default();
        let long = "x".repeat(5000);
        for number in 0..MOST_UNCAUGHT + 10 {
            for text in [format!("{number} {long}"), format!("0 {long}")] {
                log.take(&told(json!({ "exceptionId": 1, "text": text })));
            }
        }
        let found = log.into_found();
        assert_eq!(found.len(), MOST_UNCAUGHT);
        assert!(found.iter().all(|it| it.text.len() == LONGEST_TEXT));
        assert!(found[0].text.starts_with("0 x") && found[1].text.starts_with("1 x"));
    }
}
