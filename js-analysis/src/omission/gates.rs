//! The decisions of a function on the way to a place, from the outside in, with how often each led there and how often
//! away.
//!
//! A place is control dependent on what is around it (tests, loops, cases, links of a chain) and on what is before it
//! in the same list of statements and may leave the list (`return`, `throw`, `break`, `continue`, an `await` that does
//! not come back). (Sakurai, Masuhara, *The Omission Finder*, SAC 2015, section 3.3: dominant conditional jumps.)

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignPat, AssignPatProp, BinExpr,
    BinaryOp, ClassProp, CondExpr, Constructor, DoWhileStmt, Expr, ForInStmt, ForOfStmt, ForStmt,
    Function, IfStmt, LabeledStmt, ModuleItem, OptChainExpr, PrivateProp, Program, SeqExpr,
    StaticBlock, Stmt, SwitchStmt, TryStmt, WhileStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::coverage::Coverage;
use super::gate::{Gate, GateKind, WayTo};
use super::jumps::{FoundJump, Jumps, bytes, start};
use crate::control_flow::{Condition, ConditionKind};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::condition_operands;
use crate::scopes::unparenthesized;

/// See [`crate::rewrite::Script::way_to`].
pub(super) fn way_to(program: &Program, coverage: &Coverage, at: ByteOffset) -> WayTo {
    let mut walk = Walk {
        at: at.0,
        coverage,
        way: WayTo {
            entered: entered_program(program, coverage),
            ..WayTo::default()
        },
        in_chain: false,
    };
    program.visit_with(&mut walk);
    let mut way = walk.way;
    let least = way.gates.iter().map(|gate| match gate.kind {
        // The body of a loop may run more often than the loop.
        GateKind::Loop if gate.after > 0 => u64::MAX,
        _ => gate.after,
    });
    let by_chain = least.filter(|count| *count == 0).min();
    way.count = by_chain.unwrap_or_else(|| coverage.evaluated(at));
    way
}

fn entered_program(program: &Program, coverage: &Coverage) -> u64 {
    let first = match program {
        Program::Script(script) => script.body.first().map(Spanned::span),
        Program::Module(module) => module.body.first().map(Spanned::span),
    };
    first.map_or(0, |span| coverage.evaluated(start(span)))
}

pub(super) struct Walk<'c> {
    at: u32,
    pub(super) coverage: &'c Coverage,
    way: WayTo,
    /// Whether the chain being visited goes on around.
    pub(super) in_chain: bool,
}

impl Walk<'_> {
    pub(super) fn holds(&self, span: Span) -> bool {
        span.lo.0 <= self.at && self.at < span.hi.0
    }

    pub(super) fn count(&self, span: Span) -> u64 {
        self.coverage.evaluated(start(span))
    }

    pub(super) fn push(&mut self, gate: Gate) {
        self.way.gates.push(gate);
    }

    /// The place is where `condition` leads if it comes out as `wanted`.
    fn test(&mut self, kind: ConditionKind, test: &Expr, wanted: bool, before: u64, after: u64) {
        let decides = last_of_sequence(test);
        let decision = bytes(decides.span());
        self.push(Gate {
            kind: GateKind::Branch,
            decision,
            pause: decision.start,
            before,
            after,
            held: !wanted,
            jump: None,
            operands: condition_operands(decides),
            flip: Some((
                Condition {
                    span: bytes(test.span()),
                    kind,
                },
                wanted,
            )),
            tried: Vec::new(),
        });
    }

    fn loop_gate(&mut self, decision: ByteSpan, right: &Expr, before: u64, body: &Stmt) {
        let after = self.count(body.span());
        self.push(Gate {
            kind: GateKind::Loop,
            decision,
            pause: start(right.span()),
            before,
            after,
            held: false,
            jump: None,
            operands: condition_operands(right),
            flip: None,
            tried: Vec::new(),
        });
    }

    /// What is around a function is not around what is in it.
    fn function(&mut self, span: Span, entered: u64, visit: impl FnOnce(&mut Self)) {
        if self.holds(span) && span.lo.0 < self.at {
            self.way.gates.clear();
            self.way.default = None;
            self.way.function = Some(bytes(span));
            self.way.entered = entered;
            let chain = std::mem::take(&mut self.in_chain);
            visit(self);
            self.in_chain = chain;
        }
    }

    /// The statements of a list up to the one with the place.
    fn list<'n>(&mut self, items: impl Iterator<Item = Item<'n>>) {
        let items: Vec<Item<'n>> = items.collect();
        let index = match items.iter().position(|item| self.holds(item.span())) {
            Some(index) => index,
            // The brace that ends the function is behind all of them.
            None if self.is_end_of_function() => items.len(),
            None => return,
        };
        let mut before = items.first().map_or(0, |first| self.count(first.span()));
        for (number, earlier) in items.iter().enumerate().take(index) {
            let after = match items.get(number + 1) {
                Some(later) => self.count(later.span()),
                None => self.coverage.inside(ByteOffset(self.at)),
            };
            if after < before {
                self.leaving(earlier, before, after);
            }
            before = after;
        }
    }

    fn is_end_of_function(&self) -> bool {
        let function = self.way.function;
        function.is_some_and(|function| function.end.0 == self.at + 1)
    }

    /// What left a list of statements within `item`.
    fn leaving(&mut self, item: &Item<'_>, before: u64, after: u64) {
        let mut jumps = Jumps::default();
        item.visit(&mut jumps);
        let mut gates = Vec::new();
        let begun = |jump: &FoundJump| self.coverage.evaluated(start(jump.span));
        // A browser counts what is behind an `await` from there, or from the end of the statement.
        let waits: Vec<u64> = jumps
            .found
            .iter()
            .filter(|it| it.behind.is_some())
            .map(begun)
            .collect();
        let mut next_waits = waits.iter().skip(1).copied().chain(std::iter::once(after));
        let mut inner: Option<(Span, u64)> = None;
        for found in &jumps.found {
            let hits = match found.behind {
                None => begun(found),
                Some(behind) => {
                    let next = next_waits.next().unwrap_or(after);
                    let went_on = self.coverage.inside(behind).min(next);
                    // What an `await` in its operand kept never reached it.
                    let came = match inner {
                        Some((span, count)) if found.span.contains(span) => count,
                        _ => begun(found),
                    };
                    inner = Some((found.span, went_on));
                    came.saturating_sub(went_on)
                }
            };
            if hits > 0 {
                gates.push(self.jump(item, found, hits));
            }
        }
        // What some other way out explains is not a wait.
        let others: u64 = gates
            .iter()
            .filter(|gate| !is_wait(gate))
            .map(Gate::away)
            .sum();
        if others >= before - after {
            gates.retain(|gate| !is_wait(gate));
        }
        if let [only] = gates.as_mut_slice() {
            // The other ways that lead on.
            only.before = before;
            only.after = after;
        }
        gates.sort_by_key(Gate::away);
        self.way.gates.append(&mut gates);
    }

    fn jump(&self, item: &Item<'_>, jump: &FoundJump, hits: u64) -> Gate {
        let span = bytes(jump.span);
        let itself = Gate {
            kind: jump.kind,
            decision: span,
            pause: jump.pause,
            before: hits,
            after: 0,
            held: jump.behind.is_none(),
            jump: None,
            operands: jump.operands.clone(),
            flip: None,
            tried: Vec::new(),
        };
        if jump.behind.is_some() {
            return itself;
        }
        // What decided that it ran: the innermost around it.
        let mut inner = Walk {
            at: jump.span.lo.0,
            coverage: self.coverage,
            way: WayTo::default(),
            in_chain: false,
        };
        item.visit(&mut inner);
        let decided = inner.way.gates.into_iter().rev().find(|gate| {
            let decides = matches!(
                gate.kind,
                GateKind::Branch | GateKind::Case | GateKind::NothingThrown
            );
            gate.jump.is_none() && decides
        });
        match decided {
            // What was thrown led there.
            Some(gate) if gate.kind == GateKind::NothingThrown => Gate {
                kind: GateKind::Caught,
                decision: gate.tried.first().copied().unwrap_or(gate.decision),
                held: true,
                before: hits,
                after: 0,
                jump: Some(span),
                ..gate
            },
            Some(gate) => Gate {
                kind: jump.kind,
                held: !gate.held,
                before: hits,
                after: 0,
                jump: Some(span),
                flip: gate.flip.map(|(condition, wanted)| (condition, !wanted)),
                ..gate
            },
            None => itself,
        }
    }
}

/// What decides of `(load(), !ready)`, which minifiers make of statements before a test.
fn last_of_sequence(test: &Expr) -> &Expr {
    match unparenthesized(test) {
        Expr::Seq(sequence) => sequence
            .exprs
            .last()
            .map_or(test, |last| last_of_sequence(last)),
        _ => test,
    }
}

fn is_wait(gate: &Gate) -> bool {
    matches!(gate.kind, GateKind::Await | GateKind::Yield)
}

/// A statement, or an item of a module.
#[derive(Clone, Copy)]
enum Item<'n> {
    Statement(&'n Stmt),
    Module(&'n ModuleItem),
    /// One of several expressions with commas between them.
    Expression(&'n Expr),
}

impl Item<'_> {
    fn span(&self) -> Span {
        match self {
            Self::Statement(statement) => statement.span(),
            Self::Module(item) => item.span(),
            Self::Expression(expression) => expression.span(),
        }
    }

    fn visit(&self, visitor: &mut impl Visit) {
        match self {
            Self::Statement(statement) => statement.visit_with(visitor),
            Self::Module(item) => item.visit_with(visitor),
            Self::Expression(expression) => expression.visit_with(visitor),
        }
    }
}

impl Visit for Walk<'_> {
    fn visit_stmts(&mut self, statements: &[Stmt]) {
        self.list(statements.iter().map(Item::Statement));
        for statement in statements {
            if self.holds(statement.span()) {
                statement.visit_with(self);
            }
        }
    }

    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        self.list(items.iter().map(Item::Module));
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

    fn visit_expr(&mut self, expression: &Expr) {
        if !self.holds(expression.span()) {
            return;
        }
        let in_chain = std::mem::take(&mut self.in_chain);
        self.in_chain = in_chain && matches!(expression, Expr::OptChain(_));
        expression.visit_children_with(self);
    }

    fn visit_seq_expr(&mut self, sequence: &SeqExpr) {
        let items = sequence.exprs.iter();
        self.list(items.map(|expression| Item::Expression(expression)));
        sequence.visit_children_with(self);
    }

    fn visit_if_stmt(&mut self, statement: &IfStmt) {
        let before = self.count(statement.span);
        if self.holds(statement.cons.span()) {
            let after = self.count(statement.cons.span());
            self.test(ConditionKind::Test, &statement.test, true, before, after);
        } else if let Some(other) = &statement.alt
            && self.holds(other.span())
        {
            let after = self.count(other.span());
            self.test(ConditionKind::Test, &statement.test, false, before, after);
        }
        statement.visit_children_with(self);
    }

    fn visit_cond_expr(&mut self, expression: &CondExpr) {
        let before = self.count(expression.test.span());
        for (branch, wanted) in [(&expression.cons, true), (&expression.alt, false)] {
            if self.holds(branch.span()) {
                let after = self.count(branch.span());
                self.test(ConditionKind::Test, &expression.test, wanted, before, after);
            }
        }
        expression.visit_children_with(self);
    }

    fn visit_bin_expr(&mut self, expression: &BinExpr) {
        let wanted = match expression.op {
            BinaryOp::LogicalAnd => Some(true),
            BinaryOp::LogicalOr | BinaryOp::NullishCoalescing => Some(false),
            _ => None,
        };
        if let Some(wanted) = wanted
            && self.holds(expression.right.span())
        {
            let before = self.count(expression.left.span());
            let after = self.count(expression.right.span());
            let is_nullish = expression.op == BinaryOp::NullishCoalescing;
            self.test(ConditionKind::Test, &expression.left, wanted, before, after);
            if let Some(gate) = self.way.gates.last_mut().filter(|_| is_nullish) {
                gate.flip = None;
            }
        }
        expression.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let wanted = match assign.op {
            AssignOp::AndAssign => Some(true),
            AssignOp::OrAssign | AssignOp::NullishAssign => Some(false),
            _ => None,
        };
        if let Some(wanted) = wanted
            && self.holds(assign.right.span())
        {
            let decision = bytes(assign.left.span());
            let before = self.count(assign.left.span());
            let after = self.count(assign.right.span());
            self.push(Gate {
                kind: GateKind::Branch,
                decision,
                pause: decision.start,
                before,
                after,
                held: !wanted,
                jump: None,
                operands: vec![decision],
                flip: None,
                tried: Vec::new(),
            });
        }
        assign.visit_children_with(self);
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        self.chain(chain);
    }

    fn visit_labeled_stmt(&mut self, labeled: &LabeledStmt) {
        labeled.body.visit_with(self);
    }

    fn visit_while_stmt(&mut self, statement: &WhileStmt) {
        if self.holds(statement.body.span()) {
            let before = self.count(statement.span);
            let decision = bytes(statement.test.span());
            self.loop_gate(decision, &statement.test, before, &statement.body);
        }
        statement.visit_children_with(self);
    }

    fn visit_do_while_stmt(&mut self, statement: &DoWhileStmt) {
        statement.visit_children_with(self);
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        if self.holds(statement.body.span())
            && let Some(test) = &statement.test
        {
            let before = self.count(statement.span);
            self.loop_gate(bytes(test.span()), test, before, &statement.body);
        }
        statement.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        if self.holds(statement.body.span()) {
            let decision = ByteSpan {
                start: start(statement.left.span()),
                end: bytes(statement.right.span()).end,
            };
            let before = self.count(statement.span);
            self.loop_gate(decision, &statement.right, before, &statement.body);
        }
        statement.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        if self.holds(statement.body.span()) {
            let decision = ByteSpan {
                start: start(statement.left.span()),
                end: bytes(statement.right.span()).end,
            };
            let before = self.count(statement.span);
            self.loop_gate(decision, &statement.right, before, &statement.body);
            // `for await`: what is behind it was not reached, so it waits, and had no element because of that.
            let behind = self.coverage.inside(bytes(statement.span).end);
            if statement.is_await
                && behind < before
                && let Some(gate) = self.way.gates.last_mut()
                && gate.after == 0
            {
                gate.kind = GateKind::Await;
            }
        }
        statement.visit_children_with(self);
    }

    fn visit_switch_stmt(&mut self, statement: &SwitchStmt) {
        let before = self.count(statement.span);
        for case in &statement.cases {
            let inside = case.cons.iter().any(|it| self.holds(it.span()));
            let Some(first) = case.cons.first().filter(|_| inside) else {
                continue;
            };
            let decision = bytes(statement.discriminant.span());
            let mut operands = condition_operands(&statement.discriminant);
            if operands.is_empty() {
                operands.push(decision);
            }
            let after = self.count(first.span());
            self.push(Gate {
                kind: GateKind::Case,
                decision,
                pause: decision.start,
                before,
                after,
                held: false,
                jump: None,
                operands,
                flip: None,
                tried: Vec::new(),
            });
        }
        statement.visit_children_with(self);
    }

    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        self.clause(statement);
        statement.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        let body = function.body.as_ref();
        let entered = body.map_or(0, |body| self.coverage.inside(start(body.span)));
        self.function(function.span, entered, |this| {
            function.visit_children_with(this)
        });
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let entered = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.coverage.inside(start(body.span)),
            ArrowFunctionBody::Expr(value) => self.coverage.evaluated(start(value.span())),
        };
        self.function(arrow.span, entered, |this| arrow.visit_children_with(this));
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let body = constructor.body.as_ref();
        let entered = body.map_or(0, |body| self.coverage.inside(start(body.span)));
        self.function(constructor.span, entered, |this| {
            constructor.visit_children_with(this);
        });
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        let entered = self.coverage.inside(start(block.body.span));
        self.function(block.span, entered, |this| block.visit_children_with(this));
    }

    fn visit_assign_pat(&mut self, pattern: &AssignPat) {
        self.default_value(pattern.span, pattern.left.span(), &pattern.right);
        pattern.visit_children_with(self);
    }

    fn visit_assign_pat_prop(&mut self, property: &AssignPatProp) {
        if let Some(value) = &property.value {
            self.default_value(property.span, property.key.span(), value);
        }
        property.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        property.key.visit_with(self);
        self.field(property.value.as_deref());
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        self.field(property.value.as_deref());
    }
}

impl Walk<'_> {
    fn default_value(&mut self, span: Span, target: Span, value: &Expr) {
        if self.holds(value.span()) {
            self.way.default = Some(Gate {
                kind: GateKind::Branch,
                decision: bytes(span),
                pause: start(span),
                before: self.way.entered,
                after: 0,
                held: false,
                jump: None,
                operands: vec![bytes(target)],
                flip: None,
                tried: Vec::new(),
            });
        }
    }

    /// The value of a field is evaluated where an object is made.
    fn field(&mut self, value: Option<&Expr>) {
        let Some(value) = value else { return };
        value.visit_with(self);
    }
}
