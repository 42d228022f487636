//! Targets inside destructuring assignments and loop heads.
//!
//! ```text
//! [o.p] = v         [$QpM(1,o,"p",($QpO,$QpK,$QpV)=>$QpO.p=$QpV).v] = v
//! [o[k]] = v        [$QpM(1,o,(k),($QpO,$QpK,$QpV)=>$QpO[$QpK]=$QpV).v] = v
//! ({a: x} = v)      ({a: $QpI($QpV=>($QpA&&($Qp$x=$QpX(1,x,$Qp$x,$QpV)),x=$QpV)).v} = v)
//! ({x} = v)         ({x:$QpI(…).v} = v)
//! for (o.p of v);   for ($QpM(…).v of v);
//! ```
//! The target becomes a property `v` of a small object whose setter runs the hook and then the write as it
//! was written. So the object and key are evaluated when they always were, and the write happens in the
//! page's own code, with its strictness.

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayPat, AssignPat, Expr, MemberExpr, MemberProp, ObjectPat, ObjectPatProp, Pat, SuperProp,
};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::{VariableWrite, WrittenVariable, is_anonymous_function, naming, quote};
use super::properties::{Key, member_key};
use super::walk::Rewriter;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// Where the site of a destructured write is, and what it is.
#[derive(Clone, Copy)]
pub(super) struct PatternSite {
    pub(super) at: ByteOffset,
    pub(super) kind: SiteKind,
}

impl Rewriter<'_> {
    pub(super) fn array_targets(&mut self, array: &ArrayPat, site: PatternSite) {
        for element in array.elems.iter().flatten() {
            self.pattern_target(element, site);
        }
    }

    pub(super) fn object_targets(&mut self, object: &ObjectPat, site: PatternSite) {
        for property in &object.props {
            match property {
                ObjectPatProp::KeyValue(pair) => {
                    pair.key.visit_with(self);
                    self.pattern_target(&pair.value, site);
                }
                ObjectPatProp::Assign(short) => {
                    let name = &short.key.sym;
                    let at = ByteOffset(short.key.span.lo.0);
                    let hooked = self.setter_of_variable(name, at, site);
                    if let Some(setter) = &hooked {
                        let end = ByteOffset(short.key.span.hi.0);
                        self.edits.insert_args(end, format_args!(":{setter}"));
                    }
                    if let Some(default) = &short.value {
                        self.default_value(default, hooked.is_some().then_some(name));
                    }
                }
                ObjectPatProp::Rest(rest) => self.pattern_target(&rest.arg, site),
            }
        }
    }

    /// Any assignment target, nested ones included.
    pub(super) fn pattern_target(&mut self, pattern: &Pat, site: PatternSite) {
        match pattern {
            Pat::Ident(ident) => {
                self.variable_target(&ident.sym, ident.span, site);
            }
            Pat::Array(array) => self.array_targets(array, site),
            Pat::Object(object) => self.object_targets(object, site),
            Pat::Rest(rest) => self.pattern_target(&rest.arg, site),
            Pat::Assign(AssignPat { left, right, .. }) => {
                let named = match &**left {
                    Pat::Ident(ident) => self
                        .variable_target(&ident.sym, ident.span, site)
                        .then_some(&ident.sym),
                    other => {
                        self.pattern_target(other, site);
                        None
                    }
                };
                self.default_value(right, named);
            }
            Pat::Expr(expression) => self.expression_target(expression, site),
            Pat::Invalid(_) => {}
        }
    }

    /// A default value. `named`: its target was a variable of this name and is none any more.
    fn default_value(&mut self, value: &Expr, named: Option<&Atom>) {
        if let Some(name) = named
            && is_anonymous_function(value)
        {
            let (before, after) = naming(name);
            self.edits.insert(ByteOffset(value.span().lo.0), &before);
            value.visit_with(self);
            self.edits.insert(ByteOffset(value.span().hi.0), &after);
        } else {
            value.visit_with(self);
        }
    }

    fn expression_target(&mut self, expression: &Expr, site: PatternSite) {
        match unparenthesized(expression) {
            Expr::Ident(ident) => {
                self.variable_target(&ident.sym, expression.span(), site);
            }
            Expr::Member(member) => self.member_target(expression, member, site),
            Expr::SuperProp(member) => {
                if let SuperProp::Ident(name) = &member.prop
                    && let Some(watching) = self.watches_property(&name.sym)
                {
                    let number = self.site(site.at, site.kind);
                    let p = self.prefix;
                    let key = quote(&name.sym);
                    let context = self.context(watching);
                    let text = format!(
                        "{p}M({number},this,{key},({p}O,{p}K,{p}V)=>super.{}={p}V{context}).v",
                        name.sym
                    );
                    let span = expression.span();
                    let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                    self.edits.replace(self.source, lo, hi, &text);
                } else {
                    member.visit_with(self);
                }
            }
            other => other.visit_with(self),
        }
    }

    fn member_target(&mut self, whole: &Expr, member: &MemberExpr, site: PatternSite) {
        let key = member_key(&member.prop);
        let watching = match &key {
            Key::Static(name) => self.watches_property(name),
            Key::Dynamic(_) => self.watches_any_property(),
        };
        let Some(watching) = watching else {
            member.visit_with(self);
            return;
        };
        let number = self.site(site.at, site.kind);
        let p = self.prefix;
        let context = self.context(watching);
        let object = member.obj.span();
        let (start, end) = (ByteOffset(whole.span().lo.0), ByteOffset(whole.span().hi.0));
        let object_start = ByteOffset(object.lo.0);
        let opening = format!("{p}M({number},");
        self.edits
            .replace(self.source, start, object_start, &opening);
        member.obj.visit_with(self);
        let object_end = ByteOffset(object.hi.0);
        let write = match &member.prop {
            MemberProp::Ident(name) => format!("{p}O.{}", name.sym),
            MemberProp::PrivateName(name) => format!("{p}O.#{}", name.name),
            MemberProp::Computed(_) => format!("{p}O[{p}K]"),
        };
        let closing = format!(",({p}O,{p}K,{p}V)=>{write}={p}V{context}).v");
        match &key {
            Key::Static(name) => {
                let text = format!(",{}{closing}", quote(name));
                self.edits.replace(self.source, object_end, end, &text);
            }
            Key::Dynamic(expression) => {
                let span = expression.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                self.edits.replace(self.source, object_end, lo, ",(");
                expression.visit_with(self);
                let text = format!("){closing}");
                self.edits.replace(self.source, hi, end, &text);
            }
        }
    }

    /// A variable as a target; whether it is watched.
    fn variable_target(&mut self, name: &Atom, span: swc_common::Span, site: PatternSite) -> bool {
        let at = ByteOffset(span.lo.0);
        let Some(setter) = self.setter_of_variable(name, at, site) else {
            return false;
        };
        let end = ByteOffset(span.hi.0);
        self.edits.replace(self.source, at, end, &setter);
        true
    }

    fn setter_of_variable(
        &mut self,
        name: &Atom,
        at: ByteOffset,
        site: PatternSite,
    ) -> Option<String> {
        let (place, watching) = self.watches_writable(name, at)?;
        let number = self.site(site.at, site.kind);
        let p = self.prefix;
        let value = format!("{p}V");
        let write = VariableWrite::Assign;
        let mut hook = String::new();
        self.variable_hook(
            number,
            WrittenVariable {
                name,
                place: &place,
                watching,
                write,
            },
            &value,
            &mut hook,
        );
        Some(format!("{p}I({value}=>({p}A&&{hook},{name}={value})).v"))
    }
}
