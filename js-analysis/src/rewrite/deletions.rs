//! Deletions.
//!
//! ```text
//! delete f().p   ($Qp1= f(),$QpA&&$QpD(1,$Qp1,"p"),delete $Qp1.p)
//! delete o[k]    ($Qp1= o,$Qp2=(k),$QpA&&($Qp2=$QpK(1,$Qp2,$Qp1),$QpD(1,$Qp1,$Qp2)),delete $Qp1[$Qp2])
//! delete o?.p    ($Qp1= o,$QpA&&$Qp1!=null&&$QpD(1,$Qp1,"p"),delete $Qp1?.p)
//! delete o?.f.p   ($Qp2=0,$Qp1= o?.[($Qp2=1,"f")],$Qp2?($QpA&&$QpD(1,$Qp1,"p"),delete $Qp1.p):true)
//! ```
//! In the last form the chain says by `$Qp2` whether it reached its end: if not, nothing is deleted, and `delete` gives
//! `true`.

use swc_common::Spanned;
use swc_ecma_ast::{Expr, MemberExpr, MemberProp, OptChainBase, OptChainExpr, UnaryExpr};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::{quote, unnamed, without_name};
use super::properties::{Key, is_primitive, member_key};
use super::rewriter::Rewriter;
use super::watching::Watching;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// How what is deleted belongs to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// `o.p`.
    Plain,
    /// `o?.p`.
    Optional,
    /// `o?.q.p`.
    BehindOptional,
}

impl Rewriter<'_> {
    /// `delete o.p`. Returns whether it was hooked (and visited).
    pub(super) fn delete_member(&mut self, unary: &UnaryExpr) -> bool {
        let (member, link) = match unparenthesized(&unary.arg) {
            Expr::Member(member) => (member, Link::Plain),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) if chain.optional => (member, Link::Optional),
                OptChainBase::Member(member) => (member, Link::BehindOptional),
                OptChainBase::Call(_) => return false,
            },
            _ => return false,
        };
        let key = member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let at = ByteOffset(unary.span.lo.0);
        let last = match link {
            Link::BehindOptional => last_optional(&member.obj).and_then(flag_place),
            _ => None,
        };
        if link == Link::BehindOptional && last.is_none() {
            self.unhooked(
                at,
                "delete of a member behind an optional call without arguments",
            );
            return false;
        }
        let object = self.temporary();
        let reached = last.map(|_| self.temporary());
        let (before, after) = without_name(&member.obj);
        let start = match &reached {
            Some(reached) => format!("({reached}=0,{object}={before}"),
            None => format!("({object}={before}"),
        };
        // `delete` goes, and comes back behind the hook.
        let object_start = ByteOffset(member.obj.span().lo.0);
        self.edits.replace(self.source, at, object_start, &start);
        match (&last, &reached) {
            (Some(place), Some(reached)) => self.flagged(&member.obj, place, reached),
            _ => member.obj.visit_with(self),
        }
        self.edits.insert(ByteOffset(member.obj.span().hi.0), after);
        let opening = match &reached {
            Some(reached) => format!(",{reached}?("),
            None => ",".to_owned(),
        };
        let closing = if reached.is_some() { "):true)" } else { ")" };
        self.delete_from(
            unary,
            member,
            (&key, watching),
            &object,
            link,
            (&opening, closing),
        );
        self.release(1 + usize::from(reached.is_some()));
        true
    }

    /// The hook and the deletion itself, between `opening` and `closing`; `object` holds the object.
    fn delete_from(
        &mut self,
        unary: &UnaryExpr,
        member: &MemberExpr,
        (key, watching): (&Key<'_>, Watching<'_>),
        object: &str,
        link: Link,
        (opening, closing): (&str, &str),
    ) {
        let p = self.prefix;
        let site = self.site(ByteOffset(unary.span.lo.0), SiteKind::Deletion);
        let context = self.context(watching);
        let (object_end, end) = (
            ByteOffset(member.obj.span().hi.0),
            ByteOffset(unary.span.hi.0),
        );
        let is_optional = link == Link::Optional;
        let guard = if is_optional {
            format!("{object}!=null&&")
        } else {
            String::new()
        };
        match key {
            Key::Static(name) => {
                let hook = format!(
                    "{p}A&&{guard}{p}D({site},{object},{}{context})",
                    quote(name)
                );
                self.edits
                    .insert_args(object_end, format_args!("{opening}{hook},delete {object}"));
                // Parentheses around the operand were opened before the object and are gone; drop their ends.
                let member_end = ByteOffset(member.span.hi.0);
                self.edits.replace(self.source, member_end, end, closing);
            }
            Key::Dynamic(expression) => {
                // The key is evaluated before the hook, once: `($1=o,$2=k,hook,delete $1[$2])`.
                let temporary = self.temporary();
                let span = expression.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                let unnamed = unnamed(expression);
                let evaluate = if is_optional {
                    format!("{opening}{object}==null||({temporary}=({unnamed}")
                } else {
                    format!("{opening}{temporary}=({unnamed}")
                };
                self.edits.replace(self.source, object_end, lo, &evaluate);
                expression.visit_with(self);
                let (dot, close) = if is_optional { ("?.", ")") } else { ("", "") };
                let hook = format!("{p}D({site},{object},{temporary}{context})");
                let hook = if self.converts_keys() && !is_primitive(expression) {
                    format!("({temporary}={p}K(1,{temporary},{object}),{hook})")
                } else {
                    hook
                };
                let text = format!(
                    "){close},{p}A&&{guard}{hook},delete {object}{dot}[{temporary}]{closing}"
                );
                self.edits.replace(self.source, hi, end, &text);
                self.release(1);
            }
        }
    }

    /// Visits a chain so that `reached` becomes 1 when its last optional link was passed.
    fn flagged(&mut self, chain: &Expr, place: &FlagPlace<'_>, reached: &str) {
        match *place {
            FlagPlace::Name { start, end, name } => {
                chain.visit_with(self);
                let key = format!("[({reached}=1,{})]", quote(name));
                self.edits.replace(self.source, start, end, &key);
            }
            FlagPlace::Expression { start, end } => {
                self.edits.insert_args(start, format_args!("({reached}=1,"));
                chain.visit_with(self);
                self.edits.insert(end, ")");
            }
        }
    }
}

/// The last `?.` of a chain.
fn last_optional(mut chain: &Expr) -> Option<&OptChainExpr> {
    loop {
        match chain {
            Expr::OptChain(link) if link.optional => return Some(link),
            Expr::OptChain(link) => {
                chain = match &*link.base {
                    OptChainBase::Member(member) => &member.obj,
                    OptChainBase::Call(call) => &call.callee,
                };
            }
            _ => return None,
        }
    }
}

/// Where a chain can say that it reached an optional link.
#[derive(Clone, Copy, Debug)]
enum FlagPlace<'e> {
    /// In place of a name, which becomes a key between brackets.
    Name {
        start: ByteOffset,
        end: ByteOffset,
        name: &'e str,
    },
    /// Before the value of an expression.
    Expression { start: ByteOffset, end: ByteOffset },
}

fn flag_place(link: &OptChainExpr) -> Option<FlagPlace<'_>> {
    let bounds = |span: swc_common::Span| (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
    let (start, end) = match &*link.base {
        OptChainBase::Member(member) => match &member.prop {
            MemberProp::Ident(name) => {
                let (start, end) = bounds(name.span);
                let name = &*name.sym;
                return Some(FlagPlace::Name { start, end, name });
            }
            MemberProp::Computed(computed) => bounds(computed.expr.span()),
            MemberProp::PrivateName(_) => return None,
        },
        OptChainBase::Call(call) => bounds(call.args.first()?.expr.span()),
    };
    Some(FlagPlace::Expression { start, end })
}
