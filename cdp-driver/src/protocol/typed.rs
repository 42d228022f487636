//! Commands and events as types, over the untyped [`Protocol`].
//!
//! Invariants: a command is queued at the call, as by [`Protocol::send`]; what is read and is not there, or is not what
//! the protocol says, is an error that names the method and the member; what is not read may be anything.

use std::fmt;

use futures::future::BoxFuture;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Event, Protocol, ProtocolError, SessionId};

/// A command: what is sent, and what it gives.
pub trait Command: Serialize {
    /// `Domain.command`.
    const METHOD: &'static str;
    /// What is read of its answer.
    type Result: DeserializeOwned + Send + 'static;

    /// The command without its type, for a list of different ones.
    fn encoded(&self) -> Encoded {
        Encoded {
            method: Self::METHOD,
            // Serialising fails only for maps whose keys are no texts, and the protocol has none.
            params: serde_json::to_value(self).unwrap_or_default(),
        }
    }
}

/// An event: what is read of it.
pub trait EventKind: DeserializeOwned {
    /// `Domain.event`.
    const METHOD: &'static str;
}

/// The answer of a command of which nothing is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done;

impl<'de> Deserialize<'de> for Done {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// A command without its type.
#[derive(Clone, PartialEq)]
pub struct Encoded {
    /// `Domain.command`.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

impl Encoded {
    /// Sends it, as [`Protocol::send`] does.
    pub fn send<'a>(
        self,
        protocol: &'a (impl Protocol + ?Sized),
        session: Option<&'a SessionId>,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        protocol.send(session, self.method, self.params)
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.method, self.params)
    }
}

/// Typed commands over any connection.
pub trait Call: Protocol {
    /// Sends a command to `session` (`None`: the browser). It is queued at the call, whether or not the future is
    /// polled.
    ///
    /// # Errors
    /// Those of [`Protocol::send`], and [`ProtocolError::Malformed`] if the answer is not what the protocol says.
    fn call<'a, C: Command>(
        &'a self,
        session: Option<&'a SessionId>,
        command: &C,
    ) -> BoxFuture<'a, Result<C::Result, ProtocolError>> {
        let Encoded { method, params } = command.encoded();
        let sent = self.send(session, method, params);
        Box::pin(async move { result_of::<C>(sent.await?) })
    }
}

impl<P: Protocol + ?Sized> Call for P {}

/// What a command gave, of its answer.
///
/// # Errors
/// [`ProtocolError::Malformed`] if the answer is not what the protocol says.
pub fn result_of<C: Command>(answer: Value) -> Result<C::Result, ProtocolError> {
    serde_path_to_error::deserialize(answer).map_err(|error| malformed(C::METHOD, &error))
}

impl Event {
    /// Whether it is such an event, of whichever session.
    pub fn is_a<E: EventKind>(&self) -> bool {
        self.method == E::METHOD
    }

    /// What it says.
    ///
    /// # Errors
    /// [`ProtocolError::Malformed`] if it is another event, or not what the protocol says.
    pub fn decode<E: EventKind>(&self) -> Result<E, ProtocolError> {
        if !self.is_a::<E>() {
            return Err(ProtocolError::Malformed {
                method: E::METHOD.to_owned(),
                detail: format!("it is {}", self.method),
            });
        }
        serde_path_to_error::deserialize(&*self.params)
            .map_err(|error| malformed(E::METHOD, &error))
    }

    /// What it says; `None`: it is another event, or one that cannot be read. That is logged, and the event is skipped.
    pub fn read<E: EventKind>(&self) -> Option<E> {
        if !self.is_a::<E>() {
            return None;
        }
        self.decode()
            .inspect_err(|error| tracing::warn!(%error, "skipped an event that cannot be read"))
            .ok()
    }
}

fn malformed(method: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> ProtocolError {
    let path = error.path().to_string();
    let what = error.inner();
    ProtocolError::Malformed {
        method: method.to_owned(),
        // The path of the whole is `.`.
        detail: match path.as_str() {
            "." => what.to_string(),
            path => format!("{path}: {what}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::protocol::generated::{debugger, io, page, runtime, target};

    fn event(method: &str, params: Value) -> Event {
        Event {
            session: None,
            method: method.to_owned(),
            params: Arc::new(params),
            times: 1,
        }
    }

    #[test]
    fn a_command_has_the_names_of_the_wire_and_leaves_out_what_is_not_said() {
        let command = debugger::EvaluateOnCallFrame {
            throw_on_side_effect: Some(true),
            ..debugger::EvaluateOnCallFrame::new("7", "cart.total")
        };
        let encoded = command.encoded();
        assert_eq!(encoded.method, "Debugger.evaluateOnCallFrame");
        assert_eq!(
            encoded.params,
            json!({ "callFrameId": "7", "expression": "cart.total", "throwOnSideEffect": true })
        );
        assert_eq!(debugger::Resume::default().encoded().params, json!({}));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let detail = |error: ProtocolError| match error {
            ProtocolError::Malformed { method, detail } => format!("{method}: {detail}"),
            other => other.to_string(),
        };
        let created = result_of::<target::CreateTarget>(json!({ "targetId": 3 })).unwrap_err();
        assert_eq!(
            detail(created),
            "Target.createTarget: targetId: invalid type: integer `3`, expected a string"
        );
        let read = result_of::<io::Read>(json!({ "data": "x" })).unwrap_err();
        assert_eq!(detail(read), "IO.read: missing field `eof`");
        let navigated = event(
            "Page.frameNavigated",
            json!({ "frame": { "id": "F", "url": 1 } }),
        );
        assert_eq!(
            detail(navigated.decode::<page::FrameNavigated>().unwrap_err()),
            "Page.frameNavigated: frame.url: invalid type: integer `1`, expected a string"
        );
        assert_eq!(navigated.read::<page::FrameNavigated>(), None);
        assert_eq!(navigated.read::<page::LoadEventFired>(), None);
    }

    #[test]
    fn what_is_not_known_is_kept_and_what_is_not_read_is_ignored() {
        let object = json!({ "type": "neverSeen", "subtype": "map", "future": [1], "value": null });
        let object: runtime::RemoteObject = serde_json::from_value(object).unwrap();
        let kind = runtime::RemoteObjectType::Other("neverSeen".to_owned());
        assert_eq!(object.r#type, kind);
        assert_eq!(object.r#type.as_str(), "neverSeen");
        assert_eq!(object.subtype, Some(runtime::RemoteObjectSubtype::Map));
        assert_eq!(result_of::<page::Enable>(json!({ "what": 1 })), Ok(Done));
    }
}
