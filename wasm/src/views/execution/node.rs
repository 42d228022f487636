//! A node of the call tree: what the call was given, what it gave and changed, and what can be said of it. A press on a
//! name asks for its history.

use leptos::ev::MouseEvent;
use leptos::prelude::GetUntracked;
use querypoint::answer::{Location, Value};
use querypoint::diagnosis::{CallAnswer, CallChange, CallView, Ended, Named, PageEffectKind};
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;
use querypoint::session::methods::CallEnd;
use web_sys::Element;

use super::Execution;
use super::event::attribute_of;
use crate::link::order_and;
use crate::menu::{Item, Menu};
use crate::model::Say;
use crate::texts;
use crate::views::made::{add, made, put};
use crate::views::question::ask_at;

/// What can be said of a call, with the words for it.
pub(super) const ANSWERS: [(CallAnswer, &str); 5] = [
    (CallAnswer::Valid, texts::IS_RIGHT),
    (CallAnswer::Invalid, texts::IS_WRONG),
    (CallAnswer::Trusted, texts::IS_TRUSTED),
    (CallAnswer::Inadmissible, texts::IS_INADMISSIBLE),
    (CallAnswer::Unknown, texts::IS_UNKNOWN),
];

/// What a person is to judge a call by.
pub(super) fn asked(view: &CallView) -> Option<Element> {
    let all = made("div", &[("class", "asked-call")], "")?;
    let call = &view.call;
    let from = match (&view.caller, &view.task) {
        (Some(caller), _) => Some(texts::called_by(caller)),
        (None, Some(task)) => Some(texts::in_task(task)),
        (None, None) => None,
    };
    let from = from.and_then(|from| made("span", &[("class", "within")], &from));
    put(
        &all,
        [
            function(&call.function, call.location.as_ref(), call.call),
            from,
        ],
    );
    if let Some(event) = &view.handed_over {
        let by = event.function.as_deref().unwrap_or_default();
        let by = made("span", &[("class", "within")], &texts::handed_over_by(by));
        put(&all, [by, place(event.location.as_ref())]);
    }
    let list = made("dl", &[], "")?;
    let row_of = |label: Option<Element>, value: Option<Element>| {
        let value_of = made("dd", &[], "");
        if let Some(it) = &value_of {
            add(it, [value]);
        }
        let label_of = made("dt", &[], "");
        if let Some(it) = &label_of {
            put(it, [label]);
        }
        add(&list, [label_of, value_of]);
    };
    let row = |label: &str, value: Option<Element>| row_of(made("span", &[], label), value);
    let number = call.call;
    if let Some(this) = &view.this {
        row("this", text_of(Some(this)));
    }
    for it in &view.arguments {
        row_of(name(&it.name, number, "", "begin"), named(it));
    }
    for it in &view.locals {
        row_of(name(&it.name, number, "", "end"), named(it));
    }
    for change in &view.changes {
        row_of(
            name(&change.name, number, texts::CHANGED, "end"),
            became(change),
        );
    }
    if view.more_changes > 0 {
        row(
            texts::CHANGED,
            made("span", &[], &texts::and_more(view.more_changes)),
        );
    }
    for effect in &view.page {
        let label = match effect.kind {
            PageEffectKind::Document => texts::IN_THE_DOCUMENT,
            PageEffectKind::Storage => texts::IN_STORAGE,
            PageEffectKind::Network => texts::SENT,
        };
        row(label, made("code", &[], &effect.text));
    }
    match &view.ended {
        Ended::Returned(value) => row(texts::RETURNED, text_of(value.as_ref())),
        Ended::Threw(value) => row(texts::THREW, text_of(value.as_ref())),
        Ended::Suspended => row(texts::SUSPENDED, None),
        Ended::Open => row(texts::NO_END, None),
        Ended::AtTheEnd => {}
    }
    add(&all, [Some(list)]);
    Some(all)
}

/// The word of an answer for a style.
pub(super) const fn style(answer: CallAnswer) -> &'static str {
    match answer {
        CallAnswer::Valid => "valid",
        CallAnswer::Invalid => "invalid",
        CallAnswer::Trusted => "trusted",
        CallAnswer::Unknown => "unknown",
        CallAnswer::Inadmissible => "inadmissible",
    }
}

/// Where something is.
pub(super) fn place(location: Option<&Location>) -> Option<Element> {
    let text = location.map(|it| format!("{}:{}", short_name(&it.url), it.line))?;
    made("span", &[("class", "place")], &text)
}

/// The name of a function with where it is; a press shows it.
pub(super) fn function(name: &str, location: Option<&Location>, call: u64) -> Option<Element> {
    let number = call.to_string();
    let attributes = [
        ("type", "button"),
        ("class", "side"),
        ("data-call", &*number),
    ];
    let button = made("button", &attributes, "")?;
    put(&button, [made("code", &[], name), place(location)]);
    Some(button)
}

fn text_of(value: Option<&Value>) -> Option<Element> {
    made(
        "code",
        &[],
        value.map_or(texts::VALUE_NOT_RECORDED, |it| &it.text),
    )
}

fn named(it: &Named) -> Option<Element> {
    match (&it.entry, &it.exit) {
        (Some(entry), Some(exit)) => changed(Some(entry), Some(exit)),
        (entry, exit) => text_of(entry.as_ref().or(exit.as_ref())),
    }
}

/// What changed, and to what.
pub(super) fn became(change: &CallChange) -> Option<Element> {
    changed(change.old.as_ref(), change.new.as_ref())
}

/// A name in a call, behind what is said of it; a press asks for its history, if a question takes the name.
pub(super) fn name(name: &str, call: u64, said: &str, end: &str) -> Option<Element> {
    let text = format!("{said} {name}");
    let number = call.to_string();
    let attributes = [
        ("type", "button"),
        ("class", "side name"),
        ("data-name", name),
        ("data-of", &*number),
        ("data-end", end),
    ];
    match name.contains([' ', '#', '(', '…']) {
        true => made("span", &[], text.trim()),
        false => made("button", &attributes, text.trim()),
    }
}

/// A press on a name asks for its history: which event gave it each value.
pub(super) fn asks_history(it: Execution, event: &MouseEvent) -> bool {
    let Some((name, call)) = named_at(event) else {
        return false;
    };
    it.ask(format!("history(#{call}:{name})"), 0);
    true
}

fn named_at(event: &MouseEvent) -> Option<(String, u64)> {
    let name = attribute_of(event.target(), "data-name")?;
    let call = attribute_of(event.target(), "data-of")?.parse().ok()?;
    Some((name, call))
}

/// What can be asked of a name: at the beginning of the call what it was given, else at its end.
pub(super) fn point_at_name(it: Execution, event: &MouseEvent) -> bool {
    let (Some((name, call)), Some(log)) = (named_at(event), it.log.get_untracked()) else {
        return false;
    };
    event.prevent_default();
    let end = match attribute_of(event.target(), "data-end").as_deref() {
        Some("begin") => CallEnd::Begin,
        _ => CallEnd::End,
    };
    let model = it.model;
    let of_event = methods::EventPoint {
        log,
        event: call,
        of_call: Some(end),
    };
    let asked = |kind: &'static str, text: String| {
        let name = name.clone();
        Item::job(text, move || {
            let query = format!("{kind}(R:{name})");
            order_and(model, of_event, move |point| {
                ask_at(model, query, Some(point.text));
            });
        })
    };
    let history = format!("history(#{call}:{name})");
    let query = history.clone();
    model.menu.say(Some(Menu {
        label: name.clone(),
        place: (event.client_x(), event.client_y()),
        items: vec![
            asked("origin", texts::where_from(&name)),
            asked("lastChange", texts::last_change_of(&name)),
            Item::at_once(history, move || it.ask(query.clone(), 0)),
        ],
    }));
    true
}

fn changed(old: Option<&Value>, new: Option<&Value>) -> Option<Element> {
    let code = made("code", &[], "")?;
    let side = |tag: &str, value: Option<&Value>| {
        made(tag, &[], value.map_or(texts::NOTHING, |it| &it.text))
    };
    let arrow = made("span", &[], texts::BECOMES);
    put(&code, [side("del", old), arrow, side("ins", new)]);
    Some(code)
}

/// What can be said of a call.
pub(super) fn answers(call: u64) -> Option<Element> {
    let all = made("div", &[("class", "answer-buttons")], "")?;
    let number = call.to_string();
    let buttons = ANSWERS.iter().enumerate().map(|(at, (answer, text))| {
        let at = at.to_string();
        let attributes = [
            ("type", "button"),
            ("class", style(*answer)),
            ("data-call", &*number),
            ("data-answer", &*at),
        ];
        made("button", &attributes, text)
    });
    put(&all, buttons);
    Some(all)
}
