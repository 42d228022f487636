//! How values look: from the protocol's remote objects to what a console would print.

use querypoint::answer::{Value as Shown, ValueType};
use serde_json::Value;

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value
        .get(member)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The value of a remote object as it is shown.
pub(super) fn shown(object: &Value) -> Shown {
    let kind = text(object, "type");
    let subtype = text(object, "subtype");
    match kind {
        "string" => Shown::string(text(object, "value")),
        "undefined" => Shown::undefined(),
        "number" | "bigint" => {
            let special = text(object, "unserializableValue");
            let written = if special.is_empty() {
                text(object, "description")
            } else {
                special
            };
            Shown::new(ValueType::from_typeof(kind), written)
        }
        "boolean" => {
            let value = object
                .get("value")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            Shown::new(ValueType::Boolean, value.to_string())
        }
        "symbol" => {
            let description = text(object, "description");
            told(description).unwrap_or_else(|| Shown::new(ValueType::Symbol, description))
        }
        "function" => Shown::new(ValueType::Function, function(text(object, "description"))),
        _ if subtype == "null" => Shown::new(ValueType::Object, "null"),
        _ => Shown::new(ValueType::Object, object_text(object)),
    }
}

/// What the agent has sent instead of a value that is long (see `agent/beginnings.js`): a symbol that says what is to
/// be shown.
fn told(description: &str) -> Option<Shown> {
    let said = description.strip_prefix("Symbol($Qp")?.strip_suffix(')')?;
    let (_, said) = said.split_once(' ')?;
    let (kind, text) = said.split_once(' ')?;
    Some(match kind {
        "function" => Shown::new(ValueType::Function, function(text)),
        "accessor" => Shown::new(ValueType::Accessor, text),
        "uninitialised" => Shown::new(ValueType::Uninitialised, text),
        kind => Shown::new(ValueType::from_typeof(kind), text),
    })
}

/// The class of a remote object, as its owner is named.
pub(super) fn class_name(object: &Value) -> String {
    let class = text(object, "className");
    if class.is_empty() {
        text(object, "type").to_owned()
    } else {
        class.to_owned()
    }
}

/// `function f(a, b) { … }` without its body, as `ƒ f(a, b)`; classes as `class A`.
fn function(source: &str) -> String {
    let head = source
        .split(['{', '\n'])
        .next()
        .unwrap_or_default()
        .split("=>")
        .next()
        .unwrap_or_default()
        .trim();
    if head.starts_with("class") {
        return head.to_owned();
    }
    let named = head
        .trim_start_matches("async ")
        .trim_start_matches("function")
        .trim_start_matches('*')
        .trim();
    format!("ƒ {named}")
}

fn object_text(object: &Value) -> String {
    let Some(preview) = object.get("preview") else {
        return first_line(text(object, "description"));
    };
    preview_text(preview, text(object, "description"))
}

fn preview_text(preview: &Value, description: &str) -> String {
    let subtype = text(preview, "subtype");
    match subtype {
        "node" | "regexp" | "date" | "error" | "promise" | "null" => {
            return first_line(description);
        }
        _ => {}
    }
    let list = |member: &str| {
        preview
            .get(member)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let is_array = subtype == "array" || subtype == "typedarray";
    let mut parts: Vec<String> = Vec::new();
    for entry in list("entries") {
        let value = entry
            .get("value")
            .map(|value| preview_text(value, text(value, "description")));
        let key = entry
            .get("key")
            .map(|key| preview_text(key, text(key, "description")));
        parts.push(match (key, value) {
            (Some(key), Some(value)) => format!("{key} => {value}"),
            (_, value) => value.unwrap_or_default(),
        });
    }
    if !matches!(subtype, "map" | "set" | "weakmap" | "weakset") {
        for property in list("properties") {
            if is_stamp(text(property, "name")) {
                continue;
            }
            let value = property_text(property);
            let name = text(property, "name");
            let is_index = is_array && name.bytes().all(|byte| byte.is_ascii_digit());
            parts.push(if is_index {
                value
            } else {
                format!("{name}: {value}")
            });
        }
    }
    if list("properties").is_empty() && parts.is_empty() && is_primitive(text(preview, "type")) {
        return primitive(text(preview, "type"), description);
    }
    if preview.get("overflow").and_then(Value::as_bool) == Some(true) {
        parts.push("…".to_owned());
    }
    let inside = parts.join(", ");
    if is_array {
        let length: String = description
            .chars()
            .skip_while(|&character| character != '(')
            .collect();
        return format!("{length} [{inside}]").trim_start().to_owned();
    }
    match description {
        "Object" | "" => format!("{{{inside}}}"),
        class => format!("{class} {{{inside}}}"),
    }
}

/// Whether a name is that of a private field which the agent stamps on objects. (An author's private name
/// cannot begin so: a script with our prefix in it is not rewritten.)
fn is_stamp(name: &str) -> bool {
    name.starts_with("#$Qp")
}

fn is_primitive(kind: &str) -> bool {
    !matches!(kind, "object" | "function" | "")
}

fn primitive(kind: &str, text: &str) -> String {
    if kind == "string" {
        Shown::string(text).text
    } else {
        text.to_owned()
    }
}

fn property_text(property: &Value) -> String {
    let value = text(property, "value");
    match text(property, "type") {
        "function" => "ƒ".to_owned(),
        "accessor" => "(…)".to_owned(),
        "object" if text(property, "subtype") == "null" => "null".to_owned(),
        "object" if value == "Object" => "{…}".to_owned(),
        kind => primitive(kind, value),
    }
}

fn first_line(description: &str) -> String {
    description.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_look_as_in_a_console() {
        let check = |object: Value, expected: &str| assert_eq!(shown(&object).text, expected);
        check(json!({"type":"number","value":2,"description":"2"}), "2");
        check(
            json!({"type":"number","unserializableValue":"-0","description":"-0"}),
            "-0",
        );
        check(json!({"type":"string","value":"a\"b"}), "\"a\\\"b\"");
        check(
            json!({"type":"symbol","description":"Symbol($Qp1a2b string (300000000 characters))"}),
            "(300000000 characters)",
        );
        check(
            json!({"type":"symbol","description":"Symbol($Qp1a2b function (a, b) => { long"}),
            "Symbol($Qp1a2b function (a, b) => { long",
        );
        check(
            json!({"type":"symbol","description":"Symbol($Qp1a2b function function f(a) { long)"}),
            "ƒ f(a)",
        );
        check(
            json!({"type":"object","subtype":"null","value":null}),
            "null",
        );
        check(
            json!({"type":"function","description":"function f(a) {var $Qp1; return a}"}),
            "ƒ f(a)",
        );
        check(
            json!({"type":"object","description":"Point","preview":{"type":"object","description":"Point",
                "overflow":false,"properties":[{"name":"x","type":"number","value":"1"},
                {"name":"s","type":"string","value":"q"},{"name":"o","type":"object","value":"Object"}]}}),
            "Point {x: 1, s: \"q\", o: {…}}",
        );
        check(
            json!({"type":"object","subtype":"array","description":"Array(2)","preview":{"type":"object",
                "subtype":"array","description":"Array(2)","overflow":false,"properties":[
                {"name":"0","type":"number","value":"1"},{"name":"1","type":"number","value":"2"}]}}),
            "(2) [1, 2]",
        );
    }
}
