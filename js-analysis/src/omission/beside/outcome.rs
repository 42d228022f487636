//! What a function gives, as far as the text of its result says.

use swc_common::Spanned;
use swc_ecma_ast::{BinaryOp, CallExpr, Callee, Expr, Lit, MemberExpr, MemberProp, UnaryOp};

use super::Returned;
use crate::omission::jumps::bytes;
use crate::position::ByteOffset;
use crate::rewrite::condition_operands;
use crate::scopes::unparenthesized;

/// What a result comes out as where it is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::omission) enum TestOutcome {
    /// It may come out so or so.
    Test,
    /// `false`, `null`, `undefined`, nothing.
    No,
    /// `true`.
    Yes,
    /// A text or an object that is written there: where a function else gives nothing, it says what is wrong, or where
    /// to go instead.
    Instead,
    /// Anything else.
    Other,
}

/// What may be told of a value by its text.
pub(super) fn outcome_of(value: &Expr) -> TestOutcome {
    match unparenthesized(value) {
        Expr::Lit(Lit::Bool(value)) if !value.value => TestOutcome::No,
        Expr::Lit(Lit::Bool(_)) => TestOutcome::Yes,
        Expr::Lit(Lit::Str(_)) | Expr::Tpl(_) | Expr::Object(_) | Expr::New(_) => {
            TestOutcome::Instead
        }
        Expr::Lit(Lit::Null(_)) => TestOutcome::No,
        Expr::Lit(Lit::Num(number)) if number.value == 0.0 => TestOutcome::No,
        Expr::Ident(ident) if &*ident.sym == "undefined" => TestOutcome::No,
        Expr::Unary(unary) => match (unary.op, &*unary.arg) {
            // As minifiers write `false` and `undefined`.
            (UnaryOp::Bang, Expr::Lit(Lit::Num(number))) if number.value != 0.0 => TestOutcome::No,
            (UnaryOp::Bang, Expr::Lit(Lit::Num(_))) => TestOutcome::Yes,
            (UnaryOp::Bang, Expr::Lit(_)) => TestOutcome::Other,
            (UnaryOp::Void, _) => TestOutcome::No,
            (UnaryOp::Bang | UnaryOp::Delete, _) => TestOutcome::Test,
            _ => TestOutcome::Other,
        },
        Expr::Bin(binary) => match binary.op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Exp
            | BinaryOp::LShift
            | BinaryOp::RShift
            | BinaryOp::ZeroFillRShift
            | BinaryOp::BitOr
            | BinaryOp::BitXor => TestOutcome::Other,
            _ => TestOutcome::Test,
        },
        Expr::Call(call) if makes_no_test(call) => TestOutcome::Other,
        Expr::Ident(_)
        | Expr::Member(_)
        | Expr::Call(_)
        | Expr::OptChain(_)
        | Expr::Cond(_)
        | Expr::Await(_) => TestOutcome::Test,
        Expr::Seq(sequence) => sequence
            .exprs
            .last()
            .map_or(TestOutcome::Other, |last| outcome_of(last)),
        _ => TestOutcome::Other,
    }
}

/// A text that is written there, also as minifiers write it.
pub(super) fn text_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Lit(Lit::Str(text)) => text.value.as_str(),
        Expr::Tpl(template) if template.exprs.is_empty() => {
            template.quasis.first()?.cooked.as_ref()?.as_str()
        }
        _ => None,
    }
}

/// Whether a call gives a list or a text, or is made for what it does, as far as its name says.
fn makes_no_test(call: &CallExpr) -> bool {
    let Callee::Expr(callee) = &call.callee else {
        return true;
    };
    // As elements are made: `h("p", "none")`.
    let makes_element = ["h", "createElement", "createVNode", "jsx", "jsxs"];
    if let Expr::Ident(name) = unparenthesized(callee)
        && makes_element.contains(&&*name.sym)
    {
        return true;
    }
    // As elements are made: `jsx("li", { … })`.
    if let [tag, properties, ..] = call.args.as_slice()
        && matches!(
            unparenthesized(&tag.expr),
            Expr::Lit(Lit::Str(_)) | Expr::Tpl(_) | Expr::Ident(_)
        )
        && matches!(unparenthesized(&properties.expr), Expr::Object(_))
    {
        return true;
    }
    let name = match unparenthesized(callee) {
        Expr::Member(MemberExpr {
            prop: MemberProp::Ident(name),
            ..
        }) => &name.sym,
        // As state is set: `setText("")`.
        Expr::Ident(ident) => {
            let set = ident.sym.strip_prefix("set");
            let behind = set.and_then(|behind| behind.chars().next());
            return behind.is_some_and(char::is_uppercase);
        }
        _ => return false,
    };
    matches!(
        &**name,
        "push"
            | "unshift"
            | "append"
            | "appendChild"
            | "setAttribute"
            | "forEach"
            | "log"
            | "warn"
            | "error"
            | "map"
            | "filter"
            | "slice"
            | "concat"
            | "flat"
            | "flatMap"
            | "reduce"
            | "join"
            | "split"
            | "toString"
            | "toUpperCase"
            | "toLowerCase"
            | "trim"
            | "createElement"
            | "then"
            | "keys"
            | "values"
            | "entries"
    )
}

/// The last of expressions with commas between them, which gives their value.
pub(super) fn last_of(value: &Expr) -> &Expr {
    match unparenthesized(value) {
        Expr::Seq(sequence) => sequence.exprs.last().map_or(value, |last| last_of(last)),
        _ => value,
    }
}

/// What a call is given, if that is one value that can be tested.
pub(super) fn given(call: &CallExpr) -> Option<Returned> {
    let [only] = call.args.as_slice() else {
        return None;
    };
    let value = unparenthesized(&only.expr);
    let outcome = outcome_of(value);
    let is_test =
        outcome == TestOutcome::Test && only.spread.is_none() && !matches!(value, Expr::Ident(_));
    is_test.then(|| Returned {
        statement: bytes(value.span()),
        at: ByteOffset(value.span().lo.0),
        value: bytes(value.span()),
        has_value: true,
        outcome,
        operands: condition_operands(value),
        variable: None,
        fills: Vec::new(),
    })
}
