//! The option `signal` of a call: `addEventListener("click", f, { signal: controller.signal })`.

use swc_ecma_ast::{Expr, ExprOrSpread, Prop, PropOrSpread};

use super::facts::FlowPlace;
use super::keys::key_of;
use super::walk::Walk;
use crate::scopes::unparenthesized;

impl Walk<'_> {
    /// Where the controller comes from whose signal is the option `signal` of the last argument.
    pub(super) fn signal_of(&self, arguments: &[ExprOrSpread]) -> Option<Vec<FlowPlace>> {
        let Expr::Object(options) = unparenthesized(&arguments.last()?.expr) else {
            return None;
        };
        options.props.iter().find_map(|property| {
            let PropOrSpread::Prop(property) = property else {
                return None;
            };
            match &**property {
                Prop::KeyValue(pair) if key_of(&pair.key).as_deref() == Some("signal") => {
                    Some(match unparenthesized(&pair.value) {
                        Expr::Member(member) => self.places(&member.obj),
                        _ => Vec::new(),
                    })
                }
                Prop::Shorthand(ident) if &*ident.sym == "signal" => Some(Vec::new()),
                _ => None,
            }
        })
    }
}
