//! Messages on the console: calls of its methods, with what they were given.

use crate::model::{Kind, Model, plain_text};
use crate::value::Value;

/// The methods that print.
const PRINTING: [&str; 12] = [
    "log",
    "info",
    "warn",
    "error",
    "debug",
    "trace",
    "assert",
    "dir",
    "dirxml",
    "group",
    "groupCollapsed",
    "table",
];

/// The first message that holds a text.
pub(super) fn message(model: &Model, text: &str) -> Option<u32> {
    let printed = model.library_arguments.iter().map(|(event, _, _)| *event);
    printed
        .into_iter()
        .find(|&event| message_of(model, event).is_some_and(|message| message.contains(text)))
}

/// What an assertion of the console printed that failed at an event; empty, if it printed nothing.
#[must_use]
pub fn failed_assertion(model: &Model, event: u32) -> Option<String> {
    let name = &model.site(model.events.get(event as usize)?.site)?.name;
    let is_assertion = name == "console.assert" || name.ends_with(".console.assert");
    is_assertion.then(|| message_of(model, event)).flatten()
}

/// What a call of a method of the console printed.
fn message_of(model: &Model, event: u32) -> Option<String> {
    let it = model.events.get(event as usize)?;
    let name = &model.site(it.site)?.name;
    let method = name.strip_prefix("console.").or_else(|| {
        // `window.console.log`
        let (owner, method) = name.rsplit_once('.')?;
        owner.ends_with(".console").then_some(method)
    })?;
    if it.kind != Kind::CallEnd || !PRINTING.contains(&method) {
        return None;
    }
    let mut values = model.library_arguments_of(event)?;
    if method == "assert" {
        let (condition, rest) = values.split_first()?;
        if !is_false(*condition) {
            return None;
        }
        values = rest;
    }
    Some(formatted(model, it.stream, values))
}

fn is_false(value: Value) -> bool {
    match value {
        Value::Undefined | Value::Null | Value::Boolean(false) => true,
        Value::Number(number) => number == 0.0 || number.is_nan(),
        Value::String(id) => !id.is_some(),
        _ => false,
    }
}

/// The values as a console prints them: the first may be a format.
fn formatted(model: &Model, stream: u16, values: &[Value]) -> String {
    let text_of = |value: Value| plain_text(model, stream, value);
    let Some((first, mut rest)) = values.split_first() else {
        return String::new();
    };
    let first = text_of(*first);
    let mut message = String::new();
    let mut parts = first.split('%');
    message.push_str(parts.next().unwrap_or_default());
    let mut is_escaped = false;
    for part in parts {
        // The `%` behind `%%` is text.
        if std::mem::take(&mut is_escaped) {
            message.push_str(part);
            continue;
        }
        let directive = part.chars().next();
        match (directive, rest.split_first()) {
            (Some('s' | 'd' | 'i' | 'f' | 'o' | 'O'), Some((value, behind))) => {
                message.push_str(&text_of(*value));
                message.push_str(part.get(1..).unwrap_or_default());
                rest = behind;
            }
            (Some('c'), Some((_, behind))) => {
                message.push_str(part.get(1..).unwrap_or_default());
                rest = behind;
            }
            (None, _) => {
                message.push('%');
                is_escaped = true;
            }
            _ => {
                message.push('%');
                message.push_str(part);
            }
        }
    }
    for value in rest {
        message.push(' ');
        message.push_str(&text_of(*value));
    }
    message
}
