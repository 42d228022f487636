//! All writes, calls and returns of a script by name: where a value that has a name may come from, before it is known
//! which of them ran.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignTarget, CallExpr, Callee, Class,
    ClassMember, Expr, Function, MemberProp, NewExpr, ObjectLit, OptCall, Pat, Prop, PropName,
    PropOrSpread, ReturnStmt, SimpleAssignTarget, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::logged::has_rest;
use super::patterns::bound;
use super::reading::Reading;
use super::value::{Argument, Value};
use super::{PathStep, Written};
use crate::position::ByteOffset;
use crate::rewrite::{OriginalNames, Script};
use crate::scopes::unparenthesized;

/// Something by whose name a value may have come.
#[derive(Clone, Debug, PartialEq)]
pub enum Flow {
    /// A variable, by its author's name, or a property, by its key, is written.
    Write {
        /// The name.
        name: String,
        /// Whether it is a property.
        is_property: bool,
        /// What is written.
        written: Written,
        /// The function whose parameter it is, if it is one.
        function: Option<String>,
    },
    /// A function of this name is called.
    Call {
        /// The name.
        name: String,
        /// What is handed over.
        arguments: Vec<Argument>,
    },
    /// An object literal takes all properties of a value.
    Spread {
        /// The value.
        value: Value,
    },
    /// A function of this name returns.
    Return {
        /// The name.
        name: String,
        /// The value.
        value: Value,
    },
}

/// See [`Script::flows`].
pub(super) fn flows(script: &Script<'_>, names: &dyn OriginalNames, most: usize) -> Vec<Flow> {
    let mut found = Found {
        script,
        reading: Reading {
            scopes: script.scopes(),
        },
        names,
        flows: Vec::new(),
        most,
    };
    script.program().visit_with(&mut found);
    found.flows
}

struct Found<'s> {
    script: &'s Script<'s>,
    reading: Reading<'s>,
    names: &'s dyn OriginalNames,
    flows: Vec<Flow>,
    most: usize,
}

impl Found<'_> {
    fn named(&self, running: &str, at: u32) -> String {
        let given = self.names.original_name(ByteOffset(at));
        given.unwrap_or_else(|| running.to_owned())
    }

    fn push(&mut self, flow: Flow) {
        if self.flows.len() < self.most {
            self.flows.push(flow);
        }
    }

    fn write(&mut self, name: String, is_property: bool, written: Written) {
        self.push(Flow::Write {
            name,
            is_property,
            written,
            function: None,
        });
    }

    fn value_of(&self, expression: &Expr) -> Written {
        Written::whole(self.reading.value(expression))
    }

    /// The names that a pattern binds, each with the way to it.
    fn bound(&self, pattern: &Pat) -> Vec<(String, Vec<PathStep>)> {
        let bound = bound(self.reading, pattern).into_iter();
        let known = bound.filter(|bound| !has_rest(&bound.path));
        known
            .map(|bound| (self.named(&bound.name, bound.at.0), bound.path))
            .collect()
    }

    fn parameters<'p>(&mut self, body: u32, parameters: impl Iterator<Item = &'p Pat>) {
        let Some(function) = self.function_at(body) else {
            return;
        };
        for (index, parameter) in parameters.enumerate() {
            for (name, path) in self.bound(parameter) {
                self.push(Flow::Write {
                    name,
                    is_property: false,
                    written: Written::Parameter {
                        index,
                        is_rest: false,
                        path,
                    },
                    function: Some(function.clone()),
                });
            }
        }
    }

    /// The author's name of the function around a place.
    fn function_at(&self, at: u32) -> Option<String> {
        let scopes = self.script.scopes();
        let scope = scopes.innermost_at(ByteOffset(at));
        let (name, at) = scopes.function_name(scope)?;
        Some(self.named(name, at.0))
    }

    fn called(&mut self, callee: &Expr, arguments: &[swc_ecma_ast::ExprOrSpread]) {
        let name = match unparenthesized(callee) {
            Expr::Ident(name) => Some(self.named(&name.sym, name.span.lo.0)),
            Expr::Member(member) => match &member.prop {
                MemberProp::Ident(name) => Some(name.sym.to_string()),
                MemberProp::PrivateName(_) | MemberProp::Computed(_) => None,
            },
            Expr::Seq(sequence) => {
                if let Some(last) = sequence.exprs.last() {
                    return self.called(last, arguments);
                }
                None
            }
            _ => None,
        };
        let Some(name) = name else { return };
        let arguments = self.reading.arguments(arguments);
        self.push(Flow::Call { name, arguments });
    }

    fn returned(&mut self, value: &Expr) {
        if let Some(name) = self.function_at(value.span().lo.0) {
            let value = self.reading.value(value);
            self.push(Flow::Return { name, value });
        }
    }
}

impl Visit for Found<'_> {
    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let is_plain = matches!(
            assign.op,
            AssignOp::Assign | AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign
        );
        if let (true, AssignTarget::Simple(target)) = (is_plain, &assign.left) {
            let target = match target {
                SimpleAssignTarget::Ident(ident) => {
                    Some((self.named(&ident.sym, ident.span.lo.0), false))
                }
                SimpleAssignTarget::Member(member) => match &member.prop {
                    MemberProp::Ident(name) => Some((name.sym.to_string(), true)),
                    MemberProp::PrivateName(name) => Some((name.name.to_string(), true)),
                    MemberProp::Computed(_) => None,
                },
                _ => None,
            };
            if let Some((name, is_property)) = target {
                let written = self.value_of(&assign.right);
                self.write(name, is_property, written);
            }
        }
        assign.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        if let Some(init) = &declarator.init {
            for (name, path) in self.bound(&declarator.name) {
                let value = self.reading.value(init);
                self.write(name, false, Written::Value { value, path });
            }
        }
        declarator.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        for property in &object.props {
            let property = match property {
                PropOrSpread::Prop(property) => property,
                PropOrSpread::Spread(spread) => {
                    let value = self.reading.value(&spread.expr);
                    self.push(Flow::Spread { value });
                    continue;
                }
            };
            let (key, value) = match &**property {
                Prop::Shorthand(name) => (
                    name.sym.to_string(),
                    self.value_of(&Expr::Ident(name.clone())),
                ),
                Prop::KeyValue(pair) => match &pair.key {
                    PropName::Ident(name) => (name.sym.to_string(), self.value_of(&pair.value)),
                    PropName::Str(text) => match text.value.as_str() {
                        Some(text) => (text.to_owned(), self.value_of(&pair.value)),
                        None => continue,
                    },
                    _ => continue,
                },
                _ => continue,
            };
            self.write(key, true, value);
        }
        object.visit_children_with(self);
    }

    fn visit_class(&mut self, class: &Class) {
        for member in &class.body {
            let (name, value) = match member {
                ClassMember::ClassProp(property) => match (&property.key, &property.value) {
                    (PropName::Ident(name), Some(value)) => (name.sym.to_string(), value),
                    _ => continue,
                },
                ClassMember::PrivateProp(property) => match &property.value {
                    Some(value) => (property.key.name.to_string(), value),
                    None => continue,
                },
                _ => continue,
            };
            let written = self.value_of(value);
            self.write(name, true, written);
        }
        class.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        if let Some(body) = &function.body {
            let parameters = function.params.iter().map(|parameter| &parameter.pat);
            self.parameters(body.span.lo.0 + 1, parameters);
        }
        function.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let body = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => body.span.lo.0 + 1,
            ArrowFunctionBody::Expr(value) => {
                self.returned(value);
                value.span().lo.0
            }
        };
        self.parameters(body, arrow.params.iter());
        arrow.visit_children_with(self);
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        if let Some(value) = &statement.arg {
            self.returned(value);
        }
        statement.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let Callee::Expr(callee) = &call.callee {
            self.called(callee, &call.args);
        }
        call.visit_children_with(self);
    }

    fn visit_opt_call(&mut self, call: &OptCall) {
        self.called(&call.callee, &call.args);
        call.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        let arguments = construction.args.as_deref().unwrap_or_default();
        self.called(&construction.callee, arguments);
        construction.visit_children_with(self);
    }
}
