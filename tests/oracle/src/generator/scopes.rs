//! Which variables there are where something is written, and what they hold.

use std::collections::BTreeSet;

use super::Generator;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A primitive, or an error that was caught.
    Value,
    /// An object.
    Object,
    /// A function of a value and an object that gives a value.
    Function,
    /// Such a function that gives an iterator of values.
    Generator,
    /// Such a function that gives a promise.
    Async,
    /// An iterator of values.
    Iterator,
    /// A class whose constructor takes a value and an object.
    Class,
    /// What tells one activation from another.
    Token,
    /// Declared, but not to be used: its initialiser is being written.
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Function,
    Block,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) assignable: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) variables: Vec<Variable>,
    /// Names that mean a variable further out where they are in this scope.
    mentioned: BTreeSet<String>,
    kind: ScopeKind,
}

impl Scope {
    pub(super) fn new(kind: ScopeKind) -> Self {
        Self {
            variables: Vec::new(),
            mentioned: BTreeSet::new(),
            kind,
        }
    }

    fn declares(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name)
    }
}

/// Few names, so that they shadow each other; some are names of properties as well, for `with` and shorthands.
fn pool(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Value => &["a", "b", "c", "p", "q"],
        Kind::Object => &["o", "u", "w"],
        Kind::Function => &["f", "g", "h"],
        Kind::Generator => &["gen", "gen2"],
        Kind::Async => &["later", "later2"],
        Kind::Iterator => &["it", "it2"],
        Kind::Class => &["C", "D", "E"],
        Kind::Token | Kind::Hidden => &[],
    }
}

impl Generator<'_> {
    /// A name that can be declared in the current scope.
    pub(super) fn fresh_name(&mut self, kind: Kind) -> String {
        let scope = self.scopes.last();
        let free: Vec<String> = pool(kind)
            .iter()
            .map(|name| self.named(name))
            .filter(|name| {
                scope.is_none_or(|scope| !scope.declares(name) && !scope.mentioned.contains(name))
            })
            .collect();
        match self.choices.one_of(&free) {
            Some(name) => name.clone(),
            None => self.unique_name(kind),
        }
    }

    /// A name that is nowhere else.
    pub(super) fn unique_name(&mut self, kind: Kind) -> String {
        let number = self.number();
        match kind {
            Kind::Token => format!("me{number}"),
            kind => {
                let name = pool(kind).first().unwrap_or(&"x");
                self.named(&format!("{name}{number}"))
            }
        }
    }

    pub(super) fn declare(&mut self, name: &str, kind: Kind, assignable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.push(Variable {
                name: name.to_owned(),
                kind,
                assignable,
            });
        }
    }

    /// Declares a `var`, which belongs to the function.
    pub(super) fn declare_in_function(&mut self, name: &str, kind: Kind) {
        let scopes = self.scopes.iter_mut().rev();
        if let Some(scope) = scopes
            .into_iter()
            .find(|scope| scope.kind == ScopeKind::Function)
        {
            scope.variables.push(Variable {
                name: name.to_owned(),
                kind,
                assignable: true,
            });
        }
    }

    /// Declares a name that must not be used yet.
    pub(super) fn declare_hidden(&mut self, name: &str) {
        self.declare(name, Kind::Hidden, false);
    }

    /// From here on a hidden name can be used.
    pub(super) fn reveal(&mut self, name: &str, kind: Kind, assignable: bool) {
        let scopes = self.scopes.iter_mut().rev();
        let hidden = scopes
            .flat_map(|scope| &mut scope.variables)
            .find(|variable| variable.name == name && variable.kind == Kind::Hidden);
        if let Some(variable) = hidden {
            variable.kind = kind;
            variable.assignable = assignable;
        }
    }

    /// Every variable in sight of one of `kinds`, the innermost first.
    pub(super) fn in_sight(&self, kinds: &[Kind], assignable: bool) -> Vec<String> {
        let mut hidden = BTreeSet::new();
        let mut found = Vec::new();
        for scope in self.scopes.iter().rev() {
            for variable in &scope.variables {
                if hidden.insert(variable.name.clone())
                    && kinds.contains(&variable.kind)
                    && (variable.assignable || !assignable)
                {
                    found.push(variable.name.clone());
                }
            }
        }
        found
    }

    /// One of the variables in sight; it is mentioned.
    pub(super) fn variable(&mut self, kind: Kind, assignable: bool) -> Option<String> {
        let found = self.in_sight(&[kind], assignable);
        let name = self.choices.one_of(&found)?.clone();
        self.mention(&name);
        Some(name)
    }

    /// From the current scope out to the one that declares it, nobody may declare `name` any more.
    pub(super) fn mention(&mut self, name: &str) {
        for scope in self.scopes.iter_mut().rev() {
            if scope.declares(name) {
                return;
            }
            scope.mentioned.insert(name.to_owned());
        }
    }

    pub(super) fn is_in_block(&self) -> bool {
        let current = self.scopes.last();
        current.is_some_and(|scope| scope.kind == ScopeKind::Block)
    }

    pub(super) fn open_scope(&mut self, kind: ScopeKind) {
        self.scopes.push(Scope::new(kind));
    }

    pub(super) fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Declares a token in the current scope. It mentions those further out, so that functions capture them.
    pub(super) fn token(&mut self) {
        let tokens = self.in_sight(&[Kind::Token], false);
        let name = self.unique_name(Kind::Token);
        self.line(&format!("const {name} = {{{}}};", tokens.join(", ")));
        self.declare(&name, Kind::Token, false);
    }
}
