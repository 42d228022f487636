//! The computation tree: a node for each call, in the order of a walk that visits a node before its children.
//!
//! The subtree of a node is a range of numbers, so that to leave it out is one step. Calls arrive in the order in which
//! they began, in which what an `async` function calls after it was resumed is far from what it called before.

use std::ops::Range;

/// A node, by its place in the walk; 0 is the execution itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The execution: it is no call, and what runs on an empty stack is its child.
pub const ROOT: NodeId = NodeId(0);

const NONE: u32 = u32::MAX;

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The calls of an execution as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// By node; of the root itself.
    parents: Vec<u32>,
    /// How many nodes its subtree has, with itself.
    sizes: Vec<u32>,
    /// Which function it is a call of; calls of one function are trusted together.
    functions: Vec<u32>,
    /// Which call it is, by its number among those that the tree was made of.
    calls: Vec<u32>,
    /// The node of each call.
    nodes: Vec<u32>,
}

impl Tree {
    /// Makes a tree of calls: of each the call around it, which must have a smaller number, and its function. A call
    /// whose parent is not before it is under the root.
    #[must_use]
    pub fn new(parents: &[Option<u32>], functions: &[u32]) -> Self {
        let count = parents.len();
        // Sizes from the last to the first, then each takes its place behind its elder siblings.
        let parent_of = |call: usize| {
            let parent = parents.get(call).copied().flatten()?;
            ((parent as usize) < call).then_some(parent as usize)
        };
        let mut call_sizes = vec![1_u32; count];
        for call in (0..count).rev() {
            if let Some(parent) = parent_of(call) {
                call_sizes[parent] += call_sizes[call];
            }
        }
        let total = count + 1;
        let mut tree = Self {
            parents: vec![0; total],
            sizes: vec![u32::try_from(total).unwrap_or(NONE); total],
            functions: vec![0; total],
            calls: vec![NONE; total],
            nodes: vec![NONE; count],
        };
        // Where the next child of each node goes.
        let mut next_child = vec![0_u32; total];
        next_child[0] = 1;
        for (call, &size) in call_sizes.iter().enumerate() {
            let parent = parent_of(call).map_or(0, |parent| tree.nodes[parent] as usize);
            let node = next_child[parent];
            next_child[parent] += size;
            let at = node as usize;
            next_child[at] = node + 1;
            tree.nodes[call] = node;
            tree.parents[at] = u32::try_from(parent).unwrap_or(0);
            tree.sizes[at] = size;
            tree.functions[at] = functions.get(call).copied().unwrap_or(0);
            tree.calls[at] = u32::try_from(call).unwrap_or(NONE);
        }
        tree
    }

    /// How many nodes there are, without the root.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was called.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a call.
    #[must_use]
    pub fn node_of(&self, call: u32) -> Option<NodeId> {
        self.nodes.get(call as usize).copied().map(NodeId)
    }

    /// The call of a node; of the root none.
    #[must_use]
    pub fn call_of(&self, node: NodeId) -> Option<u32> {
        self.calls
            .get(node.index())
            .copied()
            .filter(|&call| call != NONE)
    }

    /// The function of a node.
    #[must_use]
    pub fn function_of(&self, node: NodeId) -> u32 {
        self.functions.get(node.index()).copied().unwrap_or(0)
    }

    /// The node around it; of the root none.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        if node == ROOT {
            return None;
        }
        self.parents.get(node.index()).copied().map(NodeId)
    }

    /// The numbers of a node and of all below it.
    #[must_use]
    pub fn subtree(&self, node: NodeId) -> Range<u32> {
        let size = self.sizes.get(node.index()).copied().unwrap_or(0);
        node.0..node.0.saturating_add(size)
    }

    /// The children of a node, in the order in which they began.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let Range { start, end } = self.subtree(node);
        let mut next = start.saturating_add(1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = NodeId(next);
                next = self.subtree(child).end.max(next + 1);
                child
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_begin_late_are_beside_their_siblings() {
        // 0 calls 1, then 2 runs; 0 is resumed and calls 3.
        let tree = Tree::new(&[None, Some(0), None, Some(0)], &[7, 8, 9, 8]);
        let nodes: Vec<u32> = (0..4).map(|call| tree.node_of(call).unwrap().0).collect();
        assert_eq!(nodes, [1, 2, 4, 3]);
        let first = tree.node_of(0).unwrap();
        assert_eq!(tree.subtree(first), 1..4);
        let children: Vec<_> = tree.children(first).map(|it| tree.call_of(it)).collect();
        assert_eq!(children, [Some(1), Some(3)]);
        assert_eq!(tree.children(ROOT).count(), 2);
        assert_eq!(tree.subtree(ROOT), 0..5);
        assert_eq!(tree.parent(NodeId(3)), Some(first));
        assert_eq!((tree.call_of(ROOT), tree.parent(ROOT)), (None, None));
        assert_eq!(tree.function_of(NodeId(3)), 8);
    }

    #[test]
    fn a_parent_that_is_not_before_its_call_is_none() {
        let tree = Tree::new(&[Some(0), Some(5), Some(1)], &[]);
        assert_eq!(tree.children(ROOT).count(), 2);
        assert_eq!(tree.len(), 3);
        assert_eq!(Tree::new(&[], &[]).children(ROOT).count(), 0);
        assert!(Tree::new(&[], &[]).is_empty());
    }
}
