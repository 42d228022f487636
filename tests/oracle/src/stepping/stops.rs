//! What the protocol says at one stop.

use serde_json::{Value, json};

use super::places::Scripts;

/// What the engine is about to do where it can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BreakKind {
    /// A statement, or a part of one that counts as one.
    Statement,
    /// A call; what it takes is evaluated.
    Call,
    /// The end of a function; what it gives is evaluated.
    Return,
}

impl BreakKind {
    /// The kind of a break location.
    pub(super) fn of(location: &Value) -> Self {
        match location["type"].as_str() {
            Some("call") => Self::Call,
            Some("return") => Self::Return,
            _ => Self::Statement,
        }
    }
}

/// One activation on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The script, by its id.
    pub(super) script: String,
    /// Where it is, counted from 0.
    pub(super) line: u32,
    pub(super) column: u32,
    /// Where its function begins: line and column, counted from 0.
    pub(super) function: (u32, u32),
    /// Whether its function is the one that fills the fields of a class.
    pub(super) is_initialiser: bool,
    /// The number that the watcher gave to its activation; 0: none.
    pub(super) activation: u64,
    scopes: Vec<ScopePlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ScopePlace {
    kind: String,
    start: Option<(u32, u32)>,
}

/// The page, paused.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// The newest first.
    pub(super) frames: Vec<Frame>,
    pub(super) kind: BreakKind,
    pub(super) is_return: bool,
}

impl Stop {
    /// Reads `Debugger.paused`; `None` if it is not in a script of the page.
    pub(super) fn read(params: &Value, scripts: &Scripts) -> Option<Self> {
        let location = &call_frames(params).first()?["location"];
        let script = scripts.get(location["scriptId"].as_str()?)?;
        let kind = *script.kinds.get(&place(location))?;
        let frames: Vec<Frame> = call_frames(params).iter().map(frame).collect();
        (!frames.is_empty()).then_some(Self {
            frames,
            kind,
            is_return: kind == BreakKind::Return,
        })
    }

    /// The frames as the watcher takes them. `is_fresh`: the newest took the place of one that has returned.
    pub(super) fn described(&self, is_fresh: bool) -> Value {
        self.frames
            .iter()
            .enumerate()
            .map(|(index, frame)| {
                let scopes: Vec<Value> = frame
                    .scopes
                    .iter()
                    .map(|scope| {
                        let (line, column) = scope.start.unwrap_or_default();
                        json!({
                            "type": scope.kind, "script": frame.script, "line": line + 1, "column": column,
                        })
                    })
                    .collect();
                json!({
                    "scopes": scopes,
                    "isFresh": is_fresh && index == 0,
                    "isReturn": self.is_return && index == 0,
                })
            })
            .collect()
    }

    /// The objects that go with [`Stop::described`].
    pub(super) fn values(&self, params: &Value) -> Vec<Value> {
        let frames = call_frames(params);
        let mut values: Vec<Value> = frames.iter().flat_map(values_of).collect();
        values.push(argument(
            frames
                .first()
                .map_or(&Value::Null, |frame| &frame["returnValue"]),
        ));
        values
    }

    /// Those of the newest frame alone.
    pub(super) fn values_of_newest(&self, params: &Value) -> Vec<Value> {
        call_frames(params)
            .first()
            .map(values_of)
            .unwrap_or_default()
    }
}

fn call_frames(params: &Value) -> &[Value] {
    params["callFrames"].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u32 {
    value
        .as_u64()
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or_default()
}

/// Line and column of a location, counted from 0.
pub(super) fn place(value: &Value) -> (u32, u32) {
    (number(&value["lineNumber"]), number(&value["columnNumber"]))
}

/// The global scope is looked at on its own: it holds everything that browsers have.
fn scopes_of(frame: &Value) -> impl Iterator<Item = &Value> {
    frame["scopeChain"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|scope| scope["type"] != "global")
}

fn frame(frame: &Value) -> Frame {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Frame {
        script: text(&frame["location"]["scriptId"]),
        line: number(&frame["location"]["lineNumber"]),
        column: number(&frame["location"]["columnNumber"]),
        function: place(&frame["functionLocation"]),
        is_initialiser: text(&frame["functionName"]).ends_with("_initializer>"),
        activation: 0,
        scopes: scopes_of(frame)
            .map(|scope| ScopePlace {
                kind: text(&scope["type"]),
                start: scope.get("startLocation").map(place),
            })
            .collect(),
    }
}

fn values_of(frame: &Value) -> Vec<Value> {
    std::iter::once(argument(&frame["this"]))
        .chain(scopes_of(frame).map(|scope| argument(&scope["object"])))
        .collect()
}

/// A remote object as an argument: by its id if it is an object, else nothing.
fn argument(remote: &Value) -> Value {
    match remote["objectId"].as_str() {
        Some(id) => json!({ "objectId": id }),
        None => json!({}),
    }
}
