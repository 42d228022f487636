//! Optional chains: what is behind a `?.` is reached where the object before it is there.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{Expr, OptChainBase, OptChainExpr};
use swc_ecma_visit::VisitWith;

use super::gate::{Gate, GateKind};
use super::gates::Walk;
use super::jumps::bytes;
use crate::position::ByteOffset;

impl Walk<'_> {
    /// What is before a link, then the link, then what is behind it.
    pub(super) fn chain(&mut self, chain: &OptChainExpr) {
        let (object, rest): (&Expr, Span) = match &*chain.base {
            OptChainBase::Member(member) => (&member.obj, member.span),
            OptChainBase::Call(call) => (&call.callee, call.span),
        };
        let is_behind = self.holds(rest) && !self.holds(object.span());
        // The object itself may be a part of the same chain: first what is before.
        self.in_chain = true;
        object.visit_with(self);
        if is_behind {
            self.chain_links(object);
            if chain.optional {
                self.link(object, behind(chain));
            }
        }
        match &*chain.base {
            OptChainBase::Member(member) => member.prop.visit_with(self),
            OptChainBase::Call(call) => call.args.visit_with(self),
        }
    }

    /// The links of the chain up to `object`, which the place is behind.
    fn chain_links(&mut self, object: &Expr) {
        let Expr::OptChain(chain) = object else {
            return;
        };
        let before: &Expr = match &*chain.base {
            OptChainBase::Member(member) => &member.obj,
            OptChainBase::Call(call) => &call.callee,
        };
        self.chain_links(before);
        if chain.optional {
            self.link(before, behind(chain));
        }
    }

    /// A link of a chain; `behind`: a character of its `?.`.
    fn link(&mut self, object: &Expr, behind: ByteOffset) {
        let before = self.count(object.span());
        let after = self.coverage.inside(behind);
        let decision = bytes(object.span());
        self.push(Gate {
            kind: GateKind::Branch,
            decision,
            pause: decision.start,
            before,
            after,
            held: false,
            jump: None,
            operands: vec![decision],
            flip: None,
            tried: Vec::new(),
        });
    }
}

/// A character of the `?.` of a link: what is between it and the object before may be on other lines.
fn behind(chain: &OptChainExpr) -> ByteOffset {
    match &*chain.base {
        OptChainBase::Member(member) => ByteOffset(member.prop.span().lo.0.saturating_sub(1)),
        OptChainBase::Call(call) => bytes(call.callee.span()).end,
    }
}
