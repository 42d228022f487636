//! Scripts, modules and event handlers of attributes: what is declared at their top, and where they begin and end.

use std::fmt::Write as _;

use swc_common::{Span, Spanned};
use swc_ecma_ast::{ArrowExpr, Class, Function, ModuleItem, Program, Stmt};
use swc_ecma_visit::{Visit, VisitWith};

use super::functions::{Body, Met, shape};
use super::walker::{LogWalker, Room, Temporaries, end};
use super::{LoggedFunction, LoggedFunctionKind, LoggedKind};
use crate::position::ByteOffset;
use crate::rewrite::after_directives;
use crate::scopes::{ScopeIndex, ScopeKind};

impl LogWalker<'_> {
    /// The script as a whole.
    pub(super) fn program(&mut self, program: &Program) {
        let root = self.scopes.scope(ScopeIndex::ROOT);
        let is_handler = root.kind == ScopeKind::Function;
        let is_module = matches!(program, Program::Module(_));
        let whole = program.span();
        let kind = match is_handler {
            true => LoggedFunctionKind::Handler,
            false if is_module => LoggedFunctionKind::Module,
            false => LoggedFunctionKind::Script,
        };
        if is_handler {
            let Program::Script(script) = program else {
                return;
            };
            let span = Span {
                lo: swc_common::BytePos(0),
                hi: swc_common::BytePos(ByteOffset::from_index(self.source.len()).0),
            };
            self.handler(&script.body, span);
            return;
        }
        let mut waits = TopLevelAwait(false);
        program.visit_with(&mut waits);
        let function = self.new_function(LoggedFunction {
            span: Self::span(whole),
            name: String::new(),
            running: String::new(),
            kind,
            is_async: waits.0 && is_module,
            is_generator: false,
            scope: self.options.first.scope,
            parameters: Vec::new(),
            shape: shape(self.source),
        });
        if let Some(of) = self.scope_functions.first_mut() {
            *of = function;
        }
        let is_suspended = is_module && waits.0;
        self.rooms.push(Room {
            function,
            is_logged: false,
            is_suspended,
            temporaries: match root.kind {
                ScopeKind::Module => Temporaries::Own,
                ScopeKind::Eval(_) => Temporaries::Code,
                _ => Temporaries::Script,
            },
            in_use: 0,
            most: 0,
            branches: 0,
            is_async_generator: false,
        });
        let p = self.prefix;
        let (start, last) = match program {
            Program::Script(script) => {
                // Behind comments: what is inserted before `-->` would make it an operator.
                let first = script.body.first().map_or(whole.lo.0, |it| it.span().lo.0);
                let begin = ByteOffset(first);
                let (start, semicolon) = after_directives(self.source, &script.body, begin);
                let last = script.body.last().map(|it| end(it.span()));
                ((start, semicolon), last)
            }
            Program::Module(module) => {
                let first = module.body.first().map_or(whole.lo.0, |it| it.span().lo.0);
                let last = module.body.last().map(|it| end(it.span()));
                ((ByteOffset(first), false), last)
            }
        };
        let ((start, semicolon), Some(last)) = (start, last) else {
            return;
        };
        let opening = self.edits.reserve(start);
        let mut text = String::new();
        if semicolon {
            text.push(';');
        }
        if self.options.in_document {
            let _ = write!(text, "{p}C();");
        }
        if is_module && self.values() {
            self.instances.insert(ScopeIndex::ROOT);
            let _ = write!(
                text,
                "var {p}s0={p}LM({function},{});",
                self.options.first.scope
            );
        } else {
            text.push_str(&self.as_statements(&format!("{p}LS({function});")));
            if matches!(root.kind, ScopeKind::Eval(_)) && self.values() {
                let (around, of) = (self.instance_around(), self.options.first.scope);
                self.instances.insert(ScopeIndex::ROOT);
                let own = self.scope_name(ScopeIndex::ROOT);
                let _ = write!(text, "const {own}={p}Lo({of},{around});");
            }
        }
        if is_suspended {
            let _ = write!(text, "var {p}a={p}Lb({function});");
        }
        let hoisted = self.hoisted(ScopeIndex::ROOT);
        let hoisted = self.as_statements(&hoisted);
        match program {
            Program::Script(script) => {
                self.visit_stmts(&script.body);
            }
            Program::Module(module) => self.visit_module_items(&module.body),
        }
        let site = self.site(last, LoggedKind::Return, String::new());
        let ending = self.as_statements(&format!("{p}LZ({function},{site});"));
        self.edits.insert_args(last, format_args!(";{ending}"));
        if let Some(room) = self.rooms.pop() {
            text.push_str(&self.declared(&room));
        }
        text.push_str(&hoisted);
        self.edits.fill(opening, &text);
    }

    /// The code of an attribute.
    fn handler(&mut self, statements: &[Stmt], span: Span) {
        if statements.is_empty() {
            return;
        }
        let met = Met {
            span,
            parameters: Vec::new(),
            body: Body::Statements { statements, span },
            kind: LoggedFunctionKind::Handler,
            is_arrow: false,
            is_async: false,
            is_generator: false,
            is_derived: false,
        };
        self.body(ScopeIndex::ROOT, &met, true);
    }
}

/// Whether a module waits at its top level.
struct TopLevelAwait(bool);

impl Visit for TopLevelAwait {
    fn visit_await_expr(&mut self, _expression: &swc_ecma_ast::AwaitExpr) {
        self.0 = true;
    }

    fn visit_for_of_stmt(&mut self, statement: &swc_ecma_ast::ForOfStmt) {
        self.0 |= statement.is_await;
        statement.visit_children_with(self);
    }

    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        items.visit_children_with(self);
    }

    fn visit_function(&mut self, _function: &Function) {}

    fn visit_arrow_expr(&mut self, _arrow: &ArrowExpr) {}

    fn visit_class(&mut self, _class: &Class) {}
}
