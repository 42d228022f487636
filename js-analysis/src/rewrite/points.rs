//! Places at which execution can be said to be: the starts of statements and, inside longer ones, of
//! expressions. A reproduction point is one of them.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AssignTarget, BlockStmt, CallExpr, Callee, ClassProp, Decl, Expr,
    ExprOrSpread, FnDecl, FunctionBody, Lit, ModuleDecl, ModuleItem, OptChainBase, OptChainExpr,
    PrivateProp, Program, Stmt, TaggedTpl, UnaryExpr, UnaryOp, UpdateExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::hooks::is_anonymous_function;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::unparenthesized;

/// What is at a place, which decides how a report is put there.
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
    /// What is there.
    pub shape: PlaceShape,
}

/// All places of one script.
#[derive(Clone, Debug, Default)]
pub struct CodePlaces {
    statements: Vec<PointPlace>,
    expressions: Vec<PointPlace>,
    /// What holds places, from the outside in.
    units: Vec<Unit>,
}

/// A stretch of code that runs in one go, as a statement does, or a list of such stretches, as a block is.
#[derive(Clone, Copy, Debug)]
struct Unit {
    span: ByteSpan,
    /// The place that all of it means; `None` for a list, of which each part means something else.
    place: Option<PointPlace>,
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
        // Of those that start at one place, the longest first.
        let order = |unit: &Unit| (unit.span.start, u32::MAX - unit.span.end.0);
        places.units.sort_by_key(order);
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

    /// The place that a column of a line means: what starts exactly there, else the statement around it, or the part of
    /// it that runs by itself (`() => f()`, the test of a loop, what starts on the line of a longer statement). Between
    /// statements it is the first place after it in the same block and on the line, else the last before it.
    #[must_use]
    pub fn at_column(&self, line: ByteSpan, column: ByteOffset) -> Option<PointPlace> {
        let exactly =
            |places: &[PointPlace]| places.iter().find(|place| place.at == column).copied();
        exactly(&self.statements)
            .or_else(|| exactly(&self.expressions))
            .or_else(|| self.around(line, column))
    }

    fn unit(&self, at: ByteOffset) -> Option<&Unit> {
        let holds = |unit: &&Unit| unit.span.start <= at && at < unit.span.end;
        self.units.iter().rfind(holds)
    }

    /// Where the statement (or list of statements) begins that is around an offset.
    pub(super) fn start_around(&self, at: ByteOffset) -> Option<ByteOffset> {
        self.unit(at).map(|unit| unit.span.start)
    }

    /// The place of the statement around a column, else the nearest one to it.
    fn around(&self, line: ByteSpan, column: ByteOffset) -> Option<PointPlace> {
        match self.unit(column) {
            Some(&Unit {
                span,
                place: Some(place),
            }) => Some(self.on_this_line(span, line, column).unwrap_or(place)),
            Some(list) => self
                .nearest(line, list.span, column)
                .or_else(|| self.nearest(line, line, column)),
            None => self.nearest(line, line, column),
        }
    }

    /// The longest expression around a column that starts on its line, if the statement started on another one.
    fn on_this_line(
        &self,
        unit: ByteSpan,
        line: ByteSpan,
        column: ByteOffset,
    ) -> Option<PointPlace> {
        let is_meant = |place: &&PointPlace| {
            let ends_after = matches!(place.shape, PlaceShape::Expression(end) if column < end);
            line.start <= place.at && unit.start <= place.at && place.at <= column && ends_after
        };
        let starts_before = unit.start < line.start;
        self.expressions
            .iter()
            .find(is_meant)
            .filter(|_| starts_before)
            .copied()
    }

    /// The first place after a column that is on its line and within `list`, else the last before it.
    fn nearest(&self, line: ByteSpan, list: ByteSpan, column: ByteOffset) -> Option<PointPlace> {
        let inside = |place: &&PointPlace| {
            line.start.max(list.start) <= place.at && place.at < line.end.min(list.end)
        };
        let after = |places: &[PointPlace]| {
            let mut places = places.iter().filter(inside);
            places.find(|place| place.at >= column).copied()
        };
        let before = |places: &[PointPlace]| places.iter().rfind(inside).copied();
        after(&self.statements)
            .or_else(|| after(&self.expressions))
            .or_else(|| before(&self.statements))
            .or_else(|| before(&self.expressions))
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
            // Declared on entry, or nothing at all: nothing runs there.
            Stmt::Decl(Decl::Fn(_)) | Stmt::Empty(_) => {}
            Stmt::Block(_) => {}
            Stmt::Expr(expression)
                if matches!(&*expression.expr, Expr::Lit(Lit::Str(_)))
                    && shape == PlaceShape::Statement => {}
            _ => self.push_statement(statement.span(), shape),
        }
    }

    fn push_statement(&mut self, span: Span, shape: PlaceShape) {
        let span = bytes(span);
        let place = PointPlace {
            at: span.start,
            shape,
        };
        self.statements.push(place);
        self.units.push(Unit {
            span,
            place: Some(place),
        });
    }

    /// A list of statements, in which each is one.
    fn list(&mut self, span: Span) {
        let span = bytes(span);
        self.units.push(Unit { span, place: None });
    }

    /// An expression that runs at another time than the statement around it.
    fn apart(&mut self, expression: &Expr) {
        let first = self.expressions.len();
        expression.visit_with(self);
        let span = bytes(expression.span());
        let place = self.expressions.get(first).copied();
        let place = place.filter(|place| place.at == span.start);
        self.units.push(Unit { span, place });
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

fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
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
                        self.push_statement(item.span(), PlaceShape::Statement);
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

    fn visit_block_stmt(&mut self, block: &BlockStmt) {
        self.list(block.span);
        block.visit_children_with(self);
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.list(body.span);
        body.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, declaration: &FnDecl) {
        self.list(declaration.span());
        declaration.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        property.key.visit_with(self);
        if let Some(value) = &property.value {
            self.apart(value);
        }
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        if let Some(value) = &property.value {
            self.apart(value);
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
        self.apart(&statement.test);
        self.body(&statement.body);
    }

    fn visit_do_while_stmt(&mut self, statement: &swc_ecma_ast::DoWhileStmt) {
        self.body(&statement.body);
        self.apart(&statement.test);
    }

    fn visit_for_stmt(&mut self, statement: &swc_ecma_ast::ForStmt) {
        statement.init.visit_with(self);
        for repeated in [&statement.test, &statement.update].into_iter().flatten() {
            self.apart(repeated);
        }
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
            ArrowFunctionBody::FunctionBody(body) => body.visit_with(self),
            ArrowFunctionBody::Expr(expression) => self.apart(expression),
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

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        // A link keeps its `this`, and leaves the chain; only what is handed to it, or is inside it, may be a place.
        match &*chain.base {
            OptChainBase::Call(call) => {
                unparenthesized(&call.callee).visit_children_with(self);
                call.args.visit_with(self);
            }
            OptChainBase::Member(member) => {
                unparenthesized(&member.obj).visit_children_with(self);
                member.prop.visit_with(self);
            }
        }
    }

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
