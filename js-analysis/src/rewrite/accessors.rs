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

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AssignTarget, BinaryOp, Decl, Expr, Function, Lit, MemberExpr,
    MemberProp, ObjectPatProp, OptChainBase, Pat, ReturnStmt, SimpleAssignTarget, Stmt, UnaryOp,
    UpdateExpr, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::functions::FunctionBodyOf;
use super::hooks::quote;
use super::properties::{Key, member_key};
use super::rewriter::Rewriter;
use super::{Watch, private_key};
use crate::position::ByteOffset;
use crate::scopes::{BindingKind, Resolution, unparenthesized};

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

/// Where a local variable of the getter has its value from.
#[derive(Clone, Debug)]
enum Origin<'e> {
    /// From an expression.
    Value(&'e Expr),
    /// From a property of the value of an expression.
    Property(&'e Expr, Atom),
    /// From somewhere that is not followed.
    Elsewhere,
}

/// A condition on which statements are run.
struct Branch<'e> {
    test: &'e Expr,
    decides: Effects,
}

/// What statements do that matters to the value a function returns.
#[derive(Default)]
struct Effects {
    returns: bool,
    writes: FxHashSet<Atom>,
}

/// What a getter's body says, in statements.
#[derive(Default)]
struct Facts<'e> {
    returned: Vec<&'e Expr>,
    origins: FxHashMap<Atom, Vec<Origin<'e>>>,
    branches: Vec<Branch<'e>>,
    /// A `return` stands in a statement that is not followed.
    is_opaque: bool,
}

impl<'e> Facts<'e> {
    fn of(body: &FunctionBodyOf<'e>) -> Self {
        let mut facts = Self::default();
        match body {
            FunctionBodyOf::Expression(expression) => facts.returned.push(expression),
            FunctionBodyOf::Statements { statements, .. } => {
                for statement in *statements {
                    facts.statement(statement);
                }
                // A local that is also written inside an expression is not followed.
                let mut all = Effects::default();
                statements.visit_with(&mut NestedWrites(&mut all));
                for name in all.writes {
                    if let Some(origins) = facts.origins.get_mut(&name) {
                        origins.push(Origin::Elsewhere);
                    }
                }
            }
        }
        facts
    }

    fn statement(&mut self, statement: &'e Stmt) {
        match statement {
            Stmt::Block(block) => block
                .stmts
                .iter()
                .for_each(|statement| self.statement(statement)),
            Stmt::Return(returned) => {
                if let Some(value) = &returned.arg {
                    self.returned.push(value);
                }
            }
            Stmt::If(choice) => {
                let mut decides = Effects::default();
                choice.cons.visit_with(&mut AllEffects(&mut decides));
                choice.alt.visit_with(&mut AllEffects(&mut decides));
                let test = &choice.test;
                self.branches.push(Branch { test, decides });
                self.statement(&choice.cons);
                if let Some(alternative) = &choice.alt {
                    self.statement(alternative);
                }
            }
            Stmt::Decl(Decl::Var(declaration)) => {
                for declarator in &declaration.decls {
                    self.declarator(declarator);
                }
            }
            Stmt::Expr(statement) => {
                if let Expr::Assign(assign) = unparenthesized(&statement.expr)
                    && let Some(name) = plain_target(assign)
                {
                    self.origin(name, Origin::Value(&assign.right));
                }
            }
            Stmt::Decl(_) | Stmt::Empty(_) | Stmt::Throw(_) | Stmt::Debugger(_) => {}
            other => {
                let mut effects = Effects::default();
                other.visit_with(&mut AllEffects(&mut effects));
                self.is_opaque |= effects.returns;
                for name in effects.writes {
                    self.origin(&name, Origin::Elsewhere);
                }
            }
        }
    }

    fn origin(&mut self, name: &Atom, origin: Origin<'e>) {
        self.origins.entry(name.clone()).or_default().push(origin);
    }

    fn declarator(&mut self, declarator: &'e VarDeclarator) {
        match (&declarator.name, &declarator.init) {
            (Pat::Ident(ident), Some(value)) => self.origin(&ident.sym, Origin::Value(value)),
            (Pat::Ident(ident), None) => {
                self.origins.entry(ident.sym.clone()).or_default();
            }
            (Pat::Object(pattern), Some(value)) => {
                for property in &pattern.props {
                    match property {
                        ObjectPatProp::Assign(short) if short.value.is_none() => {
                            let name = short.key.sym.clone();
                            self.origin(&short.key.sym, Origin::Property(value, name));
                        }
                        ObjectPatProp::KeyValue(pair) => {
                            self.elsewhere(&pair.value);
                        }
                        ObjectPatProp::Assign(short) => {
                            self.origin(&short.key.sym, Origin::Elsewhere);
                        }
                        ObjectPatProp::Rest(rest) => self.elsewhere(&rest.arg),
                    }
                }
            }
            (pattern, _) => self.elsewhere(pattern),
        }
    }

    fn elsewhere(&mut self, pattern: &Pat) {
        crate::scopes::for_each_binding(pattern, &mut |name, _| {
            self.origins
                .entry(name.clone())
                .or_default()
                .push(Origin::Elsewhere);
        });
    }
}

/// The name that `name = value` writes.
fn plain_target(assign: &AssignExpr) -> Option<&Atom> {
    match &assign.left {
        AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => Some(&ident.sym),
        _ => None,
    }
}

/// Collects all effects of statements; functions inside are left out.
struct AllEffects<'f>(&'f mut Effects);

impl Visit for AllEffects<'_> {
    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        self.0.returns = true;
        statement.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let writes = &mut self.0.writes;
        crate::scopes::for_each_binding(&declarator.name, &mut |name, _| {
            writes.insert(name.clone());
        });
        declarator.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        written(assign, &mut self.0.writes);
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Ident(ident) = unparenthesized(&update.arg) {
            self.0.writes.insert(ident.sym.clone());
        }
    }
}

/// Collects the names that are written inside expressions, not by a statement of their own.
struct NestedWrites<'f>(&'f mut Effects);

impl Visit for NestedWrites<'_> {
    fn visit_expr_stmt(&mut self, statement: &swc_ecma_ast::ExprStmt) {
        match unparenthesized(&statement.expr) {
            Expr::Assign(assign)
                if assign.op == swc_ecma_ast::AssignOp::Assign
                    && plain_target(assign).is_some() =>
            {
                assign.right.visit_with(self);
            }
            other => other.visit_with(self),
        }
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        written(assign, &mut self.0.writes);
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Ident(ident) = unparenthesized(&update.arg) {
            self.0.writes.insert(ident.sym.clone());
        }
    }
}

fn written(assign: &AssignExpr, writes: &mut FxHashSet<Atom>) {
    let mut add = |name: &Atom, _: ByteOffset| {
        writes.insert(name.clone());
    };
    match &assign.left {
        AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => add(&ident.sym, ByteOffset(0)),
        AssignTarget::Pat(swc_ecma_ast::AssignTargetPat::Object(object)) => {
            crate::scopes::for_each_object_binding(object, &mut add);
        }
        AssignTarget::Pat(swc_ecma_ast::AssignTargetPat::Array(array)) => {
            for element in array.elems.iter().flatten() {
                crate::scopes::for_each_binding(element, &mut add);
            }
        }
        _ => {}
    }
}

/// Goes from what a getter returns back to what it reads. Lists are texts, `None` is what cannot be followed.
struct Slice<'s, 'r, 'a, 'e> {
    rewriter: &'r Rewriter<'a>,
    facts: &'s Facts<'e>,
    followed: FxHashSet<Atom>,
    count: usize,
}

/// A chain of properties: its root and keys, as texts.
struct Chain {
    shown: String,
    root: String,
    /// The variable that is the root.
    name: Option<Atom>,
    keys: String,
}

impl<'e> Slice<'_, '_, '_, 'e> {
    fn whole(mut self) -> Option<String> {
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

    fn add(&mut self, entry: &str, list: &mut String) -> Option<()> {
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
    fn value(&mut self, value: &'e Expr, list: &mut String) -> Option<()> {
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
                if !self.is_plain_built_in(callee) {
                    return None;
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
        self.value(test, list)?;
        let mut branch = |value: &'e Expr| {
            let mut inner = String::new();
            match self.value(value, &mut inner) {
                Some(()) => format!("[{inner}]"),
                None => "0".to_owned(),
            }
        };
        let (then, otherwise) = (branch(then), branch(otherwise));
        let (test, is_negated) = match unparenthesized(test) {
            Expr::Unary(unary) if unary.op == UnaryOp::Bang => (&*unary.arg, true),
            other => (other, false),
        };
        let mut single = String::new();
        let decided = matches!(
            unparenthesized(test),
            Expr::Ident(_) | Expr::Member(_) | Expr::OptChain(_)
        ) && self.value(test, &mut single).is_some()
            && !self.is_local(test);
        if decided && !single.is_empty() {
            let (then, otherwise) = if is_negated {
                (otherwise, then)
            } else {
                (then, otherwise)
            };
            let entry = format!("[\"?\",[{single}],{then},{otherwise}]");
            return self.add(&entry, list);
        }
        for branch in [then, otherwise] {
            let inner = branch.strip_prefix('[')?.strip_suffix(']')?;
            if !inner.is_empty() {
                self.add(inner, list)?;
            }
        }
        Some(())
    }

    fn is_local(&self, value: &Expr) -> bool {
        matches!(unparenthesized(value), Expr::Ident(ident) if self.facts.origins.contains_key(&ident.sym))
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
        Some(match resolution {
            Resolution::Local(index) => {
                let binding = rewriter.scopes.binding(index);
                match binding.kind {
                    BindingKind::Import => return None,
                    BindingKind::SelfName | BindingKind::Const => constant(),
                    _ if rewriter.muted() => return None,
                    _ if watched(binding.declared_at) => {
                        let shadow = rewriter.shadow(index);
                        format!("[{shown},()=>{p}P({shadow},()=>{name})]")
                    }
                    _ => format!("[{shown},{}]", author(binding.declared_at)),
                }
            }
            Resolution::GlobalVar(index) | Resolution::ScriptLexical(index) => {
                let binding = rewriter.scopes.binding(index);
                match binding.kind {
                    BindingKind::Const => constant(),
                    _ if watched(binding.declared_at) => {
                        format!("[{shown},()=>{p}Q({shown},()=>{name})]")
                    }
                    _ => format!("[{shown},{}]", author(binding.declared_at)),
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
        if let Some(name) = &chain.name {
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
        let entry = format!("[{},()=>{}{}]", quote(&chain.shown), chain.root, chain.keys);
        self.add(&entry, list)
    }

    fn any_chain(&self, value: &'e Expr) -> Option<Chain> {
        match unparenthesized(value) {
            Expr::This(_) => Some(Chain {
                shown: "this".to_owned(),
                root: "this".to_owned(),
                name: None,
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
                Some(Chain {
                    shown: ident.sym.to_string(),
                    root: ident.sym.to_string(),
                    name: Some(ident.sym.clone()),
                    keys: String::new(),
                })
            }
            Expr::Member(member) => self.member_chain(member),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => self.member_chain(member),
                OptChainBase::Call(_) => None,
            },
            _ => None,
        }
    }

    fn member_chain(&self, member: &'e MemberExpr) -> Option<Chain> {
        let mut chain = self.any_chain(&member.obj)?;
        match member_key(&member.prop) {
            Key::Static(name) => {
                let _ = match &member.prop {
                    MemberProp::Ident(name) => write!(chain.shown, ".{}", name.sym),
                    MemberProp::PrivateName(name) => write!(chain.shown, ".#{}", name.name),
                    MemberProp::Computed(_) => write!(chain.shown, "[{}]", quote(&name)),
                };
                if let MemberProp::PrivateName(name) = &member.prop {
                    let key = quote(&private_key(&name.name));
                    let _ = write!(chain.keys, ",{key}");
                } else {
                    let _ = write!(chain.keys, ",{}", quote(&name));
                }
            }
            // A key in a variable that is never assigned again.
            Key::Dynamic(expression) => {
                let Expr::Ident(ident) = unparenthesized(expression) else {
                    return None;
                };
                let is_stable = !self.facts.origins.contains_key(&ident.sym)
                    && self.rewriter.is_never_reassigned(expression);
                if !is_stable {
                    return None;
                }
                let _ = write!(chain.shown, "[{}]", ident.sym);
                let _ = write!(chain.keys, ",()=>{}", ident.sym);
            }
        }
        Some(chain)
    }

    /// Built-ins whose value depends on nothing but their arguments, as far as these are primitive.
    fn is_plain_built_in(&self, callee: &Expr) -> bool {
        let is_global = |name: &Atom| {
            self.rewriter.scopes.resolve(self.rewriter.current, name) == Resolution::Unresolved
        };
        match unparenthesized(callee) {
            Expr::Ident(ident) => {
                is_global(&ident.sym)
                    && matches!(
                        &*ident.sym,
                        "Number" | "Boolean" | "parseInt" | "parseFloat" | "isNaN"
                    )
            }
            Expr::Member(member) => {
                let Expr::Ident(object) = unparenthesized(&member.obj) else {
                    return false;
                };
                let MemberProp::Ident(name) = &member.prop else {
                    return false;
                };
                is_global(&object.sym)
                    && match &*object.sym {
                        "Math" => &*name.sym != "random",
                        "Array" => &*name.sym == "isArray",
                        "Number" => name.sym.starts_with("is"),
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}

fn is_name(value: &Expr, name: &Atom) -> bool {
    matches!(unparenthesized(value), Expr::Ident(ident) if ident.sym == *name)
        || matches!(value, Expr::Lit(Lit::Null(_)))
}
