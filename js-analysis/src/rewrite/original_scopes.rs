//! The author's names of functions and variables, for showing frames and scopes of a script that a bundler
//! renamed, and for evaluating there what a person writes.

use std::borrow::Cow;

use super::OriginalNames;
use super::author_names::{
    InSight, KnownNames, Meaning, Nearness, meaning, names_in_sight, shown, why_not,
};
use super::watched_expression::{RunningExpression, with_running_names};
use crate::position::{ByteOffset, Utf16Position};
use crate::scopes::{Binding, Scope, ScopeKind, Scopes};
use crate::source_map::{Imported, SourceMap};

/// The scopes of one script with the names that their author gave.
#[derive(Clone, Debug, Default)]
pub struct OriginalScopes {
    // From the outside in, as the walk over the script met them; the variables of each as they are declared.
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
    is_of_library: bool,
}

impl OriginalScope {
    /// How far its ends are from these.
    fn far(&self, start: ByteOffset, end: ByteOffset) -> u32 {
        self.start.0.abs_diff(start.0) + self.end.0.abs_diff(end.0)
    }
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
        let variable = |binding: &Binding| {
            let file = names.file_at(binding.declared_at);
            OriginalVariable {
                running: binding.name.to_string(),
                given: names.original_name(binding.declared_at),
                file,
                is_of_library: file.is_some_and(|file| names.is_of_library(file)),
            }
        };
        let variables = |scope: &Scope| {
            let bindings = scope.bindings.iter().map(|&it| scopes.binding(it));
            let mut bindings: Vec<&Binding> = bindings.collect();
            bindings.sort_by_key(|it| it.declared_at);
            bindings.into_iter().map(variable).collect()
        };
        let scopes = scopes.scopes.iter().map(|scope| OriginalScope {
            start: scope.start,
            end: scope.end,
            is_function: scope.kind == ScopeKind::Function,
            function: scope
                .function_name
                .as_ref()
                .map(|(name, at)| names.original_name(*at).unwrap_or_else(|| name.to_string())),
            variables: variables(scope),
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
    /// by its author; `None`: by that name, or another one has the name that its author gave it.
    #[must_use]
    pub fn variable(&self, spot: Spot<'_>, scope: DebuggerScope, name: &str) -> Option<String> {
        shown(&self.sight(spot), self.find(spot, scope, name)?)
    }

    /// The names, as they run, of the variables of a scope in the order in which a person looks for them: those that
    /// the file at `spot` declares, then those of its author's other files, then libraries'; none where the scope has
    /// no more than `few`.
    #[must_use]
    pub fn in_order(&self, spot: Spot<'_>, scope: DebuggerScope, few: usize) -> Vec<&str> {
        let around = self.around(spot.at).map(|(_, scope)| scope);
        let nearest = match scope {
            DebuggerScope::Anywhere => None,
            DebuggerScope::Top => self.scopes.first(),
            DebuggerScope::Between(start, end) => around.min_by_key(|it| it.far(start, end)),
        };
        let Some(nearest) = nearest.filter(|it| it.variables.len() > few) else {
            return Vec::new();
        };
        let here = spot.map.source_at(spot.position);
        let mut variables: Vec<&OriginalVariable> = nearest.variables.iter().collect();
        variables.sort_by_key(|it| Nearness::of(it.file, here, it.is_of_library));
        variables.into_iter().map(|it| &*it.running).collect()
    }

    /// The variable that runs as `name` in a scope that a debugger tells of. A name that runs is mostly declared in
    /// several of the scopes around.
    fn find(&self, spot: Spot<'_>, scope: DebuggerScope, name: &str) -> Option<(usize, usize)> {
        let declares = |number: usize, scope: &OriginalScope| {
            let mut variables = scope.variables.iter();
            let index = variables.position(|variable| variable.running == name)?;
            Some((number, index))
        };
        let mut around = self
            .around(spot.at)
            .filter_map(|(number, scope)| Some((scope, declares(number, scope)?)));
        Some(match scope {
            DebuggerScope::Anywhere => around.next()?.1,
            DebuggerScope::Top => around.find(|(_, (number, _))| *number == 0)?.1,
            DebuggerScope::Between(start, end) => {
                around.min_by_key(|(scope, _)| scope.far(start, end))?.1
            }
        })
    }

    fn at(&self, (scope, index): (usize, usize)) -> Option<&OriginalVariable> {
        self.scopes.get(scope)?.variables.get(index)
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
    fn variable(&self, variable: (usize, usize)) -> Option<&OriginalVariable> {
        self.scopes.at(variable)
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
