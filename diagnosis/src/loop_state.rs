//! The variables that an iteration sees: those of the call that runs it, by scopes around the loop.

use event_log::ids::{ScopeId, StaticScopeId, VariableId};
use event_log::model::{Call, Model};
use event_log::tables::{SiteKind, StaticScopeKind};

use crate::loops::Iteration;
use crate::state::Cell;

/// More scopes are not around one another.
const MOST_SCOPES: usize = 1000;

/// The variables of the call that an iteration sees, in the order in which they are declared: each in the scope that
/// was written last before the iteration, or first in it.
pub(crate) fn variables_of(model: &Model, call: &Call, iteration: &Iteration) -> Vec<Cell> {
    let site = model.events.get(iteration.id as usize).map(|it| it.site);
    let site = site.and_then(|it| model.site(it));
    let mut scopes = Vec::new();
    let mut next = site.map(|it| it.scope).unwrap_or_default();
    while let Some(scope) = model
        .tables
        .scope(next)
        .filter(|_| scopes.len() < MOST_SCOPES)
    {
        if scope.function != call.function {
            break;
        }
        scopes.push(next);
        next = scope.parent;
    }
    let variables = model.tables.variables.iter().zip(1..);
    let own = variables.filter(|(it, _)| scopes.contains(&it.scope));
    own.filter_map(|(_, number)| {
        let variable = VariableId(number);
        let scope = scope_of(model, call, variable, iteration)?;
        Some(Cell { variable, scope })
    })
    .collect()
}

/// The block that declares the variable of a `for-of` or `for-in`: each iteration has one of its own.
pub(crate) fn head_scope(model: &Model, iteration: &Iteration) -> Option<StaticScopeId> {
    let site = model.site(model.events.get(iteration.id as usize)?.site)?;
    let scope = model.tables.scope(site.scope)?;
    let is_head = site.kind == SiteKind::Assign && scope.kind == StaticScopeKind::Block;
    is_head.then_some(site.scope)
}

/// The scope of the call in which a variable was written last before an iteration, or first in it.
fn scope_of(
    model: &Model,
    call: &Call,
    variable: VariableId,
    iteration: &Iteration,
) -> Option<ScopeId> {
    let writes = model.variables.get(&variable.0)?;
    let is_own = |event: u32| {
        let event = model.events.get(event as usize);
        event.is_some_and(|it| it.call == iteration.call)
    };
    let border = writes.partition_point(|it| it.event <= iteration.id);
    let (before, behind) = writes.split_at(border);
    let before = before.iter().rev().take_while(|it| it.event >= call.enter);
    let behind = behind.iter().take_while(|it| it.event < iteration.end);
    let mut own = before
        .chain(behind)
        .filter(|it| it.stream == call.stream && is_own(it.event));
    own.next().map(|it| it.scope)
}
