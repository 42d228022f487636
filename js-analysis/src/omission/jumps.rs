//! The ways out of a statement: `return`, `throw`, `break`, `continue`, `await`, `yield`.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, AwaitExpr, BreakStmt, Constructor, ContinueStmt, DoWhileStmt, ForInStmt, ForOfStmt,
    ForStmt, Function, LabeledStmt, ReturnStmt, StaticBlock, SwitchStmt, ThrowStmt, TryStmt,
    WhileStmt, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan};

/// What kind of decision it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// A test, the left operand of a logical operator, what is before `?.`.
    Branch,
    /// A `switch`.
    Case,
    /// A loop whose body did not run.
    Loop,
    /// A `return`, or the decision that led to it.
    Return,
    /// A `throw`, or the decision that led to it.
    Throw,
    /// A `break` or `continue`, or the decision that led to it.
    Jump,
    /// An `await` that did not come back.
    Await,
    /// A `yield` that was not gone on from.
    Yield,
    /// A `catch` clause: nothing was thrown.
    NothingThrown,
    /// What a `try` block threw, where the `catch` clause left with it.
    Caught,
}

pub(super) fn start(span: Span) -> ByteOffset {
    ByteOffset(span.lo.0)
}

pub(super) fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

/// A way out of a list of statements.
#[derive(Clone, Debug)]
pub(super) struct FoundJump {
    pub(super) kind: GateKind,
    pub(super) span: Span,
    pub(super) pause: ByteOffset,
    /// Of an `await` or `yield`: where it goes on.
    pub(super) behind: Option<ByteOffset>,
    pub(super) operands: Vec<ByteSpan>,
}

/// The ways out of a statement.
#[derive(Default)]
pub(super) struct Jumps {
    pub(super) found: Vec<FoundJump>,
    loops: u32,
    switches: u32,
    labels: Vec<swc_atoms::Atom>,
    /// Whether what is thrown is caught inside.
    caught: u32,
}

impl Jumps {
    fn add(&mut self, kind: GateKind, span: Span) {
        self.found.push(FoundJump {
            kind,
            span,
            pause: start(span),
            behind: None,
            operands: Vec::new(),
        });
    }

    fn within_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        self.loops += 1;
        visit(self);
        self.loops -= 1;
    }
}

impl Visit for Jumps {
    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        statement.visit_children_with(self);
        self.add(GateKind::Return, statement.span);
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        statement.visit_children_with(self);
        if self.caught == 0 {
            self.add(GateKind::Throw, statement.span);
        }
    }

    fn visit_break_stmt(&mut self, statement: &BreakStmt) {
        let stays = match &statement.label {
            Some(label) => self.labels.contains(&label.sym),
            None => self.loops + self.switches > 0,
        };
        if !stays {
            self.add(GateKind::Jump, statement.span);
        }
    }

    fn visit_continue_stmt(&mut self, statement: &ContinueStmt) {
        let stays = match &statement.label {
            Some(label) => self.labels.contains(&label.sym),
            None => self.loops > 0,
        };
        if !stays {
            self.add(GateKind::Jump, statement.span);
        }
    }

    fn visit_await_expr(&mut self, expression: &AwaitExpr) {
        expression.visit_children_with(self);
        self.found.push(FoundJump {
            kind: GateKind::Await,
            span: expression.span,
            pause: start(expression.arg.span()),
            behind: Some(bytes(expression.span).end),
            operands: vec![bytes(expression.arg.span())],
        });
    }

    fn visit_yield_expr(&mut self, expression: &YieldExpr) {
        expression.visit_children_with(self);
        self.found.push(FoundJump {
            kind: GateKind::Yield,
            span: expression.span,
            pause: start(expression.span),
            behind: Some(bytes(expression.span).end),
            operands: Vec::new(),
        });
    }

    fn visit_labeled_stmt(&mut self, labeled: &LabeledStmt) {
        self.labels.push(labeled.label.sym.clone());
        labeled.body.visit_with(self);
        self.labels.pop();
    }

    fn visit_while_stmt(&mut self, statement: &WhileStmt) {
        self.within_loop(|this| statement.visit_children_with(this));
    }

    fn visit_do_while_stmt(&mut self, statement: &DoWhileStmt) {
        self.within_loop(|this| statement.visit_children_with(this));
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        self.within_loop(|this| statement.visit_children_with(this));
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.within_loop(|this| statement.visit_children_with(this));
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.within_loop(|this| statement.visit_children_with(this));
        if statement.is_await {
            let right = bytes(statement.right.span());
            self.found.push(FoundJump {
                kind: GateKind::Await,
                span: statement.left.span().to(statement.right.span()),
                pause: right.start,
                behind: Some(bytes(statement.span).end),
                operands: vec![right],
            });
        }
    }

    fn visit_switch_stmt(&mut self, statement: &SwitchStmt) {
        self.switches += 1;
        statement.visit_children_with(self);
        self.switches -= 1;
    }

    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        let catches = u32::from(statement.handler.is_some());
        self.caught += catches;
        statement.block.visit_with(self);
        self.caught -= catches;
        statement.handler.visit_with(self);
        statement.finalizer.visit_with(self);
    }

    fn visit_function(&mut self, _function: &Function) {}

    fn visit_arrow_expr(&mut self, _arrow: &ArrowExpr) {}

    fn visit_constructor(&mut self, _constructor: &Constructor) {}

    fn visit_static_block(&mut self, _block: &StaticBlock) {}
}
