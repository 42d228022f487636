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
//! A question may be another definition. Where the word of a parameter stands in the body, outside of quotes, what was
//! given for it stands when the question is asked. Lines that begin with `#` above a definition are its help.

use std::collections::BTreeMap;

use super::{CatalogueQuery, parser};
use crate::answer::{Value, ValueType};
use crate::nearest::nearest;
use crate::query::QueryError;
use crate::query::scanner::Scanner;

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
#[derive(Clone, Debug, PartialEq, Eq)]
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

const FIELDS: [&str; 10] = [
    "value", "old", "returned", "exception", "name", "function", "line", "class", "object", "arguments",
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
            return CatalogueQuery::parse(text).map(Question::Plain).map_err(|error| {
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

fn definition(
    text: &str,
    help: String,
    place: (String, usize),
) -> Result<Definition, QueryError> {
    let mut scanner = Scanner::new(text);
    if !matches!(scanner.word(), Some(("define", _))) {
        let error = scanner.error_at(0, "expected \"define\"");
        return Err(error.with_help("for example: define above(limit) = argumentsOf(pay) when arguments[0] > limit"));
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
fn arguments(
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

/// The characters at the outermost level, outside of quotes and brackets; the bracket that closes it is among them.
fn outside_quotes(text: &str) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let (mut quote, mut depth, mut escaped) = (None, 0_usize, false);
    for (at, character) in text.char_indices() {
        if let Some(closing) = quote {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == closing => quote = None,
                _ => {}
            }
            continue;
        }
        match character {
            '"' | '\'' => quote = Some(character),
            '(' | '[' => depth += 1,
            ')' | ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => found.push((at, character)),
            _ => {}
        }
    }
    found
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// The words of a text outside of quotes, each with where it begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut quote, mut escaped, mut from) = (None, false, None);
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        if let Some(closing) = quote {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == closing => quote = None,
                _ => {}
            }
            continue;
        }
        match (is_in_word(character), from) {
            (true, None) => from = Some(at),
            (false, Some(begins)) => {
                found.push((begins, &text[begins..at]));
                from = None;
            }
            _ => {}
        }
        if matches!(character, '"' | '\'') {
            quote = Some(character);
        }
    }
    found
}

/// A body with what was given in the place of the parameters.
fn substituted(body: &str, parameters: &[String], given: &[String]) -> String {
    let mut text = String::with_capacity(body.len());
    let mut copied = 0;
    for (at, word) in words(body) {
        let number = parameters.iter().position(|parameter| parameter == word);
        if let Some(argument) = number.and_then(|number| given.get(number)) {
            text.push_str(&body[copied..at]);
            text.push_str(argument);
            copied = at + word.len();
        }
    }
    text.push_str(&body[copied..]);
    text
}

/// What stands behind a keyword of a body, up to the next.
struct Part<'b> {
    keyword: &'b str,
    text: &'b str,
    at: usize,
}

fn parts(body: &str) -> Vec<Part<'_>> {
    let outer: Vec<usize> = outside_quotes(body).into_iter().map(|(at, _)| at).collect();
    let keywords = words(body).into_iter().filter(|(at, word)| {
        let is_member = body[..*at].trim_end().ends_with('.');
        KEYWORDS[1..].contains(word) && !is_member && outer.binary_search(at).is_ok()
    });
    let mut parts = Vec::new();
    let (mut keyword, mut from) = ("", 0);
    let mut close = |keyword: &'_ str, from: usize, to: usize| {
        let is_empty_beginning = keyword.is_empty() && body[from..to].trim().is_empty();
        if !is_empty_beginning {
            parts.push((keyword.len(), from, to));
        }
    };
    for (at, word) in keywords {
        close(keyword, from, at);
        (keyword, from) = (word, at + word.len());
    }
    close(keyword, from, body.len());
    parts
        .into_iter()
        .map(|(length, from, to)| Part {
            keyword: &body[from - length..from],
            text: &body[from..to],
            at: from,
        })
        .collect()
}

/// A condition, which begins at `at` of the body.
fn condition(
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
            return Ok(Operand::Literal(Value::new(ValueType::Number, number.to_string())));
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
    let step = steps.iter().position(|step| step.name.as_deref() == Some(word));
    let (step, field, at) = match step {
        Some(step) => {
            scanner.expect(".", &format!(" and something of its event, after \"{word}\""))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CatalogueKind;

    fn defined(text: &str) -> Definitions {
        let mut definitions = Definitions::default();
        definitions.add("shop.queries", text).unwrap();
        definitions
    }

    fn composed(definitions: &Definitions, text: &str) -> Composed {
        match definitions.question(text).unwrap() {
            Question::Composed(composed) => composed,
            Question::Plain(plain) => panic!("{plain:?}"),
        }
    }

    const LOGIN: &str = "# Each time that somebody was let in\n# whose name nobody had typed.\n\
        define strange(user) =\n  first typed = wasAssigned(.name)\n  then let = returnsOf(login)\n\
        \x20 when typed.value != user and let.value == true\n\n\
        # Left alone.\n\ndefine above(f, limit) = argumentsOf(f) when arguments[0] > limit\n";

    #[test]
    fn a_file_has_definitions_with_help() {
        let definitions = defined(LOGIN);
        let told = definitions.iter().map(|it| (it.usage(), it.help.as_str(), it.place.1));
        let wanted = [
            ("above(f, limit)".to_owned(), "", 10),
            (
                "strange(user)".to_owned(),
                "Each time that somebody was let in\nwhose name nobody had typed.",
                3,
            ),
        ];
        assert_eq!(told.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn what_was_given_stands_where_the_parameter_stood() {
        let definitions = defined(LOGIN);
        let sequence = composed(&definitions, "S = strange('then, (ann')");
        assert_eq!(sequence.name.as_deref(), Some("S"));
        let names = sequence.steps.iter().map(|step| step.name.as_deref());
        assert_eq!(names.collect::<Vec<_>>(), [Some("typed"), Some("let")]);
        let user = Operand::Literal(Value::string("then, (ann"));
        let typed = Operand::Field {
            step: 0,
            field: Field::Value,
        };
        assert_eq!(sequence.conditions.len(), 2);
        assert_eq!(
            sequence.conditions[0],
            Condition {
                left: typed,
                comparison: Comparison::Other,
                right: user
            }
        );
        let above = composed(&definitions, "above(Cart.add, 10)");
        let Question::Plain(plain) = &above.steps[0].question else {
            panic!("{above:?}")
        };
        assert_eq!(plain.kind, CatalogueKind::ArgumentsOf("Cart.add".to_owned()));
        // A definition of definitions.
        let twice = defined("define a(n) = argumentsOf(f) when arguments[0] == n\ndefine b() = first a(1) then a(2)\n");
        let twice = composed(&twice, "b()");
        assert_eq!(twice.steps.len(), 2);
        assert!(matches!(&twice.steps[1].question, Question::Composed(it) if it.text == "a(2)"));
        // The catalogue is there as ever.
        assert!(matches!(definitions.question("callChain(R)"), Ok(Question::Plain(_))));
        assert!(matches!(definitions.question("W = where(throw())"), Ok(Question::Plain(_))));
    }

    #[test]
    fn what_cannot_be_read_says_where_and_what_to_do() {
        let mut definitions = defined(LOGIN);
        let wrong = |text: &str| Definitions::default().add("f", text).unwrap_err();
        for (text, line, place) in [
            ("defin a() = callChain(R)", 1, 0),
            ("\ndefine (x) = callChain(R)", 2, 7),
            ("define value() = callChain(R)", 1, 7),
            ("define where() = callChain(R)", 1, 7),
            ("define a(x y) = callChain(R)", 1, 11),
            ("define a(then) = callChain(R)", 1, 9),
            ("define a() =", 1, 12),
        ] {
            let error = wrong(text);
            assert_eq!((error.line, error.error.offset), (line, place), "{text}: {error}");
        }
        // Nothing of a file with an error is taken.
        assert!(definitions.add("f", "define more() = callChain(R)\ndefine a(").is_err());
        assert!(definitions.question("more()").is_err());
        for (text, place, help) in [
            ("strang(1)", 0, Some("did you mean \"strange\"?")),
            ("strange()", 8, Some("strange(user)")),
            ("strange(1, 2)", 8, Some("strange(user)")),
            ("strange(1", 9, Some("strange(user)")),
            ("strange(1) x", 11, Some("give each question as an argument of its own")),
            ("historie(R:a)", 0, Some("did you mean \"history\"?")),
        ] {
            let error = definitions.question(text).unwrap_err();
            let told = (error.offset, error.help.as_deref());
            assert_eq!(told, (place, help), "{text}: {}", error.render());
        }
        let inside = |body: &str| {
            let definitions = defined(&format!("define d() = {body}"));
            definitions.question("d()").unwrap_err()
        };
        for (body, place) in [
            ("callChain(R) when", 17),
            ("callChain(R) when value", 23),
            ("callChain(R) when value = 1", 24),
            ("callChain(R) when first == 1", 0),
            ("callChain(R) when nothing == 1", 18),
            ("callChain(R) when arguments == 1", 28),
            ("first A = callChain(R) when A == 1", 30),
            ("callChain(R) when value == 1 2", 29),
        ] {
            let error = inside(body);
            assert_eq!(error.offset, place, "{body}: {}", error.render());
        }
        let itself = inside("first d() then d()");
        assert!(itself.message.contains("by itself"), "{}", itself.render());
    }

    #[test]
    fn values_are_compared_as_numbers_or_as_texts() {
        let number = |text: &str| Value::new(ValueType::Number, text);
        use Comparison::{AtMost, Less, More, Other, Same};
        assert!(Less.holds(&number("9"), &number("10")));
        assert!(!Less.holds(&Value::string("9"), &Value::string("10")));
        assert!(Other.holds(&number("1"), &Value::string("1")));
        assert!(!More.holds(&number("1"), &Value::string("0")));
        assert!(Same.holds(&number("0.5"), &number("5e-1")));
        assert!(Same.holds(&number("NaN"), &number("NaN")) && !AtMost.holds(&number("NaN"), &number("NaN")));
        assert!(AtMost.holds(&number("-Infinity"), &number("3")));
    }
}
