//! What the browser tells a page of the person before it: the member `querypoint.environment`.
//!
//! ```json
//! { "timeZone": "Europe/Berlin", "languages": ["de-DE", "en"], "colorScheme": "dark", "reducedMotion": false }
//! ```
//!
//! What is missing is left as the browser has it.

use serde::{Deserialize, Serialize};

use super::Recording;

/// What a page is told of the person and their machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        }
    }
}

impl Recording {
    const ENVIRONMENT: &'static str = "environment";

    /// What the browser told the page of the person, as far as it was recorded. What is no environment is none.
    #[must_use]
    pub fn environment(&self) -> Environment {
        let ours = self.ours(Self::ENVIRONMENT).cloned();
        ours.and_then(|ours| serde_json::from_value(ours).ok())
            .unwrap_or_default()
    }

    /// Puts an environment in the place of the one that there is.
    pub fn set_environment(&mut self, environment: &Environment) {
        let value = serde_json::to_value(environment).unwrap_or_default();
        self.set_ours(Self::ENVIRONMENT, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(text: &str) -> Environment {
        let recording = format!(r#"{{ "steps": [], "querypoint": {{ "environment": {text} }} }}"#);
        Recording::parse(&recording).unwrap().environment()
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
        };
        recording.set_environment(&dark);
        let again = Recording::parse(&recording.to_json()).unwrap();
        assert_eq!(again.environment(), dark);
    }

    #[test]
    fn what_is_no_environment_is_none() {
        for text in [
            "1",
            "null",
            r#"{ "colorScheme": "red" }"#,
            r#"{ "languages": "de" }"#,
        ] {
            assert_eq!(environment(text), Environment::default(), "{text}");
        }
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
