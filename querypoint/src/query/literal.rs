//! Identifiers and numbers as JavaScript has them.

/// Whether `text` is one JavaScript identifier name (reserved words included, escapes not).
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(starts_identifier) && characters.all(continues_identifier)
}

/// Whether an identifier can begin with this character.
pub(super) fn starts_identifier(character: char) -> bool {
    matches!(character, '$' | '_') || unicode_id_start::is_id_start(character)
}

/// Whether an identifier can go on with this character.
pub(super) fn continues_identifier(character: char) -> bool {
    matches!(character, '$' | '\u{200C}' | '\u{200D}')
        || unicode_id_start::is_id_continue(character)
}

/// Words that no variable can be called, in any mode.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    const RESERVED: &[&str] = &[
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "new",
        "null",
        "return",
        "super",
        "switch",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
    ];
    RESERVED.contains(&word)
}

/// The string that JavaScript makes of a number (`Number::toString`, base 10), so that `a[3]` and
/// `a["3"]` name one property.
#[must_use]
pub fn number_to_string(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    // Rust's `{:e}` gives the shortest digits that read back, as JavaScript asks for; only the layout differs.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i64>().unwrap_or(0) + 1;
    let sign = if number < 0.0 { "-" } else { "" };
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let zeros = |many: i64| "0".repeat(usize::try_from(many).unwrap_or(0));
    let body = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
        format!("{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if point > 0 { '+' } else { '-' };
        format!("{first}{dot}{rest}e{exponent_sign}{}", (point - 1).abs())
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use super::{is_identifier, number_to_string};

    #[test]
    fn numbers_are_printed_as_javascript_prints_them() {
        let cases: &[(f64, &str)] = &[
            (3.0, "3"),
            (-1.0, "-1"),
            (-0.0, "0"),
            (1.5, "1.5"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1e21, "1e+21"),
            (1.25e22, "1.25e+22"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ];
        for (number, text) in cases {
            assert_eq!(number_to_string(*number), *text);
        }
    }

    #[test]
    fn identifiers_are_those_of_javascript() {
        for name in ["a", "$", "_x1", "价格", "été", "ℓ", "class", "a\u{200D}b"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "1a", "a-b", "a b", "#a", "a\u{2028}", "🙂"] {
            assert!(!is_identifier(name), "{name:?}");
        }
    }
}
