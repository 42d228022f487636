//! Code made of texts: the calls that make it hand their text to the agent first, which has it rewritten.
//!
//! ```text
//! eval(f())             ($QpCb(),eval($QpCe(eval,…,f())))
//! eval(...v)            ($QpCb(),eval(...$QpCs(eval,…,...v)))
//! eval(...v, w)         ($QpCb(),eval(...$QpCs(eval,…,...v, w),...$QpCs(0,0)))
//! (0, eval)(f())        (0, eval)($QpCe(eval,…,f()))
//! eval?.(f())           eval?.($QpCe(eval,…,f()))
//! f(window.eval(v))     f(($Qp1=window).eval($QpCe($QpCm($Qp1),…,v)))
//! f(eval)               f($QpCv(eval))
//! f(window.eval)        f($QpCv(window.eval))
//! import(f())           import($QpCi(f()))
//! ```
//! A direct call stays direct: `eval` is still called by that name, and is still the built-in. Only where it is taken
//! as a value does the agent give a function of its own, which has the text rewritten; should a script put that one in
//! the built-in's place, `$QpCb` puts the built-in back. What the text sees of the variables around a direct call goes
//! with the call's site, as a [`Making::Direct`].
//!
//! In the body of `with`, where `eval` may be anybody's, a call is left as it is.

use std::sync::Arc;

use swc_atoms::{Atom, atom};
use swc_common::Spanned;
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ExprOrSpread, Import, ImportPhase, MemberExpr, MemberProp, OptCall,
};
use swc_ecma_visit::VisitWith;

use super::properties::{Key, computed_key};
use super::rewriter::Rewriter;
use super::{Making, OuterName, OuterScope, OuterVariable, SiteKind};
use crate::position::ByteOffset;
use crate::scopes::{
    BindingKind, EvalVariables, Resolution, ScopeIndex, ScopeKind, unparenthesized,
};

/// Names of the global object.
const GLOBAL_OBJECT_NAMES: [&str; 4] = ["window", "self", "globalThis", "frames"];

impl Rewriter<'_> {
    /// A call that makes code; whether it was one.
    pub(super) fn code_call(&mut self, call: &CallExpr) -> bool {
        match &call.callee {
            Callee::Import(import) => self.import_call(call, *import),
            Callee::Super(_) => false,
            Callee::Expr(callee) => match unparenthesized(callee) {
                Expr::Ident(ident) if self.is_global_eval(&ident.sym) => self.direct_eval(call),
                Expr::Seq(sequence) => {
                    let Some((Expr::Ident(last), others)) = sequence
                        .exprs
                        .split_last()
                        .map(|(last, others)| (&**last, others))
                    else {
                        return false;
                    };
                    if !self.is_global_eval(&last.sym) || call.args.is_empty() {
                        return false;
                    }
                    for other in others {
                        other.visit_with(self);
                    }
                    self.indirect_eval(call.span.lo.0, &call.args);
                    true
                }
                Expr::Member(member) => self.member_eval(call, member),
                _ => false,
            },
        }
    }

    /// `eval?.(…)`, which is never direct; whether it was one.
    pub(super) fn optional_code_call(&mut self, call: &OptCall) -> bool {
        let Expr::Ident(ident) = unparenthesized(&call.callee) else {
            return false;
        };
        if !self.is_global_eval(&ident.sym) {
            return false;
        }
        self.indirect_eval(call.span.lo.0, &call.args);
        true
    }

    /// `eval` taken as a value: `$QpCv(` before it, `)` behind it; whether it is that.
    pub(super) fn eval_value(&mut self, expression: &Expr) -> bool {
        if !self.is_eval(expression) || self.with_depth > 0 {
            return false;
        }
        let span = expression.span();
        self.edits
            .insert_args(ByteOffset(span.lo.0), format_args!("{}Cv(", self.prefix));
        self.edits.insert(ByteOffset(span.hi.0), ")");
        true
    }

    /// Visits what is called, written or only asked for its type, where `eval` is no value.
    pub(super) fn not_a_value(&mut self, expression: &Expr) {
        match unparenthesized(expression) {
            inner if !self.is_eval(inner) => expression.visit_with(self),
            Expr::Member(member) => member.visit_with(self),
            _ => {}
        }
    }

    fn is_eval(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Ident(ident) => self.is_global_eval(&ident.sym),
            Expr::Member(member) => {
                names_eval(&member.prop)
                    && matches!(unparenthesized(&member.obj), Expr::Ident(object)
                        if GLOBAL_OBJECT_NAMES.contains(&&*object.sym))
            }
            _ => false,
        }
    }

    /// Whether `name` is `eval` and no variable of this script.
    fn is_global_eval(&self, name: &Atom) -> bool {
        self.scopes.is_global_eval(self.current, name)
    }

    fn direct_eval(&mut self, call: &CallExpr) -> bool {
        let at = ByteOffset(call.span.lo.0);
        if call.args.is_empty() {
            return true;
        }
        if self.with_depth > 0 {
            self.unhooked(at, "a direct eval in the body of with");
            call.args.visit_with(self);
            return true;
        }
        let outer = Arc::new(self.outer_scope());
        let site = self.code_site(at, Making::Direct(outer));
        self.edits
            .insert_args(at, format_args!("({p}Cb(),", p = self.prefix));
        self.given_text("eval", site, &call.args);
        self.edits.insert(ByteOffset(call.span.hi.0), ")");
        true
    }

    fn indirect_eval(&mut self, at: u32, arguments: &[ExprOrSpread]) {
        if arguments.is_empty() || self.with_depth > 0 {
            arguments.visit_with(self);
            return;
        }
        let site = self.code_site(ByteOffset(at), Making::Indirect);
        self.given_text("eval", site, arguments);
    }

    /// `o.eval(…)`: the global object's `eval`, if `o` is the global object.
    fn member_eval(&mut self, call: &CallExpr, member: &MemberExpr) -> bool {
        let could_be = matches!(
            unparenthesized(&member.obj),
            Expr::Ident(_) | Expr::This(_) | Expr::Member(_) | Expr::Call(_)
        );
        if !names_eval(&member.prop) || !could_be || call.args.is_empty() || self.with_depth > 0 {
            return false;
        }
        let at = ByteOffset(call.span.lo.0);
        let site = self.code_site(at, Making::Indirect);
        let object = member.obj.span();
        let temporary = self.temporary();
        self.edits
            .insert_args(ByteOffset(object.lo.0), format_args!("({temporary}="));
        member.obj.visit_with(self);
        self.edits.insert(ByteOffset(object.hi.0), ")");
        let callee = format!("{}Cm({temporary})", self.prefix);
        self.given_text(&callee, site, &call.args);
        self.release(1);
        true
    }

    fn import_call(&mut self, call: &CallExpr, import: Import) -> bool {
        let (ImportPhase::Evaluation, Some(specifier)) = (import.phase, call.args.first()) else {
            return false;
        };
        if specifier.spread.is_some() {
            return false;
        }
        let span = specifier.expr.span();
        self.edits
            .insert_args(ByteOffset(span.lo.0), format_args!("{}Ci(", self.prefix));
        specifier.expr.visit_with(self);
        self.edits.insert(ByteOffset(span.hi.0), ")");
        for argument in call.args.iter().skip(1) {
            argument.visit_with(self);
        }
        true
    }

    /// The text, first of `arguments`, goes through the agent.
    fn given_text(&mut self, callee: &str, site: u32, arguments: &[ExprOrSpread]) {
        let (Some(first), Some(last)) = (arguments.first(), arguments.last()) else {
            return;
        };
        let p = self.prefix;
        if first.spread.is_some() {
            // Whichever comes first of all of them.
            let start = ByteOffset(argument_start(first));
            self.edits
                .insert_args(start, format_args!("...{p}Cs({callee},{site},"));
            arguments.visit_with(self);
            let end = ByteOffset(last.expr.span().hi.0);
            self.edits.insert(end, ")");
            if arguments.len() > 1 {
                // V8 takes a call that ends with its only spread for one that is not direct: this one was not so.
                self.edits.insert_args(end, format_args!(",...{p}Cs(0,0)"));
            }
            return;
        }
        let span = first.expr.span();
        self.edits.insert_args(
            ByteOffset(span.lo.0),
            format_args!("{p}Ce({callee},{site},"),
        );
        first.visit_with(self);
        self.edits.insert(ByteOffset(span.hi.0), ")");
        for argument in arguments.iter().skip(1) {
            argument.visit_with(self);
        }
    }

    fn code_site(&mut self, at: ByteOffset, making: Making) -> u32 {
        let number = self.site(at, SiteKind::Code);
        if let Some(site) = self.sites.last_mut() {
            site.making = Some(making);
        }
        number
    }

    /// What a text that is given to a direct `eval` here sees.
    fn outer_scope(&self) -> OuterScope {
        let declared_in = self.scopes.function_around(self.current);
        let outer = self.instrumentation.outer.as_deref();
        let kind = self.scopes.scope(declared_in).kind;
        let passes_on = matches!(kind, ScopeKind::Eval(EvalVariables::Function));
        let mut variables: Vec<OuterVariable> = Vec::new();
        let mut is_lexical = true;
        for scope in self.scopes.chain(self.current) {
            self.outer_variables(scope, is_lexical, declared_in, &mut variables);
            is_lexical &= scope != declared_in;
        }
        for variable in outer.into_iter().flat_map(|outer| &outer.variables) {
            if !variables.iter().any(|known| known.name == variable.name) {
                variables.push(OuterVariable {
                    is_in_block: variable.is_in_block && passes_on,
                    ..variable.clone()
                });
            }
        }
        OuterScope {
            strict: self.scopes.scope(self.current).strict,
            in_function: !matches!(
                kind,
                ScopeKind::Script | ScopeKind::Eval(EvalVariables::Global)
            ),
            declared_by_eval: self
                .scopes
                .crosses_eval(self.current, Resolution::Unresolved)
                || outer.is_some_and(|outer| outer.declared_by_eval),
            variables,
            logged: None,
        }
    }

    fn outer_variables(
        &self,
        scope: ScopeIndex,
        is_lexical: bool,
        declared_in: ScopeIndex,
        variables: &mut Vec<OuterVariable>,
    ) {
        let is_global = match self.scopes.scope(scope).kind {
            ScopeKind::Script => return,
            ScopeKind::Eval(EvalVariables::Global) => true,
            _ => false,
        };
        for &index in &self.scopes.scope(scope).bindings {
            let binding = self.scopes.binding(index);
            let is_var = matches!(binding.kind, BindingKind::Var | BindingKind::Function);
            if (is_global && is_var)
                || !self.may_be_watched(&binding.name)
                || variables.iter().any(|known| *known.name == *binding.name)
            {
                continue;
            }
            let watching = self.watched_variable_named(&binding.name, binding.declared_at);
            // In the expressions among parameters the shadow, which is declared in the body, cannot be seen.
            let is_hooked =
                self.binding_is_hooked(index) && !self.parameters_of.contains(&binding.scope);
            let kind = match watching {
                Some(watching) if is_hooked => OuterName::Shadowed {
                    slot: watching.slot,
                    is_constant: binding.kind == BindingKind::Const,
                },
                _ => OuterName::Unwatched,
            };
            variables.push(OuterVariable {
                name: binding.name.to_string(),
                kind,
                is_in_block: is_lexical && scope != declared_in,
            });
        }
    }
}

/// Whether a member is called `eval`.
fn names_eval(property: &MemberProp) -> bool {
    match property {
        MemberProp::Ident(name) => name.sym == atom!("eval"),
        MemberProp::Computed(computed) => {
            matches!(computed_key(&computed.expr), Key::Static(key) if key == "eval")
        }
        MemberProp::PrivateName(_) => false,
    }
}

fn argument_start(argument: &ExprOrSpread) -> u32 {
    argument
        .spread
        .map_or_else(|| argument.expr.span().lo.0, |dots| dots.lo.0)
}
