//! The panel: what a person sees of a session, and how they ask on.
//!
//! [`address`] says which back end and which session, with the help of the browser's [`devtools`] in an extension;
//! [`link`] speaks to it, and lets it speak to the tab that is [inspected](link::inspected); what it says goes into the
//! [`model`], and the [`views`] show that, source in an [`editor`] that is JavaScript. Words are in [`texts`]. What can
//! be computed without a browser is in `querypoint::session`, where it is tested. Nothing here knows how an answer is
//! found.
//!
//! What comes from the page (names, values, addresses, sources) is put into the document as text, never as markup: no
//! view sets `innerHTML` or makes an address of it. What is saved as HTML the back end has made, and is not shown here.

mod address;
mod devtools;
mod editor;
mod link;
mod menu;
mod model;
mod texts;
mod views;

use wasm_bindgen::prelude::wasm_bindgen;

/// Shows the panel in the document that loaded it.
#[wasm_bindgen(start)]
pub fn start() {
    let model = model::Model::new();
    link::connect(model);
    if devtools::is_extension() {
        devtools::on_page(move |page| link::turn_to(page, model));
    }
    if let Some(theme) = devtools::theme() {
        views::wear(&theme);
    }
    views::take_keys(model);
    leptos::mount::mount_to_body(move || views::panel(model));
}
