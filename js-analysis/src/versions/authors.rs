//! What variables are called in the files that a script was made of: minifiers call the same variable otherwise in each
//! version.

use rustc_hash::FxHashMap;

use crate::position::ByteOffset;
use crate::rewrite::{OriginalNames, Script};
use crate::scopes::{BindingIndex, Scopes};

/// A variable that has another name in its author's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorName {
    /// Where the script declares it.
    pub declared_at: ByteOffset,
    /// What its author called it.
    pub name: String,
}

impl Script<'_> {
    /// The variables that have another name in their author's files, in the order in which they are declared.
    #[must_use]
    pub fn author_names(&self, names: &dyn OriginalNames) -> Vec<AuthorName> {
        let bindings = self.scopes().bindings.iter();
        let mut found: Vec<AuthorName> = bindings
            .filter_map(|binding| {
                let declared_at = binding.declared_at;
                let name = names.original_name(declared_at)?;
                (name != *binding.name).then_some(AuthorName { declared_at, name })
            })
            .collect();
        found.sort_by(|one, two| (one.declared_at, &one.name).cmp(&(two.declared_at, &two.name)));
        found.dedup();
        found
    }
}

/// What each variable of a script is called, and which of those with that name in its scope it is: the files of a
/// bundle may have variables of one name, and the bundle has one scope for all.
pub(super) fn told_apart(scopes: &Scopes, names: &[AuthorName]) -> Vec<(String, usize)> {
    let by_place: FxHashMap<ByteOffset, &str> = names
        .iter()
        .map(|it| (it.declared_at, it.name.as_str()))
        .collect();
    let mut order: Vec<usize> = (0..scopes.bindings.len()).collect();
    order.sort_by_key(|&index| scopes.bindings[index].declared_at);
    let mut told = vec![(String::new(), 0); scopes.bindings.len()];
    let mut met = FxHashMap::default();
    for index in order {
        let binding = &scopes.bindings[index];
        let own = by_place.get(&binding.declared_at).copied();
        let name = own.unwrap_or(&binding.name).to_owned();
        let before: &mut usize = met.entry((binding.scope, name.clone())).or_default();
        told[index] = (name, *before);
        *before += 1;
    }
    told
}

/// A variable as its author would name it: where several have its name, with its number among them.
pub(super) fn author_name(told: &[(String, usize)], binding: BindingIndex) -> String {
    match told.get(binding.0 as usize) {
        Some((name, 0)) => name.clone(),
        Some((name, before)) => format!("{name}#{before}"),
        None => String::new(),
    }
}
