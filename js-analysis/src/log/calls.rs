//! Calls: where they are made, what `new` makes, and what built-ins write.
//!
//! ```text
//! f(a, b)        $QpLC(1,0,f(a, $QpLt(b,1)))   the place is told when the last argument is known
//! f()            $QpLC(1,$QpLn(1),f())
//! a?.f(b)        $QpLC(1,0,a?.f($QpLt(b,1)))   around the whole chain, whose last link it is
//! new C(a)       $QpLg(2,0,new C($QpLt(a,1)))
//! list.push(a)   $QpLB(1,$QpLC(1,0,list.push($QpLt(a,1))),list,"push",1)
//! f().set(a, b)  $QpLB(2,$QpLC(2,0,($Qp1=(0,f())).set($Qp2=(0,a),$QpLt(b,2))),$Qp1,"set",$Qp2)
//! ```
//! The call itself stays as it is written, with `this`, the message of its errors and its frame in stacks.

use swc_common::Spanned;
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ExprOrSpread, MemberProp, NewExpr, OptChainBase, OptChainExpr,
};
use swc_ecma_visit::VisitWith;

use super::LoggedKind;
use super::walk::{LogWalker, at, end};

/// Methods of built-in collections that write what they are called on.
const WRITING: [&str; 13] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "copyWithin",
    "set",
    "add",
    "delete",
    "clear",
];

impl LogWalker<'_> {
    /// The last argument, with the place of the call behind it; whether there was one.
    fn arguments(&mut self, arguments: &[ExprOrSpread], site: u32) -> bool {
        let Some((last, before)) = arguments.split_last() else {
            return false;
        };
        for argument in before {
            argument.expr.visit_with(self);
        }
        let hook = format!("{}Lt(", self.prefix);
        self.wrap(last.expr.span(), &hook, &format!(",{site})"), |this| {
            last.expr.visit_with(this);
        });
        true
    }

    pub(super) fn call(&mut self, call: &CallExpr) {
        let is_eval = match &call.callee {
            Callee::Expr(callee) => matches!(&**callee, Expr::Ident(ident) if ident.sym == *"eval"),
            _ => false,
        };
        if is_eval {
            self.unlogged(at(call.span), "code given to a direct `eval`");
        }
        // What gives a place must also say that the call is over.
        let may_wrap = self.may_wrap(call.span);
        if !self.values() || !may_wrap || matches!(call.callee, Callee::Import(_)) {
            call.visit_children_with(self);
            return;
        }
        let name = self.short(call.callee.span());
        let site = self.site(at(call.span), LoggedKind::Call, name);
        let p = self.prefix;
        let mut written = None;
        let writes = Self::method(call).is_some();
        let mut temporary = None;
        if writes && let Some(object) = Self::receiver(call) {
            temporary = (!self.is_simple(object))
                .then(|| self.temporary())
                .flatten();
            let named = match &temporary {
                Some(name) => Some(name.clone()),
                None if self.is_simple(object) => Some(self.text(object.span()).to_owned()),
                None => None,
            };
            match named {
                Some(named) => {
                    self.edits
                        .insert_args(at(call.span), format_args!("{p}LB({site},"));
                    let method = Self::method(call).unwrap_or_default();
                    written = Some(format!("{named},\"{method}\""));
                }
                None => self.unlogged(
                    at(call.span),
                    "what a built-in writes in a default value or a field",
                ),
            }
        }
        let is_empty = call.args.is_empty();
        let first = match is_empty {
            true => format!("{p}Ln({site})"),
            false => "0".to_owned(),
        };
        self.edits
            .insert_args(at(call.span), format_args!("{p}LC({site},{first},"));
        match (&temporary, Self::receiver(call)) {
            (Some(name), Some(object)) => {
                // `f().push(a)` → `$QpLB(1,($Qp1=(0,f())).push(a),$Qp1)`: a function is not given that name.
                self.edits
                    .insert_args(at(object.span()), format_args!("({name}=(0,"));
                object.visit_with(self);
                self.edits.insert(end(object.span()), "))");
            }
            _ => call.callee.visit_with(self),
        }
        // The key of an entry is kept in a temporary; of `push` it is enough to know how many there are.
        let is_spread = call.args.iter().any(|argument| argument.spread.is_some());
        let mut key = None;
        let mut extra = String::new();
        if written.is_some() && !is_spread {
            match Self::method(call) {
                Some("push") => extra = format!(",{}", call.args.len()),
                Some("set" | "add" | "delete") if !is_empty => key = self.temporary(),
                _ => {}
            }
        }
        match (&key, call.args.first()) {
            (Some(name), Some(first)) => {
                extra = format!(",{name}");
                let hook = format!("{p}Lt(");
                let is_last = call.args.len() == 1;
                if is_last {
                    self.edits.insert(at(first.expr.span()), &hook);
                }
                self.edits
                    .insert_args(at(first.expr.span()), format_args!("{name}=(0,"));
                first.expr.visit_with(self);
                self.edits.insert(end(first.expr.span()), ")");
                if is_last {
                    self.edits
                        .insert_args(end(first.expr.span()), format_args!(",{site})"));
                }
                self.arguments(call.args.get(1..).unwrap_or_default(), site);
            }
            _ => {
                self.arguments(&call.args, site);
            }
        }
        self.edits.insert(end(call.span), ")");
        if let Some(named) = written {
            self.edits
                .insert_args(end(call.span), format_args!(",{named}{extra})"));
        }
        self.release(u32::from(temporary.is_some()) + u32::from(key.is_some()));
    }

    /// The object whose method is called.
    fn receiver(call: &CallExpr) -> Option<&Expr> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        match &**callee {
            Expr::Member(member) => Some(&member.obj),
            _ => None,
        }
    }

    /// The name of the method that is called, if it is that of a built-in that writes its object.
    fn method(call: &CallExpr) -> Option<&'static str> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        let Expr::Member(member) = &**callee else {
            return None;
        };
        let MemberProp::Ident(name) = &member.prop else {
            return None;
        };
        WRITING.into_iter().find(|known| **known == *name.sym)
    }

    /// A chain with `?.`. Only its last link can be wrapped: what is inside is left with the chain.
    pub(super) fn chain(&mut self, chain: &OptChainExpr) {
        let is_inner = std::mem::replace(&mut self.in_chain, true);
        match &*chain.base {
            OptChainBase::Member(member) => {
                member.obj.visit_with(self);
                self.in_chain = false;
                member.prop.visit_with(self);
            }
            OptChainBase::Call(call) => {
                let is_logged = !is_inner && self.values() && self.may_wrap(chain.span);
                if !is_logged {
                    call.callee.visit_with(self);
                    self.in_chain = false;
                    call.args.visit_with(self);
                } else {
                    let name = self.short(call.callee.span());
                    let site = self.site(at(call.span), LoggedKind::Call, name);
                    let p = self.prefix;
                    let is_empty = call.args.is_empty();
                    if is_empty {
                        // Where a short circuit calls nothing, nothing may be said either.
                        call.callee.visit_with(self);
                    } else {
                        self.edits
                            .insert_args(at(chain.span), format_args!("{p}LC({site},0,"));
                        call.callee.visit_with(self);
                        self.in_chain = false;
                        self.arguments(&call.args, site);
                        self.edits.insert(end(chain.span), ")");
                    }
                }
            }
        }
        self.in_chain = is_inner;
    }

    pub(super) fn construction(&mut self, construction: &NewExpr) {
        let name = self.short(construction.callee.span());
        let arguments = construction.args.as_deref().unwrap_or_default();
        let may_wrap = self.values() && self.may_wrap(construction.span);
        let mut site = 0;
        if may_wrap {
            // The hook takes it that the one site follows the other.
            site = self.site(at(construction.span), LoggedKind::Call, name.clone());
            let created = self.site(at(construction.span), LoggedKind::Create, name);
            let p = self.prefix;
            let first = match arguments.is_empty() {
                true => format!("{p}Ln({site})"),
                false => "0".to_owned(),
            };
            self.edits.insert_args(
                at(construction.span),
                format_args!("{p}Lg({created},{first},"),
            );
        }
        let outer = self.callee_of_new.replace(construction.callee.span().lo.0);
        construction.callee.visit_with(self);
        self.callee_of_new = outer;
        match may_wrap {
            true => {
                self.arguments(arguments, site);
            }
            false => construction.args.visit_with(self),
        }
        if may_wrap {
            self.edits.insert(end(construction.span), ")");
        }
    }
}
