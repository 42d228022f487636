//! Which node opens a scope, declares a name or assigns one.

use swc_atoms::{Atom, atom};
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignExpr, AssignProp, AssignTarget, AssignTargetPat, BlockStmt,
    CallExpr, Callee, CatchClause, Class, ClassDecl, ClassExpr, Constructor, ExportDefaultDecl,
    Expr, ExprStmt, FnDecl, FnExpr, ForInStmt, ForOfStmt, ForStmt, Function, FunctionBody,
    GetterProp, ImportDecl, ImportSpecifier, Lit, MemberExpr, MemberProp, ModuleDecl,
    ModuleExportName, ModuleItem, ParamOrTsParamProp, Pat, SetterProp, SimpleAssignTarget,
    StaticBlock, Stmt, SwitchStmt, UpdateExpr, VarDecl, VarDeclKind, VarDeclOrExpr, WithStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::super::{BindingKind, ScopeIndex, ScopeKind, for_each_object_binding, unparenthesized};
use crate::position::ByteOffset;

use super::{Collector, Name};

fn named(name: &Atom, span: swc_common::Span) -> Name {
    (name.clone(), ByteOffset(span.lo.0))
}

/// The name a property key gives to the function it holds.
fn key_name(key: &swc_ecma_ast::PropName) -> Option<Name> {
    match key {
        swc_ecma_ast::PropName::Ident(ident) => Some(named(&ident.sym, ident.span)),
        swc_ecma_ast::PropName::Str(string) => {
            let name = string.value.as_str().map(Atom::from)?;
            Some(named(&name, string.span))
        }
        _ => None,
    }
}

impl Visit for Collector {
    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        let statements = items.iter().filter_map(|item| match item {
            ModuleItem::Stmt(statement) => Some(statement),
            ModuleItem::ModuleDecl(_) => None,
        });
        self.hoist_functions(statements);
        for item in items {
            if let ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) = item
                && let swc_ecma_ast::Decl::Fn(function) = &export.decl
            {
                self.declare_function(function);
            }
            item.visit_with(self);
        }
    }

    fn visit_script(&mut self, script: &swc_ecma_ast::Script) {
        self.statements(&script.body);
    }

    fn visit_stmts(&mut self, statements: &[Stmt]) {
        self.statements(statements);
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
        let at = statement.span().lo.0;
        self.listening(statement, at, |this| statement.visit_children_with(this));
    }

    fn visit_expr(&mut self, expression: &Expr) {
        self.listen(expression);
        expression.visit_children_with(self);
    }

    fn visit_if_stmt(&mut self, statement: &swc_ecma_ast::IfStmt) {
        statement.test.visit_with(self);
        for branch in [Some(&statement.cons), statement.alt.as_ref()] {
            match branch.map(|branch| &**branch) {
                Some(branch @ Stmt::Decl(swc_ecma_ast::Decl::Fn(function)))
                    if !function.function.is_async && !function.function.is_generator =>
                {
                    if !self.strict {
                        let at = ByteOffset(function.function.span.lo.0);
                        self.functions_as_statements.remove(&at);
                    }
                    // As if it were in a block (Annex B.3.4).
                    self.within(ScopeKind::Block, function.function.span, |this| {
                        this.statements(std::slice::from_ref(branch));
                    });
                }
                Some(branch) => self.only_statement(branch),
                None => {}
            }
        }
    }

    fn visit_do_while_stmt(&mut self, statement: &swc_ecma_ast::DoWhileStmt) {
        // As it is written, which is not the order of the tree: scopes are numbered in the order of the text.
        self.only_statement(&statement.body);
        statement.test.visit_with(self);
    }

    fn visit_while_stmt(&mut self, statement: &swc_ecma_ast::WhileStmt) {
        statement.test.visit_with(self);
        self.only_statement(&statement.body);
    }

    fn visit_labeled_stmt(&mut self, statement: &swc_ecma_ast::LabeledStmt) {
        let is_plain = |function: &Function| !function.is_async && !function.is_generator;
        match &*statement.body {
            Stmt::Decl(swc_ecma_ast::Decl::Fn(function)) if is_plain(&function.function) => {
                function.visit_with(self);
            }
            body => self.only_statement(body),
        }
    }

    fn visit_import_decl(&mut self, import: &ImportDecl) {
        for specifier in &import.specifiers {
            let local = match specifier {
                ImportSpecifier::Named(named) => &named.local,
                ImportSpecifier::Default(default) => &default.local,
                ImportSpecifier::Namespace(namespace) => &namespace.local,
            };
            self.declare(&local.sym, BindingKind::Import, ByteOffset(local.span.lo.0));
            let there = match specifier {
                ImportSpecifier::Named(named) => Some(match &named.imported {
                    Some(ModuleExportName::Str(name)) => {
                        Atom::from(name.value.to_string_lossy().as_ref())
                    }
                    Some(ModuleExportName::Ident(name)) => name.sym.clone(),
                    None => local.sym.clone(),
                }),
                ImportSpecifier::Default(_) => Some(Atom::from("default")),
                ImportSpecifier::Namespace(_) => None,
            };
            let from = import.src.value.to_string_lossy().into_owned();
            let known = &mut self.scopes.imports;
            known.insert(local.sym.clone(), (from, there));
        }
    }

    fn visit_export_default_decl(&mut self, export: &ExportDefaultDecl) {
        match &export.decl {
            swc_ecma_ast::DefaultDecl::Class(class) => {
                if let Some(ident) = &class.ident {
                    let at = ByteOffset(ident.span.lo.0);
                    self.declare(&ident.sym, BindingKind::Class, at);
                    self.class_self = Some(named(&ident.sym, ident.span));
                }
                class.class.visit_with(self);
            }
            swc_ecma_ast::DefaultDecl::Fn(function) => {
                if let Some(ident) = &function.ident {
                    let at = ByteOffset(ident.span.lo.0);
                    self.declare(&ident.sym, BindingKind::Function, at);
                    self.name_hint = Some(named(&ident.sym, ident.span));
                }
                function.function.visit_with(self);
            }
            swc_ecma_ast::DefaultDecl::TsInterfaceDecl(_) => {}
        }
    }

    fn visit_var_decl(&mut self, declaration: &VarDecl) {
        let kind = match declaration.kind {
            VarDeclKind::Var => BindingKind::Var,
            VarDeclKind::Let => BindingKind::Let,
            VarDeclKind::Const => BindingKind::Const,
        };
        for declarator in &declaration.decls {
            self.declare_pattern(&declarator.name, kind);
            declarator.name.visit_with(self);
            if let (Pat::Ident(ident), Some(init)) = (&declarator.name, &declarator.init) {
                self.hint(&ident.sym, ByteOffset(ident.span.lo.0), init);
            }
            declarator.init.visit_with(self);
        }
    }

    fn visit_using_decl(&mut self, declaration: &swc_ecma_ast::UsingDecl) {
        for declarator in &declaration.decls {
            self.declare_pattern(&declarator.name, BindingKind::Const);
            declarator.visit_children_with(self);
        }
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        let at = ByteOffset(class.ident.span.lo.0);
        self.declare(&class.ident.sym, BindingKind::Class, at);
        self.class_self = Some(named(&class.ident.sym, class.ident.span));
        class.class.visit_with(self);
    }

    fn visit_class_expr(&mut self, class: &ClassExpr) {
        self.class_self = class
            .ident
            .as_ref()
            .map(|ident| named(&ident.sym, ident.span));
        class.class.visit_with(self);
    }

    fn visit_class(&mut self, class: &Class) {
        let hint = self.name_hint.take();
        let own = self.class_self.take();
        self.class_names.push(own.clone().or(hint));
        let strict = std::mem::replace(&mut self.strict, true);
        self.within(ScopeKind::Class, class.span, |this| {
            if let Some((name, _)) = &own {
                let at = ByteOffset(class.span.lo.0);
                this.declare(name, BindingKind::SelfName, at);
            }
            class.super_class.visit_with(this);
            class.body.visit_with(this);
        });
        self.strict = strict;
        self.class_names.pop();
    }

    fn visit_class_prop(&mut self, property: &swc_ecma_ast::ClassProp) {
        property.key.visit_with(self);
        if let Some(value) = &property.value {
            self.within(ScopeKind::FieldInitialiser, value.span(), |this| {
                this.name_hint = key_name(&property.key);
                value.visit_with(this);
                this.name_hint = None;
            });
        }
    }

    fn visit_private_prop(&mut self, property: &swc_ecma_ast::PrivateProp) {
        if let Some(value) = &property.value {
            self.within(ScopeKind::FieldInitialiser, value.span(), |this| {
                value.visit_with(this);
            });
        }
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.function(block.span, None, &mut std::iter::empty(), |this| {
            this.statements(&block.body.stmts);
        });
    }

    fn visit_class_method(&mut self, method: &swc_ecma_ast::ClassMethod) {
        method.key.visit_with(self);
        self.name_hint = key_name(&method.key);
        method.function.visit_with(self);
    }

    fn visit_private_method(&mut self, method: &swc_ecma_ast::PrivateMethod) {
        let name: Atom = format!("#{}", method.key.name).into();
        self.name_hint = Some(named(&name, method.key.span));
        method.function.visit_with(self);
    }

    fn visit_method_prop(&mut self, method: &swc_ecma_ast::MethodProp) {
        method.key.visit_with(self);
        self.name_hint = key_name(&method.key);
        method.function.visit_with(self);
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        getter.key.visit_with(self);
        self.name_hint = key_name(&getter.key);
        getter.function.visit_with(self);
    }

    fn visit_setter_prop(&mut self, setter: &SetterProp) {
        setter.key.visit_with(self);
        self.name_hint = key_name(&setter.key);
        setter.function.visit_with(self);
    }

    fn visit_key_value_prop(&mut self, pair: &swc_ecma_ast::KeyValueProp) {
        pair.key.visit_with(self);
        if let Some((name, at)) = key_name(&pair.key) {
            self.hint(&name, at, &pair.value);
        }
        pair.value.visit_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let name = self.class_names.last().cloned().flatten();
        let mut parameters = constructor
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
                ParamOrTsParamProp::TsParamProp(_) => None,
            });
        self.function(constructor.span, name, &mut parameters, |this| {
            if let Some(body) = &constructor.body {
                this.body(&body.stmts);
            }
        });
    }

    fn visit_fn_decl(&mut self, function: &FnDecl) {
        self.name_hint = Some(named(&function.ident.sym, function.ident.span));
        function.function.visit_with(self);
    }

    fn visit_fn_expr(&mut self, function: &FnExpr) {
        if let Some(ident) = &function.ident {
            let span = function.function.span;
            self.within(ScopeKind::FunctionName, span, |this| {
                let at = ByteOffset(ident.span.lo.0);
                this.declare(&ident.sym, BindingKind::SelfName, at);
                this.name_hint = Some(named(&ident.sym, ident.span));
                function.function.visit_with(this);
            });
        } else {
            function.function.visit_with(self);
        }
    }

    fn visit_function(&mut self, function: &Function) {
        let name = self.name_hint.take();
        let mut parameters = function.params.iter().map(|parameter| &parameter.pat);
        self.function(function.span, name, &mut parameters, |this| {
            if let Some(body) = &function.body {
                this.body(&body.stmts);
            }
        });
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let name = self.name_hint.take();
        let mut parameters = arrow.params.iter();
        self.function(arrow.span, name, &mut parameters, |this| {
            match &*arrow.body {
                ArrowFunctionBody::FunctionBody(FunctionBody { stmts, .. }) => this.body(stmts),
                ArrowFunctionBody::Expr(expression) => expression.visit_with(this),
            }
        });
    }

    fn visit_block_stmt(&mut self, block: &BlockStmt) {
        self.within(ScopeKind::Block, block.span, |this| {
            this.statements(&block.stmts)
        });
    }

    fn visit_switch_stmt(&mut self, switch: &SwitchStmt) {
        switch.discriminant.visit_with(self);
        self.within(ScopeKind::Block, switch.span, |this| {
            for case in &switch.cases {
                this.hoist_functions(case.cons.iter());
            }
            for case in &switch.cases {
                case.test.visit_with(this);
                for statement in &case.cons {
                    statement.visit_with(this);
                }
            }
        });
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        self.within(ScopeKind::Catch, clause.span, |this| {
            if let Some(parameter) = &clause.param {
                this.declare_pattern(parameter, BindingKind::Catch);
                parameter.visit_with(this);
            }
            clause.body.visit_with(this);
        });
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        self.within(ScopeKind::Block, statement.span, |this| {
            match &statement.init {
                Some(VarDeclOrExpr::VarDecl(declaration)) => declaration.visit_with(this),
                Some(VarDeclOrExpr::Expr(expression)) => expression.visit_with(this),
                None => {}
            }
            statement.test.visit_with(this);
            statement.update.visit_with(this);
            this.only_statement(&statement.body);
        });
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.within(ScopeKind::Block, statement.span, |this| {
            this.for_head(&statement.left);
            statement.right.visit_with(this);
            this.only_statement(&statement.body);
        });
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.within(ScopeKind::Block, statement.span, |this| {
            this.for_head(&statement.left);
            statement.right.visit_with(this);
            this.only_statement(&statement.body);
        });
    }

    fn visit_with_stmt(&mut self, statement: &WithStmt) {
        statement.obj.visit_with(self);
        // The object is evaluated outside of it.
        self.within(ScopeKind::With, statement.body.span(), |this| {
            this.only_statement(&statement.body);
        });
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                let at = ByteOffset(ident.span.lo.0);
                self.assign(&ident.sym, at);
                self.hint(&ident.sym, at, &assign.right);
            }
            AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) => {
                if let Expr::Ident(ident) = unparenthesized(&paren.expr) {
                    self.assign(&ident.sym, ByteOffset(ident.span.lo.0));
                }
                paren.visit_with(self);
            }
            AssignTarget::Pat(AssignTargetPat::Array(array)) => {
                for element in array.elems.iter().flatten() {
                    self.assign_pattern(element);
                }
                array.visit_with(self);
            }
            AssignTarget::Pat(AssignTargetPat::Object(object)) => {
                let mut names = Vec::new();
                for_each_object_binding(object, &mut |name, at| names.push((name.clone(), at)));
                for (name, at) in names {
                    self.assign(&name, at);
                }
                object.visit_with(self);
            }
            AssignTarget::Simple(other) => {
                other.visit_with(self);
                if let SimpleAssignTarget::Member(member) = other
                    && let swc_ecma_ast::MemberProp::Ident(name) = &member.prop
                {
                    self.hint(&name.sym, ByteOffset(name.span.lo.0), &assign.right);
                }
            }
            AssignTarget::Pat(AssignTargetPat::Invalid(_)) => {}
        }
        assign.right.visit_with(self);
        self.name_hint = None;
    }

    fn visit_expr_stmt(&mut self, statement: &ExprStmt) {
        self.statement_at = statement.span.lo.0;
        statement.visit_children_with(self);
    }

    fn visit_member_expr(&mut self, member: &MemberExpr) {
        // `if (a) let[b]`: no statement that is an expression begins so, which the parser overlooks behind a line
        // break.
        if let (Expr::Ident(object), MemberProp::Computed(_)) = (&*member.obj, &member.prop)
            && object.span.lo.0 == self.statement_at
            && object.sym == atom!("let")
            && object.span.hi.0 - object.span.lo.0 == 3
        {
            let at = ByteOffset(object.span.lo.0);
            self.early_error(
                at,
                "a declaration is where only a statement may be".to_owned(),
            );
        }
        member.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Ident(ident) = unparenthesized(&update.arg) {
            self.assign(&ident.sym, ByteOffset(ident.span.lo.0));
        }
        update.arg.visit_with(self);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let Callee::Expr(callee) = &call.callee
            && let Expr::Ident(ident) = unparenthesized(callee)
            && ident.sym == atom!("eval")
        {
            let current = self.current;
            if !self.strict {
                let declared_in = self.scopes.function_around(current);
                self.scopes.scopes[declared_in.0 as usize].eval_declares = true;
            }
            let scopes: Vec<ScopeIndex> = self.scopes.chain(current).collect();
            for scope in scopes {
                self.scopes.scopes[scope.0 as usize].has_direct_eval = true;
            }
        }
        call.visit_children_with(self);
    }

    fn visit_assign_prop(&mut self, short: &AssignProp) {
        // `{ x = 1 }` is a pattern; where it is left over in an expression, it is an error that the parser misses in
        // some places.
        let at = ByteOffset(short.key.span.lo.0);
        self.early_error(at, "`=` is in an object that is no pattern".to_owned());
        short.visit_children_with(self);
    }

    fn visit_lit(&mut self, _literal: &Lit) {}
}
