//! The panel: what a person sees of a session, and how they ask on.
//!
//! [`address`] says which back end and which session; [`link`] speaks to it; what it says goes into the [`model`], and the
//! [`views`] show that. Words are in [`texts`]. What can be computed without a browser is in `querypoint::session`, where it is tested.
//! Nothing here knows how an answer is found.
//!
//! What comes from the page (names, values, addresses, sources) is put into the document as text, never as markup: no view
//! sets `innerHTML` or makes an address of it.

mod address;
mod link;
mod model;
mod texts;
mod views;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::model::Say;

/// Shows the panel in the document that loaded it.
#[wasm_bindgen(start)]
pub fn start() {
    let model = model::Model::new();
    match address::read() {
        Ok(address) => link::connect(address, model),
        Err(why) => model.link.say(model::Link::Refused(why)),
    }
    leptos::mount::mount_to_body(move || views::panel(model));
}
