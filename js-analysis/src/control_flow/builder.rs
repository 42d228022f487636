//! From the syntax tree of one function to its flow graph.
//!
//! The walk goes through the function as execution does. Where execution can go several ways, the block ends in a node
//! with several ways out; every statement and expression is noted with the block that it begins in and, where it writes
//! or calls, the block in which it does.
//!
//! - Exceptions are followed only into `catch` and `finally`. A call that may throw decides about what follows it, but
//!   that is no condition of the text.
//! - A `finally` block is built once for each way that leads through it (on, `return`, `break`, a throw), so that what
//!   follows depends on what chose the way.

use std::rc::Rc;

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AssignOp, AssignPat, AssignPatProp, BinExpr, BinaryOp, BreakStmt,
    CallExpr, Class, ClassMember, CondExpr, Constructor, ContinueStmt, DoWhileStmt, Expr, ForHead,
    ForInStmt, ForOfStmt, ForStmt, Function, IfStmt, LabeledStmt, Lit, NewExpr, OptChainBase,
    OptChainExpr, Pat, PropOrSpread, ReturnStmt, Stmt, SwitchStmt, TaggedTpl, ThrowStmt, TryStmt,
    UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator, WhileStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::condition::{Condition, ConditionKind};
use super::graph::{Block, Dependences, FlowGraph, Node, Way};
use super::jumps::{Jump, Target};
use super::places::Places;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::unparenthesized;

/// A function's flow, and where in it each place of the text is.
pub(super) struct Flow {
    graph: FlowGraph,
    places: Places,
}

impl Flow {
    /// All conditions in it.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let nodes = self.graph.nodes.node_weights();
        nodes.filter_map(|node| match node {
            Node::Condition(condition) => Some(*condition),
            _ => None,
        })
    }

    pub(super) fn finish(self) -> (Places, Dependences) {
        (self.places, self.graph.dependences())
    }
}

/// A graph with more nodes is not made larger by further copies of `finally` blocks: nested ones would double it each.
const MOST_NODES: usize = 5_000;

/// The walk.
pub(super) struct Builder {
    graph: FlowGraph,
    places: Places,
    current: Block,
    targets: Vec<Target>,
    /// The labels of the statement about to be visited.
    labels: Vec<Atom>,
    /// For each chain around: where it goes if it does not go on.
    chains: Vec<Block>,
    /// Whether the expression about to be visited is a part of the chain around it.
    in_chain: bool,
}

impl Builder {
    /// The flow of what `body` visits.
    pub(super) fn of(body: impl FnOnce(&mut Self)) -> Flow {
        let graph = FlowGraph::new();
        let current = graph.entry;
        let mut builder = Self {
            graph,
            places: Places::default(),
            current,
            targets: Vec::new(),
            labels: Vec::new(),
            chains: Vec::new(),
            in_chain: false,
        };
        body(&mut builder);
        let exit = builder.graph.exit;
        builder.go_to(exit);
        Flow {
            graph: builder.graph,
            places: builder.places,
        }
    }

    /// Parameters: a default value is evaluated where there is no argument.
    pub(super) fn parameters<'p>(&mut self, parameters: impl Iterator<Item = &'p Pat>) {
        for parameter in parameters {
            parameter.visit_with(self);
        }
    }

    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            statement.visit_with(self);
        }
    }

    /// Says that what stands at `span` has its effect now.
    pub(super) fn effect(&mut self, span: Span) {
        self.places.effects.push((span.lo.0, self.current));
    }

    fn start(&mut self, span: Span) {
        let span = byte_span(span);
        self.places.starts.push((span, self.current));
    }

    fn block(&mut self) -> Block {
        self.graph.nodes.add_node(Node::Plain)
    }

    fn go_to(&mut self, to: Block) {
        self.graph.nodes.add_edge(self.current, to, Way::On);
    }

    /// Goes on in a new block that comes after the current one.
    fn new_block(&mut self) -> Block {
        let next = self.block();
        self.go_to(next);
        self.current = next;
        next
    }

    /// Goes on where nothing leads, after a jump.
    fn unreachable(&mut self) {
        self.current = self.block();
    }

    /// Ends the block with a node of several ways; they are added by [`Builder::way`].
    fn fork(&mut self, node: Node) -> Block {
        let fork = self.graph.nodes.add_node(node);
        self.go_to(fork);
        fork
    }

    fn condition(&mut self, kind: ConditionKind, span: ByteSpan) -> Block {
        let fork = self.fork(Node::Condition(Condition { span, kind }));
        self.places.decisions.push((span.start.0, fork));
        fork
    }

    /// A new block to which a way out of `fork` leads.
    fn way(&mut self, fork: Block) -> Block {
        let block = self.block();
        self.graph.nodes.add_edge(fork, block, Way::On);
        block
    }

    /// Visits a test and ends the block with it: the ways if it holds and if it does not.
    fn test(&mut self, test: &Expr) -> (Block, Block) {
        test.visit_with(self);
        let fork = self.condition(ConditionKind::Test, byte_span(test.span()));
        (self.way(fork), self.way(fork))
    }

    /// Visits what only happens on one of two ways, `taken`; goes on where both come together.
    fn branch(&mut self, taken: Block, other: Block, body: impl FnOnce(&mut Self)) {
        self.current = taken;
        body(self);
        let joined = self.block();
        self.go_to(joined);
        self.graph.nodes.add_edge(other, joined, Way::On);
        self.current = joined;
    }

    /// Visits what is evaluated only in some cases, which no condition of the text decides.
    fn sometimes(&mut self, body: impl FnOnce(&mut Self)) {
        let fork = self.fork(Node::Fork);
        let (taken, other) = (self.way(fork), self.way(fork));
        self.branch(taken, other, body);
    }

    fn may_copy(&self) -> bool {
        self.graph.nodes.node_count() < MOST_NODES
    }

    /// Goes where a jump leads, through the `finally` blocks between.
    fn jump(&mut self, jump: Jump<'_>) {
        let targets = self.targets.clone();
        for (depth, target) in targets.iter().enumerate().rev() {
            if let Some(to) = jump.to(target) {
                self.go_to(to);
                self.targets = targets;
                return self.unreachable();
            }
            if let Target::Finally(block) = target
                && self.may_copy()
            {
                self.targets.truncate(depth);
                self.statements(&block.stmts);
            }
        }
        let exit = self.graph.exit;
        self.go_to(exit);
        self.targets = targets;
        self.unreachable();
    }

    /// The body of a loop or `switch`.
    fn breakable(&mut self, exit: Block, next: Option<Block>, body: impl FnOnce(&mut Self)) {
        let labels = std::mem::take(&mut self.labels);
        self.targets.push(Target::Breakable { labels, exit, next });
        body(self);
        self.targets.pop();
    }

    /// The test of a loop: the way into the body, and where the loop ends. Where it always holds, it decides nothing.
    fn loop_test(&mut self, test: Option<&Expr>, exit: Block) -> Block {
        match test {
            Some(test) if !always_holds(test) => {
                let (body, end) = self.test(test);
                self.graph.nodes.add_edge(end, exit, Way::On);
                body
            }
            _ => {
                self.graph.endless.push(self.current);
                self.new_block()
            }
        }
    }

    fn for_each(&mut self, head: &ForHead, right: &Expr, body: &Stmt) {
        right.visit_with(self);
        let next = self.new_block();
        let exit = self.block();
        let span = ByteSpan {
            start: ByteOffset(head.span().lo.0),
            end: ByteOffset(right.span().hi.0),
        };
        let step = self.condition(ConditionKind::Step, span);
        let iteration = self.way(step);
        self.graph.nodes.add_edge(step, exit, Way::On);
        self.current = iteration;
        head.visit_with(self);
        self.effect(head.span());
        self.breakable(exit, Some(next), |this| body.visit_with(this));
        self.go_to(next);
        self.current = exit;
    }

    /// Visits an object or callee that a chain goes through, and ends the chain there if it is `optional`.
    fn link(&mut self, object: &Expr, optional: bool) {
        self.in_chain = matches!(object, Expr::OptChain(_));
        object.visit_with(self);
        if optional && let Some(&end) = self.chains.last() {
            let link = self.condition(ConditionKind::Chain, byte_span(object.span()));
            self.graph.nodes.add_edge(link, end, Way::On);
            self.current = self.way(link);
        }
    }
}

/// Whether a test is one that always holds, as in `while (true)`.
fn always_holds(test: &Expr) -> bool {
    match unparenthesized(test) {
        Expr::Lit(Lit::Bool(value)) => value.value,
        Expr::Lit(Lit::Num(value)) => value.value != 0.0,
        _ => false,
    }
}

fn byte_span(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

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

impl Builder {
    /// Tells a `try` node which conditions were made since the graph had `first` nodes.
    fn note_conditions(&mut self, fork: Block, first: usize) {
        let nodes = self.graph.nodes.node_weights().skip(first);
        let conditions = nodes
            .filter_map(|node| match node {
                Node::Condition(condition) => Some(*condition),
                _ => None,
            })
            .collect();
        if let Some(node) = self.graph.nodes.node_weight_mut(fork) {
            *node = Node::Try(conditions);
        }
    }
}
