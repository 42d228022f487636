//! What the body of a getter does, as far as it matters to the value that is returned.

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AssignTarget, CallExpr, Decl, Expr, Function, NewExpr, ObjectPatProp,
    OptCall, Pat, ReturnStmt, SimpleAssignTarget, Stmt, TaggedTpl, UpdateExpr, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::super::functions::FunctionBodyOf;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// Where a local variable of the getter has its value from.
#[derive(Clone, Debug)]
pub(super) enum Origin<'e> {
    /// From an expression.
    Value(&'e Expr),
    /// From a property of the value of an expression.
    Property(&'e Expr, Atom),
    /// From somewhere that is not followed.
    Elsewhere,
}

/// A condition on which statements are run.
pub(super) struct Branch<'e> {
    pub(super) test: &'e Expr,
    pub(super) decides: Effects,
}

/// What statements do that matters to the value a function returns.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) returns: bool,
    pub(super) writes: FxHashSet<Atom>,
}

/// What a getter's body says, in statements.
#[derive(Default)]
pub(super) struct Facts<'e> {
    pub(super) returned: Vec<&'e Expr>,
    pub(super) origins: FxHashMap<Atom, Vec<Origin<'e>>>,
    pub(super) branches: Vec<Branch<'e>>,
    /// A `return` is in a statement that is not followed.
    pub(super) is_opaque: bool,
    /// A statement calls something, or writes a property.
    pub(super) has_effects: bool,
}

impl<'e> Facts<'e> {
    pub(super) fn of(body: &FunctionBodyOf<'e>) -> Self {
        let mut facts = Self::default();
        match body {
            FunctionBodyOf::Expression(expression) => facts.returned.push(expression),
            FunctionBodyOf::Statements { statements, .. } => {
                for statement in *statements {
                    facts.statement(statement);
                }
                // A local that is also written inside an expression is not followed.
                let mut all = Effects::default();
                statements.visit_with(&mut NestedWrites(&mut all));
                let mut seen = EffectsBesides(false);
                statements.visit_with(&mut seen);
                facts.has_effects = seen.0;
                for name in all.writes {
                    if let Some(origins) = facts.origins.get_mut(&name) {
                        origins.push(Origin::Elsewhere);
                    }
                }
            }
        }
        facts
    }

    fn statement(&mut self, statement: &'e Stmt) {
        match statement {
            Stmt::Block(block) => block
                .stmts
                .iter()
                .for_each(|statement| self.statement(statement)),
            Stmt::Return(returned) => {
                if let Some(value) = &returned.arg {
                    self.returned.push(value);
                }
            }
            Stmt::If(choice) => {
                let mut decides = Effects::default();
                choice.cons.visit_with(&mut AllEffects(&mut decides));
                choice.alt.visit_with(&mut AllEffects(&mut decides));
                let test = &choice.test;
                self.branches.push(Branch { test, decides });
                self.statement(&choice.cons);
                if let Some(alternative) = &choice.alt {
                    self.statement(alternative);
                }
            }
            Stmt::Decl(Decl::Var(declaration)) => {
                for declarator in &declaration.decls {
                    self.declarator(declarator);
                }
            }
            Stmt::Expr(statement) => {
                if let Expr::Assign(assign) = unparenthesized(&statement.expr)
                    && let Some(name) = plain_target(assign)
                {
                    self.origin(name, Origin::Value(&assign.right));
                }
            }
            Stmt::Decl(_) | Stmt::Empty(_) | Stmt::Throw(_) | Stmt::Debugger(_) => {}
            other => {
                let mut effects = Effects::default();
                other.visit_with(&mut AllEffects(&mut effects));
                self.is_opaque |= effects.returns;
                for name in effects.writes {
                    self.origin(&name, Origin::Elsewhere);
                }
            }
        }
    }

    fn origin(&mut self, name: &Atom, origin: Origin<'e>) {
        self.origins.entry(name.clone()).or_default().push(origin);
    }

    fn declarator(&mut self, declarator: &'e VarDeclarator) {
        match (&declarator.name, &declarator.init) {
            (Pat::Ident(ident), Some(value)) => self.origin(&ident.sym, Origin::Value(value)),
            (Pat::Ident(ident), None) => {
                self.origins.entry(ident.sym.clone()).or_default();
            }
            (Pat::Object(pattern), Some(value)) => {
                for property in &pattern.props {
                    match property {
                        ObjectPatProp::Assign(short) if short.value.is_none() => {
                            let name = short.key.sym.clone();
                            self.origin(&short.key.sym, Origin::Property(value, name));
                        }
                        ObjectPatProp::KeyValue(pair) => {
                            self.elsewhere(&pair.value);
                        }
                        ObjectPatProp::Assign(short) => {
                            self.origin(&short.key.sym, Origin::Elsewhere);
                        }
                        ObjectPatProp::Rest(rest) => self.elsewhere(&rest.arg),
                    }
                }
            }
            (pattern, _) => self.elsewhere(pattern),
        }
    }

    fn elsewhere(&mut self, pattern: &Pat) {
        crate::scopes::for_each_binding(pattern, &mut |name, _| {
            self.origins
                .entry(name.clone())
                .or_default()
                .push(Origin::Elsewhere);
        });
    }
}

/// The name that `name = value` writes.
fn plain_target(assign: &AssignExpr) -> Option<&Atom> {
    match &assign.left {
        AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => Some(&ident.sym),
        _ => None,
    }
}

/// Collects all effects of statements; functions inside are left out.
pub(super) struct AllEffects<'f>(pub(super) &'f mut Effects);

impl Visit for AllEffects<'_> {
    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        self.0.returns = true;
        statement.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let writes = &mut self.0.writes;
        crate::scopes::for_each_binding(&declarator.name, &mut |name, _| {
            writes.insert(name.clone());
        });
        declarator.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        written(assign, &mut self.0.writes);
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Ident(ident) = unparenthesized(&update.arg) {
            self.0.writes.insert(ident.sym.clone());
        }
    }
}

/// Sees whether statements call something or write a property, besides what they return.
struct EffectsBesides(bool);

impl Visit for EffectsBesides {
    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}
    fn visit_return_stmt(&mut self, _: &ReturnStmt) {}

    fn visit_call_expr(&mut self, _: &CallExpr) {
        self.0 = true;
    }

    fn visit_opt_call(&mut self, _: &OptCall) {
        self.0 = true;
    }

    fn visit_new_expr(&mut self, _: &NewExpr) {
        self.0 = true;
    }

    fn visit_tagged_tpl(&mut self, _: &TaggedTpl) {
        self.0 = true;
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        self.0 |= plain_target(assign).is_none();
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        self.0 |= !matches!(unparenthesized(&update.arg), Expr::Ident(_));
    }
}

/// Collects the names that are written inside expressions, not by a statement of their own.
struct NestedWrites<'f>(&'f mut Effects);

impl Visit for NestedWrites<'_> {
    fn visit_expr_stmt(&mut self, statement: &swc_ecma_ast::ExprStmt) {
        match unparenthesized(&statement.expr) {
            Expr::Assign(assign)
                if assign.op == swc_ecma_ast::AssignOp::Assign
                    && plain_target(assign).is_some() =>
            {
                assign.right.visit_with(self);
            }
            other => other.visit_with(self),
        }
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        written(assign, &mut self.0.writes);
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if let Expr::Ident(ident) = unparenthesized(&update.arg) {
            self.0.writes.insert(ident.sym.clone());
        }
    }
}

fn written(assign: &AssignExpr, writes: &mut FxHashSet<Atom>) {
    let mut add = |name: &Atom, _: ByteOffset| {
        writes.insert(name.clone());
    };
    match &assign.left {
        AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => add(&ident.sym, ByteOffset(0)),
        AssignTarget::Pat(swc_ecma_ast::AssignTargetPat::Object(object)) => {
            crate::scopes::for_each_object_binding(object, &mut add);
        }
        AssignTarget::Pat(swc_ecma_ast::AssignTargetPat::Array(array)) => {
            for element in array.elems.iter().flatten() {
                crate::scopes::for_each_binding(element, &mut add);
            }
        }
        _ => {}
    }
}
