//! Variables: which one a name means, and in which instance of its scope it is.

use swc_ecma_ast::Pat;

use super::walker::LogWalker;
use super::{LoggedKind, LoggedVariable};
use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, Resolution, ScopeIndex};

impl LogWalker<'_> {
    /// The variable that has the number of the scope instance in which `scope` is recorded.
    pub(super) fn instance(&self, scope: ScopeIndex) -> String {
        let mut chain = self.scopes.chain(scope);
        match chain.find(|scope| self.instances.contains(scope)) {
            Some(scope) => self.scope_name(scope),
            None => match self.around() {
                Some(around) => around.instance.clone(),
                None => "0".to_owned(),
            },
        }
    }

    /// The variable that has the number of an instance of `scope`. In a text given to `eval` those of the code around
    /// can be named too.
    pub(super) fn scope_name(&self, scope: ScopeIndex) -> String {
        match self.options.outer {
            Some(_) => format!("{}s{}_{}", self.prefix, self.options.script, scope.0),
            None => format!("{}s{}", self.prefix, scope.0),
        }
    }

    /// The same of what is around the current scope.
    pub(super) fn instance_around(&self) -> String {
        match self.scopes.scope(self.current).parent {
            Some(parent) => self.instance(parent),
            None => match self.around() {
                Some(around) => around.instance.clone(),
                None => "0".to_owned(),
            },
        }
    }

    /// A declaration of an instance of the current scope, where it needs one of its own: where a function may keep its
    /// variables.
    pub(super) fn block_instance(&mut self) -> String {
        let scope = self.scopes.scope(self.current);
        let is_kept = self.outliving.get(self.current.0 as usize) == Some(&true);
        if !self.values() || scope.bindings.is_empty() || !is_kept {
            return String::new();
        }
        let text = format!(
            "const {}={p}Lo({},{});",
            self.scope_name(self.current),
            self.options.first.scope + self.current.0,
            self.instance_around(),
            p = self.prefix,
        );
        self.instances.insert(self.current);
        text
    }

    /// The variable that a name means here, with the text that gives the number of its scope; `None` where that is not
    /// known.
    pub(super) fn variable(
        &mut self,
        name: &swc_atoms::Atom,
        declared: Option<ByteOffset>,
    ) -> Option<(u32, String)> {
        let resolution = self.scopes.resolve(self.current, name);
        let is_declaration = declared.is_some();
        if !is_declaration && self.scopes.crosses_with(self.current, resolution) {
            return None;
        }
        self.variable_or_with(name, is_declaration)
    }

    /// The same of what a name means here where no object of a `with` around has it.
    pub(super) fn variable_or_with(
        &mut self,
        name: &swc_atoms::Atom,
        is_declaration: bool,
    ) -> Option<(u32, String)> {
        let resolution = self.scopes.resolve(self.current, name);
        if !is_declaration && self.may_be_of_eval(name, resolution) {
            return None;
        }
        match resolution {
            Resolution::Local(binding) => {
                if let Some(around) = self.declared_around(binding) {
                    return around;
                }
                let scope = self.scopes.binding(binding).scope;
                if self.parameters_of.contains(&scope) {
                    return None;
                }
                Some((self.variable_number(binding), self.instance(scope)))
            }
            Resolution::GlobalVar(binding) | Resolution::ScriptLexical(binding) => {
                Some((self.variable_number(binding), "0".to_owned()))
            }
            Resolution::Unresolved => {
                if let Some(seen) = self.around().and_then(|around| around.find(name)) {
                    return seen.known.clone();
                }
                let number = match self.globals.get(name.as_ref()) {
                    Some(&number) => number,
                    None => {
                        self.variables.push(LoggedVariable {
                            name: name.to_string(),
                            scope: 0,
                        });
                        let last = ByteOffset::from_index(self.variables.len() - 1).0;
                        self.globals.insert(name.to_string(), last);
                        last
                    }
                };
                Some((self.options.first.variable + number, "0".to_owned()))
            }
        }
    }

    pub(super) fn variable_number(&self, binding: BindingIndex) -> u32 {
        self.options.first.variable + binding.0
    }

    /// The hook that says what a variable has, which is read; empty where the variable is not known.
    pub(super) fn assign_hook(&mut self, name: &swc_atoms::Atom, place: ByteOffset) -> String {
        if !self.values() {
            return String::new();
        }
        let Some((variable, instance)) = self.variable(name, Some(place)) else {
            self.unlogged(place, self.why_unknown());
            return String::new();
        };
        let shown = self.original(place, name);
        let site = self.site_of(place, LoggedKind::Assign, shown, variable);
        format!("{}Lv({site},{instance},{name});", self.prefix)
    }

    /// Hooks for all variables that a pattern binds.
    pub(super) fn pattern_hooks(&mut self, pattern: &Pat) -> String {
        let mut names = Vec::new();
        crate::scopes::for_each_binding(pattern, &mut |name, at| names.push((name.clone(), at)));
        let mut text = String::new();
        for (name, at) in names {
            text.push_str(&self.assign_hook(&name, at));
        }
        text
    }
}
