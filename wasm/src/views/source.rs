//! The file at the point, with its line marked, the visited points beside their lines, and values behind them.

use leptos::html::Div;
use leptos::prelude::*;
use querypoint::answer::{Location, PointAnswer, Scope, ScopeKind};
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;

use super::fields::button;
use super::frames::scopes_of;
use super::pointing;
use crate::editor::{self, Annotations};
use crate::link::request;
use crate::model::{self, Model, SourceText, TextOf};
use crate::{devtools, texts};

/// The file.
pub(crate) fn source(model: Model) -> impl IntoView {
    let place = Memo::new(move |_| model.location());
    Effect::new(move |_| {
        let of = model
            .event
            .with(|event| event.as_ref().map(|(log, _)| *log));
        let of = of.map_or_else(|| TextOf::Answer(model.answers.get()), TextOf::Log);
        if let Some(location) = place.get() {
            fetch(model, location.url, of);
        }
    });
    // Of what the text is; none: there is none.
    let text_of = Memo::new(move |_| {
        let url = place.get()?.url;
        model.sources.with(|sources| {
            let source = sources.get(&url)?;
            source.text.is_some().then_some((url, source.of))
        })
    });
    let is_pretty = RwSignal::new(false);
    let caret = RwSignal::new((1, 1));
    let host = NodeRef::<Div>::new();
    host.on_load(move |host| {
        let heard = move |event| pointing::heard(model, caret, event);
        let value_of = move |written: String| pointing::value_of(model, &written);
        let (last_change, hint) = (texts::LAST_CHANGE, texts::SOURCE_HINT);
        editor::put_into(&host, heard, value_of, last_change, hint);
        show_in(model, place, text_of, is_pretty);
    });
    let title = move || {
        place.get().map_or(texts::SOURCE.to_owned(), |it| {
            short_name(&it.url).to_owned()
        })
    };
    let is_empty = move || text_of.with(Option::is_none);
    let switch_pretty = move |_| {
        editor::switch_pretty();
        is_pretty.set(editor::is_pretty());
    };
    let at = move || {
        let (line, column) = caret.get();
        texts::line_and_column(line, column)
    };
    view! {
        <div class="title">
            <h2 id="source" title=move || place.get().map(|location| location.url)>{title}</h2>
            <span class="caret" hidden=is_empty>{at}</span>
            <button
                type="button"
                class="pretty"
                title=texts::PRETTY_PRINT
                aria-label=texts::PRETTY_PRINT
                aria-pressed=move || is_pretty.get().to_string()
                hidden=is_empty
                on:click=switch_pretty
            >
                {texts::PRETTY_PRINT_MARK}
            </button>
            {move || place.get().filter(|_| devtools::is_extension()).map(in_sources)}
        </div>
        {move || is_empty().then(|| view! { <p class="empty">{texts::NO_SOURCE}</p> })}
        <div class="lines" node_ref=host hidden=is_empty></div>
    }
}

/// The way to the browser's own view of the file.
fn in_sources(place: Location) -> impl IntoView {
    let show = move || devtools::show_in_sources(&place.url, place.line, place.column);
    button("in-sources", texts::OPEN_IN_SOURCES, || false, show)
}

/// Has the text of a file come, unless it is there since this answer. Until it comes, that of one before is shown.
fn fetch(model: Model, url: String, of: TextOf) {
    let is_there = model.sources.with_untracked(|sources| {
        let source = sources.get(&url);
        source.is_some_and(|source| source.of == of)
    });
    if is_there {
        return;
    }
    let log = match of {
        TextOf::Answer(_) => None,
        TextOf::Log(log) => Some(log),
    };
    let call = methods::Source {
        url: url.clone(),
        log,
    };
    request(call, move |given| {
        let text = given.ok().map(|given| given.text);
        model.sources.update(|sources| {
            sources.insert(url, SourceText { text, of });
        });
    });
}

/// Keeps the view of source at what the model has. The same file stays as it is, with what is selected in it.
fn show_in(
    model: Model,
    place: Memo<Option<Location>>,
    text_of: Memo<Option<(String, TextOf)>>,
    is_pretty: RwSignal<bool>,
) {
    Effect::new(move |_| {
        let Some((url, _)) = text_of.get() else {
            return;
        };
        model.sources.with_untracked(|sources| {
            if let Some(text) = sources.get(&url).and_then(|it| it.text.as_ref()) {
                editor::show(&url, text, short_name(&url));
            }
        });
        is_pretty.set(editor::is_pretty());
    });
    let annotations = Memo::new(move |_| {
        text_of.get()?;
        Some(annotations(model, &place.get()?))
    });
    Effect::new(move |_| {
        annotations.with(|it| it.as_ref().map(editor::annotate));
    });
    let in_view = Memo::new(move |_| {
        let (url, _) = text_of.get()?;
        let place = place.get().filter(|it| it.url == url)?;
        Some((url, place.line, place.column))
    });
    Effect::new(move |_| {
        if let Some((_, line, column)) = in_view.get() {
            // When it has been drawn.
            request_animation_frame(move || editor::reveal((line, column)));
        }
    });
}

fn annotations(model: Model, chosen: &Location) -> Annotations {
    let here = |location: &Location| (location.line, location.column);
    let breakpoints = model.breakpoints.with(|all| {
        let of_file = all.keys().filter(|(of, _)| *of == chosen.url);
        of_file.map(|(_, line)| *line).collect()
    });
    let marks = model.session.with(|session| {
        let of_file = model::points(session.answer.as_ref()).filter_map(|point| {
            let location = point.location.as_ref().filter(|it| it.url == chosen.url)?;
            Some((point.name.clone(), here(location)))
        });
        of_file.collect()
    });
    // What is known behind its lines is so at the point.
    let is_event = model.event.with(Option::is_some);
    let point = model.chosen_point().filter(|_| !is_event);
    let balloons = point.as_ref().map(|point| balloons(point, &chosen.url));
    let scopes = point.and_then(|point| scopes_of(model, &point));
    Annotations {
        chosen: Some(here(chosen)),
        marks,
        breakpoints,
        balloons: balloons.unwrap_or_default(),
        not_run: model.not_run(&chosen.url),
        values: values(&scopes.unwrap_or_default()),
    }
}

/// What is said behind the lines of a file: what each decision there kept from happening.
fn balloons(point: &PointAnswer, url: &str) -> Vec<(u32, String)> {
    let here = point.candidates.iter();
    let here = here.filter(|it| it.location.url == url);
    here.map(|it| (it.location.line, texts::balloon(it)))
        .collect()
}

/// The variables that are seen, the innermost of each name.
fn values(scopes: &[Scope]) -> Vec<(String, String)> {
    let near = scopes.iter();
    let near = near.filter(|scope| scope.kind != ScopeKind::Global);
    let mut values: Vec<(String, String)> = Vec::new();
    for variable in near.flat_map(|scope| &scope.variables) {
        if values.iter().all(|(name, _)| *name != variable.name) {
            values.push((variable.name.clone(), variable.value.text.clone()));
        }
    }
    values
}
