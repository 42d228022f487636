//! An event as a row shows it, and what can be done with it.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use querypoint::diagnosis::CallAnswer;
use querypoint::events::{EventKind, LoggedEvent};
use querypoint::session::excerpt::short_name;
use querypoint::session::log_questions::questions_at;
use querypoint::session::methods;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget};

use super::Execution;
use crate::link::{order, order_and};
use crate::menu::{Item, Menu};
use crate::model::Say;
use crate::texts;
use crate::views::made::{made, put};

/// What it says, and where it is, in a row.
pub(super) fn say(row: &Element, event: &LoggedEvent) {
    let words = event.words();
    let code = made("code", &[], &words.text);
    if let Some(code) = &code {
        let arrow = words
            .old
            .as_ref()
            .and_then(|_| made("span", &[], texts::BECOMES));
        let old = words.old.as_ref().and_then(|old| made("del", &[], old));
        let equals = words
            .old
            .is_none()
            .then(|| made("span", &[], "="))
            .flatten();
        if let Some(new) = words.new.as_ref().and_then(|new| made("ins", &[], new)) {
            put(code, [equals, old, arrow, Some(new)]);
        }
    }
    let within = words
        .within
        .and_then(|function| faint(&texts::within(&function)));
    let place = event.location.as_ref();
    let place = place.and_then(|it| {
        let text = format!("{}:{}", short_name(&it.url), it.line);
        made("span", &[("class", "place")], &text)
    });
    put(row, [code, within, place]);
}

/// What is said beside it.
pub(super) fn faint(text: &str) -> Option<Element> {
    made("span", &[("class", "within")], text)
}

/// The row that something happened in, as far as it has this attribute.
pub(super) fn attribute_of(target: Option<EventTarget>, name: &str) -> Option<String> {
    let target = target?.dyn_into::<Element>().ok()?;
    let row = target.closest(&format!("[{name}]")).ok()??;
    row.get_attribute(name)
}

/// Offers what can be done with an event.
pub(super) fn point_at(it: Execution, event: &LoggedEvent, pointed: &MouseEvent) {
    let Some(log) = it.log.get_untracked() else {
        return;
    };
    pointed.prevent_default();
    let number = event.seq;
    let model = it.model;
    let use_it = move || {
        order_and(
            model,
            methods::EventPoint {
                log,
                event: number,
                of_call: None,
            },
            move |point| {
                order(model, methods::At { point: point.text });
            },
        );
    };
    let mut items = vec![Item::job(texts::USE_AS_POINT, use_it)];
    if event.kind == EventKind::Call {
        let judged = [
            (CallAnswer::Valid, texts::CALL_IS_RIGHT),
            (CallAnswer::Invalid, texts::CALL_IS_WRONG),
        ];
        items.extend(
            judged.map(|(answer, text)| Item::at_once(text, move || it.judge(number, answer))),
        );
    }
    items.extend(questions_at(Some(event)).into_iter().map(|query| {
        let asked = query.clone();
        Item::at_once(query, move || it.ask(asked.clone(), 0))
    }));
    it.choose(log, event.clone());
    model.menu.say(Some(Menu {
        label: format!("#{number}"),
        place: (pointed.client_x(), pointed.client_y()),
        items,
    }));
}
