//! Questions to a log that a project or a person composes of others, names and saves: *JavaTA*'s composed queries, such
//! as its login scenario (Girgis and Jayaraman, section 4).
//!
//! ```text
//! # Each time that a user was let in whose name nobody had typed.
//! define strange(user) =
//!   first typed = wasAssigned(.name)
//!   then let = returnsOf(login)
//!   when typed.value != user and let.value == true
//!
//! # Calls of a function with more than this.
//! define above(f, limit) = argumentsOf(f) when arguments[0] > limit
//! ```
//!
//! ```text
//! definition := "define" name "(" [ name { "," name } ] ")" "=" body
//! body       := ( step | "first" step { "then" step } ) [ "when" condition { "and" condition } ]
//! step       := [ name "=" ] question
//! condition  := operand ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand
//! operand    := literal | [ name "." ] field
//! field      := "value" | "old" | "returned" | "exception" | "name" | "function" | "line" | "class" | "object"
//!             | "arguments" "[" integer "]"
//! ```
//! A question may be another definition. Where the word of a parameter is in the body, outside of quotes, what was
//! given for it is put there when the question is asked. Lines that begin with `#` above a definition are its help.

mod reading;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use super::{CatalogueQuery, parser};
use crate::answer::{Value, ValueType};
use crate::nearest::nearest;
use crate::query::QueryError;
use crate::query::scanner::Scanner;
use reading::{arguments, condition, definition};
use words::{Part, parts, substituted};

/// Definitions in each other, at most.
const DEEPEST: usize = 16;
/// A file is not read further, in bytes.
pub const LARGEST_FILE: u64 = 1 << 20;

/// A question that was composed and saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it takes, in order.
    pub parameters: Vec<String>,
    /// What it is for, as its author says; lines.
    pub help: String,
    /// Where it comes from: the file and the line, from 1.
    pub place: (String, usize),
    body: String,
}

impl Definition {
    /// How it is asked: `above(f, limit)`.
    #[must_use]
    pub fn usage(&self) -> String {
        format!("{}({})", self.name, self.parameters.join(", "))
    }
}

/// Why a file has no definitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}\n{}", error.render())]
pub struct DefinitionError {
    /// The file.
    pub file: String,
    /// The line at which the definition begins, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub error: QueryError,
}

/// What was defined, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions(BTreeMap<String, Definition>);

/// A question, as it is asked of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// One of the catalogue.
    Plain(CatalogueQuery),
    /// One that is composed of others.
    Composed(Composed),
}

/// A question that is composed of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// What it is called, if it is called something.
    pub name: Option<String>,
    /// What comes one after the other.
    pub steps: Vec<ComposedStep>,
    /// What must hold of their events.
    pub conditions: Vec<Condition>,
    /// As it was typed.
    pub text: String,
}

/// A part of a composed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedStep {
    /// What conditions call its event.
    pub name: Option<String>,
    /// What is asked.
    pub question: Question,
}

/// What must hold of the events of a composed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// On its left.
    pub left: Operand,
    /// What is compared.
    pub comparison: Comparison,
    /// On its right.
    pub right: Operand,
}

/// A side of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A value that was typed, as a console prints it.
    Literal(Value),
    /// Something of an event.
    Field {
        /// The number of the step.
        step: usize,
        /// What of it.
        field: Field,
    },
}

/// Something of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// What is written, thrown, caught, made, returned.
    Value,
    /// What was there before.
    Old,
    /// What the call returned.
    Returned,
    /// What left the call.
    Exception,
    /// The property, variable, class or condition.
    Name,
    /// The function.
    Function,
    /// The line, from 1.
    Line,
    /// The class of the object.
    Class,
    /// Which object it is about.
    Object,
    /// What was passed, by its place from 0.
    Argument(usize),
}

impl std::fmt::Display for Field {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Value => "value",
            Self::Old => "old",
            Self::Returned => "returned",
            Self::Exception => "exception",
            Self::Name => "name",
            Self::Function => "function",
            Self::Line => "line",
            Self::Class => "class",
            Self::Object => "object",
            Self::Argument(number) => return write!(formatter, "arguments[{number}]"),
        })
    }
}

const FIELDS: [&str; 10] = [
    "value",
    "old",
    "returned",
    "exception",
    "name",
    "function",
    "line",
    "class",
    "object",
    "arguments",
];
const KEYWORDS: [&str; 5] = ["define", "first", "then", "when", "and"];

/// How two operands are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Same,
    /// `!=`
    Other,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Same),
    ("!=", Comparison::Other),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

impl Comparison {
    /// Whether it holds of two values: of two numbers by size, of anything else as texts that a console prints.
    #[must_use]
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        let number = |value: &Value| match value.kind {
            ValueType::Number => value.text.parse::<f64>().ok(),
            _ => None,
        };
        let order = match (number(left), number(right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ if left.kind == right.kind => Some(left.text.cmp(&right.text)),
            _ => None,
        };
        // What a console prints alike is the same: NaN, too.
        let is_same = order.is_some_and(|it| it.is_eq())
            || left.kind == right.kind && left.text == right.text;
        match self {
            Self::Same => is_same,
            Self::Other => !is_same,
            Self::Less => order.is_some_and(|it| it.is_lt()),
            Self::AtMost => order.is_some_and(|it| it.is_le()),
            Self::More => order.is_some_and(|it| it.is_gt()),
            Self::AtLeast => order.is_some_and(|it| it.is_ge()),
        }
    }
}

impl Question {
    /// What it is called, if it is called something.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Plain(query) => query.name.as_deref(),
            Self::Composed(composed) => composed.name.as_deref(),
        }
    }

    /// As it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(query) => &query.text,
            Self::Composed(composed) => &composed.text,
        }
    }
}

impl Definitions {
    /// Takes the definitions of a file in; one of a name that is there already takes its place.
    ///
    /// # Errors
    /// [`DefinitionError`] with the place. Then nothing of the file is taken.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), DefinitionError> {
        let mut taken = Vec::new();
        let mut help: Vec<&str> = Vec::new();
        let mut lines = text.lines().zip(1..).peekable();
        while let Some((line, number)) = lines.next() {
            if let Some(comment) = line.trim_start().strip_prefix('#') {
                help.push(comment.strip_prefix(' ').unwrap_or(comment).trim_end());
                continue;
            }
            if line.trim().is_empty() {
                help.clear();
                continue;
            }
            let mut whole = line.to_owned();
            let begins = |line: &str| {
                let line = line.trim_start();
                line.starts_with('#') || line.is_empty() || line.starts_with("define ")
            };
            while let Some((more, _)) = lines.next_if(|(more, _)| !begins(more)) {
                whole.push(' ');
                whole.push_str(more.trim());
            }
            let help = std::mem::take(&mut help).join("\n");
            let definition = definition(&whole, help, (file.to_owned(), number));
            taken.push(definition.map_err(|error| DefinitionError {
                file: file.to_owned(),
                line: number,
                error,
            })?);
        }
        for definition in taken {
            self.0.insert(definition.name.clone(), definition);
        }
        Ok(())
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.0.values()
    }

    /// Reads a question: one of the catalogue, or the use of a definition.
    ///
    /// # Errors
    /// [`QueryError`] with the place, what was expected there and what to do; of what is wrong inside a definition, in
    /// the text that it became.
    pub fn question(&self, text: &str) -> Result<Question, QueryError> {
        self.question_inside(text, 0)
    }

    fn question_inside(&self, text: &str, depth: usize) -> Result<Question, QueryError> {
        let mut scanner = Scanner::new(text);
        let mut name = None;
        let Some((mut word, mut at)) = scanner.word() else {
            return CatalogueQuery::parse(text).map(Question::Plain);
        };
        if scanner.eat("=") {
            name = Some(word.to_owned());
            match scanner.word() {
                Some(next) => (word, at) = next,
                None => return CatalogueQuery::parse(text).map(Question::Plain),
            }
        }
        let Some(definition) = self.0.get(word).filter(|_| !parser::KINDS.contains(&word)) else {
            let is_known = parser::KINDS.contains(&word);
            return CatalogueQuery::parse(text)
                .map(Question::Plain)
                .map_err(|error| {
                    let ours = self.0.keys().map(String::as_str);
                    match nearest(word, ours.clone()).filter(|_| !is_known) {
                        Some(near) => error.with_help(&format!("did you mean \"{near}\"?")),
                        None => error,
                    }
                });
        };
        if depth >= DEEPEST {
            let message = format!("{word} is defined by itself, or too deep");
            return Err(scanner.error_at(at, message));
        }
        let given = arguments(&mut scanner, definition)?;
        let body = substituted(&definition.body, &definition.parameters, &given);
        let composed = self.body(&body, depth + 1)?;
        Ok(Question::Composed(Composed {
            name,
            text: text.to_owned(),
            ..composed
        }))
    }

    fn body(&self, body: &str, depth: usize) -> Result<Composed, QueryError> {
        let parts = parts(body);
        let mut steps: Vec<ComposedStep> = Vec::new();
        let mut conditions = Vec::new();
        for Part { keyword, text, at } in &parts {
            match *keyword {
                "" | "first" | "then" => {
                    let (name, question) = self.step(text, depth)?;
                    steps.push(ComposedStep { name, question });
                }
                _ => conditions.push(condition(body, text, *at, &steps)?),
            }
        }
        if steps.is_empty() {
            return Err(Scanner::new(body).error("expected a question"));
        }
        Ok(Composed {
            name: None,
            steps,
            conditions,
            text: body.to_owned(),
        })
    }

    fn step(&self, text: &str, depth: usize) -> Result<(Option<String>, Question), QueryError> {
        let question = self.question_inside(text.trim(), depth)?;
        Ok((question.name().map(str::to_owned), question))
    }
}
