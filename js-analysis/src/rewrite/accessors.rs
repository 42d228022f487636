//! Getters that say what they read, instead of being run.
//!
//! ```text
//! ({ get p() { return this.q } });    … get p() {if($QpGet)return $QpGet([["this.q",()=>this,"q"]],1); return this.q } …
//! ({ get p() { return x ? v : 1 } });   … get p() {if($QpGet)return $QpGet([["?",["=",[["x",…]],v=>v],[["v",…]],[["",…]]]],1); …
//! ({ get p() { return f() } });       … get p() {if($QpGet)return $QpGet([["f()",()=>f,[]]],1,0,"f()"); return f() } …
//! ({ get p() { return f``.q } });     … get p() {if($QpGet)return $QpGet("f``.q"); return f``.q } …
//! ```
//! `$QpGet` is set while the agent asks a getter, and at no other time. What it is given is a list of what the value
//! that the getter returns depends on, found by going backwards from its `return` statements:
//!
//! | entry | meaning |
//! | --- | --- |
//! | `["this.a.b",()=>this,"a","b"]` | a property, by its root and keys; a key that is in a variable is a function |
//! | `["x",()=>$QpP(…)]` | a variable and its last change |
//! | `["x","x"]` | a variable that no hook follows yet: its name |
//! | `["?",…,[…],[…]]` | a test, and what is read where it holds and where it does not |
//! | `["=",[["this.p",…]],v=>v!==null]` | a test of what is read |
//! | `["!",…]`, `["&",…,…]`, `["\|",…,…]` | not, and, or |
//!
//! A call is a step of such a list: `["this.m(1).p",()=>this,"m",[()=>1],"p"]`. The function that is called is asked
//! in the same way, with these arguments, if it says what it reads: in the first execution only getters do, and where
//! one calls something, all plain functions do in the next one ([`super::Instrumentation::opens_functions`]). An
//! argument is a function that gives its value, or the list of what it is read from. Where all that a function
//! returns is read from somewhere as it is, a `1` follows the list: the value of its last entry is the function's.
//! And another `1` follows where the function calls something besides, or writes a property: that may change what it
//! returns. A getter that calls something adds the text of what it returns.
//!
//! A part that cannot be followed (a computation in an argument, a loop) is `0`, and then there is no list at all,
//! unless it is in the branch that is not taken; instead of it the text of what is returned is handed over, for people.
//! Functions that are the value of a key `get`, and those handed to `__defineGetter__`, are getters too.
//!
//! A function that is the value of a key `get` and has parameters may be the trap of a proxy: `get(target, key) { … }`.
//! It is asked with the arguments that the read would give it, so its parameters are known, and so is what they alone
//! decide:
//!
//! | entry | meaning |
//! | --- | --- |
//! | `["~",()=>key==="p"]` | a test of nothing but parameters and literals |
//! | `["~in",()=>target,()=>key]` | a test whether a parameter has the property that another one names |
//! | `["(…).q",[…],"q"]` | a property of what a list gives |
//! | `["p",0]`, `["p.q",0,"q"]` | the first parameter, a property of it |

mod calls;
mod facts;
mod slice;
mod ways;

use std::cell::Cell;

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
        self.any_property && !matches!(self.instrumentation.watch, Watch::Standby | Watch::Live)
    }

    /// Whether every plain function says what it reads: a getter that is asked calls some of them.
    pub(super) fn opens_functions(&self) -> bool {
        self.instrumentation.opens_functions && self.asks_getters()
    }

    /// The statement that a getter with this body, or a function that a getter may call, begins with. Its scope is the
    /// current one.
    pub(super) fn opening(&self, body: &FunctionBodyOf<'_>, parameters: &[&Atom]) -> String {
        let facts = Facts::of(body);
        let exact = Cell::new(true);
        let slice = |calls| Slice {
            rewriter: self,
            facts: &facts,
            parameters,
            exact: &exact,
            calls,
            followed: FxHashSet::default(),
            count: 0,
            depth: 0,
            steps: 0,
            ways: 0,
        };
        // Without calls first: then nothing depends on what a branch that is not taken calls.
        let followed = |list: &dyn Fn() -> Option<String>| {
            exact.set(true);
            list()
        };
        let mut calls = false;
        let reads = match parameters {
            [] => followed(&|| slice(false).whole()).or_else(|| {
                calls = true;
                followed(&|| slice(true).by_ways(body))
                    .or_else(|| followed(&|| slice(true).whole()))
            }),
            _ => followed(&|| slice(true).by_ways(body)),
        };
        let is_copied = exact.get() && slice(true).is_copied();
        let p = self.prefix;
        match (reads, self.returned_text(body)) {
            (Some(reads), text) => {
                let more = match (text.filter(|_| calls), is_copied, facts.has_effects) {
                    (Some(text), is_copied, has_effects) => {
                        format!(",{},{},{text}", u8::from(is_copied), u8::from(has_effects))
                    }
                    (None, false, false) => String::new(),
                    (None, true, false) => ",1".to_owned(),
                    (None, is_copied, true) => format!(",{},1", u8::from(is_copied)),
                };
                format!("if({p}Get)return {p}Get([{reads}]{more});")
            }
            (None, Some(text)) => format!("if({p}Get)return {p}Get({text});"),
            (None, None) => format!("if({p}Get)return {p}Get();"),
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

/// Most parameters of a function that a getter calls.
const MOST_PARAMETERS_CALLED: usize = 8;

/// Whether a function that a getter calls can be asked what it reads.
pub(super) fn can_be_asked(function: &Function) -> bool {
    function.params.len() <= MOST_PARAMETERS_CALLED && !function.is_async && !function.is_generator
}

/// Whether a function is called as it is, with parameters that are nothing but names.
pub(super) fn is_plain(function: &Function) -> bool {
    function.params.len() <= MOST_PARAMETERS
        && function
            .params
            .iter()
            .all(|parameter| parameter.pat.is_ident())
        && !function.is_async
        && !function.is_generator
}
