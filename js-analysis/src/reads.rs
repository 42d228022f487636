//! What the parts of a script read: variables and properties, by statement.
//!
//! A part is a statement without the statements inside it (of a loop or an `if` its condition), or the expression that
//! an arrow function returns. Functions inside have parts of their own.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignTarget, Expr, Ident, MemberExpr,
    MemberProp, Pat, SimpleAssignTarget, Stmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::Goal;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{RewriteError, with_script};

/// What a part of a script reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// The part, with what is inside it.
    pub span: ByteSpan,
    /// Names of variables, and of properties with a dot before them; each once.
    pub names: Vec<String>,
}

/// The parts of a script with what they read, each behind those around it.
///
/// # Errors
/// [`RewriteError`] if it does not parse.
pub fn reads(source: &str, goal: Goal) -> Result<Vec<Reads>, RewriteError> {
    with_script(source, goal, |script| {
        let mut finder = Finder {
            parts: Vec::new(),
            around: Vec::new(),
        };
        script.program().visit_with(&mut finder);
        finder.parts
    })
}

/// The innermost part that holds a place, by index.
#[must_use]
pub fn part_at(parts: &[Reads], at: ByteOffset) -> Option<usize> {
    parts
        .iter()
        .rposition(|it| it.span.start <= at && at < it.span.end)
}

struct Finder {
    parts: Vec<Reads>,
    around: Vec<usize>,
}

impl Finder {
    fn part(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        self.around.push(self.parts.len());
        self.parts.push(Reads {
            span: ByteSpan {
                start: ByteOffset(span.lo.0),
                end: ByteOffset(span.hi.0),
            },
            names: Vec::new(),
        });
        visit(self);
        self.around.pop();
    }

    fn read(&mut self, name: String) {
        if let Some(part) = self.around.last().and_then(|&it| self.parts.get_mut(it))
            && !part.names.contains(&name)
        {
            part.names.push(name);
        }
    }
}

impl Visit for Finder {
    fn visit_stmt(&mut self, it: &Stmt) {
        match it {
            Stmt::Block(_) => it.visit_children_with(self),
            _ => self.part(it.span(), |finder| it.visit_children_with(finder)),
        }
    }

    fn visit_arrow_expr(&mut self, it: &ArrowExpr) {
        match &*it.body {
            ArrowFunctionBody::Expr(body) => self.part(body.span(), |finder| {
                body.visit_with(finder);
            }),
            ArrowFunctionBody::FunctionBody(_) => it.body.visit_with(self),
        }
    }

    fn visit_ident(&mut self, it: &Ident) {
        self.read(it.sym.to_string());
    }

    // What a pattern declares is not read.
    fn visit_pat(&mut self, it: &Pat) {
        if let Pat::Expr(expression) = it {
            expression.visit_with(self);
        }
    }

    fn visit_assign_expr(&mut self, it: &AssignExpr) {
        match &it.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(_)) if it.op == AssignOp::Assign => {}
            AssignTarget::Simple(SimpleAssignTarget::Member(member))
                if it.op == AssignOp::Assign =>
            {
                member.obj.visit_with(self);
                if let MemberProp::Computed(key) = &member.prop {
                    key.visit_with(self);
                }
            }
            left => left.visit_with(self),
        }
        it.right.visit_with(self);
    }

    fn visit_member_expr(&mut self, it: &MemberExpr) {
        it.obj.visit_with(self);
        match &it.prop {
            MemberProp::Ident(name) => self.read(format!(".{}", name.sym)),
            MemberProp::PrivateName(name) => self.read(format!(".#{}", name.name)),
            MemberProp::Computed(key) => key.visit_with(self),
        }
    }

    fn visit_expr(&mut self, it: &Expr) {
        it.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_has_what_it_reads() {
        let source = "function f(a) { let b = a.x; if (b > c) { o.y = b; k += 1; } return list.map((i) => i + b); }";
        let found = reads(source, Goal::Script).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|it| {
                let text = &source[it.span.start.index()..it.span.end.index()];
                (text, it.names.join(" "))
            })
            .collect();
        assert_eq!(
            shown[1..],
            [
                ("let b = a.x;", "a .x".to_owned()),
                ("if (b > c) { o.y = b; k += 1; }", "b c".to_owned()),
                ("o.y = b;", "o b".to_owned()),
                ("k += 1;", "k".to_owned()),
                ("return list.map((i) => i + b);", "list .map".to_owned()),
                ("i + b", "i b".to_owned()),
            ]
        );
        let at = ByteOffset::from_index(source.find("i + b").unwrap());
        assert_eq!(part_at(&found, at), Some(6));
    }
}
