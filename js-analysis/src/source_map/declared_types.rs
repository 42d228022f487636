//! What an author's file declares of a function's values: in TypeScript by the types of its signature, else by the
//! comment before it.
//!
//! ```ts
//! export function shown(price: number, currency?: "EUR" | "USD"): string { … }
//! ```
//! gives `price` as `number`, `currency` as `"EUR" | "USD"` and the result as `string`. The signature is read token by
//! token from the place that the map names; a parser for TypeScript would double what the extension loads.

use crate::jsdoc::{DocTypes, doc_types};
use crate::position::{ByteOffset, Utf16Position};

use super::SourceMap;
use super::original_text::tokens::{Kind, Token, Tokens};

/// What is before the parameters of a function: so many tokens at most.
const MOST_WORDS: usize = 12;
/// A signature has so many tokens at most.
const MOST_TOKENS: usize = 2000;

impl SourceMap {
    /// What the source with that URL declares of the function that begins at a position, if the map holds its text.
    #[must_use]
    pub fn declared_types(&self, url: &str, position: Utf16Position) -> Option<DocTypes> {
        let author = self.author_text(url)?;
        let at = author.offset(position)?;
        let is_typed = is_typescript(url, author.text);
        let signed = is_typed.then(|| signature(author.text, at)).flatten();
        signed.or_else(|| doc_types(author.text, ByteOffset::from_index(at)))
    }
}

/// Whether a file is written in TypeScript: by its name, or, where it holds a component, by the language that its
/// scripts name.
fn is_typescript(url: &str, text: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ends_with = |extensions: &[&str]| extensions.iter().any(|it| path.ends_with(it));
    if ends_with(&[".vue", ".svelte"]) {
        let mut scripts = text.split("<script").skip(1);
        return scripts.any(|it| {
            let tag = it.split('>').next().unwrap_or_default();
            ["lang=\"ts", "lang='ts", "lang=ts"]
                .iter()
                .any(|language| tag.contains(language))
        });
    }
    ends_with(&[".ts", ".tsx", ".mts", ".cts"])
}

/// The types of the signature of the function that begins at `at`; `None`: it has none.
fn signature(text: &str, at: usize) -> Option<DocTypes> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, at, text.len())
        .take(MOST_TOKENS)
        .collect();
    let open = parameters_of(&tokens)?;
    let mut found = DocTypes::default();
    let mut start = open + 1;
    let mut next = start;
    let mut depth = 0_u32;
    let close = loop {
        let token = tokens.get(next)?;
        let is_end = depth == 0 && token.text == ")";
        if is_end || depth == 0 && token.text == "," {
            found
                .parameters
                .extend(parameter(text, tokens.get(start..next)?));
            start = next + 1;
        }
        if is_end {
            break next;
        }
        depth = depth.checked_add_signed(step(token))?;
        next += 1;
    };
    if tokens.get(close + 1).is_some_and(|it| it.text == ":") {
        found.returns = result(text, tokens.get(close + 2..)?);
    }
    (found != DocTypes::default()).then_some(found)
}

/// The index of the bracket before the parameters.
fn parameters_of(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_u32;
    for (index, token) in tokens.iter().enumerate() {
        match (depth, token.text) {
            (0, "(") => return Some(index),
            // Type parameters.
            (_, "<" | ">") => depth = depth.checked_add_signed(step(token))?,
            (0, "=" | "*" | "?") => {}
            (0, _) if token.kind != Kind::Word || index >= MOST_WORDS => return None,
            _ => {}
        }
    }
    None
}

/// Whether a bracket opens (1) or closes (-1).
fn step(token: &Token<'_>) -> i32 {
    match token.text {
        _ if token.kind != Kind::Sign => 0,
        "(" | "[" | "{" | "<" => 1,
        ")" | "]" | "}" | ">" => -1,
        _ => 0,
    }
}

/// The name of a parameter and its type; `None`: it is taken apart, takes all others, or has no type.
fn parameter(text: &str, tokens: &[Token<'_>]) -> Option<(String, String)> {
    const MODIFIERS: [&str; 5] = ["private", "protected", "public", "readonly", "override"];
    let is_modifier = |it: &&Token<'_>| MODIFIERS.contains(&it.text);
    let skipped = tokens.iter().take_while(is_modifier).count();
    // `readonly: boolean` is a parameter of that name.
    let skipped = match tokens.get(skipped).is_some_and(|it| it.kind == Kind::Word) {
        true => skipped,
        false => skipped.saturating_sub(1),
    };
    let mut tokens = tokens.get(skipped..)?.iter();
    let name = tokens
        .next()
        .filter(|it| it.kind == Kind::Word && it.text != "this")?;
    let mut colon = tokens.next()?;
    if colon.text == "?" {
        colon = tokens.next()?;
    }
    if colon.text != ":" {
        return None;
    }
    let mut depth = 0_u32;
    let (mut start, mut end) = (None, 0);
    for token in tokens {
        if depth == 0 && token.text == "=" {
            break;
        }
        depth = depth.checked_add_signed(step(token))?;
        start = start.or(Some(token.start));
        end = token.end;
    }
    Some((name.text.to_owned(), on_one_line(text.get(start?..end)?)))
}

/// The type of a result, which is before the body; `None`: it is a condition on types (`it is string`).
fn result(text: &str, tokens: &[Token<'_>]) -> Option<String> {
    let mut depth = 0_u32;
    let (mut start, mut end) = (None, 0);
    let mut before = "|";
    for token in tokens {
        let begins_type = matches!(before, "|" | "&" | "=>");
        let is_body = match token.text {
            "{" => !begins_type,
            // Behind brackets alone it is a type of functions.
            "=>" => start.is_none_or(|it| !text.get(it..end).is_some_and(is_bracketed)),
            ";" => true,
            _ => false,
        };
        if depth == 0 && is_body {
            break;
        }
        if depth == 0 && matches!(token.text, "is" | "asserts") {
            return None;
        }
        depth = depth.checked_add_signed(step(token))?;
        start = start.or(Some(token.start));
        end = token.end;
        before = token.text;
    }
    Some(on_one_line(text.get(start?..end)?))
}

/// Whether a text begins with a bracket that ends with it.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, it) in text.char_indices() {
        match it {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + 1 == text.len();
        }
    }
    false
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, from: &str) -> Option<String> {
        let at = source.find(from).unwrap();
        let found = signature(source, at)?;
        let parameters = found.parameters.iter();
        let parameters: Vec<_> = parameters
            .map(|(name, of)| format!("{name}: {of}"))
            .collect();
        Some(format!(
            "({}) {}",
            parameters.join(", "),
            found.returns.unwrap_or_default()
        ))
    }

    #[test]
    fn types_of_signatures_are_read() {
        for (source, expected) in [
            ("function f(a: number): string {}", "(a: number) string"),
            (
                "export async function f(a: number, b?: 'x' | null): Promise<string[]> {}",
                "(a: number, b: 'x' | null) Promise<string[]>",
            ),
            (
                "f<T extends Map<string, T>>(a: T, ...rest: T[]): Map<string, T> { }",
                "(a: T) Map<string, T>",
            ),
            (
                "constructor(private readonly price: number, readonly: boolean) {}",
                "(price: number, readonly: boolean) ",
            ),
            (
                "const f = (a: (b: number) => string, { c }: { c: number } = { c: 1 }): number => a",
                "(a: (b: number) => string) number",
            ),
            (
                "(a: number = g(1, 2), b: {\n x: number,\n y: string }): { z: number } | null => ({ z: 1 })",
                "(a: number, b: { x: number, y: string }) { z: number } | null",
            ),
            (
                "f(this: Cart, /* the price, in cents */ a: number): (b: number) => void {}",
                "(a: number) (b: number) => void",
            ),
            ("get total(): number { return 1 }", "() number"),
            ("abstract f(a: string): boolean;", "(a: string) boolean"),
            ("f(a: unknown): a is string {}", "(a: unknown) "),
            ("(a: string): asserts a {}", "(a: string) "),
        ] {
            let begins = source.split(' ').next().unwrap();
            assert_eq!(shown(source, begins).as_deref(), Some(expected), "{source}");
        }
    }

    #[test]
    fn components_name_the_language_of_their_scripts() {
        for (url, text, expected) in [
            (
                "http://h/src/App.vue",
                "<template><p/></template>\n<script setup lang=\"ts\">",
                true,
            ),
            (
                "http://h/App.vue?vue&type=script&lang.ts",
                "<script lang='tsx'>",
                true,
            ),
            (
                "http://h/App.vue",
                "<script setup>\nlet a = '<b lang=\"ts\">'",
                false,
            ),
            (
                "http://h/Bar.svelte",
                "<script module>\n</script>\n<script lang=ts>",
                true,
            ),
            ("http://h/Bar.svelte", "<p lang=\"ts\">", false),
            ("http://h/cart.ts", "", true),
            ("http://h/cart.js", "<script lang=\"ts\">", false),
        ] {
            assert_eq!(is_typescript(url, text), expected, "{url} {text}");
        }
    }

    #[test]
    fn what_is_no_signature_has_no_types() {
        for source in [
            "function f(a, b) { return a }",
            "a => a",
            "(a) => a",
            "if (a) { b }",
            "x.f(a)",
            "f(a: number",
            "f(a: )>}",
            "\"(a: number)\"",
            "",
        ] {
            assert_eq!(signature(source, 0), None, "{source}");
        }
    }
}
