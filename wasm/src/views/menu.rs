//! A menu of what can be done with what a person points at. There is one at a time.

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

use super::leaving::leaving;
use crate::menu::{Item, Menu};
use crate::model::{Model, Say};

/// The menu, while there is one.
pub(crate) fn menu(model: Model) -> impl IntoView {
    move || model.menu.get().map(|menu| shown(model, menu))
}

fn shown(model: Model, menu: Menu) -> impl IntoView + use<> {
    let (x, y) = menu.place;
    let before = active().and_then(|it| it.dyn_into::<HtmlElement>().ok());
    let before = StoredValue::new_local(before);
    let items = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(first) = items.get().and_then(|it| it.first_element_child()) {
            focus(&first);
        }
    });
    let close = move || {
        model.menu.say(None);
        if let Some(Some(before)) = before.try_get_value() {
            // What cannot have it leaves it where it is.
            let _ = before.focus();
        }
    };
    let key = move |event: KeyboardEvent| {
        let here = active();
        let to = match event.key().as_str() {
            "Escape" => {
                event.prevent_default();
                close();
                None
            }
            "ArrowDown" => here.and_then(|it| it.next_element_sibling()),
            "ArrowUp" => here.and_then(|it| it.previous_element_sibling()),
            "Home" => items
                .get_untracked()
                .and_then(|it| it.first_element_child()),
            "End" => items.get_untracked().and_then(|it| it.last_element_child()),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(to) = to {
            focus(&to);
        }
    };
    let left = move |event: FocusEvent| {
        let to = event
            .related_target()
            .and_then(|it| it.dyn_into::<Node>().ok());
        let items = items.get_untracked();
        if !items.is_some_and(|it| it.contains(to.as_ref())) {
            model.menu.say(None);
        }
    };
    let buttons = menu.items.into_iter().map(move |item| {
        let Item { text, waits, done } = item;
        let is_off = move || waits && model.doing.get().is_some();
        let press = move |_| {
            close();
            done();
        };
        view! {
            <button type="button" role="menuitem" disabled=leaving(is_off) on:click=press>{text}</button>
        }
    });
    view! {
        <div
            role="menu"
            class="menu"
            node_ref=items
            aria-label=menu.label
            style:left=format!("min({x}px, 100vw - 22em)")
            style:top=format!("min({y}px, 100vh - 8em)")
            on:keydown=key
            on:focusout=left
        >
            {buttons.collect_view()}
        </div>
    }
}

fn active() -> Option<Element> {
    web_sys::window()?.document()?.active_element()
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // What cannot have it leaves it where it is.
        let _ = element.focus();
    }
}
