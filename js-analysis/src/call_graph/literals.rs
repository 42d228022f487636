//! Object literals: what is in them, and what their methods are called on.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{Expr, MethodKind, MethodProp, ObjectLit, Prop, PropOrSpread};
use swc_ecma_visit::VisitWith;

use super::exports::{defined_method, given_binding};
use super::facts::{ELEMENT, FlowPlace, HandlerFact, LiteralFact, MethodOf};
use super::keys::key_of;
use super::walk::{Walk, bytes};
use crate::position::ByteOffset;

impl Walk<'_> {
    /// A literal makes an object.
    pub(super) fn literal(&mut self, span: Span, is_list: bool) {
        let number = ByteOffset::from_index(self.facts.literals.len()).0;
        let span_of = bytes(span);
        self.facts.literals.push(LiteralFact {
            span: span_of,
            is_list,
            members: Vec::new(),
            elements: Vec::new(),
        });
        self.literals.insert(span.lo.0, number);
    }

    pub(super) fn object_literal(&mut self, object: &ObjectLit) {
        self.literal(object.span, false);
        let definition = defined_method(object);
        for property in &object.props {
            let property = match property {
                PropOrSpread::Prop(property) => property,
                PropOrSpread::Spread(spread) => {
                    spread.visit_with(self);
                    let of = self.places(&spread.expr).into_iter();
                    let of: Vec<FlowPlace> = of
                        .map(|place| FlowPlace::Members(Box::new(place)))
                        .collect();
                    self.members(object, &of);
                    continue;
                }
            };
            match &**property {
                Prop::KeyValue(pair) => {
                    pair.key.visit_with(self);
                    let key = key_of(&pair.key);
                    self.name = key.as_ref().map(ToString::to_string);
                    if let Expr::Fn(_) = &*pair.value {
                        self.method_of = match definition {
                            Some(_) => MethodOf::Derived,
                            None => MethodOf::Own,
                        };
                    }
                    pair.value.visit_with(self);
                    self.name = None;
                    self.member(object, &pair.value);
                    let Some(key) = key else { continue };
                    self.handler(&key, pair.value.span(), &pair.value);
                    let to = FlowPlace::Property(key);
                    self.flow_value(&pair.value, &to);
                    // A bundler's `{ name: () => name }` represents the binding that it names.
                    if let Some(value) = given_binding(&pair.value) {
                        self.flow_value(value, &to);
                    }
                }
                Prop::Shorthand(ident) => {
                    let from = vec![self.variable(&ident.sym, ident.span.lo.0)];
                    self.members(object, &from);
                    self.flow(from, &FlowPlace::Property(ident.sym.clone()));
                }
                Prop::Method(method) => {
                    let number = self.object_method(method);
                    let literal = self.literals.get(&object.span.lo.0).copied();
                    if let Some(literal) = literal {
                        self.flow(vec![FlowPlace::Literal(literal)], &FlowPlace::This(number));
                    }
                    self.members(object, &[FlowPlace::Function(number)]);
                }
                other => other.visit_with(self),
            }
        }
        if let Some((name, value)) = definition {
            self.flow_value(value, &FlowPlace::Property(name));
        }
    }

    /// A method of an object literal.
    pub(super) fn object_method(&mut self, method: &MethodProp) -> u32 {
        method.key.visit_with(self);
        let key = key_of(&method.key);
        let span = method.function.span;
        self.method_of = MethodOf::Own;
        self.method(key, MethodKind::Method, &method.function, span, None)
    }

    /// `{ onClick: f }`: a framework sets it as a listener.
    fn handler(&mut self, key: &Atom, span: Span, value: &Expr) {
        let behind = key.strip_prefix("on").and_then(|rest| rest.chars().next());
        if behind.is_some_and(|first| first.is_uppercase() || first == ':') {
            let alternatives = self.alternatives(value);
            let mut value = self.places(value);
            // `cache[0] || (cache[0] = () => save())`: an element is any element of any list.
            let is_element = |place: &FlowPlace| *place == FlowPlace::Property(Atom::from(ELEMENT));
            if !value.iter().all(is_element) {
                value.retain(|place| !is_element(place));
            }
            self.facts.handlers.push(HandlerFact {
                span: bytes(span),
                function: self.current,
                name: key.to_string(),
                value,
                object: Vec::new(),
                alternatives,
            });
        }
    }
}
