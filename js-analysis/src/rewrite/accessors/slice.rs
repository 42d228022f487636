//! From what a getter returns back to what it reads.

mod choices;

use std::cell::Cell;
use std::fmt::Write as _;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_common::Span;
use swc_ecma_ast::{
    AssignExpr, AssignTarget, BinaryOp, Callee, Expr, ExprOrSpread, Ident, Lit, MemberExpr,
    MemberProp, OptChainBase, SimpleAssignTarget, UnaryOp,
};

use super::super::hooks::quote;
use super::super::properties::{Key, member_key};
use super::super::rewriter::Rewriter;
use super::MOST_READS;
use super::facts::{Branch, Facts, Origin};
use crate::position::ByteOffset;
use crate::scopes::{BindingKind, Resolution, unparenthesized};
use choices::Choice;

/// Goes from what a getter returns back to what it reads. Lists are texts, `None` is what cannot be followed.
pub(super) struct Slice<'s, 'r, 'a, 'e> {
    pub(super) rewriter: &'r Rewriter<'a>,
    pub(super) facts: &'s Facts<'e>,
    /// The function's own parameters: they hold what it was given.
    pub(super) parameters: &'s [&'e Atom],
    /// Whether the last entry of the list that is being made still has the value, where this is a copy.
    pub(super) exact: &'s Cell<bool>,
    /// Whether calls are followed.
    pub(super) calls: bool,
    pub(super) followed: FxHashSet<Atom>,
    pub(super) count: usize,
    /// How many expressions deep it is: a local may have its value from itself.
    pub(super) depth: usize,
    /// How many expressions were looked at.
    pub(super) steps: usize,
    /// How many statements were looked at on all ways through the function.
    pub(super) ways: usize,
}

/// Deepest expression that is followed, through the locals that it names.
const MOST_DEPTH: usize = 48;

/// Most expressions that are looked at for one function.
const MOST_STEPS: usize = 1024;

/// A chain of properties: its root and keys, as texts.
pub(super) struct Chain {
    pub(super) shown: String,
    root: String,
    /// The variables that are its root or in its keys.
    names: Vec<Atom>,
    pub(super) keys: String,
}

impl<'e> Slice<'_, '_, '_, 'e> {
    pub(super) fn whole(mut self) -> Option<String> {
        if self.facts.is_opaque || self.facts.returned.is_empty() {
            return None;
        }
        let mut list = String::new();
        let facts = self.facts;
        for returned in &facts.returned {
            self.value(returned, &mut list)?;
        }
        // Conditions on which it depends which of these it is.
        let mut known = 0;
        loop {
            for branch in &facts.branches {
                let decides = branch.decides.returns
                    || branch
                        .decides
                        .writes
                        .iter()
                        .any(|name| self.followed.contains(name));
                if decides {
                    self.value(branch.test, &mut list)?;
                }
            }
            if self.followed.len() == known || facts.branches.is_empty() {
                return Some(list);
            }
            known = self.followed.len();
        }
    }

    pub(super) fn add(&mut self, entry: &str, list: &mut String) -> Option<()> {
        self.count += 1;
        if self.count > MOST_READS {
            return None;
        }
        if !list.is_empty() {
            list.push(',');
        }
        list.push_str(entry);
        Some(())
    }

    /// Adds what an expression's value depends on.
    pub(super) fn value(&mut self, value: &'e Expr, list: &mut String) -> Option<()> {
        self.deeper(|this| this.value_there(value, list))
    }

    fn value_there(&mut self, value: &'e Expr, list: &mut String) -> Option<()> {
        if self.is_choice(value) {
            if let Some(entry) = self.chosen(value) {
                return self.add(&entry, list);
            }
            self.exact.set(false);
        }
        match unparenthesized(value) {
            Expr::Lit(_) | Expr::This(_) | Expr::Fn(_) | Expr::Arrow(_) => Some(()),
            Expr::Ident(ident) => self.variable(&ident.sym, list),
            member @ (Expr::Member(_) | Expr::OptChain(_)) => self.property(member, list),
            Expr::Tpl(template) => template
                .exprs
                .iter()
                .try_for_each(|part| self.value(part, list)),
            Expr::Unary(unary) if unary.op != UnaryOp::Delete => self.value(&unary.arg, list),
            Expr::Bin(binary) => {
                self.value(&binary.left, list)?;
                // `this.p || (this.p = make())`: either way it is what `this.p` holds.
                let is_choice = matches!(
                    binary.op,
                    BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing
                );
                match unparenthesized(&binary.right) {
                    Expr::Assign(assign) if is_choice => self.target(assign, list),
                    other => self.value(other, list),
                }
            }
            Expr::Assign(assign) => self.target(assign, list),
            Expr::Cond(choice) => self.choice(&choice.test, &choice.cons, &choice.alt, list),
            Expr::Seq(sequence) => self.value(sequence.exprs.last()?, list),
            Expr::Array(array) => array
                .elems
                .iter()
                .flatten()
                .filter(|element| element.spread.is_none())
                .try_for_each(|element| self.value(&element.expr, list)),
            Expr::Call(call) => {
                let swc_ecma_ast::Callee::Expr(callee) = &call.callee else {
                    return None;
                };
                if self.is_reflect(callee, "get") {
                    return self.reflected(&call.args, list);
                }
                if !self.is_plain_built_in(callee) {
                    let chain = self.any_chain(value)?;
                    return self.chain(&chain, list);
                }
                call.args
                    .iter()
                    .try_for_each(|argument| self.value(&argument.expr, list))
            }
            _ => None,
        }
    }

    /// What an assignment's value depends on: what its target then holds.
    fn target(&mut self, assign: &'e AssignExpr, list: &mut String) -> Option<()> {
        match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                let chain = self.member_chain(member)?;
                self.chain(&chain, list)
            }
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                self.variable(&ident.sym, list)
            }
            _ => None,
        }
    }

    fn choice(
        &mut self,
        test: &'e Expr,
        then: &'e Expr,
        otherwise: &'e Expr,
        list: &mut String,
    ) -> Option<()> {
        if let Some(test) = self.test(test) {
            let then = self.branch(|this, inner| this.value(then, inner));
            let otherwise = self.branch(|this, inner| this.value(otherwise, inner));
            return self.add(&format!("[\"?\",{test},{then},{otherwise}]"), list);
        }
        [test, then, otherwise]
            .into_iter()
            .try_for_each(|part| self.value(part, list))
    }

    fn variable(&mut self, name: &Atom, list: &mut String) -> Option<()> {
        let facts = self.facts;
        if let Some(origins) = facts.origins.get(name) {
            if !self.followed.insert(name.clone()) {
                return Some(());
            }
            for origin in origins {
                match origin {
                    Origin::Value(value) => self.value(value, list)?,
                    Origin::Property(value, key) => {
                        let mut chain = self.any_chain(value)?;
                        let _ = write!(chain.shown, ".{key}");
                        let _ = write!(chain.keys, ",{}", quote(key));
                        self.chain(&chain, list)?;
                    }
                    Origin::Elsewhere => return None,
                }
            }
            return Some(());
        }
        let entry = self.outer_variable(name)?;
        match entry.as_str() {
            "" => Some(()),
            entry => self.add(entry, list),
        }
    }

    /// The entry for a variable declared outside the getter; empty if it cannot change.
    fn outer_variable(&self, name: &Atom) -> Option<String> {
        let rewriter = self.rewriter;
        let (p, shown) = (rewriter.prefix, quote(name));
        let resolution = rewriter.scopes.resolve(rewriter.current, name);
        let constant = || format!("[{shown},()=>{p}P(void 0,()=>{name})]");
        let author = |at| {
            let original = rewriter.names.original_name(at);
            quote(original.as_deref().unwrap_or(name))
        };
        let watched = |at| rewriter.watched_variable_named(name, at).is_some();
        if let Some(number) = self.parameter(name) {
            return Some(format!("[{shown},{number}]"));
        }
        Some(match resolution {
            Resolution::Local(index) => {
                let binding = rewriter.scopes.binding(index);
                match binding.kind {
                    BindingKind::Import => return None,
                    BindingKind::SelfName | BindingKind::Const => constant(),
                    // A parameter of a function around.
                    BindingKind::Parameter if !binding.reassigned => constant(),
                    _ if rewriter.muted() => return None,
                    _ if watched(binding.declared_at) => {
                        let shadow = rewriter.shadow(index);
                        format!("[{shown},()=>{p}P({shadow},()=>{name})]")
                    }
                    _ => format!("[{shown},{},()=>{name}]", author(binding.declared_at)),
                }
            }
            Resolution::GlobalVar(index) | Resolution::ScriptLexical(index) => {
                let binding = rewriter.scopes.binding(index);
                match binding.kind {
                    BindingKind::Const => constant(),
                    _ if watched(binding.declared_at) => {
                        format!("[{shown},()=>{p}Q({shown},()=>{name})]")
                    }
                    _ => format!("[{shown},{},()=>{name}]", author(binding.declared_at)),
                }
            }
            Resolution::Unresolved if matches!(&**name, "undefined" | "NaN" | "Infinity") => {
                String::new()
            }
            Resolution::Unresolved if rewriter.with_depth > 0 => return None,
            Resolution::Unresolved if watched(ByteOffset(u32::MAX)) => {
                format!("[{shown},()=>{p}Q({shown},()=>{name})]")
            }
            Resolution::Unresolved => format!("[{shown},{shown}]"),
        })
    }

    fn property(&mut self, member: &'e Expr, list: &mut String) -> Option<()> {
        let chain = self.any_chain(member)?;
        self.chain(&chain, list)
    }

    fn chain(&mut self, chain: &Chain, list: &mut String) -> Option<()> {
        for name in &chain.names {
            // Where another object may have come into the variable, that is a change too.
            let resolution = self.rewriter.scopes.resolve(self.rewriter.current, name);
            let is_stable = match resolution {
                Resolution::Local(index)
                | Resolution::ScriptLexical(index)
                | Resolution::GlobalVar(index) => !self.rewriter.scopes.binding(index).reassigned,
                Resolution::Unresolved => false,
            };
            if !is_stable {
                self.variable(name, list)?;
            }
        }
        if chain.keys.is_empty() {
            return Some(());
        }
        let entry = format!("[{},{}{}]", quote(&chain.shown), chain.root, chain.keys);
        self.add(&entry, list)
    }

    pub(super) fn any_chain(&mut self, value: &'e Expr) -> Option<Chain> {
        self.deeper(|this| this.any_chain_there(value))
    }

    /// Goes one expression deeper; `None` where that is too deep.
    fn deeper<T>(&mut self, there: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.steps += 1;
        if self.depth >= MOST_DEPTH || self.steps > MOST_STEPS {
            return None;
        }
        self.depth += 1;
        let result = there(self);
        self.depth -= 1;
        result
    }

    fn any_chain_there(&mut self, value: &'e Expr) -> Option<Chain> {
        match unparenthesized(value) {
            Expr::This(_) => Some(Chain {
                shown: "this".to_owned(),
                root: "()=>this".to_owned(),
                names: Vec::new(),
                keys: String::new(),
            }),
            Expr::Ident(ident) => {
                // A local holds what another expression gave.
                if let Some(origins) = self.facts.origins.get(&ident.sym) {
                    return match origins.as_slice() {
                        [Origin::Value(value)] if !is_name(value, &ident.sym) => {
                            self.any_chain(value)
                        }
                        _ => None,
                    };
                }
                let parameter = self.parameter(&ident.sym);
                Some(Chain {
                    shown: self.author(&ident.sym, ident.span),
                    root: parameter
                        .map_or_else(|| format!("()=>{}", ident.sym), |number| number.to_string()),
                    names: (parameter.is_none().then(|| ident.sym.clone()))
                        .into_iter()
                        .collect(),
                    keys: String::new(),
                })
            }
            Expr::Member(member) => self.member_chain(member),
            Expr::Call(call) if self.calls => self.call_chain(call),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => self.member_chain(member),
                OptChainBase::Call(_) => None,
            },
            choice => {
                let list = self.chosen(choice)?;
                Some(Chain {
                    shown: "(…)".to_owned(),
                    root: format!("[{list}]"),
                    names: Vec::new(),
                    keys: String::new(),
                })
            }
        }
    }

    fn member_chain(&mut self, member: &'e MemberExpr) -> Option<Chain> {
        let mut chain = self.any_chain(&member.obj)?;
        match member_key(&member.prop) {
            Key::Static(name) => {
                let _ = match &member.prop {
                    MemberProp::Ident(name) => write!(chain.shown, ".{}", name.sym),
                    MemberProp::PrivateName(name) => {
                        let author = self.author(&name.name, name.span);
                        write!(chain.shown, ".#{}", author.trim_start_matches('#'))
                    }
                    MemberProp::Computed(_) => write!(chain.shown, "[{}]", quote(&name)),
                };
                if let MemberProp::PrivateName(name) = &member.prop {
                    let key = quote(&self.rewriter.private_key_of(name));
                    let _ = write!(chain.keys, ",{key}");
                } else {
                    let _ = write!(chain.keys, ",{}", quote(&name));
                }
            }
            // A key in a variable.
            Key::Dynamic(expression) => {
                let Expr::Ident(ident) = unparenthesized(expression) else {
                    return None;
                };
                if self.facts.origins.contains_key(&ident.sym) {
                    return None;
                }
                if !self.is_parameter(&ident.sym) {
                    chain.names.push(ident.sym.clone());
                }
                let _ = write!(chain.shown, "[{}]", self.author(&ident.sym, ident.span));
                let _ = write!(chain.keys, ",()=>{}", ident.sym);
            }
        }
        Some(chain)
    }

    /// A list of its own, in which each variable is followed anew, and whose last entry has the value.
    pub(super) fn apart(
        &mut self,
        reads: impl FnOnce(&mut Self, &mut String) -> Option<()>,
    ) -> Option<String> {
        let followed = std::mem::take(&mut self.followed);
        let around = self.exact.replace(true);
        let mut inner = String::new();
        let read = reads(self, &mut inner);
        self.followed.extend(followed);
        let is_exact = self.exact.replace(around);
        read.filter(|()| is_exact).map(|()| inner)
    }

    /// A name as its author wrote it there.
    fn author(&self, name: &Atom, span: Span) -> String {
        let original = self.rewriter.names.original_name(ByteOffset(span.lo.0));
        original.unwrap_or_else(|| name.to_string())
    }

    pub(super) fn is_undefined(&self, name: &Ident) -> bool {
        let resolution = self
            .rewriter
            .scopes
            .resolve(self.rewriter.current, &name.sym);
        name.sym == "undefined" && resolution == Resolution::Unresolved
    }

    /// Whether an expression gives what is read somewhere as it is: then the last entry of its list has its value.
    pub(super) fn is_copy(&self, value: &Expr) -> bool {
        self.is_copy_within(value, MOST_DEPTH)
    }

    fn is_copy_within(&self, value: &Expr, depth: usize) -> bool {
        match unparenthesized(value) {
            Expr::Ident(name) => match self.facts.origins.get(&name.sym) {
                None => !self.is_undefined(name),
                Some(origins) => {
                    matches!(origins.as_slice(), [Origin::Value(value)]
                        if depth > 0 && !is_name(value, &name.sym) && self.is_copy_within(value, depth - 1))
                        || matches!(origins.as_slice(), [Origin::Property(..)])
                }
            },
            Expr::Member(_) => true,
            Expr::OptChain(chain) => matches!(&*chain.base, OptChainBase::Member(_)),
            Expr::Call(call) => match &call.callee {
                Callee::Expr(callee) => !self.is_plain_built_in(callee),
                _ => false,
            },
            choice => {
                depth > 0
                    && Choice::of(choice).is_some_and(|choice| {
                        choice.sides().into_iter().all(|side| {
                            self.constant(side).is_some() || self.is_copy_within(side, depth - 1)
                        })
                    })
            }
        }
    }

    /// Whether all that the function returns is read somewhere as it is, on every way by itself.
    pub(super) fn is_copied(&self) -> bool {
        let facts = self.facts;
        let decides = |branch: &Branch<'_>| branch.decides.returns;
        let is_alone = !self.parameters.is_empty() || facts.returned.len() == 1;
        is_alone
            && !facts.is_opaque
            && (!self.parameters.is_empty() || !facts.branches.iter().any(decides))
            && facts.returned.iter().all(|returned| self.is_copy(returned))
    }

    /// What `Reflect.get(object, key)` depends on.
    fn reflected(&mut self, arguments: &'e [ExprOrSpread], list: &mut String) -> Option<()> {
        let [object, key, ..] = arguments else {
            // `Reflect.get(...arguments)` in a trap.
            let [target, key, ..] = self.parameters else {
                return None;
            };
            let [only] = arguments else { return None };
            let is_all = only.spread.is_some()
                && matches!(&*only.expr, Expr::Ident(name) if name.sym == "arguments");
            let entry = format!(
                "[{},()=>{target},()=>{key}]",
                quote(&format!("{target}[{key}]"))
            );
            return if is_all { self.add(&entry, list) } else { None };
        };
        if object.spread.is_some() || key.spread.is_some() {
            return None;
        }
        let mut chain = self.any_chain(&object.expr)?;
        match unparenthesized(&key.expr) {
            Expr::Lit(Lit::Str(name)) => {
                let name = name.value.as_str()?;
                let _ = write!(chain.shown, "[{}]", quote(name));
                let _ = write!(chain.keys, ",{}", quote(name));
            }
            Expr::Ident(name) if self.is_parameter(&name.sym) => {
                let _ = write!(chain.shown, "[{}]", name.sym);
                let _ = write!(chain.keys, ",()=>{}", name.sym);
            }
            _ => return None,
        }
        self.chain(&chain, list)
    }
}

fn is_name(value: &Expr, name: &Atom) -> bool {
    matches!(unparenthesized(value), Expr::Ident(ident) if ident.sym == *name)
        || matches!(value, Expr::Lit(Lit::Null(_)))
}
