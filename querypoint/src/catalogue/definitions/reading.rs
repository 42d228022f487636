//! The grammar of definitions: a header, what is given for its parameters, conditions.

use super::words::outside_quotes;
use super::{COMPARISONS, ComposedStep, Condition, Definition, FIELDS, Field, KEYWORDS, Operand};
use crate::answer::{Value, ValueType};
use crate::catalogue::parser;
use crate::query::QueryError;
use crate::query::scanner::Scanner;

pub(super) fn definition(
    text: &str,
    help: String,
    place: (String, usize),
) -> Result<Definition, QueryError> {
    let mut scanner = Scanner::new(text);
    if !matches!(scanner.word(), Some(("define", _))) {
        let error = scanner.error_at(0, "expected \"define\"");
        return Err(error.with_help(
            "for example: define above(limit) = argumentsOf(pay) when arguments[0] > limit",
        ));
    }
    let named = |scanner: &mut Scanner<'_>, what: &str| match scanner.word() {
        Some((word, at)) if KEYWORDS.contains(&word) || FIELDS.contains(&word) || word == "R" => {
            Err(scanner.error_at(at, format!("\"{word}\" has a meaning of its own")))
        }
        Some((word, at)) if what == "a definition" && parser::KINDS.contains(&word) => {
            Err(scanner.error_at(at, format!("there is a question {word} already")))
        }
        Some((word, _)) => Ok(word.to_owned()),
        None => Err(scanner.error(format!("expected the name of {what}"))),
    };
    let name = named(&mut scanner, "a definition")?;
    scanner.expect("(", " after the name")?;
    let mut parameters = Vec::new();
    while !scanner.eat(")") {
        if !parameters.is_empty() {
            scanner.expect(",", " between two parameters")?;
        }
        parameters.push(named(&mut scanner, "a parameter")?);
    }
    scanner.expect("=", " before what is asked")?;
    let body = scanner.rest().trim().to_owned();
    if body.is_empty() {
        return Err(scanner.error("expected a question"));
    }
    Ok(Definition {
        name,
        parameters,
        help,
        place,
        body,
    })
}

/// What was given for the parameters, as it was typed.
pub(super) fn arguments(
    scanner: &mut Scanner<'_>,
    definition: &Definition,
) -> Result<Vec<String>, QueryError> {
    let usage = definition.usage();
    scanner
        .expect("(", &format!(" after \"{}\"", definition.name))
        .map_err(|error| error.with_help(&usage))?;
    let begins = scanner.offset();
    let rest = scanner.rest();
    let mut given = Vec::new();
    let (mut from, mut end) = (0, None);
    for (at, character) in outside_quotes(rest) {
        match character {
            ',' => {
                given.push(rest[from..at].trim().to_owned());
                from = at + 1;
            }
            ')' => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let Some(end) = end else {
        scanner.advance(rest.len());
        return Err(scanner.error("expected \")\"").with_help(&usage));
    };
    let last = rest[from..end].trim();
    if !last.is_empty() || !given.is_empty() {
        given.push(last.to_owned());
    }
    scanner.advance(end + 1);
    scanner.skip_whitespace();
    if scanner.peek().is_some() {
        let error = scanner.error("expected the end of the question");
        return Err(error.with_help("give each question as an argument of its own"));
    }
    if given.len() != definition.parameters.len() || given.iter().any(String::is_empty) {
        let wanted = definition.parameters.len();
        let message = format!("it takes {wanted} arguments, and {} are given", given.len());
        return Err(scanner.error_at(begins, message).with_help(&usage));
    }
    Ok(given)
}

/// A condition, which begins at `at` of the body.
pub(super) fn condition(
    body: &str,
    text: &str,
    at: usize,
    steps: &[ComposedStep],
) -> Result<Condition, QueryError> {
    // So that the places of errors are those of the whole body.
    let mut scanner = Scanner::new(&body[..at + text.len()]);
    scanner.advance(at);
    let left = operand(&mut scanner, steps)?;
    let found = COMPARISONS.iter().find(|(sign, _)| scanner.eat(sign));
    let Some(&(_, comparison)) = found else {
        scanner.skip_whitespace();
        return Err(scanner.error("expected ==, !=, <, <=, > or >="));
    };
    let right = operand(&mut scanner, steps)?;
    scanner.skip_whitespace();
    if scanner.peek().is_some() {
        return Err(scanner.error("expected \"and\", or the end of the question"));
    }
    Ok(Condition {
        left,
        comparison,
        right,
    })
}

fn operand(scanner: &mut Scanner<'_>, steps: &[ComposedStep]) -> Result<Operand, QueryError> {
    scanner.skip_whitespace();
    match scanner.peek() {
        Some('"' | '\'') => return Ok(Operand::Literal(Value::string(&scanner.string()?))),
        Some(digit) if digit.is_ascii_digit() || matches!(digit, '-' | '+') => {
            let number = scanner.number()?;
            return Ok(Operand::Literal(Value::new(
                ValueType::Number,
                number.to_string(),
            )));
        }
        _ => {}
    }
    let Some((word, begins)) = scanner.word() else {
        let error = scanner.error("expected a value, or something of an event");
        return Err(error.with_help(&format!("of an event there are {}", FIELDS.join(", "))));
    };
    let literal = match word {
        "true" | "false" => Some(ValueType::Boolean),
        "undefined" => Some(ValueType::Undefined),
        "null" => Some(ValueType::Object),
        "NaN" | "Infinity" => Some(ValueType::Number),
        _ => None,
    };
    if let Some(kind) = literal {
        return Ok(Operand::Literal(Value::new(kind, word)));
    }
    let step = steps
        .iter()
        .position(|step| step.name.as_deref() == Some(word));
    let (step, field, at) = match step {
        Some(step) => {
            scanner.expect(
                ".",
                &format!(" and something of its event, after \"{word}\""),
            )?;
            let Some((field, at)) = scanner.word() else {
                return Err(scanner.error("expected something of an event"));
            };
            (step, field, at)
        }
        None => (steps.len().saturating_sub(1), word, begins),
    };
    let field = match field {
        "value" => Field::Value,
        "old" => Field::Old,
        "returned" => Field::Returned,
        "exception" => Field::Exception,
        "name" => Field::Name,
        "function" => Field::Function,
        "line" => Field::Line,
        "class" => Field::Class,
        "object" => Field::Object,
        "arguments" => {
            scanner.expect("[", " and which of them")?;
            let number = scanner.integer("which argument, from 0")?;
            scanner.expect("]", " after which argument")?;
            Field::Argument(number)
        }
        other => {
            let message = format!("{other} is no step before this, and nothing of an event");
            let error = scanner.error_at(at, message);
            return Err(error.with_help(&format!("of an event there are {}", FIELDS.join(", "))));
        }
    };
    Ok(Operand::Field { step, field })
}
