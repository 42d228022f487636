//! How an extension of the browser finds the back end: it asks a program that the browser starts for it (native
//! messaging), which finds the back end that runs, or starts one.
//!
//! The program is known to the browser by [`NAME`]; it is spoken to by the extension [`EXTENSION_ID`] alone (Firefox:
//! [`GECKO_ID`]), one [`HostRequest`] and one [`HostReply`] a time.

use serde::{Deserialize, Serialize};

/// The name by which the browser knows the program.
pub const NAME: &str = "dev.querypoint.back_end";

/// The extension in Chrome and its relatives: it comes of the key in the extension's manifest.
pub const EXTENSION_ID: &str = "bakegmiicnglloflihecifmopfeocpan";

/// The extension in Firefox, as its manifest says.
pub const GECKO_ID: &str = "panel@querypoint.dev";

/// What the extension wants of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "want", rename_all = "kebab-case", deny_unknown_fields)]
pub enum HostRequest {
    /// A back end; one is started if none runs.
    BackEnd {},
}

/// What the program says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostReply {
    /// There it is.
    BackEnd {
        /// `ws://127.0.0.1:PORT/panel`
        url: String,
        /// What it lets in who knows it, in hexadecimal.
        secret: String,
    },
    /// There is none, and why, for a person.
    Error(String),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_messages_are_these() {
        let request = serde_json::to_value(HostRequest::BackEnd {}).unwrap();
        assert_eq!(request, json!({ "want": "back-end" }));
        let reply = HostReply::BackEnd {
            url: "ws://127.0.0.1:4000/panel".to_owned(),
            secret: "00ff".to_owned(),
        };
        let text = json!({ "back-end": { "url": "ws://127.0.0.1:4000/panel", "secret": "00ff" } });
        assert_eq!(serde_json::to_value(&reply).unwrap(), text);
        let error = HostReply::Error("why".to_owned());
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            json!({ "error": "why" })
        );
        assert!(serde_json::from_value::<HostRequest>(json!({ "want": "shell" })).is_err());
    }
}
