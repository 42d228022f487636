//! What is in the author's text where a segment of a map leads: whether the segment can be right, and how far the
//! expression reaches. Read without a parser, as it may be of any language that a bundler knows.

use crate::position::{ByteOffset, LineIndex, Utf16Position};

/// The text of one source of a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuthorText<'m> {
    pub(super) text: &'m str,
    pub(super) lines: &'m LineIndex,
}

impl<'m> AuthorText<'m> {
    /// Whether code that was called `name` can begin at a position: no tool that moves text makes a segment for a
    /// name at a place where another word is, but some make them for text of their own, and for the ends of
    /// statements.
    pub(crate) fn has(&self, position: Utf16Position, name: Option<&str>) -> bool {
        let Some(at) = self.offset(position) else {
            return false;
        };
        match name.filter(|name| name.chars().all(is_part_of_word)) {
            Some(name) => has_word(self.text, at, name) || begins_element(self.text, at),
            None => can_begin(self.text, at),
        }
    }

    /// Where the expression begins whose last property is `name`, at a position: `a` of `a.b.name`. `None` if anything
    /// else than names and dots is in front of it.
    pub(crate) fn start_of_path(
        &self,
        position: Utf16Position,
        name: &str,
    ) -> Option<Utf16Position> {
        let at = self.offset(position)?;
        if !has_word(self.text, at, name) {
            return None;
        }
        self.position(start_of_path(self.text, at)?)
    }

    /// The position behind `between`, if that is at `position` and code can begin behind it.
    pub(crate) fn behind(&self, position: Utf16Position, between: &str) -> Option<Utf16Position> {
        let at = self.offset(position)?;
        let is_there = self.text.get(at..)?.starts_with(between);
        let behind = at + between.len();
        (is_there && can_begin(self.text, behind)).then(|| self.position(behind))?
    }

    /// The position in front of `between`, if that is before `position`, as it is but for white space.
    pub(crate) fn before(&self, position: Utf16Position, between: &str) -> Option<Utf16Position> {
        let mut rest = self.text.get(..self.offset(position)?)?;
        for character in between.chars().rev().filter(|it| !it.is_whitespace()) {
            rest = rest.trim_end().strip_suffix(character)?;
        }
        self.position(rest.len())
    }

    /// The name of what is assigned the value that begins at a position, and where the assignment begins: `o.p` of
    /// `o.p = value`. No name where it is computed; `None` where the value is not all that is assigned.
    pub(crate) fn assigned_before(
        &self,
        value: Utf16Position,
    ) -> Option<(Option<&'m str>, Utf16Position)> {
        let text: &'m str = self.text;
        let before = text.get(..self.offset(value)?)?;
        let before = before.trim_end_matches(|it: char| it.is_whitespace() || it == '(');
        let target = before.strip_suffix('=')?;
        if target.ends_with(['=', '!', '<', '>']) {
            return None;
        }
        let operator = ['+', '-', '*', '/', '%', '&', '|', '^', '?'];
        let target = target.trim_end_matches(operator).trim_end();
        let (is_computed, target) = match target.strip_suffix(']') {
            Some(key) => (true, before_bracket(key)?.trim_end()),
            None => (false, target),
        };
        let rest = target.trim_end_matches(is_part_of_word);
        let name = target.get(rest.len()..).filter(|name| !name.is_empty());
        let name = match is_computed {
            true => None,
            false => Some(name?),
        };
        let start = rest.strip_suffix('#').unwrap_or(rest).len();
        let start = start_of_path(text, start).unwrap_or(start);
        Some((name, self.position(start)?))
    }

    /// Whether two positions are in the same expression of logical operators, as far as the text between them tells.
    pub(crate) fn is_one_expression(&self, one: Utf16Position, other: Utf16Position) -> bool {
        /// Nobody writes a longer condition.
        const LONGEST: usize = 4096;
        let (Some(one), Some(other)) = (self.offset(one), self.offset(other)) else {
            return false;
        };
        let between = self.text.get(one.min(other)..one.max(other));
        between.is_some_and(|between| between.len() <= LONGEST && is_one_expression(between))
    }

    pub(super) fn offset(&self, position: Utf16Position) -> Option<usize> {
        Some(self.lines.offset(self.text, position)?.index())
    }

    fn position(&self, at: usize) -> Option<Utf16Position> {
        let at = ByteOffset(u32::try_from(at).ok()?);
        Some(self.lines.position(self.text, at))
    }
}

fn has_word(text: &str, at: usize, word: &str) -> bool {
    let Some((before, rest)) = text.split_at_checked(at) else {
        return false;
    };
    let rest = rest.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(is_part_of_word))
        && !before.ends_with(is_part_of_word)
}

/// Whether an element of JSX begins there: what is made of it calls a function that its author does not name.
fn begins_element(text: &str, at: usize) -> bool {
    let rest = text.get(at..).and_then(|rest| rest.strip_prefix('<'));
    rest.is_some_and(|rest| rest.starts_with(is_part_of_word) || rest.starts_with('>'))
}

/// Whether an expression or a statement can begin there: no separator, and no inner part of a word.
fn can_begin(text: &str, at: usize) -> bool {
    let Some((before, rest)) = text.split_at_checked(at) else {
        return false;
    };
    match rest.chars().next() {
        None => false,
        Some('.') => rest.starts_with("..."),
        Some(first) if is_part_of_word(first) => !before.ends_with(is_part_of_word),
        Some(first) => !first.is_whitespace() && !";,)]}:=?&|>*%^".contains(first),
    }
}

/// What is in front of the bracket that opens a key; brackets in strings count as others do.
fn before_bracket(key: &str) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, character) in key.char_indices().rev() {
        match character {
            ']' => depth += 1,
            '[' if depth == 0 => return key.get(..at),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn start_of_path(text: &str, name: usize) -> Option<usize> {
    let mut start = name;
    let mut has_object = false;
    loop {
        let before = text[..start].trim_end();
        let Some(object) = before.strip_suffix('.') else {
            return has_object.then_some(start);
        };
        let object = object.strip_suffix('?').unwrap_or(object).trim_end();
        let word = object.trim_end_matches(|it| is_part_of_word(it) || it == '#');
        if word.len() == object.len()
            || object[word.len()..].starts_with(|it: char| it.is_ascii_digit())
        {
            return None;
        }
        start = word.len();
        has_object = true;
    }
}

/// `a) && (b`, not `a) return; if (b`. Blocks and statements inside brackets are a function's.
fn is_one_expression(between: &str) -> bool {
    let mut characters = between.chars().peekable();
    let mut depth = 0_i32;
    // Behind a bracket that closes more than was opened, an operator goes on, or the expression is over.
    let mut is_behind = false;
    while let Some(character) = characters.next() {
        match character {
            '"' | '\'' | '`' => {
                if is_behind {
                    return false;
                }
                while let Some(inner) = characters.next() {
                    match inner {
                        '\\' => {
                            characters.next();
                        }
                        _ if inner == character => break,
                        _ => {}
                    }
                }
            }
            '/' if characters.peek() == Some(&'/') => {
                while characters.next_if(|&it| it != '\n').is_some() {}
            }
            '/' if characters.peek() == Some(&'*') => {
                let mut last = ' ';
                for inner in characters.by_ref() {
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
            }
            _ if character.is_whitespace() => {}
            ')' | ']' | '}' => {
                depth -= 1;
                is_behind = is_behind || depth < 0;
                if depth < 0 && character == '}' {
                    return false;
                }
            }
            _ if is_behind => {
                if !"&|?=!<>+-*/%.,:".contains(character) {
                    return false;
                }
                is_behind = false;
                depth = 0;
            }
            '(' | '[' | '{' => depth += 1,
            ';' if depth <= 0 => return false,
            _ => {}
        }
    }
    !is_behind
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_begins_where_a_name_or_nothing_is_behind_the_bracket() {
        for (text, holds) in [
            ("<form id={a}>", true),
            ("<>{rows}</>", true),
            ("<Cart.Row />", true),
            ("< 3", false),
            ("<= b", false),
            ("form>", false),
        ] {
            assert_eq!(begins_element(text, 0), holds, "{text}");
        }
        assert!(!begins_element("<form>", 9));
    }

    #[test]
    fn code_begins_at_words_and_brackets_and_not_at_what_ends_it() {
        for (text, name, can) in [
            ("a = ^b;", None, true),
            ("a = ^b;", Some("b"), true),
            ("a = ^b;", Some("c"), false),
            ("a = ^bc;", Some("b"), false),
            ("a = b^c;", None, false),
            ("a = b^;", None, false),
            ("f(a^)", None, false),
            ("}^\nf()", None, false),
            ("^(a ? b : c).d()", None, true),
            ("[^...a]", None, true),
            ("a^.b", None, false),
            ("if (^!a)", None, true),
            ("^\"a\"", Some("not a word"), true),
            ("a^", None, false),
        ] {
            let at = text.find('^').unwrap();
            let text = text.replacen('^', "", 1);
            let lines = LineIndex::new(&text);
            let author = AuthorText {
                text: &text,
                lines: &lines,
            };
            let position = author.position(at).unwrap();
            assert_eq!(author.has(position, name), can, "{text} {name:?}");
        }
    }

    #[test]
    fn a_path_begins_at_its_first_name() {
        for (text, start) in [
            ("x = out.upd.^w++", Some("out.upd")),
            ("out\n  .upd\n  ?.^w = 1", Some("out\n")),
            ("this.#state.^w", Some("this")),
            ("items[0].^w = 1", None),
            ("f().^w", None),
            ("(a ? b : c)\n.^w", None),
            ("^w = 1", None),
            ("[...^w]", None),
            ("1.5.^w", None),
        ] {
            let at = text.find('^').unwrap();
            let text = text.replacen('^', "", 1);
            let found = start_of_path(&text, at);
            assert_eq!(
                found,
                start.map(|start| text.find(start).unwrap()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_assigned_is_before_its_value() {
        for (text, found) in [
            ("a; o.label = ^1", Some((Some("label"), "o.label"))),
            ("let x = (\n ^1)", Some((Some("x"), "x"))),
            ("this.#total += ^n", Some((Some("total"), "this"))),
            ("x ??= ^1", Some((Some("x"), "x"))),
            ("f().x = ^1", Some((Some("x"), "x"))),
            ("a; o['p'] = ^1", Some((None, "o['p']"))),
            ("a; o.list[l[0]] = ^1", Some((None, "o.list"))),
            ("f()[0] = ^1", Some((None, "[0]"))),
            ("x = a ? ^1 : 2", None),
            ("x = a ? 1 : ^2", None),
            ("if (a == ^1)", None),
            ("if (a <= ^1)", None),
            ("(a) => ^1", None),
            ("f(^1)", None),
            ("{ a } = ^b", None),
            ("^1", None),
        ] {
            let at = text.find('^').unwrap();
            let text = text.replacen('^', "", 1);
            let lines = LineIndex::new(&text);
            let author = AuthorText {
                text: &text,
                lines: &lines,
            };
            let start = |part: &str| author.position(text.find(part).unwrap()).unwrap();
            let found = found.map(|(name, part)| (name, start(part)));
            let position = author.position(at).unwrap();
            assert_eq!(author.assigned_before(position), found, "{text}");
        }
    }

    #[test]
    fn operands_are_of_one_condition_where_no_statement_is_between_them() {
        for (between, is_one) in [
            ("a && ", true),
            ("a) && (", true),
            ("a(1, { b: 2 })\n  && !", true),
            ("list.some(function (x) { return x; }) || ", true),
            ("a /* ; */ && // ; }\n", true),
            ("a === ';' && ", true),
            ("a?.b(c)) || ", true),
            ("a) return;\n  if (", false),
            ("a) {\n    if (", false),
            ("a) if (", false),
            ("a; } else if (", false),
            ("a) b(); else if (", false),
            ("a;\n  return ", false),
        ] {
            assert_eq!(is_one_expression(between), is_one, "{between}");
        }
    }
}
