//! What a script declares, imports and exports, and what gets nowhere: a test, a statement.

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    AssignPatProp, Class, ClassDecl, Constructor, Decl, DefaultDecl, ExportDecl, ExportDefaultDecl,
    ExportDefaultExpr, ExportNamespaceSpecifier, ExportSpecifier, Expr, ExprStmt, FnDecl, Function,
    IfStmt, ImportDecl, ImportSpecifier, KeyValuePatProp, ModuleExportName, NamedExport, Pat,
    StaticBlock, Str, Tpl, UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::held_values::HoldersWalk;
use super::holders::{Goes, Holder, Holders, Source, body_of, bytes, held, key_of};
use crate::call_graph::InnermostScopes;
use crate::rewrite::Script;
use crate::scopes::ScopeIndex;

/// See [`Script::holders`].
pub(super) fn holders_of(script: &Script<'_>) -> Holders {
    let mut walk = HoldersWalk {
        scopes: script.scopes(),
        innermost: InnermostScopes::new(script.scopes()),
        found: Holders::default(),
        this: None,
    };
    script.program().visit_with(&mut walk);
    walk.found
}

impl Visit for HoldersWalk<'_> {
    fn visit_expr(&mut self, expression: &Expr) {
        self.value(expression, &[Goes::Out(bytes(expression.span()))]);
    }

    fn visit_expr_stmt(&mut self, statement: &ExprStmt) {
        self.value(&statement.expr, &[]);
    }

    fn visit_str(&mut self, text: &Str) {
        self.markup(text.value.as_str(), text.span);
    }

    fn visit_tpl(&mut self, template: &Tpl) {
        // What is put in may be the value of an attribute: the whole is one text.
        let parts = template.quasis.iter().map(|part| {
            let text = part.cooked.as_ref().and_then(|text| text.as_str());
            text.unwrap_or_default()
        });
        let whole = parts.collect::<Vec<_>>().join(" ");
        self.markup(Some(&whole), template.span);
        template.exprs.visit_with(self);
    }

    fn visit_if_stmt(&mut self, statement: &IfStmt) {
        self.value(&statement.test, &[]);
        statement.cons.visit_with(self);
        statement.alt.visit_with(self);
    }

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        match unary.op {
            UnaryOp::TypeOf | UnaryOp::Bang | UnaryOp::Void | UnaryOp::Delete => {
                self.value(&unary.arg, &[]);
            }
            _ => unary.visit_children_with(self),
        }
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        self.value(&update.arg, &[]);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let Some(value) = &declarator.init else {
            return declarator.name.visit_with(self);
        };
        match &declarator.name {
            Pat::Ident(ident) => {
                let into = Goes::Into(self.variable(ident));
                self.value(value, &[into]);
            }
            pattern => {
                pattern.visit_with(self);
                value.visit_with(self);
            }
        }
    }

    fn visit_key_value_pat_prop(&mut self, property: &KeyValuePatProp) {
        let key = key_of(&property.key);
        self.taken(key, &property.value, property.span());
        property.visit_children_with(self);
    }

    fn visit_assign_pat_prop(&mut self, property: &AssignPatProp) {
        let into = Pat::Ident(property.key.clone());
        self.taken(property.key.sym.clone(), &into, property.span);
        property.value.visit_with(self);
    }

    fn visit_fn_decl(&mut self, declaration: &FnDecl) {
        let function = &declaration.function;
        let body = Holder::Function(body_of(function));
        for holder in self.declared(&declaration.ident.sym, function.span.lo.0) {
            self.note(body.clone(), &[Goes::Into(holder.clone())]);
            let known = self.found.sources.entry(holder).or_default();
            known.push(Source::Created(body.clone()));
        }
        self.function(function, body);
    }

    fn visit_function(&mut self, function: &Function) {
        self.function(function, Holder::Function(body_of(function)));
    }

    fn visit_class_decl(&mut self, declaration: &ClassDecl) {
        let own = Holder::Object(bytes(declaration.class.span));
        let mut holders = self.declared(&declaration.ident.sym, declaration.class.span.lo.0);
        holders.push(self.variable(&declaration.ident));
        holders.dedup();
        for holder in &holders {
            let known = self.found.sources.entry(holder.clone()).or_default();
            known.push(Source::Created(own.clone()));
        }
        let goes: Vec<Goes> = holders.into_iter().map(Goes::Into).collect();
        self.class(&declaration.class, &goes);
    }

    fn visit_class(&mut self, class: &Class) {
        self.class(class, &[Goes::Out(bytes(class.span))]);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        constructor.visit_children_with(self);
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        block.visit_children_with(self);
    }

    fn visit_import_decl(&mut self, import: &ImportDecl) {
        for specifier in &import.specifiers {
            if let ImportSpecifier::Namespace(all) = specifier
                && let Holder::Binding(binding) = self.variable(&all.local)
            {
                self.found.namespaces.push(binding);
            }
        }
    }

    fn visit_named_export(&mut self, export: &NamedExport) {
        for specifier in &export.specifiers {
            match specifier {
                ExportSpecifier::Named(named) => {
                    let name = |name: &ModuleExportName| match name {
                        ModuleExportName::Ident(ident) => ident.sym.clone(),
                        ModuleExportName::Str(text) => {
                            Atom::from(text.value.as_str().unwrap_or_default())
                        }
                    };
                    let exported = name(named.exported.as_ref().unwrap_or(&named.orig));
                    if let (None, ModuleExportName::Ident(ident)) = (&export.src, &named.orig) {
                        let holder = self.variable(ident);
                        self.note(holder, &[Goes::Exported(exported)]);
                    }
                }
                ExportSpecifier::Namespace(ExportNamespaceSpecifier { span, .. }) => {
                    let text = export.src.as_ref().and_then(|text| text.value.as_str());
                    let whole = (bytes(*span), text.map(Atom::from));
                    self.found.whole_imports.push(whole);
                }
                ExportSpecifier::Default(_) => {}
            }
        }
    }

    fn visit_export_decl(&mut self, export: &ExportDecl) {
        export.visit_children_with(self);
        let mut names: Vec<(Atom, u32)> = Vec::new();
        match &export.decl {
            Decl::Fn(function) => {
                names.push((function.ident.sym.clone(), function.ident.span.lo.0))
            }
            Decl::Class(class) => names.push((class.ident.sym.clone(), class.ident.span.lo.0)),
            Decl::Var(declaration) => {
                for declarator in &declaration.decls {
                    crate::scopes::for_each_binding(&declarator.name, &mut |name, at| {
                        names.push((name.clone(), at.0));
                    });
                }
            }
            _ => {}
        }
        for (name, _) in names {
            let holder = held(self.scopes.resolve(ScopeIndex::ROOT, &name), &name);
            self.note(holder, &[Goes::Exported(name)]);
        }
    }

    fn visit_export_default_expr(&mut self, export: &ExportDefaultExpr) {
        self.value(&export.expr, &[Goes::Exported(Atom::from("default"))]);
    }

    fn visit_export_default_decl(&mut self, export: &ExportDefaultDecl) {
        let exported = Goes::Exported(Atom::from("default"));
        match &export.decl {
            DefaultDecl::Fn(function) => {
                let goes = match &function.ident {
                    Some(ident) => {
                        let root = self.scopes.resolve(ScopeIndex::ROOT, &ident.sym);
                        vec![exported, Goes::Into(held(root, &ident.sym))]
                    }
                    None => vec![exported],
                };
                self.function_expression(function, &goes);
            }
            DefaultDecl::Class(class) => {
                let goes = match &class.ident {
                    Some(ident) => {
                        let root = self.scopes.resolve(ScopeIndex::ROOT, &ident.sym);
                        vec![exported, Goes::Into(held(root, &ident.sym))]
                    }
                    None => vec![exported],
                };
                self.class(&class.class, &goes);
            }
            DefaultDecl::TsInterfaceDecl(_) => {}
        }
    }
}
