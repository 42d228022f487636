//! The page is told of the person what it was told when it was recorded: time zone, languages, colours, motion, where
//! they are.

use agent::evaluated;
use recording::{Environment, Geolocation};

use super::Runner;
use crate::error::EngineError;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{CallBrowser as _, Command as _, Encoded, ProtocolError};

/// What asks the document in front of us; about a blank page as good as any.
pub(crate) fn environment_command() -> cdp::runtime::Evaluate {
    cdp::runtime::Evaluate {
        return_by_value: Some(true),
        silent: Some(true),
        ..cdp::runtime::Evaluate::new(evaluated(Environment::EXPRESSION))
    }
}

/// The environment in the answer; what is none is left as the browser has it.
pub(crate) fn environment_of(answer: cdp::runtime::EvaluateResult) -> Environment {
    let value = answer.result.value;
    value
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

impl Runner<'_> {
    /// Before the page is opened: has the browser say what it said then, where that is another thing than now.
    pub(in crate::replay) async fn take_environment_on(&mut self) -> Result<(), EngineError> {
        let recorded = self.recording.environment();
        if recorded == Environment::default() {
            return Ok(());
        }
        let known = self.page.environment().get().cloned();
        let now = match known {
            Some(known) => known,
            None => {
                let answer = self.page.call(&environment_command());
                let now = environment_of(self.page.drive(answer).await?);
                self.page.environment().get_or_init(|| now).clone()
            }
        };
        for (what, command) in commands(&recorded.differing_from(&now), &now) {
            let sent = command.send(self.page.protocol().as_ref(), Some(self.page.session()));
            self.told(&what, self.page.drive(sent).await)?;
        }
        if let Some(geolocation) = recorded.geolocation {
            use cdp::browser::{PermissionDescriptor, PermissionSetting, SetPermission};
            let setting = match geolocation {
                Geolocation::Denied => PermissionSetting::Denied,
                _ => PermissionSetting::Granted,
            };
            let set = SetPermission {
                browser_context_id: Some(self.page.context_id().into()),
                ..SetPermission::new(PermissionDescriptor::new("geolocation"), setting)
            };
            let set = self.page.protocol().call_browser(&set);
            self.told("such permission", self.page.drive(set).await)?;
        }
        Ok(())
    }

    /// Notes what the browser does not know.
    fn told<T>(&mut self, what: &str, answer: Result<T, ProtocolError>) -> Result<(), EngineError> {
        match answer {
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(ProtocolError::NotOffered { missing, .. }) => self.note(format!(
                "{what}, which the page had when it was recorded, is not set: {missing}"
            )),
            Err(_) => self.note(format!(
                "the browser knows no {what}, which it had when it was recorded"
            )),
            Ok(_) => {}
        }
        Ok(())
    }
}

/// What makes the browser tell this: what it is in words, and the command.
fn commands(told: &Environment, now: &Environment) -> Vec<(String, Encoded)> {
    use cdp::emulation as to;
    let mut commands = Vec::new();
    if let Some(zone) = &told.time_zone {
        let command = to::SetTimezoneOverride::new(zone);
        commands.push((format!("time zone {zone:?}"), command.encoded()));
    }
    if let Some(first) = told.languages.first() {
        let command = to::SetLocaleOverride {
            locale: Some(first.clone()),
        };
        commands.push((format!("language {first:?}"), command.encoded()));
        // Without a user agent that stays what it is, and with it what is told of the browser in requests.
        let languages = told.languages.join(",");
        let command = to::SetUserAgentOverride {
            accept_language: Some(languages.clone()),
            ..to::SetUserAgentOverride::new("")
        };
        commands.push((format!("languages {languages:?}"), command.encoded()));
    }
    if told.color_scheme.is_some() || told.reduced_motion.is_some() {
        let scheme = told.color_scheme.or(now.color_scheme);
        let motion = told.reduced_motion.or(now.reduced_motion);
        let motion = motion.map(|reduced| if reduced { "reduce" } else { "no-preference" });
        let feature =
            |name: &str, value: Option<&str>| value.map(|it| to::MediaFeature::new(name, it));
        let features = [
            feature("prefers-color-scheme", scheme.map(|scheme| scheme.word())),
            feature("prefers-reduced-motion", motion),
        ];
        let command = to::SetEmulatedMedia {
            features: Some(features.into_iter().flatten().collect()),
            ..to::SetEmulatedMedia::default()
        };
        commands.push(("such colours".to_owned(), command.encoded()));
    }
    if let Some(Geolocation::At(position)) = told.geolocation {
        let command = to::SetGeolocationOverride {
            latitude: Some(position.latitude),
            longitude: Some(position.longitude),
            accuracy: Some(position.accuracy),
            ..to::SetGeolocationOverride::default()
        };
        commands.push(("such place".to_owned(), command.encoded()));
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_what_is_otherwise_is_commanded() {
        let environment = |text: &str| serde_json::from_str::<Environment>(text).unwrap();
        let now = environment(
            r#"{ "timeZone": "UTC", "languages": ["en"], "colorScheme": "light", "reducedMotion": false }"#,
        );
        assert_eq!(commands(&now.differing_from(&now), &now), []);
        let recorded = environment(
            r#"{ "timeZone": "Asia/Kathmandu", "languages": ["ne", "en"], "colorScheme": "dark",
                 "geolocation": { "at": { "latitude": 27.7, "longitude": 85.3, "accuracy": 5 } } }"#,
        );
        let commands = commands(&recorded.differing_from(&now), &now);
        let methods: Vec<&str> = commands.iter().map(|(_, command)| command.method).collect();
        let wanted = [
            cdp::emulation::SetTimezoneOverride::METHOD,
            cdp::emulation::SetLocaleOverride::METHOD,
            cdp::emulation::SetUserAgentOverride::METHOD,
            cdp::emulation::SetEmulatedMedia::METHOD,
            cdp::emulation::SetGeolocationOverride::METHOD,
        ];
        assert_eq!(methods, wanted);
        let features = &commands[3].1.params["features"];
        assert_eq!(features[0]["value"], "dark");
        assert_eq!(commands[4].1.params["longitude"], 85.3);
        // What stays is said as well: the command is for all of them.
        assert_eq!(features[1]["value"], "no-preference");
    }
}
