//! The walk over a script: which node is at a place of the log.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignTarget, AssignTargetPat,
    AwaitExpr, BinExpr, BinaryOp, CallExpr, Callee, CatchClause, ClassDecl, ClassProp,
    ComputedPropName, CondExpr, Constructor, Expr, FnDecl, ForHead, ForInStmt, ForOfStmt, Function,
    NewExpr, ObjectLit, OptChainBase, OptChainExpr, ParamOrTsParamProp, Pat, PrivateProp, Prop,
    PropName, PropOrSpread, ReturnStmt, SimpleAssignTarget, TaggedTpl, ThrowStmt, UpdateExpr,
    VarDeclarator, WithStmt, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::collector::Collector;
use crate::log::LoggedKind;
use crate::origin::patterns::{Bound, bound};
use crate::origin::reading::{is_pure, span_of};
use crate::origin::value::{Argument, Form, Operator};
use crate::origin::written::by_assignment;
use crate::origin::{LoggedPlace, LoggedProperty, Written};
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

impl Visit for Collector<'_> {
    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let at = assign.span.lo.0;
        let target = match &assign.left {
            AssignTarget::Pat(target) => {
                let pattern = match target {
                    AssignTargetPat::Array(array) => Some(Pat::Array(array.clone())),
                    AssignTargetPat::Object(object) => Some(Pat::Object(object.clone())),
                    AssignTargetPat::Invalid(_) => None,
                };
                if let Some(pattern) = pattern {
                    let value = self.reading.value(&assign.right);
                    self.taken_apart(&pattern, &value, at);
                }
                None
            }
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                Some((LoggedKind::Assign, Expr::Ident(ident.id.clone())))
            }
            AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) => {
                match unparenthesized(&paren.expr) {
                    Expr::Ident(ident) => Some((LoggedKind::Assign, Expr::Ident(ident.clone()))),
                    _ => None,
                }
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                Some((LoggedKind::Write, Expr::Member(member.clone())))
            }
            AssignTarget::Simple(_) => None,
        };
        if let Some((kind, target)) = target {
            let written = match assign.op {
                AssignOp::Assign
                | AssignOp::AndAssign
                | AssignOp::OrAssign
                | AssignOp::NullishAssign => self.value_of(&assign.right),
                _ => {
                    let operands = [&target, &*assign.right];
                    let operands = operands.map(|operand| self.reading.value(operand));
                    let operator = by_assignment(assign.op);
                    Written::operation(span_of(assign.span), operands.to_vec(), operator)
                }
            };
            if kind == LoggedKind::Assign && self.code.has_with() {
                // It may be a property of the object of a `with`.
                let written = written.clone();
                self.written_target((at, LoggedKind::Write), written, at, &target);
            }
            self.written_target((at, kind), written, at, &target);
        }
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        let at = update.span.lo.0;
        let kind = match unparenthesized(&update.arg) {
            Expr::Ident(_) => LoggedKind::Assign,
            _ => LoggedKind::Write,
        };
        let operands = vec![self.reading.value(&update.arg)];
        let written = Written::operation(span_of(update.span), operands, Operator::Other);
        if kind == LoggedKind::Assign && self.code.has_with() {
            // It may be a property of the object of a `with`.
            let written = written.clone();
            self.written_target((at, LoggedKind::Write), written, at, &update.arg);
        }
        self.written_target((at, kind), written, at, &update.arg);
        update.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let write = declarator.span.lo.0;
        match (&declarator.name, &declarator.init) {
            (Pat::Ident(ident), Some(init)) => {
                let written = self.value_of(init);
                self.written(ident.span.lo.0, LoggedKind::Assign, written, write);
            }
            (Pat::Ident(ident), None) => {
                let at = ident.span.lo.0;
                // The head of a loop has names without values, which the loop gives.
                self.written(at, LoggedKind::Assign, Written::Nothing, write);
            }
            (pattern, Some(init)) => {
                let value = self.reading.value(init);
                self.taken_apart(pattern, &value, write);
            }
            (_, None) => {}
        }
        declarator.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        let iterated = self.reading.value(&statement.right).span;
        let own = (span_of(statement.span), statement.is_await);
        let key = (iterated.start.0, iterated.end.0);
        self.code.loops.insert(key, own);
        self.head(&statement.left, &statement.right, false);
        self.visit_head(&statement.left);
        statement.right.visit_with(self);
        statement.body.visit_with(self);
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.head(&statement.left, &statement.right, true);
        self.visit_head(&statement.left);
        statement.right.visit_with(self);
        statement.body.visit_with(self);
    }

    fn visit_with_stmt(&mut self, statement: &WithStmt) {
        let body = statement.body.span();
        let object = self.reading.value(&statement.obj);
        self.code
            .with_objects
            .insert((body.lo.0, body.hi.0), object);
        statement.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.parameters(function.params.iter().map(|parameter| &parameter.pat));
        if let Some(body) = &function.body {
            self.end(body.span.hi.0);
        }
        function.visit_children_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let parameters = constructor.params.iter().filter_map(|it| match it {
            ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
            ParamOrTsParamProp::TsParamProp(_) => None,
        });
        self.parameters(parameters);
        if let Some(body) = &constructor.body {
            self.end(body.span.hi.0);
        }
        constructor.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.parameters(arrow.params.iter());
        match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.end(body.span.hi.0),
            ArrowFunctionBody::Expr(value) => {
                let at = value.span().lo.0;
                let returned = LoggedPlace::Return(Some(self.reading.value(value)));
                self.put(at, LoggedKind::Return, String::new(), returned);
            }
        }
        arrow.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, function: &FnDecl) {
        let made = Written::Made(span_of(function.function.span));
        let at = function.ident.span.lo.0;
        self.written(at, LoggedKind::Assign, made, function.function.span.lo.0);
        function.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        let made = Written::Made(span_of(class.class.span));
        let at = class.ident.span.lo.0;
        self.written(at, LoggedKind::Assign, made, class.class.span.lo.0);
        class.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        if let Some(value) = &property.value {
            let written = self.value_of(value);
            let at = property.key.span().lo.0;
            let key = match &property.key {
                PropName::Ident(name) => Some(name.sym.to_string()),
                _ => None,
            };
            let write = property.span.lo.0;
            self.written_key(at, LoggedKind::Write, written, write, key);
        }
        property.visit_children_with(self);
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        if let Some(value) = &property.value {
            let written = self.value_of(value);
            let at = property.key.span.lo.0;
            let key = Some(format!("#{}", property.key.name));
            let write = property.span.lo.0;
            self.written_key(at, LoggedKind::Write, written, write, key);
        }
        property.visit_children_with(self);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        if let Some(parameter) = &clause.param {
            for Bound { at, path, .. } in bound(self.reading, parameter) {
                let written = match path.is_empty() {
                    true => Written::Caught,
                    false => Written::CaughtPart(path),
                };
                let write = parameter.span().lo.0;
                self.written(at.0, LoggedKind::Assign, written, write);
            }
        }
        clause.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        let mut parts = Vec::new();
        for (index, property) in object.props.iter().enumerate() {
            match property {
                PropOrSpread::Spread(spread) => {
                    let part = LoggedProperty::Spread(self.reading.value(&spread.expr));
                    parts.push((ByteOffset(spread.dot3_token.lo.0), part));
                }
                PropOrSpread::Prop(property) => {
                    let mut part = self.property(property);
                    let later = object.props.iter().skip(index + 1);
                    let is_followed = later.into_iter().any(|later| match later {
                        PropOrSpread::Spread(_) => true,
                        PropOrSpread::Prop(later) => match &**later {
                            Prop::KeyValue(pair) => !is_pure(&pair.value) || pair.key.is_computed(),
                            Prop::Shorthand(_) => false,
                            _ => true,
                        },
                    });
                    if let LoggedProperty::Computed {
                        value: Some(value), ..
                    } = &mut part
                    {
                        value.is_followed |= is_followed;
                    }
                    if let LoggedProperty::Value(key, value) = &mut part {
                        let key = Some(key.clone());
                        value.is_followed |= is_followed;
                        let written = Written::whole(value.clone());
                        let at = property.span().lo.0;
                        self.written_key(at, LoggedKind::Write, written, at, key);
                    }
                    parts.push((ByteOffset(property.span().lo.0), part));
                }
            }
        }
        let at = object.span.lo.0;
        let place = LoggedPlace::Object(parts);
        self.put(at, LoggedKind::Create, "Object".to_owned(), place);
        object.visit_children_with(self);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        let elements = array.elems.iter().map(|element| {
            let element = element.as_ref()?;
            Some(Argument {
                value: self.reading.value(&element.expr),
                is_spread: element.spread.is_some(),
            })
        });
        let mut elements: Vec<Option<Argument>> = elements.collect();
        let mut is_followed = false;
        for element in elements.iter_mut().rev().flatten() {
            element.value.is_followed |= is_followed;
            is_followed |= element.is_spread || !element.value.is_pure;
        }
        let at = array.span.lo.0;
        let place = LoggedPlace::Array(elements);
        self.put(at, LoggedKind::Create, "Array".to_owned(), place);
        array.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        self.defined(call);
        if let Callee::Expr(_) | Callee::Super(_) = &call.callee {
            let value = self.reading.value(&Expr::Call(call.clone()));
            self.called(call.span.lo.0, call.callee.span(), value);
        }
        call.visit_children_with(self);
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        if let OptChainBase::Call(call) = &*chain.base {
            let value = self.reading.value(&Expr::OptChain(chain.clone()));
            self.called(call.span.lo.0, call.callee.span(), value);
        }
        chain.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        let value = self.reading.value(&Expr::New(construction.clone()));
        let name = self.short(construction.callee.span());
        let at = construction.span.lo.0;
        self.called(at, construction.callee.span(), value.clone());
        if let Form::Call(call) = value.form {
            self.put(at, LoggedKind::Create, name, LoggedPlace::Call(call));
        }
        construction.visit_children_with(self);
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        let value = self.reading.value(&Expr::TaggedTpl(template.clone()));
        self.called(template.span.lo.0, template.tag.span(), value);
        template.visit_children_with(self);
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        let value = statement.arg.as_deref();
        let value = value.map(|value| self.reading.value(value));
        let at = statement.span.lo.0;
        let place = LoggedPlace::Return(value);
        self.put(at, LoggedKind::Return, String::new(), place);
        statement.visit_children_with(self);
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        let value = self.reading.value(&statement.arg);
        let at = statement.span.lo.0;
        self.put(
            at,
            LoggedKind::Throw,
            String::new(),
            LoggedPlace::Throw(value),
        );
        statement.visit_children_with(self);
    }

    fn visit_await_expr(&mut self, expression: &AwaitExpr) {
        self.suspended(expression.span, Some(&expression.arg), false, false);
        expression.visit_children_with(self);
    }

    fn visit_yield_expr(&mut self, expression: &YieldExpr) {
        let value = expression.arg.as_deref();
        self.suspended(expression.span, value, true, expression.delegate);
        expression.visit_children_with(self);
    }

    fn visit_computed_prop_name(&mut self, key: &ComputedPropName) {
        let inner = unparenthesized(&key.expr);
        let span = inner.span();
        let value = self.reading.value(inner);
        self.code.keys.insert((span.lo.0, span.hi.0), value);
        key.visit_children_with(self);
    }

    fn visit_cond_expr(&mut self, expression: &CondExpr) {
        self.test(&expression.test);
        expression.visit_children_with(self);
    }

    fn visit_bin_expr(&mut self, operation: &BinExpr) {
        let is_logical = matches!(
            operation.op,
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing
        );
        if is_logical {
            self.test(&operation.left);
        }
        operation.visit_children_with(self);
    }
}

impl Collector<'_> {
    /// The head of a loop: its names are the loop's, what is evaluated in it is not.
    fn visit_head(&mut self, head: &ForHead) {
        match head {
            ForHead::VarDecl(declaration) => {
                for declarator in &declaration.decls {
                    declarator.name.visit_with(self);
                }
            }
            ForHead::Pat(pattern) => pattern.visit_with(self),
            ForHead::UsingDecl(_) => {}
        }
    }
}
