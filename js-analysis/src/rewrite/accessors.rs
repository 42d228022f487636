//! Getters that say what they read, instead of being run.
//!
//! ```text
//! ({ get p() { return this.q } });    … get p() {if($QpGet)return $QpGet([["this.q",()=>this,"q"]]); return this.q } …
//! ({ get p() { return x ? v : 1 } });   … get p() {if($QpGet)return $QpGet([["x",…],["?",[…],[["v",…]],[]]]); …
//! ({ get p() { return f() } });       … get p() {if($QpGet)return $QpGet("f()"); return f() } …
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
//! taken; instead of it the text of what is returned is handed over, for people. Functions that are the value of a key
//! `get`, and those handed to `__defineGetter__`, are getters too.
//!
//! A function that is the value of a key `get` and has parameters may be the trap of a proxy: `get(target, key) { … }`.
//! It is
//! asked with the arguments that the read would give it, so its parameters are known, and so is what they alone decide:
//!
//! | entry | meaning |
//! | --- | --- |
//! | `["?",[["~",()=>key==="p"]],[…],[…]]` | a test of nothing but parameters and literals |
//! | `["?",[["~in",()=>target,()=>key]],[…],[…]]` | whether a parameter has the property that another one names |

mod facts;
mod slice;
mod ways;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{ArrowExpr, Expr, Function, MethodProp, Pat, Stmt};

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
    pub(super) fn getter_opening(&self, body: &FunctionBodyOf<'_>, parameters: &[&Atom]) -> String {
        let facts = Facts::of(body);
        let slice = Slice {
            rewriter: self,
            facts: &facts,
            parameters,
            followed: FxHashSet::default(),
            count: 0,
            ways: 0,
        };
        let reads = match parameters {
            [] => slice.whole(),
            _ => slice.by_ways(body),
        };
        let p = self.prefix;
        match reads {
            Some(reads) => format!("if({p}Get)return {p}Get([{reads}]);"),
            None => format!(
                "if({p}Get)return {p}Get({});",
                self.returned_text(body).unwrap_or_default()
            ),
        }
    }

    /// What a function returns last, as its author wrote it, as a literal; `None` if it is on several lines.
    fn returned_text(&self, body: &FunctionBodyOf<'_>) -> Option<String> {
        const LONGEST: usize = 80;
        let returned = match body {
            FunctionBodyOf::Expression(expression) => *expression,
            FunctionBodyOf::Statements { statements, .. } => {
                statements.iter().rev().find_map(|it| match it {
                    Stmt::Return(returned) => returned.arg.as_deref(),
                    _ => None,
                })?
            }
        };
        let text = self.text(returned);
        let is_short = text.len() <= LONGEST && !text.is_empty() && !text.contains(['\n', '\r']);
        is_short.then(|| serde_json::Value::from(text).to_string())
    }
}

/// Whether a function that is a value can be a getter.
pub(super) fn may_be_getter(value: &Expr) -> bool {
    match unparenthesized(value) {
        Expr::Fn(function) => is_plain(&function.function),
        Expr::Arrow(ArrowExpr {
            params,
            is_async: false,
            ..
        }) => params.len() <= MOST_PARAMETERS && params.iter().all(Pat::is_ident),
        _ => false,
    }
}

/// Whether the method `get` of a literal can be a getter, or the trap of a proxy.
pub(super) fn may_be_trap(method: &MethodProp) -> bool {
    is_plain(&method.function)
}

/// A trap is given its target, the key and the receiver.
const MOST_PARAMETERS: usize = 3;

/// Whether a function is called as it stands, with parameters that are nothing but names.
pub(super) fn is_plain(function: &Function) -> bool {
    function.params.len() <= MOST_PARAMETERS
        && function
            .params
            .iter()
            .all(|parameter| parameter.pat.is_ident())
        && !function.is_async
        && !function.is_generator
}
