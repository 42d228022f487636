//! Which variable of the one version is which of the other, in code that is the same but for names.

use rustc_hash::FxHashMap;

use super::functions::FunctionNode;
use super::side::{Side, is_in};
use crate::position::ByteSpan;
use crate::scopes::BindingIndex;

/// Variables of two scripts that belong together.
#[derive(Debug, Default)]
pub(super) struct Counterparts {
    of_first: FxHashMap<BindingIndex, BindingIndex>,
    of_other: FxHashMap<BindingIndex, BindingIndex>,
}

impl Counterparts {
    /// The variable of the first version that one of the other is.
    pub(super) fn of_other(&self, other: BindingIndex) -> Option<BindingIndex> {
        self.of_other.get(&other).copied()
    }

    /// Adds those of a part of two functions whose own code there is the same but for names; `false`: a name means
    /// another variable, and nothing is added. Variables belong together as it was found in the functions around, else
    /// by what their author calls them; what a bundler made up in the function itself, by its place.
    pub(super) fn add(
        &mut self,
        one: &Side<'_>,
        two: &Side<'_>,
        functions: (usize, usize),
        part: impl Fn(&FunctionNode) -> ByteSpan,
    ) -> bool {
        if !one.is_by_author() {
            return true;
        }
        let (own, other) = (&one.functions[functions.0], &two.functions[functions.1]);
        let (here, there) = (part(own), part(other));
        let names = one.own_names(functions.0, here);
        let others = two.own_names(functions.1, there);
        let has_private = one.text(here).contains('#');
        if names.len() != others.len() || has_private && !one.has_private_members_of(two) {
            return false;
        }
        let mut added = Vec::new();
        let is_same = names.into_iter().zip(others).all(|(name, other_name)| {
            match (one.meaning(name), two.meaning(other_name)) {
                (None, None) => name.name == other_name.name,
                (Some(meant), Some(other_meant)) => {
                    let is_own = is_in(one.declared_at(meant), own.span);
                    let is_other_own = is_in(two.declared_at(other_meant), other.span);
                    match (self.of_first.get(&meant), self.of_other.get(&other_meant)) {
                        (Some(known), Some(other)) => *known == other_meant && *other == meant,
                        (None, None) if is_own == is_other_own => {
                            let belong = match (one.author(meant), two.author(other_meant)) {
                                // Of what a bundler made up only the place is known.
                                (None, None) => is_own,
                                (author, other_author) => author == other_author,
                            };
                            if belong {
                                self.of_first.insert(meant, other_meant);
                                self.of_other.insert(other_meant, meant);
                                added.push((meant, other_meant));
                            }
                            belong
                        }
                        _ => false,
                    }
                }
                _ => false,
            }
        });
        if !is_same {
            for (meant, other_meant) in added {
                self.of_first.remove(&meant);
                self.of_other.remove(&other_meant);
            }
        }
        is_same
    }
}
