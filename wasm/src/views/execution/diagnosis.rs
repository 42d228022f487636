//! Looking for the faulty call: the call that is asked about, what is said of it, and what came of it.

use leptos::ev::MouseEvent;
use leptos::html::Section;
use leptos::prelude::*;
use querypoint::answer::Location;
use querypoint::diagnosis::{
    CallAnswer, CallChange, CallView, Diagnosis, FoundCall, JudgedCall, StateAfter,
};
use querypoint::events::{EventKind, LoggedEvent};
use querypoint::session::methods;
use querypoint::session::results::Diagnosed;
use web_sys::Element;

use super::Execution;
use super::event::{attribute_of, point_at};
use super::node::{
    ANSWERS, answers, asked, asks_history, became, function, name, place, point_at_name, style,
};
use crate::link::{order_and, request};
use crate::model::Say;
use crate::texts;
use crate::views::made::{add, made, put, show};

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
        let node = it.node.get();
        it.diagnosed.with(|diagnosed| {
            let asked = diagnosed.as_ref().and_then(|it| it.question.as_ref());
            let is_asked = |node: &CallView| asked.is_some_and(|it| it.call.call == node.call.call);
            let node = node.filter(|node| !is_asked(node));
            let parts = diagnosed.iter().flat_map(drawn);
            show(&section, parts.chain(node.iter().flat_map(chosen)));
        });
    });
    view! {
        <section
            class="diagnosis"
            node_ref=section
            aria-label=texts::DIAGNOSIS
            aria-live="polite"
            hidden=move || it.diagnosed.with(Option::is_none) && it.node.with(Option::is_none)
            on:click=move |event| pressed(it, &event)
            on:contextmenu=move |event| pointed(it, &event)
            on:change=move |event| it.diagnose_by(Some(event_target_value(&event)))
        ></section>
    }
}

fn pointed(it: Execution, event: &MouseEvent) {
    if point_at_name(it, event) {
        return;
    }
    let number = attribute_of(event.target(), "data-happened");
    let number = number.and_then(|it| it.parse().ok());
    if let Some(happened) = number.and_then(|number| it.happened(number)) {
        point_at(it, &happened, event);
    }
}

fn pressed(it: Execution, event: &MouseEvent) {
    if asks_history(it, event) {
        return;
    }
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
        self.node.say(None);
        if let Some(event) = event {
            self.choose(log, event);
        }
    }

    /// An event of the faulty call.
    fn happened(self, number: u64) -> Option<LoggedEvent> {
        self.diagnosed.with_untracked(|diagnosed| {
            let mut events = diagnosed.iter().flat_map(|it| &it.diagnosis.events);
            events.find(|it| it.seq == number).cloned()
        })
    }

    /// Shows an event of the faulty call in the source.
    fn show_event(self, number: u64) {
        if let Some(event) = self.happened(number) {
            self.choose_of_log(event);
        }
    }

    /// Reads what a call of the tree was given, gave and changed.
    pub(super) fn look_at_call(self, call: u64) {
        let Some(log) = self.log.get_untracked() else {
            return;
        };
        request(methods::ShowCall { log, call }, move |shown| {
            if self.log.get_untracked() == Some(log) {
                self.node.say(shown.ok().map(|it| *it.call));
            }
        });
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

fn drawn(diagnosed: &Diagnosed) -> Vec<Element> {
    let diagnosis = &diagnosed.diagnosis;
    let mut all = Vec::new();
    let paragraph = |class: &str, text: &str| made("p", &[("class", class)], text);
    match (&diagnosed.question, &diagnosis.found) {
        (_, Some(found)) => {
            all.push(paragraph("question", texts::FAULTY_CALL));
            all.push(named_call("found-call", found));
            all.push(happened(diagnosis));
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

/// What happened in the faulty call, with what is other than at its beginning; a press shows where.
fn happened(diagnosis: &Diagnosis) -> Option<Element> {
    let list = made(
        "ol",
        &[("class", "happened"), ("aria-label", texts::HAPPENED)],
        "",
    )?;
    let call = diagnosis.found.as_ref().map_or(0, |it| it.call);
    let mut states = diagnosis.states.iter().peekable();
    let mut before: &[CallChange] = &[];
    for event in &diagnosis.events {
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
        if let Some(state) = states.next_if(|it| it.event == event.seq) {
            add(&row, [state_after(state, before, call)]);
            before = &state.changes;
        }
        add(&list, [Some(row)]);
    }
    Some(list).filter(|_| !diagnosis.events.is_empty())
}

/// The state after an event beside that at the beginning of the call. What the event changed is marked; what is again
/// as it was is said.
fn state_after(state: &StateAfter, before: &[CallChange], call: u64) -> Option<Element> {
    let list = made("dl", &[("class", "state-after")], "")?;
    let row = |change: &CallChange, class: &str, value: Option<Element>| {
        let (label, side) = (made("dt", &[], ""), made("dd", &[("class", class)], ""));
        if let (Some(label), Some(side)) = (&label, &side) {
            add(label, [name(&change.name, call, "", "end")]);
            add(side, [value]);
        }
        add(&list, [label, side]);
    };
    for change in &state.changes {
        let is_new = !before.contains(change);
        row(change, if is_new { "new" } else { "" }, became(change));
    }
    let names = |it: &&CallChange| !state.changes.iter().any(|now| now.name == it.name);
    for change in before.iter().filter(names) {
        let old = change.old.as_ref().map_or(texts::NOTHING, |it| &it.text);
        row(change, "new", made("code", &[], &texts::again(old)));
    }
    Some(list)
}

/// A call of the tree that is looked at, and is not the one that is asked about.
fn chosen(view: &CallView) -> Vec<Element> {
    let title = made("p", &[("class", "question")], texts::CHOSEN_CALL);
    let parts = [title, asked(view), answers(view.call.call)];
    parts.into_iter().flatten().collect()
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
