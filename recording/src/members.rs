//! Taking the members of a JSON object one by one; what is left at the end was not known.

use serde_json::{Map, Value};

use super::RecordingError;

/// The members of the recording or of one of its steps that have not been taken yet.
pub(super) struct Members {
    step: Option<usize>,
    kind: Option<String>,
    members: Map<String, Value>,
}

impl Members {
    pub(super) fn of_recording(members: Map<String, Value>) -> Self {
        Self {
            step: None,
            kind: None,
            members,
        }
    }

    /// The members of a step; its type is known once it was taken.
    pub(super) fn of_step(step: usize, members: Map<String, Value>) -> Self {
        Self {
            step: Some(step),
            kind: None,
            members,
        }
    }

    pub(super) fn set_kind(&mut self, kind: &str) {
        self.kind = Some(kind.to_owned());
    }

    /// What was not taken.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.members
    }

    /// Takes a member; `null` counts as absent.
    pub(super) fn take(&mut self, member: &str) -> Option<Value> {
        self.members.remove(member).filter(|value| !value.is_null())
    }

    pub(super) fn missing(&self, member: &str) -> RecordingError {
        RecordingError::MissingMember {
            step: self.step,
            kind: self.kind.clone(),
            member: member.to_owned(),
        }
    }

    pub(super) fn wrong(
        &self,
        member: &str,
        expected: &'static str,
        found: &Value,
    ) -> RecordingError {
        let found = match found {
            Value::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
            Value::Number(number) => number.to_string(),
            other => json_type(other).to_owned(),
        };
        RecordingError::WrongMember {
            step: self.step,
            kind: self.kind.clone(),
            member: member.to_owned(),
            expected,
            found,
        }
    }

    pub(super) fn optional_text(&mut self, member: &str) -> Result<Option<String>, RecordingError> {
        match self.take(member) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(member, "a string", &other)),
        }
    }

    pub(super) fn text(&mut self, member: &str) -> Result<String, RecordingError> {
        self.optional_text(member)?
            .ok_or_else(|| self.missing(member))
    }

    pub(super) fn optional_number(&mut self, member: &str) -> Result<Option<f64>, RecordingError> {
        let Some(value) = self.take(member) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(member, "a number", &value)),
        }
    }

    pub(super) fn number(&mut self, member: &str) -> Result<f64, RecordingError> {
        self.optional_number(member)?
            .ok_or_else(|| self.missing(member))
    }

    /// A number that is not negative and not too large to count with; a fraction is cut off, as in times
    /// that a tool has calculated.
    pub(super) fn optional_whole(&mut self, member: &str) -> Result<Option<u64>, RecordingError> {
        const EXPECTED: &str = "a number that is not negative";
        let Some(value) = self.take(member) else {
            return Ok(None);
        };
        let whole = value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            // The range was checked: the cast only cuts the fraction off.
            (0.0..9e15).contains(&number).then_some(number as u64)
        });
        match whole {
            Some(whole) => Ok(Some(whole)),
            None => Err(self.wrong(member, EXPECTED, &value)),
        }
    }

    pub(super) fn whole(&mut self, member: &str) -> Result<u64, RecordingError> {
        self.optional_whole(member)?
            .ok_or_else(|| self.missing(member))
    }

    pub(super) fn optional_flag(&mut self, member: &str) -> Result<Option<bool>, RecordingError> {
        match self.take(member) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong(member, "true or false", &other)),
        }
    }

    /// Takes a member that is an object, with the members that it has.
    pub(super) fn optional_part(&mut self, member: &str) -> Result<Option<Self>, RecordingError> {
        match self.take(member) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(Self {
                step: self.step,
                kind: self.kind.clone(),
                members,
            })),
            Some(other) => Err(self.wrong(member, "an object", &other)),
        }
    }

    pub(super) fn optional_array(
        &mut self,
        member: &str,
    ) -> Result<Option<Vec<Value>>, RecordingError> {
        match self.take(member) {
            None => Ok(None),
            Some(Value::Array(values)) => Ok(Some(values)),
            Some(other) => Err(self.wrong(member, "an array", &other)),
        }
    }

    pub(super) fn array(&mut self, member: &str) -> Result<Vec<Value>, RecordingError> {
        self.optional_array(member)?
            .ok_or_else(|| self.missing(member))
    }
}

/// What a JSON value is, in words.
pub(super) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A number without a needless `.0`, as JavaScript writes it.
pub(super) fn number(value: f64) -> Value {
    // The range was checked: nothing is cut off by the cast.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}
