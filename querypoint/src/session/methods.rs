//! The methods of the protocol: what each takes, and which result is its own.
//!
//! A method is a type that holds its parameters; [`Method::Result`] is what comes of it. [`Call`] is any of them, as a
//! request has it.
//!
//! ```
//! use querypoint::session::messages::ResponseOutcome;
//! use querypoint::session::methods::Ask;
//! use querypoint::session::results::Asked;
//! let asked = Asked { point: "B".to_owned(), session: None };
//! let outcome = ResponseOutcome::of::<Ask>(Ok(asked.clone()));
//! assert_eq!(serde_json::to_string(&outcome).unwrap(), r#"{"result":{"point":"B"}}"#);
//! assert_eq!(outcome.into_result::<Ask>(), Ok(asked));
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::results::{
    Asked, Attached, BreakpointSet, CallPage, CallShown, CandidateWrites, ComparedLogs, Diagnosed,
    Expanded, FrameVariables, LogList, LogRecorded, Moved, Nothing, PointPicture, Replayed,
    SessionList, TabState, Text,
};
use crate::diagnosis::CallAnswer;
use crate::events::EventsResult;

/// A method with its parameters.
pub trait Method: Into<Call> + Send + 'static {
    /// Its name in a message.
    const NAME: &'static str;
    /// What comes of it, and of no other.
    type Result: Serialize + DeserializeOwned + Send + 'static;

    /// The session that it began, where it began one; the connection has that one open from then on.
    fn new_session(_: &Self::Result) -> Option<&str> {
        None
    }
}

/// Makes [`Call`] of the methods, and pairs each with its result.
macro_rules! methods {
    ($($name:literal: $method:ident => $result:ident $(, begins $session:ident)?;)*) => {
        /// Any method, with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", content = "params")]
        pub enum Call {
            $(
                #[doc = concat!("[`", stringify!($method), "`]")]
                #[serde(rename = $name)]
                $method($method),
            )*
        }

        $(
            impl From<$method> for Call {
                fn from(method: $method) -> Self {
                    Self::$method(method)
                }
            }

            impl Method for $method {
                const NAME: &'static str = $name;
                type Result = $result;

                $(
                    fn new_session(result: &$result) -> Option<&str> {
                        result.$session.as_deref()
                    }
                )?
            }
        )*
    };
}

methods! {
    "sessions": Sessions => SessionList;
    "open": Open => Nothing;
    "delete": Delete => Nothing;
    "end-back-end": EndBackEnd => Nothing;
    "undo": Undo => Nothing;
    "redo": Redo => Nothing;
    "page": Page => Moved, begins session;
    "example": Example => Moved, begins session;
    "record": Record => Moved, begins session;
    "stop": Stop => Nothing;
    "step": StepText => Text;
    "edit-step": EditStep => Replayed;
    "end-after": EndAfter => Replayed;
    "replay-up-to": ReplayUpTo => Nothing;
    "record-tab": RecordTab => Moved, begins session;
    "take-recording": TakeRecording => Moved, begins session;
    "delete-tab-recording": DeleteTabRecording => Nothing;
    "replay": Replay => Replayed;
    "at": At => Nothing;
    "ask": Ask => Asked, begins session;
    "again": Again => Nothing;
    "watch": Watch => Nothing;
    "unwatch": Unwatch => Nothing;
    "rename": Rename => Nothing;
    "remove": Remove => Nothing;
    "source": Source => Text;
    "command-line": CommandLine => Text;
    "html": Html => Text;
    "cancel": Cancel => Nothing;
    "pause-at": PauseAt => Nothing;
    "picture": Picture => PointPicture;
    "expand": Expand => Expanded;
    "frame": Frame => FrameVariables;
    "execution-line": ExecutionLine => CandidateWrites;
    "log": Log => LogRecorded;
    "logs": Logs => LogList;
    "delete-log": DeleteLog => Nothing;
    "calls": Calls => CallPage;
    "events": Events => EventsResult;
    "event-point": EventPoint => Text;
    "compare-logs": CompareLogs => ComparedLogs;
    "diagnose": Diagnose => Diagnosed;
    "judge": Judge => Diagnosed;
    "take-back": TakeBack => Diagnosed;
    "show-call": ShowCall => CallShown;
    "attach": Attach => Attached;
    "detach": Detach => Nothing;
    "break": Break => BreakpointSet;
    "unbreak": Unbreak => Nothing;
    "look": Look => TabState;
    "live": Live => Nothing;
    "look-inside": LookInside => Expanded;
    "select-element": SelectElement => Nothing;
    "end-selecting": EndSelecting => Nothing;
    "answered": Answered => Nothing;
    "event": Event => Nothing;
}

/// Which sessions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {}

/// Opens a session, which is made if there is none of that name. What comes after it in the same connection is
/// about this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// 1 to 64 lower-case letters, digits and `-`.
    pub session: String,
}

/// Deletes the open session and what it keeps; for 30 days `undo` brings it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {}

/// Ends the back end: what is being done is cancelled, sessions are kept, and each connection is closed with the code
/// [`super::messages::ENDED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndBackEnd {
    /// Whether another one takes its place: then it is refused while something is being done, and the code is that of
    /// any end, after which a panel looks for the next.
    #[serde(default)]
    pub for_another: bool,
}

/// Takes back what was done last in the session: it is as it was before, with its recording and its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {}

/// Does again what was taken back last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redo {}

/// Goes to another page, with nothing asked of it yet: in a new session, if something was done in this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// A URL, or a path to an HTML file.
    pub page: String,
}

/// Goes to the page that is shipped with the program, with its recording and its reproduction point: in a new session,
/// if something was done in this one. `again` reads the state there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {}

/// Opens the page for the user and records what they do, until `stop`, or until they close it. A second recording
/// is kept in a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Whether it is recorded in the tab that shows the page already, instead of one of its own.
    #[serde(default)]
    pub in_open_tab: bool,
}

/// Ends the recording that is in progress, and keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {}

/// A step of the recording, as JSON that `edit-step` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepText {
    /// Its number, from 1.
    pub number: usize,
}

/// Writes a step of the recording anew, or takes it out, and asks again what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditStep {
    /// Its number, from 1.
    pub number: usize,
    /// What it is to be, as JSON; none: it is taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// Takes out all steps of the recording after one, and asks again what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndAfter {
    /// The number of the last that stays, from 1.
    pub number: usize,
}

/// Replays the recording up to a step and leaves the page there, for a person to go on with, until `cancel` or until
/// its tab is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayUpTo {
    /// The number of the last step that is done, from 1.
    pub number: usize,
}

/// Loads the tab that is debugged again and records what the person does in it, until `stop`. A second recording is
/// kept in a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordTab {}

/// Takes over what was recorded in the tab that is debugged since its page was loaded, at most ten minutes of it. A
/// second recording is kept in a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeRecording {}

/// Drops what was recorded in the tab that is debugged. A session that is open and has a recording of a tab is removed
/// with it, with all of its states; `undo` brings neither back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteTabRecording {}

/// Replays the recording once, and asks again what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// Whether at the pace at which it was recorded.
    #[serde(default)]
    pub at_recorded_pace: bool,
}

/// Takes another reproduction point, goes there and says what is so there; what was asked is asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// The point, such as `app.js:22`.
    pub point: String,
}

/// Asks one query more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The query, with a name for its point or without.
    pub query: String,
    /// The reproduction point, if the page stopped somewhere else than before: then what was asked there is over,
    /// and stays in its session; this is asked in a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Asks all anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {}

/// Has an expression evaluated at each point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// JavaScript.
    pub expression: String,
}

/// Does so no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwatch {
    /// The expression, as it is watched.
    pub expression: String,
}

/// Gives a point another name, wherever it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// The point.
    pub point: String,
    /// Its new name.
    pub to: String,
}

/// Removes a point and all that was asked at it, in turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remove {
    /// The point.
    pub point: String,
}

/// The original source of a file of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its address, as in the answer.
    pub url: String,
    /// The event log that names it, by its number; none: the answer does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<u32>,
}

/// The session as a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {}

/// The answer as one page of HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Html {}

/// Ends what is being done; the session stays as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {}

/// Runs the page once more and leaves it paused at a point of the answer, where developer tools can step on,
/// until `cancel` or until its tab is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseAt {
    /// The point.
    pub point: String,
}

/// What the tab showed at a point of the answer, where a picture was taken as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The point.
    pub point: String,
}

/// What an object has inside at a point of the answer: the page is run once more for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expand {
    /// The point.
    pub point: String,
    /// What gives the object in the frame there, as in a query: `cart.items[0]`.
    pub expression: String,
    /// The frame: 0 is the newest.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frame: usize,
    /// How many of the properties that fit are passed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
    /// What the name or the value of a property must have in it; empty: nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
}

/// What a frame of the stack at a point of the answer sees: the page is run once more for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The point.
    pub point: String,
    /// The frame: 0 is the newest.
    pub frame: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The candidate writes of a point's query: all writes of the name, and why each was not the one. The session's
/// queries are asked once more for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionLine {
    /// The point.
    pub point: String,
}

/// Runs the page once and records everything that it does, in an event log that is kept with the session: the last
/// five are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {}

/// Which event logs are kept with the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs {}

/// Removes an event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteLog {
    /// Its number.
    pub log: u32,
}

/// A part of the call tree of an event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// Its number.
    pub log: u32,
    /// The call or the task whose calls are wanted, by the event with which it begins; none: the tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// How many of them are passed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
}

/// Asks an event log a question of its catalogue, or one that somebody composed. `R` is the reproduction point, if the
/// log has it, else its end. Of the events that it finds 200 at most are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// Its number.
    pub log: u32,
    /// The question.
    pub query: String,
    /// How many of the events that it finds are passed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
}

/// The reproduction point that leads a replay to where an event of a log happened: its line, and which hit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPoint {
    /// The number of the log.
    pub log: u32,
    /// The number of the event.
    pub event: u64,
    /// Of a call: its beginning or its end is wanted, and not the place where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_call: Option<CallEnd>,
}

/// An end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallEnd {
    /// Where it begins.
    Begin,
    /// Where it ends.
    End,
}

/// Finds where two event logs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareLogs {
    /// The one.
    pub left: u32,
    /// The other.
    pub right: u32,
}

/// Begins to look for the faulty call of an event log, or goes on with it: what was answered is kept with the log.
/// Answers that nobody has to give are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnose {
    /// The number of the log.
    pub log: u32,
    /// How the next call is chosen from now on, as `diagnose --strategy` names it; none: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
}

/// Says of a call whether it did what it should. It may be any call of the log, not only the one that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judge {
    /// The number of the log.
    pub log: u32,
    /// The call, by the event with which it begins.
    pub call: u64,
    /// What is said.
    pub answer: CallAnswer,
}

/// Takes back what was said of a call, and what followed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeBack {
    /// The number of the log.
    pub log: u32,
    /// The call, by the event with which it begins; none: the one that was judged last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
}

/// What a call was given, gave and changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShowCall {
    /// The number of the log.
    pub log: u32,
    /// The call, by an event in it.
    pub call: u64,
}

/// From now on this panel passes on what the back end says to the tab that a person debugs (`command`), and what
/// that answers (`answered`) and says by itself (`event`), in the words of the DevTools protocol. The back end then
/// tells where the page stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attach {}

/// It does so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detach {}

/// Has the tab that is debugged stop at a line from now on, whenever it comes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// The address of the script or the document, as the tab has it; or of the source that its source map names.
    pub url: String,
    /// 1-based.
    pub line: u32,
    /// The address of the script that it runs as, where it comes through a source map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_as: Option<String>,
}

/// It does so no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unbreak {
    /// What `break` was answered with.
    pub breakpoint: String,
}

/// Reads what the tab that is debugged shows now: the address and the title of its document and, if the page is paused
/// at the reproduction point or that is the end, what a query asks about there. Nothing is changed by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The query; none: the document alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// Loads the tab that is debugged again, with hooks that leave with every value which line wrote it last; at each stop
/// these are told from then on. Or without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Whether with them.
    pub on: bool,
}

/// What an object has inside where the tab that is debugged has paused. Nothing is run for it, and nothing changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookInside {
    /// What gives the object in the frame there, as in a query: `cart.items[0]`.
    pub expression: String,
    /// The frame: 0 is the newest.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frame: usize,
    /// How many of the properties that fit are passed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
    /// What the name or the value of a property must have in it; empty: nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
}

/// Has the next press in the tab that is debugged select an element; `selected` says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectElement {}

/// Cancels that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndSelecting {}

/// What the tab answered to a `command`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The number of the command.
    pub command: u64,
    /// Its result; none: it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What the tab said by itself, of the events that `attach` was answered with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its name.
    pub event: String,
    /// Its parameters.
    pub params: Value,
}
