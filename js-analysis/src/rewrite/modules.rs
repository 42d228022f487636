//! Modules: what one exports, another may ask for.
//!
//! An imported name is a binding of the module that exports it, and so is the record of its last change. Where modules
//! are [linked](super::Instrumentation::links_modules), each one tells the agent at its start how its exports are
//! reached, and an imported name is looked up there when it is asked. With `m.js` exporting `n` of its own and all of
//! `o.js`,
//!
//! ```js
//! // export let n = 1; export { q as r } from "./p.js"; export * from "./o.js"; export default 2;
//! var $QpDefault, $QpMod = $QpE.module(import.meta.url, import.meta.resolve, {
//!   __proto__: null, "n": () => $QpP($Qp$n, () => n), "r": ["./p.js", "q"], "default": () => $QpP($QpDefault),
//!   "*": ["./o.js"] });
//! // import { n } from "./m.js"; import * as all from "./m.js": as a reference in a hook
//! () => $QpMod.i("./m.js", "n", () => n)
//! () => $QpMod.n("./m.js", all)
//! ```
//! An exported variable that is not watched is there with its name instead of a function: so that it can be.

use std::fmt::Write as _;

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    Decl, DefaultDecl, ExportDefaultExpr, ExportSpecifier, Module, ModuleDecl, ModuleExportName,
    ModuleItem,
};
use swc_ecma_visit::VisitWith;

use super::hooks::{Member, is_anonymous_function, naming, quote};
use super::rewriter::Rewriter;
use super::watching::Watching;
use super::{SiteKind, Watch, WatchedTarget};
use crate::position::ByteOffset;
use crate::scopes::{Resolution, ScopeIndex, for_each_binding};

/// What the binding of `export default EXPRESSION` is called: no name that a script can have.
const DEFAULT_EXPORT: &str = "*default*";

fn export_name(name: &ModuleExportName) -> Atom {
    match name {
        ModuleExportName::Ident(ident) => ident.sym.clone(),
        ModuleExportName::Str(string) => Atom::from(string.value.to_string_lossy().as_ref()),
    }
}

impl<'a> Rewriter<'a> {
    /// What a module begins with, if modules are linked and this one has exports or imports.
    pub(super) fn module_link(&mut self, module: &Module) -> String {
        if !self.instrumentation.links_modules || self.scopes.imports.is_empty() && !exports(module)
        {
            return String::new();
        }
        let (mut entries, mut stars) = (String::new(), String::new());
        for item in &module.body {
            let ModuleItem::ModuleDecl(declaration) = item else {
                continue;
            };
            match declaration {
                ModuleDecl::ExportDecl(export) => match &export.decl {
                    Decl::Var(declaration) => {
                        for declarator in &declaration.decls {
                            for_each_binding(&declarator.name, &mut |name, _| {
                                self.export_entry(name, name, &mut entries);
                            });
                        }
                    }
                    Decl::Fn(function) => {
                        let name = &function.ident.sym;
                        self.export_entry(name, name, &mut entries);
                    }
                    Decl::Class(class) => {
                        let name = &class.ident.sym;
                        self.export_entry(name, name, &mut entries);
                    }
                    _ => {}
                },
                ModuleDecl::ExportNamed(named) => {
                    let from = named
                        .src
                        .as_ref()
                        .map(|source| quote(&source.value.to_string_lossy()));
                    for specifier in &named.specifiers {
                        let ExportSpecifier::Named(specifier) = specifier else {
                            continue;
                        };
                        let local = export_name(&specifier.orig);
                        let exported = specifier
                            .exported
                            .as_ref()
                            .map_or(local.clone(), export_name);
                        match &from {
                            Some(from) => {
                                let (exported, name) = (Member(&exported), quote(&local));
                                let _ = write!(entries, ",{exported}:[{from},{name}]");
                            }
                            None => self.export_entry(&exported, &local, &mut entries),
                        }
                    }
                }
                ModuleDecl::ExportDefaultDecl(export) => {
                    let ident = match &export.decl {
                        DefaultDecl::Class(class) => class.ident.as_ref(),
                        DefaultDecl::Fn(function) => function.ident.as_ref(),
                        DefaultDecl::TsInterfaceDecl(_) => None,
                    };
                    if let Some(ident) = ident {
                        self.export_entry(&Atom::from("default"), &ident.sym, &mut entries);
                    }
                }
                ModuleDecl::ExportDefaultExpr(_) => {
                    let p = self.prefix;
                    let _ = match self.watches_default() {
                        Some(_) => write!(entries, ",\"default\":()=>{p}P({p}Default)"),
                        None => write!(entries, ",\"default\":{}", quote(DEFAULT_EXPORT)),
                    };
                }
                ModuleDecl::ExportAll(all) => {
                    let _ = write!(stars, "{},", quote(&all.src.value.to_string_lossy()));
                }
                _ => {}
            }
        }
        let p = self.prefix;
        format!(
            "var {p}Default,{p}Mod={p}E.module(import.meta.url,import.meta.resolve,\
             {{__proto__:null{entries},\"*\":[{stars}]}});"
        )
    }

    fn export_entry(&self, exported: &Atom, local: &Atom, entries: &mut String) {
        let exported = Member(exported);
        let Resolution::Local(index) = self.scopes.resolve(ScopeIndex::ROOT, local) else {
            return;
        };
        let binding = self.scopes.binding(index);
        let p = self.prefix;
        let _ = if let Some((from, name)) = self.scopes.imports.get(local) {
            match name {
                Some(name) => write!(entries, ",{exported}:[{},{}]", quote(from), quote(name)),
                None => Ok(()),
            }
        } else if self
            .watched_variable_named(local, binding.declared_at)
            .is_some()
        {
            let shadow = self.shadow(index);
            write!(entries, ",{exported}:()=>{p}P({shadow},()=>{local})")
        } else {
            let original = self.names.original_name(binding.declared_at);
            let name = original.as_deref().unwrap_or(local);
            write!(entries, ",{exported}:{}", quote(name))
        };
    }

    fn watches_default(&self) -> Option<Watching<'a>> {
        let Watch::Names(names) = &self.instrumentation.watch else {
            return None;
        };
        names
            .iter()
            .enumerate()
            .find_map(|(slot, watched)| match &watched.target {
                WatchedTarget::Variable(name) if name == DEFAULT_EXPORT => Some(Watching {
                    dependents: &watched.dependents,
                    slot: Some(slot),
                }),
                _ => None,
            })
    }

    /// `export default EXPRESSION`: `export default ($Qp1=EXPRESSION,$QpA&&($QpDefault=$QpV(…)),$Qp1)`.
    pub(super) fn default_export(&mut self, export: &ExportDefaultExpr) {
        let watching = self
            .watches_default()
            .filter(|_| self.instrumentation.links_modules);
        let Some(watching) = watching else {
            return export.expr.visit_with(self);
        };
        let site = self.site(ByteOffset(export.span.lo.0), SiteKind::Declaration);
        let span = export.expr.span();
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        let (before, after) = if is_anonymous_function(&export.expr) {
            naming("default")
        } else {
            (String::new(), String::new())
        };
        let (p, value, context) = (self.prefix, self.temporary(), self.context(watching));
        self.edits
            .insert_args(lo, format_args!("({value}={before}"));
        export.expr.visit_with(self);
        self.edits.insert_args(
            hi,
            format_args!(
                "{after},{p}A&&({p}Default={p}V({site},{p}Default,{value}{context})),{value})"
            ),
        );
        self.release(1);
    }

    /// The reference to an imported variable; `None` if modules are not linked.
    pub(super) fn imported(&self, local: &str, is_variable: bool) -> Option<String> {
        if !self.instrumentation.links_modules {
            return None;
        }
        let (from, name) = self.scopes.imports.get(&Atom::from(local))?;
        let (p, from) = (self.prefix, quote(from));
        match name {
            Some(name) if is_variable => {
                Some(format!("()=>{p}Mod.i({from},{},()=>{local})", quote(name)))
            }
            None if !is_variable => Some(format!("()=>{p}Mod.n({from},{local})")),
            _ => None,
        }
    }
}

/// Whether a module exports anything.
fn exports(module: &Module) -> bool {
    module.body.iter().any(|item| {
        matches!(item, ModuleItem::ModuleDecl(declaration) if !matches!(declaration, ModuleDecl::Import(_)))
    })
}
