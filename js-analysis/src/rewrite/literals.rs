//! Properties that come with their object: object and array literals.
//!
//! ```text
//! f({p: 1, ...o})        f(($Qp1={p: 1, ...($Qp2=o)},$QpA&&$QpO(1,$Qp1,0,"p",[$Qp2]),$Qp1))
//! f({p: g()})            f(($Qp1={p: g()},$QpA&&$QpL(1,$Qp1,"p",$Qp1["p"]),$Qp1))
//! f({[k]: 1})            f(($Qp1={[$Qp2=$QpK(0,(k))]: 1},$QpA&&$QpO(1,$Qp1,0,$Qp2),$Qp1))
//! f([g, k])              f(($Qp1=[g, k],$QpA&&$QpY(1,$Qp1,2),$Qp1))
//! f(new Array(g))        f(($Qp1=new Array(g),$QpA&&$QpY(1,$Qp1,"Array"),$Qp1))
//! ```
//! The sites of one literal are numbered in a row, in the order of its properties.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::rc::Rc;

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{ArrayLit, Expr, ObjectLit, Prop, PropName, PropOrSpread};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::{quote, without_name};
use super::properties::{Key, computed_key, number_key};
use super::rewriter::Rewriter;
use crate::position::ByteOffset;
use crate::scopes::Resolution;

/// Array literals longer than this have one site for all their elements.
const LARGEST_ROW_OF_SITES: usize = 64;

/// The constructors whose arrays are hooked where they are called by name.
const ARRAY_CONSTRUCTORS: [&str; 13] = [
    "Array",
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "BigInt64Array",
    "BigUint64Array",
    "Float16Array",
    "Float32Array",
    "Float64Array",
];

/// The key of a property definition.
pub(super) fn property_key(key: &PropName) -> Key<'_> {
    match key {
        PropName::Ident(ident) => Key::Static(Cow::Borrowed(&ident.sym)),
        PropName::Str(string) => Key::Static(string.value.to_string_lossy()),
        PropName::Num(number) => Key::Static(Cow::Owned(number_key(number.value))),
        PropName::BigInt(number) => Key::Static(Cow::Owned(number.value.to_string())),
        PropName::Computed(computed) => computed_key(&computed.expr),
    }
}

/// What a member of an object literal defines.
enum DefinedKey<'e> {
    /// Nothing that could be watched: an accessor, or the prototype.
    None,
    Static(Cow<'e, str>),
    Dynamic(&'e Expr),
    Spread,
}

/// Whether a key has half a surrogate pair, which no text of ours can name.
pub(super) fn is_broken(key: &PropName) -> bool {
    matches!(key, PropName::Str(string) if string.value.as_str().is_none())
}

fn defined_key(property: &Prop) -> DefinedKey<'_> {
    let key = match property {
        Prop::Shorthand(ident) => return DefinedKey::Static(Cow::Borrowed(&ident.sym)),
        Prop::KeyValue(pair) if is_proto_setter(&pair.key) => return DefinedKey::None,
        Prop::KeyValue(pair) => &pair.key,
        Prop::Method(method) => &method.key,
        Prop::Getter(_) | Prop::Setter(_) | Prop::Assign(_) => return DefinedKey::None,
    };
    if is_broken(key) {
        return DefinedKey::None;
    }
    match property_key(key) {
        Key::Static(name) => DefinedKey::Static(name),
        Key::Dynamic(expression) => DefinedKey::Dynamic(expression),
    }
}

impl Rewriter<'_> {
    /// An object literal, visited and hooked if it defines a watched property.
    pub(super) fn object_literal(&mut self, object: &ObjectLit) {
        let any = self.watches_any_property();
        if any.is_none() {
            object.visit_children_with(self);
            return;
        }
        // All sites first: those of literals inside must not come in between.
        let first = self.next_site();
        let mut keys = String::new();
        let mut dependents: Vec<usize> = Vec::new();
        let literal = self.temporary();
        let mut temporaries: Vec<Rc<str>> = Vec::new();
        for property in &object.props {
            let (at, key) = match property {
                PropOrSpread::Spread(spread) => (spread.dot3_token.lo.0, DefinedKey::Spread),
                PropOrSpread::Prop(property) => (property.span().lo.0, defined_key(property)),
            };
            let watching = match &key {
                DefinedKey::None => continue,
                DefinedKey::Static(name) => self.watches_property(name),
                DefinedKey::Dynamic(_) | DefinedKey::Spread => any,
            };
            let Some(watching) = watching else { continue };
            self.site(ByteOffset(at), SiteKind::Property);
            dependents.extend(watching.dependents);
            keys.push(',');
            match key {
                DefinedKey::Static(name) => keys.push_str(&quote(&name)),
                DefinedKey::Dynamic(_) | DefinedKey::Spread => {
                    let temporary = self.temporary();
                    let is_spread = matches!(key, DefinedKey::Spread);
                    let (open, close) = if is_spread { ("[", "]") } else { ("", "") };
                    let _ = write!(keys, "{open}{temporary}{close}");
                    temporaries.push(temporary);
                }
                DefinedKey::None => {}
            }
        }
        if keys.is_empty() {
            self.release(1);
            object.visit_children_with(self);
            return;
        }
        self.edits
            .insert_args(ByteOffset(object.span.lo.0), format_args!("({literal}="));
        let mut names = temporaries.iter();
        for property in &object.props {
            self.literal_member(property, &mut names);
        }
        if self.is_live() {
            return self.end_live_literal(object, first, &literal, temporaries.len());
        }
        let p = self.prefix;
        let mut context = String::new();
        self.write_context(&dependents, &mut context);
        if context.is_empty() {
            context.push('0');
        }
        let end = ByteOffset(object.span.hi.0);
        match keys.strip_prefix(',') {
            // One known key whose value can be read without running anything, the most frequent case by far.
            Some(key) if is_single(&keys, &temporaries) && !has_accessor(object) => {
                let context = if context == "0" {
                    String::new()
                } else {
                    format!(",{context}")
                };
                self.edits.insert_args(
                    end,
                    format_args!(
                        ",{p}A&&{p}L({first},{literal},{key},{literal}[{key}]{context}),{literal})"
                    ),
                );
            }
            _ => self.edits.insert_args(
                end,
                format_args!(",{p}A&&{p}O({first},{literal},{context}{keys}),{literal})"),
            ),
        }
        self.release(temporaries.len() + 1);
    }

    /// The end of a literal whose properties go into its shadow, as far as nothing in it can overwrite them.
    fn end_live_literal(
        &mut self,
        object: &ObjectLit,
        first: u32,
        literal: &str,
        temporaries: usize,
    ) {
        let mut keys: Vec<(u32, String)> = Vec::new();
        let mut site = first;
        for property in &object.props {
            let PropOrSpread::Prop(property) = property else {
                keys.clear();
                site += 1;
                continue;
            };
            match defined_key(property) {
                DefinedKey::Static(name) => {
                    if self.watches_property(&name).is_none() {
                        continue;
                    }
                    keys.retain(|(_, known)| *known != name);
                    keys.push((site, name.into_owned()));
                    site += 1;
                }
                DefinedKey::Dynamic(_) => {
                    keys.clear();
                    site += 1;
                }
                DefinedKey::Spread => {}
                // An accessor takes the place of a value of its name.
                DefinedKey::None => keys.clear(),
            }
        }
        let place = self.temporary();
        let hook = self.live_literal_hook(literal, &keys, &place);
        let hook = match keys.len() {
            0 => String::new(),
            _ => format!(",{}A&&{hook}", self.prefix),
        };
        let end = ByteOffset(object.span.hi.0);
        self.edits
            .insert_args(end, format_args!("{hook},{literal})"));
        self.release(temporaries + 2);
    }

    /// One member of a hooked literal; `names` are the temporaries for what only the running program knows.
    fn literal_member<'n>(
        &mut self,
        member: &PropOrSpread,
        names: &mut impl Iterator<Item = &'n Rc<str>>,
    ) {
        let property = match member {
            PropOrSpread::Spread(spread) => {
                let span = spread.expr.span();
                let name = names.next().map_or("", |name| name);
                let (before, after) = without_name(&spread.expr);
                self.edits
                    .insert_args(ByteOffset(span.lo.0), format_args!("({name}={before}"));
                spread.expr.visit_with(self);
                self.edits
                    .insert_args(ByteOffset(span.hi.0), format_args!("{after})"));
                return;
            }
            PropOrSpread::Prop(property) => property,
        };
        let DefinedKey::Dynamic(key) = defined_key(property) else {
            property.visit_with(self);
            return;
        };
        let name = names.next().map_or("", |name| name);
        let span = key.span();
        // The key is converted once, where it always was.
        let opening = format!("{name}={}K(0,(", self.prefix);
        self.edits.insert(ByteOffset(span.lo.0), &opening);
        key.visit_with(self);
        self.edits.insert(ByteOffset(span.hi.0), "))");
        match &**property {
            Prop::KeyValue(pair) => pair.value.visit_with(self),
            Prop::Method(method) => method.function.visit_with(self),
            _ => {}
        }
    }

    /// An array literal, visited and hooked if elements are watched.
    pub(super) fn array_literal(&mut self, array: &ArrayLit) {
        // One without elements has a length.
        let has_some = !array.elems.is_empty() || self.watches_length();
        let Some(watching) = self.watches_elements().filter(|_| has_some) else {
            array.visit_children_with(self);
            return;
        };
        let first = self.next_site();
        let spread = array
            .elems
            .iter()
            .flatten()
            .any(|element| element.spread.is_some());
        let mut sites = 0;
        if spread || array.elems.is_empty() || array.elems.len() > LARGEST_ROW_OF_SITES {
            self.site(ByteOffset(array.span.lo.0), SiteKind::Property);
        } else {
            for element in &array.elems {
                let at = element
                    .as_ref()
                    .map_or(array.span.lo, |element| element.span().lo);
                self.site(ByteOffset(at.0), SiteKind::Property);
                sites += 1;
            }
        }
        let p = self.prefix;
        let literal = self.temporary();
        let context = self.context(watching);
        self.edits
            .insert_args(ByteOffset(array.span.lo.0), format_args!("({literal}="));
        array.visit_children_with(self);
        self.edits.insert_args(
            ByteOffset(array.span.hi.0),
            format_args!(",{p}A&&{p}Y({first},{literal},{sites}{context}),{literal})"),
        );
        self.release(1);
    }

    /// `Array(…)`, `new Array(…)` and constructions of typed arrays, visited and hooked like array literals if elements
    /// are asked: `visit` visits what is inside. A wrapped constructor would turn off what the engine does for arrays
    /// whose constructor is its own.
    pub(super) fn array_construction(
        &mut self,
        span: swc_common::Span,
        callee: &Expr,
        visit: impl FnOnce(&mut Self),
    ) {
        let name = match callee {
            Expr::Ident(name) if ARRAY_CONSTRUCTORS.contains(&&*name.sym) => Some(&name.sym),
            _ => None,
        };
        // One that is declared in this script is another.
        let is_global =
            |name: &&Atom| self.scopes.resolve(self.current, name) == Resolution::Unresolved;
        let name = name.filter(is_global);
        let is_asked = !matches!(
            self.instrumentation.watch,
            super::Watch::Standby | super::Watch::Live
        );
        let watching = self.watches_elements().filter(|_| is_asked);
        let (Some(watching), Some(name)) = (watching, name) else {
            visit(self);
            return;
        };
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        let site = self.site(lo, SiteKind::Property);
        let p = self.prefix;
        let made = self.temporary();
        let context = self.context(watching);
        self.edits.insert_args(lo, format_args!("({made}="));
        visit(self);
        self.edits.insert_args(
            hi,
            format_args!(",{p}A&&{p}Y({site},{made},\"{name}\"{context}),{made})"),
        );
        self.release(1);
    }
}

/// Whether `keys` (`,"a"` for each) is one key, known before the program runs.
fn is_single(keys: &str, temporaries: &[Rc<str>]) -> bool {
    temporaries.is_empty() && !keys[1..].contains(",\"")
}

/// Whether a literal defines a getter or a setter.
fn has_accessor(object: &ObjectLit) -> bool {
    object.props.iter().any(|property| {
        matches!(property, PropOrSpread::Prop(property)
            if matches!(**property, Prop::Getter(_) | Prop::Setter(_)))
    })
}

/// `__proto__: v` in a literal sets the prototype and defines nothing.
fn is_proto_setter(key: &PropName) -> bool {
    match key {
        PropName::Ident(ident) => &*ident.sym == "__proto__",
        PropName::Str(string) => string.value.as_str() == Some("__proto__"),
        _ => false,
    }
}
