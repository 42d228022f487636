//! A text field with what is done with its text, and buttons. What is the same of all of them is compiled once: else
//! what people download has a copy of it for each function that is given to one.

use leptos::prelude::*;

use super::icons::{Icon, drawn};
use super::leaving::leaving;

/// The words of a field.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// By which it is known in the document.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    /// What is in it while it is empty.
    pub(crate) hint: &'static str,
    /// What the button beside it is called.
    pub(crate) button: &'static str,
    /// The sign on that button, where it has no word on it.
    pub(crate) icon: Option<Icon>,
}

/// A field that is labelled, and a button beside it; Enter presses it. `done` gets the text, which is never empty.
pub(crate) fn field(
    words: Words,
    value: RwSignal<String>,
    is_off: impl Fn() -> bool + Send + 'static,
    done: impl Fn(String) + 'static,
) -> AnyView {
    field_of(words, value, Box::new(is_off), Box::new(done))
}

fn field_of(
    words: Words,
    value: RwSignal<String>,
    is_off: Box<dyn Fn() -> bool + Send>,
    done: Box<dyn Fn(String)>,
) -> AnyView {
    let Words {
        name,
        label,
        hint,
        button,
        icon,
    } = words;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let text = value.get_untracked().trim().to_owned();
        if !text.is_empty() {
            done(text);
        }
    };
    view! {
        <form class=name on:submit=submit>
            <label for=name>{label}</label>
            <input
                id=name
                name=name
                placeholder=hint
                title=label
                autocomplete="off"
                spellcheck="false"
                prop:value=leaving(move || value.get())
                on:input=move |event| value.set(event_target_value(&event))
            />
            <button type="submit" class:icon=icon.is_some() title=button aria-label=button disabled=leaving(is_off)>
                {match icon {
                    Some(icon) => drawn(icon).into_any(),
                    None => button.into_any(),
                }}
            </button>
        </form>
    }
    .into_any()
}

/// A button that does something.
pub(crate) fn button(
    class: &'static str,
    text: &'static str,
    is_off: impl Fn() -> bool + Send + 'static,
    done: impl Fn() + 'static,
) -> AnyView {
    button_of(class, text, Box::new(is_off), Box::new(done))
}

fn button_of(
    class: &'static str,
    text: &'static str,
    is_off: Box<dyn Fn() -> bool + Send>,
    done: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button type="button" class=class disabled=leaving(is_off) on:click=move |_| done()>{text}</button>
    }
    .into_any()
}
