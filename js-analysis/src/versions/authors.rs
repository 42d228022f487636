//! What variables are called in the files that a script was made of: minifiers call the same variable otherwise in each
//! version.

use rustc_hash::FxHashMap;

use crate::position::ByteOffset;
use crate::rewrite::{OriginalNames, Script};
use crate::scopes::{ScopeIndex, Scopes};

/// What the author of a script called one of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorName {
    /// Where the script declares it.
    pub declared_at: ByteOffset,
    /// What its author called it.
    pub name: String,
}

impl Script<'_> {
    /// What is known of its author's names, in the order in which variables are declared; empty where all are those
    /// that run.
    #[must_use]
    pub fn author_names(&self, names: &dyn OriginalNames) -> Vec<AuthorName> {
        let mut found = Vec::new();
        let mut is_renamed = false;
        for binding in &self.scopes().bindings {
            let declared_at = binding.declared_at;
            if let Some(name) = names.original_name(declared_at) {
                is_renamed |= name != *binding.name;
                found.push(AuthorName { declared_at, name });
            }
        }
        if !is_renamed {
            return Vec::new();
        }
        found.sort_by(|one, two| (one.declared_at, &one.name).cmp(&(two.declared_at, &two.name)));
        found.dedup();
        found
    }
}

/// What the author calls each variable of a script, as far as it is known: where several of one scope have its name,
/// with its number among them. The files of a bundle may have variables of one name, and the bundle has one scope.
pub(super) fn authors(scopes: &Scopes, names: &[AuthorName]) -> Vec<Option<String>> {
    let by_place: FxHashMap<ByteOffset, &str> = names
        .iter()
        .map(|it| (it.declared_at, it.name.as_str()))
        .collect();
    let mut order: Vec<usize> = (0..scopes.bindings.len()).collect();
    order.sort_by_key(|&index| scopes.bindings[index].declared_at);
    let mut known = vec![None; scopes.bindings.len()];
    let mut met: FxHashMap<(ScopeIndex, &str), usize> = FxHashMap::default();
    for index in order {
        let binding = &scopes.bindings[index];
        let Some(&name) = by_place.get(&binding.declared_at) else {
            continue;
        };
        let before = met.entry((binding.scope, name)).or_default();
        known[index] = Some(match *before {
            0 => name.to_owned(),
            before => format!("{name}#{before}"),
        });
        *before += 1;
    }
    known
}
