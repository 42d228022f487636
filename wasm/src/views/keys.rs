//! Keys and clicks that the panel takes for itself wherever the focus is. In the developer tools what it leaves goes on
//! to them: Escape opens their console, Ctrl+F their search, a right click the browser's menu.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent};

use crate::editor;
use crate::model::Model;

/// Takes them from now on.
pub(crate) fn take(model: Model) {
    // Before any view, which may take others of them.
    window_event_listener(ev::contextmenu, |event| right_click(&event));
    let pressed =
        Closure::<dyn Fn(KeyboardEvent)>::new(move |event: KeyboardEvent| pressed(model, &event));
    let after = Closure::<dyn Fn(Event)>::new(|event: Event| {
        let is_escape = event
            .dyn_ref::<KeyboardEvent>()
            .is_some_and(|it| it.key() == "Escape");
        if is_escape {
            event.stop_propagation();
        }
    });
    let Some(window) = web_sys::window() else {
        return;
    };
    // An event that nobody hears is heard by nobody.
    let pressed = pressed.into_js_value();
    let _ =
        window.add_event_listener_with_callback_and_bool("keydown", pressed.unchecked_ref(), true);
    // After the views, and before the document, where the tools listen.
    if let Some(body) = window.document().and_then(|it| it.body()) {
        let after = after.into_js_value();
        let _ = body.add_event_listener_with_callback("keydown", after.unchecked_ref());
    }
}

fn pressed(model: Model, event: &KeyboardEvent) {
    let is_held = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
    match event.key().as_str() {
        "f" if is_held => editor::find(),
        "g" if is_held => editor::go_to_line(),
        "k" if is_held => model.palette.update(|is_open| *is_open = !*is_open),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// The browser's own menu is left where a text is typed or selected, and to those who hold Shift.
fn right_click(event: &MouseEvent) {
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    let is_field = target.is_some_and(|it| it.matches("input, textarea").unwrap_or_default());
    if !is_field && !event.shift_key() {
        event.prevent_default();
    }
}
