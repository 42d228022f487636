//! What the person sees. Each file is one part of the panel.

mod asking;
mod bar;
mod element;
mod fields;
mod keys;
mod leaving;
mod line;
mod menu;
mod notes;
mod pointing;
mod points;
mod question;
mod scopes;
mod sessions;
mod source;
mod state;
mod stop;
mod tab;

use leptos::prelude::*;

pub(crate) use keys::take as take_keys;
pub(crate) use menu::Menu;

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
    view! {
        <header>
            <h1>{texts::TITLE}</h1>
            {sessions::sessions(model)}
            {bar::bar(model)}
        </header>
        {notes::notes(model)}
        {tab::differences(model)}
        <main>
            <section class="points" aria-labelledby="points">
                <h2 id="points">{texts::POINTS}</h2>
                {points::points(model)}
                {points::steps(model)}
            </section>
            <section class="source" aria-labelledby="source">
                {source::source(model)}
            </section>
            <section class="state" aria-labelledby="state">
                {stop::stop(model)}
                <h2 id="state">{texts::TRACE_DATA}</h2>
                {state::state(model)}
            </section>
        </main>
        {line::line(model)}
        {element::element(model)}
        <footer>{asking::asking(model)}</footer>
        {menu::menu(model)}
    }
}
