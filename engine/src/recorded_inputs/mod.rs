//! What makes a page vary: kept while a user is recorded, given to the page in a replay.
//!
//! Random numbers and time are the page's own built-ins, with the recorded inputs behind them
//! (`agent/js/recorded-inputs.js`). Each realm is reached before its first script: documents by a script for every new
//! one, workers while they are paused before theirs. Requests are answered before they are sent.

mod clock_readings;
mod input_replay;
mod loads;
mod network;
mod order;
mod same_responses;
mod workers;

use serde_json::json;

use agent::inputs_source;
pub use clock_readings::ClockReadings;
pub(super) use input_replay::{InputReplay, wanted as wanted_of_input_replay};
pub(super) use network::{fulfilled, request_key};
pub use same_responses::SameResponses;
pub(super) use workers::{Answer, Workers, breakpoint_before_first_script};

/// The name of the binding by which realms tell.
pub(super) fn binding_of(prefix: &str) -> String {
    format!("{prefix}B")
}

/// What every realm runs first while it is recorded.
pub(super) fn recording_script(prefix: &str) -> String {
    let given = json!({ "random": "record" });
    format!("{}{prefix}Z({given});\n", inputs_source(prefix))
}
