//! The statements before a place in the lists that it is in: where an exception may have come from.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, Constructor, Decl, Expr, Function, ModuleDecl, ModuleItem,
    Program, SeqExpr, StaticBlock, Stmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::unparenthesized;

/// See [`crate::rewrite::Script::steps_to`].
pub(super) fn steps_to(program: &Program, at: ByteOffset) -> Vec<ByteOffset> {
    let mut steps = Steps {
        at: at.0,
        is_at_end: false,
        found: Vec::new(),
    };
    program.visit_with(&mut steps);
    steps.found
}

/// See [`crate::rewrite::Script::first_expression`].
pub(super) fn first_expression(program: &Program, within: ByteSpan) -> Option<ByteOffset> {
    let mut first = First {
        within,
        found: None,
    };
    program.visit_with(&mut first);
    first.found
}

struct First {
    within: ByteSpan,
    found: Option<ByteOffset>,
}

impl Visit for First {
    fn visit_expr(&mut self, expression: &Expr) {
        let span = expression.span();
        let start = ByteOffset(span.lo.0);
        if self.within.start <= start && start < self.within.end {
            let before = self.found.is_none_or(|found| start < found);
            if before {
                self.found = Some(start);
            }
        }
        expression.visit_children_with(self);
    }
}

struct Steps {
    at: u32,
    /// Whether the place is where the function ends, in whose parts the walk is.
    is_at_end: bool,
    found: Vec<ByteOffset>,
}

impl Steps {
    fn holds(&self, span: Span) -> bool {
        span.lo.0 <= self.at && self.at < span.hi.0
    }

    fn list(&mut self, items: impl Iterator<Item = (Span, bool)> + Clone) {
        let ends = std::mem::take(&mut self.is_at_end);
        if !ends && !items.clone().any(|(span, _)| self.holds(span)) {
            return;
        }
        for (span, runs) in items {
            if runs {
                self.found.push(ByteOffset(span.lo.0));
            }
            if self.holds(span) {
                break;
            }
        }
    }

    fn function(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        if self.holds(span) && span.lo.0 < self.at {
            self.found.clear();
            self.is_at_end = span.hi.0 == self.at + 1;
            visit(self);
            self.is_at_end = false;
        }
    }
}

fn runs(statement: &Stmt) -> bool {
    !matches!(
        statement,
        Stmt::Decl(Decl::Fn(_)) | Stmt::Empty(_) | Stmt::Block(_)
    )
}

/// A statement, and whether it runs; of a declaration that minifiers made of several, each.
fn steps_of(statement: &Stmt) -> Vec<(Span, bool)> {
    match statement {
        Stmt::Decl(Decl::Var(declaration)) if declaration.decls.len() > 1 => {
            let all = declaration.decls.iter().zip(0..);
            let each = all.map(|(one, number)| match &one.init {
                Some(value) if number > 0 => (value.span(), true),
                // The first is where the declaration begins.
                Some(_) => (Span::new(declaration.span.lo, one.span.hi), true),
                None => (one.span, false),
            });
            each.collect()
        }
        other => match begins_with(other) {
            Some(Expr::Seq(sequence)) => of_sequence(other.span(), sequence),
            _ => vec![(other.span(), runs(other))],
        },
    }
}

/// The expression that a statement evaluates first, and where it ends with it or decides by it.
fn begins_with(statement: &Stmt) -> Option<&Expr> {
    Some(unparenthesized(match statement {
        Stmt::Expr(statement) => &statement.expr,
        Stmt::Return(statement) => statement.arg.as_deref()?,
        Stmt::Throw(statement) => &statement.arg,
        Stmt::If(statement) => &statement.test,
        Stmt::Switch(statement) => &statement.discriminant,
        _ => return None,
    }))
}

/// Of a statement that minifiers made of several, with commas between them, each: the first is where it begins, the
/// last has the rest of it.
fn of_sequence(whole: Span, sequence: &SeqExpr) -> Vec<(Span, bool)> {
    let length = sequence.exprs.len();
    let all = sequence.exprs.iter().zip(1..);
    let each = all.map(|(one, number)| {
        let from = if number == 1 { whole.lo } else { one.span().lo };
        let to = if number == length {
            whole.hi
        } else {
            one.span().hi
        };
        (Span::new(from, to), true)
    });
    each.collect()
}

impl Visit for Steps {
    fn visit_stmts(&mut self, statements: &[Stmt]) {
        self.list(statements.iter().flat_map(steps_of));
        for statement in statements {
            if self.holds(statement.span()) {
                statement.visit_with(self);
            }
        }
    }

    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        self.list(items.iter().flat_map(|item| match item {
            ModuleItem::Stmt(statement) => steps_of(statement),
            ModuleItem::ModuleDecl(declaration) => {
                let runs = matches!(
                    declaration,
                    ModuleDecl::ExportDefaultExpr(_) | ModuleDecl::ExportDecl(_)
                );
                vec![(item.span(), runs)]
            }
        }));
        for item in items {
            if self.holds(item.span()) {
                item.visit_with(self);
            }
        }
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
        if self.holds(statement.span()) {
            statement.visit_children_with(self);
        }
    }

    fn visit_seq_expr(&mut self, sequence: &SeqExpr) {
        // Of those that are statements each is there already.
        let is_new = sequence.exprs.iter().skip(1).all(|one| {
            let start = ByteOffset(one.span().lo.0);
            !self.found.contains(&start)
        });
        if is_new {
            self.list(sequence.exprs.iter().map(|one| (one.span(), true)));
        }
        sequence.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.function(function.span, |this| function.visit_children_with(this));
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.function(arrow.span, |this| {
            if let ArrowFunctionBody::Expr(value) = &*arrow.body {
                this.is_at_end = false;
                this.found.push(ByteOffset(value.span().lo.0));
            }
            arrow.visit_children_with(this);
        });
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        self.function(constructor.span, |this| {
            constructor.visit_children_with(this)
        });
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.function(block.span, |this| block.visit_children_with(this));
    }
}
