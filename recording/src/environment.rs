//! What the browser tells a page of the person before it: the member `querypoint.environment`.
//!
//! ```json
//! {
//!   "timeZone": "Europe/Berlin", "languages": ["de-DE", "en"], "colorScheme": "dark", "reducedMotion": false,
//!   "geolocation": { "at": { "latitude": 52.5, "longitude": 13.4, "accuracy": 20 } }
//! }
//! ```
//!
//! What is missing is left as the browser has it.

use serde::{Deserialize, Serialize};

use super::{Recording, RecordingError};

const ENVIRONMENT: &str = "environment";

/// What a page is told of the person and their machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Environment {
    /// The name of the time zone, as `Intl` has it: `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The languages that the person reads, best first: `de-DE`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Whether they want it dark or light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_scheme: Option<ColorScheme>,
    /// Whether they want little to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced_motion: Option<bool>,
    /// Where they are, if a page asked and they answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geolocation: Option<Geolocation>,
}

/// What a page is told that asks where the person is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Geolocation {
    /// Nothing: they refuse.
    Denied,
    /// There.
    At(Position),
}

/// A place on the earth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Degrees to the north.
    pub latitude: f64,
    /// Degrees to the east.
    pub longitude: f64,
    /// Within how many metres.
    pub accuracy: f64,
}

impl Position {
    /// Whether there is such a place.
    #[must_use]
    pub fn is_sound(self) -> bool {
        self.latitude.abs() <= 90.0 && self.longitude.abs() <= 180.0 && self.accuracy >= 0.0
    }
}

/// What `prefers-color-scheme` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorScheme {
    /// Dark text on light ground.
    Light,
    /// Light text on dark ground.
    Dark,
}

impl ColorScheme {
    /// The word for it in CSS.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Environment {
    /// JavaScript whose value is the environment of the document that runs it.
    pub const EXPRESSION: &'static str = "({\
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, languages: [...navigator.languages], \
        colorScheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', \
        reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches })";

    /// What of this is otherwise than in `other`.
    #[must_use]
    pub fn differing_from(&self, other: &Self) -> Self {
        let differs = |is_other: bool| is_other.then_some(());
        let languages = match self.languages == other.languages {
            true => Vec::new(),
            false => self.languages.clone(),
        };
        Self {
            time_zone: differs(self.time_zone != other.time_zone).and(self.time_zone.clone()),
            languages,
            color_scheme: differs(self.color_scheme != other.color_scheme).and(self.color_scheme),
            reduced_motion: differs(self.reduced_motion != other.reduced_motion)
                .and(self.reduced_motion),
            geolocation: differs(self.geolocation != other.geolocation).and(self.geolocation),
        }
    }
}

impl Recording {
    /// What the browser told the page of the person, as far as it was recorded.
    #[must_use]
    pub fn environment(&self) -> Environment {
        // A recording whose environment cannot be read does not parse.
        self.read_environment().unwrap_or_default()
    }

    /// # Errors
    /// [`RecordingError::WrongOwnMember`].
    pub(super) fn read_environment(&self) -> Result<Environment, RecordingError> {
        let environment: Environment = self.read_ours(ENVIRONMENT)?;
        if let Some(Geolocation::At(position)) = environment.geolocation
            && !position.is_sound()
        {
            return Err(RecordingError::WrongOwnMember {
                member: ENVIRONMENT,
                reason: format!(
                    "there is no place at {} degrees north and {} degrees east, within {} m",
                    position.latitude, position.longitude, position.accuracy
                ),
            });
        }
        Ok(environment)
    }

    /// Puts an environment in the place of the one that there is.
    pub fn set_environment(&mut self, environment: &Environment) {
        let value = serde_json::to_value(environment).unwrap_or_default();
        self.set_ours(ENVIRONMENT, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(text: &str) -> Result<Recording, RecordingError> {
        Recording::parse(&format!(
            r#"{{ "steps": [], "querypoint": {{ "environment": {text} }} }}"#
        ))
    }

    fn environment(text: &str) -> Environment {
        recording(text).unwrap().environment()
    }

    #[test]
    fn it_is_kept_in_the_recording() {
        let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
        assert_eq!(recording.environment(), Environment::default());
        let dark = Environment {
            time_zone: Some("Asia/Kathmandu".to_owned()),
            languages: vec!["ne".to_owned()],
            color_scheme: Some(ColorScheme::Dark),
            reduced_motion: Some(true),
            geolocation: Some(Geolocation::At(Position {
                latitude: 27.7,
                longitude: 85.3,
                accuracy: 5.0,
            })),
        };
        recording.set_environment(&dark);
        let again = Recording::parse(&recording.to_json()).unwrap();
        assert_eq!(again.environment(), dark);
    }

    #[test]
    fn what_is_no_environment_is_refused_with_the_reason() {
        for (text, reason) in [
            ("1", "invalid type: integer `1`"),
            (r#"{ "colorScheme": "red" }"#, "unknown variant `red`"),
            (r#"{ "languages": "de" }"#, "invalid type: string \"de\""),
            (r#"{ "geolocation": "here" }"#, "unknown variant `here`"),
            (
                r#"{ "geolocation": { "at": { "latitude": 91, "longitude": 0, "accuracy": 1 } } }"#,
                "no place at 91 degrees north",
            ),
        ] {
            let error = recording(text).unwrap_err().to_string();
            assert!(error.contains("querypoint.environment"), "{error}");
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(environment("null"), Environment::default());
    }

    #[test]
    fn only_what_is_otherwise_counts() {
        let recorded =
            environment(r#"{ "timeZone": "UTC", "colorScheme": "dark", "reducedMotion": false }"#);
        let now =
            environment(r#"{ "timeZone": "UTC", "colorScheme": "light", "languages": ["en"] }"#);
        let difference = recorded.differing_from(&now);
        assert_eq!(difference.time_zone, None);
        assert_eq!(difference.color_scheme, Some(ColorScheme::Dark));
        assert_eq!(difference.reduced_motion, Some(false));
        assert_eq!(difference.languages, Vec::<String>::new());
    }
}
