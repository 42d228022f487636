//! A text field with what is done with its text.

use leptos::prelude::*;

use super::leaving::leaving;

/// The words of a field.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// By which it is known in the document.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    /// What stands in it while it is empty.
    pub(crate) hint: &'static str,
    /// What the button beside it is called.
    pub(crate) button: &'static str,
    /// Where what may be typed is listed.
    pub(crate) list: Option<&'static str>,
}

/// A field that is labelled, and a button beside it; Enter presses it. `done` gets the text, which is never empty.
pub(crate) fn field(
    words: Words,
    value: RwSignal<String>,
    is_off: impl Fn() -> bool + Send + 'static,
    done: impl Fn(String) + 'static,
) -> impl IntoView {
    let Words {
        name,
        label,
        hint,
        button,
        list,
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
                list=list
                autocomplete="off"
                spellcheck="false"
                prop:value=leaving(move || value.get())
                on:input=move |event| value.set(event_target_value(&event))
            />
            <button type="submit" disabled=leaving(is_off)>{button}</button>
        </form>
    }
}

/// A button that does something.
pub(crate) fn button(
    class: &'static str,
    text: &'static str,
    is_off: impl Fn() -> bool + Send + 'static,
    done: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button type="button" class=class disabled=leaving(is_off) on:click=move |_| done()>{text}</button>
    }
}
