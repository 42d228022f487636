//! Getters that say what they read, instead of being run.
//!
//! ```text
//! ({ get p() { return this.q } });    … get p() {if($QpGet)return $QpGet([["this.q",()=>this,"q"]]); return this.q } …
//! ({ get p() { return x ? v : 1 } });   … get p() {if($QpGet)return $QpGet([["x",…],["?",[…],[["v",…]],[]]]); …
//! ({ get p() { return f() } });       … get p() {if($QpGet)return $QpGet(); return f() } …
//! ```
//! `$QpGet` is set while the agent asks a getter, and at no other time. What it is given is a list of what the value that the
//! getter returns depends on, found by going backwards from its `return` statements:
//!
//! | entry | meaning |
//! | --- | --- |
//! | `["this.a.b",()=>this,"a","b"]` | a property, by its root and keys; a key that is in a variable is a function |
//! | `["x",()=>$QpP(…)]` | a variable and its last change |
//! | `["x","x"]` | a variable that no hook follows yet: its name |
//! | `["?",[…],[…],[…]]` | a test that is such a reference, and what is read where it holds and where it does not |
//!
//! A part that cannot be followed (a call, a loop) is `0`, and then there is no list at all, unless it is in the branch that is not
//! taken. Functions that are the value of a key `get`, and those handed to `__defineGetter__`, are getters too.

mod facts;
mod slice;

use rustc_hash::FxHashSet;
use swc_ecma_ast::{ArrowExpr, Expr, Function};

use super::Watch;
use super::functions::FunctionBodyOf;
use super::rewriter::Rewriter;
use crate::scopes::unparenthesized;
use facts::Facts;
use slice::Slice;

/// Longest list of what one getter reads; a longer one is not followed.
const MOST_READS: usize = 32;

impl Rewriter<'_> {
    /// Whether getters are made to say what they read: where it is known what is asked.
    pub(super) fn asks_getters(&self) -> bool {
        self.any_property && !matches!(self.instrumentation.watch, Watch::Standby)
    }

    /// The statement that a getter with this body, whose scope is the current one, begins with.
    pub(super) fn getter_opening(&self, body: &FunctionBodyOf<'_>) -> String {
        let facts = Facts::of(body);
        let reads = Slice {
            rewriter: self,
            facts: &facts,
            followed: FxHashSet::default(),
            count: 0,
        }
        .whole();
        let p = self.prefix;
        match reads {
            Some(reads) => format!("if({p}Get)return {p}Get([{reads}]);"),
            None => format!("if({p}Get)return {p}Get();"),
        }
    }
}

/// Whether a function that is a value can be a getter.
pub(super) fn may_be_getter(value: &Expr) -> bool {
    let plain = |function: &Function| {
        function.params.is_empty() && !function.is_async && !function.is_generator
    };
    match unparenthesized(value) {
        Expr::Fn(function) => plain(&function.function),
        Expr::Arrow(ArrowExpr {
            params,
            is_async: false,
            ..
        }) => params.is_empty(),
        _ => false,
    }
}
