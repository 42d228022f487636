//! What the conditions of a function are, and at which points they are asked for.

use crate::position::{ByteOffset, ByteSpan};

/// One place at which the way that execution takes is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// Its text: a test, the left operand of `&&`, the head of a loop. For [`ConditionKind::Case`] from `case` to the
    /// end of the test.
    pub span: ByteSpan,
    /// What decides.
    pub kind: ConditionKind,
}

/// What kind of condition it is, which says how a hook is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    /// The test of `if`, `?:`, `while`, `do-while` or `for`, or the left operand of `&&`, `||` or `??`: an expression.
    Test,
    /// A case of a `switch`: whether it is the one that matches.
    Case,
    /// The step of a `for-in` or `for-of` loop that gave an iteration.
    Step,
    /// The target of `&&=`, `||=` or `??=`: whether it is assigned to.
    Assignment,
    /// What is before `?.`: whether the chain goes on.
    Chain,
}

/// A point of a script, for its control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPoint {
    /// The first character of the statement or expression.
    pub at: ByteOffset,
    /// When.
    pub moment: FlowMoment,
}

/// A moment in the execution of a statement or expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowMoment {
    /// Just before it begins.
    Start,
    /// When it has its effect: the write of an assignment, the call of a call expression.
    Effect,
    /// When the condition that begins there has been evaluated.
    Decision,
}
