//! Writes of properties of `super`: the object that is written is `this`.
//!
//! ```text
//! ({ m() { super.p = v } });    … super.p = ($QpA&&$QpW(1,this,"p",v),v) …
//! ({ m() { super.p += v } });   … super.p = ($Qp1=super.p+(v),$QpA&&$QpW(1,this,"p",$Qp1),$Qp1) …
//! ({ m() { super[k] = v } });   … super[$Qp1=$QpA?$QpK(3,k,this):k] = ($QpA&&$QpW(1,this,$Qp1,v),v) …
//! ({ m() { super.p++ } });      … ($Qp1=super.p,++$Qp1,$QpA&&$QpW(1,this,"p",$Qp1),super.p=$Qp1) …
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;

use swc_ecma_ast::{AssignExpr, Expr, Lit, SuperProp, SuperPropExpr, UpdateExpr};

use super::SiteKind;
use super::branches::{Assigned, Assignment};
use super::hooks::quote;
use super::properties::{Key, Named, Reads, UpdatedMember, compound_operator, computed_key};
use super::rewriter::Rewriter;
use crate::position::ByteOffset;

/// The key of a property of `super`.
pub(super) fn super_key(member: &SuperPropExpr) -> Key<'_> {
    match &member.prop {
        SuperProp::Ident(name) => Key::Static(Cow::Borrowed(&name.sym)),
        SuperProp::Computed(computed) => computed_key(&computed.expr),
    }
}

impl Rewriter<'_> {
    /// `super.x = value`, `super[k] = value` and their kin. Returns whether it was hooked.
    pub(super) fn assign_super(&mut self, assign: &AssignExpr, member: &SuperPropExpr) -> bool {
        let key = super_key(member);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let site = self.site(ByteOffset(assign.span.lo.0), SiteKind::Assignment);
        let to = match &key {
            Key::Static(name) => Assigned::Property(name),
            Key::Dynamic(_) => Assigned::Computed,
        };
        let reads = Reads::of(assign.op);
        let (key, again, temporaries) = self.name_super(member, &key, &assign.right, reads);
        let compound = compound_operator(assign.op).map(|operator| (operator, assign));
        let assignment = Assignment { site, to };
        self.hook_value(
            &assign.right,
            (compound, &again),
            assignment,
            None,
            |this, site, value, out| {
                let context = this.context(watching);
                let _ = write!(out, "{}W({site},this,{key},{value}{context})", this.prefix);
            },
        );
        self.release(temporaries);
        true
    }

    /// `super.x++` and its kin. `used` says whether the expression's value can matter.
    pub(super) fn update_super(
        &mut self,
        update: &UpdateExpr,
        member: &SuperPropExpr,
        used: bool,
    ) -> bool {
        let key = super_key(member);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        self.update(update, used, |this, site, value| {
            let undefined = Expr::Lit(Lit::Null(swc_ecma_ast::Null { span: update.span }));
            let (key, again, temporaries) =
                this.name_super(member, &key, &undefined, Reads::Before);
            let (p, context) = (this.prefix, this.context(watching));
            UpdatedMember {
                hook: format!("{p}A&&{p}W({site},this,{key},{value}{context})"),
                again,
                temporaries,
            }
        });
        true
    }

    /// Visits the key; gives its text in a hook, the text of the property to be named again, and how many temporaries
    /// that took.
    fn name_super(
        &mut self,
        member: &SuperPropExpr,
        key: &Key<'_>,
        value: &Expr,
        reads: Reads,
    ) -> (String, String, usize) {
        let mut temporaries = 0;
        let reads = match reads {
            Reads::Not => Reads::NotOfSuper,
            reads => reads,
        };
        let named = match key {
            Key::Static(name) => quote(name),
            Key::Dynamic(expression) => self
                .name_key(
                    expression,
                    (&Named::Text("this"), value),
                    reads,
                    &mut temporaries,
                )
                .to_string(),
        };
        let again = match &member.prop {
            SuperProp::Ident(name) => format!("super.{}", name.sym),
            SuperProp::Computed(_) => format!("super[{named}]"),
        };
        (named, again, temporaries)
    }
}
