//! What a person points at in the source, by a right click or by keys, and what can be asked about it there.
//!
//! What is pointed at is selected, as a person would select it; so it is seen, read aloud and copied like any other
//! text.

use leptos::ev::{FocusEvent, KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use querypoint::session::expressions::{Expression, at_column, expressions};
use querypoint::session::methods;
use querypoint::session::stop::line_point;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Node, Selection};

use super::leaving::leaving;
use super::tab::ask;
use crate::link::inspected::switch_breakpoint;
use crate::link::order;
use crate::model::Model;
use crate::{devtools, texts};

/// The list of lines, each an `li` with its number in `data-line` and its text in a `code`.
pub(crate) type Lines = NodeRef<leptos::html::Ol>;

/// What can be asked, and where on the screen that is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pointed {
    url: String,
    line: u32,
    expression: Option<String>,
    /// In CSS pixels, whole ones: what prints others is as large as all of this.
    place: (i32, i32),
}

/// The menu, while something is pointed at.
pub(crate) fn menu(
    model: Model,
    pointed: RwSignal<Option<Pointed>>,
    lines: Lines,
) -> impl IntoView {
    move || pointed.get().map(|it| shown(model, pointed, lines, it))
}

fn shown(
    model: Model,
    pointed: RwSignal<Option<Pointed>>,
    lines: Lines,
    what: Pointed,
) -> impl IntoView + use<> {
    let Pointed {
        url,
        line,
        expression,
        place: (x, y),
    } = what;
    let items = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(first) = items.get().and_then(|it| it.first_element_child()) {
            focus(&first);
        }
    });
    let close = move || {
        pointed.set(None);
        if let Some(lines) = lines.get_untracked() {
            focus(&lines);
        }
    };
    let key = move |event: KeyboardEvent| match event.key().as_str() {
        "Escape" => close(),
        "ArrowDown" | "ArrowUp" => {
            event.prevent_default();
            let here = document().and_then(|it| it.active_element());
            let to = here.and_then(|it| match event.key().as_str() {
                "ArrowDown" => it.next_element_sibling(),
                _ => it.previous_element_sibling(),
            });
            if let Some(to) = to {
                focus(&to);
            }
        }
        _ => {}
    };
    let left = move |event: FocusEvent| {
        let to = event
            .related_target()
            .and_then(|it| it.dyn_into::<Node>().ok());
        let is_inside = items
            .get_untracked()
            .is_some_and(|it| it.contains(to.as_ref()));
        if !is_inside {
            pointed.try_set(None);
        }
    };
    let item = move |text: String, is_off: fn(Model) -> bool, done: Box<dyn Fn()>| {
        let is_off = move || is_off(model);
        view! {
            <button type="button" role="menuitem" disabled=leaving(is_off) on:click=move |_| { close(); done(); }>{text}</button>
        }
    };
    let of_expression = expression.map(|it| {
        let (asked, watched) = (it.clone(), it.clone());
        let last_change = move || {
            let point = model.chosen.get_untracked();
            ask(model, format!("lastChange({point}:{asked})"));
        };
        let watch = move || {
            let expression = watched.clone();
            order(model, methods::Watch { expression });
        };
        let title = format!("{} {} {it}", texts::LAST_CHANGE, texts::OF);
        [
            item(title, is_busy, Box::new(last_change)),
            item(format!("{} {it}", texts::WATCH), is_busy, Box::new(watch)),
        ]
    });
    let is_set = model
        .breakpoints
        .with_untracked(|it| it.contains_key(&(url.clone(), line)));
    let breakpoint = texts::breakpoint_at_line(line, is_set);
    let of_tab = url.clone();
    let switch = move || switch_breakpoint(model, of_tab.clone(), line);
    let stop = move || {
        let point = line_point(&url, line);
        order(model, methods::At { point });
    };
    view! {
        <div
            role="menu"
            class="menu"
            node_ref=items
            aria-label=texts::NAME_AT_CURSOR
            style:left=format!("min({x}px, 100vw - 22em)")
            style:top=format!("min({y}px, 100vh - 8em)")
            on:keydown=key
            on:focusout=left
        >
            {of_expression.into_iter().flatten().collect_view()}
            {item(texts::stop_at_line(line), is_busy, Box::new(stop))}
            {devtools::is_extension().then(|| item(breakpoint, |_| false, Box::new(switch)))}
        </div>
    }
}

fn is_busy(model: Model) -> bool {
    model.doing.get().is_some()
}

/// What a right click in the lines of this file points at. With Shift it is left to the browser.
pub(crate) fn by_mouse(event: &MouseEvent, url: &str) -> Option<Pointed> {
    if event.shift_key() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let code = target.closest("li").ok()??.query_selector("code").ok()??;
    let (x, y) = (event.client_x(), event.client_y());
    event.prevent_default();
    let chosen = selected(&code).or_else(|| {
        let caret = document()?.caret_position_from_point(x as f32, y as f32)?;
        let is_here = code.contains(caret.offset_node().as_ref());
        let column = usize::try_from(caret.offset()).ok().filter(|_| is_here)?;
        let expression = at_column(&code.text_content()?, column)?;
        select(&code, &expression);
        Some(expression.text)
    });
    of_line(&code, url, chosen, (x, y))
}

/// What a key in the lines of this file points at; arrows only choose.
pub(crate) fn by_key(event: &KeyboardEvent, lines: Lines, url: &str) -> Option<Pointed> {
    let lines = lines.get_untracked()?;
    let key = event.key();
    let is_asking =
        matches!(key.as_str(), "Enter" | "ContextMenu") || key == "F10" && event.shift_key();
    let here = position(&lines);
    if is_asking {
        event.prevent_default();
        let (code, _) = here?;
        let expression = selected(&code);
        let place = match selection().and_then(|it| it.get_range_at(0).ok()) {
            Some(range) if expression.is_some() => range.get_bounding_client_rect(),
            _ => code.get_bounding_client_rect(),
        };
        let whole = |at: f64| at as i32;
        return of_line(
            &code,
            url,
            expression,
            (whole(place.left()), whole(place.bottom())),
        );
    }
    if event.shift_key() {
        return None;
    }
    let (is_on, by_line) = match key.as_str() {
        "ArrowRight" => (true, false),
        "ArrowLeft" => (false, false),
        "ArrowDown" => (true, true),
        "ArrowUp" => (false, true),
        _ => return None,
    };
    event.prevent_default();
    let (code, columns) = here?;
    if let Some((code, expression)) = next(code, &columns, is_on, by_line) {
        select(&code, &expression);
        code.scroll_into_view_with_scroll_into_view_options(&nearest());
    }
    None
}

/// The expression that comes next in the line, or the nearest one of the next line that has any.
fn next(
    mut code: Element,
    columns: &std::ops::Range<usize>,
    is_on: bool,
    by_line: bool,
) -> Option<(Element, Expression)> {
    if !by_line {
        let found = expressions(&code.text_content()?);
        let order = |it: &Expression| (it.columns.end, it.columns.start);
        let here = (columns.end, columns.start);
        let in_line = match is_on {
            true => found
                .into_iter()
                .filter(|it| order(it) > here)
                .min_by_key(order),
            false => found
                .into_iter()
                .filter(|it| order(it) < here)
                .max_by_key(order),
        };
        if let Some(expression) = in_line {
            return Some((code, expression));
        }
    }
    loop {
        let line = code.parent_element()?;
        let line = match is_on {
            true => line.next_element_sibling()?,
            false => line.previous_element_sibling()?,
        };
        code = line.query_selector("code").ok()??;
        let found = expressions(&code.text_content()?);
        let nearest = match (by_line, is_on) {
            (true, _) => found
                .into_iter()
                .min_by_key(|it| it.columns.start.abs_diff(columns.start)),
            (false, true) => found.into_iter().min_by_key(|it| it.columns.end),
            (false, false) => found.into_iter().max_by_key(|it| it.columns.end),
        };
        if let Some(expression) = nearest {
            return Some((code, expression));
        }
    }
}

/// The text of the line that is selected, and of which columns; without a selection the line of the point, before its
/// beginning.
fn position(lines: &Element) -> Option<(Element, std::ops::Range<usize>)> {
    let selected = || {
        let range = selection()?.get_range_at(0).ok()?;
        let node = range.start_container().ok()?;
        let code = node
            .parent_element()
            .filter(|it| lines.contains(Some(it)))?;
        let code = code.closest("code").ok()??;
        let column = |at: u32| usize::try_from(at).unwrap_or_default();
        let start = column(range.start_offset().ok()?);
        Some((code, start..column(range.end_offset().ok()?)))
    };
    let of_point = || {
        let chosen = lines.query_selector("li.chosen").ok().flatten();
        let line = chosen.or_else(|| lines.first_element_child())?;
        Some((line.query_selector("code").ok()??, 0..0))
    };
    selected().or_else(of_point)
}

fn of_line(
    code: &Element,
    url: &str,
    expression: Option<String>,
    place: (i32, i32),
) -> Option<Pointed> {
    let line = code.parent_element()?.get_attribute("data-line")?;
    Some(Pointed {
        url: url.to_owned(),
        line: line.parse().ok()?,
        expression,
        place,
    })
}

/// What is selected within the text of this line: an expression as a query has it, or what the person selected by
/// themselves.
fn selected(code: &Element) -> Option<String> {
    let selection = selection()?;
    let range = selection.get_range_at(0).ok()?;
    let is_here = |node: Option<Node>| node.is_some_and(|it| code.contains(Some(&it)));
    if !is_here(range.start_container().ok()) || !is_here(range.end_container().ok()) {
        return None;
    }
    let columns = (range.start_offset().ok()?, range.end_offset().ok()?);
    let found = expressions(&code.text_content()?);
    let is_it = |it: &&Expression| {
        let (start, end) = (
            u32::try_from(it.columns.start),
            u32::try_from(it.columns.end),
        );
        (start, end) == (Ok(columns.0), Ok(columns.1))
    };
    let text = match found.iter().find(is_it) {
        Some(expression) => expression.text.clone(),
        None => String::from(selection.to_string()).trim().to_owned(),
    };
    (!text.is_empty()).then_some(text)
}

fn select(code: &Element, expression: &Expression) {
    let column = |at: usize| u32::try_from(at).unwrap_or_default();
    let columns = &expression.columns;
    if let (Some(selection), Some(text)) = (selection(), code.first_child()) {
        // The text has these columns: they were found in it.
        let _ =
            selection.set_base_and_extent(&text, column(columns.start), &text, column(columns.end));
    }
}

/// Has nothing be selected in the lines.
pub(crate) fn select_nothing(lines: &Element) {
    if let Some(selection) = selection()
        && lines.contains(selection.anchor_node().as_ref())
    {
        // There is always none to be had.
        let _ = selection.remove_all_ranges();
    }
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // What cannot have it leaves it where it is.
        let _ = element.focus();
    }
}

fn nearest() -> web_sys::ScrollIntoViewOptions {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    options
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

fn selection() -> Option<Selection> {
    document()?.get_selection().ok()?
}
