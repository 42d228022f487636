//! Who wrote last what is in sight where the tab has paused: the button that has it told from the next load on, and
//! what is said of a value then.

use leptos::prelude::*;
use querypoint::answer::LastWriter;
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;

use super::fields::button;
use super::icons::{Icon, drawn};
use crate::link::order_and;
use crate::model::{Link, Model, Say};
use crate::{devtools, texts};

/// Whether the tab can have it told.
pub(crate) fn can_be_told(model: Model) -> bool {
    devtools::is_extension() && model.not_following.get().is_none()
}

/// Loads the tab again, with hooks that have it told, or without them.
pub(crate) fn switch(model: Model) {
    let on = !model.is_live.get_untracked();
    order_and(model, methods::Live { on }, move |_| {
        model.is_live.say(on);
        let said = match on {
            true => texts::LIVE_SINCE_NOW,
            false => texts::LIVE_NO_MORE,
        };
        model.tell(said, false);
    });
}

/// The button that switches it, on or off.
pub(crate) fn toggle(model: Model) -> impl IntoView {
    let label = move || match model.is_live.get() {
        true => texts::LIVE_OFF,
        false => texts::LIVE_ON,
    };
    move || {
        can_be_told(model).then(|| {
            view! {
                <button
                    type="button"
                    class="icon live-switch"
                    title=label
                    aria-label=label
                    aria-pressed=move || model.is_live.get().to_string()
                    disabled=move || model.link.get() != Link::Open
                    on:click=move |_| switch(model)
                >
                    {drawn(Icon::Written)}
                </button>
            }
        })
    }
}

/// The button that switches it on, where nothing of it is shown yet.
pub(crate) fn offer(model: Model) -> impl IntoView {
    let is_busy = move || model.link.get() != Link::Open;
    move || {
        let is_offered = can_be_told(model) && !model.is_live.get();
        is_offered.then(|| button("live", texts::LIVE_ON, is_busy, move || switch(model)))
    }
}

/// What is said of a value: the line, which a press shows in the browser's own view, or that it was the user; and the
/// task.
pub(crate) fn written_by(writer: &LastWriter) -> impl IntoView + use<> {
    let place = writer.location.as_ref().map(|location| {
        let place = format!("{}:{}", short_name(&location.url), location.line);
        let title = texts::written_at(writer);
        view! {
            <button type="button" class="writer" tabindex="-1" title=title.clone() aria-label=title>{place}</button>
        }
    });
    let user = writer.location.is_none().then_some(texts::BY_USER);
    let task = writer.task();
    view! {
        <span class="written-by">
            {texts::WRITTEN_MARK}" "
            {place}
            {user}
            {(!task.is_empty()).then(|| view! { " " <span>{task}</span> })}
        </span>
    }
}

/// Shows its line.
pub(crate) fn show(writer: &LastWriter) {
    if let Some(location) = &writer.location {
        devtools::show_in_sources(&location.url, location.line, location.column);
    }
}
