//! The file at the point, with its line marked and the visited points in the gutter.

use leptos::prelude::*;
use querypoint::answer::Location;
use querypoint::session::Session;
use querypoint::session::excerpt::{Line, lines, short_name};
use querypoint::session::methods;

use super::fields::button;
use super::pointing::{self, Lines, Pointed};
use crate::link::request;
use crate::model::{Model, SourceText};
use crate::{devtools, texts};

/// The file.
pub(crate) fn source(model: Model) -> impl IntoView {
    let place = Memo::new(move |_| model.chosen_point().and_then(|point| point.location));
    Effect::new(move |_| {
        let answer = model.answers.get();
        if let Some(location) = place.get() {
            fetch(model, location.url, answer);
        }
    });
    let shown = Memo::new(move |_| {
        let location = place.get()?;
        model.sources.with(|sources| {
            let text = sources.get(&location.url)?.text.as_ref()?;
            let answered = |session: &Session| lines(text, &location, session.answer.as_ref());
            Some(model.session.with(answered))
        })
    });
    let title = move || {
        place.get().map_or(texts::SOURCE.to_owned(), |it| {
            short_name(&it.url).to_owned()
        })
    };
    let pointed = RwSignal::new(None);
    let list = Lines::new();
    view! {
        <div class="title">
            <h2 id="source" title=move || place.get().map(|location| location.url)>{title}</h2>
            {move || place.get().filter(|_| devtools::is_extension()).map(in_sources)}
        </div>
        {move || shown.with(Option::is_none).then(|| view! { <p class="empty">{texts::NO_SOURCE}</p> })}
        {file(model, place, shown, list, pointed)}
        {pointing::menu(model, pointed, list)}
    }
}

/// The way to the browser's own view of the file.
fn in_sources(place: Location) -> impl IntoView {
    let show = move || devtools::show_in_sources(&place.url, place.line, place.column);
    button("in-sources", texts::OPEN_IN_SOURCES, || false, show)
}

/// Has the text of a file come, unless it is there since this answer. Until it comes, that of an answer before is
/// shown.
fn fetch(model: Model, url: String, answer: usize) {
    let is_there = model.sources.with_untracked(|sources| {
        let source = sources.get(&url);
        source.is_some_and(|source| source.of == answer)
    });
    if is_there {
        return;
    }
    let call = methods::Source { url: url.clone() };
    request(call, move |given| {
        let text = given.ok().map(|given| given.text);
        model.sources.update(|sources| {
            sources.insert(url, SourceText { text, of: answer });
        });
    });
}

/// The lines. Those that stay the same stay where they are, with what is selected in them: a list of the same kind is
/// changed in place.
fn file(
    model: Model,
    place: Memo<Option<Location>>,
    lines: Memo<Option<Vec<Line>>>,
    list: Lines,
    pointed: RwSignal<Option<Pointed>>,
) -> impl IntoView {
    let in_view = Memo::new(move |_| {
        let place = place.get().filter(|_| lines.with(Option::is_some));
        place.map(|location| (location.url, location.line))
    });
    Effect::new(move |_| {
        if in_view.get().is_some() {
            // Keys choose from there on.
            if let Some(list) = list.get_untracked() {
                pointing::select_nothing(&list);
            }
            // When it has been drawn.
            request_animation_frame(move || show_chosen(list));
        }
    });
    let url = move || {
        let place = place.get_untracked();
        place.map(|location| location.url).unwrap_or_default()
    };
    let point = move |it: Option<Pointed>| {
        if it.is_some() {
            pointed.set(it);
        }
    };
    let name = move || place.get().map(|it| short_name(&it.url).to_owned());
    view! {
        <ol
            class="lines"
            tabindex="0"
            hidden=move || lines.with(Option::is_none)
            aria-label=name
            title=texts::SOURCE_HINT
            node_ref=list
            on:contextmenu=move |event| point(pointing::by_mouse(&event, &url()))
            on:keydown=move |event| point(pointing::by_key(&event, list, &url()))
        >
            {move || {
                let url = place.get().map(|it| it.url).unwrap_or_default();
                let stops: Vec<u32> = model.breakpoints.with(|all| {
                    let here = all.keys().filter(|(of, _)| *of == url);
                    here.map(|(_, line)| *line).collect()
                });
                let lines = lines.get().unwrap_or_default().into_iter();
                lines.map(|line| shown(model, line, &stops)).collect_view()
            }}
        </ol>
    }
}

fn shown(model: Model, line: Line, stops: &[u32]) -> impl IntoView + use<> {
    let stops = u32::try_from(line.number).is_ok_and(|line| stops.contains(&line));
    let stops = stops.then(|| view! {
        <span class="breakpoint" role="img" aria-label=texts::BREAKPOINT title=texts::BREAKPOINT>{texts::BREAKPOINT_MARK}</span>
    });
    let marks = line.points.into_iter().map(|name| {
        let (point, title) = (name.clone(), name.clone());
        view! {
            <button type="button" class="mark" title=title on:click=move |_| model.chosen.set(point.clone())>{name}</button>
        }
    });
    view! {
        <li
            class=line.is_chosen.then_some("chosen")
            aria-current=line.is_chosen.then_some("location")
            data-line=line.number.to_string()
        >
            <span class="gutter">{stops}{marks.collect_view()}</span>
            <span class="number" aria-hidden="true">{line.number}</span>
            <code>{line.text}</code>
        </li>
    }
}

/// Has the line of the point be seen.
fn show_chosen(lines: Lines) {
    let Some(list) = lines.try_get_untracked().flatten() else {
        return;
    };
    if let Ok(Some(line)) = list.query_selector(".chosen") {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        line.scroll_into_view_with_scroll_into_view_options(&options);
    }
}
