//! The page is told of the person what it was told when it was recorded: time zone, languages, colours, motion, where
//! they are.

use agent::evaluated;
use recording::{Environment, Geolocation};
use serde_json::{Value, json};

use super::runner::Runner;
use crate::error::EngineError;
use cdp_driver::protocol::ProtocolError;
use cdp_driver::protocol::generated as cdp;

/// What asks the document in front of us; about a blank page as good as any.
pub(crate) fn environment_params() -> Value {
    json!({ "expression": evaluated(Environment::EXPRESSION), "returnByValue": true, "silent": true })
}

/// The environment in the answer; what is none is left as the browser has it.
pub(crate) fn environment_of(answer: &Value) -> Environment {
    let value = answer.pointer("/result/value").cloned();
    value
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

impl Runner<'_> {
    /// Before the page is opened: has the browser say what it said then, where that is another thing than now.
    pub(super) async fn take_environment_on(&mut self) -> Result<(), EngineError> {
        let recorded = self.recording.environment();
        if recorded == Environment::default() {
            return Ok(());
        }
        let answer = self
            .page
            .send(cdp::runtime::Evaluate::METHOD, environment_params());
        let now = environment_of(&self.page.drive(answer).await?);
        for (what, method, params) in commands(&recorded.differing_from(&now), &now) {
            let sent = self.page.send(method, params);
            self.told(&what, self.page.drive(sent).await)?;
        }
        if let Some(geolocation) = recorded.geolocation {
            let params = json!({
                "permission": { "name": "geolocation" }, "browserContextId": self.page.context_id(),
                "setting": if geolocation == Geolocation::Denied { "denied" } else { "granted" },
            });
            let protocol = self.page.protocol();
            let set = protocol.send(None, cdp::browser::SetPermission::METHOD, params);
            self.told("such permission", self.page.drive(set).await)?;
        }
        Ok(())
    }

    /// Notes what the browser does not know.
    fn told(
        &mut self,
        what: &str,
        answer: Result<Value, ProtocolError>,
    ) -> Result<(), EngineError> {
        match answer {
            Err(error) if error.is_fatal() => return Err(error.into()),
            Err(_) => self.note(format!(
                "the browser knows no {what}, which it had when it was recorded"
            )),
            Ok(_) => {}
        }
        Ok(())
    }
}

/// What makes the browser tell this: what it is in words, and the command.
fn commands(told: &Environment, now: &Environment) -> Vec<(String, &'static str, Value)> {
    let mut commands = Vec::new();
    if let Some(zone) = &told.time_zone {
        let params = json!({ "timezoneId": zone });
        commands.push((
            format!("time zone {zone:?}"),
            cdp::emulation::SetTimezoneOverride::METHOD,
            params,
        ));
    }
    if let Some(first) = told.languages.first() {
        let params = json!({ "locale": first });
        commands.push((
            format!("language {first:?}"),
            cdp::emulation::SetLocaleOverride::METHOD,
            params,
        ));
        // Without a user agent that stays what it is, and with it what is told of the browser in requests.
        let languages = told.languages.join(",");
        let params = json!({ "userAgent": "", "acceptLanguage": languages });
        commands.push((
            format!("languages {languages:?}"),
            cdp::emulation::SetUserAgentOverride::METHOD,
            params,
        ));
    }
    if told.color_scheme.is_some() || told.reduced_motion.is_some() {
        let scheme = told.color_scheme.or(now.color_scheme);
        let motion = told.reduced_motion.or(now.reduced_motion);
        let motion = motion.map(|reduced| if reduced { "reduce" } else { "no-preference" });
        let feature = |name: &str, value: Option<&str>| {
            value.map(|value| json!({ "name": name, "value": value }))
        };
        let features: Vec<Value> = [
            feature("prefers-color-scheme", scheme.map(|scheme| scheme.word())),
            feature("prefers-reduced-motion", motion),
        ]
        .into_iter()
        .flatten()
        .collect();
        let params = json!({ "features": features });
        commands.push((
            "such colours".to_owned(),
            cdp::emulation::SetEmulatedMedia::METHOD,
            params,
        ));
    }
    if let Some(Geolocation::At(position)) = told.geolocation {
        commands.push((
            "such place".to_owned(),
            cdp::emulation::SetGeolocationOverride::METHOD,
            json!(position),
        ));
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let methods: Vec<&str> = commands.iter().map(|(_, method, _)| *method).collect();
        let wanted = [
            cdp::emulation::SetTimezoneOverride::METHOD,
            cdp::emulation::SetLocaleOverride::METHOD,
            cdp::emulation::SetUserAgentOverride::METHOD,
            cdp::emulation::SetEmulatedMedia::METHOD,
            cdp::emulation::SetGeolocationOverride::METHOD,
        ];
        assert_eq!(methods, wanted);
        let features = &commands[3].2["features"];
        assert_eq!(features[0]["value"], "dark");
        assert_eq!(commands[4].2["longitude"], 85.3);
        // What stays is said as well: the command is for all of them.
        assert_eq!(features[1]["value"], "no-preference");
    }
}
