//! Values as a console prints them.

use super::Model;
use crate::value::Value;

/// A number as JavaScript prints it.
fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let magnitude = number.abs();
    if (1e-6..1e21).contains(&magnitude) {
        return number.to_string();
    }
    // Rust writes 1e21 and 1.5e-7; JavaScript 1e+21 and 1.5e-7.
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A value as text: of a text itself, without quotes.
#[must_use]
pub fn plain_text(model: &Model, stream: u16, value: Value) -> String {
    match value {
        Value::String(id) => model.text(stream, id.0).to_owned(),
        // As a key, -0 is 0.
        Value::Number(0.0) => "0".to_owned(),
        value => text(model, stream, value),
    }
}

/// A value as a console prints it.
#[must_use]
pub fn text(model: &Model, stream: u16, value: Value) -> String {
    match value {
        Value::Undefined | Value::Absent => "undefined".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(number) => number_text(number),
        Value::String(id) => serde_json::Value::from(model.text(stream, id.0)).to_string(),
        Value::LongString { start, .. } => {
            serde_json::Value::from(model.text(stream, start.0)).to_string()
        }
        Value::BigInt(id) => format!("{}n", model.text(stream, id.0)),
        Value::Object(id) => {
            let class = model.class_of(stream, id.0);
            format!(
                "{} #{}",
                if class.is_empty() { "Object" } else { class },
                id.0
            )
        }
        Value::Function(id) => {
            let object = model.object(stream, id.0).copied().unwrap_or_default();
            let own = model.tables.function(object.function);
            let name = own.map(|it| it.name.as_str()).filter(|it| !it.is_empty());
            format!(
                "ƒ {}()",
                name.unwrap_or_else(|| model.text(stream, object.class))
            )
        }
        Value::Symbol(id) => {
            let class = model.object(stream, id.0).map_or(0, |it| it.class);
            model.text(stream, class).to_owned()
        }
        Value::Uninitialised => "not initialised".to_owned(),
        Value::Accessor => "accessor".to_owned(),
        Value::Unknown => "not recorded".to_owned(),
    }
}
