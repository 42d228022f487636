//! What the person sees. Each file is one part of the panel.

mod asking;
mod bar;
mod fields;
mod notes;
mod points;
mod source;
mod state;

use leptos::prelude::*;

use crate::model::Model;
use crate::texts;

/// The whole panel.
pub(crate) fn panel(model: Model) -> impl IntoView {
    view! {
        <header>
            <h1>{texts::TITLE}</h1>
            {bar::bar(model)}
        </header>
        {notes::notes(model)}
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
                <h2 id="state">{texts::TRACE_DATA}</h2>
                {state::state(model)}
            </section>
        </main>
        <footer>{asking::asking(model)}</footer>
    }
}
