//! The points that were visited, as the graph of what was asked where, in which each can be looked at, named and
//! removed.

use leptos::prelude::*;
use querypoint::answer::{PointAnswer, Status};
use querypoint::session::differences::PointDifference;
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;
use querypoint::session::{Laned, Session};

use super::arrows::{keep_tab_stop, move_focus};
use super::fields::{Words, button, field};
use super::line;
use super::recorded::{is_tab_recorded, record};
use crate::link::{order, order_and, picking};
use crate::model::{self, Link, Model};
use crate::{devtools, texts};

const NAME: Words = Words {
    name: "name",
    label: texts::NEW_NAME,
    hint: texts::NEW_NAME,
    button: texts::RENAME,
    icon: None,
};

/// What is shown of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    name: String,
    query: Option<String>,
    place: String,
    change: Option<String>,
    /// The user's action, or another task, in which it happened.
    cause: Option<String>,
    /// What it was before the last replay, where that is something else.
    was: Option<String>,
    /// Whether it is a place where a script can be.
    is_found: bool,
    /// How far to the right it is in the graph.
    lane: usize,
}

/// The points, each below the one that it was asked at.
pub(crate) fn points(model: Model) -> impl IntoView {
    let rows = Memo::new(move |_| {
        let (graph, differing) = (model.graph.get(), model.differing.get());
        model
            .session
            .with(|session| rows(session, &graph, &differing))
    });
    view! {
        {move || rows.with(Vec::is_empty).then(|| first_screen(model))}
        <ol
            class="graph"
            on:keydown=|event| { move_focus(&event, ".point"); }
            on:focusin=|event| keep_tab_stop(&event, ".point")
        >
            {move || {
                let chosen = model.chosen.get();
                rows.get().into_iter().map(|row| shown(model, row, &chosen)).collect_view()
            }}
        </ol>
        {move || {
            let chosen = model.chosen.get();
            let is_query = rows.with(|rows| rows.iter().any(|row| row.name == chosen && row.query.is_some()));
            let is_found = rows.with(|rows| rows.iter().any(|row| row.name == chosen && row.is_found));
            let point = chosen.clone();
            let pause = move || order(model, methods::PauseAt { point: point.clone() });
            view! {
                {is_found.then(|| button("pause-at", texts::PAUSE_HERE, move || model.doing.get().is_some(), pause))}
                {is_query.then(|| of_chosen(model, chosen))}
            }
        }}
    }
}

/// What to do first, while nothing was done.
fn first_screen(model: Model) -> impl IntoView {
    let is_off = move || model.link.get() != Link::Open || model.doing.get().is_some();
    let pick = move || picking::switch(model);
    let pick = devtools::is_extension().then(|| button("pick-first", texts::PICK, is_off, pick));
    // What the person does from then on in the tab is what is asked about.
    let reload = move || {
        model.not_following.track();
        let is_possible = is_tab_recorded(model);
        is_possible.then(|| {
            button("reload", texts::RELOAD, is_off, move || {
                record(model, |_| {})
            })
        })
    };
    view! {
        <ol class="first-steps">
            {texts::FIRST_STEPS.map(|step| view! { <li>{step}</li> }).collect_view()}
        </ol>
        <div class="first-actions">
            {reload}
            {pick}
            {button("example", texts::TRY_EXAMPLE, is_off, move || try_example(model))}
        </div>
    }
}

/// Goes to the page that is shipped with the program, and reads the state where it goes wrong.
pub(crate) fn try_example(model: Model) {
    order_and(model, methods::Example {}, move |_| {
        order_and(model, methods::Again {}, move |_| {
            model.tell(texts::EXAMPLE, false);
        });
    });
}

fn rows(session: &Session, graph: &[Laned], differing: &[PointDifference]) -> Vec<Row> {
    let points: Vec<&PointAnswer> = model::points(session.answer.as_ref()).collect();
    let laned = graph.iter().filter_map(|it| {
        let point = points.get(it.point)?;
        let mut differing = differing.iter();
        let was = differing.find(|it| it.point == point.name);
        Some(row(point, it.lane, was.map(|it| texts::before(&it.was))))
    });
    laned.collect()
}

fn row(point: &PointAnswer, lane: usize, was: Option<String>) -> Row {
    let place = match (&point.location, point.by_user) {
        (Some(location), _) => {
            let function = point.function.as_deref().filter(|name| !name.is_empty());
            let place = format!("{}:{}", short_name(&location.url), location.line);
            match function {
                Some(function) => format!("{place} {function}"),
                None => place,
            }
        }
        (None, Some(true)) => texts::BY_USER.to_owned(),
        (None, _) if point.query.is_none() && point.status == Status::Found => {
            texts::AFTER_LAST_STEP.to_owned()
        }
        (None, _) => point.note.clone().unwrap_or_default(),
    };
    let place = match point.status {
        Status::Found => place,
        Status::NotReached if point.query.is_none() => texts::R_NOT_REACHED.to_owned(),
        other => format!("{place} {}", texts::status(other))
            .trim()
            .to_owned(),
    };
    let change = point
        .new
        .as_ref()
        .map(|new| match (&point.old, point.created) {
            (_, Some(true)) => format!("{} {}", texts::CREATED_AS, new.text),
            (Some(old), _) => format!("{} → {}", old.text, new.text),
            (None, _) => new.text.clone(),
        });
    let decided = point.candidates.first().map(texts::outcome);
    let change = change.or(decided.filter(|it| !it.is_empty()));
    Row {
        name: point.name.clone(),
        query: point.query.clone(),
        place,
        change,
        cause: point.cause.as_ref().map(texts::caused_by),
        was,
        is_found: point.status == Status::Found && point.location.is_some(),
        lane,
    }
}

/// A row. It is made of plain values: a list with a function for each row would keep something of each that it has ever
/// shown.
fn shown(model: Model, row: Row, chosen: &str) -> impl IntoView + use<> {
    let name = row.name.clone();
    let is_chosen = row.name == chosen;
    view! {
        <li style:--lane=row.lane.to_string()>
            <button
                type="button"
                class="point"
                tabindex=if is_chosen { "0" } else { "-1" }
                aria-current=is_chosen.then_some("true")
                on:click=move |_| model.chosen.set(name.clone())
            >
                <b>{row.name}</b>
                <span class="place">{row.place}</span>
                <code class="query">{row.query}</code>
                <code class="change">{row.change}</code>
                <span class="cause">{row.cause}</span>
                {row.was.map(|was| view! { <span class="was">{was}</span> })}
            </button>
        </li>
    }
}

/// What can be done with the point that is looked at.
fn of_chosen(model: Model, point: String) -> impl IntoView {
    let is_busy = move || model.doing.get().is_some();
    let name = RwSignal::new(String::new());
    let (renamed, removed, traced) = (point.clone(), point.clone(), point);
    let rename = move |to: String| {
        let (point, now) = (renamed.clone(), to.clone());
        crate::link::order_and(model, methods::Rename { point, to }, move |_| {
            model.chosen.set(now)
        });
    };
    let remove = move || {
        let point = removed.clone();
        order(model, methods::Remove { point });
    };
    view! {
        <div class="of-point">
            {field(NAME, name, is_busy, rename)}
            {button("remove", texts::REMOVE, is_busy, remove)}
            {button("trace", texts::CANDIDATE_WRITES, is_busy, move || line::look(model, traced.clone()))}
        </div>
    }
}
