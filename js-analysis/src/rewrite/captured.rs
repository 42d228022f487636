//! Where variables are named: which ones inner functions name, and where each is named first. The engine keeps the
//! former beyond the call that made them; a shadow that no inner function names is gone with the call, although its
//! variable is still there.

use rustc_hash::{FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_ecma_ast::{Ident, Program};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, Resolution, ScopeIndex, Scopes};

/// Where the variables of a script are named.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// The bindings that a function further inside names.
    pub(super) captured: FxHashSet<BindingIndex>,
    /// Where each binding is named first, in the order of the text.
    pub(super) first: FxHashMap<BindingIndex, ByteOffset>,
}

/// Where the variables of a script are named.
pub(super) fn mentions(program: &Program, scopes: &Scopes) -> Mentions {
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
    let mut mentions = Mentions::default();
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
        if let Resolution::Local(binding) = scopes.resolve(inside, name) {
            mentions.first.entry(binding).or_insert(*at);
            if mentions.captured.contains(&binding) {
                continue;
            }
            let declared = scopes.binding(binding).scope;
            if scopes.function_around(inside) != scopes.function_around(declared) {
                mentions.captured.insert(binding);
            }
        }
    }
    mentions
}
