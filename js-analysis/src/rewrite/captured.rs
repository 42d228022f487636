//! Which variables inner functions name. The engine keeps these beyond the call that made them; a shadow that no inner
//! function names is gone with the call, although its variable is still there.

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{Ident, Program};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, Resolution, ScopeIndex, Scopes};

/// The bindings that a function further inside names.
pub(super) fn captured_bindings(program: &Program, scopes: &Scopes) -> FxHashSet<BindingIndex> {
    struct Names(Vec<(ByteOffset, Atom)>);
    impl Visit for Names {
        fn visit_ident(&mut self, name: &Ident) {
            self.0.push((ByteOffset(name.span.lo.0), name.sym.clone()));
        }
    }
    let mut names = Names(Vec::new());
    program.visit_with(&mut names);
    names.0.sort_by_key(|(at, _)| *at);
    let mut opening: Vec<ScopeIndex> = (0..scopes.scopes.len())
        .map(|index| ScopeIndex(ByteOffset::from_index(index).0))
        .collect();
    // What begins at one place is numbered from the outside in.
    opening.sort_by_key(|&scope| scopes.scope(scope).start);
    let mut opening = opening.into_iter().peekable();
    let mut around: Vec<ScopeIndex> = Vec::new();
    let mut captured = FxHashSet::default();
    for (at, name) in &names.0 {
        while let Some(scope) = opening.next_if(|&scope| scopes.scope(scope).start <= *at) {
            around.push(scope);
        }
        while let Some(&scope) = around.last()
            && scopes.scope(scope).end <= *at
        {
            around.pop();
        }
        let inside = around.last().copied().unwrap_or(ScopeIndex::ROOT);
        if let Resolution::Local(binding) = scopes.resolve(inside, name)
            && !captured.contains(&binding)
        {
            let declared = scopes.binding(binding).scope;
            if scopes.function_around(inside) != scopes.function_around(declared) {
                captured.insert(binding);
            }
        }
    }
    captured
}
