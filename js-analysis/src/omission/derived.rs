//! Lists that were made of others: a decision about one is about the functions that made it.
//!
//! ```js
//! const open = items.filter((item) => item.open);
//! if (open.length > 0) { … }
//! ```

use swc_ecma_ast::{ArrowExpr, Function, Ident};
use swc_ecma_visit::{Visit, VisitWith};

use super::beside::{Beside, Variable};
use crate::call_graph::InnermostScopes;
use crate::position::ByteSpan;
use crate::rewrite::Script;

/// Through more variables nothing is followed.
const MOST: usize = 3;

/// A span, and what the variables in it are made of.
pub(super) fn made_of(script: &Script<'_>, beside: &Beside, span: ByteSpan) -> Vec<ByteSpan> {
    let mut spans = vec![span];
    let scopes = InnermostScopes::new(script.scopes());
    let mut first = 0;
    for _ in 0..MOST {
        let mut names = Names {
            scopes: &scopes,
            spans: spans.get(first..).unwrap_or_default().to_vec(),
            found: Vec::new(),
        };
        script.program().visit_with(&mut names);
        first = spans.len();
        let made = beside.made.iter();
        let made = made.filter(|(variable, _)| names.found.contains(variable));
        let new: Vec<ByteSpan> = made
            .map(|(_, span)| *span)
            .filter(|span| !spans.contains(span))
            .collect();
        if new.is_empty() {
            break;
        }
        spans.extend(new);
    }
    spans
}

struct Names<'s> {
    scopes: &'s InnermostScopes<'s>,
    spans: Vec<ByteSpan>,
    found: Vec<Variable>,
}

impl Names<'_> {
    fn is_in(&self, start: u32, end: u32) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|span| span.start.0 <= start && end <= span.end.0)
    }
}

impl Visit for Names<'_> {
    fn visit_ident(&mut self, ident: &Ident) {
        let at = ident.span.lo.0;
        if self.is_in(at, ident.span.hi.0) {
            let variable = match self.scopes.resolve(&ident.sym, at).binding() {
                Some(binding) => Variable::Own(binding.0),
                None => Variable::Global(ident.sym.clone()),
            };
            self.found.push(variable);
        }
    }

    // What functions in a decision use is their own.
    fn visit_function(&mut self, function: &Function) {
        if !self.is_in(function.span.lo.0, function.span.hi.0) {
            function.visit_children_with(self);
        }
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        if !self.is_in(arrow.span.lo.0, arrow.span.hi.0) {
            arrow.visit_children_with(self);
        }
    }
}
