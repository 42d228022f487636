//! The operand that alone decides what a computation gives, whatever the others are: what is no number makes the whole
//! result none (`subtotal - discount`), a factor of 0 the product, a divisor of 0 the quotient, and one text among
//! numbers turns a sum into a text (`200 + "0"`).

use event_log::model::plain_text;
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, Operator, Value};

use super::computed_keys::Computed;
use super::{InLog, Spot};

/// What an operand is to an operator.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// A number, or `undefined`, `null` and truth values as one.
    Number(f64),
    /// A text, and the number that it would be.
    Text(f64),
}

impl InLog<'_> {
    /// Which of these operands of a computation alone decides the result; `None`: several do, none does, or the log
    /// does not have all of them. `read` says when an operand was read.
    pub(super) fn deciding<'v>(
        &self,
        value: &Value,
        operands: &[&'v Value],
        read: impl Fn(&Value) -> Spot,
    ) -> Option<&'v Value> {
        let operator = match &value.form {
            Form::Operation { operator, .. } => operator,
            Form::Call(call) => match call.global.as_deref() {
                // No number stays one through them, as through a difference.
                Some("Math.max" | "Math.min") => {
                    let parts = self.parts(operands, read)?;
                    return operands.get(only(&parts, is_no_number)?).copied();
                }
                _ => return None,
            },
            _ => return None,
        };
        let parts = self.parts(operands, read)?;
        let deciding = operands.get(decides(operator, &parts)?)?;
        Some(*deciding).filter(|it| !it.is_constant())
    }

    fn parts(&self, operands: &[&Value], read: impl Fn(&Value) -> Spot) -> Option<Vec<Part>> {
        let parts = operands.iter().map(|it| self.part(read(it), it));
        parts.collect()
    }

    fn part(&self, spot: Spot, operand: &Value) -> Option<Part> {
        match self.evaluated(spot, operand, 0) {
            Some(Seen::Number(number)) => Some(Part::Number(number)),
            Some(Seen::Undefined) => Some(Part::Number(f64::NAN)),
            Some(Seen::Null) => Some(Part::Number(0.0)),
            Some(Seen::Boolean(is_true)) => Some(Part::Number(f64::from(u8::from(is_true)))),
            Some(text @ Seen::String(_)) => {
                let text = plain_text(self.model, spot.moment.stream, text);
                number_of(&text).map(Part::Text)
            }
            Some(_) => None,
            None => match self.operand_part(spot, operand, 0)? {
                Computed::Number(number) => Some(Part::Number(number)),
                Computed::Text(text) => number_of(&text).map(Part::Text),
            },
        }
    }
}

/// The only one of the parts of which something holds.
fn only(parts: &[Part], holds: impl Fn(&Part) -> bool) -> Option<usize> {
    let mut all = (0..parts.len()).filter(|&at| holds(&parts[at]));
    all.next().filter(|_| all.next().is_none())
}

impl Part {
    const fn number(self) -> f64 {
        match self {
            Self::Number(number) | Self::Text(number) => number,
        }
    }
}

fn is_no_number(part: &Part) -> bool {
    part.number().is_nan()
}

/// Which operand alone decides what comes out (ECMA-262, Number::add, Number::multiply and the others).
fn decides(operator: &Operator, parts: &[Part]) -> Option<usize> {
    let is_arithmetic = matches!(
        operator,
        Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Remainder
    );
    if !is_arithmetic || parts.len() < 2 {
        return None;
    }
    let is_text = |part: &Part| matches!(part, Part::Text(_));
    if *operator == Operator::Add && parts.iter().any(is_text) {
        // Behind a number, what reads as one was meant as one. A text that comes first may be meant: `zero + minutes`.
        return only(parts, is_text).filter(|&at| {
            let is_number = |part: &Part| matches!(part, Part::Number(number) if !number.is_nan());
            let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            at > 0
                && parts[at].number().is_finite()
                && others.into_iter().all(|(_, it)| is_number(it))
        });
    }
    if parts.iter().any(is_no_number) {
        return only(parts, is_no_number);
    }
    let is_zero = |part: &Part| part.number() == 0.0;
    let is_infinite = |part: &Part| part.number().is_infinite();
    match operator {
        Operator::Add | Operator::Subtract => only(parts, is_infinite),
        Operator::Multiply | Operator::Divide => only(parts, |it| is_zero(it) || is_infinite(it)),
        // A divisor of 0 gives no number, a dividend of 0 gives 0.
        _ if parts.iter().any(is_infinite) => None,
        _ => only(parts, is_zero),
    }
}

/// A text as a number (ECMA-262, StringToNumber); `None`: it is in another form than digits, which is not read here.
fn number_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let of_digits = |it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | '.' | 'e' | 'E');
    match text.trim_start_matches(['+', '-']) {
        "" if text.is_empty() => Some(0.0),
        "Infinity" => Some(f64::INFINITY),
        digits
            if digits.starts_with('0')
                && digits[1..].starts_with(|it: char| it.is_alphabetic()) =>
        {
            None
        }
        _ if text.chars().all(of_digits) => Some(text.parse().unwrap_or(f64::NAN)),
        _ => Some(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn one_operand_alone_decides_or_none() {
        let number = Part::Number;
        let text = |text: &str| Part::Text(number_of(text).unwrap());
        let (nan, infinite) = (f64::NAN, f64::INFINITY);
        for (operator, parts, deciding) in [
            (Operator::Subtract, vec![number(3.0), number(nan)], Some(1)),
            (Operator::Subtract, vec![number(nan), number(nan)], None),
            (Operator::Subtract, vec![number(3.0), number(2.0)], None),
            (Operator::Subtract, vec![text("S15"), number(0.0)], Some(0)),
            (
                Operator::Subtract,
                vec![number(infinite), number(1.0)],
                Some(0),
            ),
            (
                Operator::Subtract,
                vec![number(infinite), number(infinite)],
                None,
            ),
            (Operator::Multiply, vec![number(8.0), number(0.0)], Some(1)),
            (Operator::Multiply, vec![number(0.0), number(0.0)], None),
            (Operator::Multiply, vec![number(0.0), number(nan)], Some(1)),
            (
                Operator::Multiply,
                vec![number(0.0), number(infinite)],
                None,
            ),
            (
                Operator::Multiply,
                vec![number(2.0), number(0.0), number(3.0)],
                Some(1),
            ),
            (Operator::Divide, vec![number(800.0), number(0.0)], Some(1)),
            (Operator::Divide, vec![number(0.0), number(0.0)], None),
            (Operator::Divide, vec![number(0.0), number(5.0)], Some(0)),
            (Operator::Remainder, vec![number(5.0), number(0.0)], Some(1)),
            (
                Operator::Remainder,
                vec![number(5.0), number(infinite)],
                None,
            ),
            (Operator::Add, vec![number(200.0), text("0")], Some(1)),
            (Operator::Add, vec![number(1.0), number(nan)], Some(1)),
            // The text comes first; both are texts; one that is no number may be meant; `undefined` in a text may be
            // what is wrong.
            (Operator::Add, vec![text("0"), number(5.0)], None),
            (Operator::Add, vec![text("1"), text("2")], None),
            (Operator::Add, vec![number(1.0), text("px")], None),
            (Operator::Add, vec![number(nan), text("2")], None),
            (Operator::And, vec![number(1.0), number(0.0)], None),
            (Operator::Other, vec![number(1.0), number(nan)], None),
        ] {
            assert_eq!(
                decides(&operator, &parts),
                deciding,
                "{operator:?} {parts:?}"
            );
        }
    }

    #[test]
    fn texts_are_numbers_as_the_language_reads_them() {
        for (text, number) in [
            ("", 0.0),
            (" 7.5 ", 7.5),
            ("-3e2", -300.0),
            ("-Infinity", f64::INFINITY),
        ] {
            assert_eq!(number_of(text), Some(number), "{text}");
        }
        for text in ["nan", "inf", "1.2.3", "12px", "é"] {
            assert!(number_of(text).is_some_and(f64::is_nan), "{text}");
        }
        assert_eq!(number_of("0x1F"), None);
    }
}
