//! Code given to a direct `eval`: it sees the variables around the call, and may declare some there.
//!
//! ```text
//! eval(a)        $QpLC(1,0,($QpCb(),eval($QpCe(eval,4,$QpLt(a,1)))))
//! ```
//! The agent has the text rewritten just before it becomes code, as in [`crate::rewrite`]. What the text sees goes with
//! the call's site: the numbers of variables, and what the scopes' instances are called, which can be named in the text
//! too. `var` and functions of a text that is not strict are variables of the function around. Where that function
//! does nothing but call `eval`, as bundlers of a development build write it, nobody else can declare or write
//! them, and they are logged as the text's own; in other functions they are not logged.

use std::sync::Arc;

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{CallExpr, Callee, Expr, Ident, Stmt};

use super::walker::{LogWalker, at, end};
use crate::outer_scope::{LoggedAround, OuterScope, SeenVariable};
use crate::rewrite::{Making, Site, SiteKind};
use crate::scopes::{
    BindingIndex, BindingKind, EvalVariables, Resolution, ScopeIndex, ScopeKind, unparenthesized,
};

/// Whether a call is a direct one of `eval`, which must stay that.
pub(super) fn is_direct_eval(call: &CallExpr) -> bool {
    match &call.callee {
        Callee::Expr(callee) => {
            matches!(unparenthesized(callee), Expr::Ident(ident) if ident.sym == *"eval")
        }
        _ => false,
    }
}

/// The direct `eval` that is all that a function's body does.
pub(super) fn only_eval(statements: &[Stmt]) -> Option<&CallExpr> {
    let is_directive = |statement: &&Stmt| match statement {
        Stmt::Expr(it) => matches!(&*it.expr, Expr::Lit(swc_ecma_ast::Lit::Str(_))),
        _ => false,
    };
    let mut rest = statements.iter().skip_while(is_directive);
    let (Some(Stmt::Expr(it)), None) = (rest.next(), rest.next()) else {
        return None;
    };
    match &*it.expr {
        Expr::Call(call) if is_direct_eval(call) && call.args.len() == 1 => Some(call),
        _ => None,
    }
}

impl LogWalker<'_> {
    /// What is known of the code around, in a text given to a direct `eval`.
    pub(super) fn around(&self) -> Option<&LoggedAround> {
        self.options.outer.as_ref()?.logged.as_ref()
    }

    /// Whether a name is the `eval` of the language.
    pub(super) fn is_global_eval(&self, ident: &Ident) -> bool {
        let resolution = self.scopes.resolve(self.current, &ident.sym);
        self.scopes.is_global_eval(self.current, &ident.sym)
            && !self.scopes.crosses_with(self.current, resolution)
    }

    /// Whether an `eval` may have declared a name anew between here and what was found.
    pub(super) fn may_be_of_eval(&self, name: &Atom, resolution: Resolution) -> bool {
        let (Some(around), Resolution::Unresolved) = (self.around(), resolution) else {
            return self.scopes.crosses_eval(self.current, resolution);
        };
        let declares = |scope: ScopeIndex| self.scopes.scope(scope).eval_declares;
        let in_text = self.scopes.chain(self.current);
        if in_text
            .into_iter()
            .any(|scope| scope != ScopeIndex::ROOT && declares(scope))
        {
            return true;
        }
        match around.find(name) {
            // What such a text in this one declares is declared in the function around.
            Some(seen) => declares(ScopeIndex::ROOT) && !seen.is_of_function,
            None => declares(ScopeIndex::ROOT) || self.is_declared_by_eval(),
        }
    }

    fn is_declared_by_eval(&self) -> bool {
        let outer = self.options.outer.as_ref();
        outer.is_some_and(|outer| outer.declared_by_eval)
    }

    /// Of a variable at the top of a text that is not strict, which goes to the function around: the one that it is
    /// there, `None` where that is not known. Nothing of other variables, and where it is as good as the text's own.
    pub(super) fn declared_around(&self, binding: BindingIndex) -> Option<Option<(u32, String)>> {
        let binding = self.scopes.binding(binding);
        let is_var = matches!(binding.kind, BindingKind::Var | BindingKind::Function);
        let root = self.scopes.scope(ScopeIndex::ROOT).kind;
        if binding.scope != ScopeIndex::ROOT
            || !is_var
            || root != ScopeKind::Eval(EvalVariables::Function)
        {
            return None;
        }
        let Some(around) = self.around() else {
            return Some(None);
        };
        match around.find(&binding.name) {
            Some(seen) if seen.is_of_function => Some(seen.known.clone()),
            _ if around.is_whole_function => None,
            _ => Some(None),
        }
    }

    /// Why a variable that is declared here is not known.
    pub(super) fn why_unknown(&self) -> &'static str {
        match self.parameters_of.is_empty() {
            true => "a variable that code given to `eval` declares in the function around",
            false => "a variable in a default value",
        }
    }

    /// A direct `eval` whose text the agent is to hand over: the number of its site.
    pub(super) fn code_site(&mut self, call: &CallExpr) -> Option<u32> {
        if !is_direct_eval(call) {
            return None;
        }
        let (Callee::Expr(callee), Some(first)) = (&call.callee, call.args.first()) else {
            return None;
        };
        let Expr::Ident(ident) = unparenthesized(callee) else {
            return None;
        };
        if !self.scopes.is_global_eval(self.current, &ident.sym) {
            // A function of the page's own.
            return None;
        }
        if !self.is_global_eval(ident) || first.spread.is_some() || !self.may_wrap(call.span) {
            self.unlogged(at(call.span), "code given to a direct `eval`");
            return None;
        }
        let outer = Arc::new(self.outer_scope(call));
        self.code_sites.push(Site {
            at: at(call.span),
            kind: SiteKind::Code,
            function: None,
            anchor: None,
            calls: None,
            making: Some(Making::Direct(outer)),
            condition: None,
        });
        let before = self.code_sites.len() - 1;
        Some(self.options.first_code_site + crate::position::ByteOffset::from_index(before).0)
    }

    /// `($QpCb(),` before a direct `eval`, and `$QpCe(eval,site,` before its text.
    pub(super) fn open_eval(&mut self, call: &CallExpr, site: u32) {
        let p = self.prefix;
        self.edits
            .insert_args(at(call.span), format_args!("({p}Cb(),"));
        if let Some(first) = call.args.first() {
            self.edits
                .insert_args(at(first.expr.span()), format_args!("{p}Ce(eval,{site},"));
        }
    }

    /// What closes that of the text.
    pub(super) fn close_text(&mut self, call: &CallExpr) {
        if let Some(first) = call.args.first() {
            self.edits.insert(end(first.expr.span()), ")");
        }
    }

    /// What a text that is given to `eval` here sees.
    fn outer_scope(&self, call: &CallExpr) -> OuterScope {
        let declared_in = self.scopes.function_around(self.current);
        let root = self.scopes.scope(declared_in).kind;
        let is_whole_function = self.only_eval == Some(call.span.lo.0);
        let outside = self.scopes.scope(declared_in).parent;
        // Of that function nothing but this text declares variables.
        let from = |scope: ScopeIndex| match outside {
            Some(outside) if is_whole_function && scope != declared_in => outside,
            _ => self.current,
        };
        let mut variables: Vec<SeenVariable> = Vec::new();
        let mut is_of_function = true;
        for scope in self.scopes.chain(self.current) {
            let is_script = self.scopes.scope(scope).kind == ScopeKind::Script;
            for &index in &self.scopes.scope(scope).bindings {
                let binding = self.scopes.binding(index);
                let resolution = self.scopes.resolution_of(index);
                let is_hidden = variables.iter().any(|it| it.name == binding.name);
                if is_script || is_hidden || matches!(resolution, Resolution::GlobalVar(_)) {
                    continue;
                }
                let is_uncertain = self.parameters_of.contains(&scope)
                    || self.scopes.crosses_eval(from(scope), resolution)
                    || self.scopes.crosses_with(self.current, resolution);
                let known = match self.declared_around(index) {
                    _ if is_uncertain => None,
                    Some(around) => around,
                    None => Some((self.variable_number(index), self.instance(scope))),
                };
                variables.push(SeenVariable {
                    name: binding.name.clone(),
                    known,
                    is_of_function,
                });
            }
            is_of_function &= scope != declared_in;
        }
        let passes_on = root == ScopeKind::Eval(EvalVariables::Function);
        for seen in self.around().into_iter().flat_map(|it| &it.variables) {
            if variables.iter().any(|it| it.name == seen.name) {
                continue;
            }
            let is_certain = !self.may_be_of_eval(&seen.name, Resolution::Unresolved);
            variables.push(SeenVariable {
                known: seen.known.clone().filter(|_| is_certain),
                is_of_function: seen.is_of_function && passes_on,
                ..seen.clone()
            });
        }
        let crosses = match outside {
            Some(outside) if is_whole_function => self.crosses_from(outside),
            None if is_whole_function => false,
            _ => self.crosses_from(self.current),
        };
        OuterScope {
            strict: self.scopes.scope(self.current).strict,
            in_function: !matches!(
                root,
                ScopeKind::Script | ScopeKind::Eval(EvalVariables::Global)
            ),
            declared_by_eval: crosses || self.is_declared_by_eval(),
            variables: Vec::new(),
            logged: Some(LoggedAround {
                scope: self.options.first.scope + self.current.0,
                instance: self.instance(self.current),
                is_whole_function,
                variables,
            }),
        }
    }

    fn crosses_from(&self, scope: ScopeIndex) -> bool {
        self.scopes.crosses_eval(scope, Resolution::Unresolved)
    }
}
