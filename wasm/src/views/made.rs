//! Elements that are made by hand: the rows of long lists that are drawn anew as a whole. As views of their own they
//! would take more of the download than all else that shows them.

use wasm_bindgen::JsCast;
use web_sys::js_sys::Array;
use web_sys::{Element, FocusOptions, HtmlElement, Node};

/// By what a row is known when its list is drawn anew.
const KEYS: [&str; 4] = ["data-event", "data-more", "data-row", "data-answer"];

/// An element with attributes and a text, which is text whatever is in it. `None`: the document is gone.
pub(crate) fn made(tag: &str, attributes: &[(&str, &str)], text: &str) -> Option<Element> {
    let element = web_sys::window()?.document()?.create_element(tag).ok()?;
    for (name, value) in attributes {
        element.set_attribute(name, value).ok()?;
    }
    if !text.is_empty() {
        element.set_text_content(Some(text));
    }
    Some(element)
}

/// Indents a row by so many levels. As an attribute, the panel's own policy for content would refuse it.
pub(crate) fn indent(row: &Element, depth: usize) {
    if let Some(row) = row.dyn_ref::<HtmlElement>() {
        // It is a name that there may be.
        let _ = row.style().set_property("--depth", &depth.to_string());
    }
}

/// Adds elements to another one, as they are.
pub(crate) fn add(to: &Element, children: impl IntoIterator<Item = Option<Element>>) {
    for child in children.into_iter().flatten() {
        // It is no part of itself.
        let _ = to.append_child(&child);
    }
}

/// Adds a text to an element.
pub(crate) fn say_text(to: &Element, text: &str) {
    if let Ok(text) = web_sys::Text::new_with_data(text) {
        // A text has nothing in it.
        let _ = to.append_child(&text);
    }
}

/// Puts elements into another one, behind what is in it, with a space between them.
pub(crate) fn put(into: &Element, children: impl IntoIterator<Item = Option<Element>>) {
    for child in children.into_iter().flatten() {
        let is_first = into.first_child().is_none();
        let space = web_sys::Text::new_with_data(" ").ok().filter(|_| !is_first);
        let parts = [space.map(Node::from), Some(Node::from(child))];
        for part in parts.into_iter().flatten() {
            // It is no part of itself.
            let _ = into.append_child(&part);
        }
    }
}

/// Has a list have these rows. The row that has the focus has it afterwards, too, or what is like the part of it that
/// had it.
pub(crate) fn show(list: &Element, rows: impl Iterator<Item = Element>) {
    let document = list.owner_document();
    let active = document.and_then(|it| it.active_element());
    let focused = active.filter(|it| list.contains(Some(it))).and_then(|it| {
        let mut keys = KEYS.into_iter();
        let row = it
            .closest("[data-event],[data-more],[data-row],[data-answer]")
            .ok()??;
        let (name, value) = keys.find_map(|name| Some((name, row.get_attribute(name)?)))?;
        let part = (row != it).then(|| it.class_name());
        Some((name, value, place_of(list, &row), part))
    });
    list.replace_children_with_node(&rows.collect::<Array>());
    let Some((name, value, place, part)) = focused else {
        return;
    };
    let found = |within: &Element, selector: &str| within.query_selector(selector).ok().flatten();
    let row = found(list, &format!("[{name}=\"{value}\"]"));
    // One that is gone was read on: what was read took its place.
    let Some(row) = row.or_else(|| list.children().item(place?)) else {
        return;
    };
    let part = part.and_then(|class| found(&row, &format!(".{class}")));
    if let Ok(target) = part.unwrap_or(row).dyn_into::<HtmlElement>() {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // What cannot have it leaves it where it is.
        let _ = target.focus_with_options(&options);
    }
}

/// Which of the rows it is.
fn place_of(list: &Element, row: &Element) -> Option<u32> {
    let rows = list.children();
    (0..rows.length()).find(|at| rows.item(*at).as_ref() == Some(row))
}

/// Marks the row of an event as the one that is looked at.
pub(crate) fn mark(list: &Element, event: Option<u64>) {
    let event = event.map(|number| number.to_string());
    let rows = list.children();
    for row in (0..rows.length()).filter_map(|at| rows.item(at)) {
        let Some(number) = row.get_attribute("data-event") else {
            continue;
        };
        let is_it = Some(number) == event;
        // It is a name that every element has.
        let _ = row.set_attribute("aria-selected", if is_it { "true" } else { "false" });
    }
}
