//! The walk that places hooks: which node goes to which transform.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignTarget, AssignTargetPat, BlockStmt,
    CallExpr, Callee, CatchClause, Class, ClassDecl, ClassMethod, ClassProp, Constructor,
    ExportDefaultDecl, ExportDefaultExpr, Expr, ExprStmt, FnDecl, FnExpr, ForInStmt, ForOfStmt,
    ForStmt, Function, GetterProp, KeyValueProp, LabeledStmt, Lit, MethodKind, MethodProp, Module,
    NewExpr, ObjectLit, OptCall, ParamOrTsParamProp, Pat, PrivateMethod, PrivateProp, Program,
    Script, SetterProp, SimpleAssignTarget, StaticBlock, Stmt, SwitchStmt, TaggedTpl, UnaryExpr,
    UnaryOp, UpdateExpr, VarDecl, WithStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::accessors::may_be_getter;
use super::functions::{FunctionBodyOf, FunctionRoom, Top, after_directives};
use super::literals::property_key;
use super::patterns::PatternSite;
use super::properties::{Key, member_key};
use super::{
    Instrumentation, OriginalNames, OuterName, RewriteError, Rewritten, Site, SiteKind,
    UnhookedSite, Watch, WatchedTarget, private_key,
};
use crate::edits::Edits;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{ScopeCursor, ScopeIndex, ScopeKind, Scopes, unparenthesized};

/// The state of one rewriting walk.
pub(super) struct Rewriter<'a> {
    pub(super) source: &'a str,
    pub(super) scopes: &'a Scopes,
    pub(super) instrumentation: &'a Instrumentation,
    pub(super) names: &'a dyn OriginalNames,
    pub(super) prefix: &'a str,
    pub(super) any_property: bool,
    pub(super) any_variable: bool,
    pub(super) property_dependents: &'a [usize],
    /// The names that watched variables go by in this script; `None` if all are watched.
    pub(super) watched_names: Option<FxHashSet<Atom>>,
    /// For dormant hooks: which scopes' variables can outlive the call that made them; `None` if that does not matter.
    pub(super) outliving: Option<Vec<bool>>,
    pub(super) edits: Edits,
    pub(super) sites: Vec<Site>,
    pub(super) unhooked: Vec<UnhookedSite>,
    cursor: ScopeCursor,
    /// The first of the quiet statements that has not been passed yet.
    next_quiet: usize,
    pub(super) current: ScopeIndex,
    pub(super) rooms: Vec<FunctionRoom>,
    spare_room: FunctionRoom,
    /// The names of temporaries: of functions, and of the top of a script.
    pub(super) temporaries: [Vec<Rc<str>>; 2],
    /// Room for the hook being written, kept to be used again.
    pub(super) hook_text: String,
    pub(super) dummies: u32,
    /// Names of the blocks and functions around that last as long as they do.
    pub(super) lasting: Vec<Vec<String>>,
    /// Whether the function about to be visited is a getter that is to say what it reads.
    pub(super) is_getter: bool,
    /// The functions around whose `arguments` can be named, arrow functions left out.
    pub(super) arguments_of: Vec<ScopeIndex>,
    pub(super) with_depth: u32,
    pub(super) with_objects: Vec<String>,
    /// Hooks to be run after the statement of the list being visited; `None` outside lists.
    pub(super) pending_after: Option<String>,
    /// Ends of statements that an extra block was opened around.
    pub(super) close_after: Vec<u32>,
    /// Functions and catch clauses whose parameters are being visited.
    pub(super) parameters_of: Vec<ScopeIndex>,
    /// Where the labels of the loop about to be visited begin.
    pub(super) label_start: Option<u32>,
    /// Whether nobody takes the value of the expression about to be visited.
    pub(super) value_unused: bool,
}

/// Places the hooks.
pub(super) fn rewrite(
    source: &str,
    program: &Program,
    scopes: &Scopes,
    instrumentation: &Instrumentation,
    names: &dyn OriginalNames,
) -> Result<Rewritten, RewriteError> {
    let mut property_dependents: Vec<usize> = Vec::new();
    let (mut any_property, mut any_variable) = (true, true);
    if let Watch::Names(watched) = &instrumentation.watch {
        any_property = false;
        any_variable = false;
        for name in watched {
            match name.target {
                WatchedTarget::Property(_) => {
                    any_property = true;
                    property_dependents.extend(&name.dependents);
                }
                WatchedTarget::Variable(_) => any_variable = true,
                WatchedTarget::Entries(_) => {}
            }
        }
    }
    let mut rewriter = Rewriter::new(source, scopes, instrumentation, &property_dependents, names);
    (rewriter.any_property, rewriter.any_variable) = (any_property, any_variable);
    if !matches!(instrumentation.watch, Watch::Names(_)) {
        rewriter.edits = Edits::with_capacity(source.len() / 2);
    }
    if matches!(instrumentation.watch, Watch::Standby) {
        rewriter.outliving = Some(scopes.outliving());
    }
    rewriter.watched_names = watched_names(scopes, instrumentation, names);
    if let Some(name) = rewriter.declared_around() {
        return Err(RewriteError::DeclaredAround { name });
    }
    rewriter.cursor.enter();
    match program {
        Program::Script(script) => rewriter.script(script),
        Program::Module(module) => rewriter.module(module),
    }
    if rewriter.cursor.count() != scopes.scopes.len() {
        return Err(RewriteError::ScopesDisagree);
    }
    let Rewriter {
        mut edits,
        sites,
        unhooked,
        ..
    } = rewriter;
    edits.mark(source);
    Ok(Rewritten {
        edits,
        sites,
        unhooked,
    })
}

/// The names that watched variables go by: the asked ones, and what a minifier made of them.
fn watched_names(
    scopes: &Scopes,
    instrumentation: &Instrumentation,
    names: &dyn OriginalNames,
) -> Option<FxHashSet<Atom>> {
    let Watch::Names(watched) = &instrumentation.watch else {
        return None;
    };
    let asked: Vec<&str> = watched
        .iter()
        .filter_map(|name| match &name.target {
            WatchedTarget::Variable(variable) => Some(variable.as_str()),
            WatchedTarget::Property(_) | WatchedTarget::Entries(_) => None,
        })
        .collect();
    let mut found: FxHashSet<Atom> = asked.iter().map(|&name| Atom::from(name)).collect();
    if asked.is_empty() {
        return Some(found);
    }
    // What a text for eval sees goes by the names that run.
    let outer = instrumentation.outer.as_deref();
    for variable in outer.into_iter().flat_map(|outer| &outer.variables) {
        if matches!(variable.kind, OuterName::Shadowed { .. }) {
            found.insert(Atom::from(variable.name.as_str()));
        }
    }
    for binding in &scopes.bindings {
        if let Some(original) = names.original_name(binding.declared_at)
            && asked.contains(&original.as_str())
        {
            found.insert(binding.name.clone());
        }
    }
    Some(found)
}

impl<'a> Rewriter<'a> {
    fn new(
        source: &'a str,
        scopes: &'a Scopes,
        instrumentation: &'a Instrumentation,
        property_dependents: &'a [usize],
        names: &'a dyn OriginalNames,
    ) -> Self {
        Self {
            source,
            scopes,
            instrumentation,
            names,
            prefix: &instrumentation.prefix,
            any_property: true,
            any_variable: true,
            property_dependents,
            watched_names: None,
            outliving: None,
            edits: Edits::default(),
            sites: Vec::new(),
            unhooked: Vec::new(),
            cursor: ScopeCursor::default(),
            next_quiet: 0,
            current: ScopeIndex::ROOT,
            rooms: Vec::new(),
            spare_room: FunctionRoom::default(),
            temporaries: [Vec::new(), Vec::new()],
            hook_text: String::new(),
            dummies: 0,
            lasting: Vec::new(),
            is_getter: false,
            arguments_of: Vec::new(),
            with_depth: 0,
            with_objects: Vec::new(),
            pending_after: None,
            close_after: Vec::new(),
            parameters_of: Vec::new(),
            label_start: None,
            value_unused: false,
        }
    }

    fn script(&mut self, script: &Script) {
        let top = match self.scopes.scope(ScopeIndex::ROOT).kind {
            ScopeKind::Function => Top::Body,
            ScopeKind::Eval(_) => Top::Eval,
            _ => Top::Script,
        };
        let first = script.body.first().map_or(0, |first| first.span().lo.0);
        let start = ByteOffset(first);
        let (start, semicolon) = after_directives(self.source, &script.body, start);
        let opening = self.script_top(start, semicolon);
        let hoisted = self.hoisted_hooks(ScopeIndex::ROOT);
        let room = self.with_room(top, |this| this.statements(&script.body));
        self.close_script_top(&opening, &room, "", &hoisted);
    }

    fn module(&mut self, module: &Module) {
        let directives: Vec<Stmt> = Vec::new();
        let first = module.body.first().map_or(0, |first| first.span().lo.0);
        let (start, semicolon) = after_directives(self.source, &directives, ByteOffset(first));
        let opening = self.script_top(start, semicolon);
        let link = self.module_link(module);
        let hoisted = self.hoisted_hooks(ScopeIndex::ROOT);
        let room = self.with_room(Top::Body, |this| this.module_items(&module.body));
        self.close_script_top(&opening, &room, &link, &hoisted);
    }

    /// The room of the function being visited.
    pub(super) fn room(&mut self) -> &mut FunctionRoom {
        // The walk always has a room; the spare one keeps a defect from being a panic.
        self.rooms.last_mut().unwrap_or(&mut self.spare_room)
    }

    /// The number that the next site will have.
    pub(super) fn next_site(&self) -> u32 {
        self.instrumentation.first_site + ByteOffset::from_index(self.sites.len()).0
    }

    /// Visits the inside of a node that opens a scope.
    pub(super) fn in_scope(&mut self, body: impl FnOnce(&mut Self)) {
        let index = self.cursor.enter();
        // Were there more here than were found, the count would tell in the end.
        let is_known = (index.0 as usize) < self.scopes.scopes.len();
        let index = if is_known { index } else { ScopeIndex::ROOT };
        let outer = std::mem::replace(&mut self.current, index);
        body(self);
        self.current = outer;
    }

    /// Goes on behind a statement in which there is nothing to hook; whether it is one.
    fn passes_over(&mut self, statement: &Stmt) -> bool {
        let span = statement.span();
        let quiet = &self.scopes.quiet;
        while quiet
            .get(self.next_quiet)
            .is_some_and(|quiet| quiet.at < span.lo.0)
        {
            self.next_quiet += 1;
        }
        let found = quiet.get(self.next_quiet);
        let Some(found) = found.filter(|quiet| quiet.at == span.lo.0) else {
            return false;
        };
        let asked = &self.instrumentation;
        let has_point = asked
            .points
            .iter()
            .any(|point| (span.lo.0..=span.hi.0).contains(&point.place.at.0));
        // Calls by the name of a watched built-in are sites.
        if has_point || !asked.called.is_empty() {
            return false;
        }
        self.cursor.skip_to(found.scopes);
        true
    }

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
            this.function_inside(parameters, body);
            this.arguments_of.pop();
        });
    }

    /// Whether the value of the expression being visited is taken; resets for what is inside it.
    fn take_unused(&mut self) -> bool {
        std::mem::replace(&mut self.value_unused, false)
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
        match expression {
            Expr::Update(_) | Expr::Paren(_) | Expr::Seq(_) => {}
            _ => self.value_unused = false,
        }
        let is_eval = self.eval_value(expression);
        if !is_eval {
            expression.visit_children_with(self);
        }
        self.value_unused = unused;
        if has_point {
            self.edits.insert(ByteOffset(expression.span().hi.0), ")");
        }
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
        let object = match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => &*member.obj,
            _ => return self.assignment(assign),
        };
        let span = byte_span(assign.span);
        self.with_parameters_after(object, span, SiteKind::Assignment, |this| {
            this.assignment(assign);
        });
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
        self.not_a_value(&call.callee);
        call.args.visit_with(self);
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
        self.array_construction(construction.span, &construction.callee, |this| {
            construction.visit_children_with(this);
        });
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
            this.class_body(&class.body);
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
        let function = &method.function;
        let is_plain = function.params.is_empty() && !function.is_async && !function.is_generator;
        self.is_getter = is_get && is_plain && self.asks_getters();
        method.function.visit_with(self);
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        getter.key.visit_with(self);
        self.is_getter = self.asks_getter(&property_key(&getter.key));
        getter.function.visit_with(self);
    }

    fn visit_class_method(&mut self, method: &ClassMethod) {
        method.key.visit_with(self);
        self.is_getter =
            method.kind == MethodKind::Getter && self.asks_getter(&property_key(&method.key));
        method.function.visit_with(self);
    }

    fn visit_private_method(&mut self, method: &PrivateMethod) {
        self.is_getter = method.kind == MethodKind::Getter
            && self.asks_getters()
            && self
                .watches_property(&private_key(&method.key.name))
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
        self.function(&parameters, Some(body));
    }

    fn visit_lit(&mut self, _literal: &Lit) {}

    // Import attributes look like an object literal, and are none.
    fn visit_import_decl(&mut self, _import: &swc_ecma_ast::ImportDecl) {}

    fn visit_named_export(&mut self, _export: &swc_ecma_ast::NamedExport) {}

    fn visit_export_all(&mut self, _export: &swc_ecma_ast::ExportAll) {}
}

/// The context thunk `()=>({d:[…]})` as it would be handed over at `at`, for a debugger to evaluate there:
/// the references with the numbers `dependents`.
pub(super) fn context_at(
    scopes: &Scopes,
    at: ByteOffset,
    instrumentation: &Instrumentation,
    dependents: &[usize],
    names: &dyn OriginalNames,
) -> String {
    let mut rewriter = Rewriter::new("", scopes, instrumentation, &[], names);
    rewriter.current = scopes.innermost_at(at);
    let mut text = String::new();
    rewriter.write_context(dependents, &mut text);
    text
}

impl Rewriter<'_> {
    /// The body of an arrow function without braces.
    pub(super) fn expression_body(&mut self, expression: &Expr) {
        expression.visit_with(self);
    }
}
