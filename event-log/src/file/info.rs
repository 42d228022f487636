//! What a log says about itself: at its beginning and at its end.

use serde::{Deserialize, Serialize};

/// What was known when recording began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogInfo {
    /// The page's address.
    pub page: String,
    /// `calls`, `values` or `all`.
    pub detail: String,
    /// Which scripts: `own`, `all` or a pattern.
    pub scripts: String,
    /// Where recording begins, as it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The recording that was replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// The runs that it was merged of; empty: it is one run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<MergedRun>,
}

/// A run that a log was merged of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MergedRun {
    /// What it is called: the name of its file.
    pub name: String,
    /// The page's address.
    pub page: String,
    /// How many realms it has. They follow those of the runs before it.
    pub realms: u32,
}

/// What is known when recording ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogEnd {
    /// How many events there are.
    pub events: u64,
    /// Scripts that ran without hooks.
    pub unrecorded: Vec<Unrecorded>,
    /// What else a reader of an answer should know.
    pub notes: Vec<String>,
}

/// A script that ran without hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unrecorded {
    /// Its address.
    pub url: String,
    /// Why.
    pub reason: String,
}
