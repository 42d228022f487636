//! The characters of a query, read from left to right: words, numbers, strings, and errors at a place.

use super::QueryError;
use super::literal::{continues_identifier, starts_identifier};

/// A place in a query's text.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Scanner<'text> {
    pub(crate) fn new(text: &'text str) -> Self {
        Self { text, at: 0 }
    }

    /// Byte offset of the next character.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn text(&self) -> &'text str {
        self.text
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on by `bytes`, which the caller has seen in [`Self::rest`].
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    pub(crate) fn skip_whitespace(&mut self) {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_start().len());
    }

    /// Takes `token` after white space, if it is there.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let mut ahead = *self;
        ahead.skip_whitespace();
        let found = ahead.rest().starts_with(token);
        if found {
            ahead.advance(token.len());
            *self = ahead;
        }
        found
    }

    /// Takes `token`, or says that it was expected (and `why`).
    pub(crate) fn expect(&mut self, token: &str, why: &str) -> Result<(), QueryError> {
        if self.eat(token) {
            return Ok(());
        }
        self.skip_whitespace();
        Err(self.error(format!("expected \"{token}\"{why}")))
    }

    /// Takes an identifier name after white space, if there is one, with its offset.
    pub(crate) fn word(&mut self) -> Option<(&'text str, usize)> {
        self.skip_whitespace();
        let rest = self.rest();
        if !rest.starts_with(starts_identifier) {
            return None;
        }
        let length = rest
            .find(|character| !continues_identifier(character))
            .unwrap_or(rest.len());
        let at = self.at;
        self.advance(length);
        Some((&rest[..length], at))
    }

    /// Takes an integer with an optional sign.
    pub(crate) fn integer<Number: std::str::FromStr>(
        &mut self,
        what: &str,
    ) -> Result<Number, QueryError> {
        self.skip_whitespace();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['-', '+']));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.error(format!("expected {what}, a whole number")));
        }
        let literal = &rest[..sign + digits];
        let number = literal
            .parse()
            .map_err(|_| self.error(format!("expected {what}; {literal} is out of range")))?;
        self.advance(literal.len());
        Ok(number)
    }

    /// Takes a number as JavaScript writes it: decimal, or with `0x`, `0o`, `0b`; with an optional sign.
    pub(crate) fn number(&mut self) -> Result<f64, QueryError> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['-', '+']));
        let mut length = sign;
        let mut before = ' ';
        let prefixed = rest[sign..].len() > 2
            && rest[sign..].starts_with('0')
            && rest[sign + 1..].starts_with(['x', 'X', 'o', 'O', 'b', 'B']);
        for character in rest[sign..].chars() {
            let exponent_sign =
                !prefixed && matches!(before, 'e' | 'E') && matches!(character, '+' | '-');
            if !(character == '.' || exponent_sign || continues_identifier(character)) {
                break;
            }
            length += character.len_utf8();
            before = character;
        }
        let literal = &rest[sign..length];
        let number = unsigned_number(literal)
            .ok_or_else(|| self.error(format!("expected a number; {literal:?} is not one")))?;
        if !number.is_finite() {
            return Err(self.error("expected a number that JavaScript can hold".to_owned()));
        }
        self.advance(length);
        // -0 and 0 are one key.
        Ok(if number == 0.0 {
            0.0
        } else if rest.starts_with('-') {
            -number
        } else {
            number
        })
    }

    /// Takes a string between the quotes that the next character is, with JavaScript's escapes.
    pub(crate) fn string(&mut self) -> Result<String, QueryError> {
        let opened = *self;
        let Some(quote) = self.next() else {
            return Err(opened.error("expected a string in quotes".to_owned()));
        };
        let mut units: Vec<u16> = Vec::new();
        loop {
            let before = *self;
            match self.next() {
                None | Some('\n' | '\r') => {
                    return Err(opened
                        .error("this string is never closed".to_owned())
                        .with_help(&format!("put {quote} after its last character")));
                }
                Some('\\') => match self.escape() {
                    Some(Some(unit)) => units.extend_from_slice(&unit),
                    Some(None) => {}
                    None => {
                        return Err(before
                            .error("this is not an escape that JavaScript has".to_owned())
                            .with_help("for a backslash itself, write two"));
                    }
                },
                Some(character) if character == quote => break,
                Some(character) => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
            }
        }
        String::from_utf16(&units)
            .map_err(|_| opened.error("this string holds half of a surrogate pair".to_owned()))
    }

    /// What follows a backslash: code units, nothing (a continued line), or `None` if it is no escape.
    fn escape(&mut self) -> Option<Option<Vec<u16>>> {
        let unit = match self.next()? {
            'n' => 0x0A,
            't' => 0x09,
            'r' => 0x0D,
            'b' => 0x08,
            'f' => 0x0C,
            'v' => 0x0B,
            '0' if !self.rest().starts_with(|next: char| next.is_ascii_digit()) => 0,
            '1'..='9' | '0' => return None,
            'x' => self.hexadecimal(2)?,
            'u' if self.rest().starts_with('{') => {
                let digits = self.rest().get(1..self.rest().find('}')?)?;
                let plain =
                    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let code = plain
                    .then(|| u32::from_str_radix(digits, 16).ok())
                    .flatten()?;
                self.advance(digits.len() + 2);
                let character = char::from_u32(code)?;
                return Some(Some(character.encode_utf16(&mut [0; 2]).to_vec()));
            }
            'u' => self.hexadecimal(4)?,
            '\r' => {
                if self.rest().starts_with('\n') {
                    self.advance(1);
                }
                return Some(None);
            }
            '\n' | '\u{2028}' | '\u{2029}' => return Some(None),
            other => return Some(Some(other.encode_utf16(&mut [0; 2]).to_vec())),
        };
        Some(Some(vec![unit]))
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u16> {
        let text = self.rest().get(..digits)?;
        let plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unit = plain
            .then(|| u16::from_str_radix(text, 16).ok())
            .flatten()?;
        self.advance(digits);
        Some(unit)
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.advance(character.len_utf8());
        Some(character)
    }

    /// An error at this place.
    pub(crate) fn error(&self, message: impl Into<String>) -> QueryError {
        self.error_at(self.at, message)
    }

    /// An error at a place that was passed.
    pub(crate) fn error_at(&self, offset: usize, message: impl Into<String>) -> QueryError {
        QueryError {
            text: self.text.to_owned(),
            offset,
            message: message.into(),
            help: None,
        }
    }
}

impl QueryError {
    pub(crate) fn with_help(mut self, help: &str) -> Self {
        self.help = Some(help.to_owned());
        self
    }
}

/// The value of a literal without sign; `None` if it is none, or an old octal one (`017`).
fn unsigned_number(literal: &str) -> Option<f64> {
    let radix = match literal.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => {
            let first_two_digits = literal.len() > 1
                && literal.starts_with('0')
                && literal.as_bytes()[1].is_ascii_digit();
            let decimal = literal.bytes().all(|byte| {
                byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
            });
            return (decimal && !first_two_digits)
                .then(|| literal.parse().ok())
                .flatten();
        }
    };
    let digits = &literal[2..];
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |value, digit| {
        Some(value * f64::from(radix) + f64::from(digit.to_digit(radix)?))
    })
}
