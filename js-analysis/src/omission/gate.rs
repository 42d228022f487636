//! A decision on the way to a place, and all of them.

pub use super::jumps::GateKind;
use crate::control_flow::Condition;
use crate::position::{ByteOffset, ByteSpan};

/// A decision on the way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// What kind it is.
    pub kind: GateKind,
    /// The decision: a test, the head of a loop, a `return` that nothing decides.
    pub decision: ByteSpan,
    /// Where the page can be paused just before it is decided.
    pub pause: ByteOffset,
    /// How often it was reached.
    pub before: u64,
    /// How often it led towards the place.
    pub after: u64,
    /// How it came out when it led away. Of a loop, an `await`: `false`.
    pub held: bool,
    /// The statement that left, if it is not the decision itself.
    pub jump: Option<ByteSpan>,
    /// The parts of the decision whose values say why.
    pub operands: Vec<ByteSpan>,
    /// The condition to be turned round, where one can be, and how it comes out then.
    pub flip: Option<(Condition, bool)>,
    /// Of a `catch` clause: the statements of its `try` block.
    pub tried: Vec<ByteSpan>,
}

impl Gate {
    /// How often it led away.
    #[must_use]
    pub fn away(&self) -> u64 {
        self.before.saturating_sub(self.after)
    }

    /// The statements of which one threw.
    pub(super) fn tried_if_caught(&self) -> Vec<ByteSpan> {
        match self.kind {
            GateKind::Caught => self.tried.clone(),
            _ => Vec::new(),
        }
    }
}

/// The function (or script, or module) around a place, and the decisions in it on the way there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WayTo {
    /// The function; `None`: the place is at the top level.
    pub function: Option<ByteSpan>,
    /// How often it was called, or the script ran.
    pub entered: u64,
    /// How often the place was reached, as far as the counts say.
    pub count: u64,
    /// From the outside in.
    pub gates: Vec<Gate>,
    /// The innermost default value that the place is in. A browser does not count it apart.
    pub default: Option<Gate>,
}
