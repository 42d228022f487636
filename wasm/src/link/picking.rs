//! Pointing at what is wrong: the browser marks what the pointer is on, and the next press selects it, as in the tools'
//! own view of elements, but the panel stays in front.

use leptos::prelude::*;
use querypoint::session::element::Picked;
use querypoint::session::methods::{EndSelecting, SelectElement};
use wasm_bindgen_futures::spawn_local;

use crate::link::{inspected, request};
use crate::model::{Model, Say};
use crate::texts;

/// Has the next press in the page select an element; or no longer, if it would.
pub(crate) fn switch(model: Model) {
    if model.is_picking.get_untracked() {
        // The selection hears that it is cancelled.
        request(EndSelecting {}, |_| {});
        return;
    }
    spawn_local(async move {
        if let Err(why) = inspected::ready(model).await {
            model.tell(texts::not_picking(&why), true);
            return;
        }
        request(SelectElement {}, move |begun| match begun {
            Ok(_) => model.is_picking.say(true),
            Err(refusal) => model.tell(texts::not_picking(&refusal.message), true),
        });
    });
}

/// What the person selected; none: it is gone, or in another frame.
pub(crate) fn selected(model: Model, element: Option<Picked>, cancelled: bool) {
    model.is_picking.say(false);
    match element {
        Some(element) => model.picked.say(Some(element)),
        None if !cancelled => model.tell(texts::PICKED_ELSEWHERE, true),
        None => {}
    }
}
