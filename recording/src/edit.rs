//! Changes of a recording by its steps: one is written anew, one is left out, or all after it are.

use serde_json::Value;
use thiserror::Error;

use super::{Recording, RecordingError, Step};

/// Why a step cannot be changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EditError {
    /// There is no such step.
    #[error("there is no step {number}; the recording has {count}")]
    NoStep {
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// It is to be something that is no step.
    #[error("this is no step: {0}")]
    NotAStep(String),
}

impl From<RecordingError> for EditError {
    fn from(error: RecordingError) -> Self {
        Self::NotAStep(error.to_string())
    }
}

impl Recording {
    /// The JSON of a step (from 1), indented by two spaces.
    ///
    /// # Errors
    /// [`EditError::NoStep`].
    pub fn step_json(&self, number: usize) -> Result<String, EditError> {
        let step = &self.steps[self.index(number)?];
        // Writing plain maps, strings and finite numbers cannot fail.
        Ok(serde_json::to_string_pretty(step).unwrap_or_default())
    }

    /// The recording with a step (from 1) that is this JSON. What the steps found when they were recorded is dropped,
    /// here and in the other changes: what comes after finds the page otherwise.
    ///
    /// ```
    /// use recording::Recording;
    /// let json = r#"{ "title": "", "steps": [{ "type": "navigate", "url": "http://h/" }, { "type": "close" }] }"#;
    /// let recording = Recording::parse(json)?;
    /// let other = recording.with_step(1, r#"{ "type": "navigate", "url": "http://h/cart" }"#)?;
    /// assert!(other.step_json(1)?.contains("http://h/cart"));
    /// assert_eq!(other.without_step(2)?.steps.len(), 1);
    /// assert!(recording.with_step(1, r#"{ "type": "fly" }"#).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError`].
    pub fn with_step(&self, number: usize, json: &str) -> Result<Self, EditError> {
        let index = self.index(number)?;
        let value: Value =
            serde_json::from_str(json).map_err(|error| EditError::NotAStep(error.to_string()))?;
        let mut changed = self.clone();
        changed.steps[index] = Step::from_json(number, value)?;
        changed.drop_fingerprints();
        Ok(changed)
    }

    /// The recording without a step (from 1).
    ///
    /// # Errors
    /// [`EditError::NoStep`].
    pub fn without_step(&self, number: usize) -> Result<Self, EditError> {
        let index = self.index(number)?;
        let mut changed = self.clone();
        changed.steps.remove(index);
        changed.drop_fingerprints();
        Ok(changed)
    }

    /// The recording up to a step (from 1), with that.
    ///
    /// # Errors
    /// [`EditError::NoStep`].
    pub fn up_to_step(&self, number: usize) -> Result<Self, EditError> {
        let index = self.index(number)?;
        let mut changed = self.clone();
        changed.steps.truncate(index + 1);
        changed.drop_fingerprints();
        Ok(changed)
    }

    fn index(&self, number: usize) -> Result<usize, EditError> {
        let count = self.steps.len();
        match number.checked_sub(1) {
            Some(index) if index < count => Ok(index),
            _ => Err(EditError::NoStep { number, count }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Recording {
        let steps = r##"{ "title": "buy", "steps": [
            { "type": "navigate", "url": "http://h/" },
            { "type": "change", "selectors": [["#n"]], "value": "2" },
            { "type": "close" }
        ], "other": 1 }"##;
        Recording::parse(steps).unwrap()
    }

    #[test]
    fn steps_are_changed_left_out_and_cut() {
        let recording = recording();
        let described = |recording: &Recording| recording.outline().steps;
        let two = recording.step_json(2).unwrap();
        let changed = recording
            .with_step(2, &two.replace("\"2\"", "\"3\""))
            .unwrap();
        assert!(
            changed.step_json(2).unwrap().contains("\"3\""),
            "{changed:?}"
        );
        assert_eq!(changed.other, recording.other);
        assert_eq!(changed.step_json(3), recording.step_json(3));
        let all = described(&recording);
        assert_eq!(
            described(&recording.without_step(2).unwrap()),
            [all[0].clone(), all[2].clone()]
        );
        assert_eq!(described(&recording.up_to_step(2).unwrap()), all[..2]);
    }

    #[test]
    fn what_is_no_step_is_refused_with_why() {
        let recording = recording();
        for number in [0, 4, usize::MAX] {
            let error = EditError::NoStep { number, count: 3 };
            assert_eq!(recording.step_json(number), Err(error.clone()));
            assert_eq!(recording.without_step(number), Err(error.clone()));
            assert_eq!(recording.up_to_step(number), Err(error.clone()));
            assert_eq!(recording.with_step(number, "{}"), Err(error));
        }
        for (json, why) in [
            ("", "EOF"),
            ("3", "object"),
            (r#"{ "type": "change" }"#, "step 2"),
            (r#"{ "type": "fly" }"#, "fly"),
        ] {
            let error = recording.with_step(2, json).unwrap_err().to_string();
            assert!(error.contains(why), "{json}: {error}");
        }
    }
}
