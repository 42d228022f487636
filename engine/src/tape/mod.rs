//! What makes a page vary: put on a tape while a user is recorded, fed back to the page in a replay.
//!
//! Random numbers and time are the page's own built-ins, with the tape behind them (`agent/tape.js`). Each realm is
//! reached before its first script: documents by a script for every new one, workers while they stand before theirs.
//! Requests are answered before they are sent.

mod feeder;
mod loads;
mod network;
mod order;
mod workers;

use serde::Deserialize;
use serde_json::json;

use agent::tape_source;
pub(super) use feeder::{Feeder, wanted as wanted_of_feeder};
pub(super) use network::{fulfilled, request_key};
pub(super) use workers::{Answer, Workers, breakpoint_before_first_script};

/// What a realm tells of its tape.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
    pub(super) tape: TapeOfRealm,
}

/// Where a realm began, and, while it is recorded, what its random numbers are made of.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct TapeOfRealm {
    pub(super) place: String,
    #[serde(default)]
    pub(super) seed: Option<String>,
}

impl Told {
    /// What is told by the binding, if it is about the tape.
    pub(super) fn of(payload: &str) -> Option<TapeOfRealm> {
        const BEGINS: &str = "{\"tape\":";
        // Other things that are told may be large.
        let told = payload.starts_with(BEGINS).then_some(payload)?;
        Some(serde_json::from_str::<Self>(told).ok()?.tape)
    }

    /// When the page asked for an animation frame, in milliseconds since 1970, if that is what is told.
    pub(super) fn frame_asked_for(payload: &str) -> Option<f64> {
        let told = payload.strip_prefix("{\"frames\":")?.strip_suffix('}')?;
        told.parse().ok()
    }
}

/// The name of the binding by which realms tell.
pub(super) fn binding_of(prefix: &str) -> String {
    format!("{prefix}B")
}

/// What every realm runs first while it is recorded.
pub(super) fn recording_script(prefix: &str) -> String {
    let given = json!({ "random": "record" });
    format!("{}{prefix}Z({given});\n", tape_source(prefix))
}
