//! What was so at the point: the change, the scopes, the stack, and what is watched.

use leptos::prelude::*;
use querypoint::answer::{PointAnswer, Watch};
use querypoint::session::change::{Change, parts};
use querypoint::session::differences::differences;
use querypoint::session::methods;

use super::decisions::decisions;
use super::fields::{Words, button, field};
use super::frames::{reading, scopes_of, stack};
use super::path::path;
use super::picture::picture;
use super::scopes::{ScopePosition, groups};
use super::values::tree;
use crate::link::order;
use crate::model::Model;
use crate::texts;

const WATCH: Words = Words {
    name: "watch",
    label: texts::WATCH,
    hint: texts::WATCH_HINT,
    button: texts::WATCH,
    icon: None,
};

/// The state at the point that is looked at.
pub(crate) fn state(model: Model) -> impl IntoView {
    let point = Memo::new(move |_| model.chosen_point());
    let asked_at = Memo::new(move |_| model.asked_at());
    let watch = RwSignal::new(String::new());
    let is_busy = move || model.doing.get().is_some() || point.with(Option::is_none);
    let add = move |expression: String| {
        crate::link::order_and(model, methods::Watch { expression }, move |_| {
            watch.set(String::new())
        });
    };
    let place = Signal::derive(move || {
        let name = point.with(|it| it.as_ref().map(|it| it.name.clone()));
        ScopePosition::of_frame(&name.unwrap_or_default(), model.frame())
    });
    let groups = Signal::derive(move || {
        let Some(point) = point.get() else {
            return Vec::new();
        };
        let scopes = scopes_of(model, &point).unwrap_or_default();
        let said = match model.frame() {
            0 => asked_at.with(|asked_at| said(&point, asked_at.as_ref())),
            _ => Vec::new(),
        };
        groups(&scopes, &said)
    });
    let is_empty = move || point.with(Option::is_none);
    view! {
        {move || point.get().map(|point| change(&point))}
        {path(model, point)}
        {decisions(model, point)}
        <details class="section" open hidden=is_empty>
            <summary>{texts::SCOPES}</summary>
            {reading(model, point)}
            {tree(model, texts::SCOPES, place, groups)}
        </details>
        <details class="section" open hidden=is_empty>
            <summary>{texts::STACK}</summary>
            {stack(model, point)}
        </details>
        <details class="section" open hidden=is_empty>
            <summary>{texts::WATCHES}</summary>
            <table>
                <tbody>
                    {move || point.get().map(|point| {
                        point.watches.iter().map(|watch| watched(model, watch)).collect_view()
                    })}
                </tbody>
            </table>
            {field(WATCH, watch, is_busy, add)}
        </details>
        {picture(model, point)}
    }
}

/// What is to be said of variables: that they were something else where the point was asked at.
fn said(point: &PointAnswer, asked_at: Option<&PointAnswer>) -> Vec<(usize, String, String)> {
    let Some(asked_at) = asked_at else {
        return Vec::new();
    };
    let told = differences(point, asked_at).into_iter();
    told.map(|it| {
        (
            it.scope,
            it.name,
            texts::at_point(&asked_at.name, &it.there),
        )
    })
    .collect()
}

/// What happened there.
fn change(point: &PointAnswer) -> impl IntoView + use<> {
    let change = match (&point.old, &point.new, point.created) {
        (Some(old), Some(new), None | Some(false)) => {
            let Change {
                before,
                old,
                new,
                after,
            } = parts(&old.text, &new.text);
            let (before, after) = (before.to_owned(), after.to_owned());
            let (first, last) = (before.clone(), after.clone());
            Some(
                view! {
                    <p class="change">
                        <del aria-label=texts::OLD_VALUE><code>{before}<b>{old.to_owned()}</b>{after}</code></del>
                        " → "
                        <ins aria-label=texts::NEW_VALUE><code>{first}<b>{new.to_owned()}</b>{last}</code></ins>
                    </p>
                }
                .into_any(),
            )
        }
        (_, Some(new), created) => {
            let word = match created {
                Some(true) => texts::CREATED_AS,
                _ => texts::NEW_VALUE,
            };
            let new = new.text.clone();
            Some(
                view! { <p class="change">{word} " " <ins><code>{new}</code></ins></p> }.into_any(),
            )
        }
        _ => None,
    };
    let is = point.value.as_ref().map(|value| {
        let text = value.text.clone();
        view! { <p class="change">{texts::IS} " " <code>{text}</code></p> }
    });
    let cause = point.cause.as_ref().map(texts::caused_by);
    let condition = point
        .condition
        .as_ref()
        .map(|it| format!("{} is {}", it.text, it.outcome));
    let exception = point
        .exception
        .as_ref()
        .map(|it| format!("{}: {}", it.class, it.message));
    view! {
        {change}
        {is}
        {[condition, exception, cause, point.note.clone()].into_iter().flatten()
            .map(|text| view! { <p class="note">{text}</p> }).collect_view()}
    }
}

fn watched(model: Model, watch: &Watch) -> impl IntoView + use<> {
    let expression = watch.expression.clone();
    let unwatch = move || {
        let expression = expression.clone();
        order(model, methods::Unwatch { expression });
    };
    let threw = watch.threw == Some(true);
    view! {
        <tr>
            <th scope="row"><code>{watch.expression.clone()}</code></th>
            <td class:error=threw><code>{watch.value.text.clone()}</code></td>
            <td>{button("unwatch", texts::UNWATCH, move || model.doing.get().is_some(), unwatch)}</td>
        </tr>
    }
}
