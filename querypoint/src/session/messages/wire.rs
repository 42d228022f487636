//! Messages as they are read. All is decoded from JSON values, nothing from the buffers that serde has for tagged and
//! flattened types: each way of decoding a session with its answer is code of its own, and a panel downloads it.

use serde::Deserialize;
use serde_json::Value;

use crate::session::reading::Json;

use super::{
    Doing, Laned, Picked, Refusal, ResponseOutcome, ResultJson, Session, Stop, TabRecorded, Version,
};

/// A response before it is known whether it has a result.
#[derive(Deserialize)]
pub(super) struct Response {
    jsonrpc: Version,
    id: Option<u64>,
    result: Option<ResultJson>,
    error: Option<Refusal>,
}

impl TryFrom<Response> for super::Response {
    type Error = &'static str;

    fn try_from(read: Response) -> Result<Self, Self::Error> {
        let outcome = match (read.result, read.error) {
            (Some(result), None) => ResponseOutcome::Result(result),
            (None, Some(refusal)) => ResponseOutcome::Error(refusal),
            _ => return Err("a response has a result or an error"),
        };
        Ok(Self {
            jsonrpc: read.jsonrpc,
            id: read.id,
            outcome,
        })
    }
}

/// A notification before its method is known.
#[derive(Deserialize)]
pub(super) struct Notification {
    jsonrpc: Version,
    method: String,
    params: Value,
}

impl TryFrom<Notification> for super::Notification {
    type Error = serde_json::Error;

    fn try_from(read: Notification) -> Result<Self, Self::Error> {
        let tagged = Value::from_iter([(read.method, read.params)]);
        Ok(Self {
            jsonrpc: read.jsonrpc,
            news: News::deserialize(Json(tagged))?,
        })
    }
}

/// The members of [`super::News`]; the compiler holds the two together.
#[derive(Deserialize)]
#[serde(remote = "super::News", rename_all = "kebab-case")]
enum News {
    Welcome {
        protocol: u32,
        version: String,
        connected: bool,
        #[serde(default)]
        in_background: bool,
    },
    Session {
        name: String,
        session: Box<Session>,
        graph: Vec<Laned>,
        #[serde(default)]
        doing: Option<Doing>,
        #[serde(default)]
        undo: bool,
        #[serde(default)]
        redo: bool,
    },
    Progress {
        stage: String,
        #[serde(default)]
        done: Option<usize>,
        #[serde(default)]
        of: Option<usize>,
    },
    Step {
        number: usize,
        step: String,
    },
    Command {
        command: u64,
        name: String,
        params: Value,
    },
    Stopped {
        #[serde(default)]
        stop: Option<Box<Stop>>,
    },
    Recorded {
        #[serde(default)]
        recorded: Option<TabRecorded>,
    },
    Selected {
        #[serde(default)]
        element: Option<Picked>,
        #[serde(default)]
        cancelled: bool,
    },
}
