//! How execution goes through each kind of statement and expression.

use std::rc::Rc;

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AssignOp, AssignPat, AssignPatProp, BinExpr, BinaryOp, BreakStmt,
    CallExpr, Class, ClassMember, CondExpr, Constructor, ContinueStmt, DoWhileStmt, Expr,
    ForInStmt, ForOfStmt, ForStmt, Function, IfStmt, LabeledStmt, NewExpr, OptChainBase,
    OptChainExpr, PropOrSpread, ReturnStmt, Stmt, SwitchStmt, TaggedTpl, ThrowStmt, TryStmt,
    UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator, WhileStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::builder::{Builder, byte_span};
use super::condition::ConditionKind;
use super::graph::{Node, Way};
use super::jumps::{Jump, Target};
use crate::position::{ByteOffset, ByteSpan};

impl Visit for Builder {
    fn visit_expr(&mut self, expression: &Expr) {
        let in_chain = std::mem::take(&mut self.in_chain);
        self.start(expression.span());
        self.in_chain = in_chain && matches!(expression, Expr::OptChain(_));
        expression.visit_children_with(self);
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
        self.start(statement.span());
        if !matches!(
            statement,
            Stmt::Labeled(_)
                | Stmt::While(_)
                | Stmt::DoWhile(_)
                | Stmt::For(_)
                | Stmt::ForIn(_)
                | Stmt::ForOf(_)
                | Stmt::Switch(_)
        ) {
            self.labels.clear();
        }
        statement.visit_children_with(self);
    }

    fn visit_if_stmt(&mut self, statement: &IfStmt) {
        let (holds, fails) = self.test(&statement.test);
        self.current = holds;
        statement.cons.visit_with(self);
        let after = self.current;
        self.current = fails;
        statement.alt.visit_with(self);
        let joined = self.new_block();
        self.graph.nodes.add_edge(after, joined, Way::On);
    }

    fn visit_cond_expr(&mut self, expression: &CondExpr) {
        let (holds, fails) = self.test(&expression.test);
        self.current = holds;
        expression.cons.visit_with(self);
        let after = self.current;
        self.current = fails;
        expression.alt.visit_with(self);
        let joined = self.new_block();
        self.graph.nodes.add_edge(after, joined, Way::On);
    }

    fn visit_bin_expr(&mut self, expression: &BinExpr) {
        let is_logical = matches!(
            expression.op,
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing
        );
        if !is_logical {
            return expression.visit_children_with(self);
        }
        let (taken, other) = self.test(&expression.left);
        self.branch(taken, other, |this| expression.right.visit_with(this));
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        assign.left.visit_with(self);
        let is_logical = matches!(
            assign.op,
            AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign
        );
        if !is_logical {
            assign.right.visit_with(self);
            return self.effect(assign.span);
        }
        let span = byte_span(assign.left.span());
        let fork = self.condition(ConditionKind::Assignment, span);
        let (taken, other) = (self.way(fork), self.way(fork));
        self.branch(taken, other, |this| {
            assign.right.visit_with(this);
            this.effect(assign.span);
        });
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        let is_part = std::mem::take(&mut self.in_chain);
        if !is_part {
            let end = self.block();
            self.chains.push(end);
        }
        match &*chain.base {
            OptChainBase::Member(member) => {
                self.link(&member.obj, chain.optional);
                member.prop.visit_with(self);
            }
            OptChainBase::Call(call) => {
                self.link(&call.callee, chain.optional);
                call.args.visit_with(self);
                self.effect(call.span);
            }
        }
        if !is_part && let Some(end) = self.chains.pop() {
            self.go_to(end);
            self.current = end;
        }
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        update.visit_children_with(self);
        self.effect(update.span);
    }

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        unary.visit_children_with(self);
        if unary.op == UnaryOp::Delete {
            self.effect(unary.span);
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        call.visit_children_with(self);
        self.effect(call.span);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        construction.visit_children_with(self);
        self.effect(construction.span);
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        template.visit_children_with(self);
        self.effect(template.span);
    }

    fn visit_prop_or_spread(&mut self, property: &PropOrSpread) {
        property.visit_children_with(self);
        self.effect(property.span());
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        // The value comes before the pattern, whose default values may be needed then.
        declarator.init.visit_with(self);
        declarator.name.visit_with(self);
        self.effect(declarator.span);
    }

    fn visit_assign_pat(&mut self, pattern: &AssignPat) {
        self.sometimes(|this| pattern.right.visit_with(this));
        pattern.left.visit_with(self);
    }

    fn visit_assign_pat_prop(&mut self, pattern: &AssignPatProp) {
        if let Some(default) = &pattern.value {
            self.sometimes(|this| default.visit_with(this));
        }
    }

    fn visit_labeled_stmt(&mut self, labeled: &LabeledStmt) {
        let label = labeled.label.sym.clone();
        if matches!(
            *labeled.body,
            Stmt::While(_)
                | Stmt::DoWhile(_)
                | Stmt::For(_)
                | Stmt::ForIn(_)
                | Stmt::ForOf(_)
                | Stmt::Switch(_)
                | Stmt::Labeled(_)
        ) {
            self.labels.push(label.clone());
        }
        let exit = self.block();
        self.targets.push(Target::Labelled { label, exit });
        labeled.body.visit_with(self);
        self.targets.pop();
        self.go_to(exit);
        self.current = exit;
    }

    fn visit_while_stmt(&mut self, statement: &WhileStmt) {
        let next = self.new_block();
        let exit = self.block();
        self.current = self.loop_test(Some(&statement.test), exit);
        self.breakable(exit, Some(next), |this| statement.body.visit_with(this));
        self.go_to(next);
        self.current = exit;
    }

    fn visit_do_while_stmt(&mut self, statement: &DoWhileStmt) {
        let body = self.new_block();
        let (next, exit) = (self.block(), self.block());
        self.breakable(exit, Some(next), |this| statement.body.visit_with(this));
        self.go_to(next);
        self.current = next;
        self.current = self.loop_test(Some(&statement.test), exit);
        self.go_to(body);
        self.current = exit;
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        let labels = std::mem::take(&mut self.labels);
        statement.init.visit_with(self);
        let head = self.new_block();
        let (next, exit) = (self.block(), self.block());
        self.current = self.loop_test(statement.test.as_deref(), exit);
        self.labels = labels;
        self.breakable(exit, Some(next), |this| statement.body.visit_with(this));
        self.go_to(next);
        self.current = next;
        statement.update.visit_with(self);
        self.go_to(head);
        self.current = exit;
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.for_each(&statement.left, &statement.right, &statement.body);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.for_each(&statement.left, &statement.right, &statement.body);
    }

    fn visit_switch_stmt(&mut self, statement: &SwitchStmt) {
        let labels = std::mem::take(&mut self.labels);
        statement.discriminant.visit_with(self);
        self.labels = labels;
        let exit = self.block();
        // The tests come first, one after the other; a match goes to the statements of its case.
        let mut bodies = Vec::new();
        let mut default = None;
        for case in &statement.cases {
            let Some(test) = &case.test else {
                let body = self.block();
                default = Some(body);
                bodies.push(body);
                continue;
            };
            test.visit_with(self);
            let span = ByteSpan {
                start: ByteOffset(case.span.lo.0),
                end: ByteOffset(test.span().hi.0),
            };
            let fork = self.condition(ConditionKind::Case, span);
            bodies.push(self.way(fork));
            self.current = self.way(fork);
        }
        self.go_to(default.unwrap_or(exit));
        self.unreachable();
        self.breakable(exit, None, |this| {
            for (case, body) in statement.cases.iter().zip(bodies) {
                this.go_to(body);
                this.current = body;
                this.statements(&case.cons);
            }
        });
        self.go_to(exit);
        self.current = exit;
    }

    fn visit_break_stmt(&mut self, statement: &BreakStmt) {
        self.jump(Jump::Break(
            statement.label.as_ref().map(|label| &label.sym),
        ));
    }

    fn visit_continue_stmt(&mut self, statement: &ContinueStmt) {
        self.jump(Jump::Continue(
            statement.label.as_ref().map(|label| &label.sym),
        ));
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        statement.visit_children_with(self);
        self.jump(Jump::Return);
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        statement.visit_children_with(self);
        self.jump(Jump::Throw);
    }

    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        let finalizer = statement.finalizer.as_ref();
        let finalizer = finalizer.map(|block| Rc::new(block.clone()));
        if let Some(block) = &finalizer {
            let (before, block_span) = (byte_span(statement.span), byte_span(block.span));
            let before = ByteSpan {
                end: block_span.start,
                ..before
            };
            self.places.finalizers.push((block_span, before));
            self.targets.push(Target::Finally(block.clone()));
        }
        // From the middle of what is tried, with or without a clause that catches.
        let thrown = self.block();
        let fork = self.fork(Node::Try(Vec::new()));
        self.graph.nodes.add_edge(fork, thrown, Way::Thrown);
        self.current = self.way(fork);
        let first = self.graph.nodes.node_count();
        match &statement.handler {
            Some(clause) => {
                self.targets.push(Target::Catch(thrown));
                self.statements(&statement.block.stmts);
                self.targets.pop();
                self.note_conditions(fork, first);
                let after = self.current;
                self.current = thrown;
                clause.param.visit_with(self);
                self.statements(&clause.body.stmts);
                let joined = self.new_block();
                self.graph.nodes.add_edge(after, joined, Way::On);
            }
            None => {
                self.statements(&statement.block.stmts);
                self.note_conditions(fork, first);
            }
        }
        let Some(finalizer) = finalizer else { return };
        self.targets.pop();
        let after = self.current;
        if statement.handler.is_none() {
            self.current = thrown;
        } else {
            // What the clause itself throws.
            self.unreachable();
            self.graph.nodes.add_edge(fork, self.current, Way::Thrown);
        }
        if self.may_copy() {
            self.statements(&finalizer.stmts);
        }
        self.jump(Jump::Throw);
        self.current = after;
        self.statements(&finalizer.stmts);
    }

    fn visit_function(&mut self, _function: &Function) {}

    fn visit_arrow_expr(&mut self, _arrow: &ArrowExpr) {}

    fn visit_constructor(&mut self, _constructor: &Constructor) {}

    fn visit_class(&mut self, class: &Class) {
        class.super_class.visit_with(self);
        // Of its members only the names are evaluated here; the values of fields are functions of their own.
        for member in &class.body {
            match member {
                ClassMember::Method(method) => method.key.visit_with(self),
                ClassMember::ClassProp(property) => property.key.visit_with(self),
                _ => {}
            }
        }
        self.effect(class.span);
    }
}
