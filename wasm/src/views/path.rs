//! The way that a value took, hop by hop, to where it was made.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use querypoint::answer::{End, Hop, HopKind, PointAnswer};
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;

use crate::link::order;
use crate::menu::{Item, Menu};
use crate::model::{Model, Say};
use crate::texts;
use crate::views::question::ask_at;
use crate::views::tab::ask;

/// It, where the point was asked for one. A press on a hop shows its line; it is a point, at which
/// everything can be asked.
pub(crate) fn path(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    move || {
        let point = point.get()?;
        let end = point.end.clone()?;
        let mut before = None;
        let hops = model.hops(&point).into_iter().enumerate();
        let hops = hops.map(|(number, it)| {
            let became = it.became(before.as_ref()).map(|it| it.text.clone());
            before = Some(it.clone());
            hop(model, &point.name, number, it, became)
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
    hop: Hop,
    became: Option<String>,
) -> impl IntoView + use<> {
    let key = Some((point.to_owned(), number));
    let chosen = key.clone();
    let is_chosen = move || model.hop_chosen.with(|it| *it == chosen);
    let place = format!("{}:{}", short_name(&hop.location.url), hop.location.line);
    let name = hop.name.as_ref().map(|name| format!("{name} = "));
    let is_changed = became.is_some();
    let value = hop.value.text.clone();
    let beside = [hop.library.clone(), hop.realm.clone()];
    let kind = hop.kind.word();
    let choose = move || model.hop_chosen.set(key.clone());
    let pointed = {
        let choose = choose.clone();
        move |event: MouseEvent| {
            // An answer that was kept by an earlier version has no points.
            let Some(point) = hop.point.clone() else {
                return;
            };
            event.prevent_default();
            choose();
            let place = (event.client_x(), event.client_y());
            model.menu.say(Some(menu(model, &hop, point, place)));
        }
    };
    view! {
        <li>
            <button
                type="button"
                class="hop"
                aria-current=move || is_chosen().then_some("step")
                on:click=move |_| choose()
                on:contextmenu=pointed
            >
                <span class="kind">{kind}</span>
                <code>
                    {name}<b class:changed=is_changed>{value}</b>
                    {became.map(|became| format!(" → {became}"))}
                </code>
                <span class="place">{place}</span>
                {beside.into_iter().flatten()
                    .map(|text| view! { <span class="library">{text}</span> }).collect_view()}
            </button>
        </li>
    }
}

/// What can be asked at a hop, which is a point as each other one is.
fn menu(model: Model, hop: &Hop, point: String, place: (i32, i32)) -> Menu {
    let used = point.clone();
    let use_it = move || {
        let point = used.clone();
        order(model, methods::At { point });
    };
    let name = hop.name.as_deref().unwrap_or_default();
    let of_name = [
        ("origin", texts::where_from(name)),
        (
            "lastChange",
            format!("{} {} {name}", texts::LAST_CHANGE, texts::OF),
        ),
    ];
    // What is called is no reference.
    let is_reference = !name.is_empty() && hop.kind != HopKind::Return;
    let of_name = of_name.into_iter().filter(|_| is_reference);
    let asked = of_name.map(|(kind, text)| (format!("{kind}(R:{name})"), text));
    let always = [
        ("lastCondition(R)", texts::LAST_CONDITION),
        ("exceptionAfter(R)", texts::EXCEPTION_AFTER),
    ];
    let always = always.map(|(query, text)| (query.to_owned(), text.to_owned()));
    let mut items = vec![Item::job(texts::USE_AS_POINT, use_it)];
    items.extend(asked.chain(always).map(|(query, text)| {
        let at = point.clone();
        Item::job(text, move || ask_at(model, query.clone(), Some(at.clone())))
    }));
    Menu {
        label: point,
        place,
        items,
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
