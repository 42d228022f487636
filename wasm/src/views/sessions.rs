//! The sessions that are kept, to go on with one of them, to bring back one that was deleted, to begin another, or to
//! delete the one that is open.

use leptos::prelude::*;
use querypoint::session::methods;
use querypoint::session::results::SessionOutline;
use web_sys::Element;
use web_sys::js_sys::Date;

use super::back_end::back_end;
use super::fields::button;
use crate::link::{self, order_and, request};
use crate::model::{Link, Model};
use crate::texts;

/// They, when the person wants to see them.
pub(crate) fn sessions(model: Model) -> impl IntoView {
    // With whether it was deleted.
    let kept = RwSignal::new(Vec::<(bool, SessionOutline)>::new());
    let is_open = RwSignal::new(false);
    let toggled = move |event: leptos::ev::Event| {
        is_open.set(event_target::<Element>(&event).has_attribute("open"));
        if is_open.get_untracked() {
            request(methods::Sessions {}, move |given| {
                let given = given.unwrap_or_default();
                let all = given.sessions.into_iter().map(|it| (false, it));
                let deleted = given.deleted.into_iter().map(|it| (true, it));
                kept.set(all.chain(deleted).collect());
            });
        }
    };
    let turn_to = move |session: String, was_deleted: bool| {
        is_open.set(false);
        link::turn_to_session(session, was_deleted, model);
    };
    let is_off = move || model.link.get() != Link::Open || model.doing.get().is_some();
    let begin = move || turn_to(format!("from-{}", Date::now() as u64), false);
    let delete = move || {
        let session = model.name.get_untracked();
        order_and(model, methods::Delete {}, move |_| {
            turn_to(session, false);
            model.tell(texts::DELETED, false);
        });
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
                    {button("delete", texts::DELETE_SESSION, is_off, delete)}
                </div>
                {back_end(model, move || is_open.set(false))}
            </div>
        </details>
    }
}

fn kept_one(
    model: Model,
    (was_deleted, outline): (bool, SessionOutline),
    turn_to: impl Fn(String, bool) + 'static,
) -> impl IntoView {
    let SessionOutline {
        session,
        page,
        first_action,
        queries,
        changed_ms,
    } = outline;
    let deleted = was_deleted.then_some(texts::WAS_DELETED);
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
                on:click=move |_| turn_to(session.clone(), was_deleted)
            >
                <b>{page.unwrap_or_else(|| texts::NO_PAGE.to_owned())}</b>
                {first_action.map(|action| view! { <span class="first-action">{action}</span> })}
                <span>{deleted}{texts::asked_and_changed(queries, &changed)}</span>
            </button>
        </li>
    }
}
