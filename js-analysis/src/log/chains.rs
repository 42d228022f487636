//! Calls in a chain with `?.`.
//!
//! ```text
//! a?.f(b)        $QpLC(1,0,a?.f($QpLt(b,1)))      around the whole chain, whose last link it is
//! a?.f()         $QpLC(1,0,a?.f(...$QpLk(1)))     where the chain ends before, nothing may be said
//! a?.f(b)?.c     $QpLC(1,0,a?.f($QpLt(b,1)))?.c   what is before a `?.` may end before it, too
//! map?.set(a, b) $QpLB(1,$QpLC(1,0,map?.set($Qp1=(0,a),$QpLt(b,1))),map,"set",$Qp1)
//! ```
//! What a call was passed is not told: where the chain ends before, the temporaries have what they had before.

use swc_common::Spanned;
use swc_ecma_ast::{Expr, MemberExpr, MemberProp, OptCall, OptChainBase, OptChainExpr};
use swc_ecma_visit::VisitWith;

use super::calls::WRITING;
use super::walker::{LogWalker, at, end};
use super::{LoggedKind, documents};
use crate::position::ByteOffset;

impl LogWalker<'_> {
    /// A chain with `?.`. Its last link can be wrapped, and each call that is before a `?.`: what else is inside is
    /// left with the chain.
    pub(super) fn chain(&mut self, chain: &OptChainExpr) {
        let is_inner = std::mem::replace(&mut self.in_chain, true);
        match &*chain.base {
            OptChainBase::Member(member) => {
                self.in_chain = !(chain.optional && is_call(&member.obj));
                member.obj.visit_with(self);
                self.in_chain = false;
                member.prop.visit_with(self);
            }
            OptChainBase::Call(call) => {
                if !is_inner && self.values() && self.may_wrap(chain.span) {
                    self.called_in_chain(chain, call);
                } else {
                    self.callee_in_chain(chain, call);
                    self.in_chain = false;
                    call.args.visit_with(self);
                }
            }
        }
        self.in_chain = is_inner;
    }

    fn callee_in_chain(&mut self, chain: &OptChainExpr, call: &OptCall) {
        self.in_chain = !(chain.optional && is_call(&call.callee));
        call.callee.visit_with(self);
    }

    /// A call that is the last link of a chain.
    fn called_in_chain(&mut self, chain: &OptChainExpr, call: &OptCall) {
        let site = self.site_by_text(at(call.span), LoggedKind::Call, call.callee.span());
        let p = self.prefix;
        let changes_document = self.watches_document() && documents::calls(&call.callee);
        if changes_document {
            self.edits
                .insert_args(at(chain.span), format_args!("{p}LW({site},{p}Lz(),"));
        }
        let writing = writing(call);
        let mut temporary = None;
        let mut owner = None;
        if let Some((object, _)) = writing {
            let is_simple = self.is_simple(object);
            temporary = (!is_simple).then(|| self.temporary()).flatten();
            owner = match &temporary {
                Some(name) => Some(name.clone()),
                None if is_simple => Some(self.text(object.span()).to_owned()),
                None => None,
            };
            match &owner {
                Some(_) => self
                    .edits
                    .insert_args(at(chain.span), format_args!("{p}LB({site},")),
                None => self.unlogged(
                    at(chain.span),
                    "what a built-in writes in a default value or a field",
                ),
            }
        }
        self.edits
            .insert_args(at(chain.span), format_args!("{p}LC({site},0,"));
        match (&temporary, writing) {
            (Some(name), Some((object, _))) => {
                // `f()?.push(a)` → `($Qp1=(0,f()))?.push(a)`: a function is not given that name.
                self.edits
                    .insert_args(at(object.span()), format_args!("({name}=(0,"));
                self.in_chain = false;
                object.visit_with(self);
                self.edits.insert(end(object.span()), "))");
            }
            _ => self.callee_in_chain(chain, call),
        }
        self.in_chain = false;
        let names_a_key = matches!(writing, Some((_, "set" | "add" | "delete")));
        let told = self.arguments(&call.args, site, owner.is_some() && names_a_key);
        if call.args.is_empty() {
            let close = ByteOffset(chain.span.hi.0 - 1);
            self.edits
                .insert_args(close, format_args!("...{p}Lk({site})"));
        }
        self.edits.insert(end(chain.span), ")");
        if let (Some(owner), Some((_, method))) = (owner, writing) {
            let extra = self.written_by(Some(method), &call.args, told.first);
            self.edits.insert_args(
                end(chain.span),
                format_args!(",{owner},\"{method}\"{extra})"),
            );
        }
        if changes_document {
            self.edits.insert(end(chain.span), ")");
        }
        self.release(u32::from(temporary.is_some()) + told.temporaries);
    }
}

/// Whether it is a call in a chain: what is in front of a `?.` may be wrapped, for the chain goes on nowhere else.
fn is_call(expression: &Expr) -> bool {
    matches!(expression, Expr::OptChain(chain) if matches!(&*chain.base, OptChainBase::Call(_)))
}

/// The object and the name of a method that may be that of a built-in that writes its object, where the chain cannot
/// end between the two: `map?.set(…)`, `map.set?.(…)`.
fn writing(call: &OptCall) -> Option<(&Expr, &'static str)> {
    let member: &MemberExpr = match &*call.callee {
        Expr::Member(member) => member,
        Expr::OptChain(chain) if chain.optional => chain.base.as_member()?,
        _ => return None,
    };
    let MemberProp::Ident(name) = &member.prop else {
        return None;
    };
    let method = WRITING.into_iter().find(|known| **known == *name.sym)?;
    Some((&member.obj, method))
}
