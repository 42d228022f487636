//! Why something did not happen: the decisions that kept it from happening, each with its line and what can be asked
//! at it.

use leptos::prelude::*;
use querypoint::answer::{Candidate, EndOperand, Location, PointAnswer};
use querypoint::session::excerpt::short_name;
use querypoint::session::expressions::at_column;
use querypoint::session::methods;
use querypoint::session::stop::line_point;

use super::fields::button;
use super::tab::ask;
use crate::link::order_and;
use crate::model::{self, Model};
use crate::texts;

/// Those of the point that is looked at. A press on one shows its line, a press on a value asks for its last change.
pub(crate) fn decisions(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    move || {
        let point = point.get()?;
        let is_asked = point.complete.is_some() && !point.candidates.is_empty();
        is_asked.then(|| {
            let rows = point.candidates.iter().enumerate();
            let rows = rows.map(|(number, it)| decision(model, &point, number, it));
            view! {
                <details class="section" open>
                    <summary>{texts::DECISIONS}</summary>
                    <ol class="hops decisions">{rows.collect_view()}</ol>
                    {(point.complete == Some(false)).then(|| view! { <p class="note">{texts::NOT_COMPLETE}</p> })}
                </details>
            }
        })
    }
}

fn decision(
    model: Model,
    point: &PointAnswer,
    number: usize,
    candidate: &Candidate,
) -> impl IntoView + use<> {
    let own = point.location.as_ref().filter(|it| {
        number == 0 && it.url == candidate.location.url && it.line == candidate.location.line
    });
    let at = match own {
        Some(_) => At::Point(point.name.clone()),
        None => At::of(&candidate.location),
    };
    let values = candidate.values.iter();
    let values = values
        .map(|value| part(model, at.clone(), value))
        .collect_view();
    let function = candidate.function.as_deref().unwrap_or_default();
    let place = texts::decided_at(&place_of(&candidate.location), function, candidate.calls);
    let operation = candidate.operation.as_ref().map(|it| {
        let of = (texts::KEPT, it.text.clone(), String::new());
        shown_line(
            model,
            &point.name,
            2 * number + 1,
            of,
            place_of(&it.location),
        )
    });
    let flipped = candidate.flipped.as_ref().map(texts::turned_round);
    let notes = [flipped, candidate.detail.clone()].into_iter().flatten();
    let ask_there = own.is_none().then(|| {
        let is_busy = move || model.doing.get().is_some();
        button("ask-there", texts::ASK_AT_DECISION, is_busy, move || {
            at.asked(model, None)
        })
    });
    let of = (
        candidate.reason.word(),
        candidate.text.clone(),
        texts::outcome(candidate),
    );
    view! {
        <li>
            {shown_line(model, &point.name, 2 * number, of, place)}
            {values}
            {operation}
            {notes.map(|text| view! { <p class="note">{text}</p> }).collect_view()}
            {ask_there}
        </li>
    }
}

/// A place, a press on which shows its line: what kind it is, its text and what came of it.
fn shown_line(
    model: Model,
    point: &str,
    number: usize,
    (kind, text, outcome): (&'static str, String, String),
    place: String,
) -> impl IntoView + use<> {
    let key = Some((point.to_owned(), number));
    let is_chosen = {
        let key = key.clone();
        move || model.hop_chosen.with(|chosen| *chosen == key)
    };
    view! {
        <button
            type="button"
            class="hop"
            aria-current=move || is_chosen().then_some("step")
            on:click=move |_| model.hop_chosen.set(key.clone())
        >
            <span class="kind">{kind}</span>
            <code>{text}</code>
            <b class="outcome">{outcome}</b>
            <span class="place">{place}</span>
        </button>
    }
}

/// A value that was decided on. The last change of what a query can name is one press away.
fn part(model: Model, at: At, operand: &EndOperand) -> AnyView {
    let text = format!("{} = {}", operand.text, operand.value.text);
    let asked = operand.text.clone();
    if !is_reference(&asked) {
        return view! { <code class="part">{text}</code> }.into_any();
    }
    view! {
        <button
            type="button"
            class="hop operand"
            title=texts::last_change_of(&asked)
            on:click=move |_| at.asked(model, Some(asked.clone()))
        >
            <code>{text}</code>
        </button>
    }
    .into_any()
}

/// Whether a query can name it as it is written.
fn is_reference(text: &str) -> bool {
    let end = text.encode_utf16().count();
    at_column(text, end).is_some_and(|found| found.text == text)
}

fn place_of(location: &Location) -> String {
    format!("{}:{}", short_name(&location.url), location.line)
}

/// Where a decision can be asked about.
#[derive(Clone)]
enum At {
    /// At a point that there is.
    Point(String),
    /// At the one that this query finds.
    Query(String),
}

impl At {
    /// The last time that a decision was made.
    fn of(location: &Location) -> Self {
        let line = line_point(&location.url, location.line);
        Self::Query(format!("trace(line({line}:{}), index -1)", location.column))
    }

    /// Asks for the last change of something there; of nothing: goes there.
    fn asked(&self, model: Model, of: Option<String>) {
        let known = match self {
            Self::Point(point) => Ok(point.clone()),
            Self::Query(query) => model.session.with_untracked(|session| {
                let mut points = model::points(session.answer.as_ref());
                let found = points.find(|it| it.query.as_ref() == Some(query));
                found.map(|it| it.name.clone()).ok_or_else(|| query.clone())
            }),
        };
        let go_on = move |point: String| match of {
            Some(of) => ask(model, format!("lastChange({point}:{of})")),
            None => model.chosen.set(point),
        };
        match known {
            Ok(point) => go_on(point),
            Err(query) => order_and(model, methods::Ask { query, at: None }, move |asked| {
                go_on(asked.point);
            }),
        }
    }
}
