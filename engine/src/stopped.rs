//! A stop as the protocol tells it: the scripts that frames stand in, the frames, and what was thrown.

use js_analysis::position::Utf16Position;
use querypoint::answer::ExceptionAnswer;
use serde_json::{Value, json};

use cdp_driver::protocol::SessionId;

/// What a function without a name is called, as in a console.
const ANONYMOUS: &str = "(anonymous)";

/// One frame of a stopped page.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The session in which it stands.
    pub(super) session: SessionId,
    pub(super) id: String,
    pub(super) function: String,
    pub(super) url: String,
    pub(super) position: Utf16Position,
    /// Where its function begins; `None`: it is the top of a script or module.
    pub(super) begins: Option<Utf16Position>,
    /// Innermost first.
    pub(super) scopes: Vec<FrameScope>,
    /// The object that is `this`, if it is an object.
    pub(super) this_object: Option<String>,
    /// The protocol's id of the script that it runs.
    pub(super) script: String,
    /// Whether the browser can begin its function again. `None`: it does not say.
    pub(super) can_be_restarted: Option<bool>,
}

/// The frame with this number, as references name them: 0 the newest, -1 the oldest.
pub(super) fn frame_at<'f>(frames: &[&'f Frame], number: i32) -> Option<&'f Frame> {
    let index = match usize::try_from(number) {
        Ok(index) => index,
        Err(_) => {
            let back = usize::try_from(number.unsigned_abs()).ok()?;
            frames.len().checked_sub(back)?
        }
    };
    frames.get(index).copied()
}

/// One scope of a frame.
#[derive(Clone, Debug)]
pub(super) struct FrameScope {
    /// As the protocol calls it.
    pub(super) kind: String,
    /// The protocol's id of the object that has its variables.
    pub(super) object: String,
    /// Where it begins and ends in the script that the frame runs; `None`: it is of another, or of none.
    pub(super) extent: Option<(Utf16Position, Utf16Position)>,
}

/// A script, as it is spoken of here.
#[derive(Clone, Debug)]
pub(super) struct ParsedScript {
    pub(super) url: String,
    /// Where the browser takes its text to begin.
    pub(super) start: Utf16Position,
    /// Where it begins in the text that is known by `url`.
    pub(super) shift: Utf16Position,
    /// The protocol's id of the realm that it runs in.
    pub(super) context: i64,
}

impl ParsedScript {
    /// A position of the browser's, in the text that is known by `url`.
    pub(super) fn position(&self, running: Utf16Position) -> Utf16Position {
        let line = running.line.saturating_sub(self.start.line);
        let column = if line == 0 {
            running.column.saturating_sub(self.start.column) + self.shift.column
        } else {
            running.column
        };
        Utf16Position {
            line: line + self.shift.line,
            column,
        }
    }
}

/// A page that stands still.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    pub(super) reason: String,
    pub(super) description: String,
    pub(super) uncaught: bool,
    /// The class of what was thrown, if it is an object, and what `typeof` says of it.
    class: String,
    kind: String,
    /// What was thrown, as an argument of a call.
    argument: Value,
    pub(super) frames: Vec<Frame>,
}

pub(super) fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn number(value: &Value, pointer: &str) -> u32 {
    let number = value.pointer(pointer).and_then(Value::as_u64);
    number
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(0)
}

impl Stopped {
    /// Reads a `Debugger.paused` event of `session`. `script_of` gives a script by its id.
    pub(super) fn read(
        session: &SessionId,
        params: &Value,
        prefix: &str,
        script_of: &dyn Fn(&str) -> Option<ParsedScript>,
    ) -> Self {
        let frames = params
            .pointer("/callFrames")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Self {
            reason: text(params, "/reason"),
            description: match params.pointer("/data/description") {
                Some(_) => text(params, "/data/description"),
                None => params
                    .pointer("/data/value")
                    .map(|value| {
                        value
                            .as_str()
                            .map_or_else(|| value.to_string(), str::to_owned)
                    })
                    .unwrap_or_default(),
            },
            class: text(params, "/data/className"),
            kind: text(params, "/data/type"),
            argument: argument(params.get("data")),
            uncaught: params
                .pointer("/data/uncaught")
                .and_then(Value::as_bool)
                .unwrap_or(true),
            frames: frames
                .iter()
                .map(|frame| read_frame(session, frame, prefix, script_of))
                .collect(),
        }
    }

    /// Whether something was thrown.
    pub(super) fn is_exception(&self) -> bool {
        matches!(self.reason.as_str(), "exception" | "promiseRejection")
    }

    /// The class of what was thrown; of what is no object, its type.
    pub(super) fn thrown_class(&self) -> &str {
        match self.class.as_str() {
            "" => &self.kind,
            class => class,
        }
    }

    /// What was thrown, as an argument of a call in the page.
    pub(super) fn thrown(&self) -> &Value {
        &self.argument
    }

    /// The exception that stopped the page.
    pub(super) fn exception(&self) -> ExceptionAnswer {
        const LONGEST: usize = 1000;
        let (class, message) = match self.class.as_str() {
            "" => (self.kind.clone(), self.description.clone()),
            class => {
                let message = self.exception_message();
                let prefix = format!("{class}: ");
                let message = message.strip_prefix(&prefix).unwrap_or(message);
                (class.to_owned(), message.to_owned())
            }
        };
        ExceptionAnswer {
            class,
            message: message.chars().take(LONGEST).collect(),
            caught: !self.uncaught,
        }
    }

    /// The message of the exception that stopped the page: the description without its stack.
    pub(super) fn exception_message(&self) -> &str {
        self.description
            .split("\n    at ")
            .next()
            .unwrap_or_default()
    }
}

/// A remote object as the argument of a call. What nobody can walk through without running the page's code is left out.
fn argument(object: Option<&Value>) -> Value {
    let member = |name: &str| object.and_then(|object| object.get(name));
    if member("subtype").and_then(Value::as_str) == Some("proxy") {
        return json!({});
    }
    for name in ["objectId", "unserializableValue", "value"] {
        if let Some(value) = member(name) {
            return json!({ name: value });
        }
    }
    json!({})
}

/// The name under which a function runs, without what rewriting put into it: to a function that has no name the engine
/// gives one made of what it is assigned to, which may be a temporary of ours (`list.$QpT.s1_1.map`).
pub(super) fn author_name(name: &str, prefix: &str) -> String {
    if !name.contains(prefix) {
        return name.to_owned();
    }
    let temporaries = format!("{prefix}T");
    let mut parts: Vec<&str> = Vec::new();
    let mut before = "";
    for part in name.split('.') {
        if !part.starts_with(prefix) && before != temporaries {
            parts.push(part);
        }
        before = part;
    }
    if parts.is_empty() {
        return ANONYMOUS.to_owned();
    }
    parts.join(".")
}

fn read_frame(
    session: &SessionId,
    frame: &Value,
    prefix: &str,
    script_of: &dyn Fn(&str) -> Option<ParsedScript>,
) -> Frame {
    let script = text(frame, "/location/scriptId");
    let running = |of: &str| Utf16Position {
        line: number(frame, &format!("/{of}/lineNumber")),
        column: number(frame, &format!("/{of}/columnNumber")),
    };
    let (position, begins) = (running("location"), running("functionLocation"));
    let known = script_of(&script);
    let placed = |position| match &known {
        Some(known) => known.position(position),
        None => position,
    };
    let (position, begins) = (placed(position), placed(begins));
    let extent = |scope: &Value| {
        let is_here = |of: &str| text(scope, &format!("/{of}/scriptId")) == script;
        let at = |of: &str| {
            placed(Utf16Position {
                line: number(scope, &format!("/{of}/lineNumber")),
                column: number(scope, &format!("/{of}/columnNumber")),
            })
        };
        (is_here("startLocation") && is_here("endLocation"))
            .then(|| (at("startLocation"), at("endLocation")))
    };
    let url = match &known {
        Some(known) => known.url.clone(),
        None => text(frame, "/url"),
    };
    let scopes = frame
        .pointer("/scopeChain")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    // Only functions have a local scope; what has neither scope nor name is a script or module.
    let is_function = scopes.iter().any(|scope| text(scope, "/type") == "local");
    let function = match text(frame, "/functionName") {
        name if name.is_empty() && is_function => ANONYMOUS.to_owned(),
        name => author_name(&name, prefix),
    };
    Frame {
        session: session.clone(),
        id: text(frame, "/callFrameId"),
        function,
        url,
        position,
        begins: is_function.then_some(begins),
        scopes: scopes
            .iter()
            .map(|scope| FrameScope {
                kind: text(scope, "/type"),
                object: text(scope, "/object/objectId"),
                extent: extent(scope),
            })
            .collect(),
        this_object: frame
            .pointer("/this/objectId")
            .and_then(Value::as_str)
            .map(str::to_owned),
        script: script.clone(),
        can_be_restarted: frame.get("canBeRestarted").and_then(Value::as_bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_author() {
        for (engine, author) in [
            ("window.list.$Qp1a6b0f20T.s1_1.p", "window.list.p"),
            ("$Qp1a6b0f20T.s12_1", ANONYMOUS),
            ("$Qp1a6b0f201", ANONYMOUS),
            ("Cart.$Qp1a6b0f202.add", "Cart.add"),
            ("cart.total", "cart.total"),
            ("", ""),
        ] {
            assert_eq!(author_name(engine, "$Qp1a6b0f20"), author);
        }
    }
}
