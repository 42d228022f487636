//! `with`: its object has none of our names, and what is written in its body is a property of it, or a variable.

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{AssignExpr, WithStmt};
use swc_ecma_visit::VisitWith;

use super::LoggedKind;
use super::walker::{LogWalker, WithObject, at, end};
use crate::position::ByteOffset;
use crate::scopes::ScopeKind;

impl LogWalker<'_> {
    /// `x = v` in the body of a `with` whose object may have `x`.
    ///
    /// ```text
    /// with (o) x = v      {let $QpW1;with($QpCw($QpW1=(0,o)))$QpLH(1,0,2,"x",x = v,$QpW1)}
    /// ```
    pub(super) fn assignment_in_with(
        &mut self,
        assign: &AssignExpr,
        name: &Atom,
        place: ByteOffset,
    ) -> Option<()> {
        if !self.may_wrap(assign.span) {
            return None;
        }
        let resolution = self.scopes.resolve(self.current, name);
        let around = self.scopes.with_bodies(self.current, resolution).len();
        let first = self.with_objects.len().checked_sub(around)?;
        let (variable, instance) = self.variable_or_with(name, false)?;
        let shown = self.original(place, name);
        let start = at(assign.span);
        let site = self.site_of(start, LoggedKind::Assign, shown.clone(), variable);
        let own = self.site(start, LoggedKind::Write, shown);
        let mut objects = String::new();
        for object in self.with_objects.get_mut(first..)?.iter_mut().rev() {
            object.is_named = true;
            objects.push(',');
            objects.push_str(&object.name);
        }
        let p = self.prefix;
        let before = format!("{p}LH({site},{instance},{own},\"{name}\",");
        self.next_name = Some(name.to_string());
        self.wrap(assign.span, &before, &format!("{objects})"), |this| {
            assign.right.visit_with(this);
        });
        self.next_name = None;
        Some(())
    }

    /// `with`: the object has none of our names; hooks in the body may name it.
    pub(super) fn with(&mut self, statement: &WithStmt) {
        let object = statement.obj.span();
        let name = format!("{}W{}", self.prefix, self.with_objects.len() + 1);
        let block = self.edits.reserve(at(statement.span));
        let opening = self.edits.reserve(at(object));
        statement.obj.visit_with(self);
        let closing = self.edits.reserve(end(object));
        self.with_objects.push(WithObject {
            name: name.clone(),
            is_named: false,
        });
        self.in_scope(ScopeKind::With, statement.body.span(), |this| {
            this.unlisted(&statement.body);
        });
        let is_named = self
            .with_objects
            .pop()
            .is_some_and(|object| object.is_named);
        let p = self.prefix;
        if is_named {
            self.edits.fill(block, &format!("{{let {name};"));
            self.edits.fill(opening, &format!("{p}Cw({name}=(0,"));
            self.edits.fill(closing, "))");
            self.edits.insert(end(statement.span), "}");
        } else {
            self.edits.fill(opening, &format!("{p}Cw("));
            self.edits.fill(closing, ")");
        }
    }
}
