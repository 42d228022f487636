//! Which writes are watched: of properties by key, of variables by the binding that a name means.

use swc_atoms::Atom;

use super::observable::may_be_in_shadow;
use super::rewriter::Rewriter;
use super::{OuterName, Watch, WatchedName, WatchedTarget};
use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, BindingKind, EvalVariables, Resolution, ScopeIndex, ScopeKind};

/// Where a watched variable's last change is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariablePlace {
    /// In the shadow of this binding; `None`: in that of the variable of this name around a text given to `eval`.
    Shadow(Option<BindingIndex>),
    /// In the agent's table of globals.
    Global {
        /// Whether it is certainly no property of the global object.
        lexical: bool,
        /// Whether an `eval` may have declared a variable of this name in a function around; its last change is then in
        /// the shadow that was declared with it.
        or_shadow: bool,
    },
}

/// What a hook on a name reports: the watched slots that depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watching<'a> {
    /// Indices into the dependents that the hook must be able to resolve.
    pub(super) dependents: &'a [usize],
    /// Which of the watched names it is, where one name only is meant.
    pub(super) slot: Option<usize>,
}

/// Whether a key can be an index of an array.
fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Rewriter<'a> {
    /// Whether writes of the property `key` are hooked.
    pub(super) fn watches_property(&self, key: &str) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            let is_hooked = !self.muted() && (!self.is_live() || may_be_in_shadow(key));
            return is_hooked.then_some(Watching::default());
        };
        names
            .iter()
            .enumerate()
            .find_map(|(slot, name)| match &name.target {
                WatchedTarget::Property(watched) if watched == key => Some(Watching {
                    dependents: &name.dependents,
                    slot: Some(slot),
                }),
                _ => None,
            })
            .or_else(|| self.watches_with_element(key, names))
    }

    /// Whether a property is named as one to watch.
    pub(super) fn asks_for(&self, key: &str) -> bool {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return false;
        };
        let is_it = |name: &WatchedName| matches!(&name.target, WatchedTarget::Property(watched) if watched == key);
        names.iter().any(is_it)
    }

    /// A write of `length` may delete an asked element, and one of an element may change an asked `length`.
    fn watches_with_element(&self, key: &str, names: &[WatchedName]) -> Option<Watching<'a>> {
        let is_concerned: fn(&str) -> bool = match key {
            "length" => is_index,
            _ if is_index(key) => |watched| watched == "length",
            _ => return None,
        };
        let concerns = names.iter().any(
            |name| matches!(&name.target, WatchedTarget::Property(watched) if is_concerned(watched)),
        );
        concerns.then_some(Watching {
            dependents: self.property_dependents,
            slot: None,
        })
    }

    /// Whether writes of properties whose key is known only at run time are hooked.
    pub(super) fn watches_any_property(&self) -> Option<Watching<'a>> {
        match &self.instrumentation.watch {
            Watch::Everything | Watch::Standby | Watch::Live => {
                (!self.muted()).then_some(Watching::default())
            }
            Watch::Names(_) => self.any_property.then_some(Watching {
                dependents: self.property_dependents,
                slot: None,
            }),
        }
    }

    /// Whether elements of array literals are hooked: an index or `length` is watched.
    pub(super) fn watches_elements(&self) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return (!self.muted() && !self.is_live()).then_some(Watching::default());
        };
        let is_element = |key: &str| key == "length" || is_index(key);
        let watched = names
            .iter()
            .any(|name| matches!(&name.target, WatchedTarget::Property(key) if is_element(key)));
        watched.then_some(Watching {
            dependents: self.property_dependents,
            slot: None,
        })
    }

    /// Whether the lengths of arrays are asked.
    pub(super) fn watches_length(&self) -> bool {
        let is_length = |name: &WatchedName| matches!(&name.target, WatchedTarget::Property(key) if key == "length");
        match &self.instrumentation.watch {
            Watch::Names(names) => names.iter().any(is_length),
            _ => false,
        }
    }

    /// Whether writes of the variable `name`, met at `at` in the current scope, are hooked, and where its last
    /// change is kept.
    pub(super) fn watches_variable(
        &self,
        name: &Atom,
        at: ByteOffset,
    ) -> Option<(VariablePlace, Watching<'a>)> {
        if !self.any_variable || self.muted() || !self.may_be_watched(name) {
            return None;
        }
        let resolution = self.scopes.resolve(self.current, name);
        let (place, declared_at) = match resolution {
            Resolution::Local(binding) => {
                if !self.binding_is_hooked(binding) {
                    return None;
                }
                let declared_at = self.scopes.binding(binding).declared_at;
                (VariablePlace::Shadow(Some(binding)), declared_at)
            }
            Resolution::GlobalVar(binding) | Resolution::ScriptLexical(binding) => {
                let place = VariablePlace::Global {
                    lexical: matches!(resolution, Resolution::ScriptLexical(_)),
                    or_shadow: self.may_be_declared_by_eval(resolution),
                };
                (place, self.scopes.binding(binding).declared_at)
            }
            Resolution::Unresolved => match self.outer_name(name) {
                Some(OuterName::Shadowed { slot, .. }) => {
                    return Some((VariablePlace::Shadow(None), self.watching(slot)));
                }
                Some(OuterName::Unwatched) => return None,
                None => {
                    let place = VariablePlace::Global {
                        lexical: false,
                        or_shadow: self.may_be_declared_by_eval(resolution),
                    };
                    (place, at)
                }
            },
        };
        let watching = self.watched_variable_named(name, declared_at)?;
        Some((place, watching))
    }

    /// What the code around a text given to `eval` declares as `name`.
    pub(super) fn outer_name(&self, name: &str) -> Option<OuterName> {
        let outer = self.instrumentation.outer.as_deref()?;
        outer.find(name).map(|variable| variable.kind)
    }

    /// Whether an `eval` may have declared the variable that `resolution` takes for a global.
    pub(super) fn may_be_declared_by_eval(&self, resolution: Resolution) -> bool {
        let outer = self.instrumentation.outer.as_deref();
        self.scopes.crosses_eval(self.current, resolution)
            || resolution == Resolution::Unresolved
                && outer.is_some_and(|outer| outer.declared_by_eval)
    }

    /// A variable of a text given to `eval` that could not have its shadow where it is declared.
    pub(super) fn declared_around(&self) -> Option<String> {
        let outer = self.instrumentation.outer.as_deref()?;
        if self.scopes.scope(ScopeIndex::ROOT).kind != ScopeKind::Eval(EvalVariables::Function) {
            return None;
        }
        let declared = self.shadowed(ScopeIndex::ROOT).into_iter();
        let mut names = declared.map(|(index, _)| self.scopes.binding(index).name.to_string());
        names.find(|name| outer.find(name).is_some_and(|known| known.is_in_block))
    }

    /// What the watched name with the number `slot` hands over; `None`: all are watched.
    fn watching(&self, slot: Option<usize>) -> Watching<'a> {
        let name = match (&self.instrumentation.watch, slot) {
            (Watch::Names(names), Some(slot)) => names.get(slot),
            _ => None,
        };
        name.map_or_else(Watching::default, |name| Watching {
            dependents: &name.dependents,
            slot,
        })
    }

    /// Whether a variable of this name can be one that is asked for.
    pub(super) fn may_be_watched(&self, name: &Atom) -> bool {
        self.watched_names
            .as_ref()
            .is_none_or(|names| names.contains(name))
    }

    /// Whether writes of a binding can be hooked, and whether dormant hooks are worth it.
    ///
    /// A variable that no closure can see is gone with the call that wrote it. Its dormant hooks would be most of all
    /// hooks, and what they cost is the engine's inlining, whose budget counts bytecode that never runs.
    pub(super) fn binding_is_hooked(&self, index: BindingIndex) -> bool {
        let binding = self.scopes.binding(index);
        !matches!(binding.kind, BindingKind::SelfName | BindingKind::Import)
            && self
                .outliving
                .as_ref()
                .is_none_or(|outliving| outliving[binding.scope.0 as usize])
            && self
                .in_shadow
                .as_ref()
                .is_none_or(|in_shadow| in_shadow[index.0 as usize])
    }

    /// Whether the variable declared at `declared_at` as `name` is asked for, by the name its author gave it.
    pub(super) fn watched_variable_named(
        &self,
        name: &str,
        declared_at: ByteOffset,
    ) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return Some(Watching::default());
        };
        let slot_where = |is_it: &dyn Fn(&str) -> bool, is_counted: bool| {
            let mut slots = names.iter().enumerate();
            slots.find_map(|(slot, watched)| match &watched.target {
                WatchedTarget::Variable(variable)
                    if is_it(variable)
                        && (is_counted
                            || !self.instrumentation.traced_variables.contains(&slot)) =>
                {
                    Some(Watching {
                        dependents: &watched.dependents,
                        slot: Some(slot),
                    })
                }
                _ => None,
            })
        };
        let slot_of = |name: &str, is_counted: bool| slot_where(&|it| it == name, is_counted);
        match self.names.original_name(declared_at) {
            // Where another variable has its name, it goes by the one that runs; another file may have one for it, too.
            Some(original) => slot_of(&original, true)
                .or_else(|| slot_where(&|it| self.names.is_imported_as(declared_at, it), false))
                .or_else(|| slot_of(name, false)),
            None => slot_of(name, true),
        }
    }

    /// Whether the last change of a variable is kept in its shadow.
    pub(super) fn is_watched(&self, binding: BindingIndex) -> bool {
        let hooked = self.scopes.binding(binding);
        self.binding_is_hooked(binding)
            && self
                .watched_variable_named(&hooked.name, hooked.declared_at)
                .is_some()
    }

    /// The bindings of `scope` that have a shadow.
    pub(super) fn shadowed(&self, scope: ScopeIndex) -> Vec<(BindingIndex, Watching<'a>)> {
        if !self.any_variable || self.muted() || self.scopes.scope(scope).kind == ScopeKind::Script
        {
            return Vec::new();
        }
        let bindings = &self.scopes.scope(scope).bindings;
        let mut found = Vec::new();
        for &index in bindings {
            let binding = self.scopes.binding(index);
            if self.binding_is_hooked(index)
                && self.may_be_watched(&binding.name)
                && let Some(watching) =
                    self.watched_variable_named(&binding.name, binding.declared_at)
            {
                found.push((index, watching));
            }
        }
        found
    }

    /// In the body of `with`, dormant hooks would look their names up in the object, which a proxy sees; so
    /// there are none there unless a question needs them.
    pub(super) fn muted(&self) -> bool {
        self.with_depth > 0 && !matches!(self.instrumentation.watch, Watch::Names(_))
    }
}
