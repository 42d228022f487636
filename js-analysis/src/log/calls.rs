//! Calls: where they are made, what `new` makes, and what built-ins write.
//!
//! ```text
//! f(a, b)        $QpLC(1,0,f(a, $QpLt(b,1)))   the place is told when the last argument is known
//! f()            $QpLC(1,$QpLn(1),f())
//! a?.f(b)        $QpLC(1,0,a?.f($QpLt(b,1)))   around the whole chain, whose last link it is
//! new C(a)       $QpLg(2,0,new C($QpLt(a,1)))
//! list.push(a)   $QpLB(1,$QpLC(1,0,list.push($QpLt(a,1))),list,"push",1)
//! f().set(a, b)  $QpLB(2,$QpLC(2,0,($Qp1=(0,f())).set($Qp2=(0,a),$QpLt(b,2))),$Qp1,"set",$Qp2)
//! f`a${b}c`      $QpLC(1,0,f`a${$QpLt(b,1)}c`)
//! Object.assign(a, b)  $QpLB(1,$QpLC(1,0,($Qp1=(0,Object)).assign($Qp2=(0,a),$QpLt($Qp3=(0,b),1))),$Qp1,"assign",[$Qp2,$Qp3])
//! ```
//! The call itself stays as it is written, with `this`, the message of its errors and its frame in stacks.

use swc_common::Spanned;
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ExprOrSpread, MemberProp, NewExpr, OptChainBase, OptChainExpr,
    TaggedTpl,
};
use swc_ecma_visit::VisitWith;

use super::LoggedKind;
use super::walk::{LogWalker, at, end};
use crate::position::ByteOffset;

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

/// Functions of the language's own objects that write their first argument, with how many of their arguments say what;
/// of more than so many sources nothing is told.
const MOST_KEPT: usize = 4;

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
        let writes = Self::method(call).is_some() || Self::of_language(call).is_some();
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
                    let method = Self::of_language(call).or_else(|| Self::method(call));
                    let method = method.unwrap_or_default();
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
        let mut kept = Vec::new();
        let mut extra = String::new();
        if written.is_some() && !is_spread {
            let wanted = match (Self::of_language(call), Self::method(call)) {
                (Some("assign"), _) if call.args.len() <= MOST_KEPT => call.args.len(),
                (Some("assign"), _) => 0,
                (Some(_), _) => call.args.len().min(2),
                (None, Some("push")) => {
                    extra = format!(",{}", call.args.len());
                    0
                }
                (None, Some("set" | "add" | "delete")) => call.args.len().min(1),
                (None, _) => 0,
            };
            while kept.len() < wanted
                && let Some(name) = self.temporary()
            {
                kept.push(name);
            }
            if kept.len() == wanted && wanted > 0 {
                extra = match Self::of_language(call) {
                    Some(_) => format!(",[{}]", kept.join(",")),
                    None => format!(",{}", kept.join(",")),
                };
            }
        }
        let last = call.args.len().saturating_sub(1);
        for (index, argument) in call.args.iter().enumerate() {
            let span = argument.expr.span();
            if index == last {
                self.edits.insert_args(at(span), format_args!("{p}Lt("));
            }
            match kept.get(index) {
                Some(name) => {
                    self.edits.insert_args(at(span), format_args!("{name}=(0,"));
                    argument.expr.visit_with(self);
                    self.edits.insert(end(span), ")");
                }
                None => argument.expr.visit_with(self),
            }
            if index == last {
                self.edits.insert_args(end(span), format_args!(",{site})"));
            }
        }
        self.edits.insert(end(call.span), ")");
        if let Some(named) = written {
            self.edits
                .insert_args(end(call.span), format_args!(",{named}{extra})"));
        }
        self.release(u32::from(temporary.is_some()) + ByteOffset::from_index(kept.len()).0);
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

    /// The name of the function, if it is one of the language's own objects that writes its first argument.
    fn of_language(call: &CallExpr) -> Option<&'static str> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        let Expr::Member(member) = &**callee else {
            return None;
        };
        let (Expr::Ident(object), MemberProp::Ident(name)) = (&*member.obj, &member.prop) else {
            return None;
        };
        match (&*object.sym, &*name.sym) {
            ("Object", "assign") => Some("assign"),
            ("Object" | "Reflect", "defineProperty") => Some("defineProperty"),
            ("Reflect", "set") => Some("set"),
            _ => None,
        }
    }

    /// `` f`a${b}c` ``
    pub(super) fn tagged(&mut self, template: &TaggedTpl) {
        if !self.values() || !self.may_wrap(template.span) || self.in_chain {
            template.tag.visit_with(self);
            template.tpl.visit_with(self);
            return;
        }
        let name = self.short(template.tag.span());
        let site = self.site(at(template.span), LoggedKind::Call, name);
        let p = self.prefix;
        let first = match template.tpl.exprs.is_empty() {
            true => format!("{p}Ln({site})"),
            false => "0".to_owned(),
        };
        self.edits
            .insert_args(at(template.span), format_args!("{p}LC({site},{first},"));
        template.tag.visit_with(self);
        if let Some((last, before)) = template.tpl.exprs.split_last() {
            for hole in before {
                hole.visit_with(self);
            }
            // `${a, b}`: without parentheses these would be two arguments.
            let (open, close) = match &**last {
                Expr::Seq(_) => ("(", ")"),
                _ => ("", ""),
            };
            let before = format!("{p}Lt({open}");
            let after = format!("{close},{site})");
            self.wrap(last.span(), &before, &after, |this| last.visit_with(this));
        }
        self.edits.insert(end(template.span), ")");
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
