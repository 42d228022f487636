//! The text of an expression with its author's names, where a source map has them.

use swc_ecma_ast::{Ident, Program};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::OriginalNames;

/// See [`crate::rewrite::Script::authored_text`].
pub(super) fn authored_text(
    source: &str,
    program: &Program,
    span: ByteSpan,
    names: &dyn OriginalNames,
) -> String {
    let mut found = Names {
        span,
        names,
        found: Vec::new(),
    };
    program.visit_with(&mut found);
    found.found.sort_unstable();
    let mut text = String::new();
    let mut at = span.start.index();
    let end = span.end.index();
    for (start, stop, name) in found.found {
        text.push_str(source.get(at..start).unwrap_or_default());
        text.push_str(&name);
        at = stop;
    }
    text.push_str(source.get(at..end).unwrap_or_default());
    text
}

struct Names<'n> {
    span: ByteSpan,
    names: &'n dyn OriginalNames,
    found: Vec<(usize, usize, String)>,
}

impl Visit for Names<'_> {
    fn visit_stmt(&mut self, statement: &swc_ecma_ast::Stmt) {
        use swc_common::Spanned;
        let span = statement.span();
        if span.lo.0 < self.span.end.0 && self.span.start.0 < span.hi.0 {
            statement.visit_children_with(self);
        }
    }

    fn visit_ident(&mut self, ident: &Ident) {
        let (start, end) = (ident.span.lo.0, ident.span.hi.0);
        if self.span.start.0 <= start
            && end <= self.span.end.0
            && let Some(name) = self.names.original_name(ByteOffset(start))
        {
            self.found.push((start as usize, end as usize, name));
        }
    }
}
