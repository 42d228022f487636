//! Values, keys and texts as terms of Prolog.

use crate::ids::FunctionId;
use crate::model::{Key, Model, text};
use crate::value::Value;

/// A value as a term: one that no other value has.
pub(super) fn term(model: &Model, stream: u16, value: Value) -> String {
    match value {
        Value::Undefined => "undefined".to_owned(),
        Value::Absent => "absent".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(number) => number_term(number),
        Value::String(id) => quoted(model.text(stream, id.0), '"'),
        Value::LongString { start, length, .. } => {
            format!(
                "text({}, {length})",
                quoted(model.text(stream, start.0), '"')
            )
        }
        Value::BigInt(_) => {
            let digits = text(model, stream, value);
            let digits = digits.trim_end_matches('n');
            // Of a very long one the log has the first digits.
            match digits.strip_suffix('…') {
                Some(start) => format!("text({}, 0)", quoted(start, '"')),
                None => format!("bigint({digits})"),
            }
        }
        Value::Object(id) => {
            let class = model.class_of(stream, id.0);
            format!("object({}, {})", id.0, atom(class))
        }
        Value::Function(id) => {
            let object = model.object(stream, id.0).copied().unwrap_or_default();
            let name = function_name(model, object.function);
            let name = if name.is_empty() {
                model.text(stream, object.class).to_owned()
            } else {
                name
            };
            format!("function({}, {})", id.0, atom(&name))
        }
        Value::Symbol(id) => format!("symbol({})", id.0),
        Value::Uninitialised => "uninitialised".to_owned(),
        Value::Accessor => "accessor".to_owned(),
        Value::Unknown => "unknown".to_owned(),
    }
}

fn number_term(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        let word = if number > 0.0 {
            "infinite"
        } else {
            "minus_infinite"
        };
        return word.to_owned();
    }
    // An integer has no negative zero.
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if number == number.trunc() && number.abs() < 1e15 && !is_negative_zero {
        return format!("{number:.0}");
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// The key of a property or entry as a term.
pub(super) fn key(model: &Model, key: u32) -> String {
    match model.keys.get(key as usize) {
        Some(Key::Property(name)) => atom(name),
        Some(Key::Symbol(_, number, name)) => format!("symbol({number}, {})", atom(name)),
        Some(Key::Entry(name)) => format!("entry({})", atom(name)),
        None => "unknown".to_owned(),
    }
}

/// The name of a function as it is written; empty: it has none.
pub(super) fn function_name(model: &Model, function: FunctionId) -> String {
    model
        .tables
        .function(function)
        .map_or_else(String::new, |function| function.name.clone())
}

/// A text as an atom in quotes.
pub(super) fn atom(text: &str) -> String {
    quoted(text, '\'')
}

/// A text in these quotes.
fn quoted(text: &str, quote: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for character in text.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            character if character == quote => {
                quoted.push('\\');
                quoted.push(character);
            }
            // No reader takes a line's end of another kind, or what is not seen, for a part of the text.
            character
                if character.is_control()
                    || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}') =>
            {
                quoted.push_str(&format!("\\x{:x}\\", u32::from(character)));
            }
            character => quoted.push(character),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        for (number, term) in [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (-7.0, "-7"),
            (0.1, "0.1"),
            (1e21, "1.0e21"),
            (5e-324, "5.0e-324"),
            (1.5e300, "1.5e300"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "minus_infinite"),
        ] {
            assert_eq!(number_term(number), term);
        }
    }

    #[test]
    fn a_text_ends_where_it_ends() {
        assert_eq!(atom("it's"), r"'it\'s'");
        assert_eq!(quoted("\"a\\\n\u{0}é", '"'), "\"\\\"a\\\\\\n\\x0\\é\"");
    }
}
