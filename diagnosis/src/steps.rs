//! The state after each event of a call, beside the state at its beginning: what a person looks at who goes through the
//! call step by step, back and forth (Hermanns and Kuchen, *JHyde*, 2010: the event list).
//!
//! Only what is another value than at the beginning is given: variables of the call itself, and what it changed that
//! was there before. Behind the event of a call is the state after that call has ended.

use std::collections::BTreeMap;

use event_log::ids::{ScopeId, VariableId};
use event_log::model::{Kind, NONE};
use querypoint::diagnosis::{CallChange, StateAfter};
use querypoint::events::LoggedEvent;

use crate::log::LogTree;
use crate::state::{Cell, cell, effects};
use crate::tree::NodeId;
use crate::view::Viewer;

/// So many changes are given for an event.
const MOST_CHANGES: usize = 40;

/// The states after events of a call (or an iteration), in their order.
pub(crate) fn states_after(
    log: &LogTree<'_>,
    node: NodeId,
    events: &[LoggedEvent],
) -> Vec<StateAfter> {
    let model = log.model();
    let (Some(call), Some(entry)) = (log.call_around(node), log.start(node)) else {
        return Vec::new();
    };
    let viewer = Viewer {
        log,
        model,
        stream: call.stream,
    };
    let found = effects(log, node, log.end(node));
    let ways = viewer.ways_to(log, node, &found);
    let own = own_variables(log, node);
    // Arguments are given with the first event of a call.
    let given = match log.iteration(node) {
        Some(iteration) => viewer.entry_of(iteration),
        None => entry.saturating_add(1),
    };
    let states = events.iter().filter_map(|event| {
        let at = behind(log, node, u32::try_from(event.seq).ok()?);
        let mut changes: Vec<CallChange> = Vec::new();
        for (&variable, writes) in &own {
            let last = writes.partition_point(|&(event, _)| event < at);
            let Some(&(_, scope)) = writes.get(last.wrapping_sub(1)) else {
                continue;
            };
            let it = Cell { variable, scope };
            let name = || viewer.variable_name(it);
            let value = |at| (cell(model, call.stream, it, at), at);
            changes.extend(viewer.change(&name, value(given), value(at)));
        }
        changes.extend(viewer.changes(log, node, &found, &ways, at).0);
        changes.truncate(MOST_CHANGES);
        Some(StateAfter {
            event: event.seq,
            changes,
        })
    });
    states.collect()
}

/// When an event is over.
fn behind(log: &LogTree<'_>, node: NodeId, event: u32) -> u32 {
    let end = log.end(node);
    let of = log.model().events.get(event as usize);
    let called = of.filter(|it| it.kind == Kind::Call);
    let called = called.and_then(|it| log.model().calls.get(it.call as usize));
    match called {
        Some(called) if called.exit != NONE => called.exit.saturating_add(1).min(end),
        Some(_) => end,
        None => event.saturating_add(1),
    }
}

/// The writes of the variables of a call's own scopes, by variable: events, and the scopes that hold them.
fn own_variables(log: &LogTree<'_>, node: NodeId) -> BTreeMap<VariableId, Vec<(u32, ScopeId)>> {
    let model = log.model();
    let mut found: BTreeMap<VariableId, Vec<(u32, ScopeId)>> = BTreeMap::new();
    let (Some(call), Some(start)) = (log.call_around(node), log.start(node)) else {
        return found;
    };
    let number = model.calls.partition_point(|it| it.enter < call.enter);
    let number = u32::try_from(number).unwrap_or(NONE);
    for at in start..log.end(node) {
        let Some(event) = model.events.get(at as usize) else {
            break;
        };
        if event.kind != Kind::Assign || event.call != number {
            continue;
        }
        let scope = ScopeId(event.key);
        let is_own = model
            .scope(call.stream, scope)
            .is_some_and(|it| it.entered > call.enter);
        let variable = model.site(event.site).map(|it| it.variable);
        if let Some(variable) = variable.filter(|it| it.is_some() && is_own) {
            found.entry(variable).or_default().push((at, scope));
        }
    }
    found
}
