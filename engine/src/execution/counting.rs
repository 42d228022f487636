//! How often each place of the page's scripts ran, as the browser counts it: no hook is needed for it.

use js_analysis::omission::CountedSpan;
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};

use super::Watcher;
use crate::error::EngineError;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Command, Encoded};

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
