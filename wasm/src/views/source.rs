//! The file at the point, with its line marked and the visited points in the gutter.

use leptos::prelude::*;
use querypoint::answer::Location;
use querypoint::session::excerpt::{Line, lines, short_name};
use querypoint::session::messages::Call;

use super::fields::button;
use crate::link::request;
use crate::model::Model;
use crate::{devtools, texts};

/// The file.
pub(crate) fn source(model: Model) -> impl IntoView {
    let place = Memo::new(move |_| model.chosen_point().and_then(|point| point.location));
    Effect::new(move |_| {
        if let Some(location) = place.get() {
            fetch(model, location.url);
        }
    });
    let text = move || {
        let location = place.get()?;
        let text = model
            .sources
            .with(|sources| sources.get(&location.url).cloned())?;
        Some((location, text?))
    };
    let title = move || {
        place.get().map_or(texts::SOURCE.to_owned(), |it| {
            short_name(&it.url).to_owned()
        })
    };
    view! {
        <div class="title">
            <h2 id="source" title=move || place.get().map(|location| location.url)>{title}</h2>
            {move || place.get().filter(|_| devtools::is_extension()).map(in_sources)}
        </div>
        {move || match text() {
            None => view! { <p class="empty">{texts::NO_SOURCE}</p> }.into_any(),
            Some((location, text)) => file(model, &text, &location).into_any(),
        }}
    }
}

/// The way to the browser's own view of the file.
fn in_sources(place: Location) -> impl IntoView {
    let show = move || devtools::show_in_sources(&place.url, place.line, place.column);
    button("in-sources", texts::OPEN_IN_SOURCES, || false, show)
}

/// Has the text of a file come, unless it is there.
fn fetch(model: Model, url: String) {
    let is_there = model.sources.with(|sources| sources.contains_key(&url));
    if is_there {
        return;
    }
    let call = Call::Source { url: url.clone() };
    request(call, move |given| {
        let text = given.ok().and_then(|given| given.text);
        model.sources.update(|sources| {
            sources.insert(url, text);
        });
    });
}

fn file(model: Model, text: &str, location: &Location) -> impl IntoView + use<> {
    let lines = model
        .session
        .with(|session| lines(text, location, session.answer.as_ref()));
    let chosen = NodeRef::<leptos::html::Li>::new();
    Effect::new(move |_| {
        if let Some(line) = chosen.get() {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Center);
            line.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
    let first = lines.first().map_or(1, |line| line.number);
    view! {
        <ol class="lines" start=first.to_string() tabindex="0" aria-label=short_name(&location.url).to_owned()>
            {lines.into_iter().map(|line| shown(model, line, chosen)).collect_view()}
        </ol>
    }
}

fn shown(model: Model, line: Line, chosen: NodeRef<leptos::html::Li>) -> impl IntoView {
    let marks = line.points.into_iter().map(|name| {
        let (point, title) = (name.clone(), name.clone());
        view! {
            <button type="button" class="mark" title=title on:click=move |_| model.chosen.set(point.clone())>{name}</button>
        }
    });
    let marks = marks.collect_view();
    let content = view! {
        <span class="gutter">{marks}</span>
        <span class="number" aria-hidden="true">{line.number}</span>
        <code>{line.text}</code>
    };
    match line.is_chosen {
        true => view! { <li class="chosen" aria-current="location" node_ref=chosen>{content}</li> }
            .into_any(),
        false => view! { <li>{content}</li> }.into_any(),
    }
}
