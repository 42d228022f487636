//! How often each place of the page's scripts ran, as the browser counts it: no hook is needed for it.

use js_analysis::omission::CountedSpan;
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};

use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _};
use serde::Deserialize;

use super::Watcher;
use crate::error::EngineError;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command, Encoded, Event};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncaught {
    /// The class and the message.
    pub(crate) text: String,
    /// Where it was thrown, in the text that ran.
    pub(crate) url: String,
    pub(crate) at: Utf16Position,
    /// Where the oldest function on the stack was; none: no code ran.
    pub(crate) root: Option<(String, Utf16Position)>,
}

/// What the events that came say of exceptions that nothing caught.
pub(super) fn uncaught(mut events: BoxStream<'static, Event>) -> Vec<Uncaught> {
    let mut found = Vec::new();
    while let Some(event) = events.next().now_or_never().flatten() {
        let told = serde_json::from_value::<Thrown>((*event.params).clone());
        found.extend(told.ok().map(|told| told.exception_details.into_uncaught()));
    }
    found
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thrown {
    exception_details: Details,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Details {
    text: String,
    url: String,
    line_number: u32,
    column_number: u32,
    exception: Described,
    stack_trace: Stack,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Described {
    description: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Stack {
    call_frames: Vec<StackPlace>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct StackPlace {
    url: String,
    line_number: u32,
    column_number: u32,
}

impl Details {
    fn into_uncaught(self) -> Uncaught {
        let described = self.exception.description;
        let text = if described.is_empty() {
            self.text
        } else {
            described
        };
        let place = |frame: &StackPlace| {
            let at = Utf16Position {
                line: frame.line_number,
                column: frame.column_number,
            };
            (frame.url.clone(), at)
        };
        let frames = &self.stack_trace.call_frames;
        let own = Utf16Position {
            line: self.line_number,
            column: self.column_number,
        };
        let (url, at) = frames.first().map_or((self.url, own), place);
        Uncaught {
            text: text.lines().next().unwrap_or_default().to_owned(),
            url,
            at,
            root: frames.last().map(place),
        }
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
