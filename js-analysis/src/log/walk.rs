//! The walk: which node goes to which transform, and what they share.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, AssignExpr, AwaitExpr, BinExpr, BlockStmt, CallExpr, CatchClause, Class,
    ClassDecl, ClassMethod, ClassProp, CondExpr, Constructor, DoWhileStmt, ExportAll, Expr, FnExpr,
    ForInStmt, ForOfStmt, ForStmt, Function, GetterProp, IfStmt, ImportDecl, KeyValueProp, Lit,
    MethodKind, MethodProp, ModuleItem, NamedExport, NewExpr, ObjectLit, OptChainExpr,
    PrivateMethod, PrivateProp, ReturnStmt, SetterProp, StaticBlock, Stmt, SwitchStmt, TaggedTpl,
    ThrowStmt, TryStmt, UnaryExpr, UnaryOp, UpdateExpr, UsingDecl, VarDecl, WhileStmt, WithStmt,
    YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::walker::{LogWalker, at, takes_name};
use super::{LoggedFunctionKind, LoggedKind};
use crate::scopes::ScopeKind;

impl Visit for LogWalker<'_> {
    fn visit_stmts(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.listed = statement.span().lo.0;
            statement.visit_with(self);
        }
        self.listed = u32::MAX;
    }

    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        for item in items {
            self.listed = item.span().lo.0;
            item.visit_with(self);
        }
        self.listed = u32::MAX;
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
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
    }

    fn visit_expr(&mut self, expression: &Expr) {
        match expression {
            // `eval` as a value, such as in `(0, eval)(text)`: what it is given is rewritten.
            Expr::Ident(ident) if self.is_global_eval(ident) => {
                let before = format!("{}Cv(", self.prefix);
                self.wrap(ident.span, &before, ")", |_| {});
            }
            // A link of a chain.
            Expr::OptChain(_) => expression.visit_children_with(self),
            Expr::Paren(_) => {
                let outer = self.callee_of_new.take();
                let in_chain = std::mem::take(&mut self.in_chain);
                expression.visit_children_with(self);
                self.callee_of_new = outer;
                self.in_chain = in_chain;
            }
            // What a chain begins with.
            _ => {
                let in_chain = std::mem::take(&mut self.in_chain);
                expression.visit_children_with(self);
                self.in_chain = in_chain;
            }
        }
    }

    fn visit_if_stmt(&mut self, statement: &IfStmt) {
        self.condition(&statement.test, "Lf");
        for branch in [Some(&statement.cons), statement.alt.as_ref()]
            .into_iter()
            .flatten()
        {
            match &**branch {
                Stmt::Decl(swc_ecma_ast::Decl::Fn(function)) => {
                    let span = function.function.span;
                    self.in_scope(ScopeKind::Block, span, |this| function.visit_with(this));
                }
                branch => self.unlisted(branch),
            }
        }
    }

    fn visit_while_stmt(&mut self, statement: &WhileStmt) {
        self.condition(&statement.test, "Lf");
        self.unlisted(&statement.body);
    }

    fn visit_do_while_stmt(&mut self, statement: &DoWhileStmt) {
        self.unlisted(&statement.body);
        self.condition(&statement.test, "Lf");
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
        self.with(statement);
    }

    fn visit_labeled_stmt(&mut self, statement: &swc_ecma_ast::LabeledStmt) {
        self.unlisted(&statement.body);
    }

    fn visit_switch_stmt(&mut self, statement: &SwitchStmt) {
        statement.discriminant.visit_with(self);
        self.in_scope(ScopeKind::Block, statement.span, |this| {
            for case in &statement.cases {
                case.test.visit_with(this);
                this.visit_stmts(&case.cons);
            }
        });
    }

    fn visit_block_stmt(&mut self, block: &BlockStmt) {
        self.block(block, "");
    }

    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        self.try_statement(statement);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        self.catch(clause);
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        let site = self.site(at(statement.span), LoggedKind::Throw, String::new());
        let before = format!("{}LT({site},(", self.prefix);
        self.wrap(statement.arg.span(), &before, "))", |this| {
            statement.arg.visit_with(this);
        });
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        self.return_statement(statement);
    }

    fn visit_var_decl(&mut self, declaration: &VarDecl) {
        self.declaration(declaration);
    }

    fn visit_using_decl(&mut self, declaration: &UsingDecl) {
        declaration.visit_children_with(self);
        let mut hooks = String::new();
        for declarator in &declaration.decls {
            hooks.push_str(&self.pattern_hooks(&declarator.name));
        }
        self.after_statement(declaration.span, &hooks);
    }

    fn visit_cond_expr(&mut self, expression: &CondExpr) {
        self.condition(&expression.test, "Lf");
        expression.cons.visit_with(self);
        expression.alt.visit_with(self);
    }

    fn visit_bin_expr(&mut self, binary: &BinExpr) {
        use swc_ecma_ast::BinaryOp::{LogicalAnd, LogicalOr, NullishCoalescing};
        match binary.op {
            LogicalAnd | LogicalOr => self.condition(&binary.left, "Lf"),
            NullishCoalescing => self.condition(&binary.left, "Lh"),
            _ => binary.left.visit_with(self),
        }
        binary.right.visit_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        self.assignment(assign);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        self.update(update);
    }

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        match unary.op {
            UnaryOp::Delete => self.deletion(unary),
            _ => unary.visit_children_with(self),
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        self.call(call);
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        self.chain(chain);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        self.construction(construction);
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        self.tagged(template);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        self.object_literal(object);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        self.array_literal(array);
    }

    fn visit_await_expr(&mut self, expression: &AwaitExpr) {
        self.awaiting(expression);
    }

    fn visit_yield_expr(&mut self, expression: &YieldExpr) {
        self.yielding(expression);
    }

    fn visit_fn_expr(&mut self, function: &FnExpr) {
        if function.ident.is_some() {
            let span = function.function.span;
            self.in_scope(ScopeKind::FunctionName, span, |this| {
                function.function.visit_with(this);
            });
        } else {
            function.function.visit_with(self);
        }
    }

    fn visit_function(&mut self, function: &Function) {
        self.function(function);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.arrow(arrow);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        self.constructor(constructor);
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        self.next_name = Some(class.ident.sym.to_string());
        self.next_name_at = Some(at(class.ident.span));
        class.class.visit_with(self);
        let place = at(class.ident.span);
        let hook = self.assign_hook(&class.ident.sym, place);
        self.after_statement(class.class.span, &hook);
    }

    fn visit_class_expr(&mut self, class: &swc_ecma_ast::ClassExpr) {
        if let Some(ident) = &class.ident {
            self.next_name = Some(ident.sym.to_string());
            self.next_name_at = Some(at(ident.span));
        }
        class.class.visit_with(self);
    }

    fn visit_class(&mut self, class: &Class) {
        self.class(class);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        self.class_field(property);
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        let name = format!("#{}", property.key.name);
        self.field(
            &name,
            at(property.key.span),
            property.value.as_deref(),
            property.is_static,
        );
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.static_block(block);
    }

    fn visit_class_method(&mut self, method: &ClassMethod) {
        self.head(|this| method.key.visit_with(this));
        self.next_name = Self::key_name(&method.key);
        self.next_kind = match method.kind {
            MethodKind::Method => LoggedFunctionKind::Method,
            MethodKind::Getter => LoggedFunctionKind::Getter,
            MethodKind::Setter => LoggedFunctionKind::Setter,
        };
        method.function.visit_with(self);
    }

    fn visit_private_method(&mut self, method: &PrivateMethod) {
        self.next_name = Some(format!("#{}", method.key.name));
        self.next_kind = match method.kind {
            MethodKind::Method => LoggedFunctionKind::Method,
            MethodKind::Getter => LoggedFunctionKind::Getter,
            MethodKind::Setter => LoggedFunctionKind::Setter,
        };
        method.function.visit_with(self);
    }

    fn visit_key_value_prop(&mut self, pair: &KeyValueProp) {
        pair.key.visit_with(self);
        // What is in a literal has the name of its own key, not that of what the literal is assigned to.
        self.next_name = match takes_name(&pair.value) {
            true => Self::key_name(&pair.key),
            false => None,
        };
        pair.value.visit_with(self);
        self.next_name = None;
    }

    fn visit_method_prop(&mut self, method: &MethodProp) {
        self.head(|this| method.key.visit_with(this));
        self.next_kind = LoggedFunctionKind::Method;
        method.function.visit_with(self);
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        self.head(|this| getter.key.visit_with(this));
        self.next_kind = LoggedFunctionKind::Getter;
        getter.function.visit_with(self);
    }

    fn visit_setter_prop(&mut self, setter: &SetterProp) {
        self.head(|this| setter.key.visit_with(this));
        self.next_kind = LoggedFunctionKind::Setter;
        setter.function.visit_with(self);
    }

    fn visit_lit(&mut self, _literal: &Lit) {}

    fn visit_import_decl(&mut self, _import: &ImportDecl) {}

    fn visit_named_export(&mut self, _export: &NamedExport) {}

    fn visit_export_all(&mut self, _export: &ExportAll) {}
}
