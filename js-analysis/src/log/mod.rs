//! Rewriting for the event log: a script that tells what it does.
//!
//! Hooks are insertions ([`crate::edits`]): no line moves, the author's own expressions stay as they are and are
//! evaluated in their order. What is on the right of a hook's last comma is always the author's expression.
//!
//! | what | becomes (`$QpL…` are the hooks, `$Qps3` is the number of a scope) |
//! | --- | --- |
//! | `function f(a) { k(a) }` | `function f(a) {const $Qps3=$QpLe(2,3,$Qps1,this,arguments);let $Qpv,$Qpx=0;try{ k($QpLt(a,7)) ;…}finally{$QpLx(2,$Qpx,$Qpv)}}` |
//! | `return a` | `return ($Qpv=a,$Qpx=8,$Qpv)` |
//! | `o.p = v`, `f().p = v` | `$QpLw(9,o,o.p = v)`, `$QpLw(9,$Qp1=f(),$Qp1.p = v)` |
//! | `x = v`, `let x = v` | `$QpLv(10,$Qps3,x = v)`, `let x = $QpLv(10,$Qps3,v)` |
//! | `if (a)` | `if ($QpLf(11,a))` |
//! | `await a` | `$QpLr($Qpa,await $QpLs(12,$Qpa,a))` |
//! | `new C(a)`, `{ p: v }`, `[v]` | `$QpLg(13,0,new C($QpLt(a,14)))`, `$QpLj(15,{ p: v },"p")`, `$QpLl(16,[v])` |
//!
//! A function is left through `finally`, so that exceptions are exact and keep the place that they were thrown at.
//! `$Qpx` is the `return` that was run; it is 0 while an exception leaves the function, also out of a `finally` of its
//! author. What has no hook is listed in [`LogRewritten::unlogged`].
//!
//! The numbers of functions, scopes, variables and sites are one sequence for all scripts of a log; who calls says
//! where those of a script begin.

mod calls;
mod chains;
mod classes;
mod code;
mod documents;
mod functions;
mod programs;
mod sites;
mod statements;
mod variables;
mod walk;
mod walker;
mod with_statements;
mod writes;

use std::sync::Arc;

use crate::edits::Edits;
use crate::marks::{UNMARKABLE, may_hold_mark};
pub use crate::outer_scope::NameAround;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{OriginalNames, OuterScope, RewriteError, Script, Site, UnhookedSite};

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Calls alone.
    Calls,
    /// With arguments, returned values, writes, variables, and where calls are made.
    Values,
    /// With branches, new objects and contents.
    #[default]
    All,
}

/// The number that the first of each kind in a script gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstNumbers {
    /// Of functions.
    pub function: u32,
    /// Of scopes.
    pub scope: u32,
    /// Of variables.
    pub variable: u32,
    /// Of sites.
    pub site: u32,
}

impl Default for FirstNumbers {
    fn default() -> Self {
        Self {
            function: 1,
            scope: 1,
            variable: 1,
            site: 1,
        }
    }
}

/// What is to be logged, and how.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Prefix of every introduced name; must be the agent's.
    pub prefix: String,
    /// A number for this script, unique among the scripts of one execution.
    pub script: u32,
    /// Where numbers begin.
    pub first: FirstNumbers,
    /// How much.
    pub detail: Detail,
    /// Whether it is told what changes in the document, from [`Detail::Values`] on.
    pub watches_document: bool,
    /// Whether the script is part of a document: see [`crate::rewrite::Instrumentation::in_document`].
    pub in_document: bool,
    /// What is around, in a text given to a direct `eval`.
    pub outer: Option<Arc<OuterScope>>,
    /// The number of the first call that makes code, among the sites of all scripts.
    pub first_code_site: u32,
}

/// What kind of function it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoggedFunctionKind {
    /// A declaration or expression, an arrow included.
    #[default]
    Function,
    /// The top-level code of a classic script.
    Script,
    /// The top-level code of a module.
    Module,
    /// A method.
    Method,
    /// A getter.
    Getter,
    /// A setter.
    Setter,
    /// A constructor of a class.
    Constructor,
    /// The code of an event-handler attribute.
    Handler,
}

/// A function of the script; the first is the script itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedFunction {
    /// From its first to behind its last character.
    pub span: ByteSpan,
    /// Its name, with its class as in `Cart.add`; empty: it has none.
    pub name: String,
    /// Its name as it runs, without its class: a source map may know another one.
    pub running: String,
    /// What kind it is.
    pub kind: LoggedFunctionKind,
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it is a generator.
    pub is_generator: bool,
    /// The number of the scope of its parameters and body.
    pub scope: u32,
    /// The names of its parameters; a pattern as its text.
    pub parameters: Vec<String>,
    /// A hash of its text without white space.
    pub shape: u32,
}

/// What kind of scope it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedScopeKind {
    /// A function.
    Function,
    /// A block, a loop's head, or what only names a function or class from inside.
    Block,
    /// A `catch` clause.
    Catch,
    /// A module.
    Module,
    /// Top-level declarations of a classic script.
    Script,
}

/// A scope of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedScope {
    /// The number of the scope around it; 0: none.
    pub parent: u32,
    /// The number of the function that it belongs to; 0: not known.
    pub function: u32,
    /// What kind it is.
    pub kind: LoggedScopeKind,
}

/// A variable of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedVariable {
    /// Its name, as its author wrote it.
    pub name: String,
    /// The number of the scope that holds it; 0: it is global.
    pub scope: u32,
}

/// A text as the log's tables have it: on one line, and not too long.
#[must_use]
pub fn short_text(text: &str) -> String {
    /// Texts of conditions and callees are cut.
    const LONGEST: usize = 120;
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if let Some((cut, _)) = short.char_indices().nth(LONGEST) {
            short.truncate(cut);
            short.push('…');
            break;
        }
    }
    short
}

/// What is recorded at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoggedKind {
    /// A call, `new` included.
    Call,
    /// A `return`, or where a function ends without one.
    Return,
    /// `throw`
    Throw,
    /// A `catch` clause.
    Catch,
    /// A property is written.
    Write,
    /// A variable is written.
    Assign,
    /// An object is made.
    Create,
    /// A condition.
    Branch,
    /// `await` or `yield`.
    Suspend,
}

/// A place where something is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedSite {
    /// Its first character.
    pub at: ByteOffset,
    /// What is recorded.
    pub kind: LoggedKind,
    /// The property, variable, function, class or the text of the condition; empty: only the execution knows.
    pub name: String,
    /// Where that text is, if it is one of an expression as it runs.
    pub named: Option<ByteSpan>,
    /// The number of the variable; 0: none.
    pub variable: u32,
    /// The number of the function that it is in.
    pub function: u32,
    /// The number of the innermost scope that it is in.
    pub scope: u32,
    /// Of a branch: which of its function's, from 0.
    pub branch: u32,
}

/// A script that tells what it does.
#[derive(Debug)]
pub struct LogRewritten {
    /// The edits, on offsets of the source.
    pub edits: Edits,
    /// Its functions, by number.
    pub functions: Vec<LoggedFunction>,
    /// Its scopes, by number.
    pub scopes: Vec<LoggedScope>,
    /// Its variables, by number.
    pub variables: Vec<LoggedVariable>,
    /// Its sites, by number.
    pub sites: Vec<LoggedSite>,
    /// What happens without being recorded.
    pub unlogged: Vec<UnhookedSite>,
    /// The direct calls of `eval`, by number: what their texts see.
    pub code_sites: Vec<Site>,
}

impl Script<'_> {
    /// Places the hooks of the event log.
    ///
    /// # Errors
    /// [`RewriteError::PrefixTaken`] if the source uses our names, [`RewriteError::Unmarkable`] if it holds what marks
    /// inserted text.
    pub fn logged(
        &self,
        options: &LogOptions,
        names: &dyn OriginalNames,
    ) -> Result<LogRewritten, RewriteError> {
        let source = self.source();
        if memchr::memmem::find(source.as_bytes(), options.prefix.as_bytes()).is_some() {
            return Err(RewriteError::PrefixTaken {
                prefix: options.prefix.clone(),
            });
        }
        if may_hold_mark(source) && source.contains(UNMARKABLE) {
            return Err(RewriteError::Unmarkable);
        }
        Ok(walker::rewrite(
            source,
            self.program(),
            self.scopes(),
            options,
            names,
        ))
    }
}
