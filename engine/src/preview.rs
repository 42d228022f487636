//! How values look: from the protocol's remote objects to what a console would print.

use querypoint::answer::{Value as Preview, ValueType};
use serde_json::Value;

use cdp_driver::protocol::generated::runtime::{
    ObjectPreview, PropertyPreview, PropertyPreviewSubtype, PropertyPreviewType, RemoteObject,
    RemoteObjectSubtype, RemoteObjectType,
};

fn or_empty(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

/// The value of a remote object as it is shown.
pub(super) fn shown(object: &RemoteObject) -> Preview {
    let description = or_empty(&object.description);
    let kind = object.r#type.as_str();
    match &object.r#type {
        RemoteObjectType::String => {
            let text = object.value.as_ref().and_then(Value::as_str);
            Preview::string(text.unwrap_or_default())
        }
        RemoteObjectType::Undefined => Preview::undefined(),
        RemoteObjectType::Number | RemoteObjectType::Bigint => {
            let special = object.unserializable_value.as_ref();
            let written = special.map_or(description, |it| it.as_str());
            Preview::new(ValueType::from_typeof(kind), written)
        }
        RemoteObjectType::Boolean => {
            let value = object.value.as_ref();
            let text = value.map_or_else(|| description.to_owned(), Value::to_string);
            Preview::new(ValueType::Boolean, text)
        }
        RemoteObjectType::Symbol => {
            told(description).unwrap_or_else(|| Preview::new(ValueType::Symbol, description))
        }
        RemoteObjectType::Function => Preview::new(ValueType::Function, function(description)),
        _ if object.subtype == Some(RemoteObjectSubtype::Null) => {
            Preview::new(ValueType::Object, "null")
        }
        _ => Preview::new(ValueType::Object, object_text(object)),
    }
}

/// What the agent has sent instead of a value that is long (see `agent/beginnings.js`): a symbol that says what is to
/// be shown.
fn told(description: &str) -> Option<Preview> {
    let said = description.strip_prefix("Symbol(_$Qp")?.strip_suffix(')')?;
    let (_, said) = said.split_once(' ')?;
    let (kind, text) = said.split_once(' ')?;
    Some(match kind {
        "function" => Preview::new(ValueType::Function, function(text)),
        "accessor" => Preview::new(ValueType::Accessor, text),
        "uninitialised" => Preview::new(ValueType::Uninitialised, text),
        kind => Preview::new(ValueType::from_typeof(kind), text),
    })
}

/// The class of a remote object, as its owner is named.
pub(super) fn class_name(object: &RemoteObject) -> String {
    // Of one that is not sent itself.
    if let Some(replacement) = object.description.as_deref().and_then(told) {
        return replacement.text;
    }
    match or_empty(&object.class_name) {
        "" => object.r#type.to_string(),
        class => class.to_owned(),
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
    match named.split_once('(') {
        Some((name, _)) if !is_whole(named) => format!("ƒ {name}(…)"),
        _ => format!("ƒ {named}"),
    }
}

/// Whether all parameters are in what was cut off before a `{`, as its author wrote them: default values have hooks
/// (`o = {}`), which begin with a vertical tab.
fn is_whole(named: &str) -> bool {
    let count = |bracket| named.matches(bracket).count();
    count('(') == count(')') && !named.contains('\u{b}')
}

fn object_text(object: &RemoteObject) -> String {
    let description = or_empty(&object.description);
    match &object.preview {
        Some(preview) => preview_text(preview, description),
        None => first_line(description),
    }
}

fn preview_text(preview: &ObjectPreview, description: &str) -> String {
    let subtype = preview.subtype.as_ref().map_or("", |it| it.as_str());
    match subtype {
        "node" | "regexp" | "date" | "error" | "promise" | "null" => {
            return first_line(description);
        }
        _ => {}
    }
    let is_array = subtype == "array" || subtype == "typedarray";
    let mut parts: Vec<String> = Vec::new();
    let shown = |preview: &ObjectPreview| preview_text(preview, or_empty(&preview.description));
    for entry in preview.entries.iter().flatten() {
        let value = shown(&entry.value);
        parts.push(match &entry.key {
            Some(key) => format!("{} => {value}", shown(key)),
            None => value,
        });
    }
    if !matches!(subtype, "map" | "set" | "weakmap" | "weakset") {
        for property in &preview.properties {
            let name = &property.name;
            if is_stamp(name) {
                continue;
            }
            let value = property_text(property);
            let is_index = is_array && name.bytes().all(|byte| byte.is_ascii_digit());
            parts.push(if is_index {
                value
            } else {
                format!("{name}: {value}")
            });
        }
    }
    let kind = preview.r#type.as_str();
    if preview.properties.is_empty() && parts.is_empty() && is_primitive(kind) {
        return primitive(kind, description);
    }
    if preview.overflow {
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
    name.starts_with("#_$Qp")
}

fn is_primitive(kind: &str) -> bool {
    !matches!(kind, "object" | "function" | "")
}

fn primitive(kind: &str, text: &str) -> String {
    if kind == "string" {
        Preview::string(text).text
    } else {
        text.to_owned()
    }
}

fn property_text(property: &PropertyPreview) -> String {
    let value = or_empty(&property.value);
    match &property.r#type {
        PropertyPreviewType::Function => "ƒ".to_owned(),
        PropertyPreviewType::Accessor => "(…)".to_owned(),
        PropertyPreviewType::Object if property.subtype == Some(PropertyPreviewSubtype::Null) => {
            "null".to_owned()
        }
        PropertyPreviewType::Object if value == "Object" => "{…}".to_owned(),
        kind => primitive(kind.as_str(), value),
    }
}

fn first_line(description: &str) -> String {
    description.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn values_look_as_in_a_console() {
        let check = |object: Value, expected: &str| {
            let object = serde_json::from_value(object).unwrap();
            assert_eq!(shown(&object).text, expected);
        };
        check(json!({"type":"number","value":2,"description":"2"}), "2");
        check(
            json!({"type":"number","unserializableValue":"-0","description":"-0"}),
            "-0",
        );
        check(json!({"type":"string","value":"a\"b"}), "\"a\\\"b\"");
        check(
            json!({"type":"symbol","description":"Symbol(_$Qp1a2b string (300000000 characters))"}),
            "(300000000 characters)",
        );
        check(
            json!({"type":"symbol","description":"Symbol(_$Qp1a2b function (a, b) => { long"}),
            "Symbol(_$Qp1a2b function (a, b) => { long",
        );
        check(
            json!({"type":"symbol","description":"Symbol(_$Qp1a2b function function f(a) { long)"}),
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
            json!({"type":"function","description":"function f(a, { b, c } = {}) { return a }"}),
            "ƒ f(…)",
        );
        check(
            json!({"type":"function","description":"(e=\u{b}((_$Qp1L(1,\u{b}{}\u{b}))))=>{ return e }"}),
            "ƒ (…)",
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
