//! What the agent tells the driver: what it posts by its binding, and what the expressions of its interface give
//! (`agent/js/interface.md`). All of it is one enum, which this module alone decodes. The types of the agent's modules
//! are generated from it.
//!
//! A page may post what it likes where it finds the binding, and may have an agent of its own: what is none of these
//! messages is an error that says what was unknown, and never a message with something left out.

use std::collections::BTreeMap;

use querypoint::resolution::Sequence;
use serde::Deserialize;
use serde_json::Value;

use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::replay::InputCounts;
use crate::report::{CapturedCause, CapturedFrame, Greeting, QueryResult, Report};
use crate::sources::DynamicCode;
use cdp_driver::protocol::ProtocolError;

/// A message of the agent: an object with one part, whose name says which it is.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum AgentMessage {
    /// Posted when it begins: where it is.
    Greeting(Greeting),
    /// The state of its document; posted when that is left, and given by `E.report()` and `E.at()`.
    Report(Report),
    /// Posted: events of a trace query.
    Log(LogBatch),
    /// Posted: a text of which the page is about to make code.
    Handed(DynamicCode),
    /// Posted by the recorded inputs: the realm begins.
    RealmBegun(RealmBegun),
    /// Posted by the recorded inputs: when the page asked for an animation frame, in milliseconds since 1970.
    Frames(f64),
    /// Posted by the recorded inputs, where it is kept: what the page read from its clocks.
    ClockReadings(ReadingsTold),
    /// Given by `E.told()`: the event at which a hook has paused the page.
    Event(AgentEvent),
    /// Given by `E.late()`: what queries found, by their numbers.
    Results(BTreeMap<usize, QueryResult>),
    /// Given by `E.threw()`: what an exception counts for.
    Thrown(ThrownCounts),
    /// Given by `E.cause()`: the event that the page is dispatching, if it is.
    Cause(Option<CapturedCause>),
    /// Given by `E.task()` and `E.beginTask()`: the number of the task under way; 0: it has none.
    Task(u64),
    /// Given by `E.lastWriters()`: who wrote last what is in sight.
    LastWriters(Vec<LastWriterTold>),
    /// Given by `E.isReplaced()`: the built-in that the agent relies on and the page has replaced, if any.
    Replaced(Option<String>),
    /// Given by `E.isPaused()`: whether the page is paused in the agent.
    Paused(bool),
    /// Given by `E.identity()`: what tells an object from others.
    Identity(String),
    /// Given by `E.inputs()`: how many events of the user's have come, by kind.
    Inputs(InputCounts),
    /// Given by `LN()`: the nodes around an element that the log knows.
    Nodes(NodesAround),
}

/// Events of one trace query: columns, with a comma between what belongs to one event and to the next.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogBatch {
    /// The number of its document.
    #[cfg_attr(test, ts(as = "f64"))]
    pub(crate) document: DocumentId,
    pub(crate) sequences: String,
    pub(crate) sites: String,
    pub(crate) objects: String,
    pub(crate) changes: String,
    /// How many events were before, and what the user did then.
    pub(crate) marks: Vec<(usize, String)>,
    /// The built-ins, by their numbers.
    pub(crate) native_functions: Vec<String>,
    pub(crate) left_out: u64,
}

/// Who wrote a variable or a property last, as a shadow of live hooks tells it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(crate) struct LastWriterTold {
    /// Of which of the scopes and objects that were asked about it is, from 0.
    pub(crate) scope: usize,
    /// The name under which it runs.
    pub(crate) name: String,
    /// Of what is inside an object: which of those that were asked about.
    pub(crate) index: Option<usize>,
    /// The site of the write; 0: it has none.
    pub(crate) site: u32,
    /// What called the built-in that wrote.
    pub(crate) frame: Option<CapturedFrame>,
    /// Whether it was the user.
    pub(crate) user: bool,
    /// Whether it holds wherever else code without hooks has run.
    pub(crate) sure: bool,
    /// How many tasks ago that was; none: that is not known.
    pub(crate) ago: Option<u32>,
    /// The event that was being dispatched, if one was.
    pub(crate) cause: Option<CapturedCause>,
}

/// Where a realm began, and, while it is recorded, what its random numbers are made of.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(crate) struct RealmBegun {
    pub(crate) place: String,
    pub(crate) seed: Option<String>,
}

/// What the page read from its clocks since it was told last: milliseconds, with commas between them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadingsTold {
    /// Where the realm began.
    pub(crate) place: String,
    /// Since 1970.
    pub(crate) since1970: String,
    /// Since the realm began.
    pub(crate) since_begin: String,
    /// Moments of events and frames, since the realm began.
    pub(crate) moments: String,
}

/// The event at which a hook has paused the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct AgentEvent {
    /// The number of its document.
    #[cfg_attr(test, ts(as = "f64"))]
    pub(crate) document: DocumentId,
    #[serde(flatten)]
    pub(crate) kind: AgentEventKind,
}

/// Which event it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum AgentEventKind {
    /// The reproduction point, or the hook that waits for a question there.
    Point {
        /// Which hit of its task it is, from 0.
        index: u64,
        /// Which hit of its document.
        #[serde(default)]
        hit: u64,
    },
    /// A message of the console that is the reproduction point.
    Console,
    /// A condition was evaluated.
    Condition {
        #[cfg_attr(test, ts(as = "u64"))]
        sequence: Sequence,
        site: i64,
        /// Which of its activation it is, from 0.
        index: u64,
        /// How many operands were handed over.
        operands: u64,
    },
    /// An event of a trace query.
    Event {
        #[cfg_attr(test, ts(as = "u64"))]
        sequence: Sequence,
        /// Its site; negative: the number of the built-in that wrote.
        site: i64,
        by: Option<String>,
        /// Whether it is a write.
        written: bool,
        created: bool,
    },
    /// A property, an entry or a member was written.
    Write(AgentWrite),
    /// A variable was written.
    Assign(AgentWrite),
}

/// A write at which the page is paused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentWrite {
    #[cfg_attr(test, ts(as = "u64"))]
    pub(crate) sequence: Sequence,
    /// Its site; negative: the number of the built-in that wrote.
    pub(crate) site: i64,
    pub(crate) by: Option<String>,
    /// The owner's number.
    pub(crate) number: u64,
    pub(crate) created: bool,
    pub(crate) deleted: bool,
    /// Whether the new value is not known before the write; missing: it is known.
    pub(crate) unknown: Option<bool>,
    /// Whether nobody read the old value; missing: it was read.
    pub(crate) old_unknown: Option<bool>,
    /// Which of the owner's changes it is, from 0.
    pub(crate) index: u64,
    /// What the user did, where nothing of the page runs.
    pub(crate) cause: Option<CapturedCause>,
}

/// What an exception counts for.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ThrownCounts {
    #[cfg_attr(test, ts(as = "f64"))]
    pub(crate) document: DocumentId,
    /// Which one it is, from 1, of those that a query counts, by the query's number.
    pub(crate) numbers: BTreeMap<usize, u64>,
}

/// The numbers that the log has for the nodes around an element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NodesAround {
    /// The element; 0: the log has none.
    pub(crate) own: u32,
    /// The nodes that it is in.
    pub(crate) above: Vec<u32>,
    /// The nodes in it.
    pub(crate) below: Vec<u32>,
    /// The texts in it that somebody can read, in the order of the document.
    pub(crate) texts: Vec<NodeText>,
    /// Whether there are more.
    pub(crate) more: bool,
}

/// A text node in an element that is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NodeText {
    pub(crate) text: String,
    /// The node; 0: the log has none.
    pub(crate) own: u32,
    /// The nodes that it is in that the log has, up to the element that is asked about, the innermost first.
    pub(crate) around: Vec<u32>,
}

/// A message that is none of the agent's, or not the one that was due: what of it was unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent's message is not understood: {0}")]
pub(crate) struct UnknownMessage(String);

impl From<UnknownMessage> for EngineError {
    fn from(unknown: UnknownMessage) -> Self {
        Self::Protocol(unknown.into())
    }
}

impl From<UnknownMessage> for ProtocolError {
    fn from(unknown: UnknownMessage) -> Self {
        Self::Malformed {
            method: "the agent's interface".to_owned(),
            detail: unknown.0,
        }
    }
}

/// How much of a parser's word is told: it may quote what a page has made up.
const LONGEST_DETAIL: usize = 200;

impl AgentMessage {
    /// Decodes what was posted by the binding.
    ///
    /// # Errors
    /// If it is no message of the agent: says what in it is unknown or missing.
    pub(crate) fn posted(payload: &str) -> Result<Self, UnknownMessage> {
        serde_json::from_str(payload).map_err(|error| {
            let detail: String = error.to_string().chars().take(LONGEST_DETAIL).collect();
            UnknownMessage(detail)
        })
    }

    /// Which message a posted text is, without decoding it: some are large.
    pub(crate) fn name_of(payload: &str) -> Option<&str> {
        payload.strip_prefix("{\"")?.split('"').next()
    }

    /// Its name.
    fn name(&self) -> &'static str {
        match self {
            Self::Greeting(_) => "greeting",
            Self::Report(_) => "report",
            Self::Log(_) => "log",
            Self::Handed(_) => "handed",
            Self::RealmBegun(_) => "realmBegun",
            Self::Frames(_) => "frames",
            Self::ClockReadings(_) => "clockReadings",
            Self::Event(_) => "event",
            Self::Results(_) => "results",
            Self::Thrown(_) => "thrown",
            Self::Cause(_) => "cause",
            Self::Task(_) => "task",
            Self::LastWriters(_) => "lastWriters",
            Self::Replaced(_) => "replaced",
            Self::Paused(_) => "paused",
            Self::Identity(_) => "identity",
            Self::Inputs(_) => "inputs",
            Self::Nodes(_) => "nodes",
        }
    }
}

/// What an expression of the agent's interface gives.
pub(crate) trait AgentAnswer: Sized {
    /// The name of the message.
    const NAME: &'static str;

    /// What is in a message of that name; of another one its name.
    fn of(message: AgentMessage) -> Result<Self, &'static str>;
}

macro_rules! answers {
    ($($variant:ident $name:literal $type:ty),+ $(,)?) => {$(
        impl AgentAnswer for $type {
            const NAME: &'static str = $name;

            fn of(message: AgentMessage) -> Result<Self, &'static str> {
                match message {
                    AgentMessage::$variant(content) => Ok(content),
                    other => Err(other.name()),
                }
            }
        }
    )+};
}

answers! {
    Greeting "greeting" Greeting,
    Report "report" Report,
    Log "log" LogBatch,
    RealmBegun "realmBegun" RealmBegun,
    Frames "frames" f64,
    ClockReadings "clockReadings" ReadingsTold,
    Event "event" AgentEvent,
    Results "results" BTreeMap<usize, QueryResult>,
    Thrown "thrown" ThrownCounts,
    Cause "cause" Option<CapturedCause>,
    Task "task" u64,
    LastWriters "lastWriters" Vec<LastWriterTold>,
    Replaced "replaced" Option<String>,
    Paused "paused" bool,
    Identity "identity" String,
    Inputs "inputs" InputCounts,
    Nodes "nodes" NodesAround,
}

/// What an expression of the interface gave: the text of a message.
///
/// # Errors
/// If it is no such message, or another one than `T`.
pub(crate) fn answered<T: AgentAnswer>(value: &Value) -> Result<T, UnknownMessage> {
    let Some(text) = value.as_str() else {
        let what = if value.is_null() {
            "nothing"
        } else {
            "no text"
        };
        let expected = T::NAME;
        return Err(UnknownMessage(format!("{what}, where `{expected}` is due")));
    };
    T::of(AgentMessage::posted(text)?).map_err(|other| {
        let expected = T::NAME;
        UnknownMessage(format!("`{other}`, where `{expected}` is due"))
    })
}

/// The same of what was posted, if it is that message; `None`: it is another, or not understood, which whoever takes
/// the page's messages tells.
pub(crate) fn posted_as<T: AgentAnswer>(payload: &str) -> Option<T> {
    let name = AgentMessage::name_of(payload)?;
    if name != T::NAME {
        return None;
    }
    T::of(AgentMessage::posted(payload).ok()?).ok()
}

/// The number of a site in its script; 0: a built-in wrote.
pub(crate) fn site_number(site: i64) -> u32 {
    u32::try_from(site).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use ts_rs::TS as _;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;
    use crate::report;

    /// The types that the agent's modules have for what they tell are those that it is read by.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn the_generated_types_are_those_of_the_messages() {
        let types = ts_rs::Config::new().with_large_int("number");
        let mut declarations = report::declarations(&types);
        declarations.extend([
            AgentMessage::decl(&types),
            LogBatch::decl(&types),
            RealmBegun::decl(&types),
            ReadingsTold::decl(&types),
            AgentEvent::decl(&types),
            AgentEventKind::decl(&types),
            AgentWrite::decl(&types),
            ThrownCounts::decl(&types),
            LastWriterTold::decl(&types),
            DynamicCode::decl(&types),
            NodesAround::decl(&types),
            NodeText::decl(&types),
            crate::sources::InMemoryScript::decl(&types),
        ]);
        let mut text =
            "// Made of the types in `engine/src/agent_message.rs` and `engine/src/report.rs` by a test: see there.\n"
                .to_owned();
        for declaration in declarations {
            text.push_str("\nexport ");
            for line in declaration.lines() {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent/js/reports.d.ts");
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap();
        assert_eq!(committed, text, "INSTA_UPDATE=always writes it");
    }

    /// What the agent calculates with as the domain and the rewriter do is said once.
    #[test]
    fn the_agents_constants_are_those_of_the_domain_and_the_rewriter() {
        let numbers = querypoint::resolution::Sequence::NUMBERS_OF_A_QUERY;
        let most = querypoint::execution_line::MOST_EVENTS;
        let bits = js_analysis::rewrite::SITE_BITS;
        let text = format!(
            "// Constants of the crates `querypoint` and `js-analysis`: a test in `engine/src/agent_message.rs` compares \
             them.\n\n\
             export const NUMBERS_OF_A_QUERY = {numbers};\nexport const MOST_EVENTS = {most};\n\
             // How many bits of a shadow's number are the site's.\nexport const SITE_BITS = {bits};\n"
        );
        let committed = include_str!("../../agent/js/constants.js");
        assert_eq!(committed, text, "agent/js/constants.js is to be this text");
    }

    /// The page for those who write the agent lists the messages, and no others.
    #[test]
    fn the_interface_lists_these_messages() {
        let page = include_str!("../../agent/js/interface.md");
        let (_, section) = page.split_once("## What the driver is told").unwrap();
        let rows = section.lines().take_while(|line| !line.starts_with("## "));
        let documented: Vec<&str> = rows
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let types = ts_rs::Config::new();
        let declared = AgentMessage::decl(&types);
        let declared = declared.split("{ \"").skip(1);
        let declared: Vec<&str> = declared.filter_map(|part| part.split('"').next()).collect();
        assert_eq!(documented, declared);
    }

    fn unknown(payload: &str) -> String {
        AgentMessage::posted(payload).unwrap_err().to_string()
    }

    #[test]
    fn what_is_unknown_is_named() {
        let told = unknown(r#"{"repport":{"hits":1}}"#);
        assert!(told.contains("unknown variant `repport`"), "{told}");
        let told = unknown(r#"{"report":{"document":1}}"#);
        assert!(told.contains("missing field `hits`"), "{told}");
        let told = unknown(r#"{"event":{"document":1,"kind":"bang"}}"#);
        assert!(told.contains("unknown variant `bang`"), "{told}");
        let told = unknown(r#"{"task":"7"}"#);
        assert!(told.contains("invalid type: string"), "{told}");
        assert!(unknown(&format!("{{\"{}\":1}}", "x".repeat(9000))).len() < 300);
    }

    #[test]
    fn another_message_than_the_one_that_is_due_is_named() {
        let told = answered::<u64>(&json!(r#"{"paused":true}"#)).unwrap_err();
        assert_eq!(
            told.to_string(),
            "the agent's message is not understood: `paused`, where `task` is due"
        );
        let told = answered::<u64>(&Value::Null).unwrap_err();
        assert!(told.to_string().ends_with("nothing, where `task` is due"));
        assert!(answered::<u64>(&json!(7)).is_err());
        assert_eq!(answered::<u64>(&json!(r#"{"task":7}"#)), Ok(7));
    }

    #[test]
    fn an_event_has_what_its_kind_needs() {
        let read = |event: Value| {
            let text = json!({ "event": event }).to_string();
            answered::<AgentEvent>(&json!(text))
        };
        let write = json!({
            "document": 0.5, "kind": "write", "sequence": 9, "site": -2, "by": "Array.prototype.push", "number": 4,
            "created": false, "deleted": true, "index": 3, "operands": 0,
        });
        let event = read(write.clone()).unwrap();
        assert_eq!(event.document, DocumentId::from(0.5));
        let AgentEventKind::Write(read_write) = event.kind else {
            panic!("{event:?}");
        };
        assert_eq!((read_write.sequence.number(), read_write.number), (9, 4));
        assert_eq!(site_number(read_write.site), 0);
        assert_eq!(read_write.unknown, None);
        for part in [
            "sequence", "site", "number", "created", "deleted", "index", "document", "kind",
        ] {
            let mut without = write.clone();
            without.as_object_mut().unwrap().remove(part);
            let error = read(without).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn a_posted_message_is_taken_by_whom_it_is_for() {
        let payload = r#"{"realmBegun":{"place":"frame  /"}}"#;
        assert_eq!(posted_as::<RealmBegun>(payload).unwrap().place, "frame  /");
        assert!(posted_as::<f64>(payload).is_none());
        assert_eq!(posted_as::<f64>(r#"{"frames":12.5}"#), Some(12.5));
        assert_eq!(posted_as::<f64>(r#"{"frames":{}}"#), None);
    }

    /// A page may post anything: half a message is none, whatever the rest would be.
    #[test]
    fn no_part_of_a_message_is_one() {
        for whole in [
            r#"{"report":{"document":0.5,"hits":3,"sequence":9,"counts":{"1":2}}}"#,
            r#"{"handed":{"kind":"function","open":"function","parameters":"a","body":"1"}}"#,
            r#"{"event":{"document":1,"kind":"condition","sequence":9,"site":1,"index":0,"operands":2}}"#,
            r#"{"cause":{"type":"click"}}"#,
        ] {
            assert!(AgentMessage::posted(whole).is_ok(), "{whole}");
            for end in 0..whole.len() {
                assert!(
                    AgentMessage::posted(&whole[..end]).is_err(),
                    "{}",
                    &whole[..end]
                );
            }
            assert!(AgentMessage::posted(&format!("{whole}{whole}")).is_err());
        }
    }

    /// Nor is one with a name of ours that holds something else.
    #[test]
    fn a_message_has_the_content_of_its_name() {
        let contents = [
            json!(null),
            json!(-1),
            json!(1e300),
            json!([]),
            json!("x"),
            json!({ "document": 1, "hits": -1 }),
            json!({ "document": "1", "hits": 1 }),
            json!({ "kind": "eval", "site": -1, "text": "" }),
            json!({ "x": { "status": "found" } }),
            json!({ "0": { "status": "lost" } }),
            json!({ "document": 1, "numbers": { "0": -5 } }),
            json!({ "document": 1, "kind": "point", "index": 1e30 }),
        ];
        let mut taken = Vec::new();
        for name in [
            "greeting",
            "report",
            "log",
            "handed",
            "realmBegun",
            "frames",
            "clockReadings",
            "event",
            "results",
            "thrown",
            "cause",
            "task",
            "replaced",
            "paused",
            "identity",
            "inputs",
            "bang",
        ] {
            for content in &contents {
                let payload = json!({ name: content }).to_string();
                if AgentMessage::posted(&payload).is_ok() {
                    taken.push(payload);
                }
            }
        }
        let right = [
            r#"{"frames":-1}"#,
            r#"{"frames":1e+300}"#,
            r#"{"cause":null}"#,
            r#"{"replaced":null}"#,
            r#"{"replaced":"x"}"#,
            r#"{"identity":"x"}"#,
        ];
        assert_eq!(taken, right);
    }
}
