//! The way that a value took, hop by hop, to where it was made.

use leptos::prelude::*;
use querypoint::answer::{End, Hop, PointAnswer};
use querypoint::session::excerpt::short_name;

use crate::model::Model;
use crate::texts;
use crate::views::tab::ask;

/// It, where the point was asked for one. A press on a hop shows its line.
pub(crate) fn path(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    move || {
        let point = point.get()?;
        let end = point.end.clone()?;
        let mut before = None;
        let hops = point.hops.iter().enumerate().map(|(number, it)| {
            let is_changed = before
                .replace(&it.value)
                .is_some_and(|value| *value != it.value);
            hop(model, &point.name, number, it, is_changed)
        });
        Some(view! {
            <details class="section" open>
                <summary>{texts::PATH}</summary>
                <ol class="hops">{hops.collect_view()} <li class="end">{ended(model, &point.name, &end)}</li></ol>
            </details>
        })
    }
}

fn hop(
    model: Model,
    point: &str,
    number: usize,
    hop: &Hop,
    is_changed: bool,
) -> impl IntoView + use<> {
    let key = Some((point.to_owned(), number));
    let is_chosen = {
        let key = key.clone();
        move || model.hop_chosen.with(|chosen| *chosen == key)
    };
    let place = format!("{}:{}", short_name(&hop.location.url), hop.location.line);
    let name = hop.name.as_ref().map(|name| format!("{name} = "));
    view! {
        <li>
            <button
                type="button"
                class="hop"
                aria-current=move || is_chosen().then_some("step")
                on:click=move |_| model.hop_chosen.set(key.clone())
            >
                <span class="kind">{hop.kind.word()}</span>
                <code>{name}<b class:changed=is_changed>{hop.value.text.clone()}</b></code>
                <span class="place">{place}</span>
                {hop.library.clone().map(|library| view! { <span class="library">{library}</span> })}
            </button>
        </li>
    }
}

/// A press on an operand asks where it comes from.
fn ended(model: Model, point: &str, end: &End) -> impl IntoView + use<> {
    let numbered = end.operands.iter().zip(1_u32..);
    let operands = numbered.map(|(operand, number)| {
        let text = format!("{} = {}", operand.text, operand.value.text);
        if operand.is_literal() {
            return view! { <code>{text}</code> }.into_any();
        }
        let query = format!("origin({point}:operand({number}))");
        view! {
            <button
                type="button"
                class="hop operand"
                title=texts::where_from(&operand.text)
                on:click=move |_| ask(model, query.clone())
            >
                <code>{text}</code>
            </button>
        }
        .into_any()
    });
    view! {
        {texts::MADE_BY} " " <b>{end.kind.in_words()}</b>
        {end.detail.clone().map(|detail| view! { <p class="note">{detail}</p> })}
        {operands.collect_view()}
    }
}
