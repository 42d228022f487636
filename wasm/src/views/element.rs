//! Questions about the element that is picked in the developer tools.

use leptos::prelude::*;
use querypoint::session::element::{Part, Picked};
use querypoint::session::stop::Stop;
use wasm_bindgen_futures::spawn_local;

use super::fields::{Words, button, field};
use super::tab::{About, ask_of_tab};
use crate::model::{Model, Say};
use crate::{devtools, texts};

const ATTRIBUTE: Words = Words {
    name: "attribute",
    label: texts::ATTRIBUTE,
    hint: "class",
    button: texts::LAST_CHANGE,
    icon: None,
};

const STYLE: Words = Words {
    name: "style",
    label: texts::STYLE,
    hint: "color",
    button: texts::LAST_CHANGE,
    icon: None,
};

/// What can be asked of it, shown while one is picked.
pub(crate) fn element(model: Model) -> impl IntoView {
    let picked = model.picked;
    // The tools tell one choice several times; a button is not to change under who presses it.
    let look = move || {
        spawn_local(async move {
            let now = devtools::picked().await;
            if picked
                .try_get_untracked()
                .is_some_and(|before| before != now)
            {
                picked.say(now);
            }
        });
    };
    if devtools::is_extension() {
        look();
        devtools::on_pick(look);
    }
    of(model)
}

/// What it is and what can be asked. It is made once: who presses a button presses the same one when another element is
/// picked meanwhile.
fn of(model: Model) -> impl IntoView {
    let picked = model.picked;
    let is_off = move || {
        let has_page = model.session.with(|session| session.page.is_some());
        model.doing.get().is_some() || !has_page
    };
    let attribute = RwSignal::new(String::new());
    let style = RwSignal::new(String::new());
    let label = move || picked.with(|it| it.as_ref().map(|it| it.label.clone()));
    let ask_by = move |kind: &str, part: &Part| {
        if let Some(picked) = picked.get_untracked() {
            ask(model, &picked, kind, part);
        }
    };
    let ask = move |part: &Part| ask_by("lastChange", part);
    view! {
        <section class="element" aria-label=texts::ELEMENT hidden=move || picked.with(Option::is_none)>
            <span>{texts::ELEMENT} " " <code>{label}</code></span>
            {button("from-text", texts::FROM_TEXT, is_off, move || ask_by("origin", &Part::Text))}
            {button("of-text", texts::OF_TEXT, is_off, move || ask(&Part::Text))}
            {button("of-value", texts::OF_VALUE, is_off, move || ask(&Part::Value))}
            {field(ATTRIBUTE, attribute, is_off, move |name| ask(&Part::Attribute(name)))}
            {field(STYLE, style, is_off, move |name| ask(&Part::Style(name)))}
        </section>
    }
}

/// Asks where the page is paused; else at the reproduction point; else when all is over.
fn ask(model: Model, picked: &Picked, kind: &str, part: &Part) {
    let stop = model.stop.get_untracked();
    let has_point = model.session.with_untracked(|session| session.at.is_some());
    let at = match stop.as_ref().and_then(Stop::point) {
        None if !has_point => Some("end".to_owned()),
        at => at,
    };
    if stop.is_some() {
        model.asked_from.set(stop);
    }
    let about = About::Reference(picked.reference(part));
    ask_of_tab(model, picked.query(kind, "R", part), at, about);
}
