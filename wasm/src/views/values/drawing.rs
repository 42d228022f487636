//! How a row of the tree of values is drawn.

use querypoint::answer::{LastWriter, Value, ValueType};
use querypoint::session::excerpt::short_name;
use web_sys::Element;

use super::rows::{Row, What};
use crate::texts;
use crate::views::made::{add, indent, made, say_text};

/// What disables a button while something is done.
fn unless(is_off: bool) -> Option<(&'static str, &'static str)> {
    is_off.then_some(("disabled", ""))
}

/// The row that is the `number`th. `is_off`: nothing can be asked now.
pub(super) fn drawn(number: usize, row: &Row, is_off: bool) -> Option<Element> {
    let (level, place) = ((row.depth + 1).to_string(), number.to_string());
    let class = match row.what {
        What::Group { .. } => "group",
        What::Variable { .. } => "variable",
        What::More { .. } => "rest",
        What::Empty => "empty-object",
    };
    let attributes = [
        ("role", "treeitem"),
        ("class", class),
        ("tabindex", if number == 0 { "0" } else { "-1" }),
        ("aria-level", &*level),
        ("data-row", &*place),
        ("data-expression", &*row.expression),
    ];
    let element = made("div", &attributes, "")?;
    indent(&element, row.depth);
    if let Some(is_open) = row.is_open {
        // It is a name that every element has.
        let _ = element.set_attribute("aria-expanded", truth(is_open));
        add(&element, [fold(row, is_open, is_off)]);
    }
    match &row.what {
        What::Group { title, .. } => add(&element, [made("b", &[], title)]),
        What::Variable {
            name,
            value,
            said,
            writer,
        } => {
            let class = format!("value {}", class_of(value));
            let parts = [
                made("code", &[("class", "name")], &shown_name(name)),
                made("code", &[("class", &class)], &value.text),
                said.as_deref().and_then(elsewhere),
                writer.as_deref().and_then(written_by),
                asking("origin", texts::ORIGIN, &row.expression, is_off),
                asking("last-change", texts::LAST_CHANGE, &row.expression, is_off),
            ];
            add(&element, parts);
        }
        What::More { shown, of, filter } => {
            let plain = [("type", "button"), ("class", "more"), ("tabindex", "-1")];
            let more: Vec<_> = plain
                .into_iter()
                .chain(unless(is_off || shown >= of))
                .collect();
            let field = [
                ("class", "filter"),
                ("aria-label", texts::FILTER),
                ("placeholder", texts::FILTER),
                ("value", filter),
            ];
            let parts = [
                made("span", &[], &texts::shown_of(*shown, *of)),
                made("button", &more, texts::MORE),
                made("input", &field, ""),
            ];
            add(&element, parts);
        }
        What::Empty => add(
            &element,
            [made("span", &[("class", "empty")], texts::NOTHING_INSIDE)],
        ),
    }
    Some(element)
}

fn truth(it: bool) -> &'static str {
    if it { "true" } else { "false" }
}

/// What opens and closes a row.
fn fold(row: &Row, is_open: bool, is_off: bool) -> Option<Element> {
    let label = format!("{} {}", texts::EXPAND, row.expression);
    let mark = match is_open {
        true => texts::OPEN_MARK,
        false => texts::CLOSED_MARK,
    };
    let is_group = matches!(row.what, What::Group { .. });
    let plain = [
        ("type", "button"),
        ("class", "fold"),
        ("tabindex", "-1"),
        ("aria-label", &*label),
        ("aria-expanded", truth(is_open)),
    ];
    let attributes: Vec<_> = plain
        .into_iter()
        .chain(unless(is_off && !is_group))
        .collect();
    made("button", &attributes, mark)
}

/// What the value is elsewhere.
fn elsewhere(said: &str) -> Option<Element> {
    let element = made("span", &[("class", "elsewhere")], "")?;
    say_text(&element, texts::ELSEWHERE_MARK);
    say_text(&element, " ");
    add(&element, [made("code", &[], said)]);
    Some(element)
}

/// What asks about the value, where a query can.
fn asking(class: &str, text: &str, expression: &str, is_off: bool) -> Option<Element> {
    if expression.contains("[[") {
        return None;
    }
    let label = format!("{text} {} {expression}", texts::OF);
    let plain = [
        ("type", "button"),
        ("class", class),
        ("tabindex", "-1"),
        ("aria-label", &*label),
    ];
    let attributes: Vec<_> = plain.into_iter().chain(unless(is_off)).collect();
    made("button", &attributes, text)
}

/// What is said of a value: the line, which a press shows in the browser's own view, or that it was the user; and the
/// task.
fn written_by(writer: &LastWriter) -> Option<Element> {
    let element = made("span", &[("class", "written-by")], "")?;
    say_text(&element, texts::WRITTEN_MARK);
    say_text(&element, " ");
    match &writer.location {
        Some(location) => {
            let place = format!("{}:{}", short_name(&location.url), location.line);
            let title = texts::written_at(writer);
            let attributes = [
                ("type", "button"),
                ("class", "writer"),
                ("tabindex", "-1"),
                ("title", &*title),
                ("aria-label", &*title),
            ];
            add(&element, [made("button", &attributes, &place)]);
        }
        None => say_text(&element, texts::BY_USER),
    }
    let task = writer.task();
    if !task.is_empty() {
        say_text(&element, " ");
        add(&element, [made("span", &[], &task)]);
    }
    Some(element)
}

/// How the tools write it: an entry by its key, an attribute with its sign.
fn shown_name(name: &str) -> String {
    let inside = |method: &str| name.strip_prefix(method)?.strip_suffix(')');
    if let Some(key) = inside(".get(") {
        return format!("{key} ⇒");
    }
    if let Some(attribute) = inside(".getAttribute(") {
        return format!("@{}", attribute.trim_matches('"'));
    }
    if inside(".has(").is_some() {
        return String::new();
    }
    name.strip_prefix("[[")
        .and_then(|it| it.strip_suffix("]]"))
        .map_or_else(|| name.to_owned(), |key| format!("{key} ⇒"))
}

fn class_of(value: &Value) -> &'static str {
    match value.kind {
        ValueType::String => "string",
        ValueType::Number | ValueType::Boolean => "number",
        ValueType::Undefined => "nothing",
        _ if value.text == "null" => "nothing",
        _ => "object",
    }
}
