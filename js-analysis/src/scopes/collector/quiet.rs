//! Statements in which there is nothing to be hooked: no write, no function, no literal that makes an object, no call
//! that makes code. More than half of a program is of that kind; a rewriter need not look at it again.

use swc_atoms::atom;
use swc_ecma_ast::{Callee, Expr, MemberProp, Stmt, UnaryOp};

use super::Collector;
use crate::scopes::{QuietStatement, unparenthesized};

impl Collector {
    /// Visits a statement, and remembers it if it is quiet. Of quiet statements in one another the outermost is kept.
    pub(super) fn listening(&mut self, statement: &Stmt, at: u32, visit: impl FnOnce(&mut Self)) {
        let (loud, known) = (self.loud, self.scopes.quiet.len());
        self.loud += u32::from(!may_be_quiet(statement));
        visit(self);
        if self.loud == loud {
            self.scopes.quiet.truncate(known);
            self.scopes.quiet.push(QuietStatement {
                at,
                scopes: self.scopes.scopes.len(),
            });
        }
    }

    /// Takes note of an expression, without what it consists of.
    pub(super) fn listen(&mut self, expression: &Expr) {
        self.loud += u32::from(!may_be_part_of_quiet(expression));
    }
}

fn may_be_quiet(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Block(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Empty(_)
            | Stmt::Expr(_)
            | Stmt::If(_)
            | Stmt::Return(_)
            | Stmt::Throw(_)
    )
}

fn may_be_part_of_quiet(expression: &Expr) -> bool {
    match expression {
        Expr::This(_)
        | Expr::Bin(_)
        | Expr::Cond(_)
        | Expr::Lit(_)
        | Expr::Tpl(_)
        | Expr::Paren(_)
        | Expr::Await(_)
        | Expr::PrivateName(_)
        | Expr::OptChain(_) => true,
        Expr::Ident(name) => name.sym != atom!("eval"),
        Expr::Unary(unary) => unary.op != UnaryOp::Delete,
        Expr::Member(member) => match &member.prop {
            MemberProp::Ident(name) => name.sym != atom!("eval"),
            MemberProp::PrivateName(_) => true,
            // What is no name could be put together to `eval`.
            MemberProp::Computed(key) => {
                matches!(
                    unparenthesized(&key.expr),
                    Expr::Ident(_) | Expr::Member(_) | Expr::Call(_)
                )
            }
        },
        // `Array(3)` makes one.
        Expr::Call(call) => match &call.callee {
            Callee::Expr(callee) => {
                matches!(unparenthesized(callee), Expr::Member(_) | Expr::Ident(_))
                    && !makes_array(callee)
            }
            Callee::Super(_) | Callee::Import(_) => false,
        },
        _ => false,
    }
}

fn makes_array(callee: &Expr) -> bool {
    matches!(unparenthesized(callee), Expr::Ident(name) if name.sym.ends_with("Array"))
}
