//! The author's names of functions and variables, for showing frames and scopes of a script that a bundler
//! renamed, and for evaluating there what a person writes.

use std::borrow::Cow;

use super::OriginalNames;
use super::author_names::KnownNames;
use super::author_names::{InSight, Meaning, meaning, names_in_sight, shown, why_not};
use super::watched_expression::{RunningExpression, with_running_names};
use crate::position::{ByteOffset, Utf16Position};
use crate::scopes::{ScopeKind, Scopes};
use crate::source_map::{Imported, SourceMap};

/// The scopes of one script with the names that their author gave.
#[derive(Clone, Debug, Default)]
pub struct OriginalScopes {
    // From the outside in, as the walk over the script met them.
    scopes: Vec<OriginalScope>,
    known: KnownNames<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct OriginalScope {
    start: ByteOffset,
    end: ByteOffset,
    is_function: bool,
    function: Option<String>,
    variables: Vec<OriginalVariable>,
}

#[derive(Clone, Debug)]
struct OriginalVariable {
    running: String,
    given: Option<String>,
    file: Option<u32>,
}

/// A place in a script that has a source map.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'m> {
    /// Where, as an offset of what the bundler made.
    pub at: ByteOffset,
    /// The same as a position.
    pub position: Utf16Position,
    /// The script's map.
    pub map: &'m SourceMap,
}

/// A scope as a debugger tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebuggerScope {
    /// It begins and ends there.
    Between(ByteOffset, ByteOffset),
    /// It is the top of the script.
    Top,
    /// Only what is in it is known.
    Anywhere,
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
                    OriginalVariable {
                        running: binding.name.to_string(),
                        given: names.original_name(binding.declared_at),
                        file: names.file_at(binding.declared_at),
                    }
                })
                .collect(),
        });
        Self {
            scopes: scopes.collect(),
            known: KnownNames::default(),
        }
    }

    /// The scopes around a place by their numbers, from the inside out.
    fn around(&self, at: ByteOffset) -> impl Iterator<Item = (usize, &OriginalScope)> {
        let scopes = self.scopes.iter().enumerate().rev();
        scopes.filter(move |(_, scope)| scope.start <= at && at < scope.end)
    }

    /// The name of the function around `at`; `None` outside functions and in those without a name.
    #[must_use]
    pub fn function(&self, at: ByteOffset) -> Option<&str> {
        let (_, scope) = self.around(at).find(|(_, scope)| scope.is_function)?;
        scope.function.as_deref()
    }

    /// What the variable that runs as `name`, in a scope that a debugger tells of in a frame at `spot`, is called there
    /// by its author; `None`: by that name, or another one has the name that its author gave it. A name that runs is
    /// mostly declared in several of the scopes around.
    #[must_use]
    pub fn variable(&self, spot: Spot<'_>, scope: DebuggerScope, name: &str) -> Option<String> {
        let declares = |number: usize, scope: &OriginalScope| {
            let mut variables = scope.variables.iter();
            let index = variables.position(|variable| variable.running == name)?;
            Some((number, index))
        };
        let mut around = self
            .around(spot.at)
            .filter_map(|(number, scope)| Some((scope, declares(number, scope)?)));
        let variable = match scope {
            DebuggerScope::Anywhere => around.next()?.1,
            DebuggerScope::Top => around.find(|(_, (number, _))| *number == 0)?.1,
            DebuggerScope::Between(start, end) => {
                let far = |scope: &OriginalScope| {
                    scope.start.0.abs_diff(start.0) + scope.end.0.abs_diff(end.0)
                };
                around.min_by_key(|(scope, _)| far(scope))?.1
            }
        };
        shown(&self.sight(spot), variable)
    }

    /// An expression as it runs at `spot`, its variables by the names that its author would give them there.
    ///
    /// # Errors
    /// In words, why a name in it does not lead to a variable.
    pub fn running(&self, spot: Spot<'_>, expression: &str) -> Result<RunningExpression, String> {
        let sight = self.sight(spot);
        with_running_names(expression, &|name| {
            let meaning = meaning(&sight, name);
            match (&meaning, why_not(&sight, name, &meaning)) {
                (_, Some(why)) => Err(why),
                (Meaning::Variable(found), None) => Ok(sight.running(*found).to_owned()),
                _ => Ok(name.to_owned()),
            }
        })
    }

    /// The names that a person can use at `spot`, in words.
    #[must_use]
    pub fn names_in_sight(&self, spot: Spot<'_>) -> String {
        names_in_sight(&self.sight(spot))
    }

    fn sight<'s>(&'s self, spot: Spot<'s>) -> Sight<'s> {
        Sight {
            scopes: self,
            spot,
            here: spot.map.source_at(spot.position),
        }
    }
}

struct Sight<'s> {
    scopes: &'s OriginalScopes,
    spot: Spot<'s>,
    here: Option<u32>,
}

impl Sight<'_> {
    fn variable(&self, (scope, index): (usize, usize)) -> Option<&OriginalVariable> {
        self.scopes.scopes.get(scope)?.variables.get(index)
    }
}

impl InSight for Sight<'_> {
    type Variable = (usize, usize);

    fn scopes(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, usize)>)> {
        let around = self.scopes.around(self.spot.at);
        around.map(|(number, scope)| {
            let variables = (0..scope.variables.len()).map(move |index| (number, index));
            (number, variables)
        })
    }

    fn known(&self) -> &KnownNames<(usize, usize)> {
        &self.scopes.known
    }

    fn running(&self, variable: (usize, usize)) -> &str {
        self.variable(variable)
            .map_or("", |found| found.running.as_str())
    }

    fn given(&self, variable: (usize, usize)) -> Option<Cow<'_, str>> {
        let given = self.variable(variable)?.given.as_deref();
        given.map(Cow::Borrowed)
    }

    fn file(&self, variable: (usize, usize)) -> Option<u32> {
        self.variable(variable)?.file
    }

    fn here(&self) -> Option<u32> {
        self.here
    }

    fn may_import(&self, file: u32, name: &str) -> bool {
        self.spot.map.may_import(file, name)
    }

    fn declares(&self, file: u32, name: &str) -> bool {
        self.spot.map.declares(file, name)
    }

    fn imported(&self, file: u32, name: &str) -> Option<Imported> {
        self.spot.map.imported(file, name)
    }
}
