//! The call tree, which opens in place: tasks, and the calls in them. A page of rows is read when it is opened, so that
//! a tree of a million calls is there at once.

use std::collections::BTreeMap;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Div;
use leptos::prelude::*;
use querypoint::diagnosis::CallAnswer;
use querypoint::events::{CallRow, EventKind};
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget};

use super::diagnosis::judged;
use super::event::{attribute_of, faint, point_at, say};
use super::node::style;
use super::{Execution, Rows};
use crate::model::Say;
use crate::texts;
use crate::views::arrows::{focus_above, keep_tab_stop, move_focus};
use crate::views::made::{indent, made, mark, put, show};

const ROW: &str = "[role=treeitem]";

/// The tree of the log that is looked at.
pub(super) fn calls(it: Execution) -> impl IntoView {
    let tree = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(tree) = tree.get() {
            let rows = it.rows.with(drawn);
            show(&tree, rows.into_iter());
            mark(&tree, it.chosen_untracked());
            let said = it.diagnosed.with(|it| it.as_ref().map(judged));
            mark_judged(&tree, &said.unwrap_or_default());
        }
    });
    Effect::new(move |_| {
        let chosen = it.chosen();
        if let Some(tree) = tree.get_untracked() {
            mark(&tree, chosen);
        }
    });
    let pointed = move |event: MouseEvent| {
        if let Some(row) = row_at(it, event.target()) {
            point_at(it, &row.event, &event);
        }
    };
    view! {
        <div
            role="tree"
            class="calls"
            node_ref=tree
            aria-label=texts::CALL_TREE
            on:click=move |event: MouseEvent| pressed(it, event.target())
            on:contextmenu=pointed
            on:keydown=move |event| key(it, &event)
            on:focusin=|event| keep_tab_stop(&event, ROW)
        ></div>
    }
}

/// Marks the rows of calls of which something was said.
fn mark_judged(tree: &Element, said: &[(u64, CallAnswer)]) {
    for (call, answer) in said {
        let row = tree.query_selector(&format!("[data-event=\"{call}\"]"));
        if let Ok(Some(row)) = row {
            // It is a name that every element has.
            let _ = row.set_attribute("data-judged", style(*answer));
        }
    }
}

/// What is open, row by row. One that was opened inside of one that is closed stays so.
fn drawn(open: &BTreeMap<Option<u64>, Rows>) -> Vec<Element> {
    let mut rows = Vec::new();
    // What is still to be shown, the next last: rows in a row, from which on, and how deep.
    let mut left = vec![(None, 0, 0)];
    while let Some((of, from, depth)) = left.pop() {
        let Some(inside) = open.get(&of) else {
            continue;
        };
        let Some(row) = inside.rows.get(from) else {
            let shown = inside.rows.len();
            if (shown as u64) < inside.of {
                let text = texts::shown_of(shown, usize::try_from(inside.of).unwrap_or(usize::MAX));
                let of = of.map_or_else(String::new, |of: u64| of.to_string());
                let more = format!("{text}, {}", texts::MORE);
                rows.extend(item(depth, &[("class", "more"), ("data-more", &of)], &more));
            }
            continue;
        };
        left.push((of, from + 1, depth));
        let number = row.event.seq;
        let is_open = (row.children > 0).then(|| open.contains_key(&Some(number)));
        rows.extend(call(row, depth, is_open));
        if is_open == Some(true) {
            left.push((Some(number), 0, depth + 1));
        }
    }
    if let Some(first) = rows.first() {
        // Where Tab leads to.
        let _ = first.set_attribute("tabindex", "0");
    }
    rows
}

/// A row that can have the focus.
fn item(depth: usize, attributes: &[(&str, &str)], text: &str) -> Option<Element> {
    let level = (depth + 1).to_string();
    let own = [
        ("role", "treeitem"),
        ("tabindex", "-1"),
        ("aria-level", &*level),
    ];
    let row = made("div", &[&own, attributes].concat(), text)?;
    indent(&row, depth);
    Some(row)
}

/// The row of a call, or of a task; `is_open` is none where nothing is inside.
fn call(row: &CallRow, depth: usize, is_open: Option<bool>) -> Option<Element> {
    let number = row.event.seq.to_string();
    let drawn = item(depth, &[("data-event", &number)], "")?;
    if let Some(is_open) = is_open {
        let (state, mark) = match is_open {
            true => ("true", texts::OPEN_MARK),
            false => ("false", texts::CLOSED_MARK),
        };
        // They are names that every element has.
        let _ = drawn.set_attribute("aria-expanded", state);
        let mark = made("span", &[("class", "twist"), ("aria-hidden", "true")], mark);
        put(&drawn, [mark]);
    }
    say(&drawn, &row.event);
    if row.calls > row.children {
        put(&drawn, [faint(&texts::calls_below(row.calls))]);
    }
    Some(drawn)
}

/// The row that something happened in.
fn row_at(it: Execution, target: Option<EventTarget>) -> Option<CallRow> {
    let number: u64 = attribute_of(target, "data-event")?.parse().ok()?;
    it.rows.with_untracked(|all| {
        let mut rows = all.values().flat_map(|inside| &inside.rows);
        rows.find(|row| row.event.seq == number).cloned()
    })
}

fn is_open(it: Execution, row: &CallRow) -> bool {
    let key = Some(row.event.seq);
    it.rows.with_untracked(|all| all.contains_key(&key))
}

/// A press on a row shows it in the source, and opens or closes it; one on the last of a page reads the next.
fn pressed(it: Execution, target: Option<EventTarget>) {
    if let Some(row) = row_at(it, target.clone()) {
        switch(it, &row);
        choose(it, row);
    } else if let Some(of) = attribute_of(target, "data-more") {
        it.open(of.parse().ok());
    }
}

/// Shows a row in the source; of a call also what it was given, gave and changed.
fn choose(it: Execution, row: CallRow) {
    match row.event.kind {
        EventKind::Call => it.look_at_call(row.event.seq),
        _ => it.node.say(None),
    }
    it.choose_of_log(row.event);
}

fn switch(it: Execution, row: &CallRow) {
    let key = Some(row.event.seq);
    if is_open(it, row) {
        it.rows.update(|all| drop(all.remove(&key)));
    } else if row.children > 0 {
        it.open(key);
    }
}

fn key(it: Execution, event: &KeyboardEvent) {
    if move_focus(event, ROW) {
        return;
    }
    let row = row_at(it, event.target());
    let is_open = row.as_ref().is_some_and(|row| is_open(it, row));
    match (event.key().as_str(), row) {
        ("ArrowRight", Some(row)) if !is_open => switch(it, &row),
        ("ArrowLeft", Some(row)) if is_open => switch(it, &row),
        ("ArrowLeft", _) => {
            let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
            if let Some(target) = target {
                focus_above(&target, ROW);
            }
        }
        ("Enter" | " ", Some(row)) => choose(it, row),
        ("Enter" | " ", None) => pressed(it, event.target()),
        _ => return,
    }
    event.prevent_default();
}
