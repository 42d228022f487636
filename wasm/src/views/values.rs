//! Values as a tree that opens in place: variables by their scopes, what objects have inside, in pages.
//!
//! One list of rows is drawn anew when something of it changes, and one set of functions hears of all of them: a row
//! with functions of its own would keep something of each that was ever shown.

use std::collections::BTreeMap;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use querypoint::answer::{LastWriter, Scope, Value, ValueType, Variable};
use querypoint::session::expressions::member;
use querypoint::session::methods;
use querypoint::session::results::Expanded;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use super::arrows::{focus_above, keep_tab_stop, move_focus};
use super::scopes::{Group, ScopePosition, groups};
use super::tab::{About, ask, ask_of_tab};
use super::writers::written_by;
use crate::link::order_and;
use crate::menu::{Item, Menu};
use crate::model::{Inside, Model, Say};
use crate::texts;

const ROW: &str = "[role=treeitem]";

/// What is shown in a line of the tree.
#[derive(Clone, Debug, PartialEq)]
enum What {
    Group {
        number: usize,
        title: String,
    },
    Variable {
        name: String,
        value: Value,
        said: Option<String>,
        writer: Option<Box<LastWriter>>,
    },
    /// Not all of an object is shown.
    More {
        shown: usize,
        of: usize,
        filter: String,
    },
    Empty,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    what: What,
    depth: usize,
    /// What gives the value; of `More` and `Empty` the object.
    expression: String,
    /// Whether it is open; none: it has nothing inside.
    is_open: Option<bool>,
}

/// The tree of the variables that are seen from a place.
pub(crate) fn tree(
    model: Model,
    label: &'static str,
    place: Signal<ScopePosition>,
    groups: Signal<Vec<Group>>,
) -> impl IntoView {
    // By the number of the group: whether it is otherwise than it is at first.
    let switched = RwSignal::new(BTreeMap::<usize, bool>::new());
    let rows = Memo::new(move |_| {
        let place = place.get();
        let switched = switched.get();
        let groups = groups.get();
        model
            .expanded
            .with(|unfolded| rows(&place, &groups, &switched, unfolded))
    });
    let tree = Tree {
        model,
        place,
        switched,
        rows,
    };
    view! {
        <div
            role="tree"
            class="values-tree"
            aria-label=label
            on:click=move |event| tree.pressed(&event)
            on:contextmenu=move |event| tree.pointed(&event)
            on:keydown=move |event| tree.key(&event)
            on:focusin=|event| keep_tab_stop(&event, ROW)
        >
            {move || {
                let is_off = model.doing.get().is_some();
                let rows = rows.get().into_iter().enumerate();
                rows.map(|(number, row)| drawn(number, row, is_off)).collect_view()
            }}
        </div>
    }
}

/// The scopes of a frame that stay as they are.
pub(crate) fn scopes(
    model: Model,
    place: ScopePosition,
    scopes: &[Scope],
) -> impl IntoView + use<> {
    let groups = groups(scopes, &[]);
    tree(
        model,
        texts::SCOPES,
        Signal::stored(place),
        Signal::stored(groups),
    )
}

fn rows(
    place: &ScopePosition,
    groups: &[Group],
    switched: &BTreeMap<usize, bool>,
    unfolded: &BTreeMap<(String, String), Inside>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let is_open = group.is_folded == switched.get(&number).copied().unwrap_or_default();
        let depth = usize::from(!group.title.is_empty());
        if depth > 0 {
            let title = group.title.clone();
            rows.push(Row {
                what: What::Group { number, title },
                depth: 0,
                expression: String::new(),
                is_open: Some(is_open),
            });
        }
        if !is_open && depth > 0 {
            continue;
        }
        for variable in &group.variables {
            let said = group.said.get(&variable.name).cloned();
            add(
                &mut rows,
                place,
                unfolded,
                variable.name.clone(),
                variable,
                said,
                depth,
            );
        }
    }
    rows
}

fn add(
    rows: &mut Vec<Row>,
    place: &ScopePosition,
    unfolded: &BTreeMap<(String, String), Inside>,
    expression: String,
    variable: &Variable,
    said: Option<String>,
    depth: usize,
) {
    let has_inside = variable.value.kind == ValueType::Object && variable.value.text != "null";
    let can_open = has_inside && !variable.name.starts_with("[[");
    let key = (place.key(), expression);
    let inside = unfolded.get(&key);
    let expression = key.1;
    rows.push(Row {
        what: What::Variable {
            name: variable.name.clone(),
            value: variable.value.clone(),
            said,
            writer: variable.last_writer.clone(),
        },
        depth,
        expression: expression.clone(),
        is_open: can_open.then_some(inside.is_some()),
    });
    let Some(inside) = inside.filter(|_| can_open) else {
        return;
    };
    let depth = depth + 1;
    for variable in &inside.variables {
        let path = member(&expression, &variable.name);
        add(rows, place, unfolded, path, variable, None, depth);
    }
    let shown = inside.variables.len();
    let what = match shown {
        0 if inside.filter.is_empty() => What::Empty,
        shown if shown < inside.of || !inside.filter.is_empty() => What::More {
            shown,
            of: inside.of,
            filter: inside.filter.clone(),
        },
        _ => return,
    };
    rows.push(Row {
        what,
        depth,
        expression,
        is_open: None,
    });
}

fn drawn(number: usize, row: Row, is_off: bool) -> impl IntoView {
    let Row {
        what,
        depth,
        expression,
        is_open,
    } = row;
    let fold = is_open.map(|is_open| {
        let label = format!("{} {expression}", texts::EXPAND);
        let mark = if is_open {
            texts::OPEN_MARK
        } else {
            texts::CLOSED_MARK
        };
        let is_group = matches!(what, What::Group { .. });
        view! {
            <button
                type="button"
                class="fold"
                tabindex="-1"
                aria-label=label
                aria-expanded=is_open.to_string()
                disabled={is_off && !is_group}
            >
                {mark}
            </button>
        }
    });
    let (class, inside) = match what {
        What::Group { title, .. } => ("group", view! { <b>{title}</b> }.into_any()),
        What::Variable {
            name,
            value,
            said,
            writer,
        } => {
            let label = format!("{} {} {expression}", texts::LAST_CHANGE, texts::OF);
            let can_ask = !expression.contains("[[");
            let inside = view! {
                <code class="name">{shown_name(&name)}</code>
                <code class=format!("value {}", class_of(&value))>{value.text.clone()}</code>
                {said.map(|said| view! {
                    <span class="elsewhere">{texts::ELSEWHERE_MARK} " "<code>{said}</code></span>
                })}
                {writer.map(|writer| written_by(&writer))}
                {can_ask.then(|| view! {
                    <button type="button" class="last-change" tabindex="-1" aria-label=label disabled=is_off>
                        {texts::LAST_CHANGE}
                    </button>
                })}
            };
            ("variable", inside.into_any())
        }
        What::More { shown, of, filter } => {
            let is_all = shown >= of;
            let inside = view! {
                <span>{texts::shown_of(shown, of)}</span>
                <button type="button" class="more" tabindex="-1" disabled={is_off || is_all}>{texts::MORE}</button>
                <input class="filter" aria-label=texts::FILTER placeholder=texts::FILTER value=filter />
            };
            ("rest", inside.into_any())
        }
        What::Empty => (
            "empty-object",
            view! { <span class="empty">{texts::NOTHING_INSIDE}</span> }.into_any(),
        ),
    };
    view! {
        <div
            role="treeitem"
            class=class
            tabindex=if number == 0 { "0" } else { "-1" }
            attr:aria-level=(depth + 1).to_string()
            aria-expanded=is_open.map(|is_open| is_open.to_string())
            data-row=number.to_string()
            data-expression=expression.clone()
            style:--depth=depth.to_string()
        >
            {fold}
            {inside}
        </div>
    }
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

#[derive(Clone, Copy)]
struct Tree {
    model: Model,
    place: Signal<ScopePosition>,
    switched: RwSignal<BTreeMap<usize, bool>>,
    rows: Memo<Vec<Row>>,
}

impl Tree {
    /// The row that an event is about, and what in it was hit.
    fn row_at(self, event: &web_sys::Event) -> Option<(Row, Element)> {
        let target = event.target()?.dyn_into::<Element>().ok()?;
        let row = target.closest("[data-row]").ok()??;
        let number: usize = row.get_attribute("data-row")?.parse().ok()?;
        let row = self.rows.with_untracked(|rows| rows.get(number).cloned())?;
        Some((row, target))
    }

    fn is_busy(self) -> bool {
        self.model.doing.with_untracked(Option::is_some)
    }

    fn pressed(self, event: &MouseEvent) {
        let Some((row, target)) = self.row_at(event) else {
            return;
        };
        let is_in = |selector: &str| target.closest(selector).ok().flatten().is_some();
        if is_in("input") {
        } else if is_in(".last-change") {
            self.last_change(&row);
        } else if is_in(".more") {
            self.more(&row);
        } else if let (
            true,
            What::Variable {
                writer: Some(writer),
                ..
            },
        ) = (is_in(".writer"), &row.what)
        {
            super::writers::show(writer);
        } else {
            self.switch(&row);
        }
    }

    fn pointed(self, event: &MouseEvent) {
        let Some((row, _)) = self.row_at(event) else {
            return;
        };
        let What::Variable { .. } = row.what else {
            return;
        };
        event.prevent_default();
        let expression = row.expression.clone();
        let asked = row.clone();
        let (from, followed) = (texts::where_from(&expression), row.clone());
        let title = format!("{} {} {expression}", texts::LAST_CHANGE, texts::OF);
        let watch = format!("{} {expression}", texts::WATCH);
        let model = self.model;
        let watched = expression.clone();
        let items = vec![
            Item::job(from, move || self.asks("origin", &followed)),
            Item::job(title, move || self.last_change(&asked)),
            Item::job(watch, move || {
                let expression = watched.clone();
                crate::link::order(model, methods::Watch { expression });
            }),
        ];
        model.menu.say(Some(Menu {
            label: expression,
            place: (event.client_x(), event.client_y()),
            items,
        }));
    }

    fn key(self, event: &KeyboardEvent) {
        let Some((row, target)) = self.row_at(event) else {
            return;
        };
        if let Some(field) = target.dyn_ref::<HtmlInputElement>() {
            if event.key() == "Enter" {
                event.prevent_default();
                self.read(&row.expression, 0, field.value());
            }
            return;
        }
        if move_focus(event, ROW) {
            return;
        }
        match (event.key().as_str(), row.is_open) {
            ("ArrowRight", Some(false)) | ("ArrowLeft", Some(true)) | (" ", Some(_)) => {
                self.switch(&row);
            }
            ("ArrowLeft", _) => focus_above(&target, ROW),
            ("Enter", _) => match row.what {
                What::Variable { .. } => self.last_change(&row),
                What::More { .. } => self.more(&row),
                _ => self.switch(&row),
            },
            _ => return,
        }
        event.prevent_default();
    }

    /// Shows what is inside, or no longer.
    fn switch(self, row: &Row) {
        match (&row.what, row.is_open) {
            (What::Group { number, .. }, _) => self.switched.update(|all| {
                let switched = all.entry(*number).or_default();
                *switched = !*switched;
            }),
            (_, Some(true)) => {
                let key = (self.place.get_untracked().key(), row.expression.clone());
                self.model.expanded.update(|all| drop(all.remove(&key)));
            }
            (_, Some(false)) => self.read(&row.expression, 0, String::new()),
            (_, None) => {}
        }
    }

    fn more(self, row: &Row) {
        if let What::More { shown, filter, .. } = &row.what {
            self.read(&row.expression, *shown, filter.clone());
        }
    }

    /// Has the page run once more for what an object has inside; where the tab is paused, that is read in it.
    fn read(self, expression: &str, from: usize, filter: String) {
        let place = self.place.get_untracked();
        let key = (place.key(), expression.to_owned());
        let model = self.model;
        let wanted = filter.clone();
        let then = move |expanded: Expanded| {
            if !expanded.notes.is_empty() {
                model.tell(expanded.notes.join("\n"), false);
            }
            model.expanded.update(|all| {
                let inside = all.entry(key).or_default();
                inside.variables.truncate(from);
                inside.variables.extend(expanded.variables);
                (inside.of, inside.filter) = (expanded.of, wanted);
            });
        };
        if place.stop.is_some() {
            let call = methods::LookInside {
                expression: expression.to_owned(),
                frame: place.frame(),
                from,
                filter,
            };
            order_and(model, call, then);
            return;
        }
        if self.is_busy() {
            return;
        }
        let call = methods::Unfold {
            point: place.of_point().to_owned(),
            expression: expression.to_owned(),
            frame: place.frame(),
            from,
            filter,
        };
        order_and(model, call, then);
    }

    fn last_change(self, row: &Row) {
        self.asks("lastChange", row);
    }

    fn asks(self, kind: &str, row: &Row) {
        if self.is_busy() {
            return;
        }
        let What::Variable { value, .. } = &row.what else {
            return;
        };
        let place = self.place.get_untracked();
        let query = format!("{kind}({}:{})", place.point, row.expression);
        match place.stop {
            None => ask(self.model, query),
            Some(stop) => {
                let at = stop.point();
                self.model.asked_from.set(Some(stop));
                ask_of_tab(self.model, query, at, About::Value(value.clone()));
            }
        }
    }
}
