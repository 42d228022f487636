//! The cookies that keep a person logged in and that scripts cannot read (`HttpOnly`): the member `querypoint.login`.
//!
//! ```json
//! [{ "name": "session", "value": "4711", "domain": "shop.example", "path": "/", "secure": true, "sameSite": "Lax" }]
//! ```
//!
//! Only a recording that was made in the tab of a person who debugs it has them: those that the browser had for the
//! page's document when it was loaded. They are kept with the sessions of the back end and nowhere else:
//! [`Recording::without_login`] gives the recording that may be written elsewhere, and an [`export`](crate::export)
//! never has them. Their values are no part of their `Debug` output.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Recording, RecordingError, own};

const LOGIN: &str = "login";

/// A cookie that scripts cannot read, as the browser had it. Its lifetime is not kept: a replay is shorter.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoginCookie {
    /// Its name.
    pub name: String,
    /// Its value: whoever has it is logged in.
    pub value: String,
    /// The host that it is for; with a dot before it also those below that.
    pub domain: String,
    /// The paths below which it is sent.
    pub path: String,
    /// Whether it is sent over encrypted connections only.
    #[serde(default)]
    pub secure: bool,
    /// `Strict`, `Lax` or `None`; absent: the cookie does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

impl fmt::Debug for LoginCookie {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name, domain, path, ..
        } = self;
        write!(formatter, "LoginCookie({name} of {domain}{path})")
    }
}

impl LoginCookie {
    /// The host without the dot.
    #[must_use]
    pub fn host(&self) -> &str {
        self.domain.trim_start_matches('.')
    }

    /// Whether it is sent to this host alone, and not to those below it.
    #[must_use]
    pub fn is_of_one_host(&self) -> bool {
        !self.domain.starts_with('.')
    }
}

impl Recording {
    /// The cookies that keep the person logged in, as far as scripts cannot read them.
    #[must_use]
    pub fn login(&self) -> Vec<LoginCookie> {
        // A recording whose cookies cannot be read does not parse.
        self.read_login().unwrap_or_default()
    }

    /// # Errors
    /// [`RecordingError::WrongOwnMember`].
    pub(super) fn read_login(&self) -> Result<Vec<LoginCookie>, RecordingError> {
        self.read_ours(LOGIN)
    }

    /// Replaces them.
    pub fn set_login(&mut self, cookies: &[LoginCookie]) {
        match cookies {
            [] => own::remove(&mut self.other, LOGIN),
            cookies => {
                let value = serde_json::to_value(cookies).unwrap_or_default();
                self.set_ours(LOGIN, value);
            }
        }
    }

    /// The recording without them: what may be written to a file that a person names.
    #[must_use]
    pub fn without_login(&self) -> Self {
        let mut without = self.clone();
        without.set_login(&[]);
        without
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie() -> LoginCookie {
        LoginCookie {
            name: "session".to_owned(),
            value: "s3cret".to_owned(),
            domain: ".shop.example".to_owned(),
            path: "/".to_owned(),
            secure: true,
            same_site: Some("Lax".to_owned()),
        }
    }

    #[test]
    fn it_is_kept_in_the_recording_and_can_be_left_out() {
        let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
        recording.set_login(&[cookie()]);
        let again = Recording::parse(&recording.to_json()).unwrap();
        assert_eq!(again.login(), [cookie()]);
        let without = again.without_login();
        assert!(without.login().is_empty());
        assert!(!without.to_json().contains("s3cret"));
        assert!(!without.to_json().contains("login"));
    }

    #[test]
    fn its_value_is_not_told_to_a_log() {
        let told = format!("{:?}", cookie());
        assert_eq!(told, "LoginCookie(session of .shop.example/)");
        assert!(!cookie().is_of_one_host() && cookie().host() == "shop.example");
    }

    #[test]
    fn what_are_no_cookies_is_refused_with_the_reason() {
        let text = r#"{ "steps": [], "querypoint": { "login": [{ "name": "a" }] } }"#;
        let error = Recording::parse(text).unwrap_err().to_string();
        assert!(error.contains("querypoint.login"), "{error}");
    }
}
