//! Keys by the names that recordings use, on a US keyboard: what the browser must be told so that a page sees the same
//! `key`, `code` and `keyCode` as from a real keyboard.

/// One key, as the protocol wants it described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) key: String,
    pub(crate) code: String,
    /// The Windows virtual key code, which is what `keyCode` shows.
    pub(crate) key_code: u32,
    /// What it types, if it types anything.
    pub(crate) text: Option<String>,
    /// 0, or 1 left, 2 right, 3 numeric pad.
    pub(crate) location: u32,
}

/// The protocol's bits for held modifiers.
pub(crate) fn modifier_bit(key: &str) -> u32 {
    match key {
        "Alt" | "AltGraph" => 1,
        "Control" => 2,
        "Meta" => 4,
        "Shift" => 8,
        _ => 0,
    }
}

/// Named keys: name, code, key code, location.
const NAMED: &[(&str, &str, u32, u32)] = &[
    ("Backspace", "Backspace", 8, 0),
    ("Tab", "Tab", 9, 0),
    ("Enter", "Enter", 13, 0),
    ("Shift", "ShiftLeft", 16, 1),
    ("Control", "ControlLeft", 17, 1),
    ("Alt", "AltLeft", 18, 1),
    ("AltGraph", "AltRight", 18, 2),
    ("Pause", "Pause", 19, 0),
    ("CapsLock", "CapsLock", 20, 0),
    ("Escape", "Escape", 27, 0),
    ("PageUp", "PageUp", 33, 0),
    ("PageDown", "PageDown", 34, 0),
    ("End", "End", 35, 0),
    ("Home", "Home", 36, 0),
    ("ArrowLeft", "ArrowLeft", 37, 0),
    ("ArrowUp", "ArrowUp", 38, 0),
    ("ArrowRight", "ArrowRight", 39, 0),
    ("ArrowDown", "ArrowDown", 40, 0),
    ("PrintScreen", "PrintScreen", 44, 0),
    ("Insert", "Insert", 45, 0),
    ("Delete", "Delete", 46, 0),
    ("Meta", "MetaLeft", 91, 1),
    ("ContextMenu", "ContextMenu", 93, 0),
    ("NumLock", "NumLock", 144, 0),
    ("ScrollLock", "ScrollLock", 145, 0),
];

/// Punctuation: without and with Shift, code, key code.
const PUNCTUATION: &[(char, char, &str, u32)] = &[
    (';', ':', "Semicolon", 186),
    ('=', '+', "Equal", 187),
    (',', '<', "Comma", 188),
    ('-', '_', "Minus", 189),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
    ('[', '{', "BracketLeft", 219),
    ('\\', '|', "Backslash", 220),
    (']', '}', "BracketRight", 221),
    ('\'', '"', "Quote", 222),
    (' ', ' ', "Space", 32),
];

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

/// The key of that name (`Enter`, `a`, `A`, `%`, `F5`, `ArrowUp`), or `None` if no such key is known.
pub(crate) fn key_named(name: &str) -> Option<Key> {
    let name = match name {
        "Space" | "Spacebar" => " ",
        "\n" | "\r" => "Enter",
        "\t" => "Tab",
        other => other,
    };
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return key_of(character);
    }
    if let Some((key, code, key_code, location)) = NAMED
        .iter()
        .find(|(key, code, ..)| *key == name || *code == name)
    {
        return Some(Key {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            key_code: *key_code,
            text: (*key == "Enter").then(|| "\r".to_owned()),
            location: *location,
        });
    }
    let number: u32 = name.strip_prefix('F')?.parse().ok()?;
    (1..=24).contains(&number).then(|| Key {
        key: name.to_owned(),
        code: name.to_owned(),
        key_code: 111 + number,
        text: None,
        location: 0,
    })
}

/// The key that types `character`, or `None` if a US keyboard has none (it is then inserted as text).
pub(crate) fn key_of(character: char) -> Option<Key> {
    let (code, key_code) = match character {
        'a'..='z' | 'A'..='Z' => {
            let upper = character.to_ascii_uppercase();
            (format!("Key{upper}"), u32::from(upper))
        }
        '0'..='9' => (format!("Digit{character}"), u32::from(character)),
        '\n' | '\r' => return key_named("Enter"),
        _ => {
            if let Some(digit) = SHIFTED_DIGITS.find(character) {
                (
                    format!("Digit{digit}"),
                    u32::from('0') + u32::try_from(digit).ok()?,
                )
            } else {
                let (.., code, key_code) = PUNCTUATION
                    .iter()
                    .find(|(plain, shifted, ..)| *plain == character || *shifted == character)?;
                ((*code).to_owned(), *key_code)
            }
        }
    };
    Some(Key {
        key: character.to_string(),
        code,
        key_code,
        text: Some(character.to_string()),
        location: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn keys_are_what_a_keyboard_sends() {
        for (name, key, code, key_code, text) in [
            ("Enter", "Enter", "Enter", 13, Some("\r")),
            ("a", "a", "KeyA", 65, Some("a")),
            ("A", "A", "KeyA", 65, Some("A")),
            ("%", "%", "Digit5", 53, Some("%")),
            ("?", "?", "Slash", 191, Some("?")),
            (" ", " ", "Space", 32, Some(" ")),
            ("F5", "F5", "F5", 116, None),
            ("ArrowDown", "ArrowDown", "ArrowDown", 40, None),
            ("ControlLeft", "Control", "ControlLeft", 17, None),
        ] {
            let found = key_named(name).unwrap();
            let seen = (
                found.key.as_str(),
                found.code.as_str(),
                found.key_code,
                found.text.as_deref(),
            );
            assert_eq!(seen, (key, code, key_code, text), "{name}");
        }
        for name in ["", "F99", "NoSuchKey", "é"] {
            assert_eq!(key_named(name), None, "{name}");
        }
    }
}
