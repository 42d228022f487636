//! What a module imports and exports, by name.

use swc_common::Spanned;
use swc_ecma_ast::{
    Decl, DefaultDecl, ExportSpecifier, ModuleDecl, ModuleExportName, ModuleItem, Program,
};

use super::reading::Reading;
use super::value::Value;
use crate::position::ByteOffset;
use crate::rewrite::Script;
use crate::scopes::for_each_binding;

/// What a name is that a module exports.
#[derive(Clone, Debug, PartialEq)]
pub enum Exported {
    /// A variable of the module.
    Variable {
        /// The name under which it runs.
        name: String,
        /// Where that is.
        at: ByteOffset,
    },
    /// What another module exports; `None`: all of it, as an object.
    Of {
        /// How that module is named.
        specifier: String,
        /// The name there.
        name: Option<String>,
    },
    /// `export default value`
    Value(Box<Value>),
    /// A function or class without a name.
    Made,
}

fn text(name: &ModuleExportName) -> String {
    match name {
        ModuleExportName::Ident(name) => name.sym.to_string(),
        ModuleExportName::Str(name) => name.value.to_string_lossy().into_owned(),
    }
}

impl Script<'_> {
    /// Where an imported name comes from: how the module is named, and the name there; `None` for all of it.
    #[must_use]
    pub fn imported(&self, name: &str) -> Option<(String, Option<String>)> {
        let (specifier, there) = self.scopes().imports.get(&swc_atoms::Atom::from(name))?;
        let there = there.as_ref().map(ToString::to_string);
        Some((specifier.clone(), there))
    }

    /// What the module exports under a name, and where; `export *` gives more: see [`Self::exported_all`].
    #[must_use]
    pub fn exported(&self, name: &str) -> Option<(Exported, ByteOffset)> {
        let Program::Module(module) = self.program() else {
            return None;
        };
        let reading = Reading {
            scopes: self.scopes(),
        };
        let declarations = module.body.iter().filter_map(|item| match item {
            ModuleItem::ModuleDecl(declaration) => Some(declaration),
            ModuleItem::Stmt(_) => None,
        });
        for declaration in declarations {
            let at = ByteOffset(declaration.span().lo.0);
            if let Some(exported) = of(reading, declaration, name) {
                return Some((exported, at));
            }
        }
        None
    }

    /// The modules of which all is exported: `export * from "…"`.
    #[must_use]
    pub fn exported_all(&self) -> Vec<String> {
        let Program::Module(module) = self.program() else {
            return Vec::new();
        };
        let all = module.body.iter().filter_map(|item| match item {
            ModuleItem::ModuleDecl(ModuleDecl::ExportAll(all)) => {
                Some(all.src.value.to_string_lossy().into_owned())
            }
            _ => None,
        });
        all.collect()
    }
}

/// What one declaration exports under a name.
fn of(reading: Reading<'_>, declaration: &ModuleDecl, name: &str) -> Option<Exported> {
    let variable = |name: &str, at: u32| Exported::Variable {
        name: name.to_owned(),
        at: ByteOffset(at),
    };
    match declaration {
        ModuleDecl::ExportDecl(export) => match &export.decl {
            Decl::Var(variables) => {
                let mut found = None;
                for declarator in &variables.decls {
                    for_each_binding(&declarator.name, &mut |own, at| {
                        if **own == *name {
                            found = Some(variable(name, at.0));
                        }
                    });
                }
                found
            }
            Decl::Fn(function) if *function.ident.sym == *name => {
                Some(variable(name, function.ident.span.lo.0))
            }
            Decl::Class(class) if *class.ident.sym == *name => {
                Some(variable(name, class.ident.span.lo.0))
            }
            _ => None,
        },
        ModuleDecl::ExportNamed(named) => {
            let from = named.src.as_ref();
            let from = from.map(|source| source.value.to_string_lossy().into_owned());
            named
                .specifiers
                .iter()
                .find_map(|specifier| match specifier {
                    ExportSpecifier::Named(own) => {
                        let outside = text(own.exported.as_ref().unwrap_or(&own.orig));
                        let inside = text(&own.orig);
                        (outside == name).then(|| match &from {
                            Some(specifier) => Exported::Of {
                                specifier: specifier.clone(),
                                name: Some(inside),
                            },
                            None => variable(&inside, own.orig.span().lo.0),
                        })
                    }
                    ExportSpecifier::Namespace(own) => {
                        (text(&own.name) == name).then_some(())?;
                        Some(Exported::Of {
                            specifier: from.clone()?,
                            name: None,
                        })
                    }
                    ExportSpecifier::Default(_) => None,
                })
        }
        ModuleDecl::ExportDefaultExpr(export) if name == "default" => {
            Some(Exported::Value(Box::new(reading.value(&export.expr))))
        }
        ModuleDecl::ExportDefaultDecl(export) if name == "default" => {
            let own = match &export.decl {
                DefaultDecl::Fn(function) => function.ident.as_ref(),
                DefaultDecl::Class(class) => class.ident.as_ref(),
                DefaultDecl::TsInterfaceDecl(_) => None,
            };
            Some(match own {
                Some(own) => variable(&own.sym, own.span.lo.0),
                None => Exported::Made,
            })
        }
        _ => None,
    }
}
