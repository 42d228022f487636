//! What is asked.

use leptos::prelude::*;
use querypoint::session::messages::Call;

use super::fields::{button, field};
use crate::link::{order_and, request};
use crate::model::Model;
use crate::texts;

/// The field for a query, and what is asked often.
pub(crate) fn asking(model: Model) -> impl IntoView {
    let is_off = move || {
        let has_point = model.session.with(|session| session.at.is_some());
        model.doing.get().is_some() || !has_point
    };
    let at_chosen = move |keyword: &str| format!("{keyword}({})", model.chosen.get_untracked());
    view! {
        {field("query", texts::QUERY, texts::QUERY_HINT, model.query, texts::ASK, is_off, move |query| ask(model, query))}
        <div role="group" class="actions" aria-label=texts::ASK>
            {button("condition", texts::LAST_CONDITION, is_off, move || ask(model, at_chosen("lastCondition")))}
            {button("exception", texts::EXCEPTION_AFTER, is_off, move || ask(model, at_chosen("exceptionAfter")))}
            {button("copy", texts::COPY_COMMAND, is_off, move || copy(model))}
        </div>
    }
}

/// Asks, and looks at the point that is found.
pub(crate) fn ask(model: Model, query: String) {
    order_and(model, Call::Ask { query }, move |given| {
        model.query.set(String::new());
        if let Some(point) = given.point {
            model.chosen.set(point);
        }
    });
}

fn copy(model: Model) {
    request(Call::CommandLine {}, move |line| match line {
        Ok(given) => {
            let clipboard = web_sys::window().map(|window| window.navigator().clipboard());
            let text = given.text.unwrap_or_default();
            if let Some(clipboard) = clipboard {
                // A browser that refuses shows that itself; the text is said either way.
                drop(clipboard.write_text(&text));
            }
            model.tell(format!("{}\n{text}", texts::COPIED), false);
        }
        Err(refusal) => model.tell(refusal.message, true),
    });
}
