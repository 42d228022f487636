//! What a person reads of a file: prose without code, messages, help, descriptions, strings of scripts.

/// How to read the files of a root.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The prose of a document.
    Markdown,
    /// The string literals of a source, which a user may read.
    RustStrings,
    /// The comments of arguments, which are the help of a command.
    Help,
    /// The descriptions in a schema.
    Schema,
    /// The string literals of a script.
    Script,
}

impl Kind {
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Markdown => ".md",
            Self::RustStrings | Self::Help => ".rs",
            Self::Schema => ".json",
            Self::Script => ".js",
        }
    }
}

/// What a person reads of a file: pieces of text, each with the line in which it begins.
pub(super) fn readable(text: &str, kind: Kind, labels: &[String]) -> Vec<(usize, String)> {
    match kind {
        Kind::Markdown => vec![(1, prose(text, labels))],
        Kind::RustStrings => messages(text),
        Kind::Help => help(text),
        Kind::Schema => descriptions(text),
        Kind::Script => messages_among(script_strings(text)),
    }
}

/// The help of a command: the comments above its arguments, without what is code in them.
fn help(source: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let Some(text) = line.trim_start().strip_prefix("///") else {
            continue;
        };
        match found.last_mut() {
            Some((first, block)) if *first + block.matches('\n').count() == index + 1 => {
                block.push_str(text);
                block.push('\n');
            }
            _ => found.push((index + 1, format!("{text}\n"))),
        }
    }
    let without_code = |text: &str| without(text, "`", "`", |_| true);
    found
        .into_iter()
        .map(|(line, text)| (line, without_code(&text)))
        .collect()
}

/// The descriptions of a schema, without what is code in them.
fn descriptions(schema: &str) -> Vec<(usize, String)> {
    let described = |line: &str| {
        let (_, text) = line.split_once("\"description\": \"")?;
        Some(without(&text[..quoted(text, '"')], "`", "`", |_| true))
    };
    let lines = schema.lines().enumerate();
    lines
        .filter_map(|(index, line)| Some((index + 1, described(line)?)))
        .collect()
}

/// The string literals of a script, comments left out; a template is one with what is in its places.
fn script_strings(source: &str) -> Vec<(usize, String)> {
    let literals = script_parts(source).into_iter();
    literals
        .filter(|(_, part, _)| *part == Part::Literal)
        .map(|(line, _, text)| (line, text))
        .collect()
}

/// The parts of a script in their order, each with the line in which it begins.
pub(super) fn script_parts(source: &str) -> Vec<(usize, Part, String)> {
    let mut found: Vec<(usize, Part, String)> = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let comment = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else {
            None
        };
        // A quote without its end in the same line is in a regular expression.
        let literal = matches!(first, '\'' | '"' | '`')
            .then(|| quoted(&rest[1..], first))
            .filter(|length| first == '`' || !rest[1..=*length].contains('\n'));
        let length = if let Some(length) = comment {
            found.push((line, Part::Comment, rest[..length].to_owned()));
            length
        } else if let Some(length) = literal {
            found.push((line, Part::Literal, rest[1..=length].replace("\\n", "\n")));
            length + 2
        } else {
            match found.last_mut() {
                Some((_, Part::Code, text)) => text.push(first),
                _ => found.push((line, Part::Code, first.to_string())),
            }
            first.len_utf8()
        };
        let end = (at + length).min(source.len());
        line += source[at..end].matches('\n').count();
        at = end;
    }
    found
}

/// The messages of a Rust source: its literals of more than one word, without names of values and without its tests.
pub(super) fn messages(source: &str) -> Vec<(usize, String)> {
    let shipped = source.split("#[cfg(test)]\nmod ").next();
    messages_among(strings(shipped.unwrap_or(source)))
}

/// Of literals those of more than one word, without names of values and without code.
fn messages_among(literals: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let values_left_out = |text: &str| without(text, "{", "}", |_| true);
    let code_left_out = |text: &str| without(text, "`", "`", |_| true);
    let messages = literals
        .into_iter()
        .map(|(line, text)| (line, code_left_out(&values_left_out(&text))));
    messages
        .filter(|(_, text)| text.split_whitespace().nth(1).is_some())
        .collect()
}

/// Whether a file is part of what is shipped, and no test of it.
pub(super) fn is_shipped(name: &str) -> bool {
    let mut parts = name.split('/');
    !parts.any(|part| matches!(part, "tests" | "tests.rs") || part.ends_with("_tests.rs"))
}

/// The prose of a Markdown text: what is no prose is `·` in it, its lines stay.
fn prose(markdown: &str, labels: &[String]) -> String {
    let without_targets = without(&without_code(markdown), "](", ")", |_| true);
    let is_label = |emphasised: &str| {
        let words: Vec<&str> = emphasised.split_whitespace().collect();
        labels.iter().any(|label| *label == words.join(" "))
    };
    without(&without_targets.replace("**", ""), "*", "*", is_label)
}

/// A Markdown text without its blocks and spans of code.
pub(super) fn without_code(markdown: &str) -> String {
    let mut written = String::with_capacity(markdown.len());
    let mut in_block = false;
    for line in markdown.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        written.push_str(if in_block || is_fence { "·\n" } else { line });
    }
    // A span that holds a mark of code has two around it.
    let written = without(&written, "``", "``", |_| true);
    without(&written, "`", "`", |_| true)
}

/// The text, with `·` for what is between two marks, where that is left out; its lines stay.
fn without(text: &str, open: &str, close: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        written.push_str(before);
        // A mark without its end in the same paragraph is a character.
        let paragraph = after.split("\n\n").next().unwrap_or(after);
        match paragraph.split_once(close) {
            Some((between, _)) if is_left_out(between) => {
                written.push('·');
                written.extend(between.chars().filter(|character| *character == '\n'));
                written.push('·');
                rest = &after[between.len() + close.len()..];
            }
            _ => {
                written.push('·');
                rest = after;
            }
        }
    }
    written + rest
}

/// The string literals of a Rust source, comments and characters left out.
pub(super) fn strings(source: &str) -> Vec<(usize, String)> {
    let literals = parts(source).into_iter();
    literals
        .filter(|(_, part, _)| *part == Part::Literal)
        .map(|(line, _, text)| (line, text))
        .collect()
}

/// What a part of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A comment, with its marks.
    Comment,
    /// What a string literal says.
    Literal,
    /// Anything else; a character is none of it.
    Code,
}

/// The parts of a Rust source in their order, each with the line in which it begins.
pub(super) fn parts(source: &str) -> Vec<(usize, Part, String)> {
    let mut found: Vec<(usize, Part, String)> = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let is_in_word = source[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        let raw = rest
            .strip_prefix('r')
            .map(|rest| rest.len() - rest.trim_start_matches('#').len())
            .filter(|hashes| !is_in_word && rest[1 + hashes..].starts_with('"'));
        let comment = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else {
            None
        };
        let mut told = |part, text: String| found.push((line, part, text));
        let length = if let Some(length) = comment {
            told(Part::Comment, rest[..length].to_owned());
            length
        } else if let Some(hashes) = raw {
            let begin = 2 + hashes;
            let close = format!("\"{}", "#".repeat(hashes));
            let length = rest[begin..].find(&close).unwrap_or(rest.len() - begin);
            told(Part::Literal, rest[begin..begin + length].to_owned());
            begin + length + close.len()
        } else if first == '"' {
            let length = quoted(&rest[1..], '"');
            // A backslash at the end of a line takes the white space after it away.
            let text = rest[1..=length].replace("\\\n", " ").replace("\\n", "\n");
            told(Part::Literal, text);
            length + 2
        } else if first == '\'' {
            // A lifetime has no quote behind its first character.
            let is_character = rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'');
            if is_character {
                quoted(&rest[1..], '\'') + 2
            } else {
                1
            }
        } else {
            match found.last_mut() {
                Some((_, Part::Code, text)) => text.push(first),
                _ => found.push((line, Part::Code, first.to_string())),
            }
            first.len_utf8()
        };
        let end = (at + length).min(source.len());
        line += source[at..end].matches('\n').count();
        at = end;
    }
    found
}

/// How many bytes come before the quote that ends a literal.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        if character == quote && !is_escaped {
            return at;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    text.len()
}

/// The words of a text in lower case, each with its line; an empty one where something stands between two words.
pub(super) fn words(text: &str, first_line: usize) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut line = first_line;
    for character in text.chars().chain([' ']) {
        if character.is_alphanumeric() || "'’_-".contains(character) {
            word.extend(character.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push((line, std::mem::take(&mut word)));
        }
        if character == '\n' {
            line += 1;
        } else if !character.is_whitespace() {
            words.push((line, String::new()));
        }
    }
    words
}
