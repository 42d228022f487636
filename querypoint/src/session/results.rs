//! What comes of each method of the protocol ([`super::methods`]). Members that do not apply are absent.

use serde::{Deserialize, Serialize};

use super::differences::PointDifference;
use crate::answer::{Scope, Value, Variable};
use crate::diagnosis::{CallView, Diagnosis};
use crate::events::{CallRow, Comparison};
use crate::execution_line::ExecutionLine;

/// Of a method that only changes something: the session says what it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

/// Of `sessions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionList {
    /// The sessions that are kept, the latest first.
    pub sessions: Vec<SessionOutline>,
    /// Those that were deleted and that `undo` restores once they are open, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<SessionOutline>,
}

/// A session that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOutline {
    /// Its name.
    pub session: String,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The first that the user does in its recording, in words; none: there is no recording, or nothing is done in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_action: Option<String>,
    /// How many queries were asked.
    pub queries: usize,
    /// When it last changed, in milliseconds since 1970.
    pub changed_ms: u64,
}

/// Of `page` and `record`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The new session that holds it, where the open one holds something that this would replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Of `ask`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The name of the new point.
    pub point: String,
    /// The new session that holds it, where it was asked from another reproduction point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Of `source`, `command-line`, `html` and `event-point`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The text.
    pub text: String,
}

/// Of `replay`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// How this run differed from the recorded one, and what else a person should know.
    pub notes: Vec<String>,
    /// The points that differ from before, once the queries are asked again; absent where there was no answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<PointDifference>>,
}

/// Of `expand`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expanded {
    /// The object's own properties, the entries of a map or a set and the attributes of an element, as a query goes on
    /// to them: 200 of those that fit, at most.
    pub variables: Vec<Variable>,
    /// How many fit.
    #[serde(default)]
    pub of: usize,
    /// How the page differed from the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Of `frame`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameVariables {
    /// Its scopes, innermost first, without the global object's.
    pub scopes: Vec<Scope>,
    /// What `this` is there; absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub this: Option<Value>,
    /// How the page differed from the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Of `execution-line`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateWrites {
    /// The candidate writes of the query, and why each was not the one.
    pub execution_line: Box<ExecutionLine>,
    /// How the page differed from the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Of `log`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRecorded {
    /// The new log.
    pub log: LogOutline,
    /// What is not in it, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Of `logs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogList {
    /// Those that are kept, the latest first.
    pub logs: Vec<LogOutline>,
    /// How the questions are asked that were composed and saved: `login(user)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Why what was saved is not among them: the file, and what is wrong in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// An event log that is kept with a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOutline {
    /// Its number: the first is 1.
    pub log: u32,
    /// The page's address.
    pub page: String,
    /// The first that the user does in it, in words; none: the page was only loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_action: Option<String>,
    /// How many events it has.
    pub events: u64,
    /// Its size on disk, in bytes.
    pub bytes: u64,
    /// When it was recorded, in milliseconds since 1970.
    pub recorded_ms: u64,
}

/// Of `calls`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallPage {
    /// The calls, or tasks: 200 at most.
    pub rows: Vec<CallRow>,
    /// How many there are.
    pub of: u64,
}

/// Of `compare-logs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedLogs {
    /// Where they part.
    pub comparison: Comparison,
    /// What one of them has not all of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Of `diagnose`, `judge` and `take-back`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosed {
    /// How the next call is chosen, as `diagnose --strategy` names it.
    pub strategy: String,
    /// The call that is asked about; none: there is nothing more to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<CallView>>,
    /// How many calls are suspicious and can be asked about.
    pub suspicious: usize,
    /// What came of it so far.
    pub diagnosis: Box<Diagnosis>,
}

/// Of `show-call`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallShown {
    /// The call.
    pub call: Box<CallView>,
}

/// Of `attach`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// The events of the tab that the panel relays from now on.
    pub events: Vec<String>,
    /// Those of them of which only the number counts: the panel relays them without their parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<String>,
    /// What the panel has the tab do if the back end is lost: then nothing there waits for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub let_go: Vec<TabCommand>,
}

/// A command for the tab that is debugged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabCommand {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: serde_json::Value,
}

/// What is recorded of the tab that is debugged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabRecorded {
    /// What names this load of the page: another load has another name.
    pub load: String,
    /// The page's address when it was loaded.
    pub url: String,
    /// How many steps there are, with those that open the page.
    pub steps: usize,
    /// Whether the page is open for more than ten minutes: only the first ten are recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_full: bool,
}

/// Of `picture`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointPicture {
    /// A JPEG, in base64; none: there is no picture of this point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jpeg: Option<String>,
}

/// Of `break`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointSet {
    /// What `unbreak` takes.
    pub breakpoint: String,
    /// The line (1-based) at which it pauses: the next one with code.
    pub line: u32,
}

/// Of `look`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TabState {
    /// What the tab has, as far as it can be read.
    pub variables: Vec<Variable>,
}
