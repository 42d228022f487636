//! Whether a call is the same as one that was judged: the same function, given the same and with the same result.
//!
//! What a call is given is more than its arguments: `this` and the variables around it, where the functions that ran
//! use them, and all objects that these reach. Numbers of objects do not count: those of the one call represent those
//! of the other. Where a log has not all of it (objects that it did not see being made, built-ins whose result or
//! effect depends on something else, what waits), two calls are not said to be the same.
//!
//! The two calls may be of two logs, of two versions of a page ([`is_same_call_of`]). Functions are the same then if
//! their names and their texts are; what they call may have changed, for what came of it is compared.

mod pair;

use std::collections::HashMap;

use event_log::ids::FunctionId;

use crate::log::LogTree;
use crate::tree::NodeId;
use pair::Pair;
pub(crate) use pair::is_same_text;

/// What a function uses that is declared outside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Names of variables.
    pub names: Vec<String>,
    /// Whether it uses `this`.
    pub this: bool,
}

/// What the functions of a log use, as far as that is known.
pub type UsesOf = HashMap<FunctionId, Uses>;

/// A call of a log, and what the functions of that log use.
#[derive(Clone, Copy, Debug)]
pub struct CallOf<'l> {
    /// The log.
    pub log: &'l LogTree<'l>,
    /// The call.
    pub node: NodeId,
    /// What its functions use.
    pub uses: &'l UsesOf,
}

/// Whether two calls of a log are the same.
#[must_use]
pub fn is_same_call(log: &LogTree<'_>, one: NodeId, two: NodeId, uses: &UsesOf) -> bool {
    let of = |node| CallOf { log, node, uses };
    Pair::new(of(one), of(two), true).is_some_and(Pair::compare)
}

/// Whether two calls of two logs are the same.
#[must_use]
pub fn is_same_call_of(one: CallOf<'_>, two: CallOf<'_>) -> bool {
    Pair::new(one, two, false).is_some_and(Pair::compare)
}
