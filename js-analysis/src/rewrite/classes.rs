//! Properties that classes define: fields and methods.
//!
//! ```text
//! f(class { p = g() })   f(class { p = $QpF(1,this,"p",g()) })
//! f(class { p })         f(class { p=$QpF(1,this,"p",void 0); })
//! f(class { [k] = 1 })   f(class { [$QpC=$QpK(0,(k))] = $QpF(1,this,$QpC,1) })
//! f(class { p() {} })    f(class { static{$QpA&&($QpO(1,this.prototype,0,"p"))}p() {} })
//! ```
//! A field is defined after its hook, a method before it. A computed key is evaluated once, with the class, and kept in
//! a variable of the block around, for as many instances as there will be.

use std::fmt::Write as _;

use swc_common::Spanned;
use swc_ecma_ast::{ClassMember, ClassMethod, ClassProp, Expr, MethodKind, PrivateProp};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::{is_anonymous_function, naming, quote};
use super::literals::{is_broken, property_key};
use super::properties::Key;
use super::rewriter::Rewriter;
use super::watching::Watching;
use crate::position::ByteOffset;

/// A field's key, as a function that it holds is called, and as text in a hook.
struct FieldName {
    /// Empty where only the running program knows it.
    name: String,
    key: String,
}

impl Rewriter<'_> {
    /// A public class field.
    pub(super) fn class_field(&mut self, property: &ClassProp) {
        let at = ByteOffset(property.span.lo.0);
        let key_end = ByteOffset(property.key.span().hi.0);
        let value = property.value.as_deref();
        let (name, watching) = match property_key(&property.key) {
            Key::Static(name) => {
                property.key.visit_with(self);
                let watching = self
                    .watches_property(&name)
                    .filter(|_| !is_broken(&property.key));
                let name = name.into_owned();
                let key = quote(&name);
                (FieldName { name, key }, watching)
            }
            Key::Dynamic(expression) => {
                let watching = self.watches_any_property();
                let key = match watching {
                    Some(_) => self.lasting_key(expression),
                    None => {
                        property.key.visit_with(self);
                        String::new()
                    }
                };
                let name = String::new();
                (FieldName { name, key }, watching)
            }
        };
        self.field(at, key_end, &name, watching, value);
    }

    /// Visits a computed key of a class, which is evaluated with the class and needed again; gives what holds it.
    fn lasting_key(&mut self, key: &Expr) -> String {
        let name = self.lasting_name();
        let span = key.span();
        let opening = format!("{name}={}K(0,(", self.prefix);
        self.edits.insert(ByteOffset(span.lo.0), &opening);
        key.visit_with(self);
        self.edits.insert(ByteOffset(span.hi.0), "))");
        name
    }

    /// The members of a class. Methods are properties of its prototype, or of itself.
    pub(super) fn class_body(&mut self, members: &[ClassMember]) {
        let start = members.first().map(|first| ByteOffset(first.span().lo.0));
        let (Some(any), Some(start)) = (self.watches_any_property(), start) else {
            return members.iter().for_each(|member| member.visit_with(self));
        };
        let opening = self.edits.reserve(start);
        let mut text = String::new();
        let mut keys: Vec<Option<String>> = Vec::with_capacity(members.len());
        for member in members {
            let ClassMember::Method(method) = member else {
                keys.push(None);
                continue;
            };
            let watched = match property_key(&method.key) {
                _ if method.kind != MethodKind::Method || is_broken(&method.key) => None,
                Key::Static(name) => self
                    .watches_property(&name)
                    .map(|watching| (quote(&name), watching)),
                Key::Dynamic(_) => Some((self.lasting_name(), any)),
            };
            let Some((key, watching)) = watched else {
                keys.push(None);
                continue;
            };
            let site = self.site(ByteOffset(method.span.lo.0), SiteKind::Property);
            let mut context = String::new();
            self.write_context(watching.dependents, &mut context);
            if context.is_empty() {
                context.push('0');
            }
            let holder = if method.is_static {
                "this"
            } else {
                "this.prototype"
            };
            let joiner = if text.is_empty() { "" } else { "," };
            let _ = write!(
                text,
                "{joiner}{}O({site},{holder},{context},{key})",
                self.prefix
            );
            keys.push(Some(key));
        }
        for (member, key) in members.iter().zip(keys) {
            match (member, key) {
                (ClassMember::Method(method), Some(name)) => self.method(method, &name),
                _ => member.visit_with(self),
            }
        }
        if !text.is_empty() {
            let text = format!("static{{{}A&&({text})}}", self.prefix);
            self.edits.fill(opening, &text);
        }
    }

    fn method(&mut self, method: &ClassMethod, name: &str) {
        match property_key(&method.key) {
            Key::Static(_) => method.key.visit_with(self),
            Key::Dynamic(expression) => {
                let span = expression.span();
                let opening = format!("{name}={}K(0,(", self.prefix);
                self.edits.insert(ByteOffset(span.lo.0), &opening);
                expression.visit_with(self);
                self.edits.insert(ByteOffset(span.hi.0), "))");
            }
        }
        method.function.visit_with(self);
    }

    /// A private class field.
    pub(super) fn private_field(&mut self, property: &PrivateProp) {
        let at = ByteOffset(property.span.lo.0);
        let name = self.private_key_of(&property.key);
        let watching = self.watches_property(&name);
        let key_end = ByteOffset(property.key.span.hi.0);
        let key = quote(&name);
        let name = format!("#{}", property.key.name);
        let name = FieldName { name, key };
        self.field(at, key_end, &name, watching, property.value.as_deref());
    }

    fn field(
        &mut self,
        at: ByteOffset,
        key_end: ByteOffset,
        field: &FieldName,
        watching: Option<Watching<'_>>,
        value: Option<&Expr>,
    ) {
        let p = self.prefix;
        let FieldName { name, key } = field;
        let Some(value) = value else {
            if let Some(watching) = watching {
                let site = self.site(at, SiteKind::Property);
                let context = self.context(watching);
                let text = format!("={p}F({site},this,{key},void 0{context});");
                self.edits.insert(key_end, &text);
            }
            return;
        };
        let span = value.span();
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        let edits_before = self.edits.count();
        self.in_scope(|this| {
            this.initialiser(lo, hi, |this| {
                let Some(watching) = watching else {
                    value.visit_with(this);
                    return;
                };
                let site = this.site(at, SiteKind::Property);
                let (before, after) = if is_anonymous_function(value) {
                    if name.is_empty() && !key.starts_with('"') {
                        (format!("{{[{key}]:"), format!("}}[{key}]"))
                    } else if name.starts_with('#') || !is_identifier(name) {
                        let quoted = quote(name);
                        (format!("{{[{quoted}]:"), format!("}}[{quoted}]"))
                    } else {
                        naming(name)
                    }
                } else {
                    (String::new(), String::new())
                };
                let context = this.context(watching);
                this.edits
                    .insert_args(lo, format_args!("{p}F({site},this,{key},{before}"));
                value.visit_with(this);
                this.edits
                    .insert_args(hi, format_args!("{after}{context})"));
            });
        });
        self.end_field(hi, edits_before);
    }

    /// Ends a field whose value was edited at its end: what follows on the next line is not to go on with it.
    fn end_field(&mut self, value_end: ByteOffset, from: usize) {
        if !self.follows(value_end).starts_with([';', '}'])
            && self.edits.inserts_at(from, value_end)
        {
            self.edits.insert(value_end, ";");
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && characters.all(|next| next.is_alphanumeric() || next == '_' || next == '$')
}
