//! The answer, `querypoint/answer/1`: what goes back to whoever asked.
//!
//! The JSON of these types is described by `docs/answer.schema.json`; a test keeps the two together. Members
//! that do not apply are absent, never `null`. Lines and columns are 1-based, columns in UTF-16 code units,
//! in the file its author wrote.

pub mod events;
mod omission;
mod origin;
pub mod runs;
mod value;
mod whole;

use serde::{Deserialize, Serialize};

pub use omission::{Candidate, Flipped, OmissionReason, Operation};
pub use origin::{End, EndKind, EndOperand, Hop, HopKind, fold_libraries, fold_repetitions};
pub use runs::Runs;
pub use value::{
    LastWriter, Owner, Scope, ScopeKind, TEXT_LIMIT, Value, ValueType, Variable, Watch,
};
pub use whole::WholeAnswer;

/// The value of the member `schema`.
pub const SCHEMA: &str = "querypoint/answer/1";

/// All that is said about one run of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// [`SCHEMA`].
    pub schema: String,
    /// URL of the page.
    pub page: String,
    /// How many times the page was run.
    pub executions: u32,
    /// The reproduction point `R` first, then one point for each query, in order.
    pub points: Vec<PointAnswer>,
    /// What could be seen at all.
    pub coverage: Coverage,
    /// Whether the executions agree.
    pub consistency: Consistency,
    /// Where the time went.
    pub timing_ms: Timing,
    /// How often what was the answer, where the same was asked several times; then the answer is that of one of these
    /// runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<Runs>,
    /// `true` on an answer that was found when the same was asked before, and for which nothing was executed now;
    /// absent on any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
}

/// What is said of one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointAnswer {
    /// `R`, or the query's name.
    pub name: String,
    /// The query; absent for `R`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whether there is an answer.
    pub status: Status,
    /// Where the point is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The text of the line at `location`, without its line end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_line: Option<String>,
    /// The function it is in; empty at the top level of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Which hit of the location `R` is, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<u64>,
    /// How many hits the location of `R` has in the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<u64>,
    /// The value before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// `true` on a change that creates the property or the binding; absent on any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,
    /// The value it has, where it was never changed or the change was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The object that was written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// For a variable: the number of the activation of the scope that holds it, within this execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<u64>,
    /// Of a trace query: how many events its result set has; `index` is which of them this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Which of the changes it is, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// How many changes there are before the point that was asked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
    /// The condition that led to the point that was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionAnswer>,
    /// The exception that was thrown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionAnswer>,
    /// Which frame of the point that was asked about the condition was evaluated in: 0 the function itself, 1 its
    /// caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u32>,
    /// `true` where the user made the change and no script did: there is no location and no stack then, and `cause` is
    /// the event; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_user: Option<bool>,
    /// What made the page run the code: a user's action, a timer, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// `true` where one execution gave the answer: then there is a location and a cause, and neither an old value nor a
    /// stack nor scopes; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<bool>,
    /// The call stack, newest frame first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrame>,
    /// The scopes of the newest frame, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// What the watched expressions were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<Watch>,
    /// Of an origin: the writes that brought the value, from the asked reference to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// Of an origin: where the value was made, or why it is followed no further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// Of something that did not happen: the decisions that kept it from happening, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Of something that did not happen: whether all was looked at that could have led there; what was not is in
    /// `note`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// What else must be said, such as where a write happened that no hook could see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A condition and how it came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionAnswer {
    /// Its text: a test, the left operand of `&&`, `case` with its test, the head of a loop.
    pub text: String,
    /// Whether it held. Of `??` and `?.`: whether there was a value. Of a `case`: whether it matched. Of a step of a
    /// loop: whether there was a next one.
    pub outcome: bool,
    /// The values that decided, as far as they were evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Operand>,
}

/// What was thrown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionAnswer {
    /// Its class: `TypeError`; of a value that is no error, its type.
    pub class: String,
    /// Its message; of a value that is no error, the value.
    pub message: String,
    /// Whether a handler of the page caught it, as far as the browser could tell when it was thrown.
    pub caught: bool,
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// Its text.
    pub expression: String,
    /// Its value.
    #[serde(flatten)]
    pub value: Value,
}

/// Whether a point has an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Here it is.
    Found,
    /// Never written in this execution; an answer too.
    NeverChanged,
    /// The execution did not reach it.
    NotReached,
    /// The runs disagree and no single run gave the answer.
    Diverged,
    /// The write happened where no hook could be placed.
    Blind,
}

impl Status {
    /// The word that represents it in an answer, such as `never-changed`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NeverChanged => "never-changed",
            Self::NotReached => "not-reached",
            Self::Diverged => "diverged",
            Self::Blind => "blind",
        }
    }
}

/// A place in the file its author wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// URL of the script, or of the original source.
    pub url: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
    /// The place in the script that the browser ran, where a source map was followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<GeneratedLocation>,
    /// The call that made the code, where the page made it of a text.
    #[serde(rename = "maker", default, skip_serializing_if = "Option::is_none")]
    pub eval_origin: Option<EvalOrigin>,
    /// Whether the source map that was followed lists the source in its `ignoreList`: code of a library.
    #[serde(default, skip_serializing_if = "is_false")]
    pub library: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(is: &bool) -> bool {
    !*is
}

/// The call that made code of a text. Code that gives itself no address (`//# sourceURL=`) has the URL
/// `eval at app.js:12:3`, and lines and columns of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalOrigin {
    /// What made it: `eval`, `Function`, `timer`, `script` (one that was inserted), `document.write`, `blob` or `data`
    /// (a script run from such an address), `javascript:` (the URL of a link), or the name of an event handler.
    pub by: String,
    /// URL of the script that called.
    pub url: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
}

/// A place in a script as the server sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedLocation {
    /// URL of the script.
    pub url: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
}

/// One frame of a call stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// The function's name; empty at the top level of a script.
    pub function: String,
    /// Where the frame is.
    #[serde(flatten)]
    pub location: Location,
}

/// What made the page run the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The event's type, such as `click`, `timeout` or `load`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A selector of the element that it happened to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// What could be seen at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Scripts that ran.
    pub scripts: u32,
    /// Scripts that were hooked, or needed no hook.
    pub hooked: u32,
    /// Sites where a hook was wanted and could not be placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unhooked_sites: Option<u32>,
    /// What was not hooked, and why.
    pub blind_spots: Vec<BlindSpot>,
    /// Where something that did not happen is asked about: the lines that did not run, of the files that the decisions
    /// and what did not happen are in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<LinesNotRun>,
}

/// The lines of a file that did not run before the reproduction point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesNotRun {
    /// Its address.
    pub url: String,
    /// Stretches, each from its first line to its last (1-based). Lines without code are in none.
    pub lines: Vec<(u32, u32)>,
}

/// A script that was not hooked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindSpot {
    /// Its URL.
    pub url: String,
    /// Why.
    pub reason: String,
}

/// Whether the executions agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consistency {
    /// Whether they do.
    pub agrees: bool,
    /// Where they do not, and what was taken from which.
    pub notes: Vec<String>,
}

/// Where the time went, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Replaying the recording, all executions together.
    pub replay: u64,
    /// Rewriting scripts, all executions together.
    pub rewrite: u64,
    /// From the command to the answer.
    pub total: u64,
}

impl Answer {
    /// The exit status that the contract gives this answer: 3 if the reproduction point was not reached, 0
    /// if every point is `found` or `never-changed`, otherwise 1.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let reproduction_point = self.points.iter().find(|point| point.query.is_none());
        if reproduction_point.is_none_or(|point| point.status == Status::NotReached) {
            return 3;
        }
        let answered =
            |point: &PointAnswer| matches!(point.status, Status::Found | Status::NeverChanged);
        u8::from(!self.points.iter().all(answered))
    }
}

impl Answer {
    /// Takes over what was seen while something else was asked about the same page, at the point that is called so; its
    /// points are the caller's.
    pub fn take(&mut self, other: &Self, point: &str) {
        self.executions += other.executions;
        self.timing_ms.rewrite += other.timing_ms.rewrite;
        self.consistency.agrees &= other.consistency.agrees;
        for note in &other.consistency.notes {
            if !self.consistency.notes.contains(note) {
                self.consistency.notes.push(format!("at {point}: {note}"));
            }
        }
        for spot in &other.coverage.blind_spots {
            if !self.coverage.blind_spots.contains(spot) {
                self.coverage.blind_spots.push(spot.clone());
            }
        }
    }
}

impl PointAnswer {
    /// A point of which nothing but its status is known yet.
    #[must_use]
    pub fn new(name: impl Into<String>, query: Option<String>, status: Status) -> Self {
        Self {
            name: name.into(),
            query,
            status,
            location: None,
            source_line: None,
            function: None,
            hit: None,
            hits: None,
            old: None,
            new: None,
            created: None,
            value: None,
            owner: None,
            scope_id: None,
            index: None,
            changes: None,
            events: None,
            condition: None,
            exception: None,
            frame: None,
            by_user: None,
            live: None,
            cause: None,
            stack: Vec::new(),
            scopes: Vec::new(),
            watches: Vec::new(),
            hops: Vec::new(),
            end: None,
            candidates: Vec::new(),
            complete: None,
            note: None,
        }
    }
}

#[cfg(test)]
mod tests;
