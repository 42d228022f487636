//! The functions of a script, by their kinds.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{ArrowExpr, ArrowFunctionBody, Constructor, Function, Pat};
use swc_ecma_visit::VisitWith;

use super::super::Variable;
use super::Walk;
use crate::position::ByteOffset;

impl Walk<'_> {
    pub(super) fn plain(&mut self, function: &Function, variable: Option<Variable>) {
        let Some(body) = &function.body else { return };
        let at = ByteOffset(body.span.lo.0);
        let parameters = names(function.params.iter().map(|it| &it.pat));
        let entered = self.coverage.inside(at);
        self.function(function.span, (at, entered), parameters, variable, |walk| {
            walk.may_end(&body.stmts);
            function.visit_children_with(walk);
        });
    }

    /// A function that nobody is handed.
    pub(super) fn uncounted(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        let at = ByteOffset(span.lo.0);
        self.function(span, (at, 0), Vec::new(), None, visit);
    }

    pub(super) fn arrow(&mut self, arrow: &ArrowExpr, variable: Option<Variable>) {
        let (at, entered) = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => {
                let at = ByteOffset(body.span.lo.0);
                (at, self.coverage.inside(at))
            }
            ArrowFunctionBody::Expr(value) => {
                let at = ByteOffset(value.span().lo.0);
                (at, self.coverage.evaluated(at))
            }
        };
        let parameters = names(arrow.params.iter());
        self.function(arrow.span, (at, entered), parameters, variable, |walk| {
            match &*arrow.body {
                ArrowFunctionBody::Expr(value) => {
                    walk.returned(value.span(), value.span().lo.0, value);
                }
                ArrowFunctionBody::FunctionBody(body) => walk.may_end(&body.stmts),
            }
            arrow.visit_children_with(walk);
        });
    }

    /// A constructor: a library that is handed its class may call it.
    pub(super) fn constructor(&mut self, constructor: &Constructor) {
        let body = constructor.body.as_ref().map(|body| body.span.lo.0);
        let at = ByteOffset(body.unwrap_or(constructor.span.lo.0));
        self.function(constructor.span, (at, 0), Vec::new(), None, |walk| {
            constructor.visit_children_with(walk);
        });
    }
}

fn names<'p>(parameters: impl Iterator<Item = &'p Pat>) -> Vec<Atom> {
    let mut found = Vec::new();
    for pattern in parameters {
        crate::scopes::for_each_binding(pattern, &mut |name, _| found.push(name.clone()));
    }
    found
}
