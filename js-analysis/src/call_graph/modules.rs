//! What modules import and export.

use swc_atoms::Atom;
use swc_ecma_ast::{
    Decl, DefaultDecl, ExportDecl, ExportDefaultDecl, ExportDefaultExpr, ExportSpecifier,
    ImportDecl, ImportSpecifier, ModuleExportName, NamedExport, Str,
};
use swc_ecma_visit::VisitWith;

use super::facts::{CallFacts, FlowPlace};
use super::walk::Walk;
use crate::scopes::{Resolution, ScopeIndex};

/// What a module exports without a name.
const DEFAULT: &str = "default";
/// What comes before the text by which a module is imported.
const IMPORTED: &str = "default from ";

impl Walk<'_> {
    fn exported(&mut self, name: &Atom, from: Vec<FlowPlace>) {
        self.flow(from.clone(), &FlowPlace::Export(name.clone()));
        // By `import * as m`: `m.name`.
        self.flow(from, &FlowPlace::Property(name.clone()));
    }

    pub(super) fn import(&mut self, import: &ImportDecl) {
        for specifier in &import.specifiers {
            let (local, name) = match specifier {
                ImportSpecifier::Named(named) => {
                    let imported = named.imported.as_ref().map(exported_name);
                    (
                        &named.local,
                        imported.unwrap_or_else(|| named.local.sym.clone()),
                    )
                }
                ImportSpecifier::Default(default) => (&default.local, Atom::from(DEFAULT)),
                ImportSpecifier::Namespace(_) => continue,
            };
            let to = self.variable(&local.sym, local.span.lo.0);
            self.flow(vec![imported(name, &import.src)], &to);
        }
    }

    pub(super) fn export_declaration(&mut self, export: &ExportDecl) {
        export.visit_children_with(self);
        let mut names: Vec<(Atom, u32)> = Vec::new();
        match &export.decl {
            Decl::Fn(function) => {
                let name = function.ident.sym.clone();
                let from = match self.scopes.resolve(ScopeIndex::ROOT, &name) {
                    Resolution::Local(binding) => FlowPlace::Variable(binding.0),
                    _ => FlowPlace::Global(name.clone()),
                };
                return self.exported(&name, vec![from]);
            }
            Decl::Class(class) => {
                let name = class.ident.sym.clone();
                let from = match self.scopes.resolve(ScopeIndex::ROOT, &name) {
                    Resolution::Local(binding) => FlowPlace::Variable(binding.0),
                    _ => FlowPlace::Global(name.clone()),
                };
                return self.exported(&name, vec![from]);
            }
            Decl::Var(declaration) => {
                for declarator in &declaration.decls {
                    crate::scopes::for_each_binding(&declarator.name, &mut |name, at| {
                        names.push((name.clone(), at.0));
                    });
                }
            }
            _ => {}
        }
        for (name, at) in names {
            let from = self.variable(&name, at);
            self.exported(&name, vec![from]);
        }
    }

    pub(super) fn default_declaration(&mut self, export: &ExportDefaultDecl) {
        self.name = Some("default".to_owned());
        export.visit_children_with(self);
        self.name = None;
        let from = match &export.decl {
            DefaultDecl::Fn(function) => {
                let number = self.facts.by_start.get(&function.function.span.lo.0);
                let name = function.ident.as_ref().map(|ident| ident.sym.clone());
                let own = number.map(|&number| FlowPlace::Function(number));
                if let (Some(own), Some(name)) = (own.clone(), name)
                    && let Resolution::Local(binding) = self.scopes.resolve(ScopeIndex::ROOT, &name)
                {
                    self.flow(vec![own], &FlowPlace::Variable(binding.0));
                }
                own.into_iter().collect()
            }
            DefaultDecl::Class(class) => {
                let own = self.constructor_of(&class.class).map(FlowPlace::Function);
                let itself = self.class_place(&class.class);
                own.into_iter().chain(itself).collect()
            }
            DefaultDecl::TsInterfaceDecl(_) => Vec::new(),
        };
        self.exported(&Atom::from("default"), from);
    }

    pub(super) fn default_expression(&mut self, export: &ExportDefaultExpr) {
        self.name = Some("default".to_owned());
        export.visit_children_with(self);
        self.name = None;
        let from = self.places(&export.expr);
        self.exported(&Atom::from("default"), from);
    }

    pub(super) fn named_export(&mut self, export: &NamedExport) {
        for specifier in &export.specifiers {
            let ExportSpecifier::Named(named) = specifier else {
                continue;
            };
            let orig = exported_name(&named.orig);
            let name = named
                .exported
                .as_ref()
                .map_or_else(|| orig.clone(), exported_name);
            let from = match (&export.src, &named.orig) {
                (None, ModuleExportName::Ident(ident)) => {
                    self.variable(&ident.sym, ident.span.lo.0)
                }
                (Some(source), _) => imported(orig, source),
                (None, _) => FlowPlace::Export(orig),
            };
            if from != FlowPlace::Export(name.clone()) {
                self.exported(&name, vec![from]);
            }
        }
    }
}

/// What an import takes: what modules export as `default` has their address in its name.
fn imported(name: Atom, from: &Str) -> FlowPlace {
    let from = from.value.as_str().filter(|_| &*name == DEFAULT);
    FlowPlace::Export(match from {
        Some(from) => Atom::from(format!("{IMPORTED}{from}")),
        None => name,
    })
}

impl CallFacts {
    /// Tells the `default` of each module from those of others. `address` gives what a module is called that is
    /// imported by a text, and by none the script itself; where it does not know, any module may be meant.
    pub(super) fn with_addresses(
        mut self,
        address: &dyn Fn(Option<&str>) -> Option<String>,
    ) -> Self {
        for (from, _) in &mut self.flows {
            if let FlowPlace::Export(name) = from
                && let Some(specifier) = name.strip_prefix(IMPORTED)
            {
                let known = address(Some(specifier));
                *name = known.map_or_else(|| Atom::from(DEFAULT), |known| default_of(&known));
            }
        }
        let Some(own) = address(None) else {
            return self;
        };
        let own = FlowPlace::Export(default_of(&own));
        let is_default = |place: &FlowPlace| *place == FlowPlace::Export(Atom::from(DEFAULT));
        let exported = self.flows.iter().filter(|(_, to)| is_default(to));
        let exported: Vec<_> = exported
            .map(|(from, _)| (from.clone(), own.clone()))
            .collect();
        self.flows.extend(exported);
        self
    }
}

impl CallFacts {
    /// The names by which the script exports something.
    pub(crate) fn exports(&self) -> impl Iterator<Item = &Atom> {
        self.flows.iter().filter_map(|(_, to)| match to {
            FlowPlace::Export(name) => Some(name),
            _ => None,
        })
    }

    /// From what modules export to where it flows in the script.
    pub(crate) fn flows_from_exports(&self) -> impl Iterator<Item = &(FlowPlace, FlowPlace)> {
        let flows = self.flows.iter();
        flows.filter(|(from, _)| matches!(from, FlowPlace::Export(_)))
    }
}

fn default_of(address: &str) -> Atom {
    Atom::from(format!("{DEFAULT} of {address}"))
}

fn exported_name(name: &ModuleExportName) -> Atom {
    match name {
        ModuleExportName::Ident(ident) => ident.sym.clone(),
        ModuleExportName::Str(string) => string
            .value
            .as_str()
            .map_or_else(|| Atom::from(""), Atom::from),
    }
}
