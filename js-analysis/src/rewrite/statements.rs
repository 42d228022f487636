//! Statements: lists, blocks and loops, and what is declared in them.
//!
//! ```text
//! { let y; k(); }                   {let $Qp$y; let y=(…); k(); }
//! for (let i = 0; ;) k();           for (let $Qp$i,i = ($QpA&&($Qp$i=$QpV(1,$Qp$i,0)),0); ;) k();
//! for (const y of v) k();           for (const y of v) {let $Qp$y,$QpZ=$QpA&&(…);k();}
//! l: for (const y = v; ;) k();      {let $Qp$y;l: for (const y = (…); ;) k();}
//! try { k(); } catch (e) { k(); }   try { k(); } catch (e) {let $Qp$e,$QpZ=$QpA&&(…); k(); }
//! switch (v) { case 1: let y }      {let $Qp$y;switch (v) { case 1: let y=(…) }}
//! switch (v) { case 1: function y() {} }   {let $Qp…;switch (v) { case ($QpA&&(…),1): function y() {…
//! if (v) function y() {}            if (v) {let $Qp…;function y() {…
//! ```
//! What is inserted between statements is a `let` in a block: it has no completion value, so `eval` of the
//! script still gives what it gave.

use std::fmt::Write as _;

use swc_common::Spanned;
use swc_ecma_ast::{
    BlockStmt, CatchClause, Decl, ExportDecl, Expr, ForHead, ForInStmt, ForOfStmt, ForStmt,
    ModuleDecl, ModuleItem, Pat, Stmt, SwitchStmt, VarDeclOrExpr,
};
use swc_ecma_visit::VisitWith;

use super::SiteKind;
use super::hooks::unnamed;
use super::patterns::PatternSite;
use super::rewriter::Rewriter;
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{BindingIndex, ScopeIndex};

impl<'a> Rewriter<'a> {
    /// A list of statements. Where automatic semicolon insertion would break because a hook begins with a
    /// parenthesis, the semicolon is written.
    pub(super) fn statements(&mut self, statements: &[Stmt]) {
        let mut previous_end = None;
        for statement in statements {
            self.listed(statement.span(), previous_end, |this| {
                statement.visit_with(this)
            });
            previous_end = Some(statement.span().hi.0);
        }
    }

    /// The items of a module.
    pub(super) fn module_items(&mut self, items: &[ModuleItem]) {
        let mut previous_end = None;
        for item in items {
            self.listed(item.span(), previous_end, |this| {
                let before = this.edits.count();
                item.visit_with(this);
                if let ModuleItem::ModuleDecl(
                    ModuleDecl::ExportDefaultExpr(_)
                    | ModuleDecl::ExportDecl(ExportDecl {
                        decl: Decl::Var(_), ..
                    }),
                ) = item
                {
                    this.terminate(item.span(), before);
                }
            });
            previous_end = Some(item.span().hi.0);
        }
    }

    fn text_between(&self, span: swc_common::Span) -> &'a str {
        self.source
            .get(span.lo.0 as usize..span.hi.0 as usize)
            .unwrap_or("")
    }

    /// The source from `at` on, behind white space; comments are not looked behind.
    pub(super) fn follows(&self, at: ByteOffset) -> &'a str {
        let rest = self.source.get(at.index()..).unwrap_or("");
        rest.trim_start_matches(|next: char| next.is_whitespace() || next == '\u{feff}')
    }

    /// Writes the semicolon that was left out at the end of a statement, if an edit since the number `from` put
    /// something there and what follows would go on with it: after `x++` or `() => {}` a line may begin with a
    /// parenthesis, after our `)` it may not.
    pub(super) fn terminate(&mut self, span: swc_common::Span, from: usize) {
        let end = ByteOffset(span.hi.0);
        let last = end.index().wrapping_sub(1);
        if self.source.as_bytes().get(last) == Some(&b';') || !self.edits.inserts_at(from, end) {
            return;
        }
        if self
            .follows(end)
            .starts_with(['(', '[', '`', '+', '-', '/', '<'])
        {
            self.edits.insert(end, ";");
        }
    }

    fn listed(
        &mut self,
        span: swc_common::Span,
        previous_end: Option<u32>,
        visit: impl FnOnce(&mut Self),
    ) {
        let start = ByteOffset(span.lo.0);
        let separator = previous_end
            .filter(|&end| {
                self.source.as_bytes().get((end as usize).wrapping_sub(1)) != Some(&b';')
            })
            .map(|_| self.edits.reserve(start));
        let before = self.edits.count();
        if let Some(point) = self.point_at_statement(start) {
            self.edits.insert(start, &point);
        }
        let pending = self.pending_after.replace(String::new());
        visit(self);
        let after = std::mem::replace(&mut self.pending_after, pending);
        if let Some(hooks) = after.filter(|hooks| !hooks.is_empty()) {
            let statement = self.hook_statement(&hooks);
            self.edits
                .insert_args(ByteOffset(span.hi.0), format_args!(";{statement}"));
        }
        if let Some(separator) = separator
            && self.edits.begins_with_parenthesis(before, start)
        {
            self.edits.fill(separator, ";");
        }
    }

    /// Runs `hooks` after the statement of the list being visited; whether there is one.
    pub(super) fn after_statement(&mut self, hooks: &str) -> bool {
        if hooks.is_empty() {
            return true;
        }
        let Some(pending) = &mut self.pending_after else {
            return false;
        };
        if !pending.is_empty() {
            pending.push(',');
        }
        pending.push_str(hooks);
        true
    }

    /// Visits something that is not the statement of a list (so nothing can be put after it).
    pub(super) fn unlisted(&mut self, visit: impl FnOnce(&mut Self)) {
        let pending = self.pending_after.take();
        visit(self);
        self.pending_after = pending;
    }

    /// A single statement in the place of a body.
    pub(super) fn body_statement(&mut self, body: &Stmt) {
        let start = ByteOffset(body.span().lo.0);
        let point = self.point_at_body(start);
        if let Some(point) = &point {
            self.edits.insert_args(start, format_args!("{{{point}"));
        }
        match body {
            Stmt::Decl(Decl::Var(_)) => self.var_body(body),
            Stmt::Decl(Decl::Fn(_)) => self.function_as_branch(body),
            _ => self.unlisted(|this| body.visit_with(this)),
        }
        if point.is_some() {
            self.edits.insert(ByteOffset(body.span().hi.0), "}");
        }
    }

    /// `if (a) var {x} = o;`: hooks that follow make a block of it.
    fn var_body(&mut self, body: &Stmt) {
        let opening = self.edits.reserve(ByteOffset(body.span().lo.0));
        let pending = self.pending_after.replace(String::new());
        body.visit_with(self);
        let after = std::mem::replace(&mut self.pending_after, pending);
        if let Some(hooks) = after.filter(|hooks| !hooks.is_empty()) {
            let statement = self.hook_statement(&hooks);
            self.edits.fill(opening, "{");
            let end = ByteOffset(body.span().hi.0);
            self.edits.insert_args(end, format_args!(";{statement}}}"));
        }
    }

    /// `if (a) function f() {}`: a block of its own, which hooks make visible.
    fn function_as_branch(&mut self, body: &Stmt) {
        let opening = self.edits.reserve(ByteOffset(body.span().lo.0));
        let before = self.edits.count();
        self.in_scope(|this| {
            let scope = this.current;
            let hoisted = this.hoisted_hooks(scope);
            let alone = std::slice::from_ref(body);
            let lasting = this.with_lasting_names(|this| this.statements(alone));
            let text = this.lexical_opening(scope, lasting, &hoisted);
            let end = ByteOffset(body.span().hi.0);
            if !text.is_empty() || this.edits.inserts_at(before, end) {
                this.edits.fill(opening, &format!("{{{text}"));
                this.edits.insert(end, "}");
            }
        });
    }

    /// A block; the current scope is its own. `extra` is declared at its start too.
    pub(super) fn block_body(&mut self, block: &BlockStmt, extra: &str) {
        let start = ByteOffset(block.span.lo.0 + 1);
        let opening = self.edits.reserve(start);
        let scope = self.current;
        let hoisted = self.hoisted_hooks(scope);
        let lasting = self.with_lasting_names(|this| this.statements(&block.stmts));
        let mut text = extra.to_owned();
        text.push_str(&self.lexical_opening(scope, lasting, &hoisted));
        if !text.is_empty() {
            self.edits.fill(opening, &text);
        }
    }

    /// `let` for the shadows of a block scope and names of ours that last as long as it does, with the hooks that run
    /// on entry.
    fn lexical_opening(&mut self, scope: ScopeIndex, lasting: Vec<String>, hooks: &str) -> String {
        let shadows: Vec<BindingIndex> = self
            .shadowed(scope)
            .into_iter()
            .map(|(index, _)| index)
            .collect();
        let mut parts: Vec<String> = shadows.iter().map(|&index| self.shadow(index)).collect();
        parts.extend(lasting);
        let p = self.prefix;
        if !hooks.is_empty() {
            let dummy = self.dummy();
            parts.push(format!("{dummy}={p}A&&({hooks})"));
        }
        if let Some(kept) = self.kept(&shadows) {
            let dummy = self.dummy();
            parts.push(format!("{dummy}={kept}"));
        }
        if parts.is_empty() {
            String::new()
        } else {
            format!("let {};", parts.join(","))
        }
    }

    pub(super) fn switch(&mut self, switch: &SwitchStmt) {
        let start = ByteOffset(switch.span.lo.0);
        let opening = self.edits.reserve(start);
        let watched = !self.conditions.is_empty() && self.watches_cases(&switch.cases);
        let value = watched.then(|| {
            let span = switch.discriminant.span();
            let span = ByteSpan {
                start: ByteOffset(span.lo.0),
                end: ByteOffset(span.hi.0),
            };
            let name = self.temporary();
            let before = unnamed(&switch.discriminant);
            self.edits
                .insert_args(span.start, format_args!("({name}=({before}"));
            (span, name)
        });
        switch.discriminant.visit_with(self);
        if let Some((span, _)) = &value {
            self.edits.insert(span.end, "))");
        }
        self.in_scope(|this| {
            let scope = this.current;
            let hoisted = this.hoisted_hooks(scope);
            // Nothing of the block runs before the first test; without tests, nothing before its statements.
            let first_test = switch.cases.iter().position(|case| case.test.is_some());
            let lasting = this.with_lasting_names(|this| {
                for (index, case) in switch.cases.iter().enumerate() {
                    if let Some(test) = &case.test {
                        let hooks = match first_test == Some(index) {
                            true => hoisted.as_str(),
                            false => "",
                        };
                        this.case_condition(case, value.as_ref(), |this| {
                            this.case_test(test, hooks);
                        });
                    } else if let (None, Some(first)) = (first_test, case.cons.first()) {
                        let text = match hoisted.as_str() {
                            "" => String::new(),
                            hooks => this.hook_statement(hooks),
                        };
                        this.edits.insert(ByteOffset(first.span().lo.0), &text);
                    }
                    this.statements(&case.cons);
                }
            });
            let text = this.lexical_opening(scope, lasting, "");
            if !text.is_empty() {
                this.edits.fill(opening, &format!("{{{text}"));
                this.edits.insert(ByteOffset(switch.span.hi.0), "}");
            }
        });
        if value.is_some() {
            self.release(1);
        }
    }

    /// The test of a case, with the hooks that run before it.
    fn case_test(&mut self, test: &Expr, hooks: &str) {
        if hooks.is_empty() {
            return test.visit_with(self);
        }
        let span = test.span();
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        self.edits
            .insert_args(lo, format_args!("({}A&&({hooks}),", self.prefix));
        test.visit_with(self);
        self.edits.insert(hi, ")");
    }

    pub(super) fn catch(&mut self, clause: &CatchClause) {
        self.in_scope(|this| {
            let mut extra = String::new();
            if let Some(parameter) = &clause.param {
                let span = parameter.span();
                let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
                if !matches!(parameter, Pat::Ident(_)) {
                    this.parameters_of.push(this.current);
                    this.pattern_expressions(parameter);
                    this.parameters_of.pop();
                }
                debug_assert!(lo <= hi);
                let hooks = this.fill_hooks(parameter, lo.0, SiteKind::Parameter);
                extra = this.lexical_opening(this.current, Vec::new(), &hooks);
            }
            this.in_scope(|this| this.block_body(&clause.body, &extra));
        });
    }

    /// The default values and keys inside a binding pattern.
    pub(super) fn pattern_expressions(&mut self, pattern: &Pat) {
        pattern.visit_with(self);
    }

    pub(super) fn for_loop(&mut self, statement: &ForStmt) {
        // An extra block goes around the labels too: `continue` wants them on the loop itself.
        let label = self.label_start.take();
        let start = label.unwrap_or(statement.span.lo.0);
        let is_listed = self.pending_after.is_some();
        self.in_scope(|this| {
            let mut later = String::new();
            this.unlisted(|this| match &statement.init {
                Some(VarDeclOrExpr::VarDecl(declaration)) => {
                    let first = declaration.decls.first().map(|first| first.span.lo.0);
                    let shadows: Vec<String> = this
                        .shadowed(this.current)
                        .into_iter()
                        .map(|(index, _)| this.shadow(index))
                        .collect();
                    if let Some(first) = first.filter(|_| !shadows.is_empty()) {
                        let text = match declaration.kind {
                            // A constant needs a value.
                            swc_ecma_ast::VarDeclKind::Const => {
                                return this.const_loop_head(statement, start, declaration);
                            }
                            _ => format!("{},", shadows.join(",")),
                        };
                        this.edits.insert(ByteOffset(first), &text);
                    }
                    later = this.declarators(declaration, true);
                }
                Some(VarDeclOrExpr::Expr(expression)) => this.unused(expression),
                None => {}
            });
            if !later.is_empty() && label.is_some() {
                let at = ByteOffset(statement.span.lo.0);
                this.unhooked(
                    at,
                    "a pattern of globals in the head of a loop with a label",
                );
                later.clear();
            }
            let is_moved = !later.is_empty();
            if let (true, Some(VarDeclOrExpr::VarDecl(head))) = (is_moved, &statement.init) {
                // The declaration comes before the loop: `var {x} = o;…for(;…;…)`.
                let from = ByteOffset(statement.span.lo.0);
                let (lo, hi) = (ByteOffset(head.span.lo.0), ByteOffset(head.span.hi.0));
                let opening = if is_listed { "" } else { "{" };
                this.edits.replace(this.source, from, lo, opening);
                let statement = this.hook_statement(&later);
                this.edits.insert_args(hi, format_args!(";{statement}for("));
            }
            statement.test.visit_with(this);
            if let Some(update) = &statement.update {
                this.unused(update);
            }
            this.body_statement(&statement.body);
            if is_moved && !is_listed {
                this.edits.insert(ByteOffset(statement.span.hi.0), "}");
            }
        });
    }

    /// `for (const x = …; …)`: the shadow is declared around the loop, for there is one `x` only.
    fn const_loop_head(
        &mut self,
        statement: &ForStmt,
        start: u32,
        declaration: &swc_ecma_ast::VarDecl,
    ) {
        let text = self.lexical_opening(self.current, Vec::new(), "");
        self.edits
            .insert_args(ByteOffset(start), format_args!("{{{text}"));
        self.declarators(declaration, true);
        self.close_after.push(statement.span.hi.0);
    }

    pub(super) fn for_in(&mut self, statement: &ForInStmt) {
        self.in_scope(|this| {
            let hooks = this.for_head(&statement.left);
            statement.right.visit_with(this);
            let hooks = this.step_hooks(statement.left.span(), statement.right.span(), hooks);
            this.loop_body(&statement.body, &hooks);
        });
    }

    pub(super) fn for_of(&mut self, statement: &ForOfStmt) {
        // `for (let.x of …)` and `for (async of …)` are errors, and shall stay errors.
        let head = self.text_between(statement.left.span());
        let refused = head.starts_with("let") || head == "async";
        self.in_scope(|this| {
            let hooks = match &statement.left {
                ForHead::Pat(_) if refused => String::new(),
                left => this.for_head(left),
            };
            statement.right.visit_with(this);
            let hooks = match refused {
                true => hooks,
                false => this.step_hooks(statement.left.span(), statement.right.span(), hooks),
            };
            this.loop_body(&statement.body, &hooks);
        });
    }

    /// The head of a `for-in` or `for-of`; gives the hooks to be run at the start of each iteration.
    fn for_head(&mut self, head: &ForHead) -> String {
        match head {
            ForHead::VarDecl(declaration) => {
                let mut hooks: Vec<String> = Vec::new();
                for declarator in &declaration.decls {
                    self.unlisted(|this| {
                        declarator.name.visit_with(this);
                        declarator.init.visit_with(this);
                    });
                    let at = declarator.span.lo.0;
                    let text = self.fill_hooks(&declarator.name, at, SiteKind::LoopHead);
                    if !text.is_empty() {
                        hooks.push(text);
                    }
                }
                hooks.join(",")
            }
            ForHead::UsingDecl(declaration) => {
                declaration.visit_children_with(self);
                String::new()
            }
            ForHead::Pat(pattern) => {
                let site = PatternSite {
                    at: ByteOffset(pattern.span().lo.0),
                    kind: SiteKind::LoopHead,
                };
                self.pattern_target(pattern, site);
                String::new()
            }
        }
    }

    fn loop_body(&mut self, body: &Stmt, hooks: &str) {
        let text = self.lexical_opening(self.current, Vec::new(), hooks);
        let span = body.span();
        if text.is_empty() || is_declaration(body) {
            self.body_statement(body);
            return;
        }
        self.edits
            .insert_args(ByteOffset(span.lo.0), format_args!("{{{text}"));
        self.body_statement(body);
        self.edits.insert(ByteOffset(span.hi.0), "}");
    }

    /// An expression whose value nobody takes.
    pub(super) fn unused(&mut self, expression: &Expr) {
        let was = std::mem::replace(&mut self.value_unused, true);
        expression.visit_with(self);
        self.value_unused = was;
    }

    /// The report of a requested point, as a statement; `None` if none is requested here.
    fn point_at_statement(&mut self, at: ByteOffset) -> Option<String> {
        self.point_text(at, super::PlaceShape::Statement)
            .map(|text| self.silent_statement(&text))
    }

    /// Opens the parenthesis around an expression with a point before it; whether there is one.
    pub(super) fn point_at_expression(&mut self, expression: &Expr) -> bool {
        let (start, end) = (expression.span().lo.0, expression.span().hi.0);
        let shape = super::PlaceShape::Expression(ByteOffset(end));
        let Some(point) = self.point_text(ByteOffset(start), shape) else {
            return false;
        };
        self.edits
            .insert_args(ByteOffset(start), format_args!("({point},"));
        true
    }

    fn point_at_body(&mut self, at: ByteOffset) -> Option<String> {
        self.point_text(at, super::PlaceShape::Body)
            .map(|text| self.silent_statement(&text))
    }

    /// `$QpR(number,()=>({d:[…]}))` for the point requested at `at` in this shape.
    pub(super) fn point_text(
        &mut self,
        at: ByteOffset,
        shape: super::PlaceShape,
    ) -> Option<String> {
        if self.instrumentation.points.is_empty() {
            return None;
        }
        let mut text = String::new();
        let p = self.prefix;
        let instrumentation = self.instrumentation;
        let points = instrumentation.points.iter().enumerate();
        let mut here: Vec<_> = points
            .filter(|(_, point)| point.place.at == at && point.place.shape == shape)
            .collect();
        // The agent is told of the reproduction point which lines it is: it is neither before nor after itself.
        here.sort_by_key(|(_, point)| point.slot.is_none());
        let lines: Vec<usize> = here.iter().filter_map(|(_, point)| point.slot).collect();
        if !lines.is_empty() {
            let hooks = self.event_hooks(at, &lines, "");
            let _ = write!(text, "{p}A&&{hooks}");
        }
        for (number, point) in here {
            if point.slot.is_some() {
                continue;
            }
            self.here = at;
            let mut context = String::new();
            self.write_context(&point.dependents, &mut context);
            if context.is_empty() {
                context.push('0');
            }
            let counted = match lines.as_slice() {
                [] => String::new(),
                lines => format!(",{lines:?}"),
            };
            let hook = format!("{p}R({number},{context}{counted})");
            text = match text.as_str() {
                "" => hook,
                // Where it initialises a variable, a comma would begin the next one.
                before => format!("({before},{hook})"),
            };
        }
        if text.is_empty() {
            return None;
        }
        let points = instrumentation.points.iter();
        let mut reproduction = points.filter(|point| point.slot.is_none());
        if reproduction.any(|point| point.place.at == at && point.place.shape == shape) {
            self.room().has_point = true;
        }
        Some(text)
    }
}

/// Whether a body is a declaration, labelled or not: an error that a block around it would take away.
fn is_declaration(body: &Stmt) -> bool {
    match body {
        Stmt::Labeled(labeled) => is_declaration(&labeled.body),
        Stmt::Decl(declaration) => !matches!(declaration, Decl::Var(_)),
        _ => false,
    }
}
