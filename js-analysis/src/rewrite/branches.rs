//! Assignments that a minifier made one of: `x = a ? 1 : 2` of `if (a) x = 1; else x = 2;`.
//!
//! ```text
//! x = a ? 1 : 2    x = ($Qp2=a ? ($Qp1=2,1) : ($Qp1=3,2),$QpA&&($Qp$x=$QpX($Qp1,x,$Qp$x,$Qp2)),$Qp2)
//! ```
//! Each branch is a site of its own where the source map says that its author assigned it. Others keep the site of the
//! assignment.

use std::rc::Rc;

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::Expr;

use super::SiteKind;
use super::rewriter::Rewriter;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// What an assignment writes to, as far as its author's text can name it.
#[derive(Clone, Copy)]
pub(super) enum Assigned<'t> {
    /// A property of this name.
    Property(&'t str),
    /// A property whose name is computed.
    Computed,
    /// A variable, by the name under which it runs and where that is.
    Variable(&'t Atom, ByteOffset),
}

/// An assignment to be hooked: its site, and what it writes to.
#[derive(Clone, Copy)]
pub(super) struct Assignment<'t> {
    pub(super) site: u32,
    pub(super) to: Assigned<'t>,
}

/// The branches of a value that is being visited.
pub(super) struct Branches {
    /// The temporary that holds the number of the site.
    pub(super) site: Rc<str>,
    ends: Vec<ByteOffset>,
}

impl Rewriter<'_> {
    /// Opens the branches of an assignment's value, before it is visited; `None` if none of them was an assignment of
    /// its own.
    pub(super) fn open_branches(
        &mut self,
        value: &Expr,
        assignment: Assignment<'_>,
    ) -> Option<Branches> {
        let mut branches = Vec::new();
        add_branches(value, &mut branches);
        if branches.len() < 2 {
            return None;
        }
        let author_name = match assignment.to {
            Assigned::Property(name) => Some(name.trim_start_matches('#').to_owned()),
            Assigned::Computed => None,
            Assigned::Variable(name, at) => {
                let known = self.names.original_name(at);
                Some(known.unwrap_or_else(|| name.to_string()))
            }
        };
        let was_assigned = |branch: &Expr| {
            let at = ByteOffset(last_of(branch).span().lo.0);
            self.names.assigns(at, author_name.as_deref()).then_some(at)
        };
        let own: Vec<Option<ByteOffset>> = branches.iter().map(|it| was_assigned(it)).collect();
        if own.iter().all(Option::is_none) {
            return None;
        }
        let temporary = self.temporary();
        let here = self.here;
        let mut ends = Vec::with_capacity(branches.len());
        for (branch, own) in branches.iter().zip(own) {
            let site = match own {
                Some(at) => self.site(at, SiteKind::Branch),
                None => assignment.site,
            };
            let span = branch.span();
            self.edits
                .insert_args(ByteOffset(span.lo.0), format_args!("({temporary}={site},"));
            ends.push(ByteOffset(span.hi.0));
        }
        self.here = here;
        Some(Branches {
            site: temporary,
            ends,
        })
    }

    /// Closes them, when the value has been visited.
    pub(super) fn close_branches(&mut self, branches: &Branches) {
        for &end in &branches.ends {
            self.edits.insert(end, ")");
        }
    }
}

/// Adds the expressions of which a conditional expression gives the value of one; of any other, itself.
fn add_branches<'e>(value: &'e Expr, branches: &mut Vec<&'e Expr>) {
    match unparenthesized(value) {
        Expr::Cond(choice) => {
            add_branches(&choice.cons, branches);
            add_branches(&choice.alt, branches);
        }
        _ => branches.push(value),
    }
}

/// The expression that gives the value.
fn last_of(expression: &Expr) -> &Expr {
    match unparenthesized(expression) {
        Expr::Seq(sequence) => sequence
            .exprs
            .last()
            .map_or(expression, |last| last_of(last)),
        inner => inner,
    }
}
