//! Writes of variables: assignments, updates, declarators.
//!
//! ```text
//! x = g()        x = ($Qp1=g(),$QpA&&($Qp$x=$QpX(1,x,$Qp$x,$Qp1)),$Qp1)
//! x = () => 1    x = ($Qp1={x:() => 1}.x,$QpA&&($Qp$x=$QpX(1,x,$Qp$x,$Qp1)),$Qp1)
//! x += g()       x = ($Qp1=x+(g()),$QpA&&($Qp$x=$QpX(1,x,$Qp$x,$Qp1)),$Qp1)
//! x++            ($QpA&&($Qp$x=$QpU(1,x,$Qp$x,1)),x++)
//! let x = 1      let x = ($QpA&&($Qp$x=$QpV(1,$Qp$x,1)),1)
//! let x          let x=($QpA&&($Qp$x=$QpV(1,$Qp$x,void 0)),void 0)
//! y = 1          y = ($QpA&&$QpG(1,"y",1,0),1)
//! y++            ($QpA&&$QpN(1,"y",1),y++)
//! let {x} = o;   let {x} = o;;{let $QpZ=$QpA&&(($Qp$x=$QpV(1,$Qp$x,x)))}
//! ```
//! `y` represents a global. `x` is read in the hook before its shadow, so a variable in its temporal dead zone throws
//! what it always threw.

use std::fmt::Write as _;

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, BindingIdent, Pat, UpdateExpr, UpdateOp, UsingDecl, VarDecl, VarDeclKind,
    VarDeclarator,
};
use swc_ecma_visit::VisitWith;

use super::branches::{Assigned, Assignment};
use super::function_room::Top;
use super::hooks::{VariableWrite, WrittenVariable};
use super::patterns::PatternSite;
use super::properties::compound_operator;
use super::rewriter::Rewriter;
use super::watching::{VariablePlace, Watching};
use super::{OuterName, SiteKind};
use crate::position::ByteOffset;
use crate::scopes::{BindingKind, Resolution, for_each_binding};

impl<'a> Rewriter<'a> {
    /// `x = value` and its compound and logical kin. `named` says whether an anonymous function on the right
    /// takes the variable's name.
    pub(super) fn assign_variable(
        &mut self,
        assign: &AssignExpr,
        ident: &BindingIdent,
        named: bool,
    ) -> bool {
        let at = ByteOffset(ident.span.lo.0);
        let Some((place, watching)) = self.watches_writable(&ident.sym, at) else {
            return false;
        };
        let site = self.site(ByteOffset(assign.span.lo.0), SiteKind::Assignment);
        let name = &ident.sym;
        let compound = compound_operator(assign.op);
        let named = named.then_some(&**name);
        let to = Assigned::Variable(name, at);
        self.hook_value(
            &assign.right,
            (compound.map(|operator| (operator, assign)), name),
            Assignment { site, to },
            named,
            |this, site, value, out| {
                let write = VariableWrite::Assign;
                this.variable_hook(
                    site,
                    WrittenVariable {
                        name,
                        place: &place,
                        watching,
                        write,
                    },
                    value,
                    out,
                );
            },
        );
        true
    }

    /// [`Rewriter::watches_variable`] for writes: a constant's assignment throws, so it is none; and in the
    /// expressions among parameters the shadow, which is declared in the body, cannot be seen.
    pub(super) fn watches_writable(
        &mut self,
        name: &Atom,
        at: ByteOffset,
    ) -> Option<(VariablePlace, Watching<'a>)> {
        let (place, watching) = self.watches_variable(name, at)?;
        let resolution = self.scopes.resolve(self.current, name);
        if resolution == Resolution::Unresolved
            && let Some(OuterName::Shadowed {
                is_constant: true, ..
            }) = self.outer_name(name)
        {
            return None;
        }
        if let Resolution::Local(index) | Resolution::ScriptLexical(index) = resolution {
            let binding = self.scopes.binding(index);
            if binding.kind == BindingKind::Const {
                return None;
            }
            if self.parameters_of.contains(&binding.scope) {
                self.missed.insert(index);
                self.unhooked(at, "a write of a parameter inside the list of parameters");
                return None;
            }
        }
        Some((place, watching))
    }

    /// `x++` and its kin.
    pub(super) fn update_variable(&mut self, update: &UpdateExpr, name: &Atom) -> bool {
        let at = ByteOffset(update.arg.span().lo.0);
        let Some((place, watching)) = self.watches_writable(name, at) else {
            return false;
        };
        let start = ByteOffset(update.span.lo.0);
        let site = self.site(start, SiteKind::Update);
        let delta = match update.op {
            UpdateOp::PlusPlus => "1",
            UpdateOp::MinusMinus => "-1",
        };
        let mut hook = String::new();
        let write = VariableWrite::Update;
        self.variable_hook(
            site,
            WrittenVariable {
                name,
                place: &place,
                watching,
                write,
            },
            delta,
            &mut hook,
        );
        self.edits
            .insert_args(start, format_args!("({}A&&{hook},", self.prefix));
        self.edits.insert(ByteOffset(update.span.hi.0), ")");
        true
    }

    /// The declarators of a declaration that is not the head of a `for-in` or `for-of`. Gives the hooks that are to be
    /// run after it and for which the head of a loop has no room: a further declarator would be a global.
    pub(super) fn declarators(&mut self, declaration: &VarDecl, in_for_head: bool) -> String {
        let mut later = String::new();
        for declarator in &declaration.decls {
            match &declarator.name {
                Pat::Ident(ident) => self.declare_variable(declaration.kind, declarator, ident),
                pattern => {
                    pattern.visit_with(self);
                    declarator.init.visit_with(self);
                    let hooks =
                        self.fill_hooks(pattern, declarator.span.lo.0, SiteKind::Declaration);
                    if hooks.is_empty() {
                        continue;
                    }
                    let is_global = declaration.kind == VarDeclKind::Var
                        && self.rooms.last().is_some_and(|room| room.top != Top::Body);
                    if !in_for_head && self.after_statement(&hooks) {
                        continue;
                    }
                    if is_global && in_for_head {
                        let joiner = if later.is_empty() { "" } else { "," };
                        let _ = write!(later, "{joiner}{hooks}");
                    } else if is_global {
                        let at = ByteOffset(declarator.span.lo.0);
                        self.unhooked(at, "a pattern of globals outside a statement list");
                    } else {
                        let end = ByteOffset(declarator.span.hi.0);
                        let name = self.dummy();
                        self.edits
                            .insert_args(end, format_args!(",{name}={}A&&({hooks})", self.prefix));
                    }
                }
            }
        }
        later
    }

    /// The declarators of `using`: constants.
    pub(super) fn using_declarators(&mut self, declaration: &UsingDecl) {
        for declarator in &declaration.decls {
            if let Pat::Ident(ident) = &declarator.name {
                self.declare_variable(VarDeclKind::Const, declarator, ident);
            }
        }
    }

    fn declare_variable(
        &mut self,
        kind: VarDeclKind,
        declarator: &VarDeclarator,
        ident: &BindingIdent,
    ) {
        let at = ByteOffset(ident.span.lo.0);
        let Some((place, watching)) = self.watches_variable(&ident.sym, at) else {
            declarator.init.visit_with(self);
            return;
        };
        let name = &ident.sym;
        let start = ByteOffset(declarator.span.lo.0);
        let write = VariableWrite::Fill;
        let Some(init) = &declarator.init else {
            if kind == VarDeclKind::Let {
                let site = self.site(start, SiteKind::Declaration);
                let mut hook = String::new();
                self.variable_hook(
                    site,
                    WrittenVariable {
                        name,
                        place: &place,
                        watching,
                        write,
                    },
                    "void 0",
                    &mut hook,
                );
                let text = format!("=({}A&&{hook},void 0)", self.prefix);
                self.edits.insert(ByteOffset(ident.span.hi.0), &text);
            }
            return;
        };
        let site = self.site(start, SiteKind::Declaration);
        // A repeated `var` overwrites; the others are filled for the first time.
        let write = match (&place, kind) {
            (VariablePlace::Shadow(_), VarDeclKind::Var) if self.first_writes.contains(&at) => {
                VariableWrite::First
            }
            (VariablePlace::Shadow(_), VarDeclKind::Var) => VariableWrite::Assign,
            _ => write,
        };
        let to = Assigned::Variable(name, at);
        self.hook_value(
            init,
            (None, name),
            Assignment { site, to },
            Some(name),
            |this, site, value, out| {
                this.variable_hook(
                    site,
                    WrittenVariable {
                        name,
                        place: &place,
                        watching,
                        write,
                    },
                    value,
                    out,
                );
            },
        );
    }

    /// The hooks for every watched name that a pattern bound, and for what its rest elements made, `,` between them;
    /// empty if none is watched.
    pub(super) fn fill_hooks(&mut self, pattern: &Pat, site_at: u32, kind: SiteKind) -> String {
        let mut hooks = String::new();
        let at = ByteOffset(site_at);
        if self.any_variable {
            let mut names = Vec::new();
            for_each_binding(pattern, &mut |name, at| names.push((name.clone(), at)));
            for (name, name_at) in names {
                self.fill_hook(&name, name_at, at, kind, &mut hooks);
            }
        }
        self.rest_hooks(pattern, PatternSite { at, kind }, &mut hooks);
        hooks
    }
}
