//! Lists of which one item can have the focus: Tab goes to the list, arrow keys within it.

use leptos::ev::{FocusEvent, KeyboardEvent};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Moves the focus among the items of the list in which the key was pressed, which `selector` names; whether it was a
/// key for that.
pub(crate) fn move_focus(event: &KeyboardEvent, selector: &str) -> bool {
    let key = event.key();
    if !matches!(key.as_str(), "ArrowDown" | "ArrowUp" | "Home" | "End") {
        return false;
    }
    let list = event
        .current_target()
        .and_then(|it| it.dyn_into::<Element>().ok());
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    let (Some(list), Some(target)) = (list, target) else {
        return false;
    };
    let items = items(&list, selector);
    let here = target.closest(selector).ok().flatten();
    let at = here.and_then(|here| items.iter().position(|it| **it == here));
    let last = items.len().saturating_sub(1);
    let to = match (key.as_str(), at) {
        ("Home", _) | (_, None) => 0,
        ("End", _) => last,
        ("ArrowUp", Some(at)) => at.saturating_sub(1),
        (_, Some(at)) => (at + 1).min(last),
    };
    event.prevent_default();
    if let Some(item) = items.get(to) {
        // What cannot have it leaves it where it is.
        let _ = item.focus();
    }
    true
}

/// What has the focus now is where Tab comes back to.
pub(crate) fn keep_tab_stop(event: &FocusEvent, selector: &str) {
    let list = event
        .current_target()
        .and_then(|it| it.dyn_into::<Element>().ok());
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    let item = target.and_then(|it| it.closest(selector).ok().flatten());
    let (Some(list), Some(item)) = (list, item) else {
        return;
    };
    for other in items(&list, selector) {
        other.set_tab_index(if *other == item { 0 } else { -1 });
    }
}

/// Goes to the row of a tree that this one is inside of.
pub(crate) fn focus_above(target: &Element, selector: &str) {
    let level = |row: &Element| row.get_attribute("aria-level")?.parse::<usize>().ok();
    let mut row = target.closest(selector).ok().flatten();
    let Some(depth) = row.as_ref().and_then(level) else {
        return;
    };
    while let Some(above) = row.and_then(|it| it.previous_element_sibling()) {
        if level(&above).is_some_and(|level| level < depth) {
            if let Some(above) = above.dyn_ref::<HtmlElement>() {
                // It is one of the tree.
                let _ = above.focus();
            }
            return;
        }
        row = Some(above);
    }
}

fn items(list: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = list.query_selector_all(selector) else {
        return Vec::new();
    };
    let found = (0..found.length()).filter_map(|at| found.item(at)?.dyn_into::<HtmlElement>().ok());
    // One that is hidden has no place.
    found.filter(|it| it.client_height() > 0).collect()
}
