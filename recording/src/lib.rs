//! Recordings: what the user did, in the JSON of Chrome DevTools Recorder.
//!
//! A flow exported from Chrome, or made by Puppeteer's tools, parses as it is, and what is printed opens
//! there. Members that are not known here are kept and written back.
//!
//! # Examples
//!
//! ```
//! use recording::Recording;
//!
//! let text = r##"{ "title": "buy", "steps": [
//!     { "type": "navigate", "url": "https://shop.example/" },
//!     { "type": "click", "selectors": [["#buy"]], "offsetX": 5, "offsetY": 5 }
//! ] }"##;
//! let recording = Recording::parse(text)?;
//! assert_eq!(recording.steps.len(), 2);
//! assert_eq!(Recording::parse(&recording.to_json())?, recording);
//! # Ok::<(), recording::RecordingError>(())
//! ```
//!
//! [`Recorder`] makes one of what a page tells, [`RecordedInputs`] and [`Har`] are what is replayed beside the steps, a
//! [`Minimizer`] finds the steps that are needed, [`export`] makes tests of other tools, [`import`] takes their flows.
//!
//! Invariants: no browser, no file, no clock; nothing here panics on what a person, a file or a page gave.

mod code;
mod describe;
mod dialog;
mod edit;
mod environment;
mod error;
pub mod export;
mod fingerprint;
mod har;
pub mod import;
mod login;
mod members;
mod minimize;
mod observation;
mod outline;
mod own;
mod recorded_inputs;
mod recorder;
mod secrets;
mod selector;
mod step;
mod storage;
#[cfg(test)]
mod tests;
mod write;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use code::Code;
pub use dialog::Dialog;
pub use edit::EditError;
pub use environment::{ColorScheme, Environment, Geolocation, Position};
pub use error::RecordingError;
pub use fingerprint::{Fingerprint, ScriptEvents, TargetState};
pub use har::{Exchange, Har, HarError, RequestKey};
pub use login::LoginCookie;
pub use minimize::Minimizer;
pub use observation::{Action, FileSeen, Observation, PlaceInElement};
pub use recorded_inputs::{Live, RealmSeed, RecordedInputs, RecordedTime, UnknownLive};
pub use recorder::Recorder;
pub use secrets::{MissingSecret, is_secret_name};
pub use selector::{Selector, SelectorChain};
pub use step::{
    AssertedEvent, ChosenFile, Comparison, DeviceType, Drag, DropPlace, Files, History,
    MouseButton, Pointer, Step, StepKind, Viewport, WaitForElement, Wheel,
};
pub use storage::Storage;

use members::{Members, json_type};

/// A recording: a title and steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Its title; may be empty.
    pub title: String,
    /// How long a step may take, in milliseconds, unless it says otherwise.
    pub timeout_ms: Option<u64>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Members that Recorder does not know or that are of no use here, `querypoint` among them.
    pub other: Map<String, Value>,
    /// The responses that are in a file beside it, where they are to be fed back.
    pub responses: Option<Arc<Har>>,
}

impl Recording {
    /// Parses the JSON of a recording.
    ///
    /// # Errors
    /// [`RecordingError`]: not JSON (with line and column), a step of unknown type, or a member that is
    /// missing or of the wrong kind (with the number of the step).
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        // Editors on Windows begin a file with a mark that is not JSON.
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| RecordingError::NotJson {
            line: error.line(),
            column: error.column(),
            reason: reason(&error),
        })?;
        let Value::Object(object) = value else {
            return Err(RecordingError::NotAnObject {
                found: json_type(&value),
            });
        };
        let mut members = Members::of_recording(object);
        let title = members.optional_text("title")?.unwrap_or_default();
        let timeout_ms = members.optional_whole("timeout")?;
        let steps = members.array("steps")?;
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(index, step)| Step::from_json(index + 1, step))
            .collect::<Result<_, _>>()?;
        let recording = Self {
            title,
            timeout_ms,
            steps,
            other: members.rest(),
            responses: None,
        };
        recording.read_recorded_inputs()?;
        recording.read_environment()?;
        recording.read_storage()?;
        recording.read_login()?;
        recording.check_fingerprints()?;
        Ok(recording)
    }

    /// Whether it does what only a full browser does as a person's browser would: goes back or forward in the history
    /// (a headless shell keeps no page for that), or does something in another tab.
    #[must_use]
    pub fn needs_full_browser(&self) -> bool {
        self.steps.iter().any(|step| {
            let is_elsewhere = step
                .target
                .as_deref()
                .is_some_and(|target| target != "main");
            is_elsewhere || matches!(step.kind, StepKind::History(_))
        })
    }

    /// A member of `querypoint`, which others ignore.
    fn ours(&self, member: &str) -> Option<&Value> {
        own::get(&self.other, member)
    }

    /// Reads such a member; one that is missing or `null` is what it is by default.
    fn read_ours<T: DeserializeOwned + Default>(
        &self,
        member: &'static str,
    ) -> Result<T, RecordingError> {
        let Some(value) = self.ours(member).filter(|value| !value.is_null()) else {
            return Ok(T::default());
        };
        T::deserialize(value).map_err(|error| RecordingError::WrongOwnMember {
            member,
            reason: error.to_string(),
        })
    }

    /// Sets such a member.
    fn set_ours(&mut self, member: &str, value: Value) {
        own::set(&mut self.other, member, value);
    }

    /// The JSON of the recording, indented by two spaces as Recorder exports it, with a line end.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Writing plain maps, strings and finite numbers cannot fail.
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }
}

/// What `serde_json` says, without the place that it adds.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or(text.clone(), |(reason, _)| reason.to_owned())
}
