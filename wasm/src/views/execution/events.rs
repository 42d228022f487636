//! What a log is asked, and the events that it answers with.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::{Div, Ol};
use leptos::prelude::*;
use querypoint::events::{EventsResult, LoggedEvent};
use querypoint::session::log_questions::offered_questions;
use web_sys::{Element, EventTarget};

use super::Execution;
use super::event::{attribute_of, faint, point_at, say};
use crate::texts;
use crate::views::arrows::{keep_tab_stop, move_focus};
use crate::views::choices::{Choices, choices, fitting};
use crate::views::fields::button;
use crate::views::icons::{Icon, drawn};
use crate::views::made::{indent, made, mark, put, show};

const ROW: &str = "[role=option]";

/// The field for a question, and its answer.
pub(super) fn events(it: Execution) -> impl IntoView {
    let text = it.text;
    let field = Choices::new("log-query", texts::LOG_QUERY, texts::LOG_QUERY_HINT, text);
    let offered = move || {
        let event = it.model.event.get().map(|(_, event)| event);
        offered_questions(event.as_ref(), &it.questions.get())
    };
    let fits = Memo::new(move |_| fitting(offered(), &text.get()));
    let taken = move |number: usize| {
        if let Some(query) = untrack(offered).into_iter().nth(number) {
            text.set(query);
        }
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let query = text.get_untracked().trim().to_owned();
        if !query.is_empty() {
            it.ask(query, 0);
        }
    };
    view! {
        <form class="query" on:submit=submit>
            {choices(field, NodeRef::new(), fits, taken, || {})}
            <button type="submit" class="icon" title=texts::ASK aria-label=texts::ASK>{drawn(Icon::Go)}</button>
        </form>
        {answer(it)}
    }
}

fn answer(it: Execution) -> impl IntoView {
    let (said, list) = (NodeRef::<Div>::new(), NodeRef::<Ol>::new());
    Effect::new(move |_| {
        let (Some(said), Some(list)) = (said.get(), list.get()) else {
            return;
        };
        it.found.with(|found| {
            let events = found.iter().flat_map(|found| &found.events);
            show(
                &list,
                events.enumerate().filter_map(|(at, event)| row(at, event)),
            );
            show(&said, found.iter().flat_map(counted));
        });
        mark(&list, it.chosen_untracked());
    });
    Effect::new(move |_| {
        let chosen = it.chosen();
        if let Some(list) = list.get_untracked() {
            mark(&list, chosen);
        }
    });
    let choose = move |target| {
        if let Some(event) = event_at(it, target) {
            it.choose_of_log(event);
        }
    };
    let pointed = move |event: MouseEvent| {
        if let Some(of) = event_at(it, event.target()) {
            point_at(it, &of, &event);
        }
    };
    let key = move |event: KeyboardEvent| {
        if !move_focus(&event, ROW) && event.key() == "Enter" {
            choose(event.target());
        }
    };
    // How many are shown, where there are more.
    let shown = move || {
        it.found.with(|found| {
            let found = found.as_ref()?;
            let shown = found.events.len();
            ((shown as u64) < found.total).then(|| (found.query.clone(), shown))
        })
    };
    let more = move || {
        if let Some((query, shown)) = untrack(shown) {
            it.ask(query, shown);
        }
    };
    view! {
        <div node_ref=said role="status"></div>
        <ol
            role="listbox"
            class="found"
            node_ref=list
            aria-label=texts::EVENTS
            on:click=move |event: MouseEvent| choose(event.target())
            on:contextmenu=pointed
            on:keydown=key
            on:focusin=|event| keep_tab_stop(&event, ROW)
        ></ol>
        <p class="note" hidden=move || shown().is_none()>{button("more-events", texts::MORE, || false, more)}</p>
    }
}

/// How many there are, and what else is to be said.
fn counted(found: &EventsResult) -> Vec<Element> {
    let shown = found.events.len();
    let mut text = texts::events_found(found.holds, found.total);
    if (shown as u64) < found.total {
        let all = usize::try_from(found.total).unwrap_or(usize::MAX);
        text = format!("{text}, {}", texts::shown_of(shown, all));
    }
    let notes = found
        .notes
        .iter()
        .map(|note| made("p", &[("class", "note")], note));
    let counted = made("p", &[("class", "counted")], &text);
    std::iter::once(counted).chain(notes).flatten().collect()
}

fn row(at: usize, event: &LoggedEvent) -> Option<Element> {
    let number = event.seq.to_string();
    let attributes = [
        ("role", "option"),
        ("tabindex", if at == 0 { "0" } else { "-1" }),
        ("data-event", &*number),
    ];
    let row = made("li", &attributes, "")?;
    let depth = event.depth.unwrap_or(0);
    indent(&row, usize::try_from(depth).unwrap_or(0));
    put(&row, [faint(&format!("#{number}"))]);
    say(&row, event);
    Some(row)
}

/// The event whose row something happened in.
fn event_at(it: Execution, target: Option<EventTarget>) -> Option<LoggedEvent> {
    let number: u64 = attribute_of(target, "data-event")?.parse().ok()?;
    it.found.with_untracked(|found| {
        let mut events = found.iter().flat_map(|found| &found.events);
        events.find(|event| event.seq == number).cloned()
    })
}
