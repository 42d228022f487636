//! `with`: its object has none of our names, and what is written in its body is a property of it, or a variable.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{AssignExpr, UpdateExpr, WithStmt};
use swc_ecma_visit::VisitWith;

use super::LoggedKind;
use super::walker::{LogWalker, WithObject, at, end};
use crate::position::ByteOffset;
use crate::scopes::ScopeKind;

impl LogWalker<'_> {
    /// `x = v` and `x ||= v` in the body of a `with` whose object may have `x`.
    ///
    /// ```text
    /// with (o) x = v      {let $QpW1;with($QpCw($QpW1=(0,o)))$QpLH(1,0,2,"x",x = v,$QpW1)}
    /// with (o) x ||= v    {let $QpW1;with($QpCw($QpW1=(0,o)))$QpLO(1,0,2,"x",x ||= $QpLm(v),$QpW1)}
    /// ```
    pub(super) fn assignment_in_with(
        &mut self,
        assign: &AssignExpr,
        name: &Atom,
        place: ByteOffset,
        is_logical: bool,
    ) -> Option<()> {
        let hook = if is_logical { "LO" } else { "LH" };
        let (before, objects) = self.hook_in_with(hook, assign.span, name, place)?;
        self.next_name = Some(name.to_string());
        self.wrap(assign.span, &before, &format!("{objects})"), |this| {
            if is_logical {
                let before = format!("{}Lm(", this.prefix);
                let right = assign.right.span();
                this.wrap(right, &before, ")", |this| assign.right.visit_with(this));
            } else {
                assign.right.visit_with(this);
            }
        });
        self.next_name = None;
        Some(())
    }

    /// `x++` in the body of a `with` whose object may have `x`.
    ///
    /// ```text
    /// with (o) ++x        {let $QpW1;with($QpCw($QpW1=(0,o)))$QpLH(1,0,2,"x",++x,$QpW1)}
    /// with (o) x++        {let $QpW1;with($QpCw($QpW1=(0,o)))$QpLI(1,0,2,"x",x++,1,$QpW1)}
    /// ```
    pub(super) fn update_in_with(
        &mut self,
        update: &UpdateExpr,
        name: &Atom,
        place: ByteOffset,
        delta: i32,
    ) -> Option<()> {
        let hook = if update.prefix { "LH" } else { "LI" };
        let (before, objects) = self.hook_in_with(hook, update.span, name, place)?;
        let after = match update.prefix {
            true => format!("{objects})"),
            false => format!(",{delta}{objects})"),
        };
        self.wrap(update.span, &before, &after, |_| {});
        Some(())
    }

    /// The beginning of a hook for a write of a name in the body of a `with`, and the objects that may have it.
    fn hook_in_with(
        &mut self,
        hook: &str,
        span: Span,
        name: &Atom,
        place: ByteOffset,
    ) -> Option<(String, String)> {
        if !self.may_wrap(span) {
            return None;
        }
        let resolution = self.scopes.resolve(self.current, name);
        let around = self.scopes.with_bodies(self.current, resolution).len();
        let first = self.with_objects.len().checked_sub(around)?;
        let (variable, instance) = self.variable_or_with(name, false)?;
        let shown = self.original(place, name);
        let start = at(span);
        let site = self.site_of(start, LoggedKind::Assign, shown.clone(), variable);
        let own = self.site(start, LoggedKind::Write, shown);
        let mut objects = String::new();
        for object in self.with_objects.get_mut(first..)?.iter_mut().rev() {
            object.is_named = true;
            objects.push(',');
            objects.push_str(&object.name);
        }
        let p = self.prefix;
        let before = format!("{p}{hook}({site},{instance},{own},\"{name}\",");
        Some((before, objects))
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
