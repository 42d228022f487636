//! Calls: which one a running position belongs to, and which may be of a built-in that is watched.
//!
//! A built-in that writes has no site of its own: the place of the write is the call. A debugger tells where the caller
//! is, and that is not where the call begins. V8 names, by its parser (`ParseLeftHandSideContinuation`):
//!
//! | call | position |
//! | --- | --- |
//! | `f(x)`, `o.f(x)`, `o?.f(x)` | the last identifier of the callee |
//! | `o["f"](x)`, `f()(x)`, `(f)(x)`, `o.f?.(x)` | the opening parenthesis |
//! | `new F(x)`, `super(x)` | the keyword |
//! | `` f`x` `` | the template |
//! | `o.s = x`, where a setter is called | the operator |
//!
//! A function that calls a method by the name of a watched built-in gets a site of the kind [`SiteKind::Call`], so
//! that it can be kept from being optimised: see `functions`.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    AssignExpr, CallExpr, Callee, Expr, ExprOrSpread, MemberProp, NewExpr, OptCall, Program,
    SuperProp, TaggedTpl, UpdateExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::SiteKind;
use super::properties::find_token;
use super::rewriter::Rewriter;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// The first character of the call, construction, tagged template or (where a setter is called) assignment at whose
/// position `at` the engine says that a caller is; else of the innermost around it.
pub(super) fn call_at(source: &str, program: &Program, at: ByteOffset) -> Option<ByteOffset> {
    let calls = Calls::at(source, program, at);
    let found = calls.exact.or(calls.innermost);
    found.map(|span| ByteOffset(span.lo.0))
}

/// [`call_at`], without what is only around.
pub(super) fn exact_call_at(source: &str, program: &Program, at: ByteOffset) -> Option<ByteOffset> {
    let found = Calls::at(source, program, at).exact;
    found.map(|span| ByteOffset(span.lo.0))
}

/// [`exact_call_at`], as far as it reaches.
pub(super) fn exact_call_span(source: &str, program: &Program, at: ByteOffset) -> Option<Span> {
    Calls::at(source, program, at).exact
}

struct Calls<'s> {
    source: &'s str,
    at: u32,
    exact: Option<Span>,
    innermost: Option<Span>,
}

impl<'s> Calls<'s> {
    fn at(source: &'s str, program: &Program, at: ByteOffset) -> Self {
        let mut calls = Self {
            source,
            at: at.0,
            exact: None,
            innermost: None,
        };
        program.visit_with(&mut calls);
        calls
    }

    fn candidate(&mut self, span: Span, positions: [Option<u32>; 2]) {
        if positions.contains(&Some(self.at)) {
            self.exact = Some(span);
        }
        // Children come after what holds them.
        if span.lo.0 <= self.at && self.at < span.hi.0 {
            self.innermost = Some(span);
        }
    }

    /// Where `token` is after an expression.
    fn after(&self, expression: Span, token: &str) -> Option<u32> {
        let at = find_token(self.source, expression.hi.0 as usize, token)?;
        Some(ByteOffset::from_index(at).0)
    }

    fn call(&mut self, span: Span, callee: &Expr, optional: bool) {
        let name = match callee {
            Expr::Ident(name) => Some(name.span),
            Expr::Member(member) => match &member.prop {
                MemberProp::Ident(name) => Some(name.span),
                MemberProp::PrivateName(_) | MemberProp::Computed(_) => None,
            },
            Expr::SuperProp(member) => match &member.prop {
                SuperProp::Ident(name) => Some(name.span),
                SuperProp::Computed(_) => None,
            },
            Expr::OptChain(chain) => match &*chain.base {
                swc_ecma_ast::OptChainBase::Member(member) => match &member.prop {
                    MemberProp::Ident(name) => Some(name.span),
                    MemberProp::PrivateName(_) | MemberProp::Computed(_) => None,
                },
                swc_ecma_ast::OptChainBase::Call(_) => None,
            },
            _ => None,
        };
        let mut parenthesis = self.after(callee.span(), if optional { "?." } else { "(" });
        if optional && let Some(dot) = parenthesis {
            let at = find_token(self.source, dot as usize + 2, "(");
            parenthesis = at.map(|at| ByteOffset::from_index(at).0);
        }
        self.candidate(span, [name.map(|name| name.lo.0), parenthesis]);
    }
}

impl Visit for Calls<'_> {
    fn visit_call_expr(&mut self, call: &CallExpr) {
        match &call.callee {
            Callee::Expr(callee) => self.call(call.span, callee, false),
            Callee::Super(_) | Callee::Import(_) => {
                self.candidate(call.span, [Some(call.span.lo.0), None]);
            }
        }
        call.visit_children_with(self);
    }

    fn visit_opt_chain_expr(&mut self, chain: &swc_ecma_ast::OptChainExpr) {
        if let swc_ecma_ast::OptChainBase::Call(call) = &*chain.base {
            self.call(chain.span, &call.callee, chain.optional);
        }
        chain.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        self.candidate(construction.span, [Some(construction.span.lo.0), None]);
        construction.visit_children_with(self);
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        self.candidate(template.span, [Some(template.tpl.span.lo.0), None]);
        template.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let operator = self.after(assign.left.span(), assign.op.as_str());
        self.candidate(assign.span, [operator, None]);
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        self.candidate(update.span, [None, None]);
        update.visit_children_with(self);
    }
}

impl Rewriter<'_> {
    /// A call of `callee`: where it, or a function that it is given, goes by the name of a watched built-in, the
    /// function around gets a site.
    fn may_call_built_in(&mut self, at: u32, callee: &Expr, arguments: &[ExprOrSpread]) {
        if self.instrumentation.called.is_empty() {
            return;
        }
        let called = self.built_in_name(callee).or_else(|| {
            arguments
                .iter()
                .find_map(|argument| match unparenthesized(&argument.expr) {
                    Expr::Member(_) => self.built_in_name(&argument.expr),
                    _ => None,
                })
        });
        let Some(called) = called else { return };
        let number = self.site(ByteOffset(at), SiteKind::Call);
        let index = (number - self.instrumentation.first_site) as usize;
        if let Some(site) = self.sites.get_mut(index) {
            site.calls = Some(called);
        }
    }

    /// The name of a watched built-in by which `callee` goes: `push` of `list.push` and `list.push.apply`.
    fn built_in_name(&self, callee: &Expr) -> Option<String> {
        let watched = |name: &str| {
            let names = &self.instrumentation.called;
            names.iter().find(|watched| *watched == name).cloned()
        };
        let member = match unparenthesized(callee) {
            Expr::Ident(name) => return watched(&name.sym),
            Expr::Member(member) => member,
            Expr::OptChain(chain) => match &*chain.base {
                swc_ecma_ast::OptChainBase::Member(member) => member,
                swc_ecma_ast::OptChainBase::Call(_) => return None,
            },
            _ => return None,
        };
        let name = match &member.prop {
            MemberProp::Ident(name) => &*name.sym,
            MemberProp::PrivateName(_) => return None,
            MemberProp::Computed(key) => match unparenthesized(&key.expr) {
                Expr::Lit(swc_ecma_ast::Lit::Str(key)) => key.value.as_str()?,
                _ => return None,
            },
        };
        if matches!(name, "call" | "apply" | "bind") {
            return self.built_in_name(&member.obj);
        }
        watched(name)
    }

    pub(super) fn call_expression(&mut self, call: &CallExpr) {
        if let Callee::Expr(callee) = &call.callee {
            self.may_call_built_in(call.span.lo.0, callee, &call.args);
        }
    }

    pub(super) fn optional_call(&mut self, call: &OptCall) {
        self.may_call_built_in(call.span.lo.0, &call.callee, &call.args);
    }

    pub(super) fn construction(&mut self, construction: &NewExpr) {
        let arguments = construction.args.as_deref().unwrap_or_default();
        self.may_call_built_in(construction.span.lo.0, &construction.callee, arguments);
    }
}
