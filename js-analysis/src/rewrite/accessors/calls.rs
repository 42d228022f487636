//! Calls in a getter: what is called is asked in the same way, with arguments that are known.

use std::fmt::Write as _;

use swc_atoms::Atom;
use swc_ecma_ast::{CallExpr, Callee, Expr, ExprOrSpread, Lit, MemberProp};

use super::slice::{Chain, Slice};
use crate::scopes::{Resolution, unparenthesized};

impl<'e> Slice<'_, '_, '_, 'e> {
    /// What a function gives that is called.
    pub(super) fn call_chain(&mut self, call: &'e CallExpr) -> Option<Chain> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        if self.is_reflect(callee, "get") || self.is_plain_built_in(callee) {
            return None;
        }
        let mut chain = match unparenthesized(callee) {
            Expr::Ident(_) | Expr::Member(_) => self.any_chain(callee)?,
            _ => return None,
        };
        let mut arguments = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            if argument.spread.is_some() {
                return None;
            }
            arguments.push(self.argument(&argument.expr)?);
        }
        let _ = write!(chain.keys, ",[{}]", arguments.join(","));
        let _ = write!(chain.shown, "({})", self.texts_of(&call.args));
        Some(chain)
    }

    /// The arguments of a call, for people.
    fn texts_of(&self, arguments: &[ExprOrSpread]) -> String {
        let first = arguments.first().map(|first| &*first.expr);
        let last = arguments.last().map(|last| &*last.expr);
        let (Some(first), Some(last)) = (first, last) else {
            return String::new();
        };
        let short = |value: &Expr| {
            let text = self.rewriter.text(value);
            (text.len() <= 24 && !text.contains(['\n', '\r'])).then(|| text.to_owned())
        };
        match arguments.len() {
            1 => short(first).unwrap_or_else(|| "…".to_owned()),
            2 => match (short(first), short(last)) {
                (Some(first), Some(last)) => format!("{first}, {last}"),
                _ => "…".to_owned(),
            },
            _ => "…".to_owned(),
        }
    }

    /// An argument of a call: a function that gives it, or the list of what it is read from.
    fn argument(&mut self, value: &'e Expr) -> Option<String> {
        match unparenthesized(value) {
            Expr::Lit(Lit::Str(_) | Lit::Num(_) | Lit::Bool(_) | Lit::Null(_)) | Expr::This(_) => {
                Some(format!("()=>{}", self.rewriter.text(value)))
            }
            Expr::Ident(name) if self.is_undefined(name) => Some("()=>void 0".to_owned()),
            copied if self.is_copy(copied) => {
                let inner = self.apart(|this, inner| this.value(copied, inner))?;
                Some(format!("[{inner}]"))
            }
            _ => None,
        }
    }

    /// Built-ins whose value depends on nothing but their arguments, as far as these are primitive.
    pub(super) fn is_plain_built_in(&self, callee: &Expr) -> bool {
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
