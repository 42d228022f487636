//! What is recorded of the tab that is debugged, with what can be done with it: recorded from here on, taken over,
//! forgotten.

use leptos::prelude::*;
use querypoint::session::methods;
use querypoint::session::results::Moved;

use super::fields::button;
use crate::link::{order, order_and};
use crate::model::{Link, Model};
use crate::{devtools, texts};

/// Whether the tab that is debugged can be recorded without a browser of the back end's.
pub(crate) fn is_tab_recorded(model: Model) -> bool {
    let is_followed = model.not_following.with_untracked(Option::is_none);
    devtools::is_extension() && is_followed && !model.connected.get_untracked()
}

/// Records what the person does: in the tab that is debugged, where that is possible; `then` hears when it is over.
pub(crate) fn record(model: Model, then: impl FnOnce(Moved) + 'static) {
    if is_tab_recorded(model) {
        order_and(model, methods::RecordTab {}, then);
    } else {
        // In a browser that the back end is connected to, the tab is one of its own.
        let record = methods::Record {
            in_open_tab: devtools::is_extension() && model.connected.get_untracked(),
        };
        order_and(model, record, then);
    }
}

/// What is recorded of the tab, in few words; nothing where the panel is no part of the developer tools.
pub(crate) fn recorded(model: Model) -> impl IntoView {
    let is_busy = move || model.doing.get().is_some() || model.link.get() != Link::Open;
    let text = move || {
        let recorded = model.recorded.get()?;
        Some(texts::recorded(recorded.steps, recorded.is_full))
    };
    let take = move || order(model, methods::TakeRecording {});
    let forget = move || {
        order_and(model, methods::ForgetTab {}, move |_| {
            model.tell(texts::FORGOTTEN, false);
        });
    };
    move || {
        text().map(|text| {
            view! {
                <div role="group" class="actions recorded" aria-label=texts::RECORDED_TAB title=texts::RECORDED_TAB>
                    {button("take", texts::TAKE_RECORDING, is_busy, take)}
                    {button("forget-tab", texts::FORGET_TAB, is_busy, forget)}
                    <span role="status">{text}</span>
                </div>
            }
        })
    }
}
