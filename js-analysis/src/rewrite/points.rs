//! Places at which execution can be said to be: the starts of statements and, inside longer ones, of
//! expressions. A reproduction point is one of them.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignTarget, CallExpr, Callee, Decl, Expr, ExprOrSpread, Lit,
    ModuleDecl, ModuleItem, OptChainExpr, Program, Stmt, TaggedTpl, UnaryExpr, UnaryOp, UpdateExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::hooks::is_anonymous_function;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::unparenthesized;

/// What stands at a place, which decides how a report is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlaceShape {
    /// A statement of a list.
    Statement,
    /// A statement that is the body of another (`if (a) b();`).
    Body,
    /// An expression that ends at this offset.
    Expression(ByteOffset),
}

/// One place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointPlace {
    /// Its first character.
    pub at: ByteOffset,
    /// What stands there.
    pub shape: PlaceShape,
}

/// All places of one script.
#[derive(Clone, Debug, Default)]
pub struct CodePlaces {
    statements: Vec<PointPlace>,
    expressions: Vec<PointPlace>,
}

impl CodePlaces {
    pub(super) fn of(program: &Program) -> Self {
        let mut places = Self::default();
        program.visit_with(&mut places);
        places.statements.sort_unstable();
        places.statements.dedup();
        places.expressions.sort_by_key(|place| {
            let PlaceShape::Expression(end) = place.shape else {
                return (place.at, 0);
            };
            // Of the expressions that start at one place, the longest first.
            (place.at, u32::MAX - end.0)
        });
        places
    }

    /// The place that a line means: its first statement, else the first expression that starts on it.
    /// `line` holds the line's bytes.
    #[must_use]
    pub fn on_line(&self, line: ByteSpan) -> Option<PointPlace> {
        let inside = |place: &&PointPlace| line.start <= place.at && place.at < line.end;
        self.statements
            .iter()
            .find(inside)
            .or_else(|| self.expressions.iter().find(inside))
            .copied()
    }

    /// The place that a column of a line means: what starts exactly there, else the first place after it on
    /// the line, else the last before it.
    #[must_use]
    pub fn at_column(&self, line: ByteSpan, column: ByteOffset) -> Option<PointPlace> {
        let inside = |place: &&PointPlace| line.start <= place.at && place.at < line.end;
        let exactly =
            |places: &[PointPlace]| places.iter().find(|place| place.at == column).copied();
        let after = |places: &[PointPlace]| {
            places
                .iter()
                .filter(inside)
                .find(|place| place.at >= column)
                .copied()
        };
        exactly(&self.statements)
            .or_else(|| exactly(&self.expressions))
            .or_else(|| after(&self.statements))
            .or_else(|| after(&self.expressions))
            .or_else(|| self.statements.iter().rfind(inside).copied())
            .or_else(|| self.expressions.iter().rfind(inside).copied())
    }

    /// The place that starts exactly at `offset`: the statement, else the longest expression.
    #[must_use]
    pub fn exactly_at(&self, offset: ByteOffset) -> Option<PointPlace> {
        let found = |places: &[PointPlace]| {
            places
                .get(places.partition_point(|place| place.at < offset))
                .filter(|place| place.at == offset)
                .copied()
        };
        found(&self.statements).or_else(|| found(&self.expressions))
    }

    /// The offsets of all places, in order: for naming the nearest when a line has none.
    pub fn offsets(&self) -> impl Iterator<Item = ByteOffset> + '_ {
        self.statements
            .iter()
            .chain(&self.expressions)
            .map(|place| place.at)
    }

    fn statement(&mut self, statement: &Stmt, shape: PlaceShape) {
        match statement {
            // Declared on entry, or nothing at all: nobody comes by.
            Stmt::Decl(Decl::Fn(_)) | Stmt::Empty(_) => {}
            Stmt::Block(_) => {}
            Stmt::Expr(expression)
                if matches!(&*expression.expr, Expr::Lit(Lit::Str(_)))
                    && shape == PlaceShape::Statement => {}
            _ => self.statements.push(PointPlace {
                at: ByteOffset(statement.span().lo.0),
                shape,
            }),
        }
    }

    fn body(&mut self, body: &Stmt) {
        self.statement(body, PlaceShape::Body);
        body.visit_with(self);
    }

    fn expression(&mut self, expression: &Expr) {
        // Some expressions mean something else behind a comma.
        let plain = !is_anonymous_function(expression)
            && !matches!(
                expression,
                Expr::Lit(_) | Expr::Invalid(_) | Expr::JSXMember(_) | Expr::JSXNamespacedName(_)
            );
        if plain {
            let span = expression.span();
            self.expressions.push(PointPlace {
                at: ByteOffset(span.lo.0),
                shape: PlaceShape::Expression(ByteOffset(span.hi.0)),
            });
        }
    }
}

impl Visit for CodePlaces {
    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        for item in items {
            match item {
                ModuleItem::Stmt(statement) => self.statement(statement, PlaceShape::Statement),
                ModuleItem::ModuleDecl(
                    ModuleDecl::ExportDefaultExpr(_) | ModuleDecl::ExportDecl(_),
                ) => {
                    let is_function = matches!(
                        item,
                        ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export))
                            if matches!(export.decl, Decl::Fn(_))
                    );
                    if !is_function {
                        self.statements.push(PointPlace {
                            at: ByteOffset(item.span().lo.0),
                            shape: PlaceShape::Statement,
                        });
                    }
                }
                ModuleItem::ModuleDecl(_) => {}
            }
            item.visit_with(self);
        }
    }

    fn visit_stmts(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement, PlaceShape::Statement);
            statement.visit_with(self);
        }
    }

    fn visit_script(&mut self, script: &swc_ecma_ast::Script) {
        self.visit_stmts(&script.body);
    }

    fn visit_if_stmt(&mut self, statement: &swc_ecma_ast::IfStmt) {
        statement.test.visit_with(self);
        self.body(&statement.cons);
        if let Some(alternative) = &statement.alt {
            self.body(alternative);
        }
    }

    fn visit_while_stmt(&mut self, statement: &swc_ecma_ast::WhileStmt) {
        statement.test.visit_with(self);
        self.body(&statement.body);
    }

    fn visit_do_while_stmt(&mut self, statement: &swc_ecma_ast::DoWhileStmt) {
        self.body(&statement.body);
        statement.test.visit_with(self);
    }

    fn visit_for_stmt(&mut self, statement: &swc_ecma_ast::ForStmt) {
        statement.init.visit_with(self);
        statement.test.visit_with(self);
        statement.update.visit_with(self);
        self.body(&statement.body);
    }

    fn visit_for_in_stmt(&mut self, statement: &swc_ecma_ast::ForInStmt) {
        statement.right.visit_with(self);
        self.body(&statement.body);
    }

    fn visit_for_of_stmt(&mut self, statement: &swc_ecma_ast::ForOfStmt) {
        statement.right.visit_with(self);
        self.body(&statement.body);
    }

    fn visit_with_stmt(&mut self, statement: &swc_ecma_ast::WithStmt) {
        statement.obj.visit_with(self);
        self.body(&statement.body);
    }

    fn visit_expr(&mut self, expression: &Expr) {
        self.expression(expression);
        expression.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        // Parameters are patterns; only what runs in the body is a place.
        match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.visit_stmts(&body.stmts),
            ArrowFunctionBody::Expr(expression) => expression.visit_with(self),
        }
    }

    fn visit_pat(&mut self, _pattern: &swc_ecma_ast::Pat) {}

    fn visit_assign_target(&mut self, _target: &AssignTarget) {}

    fn visit_update_expr(&mut self, _update: &UpdateExpr) {}

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        // `delete (…, o.p)` and `typeof (…, x)` are not what they were.
        if !matches!(unary.op, UnaryOp::Delete | UnaryOp::TypeOf) {
            unary.visit_children_with(self);
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        // The callee keeps its `this`; only what is inside it may be a place.
        if let Callee::Expr(callee) = &call.callee {
            unparenthesized(callee).visit_children_with(self);
        }
        call.args.visit_with(self);
    }

    fn visit_opt_chain_expr(&mut self, _chain: &OptChainExpr) {}

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        template.tpl.visit_with(self);
    }

    fn visit_expr_or_spread(&mut self, element: &ExprOrSpread) {
        element.expr.visit_with(self);
    }

    fn visit_lit(&mut self, _literal: &Lit) {}
}

/// Module specifiers written as string literals in imports, re-exports and `import()`.
/// The specifiers of `import … from` and `export … from`, each with its literal's place.
pub(super) fn linked_specifiers(program: &Program) -> Vec<(ByteSpan, String)> {
    let Program::Module(module) = program else {
        return Vec::new();
    };
    let literals = module.body.iter().filter_map(|item| match item {
        ModuleItem::ModuleDecl(ModuleDecl::Import(import)) => Some(&*import.src),
        ModuleItem::ModuleDecl(ModuleDecl::ExportAll(all)) => Some(&*all.src),
        ModuleItem::ModuleDecl(ModuleDecl::ExportNamed(named)) => named.src.as_deref(),
        _ => None,
    });
    let specifiers = literals.filter_map(|literal| {
        let span = ByteSpan {
            start: ByteOffset(literal.span.lo.0),
            end: ByteOffset(literal.span.hi.0),
        };
        Some((span, literal.value.as_str()?.to_owned()))
    });
    specifiers.collect()
}

pub(super) fn imported_specifiers(program: &Program) -> Vec<String> {
    struct Specifiers(Vec<String>);
    impl Specifiers {
        fn push(&mut self, specifier: &swc_ecma_ast::Str) {
            if let Some(text) = specifier.value.as_str() {
                self.0.push(text.to_owned());
            }
        }
    }
    impl Visit for Specifiers {
        fn visit_import_decl(&mut self, import: &swc_ecma_ast::ImportDecl) {
            self.push(&import.src);
        }
        fn visit_export_all(&mut self, export: &swc_ecma_ast::ExportAll) {
            self.push(&export.src);
        }
        fn visit_named_export(&mut self, export: &swc_ecma_ast::NamedExport) {
            if let Some(source) = &export.src {
                self.push(source);
            }
        }
        fn visit_call_expr(&mut self, call: &CallExpr) {
            if matches!(call.callee, Callee::Import(_))
                && let Some(first) = call.args.first()
                && let Expr::Lit(Lit::Str(specifier)) = unparenthesized(&first.expr)
            {
                self.push(specifier);
            }
            call.visit_children_with(self);
        }
    }
    let mut specifiers = Specifiers(Vec::new());
    program.visit_with(&mut specifiers);
    specifiers.0
}
