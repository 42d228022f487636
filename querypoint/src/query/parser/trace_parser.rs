//! Trace queries: events, constraints, and the index.

use super::{Parser, one_of};
use crate::nearest::nearest;
use crate::query::{
    CodeLine, Constraint, Event, GlobalReference, PropertyKey, QueryError, TraceQuery,
};

const EVENTS: [&str; 8] = [
    "line", "call", "return", "write", "assign", "create", "throw", "branch",
];
const CONSTRAINTS: [&str; 6] = ["before", "after", "mayAffect", "sameness", "when", "index"];

impl Parser<'_> {
    /// What is between the parentheses of `trace(…)`.
    pub(super) fn trace(&mut self) -> Result<TraceQuery, QueryError> {
        let event = self.event()?;
        let mut constraints = Vec::new();
        let mut index = None;
        while index.is_none() && self.scanner.eat(",") {
            let Some((word, at)) = self.scanner.word() else {
                return Err(self
                    .scanner
                    .error(format!("expected {}", one_of(&CONSTRAINTS))));
            };
            if word == "index" {
                index = Some(
                    self.scanner
                        .integer("which event: 0 the first, -1 the last")?,
                );
            } else {
                constraints.push(self.constraint(word, at)?);
            }
        }
        if index.is_some() {
            let mut ahead = self.scanner;
            if ahead.eat(",") {
                self.scanner.skip_whitespace();
                return Err(self
                    .scanner
                    .error("expected \")\" after the index")
                    .with_help("the index comes last, after every constraint"));
            }
        }
        Ok(TraceQuery {
            event,
            constraints,
            index,
        })
    }

    fn event(&mut self) -> Result<Event, QueryError> {
        let Some((word, at)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error(format!("expected an event: {}", one_of(&EVENTS))));
        };
        if !EVENTS.contains(&word) {
            return Err(self.unknown(word, at, "an event", &EVENTS));
        }
        self.scanner.expect("(", &format!(" after \"{word}\""))?;
        let event = match word {
            "line" => Event::Line(self.code_line("line(app.js:22)")?),
            "call" => Event::Call(self.dotted_name("the name of a function")?),
            "return" => Event::Return(self.dotted_name("the name of a function")?),
            "write" => Event::Write(self.written_property()?),
            "assign" => Event::Assign(self.assigned_variable()?),
            "create" => Event::Create(self.dotted_name("the name of a class")?),
            "branch" => Event::Branch(self.point()?),
            _ => {
                let mut ahead = self.scanner;
                let any = ahead.eat(")");
                Event::Throw(if any {
                    None
                } else {
                    Some(self.dotted_name("the name of a class")?)
                })
            }
        };
        self.close(word)?;
        Ok(event)
    }

    /// `file:line` or `file:line:column`. The file is taken as it is, up to the first `:number)` or
    /// `:number:number)`.
    pub(super) fn code_line(&mut self, example: &str) -> Result<CodeLine, QueryError> {
        self.scanner.skip_whitespace();
        let rest = self.scanner.rest();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let closes = |text: &str| text.trim_start().starts_with(')');
        let place = rest.match_indices(':').find_map(|(colon, _)| {
            let after = rest[colon + 1..].trim_start();
            let line = digits(after);
            let behind = &after[line..];
            let column = behind
                .strip_prefix(':')
                .map(|column| (digits(column), column));
            let closed = match column {
                Some((digits, column)) => digits > 0 && closes(&column[digits..]),
                None => closes(behind),
            };
            let found = (rest[..colon].trim_end(), colon + 1, column.is_some());
            (line > 0 && closed).then_some(found)
        });
        let Some((file, number_at, has_column)) = place.filter(|(file, _, _)| !file.is_empty())
        else {
            return Err(self
                .scanner
                .error("expected a file, \":\" and a line")
                .with_help(&format!("for example: {example}")));
        };
        self.scanner.advance(number_at);
        let line = self.counted_from_one("a line")?;
        let column = match has_column {
            true => {
                self.scanner.expect(":", " after the line")?;
                Some(self.counted_from_one("a column")?)
            }
            false => None,
        };
        Ok(CodeLine {
            file: file.to_owned(),
            line,
            column,
        })
    }

    fn counted_from_one(&mut self, what: &str) -> Result<u32, QueryError> {
        self.scanner.skip_whitespace();
        let before = self.scanner;
        let number: u32 = self.scanner.integer(what)?;
        match number {
            0 => Err(before.error(format!("expected {what}; the first is 1"))),
            number => Ok(number),
        }
    }

    /// `name.name`, as a class or a function is reached.
    fn dotted_name(&mut self, what: &str) -> Result<String, QueryError> {
        let Some((word, _)) = self.scanner.word() else {
            return Err(self.scanner.error(format!("expected {what}")));
        };
        let mut name = word.to_owned();
        while self.scanner.eat(".") {
            let hash = if self.scanner.rest().starts_with('#') {
                "#"
            } else {
                ""
            };
            self.scanner.advance(hash.len());
            let Some((word, _)) = self.scanner.word() else {
                return Err(self.scanner.error("expected a name after \".\""));
            };
            name.push('.');
            name.push_str(hash);
            name.push_str(word);
        }
        Ok(name)
    }

    /// `.name`, `.#name` or `["any key"]`.
    fn written_property(&mut self) -> Result<PropertyKey, QueryError> {
        const HELP: &str = "a property is written write(.name); a variable, assign(name)";
        if self.scanner.eat("[") {
            let key = self.element_key()?;
            let property = key.property_key().ok_or_else(|| {
                self.scanner
                    .error("expected a number or a string; a variable has no value here")
            })?;
            self.scanner.expect("]", " after the key")?;
            return Ok(property);
        }
        self.scanner
            .expect(".", " and the name of a property")
            .map_err(|error| error.with_help(HELP))?;
        let private = self.scanner.eat("#");
        let Some((name, _)) = self.scanner.word() else {
            return Err(self.scanner.error("expected the name of a property"));
        };
        let name = name.to_owned();
        Ok(if private {
            PropertyKey::Private(name)
        } else {
            PropertyKey::Public(name)
        })
    }

    fn assigned_variable(&mut self) -> Result<String, QueryError> {
        match self.scanner.word() {
            Some((name, _)) => Ok(name.to_owned()),
            None => Err(self
                .scanner
                .error("expected the name of a variable")
                .with_help("a variable is written assign(name); a property, write(.name)")),
        }
    }

    fn constraint(&mut self, word: &str, at: usize) -> Result<Constraint, QueryError> {
        if !CONSTRAINTS.contains(&word) {
            return Err(self.unknown(word, at, "a constraint", &CONSTRAINTS));
        }
        self.scanner.expect("(", &format!(" after \"{word}\""))?;
        let constraint = match word {
            "before" => Constraint::Before(self.point()?),
            "after" => Constraint::After(self.point()?),
            "mayAffect" => Constraint::MayAffect(self.point()?),
            "sameness" => {
                let left = self.compared_reference()?;
                self.scanner.expect(",", " and the second reference")?;
                Constraint::Sameness(left, self.compared_reference()?)
            }
            _ => self.when()?,
        };
        self.close(word)?;
        Ok(constraint)
    }

    fn compared_reference(&mut self) -> Result<GlobalReference, QueryError> {
        self.scanner.skip_whitespace();
        let at = self.scanner.offset();
        let reference = self.global_reference()?;
        if reference.is_of_event() {
            self.places.event_references.push(at);
        }
        Ok(reference)
    }

    /// The expression of `when(…)`, up to the parenthesis that closes it.
    fn when(&mut self) -> Result<Constraint, QueryError> {
        self.scanner.skip_whitespace();
        let rest = self.scanner.rest();
        let length = expression_length(rest);
        let expression = rest[..length].trim_end();
        if expression.is_empty() {
            return Err(self.scanner.error("expected a JavaScript expression"));
        }
        let expression = expression.to_owned();
        self.scanner.advance(length);
        Ok(Constraint::When(expression))
    }

    fn unknown(&self, word: &str, at: usize, what: &str, known: &[&str]) -> QueryError {
        let error = self
            .scanner
            .error_at(at, format!("expected {what}: {}", one_of(known)));
        match nearest(word, known.iter().copied()) {
            Some(meant) => error.with_help(&format!("did you mean \"{meant}\"?")),
            None => error,
        }
    }
}

/// How many bytes of `text` are before the bracket that closes what was opened before it. Strings,
/// templates, comments and regular expressions are skipped. Whether a `/` divides is told from what is
/// before it, which is right for all but code written to confuse; the browser has the last word anyway.
fn expression_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut last_significant = b'(';
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let in_template = open.last() == Some(&b'`');
        match byte {
            b'\\' if in_template => at += 1,
            b'`' if in_template => {
                open.pop();
            }
            b'$' if in_template && bytes.get(at + 1) == Some(&b'{') => {
                open.push(b'{');
                at += 1;
            }
            _ if in_template => {}
            b'"' | b'\'' => at = end_of_quoted(bytes, at, byte),
            b'`' | b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' if open.pop().is_none() => return at,
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..]
                    .find("*/")
                    .map_or(bytes.len(), |end| at + end + 3);
            }
            b'/' if begins_regular_expression(last_significant) => {
                at = end_of_quoted(bytes, at, b'/')
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last_significant = byte;
        }
        at += 1;
    }
    bytes.len()
}

/// The place of the `quote` that ends what begins at `start`; in a regular expression, not one in a class.
fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut in_class = false;
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' if quote == b'/' => in_class = true,
            b']' if quote == b'/' => in_class = false,
            byte if byte == quote && !in_class => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn begins_regular_expression(before: u8) -> bool {
    b"(,=:[!&|?{};+-*%<>~^".contains(&before)
}
