//! What was found out about the names in scopes and files, kept for the next place that asks.
//!
//! The top of a bundle has thousands of variables, and each hook that hands all of them over, and each stop of a
//! debugger, asks for all their names: looked for one by one among all the others, that is minutes.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::InSight;
use crate::source_map::Imported;

/// The names of scopes by their numbers, and what files import.
#[derive(Debug)]
pub(in crate::rewrite) struct KnownNames<V> {
    scopes: Mutex<HashMap<usize, Arc<ScopeNames<V>>>>,
    imports: Mutex<HashMap<(u32, String), Option<Imported>>>,
}

impl<V> Default for KnownNames<V> {
    fn default() -> Self {
        Self {
            scopes: Mutex::default(),
            imports: Mutex::default(),
        }
    }
}

/// A copy knows nothing yet.
impl<V> Clone for KnownNames<V> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The variables of one scope, by their names.
#[derive(Debug)]
pub(in crate::rewrite) struct ScopeNames<V> {
    /// By the name that the author gave, with the file that declares it.
    pub(in crate::rewrite) given: HashMap<String, Vec<(V, Option<u32>)>>,
    /// The first by the name that runs.
    pub(in crate::rewrite) running: HashMap<String, V>,
    /// The first by the name that runs, of those to which the map gives no name.
    pub(in crate::rewrite) unnamed: HashMap<String, V>,
}

impl<V: Copy> KnownNames<V> {
    /// The names of the scope with this number, in which these variables are.
    pub(in crate::rewrite) fn scope<S: InSight<Variable = V>>(
        &self,
        sight: &S,
        number: usize,
        variables: impl Iterator<Item = V>,
    ) -> Arc<ScopeNames<V>> {
        found(&self.scopes, number, || {
            Arc::new(ScopeNames::of(sight, variables))
        })
    }

    /// What a file imports as `name`, as `look` finds it.
    pub(in crate::rewrite) fn imported(
        &self,
        file: u32,
        name: &str,
        look: impl FnOnce() -> Option<Imported>,
    ) -> Option<Imported> {
        found(&self.imports, (file, name.to_owned()), look)
    }
}

/// What is known by that key, else what `look` finds.
fn found<K: Eq + Hash, T: Clone>(
    known: &Mutex<HashMap<K, T>>,
    key: K,
    look: impl FnOnce() -> T,
) -> T {
    let lock = || known.lock();
    if let Some(known) = lock().get(&key) {
        return known.clone();
    }
    let looked = look();
    lock().entry(key).or_insert(looked).clone()
}

impl<V: Copy> ScopeNames<V> {
    fn of<S: InSight<Variable = V>>(sight: &S, variables: impl Iterator<Item = V>) -> Self {
        let mut names = Self {
            given: HashMap::new(),
            running: HashMap::new(),
            unnamed: HashMap::new(),
        };
        for variable in variables {
            let running = sight.running(variable).to_owned();
            match sight.given(variable) {
                Some(given) => {
                    let same = names.given.entry(given.into_owned()).or_default();
                    same.push((variable, sight.file(variable)));
                }
                None => {
                    names.unnamed.entry(running.clone()).or_insert(variable);
                }
            }
            names.running.entry(running).or_insert(variable);
        }
        names
    }
}
