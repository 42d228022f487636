//! By what a replay tells that a step reaches the page as it was recorded: the member `querypoint.fingerprint` of a
//! step.
//!
//! ```json
//! { "console": 2, "exceptions": 1, "target": { "tag": "button", "text": "Buy (2)", "children": 0 } }
//! ```
//!
//! `console` and `exceptions` count what the page's scripts did since the step before. `target` is what the element was
//! that the step is about, just before it. `querypoint.scriptEvents` of the recording counts those of all of it.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::{Recording, RecordingError, Step, own};

const FINGERPRINT: &str = "fingerprint";
const SCRIPT_EVENTS: &str = "scriptEvents";

/// What a step found when it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fingerprint {
    /// What scripts did since the step before.
    #[serde(flatten)]
    pub events: ScriptEvents,
    /// The element that it is about; none: it is about none, or about whatever has the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetState>,
}

/// What scripts do that anybody can see: how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScriptEvents {
    /// Messages to the console.
    #[serde(skip_serializing_if = "is_zero")]
    pub console: u64,
    /// Exceptions that nobody caught.
    #[serde(skip_serializing_if = "is_zero")]
    pub exceptions: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An element, as far as it is the same where everything before was the same; its style is not, for that hangs on time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetState {
    /// Its name in lower case.
    pub tag: String,
    /// The beginning of its text, of a field the text that it always has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What a field holds, unless that is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether a box is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// How many elements are directly in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<u64>,
    /// What it tells those who cannot see it: `expanded` of `aria-expanded`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aria: BTreeMap<String, String>,
}

impl ScriptEvents {
    /// What there is more of here than in `recorded`, in words; `None`: nothing.
    #[must_use]
    pub fn beyond(self, recorded: Self) -> Option<String> {
        let more = |now: u64, then: u64, what: &str| {
            (now > then)
                .then(|| format!("{} so far, recorded were {then} in all", counted(now, what)))
        };
        let console = more(self.console, recorded.console, "console message");
        let exceptions = more(self.exceptions, recorded.exceptions, "uncaught exception");
        joined(console.into_iter().chain(exceptions))
    }

    /// How this differs from `recorded`, in words; `None`: it does not.
    #[must_use]
    pub fn differing_from(self, recorded: Self) -> Option<String> {
        let other = |now: u64, then: u64, what: &str| {
            (now != then).then(|| format!("{} so far, recorded were {then}", counted(now, what)))
        };
        let console = other(self.console, recorded.console, "console message");
        let exceptions = other(self.exceptions, recorded.exceptions, "uncaught exception");
        joined(console.into_iter().chain(exceptions))
    }

    /// How many there were since there were `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            console: self.console.saturating_sub(before.console),
            exceptions: self.exceptions.saturating_sub(before.exceptions),
        }
    }
}

impl Add for ScriptEvents {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            console: self.console.saturating_add(other.console),
            exceptions: self.exceptions.saturating_add(other.exceptions),
        }
    }
}

impl AddAssign for ScriptEvents {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl TargetState {
    /// How the element differs `now` from this, in words; `None`: it does not. What was not recorded is not compared.
    #[must_use]
    pub fn difference_to(&self, now: &Self) -> Option<String> {
        let mut differences = Vec::new();
        if self.tag != now.tag {
            differences.push(format!(
                "it is a <{}>, recorded was a <{}>",
                now.tag, self.tag
            ));
        }
        if let Some(text) = &self.text
            && now.text.as_ref() != Some(text)
        {
            differences.push(format!(
                "it says {}, recorded was {text:?}",
                shown(now.text.as_ref())
            ));
        }
        if let Some(value) = &self.value
            && now.value.as_ref() != Some(value)
        {
            differences.push(format!(
                "it holds {}, recorded was {value:?}",
                shown(now.value.as_ref())
            ));
        }
        if let Some(checked) = self.checked
            && now.checked != Some(checked)
        {
            let not = if checked { " not" } else { "" };
            differences.push(format!("it is{not} checked"));
        }
        if let Some(children) = self.children
            && now.children != Some(children)
        {
            let elements = counted(now.children.unwrap_or_default(), "element");
            differences.push(format!("{elements} in it, recorded were {children}"));
        }
        let names = self.aria.keys().chain(
            now.aria
                .keys()
                .filter(|name| !self.aria.contains_key(*name)),
        );
        for name in names {
            let (then, is) = (self.aria.get(name), now.aria.get(name));
            if then != is {
                differences.push(format!(
                    "aria-{name} is {}, recorded was {}",
                    shown(is),
                    shown(then)
                ));
            }
        }
        joined(differences.into_iter())
    }

    /// A state that a page told; one that is larger than a page's element can be is none.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        const LONGEST: usize = 4_000;
        let texts = [Some(&self.tag), self.text.as_ref(), self.value.as_ref()];
        let aria = self.aria.iter().flat_map(|(name, value)| [name, value]);
        self.aria.len() <= 20
            && texts
                .into_iter()
                .flatten()
                .chain(aria)
                .all(|text| text.len() <= LONGEST)
    }
}

fn shown(text: Option<&String>) -> String {
    text.map_or("nothing".to_owned(), |text| format!("{text:?}"))
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl Step {
    /// What it found when it was recorded; `None`: that was not recorded, or cannot be understood.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let recorded = self.ours(FINGERPRINT)?;
        Fingerprint::deserialize(recorded).ok()
    }

    /// Whether its fingerprint, if it has one, can be understood; else why not.
    pub(super) fn check_fingerprint(&self) -> Result<(), String> {
        match self.ours(FINGERPRINT) {
            None => Ok(()),
            Some(recorded) => match Fingerprint::deserialize(recorded) {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    pub(super) fn set_fingerprint(&mut self, fingerprint: &Fingerprint) {
        self.set_ours(
            FINGERPRINT,
            serde_json::to_value(fingerprint).unwrap_or_default(),
        );
    }
}

impl Recording {
    /// What scripts did while all of it was recorded; `None`: that was not recorded.
    #[must_use]
    pub fn script_events(&self) -> Option<ScriptEvents> {
        self.ours(SCRIPT_EVENTS)?;
        self.read_ours(SCRIPT_EVENTS).ok()
    }

    pub(super) fn set_script_events(&mut self, events: ScriptEvents) {
        self.set_ours(
            SCRIPT_EVENTS,
            serde_json::to_value(events).unwrap_or_default(),
        );
    }

    /// Whether what is said of scripts can be understood.
    pub(super) fn check_fingerprints(&self) -> Result<(), RecordingError> {
        self.read_ours::<ScriptEvents>(SCRIPT_EVENTS)?;
        for (index, step) in self.steps.iter().enumerate() {
            step.check_fingerprint()
                .map_err(|reason| RecordingError::WrongFingerprint {
                    step: index + 1,
                    reason,
                })?;
        }
        Ok(())
    }

    /// Takes out what was found by the steps, for where others come before them.
    pub(super) fn drop_fingerprints(&mut self) {
        for step in &mut self.steps {
            own::remove(&mut step.other, FINGERPRINT);
        }
        own::remove(&mut self.other, SCRIPT_EVENTS);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn state(value: Value) -> TargetState {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_differs_is_said_and_what_was_not_recorded_is_not_compared() {
        let recorded = state(
            json!({ "tag": "button", "text": "Buy (2)", "children": 1, "aria": { "expanded": "true" } }),
        );
        assert_eq!(recorded.difference_to(&recorded), None);
        let now = state(json!({
            "tag": "button", "text": "Buy (1)", "children": 0, "value": "x", "aria": { "pressed": "no" },
        }));
        assert_eq!(
            recorded.difference_to(&now).unwrap(),
            "it says \"Buy (1)\", recorded was \"Buy (2)\"; 0 elements in it, recorded were 1; \
             aria-expanded is nothing, recorded was \"true\"; aria-pressed is \"no\", recorded was nothing"
        );
        let recorded = state(json!({ "tag": "input", "value": "a", "checked": true }));
        let now = state(json!({ "tag": "select" }));
        assert_eq!(
            recorded.difference_to(&now).unwrap(),
            "it is a <select>, recorded was a <input>; it holds nothing, recorded was \"a\"; it is not checked"
        );
    }

    #[test]
    fn script_events_are_compared_by_their_number() {
        let (few, many) = (
            ScriptEvents {
                console: 1,
                exceptions: 0,
            },
            ScriptEvents {
                console: 3,
                exceptions: 1,
            },
        );
        assert_eq!(few.beyond(many), None);
        assert_eq!(
            many.beyond(few).unwrap(),
            "3 console messages so far, recorded were 1 in all; 1 uncaught exception so far, recorded were 0 in all"
        );
        assert_eq!(few.differing_from(few), None);
        assert_eq!(
            few.differing_from(many).unwrap(),
            "1 console message so far, recorded were 3; 0 uncaught exceptions so far, recorded were 1"
        );
        assert_eq!(few + many.since(few), many);
    }

    #[test]
    fn it_stays_in_the_recording_until_it_is_dropped() {
        let written = json!({
            "title": "", "steps": [{
                "type": "close", "querypoint": { "fingerprint": { "console": 2, "target": { "tag": "a", "text": "b" } }, "atMs": 3 },
            }],
            "querypoint": { "scriptEvents": { "exceptions": 1 } },
        });
        let mut recording = Recording::parse(&written.to_string()).unwrap();
        let fingerprint = recording.steps[0].fingerprint().unwrap();
        assert_eq!(
            fingerprint.events,
            ScriptEvents {
                console: 2,
                exceptions: 0
            }
        );
        assert_eq!(
            fingerprint.target,
            Some(state(json!({ "tag": "a", "text": "b" })))
        );
        assert_eq!(recording.script_events().unwrap().exceptions, 1);
        recording.steps[0].set_fingerprint(&fingerprint);
        assert_eq!(
            serde_json::from_str::<Value>(&recording.to_json()).unwrap(),
            written
        );

        recording.drop_fingerprints();
        assert_eq!(recording.steps[0].fingerprint(), None);
        assert_eq!(recording.script_events(), None);
        assert_eq!(recording.steps[0].at_ms(), Some(3.0));
    }

    #[test]
    fn what_is_no_fingerprint_is_refused_with_its_step() {
        let wrong = json!({ "title": "", "steps": [{ "type": "close" }, { "type": "close", "querypoint": { "fingerprint": { "console": "two" } } }] });
        let error = Recording::parse(&wrong.to_string())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("step 2") && error.contains("\"two\""),
            "{error}"
        );
        let wrong = json!({ "title": "", "steps": [], "querypoint": { "scriptEvents": 4 } });
        let error = Recording::parse(&wrong.to_string())
            .unwrap_err()
            .to_string();
        assert!(error.contains("querypoint.scriptEvents"), "{error}");
    }
}
