//! Declarations, blocks, loops, `try`, and what hands over control.
//!
//! ```text
//! let { a } = f();            let { a } = f();$QpLv(2,$Qps1,a);
//! let { a } = f(), b = k();   let { a } = f(),$Qpd1=($QpLv(2,$Qps1,a)), b = $QpLv(3,$Qps1,k());
//! for (const a of b) { k(a) } for (const a of b) {$QpLv(2,$Qps1,a);{ k(a) }}
//! catch (e) { k(); }          catch (e) {$QpLq(2,e);$QpLv(3,$Qps1,e); k(); }
//! catch { k(); }              catch ($Qpe) {$QpLq(2,$Qpe); k(); }
//! catch ({ a }) { k(); }      catch ($Qpe){$QpLq(2,$Qpe);let { a }=$Qpe; {$QpLv(3,$Qps1,a); k(); }}
//! finally { k(); }            finally {const $Qpw=$Qpx,$Qpu=$Qpv;$Qpx=0; k(); ;$Qpx=$Qpw;$Qpv=$Qpu}
//! await a                     $QpLr($Qpa,await $QpLs(2,$Qpa,a))
//! for await (a of b) k();     $QpLs(2,$Qpa);for await (a of b)
//! {$QpLR($Qpa);try{k();}finally{$QpLs(2,$Qpa)}}$QpLR($Qpa);
//! ```

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    AwaitExpr, BlockStmt, CatchClause, Expr, ForHead, ForInStmt, ForOfStmt, ForStmt, Pat, Stmt,
    TryStmt, VarDecl, VarDeclKind, VarDeclOrExpr, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::LoggedKind;
use super::walker::{LogWalker, Temporaries, at, end, takes_name};
use crate::position::ByteOffset;
use crate::scopes::ScopeKind;

impl LogWalker<'_> {
    /// Puts hooks behind a statement, where it is in a list.
    pub(super) fn after_statement(&mut self, span: Span, hooks: &str) {
        if !hooks.is_empty() {
            let hooks = self.as_statements(hooks);
            self.edits.insert_args(end(span), format_args!(";{hooks}"));
        }
    }

    /// `var`, `let`, `const` in a list of statements, or in the head of a loop.
    pub(super) fn declaration(&mut self, declaration: &VarDecl) {
        let is_listed = self.listed <= declaration.span.lo.0 && self.listed != u32::MAX;
        // What is exported has no variable of ours beside it, which would be exported too.
        let is_exported = self.listed < declaration.span.lo.0;
        self.listed = u32::MAX;
        let later = self.declarators(declaration, !is_exported);
        if later.is_empty() {
            return;
        }
        if is_listed {
            self.after_statement(declaration.span, &later);
        } else {
            self.unlogged(
                at(declaration.span),
                "a declaration that is no statement of a list",
            );
        }
    }

    /// Gives the hooks for what is known only behind the declaration. `may_add`: a variable may be put between others.
    fn declarators(&mut self, declaration: &VarDecl, may_add: bool) -> String {
        let mut later = String::new();
        for (index, declarator) in declaration.decls.iter().enumerate() {
            let is_last = index + 1 == declaration.decls.len();
            declarator.name.visit_with(self);
            let Some(init) = &declarator.init else {
                if declaration.kind == VarDeclKind::Let && self.values() {
                    self.uninitialised(&declarator.name);
                }
                continue;
            };
            self.next_name = None;
            match &declarator.name {
                Pat::Ident(ident) if self.values() && !takes_name(init) => {
                    let place = at(ident.span);
                    let known = self.variable(&ident.sym, Some(place));
                    let Some((variable, instance)) = known else {
                        self.unlogged(place, self.why_unknown());
                        init.visit_with(self);
                        continue;
                    };
                    let name = self.original(place, &ident.sym);
                    let site = self.site_of(place, LoggedKind::Assign, name, variable);
                    let before = format!("{}Lv({site},{instance},", self.prefix);
                    self.wrap(init.span(), &before, ")", |this| init.visit_with(this));
                }
                pattern => {
                    if let Pat::Ident(ident) = pattern {
                        self.next_name = Some(ident.sym.to_string());
                        self.names_class(init, at(ident.span));
                    }
                    init.visit_with(self);
                    self.next_name = None;
                    let hooks = self.pattern_hooks(pattern);
                    // What the next one evaluates sees it already.
                    let may_declare = may_add && self.room().temporaries == Temporaries::Own;
                    if is_last || !may_declare || hooks.is_empty() {
                        later.push_str(&hooks);
                        continue;
                    }
                    self.between += 1;
                    let hooks = hooks.trim_end_matches(';').replace(';', ",");
                    let (p, number) = (self.prefix, self.between);
                    self.edits.insert_args(
                        end(declarator.span),
                        format_args!(",{p}d{number}=({hooks})"),
                    );
                }
            }
        }
        later
    }

    /// `let x;` gives `x` the value `undefined` each time.
    fn uninitialised(&mut self, pattern: &Pat) {
        let Pat::Ident(ident) = pattern else { return };
        let place = at(ident.span);
        if let Some((variable, instance)) = self.variable(&ident.sym, Some(place)) {
            let name = self.original(place, &ident.sym);
            let site = self.site_of(place, LoggedKind::Assign, name, variable);
            let p = self.prefix;
            self.edits.insert_args(
                end(ident.span),
                format_args!("={p}Lv({site},{instance},void 0)"),
            );
        }
    }

    /// A block, which begins with `first`.
    pub(super) fn block(&mut self, block: &BlockStmt, first: &str) {
        self.in_scope(ScopeKind::Block, block.span, |this| {
            let scope = this.current;
            let opening = this.edits.reserve(ByteOffset(block.span.lo.0 + 1));
            let instance = this.block_instance();
            let hoisted = this.hoisted(scope);
            this.visit_stmts(&block.stmts);
            let text = this.as_statements(&format!("{first}{instance}{hoisted}"));
            this.edits.fill(opening, &text);
            this.instances.remove(&scope);
        });
    }

    /// The body of a loop, behind `first`, which is in a block around it: what the body declares may hide the loop's
    /// variable.
    fn loop_body(&mut self, body: &Stmt, first: &str) {
        self.listed = u32::MAX;
        // A function is no body of a loop, but may be in a block: an error has to stay one.
        let mut inner = body;
        while let Stmt::Labeled(labeled) = inner {
            inner = &labeled.body;
        }
        if first.is_empty() || matches!(inner, Stmt::Decl(_)) {
            body.visit_with(self);
            return;
        }
        let first = self.as_statements(first);
        self.edits
            .insert_args(at(body.span()), format_args!("{{{first}"));
        body.visit_with(self);
        self.edits.insert(end(body.span()), "}");
    }

    pub(super) fn for_loop(&mut self, statement: &ForStmt) {
        self.in_scope(ScopeKind::Block, statement.span, |this| {
            let scope = this.current;
            match &statement.init {
                Some(VarDeclOrExpr::VarDecl(declaration)) => {
                    let later = this.declarators(declaration, true);
                    if !later.is_empty() {
                        this.unlogged(at(declaration.span), "a pattern in the head of a loop");
                    }
                }
                Some(VarDeclOrExpr::Expr(expression)) => expression.visit_with(this),
                None => {}
            }
            if let Some(test) = &statement.test {
                this.condition(test, "Lf");
            }
            statement.update.visit_with(this);
            // Each iteration has variables of its own, which begin as those of the one before ended.
            let mut first = this.block_instance();
            if !first.is_empty()
                && let Some(VarDeclOrExpr::VarDecl(declaration)) = &statement.init
            {
                for declarator in &declaration.decls {
                    first.push_str(&this.pattern_hooks(&declarator.name));
                }
            }
            this.loop_body(&statement.body, &first);
            this.instances.remove(&scope);
        });
    }

    /// The hooks of a loop's variable, at the beginning of its body.
    fn head_hooks(&mut self, head: &ForHead) -> String {
        match head {
            ForHead::VarDecl(declaration) => {
                let mut hooks = String::new();
                for declarator in &declaration.decls {
                    hooks.push_str(&self.pattern_hooks(&declarator.name));
                }
                hooks
            }
            ForHead::UsingDecl(declaration) => {
                let mut hooks = String::new();
                for declarator in &declaration.decls {
                    hooks.push_str(&self.pattern_hooks(&declarator.name));
                }
                hooks
            }
            ForHead::Pat(pattern) => {
                let mut has_member = Members(false);
                pattern.visit_with(&mut has_member);
                if has_member.0 {
                    self.unlogged(at(pattern.span()), "a property that a loop writes");
                }
                self.assigned_pattern(pattern)
            }
        }
    }

    pub(super) fn for_in(&mut self, statement: &ForInStmt) {
        self.in_scope(ScopeKind::Block, statement.span, |this| {
            let scope = this.current;
            this.listed = u32::MAX;
            this.head_expressions(&statement.left);
            statement.right.visit_with(this);
            let mut first = this.block_instance();
            first.push_str(&this.head_hooks(&statement.left));
            this.loop_body(&statement.body, &first);
            this.instances.remove(&scope);
        });
    }

    pub(super) fn for_of(&mut self, statement: &ForOfStmt) {
        let waits = statement.is_await && self.room().is_suspended;
        let p = self.prefix;
        let may_follow = self.listed == statement.span.lo.0;
        if statement.is_await && (!waits || !may_follow) {
            self.unlogged(at(statement.span), "what `for await` waits for");
        }
        let waits = waits && may_follow;
        let mut pause = String::new();
        if waits {
            let site = self.site(at(statement.span), LoggedKind::Suspend, String::new());
            pause = format!("{p}Ls({site},{p}a);");
        }
        self.in_scope(ScopeKind::Block, statement.span, |this| {
            let scope = this.current;
            this.listed = u32::MAX;
            this.head_expressions(&statement.left);
            let right = statement.right.span();
            match waits {
                // The expression has its value before the loop waits.
                true => {
                    let pause = pause.trim_end_matches([')', ';']);
                    this.wrap(right, &format!("{pause},"), ")", |this| {
                        statement.right.visit_with(this);
                    });
                }
                false => statement.right.visit_with(this),
            }
            let mut first = String::new();
            let mut last = String::new();
            if waits {
                first = format!("{p}LR({p}a);try{{");
                last = format!(";}}finally{{{pause}}}");
            }
            first.push_str(&this.block_instance());
            first.push_str(&this.head_hooks(&statement.left));
            match (waits, &*statement.body) {
                // Another block is between: what the body declares is not in the way of it.
                (true, body) => {
                    this.edits
                        .insert_args(at(body.span()), format_args!("{{{first}"));
                    this.listed = u32::MAX;
                    body.visit_with(this);
                    this.edits
                        .insert_args(end(body.span()), format_args!("{last}}}"));
                }
                (false, body) => this.loop_body(body, &first),
            }
            this.instances.remove(&scope);
        });
        if waits {
            self.edits
                .insert_args(end(statement.span), format_args!(";{p}LR({p}a);"));
        }
    }

    /// Default values and keys in the head of a loop.
    fn head_expressions(&mut self, head: &ForHead) {
        match head {
            ForHead::VarDecl(declaration) => {
                for declarator in &declaration.decls {
                    declarator.name.visit_with(self);
                    declarator.init.visit_with(self);
                }
            }
            ForHead::UsingDecl(_) => {}
            ForHead::Pat(pattern) => {
                if !matches!(&**pattern, Pat::Expr(_)) {
                    pattern.visit_with(self);
                }
            }
        }
    }

    pub(super) fn try_statement(&mut self, statement: &TryStmt) {
        self.block(&statement.block, "");
        statement.handler.visit_with(self);
        let Some(finalizer) = &statement.finalizer else {
            return;
        };
        let room = self.room();
        let p = self.prefix;
        let mut first = String::new();
        if room.is_suspended {
            first = format!("{p}LR({p}a);");
        }
        if room.is_logged {
            // Until its end it may be left otherwise than by the `return` that is under way.
            first.push_str(&format!("const {p}w={p}x,{p}u={p}v;{p}x=0;"));
        }
        self.block(finalizer, &first);
        if room.is_logged {
            self.edits.insert_args(
                ByteOffset(finalizer.span.hi.0 - 1),
                format_args!(";{p}x={p}w;{p}v={p}u"),
            );
        }
    }

    pub(super) fn catch(&mut self, clause: &CatchClause) {
        let p = self.prefix;
        self.in_scope(ScopeKind::Catch, clause.span, |this| {
            let scope = this.current;
            let mut first = String::new();
            if this.room().is_suspended {
                first = format!("{p}LR({p}a);");
            }
            let site = this.site(at(clause.span), LoggedKind::Catch, String::new());
            let hook = |value: &str| format!("{p}Lq({site},{value});");
            let mut is_taken_apart = false;
            match &clause.param {
                Some(Pat::Ident(ident)) => first.push_str(&hook(&ident.sym)),
                // Without a name, or where the value is taken apart, a name of ours has what was caught.
                Some(pattern) => {
                    // Functions in default values are in the scope, too.
                    let instance = this.block_instance();
                    let caught = format!("{first}{}{instance}", hook(&format!("{p}e")));
                    is_taken_apart = this.caught_by_pattern(clause, pattern, &caught);
                    match is_taken_apart {
                        true => first.clear(),
                        false => first.push_str(&hook(&format!("{p}LU"))),
                    }
                }
                None => {
                    first.push_str(&hook(&format!("{p}e")));
                    this.edits
                        .insert_args(at(clause.body.span), format_args!("({p}e)"));
                }
            }
            if !is_taken_apart {
                first.push_str(&this.block_instance());
            }
            if let Some(parameter) = &clause.param {
                this.listed = u32::MAX;
                this.without_room(|this| parameter.visit_with(this));
                first.push_str(&this.pattern_hooks(parameter));
            }
            this.block(&clause.body, &first);
            if is_taken_apart {
                this.edits.insert(end(clause.body.span), "}");
            }
            this.instances.remove(&scope);
        });
    }

    /// `catch ({ a }) {` becomes `catch ($Qpe){…;let { a }=$Qpe; {`. False: nothing was changed.
    fn caught_by_pattern(&mut self, clause: &CatchClause, pattern: &Pat, hook: &str) -> bool {
        let p = self.prefix;
        let between = |from: ByteOffset, to: ByteOffset, what: char| {
            let text = self.source.get(from.index()..to.index())?;
            let at = position_outside_comments(text, what)?;
            Some(ByteOffset(from.0 + ByteOffset::from_index(at).0))
        };
        let keyword = ByteOffset(clause.span.lo.0 + ByteOffset::from_index("catch".len()).0);
        let opening = between(keyword, at(pattern.span()), '(');
        let closing = between(end(pattern.span()), at(clause.body.span), ')');
        let (Some(opening), Some(closing)) = (opening, closing) else {
            return false;
        };
        let behind = |place: ByteOffset| ByteOffset(place.0 + 1);
        let hook = self.as_statements(hook);
        let hook = format!("({p}e){{{hook}let ");
        self.edits
            .replace(self.source, opening, behind(opening), &hook);
        let given = format!("={p}e;");
        self.edits
            .replace(self.source, closing, behind(closing), &given);
        true
    }

    pub(super) fn awaiting(&mut self, expression: &AwaitExpr) {
        if !self.room().is_suspended {
            expression.visit_children_with(self);
            return;
        }
        let p = self.prefix;
        let span = expression.span;
        let site = self.site_by_text(at(span), LoggedKind::Suspend, span);
        self.edits
            .insert_args(at(expression.span), format_args!("{p}Lr({p}a,"));
        let before = format!("{p}Ls({site},{p}a,");
        self.wrap(expression.arg.span(), &before, ")", |this| {
            expression.arg.visit_with(this);
        });
        self.edits.insert(end(expression.span), ")");
    }

    pub(super) fn yielding(&mut self, expression: &YieldExpr) {
        if !self.room().is_suspended {
            expression.visit_children_with(self);
            return;
        }
        let p = self.prefix;
        let span = expression.span;
        let site = self.site_by_text(at(span), LoggedKind::Suspend, span);
        self.edits
            .insert_args(at(expression.span), format_args!("{p}Lr({p}a,"));
        match &expression.arg {
            Some(value) => {
                let before = format!("{p}Ls({site},{p}a,");
                self.wrap(value.span(), &before, ")", |this| value.visit_with(this));
            }
            None => {
                let keyword = ByteOffset(expression.span.lo.0 + 5);
                self.edits
                    .insert_args(keyword, format_args!(" {p}Ls({site},{p}a,void 0)"));
            }
        }
        self.edits.insert(end(expression.span), ")");
    }
}

/// Whether a pattern writes properties.
pub(super) struct Members(pub(super) bool);

impl Visit for Members {
    fn visit_pat(&mut self, pattern: &Pat) {
        if let Pat::Expr(expression) = pattern {
            self.0 |= !matches!(crate::scopes::unparenthesized(expression), Expr::Ident(_));
        } else {
            pattern.visit_children_with(self);
        }
    }

    fn visit_expr(&mut self, _expression: &Expr) {}
}

/// Where a character is first in a text of white space and comments, outside of these.
fn position_outside_comments(text: &str, wanted: char) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        if rest.starts_with("/*") {
            from += rest.find("*/")? + 2;
        } else if rest.starts_with("//") {
            from += rest.find(['\n', '\r', '\u{2028}', '\u{2029}'])?;
        } else {
            let next = rest.chars().next()?;
            if next == wanted {
                return Some(from);
            }
            from += next.len_utf8();
        }
    }
}
