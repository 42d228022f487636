//! Scopes with their variables, each with the way to where it was last changed.

use std::collections::BTreeMap;

use leptos::prelude::*;
use querypoint::answer::{Scope, ScopeKind, ValueType, Variable};
use querypoint::session::expressions::member;
use querypoint::session::methods;
use querypoint::session::stop::Stop;

use super::leaving::leaving;
use super::tab::{About, ask, ask_of_tab};
use crate::link::order_and;
use crate::model::Model;
use crate::texts;

/// Where scopes are seen, for the queries that are asked there.
#[derive(Clone, Debug)]
pub(crate) struct ScopePosition {
    /// What queries call it: a point, `B`, or a frame below it, `R(1)`.
    pub(crate) point: String,
    /// Where the page stands, if that is what is seen: then it is to be the reproduction point.
    pub(crate) stop: Option<Stop>,
}

/// The global object's variables are many, and hardly what is looked for.
fn is_open(kind: ScopeKind) -> bool {
    !matches!(kind, ScopeKind::Global)
}

/// A scope with its variables, and what is to be said of some of them.
pub(crate) fn scope(
    model: Model,
    place: &ScopePosition,
    scope: &Scope,
    said: &BTreeMap<String, String>,
) -> impl IntoView + use<> {
    let kind = texts::scope_kind(scope.kind);
    let title = match &scope.function {
        Some(function) if !function.is_empty() => format!("{kind}: {function}"),
        _ => kind.to_owned(),
    };
    let rows = scope.variables.iter();
    let rows = rows.map(|it| {
        let said = said.get(&it.name).cloned();
        row(model, place, it.name.clone(), it, 0, said)
    });
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

/// A variable or a property, which `expression` gives, and below it what it has inside, while that is shown.
fn row(
    model: Model,
    place: &ScopePosition,
    expression: String,
    variable: &Variable,
    depth: usize,
    said: Option<String>,
) -> AnyView {
    let query = format!("lastChange({}:{expression})", place.point);
    let name = format!("{} {} {expression}", texts::LAST_CHANGE, texts::OF);
    let stop = place.stop.clone();
    let value = variable.value.clone();
    let ask = move |_| match &stop {
        None => ask(model, query.clone()),
        Some(stop) => {
            model.asked_from.set(Some(stop.clone()));
            let about = About::Value(value.clone());
            ask_of_tab(model, query.clone(), stop.point(), about);
        }
    };
    let is_off = move || model.doing.get().is_some();
    let has_inside = variable.value.kind == ValueType::Object && variable.value.text != "null";
    let key = (place.point.clone(), expression);
    let (fold_key, place) = (key.clone(), place.clone());
    let fold = (has_inside && place.stop.is_none()).then(|| fold_button(model, fold_key));
    let inside = leaving(move || {
        let inside = model.expanded.with(|all| all.get(&key).cloned())?;
        let rows = inside.iter().map(|it| {
            let expression = member(&key.1, &it.name);
            row(model, &place, expression, it, depth + 1, None)
        });
        Some(match inside.is_empty() {
            true => view! { <tr><td colspan="3" class="empty">{texts::NOTHING_INSIDE}</td></tr> }
                .into_any(),
            false => rows.collect_view().into_any(),
        })
    });
    view! {
        <tr>
            <th scope="row" class="name" title=variable.name.clone() style:padding-left=format!("calc(8px + {depth} * 12px)")>
                {match fold {
                    Some(fold) => fold.into_any(),
                    None => view! { <span class="no-fold"></span> }.into_any(),
                }}
                <code>{variable.name.clone()}</code>
            </th>
            <td>
                <code>{variable.value.text.clone()}</code>
                {said.map(|said| view! { <div class="elsewhere">{texts::ELSEWHERE_MARK} " "<code>{said}</code></div> })}
            </td>
            <td>
                <button
                    type="button"
                    class="last-change"
                    aria-label=name
                    disabled=leaving(is_off)
                    on:click=ask
                >
                    {texts::LAST_CHANGE}
                </button>
            </td>
        </tr>
        {inside}
    }
    .into_any()
}

/// Shows what an object has inside, or no longer. The page is run once more for it, up to the point.
fn fold_button(model: Model, key: (String, String)) -> impl IntoView {
    let label = format!("{} {}", texts::EXPAND, key.1);
    let shown = key.clone();
    let is_open = move || model.expanded.with(|all| all.contains_key(&shown));
    let is_open_too = is_open.clone();
    let switch = move |_| {
        let key = key.clone();
        if model.expanded.with_untracked(|all| all.contains_key(&key)) {
            model.expanded.update(|all| drop(all.remove(&key)));
            return;
        }
        let (point, expression) = key.clone();
        order_and(
            model,
            methods::Unfold { point, expression },
            move |expanded| {
                if !expanded.notes.is_empty() {
                    model.tell(expanded.notes.join("\n"), false);
                }
                let inside = expanded.variables;
                model.expanded.update(|all| drop(all.insert(key, inside)));
            },
        );
    };
    view! {
        <button
            type="button"
            class="fold"
            aria-label=label
            aria-expanded=leaving(move || is_open().to_string())
            disabled=leaving(move || model.doing.get().is_some())
            on:click=switch
        >
            {leaving(move || if is_open_too() { texts::OPEN_MARK } else { texts::CLOSED_MARK })}
        </button>
    }
}
