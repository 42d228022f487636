//! What is recorded of the tab that is debugged, with what can be done with it: recorded from here on, taken over,
//! dropped.

use leptos::prelude::*;
use querypoint::session::methods;
use querypoint::session::results::Moved;

use super::fields::button;
use super::writers::can_be_told;
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

/// What is recorded of the tab, in few words; nothing where the panel does not follow a tab. It is there before
/// anything is recorded: what appeared later would move the buttons beside it under who presses them.
pub(crate) fn recorded(model: Model) -> impl IntoView {
    let is_busy = move || model.doing.get().is_some() || model.link.get() != Link::Open;
    let is_off = move || is_busy() || model.recorded.with(Option::is_none);
    let text = move || {
        let recorded = model.recorded.get();
        recorded.map_or(texts::NO_STEPS_YET.to_owned(), |it| {
            texts::recorded(it.steps, it.is_full)
        })
    };
    let take = move || order(model, methods::TakeRecording {});
    let delete = move || {
        order_and(model, methods::DeleteTabRecording {}, move |_| {
            model.tell(texts::TAB_RECORDING_DELETED, false);
        });
    };
    move || {
        can_be_told(model).then(|| {
            view! {
                <div role="group" class="actions recorded" aria-label=texts::RECORDED_TAB title=texts::RECORDED_TAB>
                    {button("take", texts::TAKE_RECORDING, is_off, take)}
                    {button("delete-tab-recording", texts::DELETE_TAB_RECORDING, is_off, delete)}
                    <span role="status">{text}</span>
                </div>
            }
        })
    }
}
