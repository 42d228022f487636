//! `with`: its object has none of our names, and what is written in its body is a property of it, or a variable.
//!
//! ```text
//! with (o) x = v;                   {let $QpO1;with ($QpCw($QpO1=(o))) x = ($QpA&&($QpH($QpO1,"x")?…:…),v);}
//! ```

use swc_common::Spanned;
use swc_ecma_ast::WithStmt;
use swc_ecma_visit::VisitWith;

use super::hooks::unnamed;
use super::observable::writes;
use super::rewriter::Rewriter;
use crate::position::ByteOffset;

impl Rewriter<'_> {
    pub(super) fn with_statement(&mut self, statement: &WithStmt) {
        let needed = self.any_variable && self.keeps_in_context();
        let name = format!("{}O{}", self.prefix, self.with_objects.len() + 1);
        let object = statement.obj.span();
        let (lo, hi) = (ByteOffset(object.lo.0), ByteOffset(object.hi.0));
        let block = self.edits.reserve(ByteOffset(statement.span.lo.0));
        let opening = self.edits.reserve(lo);
        statement.obj.visit_with(self);
        let closing = self.edits.reserve(hi);
        let sites = self.sites.len();
        self.with_objects.push(name.clone());
        self.with_depth += 1;
        self.in_scope(|this| this.body_statement(&statement.body));
        self.with_depth -= 1;
        self.with_objects.pop();
        if self.is_live() && writes(&statement.body) {
            // No hook goes inside, where the object would see it.
            self.edits.fill(opening, &format!("{}Un(", self.prefix));
            self.edits.fill(closing, ")");
        }
        let is_hooked = self.sites.len() > sites || !self.instrumentation.points.is_empty();
        if needed && is_hooked {
            self.edits.fill(block, &format!("{{let {name};"));
            let zero = unnamed(&statement.obj);
            let text = format!("{}Cw({name}=({zero}", self.prefix);
            self.edits.fill(opening, &text);
            self.edits.fill(closing, "))");
            self.edits.insert(ByteOffset(statement.span.hi.0), "}");
        } else if is_hooked && !self.is_live() {
            self.edits.fill(opening, &format!("{}Cw(", self.prefix));
            self.edits.fill(closing, ")");
        }
    }
}
