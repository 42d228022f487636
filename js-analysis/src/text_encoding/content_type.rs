//! The `charset` parameter of a `Content-Type` header, by the MIME Sniffing and Fetch standards.

use encoding_rs::Encoding;

/// The encoding that a `Content-Type` header names, if it names one that exists.
///
/// Several headers may be joined by commas: the last type counts, and inherits the charset of an earlier
/// one of the same type. Parameter names and labels are case-insensitive, values may be quoted.
#[must_use]
pub fn charset_of_content_type(header: &str) -> Option<&'static Encoding> {
    let mut last_type = String::new();
    let mut charset: Option<String> = None;
    for value in split_outside_quotes(header, ',') {
        let Some((essence, own_charset)) = parse_mime_type(value) else {
            continue;
        };
        if essence == "*/*" {
            continue;
        }
        if essence != last_type {
            charset = None;
            last_type = essence;
        }
        charset = own_charset.or(charset);
    }
    Encoding::for_label(charset?.as_bytes())
}

/// The lower-case `type/subtype` and the first `charset` parameter.
fn parse_mime_type(value: &str) -> Option<(String, Option<String>)> {
    let mut parts = split_outside_quotes(value, ';').into_iter();
    let essence = parts
        .next()?
        .trim_matches(is_http_space)
        .to_ascii_lowercase();
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let charset = parts.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        if !name
            .trim_start_matches(is_http_space)
            .eq_ignore_ascii_case("charset")
        {
            return None;
        }
        let value = match value.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => value.trim_end_matches(is_http_space).to_owned(),
        };
        (!value.is_empty()).then_some(value)
    });
    Some((essence, charset))
}

/// The content of a quoted string whose opening quote is already gone; the closing one may be missing.
fn unquote(quoted: &str) -> String {
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => value.push(characters.next().unwrap_or('\\')),
            other => value.push(other),
        }
    }
    value
}

fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if character == separator && !quoted => {
                parts.push(&text[start..index]);
                start = index + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn is_http_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
