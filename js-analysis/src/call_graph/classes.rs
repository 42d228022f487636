//! What classes say about calls: their methods, what `this` is in them, and the constructors that they extend.

use swc_atoms::Atom;
use swc_common::Span;
use swc_ecma_ast::{
    Class, ClassMember, ClassProp, Function, MethodKind, PrivateMethod, PrivateProp,
};
use swc_ecma_visit::VisitWith;

use super::facts::{ClassFact, FlowPlace, MethodOf};
use super::keys::key_of;
use super::walk::{Walk, bytes};
use crate::position::ByteOffset;

impl Walk<'_> {
    pub(super) fn class_members(&mut self, class: &Class, name: Option<&str>) {
        class.super_class.visit_with(self);
        let class_number = ByteOffset::from_index(self.facts.classes.len()).0;
        self.facts.classes.push(ClassFact {
            span: bytes(class.span),
            is_derived: class.super_class.is_some(),
            methods: Vec::new(),
        });
        self.classes.insert(class.span.lo.0, class_number);
        let method_of = match class.super_class {
            Some(_) => MethodOf::Derived,
            None => MethodOf::Own,
        };
        // What `this` is in one of them it is in all, also in one that nobody calls.
        let mut of_instances = Vec::new();
        for member in &class.body {
            match member {
                ClassMember::Constructor(constructor) => {
                    self.name = name.map(str::to_owned);
                    self.method_of = method_of;
                    self.class = Some(class_number);
                    constructor.visit_with(self);
                }
                ClassMember::Method(method) => {
                    method.key.visit_with(self);
                    let key = key_of(&method.key);
                    self.method_of = method_of;
                    self.class = Some(class_number);
                    let number = self.method(key, method.kind, &method.function, method.span, name);
                    if !method.is_static {
                        of_instances.push(number);
                    }
                }
                ClassMember::PrivateMethod(PrivateMethod {
                    key,
                    kind,
                    function,
                    span,
                    is_static,
                    ..
                }) => {
                    let key = Atom::from(format!("#{}", key.name));
                    self.method_of = method_of;
                    self.class = Some(class_number);
                    let number = self.method(Some(key), *kind, function, *span, name);
                    if !is_static {
                        of_instances.push(number);
                    }
                }
                ClassMember::ClassProp(ClassProp { key, value, .. }) => {
                    key.visit_with(self);
                    self.field(key_of(key), value.as_deref());
                }
                ClassMember::PrivateProp(PrivateProp { key, value, .. }) => {
                    self.field(Some(Atom::from(format!("#{}", key.name))), value.as_deref());
                }
                ClassMember::StaticBlock(block) => block.visit_with(self),
                _ => {}
            }
        }
        if let Some(own) = self.facts.classes.get_mut(class_number as usize) {
            own.methods.clone_from(&of_instances);
        }
        of_instances.extend(self.constructor_of(class));
        if let Some(hub) = of_instances.pop() {
            for number in of_instances {
                self.flow(vec![FlowPlace::This(hub)], &FlowPlace::This(number));
                self.flow(vec![FlowPlace::This(number)], &FlowPlace::This(hub));
            }
        }
        // A class without a constructor has that of the class that it extends.
        if let Some(parent) = &class.super_class {
            let from = self.places(parent);
            if let Some(own) = self.constructor_of(class) {
                self.supers_of(class, own, &from);
            }
        }
    }

    /// The calls of `super(…)` in a constructor.
    pub(super) fn supers_of(&mut self, class: &Class, own: u32, parent: &[FlowPlace]) {
        let within = bytes(class.span);
        for call in self.facts.calls.iter_mut().rev() {
            if call.span.start < within.start {
                break;
            }
            if call.function == own && call.callee.is_empty() && call.name.is_empty() {
                call.callee = parent.to_vec();
            }
        }
    }

    pub(super) fn method(
        &mut self,
        key: Option<Atom>,
        kind: MethodKind,
        function: &Function,
        span: Span,
        class: Option<&str>,
    ) -> u32 {
        let shown = key.as_ref().map(ToString::to_string).unwrap_or_default();
        self.name = Some(match class {
            Some(class) if !class.is_empty() => format!("{class}.{shown}"),
            _ => shown.clone(),
        });
        if kind != MethodKind::Method {
            self.accessor = Some((shown, kind == MethodKind::Setter));
        }
        let number = self.plain_function(function, span);
        if let (Some(key), MethodKind::Method) = (key, kind) {
            self.flow(vec![FlowPlace::Function(number)], &FlowPlace::Property(key));
        }
        number
    }
}
