//! Of which properties and variables live hooks see every write.

use memchr::memmem;
use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{AssignExpr, ForHead, Stmt, UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::ByteOffset;
use crate::scopes::{BindingKind, ScopeIndex, ScopeKind, Scopes};

/// Whether a property of this name has a place in its object's shadow.
pub(super) fn may_be_in_shadow(key: &str) -> bool {
    !key.starts_with(|first: char| first == '\0' || first.is_ascii_digit())
        && key != "length"
        && key != "lastIndex"
}

/// For each binding, whether all its writes can be seen.
///
/// They cannot where a direct `eval` may write it, where `arguments` may (parameters of sloppy functions), where a
/// function in a block is copied to a variable around it, and where code in the body of `with` may, which has no hooks.
pub(super) fn observable_bindings(source: &str, scopes: &Scopes) -> Vec<bool> {
    let copied: FxHashSet<&Atom> = scopes
        .bindings
        .iter()
        .filter(|binding| binding.is_copied_out || binding.is_copy)
        .map(|binding| &binding.name)
        .collect();
    let mut names_arguments: Vec<Option<bool>> = vec![None; scopes.scopes.len()];
    let mut is_tied = |index: usize| {
        *names_arguments[index].get_or_insert_with(|| {
            let scope = &scopes.scopes[index];
            let text = source.get(scope.start.index()..scope.end.index());
            let has =
                |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
            !scope.strict && text.is_none_or(|text| has(text, "arguments") || has(text, "\\u"))
        })
    };
    let mut seen_by_with = vec![false; scopes.scopes.len()];
    for (index, scope) in scopes.scopes.iter().enumerate() {
        let index = ScopeIndex(ByteOffset::from_index(index).0);
        let is_inside = scope
            .parent
            .is_some_and(|parent| seen_by_with[parent.0 as usize] && is_in_with(scopes, parent));
        if scope.kind == ScopeKind::With || is_inside {
            for around in scopes.chain(index) {
                seen_by_with[around.0 as usize] = true;
            }
        }
    }
    scopes
        .bindings
        .iter()
        .map(|binding| {
            let scope = binding.scope.0 as usize;
            let is_hidden = seen_by_with[scope]
                || scopes.scope(binding.scope).has_direct_eval
                || copied.contains(&binding.name);
            !is_hidden && (binding.kind != BindingKind::Parameter || !is_tied(scope))
        })
        .collect()
}

fn is_in_with(scopes: &Scopes, scope: ScopeIndex) -> bool {
    scopes
        .chain(scope)
        .any(|around| scopes.scope(around).kind == ScopeKind::With)
}

/// Whether anything in a statement may write a property or variable that is there already.
pub(super) fn writes(statement: &Stmt) -> bool {
    struct Writes(bool);
    impl Visit for Writes {
        fn visit_assign_expr(&mut self, _assign: &AssignExpr) {
            self.0 = true;
        }
        fn visit_update_expr(&mut self, _update: &UpdateExpr) {
            self.0 = true;
        }
        fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
            self.0 |= declarator.init.is_some();
            declarator.visit_children_with(self);
        }
        fn visit_for_head(&mut self, _head: &ForHead) {
            self.0 = true;
        }
        fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
            self.0 |= unary.op == UnaryOp::Delete;
            unary.visit_children_with(self);
        }
    }
    let mut found = Writes(false);
    statement.visit_with(&mut found);
    found.0
}
