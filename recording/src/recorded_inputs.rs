//! What makes a page vary, as a recording holds it: the member `querypoint.tape`.
//!
//! ```json
//! { "random": [{ "place": "frame  /shop.html", "seed": "9f…" }], "time": { "start": 1763726749123 }, "network": true }
//! ```
//!
//! `random`: where realms began, in order, and what their random numbers were made of, 64 hexadecimal digits.
//! `time.start`: what the clock said when the page was opened, in milliseconds since 1970. `network`: the responses are
//! in a file beside the recording. A part that is missing is left live.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Recording, RecordingError, Step, own};

const MEMBER: &str = "tape";

/// What the page gets from the recording when it is replayed, besides the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedInputs {
    /// What random numbers were made of; none: they are other ones each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<Vec<RealmSeed>>,
    /// What the clock said; none: it says what time it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<RecordedTime>,
    /// Whether the responses were recorded, in a file beside the recording.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Members that are not known here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the random numbers of one document or worker were made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealmSeed {
    /// Which it was: kind, way to the frame, path of its address.
    pub place: String,
    /// 64 hexadecimal digits, lower case.
    pub seed: String,
}

impl RealmSeed {
    /// Whether the seed is one.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.seed.len() == 64
            && self
                .seed
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    }
}

/// When something was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedTime {
    /// Milliseconds since 1970, when the page was about to be opened.
    pub start: f64,
}

/// What stays live: it is not recorded, or not replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// `Math.random`, `crypto.getRandomValues`, `crypto.randomUUID`.
    pub random: bool,
    /// `Date`, `performance.now` and their kin.
    pub time: bool,
    /// Responses.
    pub network: bool,
}

/// A word that names nothing that varies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is nothing that can be left live; random, time and network are")]
pub struct UnknownLive {
    /// The word.
    pub word: String,
}

impl Live {
    /// Reads a list such as `random,time`.
    ///
    /// # Errors
    /// [`UnknownLive`] for the first word that is none of them.
    pub fn parse(list: &str) -> Result<Self, UnknownLive> {
        let mut live = Self::default();
        for word in list.split(',').map(str::trim) {
            match word {
                "random" => live.random = true,
                "time" => live.time = true,
                "network" => live.network = true,
                _ => {
                    let word = word.to_owned();
                    return Err(UnknownLive { word });
                }
            }
        }
        Ok(live)
    }
}

impl Recording {
    /// What makes the page vary, as far as it was recorded.
    #[must_use]
    pub fn recorded_inputs(&self) -> RecordedInputs {
        // It was looked at when the recording was read.
        self.read_recorded_inputs().unwrap_or_default()
    }

    /// Replaces the recorded inputs.
    pub fn set_recorded_inputs(&mut self, inputs: &RecordedInputs) {
        let value = serde_json::to_value(inputs).unwrap_or_default();
        if value != Value::Object(Map::new()) {
            self.set_ours(MEMBER, value);
        } else {
            own::remove(&mut self.other, MEMBER);
        }
    }

    /// Takes out of the recorded inputs what is to be live.
    pub fn leave_live(&mut self, live: Live) {
        let mut inputs = self.recorded_inputs();
        if live.random {
            inputs.random = None;
        }
        if live.time {
            inputs.time = None;
        }
        if live.network {
            inputs.network = false;
        }
        self.set_recorded_inputs(&inputs);
    }

    /// The recorded inputs as the recording has them.
    ///
    /// # Errors
    /// [`RecordingError::WrongOwnMember`].
    pub(super) fn read_recorded_inputs(&self) -> Result<RecordedInputs, RecordingError> {
        let inputs: RecordedInputs = self.read_ours(MEMBER)?;
        let wrong = |reason: String| RecordingError::WrongOwnMember {
            member: MEMBER,
            reason,
        };
        let seeds = inputs.random.iter().flatten();
        if let Some(realm) = seeds.into_iter().find(|realm| !realm.is_sound()) {
            let place = &realm.place;
            return Err(wrong(format!(
                "the seed of {place:?} is not 64 hexadecimal digits"
            )));
        }
        // What a `Date` can say.
        const LATEST_MS: f64 = 8.64e15;
        if let Some(time) = inputs.time
            && !(0.0..=LATEST_MS).contains(&time.start)
        {
            return Err(wrong(format!("time.start is {}", time.start)));
        }
        Ok(inputs)
    }
}

impl Step {
    /// When it was done, in milliseconds after `time.start` of the recorded inputs.
    #[must_use]
    pub fn at_ms(&self) -> Option<f64> {
        let at = self.ours("atMs")?.as_f64()?;
        (0.0..=1e12).contains(&at).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recording(tape: &Value) -> Result<Recording, RecordingError> {
        let text = json!({ "title": "", "steps": [], "querypoint": { "tape": tape, "more": 1 } });
        Recording::parse(&text.to_string())
    }

    fn seed() -> String {
        "0123456789abcdef".repeat(4)
    }

    #[test]
    fn a_tape_comes_back_as_it_was() {
        let written = json!({
            "random": [{ "place": "frame  /", "seed": seed() }], "time": { "start": 1e12 }, "network": true, "later": [2],
        });
        let mut read = recording(&written).unwrap();
        let inputs = read.recorded_inputs();
        assert_eq!(inputs.random.as_ref().unwrap().len(), 1);
        assert_eq!(inputs.other["later"], json!([2]));
        read.set_recorded_inputs(&inputs);
        let again: Value = serde_json::from_str(&read.to_json()).unwrap();
        assert_eq!(again["querypoint"]["tape"], written);
        assert_eq!(again["querypoint"]["more"], 1);
    }

    #[test]
    fn what_is_left_live_is_on_the_tape_no_more() {
        let written = json!({ "random": [], "time": { "start": 5 }, "network": true });
        let mut read = recording(&written).unwrap();
        read.leave_live(Live::parse("time, network").unwrap());
        let inputs = RecordedInputs {
            random: Some(Vec::new()),
            ..RecordedInputs::default()
        };
        assert_eq!(read.recorded_inputs(), inputs);
        read.leave_live(Live::parse("random").unwrap());
        assert_eq!(read.recorded_inputs(), RecordedInputs::default());
        assert!(!read.to_json().contains("tape"));
    }

    #[test]
    fn a_tape_that_is_none_is_refused() {
        for (wrong, why) in [
            (json!(7), "integer `7`"),
            (json!({ "random": 1 }), "integer `1`"),
            (
                json!({ "random": [{ "place": "frame" }] }),
                "missing field `seed`",
            ),
            (
                json!({ "random": [{ "place": "frame", "seed": "xy" }] }),
                "\"frame\" is not 64",
            ),
            (
                json!({ "random": [{ "place": "f", "seed": "Ä".repeat(32) }] }),
                "is not 64",
            ),
            (json!({ "time": { "start": -1 } }), "time.start is -1"),
            (json!({ "time": { "start": 1e300 } }), "time.start is"),
            (json!({ "time": "now" }), "string \"now\""),
            (json!({ "network": "yes" }), "string \"yes\""),
        ] {
            let error = recording(&wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(
                error.starts_with("the recording's member querypoint.tape cannot be used: "),
                "{error}"
            );
        }
        assert_eq!(
            recording(&json!(null)).unwrap().recorded_inputs(),
            RecordedInputs::default()
        );
    }

    #[test]
    fn words_that_name_nothing_are_refused_with_those_that_do() {
        let all = Live::parse("network,random,time,random").unwrap();
        assert!(all.random && all.time && all.network);
        for list in ["", "random,", "rand", "random;time"] {
            let error = Live::parse(list).unwrap_err().to_string();
            assert!(error.contains("random, time and network are"), "{error}");
        }
    }
}
