//! The sessions that are kept, to go on with one of them, to begin another, or to forget the one that is open.

use leptos::prelude::*;
use querypoint::session::messages::{Call, SessionOutline};
use web_sys::Element;
use web_sys::js_sys::Date;

use super::fields::button;
use crate::link::{self, order_and, request};
use crate::model::{Link, Model};
use crate::texts;

/// They, when the person wants to see them.
pub(crate) fn sessions(model: Model) -> impl IntoView {
    let kept = RwSignal::new(Vec::<SessionOutline>::new());
    let is_open = RwSignal::new(false);
    let toggled = move |event: leptos::ev::Event| {
        is_open.set(event_target::<Element>(&event).has_attribute("open"));
        if is_open.get_untracked() {
            request(Call::Sessions {}, move |given| {
                kept.set(given.ok().and_then(|it| it.sessions).unwrap_or_default());
            });
        }
    };
    let turn_to = move |session: String| {
        is_open.set(false);
        link::turn_to_session(session, model);
    };
    let is_off = move || model.link.get() != Link::Open || model.doing.get().is_some();
    let begin = move || turn_to(format!("from-{}", Date::now() as u64));
    let forget = move || {
        let session = model.name.get_untracked();
        order_and(model, Call::Forget {}, move |_| turn_to(session));
    };
    view! {
        <details class="sessions" prop:open=move || is_open.get() on:toggle=toggled>
            <summary>{texts::SESSIONS}</summary>
            <div>
                <ul>
                    {move || kept.get().into_iter().map(|it| kept_one(model, it, turn_to)).collect_view()}
                </ul>
                <div class="actions">
                    {button("new-session", texts::NEW_SESSION, is_off, begin)}
                    {button("forget", texts::FORGET_SESSION, is_off, forget)}
                </div>
            </div>
        </details>
    }
}

fn kept_one(
    model: Model,
    outline: SessionOutline,
    turn_to: impl Fn(String) + 'static,
) -> impl IntoView {
    let SessionOutline {
        session,
        page,
        queries,
        changed_ms,
    } = outline;
    let is_current = model.name.with_untracked(|name| *name == session);
    // A moment is no more than a double can hold until the year 287396.
    let changed = Date::new(&(changed_ms as f64).into());
    let changed =
        String::from(changed.to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED));
    view! {
        <li>
            <button
                type="button"
                class="session"
                aria-current=is_current.then_some("true")
                on:click=move |_| turn_to(session.clone())
            >
                <b>{page.unwrap_or_else(|| texts::NO_PAGE.to_owned())}</b>
                <span>{texts::asked_and_changed(queries, &changed)}</span>
            </button>
        </li>
    }
}
