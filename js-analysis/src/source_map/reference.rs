//! Finds a script's reference to its source map: the last `//# sourceMappingURL=` comment.
//!
//! By ECMA-426, "extract a source map URL from JavaScript without parsing": the comment counts only if
//! nothing but white space and comments follows it. The older `//@` counts too, and so does a block comment. What only
//! closes what is open (`}`, `)`, `;`) may follow as well: webpack puts the modules of a development build, with
//! their maps, into blocks of their own. Browsers take such a comment anywhere.

use super::decode::base64_digit;

/// Where a script says that its source map is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapReference {
    /// In the reference itself, a `data:` URL: the JSON.
    Inline(String),
    /// At a URL, relative to the script's own.
    External(String),
    /// In a `data:` URL that cannot be decoded.
    Malformed(String),
}

/// The reference to a source map that `script` ends with, if it does.
#[must_use]
pub fn find_source_mapping_url(script: &str) -> Option<MapReference> {
    last_url(script).map(MapReference::of)
}

impl MapReference {
    /// What a URL refers to that a comment or a header gives.
    #[must_use]
    pub fn of(url: &str) -> Self {
        let Some(data) = strip_data_scheme(url) else {
            return Self::External(url.to_owned());
        };
        match decode_data_url(data) {
            Some(json) => Self::Inline(json),
            None => Self::Malformed(url.chars().take(80).collect()),
        }
    }
}

fn last_url(script: &str) -> Option<&str> {
    let bytes = script.as_bytes();
    let mut last = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => {
                let rest = &script[at + 2..];
                let comment = &rest[..rest.find(is_line_break).unwrap_or(rest.len())];
                last = url_of_comment(comment).or(last);
                at += 2 + comment.len();
            }
            (b'/', Some(b'*')) => {
                let rest = &script[at + 2..];
                match rest.find("*/") {
                    Some(length) => {
                        last = url_of_comment(&rest[..length]).or(last);
                        at += length + 4;
                    }
                    // A script does not end in a comment: it is in a text or a regular expression, as `"/api/*"`.
                    None => {
                        last = None;
                        at += 2;
                    }
                }
            }
            (b' ' | b'\t' | 0x0B | 0x0C | b'\n' | b'\r', _) | (b'}' | b')' | b';', _) => at += 1,
            (0x80.., _) => {
                let character = script[at..].chars().next()?;
                if !character.is_whitespace() && character != '\u{FEFF}' {
                    last = None;
                }
                at += character.len_utf8();
            }
            _ => {
                last = None;
                at += 1;
            }
        }
    }
    last
}

/// The URL in a comment whose text (without the slashes) is `comment`.
fn url_of_comment(comment: &str) -> Option<&str> {
    let url = comment
        .strip_prefix(['#', '@'])?
        .trim_start()
        .strip_prefix("sourceMappingURL=")?
        .trim();
    // A URL with quotes is a string that only looks like a comment; V8 passes it over too.
    let is_url = !url.is_empty()
        && !url.contains(|character: char| {
            character.is_whitespace() || matches!(character, '"' | '\'' | '`')
        });
    is_url.then_some(url)
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn strip_data_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// The text of a `data:` URL without its scheme, which is UTF-8 whatever its type says.
fn decode_data_url(data: &str) -> Option<String> {
    let (header, body) = data.split_once(',')?;
    let body = percent_decoded(body);
    let is_base64 = header
        .rsplit_once(';')
        .is_some_and(|(_, last)| last.trim().eq_ignore_ascii_case("base64"));
    let bytes = if is_base64 {
        base64_decoded(&body)?
    } else {
        body
    };
    String::from_utf8(bytes).ok()
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let mut hex = || char::from(ahead.next()?).to_digit(16);
        match (byte, hex(), hex()) {
            (b'%', Some(high), Some(low)) => {
                result.extend(u8::try_from(high * 16 + low));
                bytes.nth(1);
            }
            _ => result.push(byte),
        }
    }
    result
}

/// Decodes base64 as browsers do in `data:` URLs: white space and missing padding are fine.
fn base64_decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let padding = digits
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'=')
        .count();
    let digits = &digits[..digits.len() - padding];
    if padding > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut result = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits: u32 = 0;
        for place in 0..4 {
            let digit = match group.get(place) {
                Some(&byte) => base64_digit(byte)?,
                None => 0,
            };
            bits = bits << 6 | u32::from(digit);
        }
        let [_, decoded @ ..] = bits.to_be_bytes();
        result.extend_from_slice(&decoded[..group.len() - 1]);
    }
    Some(result)
}
