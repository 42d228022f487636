//! The call at which a frame of a stack is.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{AssignExpr, Expr};
use swc_ecma_visit::{Visit, VisitWith};

use super::reading::Reading;
use super::value::{Call, Form, Value};
use crate::position::ByteOffset;
use crate::rewrite::Script;

/// What is called there.
#[derive(Clone, Debug, PartialEq)]
pub enum CallAt {
    /// A function.
    Call(Box<Call>),
    /// A setter, with this value; that of a compound assignment is computed.
    Setter(Value),
}

/// See [`Script::called_at`].
pub(super) fn called_at(script: &Script<'_>, at: ByteOffset) -> Option<CallAt> {
    let span = script.exact_call_span(at)?;
    let mut search = Search {
        reading: Reading {
            scopes: script.scopes(),
        },
        span,
        found: None,
    };
    script.program().visit_with(&mut search);
    search.found
}

struct Search<'s> {
    reading: Reading<'s>,
    span: Span,
    found: Option<CallAt>,
}

impl Visit for Search<'_> {
    fn visit_expr(&mut self, expression: &Expr) {
        if expression.span() == self.span {
            let value = self.reading.value(expression);
            if let Form::Call(call) = value.form {
                self.found.get_or_insert(CallAt::Call(call));
            }
        }
        expression.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        if assign.span == self.span && assign.op == swc_ecma_ast::AssignOp::Assign {
            let value = self.reading.value(&assign.right);
            self.found.get_or_insert(CallAt::Setter(value));
        }
        assign.visit_children_with(self);
    }
}
