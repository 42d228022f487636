//! Keys that a script computes: `queue[i + 1]`, `` row[`cell${n}`] ``. The log has the operands, and the text says how
//! they make the key.

use event_log::model::plain_text;
use event_log::value::Value as Seen;
use js_analysis::origin::{Form, Operator, Value};
use querypoint::query::number_to_string;

use super::reading::literal_key;
use super::{DEEPEST, InLog, Spot};

/// What part of a key is: how numbers and texts are added depends on which they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Computed {
    Number(f64),
    Text(String),
}

impl Computed {
    pub(super) fn text(self) -> String {
        match self {
            Self::Number(number) => number_to_string(number),
            Self::Text(text) => text,
        }
    }

    /// What `operator` makes of both; `None`: what is not worked out here.
    fn with(self, operator: &Operator, right: Self) -> Option<Self> {
        let numbers = match (&self, &right) {
            (Self::Number(left), Self::Number(right)) => Some((*left, *right)),
            _ => None,
        };
        Some(match (operator, numbers) {
            (Operator::Add, Some((left, right))) => Self::Number(left + right),
            (Operator::Add, None) => Self::Text(self.text() + &right.text()),
            (Operator::Subtract, Some((left, right))) => Self::Number(left - right),
            (Operator::Multiply, Some((left, right))) => Self::Number(left * right),
            (Operator::Divide, Some((left, right))) => Self::Number(left / right),
            (Operator::Remainder, Some((left, right))) => Self::Number(left % right),
            (operator, Some((left, right))) => {
                Self::Number(of_bits(operator, whole_bits(left)?, whole_bits(right)?)?)
            }
            _ => return None,
        })
    }
}

/// A number as the operators on bits take it (ECMA-262, ToInt32). Those that none needs as a key are left out.
fn whole_bits(number: f64) -> Option<i32> {
    /// 2⁵³: each whole number below is exact.
    const MOST: f64 = 9_007_199_254_740_992.0;
    if number.is_nan() {
        return Some(0);
    }
    if number.abs() > MOST {
        return None;
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "it is below 2⁵³, and of it the lower 32 bits count"
    )]
    let whole = number.trunc() as i64;
    #[allow(clippy::cast_possible_truncation, reason = "the lower 32 bits count")]
    let bits = whole as i32;
    Some(bits)
}

/// What an operator on bits makes; `None`: it is another one.
fn of_bits(operator: &Operator, left: i32, right: i32) -> Option<f64> {
    let by = right.cast_unsigned() & 31;
    Some(match operator {
        Operator::And => f64::from(left & right),
        Operator::Or => f64::from(left | right),
        Operator::ExclusiveOr => f64::from(left ^ right),
        Operator::ShiftLeft => f64::from(left << by),
        Operator::ShiftRight => f64::from(left >> by),
        Operator::ShiftRightUnsigned => f64::from(left.cast_unsigned() >> by),
        _ => return None,
    })
}

impl InLog<'_> {
    /// What an operation on numbers and texts makes, as far as the log says its operands.
    pub(super) fn computed_part(
        &self,
        spot: Spot,
        operator: &Operator,
        operands: &[Value],
        depth: u32,
    ) -> Option<Computed> {
        if depth > DEEPEST {
            return None;
        }
        let mut operands = operands
            .iter()
            .map(|operand| self.operand_part(spot, operand, depth + 1));
        match operator {
            Operator::Template(texts) => {
                let mut texts = texts.iter();
                let mut whole = texts.next()?.clone();
                for (operand, text) in operands.zip(texts) {
                    whole += &operand?.text();
                    whole += text;
                }
                Some(Computed::Text(whole))
            }
            Operator::Other => None,
            Operator::Update { is_prefix, adds } => match (operands.next()??, is_prefix) {
                // The log has what the operand was written then.
                (Computed::Number(number), true) => Some(Computed::Number(number)),
                (Computed::Number(number), false) if *adds => Some(Computed::Number(number - 1.0)),
                (Computed::Number(number), false) => Some(Computed::Number(number + 1.0)),
                (Computed::Text(_), _) => None,
            },
            operator => {
                let first = operands.next()??;
                operands.try_fold(first, |left, right| left.with(operator, right?))
            }
        }
    }

    pub(super) fn operand_part(&self, spot: Spot, operand: &Value, depth: u32) -> Option<Computed> {
        match &operand.form {
            Form::Literal => {
                let text = self
                    .sources
                    .text_at(self.home(spot.script)?, operand.span)?;
                match text.parse() {
                    Ok(number) => Some(Computed::Number(number)),
                    Err(_) => literal_key(text).map(Computed::Text),
                }
            }
            Form::Operation {
                operands, operator, ..
            } => self.computed_part(spot, operator, operands, depth),
            _ => match self.evaluated(spot, operand, depth)? {
                Seen::Number(number) => Some(Computed::Number(number)),
                text @ Seen::String(_) => {
                    let stream = spot.moment.stream;
                    Some(Computed::Text(plain_text(self.model, stream, text)))
                }
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn numbers_are_added_and_texts_are_joined() {
        let number = Computed::Number;
        let text = |text: &str| Computed::Text(text.to_owned());
        for (left, operator, right, made) in [
            (number(1.0), Operator::Add, number(2.0), Some("3")),
            (text("1"), Operator::Add, number(2.0), Some("12")),
            (number(0.5), Operator::Add, text("px"), Some("0.5px")),
            (number(7.0), Operator::Subtract, number(2.0), Some("5")),
            (number(7.0), Operator::Multiply, number(2.0), Some("14")),
            (number(7.0), Operator::Divide, number(2.0), Some("3.5")),
            (number(-7.0), Operator::Remainder, number(4.0), Some("-3")),
            (number(37.0), Operator::And, number(31.0), Some("5")),
            (
                number(-1.0),
                Operator::ShiftRightUnsigned,
                number(0.0),
                Some("4294967295"),
            ),
            (number(4294967301.0), Operator::Or, number(0.0), Some("5")),
            (number(3.7), Operator::ShiftLeft, number(33.0), Some("6")),
            (number(-8.0), Operator::ShiftRight, number(1.0), Some("-4")),
            (
                number(6.0),
                Operator::ExclusiveOr,
                number(f64::NAN),
                Some("6"),
            ),
            (number(f64::INFINITY), Operator::And, number(1.0), None),
            // What a text is as a number is not worked out.
            (text("7"), Operator::Subtract, number(2.0), None),
            (number(7.0), Operator::Other, number(2.0), None),
        ] {
            let computed = left.with(&operator, right).map(Computed::text);
            assert_eq!(computed.as_deref(), made, "{operator:?}");
        }
    }
}
