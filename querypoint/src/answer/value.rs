//! Values as an answer shows them, and what holds them: owners, scopes, watches.

use serde::{Deserialize, Serialize};

use super::{Cause, Location};

/// A value's text is cut at this many characters (Unicode scalar values); the last of them is then `…`.
pub const TEXT_LIMIT: usize = 200;

/// A value, as a console would print it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// What `typeof` says of it.
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// What a console would print, cut at [`TEXT_LIMIT`]: `-0`, `NaN`, `1n`, strings in double quotes
    /// with JSON escapes.
    pub text: String,
}

impl Value {
    /// A value; its text is cut at [`TEXT_LIMIT`].
    #[must_use]
    pub fn new(kind: ValueType, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: cut(text.into()),
        }
    }

    /// A string: in double quotes, with JSON escapes, cut at [`TEXT_LIMIT`].
    #[must_use]
    pub fn string(text: &str) -> Self {
        Self::new(ValueType::String, serde_json::Value::from(text).to_string())
    }

    /// `undefined`
    #[must_use]
    pub fn undefined() -> Self {
        Self::new(ValueType::Undefined, "undefined")
    }
}

/// At most [`TEXT_LIMIT`] characters, the last of them `…` if some are missing.
fn cut(text: String) -> String {
    // A text that has no more bytes than the limit has no more characters.
    if text.len() <= TEXT_LIMIT || text.chars().nth(TEXT_LIMIT).is_none() {
        return text;
    }
    text.chars().take(TEXT_LIMIT - 1).chain(['…']).collect()
}

/// What `typeof` says of a value, and the two cases in which there is no value to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// `undefined`
    Undefined,
    /// `true`, `false`
    Boolean,
    /// A number.
    Number,
    /// A big integer.
    Bigint,
    /// A string.
    String,
    /// A symbol.
    Symbol,
    /// A function or a class.
    Function,
    /// An object, or `null`.
    Object,
    /// A property with a getter, which is not called uninvited.
    Accessor,
    /// A binding before its declaration ran.
    Uninitialised,
}

impl ValueType {
    /// The type that `typeof` names; what it does not know is an object.
    #[must_use]
    pub fn from_typeof(name: &str) -> Self {
        match name {
            "undefined" => Self::Undefined,
            "boolean" => Self::Boolean,
            "number" => Self::Number,
            "bigint" => Self::Bigint,
            "string" => Self::String,
            "symbol" => Self::Symbol,
            "function" => Self::Function,
            "accessor" => Self::Accessor,
            "uninitialised" => Self::Uninitialised,
            _ => Self::Object,
        }
    }
}

/// The object that was written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its object id, within the execution that the answer is from.
    pub id: u64,
    /// The name of its class.
    pub class: String,
}

/// A scope and its variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// What kind of scope it is.
    pub kind: ScopeKind,
    /// The function whose scope it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Its variables.
    pub variables: Vec<Variable>,
}

/// The kinds of scope that an answer tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The function that is running.
    Local,
    /// A block.
    Block,
    /// A function around it.
    Closure,
    /// A `catch` clause.
    Catch,
    /// The object of a `with` statement.
    With,
    /// A module.
    Module,
    /// The top-level `let`, `const` and `class` of classic scripts.
    Script,
    /// The global object.
    Global,
}

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    #[serde(flatten)]
    pub value: Value,
    /// Who wrote it last, where live hooks tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_writer: Option<Box<LastWriter>>,
}

impl Variable {
    /// One of which it is not known who wrote it.
    pub fn new(name: impl Into<String>, value: Value) -> Self {
        Self {
            name: name.into(),
            value,
            last_writer: None,
        }
    }
}

/// Who wrote a variable or a property last, as live hooks leave it beside the value. Nothing is known of what was there
/// before, nor of the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastWriter {
    /// Where that is; absent: it was no line of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether the user did it: typed, chose or checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_user: bool,
    /// What made the page run it, if an event did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How many tasks ago that was; 0: in this one. Absent: it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks_ago: Option<u32>,
}

impl LastWriter {
    /// The task in which it was, in words: `click on #add, 2 tasks ago`; empty: it is not known.
    #[must_use]
    pub fn task(&self) -> String {
        let event = self.cause.as_ref().map(|cause| match &cause.target {
            Some(target) => format!("{} on {target}", cause.kind),
            None => cause.kind.clone(),
        });
        let ago = self.tasks_ago.map(|ago| match ago {
            0 => "in this task".to_owned(),
            1 => "1 task ago".to_owned(),
            ago => format!("{ago} tasks ago"),
        });
        let parts: Vec<String> = event.into_iter().chain(ago).collect();
        parts.join(", ")
    }
}

/// A watched expression and what it was at the point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The expression, as it was given.
    pub expression: String,
    /// Its value, or what it threw.
    #[serde(flatten)]
    pub value: Value,
    /// `true` if it threw; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threw: Option<bool>,
}
