//! What a `return`, or the body of an arrow function, gives.

use swc_common::Spanned;
use swc_ecma_ast::{ArrowExpr, ArrowFunctionBody, Expr, Function, ReturnStmt};
use swc_ecma_visit::{Visit, VisitWith};

use super::Written;
use super::reading::Reading;
use crate::position::ByteOffset;
use crate::rewrite::Script;

/// See [`Script::returned_at`].
pub(super) fn returned_at(script: &Script<'_>, at: ByteOffset) -> Option<Written> {
    let mut search = Returned {
        reading: Reading {
            scopes: script.scopes(),
        },
        at,
        found: None,
    };
    script.program().visit_with(&mut search);
    search.found
}

struct Returned<'s> {
    reading: Reading<'s>,
    at: ByteOffset,
    found: Option<Written>,
}

impl Returned<'_> {
    pub(super) fn value_of(&self, expression: &Expr) -> Written {
        Written::whole(self.reading.value(expression))
    }

    /// A function that ends without a `return` gives nothing.
    fn end(&mut self, end: u32) {
        if end == self.at.0 + 1 {
            self.found.get_or_insert(Written::Nothing);
        }
    }
}

impl Visit for Returned<'_> {
    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        if statement.span.lo.0 == self.at.0 {
            let value = statement.arg.as_deref();
            self.found = Some(value.map_or(Written::Nothing, |value| self.value_of(value)));
        }
        statement.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        if let ArrowFunctionBody::Expr(value) = &*arrow.body
            && value.span().lo.0 == self.at.0
        {
            self.found = Some(self.value_of(value));
        }
        arrow.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.end(function.span.hi.0);
        function.visit_children_with(self);
    }
}
