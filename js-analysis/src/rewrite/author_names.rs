//! Which variable a name means that the author of a script wrote, where other names run.
//!
//! ```text
//! // store.js                          // what runs
//! let state = 0;                       let e = 0;
//! // cart.js                           let i = [];
//! let state = [];                      function f(t) { i = i.concat(t) }
//! function add(item) { state = … }                   ^ here `state` is `i`, and `i` is `state`; `t` is no name here
//! ```
//!
//! There is one rule for references, watches and what scopes show ([`meaning`]). A variable goes by the name that the
//! map gives it, else by the one that runs. Of several in one scope with the same name that of the file counts in which
//! the place is; a bundle has the top of many files in one scope. Where that leaves several, or where what would be
//! evaluated is another variable, the answer says so: another variable's value would be wrong.

mod known_names;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, ScopeIndex, Scopes};
use crate::source_map::Imported;
pub(super) use known_names::KnownNames;

/// Gives the name that the author of a script gave to the identifier at an offset, where a source map knows
/// it.
pub trait OriginalNames {
    /// The original name of the identifier that starts at `at`; `None` if it is not known to be another than what
    /// is there.
    fn original_name(&self, at: ByteOffset) -> Option<String>;

    /// What the author called the private name whose mark is there, without the mark. Some tools map the mark, others
    /// what is behind it.
    fn original_private_name(&self, at: ByteOffset) -> Option<String> {
        let behind = || self.original_name(ByteOffset(at.0 + 1));
        let name = self.original_name(at).or_else(behind)?;
        Some(name.trim_start_matches('#').to_owned())
    }

    /// The number of the file in which its author wrote the code at `at`.
    fn file_at(&self, _at: ByteOffset) -> Option<u32> {
        None
    }

    /// Whether that file is a library's: nobody who debugs the page wrote it.
    fn is_of_library(&self, _file: u32) -> bool {
        false
    }

    /// Whether this name can mean a variable of another file, for somebody who reads the code of that one.
    fn may_import(&self, _file: u32, _name: &str) -> bool {
        true
    }

    /// Whether that file is known to declare such a name somewhere.
    fn declares(&self, _file: u32, _name: &str) -> bool {
        false
    }

    /// What that file imports as `name`, if the exporting one has another name for it.
    fn imported(&self, _file: u32, _name: &str) -> Option<Imported> {
        None
    }

    /// Whether some file imports the variable that is declared at `at` as `name`.
    fn is_imported_as(&self, _at: ByteOffset, _name: &str) -> bool {
        false
    }

    /// Whether the author assigned the value that begins at `at` to a variable or property of this name, by an
    /// assignment right before it; `None`: to a property whose name is computed.
    fn assigns(&self, _at: ByteOffset, _name: Option<&str>) -> bool {
        false
    }

    /// Whether there are other names than those that run.
    fn gives_names(&self) -> bool {
        true
    }
}

/// For scripts without a source map.
#[derive(Clone, Copy, Debug, Default)]
pub struct NamesAsWritten;

impl OriginalNames for NamesAsWritten {
    fn original_name(&self, _at: ByteOffset) -> Option<String> {
        None
    }

    fn gives_names(&self) -> bool {
        false
    }
}

/// How near to the code that is looked at a variable is declared. A bundle has the variables of all its files in one
/// scope, by the hundred, and a person looks for those of the file that they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// In the same file, or it is not known that it is another.
    SameFile,
    /// In another file of the page's author.
    OwnCode,
    /// In a library, or in no file at all: the bundler added it.
    Library,
}

impl Nearness {
    /// Of what `file` declares, for the code of `here`; both in a script that has a source map.
    pub(super) fn of(file: Option<u32>, here: Option<u32>, is_of_library: bool) -> Self {
        match (file, here) {
            (_, None) => Self::SameFile,
            (Some(file), Some(here)) if file == here => Self::SameFile,
            (Some(_), _) if !is_of_library => Self::OwnCode,
            _ => Self::Library,
        }
    }
}

/// The variables in sight of a place.
pub(super) trait InSight {
    type Variable: Copy + PartialEq;

    /// The variables of each scope, from the inside out, with the scope's number.
    fn scopes(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = Self::Variable>)>;
    /// What is known of these scopes.
    fn known(&self) -> &KnownNames<Self::Variable>;
    /// The name under which a variable runs.
    fn running(&self, variable: Self::Variable) -> &str;
    /// The name that its author gave it, if the map knows it.
    fn given(&self, variable: Self::Variable) -> Option<Cow<'_, str>>;
    /// The file that declares it.
    fn file(&self, variable: Self::Variable) -> Option<u32>;
    /// The file in which the place is.
    fn here(&self) -> Option<u32>;
    /// See [`OriginalNames::may_import`].
    fn may_import(&self, file: u32, name: &str) -> bool;
    /// See [`OriginalNames::declares`].
    fn declares(&self, file: u32, name: &str) -> bool;
    /// See [`OriginalNames::imported`].
    fn imported(&self, file: u32, name: &str) -> Option<Imported>;
}

/// What a name of the author's means at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<V> {
    /// This variable.
    Variable(V),
    /// None of the variables in sight: a global of another script, or nothing.
    Free,
    /// None that is known, but the file declares such a name: a global would be another variable.
    Lost,
    /// None that can be followed: the file imports it under a name of its own.
    Imported(String),
    /// None, but one in sight runs under this name, which its author called otherwise.
    TakenBy(String),
    /// This variable, but what runs under its name there is another one.
    Shadowed(V),
    /// One of so many with the same name in the same scope.
    Several(usize),
}

/// What the author's `name` means.
pub(super) fn meaning<S: InSight>(sight: &S, name: &str) -> Meaning<S::Variable> {
    let import = imported_here(sight, name);
    let found = by_given_name(sight, name, import.as_ref());
    if found != Meaning::Free {
        return found;
    }
    match import {
        Some(Imported::Unknown { what }) => return Meaning::Imported(what),
        Some(Imported::Variable { .. }) => return Meaning::Lost,
        None => {}
    }
    // What nothing else can be called by keeps the name under which it runs.
    let running = innermost(sight, name);
    let Some(variable) = running else {
        let is_lost = sight.here().is_some_and(|here| sight.declares(here, name));
        return if is_lost {
            Meaning::Lost
        } else {
            Meaning::Free
        };
    };
    match sight.given(variable) {
        Some(given) if has_name(sight, variable, &given) => Meaning::TakenBy(given.into_owned()),
        _ => Meaning::Variable(variable),
    }
}

/// The name under which a variable in sight is shown: the one by which it is meant.
pub(super) fn shown<S: InSight>(sight: &S, variable: S::Variable) -> Option<String> {
    let given = sight.given(variable)?;
    has_name(sight, variable, &given).then(|| given.into_owned())
}

fn has_name<S: InSight>(sight: &S, variable: S::Variable, given: &str) -> bool {
    let import = imported_here(sight, given);
    match by_given_name(sight, given, import.as_ref()) {
        Meaning::Variable(found) | Meaning::Shadowed(found) => found == variable,
        _ => false,
    }
}

/// What the file of the place imports as `name`.
fn imported_here<S: InSight>(sight: &S, name: &str) -> Option<Imported> {
    let here = sight.here()?;
    let known = sight.known();
    known.imported(here, name, || sight.imported(here, name))
}

fn by_given_name<S: InSight>(
    sight: &S,
    name: &str,
    import: Option<&Imported>,
) -> Meaning<S::Variable> {
    let here = sight.here();
    let mut unnamed = None;
    for (number, variables) in sight.scopes() {
        let names = sight.known().scope(sight, number, variables);
        let given = |name: &str| names.given.get(name).into_iter().flatten().copied();
        let mut named: Vec<(S::Variable, Option<u32>)> = given(name)
            .filter(|(_, file)| !is_import(import, name, *file))
            .collect();
        if let Some(Imported::Variable { source, name }) = import {
            let imported = given(name).filter(|(_, file)| *file == Some(*source));
            named.extend(imported.map(|(variable, _)| (variable, here)));
        }
        unnamed = unnamed.or_else(|| names.unnamed.get(name).copied());
        if here.is_some() && named.iter().any(|(_, file)| *file == here) {
            named.retain(|(_, file)| *file == here);
        } else if let Some(here) = here {
            let is_imported = |file: Option<u32>| {
                file.is_none() || (import.is_none() && sight.may_import(here, name))
            };
            named.retain(|(_, file)| is_imported(*file));
        }
        match (named.as_slice(), unnamed) {
            ([], _) => {}
            // One that is not renamed is behind the inner one as it does in what runs.
            ([(found, _)], Some(unnamed)) if sight.running(*found) == name => {
                return reached(sight, unnamed);
            }
            ([(found, _)], _) => return reached(sight, *found),
            (several, _) => return Meaning::Several(several.len()),
        }
    }
    unnamed.map_or(Meaning::Free, |variable| reached(sight, variable))
}

/// Whether a variable of that name and file is what the file of the place imports.
fn is_import(import: Option<&Imported>, given: &str, file: Option<u32>) -> bool {
    match import {
        Some(Imported::Variable { source, name }) => name == given && file == Some(*source),
        _ => false,
    }
}

fn innermost<S: InSight>(sight: &S, running: &str) -> Option<S::Variable> {
    sight.scopes().find_map(|(number, variables)| {
        let names = sight.known().scope(sight, number, variables);
        names.running.get(running).copied()
    })
}

fn reached<S: InSight>(sight: &S, variable: S::Variable) -> Meaning<S::Variable> {
    match innermost(sight, sight.running(variable)) == Some(variable) {
        true => Meaning::Variable(variable),
        false => Meaning::Shadowed(variable),
    }
}

/// Why a name does not lead to a variable, in words; `None`: it does, or is none of this script's.
pub(super) fn why_not<S: InSight>(
    sight: &S,
    name: &str,
    meaning: &Meaning<S::Variable>,
) -> Option<String> {
    let why = match meaning {
        Meaning::Variable(_) | Meaning::Free => return None,
        Meaning::Imported(what) => {
            format!("{what}, and the source map does not say which variable this is")
        }
        Meaning::Lost => format!("`{name}`: the source map does not say which variable this is"),
        Meaning::TakenBy(given) => format!(
            "`{name}`: the source map does not say which variable this is; the one that runs as `{name}` there is \
             `{given}`"
        ),
        Meaning::Shadowed(variable) => {
            let running = sight.running(*variable);
            format!(
                "`{name}` cannot be reached from there: it runs as `{running}`, and there `{running}` is another \
                 variable"
            )
        }
        Meaning::Several(count) => format!(
            "`{name}`: the source map does not say which variable this is; it gives the name to {count} of one scope"
        ),
    };
    Some(format!("{why}; {}", names_in_sight(sight)))
}

/// The first names by which variables can be asked for, in words; of each scope first those that the file of the place
/// declares.
pub(super) fn names_in_sight<S: InSight>(sight: &S) -> String {
    const MOST: usize = 12;
    let mut names: Vec<String> = Vec::new();
    let mut more = false;
    let here = sight.here();
    let variables = sight.scopes().flat_map(|(_, variables)| {
        let mut variables: Vec<S::Variable> = variables.collect();
        variables.sort_by_cached_key(|&it| here.is_some() && sight.file(it) != here);
        variables
    });
    for variable in variables {
        let name = shown(sight, variable).unwrap_or_else(|| sight.running(variable).to_owned());
        if names.contains(&name) || meaning(sight, &name) != Meaning::Variable(variable) {
            continue;
        }
        if names.len() == MOST {
            more = true;
            break;
        }
        names.push(name);
    }
    let mut text = "the names in sight there are ".to_owned();
    if names.is_empty() {
        return "no names are in sight there".to_owned();
    }
    let _ = write!(text, "{}", names.join(", "));
    if more {
        text.push_str(", …");
    }
    text
}

/// What is in sight of a place in a script that has just been parsed.
pub(super) struct PlaceInScope<'s> {
    pub(super) scopes: &'s Scopes,
    pub(super) scope: ScopeIndex,
    pub(super) at: ByteOffset,
    pub(super) names: &'s dyn OriginalNames,
    pub(super) known: &'s KnownNames<BindingIndex>,
}

impl InSight for PlaceInScope<'_> {
    type Variable = BindingIndex;

    fn scopes(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = BindingIndex>)> {
        self.scopes.chain(self.scope).map(|scope| {
            let bindings = &self.scopes.scope(scope).bindings;
            (scope.0 as usize, bindings.iter().copied())
        })
    }

    fn known(&self) -> &KnownNames<BindingIndex> {
        self.known
    }

    fn running(&self, variable: BindingIndex) -> &str {
        &self.scopes.binding(variable).name
    }

    fn given(&self, variable: BindingIndex) -> Option<Cow<'_, str>> {
        let declared_at = self.scopes.binding(variable).declared_at;
        self.names.original_name(declared_at).map(Cow::Owned)
    }

    fn file(&self, variable: BindingIndex) -> Option<u32> {
        self.names
            .file_at(self.scopes.binding(variable).declared_at)
    }

    fn here(&self) -> Option<u32> {
        self.names.file_at(self.at)
    }

    fn may_import(&self, file: u32, name: &str) -> bool {
        self.names.may_import(file, name)
    }

    fn declares(&self, file: u32, name: &str) -> bool {
        self.names.declares(file, name)
    }

    fn imported(&self, file: u32, name: &str) -> Option<Imported> {
        self.names.imported(file, name)
    }
}
