//! What a person does in the source, and what can be asked about what they point at there.

use leptos::prelude::*;
use querypoint::session::expressions::{at_column, member};
use querypoint::session::methods;
use querypoint::session::stop::line_point;

use super::frames::scopes_of;
use super::scopes::ScopePosition;
use super::tab::ask;
use crate::editor::Event;
use crate::link::inspected::switch_breakpoint;
use crate::link::order;
use crate::menu::{Item, Menu};
use crate::model::{Model, Say};
use crate::{devtools, texts};

/// Does what somebody wants who did this in the file of the point that is looked at.
pub(crate) fn heard(model: Model, caret: RwSignal<(u32, u32)>, event: Event) {
    let url = untrack(|| model.location());
    let url = url.map(|location| location.url).unwrap_or_default();
    match event {
        Event::Menu { line, text, place } => {
            let expression = as_query(&text);
            let named = (!expression.is_empty()).then(|| of_expression(model, expression));
            let items = named.into_iter().flatten().chain(of_line(model, url, line));
            model.menu.say(Some(Menu {
                label: texts::NAME_AT_CURSOR.to_owned(),
                place,
                items: items.collect(),
            }));
        }
        Event::Gutter { line, .. } if devtools::is_extension() => {
            switch_breakpoint(model, url, line);
        }
        Event::Gutter { line, place } => model.menu.say(Some(Menu {
            label: texts::line(line),
            place,
            items: of_line(model, url, line),
        })),
        Event::Point(point) => model.chosen.say(point),
        Event::Points { names, place } => {
            let items = names.into_iter().map(|name| {
                let point = name.clone();
                Item::at_once(name, move || model.chosen.say(point.clone()))
            });
            model.menu.say(Some(Menu {
                label: texts::POINTS.to_owned(),
                place,
                items: items.collect(),
            }));
        }
        Event::LastChange(text) => last_change(model, &as_query(&text)),
        Event::Caret { line, column } => caret.say((line, column)),
    }
}

/// The value of what is written there, as far as it is known at the point that is looked at.
pub(crate) fn value_of(model: Model, written: &str) -> Option<String> {
    let expression = as_query(written);
    let point = untrack(|| model.chosen_point())?;
    let scopes = untrack(|| scopes_of(model, &point)).unwrap_or_default();
    let variables = scopes.iter().flat_map(|scope| &scope.variables);
    let mut named = variables.filter(|it| it.name == expression && it.name != "this");
    if let Some(variable) = named.next() {
        return Some(variable.value.text.clone());
    }
    let mut watched = point
        .watches
        .iter()
        .filter(|it| it.expression == expression);
    if let Some(watch) = watched.next() {
        return Some(watch.value.text.clone());
    }
    model.expanded.with_untracked(|all| {
        let place = ScopePosition::of_frame(&point.name, untrack(|| model.frame())).point;
        let here = all.iter().filter(|((of, _), _)| *of == place);
        let mut inside = here.flat_map(|((_, object), inside)| {
            inside
                .variables
                .iter()
                .map(move |it| (member(object, &it.name), it))
        });
        let (_, found) = inside.find(|(path, _)| *path == expression)?;
        Some(found.value.text.clone())
    })
}

/// What a query calls what is written so; what is no way to a value stays as it is.
fn as_query(written: &str) -> String {
    let written = written.trim();
    let end = written.encode_utf16().count();
    match at_column(written, end) {
        Some(found) if found.columns.end == end => found.text,
        _ => written.to_owned(),
    }
}

fn of_expression(model: Model, expression: String) -> [Item; 3] {
    let from = texts::where_from(&expression);
    let title = texts::last_change_of(&expression);
    let watch = format!("{} {expression}", texts::WATCH);
    let asked = expression.clone();
    let followed = expression.clone();
    [
        Item::job(from, move || ask_here(model, "origin", &followed)),
        Item::job(title, move || last_change(model, &asked)),
        Item::job(watch, move || {
            let expression = expression.clone();
            order(model, methods::Watch { expression });
        }),
    ]
}

fn last_change(model: Model, expression: &str) {
    ask_here(model, "lastChange", expression);
}

/// Asks about what is written so, in the frame that is looked at.
fn ask_here(model: Model, kind: &str, expression: &str) {
    let frame = untrack(|| model.frame());
    let point = ScopePosition::of_frame(&model.chosen.get_untracked(), frame).point;
    ask(model, format!("{kind}({point}:{expression})"));
}

fn of_line(model: Model, url: String, line: u32) -> Vec<Item> {
    let is_set = model
        .breakpoints
        .with_untracked(|it| it.contains_key(&(url.clone(), line)));
    let (of_tab, url_of_line) = (url.clone(), url.clone());
    let stop = Item::job(texts::stop_at_line(line), move || {
        let point = line_point(&url, line);
        order(model, methods::At { point });
    });
    let asked = line_point(&url_of_line, line);
    let why = Item::job(texts::WHY_NOT, move || {
        ask(model, format!("whyNot({asked})"))
    });
    let switch = move || switch_breakpoint(model, of_tab.clone(), line);
    let breakpoint = Item::at_once(texts::breakpoint_at_line(line, is_set), switch);
    let breakpoint = devtools::is_extension().then_some(breakpoint);
    let has_run = untrack(|| model.has_run(&url_of_line, line));
    let why = (!has_run).then_some(why);
    [stop].into_iter().chain(why).chain(breakpoint).collect()
}
