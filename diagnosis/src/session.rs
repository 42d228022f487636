//! What was said of calls, and what follows from it.
//!
//! The suspicious set (Hermanns and Kuchen, section 3: `A_i`) is what is below the call that was found wrong last,
//! without the subtrees of calls that are right. Every answer makes it smaller:
//!
//! | answer | what it says | what follows |
//! | --- | --- | --- |
//! | valid | given what it was given, the call did right | it and all below it are out |
//! | invalid | it did wrong | only it and what is below it is in |
//! | trusted | this function is right, in all its calls | its calls are not asked about; what they call is |
//! | unknown | no answer | it stays suspicious, and is not asked about again |
//! | inadmissible | it should not have been called so | it is out, and its caller is asked about next |

use rustc_hash::{FxHashMap, FxHashSet};

use crate::strategy::{Part, Strategy, Weights};
use crate::tree::{NodeId, ROOT, Tree};

/// What is said of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Given what it was given, it did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// All calls of its function do what they should.
    Trusted,
    /// Not known.
    Unknown,
    /// It should never have been called with this.
    Inadmissible,
}

impl Answer {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Valid,
        Self::Invalid,
        Self::Trusted,
        Self::Unknown,
        Self::Inadmissible,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Trusted => "trusted",
            Self::Unknown => "unknown",
            Self::Inadmissible => "inadmissible",
        }
    }
}

/// An answer, and about which call it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The call.
    pub node: NodeId,
    /// What was said.
    pub answer: Answer,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// This call has to be judged.
    Ask(NodeId),
    /// This call is faulty: it is wrong, and all its children are right or trusted.
    Found(NodeId),
    /// All calls are right.
    NothingWrong,
    /// What is suspicious cannot be told apart: the call that is wrong, if one is, and those that were not judged.
    Undecided(Vec<NodeId>),
}

/// What a node is, as far as answers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeState {
    Open,
    Out,
    Wrong,
    Unknown,
}

/// A debugging session.
#[derive(Clone, Debug)]
pub struct Session<'t> {
    tree: &'t Tree,
    history: Vec<Judged>,
    /// Functions that were trusted from the start.
    trusted_before: FxHashSet<u32>,
    trusted: FxHashSet<u32>,
    /// Of functions how many calls nobody could tell of, and how many were said to be right or wrong.
    told: FxHashMap<u32, (u32, u32)>,
    /// Calls that are not asked about, for their caller is of the same function; empty, if all are.
    joined: Vec<bool>,
    states: Vec<NodeState>,
    /// The call that was found wrong last, or the root.
    focus: NodeId,
    /// A caller that has to be asked about before anything else.
    caller: Option<NodeId>,
}

impl<'t> Session<'t> {
    /// A session in which nothing was said, but that the execution is wrong.
    #[must_use]
    pub fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            history: Vec::new(),
            trusted_before: FxHashSet::default(),
            trusted: FxHashSet::default(),
            told: FxHashMap::default(),
            joined: Vec::new(),
            states: vec![NodeState::Open; tree.len() + 1],
            focus: ROOT,
            caller: None,
        }
    }

    /// Trusts functions from the start.
    pub fn trust(&mut self, functions: impl IntoIterator<Item = u32>) {
        for function in functions {
            self.trusted_before.insert(function);
            self.trusted.insert(function);
        }
    }

    /// Joins chains of recursive calls: a call whose caller is of the same function is not asked about, what it calls
    /// is (Davie and Chitil, *Hat-delta: One Right Does Make a Wrong*, 2006, section 5: tree compression). What is
    /// found is then a function: the faulty call is the one that is found, or one of its chain. Nodes that are no call,
    /// as `is_call` says, are looked through.
    pub fn join_recursive_calls(&mut self, is_call: impl Fn(NodeId) -> bool) {
        let tree = self.tree;
        // The call around each; parents are before their children.
        let mut around: Vec<NodeId> = Vec::with_capacity(tree.len() + 1);
        let is_joined = |node: u32| {
            let node = NodeId(node);
            let parent = tree.parent(node).unwrap_or(ROOT);
            let caller = match parent == ROOT || is_call(parent) {
                true => parent,
                false => around.get(parent.index()).copied().unwrap_or(ROOT),
            };
            around.push(caller);
            let function = tree.function_of(node);
            is_call(node) && caller != ROOT && tree.function_of(caller) == function
        };
        self.joined = self.subtree(ROOT).map(is_joined).collect();
    }

    /// Whether a call is not asked about, for its caller is of the same function.
    #[must_use]
    pub fn is_joined(&self, node: NodeId) -> bool {
        self.joined.get(node.index()) == Some(&true)
    }

    /// How many suspicious calls of the chain of recursive calls that a call begins were not asked about.
    #[must_use]
    pub fn joined_with(&self, node: NodeId) -> usize {
        let mut count = 0;
        let mut chain = vec![node];
        while let Some(of) = chain.pop() {
            let own = self.tree.children(of);
            let own = own.filter(|&it| self.is_joined(it) && !self.is_out(it));
            let before = chain.len();
            chain.extend(own);
            count += chain.len() - before;
        }
        count
    }

    /// Whether nobody is asked about a call.
    fn is_passed_over(&self, node: NodeId) -> bool {
        self.is_trusted(node) || self.is_joined(node)
    }

    /// What was said, in order.
    #[must_use]
    pub fn history(&self) -> &[Judged] {
        &self.history
    }

    /// The numbers of a node and of all below it.
    pub(crate) fn subtree(&self, node: NodeId) -> std::ops::Range<u32> {
        self.tree.subtree(node)
    }

    /// The call that was found wrong last; the root, if none was.
    #[must_use]
    pub const fn focus(&self) -> NodeId {
        self.focus
    }

    /// Whether the function of a node is trusted.
    #[must_use]
    pub fn is_trusted(&self, node: NodeId) -> bool {
        node == ROOT || self.trusted.contains(&self.tree.function_of(node))
    }

    /// Takes an answer about a call.
    pub fn answer(&mut self, node: NodeId, answer: Answer) {
        self.history.push(Judged { node, answer });
        self.apply(node, answer);
    }

    /// Takes back the last answer, and gives it.
    pub fn undo(&mut self) -> Option<Judged> {
        let last = self.history.last().copied()?;
        let kept = self.history.len().saturating_sub(1);
        self.keep(|index| index < kept);
        Some(last)
    }

    /// Takes back all answers but these, by their places in the history.
    pub fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut index = 0;
        self.history.retain(|_| {
            index += 1;
            is_kept(index - 1)
        });
        self.states.fill(NodeState::Open);
        self.trusted.clone_from(&self.trusted_before);
        self.told.clear();
        self.focus = ROOT;
        self.caller = None;
        for Judged { node, answer } in self.history.clone() {
            self.apply(node, answer);
        }
    }

    fn apply(&mut self, node: NodeId, answer: Answer) {
        if self.caller == Some(node) {
            self.caller = None;
        }
        let Some(state) = self.states.get_mut(node.index()) else {
            return;
        };
        let told = self.told.entry(self.tree.function_of(node)).or_default();
        match answer {
            Answer::Unknown => told.0 += 1,
            Answer::Valid | Answer::Invalid => told.1 += 1,
            Answer::Trusted | Answer::Inadmissible => {}
        }
        match answer {
            Answer::Valid => *state = NodeState::Out,
            Answer::Invalid => {
                *state = NodeState::Wrong;
                self.focus = node;
            }
            Answer::Trusted => {
                self.trusted.insert(self.tree.function_of(node));
            }
            Answer::Unknown => *state = NodeState::Unknown,
            Answer::Inadmissible => {
                *state = NodeState::Out;
                self.caller = self.caller_of(node);
            }
        }
    }

    /// Who called a node, where that can be asked about.
    fn caller_of(&self, node: NodeId) -> Option<NodeId> {
        let mut caller = self.tree.parent(node)?;
        while caller != ROOT && self.is_passed_over(caller) {
            caller = self.tree.parent(caller)?;
        }
        (self.states.get(caller.index()) == Some(&NodeState::Open) && caller != ROOT)
            .then_some(caller)
    }

    /// The suspicious set below the focus: what can be asked about, and what cannot.
    fn suspicious(&self) -> Suspicious {
        let mut found = Suspicious::default();
        let all = self.tree.subtree(self.focus);
        let mut at = all.start.saturating_add(1);
        while at < all.end {
            let node = NodeId(at);
            match self.states.get(node.index()) {
                Some(NodeState::Out) => {
                    at = self.tree.subtree(node).end.max(at + 1);
                    continue;
                }
                Some(NodeState::Unknown) => found.unknown.push(node),
                Some(NodeState::Open) if !self.is_passed_over(node) => found.open.push(node),
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// Without the calls of functions of which nobody could tell several times, and seldom otherwise, as long as there
    /// are others: of these they are not likely to tell more.
    fn likely_told(&self, open: Vec<NodeId>) -> Vec<NodeId> {
        let is_untold = |(unknown, known): &(u32, u32)| *unknown >= 2 && *unknown > 2 * *known;
        if !self.told.values().any(is_untold) {
            return open;
        }
        let is_told = |node: &NodeId| {
            let function = self.tree.function_of(*node);
            !self.told.get(&function).is_some_and(is_untold)
        };
        let told: Vec<NodeId> = open.iter().copied().filter(is_told).collect();
        if told.is_empty() { open } else { told }
    }

    /// The calls that are suspicious and can be asked about.
    #[must_use]
    pub fn suspicious_calls(&self) -> Vec<NodeId> {
        self.suspicious().open
    }

    /// Says what comes next. `weights` are by node.
    #[must_use]
    pub fn next(&self, strategy: Strategy, weights: Weights<'_>) -> Step {
        self.next_by(|open| self.choose(strategy, weights, open))
    }

    /// Says what comes next, where `choose` chooses among the calls that can be asked about.
    pub(crate) fn next_by(&self, choose: impl FnOnce(&[NodeId]) -> Option<NodeId>) -> Step {
        if let Some(caller) = self.caller {
            return Step::Ask(caller);
        }
        let Suspicious { open, unknown } = self.suspicious();
        let open = self.likely_told(open);
        if let Some(node) = choose(&open).or(open.first().copied()) {
            return Step::Ask(node);
        }
        let is_wrong = self.focus != ROOT && !self.is_trusted(self.focus);
        match (unknown.is_empty(), is_wrong) {
            (true, true) => Step::Found(self.focus),
            (true, false) if self.focus == ROOT => Step::NothingWrong,
            _ => {
                let wrong = (self.focus != ROOT).then_some(self.focus);
                Step::Undecided(wrong.into_iter().chain(unknown).collect())
            }
        }
    }

    /// Chooses a call to ask about among those that `is_asked` says; `None`: there is none of them.
    pub(crate) fn next_among(
        &self,
        is_asked: impl Fn(NodeId) -> bool,
        choose: impl FnOnce(&[NodeId]) -> Option<NodeId>,
    ) -> Option<NodeId> {
        if let Some(caller) = self.caller.filter(|&it| is_asked(it)) {
            return Some(caller);
        }
        let mut open = self.suspicious().open;
        open.retain(|&node| is_asked(node));
        let open = self.likely_told(open);
        choose(&open).or(open.first().copied())
    }

    /// Whether a node is out of the suspicious set, with all below it.
    pub(crate) fn is_out(&self, node: NodeId) -> bool {
        self.states.get(node.index()) == Some(&NodeState::Out)
    }

    pub(crate) fn choose(
        &self,
        strategy: Strategy,
        weights: Weights<'_>,
        open: &[NodeId],
    ) -> Option<NodeId> {
        if open.len() < 2 {
            return open.first().copied();
        }
        let own = |node: NodeId| match weights {
            Some(weights) => weights.get(node.index()).copied().unwrap_or(0.0),
            None => 1.0,
        };
        let all = self.tree.subtree(self.focus);
        let mut below = vec![0.0; (all.end - all.start) as usize];
        let mut total = 0.0;
        for &node in open {
            below[(node.0 - all.start) as usize] = own(node);
            total += own(node);
        }
        // Children are behind their parents. What is out has nothing of its own below it.
        for at in (1..below.len()).rev() {
            let node = NodeId(all.start + u32::try_from(at).unwrap_or(0));
            if let Some(parent) = self.tree.parent(node)
                && let Some(index) = parent.0.checked_sub(all.start)
            {
                below[index as usize] += below[at];
            }
        }
        let focus_weight = match self.is_trusted(self.focus) {
            true => 0.0,
            false => own(self.focus),
        };
        let part = Part {
            focus: self.focus,
            focus_weight,
            is_uniform: weights.is_none(),
            open,
            total,
            below: &below,
            own: &own,
        };
        strategy.choose(self.tree, &part)
    }
}

#[derive(Default)]
struct Suspicious {
    open: Vec<NodeId>,
    unknown: Vec<NodeId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 has 2 (with 3 and 4) and 5; 6 is beside 1.
    fn tree() -> Tree {
        let parents = [None, Some(0), Some(1), Some(1), Some(0), None];
        Tree::new(&parents, &[10, 20, 30, 40, 30, 60])
    }

    fn ask(session: &Session<'_>) -> u32 {
        match session.next(Strategy::TopDown, None) {
            Step::Ask(node) => node.0,
            step => panic!("{step:?}"),
        }
    }

    #[test]
    fn a_call_is_found_when_all_its_children_are_right() {
        let tree = tree();
        let mut session = Session::new(&tree);
        assert_eq!(ask(&session), 1);
        session.answer(NodeId(1), Answer::Invalid);
        assert_eq!(ask(&session), 2);
        session.answer(NodeId(2), Answer::Valid);
        assert_eq!(ask(&session), 5);
        session.answer(NodeId(5), Answer::Valid);
        assert_eq!(
            session.next(Strategy::TopDown, None),
            Step::Found(NodeId(1))
        );
        // Taken back, it is asked again.
        assert_eq!(session.undo().map(|it| it.node), Some(NodeId(5)));
        assert_eq!((ask(&session), session.suspicious_calls().len()), (5, 1));
        session.undo();
        session.undo();
        assert_eq!((ask(&session), session.undo()), (1, None));
    }

    #[test]
    fn what_a_trusted_function_calls_is_asked_about() {
        let tree = tree();
        let mut session = Session::new(&tree);
        session.trust([10, 30]);
        assert_eq!(ask(&session), 2);
        session.answer(NodeId(2), Answer::Trusted);
        // 3 is trusted from the start.
        assert_eq!(ask(&session), 4);
        session.answer(NodeId(4), Answer::Valid);
        assert_eq!(ask(&session), 6);
        session.answer(NodeId(6), Answer::Valid);
        assert_eq!(session.next(Strategy::Optimal, None), Step::NothingWrong);
    }

    #[test]
    fn what_nobody_knows_is_said_to_be_undecided() {
        let tree = tree();
        let mut session = Session::new(&tree);
        session.answer(NodeId(1), Answer::Invalid);
        session.answer(NodeId(2), Answer::Unknown);
        // What it calls can still be wrong.
        assert_eq!(ask(&session), 3);
        for node in [3, 4, 5] {
            session.answer(NodeId(node), Answer::Valid);
        }
        let left = Step::Undecided(vec![NodeId(1), NodeId(2)]);
        assert_eq!(session.next(Strategy::TopDown, None), left);
        session.undo();
        session.answer(NodeId(5), Answer::Invalid);
        assert_eq!(
            session.next(Strategy::TopDown, None),
            Step::Found(NodeId(5))
        );
    }

    #[test]
    fn calls_of_a_function_that_nobody_could_tell_of_are_asked_about_last() {
        // 0 calls all others; all but the last are of one function.
        let parents = [None, Some(0), Some(0), Some(0), Some(0)];
        let tree = Tree::new(&parents, &[10, 20, 20, 20, 30]);
        for strategy in Strategy::ALL {
            let mut session = Session::new(&tree);
            session.answer(NodeId(1), Answer::Invalid);
            session.answer(NodeId(2), Answer::Unknown);
            session.answer(NodeId(3), Answer::Unknown);
            assert_eq!(session.next(strategy, None), Step::Ask(NodeId(5)));
            session.answer(NodeId(5), Answer::Valid);
            assert_eq!(session.next(strategy, None), Step::Ask(NodeId(4)));
            session.undo();
            session.undo();
            // Once is not enough.
            assert_eq!(session.next(Strategy::TopDown, None), Step::Ask(NodeId(3)));
        }
    }

    #[test]
    fn a_call_that_should_not_have_been_made_leads_to_its_caller() {
        let tree = tree();
        let mut session = Session::new(&tree);
        session.answer(NodeId(4), Answer::Inadmissible);
        for strategy in Strategy::ALL {
            assert_eq!(session.next(strategy, None), Step::Ask(NodeId(2)));
        }
        session.answer(NodeId(2), Answer::Invalid);
        assert_eq!(ask(&session), 3);
        session.answer(NodeId(3), Answer::Inadmissible);
        assert_eq!(
            session.next(Strategy::TopDown, None),
            Step::Found(NodeId(2))
        );
    }

    #[test]
    fn a_caller_that_is_trusted_is_not_asked_about() {
        let tree = tree();
        let mut session = Session::new(&tree);
        session.trust([20]);
        session.answer(NodeId(4), Answer::Inadmissible);
        assert_eq!(ask(&session), 1);
    }
}
