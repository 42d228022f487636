//! Where a function that an expression gives may come from, and what a pattern takes out of what is there.

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    BinaryOp, Callee, Class, ClassMember, Expr, MemberExpr, ObjectPatProp, OptChainBase, Pat,
};

use super::facts::{ELEMENT, FlowPlace};
use super::keys::{key_of, member_key};
use super::walk::{Walk, bytes};
use crate::position::ByteSpan;
use crate::scopes::unparenthesized;

impl Walk<'_> {
    /// Where a function that an expression gives may come from.
    pub(super) fn places(&self, expression: &Expr) -> Vec<FlowPlace> {
        let mut found = Vec::new();
        self.collect(expression, &mut found);
        found
    }

    /// What an expression may be where a test decides that, but for what holds nothing: of `open ? save : undefined`
    /// it is `save`. None: no test does.
    pub(super) fn alternatives(&self, expression: &Expr) -> Vec<ByteSpan> {
        let both: [&Expr; 2] = match unparenthesized(expression) {
            Expr::Cond(condition) => [&condition.cons, &condition.alt],
            Expr::Bin(binary) if binary.op == BinaryOp::LogicalAnd => {
                [&binary.right, &binary.right]
            }
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        for one in both {
            let inner = self.alternatives(one);
            let is_nothing = FlowPlace::Global(Atom::from("undefined"));
            let holds = self.places(one).iter().any(|place| *place != is_nothing);
            match inner.is_empty() && holds {
                true => found.push(bytes(one.span())),
                false => found.extend(inner),
            }
        }
        found.dedup();
        found
    }

    pub(super) fn collect(&self, expression: &Expr, found: &mut Vec<FlowPlace>) {
        match expression {
            Expr::Paren(inner) => self.collect(&inner.expr, found),
            Expr::Ident(ident) => {
                found.push(self.variable(&ident.sym, ident.span.lo.0));
                // A property of the object of a `with` has any name.
                if self.withs > 0 {
                    found.push(FlowPlace::Property(ident.sym.clone()));
                }
            }
            Expr::Member(member) => {
                let key = member_key(&member.prop);
                let list = match &*key == ELEMENT && matches!(&*member.obj, Expr::Ident(_)) {
                    true => self.known_elements(&member.obj),
                    false => None,
                };
                match list {
                    Some(elements) => found.extend(elements),
                    None => found.push(FlowPlace::Property(key)),
                }
                found.extend(self.global_of(member));
            }
            Expr::SuperProp(member) => {
                if let swc_ecma_ast::SuperProp::Ident(ident) = &member.prop {
                    found.push(FlowPlace::Property(ident.sym.clone()));
                }
            }
            Expr::Fn(_) | Expr::Arrow(_) | Expr::Class(_) => {
                if let Some(&number) = self.facts.by_start.get(&expression.span().lo.0) {
                    found.push(FlowPlace::Function(number));
                }
                if let Expr::Class(class) = expression
                    && let Some(number) = self.constructor_of(&class.class)
                {
                    found.push(FlowPlace::Function(number));
                }
                if let Expr::Class(class) = expression {
                    found.extend(self.class_place(&class.class));
                }
            }
            Expr::Call(call) => {
                self.result_of(expression, found);
                // `Object(cart.add)(1)`, as tools write it for a call without an object.
                if let Callee::Expr(callee) = &call.callee
                    && let Expr::Ident(name) = &**callee
                    && &*name.sym == "Object"
                    && let [only] = call.args.as_slice()
                {
                    self.collect(&only.expr, found);
                }
                // `Object.freeze(table)` gives the table.
                if let Callee::Expr(callee) = &call.callee
                    && let Expr::Member(member) = &**callee
                    && matches!(&*member.obj, Expr::Ident(object) if &*object.sym == "Object")
                    && matches!(
                        &*member_key(&member.prop),
                        "freeze" | "seal" | "preventExtensions"
                    )
                    && let Some(first) = call.args.first()
                {
                    self.collect(&first.expr, found);
                }
            }
            Expr::New(_) | Expr::TaggedTpl(_) => self.result_of(expression, found),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => {
                    found.push(FlowPlace::Property(member_key(&member.prop)));
                }
                OptChainBase::Call(_) => self.result_of(expression, found),
            },
            Expr::Cond(choice) => {
                self.collect(&choice.cons, found);
                self.collect(&choice.alt, found);
            }
            Expr::Bin(binary)
                if matches!(
                    binary.op,
                    swc_ecma_ast::BinaryOp::LogicalAnd
                        | swc_ecma_ast::BinaryOp::LogicalOr
                        | swc_ecma_ast::BinaryOp::NullishCoalescing
                ) =>
            {
                self.collect(&binary.left, found);
                self.collect(&binary.right, found);
            }
            Expr::Assign(assign) => self.collect(&assign.right, found),
            Expr::Seq(sequence) => {
                if let Some(last) = sequence.exprs.last() {
                    self.collect(last, found);
                }
            }
            Expr::Await(awaited) => self.collect(&awaited.arg, found),
            Expr::This(_) => found.push(FlowPlace::This(self.this_of)),
            Expr::Object(_) | Expr::Array(_) => {
                let number = self.literals.get(&expression.span().lo.0);
                found.extend(number.map(|number| FlowPlace::Literal(*number)));
            }
            _ => {}
        }
    }

    /// The global variable that `window.name` is.
    pub(super) fn global_of(&self, member: &MemberExpr) -> Option<FlowPlace> {
        let Expr::Ident(object) = unparenthesized(&member.obj) else {
            return None;
        };
        let is_global = matches!(&*object.sym, "window" | "globalThis" | "self")
            && self.variable(&object.sym, object.span.lo.0)
                == FlowPlace::Global(object.sym.clone());
        is_global.then(|| FlowPlace::Global(member_key(&member.prop)))
    }

    pub(super) fn result_of(&self, expression: &Expr, found: &mut Vec<FlowPlace>) {
        let span = expression.span();
        if let Some(&call) = self.result.get(&(span.lo.0, span.hi.0)) {
            found.push(FlowPlace::Result(call));
        }
    }

    pub(super) fn class_place(&self, class: &Class) -> Option<FlowPlace> {
        let number = self.classes.get(&class.span.lo.0);
        number.map(|number| FlowPlace::Class(*number))
    }

    pub(super) fn constructor_of(&self, class: &Class) -> Option<u32> {
        let constructor = class.body.iter().find_map(|member| match member {
            ClassMember::Constructor(constructor) if constructor.body.is_some() => {
                Some(constructor.span.lo.0)
            }
            _ => None,
        })?;
        self.facts.by_start.get(&constructor).copied()
    }

    pub(super) fn flow(&mut self, from: Vec<FlowPlace>, to: &FlowPlace) {
        for place in from {
            if place != *to {
                self.facts.flows.push((place, to.clone()));
            }
        }
    }

    pub(super) fn flow_value(&mut self, value: &Expr, to: &FlowPlace) {
        let from = self.places(value);
        self.flow(from, to);
    }

    /// What a pattern takes out of what is at `from`.
    pub(super) fn pattern(&mut self, pattern: &Pat, from: &[FlowPlace]) {
        match pattern {
            Pat::Ident(ident) => {
                let to = self.variable(&ident.sym, ident.span.lo.0);
                self.flow(from.to_vec(), &to);
            }
            Pat::Array(array) => {
                let element = [FlowPlace::Property(Atom::from(ELEMENT))];
                for pattern in array.elems.iter().flatten() {
                    self.pattern(pattern, &element);
                }
            }
            Pat::Rest(rest) => self.pattern(&rest.arg, from),
            Pat::Object(object) => {
                for property in &object.props {
                    match property {
                        ObjectPatProp::KeyValue(pair) => {
                            let key = key_of(&pair.key).unwrap_or_else(|| Atom::from(ELEMENT));
                            self.pattern(&pair.value, &[FlowPlace::Property(key)]);
                        }
                        ObjectPatProp::Assign(short) => {
                            let to = self.variable(&short.key.sym, short.key.span.lo.0);
                            self.flow(vec![FlowPlace::Property(short.key.sym.clone())], &to);
                            if let Some(default) = &short.value {
                                self.flow_value(default, &to);
                            }
                        }
                        ObjectPatProp::Rest(_) => {}
                    }
                }
            }
            Pat::Assign(assign) => {
                let mut from = from.to_vec();
                self.collect(&assign.right, &mut from);
                self.pattern(&assign.left, &from);
            }
            Pat::Expr(expression) => self.assigned(expression, from.to_vec()),
            Pat::Invalid(_) => {}
        }
    }

    /// What a pattern takes out of a list whose elements are at `elements`.
    pub(super) fn elements_of_pattern(&mut self, pattern: &Pat, elements: &[FlowPlace]) {
        match pattern {
            Pat::Array(array) => {
                for pattern in array.elems.iter().flatten() {
                    self.pattern(pattern, elements);
                }
            }
            other => self.pattern(other, elements),
        }
    }

    pub(super) fn assigned(&mut self, target: &Expr, from: Vec<FlowPlace>) {
        match unparenthesized(target) {
            Expr::Ident(ident) => {
                let to = self.variable(&ident.sym, ident.span.lo.0);
                self.flow(from, &to);
            }
            Expr::Member(member) => {
                if let Some(global) = self.global_of(member) {
                    self.flow(from.clone(), &global);
                }
                self.flow(from, &FlowPlace::Property(member_key(&member.prop)));
            }
            _ => {}
        }
    }
}
