//! For any tree and any consistent answers each strategy finds a faulty call, and what the optimal one takes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use diagnosis::{Answer, NodeId, ROOT, Session, Step, Strategy, Tree};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

/// A tree: of each call but the first, how far before it its parent is.
fn trees(most: usize) -> impl proptest::strategy::Strategy<Value = Vec<Option<u32>>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..most).prop_map(|indices| {
        let mut parents = vec![None];
        for (number, index) in indices.iter().enumerate() {
            // The last choice is the root.
            let parent = index.index(number + 2);
            parents.push(u32::try_from(parent).ok().filter(|_| parent <= number));
        }
        parents
    })
}

/// Whether a call is faulty: it is wrong, and those that it called, through what is trusted, are right.
fn is_faulty(tree: &Tree, node: NodeId, wrong: &[bool], trusted: &[bool]) -> bool {
    fn all_right(tree: &Tree, node: NodeId, wrong: &[bool], trusted: &[bool]) -> bool {
        tree.children(node).all(|child| {
            if trusted[child.0 as usize] {
                all_right(tree, child, wrong, trusted)
            } else {
                !wrong[child.0 as usize]
            }
        })
    }
    wrong[node.0 as usize] && !trusted[node.0 as usize] && all_right(tree, node, wrong, trusted)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_strategy_finds_a_faulty_call(
        parents in trees(60),
        labels in prop::collection::vec(any::<bool>(), 61),
        functions in prop::collection::vec(0_u32..12, 61),
        trusted_function in 0_u32..16,
        weights in prop::collection::vec(0_u8..4, 62),
    ) {
        let tree = Tree::new(&parents, &functions[..parents.len()]);
        let trusted: Vec<bool> = (0..=parents.len())
            .map(|node| node > 0 && tree.function_of(NodeId(node as u32)) == trusted_function)
            .collect();
        let wrong: Vec<bool> = std::iter::once(true).chain(labels).take(parents.len() + 1).collect();
        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        for strategy in Strategy::ALL {
            for weights in [None, Some(weights.as_slice())] {
                let mut session = Session::new(&tree);
                session.trust([trusted_function]);
                let mut asked = 0;
                let end = loop {
                    prop_assert!(asked <= parents.len(), "{strategy:?} asks without end");
                    match session.next(strategy, weights) {
                        Step::Ask(node) => {
                            prop_assert!(node != ROOT && !trusted[node.0 as usize]);
                            prop_assert!(session.history().iter().all(|it| it.node != node));
                            asked += 1;
                            let answer = match wrong[node.0 as usize] {
                                true => Answer::Invalid,
                                false => Answer::Valid,
                            };
                            session.answer(node, answer);
                        }
                        end => break end,
                    }
                };
                match end {
                    Step::Found(node) => prop_assert!(is_faulty(&tree, node, &wrong, &trusted)),
                    // The root's own children are right.
                    Step::NothingWrong => {
                        let all: Vec<bool> = std::iter::once(true)
                            .chain(wrong.iter().skip(1).copied())
                            .collect();
                        prop_assert!(is_faulty(&tree, ROOT, &all, &trusted));
                    }
                    end => prop_assert!(false, "{end:?}"),
                }
            }
        }
    }

    /// Where chains of recursive calls are joined, the function that is found has a faulty call: the one that is found,
    /// or one of its chain.
    #[test]
    fn with_joined_calls_every_strategy_finds_a_function_with_a_faulty_call(
        parents in trees(60),
        labels in prop::collection::vec(any::<bool>(), 61),
        functions in prop::collection::vec(0_u32..4, 61),
    ) {
        let tree = Tree::new(&parents, &functions[..parents.len()]);
        let wrong: Vec<bool> = std::iter::once(true).chain(labels).take(parents.len() + 1).collect();
        let trusted = vec![false; parents.len() + 1];
        for strategy in Strategy::ALL {
            let mut session = Session::new(&tree);
            session.join_recursive_calls(|_| true);
            let found = loop {
                match session.next(strategy, None) {
                    Step::Ask(node) => {
                        let parent = tree.parent(node).unwrap();
                        prop_assert!(parent == ROOT || tree.function_of(parent) != tree.function_of(node));
                        let is_wrong = wrong[node.0 as usize];
                        session.answer(node, if is_wrong { Answer::Invalid } else { Answer::Valid });
                    }
                    Step::Found(node) => break node,
                    Step::NothingWrong => break ROOT,
                    end => prop_assert!(false, "{end:?}"),
                }
            };
            if found == ROOT {
                let tops = tree.children(ROOT).all(|it| !wrong[it.0 as usize]);
                prop_assert!(tops);
                continue;
            }
            let mut chain = vec![found];
            let mut is_found = false;
            while let Some(node) = chain.pop() {
                is_found |= is_faulty(&tree, node, &wrong, &trusted);
                let joined = tree.children(node).filter(|&it| session.is_joined(it));
                chain.extend(joined);
            }
            prop_assert!(is_found, "{strategy:?} {found:?}");
        }
    }

    #[test]
    fn an_answer_that_is_taken_back_was_never_given(
        parents in trees(30),
        answers in prop::collection::vec((0_usize..5, any::<prop::sample::Index>()), 1..12),
    ) {
        let functions: Vec<u32> = (0..parents.len()).map(|call| call as u32 % 7).collect();
        let tree = Tree::new(&parents, &functions);
        let mut session = Session::new(&tree);
        let mut before = Vec::new();
        for (answer, index) in answers {
            before.push(session.clone());
            let node = NodeId(index.index(parents.len()) as u32 + 1);
            session.answer(node, Answer::ALL[answer]);
        }
        while let Some(earlier) = before.pop() {
            session.undo();
            prop_assert_eq!(session.history(), earlier.history());
            prop_assert_eq!(session.focus(), earlier.focus());
            for strategy in Strategy::ALL {
                prop_assert_eq!(session.next(strategy, None), earlier.next(strategy, None));
            }
        }
    }
}

/// The most answers that a strategy may need, and the sum of those that it needs for each call that can be the faulty
/// one.
fn answers(session: &Session<'_>, strategy: Strategy, before: u32) -> (u32, u32) {
    let Step::Ask(node) = session.next(strategy, None) else {
        return (before, before);
    };
    let with = |answer| {
        let mut session = session.clone();
        session.answer(node, answer);
        answers(&session, strategy, before + 1)
    };
    let (right, wrong) = (with(Answer::Valid), with(Answer::Invalid));
    (right.0.max(wrong.0), right.1 + wrong.1)
}

/// All trees of so many calls, by the depths of their calls (Beyer and Hedetniemi, 1980): each shape once.
fn all_trees(calls: usize) -> Vec<Vec<Option<u32>>> {
    let mut depths: Vec<usize> = (0..calls).collect();
    let mut all = Vec::new();
    loop {
        let parents = (0..calls).map(|at| {
            let parent = depths[..at].iter().rposition(|&it| it + 1 == depths[at]);
            parent.and_then(|parent| u32::try_from(parent).ok())
        });
        all.push(parents.collect());
        let Some(last) = depths.iter().rposition(|&depth| depth > 1) else {
            return all;
        };
        let parent = depths[..last]
            .iter()
            .rposition(|&it| it + 1 == depths[last])
            .unwrap();
        for at in last..calls {
            depths[at] = depths[at - (last - parent)];
        }
    }
}

/// The least number of answers that any strategy takes in the worst case.
fn least(session: &Session<'_>, open: &[NodeId], enough: u32) -> u32 {
    if open.is_empty() {
        return 0;
    }
    let mut least = enough;
    for &node in open {
        let mut most = 0;
        for answer in [Answer::Valid, Answer::Invalid] {
            let mut session = session.clone();
            session.answer(node, answer);
            let left: Vec<NodeId> = session.suspicious_calls();
            most = most.max(1 + self::least(&session, &left, enough));
            if most >= least {
                break;
            }
        }
        least = least.min(most);
    }
    least
}

#[test]
fn optimal_takes_no_more_answers_than_any_strategy_must_in_the_worst_case() {
    for calls in 1..=8 {
        for parents in all_trees(calls) {
            let tree = Tree::new(&parents, &[]);
            let mut session = Session::new(&tree);
            // That the first call is wrong is why someone looks.
            session.answer(NodeId(1), Answer::Invalid);
            let (most, _) = answers(&session, Strategy::Optimal, 0);
            let least = least(&session, &session.suspicious_calls(), 20);
            assert_eq!(most, least, "{parents:?}");
        }
    }
}

#[test]
fn optimal_never_takes_more_answers_than_divide_and_query() {
    let (mut fewer, mut sums) = (0, (0, 0));
    for calls in 1..=11 {
        for parents in all_trees(calls) {
            let tree = Tree::new(&parents, &[]);
            let mut session = Session::new(&tree);
            session.answer(NodeId(1), Answer::Invalid);
            let (most_classic, classic) = answers(&session, Strategy::DivideAndQuery, 0);
            let (most_optimal, optimal) = answers(&session, Strategy::Optimal, 0);
            assert!(most_optimal <= most_classic, "{parents:?}");
            fewer += u32::from(most_optimal < most_classic);
            sums = (sums.0 + classic, sums.1 + optimal);
        }
    }
    assert!(fewer > 100 && sums.1 < sums.0, "{fewer} {sums:?}");
}

/// The next question about a large tree is chosen at once, whatever its shape.
#[test]
fn a_set_of_many_calls_is_no_matter() {
    let chain: Vec<_> = (0..100_000_u32).map(|call| call.checked_sub(1)).collect();
    let star: Vec<_> = (0..100_000_u32)
        .map(|call| (call > 0).then_some(0))
        .collect();
    for parents in [chain, star] {
        let tree = Tree::new(&parents, &[]);
        let mut session = Session::new(&tree);
        session.answer(NodeId(1), Answer::Invalid);
        for strategy in Strategy::ALL {
            assert!(matches!(session.next(strategy, None), Step::Ask(_)));
        }
    }
    // Of the widest that is ranked each call is asked about.
    let star: Vec<_> = (0..121_u32).map(|call| (call > 0).then_some(0)).collect();
    let tree = Tree::new(&star, &[]);
    let mut session = Session::new(&tree);
    session.answer(NodeId(1), Answer::Invalid);
    assert!(matches!(
        session.next(Strategy::Optimal, None),
        Step::Ask(_)
    ));
}
