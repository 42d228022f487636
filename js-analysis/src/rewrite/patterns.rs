//! Targets inside destructuring assignments and loop heads.
//!
//! ```text
//! [o.p] = v         [$QpM(1,o,"p",($QpO,$QpK,$QpV)=>$QpO.p=$QpV).v] = v
//! [o[k]] = v        [$QpM(1,o,(k),($QpO,$QpK,$QpV)=>$QpO[$QpK]=$QpV).v] = v
//! ({a: x} = v)      ({a: $QpI($QpV=>($QpA&&($Qp$x=$QpX(1,x,$Qp$x,$QpV)),x=$QpV)).v} = v)
//! ({x} = v)         ({x:$QpI(…).v} = v)
//! for (o.p of v);   for ($QpM(…).v of v);
//! ({...x} = v)      ({...$QpI($QpV=>($QpA&&($QpO(1,$QpV,0,[$QpV]),($Qp$x=$QpX(1,x,$Qp$x,$QpV))),x=$QpV)).v} = v)
//! let {...y} = v;   let {...y} = v;;{let $QpZ=$QpA&&(…,$QpO(1,y,0,[y]))}
//! ```
//! The target becomes a property `v` of a small object whose setter runs the hook and then the write as it
//! was written. So the object and key are evaluated when they always were, and the write happens in the
//! page's own code, with its strictness. What a rest element makes is an object with properties, as a literal is.

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayPat, AssignPat, Expr, MemberExpr, MemberProp, ObjectPat, ObjectPatProp, Pat, SuperPropExpr,
};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::{VariableWrite, WrittenVariable, is_anonymous_function, naming, quote};
use super::properties::Key;
use super::rewriter::Rewriter;
use super::super_properties::super_key;
use super::watching::Watching;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// Where the site of a destructured write is, and what it is.
#[derive(Clone, Copy)]
pub(super) struct PatternSite {
    pub(super) at: ByteOffset,
    pub(super) kind: SiteKind,
}

/// What represents the object or array that a rest element made, until its name is known: no identifier.
const MADE: &str = "\0";

/// What is reported of a write.
struct Written<'w> {
    watching: Watching<'w>,
    /// The hook of the value written, where a rest element made it.
    made: Option<String>,
}

impl Rewriter<'_> {
    pub(super) fn array_targets(&mut self, array: &ArrayPat, site: PatternSite) {
        for element in array.elems.iter().flatten() {
            match element {
                Pat::Rest(rest) => self.rest_target(&rest.arg, false, site),
                element => self.pattern_target(element, site),
            }
        }
    }

    /// The target of a rest element: the object or array that it made is reported like a literal.
    fn rest_target(&mut self, target: &Pat, is_object: bool, site: PatternSite) {
        let made = match target {
            Pat::Ident(_) | Pat::Expr(_) => self.made_hook(is_object, site),
            _ => None,
        };
        let Some(made) = made else {
            return self.pattern_target(target, site);
        };
        match target {
            Pat::Ident(ident) => {
                let at = ByteOffset(ident.span.lo.0);
                let p = self.prefix;
                let setter = self
                    .setter_of_variable(&ident.sym, at, site, Some(&made))
                    .unwrap_or_else(|| {
                        let made = made.replace(MADE, &format!("{p}V"));
                        format!("{p}I({p}V=>({p}A&&{made},{}={p}V)).v", ident.sym)
                    });
                let end = ByteOffset(ident.span.hi.0);
                self.edits.replace(self.source, at, end, &setter);
            }
            Pat::Expr(expression) => match unparenthesized(expression) {
                Expr::Member(member) => {
                    let written = Written {
                        watching: self
                            .watches_key(&self.member_key(&member.prop))
                            .unwrap_or_default(),
                        made: Some(made),
                    };
                    self.hooked_member_target(expression, member, site, written);
                }
                _ => self.pattern_target(target, site),
            },
            _ => {}
        }
    }

    /// The hook of what a rest element made, which is called [`MADE`] in it; `None` if nothing of it is watched.
    fn made_hook(&mut self, is_object: bool, site: PatternSite) -> Option<String> {
        let watching = if is_object {
            self.watches_any_property()
        } else {
            self.watches_elements()
        }?;
        let number = self.site(site.at, site.kind);
        Some(self.made_text(is_object, number, MADE, watching))
    }

    fn made_text(&self, is_object: bool, site: u32, made: &str, watching: Watching<'_>) -> String {
        let p = self.prefix;
        if !is_object {
            return format!("{p}Y({site},{made},0{})", self.context(watching));
        }
        let mut context = String::new();
        self.write_context(watching.dependents, &mut context);
        if context.is_empty() {
            context.push('0');
        }
        format!("{p}O({site},{made},{context},[{made}])")
    }

    /// Adds to `hooks` those of the objects and arrays that the rest elements of a binding pattern made.
    pub(super) fn rest_hooks(&mut self, pattern: &Pat, site: PatternSite, hooks: &mut String) {
        match pattern {
            Pat::Array(array) => {
                for element in array.elems.iter().flatten() {
                    self.rest_hooks(element, site, hooks);
                }
            }
            Pat::Object(object) => {
                for property in &object.props {
                    match property {
                        ObjectPatProp::KeyValue(pair) => self.rest_hooks(&pair.value, site, hooks),
                        ObjectPatProp::Rest(rest) => {
                            self.made_binding(&rest.arg, true, site, hooks);
                        }
                        ObjectPatProp::Assign(_) => {}
                    }
                }
            }
            Pat::Assign(assign) => self.rest_hooks(&assign.left, site, hooks),
            Pat::Rest(rest) => match &*rest.arg {
                Pat::Ident(_) => self.made_binding(&rest.arg, false, site, hooks),
                nested => self.rest_hooks(nested, site, hooks),
            },
            Pat::Ident(_) | Pat::Expr(_) | Pat::Invalid(_) => {}
        }
    }

    fn made_binding(
        &mut self,
        target: &Pat,
        is_object: bool,
        site: PatternSite,
        hooks: &mut String,
    ) {
        if let Pat::Ident(ident) = target
            && let Some(made) = self.made_hook(is_object, site)
        {
            if !hooks.is_empty() {
                hooks.push(',');
            }
            hooks.push_str(&made.replace(MADE, &ident.sym));
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
                    let hooked = self.setter_of_variable(name, at, site, None);
                    if let Some(setter) = &hooked {
                        let end = ByteOffset(short.key.span.hi.0);
                        self.edits.insert_args(end, format_args!(":{setter}"));
                    }
                    if let Some(default) = &short.value {
                        self.default_value(default, hooked.is_some().then_some(name));
                    }
                }
                ObjectPatProp::Rest(rest) => self.rest_target(&rest.arg, true, site),
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
            Expr::SuperProp(member) => self.super_target(expression, member, site),
            other => other.visit_with(self),
        }
    }

    fn super_target(&mut self, whole: &Expr, member: &SuperPropExpr, site: PatternSite) {
        let key = super_key(member);
        let Some(watching) = self.watches_key(&key) else {
            return member.visit_with(self);
        };
        let number = self.site(site.at, site.kind);
        let p = self.prefix;
        let context = self.context(watching);
        let (start, end) = (ByteOffset(whole.span().lo.0), ByteOffset(whole.span().hi.0));
        match key {
            Key::Static(name) => {
                let (property, key) = (self.super_text(member), quote(&name));
                let text = format!(
                    "{p}M({number},this,{key},({p}O,{p}K,{p}V)=>{property}={p}V{context}).v"
                );
                self.edits.replace(self.source, start, end, &text);
            }
            Key::Dynamic(expression) => {
                let span = expression.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                let opening = format!("{p}M({number},this,(");
                self.edits.replace(self.source, start, lo, &opening);
                expression.visit_with(self);
                let closing = format!("),({p}O,{p}K,{p}V)=>super[{p}K]={p}V{context}).v");
                self.edits.replace(self.source, hi, end, &closing);
            }
        }
    }

    /// A property of `super` with a known key, as it was written.
    fn super_text(&self, member: &SuperPropExpr) -> &str {
        let span = member.span;
        self.source
            .get(span.lo.0 as usize..span.hi.0 as usize)
            .unwrap_or("")
    }

    fn member_target(&mut self, whole: &Expr, member: &MemberExpr, site: PatternSite) {
        let Some(watching) = self.watches_key(&self.member_key(&member.prop)) else {
            return member.visit_with(self);
        };
        let written = Written {
            watching,
            made: None,
        };
        self.hooked_member_target(whole, member, site, written);
    }

    fn hooked_member_target(
        &mut self,
        whole: &Expr,
        member: &MemberExpr,
        site: PatternSite,
        Written { watching, made }: Written<'_>,
    ) {
        let key = self.member_key(&member.prop);
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
        // What is made by a rest element is reported by a function that parameters must not hide.
        let (o, k, v) = match &made {
            Some(_) => (format!("{p}1"), format!("{p}2"), format!("{p}3")),
            None => (format!("{p}O"), format!("{p}K"), format!("{p}V")),
        };
        let write = match &member.prop {
            MemberProp::Ident(name) => format!("{o}.{}", name.sym),
            MemberProp::PrivateName(name) => format!("{o}.#{}", name.name),
            MemberProp::Computed(_) => format!("{o}[{k}]"),
        };
        let write = match made {
            Some(made) => format!("({p}A&&{},{write}={v})", made.replace(MADE, &v)),
            None => format!("{write}={v}"),
        };
        let closing = format!(",({o},{k},{v})=>{write}{context}).v");
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
        let Some(setter) = self.setter_of_variable(name, at, site, None) else {
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
        made: Option<&str>,
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
        let hook = match made {
            Some(made) => format!("({},{hook})", made.replace(MADE, &value)),
            None => hook,
        };
        Some(format!("{p}I({value}=>({p}A&&{hook},{name}={value})).v"))
    }
}
