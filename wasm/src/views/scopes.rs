//! Scopes with their variables, each with the way to where it was last changed.

use leptos::prelude::*;
use querypoint::answer::{Scope, ScopeKind, Variable};
use querypoint::session::stop::Stop;

use super::asking::ask_at;
use super::leaving::leaving;
use crate::model::Model;
use crate::texts;

/// Where scopes are seen, for the queries that are asked there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// What queries call it: a point, `B`, or a frame below it, `R(1)`.
    pub(crate) point: String,
    /// Where the page stands, if that is what is seen: then it is to be the reproduction point.
    pub(crate) stop: Option<Stop>,
}

/// The global object's variables are many, and hardly what is looked for.
fn is_open(kind: ScopeKind) -> bool {
    !matches!(kind, ScopeKind::Global)
}

/// A scope with its variables.
pub(crate) fn scope(model: Model, place: &Place, scope: &Scope) -> impl IntoView + use<> {
    let kind = match scope.kind {
        ScopeKind::Local => "Local",
        ScopeKind::Block => "Block",
        ScopeKind::Closure => "Closure",
        ScopeKind::Catch => "Catch",
        ScopeKind::With => "With",
        ScopeKind::Module => "Module",
        ScopeKind::Script => "Script",
        ScopeKind::Global => "Global",
    };
    let title = match &scope.function {
        Some(function) if !function.is_empty() => format!("{kind}: {function}"),
        _ => kind.to_owned(),
    };
    let rows = scope.variables.iter().map(|it| variable(model, place, it));
    let rows = rows.collect_view();
    view! {
        <details open=is_open(scope.kind)>
            <summary>{title}</summary>
            <table>
                <tbody>{rows}</tbody>
            </table>
        </details>
    }
}

fn variable(model: Model, place: &Place, variable: &Variable) -> impl IntoView + use<> {
    let query = format!("lastChange({}:{})", place.point, variable.name);
    let name = format!("{} {} {}", texts::LAST_CHANGE, texts::OF, variable.name);
    let stop = place.stop.clone();
    let ask = move |_| {
        let (query, at) = (query.clone(), stop.as_ref().and_then(Stop::point));
        if stop.is_some() {
            model.asked_from.set(stop.clone());
        }
        ask_at(model, query, at);
    };
    view! {
        <tr>
            <th scope="row"><code>{variable.name.clone()}</code></th>
            <td><code>{variable.value.text.clone()}</code></td>
            <td>
                <button
                    type="button"
                    class="last-change"
                    aria-label=name
                    disabled=leaving(move || model.doing.get().is_some())
                    on:click=ask
                >
                    {texts::LAST_CHANGE}
                </button>
            </td>
        </tr>
    }
}
