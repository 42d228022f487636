//! The tokens of a text, as far as two texts of one expression are compared by them. Read without a parser, as the
//! author's text may be of any language that a bundler knows.

/// What kind of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// A string with its quotes.
    Text,
    /// A part of a template, or a regular expression.
    Raw,
    /// An operator or a bracket.
    Sign,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token<'_> {
    pub(super) fn is_number(&self) -> bool {
        self.text
            .starts_with(|it: char| it.is_ascii_digit() || it == '.')
    }

    /// Whether both say the same, whatever they are called elsewhere.
    pub(super) fn is_like(&self, other: &Token<'_>) -> bool {
        if self.kind != other.kind {
            return false;
        }
        if self.text == other.text {
            return true;
        }
        match self.kind {
            Kind::Word if self.is_number() && other.is_number() => {
                let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
                let (own, other) = (number(self.text), number(other.text));
                own.is_some() && own == other
            }
            Kind::Text => {
                let (own, other) = (unescaped(self.text), unescaped(other.text));
                own.is_some() && own == other
            }
            Kind::Sign => matches!(
                (self.text, other.text),
                ("==", "===") | ("===", "==") | ("!=", "!==") | ("!==", "!=")
            ),
            _ => false,
        }
    }
}

/// What a string says; `None`: it has an escape that is not read here.
fn unescaped(quoted: &str) -> Option<String> {
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let digits = match characters.next()? {
            'n' => {
                text.push('\n');
                continue;
            }
            't' => {
                text.push('\t');
                continue;
            }
            'r' => {
                text.push('\r');
                continue;
            }
            'x' => characters.by_ref().take(2).collect::<String>(),
            'u' => {
                let first = characters.next()?;
                match first {
                    '{' => characters.by_ref().take_while(|it| *it != '}').collect(),
                    first => std::iter::once(first)
                        .chain(characters.by_ref().take(3))
                        .collect(),
                }
            }
            'b' | 'v' | 'f' | '0'..='9' | '\n' | '\r' => return None,
            other => {
                text.push(other);
                continue;
            }
        };
        text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
    }
    Some(text)
}

/// The signs that are more than one character and that comparing by single ones would read wrong.
const SIGNS: [&str; 8] = ["===", "!==", "...", "=>", "==", "!=", "?.", "**"];

/// The tokens of a text from one place to another; ends at what is no token.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    /// Of each template around: how many curly brackets are open in its hole.
    holes: Vec<u32>,
    /// Whether a value ended just before: a slash divides then.
    is_behind_value: bool,
}

impl<'t> Tokens<'t> {
    pub(crate) const fn new(text: &'t str, start: usize, end: usize) -> Self {
        Self {
            text,
            at: start,
            end,
            holes: Vec::new(),
            is_behind_value: false,
        }
    }

    fn rest(&self) -> Option<&'t str> {
        self.text.get(self.at..self.end)
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Option<()> {
        loop {
            let rest = self.rest()?;
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if let Some(comment) = trimmed.strip_prefix("//") {
                self.at += 2 + comment.find('\n').unwrap_or(comment.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                self.at += 2 + comment.find("*/")? + 2;
            } else {
                return Some(());
            }
        }
    }

    /// How long a part of a template is, with what begins and ends it.
    fn template(&mut self, rest: &str) -> Option<usize> {
        let mut characters = rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next()?;
                }
                '`' => {
                    self.is_behind_value = true;
                    return Some(at + 1);
                }
                '$' if rest.get(at + 1..)?.starts_with('{') => {
                    self.holes.push(0);
                    self.is_behind_value = false;
                    return Some(at + 2);
                }
                _ => {}
            }
        }
        None
    }

    fn token(&mut self) -> Option<(Kind, usize)> {
        let rest = self.rest()?;
        let first = rest.chars().next()?;
        if is_part_of_word(first) || first == '#' && rest[1..].starts_with(is_part_of_word) {
            let is_number = first.is_ascii_digit();
            let length = rest
                .find(|it: char| !(is_part_of_word(it) || it == '#' || is_number && it == '.'))
                .unwrap_or(rest.len());
            self.is_behind_value = !matches!(
                &rest[..length],
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "void"
                    | "delete"
                    | "await"
                    | "yield"
                    | "new"
            );
            return Some((Kind::Word, length));
        }
        if first == '.' && rest[1..].starts_with(|it: char| it.is_ascii_digit()) {
            let length = rest[1..]
                .find(|it| !is_part_of_word(it))
                .map_or(rest.len(), |at| at + 1);
            self.is_behind_value = true;
            return Some((Kind::Word, length));
        }
        match first {
            '"' | '\'' => {
                let length = quoted(rest, first)?;
                self.is_behind_value = true;
                Some((Kind::Text, length))
            }
            '`' => Some((Kind::Raw, self.template(rest)?)),
            '}' if self.holes.last() == Some(&0) => {
                self.holes.pop();
                Some((Kind::Raw, self.template(rest)?))
            }
            '/' if !self.is_behind_value => {
                self.is_behind_value = true;
                Some((Kind::Raw, regular_expression(rest)?))
            }
            _ => {
                match (first, self.holes.last_mut()) {
                    ('{', Some(hole)) => *hole += 1,
                    ('}', Some(hole)) => *hole = hole.checked_sub(1)?,
                    _ => {}
                }
                self.is_behind_value = matches!(first, ')' | ']' | '}');
                let long = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                Some((Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len())))
            }
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        self.skip()?;
        let start = self.at;
        let (kind, length) = self.token()?;
        self.at = start + length;
        Some(Token {
            kind,
            text: self.text.get(start..self.at)?,
            start,
            end: self.at,
        })
    }
}

/// How long a string is, with its quotes.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next()?;
            }
            '\n' => return None,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How long a regular expression is, with its flags.
fn regular_expression(rest: &str) -> Option<usize> {
    let mut is_class = false;
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next()?;
            }
            '\n' => return None,
            '[' => is_class = true,
            ']' => is_class = false,
            '/' if !is_class => {
                let flags = rest.get(at + 1..)?;
                let length = flags.find(|it| !is_part_of_word(it)).unwrap_or(flags.len());
                return Some(at + 1 + length);
            }
            _ => {}
        }
    }
    None
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}
