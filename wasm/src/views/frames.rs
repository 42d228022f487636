//! The call stack at a point, of which any frame can be looked at; those of libraries are folded.

use leptos::prelude::*;
use querypoint::answer::{PointAnswer, Scope, StackFrame, Value, Variable};
use querypoint::session::excerpt::short_name;
use querypoint::session::libraries::is_library;
use querypoint::session::methods;

use super::arrows::{keep_tab_stop, move_focus};
use super::fields::button;
use crate::link::order_and;
use crate::menu::{Item, Menu};
use crate::model::{FrameSeen, Model, Say};
use crate::texts;

/// What is shown in a line of the stack.
#[derive(Clone, Debug, PartialEq)]
enum Row {
    Frame {
        number: usize,
        function: String,
        place: String,
        url: String,
        is_library: bool,
    },
    /// So many frames of libraries.
    Folded(usize),
}

/// The stack of the point that is looked at.
pub(crate) fn stack(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    let is_expanded = RwSignal::new(false);
    let rows = Memo::new(move |_| {
        let frames = point.get().map(|it| it.stack).unwrap_or_default();
        let libraries = model.libraries.get();
        rows(&frames, &libraries, is_expanded.get())
    });
    view! {
        <ol
            class="stack"
            role="listbox"
            aria-label=texts::STACK
            on:keydown=|event| { move_focus(&event, "[role=option]"); }
            on:focusin=|event| keep_tab_stop(&event, "[role=option]")
        >
            {move || {
                let chosen = model.frame();
                rows.get().into_iter().map(|row| shown(model, row, chosen, is_expanded)).collect_view()
            }}
        </ol>
    }
}

fn rows(frames: &[StackFrame], own: &[String], is_expanded: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        let url = &frame.location.url;
        let is_library = is_library(&frame.location, own);
        // The newest is what the point is at, whose ever it is.
        if is_library && number > 0 && !is_expanded {
            if let Some(Row::Folded(count)) = rows.last_mut() {
                *count += 1;
            } else {
                rows.push(Row::Folded(1));
            }
            continue;
        }
        rows.push(Row::Frame {
            number,
            function: function(frame),
            place: format!("{}:{}", short_name(url), frame.location.line),
            url: url.clone(),
            is_library,
        });
    }
    rows
}

/// What the function of a frame is called.
pub(crate) fn function(frame: &StackFrame) -> String {
    match frame.function.as_str() {
        "" => texts::TOP_LEVEL.to_owned(),
        name => name.to_owned(),
    }
}

fn shown(
    model: Model,
    row: Row,
    chosen: usize,
    is_expanded: RwSignal<bool>,
) -> impl IntoView + use<> {
    match row {
        Row::Folded(count) => view! {
            <li
                role="option"
                class="folded"
                tabindex="-1"
                aria-selected="false"
                on:click=move |_| is_expanded.set(true)
                on:keydown=move |event| if event.key() == "Enter" { is_expanded.set(true) }
            >
                {texts::library_frames(count)}
            </li>
        }
        .into_any(),
        Row::Frame {
            number,
            function,
            place,
            url,
            is_library,
        } => {
            let is_chosen = number == chosen;
            let choose = move || look_at(model, number);
            let pointed = move |event: leptos::ev::MouseEvent| {
                event.prevent_default();
                let place = (event.client_x(), event.client_y());
                model.menu.say(Some(menu(model, &url, is_library, place)));
            };
            view! {
                <li
                    role="option"
                    class:library=is_library
                    tabindex=if is_chosen { "0" } else { "-1" }
                    aria-selected=is_chosen.to_string()
                    on:click=move |_| choose()
                    on:keydown=move |event| if event.key() == "Enter" { choose() }
                    on:contextmenu=pointed
                >
                    <code>{function}</code> <span class="place">{place}</span>
                </li>
            }
            .into_any()
        }
    }
}

fn menu(model: Model, url: &str, is_library: bool, place: (i32, i32)) -> Menu {
    let name = short_name(url).to_owned();
    let title = match is_library {
        true => texts::own_code(&name),
        false => texts::library(&name),
    };
    let entry = match is_library {
        true => format!("!{url}"),
        false => url.to_owned(),
    };
    let item = Item::at_once(title, move || model.add_library(entry.clone()));
    Menu {
        label: name,
        place,
        items: vec![item],
    }
}

/// Looks at a frame, and has its variables read.
fn look_at(model: Model, number: usize) {
    let point = model.chosen.get_untracked();
    model.hop_chosen.set(None);
    model.frame_chosen.set((point, number));
    if number > 0 {
        read(model, number);
    }
}

/// Has the page run once more for what a frame sees, unless that is known.
fn read(model: Model, frame: usize) {
    let point = model.chosen.get_untracked();
    let key = (point.clone(), frame);
    let is_known = model.frames.with_untracked(|all| all.contains_key(&key));
    if is_known || model.doing.with_untracked(Option::is_some) {
        return;
    }
    order_and(model, methods::Frame { point, frame }, move |state| {
        if !state.notes.is_empty() {
            model.tell(state.notes.join("\n"), false);
        }
        let seen = FrameSeen {
            scopes: state.scopes,
            this: state.this,
        };
        model.frames.update(|all| drop(all.insert(key, seen)));
    });
}

/// What the frame that is looked at sees; none: that has not been read.
pub(crate) fn scopes_of(model: Model, point: &PointAnswer) -> Option<Vec<Scope>> {
    let number = model.frame();
    let key = (point.name.clone(), number);
    let read = model.frames.with(|all| all.get(&key).cloned());
    let (mut scopes, this) = match read {
        Some(read) => (read.scopes, read.this),
        None if number == 0 => (point.scopes.clone(), this_of(point)),
        None => return None,
    };
    if let (Some(this), Some(scope)) = (this, scopes.first_mut()) {
        let name = "this".to_owned();
        scope.variables.push(Variable::new(name, this));
    }
    Some(scopes)
}

/// The answer does not say what `this` is in the newest frame; it can be looked into.
fn this_of(point: &PointAnswer) -> Option<Value> {
    let is_function = point.function.as_deref().is_some_and(|it| !it.is_empty());
    is_function.then(|| Value::new(querypoint::answer::ValueType::Object, "…"))
}

/// A way to have what the frame sees read, where it has not been.
pub(crate) fn reading(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    move || {
        let point = point.get()?;
        let number = model.frame();
        let is_known = scopes_of(model, &point).is_some();
        let frame = point.stack.get(number)?;
        let place = format!(
            "{}:{}",
            short_name(&frame.location.url),
            frame.location.line
        );
        (!is_known).then(|| view! {
            <p class="note">{texts::frame_not_read(&place)}</p>
            {button("read-frame", texts::READ_FRAME, move || model.doing.get().is_some(), move || read(model, number))}
        })
    }
}
