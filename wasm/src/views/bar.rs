//! The page, what is recorded of it, and where it stopped.

use leptos::prelude::*;
use querypoint::session::messages::Doing;
use querypoint::session::methods;

use super::fields::{Words, field};
use super::icons::{Icon, drawn, icon_button};
use crate::link::{order, picking};
use crate::model::{Link, Model, Say};
use crate::{devtools, texts};

const PAGE: Words = Words {
    name: "page",
    label: texts::PAGE,
    hint: texts::PAGE_HINT,
    button: texts::OPEN,
    icon: Some(Icon::Go),
};

const AT: Words = Words {
    name: "at",
    label: texts::REPRODUCTION_POINT,
    hint: texts::REPRODUCTION_POINT_HINT,
    button: texts::RUN_TO,
    icon: Some(Icon::Go),
};

/// What is at the top.
pub(crate) fn bar(model: Model) -> impl IntoView {
    let is_busy = move || model.doing.get().is_some() || model.link.get() != Link::Open;
    let has_page = move || model.session.with(|session| session.page.is_some());
    let has_recording = move || model.session.with(|session| session.recording.is_some());
    let is_recording = move || model.doing.get() == Some(Doing::Recording);
    let page = of_session(model, |session| session.page.clone());
    let at = of_session(model, |session| session.at.clone());
    let switch = move || match model.doing.get_untracked() {
        Some(Doing::Recording) => order(model, methods::Stop {}),
        _ => super::recorded::record(model, |_| {}),
    };
    let undo = move || is_busy() || !model.undo.get().0;
    let redo = move || is_busy() || !model.undo.get().1;
    let pick = devtools::is_extension().then(|| {
        view! {
            <button
                type="button"
                class="icon pick"
                title=texts::PICK
                aria-label=texts::PICK
                aria-pressed=move || model.is_picking.get().to_string()
                on:click=move |_| picking::switch(model)
            >
                {drawn(Icon::Pick)}
            </button>
        }
    });
    view! {
        {pick}
        <div role="group" class="actions" aria-label=texts::UNDO>
            {icon_button("undo", Icon::Undo, texts::UNDO, undo, move || order(model, methods::Undo {}))}
            {icon_button("redo", Icon::Redo, texts::REDO, redo, move || order(model, methods::Redo {}))}
        </div>
        {field(PAGE, page, is_busy, move |page| order(model, methods::Page { page }))}
        <div role="group" class="actions" aria-label=texts::STEPS>
            <button
                type="button"
                class="icon record"
                title=move || if is_recording() { texts::STOP } else { texts::RECORD }
                aria-label=move || if is_recording() { texts::STOP } else { texts::RECORD }
                aria-pressed=move || is_recording().to_string()
                disabled=move || !has_page() || (is_busy() && !is_recording())
                on:click=move |_| switch()
            >
                <span aria-hidden="true"></span>
            </button>
            {icon_button("replay", Icon::Replay, texts::REPLAY, move || is_busy() || !has_recording(), move || {
                replay(model);
            })}
        </div>
        {super::writers::toggle(model)}
        {super::recorded::recorded(model)}
        {field(
            AT,
            at,
            move || is_busy() || !has_page(),
            move |point| order(model, methods::At { point }),
        )}
        <button
            type="button"
            class="icon show-execution"
            title=texts::EXECUTION
            aria-label=texts::EXECUTION
            aria-pressed=move || model.execution.get().to_string()
            on:click=move |_| model.execution.update(|is_open| *is_open = !*is_open)
        >
            {drawn(Icon::Execution)}
        </button>
        {icon_button("commands", Icon::Commands, texts::COMMANDS, || false, move || model.palette.set(true))}
    }
}

/// A field's text: what the session has, until the person types.
fn of_session(
    model: Model,
    part: impl Fn(&querypoint::session::Session) -> Option<String> + Send + Sync + 'static,
) -> RwSignal<String> {
    let text = RwSignal::new(String::new());
    let told = Memo::new(move |_| {
        model
            .session
            .with(|session| part(session).unwrap_or_default())
    });
    Effect::new(move |_| text.set(told.get()));
    text
}

/// Replays the recording, and says how it went.
pub(crate) fn replay(model: Model) {
    let call = methods::Replay {
        at_recorded_pace: false,
    };
    crate::link::order_and(model, call, move |given| {
        let notes = given.notes;
        let differences = given.differences.as_deref();
        let is_other = !notes.is_empty() || differences.is_some_and(|it| !it.is_empty());
        model.tell(texts::replayed(&notes, differences), is_other);
        model.differing.say(given.differences.unwrap_or_default());
    });
}
