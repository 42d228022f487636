//! Control flow: which conditions decide whether a point is reached.
//!
//! A [`graph::FlowGraph`] is made of one function's statements and expressions, as basic blocks and the conditions
//! between them ([`builder`]). A point is *control dependent* on a condition if one outcome of it always leads to the
//! point and another may not (Ferrante, Ottenstein, Warren, *The Program Dependence Graph and Its Use in Optimization*,
//! 1987, section 3.1). Of the conditions that a point depends on, the one evaluated last before the point is the one
//! that led to it: after any other there would have been a later one, at which it became certain.
//!
//! Which one that is only the execution knows: in `if (a) do { P } while (b)` the first time round it is `a`, later
//! `b`. (*Querypoint Debugging*, section on lastCondition: "both tests are hooked".)
//!
//! ```text
//! if (a) { f(); } P            P depends on nothing here: it is reached either way
//! if (a) return; P             P depends on a
//! while (a) { if (b) P; }      P depends on b
//! x = a && P                   P depends on a
//! try { if (a) f(); } catch { P }   P depends on a, or on what led to the try block: whatever ran last before the throw
//! ```

mod builder;
mod condition;
mod function;
mod graph;
mod jumps;
mod places;
#[cfg(test)]
mod tests;
mod try_blocks;
mod walk;

pub use condition::{Condition, ConditionKind, FlowMoment, FlowPoint};

use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;

impl Script<'_> {
    /// For each of `points`, the conditions of its own function (or script, or module) on which it depends, in the
    /// order of the text. A function's flow is looked at once, however many points are in it.
    #[must_use]
    pub fn conditions_before(&self, points: &[FlowPoint]) -> Vec<Vec<Condition>> {
        function::conditions_before(self.program(), points)
    }

    /// The blocks of the `try` statements around `at` in the same function, braces included, the innermost first.
    #[must_use]
    pub fn try_blocks_around(&self, at: ByteOffset) -> Vec<ByteSpan> {
        try_blocks::try_blocks_around(self.program(), at)
    }

    /// Whether what is thrown at `at` is caught by a `catch` clause of the same function (or script, or module).
    #[must_use]
    pub fn is_caught_at(&self, at: ByteOffset) -> bool {
        try_blocks::is_caught_at(self.program(), at)
    }

    /// All conditions of the script and of the functions in it, in the order of the text.
    #[must_use]
    pub fn conditions(&self) -> Vec<Condition> {
        function::all_conditions(self.program())
    }
}
