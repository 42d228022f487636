//! The author's names of functions and variables, for showing frames and scopes of a script that a bundler
//! renamed.

use rustc_hash::FxHashMap;

use super::OriginalNames;
use crate::position::ByteOffset;
use crate::scopes::{ScopeKind, Scopes};

/// The scopes of one script with the names that their author gave.
#[derive(Clone, Debug, Default)]
pub struct OriginalScopes {
    // From the outside in, as the walk over the script met them.
    scopes: Vec<OriginalScope>,
}

#[derive(Clone, Debug)]
struct OriginalScope {
    start: ByteOffset,
    end: ByteOffset,
    is_function: bool,
    function: Option<String>,
    variables: FxHashMap<String, Option<String>>,
}

impl OriginalScopes {
    pub(super) fn of(scopes: &Scopes, names: &dyn OriginalNames) -> Self {
        let scopes = scopes.scopes.iter().map(|scope| OriginalScope {
            start: scope.start,
            end: scope.end,
            is_function: scope.kind == ScopeKind::Function,
            function: scope
                .function_name
                .as_ref()
                .map(|(name, at)| names.original_name(*at).unwrap_or_else(|| name.to_string())),
            variables: scope
                .bindings
                .iter()
                .map(|&binding| {
                    let binding = scopes.binding(binding);
                    let original = names.original_name(binding.declared_at);
                    (binding.name.to_string(), original)
                })
                .collect(),
        });
        Self {
            scopes: scopes.collect(),
        }
    }

    fn around(&self, at: ByteOffset) -> impl Iterator<Item = &OriginalScope> {
        self.scopes
            .iter()
            .rev()
            .filter(move |scope| scope.start <= at && at < scope.end)
    }

    /// The name of the function around `at`; `None` outside functions and in those without a name.
    #[must_use]
    pub fn function(&self, at: ByteOffset) -> Option<&str> {
        self.around(at)
            .find(|scope| scope.is_function)?
            .function
            .as_deref()
    }

    /// What the variable that runs as `name` was called by its author, seen from `at`; `None` if so.
    #[must_use]
    pub fn variable(&self, at: ByteOffset, name: &str) -> Option<&str> {
        self.around(at)
            .find_map(|scope| scope.variables.get(name))?
            .as_deref()
    }
}
