//! What can be asked about in a line of source: the variables and properties that it names.
//!
//! A line alone is looked at, not the file around it, and it is not parsed: what looks like a reference in a comment
//! that began on another line is offered as well, and is refused when it is asked.

use std::ops::Range;

use crate::query::is_reserved;

/// A variable or a property that a line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Where its last name is, in UTF-16 code units from the beginning of the line.
    pub columns: Range<usize>,
    /// What a query calls it: the whole way to it, such as `cart.items[0].price`.
    pub text: String,
}

/// A longer way, in bytes, is not offered: nobody wrote it.
const LONGEST: usize = 500;

/// The variables and properties that are named in a line, in their order. Those on the way to another one are there as
/// well.
///
/// ```
/// use querypoint::session::expressions::expressions;
/// let found = expressions("cart.total += this.items[0]?.price * rate(day);");
/// let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
/// assert_eq!(texts, ["cart", "cart.total", "this", "this.items", "this.items[0]", "this.items[0].price", "rate", "day"]);
/// assert_eq!(found[1].columns, 5..10);
/// ```
#[must_use]
pub fn expressions(line: &str) -> Vec<Expression> {
    let mut reader = Reader {
        units: Vec::with_capacity(line.len()),
        at: 0,
        column: 0,
        found: Vec::new(),
        templates: Vec::new(),
    };
    reader.units.extend(line.chars());
    reader.read();
    reader.found
}

/// What a query calls the property `name` of what `object` gives.
///
/// ```
/// use querypoint::session::expressions::member;
/// assert_eq!(member("cart", "total"), "cart.total");
/// assert_eq!(member("cart.items", "0"), "cart.items[0]");
/// assert_eq!(member("cart", "#sum"), "cart.#sum");
/// assert_eq!(member("cart", "is paid"), r#"cart["is paid"]"#);
/// // What is in it that is no property of it.
/// assert_eq!(member("prices", r#".get("apple")"#), r#"prices.get("apple")"#);
/// ```
#[must_use]
pub fn member(object: &str, name: &str) -> String {
    let is_entry = [".get(", ".has(", ".getAttribute("]
        .iter()
        .any(|method| name.starts_with(method));
    if is_entry {
        return format!("{object}{name}");
    }
    let is_name = |name: &str| {
        name.starts_with(is_start) && name.chars().all(|it| is_start(it) || it.is_ascii_digit())
    };
    let is_index = name
        .parse::<u32>()
        .is_ok_and(|index| index.to_string() == name);
    match name.strip_prefix('#').unwrap_or(name) {
        plain if is_name(plain) && !plain.contains('#') => format!("{object}.{name}"),
        _ if is_index => format!("{object}[{name}]"),
        _ => format!("{object}[{}]", serde_json::Value::from(name)),
    }
}

/// That of the expressions of a line which is at a column, or ends there.
#[must_use]
pub fn at_column(line: &str, column: usize) -> Option<Expression> {
    let found = expressions(line);
    let touches = |it: &&Expression| it.columns.start <= column && column <= it.columns.end;
    // Between `a[0]` and what is in its brackets the shorter is meant.
    let shortest = found.iter().filter(touches);
    shortest.min_by_key(|it| it.columns.len()).cloned()
}

struct Reader {
    units: Vec<char>,
    at: usize,
    /// Of `at`, in UTF-16 code units.
    column: usize,
    found: Vec<Expression>,
    /// Of each template whose `${` is being read, how many braces are open in it.
    templates: Vec<usize>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.units.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let unit = self.peek(0)?;
        self.at += 1;
        self.column += unit.len_utf16();
        Some(unit)
    }

    fn read(&mut self) {
        while let Some(unit) = self.peek(0) {
            match unit {
                '/' if self.peek(1) == Some('/') => return,
                '/' if self.peek(1) == Some('*') => self.comment(),
                '"' | '\'' => drop(self.string(unit)),
                '`' => {
                    self.next();
                    self.template();
                }
                '{' => {
                    self.next();
                    if let Some(open) = self.templates.last_mut() {
                        *open += 1;
                    }
                }
                '}' => {
                    self.next();
                    match self.templates.last_mut() {
                        Some(0) => {
                            self.templates.pop();
                            self.template();
                        }
                        Some(open) => *open -= 1,
                        None => {}
                    }
                }
                unit if is_start(unit) => self.chain(),
                unit if unit.is_ascii_digit() => {
                    self.word();
                }
                // What comes after a value that has no name of its own, as in `f().x`, cannot be named either.
                '.' => {
                    self.next();
                    if self.peek(0).is_some_and(is_start) {
                        self.word();
                    } else if self.peek(0) == Some('.') && self.peek(1) == Some('.') {
                        self.next();
                        self.next();
                    }
                }
                _ => drop(self.next()),
            }
        }
    }

    /// A name, and the way on from there.
    fn chain(&mut self) {
        let start = self.column;
        let mut text = self.word();
        if is_keyword(&text) {
            return;
        }
        self.is_found(start, &text);
        while let Some((start, part)) = self.segment() {
            text.push_str(&part);
            if text.len() > LONGEST {
                return;
            }
            self.is_found(start, &text);
        }
    }

    fn is_found(&mut self, start: usize, text: &str) {
        self.found.push(Expression {
            columns: start..self.column,
            text: text.to_owned(),
        });
    }

    /// `.name`, `?.name`, `[key]`: where it begins and how a query has it. What is no such thing stays unread.
    fn segment(&mut self) -> Option<(usize, String)> {
        let (at, column) = (self.at, self.column);
        if self.peek(0) == Some('?') && self.peek(1) == Some('.') {
            self.next();
            self.next();
            if self.peek(0) == Some('[') {
                return self.key().or_else(|| self.back(at, column));
            }
        } else if self.peek(0) == Some('.') {
            self.next();
        } else if self.peek(0) == Some('[') {
            return self.key().or_else(|| self.back(at, column));
        } else {
            return None;
        }
        let start = self.column;
        match self.peek(0) {
            Some(unit) if is_start(unit) => Some((start, format!(".{}", self.word()))),
            _ => self.back(at, column),
        }
    }

    fn back<T>(&mut self, at: usize, column: usize) -> Option<T> {
        (self.at, self.column) = (at, column);
        None
    }

    /// `[0]`, `["name"]`, `[index]`; what is in the brackets is found as well.
    fn key(&mut self) -> Option<(usize, String)> {
        let start = self.column;
        self.next();
        let inside = self.column;
        let key = match self.peek(0)? {
            quote @ ('"' | '\'') => {
                let text = self.string(quote)?;
                serde_json::Value::from(text).to_string()
            }
            unit if unit.is_ascii_digit() => {
                let word = self.word();
                word.parse::<u32>().ok()?.to_string()
            }
            unit if is_start(unit) => self.word(),
            _ => return None,
        };
        if self.peek(0) != Some(']') || is_keyword(&key) {
            return None;
        }
        if key.starts_with(is_start) {
            self.is_found(inside, &key);
        }
        self.next();
        Some((start, format!("[{key}]")))
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(unit) = self
            .peek(0)
            .filter(|it| is_start(*it) || it.is_ascii_digit())
        {
            word.push(unit);
            self.next();
        }
        word
    }

    /// What a string holds that ends on this line and has nothing escaped; it is read to its end in any case.
    fn string(&mut self, quote: char) -> Option<String> {
        self.next();
        let mut text = Some(String::new());
        while let Some(unit) = self.next() {
            match unit {
                unit if unit == quote => return text,
                '\\' => {
                    self.next();
                    text = None;
                }
                unit => {
                    if let Some(text) = &mut text {
                        text.push(unit);
                    }
                }
            }
        }
        None
    }

    /// The text of a template, to its end or to the next `${`.
    fn template(&mut self) {
        while let Some(unit) = self.next() {
            match unit {
                '`' => return,
                '\\' => drop(self.next()),
                '$' if self.peek(0) == Some('{') => {
                    self.next();
                    self.templates.push(0);
                    return;
                }
                _ => {}
            }
        }
    }

    fn comment(&mut self) {
        self.next();
        self.next();
        while let Some(unit) = self.next() {
            if unit == '*' && self.peek(0) == Some('/') {
                self.next();
                return;
            }
        }
    }
}

/// Whether it names nothing where it is by itself. `from`, `of` or `async` may be a variable.
fn is_keyword(word: &str) -> bool {
    is_reserved(word) || matches!(word, "await" | "let")
}

/// Whether a name, or a private name, may begin so. The tables of Unicode would be a tenth of the panel: letters of
/// other scripts are taken for what they mostly are.
fn is_start(unit: char) -> bool {
    unit.is_ascii_alphabetic()
        || matches!(unit, '_' | '$' | '#')
        || !unit.is_ascii() && !unit.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn texts(line: &str) -> Vec<String> {
        expressions(line).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn names_and_the_ways_to_them() {
        for (line, wanted) in [
            (
                "  myCondition.value = moods[clicks];",
                "myCondition myCondition.value moods clicks moods[clicks]",
            ),
            ("const { a, b: c = 1 } = props;", "a b c props"),
            (
                "this.#total = f(x).y.z + g[1 + i].h;",
                "this this.#total f x g i",
            ),
            (
                r#"a["it's"] = b['x'] + c["\n"].d"#,
                r#"a a["it's"] b b["x"] c"#,
            ),
            ("s = 'no.name' + \"nor.this\"; // or.that", "s"),
            (
                "s = `a ${b.c} d ${e({ f: `${g}` })} h` + i",
                "s b b.c e f g i",
            ),
            ("/* a */ b /* c", "b"),
            ("x = .5 + 1.e3 + 0xff + 1n + a.b", "x a a.b"),
            ("function addStroke(from, to) {", "addStroke from to"),
            (
                "for (const it of [...all, ...more.list]) await it?.done?.[0]",
                "it of all more more.list it it.done it.done[0]",
            ),
            (
                "größe.länge = \u{1d538}.b",
                "größe größe.länge \u{1d538} \u{1d538}.b",
            ),
            ("", ""),
        ] {
            let found = texts(line);
            assert_eq!(
                found,
                wanted.split_whitespace().collect::<Vec<_>>(),
                "{line}"
            );
            for text in found {
                assert!(
                    Query::parse(&format!("lastChange(R:{text})")).is_ok() || text == "this",
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn what_is_pointed_at() {
        let line = "\u{1d538}.b = moods[clicks];";
        let at = |column: usize| at_column(line, column).map(|it| it.text);
        assert_eq!(at(1).as_deref(), Some("\u{1d538}"));
        assert_eq!(at(3).as_deref(), Some("\u{1d538}.b"));
        assert_eq!(at(9).as_deref(), Some("moods"));
        assert_eq!(at(15).as_deref(), Some("clicks"));
        // The bracket itself is the element.
        assert_eq!(at(20).as_deref(), Some("moods[clicks]"));
        assert_eq!(at(6), None);
        assert_eq!(at(4000), None);
    }

    #[test]
    fn any_line_is_read_to_its_end() {
        for line in [
            "a[",
            "a[\"",
            "a?.",
            "`${",
            "}",
            "'\\",
            "a[#",
            "\\",
            "`${`${`${",
            "a[0",
            "[[[",
            "...",
        ] {
            for expression in expressions(line) {
                assert!(expression.columns.end <= line.len(), "{line}");
            }
        }
        let long = "a.".repeat(50_000);
        let longest = expressions(&long).iter().map(|it| it.text.len()).max();
        assert_eq!(longest, Some(LONGEST - 1));
    }
}
