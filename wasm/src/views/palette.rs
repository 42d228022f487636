//! Everything that can be done, by its name: Ctrl+K.

use std::sync::Arc;

use leptos::html::Input;
use leptos::prelude::*;
use querypoint::session::completion::completions;
use querypoint::session::messages::Doing;
use querypoint::session::methods;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::choices::{Choices, choices, fitting};
use super::{asking, bar, line, points, tab, writers};
use crate::link::{inspected, order, picking};
use crate::model::{Link, Model, Say};
use crate::{devtools, editor, model, texts};

/// One thing that can be done now.
#[derive(Clone)]
struct Command {
    name: String,
    done: Arc<dyn Fn() + Send + Sync>,
}

/// The palette, while it is open.
pub(crate) fn palette(model: Model) -> impl IntoView {
    move || model.palette.get().then(|| shown(model))
}

fn shown(model: Model) -> impl IntoView {
    let before = web_sys::window().and_then(|it| it.document()?.active_element());
    let before = StoredValue::new_local(before.and_then(|it| it.dyn_into::<HtmlElement>().ok()));
    let commands = StoredValue::new(untrack(|| commands(model)));
    let text = RwSignal::new(String::new());
    let field = Choices::new("command", texts::COMMANDS, texts::COMMANDS_HINT, text);
    field.is_open.set(true);
    field.at.set(Some(0));
    let offered = Memo::new(move |_| {
        let names = commands.with_value(|all| all.iter().map(|it| it.name.clone()).collect());
        fitting(names, &text.get())
    });
    // The first that fits is chosen, so that Enter does it.
    Effect::new(move |_| {
        text.track();
        field.is_open.set(true);
        field.at.set(Some(0));
    });
    let input = NodeRef::<Input>::new();
    input.on_load(|input| {
        // It is there, so it can have it.
        let _ = input.focus();
    });
    let left = move || model.palette.say(false);
    let taken = move |number: usize| {
        let done = commands.with_value(|all| all.get(number).map(|it| it.done.clone()));
        model.palette.say(false);
        if let Some(Some(before)) = before.try_get_value() {
            let _ = before.focus();
        }
        if let Some(done) = done {
            done();
        }
    };
    view! {
        <div class="palette" role="dialog" aria-label=texts::COMMANDS>
            {choices(field, input, offered, taken, left)}
        </div>
    }
}

/// What can be done now, what is done most first.
fn commands(model: Model) -> Vec<Command> {
    let mut all = Vec::new();
    let mut add = |name: &str, is_on: bool, done: Arc<dyn Fn() + Send + Sync>| {
        if is_on {
            let name = name.to_owned();
            all.push(Command { name, done });
        }
    };
    let doing = model.doing.get();
    let is_idle = doing.is_none() && model.link.get() == Link::Open;
    let session = model.session.get();
    let (has_page, has_point) = (session.page.is_some(), session.at.is_some());
    let (has_undo, has_redo) = model.undo.get();
    let chosen = model.chosen_point();
    let has_query = chosen.as_ref().is_some_and(|it| it.query.is_some());
    let point = model.chosen.get();
    let focus = |field: &'static str| Arc::new(move || focus(field));

    add(
        texts::CANCEL,
        doing.is_some(),
        Arc::new(move || order(model, methods::Cancel {})),
    );
    add(
        texts::STOP,
        doing == Some(Doing::Recording),
        Arc::new(move || order(model, methods::Stop {})),
    );
    add(
        texts::RECORD,
        is_idle && has_page,
        Arc::new(move || super::recorded::record(model, |_| {})),
    );
    add(
        texts::PICK,
        devtools::is_extension(),
        Arc::new(move || picking::switch(model)),
    );
    add(
        match model.is_live.get() {
            true => texts::LIVE_OFF,
            false => texts::LIVE_ON,
        },
        writers::can_be_told(model) && model.link.get() == Link::Open,
        Arc::new(move || writers::switch(model)),
    );
    add(
        texts::TRY_EXAMPLE,
        is_idle,
        Arc::new(move || points::try_example(model)),
    );
    add(
        texts::REPLAY,
        is_idle && session.recording.is_some(),
        Arc::new(move || bar::replay(model)),
    );
    add(
        texts::EXECUTION,
        true,
        Arc::new(move || model.execution.say(true)),
    );
    add(texts::ASK_QUERY, has_point, focus("query"));
    add(texts::CHOOSE_PAGE, true, focus("page"));
    add(texts::CHOOSE_POINT, has_page, focus("at"));
    add(texts::ADD_WATCH, chosen.is_some(), focus("watch"));
    for keyword in ["lastCondition", "exceptionAfter"] {
        let query = format!("{keyword}({point})");
        let asked = query.clone();
        add(
            &query,
            is_idle && has_point,
            Arc::new(move || tab::ask(model, asked.clone())),
        );
    }
    let of_point = point.clone();
    add(
        texts::PAUSE_HERE,
        is_idle && chosen.as_ref().is_some_and(|it| it.location.is_some()),
        Arc::new(move || {
            order(
                model,
                methods::PauseAt {
                    point: of_point.clone(),
                },
            )
        }),
    );
    let of_point = point.clone();
    add(
        texts::CANDIDATE_WRITES,
        is_idle && has_query,
        Arc::new(move || line::look(model, of_point.clone())),
    );
    let of_point = point.clone();
    add(
        texts::REMOVE,
        is_idle && has_query,
        Arc::new(move || {
            order(
                model,
                methods::Remove {
                    point: of_point.clone(),
                },
            )
        }),
    );
    add(texts::FIND, chosen.is_some(), Arc::new(editor::find));
    add(
        texts::GO_TO_LINE,
        chosen.is_some(),
        Arc::new(editor::go_to_line),
    );
    add(
        texts::UNDO,
        is_idle && has_undo,
        Arc::new(move || order(model, methods::Undo {})),
    );
    add(
        texts::REDO,
        is_idle && has_redo,
        Arc::new(move || order(model, methods::Redo {})),
    );
    add(
        texts::COPY_COMMAND,
        has_point,
        Arc::new(move || asking::copy(model)),
    );
    add(
        texts::SAVE_HTML,
        has_point,
        Arc::new(move || asking::save(model)),
    );
    add(
        texts::FOLLOW,
        devtools::is_extension() && model.not_following.get().is_some(),
        Arc::new(move || inspected::follow(model)),
    );
    for point in model::points(session.answer.as_ref()) {
        let name = point.name.clone();
        let title = texts::go_to(&name);
        add(
            &title,
            true,
            Arc::new(move || model.chosen.say(name.clone())),
        );
    }
    let queries = session.answer.as_ref();
    for query in queries.map_or_else(Vec::new, |it| completions(&it.points, &point)) {
        let asked = query.clone();
        add(
            &query,
            is_idle,
            Arc::new(move || tab::ask(model, asked.clone())),
        );
    }
    all
}

/// Has a field of the panel have the focus, with what is in it selected.
fn focus(field: &str) {
    let field = web_sys::window().and_then(|it| it.document()?.get_element_by_id(field));
    if let Some(field) = field.and_then(|it| it.dyn_into::<web_sys::HtmlInputElement>().ok()) {
        let _ = field.focus();
        field.select();
    }
}
