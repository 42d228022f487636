//! What a script does with its functions, objects and variables: which of them others may get, who may call a function
//! then by a name that no script has.
//!
//! ```js
//! const base = { save() { … } };
//! mount({ ...base });
//! ```
//!
//! What `base` holds gets where it is not followed.

use rustc_hash::FxHashMap;
use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{ArrowExpr, ArrowFunctionBody, Expr, Function, Lit, MemberProp, PropName};

use crate::html::markup_that_names;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{Resolution, unparenthesized};

/// The name of what has none, or one that is computed.
pub(super) const ANY: &str = "[]";

/// What holds a function: itself, what it is a member of, what it was put into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// A function, by where its body begins.
    Function(u32),
    /// A class, a literal, or what `new` makes.
    Object(ByteSpan),
    /// A variable of the script.
    Binding(u32),
    /// A variable of all scripts.
    Global(Atom),
    /// A property of any object.
    Property(Atom),
}

/// Where something goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    Into(Holder),
    /// It becomes a property of what is held there.
    Member(Holder, Atom),
    /// Of a class or a function: `new` makes an object with it.
    Made(ByteSpan),
    Exported(Atom),
    /// Where it is not followed.
    Out(ByteSpan),
}

/// Of which kind what is put into a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// It is made there.
    Created(Holder),
    /// `new` makes it, with what is held there.
    Made(ByteSpan, Holder),
    Unknown(ByteSpan),
}

/// What a script does with what it holds.
#[derive(Debug, Default)]
pub struct Holders {
    pub(super) goes: FxHashMap<Holder, Vec<Goes>>,
    pub(super) sources: FxHashMap<Holder, Vec<Source>>,
    /// Where code is made of a text that sees all variables.
    pub(super) eval: Option<ByteSpan>,
    /// Where a property of the global object is read by a name that is computed.
    pub(super) computed_global: Option<ByteSpan>,
    /// The variables that hold all that a module exports.
    pub(super) namespaces: Vec<u32>,
    /// Where a module is imported by a call, or is handed on, as a whole, and by which text; none: it is computed.
    pub(super) whole_imports: Vec<(ByteSpan, Option<Atom>)>,
    /// The texts that are markup, and where.
    pub(super) markup: Vec<(String, ByteSpan)>,
}

impl Holders {
    /// Where a text that is markup has a name that a library may look up.
    #[must_use]
    pub fn markup_that_names(&self, name: &str) -> Option<ByteSpan> {
        let mut texts = self.markup.iter();
        let (_, span) = texts.find(|(text, _)| markup_that_names(text, name).is_some())?;
        Some(*span)
    }
}

pub(super) fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

pub(super) fn held(resolution: Resolution, name: &Atom) -> Holder {
    match resolution {
        Resolution::Local(binding) => Holder::Binding(binding.0),
        _ => Holder::Global(name.clone()),
    }
}

/// The name of a property; none: it is computed.
pub(super) fn key_of(key: &PropName) -> Atom {
    let text = match key {
        PropName::Ident(ident) => Some(ident.sym.clone()),
        PropName::Str(text) => text.value.as_str().map(Atom::from),
        PropName::Computed(computed) => text_of(&computed.expr),
        PropName::Num(_) | PropName::BigInt(_) => None,
    };
    text.unwrap_or_else(|| Atom::from(ANY))
}

pub(super) fn text_of(expression: &Expr) -> Option<Atom> {
    match unparenthesized(expression) {
        Expr::Lit(Lit::Str(text)) => text.value.as_str().map(Atom::from),
        _ => None,
    }
}

pub(super) fn member_name(property: &MemberProp) -> Option<Atom> {
    match property {
        MemberProp::Ident(ident) => Some(ident.sym.clone()),
        MemberProp::PrivateName(name) => Some(Atom::from(format!("#{}", name.name))),
        MemberProp::Computed(computed) => text_of(&computed.expr),
    }
}

pub(super) fn body_of(function: &Function) -> u32 {
    let body = function.body.as_ref();
    body.map_or(function.span.hi.0, |body| body.span.lo.0)
}

pub(super) fn arrow_body(arrow: &ArrowExpr) -> u32 {
    match &*arrow.body {
        ArrowFunctionBody::FunctionBody(body) => body.span.lo.0,
        ArrowFunctionBody::Expr(value) => value.span().lo.0,
    }
}
