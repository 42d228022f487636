//! Writes of `arguments`: in sloppy functions with simple parameters, they write the parameters.
//!
//! ```text
//! f(function (x) { arguments[0] = v })   f(function (x) {…($Qp1=(…[0] = …),$QpA&&(($Qp$x=$QpV(1,$Qp$x,x))),$Qp1) })
//! f(function (x) { arguments[v]++ })     f(function (x) {…($Qp1=(($Qp2=…),$QpA&&(($Qp$x=$QpV(1,$Qp$x,x))),$Qp1) })
//! f(function () { arguments[0] = v })    f(function () {var $Qp1; ($Qp1=arguments)[0] = (…) })
//! ```
//! The hook comes after the write and compares: so it does not matter which parameter was meant, or whether the
//! function is strict, or the element no longer tied to its parameter.

use swc_ecma_ast::Expr;

use super::SiteKind;
use super::rewriter::Rewriter;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{BindingKind, Resolution, unparenthesized};

impl Rewriter<'_> {
    /// Visits a write of a member of `object`, at `span`, with `visit`; if the object is `arguments`, the parameters
    /// are looked at afterwards.
    pub(super) fn with_parameters_after(
        &mut self,
        object: &Expr,
        span: ByteSpan,
        kind: SiteKind,
        visit: impl FnOnce(&mut Self),
    ) {
        let hooks = match unparenthesized(object) {
            // Live hooks leave such parameters out.
            Expr::Ident(ident)
                if &*ident.sym == "arguments" && self.any_variable && !self.is_live() =>
            {
                self.parameter_hooks(span.start, kind)
            }
            _ => String::new(),
        };
        if hooks.is_empty() {
            return visit(self);
        }
        let value = self.temporary();
        self.edits
            .insert_args(span.start, format_args!("({value}=("));
        visit(self);
        self.edits.insert_args(
            span.end,
            format_args!("),{}A&&({hooks}),{value})", self.prefix),
        );
        self.release(1);
    }

    fn parameter_hooks(&mut self, at: ByteOffset, kind: SiteKind) -> String {
        let mut hooks = String::new();
        let Some(&function) = self.arguments_of.last() else {
            return hooks;
        };
        let scopes = self.scopes;
        for &index in &scopes.scope(function).bindings {
            let binding = scopes.binding(index);
            // A block in between may hide the parameter; and among the parameters there is no record yet.
            let is_seen = binding.kind == BindingKind::Parameter
                && scopes.resolve(self.current, &binding.name) == Resolution::Local(index)
                && !self.parameters_of.contains(&function);
            if is_seen {
                self.fill_hook(&binding.name, binding.declared_at, at, kind, &mut hooks);
            }
        }
        hooks
    }
}
