//! The grammar of the catalogue, by recursive descent.

use super::{
    AssignedTarget, CatalogueKey, CatalogueKind, CatalogueLine, CataloguePoint, CatalogueQuery,
    CatalogueReference,
};
use crate::nearest::nearest;
use crate::query::QueryError;
use crate::query::scanner::Scanner;

pub(super) const KINDS: [&str; 22] = [
    "callChain",
    "where",
    "state",
    "callsBefore",
    "callsAfter",
    "arguments",
    "locals",
    "returned",
    "history",
    "argumentsOf",
    "returnsOf",
    "contents",
    "instances",
    "running",
    "callTree",
    "wasEvaluated",
    "wasCalled",
    "wasAssigned",
    "exists",
    "wasCaught",
    "isRunning",
    "hasEnded",
];

pub(super) fn parse(text: &str) -> Result<CatalogueQuery, QueryError> {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        depth: 0,
    };
    parser.query(text)
}

/// Keys are in one another no deeper than this: `a[b[c]]` is two deep.
const DEEPEST_KEY: usize = 16;

struct Parser<'text> {
    scanner: Scanner<'text>,
    /// How many keys are around.
    depth: usize,
}

impl Parser<'_> {
    fn query(&mut self, text: &str) -> Result<CatalogueQuery, QueryError> {
        let Some((mut word, mut at)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error("expected a question")
                .with_help("for example: callChain(R)"));
        };
        let mut name = None;
        if self.scanner.eat("=") {
            if matches!(word, "this" | "R") {
                return Err(self
                    .scanner
                    .error_at(at, format!("\"{word}\" cannot name a question")));
            }
            name = Some(word.to_owned());
            (word, at) = self
                .scanner
                .word()
                .ok_or_else(|| self.scanner.error("expected a question behind \"=\""))?;
        }
        if !KINDS.contains(&word) {
            let error = self
                .scanner
                .error_at(at, "there is no such question to a log");
            return Err(match nearest(word, KINDS) {
                Some(kind) => error.with_help(&format!("did you mean \"{kind}\"?")),
                None => error.with_help(&format!("there are {}", KINDS.join(", "))),
            });
        }
        self.scanner.expect("(", &format!(" after \"{word}\""))?;
        let kind = self.kind(word)?;
        let mut between = None;
        if self.scanner.eat(",") {
            match self.scanner.word() {
                Some(("between", _)) => {}
                _ => {
                    return Err(self
                        .scanner
                        .error("expected between(P, Q), or the end of the question"));
                }
            }
            self.scanner.expect("(", " after \"between\"")?;
            let from = self.point()?;
            self.scanner.expect(",", " between two points")?;
            let to = self.point()?;
            self.scanner.expect(")", ", the end of \"between(\"")?;
            between = Some((from, to));
        }
        self.scanner
            .expect(")", &format!(", the end of \"{word}(\""))?;
        self.scanner.skip_whitespace();
        if self.scanner.peek().is_some() {
            return Err(self
                .scanner
                .error("expected the end of the question")
                .with_help("give each question as an argument of its own"));
        }
        Ok(CatalogueQuery {
            name,
            kind,
            between,
            text: text.to_owned(),
        })
    }

    fn kind(&mut self, word: &str) -> Result<CatalogueKind, QueryError> {
        Ok(match word {
            "callChain" => CatalogueKind::CallChain(self.point()?),
            "where" => CatalogueKind::Where(self.point_or_throw()?),
            "state" => CatalogueKind::State(self.reference()?),
            "callsBefore" => CatalogueKind::CallsBefore(self.point()?),
            "callsAfter" => CatalogueKind::CallsAfter(self.point()?),
            "arguments" => CatalogueKind::Arguments(self.point()?),
            "locals" => CatalogueKind::Locals(self.point()?),
            "returned" => CatalogueKind::Returned(self.point()?),
            "history" => CatalogueKind::History(self.reference()?),
            "argumentsOf" => CatalogueKind::ArgumentsOf(self.dotted("a function")?),
            "returnsOf" => CatalogueKind::ReturnsOf(self.dotted("a function")?),
            "contents" => CatalogueKind::Contents(self.reference()?),
            "instances" => CatalogueKind::Instances(self.dotted("a class")?),
            "running" => CatalogueKind::Running(self.point()?),
            "callTree" => CatalogueKind::CallTree(self.point()?),
            "wasEvaluated" => CatalogueKind::WasEvaluated(self.line()?),
            "wasCalled" => CatalogueKind::WasCalled(self.dotted("a function")?),
            "wasAssigned" => self.assigned()?,
            "exists" => CatalogueKind::Exists(self.dotted("a class")?),
            "wasCaught" => CatalogueKind::WasCaught(self.dotted("a class of exceptions")?),
            "isRunning" => CatalogueKind::IsRunning(self.dotted("a function")?),
            _ => CatalogueKind::HasEnded(self.dotted("a function")?),
        })
    }

    fn point_or_throw(&mut self) -> Result<Option<CataloguePoint>, QueryError> {
        let before = self.scanner;
        if let Some(("throw", _)) = self.scanner.word()
            && self.scanner.eat("(")
        {
            self.scanner.expect(")", ", the end of \"throw(\"")?;
            return Ok(None);
        }
        self.scanner = before;
        self.point().map(Some)
    }

    fn point(&mut self) -> Result<CataloguePoint, QueryError> {
        self.scanner.skip_whitespace();
        if self.scanner.eat("#") {
            return Ok(CataloguePoint::Event(
                self.scanner.integer("the number of an event")?,
            ));
        }
        let Some((word, _)) = self.scanner.word() else {
            return Err(self.scanner.error("expected a point").with_help(
                "R is where the log is asked; others are the names of earlier questions, or #NUMBER",
            ));
        };
        self.point_named(word)
    }

    fn point_named(&mut self, word: &str) -> Result<CataloguePoint, QueryError> {
        if word == "R" {
            return Ok(CataloguePoint::R);
        }
        let mut index = 0;
        if self.scanner.eat("[") {
            index = self.scanner.integer("which event")?;
            self.scanner.expect("]", " after which event")?;
        }
        Ok(CataloguePoint::Result {
            name: word.to_owned(),
            index,
        })
    }

    /// `R:a.b[0]`; without a point it is at `R`.
    fn reference(&mut self) -> Result<CatalogueReference, QueryError> {
        let before = self.scanner;
        let point = match self.point() {
            Ok(point) if self.scanner.eat(":") => point,
            _ => {
                self.scanner = before;
                CataloguePoint::R
            }
        };
        self.reference_at(point)
    }

    /// A reference without a point of its own.
    fn reference_at(&mut self, point: CataloguePoint) -> Result<CatalogueReference, QueryError> {
        let Some((root, _)) = self.scanner.word() else {
            return Err(self
                .scanner
                .error("expected a variable")
                .with_help("for example: R:cart.total"));
        };
        let mut path = Vec::new();
        loop {
            if self.scanner.eat(".#") {
                path.push(CatalogueKey::Property(format!("#{}", self.name()?)));
            } else if self.scanner.eat(".") {
                let name = self.name()?;
                path.push(match name.as_str() {
                    "get" | "has" | "at" if self.scanner.eat("(") => {
                        let key = self.key(&point)?;
                        self.scanner
                            .expect(")", &format!(", the end of \"{name}(\""))?;
                        key
                    }
                    _ => CatalogueKey::Property(name),
                });
            } else if self.scanner.eat("[") {
                let key = self.key(&point)?;
                self.scanner.expect("]", " after the key")?;
                path.push(key);
            } else {
                break;
            }
        }
        Ok(CatalogueReference {
            point,
            root: root.to_owned(),
            path,
        })
    }

    /// A key of an element or entry: a literal, or what has the key there (`list[i]`, `prices.get(item.name)`).
    fn key(&mut self, point: &CataloguePoint) -> Result<CatalogueKey, QueryError> {
        self.scanner.skip_whitespace();
        Ok(match self.scanner.peek() {
            Some('"' | '\'') => CatalogueKey::Key(self.scanner.string()?),
            Some(first) if first.is_alphabetic() || matches!(first, '_' | '$') => {
                let before = self.scanner;
                match self.scanner.word() {
                    Some((word @ ("true" | "false" | "null" | "undefined" | "NaN"), _)) => {
                        CatalogueKey::Key(word.to_owned())
                    }
                    _ => {
                        self.scanner = before;
                        if self.depth == DEEPEST_KEY {
                            return Err(self.scanner.error("too many keys in one another"));
                        }
                        self.depth += 1;
                        let reference = self.reference_at(point.clone())?;
                        self.depth -= 1;
                        CatalogueKey::Of(reference)
                    }
                }
            }
            _ => CatalogueKey::Key(self.scanner.number()?.to_string()),
        })
    }

    fn name(&mut self) -> Result<String, QueryError> {
        match self.scanner.word() {
            Some((word, _)) => Ok(word.to_owned()),
            None => Err(self.scanner.error("expected a name")),
        }
    }

    fn dotted(&mut self, what: &str) -> Result<String, QueryError> {
        let Some((word, _)) = self.scanner.word() else {
            return Err(self.scanner.error(format!("expected the name of {what}")));
        };
        let mut name = word.to_owned();
        while self.scanner.eat(".") {
            name.push('.');
            if self.scanner.eat("#") {
                name.push('#');
            }
            name.push_str(&self.name()?);
        }
        Ok(name)
    }

    /// `app.js:22`, with or without `line(` around it.
    fn line(&mut self) -> Result<CatalogueLine, QueryError> {
        let before = self.scanner;
        let wrapped = matches!(self.scanner.word(), Some(("line", _))) && self.scanner.eat("(");
        if !wrapped {
            self.scanner = before;
        }
        self.scanner.skip_whitespace();
        let rest = self.scanner.rest();
        let length = rest.find([',', ')']).unwrap_or(rest.len());
        let (place, _) = rest.split_at(length);
        let parts = place.trim_end().rsplit_once(':');
        let read = parts.and_then(|(file, line)| Some((file.trim(), line.trim().parse().ok()?)));
        let Some((file, line)) = read.filter(|(file, line)| !file.is_empty() && *line > 0) else {
            return Err(self
                .scanner
                .error("expected a line")
                .with_help("for example: app.js:22"));
        };
        self.scanner.advance(length);
        if wrapped {
            self.scanner.expect(")", ", the end of \"line(\"")?;
        }
        Ok(CatalogueLine {
            file: file.to_owned(),
            line,
        })
    }

    fn assigned(&mut self) -> Result<CatalogueKind, QueryError> {
        let is_property = self.scanner.eat(".");
        let mut name = if is_property && self.scanner.eat("#") {
            "#".to_owned()
        } else {
            String::new()
        };
        name.push_str(&self.name()?);
        let target = AssignedTarget { is_property, name };
        let before = self.scanner;
        let mut value = None;
        if self.scanner.eat(",") {
            let here = self.scanner;
            if let Some(("between", _)) = self.scanner.word() {
                self.scanner = before;
            } else {
                self.scanner = here;
                value = Some(self.literal()?);
            }
        }
        Ok(CatalogueKind::WasAssigned(target, value))
    }

    /// A value as a console prints it.
    fn literal(&mut self) -> Result<String, QueryError> {
        self.scanner.skip_whitespace();
        match self.scanner.peek() {
            Some('"' | '\'') => {
                let text = self.scanner.string()?;
                Ok(serde_json::Value::from(text).to_string())
            }
            Some(digit) if digit.is_ascii_digit() || matches!(digit, '-' | '+' | '.') => {
                Ok(number_text(self.scanner.number()?))
            }
            _ => match self.scanner.word() {
                Some((
                    word @ ("true" | "false" | "null" | "undefined" | "NaN" | "Infinity"),
                    _,
                )) => Ok(word.to_owned()),
                _ => Err(self
                    .scanner
                    .error("expected a value")
                    .with_help("a number, a text in quotes, true, false, null or undefined")),
            },
        }
    }
}

/// A number as JavaScript prints the usual ones.
fn number_text(number: f64) -> String {
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> CatalogueKind {
        parse(text).unwrap().kind
    }

    #[test]
    fn every_question_is_read() {
        let reference = |root: &str, path: Vec<CatalogueKey>| CatalogueReference {
            point: CataloguePoint::R,
            root: root.to_owned(),
            path,
        };
        let property = |name: &str| CatalogueKey::Property(name.to_owned());
        assert_eq!(
            kind("callChain(R)"),
            CatalogueKind::CallChain(CataloguePoint::R)
        );
        assert_eq!(kind("where(throw())"), CatalogueKind::Where(None));
        assert_eq!(
            kind("where(E[3])"),
            CatalogueKind::Where(Some(CataloguePoint::Result {
                name: "E".to_owned(),
                index: 3
            }))
        );
        assert_eq!(
            kind("callTree(#12)"),
            CatalogueKind::CallTree(CataloguePoint::Event(12))
        );
        assert_eq!(
            kind("history(R:cart.items[0].#price)"),
            CatalogueKind::History(reference(
                "cart",
                vec![
                    property("items"),
                    CatalogueKey::Key("0".to_owned()),
                    property("#price")
                ]
            ))
        );
        assert_eq!(
            kind("history(prices.get(item.name))"),
            CatalogueKind::History(reference(
                "prices",
                vec![CatalogueKey::Of(reference("item", vec![property("name")]))]
            ))
        );
        for (text, key) in [
            ("history(list.at(3))", "3"),
            ("history(seen.has('a'))", "a"),
            ("history(seen.has( true ))", "true"),
            ("history(list[12])", "12"),
        ] {
            let root = if text.contains("list") {
                "list"
            } else {
                "seen"
            };
            let path = vec![CatalogueKey::Key(key.to_owned())];
            assert_eq!(kind(text), CatalogueKind::History(reference(root, path)));
        }
        // A property may have that name.
        assert_eq!(
            kind("history(map.get)"),
            CatalogueKind::History(reference("map", vec![property("get")]))
        );
        assert_eq!(
            kind("history(x)"),
            CatalogueKind::History(reference("x", Vec::new()))
        );
        assert_eq!(
            kind("argumentsOf(Cart.add)"),
            CatalogueKind::ArgumentsOf("Cart.add".to_owned())
        );
        assert_eq!(
            kind("wasEvaluated(line(src/app.js:22))"),
            CatalogueKind::WasEvaluated(CatalogueLine {
                file: "src/app.js".to_owned(),
                line: 22
            })
        );
        let target = |is_property, name: &str| AssignedTarget {
            is_property,
            name: name.to_owned(),
        };
        assert_eq!(
            kind("wasAssigned(.total, 'a')"),
            CatalogueKind::WasAssigned(target(true, "total"), Some("\"a\"".to_owned()))
        );
        assert_eq!(
            kind("wasAssigned(x)"),
            CatalogueKind::WasAssigned(target(false, "x"), None)
        );
        let bounded = parse("A = wasCalled(f, between(#1, R))").unwrap();
        assert_eq!(
            bounded.between,
            Some((CataloguePoint::Event(1), CataloguePoint::R))
        );
        assert_eq!(bounded.name.as_deref(), Some("A"));
        // Of each kind there is one that can be read.
        for name in KINDS {
            let asked = match name {
                "state" | "history" | "contents" => format!("{name}(R:a)"),
                "wasEvaluated" => format!("{name}(a.js:1)"),
                "callChain" | "where" | "callsBefore" | "callsAfter" | "arguments" | "locals"
                | "returned" | "running" | "callTree" => format!("{name}(R)"),
                _ => format!("{name}(a)"),
            };
            assert!(parse(&asked).is_ok(), "{asked}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_where_and_what_to_do() {
        for (text, place) in [
            ("", 0),
            ("historie(R:a)", 0),
            ("history(R:)", 10),
            ("callChain(R", 11),
            ("callChain(R) callChain(R)", 13),
            ("wasAssigned(.a, b)", 17),
            ("R = callChain(R)", 0),
            ("wasEvaluated(app.js)", 13),
            ("history(list[1)", 14),
            ("history(list.at(1)", 18),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.offset, place, "{text}: {}", error.render());
        }
        assert!(parse(&format!("history({}", "a[".repeat(100_000))).is_err());
        let help = parse("historie(R:a)").unwrap_err().help;
        assert_eq!(help.as_deref(), Some("did you mean \"history\"?"));
    }
}
