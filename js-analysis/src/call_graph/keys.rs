//! The names of properties, as far as the text says.

use swc_atoms::Atom;
use swc_ecma_ast::{Expr, Lit, MemberProp, PropName};

use super::facts::ELEMENT;
use crate::scopes::unparenthesized;

pub(super) fn key_of(key: &PropName) -> Option<Atom> {
    match key {
        PropName::Ident(ident) => Some(ident.sym.clone()),
        PropName::Str(string) => string.value.as_str().map(Atom::from),
        PropName::Num(_) => Some(Atom::from(ELEMENT)),
        PropName::Computed(computed) => match unparenthesized(&computed.expr) {
            Expr::Lit(Lit::Str(string)) => string.value.as_str().map(Atom::from),
            _ => Some(Atom::from(ELEMENT)),
        },
        PropName::BigInt(_) => None,
    }
}

pub(super) fn member_key(property: &MemberProp) -> Atom {
    match property {
        MemberProp::Ident(ident) => ident.sym.clone(),
        MemberProp::PrivateName(name) => Atom::from(format!("#{}", name.name)),
        MemberProp::Computed(computed) => match unparenthesized(&computed.expr) {
            Expr::Lit(Lit::Str(string)) => string
                .value
                .as_str()
                .map_or_else(|| Atom::from(ELEMENT), Atom::from),
            _ => Atom::from(ELEMENT),
        },
    }
}
