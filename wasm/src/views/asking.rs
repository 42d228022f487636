//! What is asked.

use leptos::prelude::*;
use querypoint::session::completion::completions;
use querypoint::session::methods;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::js_sys::{Array, Reflect};
use web_sys::{Blob, HtmlAnchorElement, Url};

use super::choices::{Choices, choices, fitting};
use super::icons::{Icon, drawn, icon_button};
use super::leaving::leaving;
use super::tab::ask;
use crate::link::{order_and, request};
use crate::model::Model;
use crate::texts;

/// What a query may be, while it is typed.
fn offered(model: Model) -> Vec<String> {
    let chosen = model.chosen.get();
    model.session.with(|session| {
        let answer = session.answer.as_ref();
        answer.map_or_else(Vec::new, |answer| completions(&answer.points, &chosen))
    })
}

/// The field for a query, and what is asked often.
pub(crate) fn asking(model: Model) -> impl IntoView {
    let is_off = move || {
        let has_point = model.session.with(|session| session.at.is_some());
        model.doing.get().is_some() || !has_point
    };
    let at_chosen = move |keyword: &str| format!("{keyword}({})", model.chosen.get_untracked());
    let text = model.query;
    let field = Choices::new("query", texts::QUERY, texts::QUERY_HINT, text);
    let fits = Memo::new(move |_| fitting(offered(model), &text.get()));
    let taken = move |number: usize| {
        if let Some(query) = untrack(|| offered(model)).into_iter().nth(number) {
            text.set(query);
        }
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let query = text.get_untracked().trim().to_owned();
        if !query.is_empty() && !untrack(is_off) {
            ask(model, query);
        }
    };
    view! {
        <form class="query" on:submit=submit>
            {choices(field, NodeRef::new(), fits, taken, || {})}
            <button type="submit" class="icon" title=texts::ASK aria-label=texts::ASK disabled=leaving(is_off)>
                {drawn(Icon::Go)}
            </button>
        </form>
        <div role="group" class="actions" aria-label=texts::ASK>
            {icon_button("condition", Icon::Condition, texts::LAST_CONDITION, is_off, move || {
                ask(model, at_chosen("lastCondition"));
            })}
            {icon_button("exception", Icon::Exception, texts::EXCEPTION_AFTER, is_off, move || {
                ask(model, at_chosen("exceptionAfter"));
            })}
            {icon_button("copy", Icon::Copy, texts::COPY_COMMAND, is_off, move || copy(model))}
            {icon_button("save", Icon::Save, texts::SAVE_HTML, is_off, move || save(model))}
        </div>
    }
}

/// Puts the command that asks the same into the clipboard.
pub(crate) fn copy(model: Model) {
    request(methods::CommandLine {}, move |line| match line {
        Ok(given) => {
            let text = given.text;
            spawn_local(async move {
                let said = match put_into_clipboard(&text).await {
                    true => texts::COPIED,
                    false => texts::NOT_COPIED,
                };
                model.tell(format!("{said}\n{text}"), false);
            });
        }
        Err(refusal) => model.tell(refusal.message, true),
    });
}

/// Whether it is there: a browser may refuse, and one of no safe address has no clipboard.
async fn put_into_clipboard(text: &str) -> bool {
    let Some(navigator) = web_sys::window().map(|window| window.navigator()) else {
        return false;
    };
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).unwrap_or_default();
    match clipboard.dyn_into::<web_sys::Clipboard>() {
        Ok(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        Err(_) => false,
    }
}

/// Saves the answer as one page of HTML, to attach to a report.
pub(crate) fn save(model: Model) {
    order_and(model, methods::Html {}, move |given| {
        if download(&given.text, texts::HTML_FILE).is_err() {
            model.tell(texts::NOT_SAVED, true);
        }
    });
}

/// Has the browser put a text into a file, where it puts what is downloaded.
fn download(text: &str, file: &str) -> Result<(), JsValue> {
    let blob = Blob::new_with_str_sequence(&Array::of1(&text.into()))?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|window| window.document());
    let link = document.ok_or(JsValue::NULL)?.create_element("a")?;
    let link = link.dyn_into::<HtmlAnchorElement>()?;
    link.set_href(&address);
    link.set_download(file);
    link.click();
    // It is being read from now on, so nobody needs its address any more.
    Url::revoke_object_url(&address)
}
