//! Questions about what the tab that is debugged shows, and whether the page that is run for the answer has the same.

use leptos::prelude::*;
use querypoint::answer::Value;
use querypoint::session::methods;
use querypoint::session::tab::{Comparable, TabReading, TabView, comparable};
use wasm_bindgen_futures::spawn_local;

use super::fields::button;
use super::question::ask_at;
use super::recorded::record;
use crate::link::{order, request};
use crate::model::{Model, OfTab};
use crate::{devtools, texts};

/// What of the tab is asked about.
pub(crate) enum About {
    /// What a reference gives there now.
    Reference(String),
    /// A value that was seen there.
    Value(Value),
}

/// Asks about it. What the tab shows now is kept, to be compared with the answer.
pub(crate) fn ask_of_tab(model: Model, query: String, at: Option<String>, about: About) {
    model.of_tab.set(OfTab::default());
    // A tab that is paused may take its time: the question does not wait for it.
    spawn_local(async move {
        let (reference, seen) = match about {
            About::Reference(reference) => (reference, None),
            About::Value(value) => ("0".to_owned(), Some(value)),
        };
        if let Some(mut shown) = devtools::shown(&reference).await {
            if let Some(seen) = seen {
                shown.value = TabReading::Value(seen);
            }
            model.of_tab.update(|it| it.shown = Some(shown));
        }
    });
    ask_at(model, query, at);
}

/// Asks a query that may be about what the tab shows: then that is kept as well, as far as the back end can read it.
pub(crate) fn ask(model: Model, query: String) {
    model.of_tab.set(OfTab::default());
    let stop = model.stop.get_untracked();
    let comparable = model
        .session
        .with_untracked(|session| comparable(session, stop.as_ref()));
    if let Some(comparable) = comparable {
        let query = (comparable == Comparable::Value).then(|| query.clone());
        request(methods::Look { query }, move |read| {
            if let Ok(read) = read {
                model
                    .of_tab
                    .update(|it| it.shown = Some(TabView::of(read.variables)));
            }
        });
    }
    ask_at(model, query, None);
}

/// How the tab is another one than the page that was run, with a way to have that do the same.
pub(crate) fn differences(model: Model) -> impl IntoView {
    let text = move || {
        let name = model.name.get();
        model.session.with(|session| {
            let others = model.of_tab.with(|it| match &it.shown {
                Some(shown) if it.session == name => shown.differences(session, &it.point),
                _ => Vec::new(),
            });
            (!others.is_empty()).then(|| texts::in_tab(&others, session.recording.is_some()))
        })
    };
    view! {
        <div class="in-tab" role="alert">
            {move || text().map(|text| view! {
                <pre>{text}</pre>
                {button("record-tab", texts::RECORD_TAB, move || model.doing.get().is_some(), move || record_and_ask(model))}
                {button("dismiss", texts::DISMISS, || false, move || model.of_tab.set(OfTab::default()))}
            })}
        </div>
    }
}

/// Records what the person does, then asks again.
fn record_and_ask(model: Model) {
    record(model, move |_| {
        // It may be a new session.
        let name = model.name.get_untracked();
        model.of_tab.update(|it| it.session = name);
        order(model, methods::Again {});
    });
}
