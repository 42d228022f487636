//! Messages as they come from the socket.
//!
//! The event type is as loose as it can be, so that an event, an enum value or a field that chromiumoxide does not know
//! is passed on like any other.

use std::borrow::Cow;
use std::sync::Arc;

use chromiumoxide::types::{EventMessage, Method};
use serde::Deserialize;
use serde_json::Value;

use crate::protocol::{Event, ProtocolError, SessionId};

/// An event with unchecked parameters.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RawEvent {
    method: String,
    #[serde(rename = "sessionId", default)]
    session_id: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Method for RawEvent {
    fn identifier(&self) -> Cow<'static, str> {
        Cow::Owned(self.method.clone())
    }
}

impl EventMessage for RawEvent {
    fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }
}

impl From<RawEvent> for Event {
    fn from(raw: RawEvent) -> Self {
        Self {
            session: raw.session_id.map(SessionId),
            method: raw.method,
            params: Arc::new(raw.params),
            times: 1,
        }
    }
}

/// An answer that chromiumoxide could not read, but that still says which command it is for.
///
/// Without this a command whose answer is malformed would wait for ever.
pub(crate) fn salvage_answer(text: &str) -> Option<(usize, String)> {
    let value: Value = serde_json::from_str(text).ok()?;
    let id = usize::try_from(value.get("id")?.as_u64()?).ok()?;
    let detail = match value.get("error") {
        Some(error) => error.to_string(),
        None => "an answer of an unknown shape".to_owned(),
    };
    Some((id, detail))
}

/// The error for a salvaged answer.
pub(crate) fn malformed(method: &str, detail: String) -> ProtocolError {
    ProtocolError::Malformed {
        method: method.to_owned(),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use chromiumoxide::types::Message;

    use super::*;

    fn parse(text: &str) -> Message<RawEvent> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn unknown_events_and_missing_members_are_events() {
        for (text, session, params) in [
            (
                r#"{"method":"Future.thing","params":{"kind":"neverSeen"},"sessionId":"S"}"#,
                Some("S"),
                true,
            ),
            (r#"{"method":"Inspector.targetCrashed"}"#, None, false),
            (r#"{"method":"A.b","params":null,"extra":[1]}"#, None, false),
        ] {
            let Message::Event(raw) = parse(text) else {
                panic!("{text} is an event")
            };
            let event = Event::from(raw);
            assert_eq!(
                event.session,
                session.map(|s| SessionId(s.into())),
                "{text}"
            );
            assert_eq!(event.params.is_object(), params, "{text}");
        }
    }

    #[test]
    fn answers_are_told_from_events_and_malformed_ones_salvaged() {
        assert!(matches!(
            parse(r#"{"id":3,"result":{"method":"x"}}"#),
            Message::Response(_)
        ));
        assert!(serde_json::from_str::<Message<RawEvent>>(r#"{"id":7,"error":"no"}"#).is_err());
        assert_eq!(
            salvage_answer(r#"{"id":7,"error":"no"}"#),
            Some((7, "\"no\"".into()))
        );
        assert_eq!(salvage_answer("{"), None);
        assert_eq!(salvage_answer("[]"), None);
    }
}
