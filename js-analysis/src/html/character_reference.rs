//! Character references in attribute values (`&amp;`, `&#39;`): the HTML standard's "character reference
//! state", with the exception for references in attributes that lack their semicolon.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The named references: a name (with its semicolon, where it has one) and code points in hexadecimal on
/// each line; the standard's own list.
static NAMED_REFERENCES: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    include_str!("named_references.txt")
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let name = words.next()?;
            let text = words
                .filter_map(|word| u32::from_str_radix(word, 16).ok())
                .filter_map(char::from_u32)
                .collect();
            Some((name, text))
        })
        .collect()
});

/// No name in the list is longer, its semicolon included.
const LONGEST_NAME: usize = 32;

/// What the numeric references to C1 controls mean: the characters of windows-1252.
const C1_REPLACEMENTS: [u32; 32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
];

/// The character reference at the start of `text` (which begins with `&`): what it means and how many bytes
/// it is long; `None` if the ampersand is only an ampersand.
pub(super) fn character_reference(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix('&')?;
    match rest.strip_prefix('#') {
        Some(number) => numeric_reference(number).map(|(text, length)| (text, length + 2)),
        None => named_reference(rest).map(|(text, length)| (text.to_owned(), length + 1)),
    }
}

fn named_reference(text: &str) -> Option<(&'static str, usize)> {
    let letters = text
        .bytes()
        .take(LONGEST_NAME)
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    let with_semicolon = letters + usize::from(text.as_bytes().get(letters) == Some(&b';'));
    let length = (1..=with_semicolon)
        .rev()
        .find(|&length| NAMED_REFERENCES.contains_key(&text[..length]))?;
    let next = text.as_bytes().get(length).copied();
    let ends_itself = text.as_bytes()[length - 1] == b';';
    if !ends_itself && next.is_some_and(|byte| byte == b'=' || byte.is_ascii_alphanumeric()) {
        return None;
    }
    let meaning = NAMED_REFERENCES.get(&text[..length])?;
    Some((meaning, length))
}

/// The reference whose text after `&#` is `text`.
fn numeric_reference(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let (radix, prefix) = match bytes.first()? {
        b'x' | b'X' => (16, 1),
        _ => (10, 0),
    };
    let mut number: u32 = 0;
    let mut at = prefix;
    while let Some(digit) = bytes
        .get(at)
        .and_then(|&byte| char::from(byte).to_digit(radix))
    {
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == prefix {
        return None;
    }
    at += usize::from(bytes.get(at) == Some(&b';'));
    let code = match number {
        0 => 0xFFFD,
        0x80..=0x9F => C1_REPLACEMENTS[(number - 0x80) as usize],
        other => other,
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((character.to_string(), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_as_the_standard_reads_them_in_attributes() {
        let cases = [
            ("&amp;x", Some(("&", 5))),
            ("&amp", Some(("&", 4))),
            ("&lt(", Some(("<", 3))),
            ("&lt=1", None),
            ("&ltx", None),
            ("&lt;=1", Some(("<", 4))),
            ("&notit;", None),
            ("&notin;", Some(("∉", 7))),
            ("&apos;", Some(("'", 6))),
            ("&apos", None),
            ("&NotEqualTilde;", Some(("≂\u{338}", 15))),
            ("&CounterClockwiseContourIntegral;", Some(("∳", 33))),
            ("&& x", None),
            ("&unknown;", None),
            ("&#39;", Some(("'", 5))),
            ("&#39x", Some(("'", 4))),
            ("&#x27;", Some(("'", 6))),
            ("&#X27g", Some(("'", 5))),
            ("&#x80;", Some(("€", 6))),
            ("&#0;", Some(("\u{FFFD}", 4))),
            ("&#xD800;", Some(("\u{FFFD}", 8))),
            ("&#99999999999;", Some(("\u{FFFD}", 14))),
            ("&#;", None),
            ("&#x;", None),
            ("&", None),
        ];
        for (text, expected) in cases {
            let found = character_reference(text);
            let found = found
                .as_ref()
                .map(|(text, length)| (text.as_str(), *length));
            assert_eq!(found, expected, "{text}");
        }
    }
}
