//! Events that a trace query counts and that write nothing: a function is entered or left, an object is created.
//!
//! ```text
//! (function h() { k(); })     (function h() {…$QpA&&($QpTr(…)); k(); ;$QpA&&($QpTr(…));})
//! (function h() { return v; })   (function h() {…return ($Qp1=v,$QpA&&($QpTr(2,$Qp1,0)),$Qp1); …})
//! k(new f(v))                 k(($Qp1=new f(v),$QpA&&($QpTr(1,$Qp1,0)),$Qp1))
//! ```
//!
//! A function is known by the name that its author gave it, or by a way to it: see [`super::function_paths`].
//!
//! A function is left where it returns; one that throws is not left so. (*Querypoint Debugging*, table 1: events.)

use std::fmt::Write as _;

use swc_common::Spanned;
use swc_ecma_ast::{Expr, MemberProp, NewExpr, ReturnStmt};
use swc_ecma_visit::VisitWith;

use super::function_paths::is_reached;
use super::hooks::without_name;
use super::rewriter::Rewriter;
use super::{SiteKind, TracedEvent, TracedKind};
use crate::position::ByteOffset;
use crate::scopes::{ScopeIndex, unparenthesized};

impl Rewriter<'_> {
    /// The slots of the events of a kind whose name is one of those of a function or class.
    fn traced(&self, kind: TracedKind, is_name: impl Fn(&TracedEvent) -> bool) -> Vec<usize> {
        let traced = self.instrumentation.traced.iter();
        traced
            .filter(|event| event.kind == kind && is_name(event))
            .map(|event| event.slot)
            .collect()
    }

    /// The slots of a function's events, by the name that its author gave it.
    fn traced_of_function(&self, kind: TracedKind, scope: ScopeIndex) -> Vec<usize> {
        if self.instrumentation.traced.is_empty() {
            return Vec::new();
        }
        let start = self.scopes.scope(scope).start;
        let name = self.scopes.function_name(scope).map(|(name, at)| {
            let original = self.names.original_name(*at);
            original.unwrap_or_else(|| name.to_string())
        });
        self.traced(kind, |event| match &self.function_paths {
            Some(paths) if event.is_dotted() => paths.is_called(start, &event.name, self.names),
            _ => name.as_deref() == Some(event.name.as_str()),
        })
    }

    /// `$QpTr(site,value,slot,slot)`.
    pub(super) fn event_hooks(&mut self, at: ByteOffset, slots: &[usize], value: &str) -> String {
        let mut hooks = String::new();
        if slots.is_empty() {
            return hooks;
        }
        let site = self.site(at, SiteKind::Event);
        let value = if value.is_empty() { "void 0" } else { value };
        let _ = write!(hooks, "{}Tr({site},{value}", self.prefix);
        for slot in slots {
            let _ = write!(hooks, ",{slot}");
        }
        hooks.push(')');
        hooks
    }

    /// The hooks of the entry of the function whose scope is the current one.
    pub(super) fn call_hooks(&mut self) -> String {
        let slots = self.traced_of_function(TracedKind::Call, self.current);
        let at = self.scopes.scope(self.current).start;
        self.event_hooks(at, &slots, "")
    }

    /// The hooks of the end of a function's statements, where it returns nothing.
    pub(super) fn end_hooks(&mut self) {
        let slots = self.traced_of_function(TracedKind::Return, self.current);
        if slots.is_empty() {
            return;
        }
        let end = ByteOffset(self.scopes.scope(self.current).end.0.saturating_sub(1));
        let hooks = self.event_hooks(end, &slots, "");
        let p = self.prefix;
        self.edits
            .insert_args(end, format_args!(";{p}A&&({hooks});"));
    }

    /// A value that a function returns, with its hooks.
    pub(super) fn returned(&mut self, value: &Expr, at: ByteOffset) {
        let scope = self.scopes.function_around(self.current);
        let slots = self.traced_of_function(TracedKind::Return, scope);
        if slots.is_empty() {
            return value.visit_with(self);
        }
        self.valued(value, at, &slots, |this| value.visit_with(this));
    }

    /// `return v;`
    pub(super) fn return_statement(&mut self, statement: &ReturnStmt) {
        let at = ByteOffset(statement.span.lo.0);
        if let Some(value) = &statement.arg {
            return self.returned(value, at);
        }
        let scope = self.scopes.function_around(self.current);
        let slots = self.traced_of_function(TracedKind::Return, scope);
        if slots.is_empty() {
            return;
        }
        let hooks = self.event_hooks(at, &slots, "");
        let after = ByteOffset::from_index(at.index() + "return".len());
        let p = self.prefix;
        self.edits
            .insert_args(after, format_args!(" void ({p}A&&({hooks}))"));
    }

    /// `new f(v)`, visited by `visit`.
    pub(super) fn creation(&mut self, construction: &NewExpr, visit: impl FnOnce(&mut Self)) {
        let name = match unparenthesized(&construction.callee) {
            Expr::Ident(name) => Some((&name.sym, name.span)),
            Expr::Member(member) => match &member.prop {
                MemberProp::Ident(name) => Some((&name.sym, name.span)),
                MemberProp::PrivateName(_) | MemberProp::Computed(_) => None,
            },
            _ => None,
        };
        let name = name.map(|(running, span)| {
            let original = self.names.original_name(ByteOffset(span.lo.0));
            original.unwrap_or_else(|| running.to_string())
        });
        let slots = self.traced(TracedKind::Creation, |event| match &name {
            _ if event.is_dotted() => is_reached(&construction.callee, &event.name, self.names),
            Some(name) => *name == event.name,
            None => false,
        });
        if slots.is_empty() {
            return visit(self);
        }
        let at = ByteOffset(construction.span.lo.0);
        let name = self.temporary();
        self.edits.insert_args(at, format_args!("({name}="));
        visit(self);
        let hooks = self.event_hooks(at, &slots, &name);
        let p = self.prefix;
        self.edits.insert_args(
            ByteOffset(construction.span.hi.0),
            format_args!(",{p}A&&({hooks}),{name})"),
        );
        self.release(1);
    }

    /// An expression whose value is handed over when it is known.
    fn valued(
        &mut self,
        value: &Expr,
        at: ByteOffset,
        slots: &[usize],
        visit: impl FnOnce(&mut Self),
    ) {
        let span = value.span();
        let name = self.temporary();
        let (before, after) = match value {
            Expr::Seq(_) => ("(", ")"),
            _ => without_name(value),
        };
        self.edits
            .insert_args(ByteOffset(span.lo.0), format_args!("({name}={before}"));
        visit(self);
        let hooks = self.event_hooks(at, slots, &name);
        let p = self.prefix;
        self.edits.insert_args(
            ByteOffset(span.hi.0),
            format_args!("{after},{p}A&&({hooks}),{name})"),
        );
        self.release(1);
    }
}
