//! A call as data, for functions that judge it: what it was given and what came of it, with the objects that these
//! reach, as they were when it began and as they were when it ended.
//!
//! ```json
//! { "function": "half", "url": "http://h/a.js", "line": 3, "ended": "returned",
//!   "entry": { "this": ["u"], "arguments": [["n", "4"]], "objects": {} },
//!   "exit": { "this": ["u"], "arguments": [["n", "4"]], "value": ["n", "2"], "objects": {} } }
//! ```
//! A value is a pair: its kind, and what it is as a text; of an object its number in `objects`. `["?"]` was not
//! recorded. An object has its class, its fields, and whether the log has all of it.

use std::collections::BTreeMap;

use event_log::model::{CallOutcome, Key, plain_text};
use event_log::value::Value;
use serde_json::{Map, Value as Json, json};

use crate::log::LogTree;
use crate::state::{inner_state, properties};
use crate::tree::NodeId;
use crate::view::found_call;

/// So many objects are handed over; what is behind them was not recorded, so to speak.
const MOST_OBJECTS: usize = 20_000;
/// And so many fields of each.
const MOST_FIELDS: usize = 10_000;

/// A call as data; `None`: the node is no call.
#[must_use]
pub fn call_data(log: &LogTree<'_>, node: NodeId) -> Option<Json> {
    let call = log.call(node)?;
    let found = found_call(log, node)?;
    let (ended, result) = match call.outcome {
        CallOutcome::Returned(value) => ("returned", value),
        CallOutcome::Threw => ("threw", log.thrown(node).unwrap_or(Value::Unknown)),
        CallOutcome::Open if call.suspended => ("suspended", Value::Unknown),
        CallOutcome::Open => ("open", Value::Unknown),
    };
    let side = |at: u32, result: Option<Value>| {
        let mut graph = Graph {
            log,
            stream: call.stream,
            at,
            objects: BTreeMap::new(),
            open: Vec::new(),
        };
        let mut side = Map::new();
        side.insert("this".to_owned(), graph.value(call.this));
        let arguments = log.model().arguments_of(call);
        let arguments = arguments.map(|it| it.iter().map(|&it| graph.value(it)).collect::<Json>());
        side.insert("arguments".to_owned(), arguments.unwrap_or(Json::Null));
        if let Some(result) = result {
            side.insert("value".to_owned(), graph.value(result));
        }
        side.insert("objects".to_owned(), graph.finish());
        Json::Object(side)
    };
    Some(json!({
        "function": found.function,
        "url": found.location.as_ref().map(|it| it.url.as_str()),
        "line": found.location.as_ref().map(|it| it.line),
        "ended": ended,
        "entry": side(call.enter, None),
        "exit": side(log.end(node), Some(result)),
    }))
}

/// Objects as they were at a time.
struct Graph<'l> {
    log: &'l LogTree<'l>,
    stream: u16,
    at: u32,
    objects: BTreeMap<u32, Json>,
    /// Numbers of objects that are named and not yet described.
    open: Vec<u32>,
}

impl Graph<'_> {
    fn value(&mut self, value: Value) -> Json {
        let model = self.log.model();
        let text = |kind: &str| json!([kind, plain_text(model, self.stream, value)]);
        match value {
            Value::Undefined | Value::Absent => json!(["u"]),
            Value::Null => json!(["z"]),
            Value::Boolean(it) => json!(["b", it]),
            Value::Number(it) if it.is_finite() => json!(["n", it]),
            Value::Number(_) => text("n"),
            Value::String(_) => text("s"),
            Value::BigInt(_) => {
                let it = plain_text(model, self.stream, value);
                let digits = it.strip_suffix('n').unwrap_or(&it);
                match digits.bytes().all(|it| it.is_ascii_digit() || it == b'-') {
                    true => json!(["i", digits]),
                    false => json!(["?"]),
                }
            }
            Value::Function(_) => json!(["f"]),
            Value::Object(id) => {
                if !self.objects.contains_key(&id.0) {
                    if self.objects.len() >= MOST_OBJECTS {
                        return json!(["?"]);
                    }
                    self.objects.insert(id.0, Json::Null);
                    self.open.push(id.0);
                }
                json!(["o", id.0])
            }
            // Texts that were cut are not all there.
            Value::LongString { .. }
            | Value::Symbol(_)
            | Value::Uninitialised
            | Value::Accessor
            | Value::Unknown => json!(["?"]),
        }
    }

    fn finish(mut self) -> Json {
        while let Some(object) = self.open.pop() {
            let described = self.object(object);
            self.objects.insert(object, described);
        }
        let objects = self.objects.into_iter();
        Json::Object(
            objects
                .map(|(number, it)| (number.to_string(), it))
                .collect(),
        )
    }

    fn object(&mut self, object: u32) -> Json {
        let model = self.log.model();
        let class = model.object(self.stream, object).map_or(0, |it| it.class);
        let class = match model.text(self.stream, class) {
            "" => "Object",
            class => class,
        };
        let all = properties(model, self.stream, object, self.at);
        let mut is_whole = self.log.is_whole(object) && all.len() <= MOST_FIELDS;
        let mut fields = Vec::new();
        for (key, value) in all.into_iter().take(MOST_FIELDS) {
            let key = match model.keys.get(key as usize) {
                Some(Key::Property(name)) => json!(["p", name]),
                Some(Key::Entry(name)) => json!(["e", name]),
                Some(Key::Symbol(..)) | None => {
                    is_whole = false;
                    continue;
                }
            };
            fields.push(json!([key, self.value(value)]));
        }
        let mut described = json!({ "class": class, "whole": is_whole, "fields": fields });
        if let (Some(inner), Some(described)) = (
            inner_state(model, self.stream, object, self.at),
            described.as_object_mut(),
        ) {
            described.insert("inner".to_owned(), Json::String(inner));
        }
        described
    }
}
