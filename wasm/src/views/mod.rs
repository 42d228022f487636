//! What the person sees. Each file is one part of the panel.

mod arrows;
mod asking;
mod back_end;
mod bar;
mod choices;
mod decisions;
mod element;
mod execution;
mod fields;
mod frames;
mod icons;
mod keys;
mod leaving;
mod line;
mod made;
mod menu;
mod notes;
mod palette;
mod path;
mod picture;
mod pointing;
mod points;
mod question;
mod recorded;
pub(crate) mod scopes;
mod sessions;
mod source;
mod splitter;
mod state;
mod steps;
mod stop;
mod tab;
mod values;
mod writers;

use leptos::prelude::*;

pub(crate) use keys::take as take_keys;

use crate::model::Model;
use crate::texts;

/// Has the panel the colours of this theme, whatever those of the system are.
pub(crate) fn wear(theme: &str) {
    let theme = if theme == "dark" { "dark" } else { "light" };
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(root) = document.and_then(|document| document.document_element()) {
        // It is a name that every document has.
        let _ = root.set_attribute("data-theme", theme);
    }
}

/// The whole panel.
pub(crate) fn panel(model: Model) -> impl IntoView {
    let of_points = splitter::size("points", 200);
    let of_state = splitter::size("state", 300);
    view! {
        <header>
            <h1>{texts::TITLE}</h1>
            {sessions::sessions(model)}
            {bar::bar(model)}
        </header>
        {notes::notes(model)}
        {tab::differences(model)}
        <main style:--points=move || of_points.get().to_string() style:--state=move || of_state.get().to_string()>
            <section class="points" aria-labelledby="points">
                <h2 id="points">{texts::POINTS}</h2>
                {points::points(model)}
                {steps::steps(model)}
            </section>
            {splitter::splitter(texts::SIZE_OF_POINTS, of_points, 1)}
            <section class="source" aria-labelledby="source">
                {source::source(model)}
            </section>
            {splitter::splitter(texts::SIZE_OF_STATE, of_state, -1)}
            <section class="state" aria-labelledby="state">
                {stop::stop(model)}
                <h2 id="state">{texts::TRACE_DATA}</h2>
                {state::state(model)}
            </section>
        </main>
        {line::line(model)}
        {execution::execution(model)}
        {element::element(model)}
        <footer>{asking::asking(model)} {menu::menu(model)} {palette::palette(model)}</footer>
    }
}
