//! The walk that places hooks: which node goes to which transform.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignTarget, AssignTargetPat, BinaryOp,
    BlockStmt, CallExpr, Callee, CatchClause, Class, ClassDecl, ClassMember, ClassMethod,
    ClassProp, Constructor, ExportDefaultDecl, ExportDefaultExpr, Expr, ExprStmt, FnDecl, FnExpr,
    ForInStmt, ForOfStmt, ForStmt, Function, GetterProp, KeyValueProp, LabeledStmt, Lit,
    MethodKind, MethodProp, NewExpr, ObjectLit, OptCall, ParamOrTsParamProp, Pat, PrivateMethod,
    PrivateProp, ReturnStmt, SetterProp, SimpleAssignTarget, StaticBlock, Stmt, SwitchStmt,
    TaggedTpl, UnaryExpr, UnaryOp, UpdateExpr, VarDecl, WithStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::SiteKind;
use super::accessors::{can_be_asked, is_plain, may_be_getter, may_be_trap};
use super::function_room::Top;
use super::functions::FunctionBodyOf;
use super::literals::property_key;
use super::patterns::PatternSite;
use super::properties::{Key, member_key};
use super::rewriter::Rewriter;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::unparenthesized;

impl Rewriter<'_> {
    fn function(&mut self, parameters: &[&Pat], body: Option<FunctionBodyOf<'_>>) {
        self.in_scope(|this| this.function_inside(parameters, body));
    }

    fn function_inside(&mut self, parameters: &[&Pat], body: Option<FunctionBodyOf<'_>>) {
        let pending = self.pending_after.take();
        let unused = std::mem::replace(&mut self.value_unused, false);
        if let Some(body) = body {
            self.function_body(parameters, body);
        }
        self.value_unused = unused;
        self.pending_after = pending;
    }

    /// [`Rewriter::function`] for functions that have `arguments`.
    fn function_with_arguments(&mut self, parameters: &[&Pat], body: Option<FunctionBodyOf<'_>>) {
        self.in_scope(|this| {
            this.arguments_of.push(this.current);
            this.names_this.push(false);
            this.function_inside(parameters, body);
            this.names_this.pop();
            this.arguments_of.pop();
        });
    }

    /// Whether the value of the expression being visited is taken; resets for what is inside it.
    fn take_unused(&mut self) -> bool {
        std::mem::replace(&mut self.value_unused, false)
    }

    fn assignment_expression(&mut self, assign: &AssignExpr) {
        let object = match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => &*member.obj,
            _ => return self.assignment(assign),
        };
        let span = byte_span(assign.span);
        self.with_parameters_after(object, span, SiteKind::Assignment, |this| {
            this.assignment(assign);
        });
    }

    fn assignment(&mut self, assign: &AssignExpr) {
        let hooked = match &assign.left {
            AssignTarget::Simple(target) => match target {
                SimpleAssignTarget::Ident(ident) => self.assign_variable(assign, ident, true),
                SimpleAssignTarget::Member(member) => self.assign_member(assign, member),
                SimpleAssignTarget::SuperProp(member) => self.assign_super(assign, member),
                SimpleAssignTarget::Paren(paren) => match unparenthesized(&paren.expr) {
                    Expr::Ident(ident) => {
                        let ident = ident.clone().into();
                        self.assign_variable(assign, &ident, false)
                    }
                    Expr::Member(member) => self.assign_member(assign, member),
                    Expr::SuperProp(member) => self.assign_super(assign, member),
                    _ => false,
                },
                _ => false,
            },
            AssignTarget::Pat(pattern) => {
                let site = PatternSite {
                    at: ByteOffset(assign.span.lo.0),
                    kind: SiteKind::Assignment,
                };
                match pattern {
                    AssignTargetPat::Array(array) => self.array_targets(array, site),
                    AssignTargetPat::Object(object) => self.object_targets(object, site),
                    AssignTargetPat::Invalid(_) => {}
                }
                assign.right.visit_with(self);
                return;
            }
        };
        if !hooked {
            if let AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) = &assign.left {
                self.not_a_value(&paren.expr);
            } else {
                assign.left.visit_with(self);
            }
            assign.right.visit_with(self);
        }
    }

    fn visit_call_of(&mut self, call: &CallExpr, callee: &Expr) {
        let defines_getter = matches!(unparenthesized(callee), Expr::Member(member)
            if matches!(member_key(&member.prop), Key::Static(name) if name == "__defineGetter__"));
        self.not_a_value(callee);
        for (index, argument) in call.args.iter().enumerate() {
            self.is_getter = defines_getter
                && index == 1
                && self.asks_getters()
                && may_be_getter(&argument.expr);
            argument.visit_with(self);
        }
    }

    /// Whether a getter with this key is to say what it reads.
    fn asks_getter(&self, key: &Key<'_>) -> bool {
        self.asks_getters() && self.watches_key(key).is_some()
    }

    fn update_expression(&mut self, update: &UpdateExpr) {
        let unused = self.take_unused();
        let hooked = match unparenthesized(&update.arg) {
            Expr::Ident(ident) => self.update_variable(update, &ident.sym),
            Expr::Member(member) => self.update_member(update, member, !unused),
            Expr::SuperProp(member) => self.update_super(update, member, !unused),
            _ => false,
        };
        if !hooked {
            self.not_a_value(&update.arg);
        }
    }
}

fn byte_span(span: swc_common::Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

fn body_start(span: swc_common::Span) -> ByteOffset {
    ByteOffset(span.lo.0 + 1)
}

impl Visit for Rewriter<'_> {
    fn visit_expr(&mut self, expression: &Expr) {
        let unused = self.value_unused;
        let has_point =
            !self.instrumentation.points.is_empty() && self.point_at_expression(expression);
        let condition = if self.conditions.is_empty() {
            None
        } else {
            self.open_condition(expression)
        };
        let is_operand = !self.operands.is_empty() && self.open_operand(expression);
        match expression {
            _ if condition.is_some() || is_operand => self.value_unused = false,
            Expr::Update(_) | Expr::Paren(_) | Expr::Seq(_) => {}
            _ => self.value_unused = false,
        }
        let is_eval = self.eval_value(expression);
        if !is_eval {
            expression.visit_children_with(self);
        }
        self.value_unused = unused;
        if is_operand {
            self.edits.insert(ByteOffset(expression.span().hi.0), ")");
        }
        if let Some(condition) = condition {
            self.close_condition(&condition);
        }
        if has_point {
            self.edits.insert(ByteOffset(expression.span().hi.0), ")");
        }
    }

    fn visit_bin_expr(&mut self, binary: &swc_ecma_ast::BinExpr) {
        if binary.op == BinaryOp::NullishCoalescing && !self.conditions.is_empty() {
            let start = ByteOffset(binary.left.span().lo.0);
            self.nullish_tests.insert(start);
        }
        binary.visit_children_with(self);
    }

    fn visit_seq_expr(&mut self, sequence: &swc_ecma_ast::SeqExpr) {
        let unused = self.take_unused();
        for (index, expression) in sequence.exprs.iter().enumerate() {
            self.value_unused = unused || index + 1 < sequence.exprs.len();
            expression.visit_with(self);
        }
        self.value_unused = unused;
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let is_condition = !self.conditions.is_empty() && self.open_assignment(assign);
        self.assignment_expression(assign);
        if is_condition {
            self.edits.insert(ByteOffset(assign.right.span().hi.0), ")");
        }
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Member(member) = unparenthesized(&update.arg) {
            let span = byte_span(update.span);
            self.with_parameters_after(&member.obj, span, SiteKind::Update, |this| {
                this.update_expression(update);
            });
        } else {
            self.update_expression(update);
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        self.call_expression(call);
        if self.code_call(call) {
            return;
        }
        match &call.callee {
            Callee::Expr(callee) => self.array_construction(call.span, callee, |this| {
                this.visit_call_of(call, callee);
            }),
            _ => call.visit_children_with(self),
        }
    }

    fn visit_opt_call(&mut self, call: &OptCall) {
        self.optional_call(call);
        if self.optional_code_call(call) {
            return;
        }
        let watched = self.take_method_condition(call);
        self.not_a_value(&call.callee);
        let closes_at = watched.and_then(|watched| self.open_method_call(call, watched));
        for argument in &call.args {
            argument.visit_with(self);
            if let Some(end) = closes_at.filter(|end| end.0 == argument.expr.span().hi.0) {
                self.edits.insert(end, ")");
            }
        }
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        self.not_a_value(&template.tag);
        template.tpl.visit_with(self);
    }

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        match unary.op {
            UnaryOp::Delete if self.delete_member(unary) => {}
            UnaryOp::Delete | UnaryOp::TypeOf => self.not_a_value(&unary.arg),
            _ => unary.visit_children_with(self),
        }
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        self.construction(construction);
        self.creation(construction, |this| {
            this.array_construction(construction.span, &construction.callee, |this| {
                construction.visit_children_with(this);
            });
        });
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        self.return_statement(statement);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        self.object_literal(object);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        self.array_literal(array);
    }

    fn visit_expr_stmt(&mut self, statement: &ExprStmt) {
        // The value of a statement at the top of a script is the script's value.
        let taken = self.rooms.last().is_some_and(|room| room.top != Top::Body);
        if taken {
            statement.expr.visit_with(self);
        } else {
            self.unused(&statement.expr);
        }
    }

    fn visit_stmts(&mut self, statements: &[Stmt]) {
        self.statements(statements);
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
        if self.passes_over(statement) {
            return;
        }
        let before = self.edits.count();
        statement.visit_children_with(self);
        if matches!(
            statement,
            Stmt::Expr(_)
                | Stmt::Decl(swc_ecma_ast::Decl::Var(_) | swc_ecma_ast::Decl::Using(_))
                | Stmt::Return(_)
                | Stmt::Throw(_)
        ) {
            self.terminate(statement.span(), before);
        }
        if self.close_after.last() == Some(&statement.span().hi.0)
            && matches!(statement, Stmt::For(_))
        {
            self.close_after.pop();
            self.edits.insert(ByteOffset(statement.span().hi.0), "}");
        }
    }

    fn visit_labeled_stmt(&mut self, labeled: &LabeledStmt) {
        if matches!(*labeled.body, Stmt::For(_) | Stmt::Labeled(_)) {
            self.label_start.get_or_insert(labeled.span.lo.0);
        }
        labeled.body.visit_with(self);
        self.label_start = None;
    }

    fn visit_if_stmt(&mut self, statement: &swc_ecma_ast::IfStmt) {
        statement.test.visit_with(self);
        self.body_statement(&statement.cons);
        if let Some(alternative) = &statement.alt {
            self.body_statement(alternative);
        }
    }

    fn visit_while_stmt(&mut self, statement: &swc_ecma_ast::WhileStmt) {
        statement.test.visit_with(self);
        self.body_statement(&statement.body);
    }

    fn visit_do_while_stmt(&mut self, statement: &swc_ecma_ast::DoWhileStmt) {
        self.body_statement(&statement.body);
        statement.test.visit_with(self);
    }

    fn visit_using_decl(&mut self, declaration: &swc_ecma_ast::UsingDecl) {
        self.using_declarators(declaration);
    }

    fn visit_var_decl(&mut self, declaration: &VarDecl) {
        let later = self.declarators(declaration, false);
        debug_assert!(later.is_empty(), "only the head of a loop has no room");
    }

    fn visit_block_stmt(&mut self, block: &BlockStmt) {
        self.in_scope(|this| this.block_body(block, ""));
    }

    fn visit_switch_stmt(&mut self, switch: &SwitchStmt) {
        self.switch(switch);
    }

    fn visit_try_stmt(&mut self, statement: &swc_ecma_ast::TryStmt) {
        let opening = self.try_block_opening(ByteOffset(statement.block.span.lo.0));
        self.in_scope(|this| this.block_body(&statement.block, &opening));
        statement.handler.visit_with(self);
        statement.finalizer.visit_with(self);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        self.catch(clause);
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        self.for_loop(statement);
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.for_in(statement);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.for_of(statement);
    }

    fn visit_with_stmt(&mut self, statement: &WithStmt) {
        self.with_statement(statement);
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        class.class.visit_with(self);
        let name = &class.ident.sym;
        let name_at = ByteOffset(class.ident.span.lo.0);
        let start = ByteOffset(class.class.span.lo.0);
        let mut hook = String::new();
        self.fill_hook(name, name_at, start, SiteKind::Definition, &mut hook);
        if !self.after_statement(&hook) {
            self.unhooked(start, "a class declared outside a statement list");
        }
    }

    fn visit_fn_decl(&mut self, function: &FnDecl) {
        function.function.visit_with(self);
        let start = ByteOffset(function.function.span.lo.0);
        let hook = self.copy_hook(&function.ident.sym, start);
        if !self.after_statement(&hook) {
            self.unhooked(start, "a function declared outside a statement list");
        }
    }

    fn visit_export_default_decl(&mut self, export: &ExportDefaultDecl) {
        match &export.decl {
            swc_ecma_ast::DefaultDecl::Class(class) => {
                class.class.visit_with(self);
                if let Some(ident) = &class.ident {
                    let (at, start) = (ident.span.lo.0, class.class.span.lo.0);
                    let (at, start) = (ByteOffset(at), ByteOffset(start));
                    let mut hook = String::new();
                    self.fill_hook(&ident.sym, at, start, SiteKind::Definition, &mut hook);
                    self.after_statement(&hook);
                }
            }
            swc_ecma_ast::DefaultDecl::Fn(function) => function.function.visit_with(self),
            swc_ecma_ast::DefaultDecl::TsInterfaceDecl(_) => {}
        }
    }

    fn visit_export_default_expr(&mut self, export: &ExportDefaultExpr) {
        self.default_export(export);
    }

    fn visit_class(&mut self, class: &Class) {
        class.decorators.visit_with(self);
        self.in_scope(|this| {
            class.super_class.visit_with(this);
            let is_field = |member: &ClassMember| match member {
                ClassMember::ClassProp(field) => !field.is_static,
                ClassMember::PrivateProp(field) => !field.is_static,
                _ => false,
            };
            let has_fields = class.body.iter().any(is_field);
            let outer_derived =
                std::mem::replace(&mut this.is_derived, class.super_class.is_some());
            let outer_fields = std::mem::replace(&mut this.has_fields, has_fields);
            this.enter_private_names(&class.body);
            this.class_body(&class.body);
            this.leave_private_names();
            this.is_derived = outer_derived;
            this.has_fields = outer_fields;
        });
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        self.class_field(property);
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        self.private_field(property);
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        let start = body_start(block.body.span);
        let statements = &block.body.stmts;
        self.function(&[], Some(FunctionBodyOf::Statements { statements, start }));
    }

    fn visit_method_prop(&mut self, method: &MethodProp) {
        method.key.visit_with(self);
        let is_get = matches!(property_key(&method.key), Key::Static(name) if name == "get");
        self.is_getter = is_get && self.asks_getters() && may_be_trap(method);
        method.function.visit_with(self);
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        getter.key.visit_with(self);
        self.is_getter = self.asks_getter(&property_key(&getter.key));
        getter.function.visit_with(self);
    }

    fn visit_class_method(&mut self, method: &ClassMethod) {
        method.key.visit_with(self);
        let key = property_key(&method.key);
        // An object of the class may be the handler of a proxy.
        let may_be_trap = method.kind == MethodKind::Method
            && matches!(&key, Key::Static(name) if name == "get")
            && self.asks_getters()
            && is_plain(&method.function);
        self.is_getter = may_be_trap || method.kind == MethodKind::Getter && self.asks_getter(&key);
        method.function.visit_with(self);
    }

    fn visit_private_method(&mut self, method: &PrivateMethod) {
        self.is_getter = method.kind == MethodKind::Getter
            && self.asks_getters()
            && self
                .watches_property(&self.private_key_of(&method.key))
                .is_some();
        method.function.visit_with(self);
    }

    fn visit_key_value_prop(&mut self, pair: &KeyValueProp) {
        pair.key.visit_with(self);
        let is_get = matches!(property_key(&pair.key), Key::Static(name) if name == "get");
        self.is_getter = is_get && self.asks_getters() && may_be_getter(&pair.value);
        pair.value.visit_with(self);
    }

    fn visit_setter_prop(&mut self, setter: &SetterProp) {
        setter.key.visit_with(self);
        setter.function.visit_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let parameters: Vec<&Pat> = constructor
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
                ParamOrTsParamProp::TsParamProp(_) => None,
            })
            .collect();
        let body = constructor
            .body
            .as_ref()
            .map(|body| FunctionBodyOf::Statements {
                statements: &body.stmts,
                start: body_start(body.span),
            });
        self.makes_object = !self.is_derived;
        self.may_have_shadow = self.has_fields;
        self.function_with_arguments(&parameters, body);
    }

    fn visit_fn_expr(&mut self, function: &FnExpr) {
        if function.ident.is_some() {
            self.in_scope(|this| function.function.visit_with(this));
        } else {
            function.function.visit_with(self);
        }
    }

    fn visit_function(&mut self, function: &Function) {
        let parameters: Vec<&Pat> = function
            .params
            .iter()
            .map(|parameter| &parameter.pat)
            .collect();
        let body = function
            .body
            .as_ref()
            .map(|body| FunctionBodyOf::Statements {
                statements: &body.stmts,
                start: body_start(body.span),
            });
        self.is_getter |= self.opens_functions() && can_be_asked(function);
        self.makes_object = !function.is_async && !function.is_generator;
        self.function_with_arguments(&parameters, body);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let parameters: Vec<&Pat> = arrow.params.iter().collect();
        let body = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => FunctionBodyOf::Statements {
                statements: &body.stmts,
                start: body_start(body.span),
            },
            ArrowFunctionBody::Expr(expression) => FunctionBodyOf::Expression(expression),
        };
        self.is_getter |= self.opens_functions() && !arrow.is_async;
        self.function(&parameters, Some(body));
    }

    fn visit_this_expr(&mut self, _this: &swc_ecma_ast::ThisExpr) {
        if let Some(names_this) = self.names_this.last_mut() {
            *names_this = true;
        }
    }

    fn visit_lit(&mut self, _literal: &Lit) {}

    // Import attributes look like an object literal, and are none.
    fn visit_import_decl(&mut self, _import: &swc_ecma_ast::ImportDecl) {}

    fn visit_named_export(&mut self, _export: &swc_ecma_ast::NamedExport) {}

    fn visit_export_all(&mut self, _export: &swc_ecma_ast::ExportAll) {}
}

impl Rewriter<'_> {
    /// The body of an arrow function without braces.
    pub(super) fn expression_body(&mut self, expression: &Expr) {
        self.returned(expression, ByteOffset(expression.span().lo.0));
    }
}
