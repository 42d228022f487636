//! Declared types, as JSDoc and TypeScript write them, and whether a value of a log has one.
//!
//! What is not understood is no reason to say anything: a name that no object of the log is of may be that of any type.

use std::collections::HashSet;

use event_log::model::{Model, plain_text};
use event_log::value::Value;

use crate::log::LogTree;
use crate::state::properties;

/// Types inside one another are read so deep.
const DEEPEST: usize = 16;
/// So many elements of an array are looked at.
const MOST_ELEMENTS: usize = 100;

/// Classes of the language: an object of one of them is of none of the others.
const BUILT_IN: [&str; 10] = [
    "Array", "Date", "Map", "Object", "Promise", "RegExp", "Set", "WeakMap", "WeakSet", "Function",
];

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// Anything, or not understood.
    Any,
    Undefined,
    Null,
    Boolean,
    Number,
    BigInt,
    String,
    Symbol,
    Function,
    /// A boolean, number or text as a literal, as a console prints it; a text without quotes.
    Literal(String, Box<Self>),
    /// Something that is no primitive.
    Object,
    Array(Box<Self>),
    Promise(Box<Self>),
    /// A class, of the language or of the page.
    Class(String),
    OneOf(Vec<Self>),
}

impl Type {
    /// Reads a type. `classes` are the names of classes that objects are of.
    pub(crate) fn parse(text: &str, classes: &HashSet<String>) -> Self {
        parse(text, classes, 0)
    }

    /// Whether a value had the type at a time; `None`: that cannot be said.
    pub(crate) fn has(
        &self,
        log: &LogTree<'_>,
        stream: u16,
        value: Value,
        at: u32,
    ) -> Option<bool> {
        let model = log.model();
        if matches!(
            value,
            Value::Unknown | Value::Accessor | Value::Absent | Value::Uninitialised
        ) {
            return None;
        }
        match self {
            Self::Any => None,
            Self::Undefined => Some(value == Value::Undefined),
            Self::Null => Some(value == Value::Null),
            Self::Boolean => Some(matches!(value, Value::Boolean(_))),
            Self::Number => Some(matches!(value, Value::Number(_))),
            Self::BigInt => Some(matches!(value, Value::BigInt(_))),
            Self::String => Some(matches!(value, Value::String(_) | Value::LongString { .. })),
            Self::Symbol => Some(matches!(value, Value::Symbol(_))),
            Self::Function => match value {
                Value::Function(_) => Some(true),
                Value::Object(_) | Value::Null => None,
                _ => Some(false),
            },
            Self::Literal(text, of) => match of.has(log, stream, value, at) {
                Some(true) => Some(plain_text(model, stream, value) == *text),
                other => other,
            },
            Self::Object => match value {
                Value::Object(_) | Value::Function(_) => Some(true),
                Value::Null => None,
                _ => Some(false),
            },
            Self::Array(of) => match has_class(model, stream, value, "Array") {
                Some(true) => {
                    let elements = value
                        .object()
                        .map_or_else(Vec::new, |it| properties(model, stream, it.0, at));
                    let mut elements = elements.into_iter().take(MOST_ELEMENTS);
                    let is_wrong = |(_, element): (u32, Value)| {
                        element != Value::Undefined
                            && !matches!(element, Value::Object(_))
                            && of.has(log, stream, element, at) == Some(false)
                    };
                    (!elements.any(is_wrong)).then_some(true).or(Some(false))
                }
                other => other,
            },
            Self::Promise(_) => has_class(model, stream, value, "Promise"),
            Self::Class(name) => has_class(model, stream, value, name),
            Self::OneOf(types) => {
                let mut all_known = true;
                for it in types {
                    match it.has(log, stream, value, at) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => all_known = false,
                    }
                }
                all_known.then_some(false)
            }
        }
    }
}

/// Whether a value is an object of a class. `null` is often meant, too.
fn has_class(model: &Model, stream: u16, value: Value, name: &str) -> Option<bool> {
    match value {
        Value::Object(id) => {
            let class = model.object(stream, id.0).map_or(0, |it| it.class);
            let class = model.text(stream, class);
            match (
                class == name,
                BUILT_IN.contains(&class) && BUILT_IN.contains(&name),
            ) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                // It may extend the class, or look like it.
                (false, false) => None,
            }
        }
        Value::Null | Value::Function(_) => None,
        _ => Some(false),
    }
}

fn parse(text: &str, classes: &HashSet<String>, depth: usize) -> Type {
    let text = text.trim();
    if depth > DEEPEST || text.starts_with("...") {
        return Type::Any;
    }
    let inner = |text: &str| parse(text, classes, depth + 1);
    let or = |one: Type, other: Type| match one {
        Type::Any => Type::Any,
        one => Type::OneOf(vec![one, other]),
    };
    if let Some(text) = text.strip_suffix('=') {
        return or(inner(text), Type::Undefined);
    }
    let Some(parts) = split(text) else {
        return Type::Any;
    };
    if parts.is_function {
        return Type::Function;
    }
    if parts.alternatives.len() > 1 {
        let types: Vec<Type> = parts.alternatives.into_iter().map(inner).collect();
        return match types.contains(&Type::Any) {
            true => Type::Any,
            false => Type::OneOf(types),
        };
    }
    if let Some(text) = text.strip_prefix('!') {
        return inner(text);
    }
    if let Some(text) = text.strip_prefix('?').or_else(|| text.strip_suffix('?')) {
        return or(inner(text), Type::Null);
    }
    if let Some(of) = text.strip_suffix("[]") {
        let of = of.strip_prefix("readonly ").unwrap_or(of);
        return Type::Array(Box::new(inner(of)));
    }
    if let Some(of) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        return inner(of);
    }
    if text.starts_with('[') {
        return Type::Array(Box::new(Type::Any));
    }
    // Anything but `null` and `undefined` is of that type.
    if text == "{}" {
        return Type::Any;
    }
    if text.starts_with('{') {
        return Type::Object;
    }
    if let Some((name, of)) = generic(text) {
        return match name {
            "Array" | "ReadonlyArray" => Type::Array(Box::new(inner(of))),
            "Promise" => Type::Promise(Box::new(inner(of))),
            "Object" => Type::Object,
            name => class(name, classes),
        };
    }
    if let Some(word) = quoted(text) {
        return Type::Literal(word.to_owned(), Box::new(Type::String));
    }
    // As a console prints it; others may be written otherwise.
    let is_number = text.starts_with(|it: char| it == '-' || it.is_ascii_digit());
    if is_number && text.parse::<f64>().is_ok_and(|it| it.to_string() == text) {
        return Type::Literal(text.to_owned(), Box::new(Type::Number));
    }
    match text {
        "true" | "false" => Type::Literal(text.to_owned(), Box::new(Type::Boolean)),
        "undefined" => Type::Undefined,
        "null" => Type::Null,
        "boolean" | "Boolean" | "bool" => Type::Boolean,
        "number" | "Number" => Type::Number,
        "bigint" | "BigInt" => Type::BigInt,
        "string" | "String" => Type::String,
        "symbol" | "Symbol" => Type::Symbol,
        "Function" => Type::Function,
        "object" => Type::Object,
        "Array" => Type::Array(Box::new(Type::Any)),
        "Promise" => Type::Promise(Box::new(Type::Any)),
        name => class(name, classes),
    }
}

fn class(name: &str, classes: &HashSet<String>) -> Type {
    // `Object` is written for anything.
    let is_known = BUILT_IN.contains(&name) || classes.contains(name);
    match is_known && name != "Object" {
        true => Type::Class(name.to_owned()),
        false => Type::Any,
    }
}

/// A name with what is between its angle brackets.
fn generic(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_suffix('>')?.split_once('<')?;
    Some((name.strip_suffix('.').unwrap_or(name).trim(), rest))
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    text.get(1..)?.strip_suffix(quote)
}

/// The alternatives of a type.
struct Parts<'t> {
    alternatives: Vec<&'t str>,
    /// Whether it is the type of a function.
    is_function: bool,
}

/// Splits a type outside of brackets and quotes; `None`: they do not fit.
fn split(text: &str) -> Option<Parts<'_>> {
    let mut alternatives = Vec::new();
    let mut open = Vec::new();
    let mut quote = None;
    let mut start = 0;
    let mut before = ' ';
    let mut is_function = text.starts_with("function(") || text.starts_with("new ");
    for (at, it) in text.char_indices() {
        match (quote, it) {
            (Some(ends), it) if it == ends => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(it),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, '<') => open.push('>'),
            (None, '>') if before == '=' => is_function |= open.is_empty(),
            (None, ')' | ']' | '}' | '>') if open.pop() == Some(it) => {}
            (None, ')' | ']' | '}' | '>') => return None,
            (None, '|') if open.is_empty() => {
                alternatives.push(text.get(start..at)?);
                start = at + 1;
            }
            // Both of two types at once.
            (None, '&') if open.is_empty() => return None,
            _ => {}
        }
        before = it;
    }
    alternatives.push(text.get(start..)?);
    // A leading line is TypeScript's way to write one alternative a line.
    alternatives.retain(|it| !it.trim().is_empty());
    (open.is_empty() && quote.is_none()).then_some(Parts {
        alternatives,
        is_function,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Type {
        Type::parse(text, &HashSet::from(["Node".to_owned()]))
    }

    #[test]
    fn types_are_read_as_they_are_written() {
        let array = |of| Type::Array(Box::new(of));
        assert_eq!(read("number"), Type::Number);
        assert_eq!(read(" String "), Type::String);
        assert_eq!(read("number[]"), array(Type::Number));
        assert_eq!(read("Array.<Array<string>>"), array(array(Type::String)));
        assert_eq!(
            read("Promise<Map>"),
            Type::Promise(Box::new(Type::Class("Map".to_owned())))
        );
        assert_eq!(read("?number"), Type::OneOf(vec![Type::Number, Type::Null]));
        assert_eq!(read("(string|null)="), {
            let either = Type::OneOf(vec![Type::String, Type::Null]);
            Type::OneOf(vec![either, Type::Undefined])
        });
        assert_eq!(
            read("'a|b'"),
            Type::Literal("a|b".to_owned(), Box::new(Type::String))
        );
        assert_eq!(read("function(number): string"), Type::Function);
        assert_eq!(read("(a: number) => a is string"), Type::Function);
        assert_eq!(read("{a: number, b: string|null}"), Type::Object);
        assert_eq!(read("Node"), Type::Class("Node".to_owned()));
        let number = |text: &str| Type::Literal(text.to_owned(), Box::new(Type::Number));
        assert_eq!(
            read("-1 | 2.5"),
            Type::OneOf(vec![number("-1"), number("2.5")])
        );
    }

    #[test]
    fn what_is_not_understood_may_be_anything() {
        for text in [
            "*",
            "any",
            "T",
            "Options",
            "Object",
            "void",
            "...number",
            "string|T",
            "A & B",
            "?T",
            "Array<number",
            "(((",
            "\"a",
            "",
            "a is string",
            "number | unknown",
            "{}",
            "1e3",
            "Infinity",
        ] {
            let read = read(text);
            assert!(matches!(read, Type::Any), "{text}: {read:?}");
        }
        assert_eq!(read(&"(".repeat(100_000)), Type::Any);
        let deep = format!("{}number{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(read(&deep), Type::Any);
    }
}
