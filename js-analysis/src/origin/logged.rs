//! What is at the places that the event log names: the expression whose value was written, returned, thrown or
//! handed over there.
//!
//! The log knows a place by its first character, what is recorded there ([`LoggedKind`]) and a name
//! ([`LoggedSite`](crate::log::LoggedSite)). Calls may begin at the same character (`a.b().c()`): the name, the text of
//! what is called, tells them apart. Where that does not, nothing is said.

mod collector;
mod visit;

use rustc_hash::FxHashMap;
use swc_ecma_visit::VisitWith;

use super::logged::collector::Collector;
use super::reading::Reading;
use super::value::{Argument, Call, Value};
use super::{PathStep, Written};
use crate::log::LoggedKind;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
use crate::scopes::{BindingIndex, BindingKind, EvalVariables, Resolution, ScopeIndex, ScopeKind};

/// What is at a place of the log.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedPlace {
    /// A variable or property is written.
    Written {
        /// What is written.
        written: Written,
        /// Where the write begins.
        at: ByteOffset,
        /// Of a property its key as it runs, where the text says it.
        key: Option<String>,
        /// Of a property in brackets the expression that its key is.
        key_value: Option<Box<Value>>,
        /// Of a property the expression whose property it is, where it is before a dot or brackets.
        owner: Option<Box<Value>>,
    },
    /// A function is called, or `new` makes an object.
    Call(Box<Call>),
    /// An array literal: its elements, `None` is a hole.
    Array(Vec<Option<Argument>>),
    /// An object literal: its properties, and where each begins.
    Object(Vec<(ByteOffset, LoggedProperty)>),
    /// `return`, or a function ends; what it returns.
    Return(Option<Value>),
    /// `throw`
    Throw(Value),
    /// `await value`, or `yield value`.
    Suspend {
        /// The value.
        value: Option<Value>,
        /// Whether it is `yield`.
        is_yield: bool,
        /// Whether it is `yield*`.
        delegates: bool,
    },
}

/// A property of an object literal.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedProperty {
    /// `key: value`
    Value(String, Value),
    /// `...value`
    Spread(Value),
    /// A method, a getter or a setter with this key.
    Function(String),
    /// Its key is computed.
    Computed {
        /// The expression that is the key, if there is one.
        key: Option<Value>,
        /// Its value, if it is no method or accessor.
        value: Option<Value>,
    },
}

/// A variable, as the log numbers them: see [`FirstNumbers`](crate::log::FirstNumbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedName {
    /// A variable of a scope; both numbers count from that of the script's first.
    Local {
        /// The variable.
        variable: u32,
        /// The scope that declares it.
        scope: u32,
    },
    /// A global variable; `None`: this script does not declare it.
    Global(Option<u32>),
    /// A name that a text given to `eval` does not declare: what that is in the code around
    /// ([`OuterScope::seen_name`](crate::rewrite::OuterScope::seen_name)).
    Around,
    /// What a text that is not strict declares at its top by `var` or as a function: where the function around declares
    /// it too, it is that one ([`OuterScope::declared_name`](crate::rewrite::OuterScope::declared_name)). The numbers
    /// are those of [`LoggedName::Local`].
    Declared {
        /// The variable.
        variable: u32,
        /// The scope of the text.
        scope: u32,
    },
    /// `with` or `eval` may make it another one.
    Unsure,
}

/// What is at the places of one script.
#[derive(Debug, Default)]
pub struct LoggedCode {
    places: FxHashMap<(u32, LoggedKind), Vec<(String, LoggedPlace)>>,
    /// By the span of a test's value: where the log's place is, and its name.
    tests: FxHashMap<(u32, u32), (u32, String)>,
    /// The `for-of` loops, by what they iterate: where each is, and whether it is a `for await`.
    loops: FxHashMap<(u32, u32), (ByteSpan, bool)>,
    /// The names of calls by their spans.
    calls: FxHashMap<(u32, u32), (u32, String)>,
    /// By where functions begin that `Object.defineProperty` makes getters or setters: the key, if it is a literal.
    accessors: FxHashMap<u32, (String, bool)>,
    /// The objects of `with` statements, by the spans of their bodies.
    with_objects: FxHashMap<(u32, u32), Value>,
    /// Keys that are computed, by their spans.
    keys: FxHashMap<(u32, u32), Value>,
    /// By the span of a function that is an argument: the calls that it is given to, and as which argument.
    handed_over: FxHashMap<u32, Vec<(ByteSpan, usize)>>,
}

impl LoggedCode {
    /// What is at a place; `None`: nothing, or that cannot be said.
    #[must_use]
    pub fn at(&self, at: ByteOffset, kind: LoggedKind, name: &str) -> Option<&LoggedPlace> {
        let known = self.places.get(&(at.0, kind))?;
        if let [(_, only)] = known.as_slice() {
            return Some(only);
        }
        let mut named = known.iter().filter(|(own, _)| own == name);
        match (named.next(), named.next()) {
            (Some((_, only)), None) => Some(only),
            _ => None,
        }
    }

    /// The place and name of a test, by the span of the value that is tested.
    #[must_use]
    pub fn test(&self, value: ByteSpan) -> Option<(ByteOffset, &str)> {
        let (at, name) = self.tests.get(&(value.start.0, value.end.0))?;
        Some((ByteOffset(*at), name))
    }

    /// The `for-of` loop that iterates the value of an expression, and whether it is a `for await`.
    #[must_use]
    pub fn loop_over(&self, iterated: ByteSpan) -> Option<(ByteSpan, bool)> {
        let key = (iterated.start.0, iterated.end.0);
        self.loops.get(&key).copied()
    }

    /// The place and name of a call, by its span.
    #[must_use]
    pub fn call(&self, span: ByteSpan) -> Option<(ByteOffset, &str)> {
        let (at, name) = self.calls.get(&(span.start.0, span.end.0))?;
        Some((ByteOffset(*at), name))
    }

    /// A key that is computed: the expression in `o[expression]`.
    #[must_use]
    pub fn key(&self, span: ByteSpan) -> Option<&Value> {
        self.keys.get(&(span.start.0, span.end.0))
    }

    /// Whether there is a `with` statement.
    #[must_use]
    pub fn has_with(&self) -> bool {
        !self.with_objects.is_empty()
    }

    /// The object of the `with` statement that has this body.
    #[must_use]
    pub fn with_object(&self, body: ByteSpan) -> Option<&Value> {
        self.with_objects.get(&(body.start.0, body.end.0))
    }

    /// The key of which `Object.defineProperty` makes the function that begins at `function` a getter (`true`) or a
    /// setter.
    #[must_use]
    pub fn accessor(&self, function: ByteOffset) -> Option<(&str, bool)> {
        let (key, is_getter) = self.accessors.get(&function.0)?;
        Some((key, *is_getter))
    }

    /// The calls that a function is an argument of which begins at `function`, and which argument it is.
    #[must_use]
    pub fn handed_over(&self, function: ByteOffset) -> &[(ByteSpan, usize)] {
        self.handed_over.get(&function.0).map_or(&[], Vec::as_slice)
    }
}

impl Script<'_> {
    /// What is at the places that the event log names.
    #[must_use]
    pub fn logged_code(&self) -> LoggedCode {
        let mut collector = Collector {
            source: self.source(),
            reading: Reading {
                scopes: self.scopes(),
            },
            code: LoggedCode::default(),
        };
        self.program().visit_with(&mut collector);
        collector.code
    }

    /// The scope at `at`, and what `name` means there.
    fn resolved(&self, at: ByteOffset, name: &str) -> (ScopeIndex, Resolution) {
        let scopes = self.scopes();
        let from = scopes.innermost_at(at);
        (from, scopes.resolve(from, &name.into()))
    }

    /// Whether the variable that the event log gives this number, counted from the script's first, is declared by
    /// `let`, `const` or as a class at the top of a classic script: it is no property of the global object.
    #[must_use]
    pub fn is_lexical(&self, variable: u32) -> bool {
        let scopes = self.scopes();
        let is_declared = (variable as usize) < scopes.bindings.len();
        let resolution = is_declared.then(|| scopes.resolution_of(BindingIndex(variable)));
        matches!(resolution, Some(Resolution::ScriptLexical(_)))
    }

    /// The variable that `name` means at `at`.
    #[must_use]
    pub fn logged_name(&self, at: ByteOffset, name: &str) -> LoggedName {
        let (from, resolution) = self.resolved(at, name);
        if self.scopes().crosses_with(from, resolution) {
            return LoggedName::Unsure;
        }
        self.logged_name_behind_with(at, name)
    }

    /// The variable that `name` means at `at` where no object of a `with` around has it.
    #[must_use]
    pub fn logged_name_behind_with(&self, at: ByteOffset, name: &str) -> LoggedName {
        let scopes = self.scopes();
        let (from, resolution) = self.resolved(at, name);
        let in_function = ScopeKind::Eval(EvalVariables::Function);
        let is_of_function = scopes.scope(ScopeIndex::ROOT).kind == in_function;
        if is_of_function && resolution == Resolution::Unresolved {
            let mut inside = scopes.chain(from);
            return match inside.any(|scope| scopes.scope(scope).eval_declares) {
                true => LoggedName::Unsure,
                false => LoggedName::Around,
            };
        }
        if scopes.crosses_eval(from, resolution) {
            return LoggedName::Unsure;
        }
        match resolution {
            Resolution::Local(found) => {
                let binding = scopes.binding(found);
                let (variable, scope) = (found.0, binding.scope.0);
                let is_var = matches!(binding.kind, BindingKind::Var | BindingKind::Function);
                match is_of_function && is_var && binding.scope == ScopeIndex::ROOT {
                    true => LoggedName::Declared { variable, scope },
                    false => LoggedName::Local { variable, scope },
                }
            }
            Resolution::GlobalVar(binding) | Resolution::ScriptLexical(binding) => {
                LoggedName::Global(Some(binding.0))
            }
            Resolution::Unresolved => match scopes.scope(ScopeIndex::ROOT).kind {
                ScopeKind::Eval(_) => LoggedName::Around,
                _ => LoggedName::Global(None),
            },
        }
    }

    /// Where the class or function begins whose own name `name` is at `at`: of `class A {}` what `A` is inside.
    #[must_use]
    pub fn self_name(&self, at: ByteOffset, name: &str) -> Option<ByteOffset> {
        let (from, resolution) = self.resolved(at, name);
        let scopes = self.scopes();
        let Resolution::Local(binding) = resolution else {
            return None;
        };
        let binding = scopes.binding(binding);
        let is_own =
            binding.kind == BindingKind::SelfName && !scopes.crosses_with(from, resolution);
        is_own.then_some(binding.declared_at)
    }

    /// The bodies of the `with` statements whose objects may have what `name` means at `at`, the innermost first.
    #[must_use]
    pub fn with_bodies(&self, at: ByteOffset, name: &str) -> Vec<ByteSpan> {
        let (from, resolution) = self.resolved(at, name);
        self.scopes().with_bodies(from, resolution)
    }

    /// The number of the innermost scope at `at`, counted from that of the script.
    #[must_use]
    pub fn logged_scope(&self, at: ByteOffset) -> u32 {
        self.scopes().innermost_at(at).0
    }
}

/// Whether a way leads through a rest element.
#[must_use]
pub fn has_rest(path: &[PathStep]) -> bool {
    path.iter().any(|step| matches!(step, PathStep::Rest(_)))
}
