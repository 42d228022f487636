//! Values as a tree that opens in place: variables by their scopes, what objects have inside, in pages.
//!
//! One list of rows is drawn anew when something of it changes, and one set of functions hears of all of them: a row
//! with functions of its own would keep something of each that was ever shown.

mod drawing;
mod rows;

use std::collections::BTreeMap;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Div;
use leptos::prelude::*;
use querypoint::answer::Scope;
use querypoint::session::methods;
use querypoint::session::results::Expanded;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use self::drawing::drawn;
use self::rows::{Row, What, rows};
use super::arrows::{focus_above, keep_tab_stop, move_focus};
use super::made::show;
use super::scopes::{Group, ScopePosition, groups};
use super::tab::{About, ask, ask_of_tab};
use crate::link::order_and;
use crate::menu::{Item, Menu};
use crate::model::{Model, Say};
use crate::texts;

const ROW: &str = "[role=treeitem]";

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
            .with(|expanded| rows(&place, &groups, &switched, expanded))
    });
    let tree = Tree {
        model,
        place,
        switched,
        rows,
    };
    let list = NodeRef::<Div>::new();
    Effect::new(move |_| {
        let is_off = model.doing.get().is_some();
        let Some(list) = list.get() else { return };
        rows.with(|rows| {
            let all = rows.iter().enumerate();
            let all = all.filter_map(|(number, row)| drawn(number, row, is_off));
            show(&list, all);
        });
    });
    view! {
        <div
            role="tree"
            class="values-tree"
            node_ref=list
            aria-label=label
            on:click=move |event| tree.pressed(&event)
            on:contextmenu=move |event| tree.pointed(&event)
            on:keydown=move |event| tree.key(&event)
            on:focusin=|event| keep_tab_stop(&event, ROW)
        ></div>
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
        } else if is_in(".origin") {
            self.asks("origin", &row);
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
        let call = methods::Expand {
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
