//! What tools make of the exports of modules and of the methods of classes, by their names in texts.
//!
//! ```js
//! Object.defineProperty(exports, "add", { enumerable: true, get: function () { return cart.add; } });
//! __webpack_require__.d(exports, "add", function () { return add; });
//! _createClass(Cart, [{ key: "add", value: function add(item) { … } }]);
//! ```

use swc_atoms::Atom;
use swc_ecma_ast::{
    ArrowFunctionBody, Expr, ExprOrSpread, Lit, ObjectLit, Prop, PropOrSpread, ReturnStmt, Stmt,
};

use super::facts::FlowPlace;
use super::keys::key_of;
use super::walk::Walk;
use crate::scopes::unparenthesized;

impl Walk<'_> {
    /// A call with a name and, behind it, what is under this name.
    pub(super) fn defined_by(&mut self, arguments: &[ExprOrSpread]) {
        for pair in arguments.windows(2) {
            let [name, value] = pair else { continue };
            let Some(name) = text_of(&name.expr) else {
                continue;
            };
            let value = unparenthesized(&value.expr);
            let own = match value {
                Expr::Object(object) => described(object),
                _ => given_binding(value),
            };
            if let Some(own) = own {
                self.flow_value(own, &FlowPlace::Property(name));
            }
        }
    }
}

/// The variable or property that a function without parameters gives, if it does nothing else.
pub(super) fn given_binding(value: &Expr) -> Option<&Expr> {
    let given = match unparenthesized(value) {
        Expr::Arrow(arrow) if arrow.params.is_empty() => match &*arrow.body {
            ArrowFunctionBody::Expr(value) => Some(&**value),
            ArrowFunctionBody::FunctionBody(body) => returned(&body.stmts),
        },
        Expr::Fn(function) if function.function.params.is_empty() => {
            returned(&function.function.body.as_ref()?.stmts)
        }
        _ => None,
    }?;
    let given = unparenthesized(given);
    matches!(given, Expr::Ident(_) | Expr::Member(_)).then_some(given)
}

fn returned(statements: &[Stmt]) -> Option<&Expr> {
    match statements {
        [Stmt::Return(ReturnStmt { arg, .. })] => arg.as_deref(),
        _ => None,
    }
}

fn text_of(expression: &Expr) -> Option<Atom> {
    match unparenthesized(expression) {
        Expr::Lit(Lit::Str(text)) => text.value.as_str().map(Atom::from),
        _ => None,
    }
}

/// What a property descriptor describes.
fn described(object: &ObjectLit) -> Option<&Expr> {
    property(object, "value").or_else(|| given_binding(property(object, "get")?))
}

/// `{ key: "add", value: … }`
pub(super) fn defined_method(object: &ObjectLit) -> Option<(Atom, &Expr)> {
    let value = property(object, "value")?;
    Some((text_of(property(object, "key")?)?, value))
}

fn property<'o>(object: &'o ObjectLit, name: &str) -> Option<&'o Expr> {
    object.props.iter().find_map(|property| {
        let PropOrSpread::Prop(property) = property else {
            return None;
        };
        match &**property {
            Prop::KeyValue(pair) if key_of(&pair.key).as_deref() == Some(name) => {
                Some(&*pair.value)
            }
            _ => None,
        }
    })
}
