//! What decides beside a function that is handed over, by a value: an option that says whether at all, or something
//! that is handed over or not.
//!
//! ```js
//! useInView({ skip: !lazy, onChange: load });
//! useData(team ? "people.json" : null, fetchPeople);
//! ```

use swc_common::Spanned;
use swc_ecma_ast::{BinaryOp, Expr, Lit, UnaryOp};

use super::outcome::{TestOutcome, outcome_of};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::condition_operands;
use crate::scopes::unparenthesized;

/// What a value decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::omission) enum Choice {
    /// An option that says by `true` that something is done, or by `stops` that it is not; its parts.
    Switch {
        stops: bool,
        operands: Vec<ByteSpan>,
    },
    /// The same, of which the text has the value.
    Fixed { value: bool },
    /// What is handed over only where a test in it comes out so.
    Given(ByteOffset),
}

/// A value, where it is, and what it decides.
#[derive(Clone, Debug)]
pub(in crate::omission) struct ChoiceSite {
    pub(in crate::omission) choice: Choice,
    pub(in crate::omission) at: ByteSpan,
    pub(in crate::omission) tree: u32,
    /// The literals and calls around it, from the outside in.
    pub(in crate::omission) path: Vec<u32>,
}

/// What the option of a name decides.
pub(super) fn of_option(name: &str, value: &Expr) -> Option<Choice> {
    let value = unparenthesized(value);
    if let Some(given) = given_or_not(value) {
        return Some(Choice::Given(given));
    }
    let stops = match name {
        "skip" | "disabled" | "disable" | "paused" | "pause" | "manual" | "readOnly"
        | "suspended" | "ignore" | "off" | "closed" | "locked" | "inactive" => true,
        "enabled" | "enable" | "active" | "autoRun" | "autorun" | "autoStart" | "autostart"
        | "immediate" | "ready" => false,
        _ => return None,
    };
    if let Some(value) = fixed(value) {
        return (value == stops).then_some(Choice::Fixed { value });
    }
    let is_value = !matches!(value, Expr::Fn(_) | Expr::Arrow(_) | Expr::Lit(_));
    let may_decide = is_value && outcome_of(value) == TestOutcome::Test;
    may_decide.then(|| Choice::Switch {
        stops,
        operands: condition_operands(value),
    })
}

/// Of a value that is something or nothing, as a test decides: where the something is.
pub(super) fn given_or_not(value: &Expr) -> Option<ByteOffset> {
    match unparenthesized(value) {
        Expr::Cond(two) => {
            let (cons, alt) = (unparenthesized(&two.cons), unparenthesized(&two.alt));
            match (is_nothing(cons), is_nothing(alt)) {
                (false, true) => Some(ByteOffset(cons.span().lo.0)),
                (true, false) => Some(ByteOffset(alt.span().lo.0)),
                _ => None,
            }
        }
        Expr::Bin(binary) if binary.op == BinaryOp::LogicalAnd => {
            let right = unparenthesized(&binary.right);
            // `a && b` that is but a longer test.
            let is_something = matches!(
                right,
                Expr::Lit(Lit::Str(_)) | Expr::Tpl(_) | Expr::Object(_) | Expr::Array(_)
            );
            is_something.then(|| ByteOffset(right.span().lo.0))
        }
        _ => None,
    }
}

fn is_nothing(value: &Expr) -> bool {
    match value {
        Expr::Array(list) => list.elems.is_empty(),
        Expr::Object(object) => object.props.is_empty(),
        Expr::Lit(Lit::Str(text)) => text.value.as_str() == Some(""),
        _ => outcome_of(value) == TestOutcome::No,
    }
}

/// `true`, `false`, and what minifiers make of them.
fn fixed(value: &Expr) -> Option<bool> {
    match value {
        Expr::Lit(Lit::Bool(value)) => Some(value.value),
        Expr::Unary(unary) if unary.op == UnaryOp::Bang => match &*unary.arg {
            Expr::Lit(Lit::Num(number)) => Some(number.value == 0.0),
            _ => None,
        },
        _ => None,
    }
}
