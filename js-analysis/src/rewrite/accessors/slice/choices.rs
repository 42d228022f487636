//! Expressions that give one of two values as it is: `a ? b : c`, `a ?? b`, and what compilers make of that.

use swc_ecma_ast::{AssignOp, AssignTarget, BinaryOp, Expr, Lit, SimpleAssignTarget, UnaryOp};

use super::Slice;
use crate::scopes::unparenthesized;

/// One of two values.
pub(in crate::rewrite::accessors) enum Choice<'e> {
    /// `test ? then : otherwise`.
    Test {
        test: &'e Expr,
        then: &'e Expr,
        otherwise: &'e Expr,
    },
    /// The first if it is as the function says, else the second: `a ?? b`, `a || b`, `a && b`.
    First {
        first: &'e Expr,
        holds: &'static str,
        second: &'e Expr,
    },
}

impl<'e> Choice<'e> {
    pub(in crate::rewrite::accessors) fn of(value: &'e Expr) -> Option<Self> {
        match unparenthesized(value) {
            Expr::Bin(binary) => {
                let holds = match binary.op {
                    BinaryOp::NullishCoalescing => "v=>v!=null",
                    BinaryOp::LogicalOr => "v=>v",
                    BinaryOp::LogicalAnd => "v=>!v",
                    _ => return None,
                };
                Some(Self::First {
                    first: &binary.left,
                    holds,
                    second: &binary.right,
                })
            }
            Expr::Cond(choice) => Some(match lowered(&choice.test, &choice.cons) {
                Some(first) => Self::First {
                    first,
                    holds: "v=>v!=null",
                    second: &choice.alt,
                },
                None => Self::Test {
                    test: &choice.test,
                    then: &choice.cons,
                    otherwise: &choice.alt,
                },
            }),
            _ => None,
        }
    }

    /// The two values.
    pub(in crate::rewrite::accessors) fn sides(&self) -> [&'e Expr; 2] {
        match self {
            Self::Test {
                then, otherwise, ..
            } => [then, otherwise],
            Self::First { first, second, .. } => [first, second],
        }
    }
}

/// `e` of `(t = e) != null ? t : …` and `(t = e) !== null && t !== void 0 ? t : …`, which compilers make of `e ?? …`.
fn lowered<'e>(test: &'e Expr, then: &Expr) -> Option<&'e Expr> {
    let Expr::Ident(then) = unparenthesized(then) else {
        return None;
    };
    let Expr::Bin(test) = unparenthesized(test) else {
        return None;
    };
    let first = match test.op {
        BinaryOp::NotEq => test,
        BinaryOp::LogicalAnd => match (unparenthesized(&test.left), unparenthesized(&test.right)) {
            (Expr::Bin(left), Expr::Bin(right))
                if left.op == BinaryOp::NotEqEq
                    && right.op == BinaryOp::NotEqEq
                    && is_void(&right.right)
                    && matches!(unparenthesized(&right.left), Expr::Ident(name) if name.sym == then.sym) =>
            {
                left
            }
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Lit(Lit::Null(_)) = unparenthesized(&first.right) else {
        return None;
    };
    match unparenthesized(&first.left) {
        Expr::Assign(assign) if assign.op == AssignOp::Assign => match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(name)) if name.sym == then.sym => {
                Some(&assign.right)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_void(value: &Expr) -> bool {
    matches!(unparenthesized(value), Expr::Unary(unary) if unary.op == UnaryOp::Void)
}

impl<'e> Slice<'_, '_, '_, 'e> {
    /// Whether an expression gives one of two values as it is.
    pub(in crate::rewrite::accessors) fn is_choice(&self, value: &'e Expr) -> bool {
        Choice::of(value).is_some() && self.is_copy(value)
    }

    /// The entry of an expression that gives one of two values as it is; `None`: it is none.
    pub(in crate::rewrite::accessors) fn chosen(&mut self, value: &'e Expr) -> Option<String> {
        let choice = Choice::of(value)?;
        if !self.is_copy(value) {
            return None;
        }
        let (test, then, otherwise) = match choice {
            Choice::Test {
                test,
                then,
                otherwise,
            } => {
                let test = self.test(test)?;
                (test, self.side(then), self.side(otherwise))
            }
            Choice::First {
                first,
                holds,
                second,
            } => {
                let test = self.test_of(first, holds)?;
                (test, self.side(first), self.side(second))
            }
        };
        Some(format!("[\"?\",{test},{then},{otherwise}]"))
    }

    /// One of the two values, as a list; `0` if it cannot be followed.
    fn side(&mut self, value: &'e Expr) -> String {
        if let Some(constant) = self.constant(value) {
            return format!("[{constant}]");
        }
        self.apart(|this, inner| this.value(value, inner))
            .map_or_else(|| "0".to_owned(), |inner| format!("[{inner}]"))
    }

    /// The entry of a value that is written there.
    pub(in crate::rewrite::accessors) fn constant(&self, value: &Expr) -> Option<String> {
        let text = match unparenthesized(value) {
            Expr::Ident(name) if self.is_undefined(name) => "void 0",
            Expr::Unary(_) if is_void(value) => "void 0",
            Expr::Lit(Lit::Str(_) | Lit::Num(_) | Lit::Bool(_) | Lit::Null(_)) => {
                self.rewriter.text(value)
            }
            _ => return None,
        };
        Some(format!(
            "[\"\",()=>{}P(void 0,()=>{text})]",
            self.rewriter.prefix
        ))
    }
}
