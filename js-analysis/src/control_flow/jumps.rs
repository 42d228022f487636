//! Jumps, and where they lead.

use std::rc::Rc;

use swc_atoms::Atom;
use swc_ecma_ast::BlockStmt;

use super::graph::Block;

/// Where jumps lead, the innermost last.
#[derive(Clone)]
pub(super) enum Target {
    /// A loop or `switch`, with its labels: where `break` and (in a loop) `continue` go.
    Breakable {
        labels: Vec<Atom>,
        exit: Block,
        next: Option<Block>,
    },
    /// A labelled statement that is neither.
    Labelled { label: Atom, exit: Block },
    /// A `finally` block that a jump has to go through. A visitor's nodes do not outlive the visit, so it is a copy.
    Finally(Rc<BlockStmt>),
    /// A `catch` clause.
    Catch(Block),
}

/// What a jump looks for.
#[derive(Clone, Copy)]
pub(super) enum Jump<'l> {
    Break(Option<&'l Atom>),
    Continue(Option<&'l Atom>),
    Throw,
    Return,
}

impl Jump<'_> {
    /// Where it goes, if it is to this target.
    pub(super) fn to(self, target: &Target) -> Option<Block> {
        match (self, target) {
            (Jump::Break(None), Target::Breakable { exit, .. }) => Some(*exit),
            (Jump::Break(Some(wanted)), Target::Breakable { labels, exit, .. }) => {
                labels.contains(wanted).then_some(*exit)
            }
            (Jump::Break(Some(wanted)), Target::Labelled { label, exit }) => {
                (label == wanted).then_some(*exit)
            }
            (Jump::Continue(wanted), Target::Breakable { labels, next, .. }) => {
                let is_meant = wanted.is_none_or(|wanted| labels.contains(wanted));
                next.filter(|_| is_meant)
            }
            (Jump::Throw, Target::Catch(clause)) => Some(*clause),
            _ => None,
        }
    }
}
