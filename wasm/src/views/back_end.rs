//! The back end: which one it is, to end it, or to turn to another.

use leptos::prelude::*;
use querypoint::session::methods;

use super::fields::{Words, button, field};
use crate::link::{connect_anew, order};
use crate::model::{Link, Model};
use crate::{address, devtools, texts};

const ADDRESS: Words = Words {
    name: "back-end-address",
    label: texts::BACK_END_ADDRESS,
    hint: texts::BACK_END_ADDRESS_HINT,
    button: texts::USE_BACK_END,
    icon: None,
};

/// What there is to be done with it. When it ends, what this is part of is closed: it would lie over the way back.
pub(crate) fn back_end(model: Model, close: impl Fn() + 'static) -> impl IntoView {
    let is_open = move || model.link.get() == Link::Open;
    let about = move || {
        let (version, in_background) = model.back_end.get();
        is_open().then(|| texts::back_end(&version, in_background))
    };
    let for_another = false;
    let end = move || {
        close();
        order(model, methods::EndBackEnd { for_another });
    };
    view! {
        <div role="group" class="back-end" aria-label=texts::BACK_END>
            <span>{about}</span>
            {button("end-back-end", texts::END_BACK_END, move || !is_open(), end)}
            {devtools::is_extension().then(|| choice(model))}
        </div>
    }
}

/// Which back end the panel turns to: a page belongs to one.
fn choice(model: Model) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let is_own = RwSignal::new(address::is_own());
    let choose = move |address: Option<&str>| {
        if address::choose_back_end(address) {
            is_own.set(address.is_some());
            text.set(String::new());
            connect_anew(model);
        } else {
            model.tell(texts::NO_BACK_END_ADDRESS, true);
        }
    };
    view! {
        {field(ADDRESS, text, || false, move |address| choose(Some(&address)))}
        {move || is_own.get().then(|| button("found-back-end", texts::FOUND_BACK_END, || false, move || choose(None)))}
    }
}
