//! The grammar of the contract, by recursive descent: queries and references. Trace queries are beside it
//! in [`super::trace`]'s parser, [`trace_parser`].
//!
//! Each error names what was expected at its place, and what to do where that is not plain from the message.

mod trace_parser;

use super::literal::is_reserved;
use super::scanner::Scanner;
use super::{
    ElementKey, GlobalReference, Lookup, OperandReference, Places, PointName, Query, QueryError,
    QueryKind, Reference, ReferenceRoot, Segment, Target,
};
use crate::nearest::nearest;

pub(crate) const KINDS: [&str; 7] = [
    "lastChange",
    "origin",
    "omitted",
    "whyNot",
    "lastCondition",
    "exceptionAfter",
    "trace",
];

/// Parses one query.
pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        places: Places::default(),
    };
    let (name, kind) = parser.query()?;
    Ok(Query {
        name,
        kind,
        text: text.to_owned(),
        places: parser.places,
    })
}

struct Parser<'text> {
    scanner: Scanner<'text>,
    places: Places,
}

impl<'text> Parser<'text> {
    fn query(&mut self) -> Result<(Option<PointName>, QueryKind), QueryError> {
        let mut name = None;
        let Some((mut word, mut at)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error("expected a query")
                .with_help("for example: lastChange(R:object.property)"));
        };
        if self.scanner.eat("=") {
            name = Some(PointName::new(word).ok_or_else(|| {
                self.scanner
                    .error_at(at, "\"this\" cannot name a point")
                    .with_help("choose another name")
            })?);
            self.places.name = at;
            (word, at) = self
                .scanner
                .word()
                .ok_or_else(|| self.scanner.error(format!("expected {}", one_of(&KINDS))))?;
        }
        self.places.kind = at;
        let kind = self.kind(word, at)?;
        self.scanner.skip_whitespace();
        if self.scanner.peek().is_some() {
            return Err(self
                .scanner
                .error("expected the end of the query")
                .with_help("give each query as an argument of its own"));
        }
        Ok((name, kind))
    }

    fn kind(&mut self, word: &str, at: usize) -> Result<QueryKind, QueryError> {
        if !KINDS.contains(&word) {
            return Err(self.unknown_kind(word, at));
        }
        self.scanner.expect("(", &format!(" after \"{word}\""))?;
        let kind = match word {
            "lastChange" => QueryKind::LastChange(self.changeable_reference()?),
            "origin" => match self.operand()? {
                Some(operand) => QueryKind::OriginOfOperand(operand),
                None => QueryKind::Origin(self.changeable_reference()?),
            },
            "omitted" => QueryKind::Omitted(self.object_reference()?),
            "whyNot" => QueryKind::WhyNot(self.code_line("whyNot(app.js:22)")?),
            "lastCondition" => QueryKind::LastCondition(self.point()?),
            "exceptionAfter" => QueryKind::ExceptionAfter(self.point()?),
            _ => QueryKind::Trace(self.trace()?),
        };
        self.close(word)?;
        Ok(kind)
    }

    fn unknown_kind(&self, word: &str, at: usize) -> QueryError {
        let error = self
            .scanner
            .error_at(at, format!("expected {}", one_of(&KINDS)));
        if let Some(kind) = nearest(word, KINDS) {
            return error.with_help(&format!("did you mean \"{kind}\"?"));
        }
        // A bare reference is the likeliest thing to be typed by someone new: show what to write around it.
        let rest = self.scanner.text().get(at..).unwrap_or("").trim();
        let asked = format!("lastChange({rest})");
        if parse(&asked).is_ok() {
            return error.with_help(&format!("to ask where its value came from, write {asked}"));
        }
        error
    }

    fn close(&mut self, word: &str) -> Result<(), QueryError> {
        self.scanner
            .expect(")", &format!(", the end of \"{word}(\""))
    }

    fn point(&mut self) -> Result<PointName, QueryError> {
        let Some((word, at)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error("expected the name of a point")
                .with_help(
                    "R is the reproduction point; others are the names of queries before this one",
                ));
        };
        let mut ahead = self.scanner;
        match event_index(&mut ahead) {
            Some(index) => {
                self.scanner = ahead;
                self.event_named(word, index, at)
            }
            None => self.point_named(word, at),
        }
    }

    /// `H[2]`: an event that the question `H` to the log found.
    fn event_named(&mut self, word: &str, index: i64, at: usize) -> Result<PointName, QueryError> {
        let question = self.point_named(word, at)?;
        let point = PointName::event(&question, index);
        if let Some((last, _)) = self.places.points.last_mut() {
            last.clone_from(&point);
        }
        Ok(point)
    }

    fn point_named(&mut self, word: &str, at: usize) -> Result<PointName, QueryError> {
        let point = PointName::new(word).ok_or_else(|| {
            self.scanner
                .error_at(at, "expected the name of a point; \"this\" is none")
        })?;
        self.places.points.push((point.clone(), at));
        Ok(point)
    }

    /// `C:operand(2)`; `None`: it is something else.
    fn operand(&mut self) -> Result<Option<OperandReference>, QueryError> {
        let mut ahead = self.scanner;
        let named = ahead.word().filter(|_| ahead.eat(":"));
        let is_operand = ahead.word().is_some_and(|(word, _)| word == "operand") && ahead.eat("(");
        let Some((word, at)) = named.filter(|_| is_operand) else {
            return Ok(None);
        };
        self.scanner = ahead;
        self.scanner.skip_whitespace();
        let number_at = self.scanner.offset();
        let number: i64 = self.scanner.integer("the number of an operand")?;
        let number = u32::try_from(number).ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| {
            self.scanner
                .error_at(number_at, "expected the number of an operand, from 1")
                .with_help("the answer of an origin that ends in a computation lists its operands")
        })?;
        self.scanner.expect(")", ", the end of \"operand(\"")?;
        Ok(Some(OperandReference {
            origin: self.point_named(word, at)?,
            number,
        }))
    }

    /// A reference whose end can be written.
    fn changeable_reference(&mut self) -> Result<GlobalReference, QueryError> {
        self.scanner.skip_whitespace();
        self.places.reference = self.scanner.offset();
        let reference = self.global_reference()?;
        if reference.target() != Target::Unchangeable {
            return Ok(reference);
        }
        let ends_at_element = match reference.reference.segments.last() {
            None => matches!(reference.reference.root, ReferenceRoot::Element(_)),
            Some(last) => matches!(last, Segment::Within(_)),
        };
        if ends_at_element {
            return Err(self
                .scanner
                .error("expected a property of the element; the element itself cannot change")
                .with_help("for example .textContent, .value or .className"));
        }
        let message = match reference.reference.root {
            ReferenceRoot::This | ReferenceRoot::Element(_) => {
                "expected a variable or a property; \"this\" itself cannot change"
            }
            ReferenceRoot::Variable(_) | ReferenceRoot::EventObject => {
                "expected a variable or a property; the event's object itself cannot change"
            }
        };
        Err(self
            .scanner
            .error(message)
            .with_help("name a property of it, for example this.total"))
    }

    /// A reference to an object; `this` is one, too.
    fn object_reference(&mut self) -> Result<GlobalReference, QueryError> {
        self.scanner.skip_whitespace();
        self.places.reference = self.scanner.offset();
        let reference = self.global_reference()?;
        match reference.reference.root {
            ReferenceRoot::EventObject => Err(self
                .scanner
                .error(
                    "expected a variable or \"this\"; the event's object cannot be asked about so",
                )
                .with_help("for example: omitted(R:cart.items)")),
            _ => Ok(reference),
        }
    }

    /// `[point ["(" frame ")"] ":"] reference`
    fn global_reference(&mut self) -> Result<GlobalReference, QueryError> {
        self.scanner.skip_whitespace();
        if self.scanner.rest().starts_with('.') {
            let reference = self.reference()?;
            return Ok(GlobalReference {
                point: None,
                frame: 0,
                reference,
            });
        }
        let mut ahead = self.scanner;
        if !self.is_lookup()
            && let Some((word, at)) = ahead.word()
        {
            let index = event_index(&mut ahead);
            if ahead.eat(":") {
                self.scanner = ahead;
                let point = match index {
                    Some(index) => self.event_named(word, index, at)?,
                    None => self.point_named(word, at)?,
                };
                let reference = self.reference()?;
                return Ok(GlobalReference {
                    point: Some(point),
                    frame: 0,
                    reference,
                });
            }
            if ahead.eat("(") {
                self.scanner = ahead;
                return self.reference_in_frame(word, index, at);
            }
        }
        let reference = self.reference()?;
        Ok(GlobalReference {
            point: None,
            frame: 0,
            reference,
        })
    }

    /// What follows `point(`, or `H[2](`.
    fn reference_in_frame(
        &mut self,
        word: &str,
        index: Option<i64>,
        at: usize,
    ) -> Result<GlobalReference, QueryError> {
        const HELP: &str = "P(0):x is x in the newest frame at point P, P(-1):x in the oldest; \
                            a reference cannot call functions";
        let frame = self
            .scanner
            .integer("a frame")
            .map_err(|error| error.with_help(HELP))?;
        self.scanner
            .expect(")", " after the frame")
            .map_err(|error| error.with_help(HELP))?;
        self.scanner
            .expect(":", " and a reference after the frame")
            .map_err(|error| error.with_help(HELP))?;
        let point = match index {
            Some(index) => self.event_named(word, index, at)?,
            None => self.point_named(word, at)?,
        };
        let reference = self.reference()?;
        Ok(GlobalReference {
            point: Some(point),
            frame,
            reference,
        })
    }

    fn reference(&mut self) -> Result<Reference, QueryError> {
        self.scanner.skip_whitespace();
        let root = if self.scanner.rest().starts_with('.') {
            ReferenceRoot::EventObject
        } else if self.is_lookup() {
            ReferenceRoot::Element(self.lookup()?)
        } else {
            self.variable()?
        };
        let mut segments = Vec::new();
        while let Some(segment) = self.segment()? {
            segments.push(segment);
        }
        Ok(Reference { root, segments })
    }

    /// Whether an element is looked up next; the text of one that is not is none yet.
    fn is_lookup(&self) -> bool {
        let mut ahead = self.scanner;
        lookup_kind(&mut ahead).is_some()
    }

    /// `$("…")`, `document.querySelector("…")`, `document.querySelectorAll("…")[2]` or `document.getElementById("…")`
    fn lookup(&mut self) -> Result<Lookup, QueryError> {
        let kind = lookup_kind(&mut self.scanner).unwrap_or(Lookup::Selector);
        self.looked_up(kind)
    }

    /// What is in the parentheses behind the name of the method.
    fn looked_up(&mut self, kind: fn(String) -> Lookup) -> Result<Lookup, QueryError> {
        self.scanner.skip_whitespace();
        let what = match self.scanner.peek() {
            Some('"' | '\'') => self.scanner.string()?,
            _ => {
                return Err(self
                    .scanner
                    .error("expected a selector or an id, in quotes")
                    .with_help("for example document.querySelector(\"#total\")"));
            }
        };
        self.scanner.expect(")", " after the selector")?;
        match kind(what) {
            Lookup::Nth(selector, _) => {
                let index = self.index_of_element()?;
                Ok(Lookup::Nth(selector, index))
            }
            kind => Ok(kind),
        }
    }

    /// `[2]` behind `querySelectorAll("…")`
    fn index_of_element(&mut self) -> Result<u32, QueryError> {
        self.scanner.skip_whitespace();
        let help =
            "one of the elements is asked about: document.querySelectorAll(\"li\")[2].textContent";
        let expected = |parser: &Self| {
            let error = parser
                .scanner
                .error("expected the index of an element, as [2]");
            error.with_help(help)
        };
        if !self.scanner.eat("[") {
            return Err(expected(self));
        }
        self.scanner.skip_whitespace();
        let mut ahead = self.scanner;
        let index = match ahead.number() {
            Ok(number)
                if number >= 0.0 && number.fract() == 0.0 && number < f64::from(u32::MAX) =>
            {
                number as u32
            }
            _ => return Err(expected(self)),
        };
        self.scanner = ahead;
        self.scanner.expect("]", " after the index")?;
        Ok(index)
    }

    fn variable(&mut self) -> Result<ReferenceRoot, QueryError> {
        let Some((word, at)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error("expected a variable or \"this\"")
                .with_help("for example: lastChange(R:object.property)"));
        };
        if word == "this" {
            return Ok(ReferenceRoot::This);
        }
        if is_reserved(word) {
            return Err(self.scanner.error_at(
                at,
                format!("expected a variable; \"{word}\" is a reserved word"),
            ));
        }
        Ok(ReferenceRoot::Variable(word.to_owned()))
    }

    fn segment(&mut self) -> Result<Option<Segment>, QueryError> {
        self.scanner.skip_whitespace();
        match self.scanner.peek() {
            Some('.') => {
                self.scanner.advance(1);
                self.named_segment().map(Some)
            }
            Some('[') => {
                self.scanner.advance(1);
                let key = self.element_key()?;
                self.scanner.expect("]", " after the key").map_err(|error| match key {
                    ElementKey::Variable(_) => error
                        .with_help("a key is a number, a string in quotes or one variable; no other expression"),
                    _ => error,
                })?;
                Ok(Some(Segment::Element(key)))
            }
            Some('?') => Err(self
                .scanner
                .error("expected \".\" or \"[\"")
                .with_help("write \".\" for \"?.\": what is missing is said in the answer")),
            Some('(') => Err(self.called()),
            _ => Ok(None),
        }
    }

    /// What follows a `.`.
    fn named_segment(&mut self) -> Result<Segment, QueryError> {
        self.scanner.skip_whitespace();
        let private = self.scanner.eat("#");
        let after = if private { ".#" } else { "." };
        // A private name follows its `#` at once.
        let spaced = private && self.scanner.rest().starts_with(char::is_whitespace);
        let name = if spaced { None } else { self.scanner.word() };
        let Some((name, _)) = name else {
            return Err(self
                .scanner
                .error(format!("expected a property name after \"{after}\"")));
        };
        if private {
            return Ok(Segment::Private(name.to_owned()));
        }
        let mut ahead = self.scanner;
        if !ahead.eat("(") {
            return Ok(Segment::Property(name.to_owned()));
        }
        let segment = match name {
            "get" => Segment::MapEntry,
            "has" => Segment::SetMember,
            "querySelector" | "querySelectorAll" | "getElementById" => {
                self.scanner = ahead;
                let kind = match name {
                    "querySelector" => Lookup::Selector,
                    "querySelectorAll" => nth,
                    _ => Lookup::Id,
                };
                return self.looked_up(kind).map(Segment::Within);
            }
            _ => {
                self.scanner.skip_whitespace();
                return Err(self.called());
            }
        };
        self.scanner = ahead;
        let key = self.element_key()?;
        self.scanner.expect(")", " after the key")?;
        Ok(segment(key))
    }

    fn called(&self) -> QueryError {
        self.scanner
            .error("a reference names a place; it cannot call a function")
            .with_help(
                "the only calls are map.get(key), the entry of a map, set.has(key), the member of a set, and \
                 document.querySelector(\"…\"), document.querySelectorAll(\"…\")[0] or \
                 document.getElementById(\"…\"), an element, which may be gone on from: \
                 host.shadowRoot.querySelector(\"…\")",
            )
    }

    fn element_key(&mut self) -> Result<ElementKey, QueryError> {
        self.scanner.skip_whitespace();
        match self.scanner.peek() {
            Some('"' | '\'') => self.scanner.string().map(ElementKey::String),
            Some(character)
                if character.is_ascii_digit() || matches!(character, '-' | '+' | '.') =>
            {
                self.scanner.number().map(ElementKey::Number)
            }
            _ => match self.variable() {
                Ok(ReferenceRoot::Variable(name)) => Ok(ElementKey::Variable(name)),
                _ => Err(self
                    .scanner
                    .error("expected a key: a number, a string in quotes, or a variable")),
            },
        }
    }
}

/// One of those that match; which, is behind the call.
fn nth(selector: String) -> Lookup {
    Lookup::Nth(selector, 0)
}

/// `[2]`, an integer in brackets; nothing is taken where it is something else.
fn event_index(scanner: &mut Scanner<'_>) -> Option<i64> {
    let mut ahead = *scanner;
    if !ahead.eat("[") {
        return None;
    }
    let index = ahead.integer("which event").ok()?;
    if !ahead.eat("]") {
        return None;
    }
    *scanner = ahead;
    Some(index)
}

/// How an element is looked up, if that is what comes next: takes it, with the opening parenthesis.
fn lookup_kind(scanner: &mut Scanner<'_>) -> Option<fn(String) -> Lookup> {
    let kind = match scanner.word()? {
        // A point may be called so: `$(1):x`.
        ("$", _) => {
            let is_called = scanner.eat("(");
            scanner.skip_whitespace();
            let is_text = matches!(scanner.peek(), Some('"' | '\''));
            return (is_called && is_text).then_some(Lookup::Selector);
        }
        ("document", _) if scanner.eat(".") => match scanner.word()? {
            ("querySelector", _) => Lookup::Selector,
            ("querySelectorAll", _) => nth,
            ("getElementById", _) => Lookup::Id,
            _ => return None,
        },
        _ => return None,
    };
    scanner.eat("(").then_some(kind)
}

/// `"a", "b" or "c"`
fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
