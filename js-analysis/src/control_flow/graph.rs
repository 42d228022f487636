//! A function's control flow as a graph: basic blocks, and nodes with several ways out.

use petgraph::Direction;
use petgraph::algo::dominators::{self, Dominators};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef, Reversed};
use rustc_hash::{FxHashMap, FxHashSet};

use super::condition::Condition;
use crate::position::ByteSpan;

/// A node of the graph.
pub(super) type Block = NodeIndex<u32>;

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Things that happen one after the other.
    Plain,
    /// A condition; its outcomes are its ways out.
    Condition(Condition),
    /// A way that is decided by no condition of the text: a default value, a loop without a test.
    Fork,
    /// A `try` statement: its block, or out of the middle of it, with the conditions evaluated there.
    Try(Vec<Condition>),
    /// The end of the function.
    Exit,
}

/// A way out of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As execution goes on.
    On,
    /// By an exception that something in a `try` block has thrown.
    Thrown,
}

/// One function's flow.
pub(super) struct FlowGraph {
    pub(super) nodes: DiGraph<Node, Way, u32>,
    pub(super) entry: Block,
    pub(super) exit: Block,
    /// Loops that have no test to end them.
    pub(super) endless: Vec<Block>,
}

impl FlowGraph {
    pub(super) fn new() -> Self {
        let mut nodes = DiGraph::default();
        let entry = nodes.add_node(Node::Plain);
        let exit = nodes.add_node(Node::Exit);
        Self {
            nodes,
            entry,
            exit,
            endless: Vec::new(),
        }
    }

    /// What depends on what. Takes the graph: afterwards every node has a way to the exit.
    pub(super) fn dependences(mut self) -> Dependences {
        self.give_endless_loops_an_end();
        let post = dominators::simple_fast(Reversed(&self.nodes), self.exit);
        let mut on = FxHashMap::default();
        for edge in self.nodes.edge_references() {
            let (from, to) = (edge.source(), edge.target());
            if self.nodes.edges_directed(from, Direction::Outgoing).count() > 1 {
                mark(&post, from, to, *edge.weight(), &mut on);
            }
        }
        Dependences {
            nodes: self.nodes,
            on,
        }
    }

    /// A node from which the exit cannot be reached has no post-dominators, so nothing could be said of it.
    fn give_endless_loops_an_end(&mut self) {
        let mut reaching = Dfs::new(Reversed(&self.nodes), self.exit);
        while reaching.next(Reversed(&self.nodes)).is_some() {}
        for head in std::mem::take(&mut self.endless).into_iter().rev() {
            if reaching.discovered.contains(head.index()) {
                continue;
            }
            self.nodes.add_edge(head, self.exit, Way::On);
            reaching.move_to(head);
            while reaching.next(Reversed(&self.nodes)).is_some() {}
        }
    }
}

/// Everything between `to` and what `from` leads to in any case depends on that way out of `from`.
fn mark(
    post: &Dominators<Block>,
    from: Block,
    to: Block,
    way: Way,
    on: &mut FxHashMap<Block, Vec<(Block, Way)>>,
) {
    let end = post.immediate_dominator(from);
    let mut next = Some(to);
    while let Some(block) = next {
        if Some(block) == end {
            break;
        }
        on.entry(block).or_default().push((from, way));
        next = post.immediate_dominator(block);
    }
}

/// What each node of a graph depends on.
pub(super) struct Dependences {
    nodes: DiGraph<Node, Way, u32>,
    on: FxHashMap<Block, Vec<(Block, Way)>>,
}

impl Dependences {
    /// The conditions on which `blocks` depend: directly, or through nodes that are none, or that are in a span
    /// `without_say`.
    pub(super) fn conditions(&self, blocks: &[Block], without_say: &[ByteSpan]) -> Vec<Condition> {
        let has_say = |condition: &Condition| {
            !without_say
                .iter()
                .any(|span| span.start <= condition.span.start && condition.span.start < span.end)
        };
        let mut found = Vec::new();
        let mut visited = FxHashSet::default();
        let mut left = blocks.to_vec();
        while let Some(block) = left.pop() {
            if !visited.insert(block) {
                continue;
            }
            for &(on, way) in self.on.get(&block).into_iter().flatten() {
                match &self.nodes[on] {
                    Node::Condition(condition) if has_say(condition) => found.push(*condition),
                    Node::Try(inside) => {
                        if way == Way::Thrown {
                            found.extend(inside.iter().filter(|&condition| has_say(condition)));
                        }
                        left.push(on);
                    }
                    Node::Condition(_) | Node::Plain | Node::Fork | Node::Exit => left.push(on),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
