//! Which answers of a former execution hold in this one, where the code of the page may have changed in between.
//!
//! An answer holds for a call of a function with the same text that was given the same and did the same
//! ([`crate::is_same_call_of`]); that a function is trusted holds as long as its text is the same. "Unknown" is no
//! answer to carry on.

use std::collections::BTreeSet;

use event_log::tables::Function;

use crate::log::LogTree;
use crate::same::{CallOf, UsesOf, is_same_call_of, is_same_text};
use crate::session::{Answer, Judged};
use crate::tree::NodeId;

/// An answer is compared with so many calls at most.
const MOST_COMPARED: usize = 2000;

/// A log, and what its functions use.
#[derive(Clone, Copy, Debug)]
pub struct Known<'l> {
    /// The log.
    pub log: &'l LogTree<'l>,
    /// What its functions use.
    pub uses: &'l UsesOf,
}

impl<'l> Known<'l> {
    const fn call(self, node: NodeId) -> CallOf<'l> {
        CallOf {
            log: self.log,
            node,
            uses: self.uses,
        }
    }
}

/// An answer that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The call of this execution, and what is said of it.
    pub judged: Judged,
    /// Which of the former answers it is.
    pub index: usize,
}

/// The answers of a former execution that hold in this one, in their order.
#[must_use]
pub fn carried(former: Known<'_>, answers: &[Judged], now: Known<'_>) -> Vec<Carried> {
    let mut found = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, judged) in answers.iter().enumerate() {
        let node = match judged.answer {
            Answer::Unknown => None,
            Answer::Trusted => calls_of_same(former, judged.node, now).next(),
            Answer::Valid | Answer::Invalid | Answer::Inadmissible => {
                let is_same = |node: &NodeId| {
                    !taken.contains(node)
                        && is_same_call_of(former.call(judged.node), now.call(*node))
                };
                let mut calls = calls_of_same(former, judged.node, now).take(MOST_COMPARED);
                calls.find(is_same)
            }
        };
        if let Some(node) = node {
            taken.insert(node);
            found.push(Carried {
                judged: Judged {
                    node,
                    answer: judged.answer,
                },
                index,
            });
        }
    }
    found
}

/// The calls of the function with the same text.
fn calls_of_same<'l>(
    former: Known<'l>,
    node: NodeId,
    now: Known<'l>,
) -> impl Iterator<Item = NodeId> + 'l {
    let function = |log: &LogTree<'l>, node| -> Option<&'l Function> {
        let call = log.call(node)?;
        log.model().tables.function(call.function)
    };
    let own = function(former.log, node);
    let all = 1..u32::try_from(now.log.tree().len().saturating_add(1)).unwrap_or(u32::MAX);
    all.map(NodeId).filter(move |&node| {
        let its = function(now.log, node);
        own.zip(its)
            .is_some_and(|(own, its)| is_same_text(own, its))
    })
}
