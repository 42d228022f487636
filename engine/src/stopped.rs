//! A stop as the protocol tells it: the scripts that frames are in, the frames, and what was thrown.

use js_analysis::position::Utf16Position;
use querypoint::answer::ExceptionAnswer;
use serde::Deserialize;
use serde_json::Value;

use cdp::debugger::{CallFrame, Location, Paused, Scope, ScopeType};
use cdp::runtime::{CallArgument, RemoteObject};
use cdp_driver::protocol::SessionId;
use cdp_driver::protocol::generated as cdp;

/// What a function without a name is called, as in a console.
pub(crate) const ANONYMOUS: &str = "(anonymous)";

/// One frame of a stopped page.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The session in which it is paused.
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

/// A page that is paused.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    pub(super) reason: String,
    pub(super) description: String,
    pub(super) uncaught: bool,
    /// The class of what was thrown, if it is an object, and what `typeof` says of it.
    class: String,
    kind: String,
    /// What was thrown, as an argument of a call.
    argument: CallArgument,
    pub(super) frames: Vec<Frame>,
}

impl Stopped {
    /// Reads a `Debugger.paused` event of `session`. `script_of` gives a script by its id.
    pub(super) fn read(
        session: &SessionId,
        paused: &Paused,
        prefix: &str,
        script_of: &dyn Fn(&str) -> Option<ParsedScript>,
    ) -> Self {
        let data = paused.data.clone().map(Value::Object);
        let data = data.and_then(|data| serde_json::from_value::<Thrown>(data).ok());
        let data = data.unwrap_or_default();
        Self {
            reason: paused.reason.to_string(),
            argument: data.argument(),
            description: match (data.description, data.value) {
                (Some(description), _) => description,
                (None, Some(Value::String(text))) => text,
                (None, value) => value.map(|it| it.to_string()).unwrap_or_default(),
            },
            class: data.class_name.unwrap_or_default(),
            kind: data.r#type.unwrap_or_default(),
            uncaught: data.uncaught.unwrap_or(true),
            frames: paused
                .call_frames
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
    pub(super) fn thrown(&self) -> &CallArgument {
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

/// What a stop says of why: where something was thrown, what, much as a remote object.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thrown {
    description: Option<String>,
    value: Option<Value>,
    class_name: Option<String>,
    r#type: Option<String>,
    subtype: Option<String>,
    object_id: Option<String>,
    unserializable_value: Option<String>,
    uncaught: Option<bool>,
}

impl Thrown {
    /// What was thrown, as the argument of a call. A proxy is not handed on: looking into it would run code of the
    /// page.
    fn argument(&self) -> CallArgument {
        let mut argument = CallArgument::default();
        match (
            self.subtype.as_deref(),
            &self.object_id,
            &self.unserializable_value,
        ) {
            (Some("proxy"), ..) => {}
            (Some("null"), ..) => argument.value = Some(Value::Null),
            (_, Some(object), _) => argument.object_id = Some(object.into()),
            (_, None, Some(special)) => argument.unserializable_value = Some(special.into()),
            (_, None, None) => argument.value.clone_from(&self.value),
        }
        argument
    }
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
    frame: &CallFrame,
    prefix: &str,
    script_of: &dyn Fn(&str) -> Option<ParsedScript>,
) -> Frame {
    let script = frame.location.script_id.as_str();
    let known = script_of(script);
    let placed = |at: &Location| {
        let running = Utf16Position {
            line: at.line_number,
            // The protocol leaves it out where it is the first.
            column: at.column_number.unwrap_or(0),
        };
        match &known {
            Some(known) => known.position(running),
            None => running,
        }
    };
    let extent = |scope: &Scope| {
        let here = |at: &Option<Location>| {
            let at = at.as_ref().filter(|at| at.script_id.as_str() == script);
            at.map(placed)
        };
        here(&scope.start_location).zip(here(&scope.end_location))
    };
    let url = match &known {
        Some(known) => known.url.clone(),
        None => frame.url.clone().unwrap_or_default(),
    };
    let scopes = &frame.scope_chain;
    // Only functions have a local scope; what has neither scope nor name is a script or module.
    let is_function = scopes.iter().any(|scope| scope.r#type == ScopeType::Local);
    let function = match frame.function_name.as_str() {
        "" if is_function => ANONYMOUS.to_owned(),
        name => author_name(name, prefix),
    };
    let begins = frame.function_location.as_ref().map(placed);
    let id_of = |object: &RemoteObject| object.object_id.as_ref().map(|id| id.0.clone());
    Frame {
        session: session.clone(),
        id: frame.call_frame_id.0.clone(),
        function,
        url,
        position: placed(&frame.location),
        begins: begins.filter(|_| is_function),
        scopes: scopes
            .iter()
            .map(|scope| FrameScope {
                kind: scope.r#type.to_string(),
                object: id_of(&scope.object).unwrap_or_default(),
                extent: extent(scope),
            })
            .collect(),
        this_object: id_of(&frame.this),
        script: script.to_owned(),
        can_be_restarted: frame.can_be_restarted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn names_are_those_of_the_author() {
        for (engine, author) in [
            ("window.list._$Qp1a6b0f20T.s1_1.p", "window.list.p"),
            ("_$Qp1a6b0f20T.s12_1", ANONYMOUS),
            ("_$Qp1a6b0f201", ANONYMOUS),
            ("Cart._$Qp1a6b0f202.add", "Cart.add"),
            ("cart.total", "cart.total"),
            ("", ""),
        ] {
            assert_eq!(author_name(engine, "_$Qp1a6b0f20"), author);
        }
    }
}
