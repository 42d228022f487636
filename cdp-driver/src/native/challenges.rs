//! Servers that ask for a name and a password (HTTP authentication, RFC 9110, section 11).
//!
//! A full browser without a window waits for a person to type them, for ever, and the page with it; so the question is
//! answered here: with what the user gave for the origin that is opened, else with a refusal, as somebody who presses
//! *Cancel* does. A headless shell refuses by itself, so there it is only done for a user who gave something.
//!
//! The browser asks only about requests that wait for us before they are sent, so all of them do.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use url::Url;

use super::connection::NativeProtocol;
use crate::protocol::generated as cdp;
use crate::protocol::{
    Call as _, Event, Offers, Protocol, ProtocolError, SessionFilter, SessionId, Wanted,
};
use cdp::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse as Answer, AuthChallengeSource,
    AuthRequired, ContinueRequest, ContinueWithAuth, RequestPattern, RequestPaused, RequestStage,
};
use cdp::target::DetachedFromTarget;

/// A name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    name: String,
    password: String,
}

impl Credentials {
    /// Those in `NAME:PASSWORD`; a name has no colon in it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, password) = text.split_once(':')?;
        (!name.is_empty()).then(|| Self {
            name: name.to_owned(),
            password: password.to_owned(),
        })
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({}, …)", self.name)
    }
}

/// A connection whose pages get an answer when a server asks.
pub(super) struct Answering {
    protocol: Arc<NativeProtocol>,
    credentials: Option<Credentials>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Where the user's name and password are for: the origin that was opened first.
    home: Option<String>,
    /// The sessions of documents.
    documents: HashSet<SessionId>,
    /// The sessions whose waiting requests somebody else lets go on.
    handled: HashSet<SessionId>,
    /// The requests that were told the name and the password; one that asks again does not take them.
    told: HashMap<SessionId, HashSet<String>>,
}

impl Answering {
    /// Answers what servers ask, until the connection ends.
    pub(super) fn new(
        protocol: Arc<NativeProtocol>,
        credentials: Option<Credentials>,
    ) -> Arc<Self> {
        const METHODS: &[&str] = &[
            AuthRequired::METHOD,
            RequestPaused::METHOD,
            DetachedFromTarget::METHOD,
        ];
        // It answers for each session of documents, whoever attached to it.
        let events = protocol.events_of(Wanted::of(SessionFilter::Every, METHODS));
        let answering = Arc::new(Self {
            protocol,
            credentials,
            known: Mutex::default(),
        });
        tokio::spawn(answer(Arc::downgrade(&answering), events));
        answering
    }

    fn known(&self) -> parking_lot::MutexGuard<'_, Known> {
        self.known.lock()
    }

    fn happened(&self, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        match event.method.as_str() {
            AuthRequired::METHOD => {
                let Some(asked) = event.read::<AuthRequired>() else {
                    return;
                };
                let response = self.answer_to(session, &asked);
                let answer = ContinueWithAuth::new(asked.request_id, response);
                drop(self.protocol.call(Some(session), &answer));
            }
            RequestPaused::METHOD if !self.known().handled.contains(session) => {
                if let Some(paused) = event.read::<RequestPaused>() {
                    let go_on = ContinueRequest::new(paused.request_id);
                    drop(self.protocol.call(Some(session), &go_on));
                }
            }
            DetachedFromTarget::METHOD => {
                if let Some(DetachedFromTarget { session_id, .. }) = event.read() {
                    let mut known = self.known();
                    known.documents.remove(&session_id);
                    known.handled.remove(&session_id);
                    known.told.remove(&session_id);
                }
            }
            _ => {}
        }
    }

    fn answer_to(&self, session: &SessionId, asked: &AuthRequired) -> AuthChallengeResponse {
        let mut known = self.known();
        let challenge = &asked.auth_challenge;
        let origin = Url::parse(&challenge.origin).ok();
        let origin = origin.map(|url| url.origin().ascii_serialization());
        let is_home = origin.is_some() && origin == known.home;
        let is_server = challenge.source != Some(AuthChallengeSource::Proxy);
        match &self.credentials {
            Some(Credentials { name, password })
                if is_home
                    && is_server
                    && known
                        .told
                        .entry(session.clone())
                        .or_default()
                        .insert(asked.request_id.0.clone()) =>
            {
                AuthChallengeResponse {
                    username: Some(name.clone()),
                    password: Some(password.clone()),
                    ..AuthChallengeResponse::new(Answer::ProvideCredentials)
                }
            }
            _ => AuthChallengeResponse::new(Answer::CancelAuth),
        }
    }
}

async fn answer(answering: std::sync::Weak<Answering>, mut events: BoxStream<'static, Event>) {
    while let Some(event) = events.next().await {
        let Some(answering) = answering.upgrade() else {
            return;
        };
        answering.happened(&event);
    }
}

/// All requests, before they are sent.
fn every_request() -> RequestPattern {
    RequestPattern {
        url_pattern: Some("*".to_owned()),
        request_stage: Some(RequestStage::Request),
        ..RequestPattern::default()
    }
}

impl Protocol for Answering {
    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        mut params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        match (method, session) {
            (cdp::page::Navigate::METHOD, _) => {
                let url = params.get("url").and_then(Value::as_str);
                let url = url.and_then(|url| Url::parse(url).ok());
                let mut known = self.known();
                if known.home.is_none() {
                    known.home = url.map(|url| url.origin().ascii_serialization());
                }
            }
            // Every session of documents is begun with it.
            (cdp::page::Enable::METHOD, Some(session)) => {
                let mut known = self.known();
                known.documents.insert(session.clone());
                if !known.handled.contains(session) {
                    let all = cdp::fetch::Enable {
                        patterns: Some(vec![every_request()]),
                        handle_auth_requests: Some(true),
                    };
                    drop(self.protocol.call(Some(session), &all));
                }
            }
            // Others see none of the requests of documents.
            (cdp::fetch::Enable::METHOD, Some(session))
                if self.known().documents.contains(session) =>
            {
                self.known().handled.insert(session.clone());
                if let Some(patterns) = params.get_mut("patterns").and_then(Value::as_array_mut) {
                    patterns.push(serde_json::json!(every_request()));
                }
                if let Some(params) = params.as_object_mut() {
                    params.insert("handleAuthRequests".to_owned(), true.into());
                }
            }
            _ => {}
        }
        self.protocol.send(session, method, params).boxed()
    }

    fn offers(&self) -> Offers {
        self.protocol.offers()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.protocol.events_of(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_may_have_colons_and_is_not_shown() {
        let credentials = Credentials::parse("ada:a:b").unwrap();
        assert_eq!((&*credentials.name, &*credentials.password), ("ada", "a:b"));
        assert_eq!(format!("{credentials:?}"), "Credentials(ada, …)");
        assert_eq!(Credentials::parse("ada"), None);
        assert_eq!(Credentials::parse(":secret"), None);
    }
}
