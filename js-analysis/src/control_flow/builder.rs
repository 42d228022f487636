//! From the syntax tree of one function to its flow graph: what the walk is made of.
//!
//! The walk goes through the function as execution does. Where execution can go several ways, the block ends in a node
//! with several ways out; every statement and expression is noted with the block that it begins in and, where it writes
//! or calls, the block in which it does.
//!
//! - Exceptions are followed only into `catch` and `finally`. A call that may throw decides about what follows it, but
//!   that is no condition of the text.
//! - A `finally` block is built once for each way that leads through it (on, `return`, `break`, a throw), so that what
//!   follows depends on what chose the way.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{Expr, ForHead, Lit, Pat, Stmt};
use swc_ecma_visit::VisitWith;

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
    pub(super) graph: FlowGraph,
    pub(super) places: Places,
    pub(super) current: Block,
    pub(super) targets: Vec<Target>,
    /// The labels of the statement about to be visited.
    pub(super) labels: Vec<Atom>,
    /// For each chain around: where it goes if it does not go on.
    pub(super) chains: Vec<Block>,
    /// Whether the expression about to be visited is a part of the chain around it.
    pub(super) in_chain: bool,
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

    /// Says that what is at `span` has its effect now.
    pub(super) fn effect(&mut self, span: Span) {
        self.places.effects.push((span.lo.0, self.current));
    }

    pub(super) fn start(&mut self, span: Span) {
        let span = byte_span(span);
        self.places.starts.push((span, self.current));
    }

    pub(super) fn block(&mut self) -> Block {
        self.graph.nodes.add_node(Node::Plain)
    }

    pub(super) fn go_to(&mut self, to: Block) {
        self.graph.nodes.add_edge(self.current, to, Way::On);
    }

    /// Goes on in a new block that comes after the current one.
    pub(super) fn new_block(&mut self) -> Block {
        let next = self.block();
        self.go_to(next);
        self.current = next;
        next
    }

    /// Goes on where nothing leads, after a jump.
    pub(super) fn unreachable(&mut self) {
        self.current = self.block();
    }

    /// Ends the block with a node of several ways; they are added by [`Builder::way`].
    pub(super) fn fork(&mut self, node: Node) -> Block {
        let fork = self.graph.nodes.add_node(node);
        self.go_to(fork);
        fork
    }

    pub(super) fn condition(&mut self, kind: ConditionKind, span: ByteSpan) -> Block {
        let fork = self.fork(Node::Condition(Condition { span, kind }));
        self.places.decisions.push((span.start.0, fork));
        fork
    }

    /// A new block to which a way out of `fork` leads.
    pub(super) fn way(&mut self, fork: Block) -> Block {
        let block = self.block();
        self.graph.nodes.add_edge(fork, block, Way::On);
        block
    }

    /// Visits a test and ends the block with it: the ways if it holds and if it does not.
    pub(super) fn test(&mut self, test: &Expr) -> (Block, Block) {
        test.visit_with(self);
        let fork = self.condition(ConditionKind::Test, byte_span(test.span()));
        (self.way(fork), self.way(fork))
    }

    /// Visits what only happens on one of two ways, `taken`; goes on where both come together.
    pub(super) fn branch(&mut self, taken: Block, other: Block, body: impl FnOnce(&mut Self)) {
        self.current = taken;
        body(self);
        let joined = self.block();
        self.go_to(joined);
        self.graph.nodes.add_edge(other, joined, Way::On);
        self.current = joined;
    }

    /// Visits what is evaluated only in some cases, which no condition of the text decides.
    pub(super) fn sometimes(&mut self, body: impl FnOnce(&mut Self)) {
        let fork = self.fork(Node::Fork);
        let (taken, other) = (self.way(fork), self.way(fork));
        self.branch(taken, other, body);
    }

    pub(super) fn may_copy(&self) -> bool {
        self.graph.nodes.node_count() < MOST_NODES
    }

    /// Goes where a jump leads, through the `finally` blocks between.
    pub(super) fn jump(&mut self, jump: Jump<'_>) {
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
    pub(super) fn breakable(
        &mut self,
        exit: Block,
        next: Option<Block>,
        body: impl FnOnce(&mut Self),
    ) {
        let labels = std::mem::take(&mut self.labels);
        self.targets.push(Target::Breakable { labels, exit, next });
        body(self);
        self.targets.pop();
    }

    /// The test of a loop: the way into the body, and where the loop ends. Where it always holds, it decides nothing.
    pub(super) fn loop_test(&mut self, test: Option<&Expr>, exit: Block) -> Block {
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

    pub(super) fn for_each(&mut self, head: &ForHead, right: &Expr, body: &Stmt) {
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
    pub(super) fn link(&mut self, object: &Expr, optional: bool) {
        self.in_chain = matches!(object, Expr::OptChain(_));
        object.visit_with(self);
        if optional && let Some(&end) = self.chains.last() {
            let link = self.condition(ConditionKind::Chain, byte_span(object.span()));
            self.graph.nodes.add_edge(link, end, Way::On);
            self.current = self.way(link);
        }
    }

    /// Tells a `try` node which conditions were made since the graph had `first` nodes.
    pub(super) fn note_conditions(&mut self, fork: Block, first: usize) {
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

/// Whether a test is one that always holds, as in `while (true)`.
fn always_holds(test: &Expr) -> bool {
    match unparenthesized(test) {
        Expr::Lit(Lit::Bool(value)) => value.value,
        Expr::Lit(Lit::Num(value)) => value.value != 0.0,
        _ => false,
    }
}

pub(super) fn byte_span(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}
