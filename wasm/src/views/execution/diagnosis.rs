//! Looking for the faulty call: the call that is asked about, what is said of it, and what came of it.

use leptos::ev::MouseEvent;
use leptos::html::Section;
use leptos::prelude::*;
use querypoint::answer::{Location, Value};
use querypoint::diagnosis::{
    CallAnswer, CallView, Ended, FoundCall, JudgedCall, Named, PageEffectKind,
};
use querypoint::events::{EventKind, LoggedEvent};
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;
use querypoint::session::results::Diagnosed;
use web_sys::Element;

use super::Execution;
use super::event::attribute_of;
use crate::link::order_and;
use crate::model::Say;
use crate::texts;
use crate::views::made::{add, made, put, show};

/// What can be said of a call, with the words for it.
const ANSWERS: [(CallAnswer, &str); 5] = [
    (CallAnswer::Valid, texts::IS_RIGHT),
    (CallAnswer::Invalid, texts::IS_WRONG),
    (CallAnswer::Trusted, texts::IS_TRUSTED),
    (CallAnswer::Inadmissible, texts::IS_INADMISSIBLE),
    (CallAnswer::Unknown, texts::IS_UNKNOWN),
];

/// How the next call is chosen, with the words for it.
const STRATEGIES: [(&str, &str); 7] = [
    ("suspicion", texts::BY_SUSPICION),
    ("optimal", texts::BY_HALVES),
    ("edges", texts::BY_EDGES),
    ("def-use", texts::BY_USES),
    ("divide-and-query", texts::BY_CALLS),
    ("heaviest", texts::BY_WEIGHT),
    ("top-down", texts::FROM_THE_TOP),
];

/// It, while the faulty call is looked for.
pub(super) fn diagnosis(it: Execution) -> impl IntoView {
    let section = NodeRef::<Section>::new();
    Effect::new(move |_| {
        let Some(section) = section.get() else {
            return;
        };
        it.diagnosed.with(|diagnosed| {
            let parts = diagnosed.iter().flat_map(drawn);
            show(&section, parts);
        });
    });
    view! {
        <section
            class="diagnosis"
            node_ref=section
            aria-label=texts::DIAGNOSIS
            aria-live="polite"
            hidden=move || it.diagnosed.with(Option::is_none)
            on:click=move |event| pressed(it, &event)
            on:change=move |event| it.diagnose_by(Some(event_target_value(&event)))
        ></section>
    }
}

fn pressed(it: Execution, event: &MouseEvent) {
    let of = |name: &str| attribute_of(event.target(), name);
    let call = of("data-call").and_then(|it| it.parse().ok());
    if let Some(answer) = of("data-answer").and_then(|it| it.parse::<usize>().ok()) {
        if let (Some(call), Some((answer, _))) = (call, ANSWERS.get(answer)) {
            it.judge(call, *answer);
        }
    } else if of("data-back").is_some() {
        it.take_back(call);
    } else if let Some(number) = of("data-happened").and_then(|it| it.parse().ok()) {
        it.show_event(number);
    } else if let (Some(call), Some(_)) = (call, of("data-history")) {
        it.ask(format!("callTree(#{call})"), 0);
    } else if let Some(call) = call {
        it.show_call(call);
    }
}

impl Execution {
    /// Begins, or goes on.
    pub(super) fn diagnose(self) {
        self.diagnose_by(None);
    }

    /// Goes on, and the next call is chosen in another way.
    fn diagnose_by(self, strategy: Option<String>) {
        if let Some(log) = self.log.get_untracked() {
            order_and(self.model, methods::Diagnose { log, strategy }, move |it| {
                self.is_diagnosed(log, it)
            });
        }
    }

    pub(super) fn judge(self, call: u64, answer: CallAnswer) {
        if let Some(log) = self.log.get_untracked() {
            order_and(
                self.model,
                methods::Judge { log, call, answer },
                move |it| self.is_diagnosed(log, it),
            );
        }
    }

    fn take_back(self, call: Option<u64>) {
        if let Some(log) = self.log.get_untracked() {
            order_and(self.model, methods::TakeBack { log, call }, move |it| {
                self.is_diagnosed(log, it)
            });
        }
    }

    /// What is asked about is shown in the source; so is what was found.
    fn is_diagnosed(self, log: u32, diagnosed: Diagnosed) {
        if self.log.get_untracked() != Some(log) {
            return;
        }
        let found = diagnosed.diagnosis.found.as_ref();
        let call = found.or(diagnosed.question.as_ref().map(|it| &it.call));
        let event = call.map(beginning);
        self.diagnosed.say(Some(diagnosed));
        if let Some(event) = event {
            self.choose(log, event);
        }
    }

    /// Shows an event of the faulty call in the source.
    fn show_event(self, number: u64) {
        let event = self.diagnosed.with_untracked(|diagnosed| {
            let mut events = diagnosed.iter().flat_map(|it| &it.diagnosis.events);
            events.find(|it| it.seq == number).cloned()
        });
        if let Some(event) = event {
            self.choose_of_log(event);
        }
    }

    /// Shows one of the calls that it is about in the source.
    fn show_call(self, call: u64) {
        let event = self.diagnosed.with_untracked(|diagnosed| {
            let diagnosed = diagnosed.as_ref()?;
            let diagnosis = &diagnosed.diagnosis;
            let asked = diagnosed.question.iter().map(|it| &it.call);
            let named = asked.chain(&diagnosis.found).chain(&diagnosis.suspicious);
            let named = named.map(beginning);
            let judged = diagnosis.questions.iter();
            let judged = judged.map(|it| event_of(&it.function, it.location.as_ref(), it.call));
            named.chain(judged).find(|it| it.seq == call)
        });
        if let Some(event) = event {
            self.choose_of_log(event);
        }
    }
}

fn beginning(call: &FoundCall) -> LoggedEvent {
    event_of(&call.function, call.location.as_ref(), call.call)
}

/// The event with which a call begins, at its function.
fn event_of(function: &str, location: Option<&Location>, call: u64) -> LoggedEvent {
    LoggedEvent {
        function: Some(function.to_owned()),
        location: location.cloned(),
        ..LoggedEvent::new(call, EventKind::Call)
    }
}

/// What was said of the calls of the log, by the events with which they begin.
pub(super) fn judged(diagnosed: &Diagnosed) -> Vec<(u64, CallAnswer)> {
    let questions = diagnosed.diagnosis.questions.iter();
    questions.map(|it| (it.call, it.answer)).collect()
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

fn drawn(diagnosed: &Diagnosed) -> Vec<Element> {
    let diagnosis = &diagnosed.diagnosis;
    let mut all = Vec::new();
    let paragraph = |class: &str, text: &str| made("p", &[("class", class)], text);
    match (&diagnosed.question, &diagnosis.found) {
        (_, Some(found)) => {
            all.push(paragraph("question", texts::FAULTY_CALL));
            all.push(named_call("found-call", found));
            all.push(happened(&diagnosis.events));
        }
        (Some(question), None) => {
            let text = texts::is_it_right(diagnosed.suspicious);
            all.push(paragraph("question", &text));
            all.push(strategies(&diagnosed.strategy));
            all.push(asked(question));
            all.push(answers(question.call.call));
        }
        (None, None) => {
            let text = match diagnosis.suspicious.is_empty() {
                true => texts::NOTHING_WRONG,
                false => texts::NOT_TOLD_APART,
            };
            all.push(paragraph("question", text));
            let suspicious = diagnosis.suspicious.iter();
            all.extend(suspicious.map(|it| named_call("suspicious", it)));
        }
    }
    let history = made("ul", &[("class", "answers")], "");
    if let Some(history) = &history {
        add(history, diagnosis.questions.iter().rev().map(said));
    }
    all.push(history.filter(|_| !diagnosis.questions.is_empty()));
    let notes = diagnosis.notes.iter();
    all.extend(notes.map(|note| paragraph("note", note)));
    all.into_iter().flatten().collect()
}

/// How the next question is chosen, to be changed.
fn strategies(chosen: &str) -> Option<Element> {
    let label = made("label", &[("class", "strategy")], texts::NEXT_QUESTION)?;
    let select = made(
        "select",
        &[("name", "strategy"), ("data-row", "strategy")],
        "",
    )?;
    let options = STRATEGIES.iter().map(|(word, text)| {
        let selected = (*word == chosen).then_some(("selected", ""));
        let attributes: Vec<_> = [("value", *word)].into_iter().chain(selected).collect();
        made("option", &attributes, text)
    });
    add(&select, options);
    add(&label, [Some(select)]);
    Some(label)
}

fn place(location: Option<&Location>) -> Option<Element> {
    let text = location.map(|it| format!("{}:{}", short_name(&it.url), it.line))?;
    made("span", &[("class", "place")], &text)
}

/// The name of a function with where it is; a press shows it.
fn function(name: &str, location: Option<&Location>, call: u64) -> Option<Element> {
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

/// A call that is named, with what can be asked on about it.
fn named_call(class: &str, call: &FoundCall) -> Option<Element> {
    let row = made("div", &[("class", class)], "")?;
    let number = call.call.to_string();
    let attributes = [
        ("type", "button"),
        ("data-call", &*number),
        ("data-history", ""),
    ];
    let ask = made("button", &attributes, texts::ITS_CALLS);
    let back = [("type", "button"), ("data-back", "")];
    let back = made("button", &back, texts::TAKE_BACK).filter(|_| class == "found-call");
    let function = function(&call.function, call.location.as_ref(), call.call);
    put(&row, [function, ask, back]);
    Some(row)
}

/// What happened in the faulty call; a press shows where.
fn happened(events: &[LoggedEvent]) -> Option<Element> {
    let list = made(
        "ol",
        &[("class", "happened"), ("aria-label", texts::HAPPENED)],
        "",
    )?;
    let rows = events.iter().map(|event| {
        let row = made("li", &[], "")?;
        let number = event.seq.to_string();
        let attributes = [
            ("type", "button"),
            ("class", "side"),
            ("data-happened", &*number),
        ];
        let button = made("button", &attributes, "")?;
        let words = event.words();
        let value = words.new.map(|it| format!(" = {it}")).unwrap_or_default();
        let text = format!("{}{value}", words.text);
        put(
            &button,
            [made("code", &[], &text), place(event.location.as_ref())],
        );
        add(&row, [Some(button)]);
        Some(row)
    });
    add(&list, rows);
    Some(list).filter(|_| !events.is_empty())
}

/// What a person is to judge a call by.
fn asked(view: &CallView) -> Option<Element> {
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
    let row = |label: &str, value: Option<Element>| {
        let value_of = made("dd", &[], "");
        if let Some(it) = &value_of {
            add(it, [value]);
        }
        add(&list, [made("dt", &[], label), value_of]);
    };
    if let Some(this) = &view.this {
        row("this", text_of(Some(this)));
    }
    for it in &view.arguments {
        row(&it.name, named(it));
    }
    for it in &view.locals {
        row(&it.name, named(it));
    }
    for change in &view.changes {
        let label = format!("{} {}", texts::CHANGED, change.name);
        row(&label, changed(change.old.as_ref(), change.new.as_ref()));
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
fn answers(call: u64) -> Option<Element> {
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

/// What was said of a call, by whom, and how it is taken back.
fn said(judged: &JudgedCall) -> Option<Element> {
    let row = made("li", &[("data-judged", style(judged.answer))], "")?;
    let number = judged.call.to_string();
    let back = [
        ("type", "button"),
        ("data-call", &*number),
        ("data-back", ""),
    ];
    let why = judged.why.as_deref();
    let why = why.and_then(|why| made("span", &[("class", "within")], why));
    let answer = ANSWERS.iter().find(|(it, _)| *it == judged.answer);
    put(
        &row,
        [
            answer.and_then(|(_, text)| made("b", &[], text)),
            function(&judged.function, judged.location.as_ref(), judged.call),
            why,
            made("button", &back, texts::TAKE_BACK),
        ],
    );
    Some(row)
}
