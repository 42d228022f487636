//! Which scope is innermost at each place of a script, found by halving.

use crate::position::ByteOffset;
use crate::scopes::{Resolution, ScopeIndex, Scopes};
use swc_atoms::Atom;

/// From each offset up to the next one, which scope is innermost.
pub(crate) struct InnermostScopes<'s> {
    scopes: &'s Scopes,
    steps: Vec<(u32, ScopeIndex)>,
}

impl<'s> InnermostScopes<'s> {
    pub(crate) fn new(scopes: &'s Scopes) -> Self {
        Self {
            scopes,
            steps: steps_of(scopes),
        }
    }

    /// The scope that is innermost at an offset.
    pub(crate) fn at(&self, at: u32) -> ScopeIndex {
        let after = self.steps.partition_point(|(start, _)| *start <= at);
        let step = after.checked_sub(1).and_then(|index| self.steps.get(index));
        step.map_or(ScopeIndex::ROOT, |(_, scope)| *scope)
    }

    /// What a name means at an offset.
    pub(crate) fn resolve(&self, name: &Atom, at: u32) -> Resolution {
        self.scopes.resolve(self.at(at), name)
    }
}

fn steps_of(scopes: &Scopes) -> Vec<(u32, ScopeIndex)> {
    let mut order: Vec<u32> = (0..ByteOffset::from_index(scopes.scopes.len()).0).collect();
    order.sort_by_key(|&index| {
        let scope = scopes.scope(ScopeIndex(index));
        (scope.start, u32::MAX - scope.end.0, index)
    });
    let mut steps: Vec<(u32, ScopeIndex)> = Vec::with_capacity(2 * order.len());
    let mut open: Vec<ScopeIndex> = Vec::new();
    let mut step = |at: u32, scope: ScopeIndex| match steps.last_mut() {
        Some((last, old)) if *last == at => *old = scope,
        _ => steps.push((at, scope)),
    };
    for index in order {
        let index = ScopeIndex(index);
        let start = scopes.scope(index).start.0;
        while let Some(&last) = open.last() {
            let end = scopes.scope(last).end.0;
            if end > start {
                break;
            }
            open.pop();
            step(end, open.last().copied().unwrap_or(ScopeIndex::ROOT));
        }
        step(start, index);
        open.push(index);
    }
    while let Some(last) = open.pop() {
        let end = scopes.scope(last).end.0;
        step(end, open.last().copied().unwrap_or(ScopeIndex::ROOT));
    }
    steps
}
