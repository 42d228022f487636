//! The numbers that both directions of the wire share; [`super`] explains them.

/// The first word of a batch.
pub const MAGIC: i32 = i32::from_le_bytes(*b"QPL1");
/// How many words a batch's header has.
pub const HEADER_WORDS: usize = 8;
/// The most words that a batch may have, its header left out: 16 MB.
pub const MOST_WORDS: usize = 1 << 22;
/// Texts are not longer: here those are cut that an origin's log has. In a log that is kept they are cut at
/// [`crate::value::SHORT_TEXT`].
pub const MOST_UNITS: usize = 4096;

pub(super) const OPERAND_SHIFT: u32 = 5;
pub(super) const CODE_MASK: u32 = 31;
pub(super) const MOST_OPERAND: u32 = u32::MAX >> OPERAND_SHIFT;

/// Codes of records.
pub(crate) mod code {
    pub(crate) const TEXT: u32 = 1;
    pub(crate) const OBJECT: u32 = 2;
    pub(crate) const FUNCTION_OBJECT: u32 = 3;
    pub(crate) const SCOPE: u32 = 4;
    pub(crate) const ACTIVATION: u32 = 5;
    pub(crate) const ARGUMENTS: u32 = 6;
    pub(crate) const BRANCH_BITS: u32 = 7;
    pub(crate) const ENTER: u32 = 8;
    pub(crate) const LEAF: u32 = 9;
    pub(crate) const RETURN: u32 = 10;
    pub(crate) const RETURN_VALUE: u32 = 11;
    pub(crate) const UNWIND: u32 = 12;
    pub(crate) const THROW: u32 = 13;
    pub(crate) const CATCH: u32 = 14;
    pub(crate) const CALL_SITE: u32 = 15;
    pub(crate) const CALL_END: u32 = 16;
    pub(crate) const WRITE: u32 = 17;
    pub(crate) const WRITE_KEY: u32 = 18;
    pub(crate) const WRITE_ENTRY: u32 = 19;
    pub(crate) const ASSIGN: u32 = 20;
    pub(crate) const CREATE: u32 = 21;
    pub(crate) const BRANCH_FALSE: u32 = 22;
    pub(crate) const BRANCH_TRUE: u32 = 23;
    pub(crate) const BRANCH_CASE: u32 = 24;
    pub(crate) const STEP: u32 = 25;
    pub(crate) const CONTENTS: u32 = 26;
    pub(crate) const TASK: u32 = 27;
    pub(crate) const TASK_END: u32 = 28;
    pub(crate) const RARE: u32 = 31;
}

/// Kinds of rare records.
pub(crate) mod rare {
    pub(crate) const SUSPEND: u32 = 1;
    pub(crate) const RESUME: u32 = 2;
    pub(crate) const SETTLE: u32 = 3;
    pub(crate) const SCHEDULE: u32 = 4;
    pub(crate) const DOM: u32 = 5;
    pub(crate) const REQUEST: u32 = 6;
    pub(crate) const RESPONSE: u32 = 7;
    pub(crate) const ACTION: u32 = 8;
    pub(crate) const CONSOLE: u32 = 9;
    pub(crate) const UNCAUGHT: u32 = 10;
    pub(crate) const GAP: u32 = 11;
    pub(crate) const CLOCK: u32 = 12;
    pub(crate) const RUN_HASH: u32 = 13;
}

/// Tags of values.
pub(crate) mod tag {
    pub(crate) const CONSTANT: u32 = 0;
    pub(crate) const INTEGER: u32 = 1;
    pub(crate) const DOUBLE: u32 = 2;
    pub(crate) const STRING: u32 = 3;
    pub(crate) const LONG_STRING: u32 = 4;
    pub(crate) const OBJECT: u32 = 5;
    pub(crate) const FUNCTION: u32 = 6;
    pub(crate) const SYMBOL: u32 = 7;
    pub(crate) const BIG_INT: u32 = 8;
    pub(crate) const IDENTIFIED_STRING: u32 = 9;
}
