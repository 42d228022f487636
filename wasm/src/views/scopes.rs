//! Scopes with their variables, each with the way to where it was last changed.

use std::collections::BTreeMap;

use querypoint::answer::{Scope, ScopeKind, Variable};
use querypoint::session::stop::Stop;

use crate::texts;

/// What the key of a place begins with where the tab has paused.
pub(crate) const PAUSED: &str = "paused ";

/// Where scopes are seen, for the queries that are asked there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScopePosition {
    /// What queries call it: a point, `B`, or a frame below it, `R(1)`.
    pub(crate) point: String,
    /// Where the page is paused, if that is what is seen: then it is to be the reproduction point.
    pub(crate) stop: Option<Stop>,
}

impl ScopePosition {
    /// The frame of a point; 0 is the newest.
    pub(crate) fn of_frame(point: &str, frame: usize) -> Self {
        let point = match frame {
            0 => point.to_owned(),
            frame => format!("{point}({frame})"),
        };
        Self { point, stop: None }
    }

    /// By what of it is known what is expanded there: where the tab has paused is no point of the answer.
    pub(crate) fn key(&self) -> String {
        match self.stop {
            Some(_) => format!("{PAUSED}{}", self.point),
            None => self.point.clone(),
        }
    }

    /// The point alone.
    pub(crate) fn of_point(&self) -> &str {
        let point = self.point.split('(').next();
        point.unwrap_or(&self.point)
    }

    /// The frame alone.
    pub(crate) fn frame(&self) -> usize {
        let frame = self.point.split_once('(');
        let frame = frame.and_then(|(_, frame)| frame.strip_suffix(')')?.parse().ok());
        frame.unwrap_or_default()
    }
}

/// Variables that are seen together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// What they are called; empty: they have no row above them.
    pub(crate) title: String,
    /// Whether they are folded until somebody wants to see them.
    pub(crate) is_folded: bool,
    pub(crate) variables: Vec<Variable>,
    /// What is to be said of some of them, by name.
    pub(crate) said: BTreeMap<String, String>,
}

/// What is mostly looked for is open: closures and globals are many.
fn is_folded(kind: ScopeKind) -> bool {
    matches!(kind, ScopeKind::Global | ScopeKind::Closure)
}

/// The groups of a tree that shows these scopes; `said` has what is to be said of some variables, by the number of the
/// scope.
pub(crate) fn groups(scopes: &[Scope], said: &[(usize, String, String)]) -> Vec<Group> {
    let groups = scopes.iter().enumerate().map(|(number, scope)| {
        let kind = texts::scope_kind(scope.kind);
        let title = match &scope.function {
            Some(function) if !function.is_empty() => format!("{kind}: {function}"),
            _ => kind.to_owned(),
        };
        let of_scope = said.iter().filter(|(of, _, _)| *of == number);
        Group {
            title,
            is_folded: is_folded(scope.kind),
            variables: scope.variables.clone(),
            said: of_scope
                .map(|(_, name, said)| (name.clone(), said.clone()))
                .collect(),
        }
    });
    groups.collect()
}
