//! Who wrote last what is in sight where the tab has paused: the button that has it told from the next load on.

use leptos::prelude::*;
use querypoint::answer::LastWriter;
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

/// Shows its line.
pub(crate) fn show(writer: &LastWriter) {
    if let Some(location) = &writer.location {
        devtools::show_in_sources(&location.url, location.line, location.column);
    }
}
