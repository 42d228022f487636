//! The words of a definition's body: what is outside of quotes, where parameters and keywords are.

use super::KEYWORDS;

/// The characters outside of quotes; a quoted text is one space.
fn unquoted(text: &str) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let (mut quote, mut escaped) = (None, false);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(closing), _) if character == closing => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => {
                quote = Some(character);
                found.push((at, ' '));
            }
            (None, _) => found.push((at, character)),
        }
    }
    found
}

/// Those at the outermost level, outside of brackets too; the bracket that closes it is among them.
pub(super) fn outside_quotes(text: &str) -> Vec<(usize, char)> {
    let mut depth = 0_usize;
    let mut found = unquoted(text);
    found.retain(|&(_, character)| match character {
        '(' | '[' => {
            depth += 1;
            false
        }
        ')' | ']' if depth > 0 => {
            depth -= 1;
            false
        }
        _ => depth == 0,
    });
    found
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// The words of a text outside of quotes, each with where it begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = None;
    for (at, character) in unquoted(text).into_iter().chain([(text.len(), ' ')]) {
        match (is_in_word(character), from) {
            (true, None) => from = Some(at),
            (false, Some(begins)) => {
                found.push((begins, &text[begins..at]));
                from = None;
            }
            _ => {}
        }
    }
    found
}

/// A body with what was given in the place of the parameters.
pub(super) fn substituted(body: &str, parameters: &[String], given: &[String]) -> String {
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

/// What is behind a keyword of a body, up to the next.
pub(super) struct Part<'b> {
    pub(super) keyword: &'b str,
    pub(super) text: &'b str,
    pub(super) at: usize,
}

pub(super) fn parts(body: &str) -> Vec<Part<'_>> {
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
