//! What an expression begins with, and whether that is the page's.

use swc_atoms::Atom;
use swc_ecma_ast::{Callee, Expr, PropName};

use crate::scopes::unparenthesized;

/// What the platform gives connects everything with everything.
pub(super) fn is_of_platform(name: &str) -> bool {
    matches!(
        name,
        "document"
            | "window"
            | "globalThis"
            | "self"
            | "console"
            | "Math"
            | "JSON"
            | "Object"
            | "Array"
            | "Promise"
            | "Reflect"
            | "Number"
            | "String"
            | "setTimeout"
            | "setInterval"
            | "queueMicrotask"
            | "requestAnimationFrame"
            | "fetch"
            | "localStorage"
            | "sessionStorage"
            | "history"
            | "location"
            | "navigator"
            | "performance"
    )
}

/// What the outermost call or member of an expression begins with: `router` of `router.on("/").resolve()`.
pub(super) fn root(expression: &Expr) -> Option<&swc_ecma_ast::Ident> {
    match unparenthesized(expression) {
        Expr::Ident(ident) => Some(ident),
        Expr::Call(call) => match &call.callee {
            Callee::Expr(callee) => root(callee),
            _ => None,
        },
        Expr::New(new) => root(&new.callee),
        Expr::Member(member) => root(&member.obj),
        Expr::Await(awaited) => root(&awaited.arg),
        _ => None,
    }
}

/// The name of a property, where the text has it.
pub(super) fn name_of(key: &PropName) -> Option<Atom> {
    match key {
        PropName::Ident(ident) => Some(ident.sym.clone()),
        PropName::Str(string) => string.value.as_str().map(Atom::from),
        _ => None,
    }
}
