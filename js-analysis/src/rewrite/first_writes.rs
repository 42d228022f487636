//! Which declarations are certainly the first to write their variable, each time its function runs.
//!
//! ```text
//! var a = 1; a = 2;                       a
//! b = 1; var b = 2;                       –
//! for (;;) { var c = f(); }               –: the second round finds what the first has left
//! g(() => d); var d = 1;                  –: the inner function may have written it
//! ```
//! Such a variable is `undefined` until then, so a write of another value changes it: nothing is to be compared.

use rustc_hash::FxHashSet;
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, DoWhileStmt, ForInStmt, ForOfStmt, ForStmt, Function, Pat, Program, VarDecl,
    VarDeclKind, WhileStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::captured::Mentions;
use crate::position::ByteOffset;
use crate::scopes::{BindingKind, ScopeKind, Scopes};

/// Where the names of the variables are in these declarations.
pub(super) fn first_writes(
    program: &Program,
    scopes: &Scopes,
    mentions: &Mentions,
) -> FxHashSet<ByteOffset> {
    let mut outside_loops = OutsideLoops::default();
    program.visit_with(&mut outside_loops);
    let is_alone = |at: &ByteOffset| outside_loops.found.contains(at);
    mentions
        .first
        .iter()
        .filter(|(index, _)| {
            let binding = scopes.binding(**index);
            // What an eval declares may be there already, and `arguments` is.
            binding.kind == BindingKind::Var
                && !matches!(scopes.scope(binding.scope).kind, ScopeKind::Eval(_))
                && &*binding.name != "arguments"
                && !mentions.captured.contains(index)
        })
        .map(|(_, at)| *at)
        .filter(is_alone)
        .collect()
}

/// The declarations of `var` with a value that are in no loop of their function.
#[derive(Debug, Default)]
struct OutsideLoops {
    found: FxHashSet<ByteOffset>,
    loops: usize,
}

impl OutsideLoops {
    fn in_loop(&mut self, inside: impl FnOnce(&mut Self)) {
        self.loops += 1;
        inside(self);
        self.loops -= 1;
    }

    fn in_function(&mut self, inside: impl FnOnce(&mut Self)) {
        let loops = std::mem::take(&mut self.loops);
        inside(self);
        self.loops = loops;
    }
}

impl Visit for OutsideLoops {
    fn visit_var_decl(&mut self, declaration: &VarDecl) {
        if self.loops == 0 && declaration.kind == VarDeclKind::Var {
            for declarator in &declaration.decls {
                if declarator.init.is_some()
                    && let Pat::Ident(name) = &declarator.name
                {
                    self.found.insert(ByteOffset(name.span().lo.0));
                }
            }
        }
        declaration.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.in_function(|this| function.visit_children_with(this));
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.in_function(|this| arrow.visit_children_with(this));
    }

    fn visit_for_stmt(&mut self, statement: &ForStmt) {
        statement.init.visit_with(self);
        self.in_loop(|this| {
            statement.test.visit_with(this);
            statement.update.visit_with(this);
            statement.body.visit_with(this);
        });
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.in_loop(|this| statement.visit_children_with(this));
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.in_loop(|this| statement.visit_children_with(this));
    }

    fn visit_while_stmt(&mut self, statement: &WhileStmt) {
        self.in_loop(|this| statement.visit_children_with(this));
    }

    fn visit_do_while_stmt(&mut self, statement: &DoWhileStmt) {
        self.in_loop(|this| statement.visit_children_with(this));
    }
}

#[cfg(test)]
mod tests {
    use crate::Goal;
    use crate::rewrite::{Instrumentation, NamesAsWritten, Watch, with_script};

    /// What becomes of a function with this body.
    fn rewritten(body: &str) -> String {
        let source = format!("function f(p) {{ {body} }}");
        let instrumentation = Instrumentation {
            watch: Watch::Live,
            ..Instrumentation::default()
        };
        with_script(&source, Goal::Script, |script| {
            let rewritten = script.rewrite(&instrumentation, &NamesAsWritten);
            rewritten.map(|rewritten| rewritten.apply(&source).0)
        })
        .and_then(|it| it)
        .unwrap_or_default()
    }

    #[test]
    fn only_a_variable_that_nothing_can_have_written_is_compared_with_undefined() {
        let rows = [
            ("var a = p();", true),
            ("if (p) { var a = p(); }", true),
            ("for (var a = p(); a; a--) p();", true),
            ("for (var b of p) (() => { var a = p(); })();", true),
            ("a = 1; var a = p();", false),
            ("for (;;) { var a = p(); }", false),
            ("for (var b in p) var a = p();", false),
            ("do { var a = p(); } while (p);", false),
            ("g(); var a = p(); function g() { a = 1; }", false),
            ("var a = p(); p(() => a);", false),
            ("var p = g();", false),
            ("var arguments = p();", false),
            ("try { p(); } catch (a) { var a = p(); }", false),
        ];
        for (body, is_first) in rows {
            let text = rewritten(body);
            assert!(text.contains("Now|"), "{body} has hooks: {text}");
            assert_eq!(text.contains("===void 0||"), is_first, "{body}: {text}");
        }
    }
}
