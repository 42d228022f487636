//! The steps of the recording, as they are made, and which of them is being done; each can be changed.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Textarea;
use leptos::prelude::*;
use querypoint::session::messages::Doing;
use querypoint::session::methods;
use querypoint::session::results::Replayed;
use web_sys::Element;

use super::arrows::{keep_tab_stop, move_focus};
use super::fields::button;
use super::leaving::leaving;
use crate::link::{order, order_and};
use crate::menu::{Item, Menu};
use crate::model::{Model, Say};
use crate::texts;

/// A step that is written anew: its number, and its text as it is kept.
type Edited = RwSignal<Option<(usize, String)>>;

/// The steps.
pub(crate) fn steps(model: Model) -> impl IntoView {
    let steps: Memo<Vec<String>> = Memo::new(move |_| match model.doing.get() {
        Some(Doing::Recording) => model.steps.get().into_values().collect(),
        _ => model.session.with(|session| {
            let recording = session.recording.as_ref();
            recording.map(|it| it.steps.clone()).unwrap_or_default()
        }),
    });
    let done = move || match (model.doing.get(), model.progress.get()) {
        (None | Some(Doing::Recording), _) | (_, None) => None,
        (Some(_), Some(progress)) => progress.parts,
    };
    let edited: Edited = RwSignal::new(None);
    let offer = move |number: usize, place: (i32, i32)| {
        if model.doing.with_untracked(Option::is_none) {
            let name = steps.with_untracked(|all| all.get(number - 1).cloned());
            let name = texts::step(&name.unwrap_or_default());
            model
                .menu
                .say(Some(menu(model, edited, number, name, place)));
        }
    };
    view! {
        <h2>{texts::STEPS}</h2>
        {move || steps.with(Vec::is_empty).then(|| view! { <p class="empty">{texts::NO_STEPS}</p> })}
        <ol
            class="steps"
            aria-label=texts::STEPS
            on:keydown=|event| { move_focus(&event, "button"); }
            on:focusin=|event| keep_tab_stop(&event, "button")
        >
            {move || steps.get().into_iter().enumerate().map(|(index, step)| {
                let number = index + 1;
                let pointed = move |event: MouseEvent| {
                    event.prevent_default();
                    let below = event_target::<Element>(&event).get_bounding_client_rect();
                    let place = match (event.client_x(), event.client_y()) {
                        // It was pressed by a key.
                        (0, 0) => (below.left() as i32, below.bottom() as i32),
                        place => place,
                    };
                    offer(number, place);
                };
                view! {
                    <li aria-current=leaving(move || done().is_some_and(|(at, _)| at == number).then_some("step"))>
                        <button
                            type="button"
                            class="step"
                            aria-haspopup="menu"
                            tabindex=if index == 0 { "0" } else { "-1" }
                            on:click=pointed
                            on:contextmenu=pointed
                        >
                            {texts::step(&step)}
                        </button>
                    </li>
                }
            }).collect_view()}
        </ol>
        {move || edited.get().map(|(number, text)| editor(model, edited, number, text))}
    }
}

fn menu(model: Model, edited: Edited, number: usize, name: String, place: (i32, i32)) -> Menu {
    let edit = move || {
        order_and(model, methods::StepText { number }, move |step| {
            edited.say(Some((number, step.text)));
        });
    };
    let delete = move || change(model, methods::EditStep { number, step: None }, || {});
    let cut = move || change(model, methods::EndAfter { number }, || {});
    let replay = move || order(model, methods::ReplayUpTo { number });
    let count = model
        .session
        .with_untracked(|it| it.recording.as_ref().map_or(0, |it| it.steps.len()));
    let mut items = vec![
        Item::job(texts::REPLAY_UP_TO_STEP, replay),
        Item::job(texts::EDIT_STEP, edit),
        Item::job(texts::DELETE_STEP, delete),
    ];
    if number < count {
        items.push(Item::job(texts::DELETE_STEPS_AFTER, cut));
    }
    Menu {
        label: name,
        place,
        items,
    }
}

/// Changes the recording; what was asked is asked again. `then` is called when it is changed.
fn change<M>(model: Model, method: M, then: impl FnOnce() + 'static)
where
    M: methods::Method<Result = Replayed>,
{
    order_and(model, method, move |changed| {
        then();
        let mut lines = vec![texts::STEPS_CHANGED.to_owned()];
        lines.extend(changed.notes);
        model.tell(lines.join("\n"), lines.len() > 1);
    });
}

/// A step as text, to be written anew.
fn editor(model: Model, edited: Edited, number: usize, text: String) -> impl IntoView {
    let field = NodeRef::<Textarea>::new();
    field.on_load(|field| {
        // It is there, so it can have it.
        let _ = field.focus();
    });
    let save = move || {
        let text = field.get_untracked().map(|it| it.value());
        let method = methods::EditStep { number, step: text };
        // What is refused stays to be repaired.
        change(model, method, move || edited.say(None));
    };
    let key = move |event: KeyboardEvent| match event.key().as_str() {
        "Escape" => {
            event.prevent_default();
            edited.set(None);
        }
        "Enter" if event.ctrl_key() => {
            event.prevent_default();
            save();
        }
        _ => {}
    };
    view! {
        <div class="edited-step" role="dialog" aria-label=texts::EDIT_STEP on:keydown=key>
            <label>
                {texts::step_number(number)}
                <textarea node_ref=field spellcheck="false" rows="10">{text}</textarea>
            </label>
            <div class="actions">
                {button("save-step", texts::SAVE_STEP, move || model.doing.get().is_some(), save)}
                {button("keep-step", texts::CANCEL, || false, move || edited.set(None))}
            </div>
        </div>
    }
}
