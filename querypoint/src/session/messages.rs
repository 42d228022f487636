//! What a panel and the back end say to each other: JSON-RPC 2.0, each message one text frame of a WebSocket.
//!
//! A panel sends a [`Request`] and gets one [`Response`] with its `id`, when it is done; several can be under way. In
//! between, and to every panel that has the session open, the back end sends a [`Notification`] when something changes.
//! `docs/reference/protocol.md` describes them, `docs/protocol.schema.json` has their JSON; a test keeps the three
//! together.

mod wire;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::advice::for_panel;
use super::element::Picked;
use super::methods::{Call, Method};
use super::reading::read;
use super::results::TabRecorded;
use super::stop::Stop;
use super::{Laned, Session};

/// The number of this protocol. Another one is another language.
pub const PROTOCOL: u32 = 2;

/// The name by which a WebSocket of this protocol is asked for (`Sec-WebSocket-Protocol`).
pub const SUBPROTOCOL: &str = "querypoint.2";

/// The number of the protocol before. `welcome`, `end-back-end` and what a refusal is are the same in both, so that
/// each side can say that the other is of another version, and either back end can be asked to end.
pub const FORMER_PROTOCOL: u32 = 1;

/// The name by which a WebSocket of the protocol before is asked for.
pub const FORMER_SUBPROTOCOL: &str = "querypoint.1";

/// What the secret of the back end has before it, as a second name in `Sec-WebSocket-Protocol`.
pub const SECRET_PREFIX: &str = "secret.";

/// A longer message, in bytes, ends its connection. Queries and expressions are far smaller; where a page is paused
/// in a recursion of ten thousand calls, its debugger tells of each, which is more than 10 MiB.
pub const LARGEST_MESSAGE: usize = 64 << 20;

/// The code with which a connection is closed whose back end a person ended: no panel starts another by itself. It is
/// one of those that are left to each protocol (RFC 6455, section 7.4.2).
pub const ENDED: u16 = 4001;

/// The value of the member `jsonrpc` of every message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// The only one.
    #[default]
    #[serde(rename = "2.0")]
    Two,
}

/// What a panel wants done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The version of JSON-RPC.
    pub jsonrpc: Version,
    /// By which the response is known; the panel's to choose.
    pub id: u64,
    /// What, and with what.
    #[serde(flatten)]
    pub call: Call,
}

impl Request {
    /// Its text before and behind the null that represents what its call passes on (the parameters of an event, the
    /// result of a command): who puts that in between need not have read it. `None`: the call passes nothing on.
    ///
    /// ```
    /// use querypoint::session::messages::Request;
    /// use querypoint::session::methods::Event;
    /// let (event, params) = ("Debugger.resumed".to_owned(), serde_json::Value::Null);
    /// let (before, behind) = Request::new(7, Event { event, params }).around().unwrap();
    /// assert_eq!(before, r#"{"jsonrpc":"2.0","id":7,"method":"event","params":{"event":"Debugger.resumed","params":"#);
    /// assert_eq!(behind, "}}");
    /// ```
    #[must_use]
    pub fn around(&self) -> Option<(String, String)> {
        let text = serde_json::to_string(self).ok()?;
        let (before, behind) = text.rsplit_once("null")?;
        Some((before.to_owned(), behind.to_owned()))
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "wire::Response")]
pub struct Response {
    /// The version of JSON-RPC.
    pub jsonrpc: Version,
    /// That of the request; none where the request could not be read.
    pub id: Option<u64>,
    /// It, or why not.
    #[serde(flatten)]
    pub outcome: ResponseOutcome,
}

/// The result of a request, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseOutcome {
    /// It was done.
    Result(ResultJson),
    /// It was not.
    Error(Refusal),
}

/// The result of a method as JSON. Only [`ResponseOutcome::of`] makes one here, of the type that belongs to the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResultJson(Value);

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind of reason, for programs.
    pub code: RefusalCode,
    /// In words, for a person: what, why and what to do. May have several lines, with a caret under a place.
    pub message: String,
}

/// What kind of reason; the numbers are those of JSON-RPC where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub enum RefusalCode {
    /// The message is no JSON.
    NotJson,
    /// The message is no request.
    NoRequest,
    /// What was typed is wrong: a query, a point, a name, an expression.
    NotUnderstood,
    /// It cannot be done now: nothing is open, or something else is being done.
    NotNow,
    /// It was done and had no result: the page or the browser was lost, time was up.
    Failed,
    /// It was cancelled.
    Cancelled,
}

const CODES: [(RefusalCode, i32); 6] = [
    (RefusalCode::NotJson, -32_700),
    (RefusalCode::NoRequest, -32_600),
    (RefusalCode::NotUnderstood, -32_602),
    (RefusalCode::NotNow, 1),
    (RefusalCode::Failed, 2),
    (RefusalCode::Cancelled, 3),
];

impl From<RefusalCode> for i32 {
    fn from(code: RefusalCode) -> Self {
        let found = CODES.iter().find(|(each, _)| *each == code);
        found.map_or(0, |(_, number)| *number)
    }
}

impl TryFrom<i32> for RefusalCode {
    type Error = UnknownCode;

    fn try_from(number: i32) -> Result<Self, UnknownCode> {
        let found = CODES.iter().find(|(_, each)| *each == number);
        found.map(|(code, _)| *code).ok_or(UnknownCode(number))
    }
}

/// A number that represents no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode(i32);

impl fmt::Display for UnknownCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is no code of a refusal", self.0)
    }
}

/// What the back end says by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "wire::Notification")]
pub struct Notification {
    /// The version of JSON-RPC.
    pub jsonrpc: Version,
    /// What.
    #[serde(flatten)]
    pub news: News,
}

/// What there is to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "method", content = "params", rename_all = "kebab-case")]
pub enum News {
    /// First in every connection: who speaks.
    Welcome {
        /// [`PROTOCOL`].
        protocol: u32,
        /// The version of `querypoint`.
        version: String,
        /// Whether it works in a browser that it was connected to: a tab that a person has open there can be recorded.
        connected: bool,
        /// Whether nobody sees it run, such as one that a browser started: it ends when it is not used any more, or
        /// when
        /// `querypoint serve` takes its place.
        #[serde(default)]
        in_background: bool,
    },
    /// The session, whenever it or what is being done changes, and when it is opened.
    Session {
        /// Its name.
        name: String,
        /// All of it.
        session: Box<Session>,
        /// Its points as their dependency graph is drawn ([`Session::lanes`]).
        graph: Vec<Laned>,
        /// What is being done for it; none: nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        doing: Option<Doing>,
        /// Whether something can be undone.
        #[serde(default)]
        undo: bool,
        /// Whether something was undone that can be done again.
        #[serde(default)]
        redo: bool,
    },
    /// How far that is.
    Progress {
        /// In words, such as `execution 1: finding the events`.
        stage: String,
        /// How many parts of it are done, where they can be counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<usize>,
        /// Of how many.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<usize>,
    },
    /// The user did something that is recorded. It may take the place of the step that was told before with the same
    /// number.
    Step {
        /// From 1.
        number: usize,
        /// In words.
        step: String,
    },
    /// To a panel that is attached: a command for the tab.
    Command {
        /// By which its answer is known.
        command: u64,
        /// Its name.
        name: String,
        /// Its parameters.
        params: Value,
    },
    /// To a panel that is attached: the page is paused, or goes on again.
    Stopped {
        /// Where; none: it goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Box<Stop>>,
    },
    /// To a panel that is attached: what is recorded of the tab, whenever that is something else.
    Recorded {
        /// It; none: nothing, as before the page is loaded for the first time while it is debugged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recorded: Option<TabRecorded>,
    },
    /// To a panel that is attached: what a person did after `select-element`.
    Selected {
        /// What they pressed on; none: it is gone, or in another frame.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element: Option<Picked>,
        /// Whether they pressed on nothing: they pressed Escape, or it was ended.
        #[serde(default)]
        cancelled: bool,
    },
}

/// What is being done for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// The user is recorded.
    Recording,
    /// The recording is replayed.
    Replaying,
    /// The page is run to answer.
    Asking,
    /// The page is brought to a point, and paused there.
    Pausing,
    /// The page is brought to a point, to look into a value.
    Expanding,
    /// The page is run to log what a query looked through.
    Tracing,
    /// The page is run to record all that it does in an event log.
    Logging,
}

impl Request {
    /// A request with this number.
    #[must_use]
    pub fn new(id: u64, call: impl Into<Call>) -> Self {
        Self {
            jsonrpc: Version::Two,
            id,
            call: call.into(),
        }
    }
}

impl ResponseOutcome {
    /// What became of a request with this method.
    #[must_use]
    pub fn of<M: Method>(result: Result<M::Result, Refusal>) -> Self {
        let json = |result| {
            serde_json::to_value(result).map_err(|error| unreadable(M::NAME, "written", &error))
        };
        match result.and_then(json) {
            Ok(json) => Self::Result(ResultJson(json)),
            Err(refusal) => Self::Error(refusal),
        }
    }

    /// The result of a request with this method.
    ///
    /// # Errors
    /// If the request was refused, or came of another method or version.
    pub fn into_result<M: Method>(self) -> Result<M::Result, Refusal> {
        match self {
            Self::Result(ResultJson(json)) => {
                read(json).map_err(|error| unreadable(M::NAME, "read", &error))
            }
            Self::Error(refusal) => Err(refusal),
        }
    }
}

fn unreadable(method: &str, how: &str, error: &serde_json::Error) -> Refusal {
    let message = format!("the result of {method} cannot be {how}: {error}");
    Refusal::new(RefusalCode::Failed, message)
}

impl Response {
    /// What became of the request with this number.
    #[must_use]
    pub fn new(id: Option<u64>, outcome: ResponseOutcome) -> Self {
        Self {
            jsonrpc: Version::Two,
            id,
            outcome,
        }
    }
}

impl Notification {
    /// What is to be said.
    #[must_use]
    pub fn new(news: News) -> Self {
        Self {
            jsonrpc: Version::Two,
            news,
        }
    }
}

impl Refusal {
    /// A refusal for a person at a panel: what the message advises to type is what they press ([`for_panel`]).
    pub fn new(code: RefusalCode, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self {
            code,
            message: for_panel(&message).into_owned(),
        }
    }
}

/// Whether it may be the name of a session: also of a folder, whatever a panel sends.
///
/// ```
/// use querypoint::session::messages::is_session_name;
/// assert!(is_session_name("tab-12"));
/// assert!(!is_session_name("../etc") && !is_session_name("") && !is_session_name("B"));
/// ```
#[must_use]
pub fn is_session_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_part)
}
