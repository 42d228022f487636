//! The one small trait that the engine is written against: send a command, receive events; and a clock.
//!
//! Nothing in `engine` knows sockets, processes, threads, tokio or time except through these two traits, so that the
//! same engine runs over a native connection, over a fake one in tests and later inside an extension.
//!
//! What an implementation promises, and the engine relies on:
//! - commands are queued **at the call of `send`**, in the order of the calls, whether or not the future is polled;
//! - a future that is dropped leaves the command running, its answer is thrown away;
//! - events arrive in the order of the wire, and none that is wanted is lost between `events_of()` and the
//!   first poll of its stream;
//! - an unknown event or a malformed message never ends a session;
//! - once the connection, the session or its tab is gone, pending and later commands are answered at once with the
//!   error that says which of them it was.

pub mod generated;
mod listeners;
mod offers;
mod session_filter;
mod typed;
mod values;
mod wanted;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use listeners::Listeners;
pub use offers::{BrowserCommand, CallBrowser, Contexts, Missing, Offers};
pub use session_filter::{SessionFilter, SessionSet};
pub use typed::{Call, Command, Done, Encoded, EventKind, result_of};
pub use wanted::Wanted;

/// A flattened session: the protocol's handle for one attached target.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl From<&SessionId> for SessionId {
    fn from(session: &SessionId) -> Self {
        session.clone()
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One event as it came from the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session it belongs to; `None` for the browser itself.
    pub session: Option<SessionId>,
    /// `Domain.event`.
    pub method: String,
    /// Its parameters, unchecked: they come from the page's side of the wire. Shared, for all who listen get the event,
    /// and a stack with its scopes is large.
    pub params: Arc<Value>,
    /// How many of its kind it represents, where a listener only counts them (see [`Wanted::counting`]).
    pub times: u64,
}

impl Event {
    /// Whether it is the event `method` of `session`.
    pub fn is(&self, session: &SessionId, method: &str) -> bool {
        self.method == method && self.session.as_ref() == Some(session)
    }

    /// A string parameter by JSON pointer (`/targetInfo/url`), or `""`.
    pub fn text(&self, pointer: &str) -> &str {
        self.params
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// A connection to a browser that speaks the DevTools protocol. The promises are those of the module.
pub trait Protocol: Send + Sync {
    /// Sends `method` to `session` (`None`: the browser) and answers with the command's result object.
    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>>;

    /// The events that are wanted, from the moment of the call on, in order; nothing is kept of those of other sessions
    /// than the listener names. The stream ends when the connection does.
    /// What waits in it takes memory until it is polled, but for what is only counted, and where so many wait as are
    /// wanted at most.
    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event>;

    /// What it offers beside the sessions of a tab; always the same.
    fn offers(&self) -> Offers;

    /// A session of the one tab ([`Contexts::OneTab`]) in which nothing was asked for yet; the one before is over, and
    /// with it all that was asked for in it: breakpoints, scripts, interception, emulation.
    ///
    /// # Errors
    /// [`ProtocolError::NotOffered`] of a connection that has no such tab, or keeps its session; those of
    /// [`Protocol::send`].
    fn renew_tab(&self) -> BoxFuture<'_, Result<SessionId, ProtocolError>> {
        let error = ProtocolError::NotOffered {
            method: "a new session of the tab".to_owned(),
            missing: Missing::Targets,
        };
        Box::pin(async move { Err(error) })
    }

    /// All events of all sessions: see [`Protocol::events_of`].
    fn events(&self) -> BoxStream<'static, Event> {
        self.events_of(Wanted::all())
    }
}

/// Time, as the engine sees it.
pub trait Clock: Send + Sync {
    /// A future that is ready after `duration` of real time.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// Milliseconds since an arbitrary fixed moment; never goes back.
    fn now_ms(&self) -> f64;
}

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The browser understood the command and said no.
    #[error("the browser refused {method}: {message} (code {code})")]
    Refused {
        /// The command.
        method: String,
        /// The protocol's error code.
        code: i64,
        /// The browser's own words.
        message: String,
    },
    /// The socket is closed but no browser of ours has exited.
    #[error(
        "the connection to the browser was lost: {reason}; check that the browser still runs and that nothing else \
         closed its DevTools connection, then ask again"
    )]
    ConnectionLost {
        /// What the socket reported.
        reason: String,
    },
    /// The browser we launched has exited.
    #[error("the browser exited ({status}); start it by hand with the same flags to see \
        why{}", last_words(.stderr_tail))]
    BrowserExited {
        /// Exit status or signal in words.
        status: String,
        /// The last lines it printed, without the chatter about missing system services.
        stderr_tail: String,
    },
    /// The process behind the session's tab or worker has crashed.
    #[error(
        "the page's process crashed while {method} was to be done; it ran out of memory or hit a browser defect: try \
         again, or with another browser version (--browser PATH)"
    )]
    TargetCrashed {
        /// The command that can no longer be answered.
        method: String,
    },
    /// The session was detached: the tab was closed, or another client took it.
    #[error(
        "the tab was closed while {method} was to be done; keep it open until the answer is there"
    )]
    SessionClosed {
        /// The command that can no longer be answered.
        method: String,
    },
    /// The command had no answer in the time that was given.
    #[error(
        "{method} had no answer within {after_ms} ms; give it more time with --timeout SECONDS"
    )]
    TimedOut {
        /// The command, or what was waited for.
        method: String,
        /// The time it had.
        after_ms: u64,
    },
    /// The connection does not offer it, as one through a browser's extension.
    #[error("{method} is not there: {missing}")]
    NotOffered {
        /// The command.
        method: String,
        /// What the connection lacks, and what is lost by that.
        missing: Missing,
    },
    /// The answer is not what the protocol describes.
    #[error(
        "{method} was answered with something unexpected ({detail}); this browser version may not be supported"
    )]
    Malformed {
        /// The command.
        method: String,
        /// What is missing or wrong.
        detail: String,
    },
}

fn last_words(stderr_tail: &str) -> String {
    match stderr_tail.trim() {
        "" => String::new(),
        tail => format!("; its last words:\n{tail}"),
    }
}

impl ProtocolError {
    /// Whether nothing more can come from this page: connection, browser or tab are gone.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::ConnectionLost { .. }
                | Self::BrowserExited { .. }
                | Self::TargetCrashed { .. }
                | Self::SessionClosed { .. }
        )
    }
}

/// A string member of a command's result.
///
/// # Errors
/// [`ProtocolError::Malformed`] if it is not there.
pub fn required_text(method: &str, result: &Value, pointer: &str) -> Result<String, ProtocolError> {
    match result.pointer(pointer).and_then(Value::as_str) {
        Some(text) => Ok(text.to_owned()),
        None => Err(ProtocolError::Malformed {
            method: method.to_owned(),
            detail: format!("no string at {pointer}"),
        }),
    }
}

/// Runs `future`, for at most `limit` by `clock`.
///
/// # Errors
/// [`ProtocolError::TimedOut`] naming `what`.
pub async fn with_time_limit<T>(
    clock: &dyn Clock,
    limit: Duration,
    what: &str,
    future: impl Future<Output = T>,
) -> Result<T, ProtocolError> {
    let sleep = clock.sleep(limit);
    futures::pin_mut!(future);
    match futures::future::select(future, sleep).await {
        futures::future::Either::Left((value, _)) => Ok(value),
        futures::future::Either::Right(((), _)) => Err(ProtocolError::TimedOut {
            method: what.to_owned(),
            after_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_failed_and_what_to_do() {
        let exited = ProtocolError::BrowserExited {
            status: "signal: 9 (SIGKILL)".into(),
            stderr_tail: "boom\n".into(),
        };
        let text = exited.to_string();
        assert!(
            text.contains("signal: 9") && text.ends_with("its last words:\nboom"),
            "{text}"
        );
        assert!(exited.is_fatal());
        let timed_out = ProtocolError::TimedOut {
            method: "Page.navigate".into(),
            after_ms: 250,
        };
        assert!(
            timed_out
                .to_string()
                .contains("Page.navigate had no answer within 250 ms")
        );
        assert!(!timed_out.is_fatal());
    }

    #[test]
    fn a_missing_member_is_named() {
        let error = required_text(
            "Target.createTarget",
            &serde_json::json!({"targetId": 5}),
            "/targetId",
        );
        assert_eq!(
            error,
            Err(ProtocolError::Malformed {
                method: "Target.createTarget".into(),
                detail: "no string at /targetId".into()
            })
        );
    }
}
