//! Names that a module imports from another.

use event_log::ids::{FunctionId, ScopeId, StaticScopeId, VariableId};
use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Exported, LoggedName, Reference, Root};
use js_analysis::position::ByteOffset;
use querypoint::answer::{EndKind, Hop, HopKind};

use super::writes::{Target, Write};
use super::{InLog, Moment, Next, Spot};

/// How many modules are between an import and what is exported.
const MOST_MODULES: usize = 100;

/// What an imported name is.
enum Import {
    /// A variable of a module.
    Variable {
        script: usize,
        variable: VariableId,
        name: String,
        at: ByteOffset,
    },
    /// What a module exports by default.
    Value {
        script: usize,
        value: Box<js_analysis::origin::Value>,
        at: ByteOffset,
    },
    /// A function or class without a name.
    Made { script: usize, at: ByteOffset },
}

impl InLog<'_> {
    /// The module of that name, as it is named in another.
    fn module(&self, from: usize, specifier: &str) -> Option<usize> {
        let home = self.home(from)?;
        let address = self.sources.module_named(home, specifier)?;
        self.scripts.iter().position(|script| {
            self.sources.address_of(script.home).as_deref() == Some(address.as_str())
        })
    }

    /// What an imported name is.
    fn import(&self, from: usize, name: &str) -> Option<Import> {
        let (specifier, there) = self.sources.imported(self.home(from)?, name)?;
        let module = self.module(from, &specifier)?;
        self.export(module, &there?, MOST_MODULES)
    }

    fn export(&self, script: usize, name: &str, left: usize) -> Option<Import> {
        let left = left.checked_sub(1)?;
        let home = self.home(script)?;
        match self.sources.exported(home, name) {
            Some((Exported::Of { specifier, name }, _)) => {
                let module = self.module(script, &specifier)?;
                self.export(module, &name?, left)
            }
            Some((Exported::Variable { name: own, at }, export)) => {
                // What is exported may be imported itself.
                if let Some((specifier, there)) = self.sources.imported(home, &own) {
                    let module = self.module(script, &specifier)?;
                    return self.export(module, &there?, left);
                }
                let LoggedName::Local { variable, .. } = self.sources.logged_name(home, at, &own)
                else {
                    return None;
                };
                let first = self.scripts.get(script)?.first.variable;
                Some(Import::Variable {
                    script,
                    variable: VariableId(first.checked_add(variable)?),
                    name: own,
                    at: export,
                })
            }
            Some((Exported::Value(value), at)) => Some(Import::Value { script, value, at }),
            Some((Exported::Made, at)) => Some(Import::Made { script, at }),
            None => {
                let all = self.sources.exported_all(home);
                let mut found = all.iter().filter_map(|specifier| {
                    let module = self.module(script, specifier)?;
                    self.export(module, name, left)
                });
                found.next()
            }
        }
    }

    /// What a name is of a module that was imported as a whole: `all.name`.
    fn of_namespace(&self, spot: Spot, reference: &Reference) -> Option<Import> {
        let Root::Variable { name, .. } = &reference.root else {
            return None;
        };
        let (specifier, None) = self.sources.imported(self.home(spot.script)?, name)? else {
            return None;
        };
        let Key::Property(key) = self.step_key(spot, reference.steps.first()?)? else {
            return None;
        };
        let module = self.module(spot.script, &specifier)?;
        self.export(module, &key, MOST_MODULES)
    }

    /// The value of a name of a module that was imported as a whole.
    pub(super) fn namespace_value(&self, spot: Spot, reference: &Reference) -> Option<Seen> {
        self.value_of_import(spot, self.of_namespace(spot, reference)?)
    }

    /// Goes on where a name was exported that is read of a module as a whole.
    pub(super) fn by_namespace(
        &self,
        spot: Spot,
        reference: &Reference,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let import = self.of_namespace(spot, reference)?;
        self.goes_on_at(spot, import, seen, hops)
    }

    /// The last write of an imported variable before a moment.
    fn imported_write(&self, spot: Spot, variable: VariableId) -> Option<Write> {
        let writes = self.model.variables.get(&variable.0)?;
        let last = writes
            .iter()
            .rev()
            .find(|write| write.stream == spot.moment.stream && write.event < spot.moment.at)?;
        Some(Write {
            stream: last.stream,
            event: last.event,
            value: self.model.assigned(last),
            target: Target::Variable { argument: None },
        })
    }

    /// The value of a name that a module imported.
    pub(super) fn imported_value(&self, spot: Spot, name: &str) -> Option<Seen> {
        self.value_of_import(spot, self.import(spot.script, name)?)
    }

    fn value_of_import(&self, spot: Spot, import: Import) -> Option<Seen> {
        match import {
            Import::Variable { variable, .. } => {
                self.imported_write(spot, variable).map(|write| write.value)
            }
            Import::Value { script, value, .. } => {
                self.evaluated(self.top_of(script, spot)?, &value, 1)
            }
            Import::Made { .. } => None,
        }
    }

    /// The top of a module, as it is at a moment.
    fn top_of(&self, script: usize, spot: Spot) -> Option<Spot> {
        let own = self.scripts.get(script)?;
        let of = StaticScopeId(own.first.scope);
        let scopes = &self
            .model
            .streams
            .get(usize::from(spot.moment.stream))?
            .scopes;
        let instance = scopes.iter().position(|scope| scope.of == of)?;
        let instance = ScopeId(u32::try_from(instance + 1).ok()?);
        let call = self.model.scope(spot.moment.stream, instance)?.call;
        let function = self.model.calls.get(call as usize)?.function;
        (function == FunctionId(own.first.function)).then_some(Spot {
            script,
            moment: Moment {
                call,
                ..spot.moment
            },
        })
    }

    /// Goes on where an imported name was exported.
    pub(super) fn imported(
        &self,
        spot: Spot,
        name: &str,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let import = self.import(spot.script, name)?;
        self.goes_on_at(spot, import, seen, hops)
    }

    fn goes_on_at(
        &self,
        spot: Spot,
        import: Import,
        seen: Seen,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let stream = spot.moment.stream;
        Some(match import {
            Import::Variable {
                script,
                variable,
                name,
                at,
            } => {
                let write = self.imported_write(spot, variable)?;
                if write.value.same(seen) != Some(true) {
                    return None;
                }
                let home = self.home(script)?;
                let name = self.sources.asked_as(home, at, &name).unwrap_or(name);
                let hop = self.hop(HopKind::Export, script, at, (stream, seen), name.clone());
                hops.extend(hop);
                Next::Write(write, name)
            }
            Import::Value { script, value, at } => {
                let top = self.top_of(script, spot)?;
                let name = "default".to_owned();
                hops.extend(self.hop(HopKind::Export, script, at, (stream, seen), name));
                Next::Value {
                    spot: top,
                    value,
                    way: Vec::new(),
                    seen,
                }
            }
            Import::Made { script, at } => {
                let name = "default".to_owned();
                hops.extend(self.hop(HopKind::Export, script, at, (stream, seen), name));
                Next::ended(EndKind::Literal, None)
            }
        })
    }
}
