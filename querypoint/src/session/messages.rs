//! What a panel and the back end say to each other: JSON-RPC 2.0, each message one text frame of a WebSocket.
//!
//! A panel sends a [`Request`] and gets one [`Response`] with its `id`, when it is done; several can be under way. In
//! between, and to every panel that has the session open, the back end sends a [`Notification`] when something changes.
//! `docs/reference/protocol.md` describes them, `docs/protocol.schema.json` has their JSON; a test keeps the three together.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::differences::PointDifference;
use super::stop::Stop;
use super::{Laned, Session};
use crate::answer::Variable;
use crate::execution_line::ExecutionLine;

/// The number of this protocol. Another one is another language.
pub const PROTOCOL: u32 = 1;

/// The name by which a WebSocket of this protocol is asked for (`Sec-WebSocket-Protocol`).
pub const SUBPROTOCOL: &str = "querypoint.1";

/// What the secret of the back end has before it, as a second name in `Sec-WebSocket-Protocol`.
pub const SECRET_PREFIX: &str = "secret.";

/// A longer message, in bytes, ends its connection. Queries and expressions are far smaller; where a page stands still
/// in a recursion of ten thousand calls, its debugger tells of each, which is more than 10 MiB.
pub const LARGEST_MESSAGE: usize = 64 << 20;

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
    /// Its text before and behind the null that stands for what its call passes on (the parameters of an event, the
    /// result of a command): who puts that in between need not have read it. `None`: the call passes nothing on.
    ///
    /// ```
    /// use querypoint::session::messages::{Call, Request};
    /// let (event, params) = ("Debugger.resumed".to_owned(), serde_json::Value::Null);
    /// let (before, behind) = Request::new(7, Call::Event { event, params }).around().unwrap();
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

/// What can be wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "kebab-case")]
pub enum Call {
    /// Which sessions are kept.
    Sessions {},
    /// Takes up a session, which is made if there is none of that name. What comes after it in the same connection is
    /// about this one.
    Open {
        /// 1 to 64 lower-case letters, digits and `-`.
        session: String,
    },
    /// Deletes the open session and what it keeps; for 30 days `undo` brings it back.
    Forget {},
    /// Takes back what was done last in the session: it is as it was before, with its recording and its answers.
    Undo {},
    /// Does again what was taken back last.
    Redo {},
    /// Goes to another page, with nothing asked of it yet: in a new session, if something was done in this one.
    Page {
        /// A URL, or a path to an HTML file.
        page: String,
    },
    /// Opens the page for the user and records what they do, until `stop`, or until they close it. A second recording
    /// is kept in a new session.
    Record {
        /// Whether it is recorded in the tab that shows the page already, instead of one of its own.
        #[serde(default)]
        in_open_tab: bool,
    },
    /// Ends the recording that is under way, and keeps it.
    Stop {},
    /// Replays the recording once, and asks again what was asked.
    Replay {
        /// Whether at the pace at which it was recorded.
        #[serde(default)]
        at_recorded_pace: bool,
    },
    /// Takes another reproduction point, goes there and says what is so there; what was asked is asked again.
    At {
        /// The point, such as `app.js:22`.
        point: String,
    },
    /// Asks one query more.
    Ask {
        /// The query, with a name for its point or without.
        query: String,
        /// The reproduction point, if the page stopped somewhere else than before: then what was asked there is over,
        /// and stays in its session; this is asked in a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
    },
    /// Asks all anew.
    Again {},
    /// Has an expression evaluated at each point.
    Watch {
        /// JavaScript.
        expression: String,
    },
    /// Does so no longer.
    Unwatch {
        /// The expression, as it is watched.
        expression: String,
    },
    /// Gives a point another name, wherever it is used.
    Rename {
        /// The point.
        point: String,
        /// Its new name.
        to: String,
    },
    /// Removes a point and all that was asked at it, in turn.
    Remove {
        /// The point.
        point: String,
    },
    /// The text of a source file of the page, as its author wrote it.
    Source {
        /// Its address, as in the answer.
        url: String,
    },
    /// The session as a command line.
    CommandLine {},
    /// The answer as one page of HTML.
    Html {},
    /// Ends what is being done; the session stays as it was before.
    Cancel {},
    /// Runs the page once more and leaves it standing at a point of the answer, where developer tools can step on,
    /// until `cancel` or until its tab is closed.
    Stand {
        /// The point.
        point: String,
    },
    /// What an object has inside at a point of the answer: the page is run once more for it.
    Unfold {
        /// The point.
        point: String,
        /// What gives the object in the newest frame there, as in a query: `cart.items[0]`.
        expression: String,
    },
    /// What the query of a point looked through: all writes of the name, and why each was not the one. The session's
    /// queries are asked once more for it.
    ExecutionLine {
        /// The point.
        point: String,
    },
    /// From now on this panel passes on what the back end says to the tab that a person debugs (`command`), and what
    /// that answers (`answered`) and says by itself (`event`), in the words of the DevTools protocol. The back end then
    /// tells where the page stops.
    Attach {},
    /// It does so no longer.
    Detach {},
    /// Has the tab that is debugged stop at a line from now on, whenever it comes there.
    Break {
        /// The address of the script or the document, as the tab has it; or of the source that its source map names.
        url: String,
        /// 1-based.
        line: u32,
        /// The address of the script that it runs as, where it comes through a source map.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runs_as: Option<String>,
    },
    /// It does so no longer.
    Unbreak {
        /// What `break` was answered with.
        breakpoint: String,
    },
    /// Reads what the tab that is debugged shows now: the address and the title of its document and, if the page stands
    /// at the reproduction point or that is the end, what a query asks about there. Nothing is changed by it.
    Look {
        /// The query; none: the document alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    /// What the tab answered to a `command`.
    Answered {
        /// The number of the command.
        command: u64,
        /// Its result; none: it was refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why it was refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// What the tab said by itself, of the events that `attach` was answered with.
    Event {
        /// Its name.
        event: String,
        /// Its parameters.
        params: Value,
    },
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The version of JSON-RPC.
    pub jsonrpc: Version,
    /// That of the request; none where the request could not be read.
    pub id: Option<u64>,
    /// It, or why not.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The result of a request, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was done.
    Result(Box<Given>),
    /// It was not.
    Error(Refusal),
}

/// What comes of a request that was done. Members that do not apply are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// Of `ask`: the name of the new point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// Of `page`, `record` and `ask`: the new session that it was done in, where the one that was open before holds
    /// something that would have gone otherwise; that one stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Of `sessions`: the latest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionOutline>>,
    /// Of `sessions`: those that were deleted and that `undo` brings back once they are open, the latest first; absent:
    /// there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<SessionOutline>>,
    /// Of `source`, `command-line` and `html`: the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of `replay`: where it was another one than when it was recorded; of `unfold` and `execution-line`: how the page
    /// differed from the answer; and what else is to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// Of `replay`: the points that are others than before, once what was asked was asked again; absent where there was
    /// no answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<PointDifference>>,
    /// Of `unfold`: the object's own properties; of `look`: what the tab has, as far as it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<Variable>>,
    /// Of `execution-line`: it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_line: Option<Box<ExecutionLine>>,
    /// Of `break`: by which the breakpoint is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakpoint: Option<String>,
    /// Of `break`: the line (1-based) at which it stops, the next one with code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Of `attach`: the events of the tab that are to be passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
}

/// A session that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOutline {
    /// Its name.
    pub session: String,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// How many queries were asked.
    pub queries: usize,
    /// When it last changed, in milliseconds since 1970.
    pub changed_ms: u64,
}

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
    /// It was done and came to nothing: the page or the browser was lost, time was up.
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

/// A number that stands for no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode(i32);

impl fmt::Display for UnknownCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is no code of a refusal", self.0)
    }
}

/// What the back end says by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// The version of JSON-RPC.
    pub jsonrpc: Version,
    /// What.
    #[serde(flatten)]
    pub news: News,
}

/// What there is to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// To a panel that is attached: the page stands still, or goes on again.
    Stopped {
        /// Where; none: it goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Box<Stop>>,
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
    /// The page is brought to a point, and stands there.
    Standing,
    /// The page is brought to a point, to look into a value.
    Unfolding,
    /// The page is run to log what a query looked through.
    Tracing,
}

impl Request {
    /// A request with this number.
    #[must_use]
    pub fn new(id: u64, call: Call) -> Self {
        Self {
            jsonrpc: Version::Two,
            id,
            call,
        }
    }
}

impl Response {
    /// What became of the request with this number.
    #[must_use]
    pub fn new(id: Option<u64>, outcome: Outcome) -> Self {
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
    /// A refusal for a person.
    pub fn new(code: RefusalCode, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
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
