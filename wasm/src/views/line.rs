//! The execution line: what the query of a point looked through, as circles in lanes that say why each was not the one;
//! and the event that is looked at, in words. A point can be made of any of them.

mod drawing;

use std::sync::Arc;

use leptos::html::Canvas;
use leptos::prelude::*;
use querypoint::execution_line::{EventPlace, ExecutionLine};
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;
use querypoint::session::timeline::{Lanes, Window};

use super::fields::button;
use super::tab::ask;
use crate::link::order_and;
use crate::model::{Model, Say};
use crate::texts;

/// How much one step zooms.
const STEP: f64 = 0.8;

/// Has the page run for the line of a point's query.
pub(crate) fn look(model: Model, point: String) {
    order_and(model, methods::ExecutionLine { point }, move |writes| {
        if !writes.notes.is_empty() {
            model.tell(writes.notes.join("\n"), false);
        }
        model.line.say(Some(Arc::from(writes.execution_line)));
    });
}

/// The line, while one is shown.
pub(crate) fn line(model: Model) -> impl IntoView {
    move || model.line.get().map(|line| shown(model, &line))
}

/// What the person sees of a line. Copies are of the same.
#[derive(Clone, Copy)]
struct Seen {
    window: RwSignal<Window>,
    /// The event that is looked at.
    event: RwSignal<usize>,
    line: StoredValue<Arc<ExecutionLine>>,
    lanes: StoredValue<Arc<Lanes>>,
}

impl Seen {
    fn choose(self, event: usize) {
        let last = self
            .lanes
            .with_value(|lanes| lanes.events())
            .saturating_sub(1);
        let event = event.min(last);
        self.event.say(event);
        self.window.update(|window| *window = window.showing(event));
    }

    fn zoom(self, part: f64, factor: f64) {
        self.window
            .update(|window| *window = window.zoomed(part, factor));
    }

    /// Zooms around the event that is looked at, if it is in the window.
    fn zoom_there(self, factor: f64) {
        let at = self
            .event
            .with_untracked(|event| self.window.get_untracked().part_of_event(*event));
        self.zoom(if (0.0..=1.0).contains(&at) { at } else { 0.5 }, factor);
    }
}

fn shown(model: Model, line: &Arc<ExecutionLine>) -> impl IntoView + use<> {
    let lanes = Lanes::of(line);
    let events = lanes.events();
    let first = line.points.iter().find(|mark| mark.text == line.point);
    let seen = Seen {
        window: RwSignal::new(Window::whole(events)),
        event: RwSignal::new(first.map_or(0, |mark| mark.before)),
        line: StoredValue::new(line.clone()),
        lanes: StoredValue::new(Arc::new(lanes)),
    };
    let labels = seen.lanes.with_value(|lanes| {
        let lanes = lanes
            .iter()
            .map(|(verdict, lane)| format!("{} ({})", texts::verdict(verdict), lane.len()));
        lanes.map(|label| view! { <li>{label}</li> }).collect_view()
    });
    let title = line.title();
    let words = move || {
        seen.line
            .with_value(|line| in_words(line, seen.event.get()))
    };
    let go = move || {
        ask(
            model,
            seen.line
                .with_value(|line| line.query_for(seen.event.get_untracked())),
        )
    };
    let all = move || {
        seen.window
            .update(|window| *window = window.zoomed(0.0, f64::INFINITY))
    };
    let is_off = move || model.doing.get().is_some();
    view! {
        <section class="line" aria-labelledby="line">
            <div class="title">
                <h2 id="line">{line.point.clone()} ": " {title}</h2>
                <div class="actions">
                    {button("zoom-in", texts::ZOOM_IN, || false, move || seen.zoom_there(STEP))}
                    {button("zoom-out", texts::ZOOM_OUT, || false, move || seen.zoom_there(1.0 / STEP))}
                    {button("zoom-all", texts::ALL, || false, all)}
                    {button("close", texts::CLOSE, || false, move || model.line.say(None))}
                </div>
            </div>
            <div class="lanes">
                <ul><li>{texts::ACTIONS}</li> {labels}</ul>
                {(events > 0).then(|| events_view(seen, words, go))}
            </div>
            {(events > 0).then(|| view! {
                <p class="event">
                    <span>{words}</span>
                    {button("look-here", texts::LOOK_HERE, is_off, go)}
                </p>
            })}
        </section>
    }
}

/// The events, to be looked at, moved, zoomed and pressed.
fn events_view(
    seen: Seen,
    words: impl Fn() -> String + Copy + Send + 'static,
    go: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let width = move || {
        canvas
            .get_untracked()
            .map_or(1.0, |canvas| f64::from(canvas.client_width().max(1)))
    };
    Effect::new(move |_| {
        let (window, event) = (seen.window.get(), seen.event.get());
        if let Some(canvas) = canvas.get() {
            let line = seen.line.get_value();
            seen.lanes
                .with_value(|lanes| drawing::draw(&canvas, &line, lanes, window, event));
        }
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| seen.window.notify());
    on_cleanup(move || resized.remove());
    let dragged = StoredValue::new(None::<f64>);
    let wheel = move |event: leptos::ev::WheelEvent| {
        event.prevent_default();
        let part = f64::from(event.offset_x()) / width();
        if event.delta_x().abs() > event.delta_y().abs() {
            seen.window
                .update(|window| *window = window.moved(event.delta_x() / width()));
        } else {
            seen.zoom(
                part,
                if event.delta_y() > 0.0 {
                    1.0 / STEP
                } else {
                    STEP
                },
            );
        }
    };
    let moved = move |event: leptos::ev::MouseEvent| {
        const HELD: u16 = 1;
        if event.buttons() & HELD == 0 || event.movement_x() == 0 {
            return;
        }
        let by = f64::from(event.movement_x());
        dragged.update_value(|dragged| *dragged = Some(dragged.unwrap_or(0.0) + by.abs()));
        seen.window
            .update(|window| *window = window.moved(-by / width()));
    };
    let pressed = move |event: leptos::ev::MouseEvent| {
        const STILL: f64 = 4.0;
        let far = dragged.get_value().unwrap_or(0.0);
        dragged.set_value(None);
        if far > STILL {
            return;
        }
        let part = f64::from(event.offset_x()) / width();
        let lane = drawing::lane_at(event.offset_y());
        let nearest = seen
            .lanes
            .with_value(|lanes| lanes.nearest(lane, seen.window.get_untracked(), part));
        if let Some(nearest) = nearest {
            seen.choose(nearest);
        }
    };
    let key = move |event: leptos::ev::KeyboardEvent| {
        let at = seen.event.get_untracked();
        let tenth = seen.window.get_untracked().tenth();
        match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => seen.choose(at + 1),
            "ArrowLeft" | "ArrowDown" => seen.choose(at.saturating_sub(1)),
            "PageUp" => seen.choose(at + tenth),
            "PageDown" => seen.choose(at.saturating_sub(tenth)),
            "Home" => seen.choose(0),
            "End" => seen.choose(usize::MAX),
            "+" => seen.zoom_there(STEP),
            "-" => seen.zoom_there(1.0 / STEP),
            "Enter" => go(),
            _ => return,
        }
        event.prevent_default();
    };
    let last = seen.lanes.with_value(|lanes| lanes.events());
    view! {
        <canvas
            node_ref=canvas
            class="events"
            role="slider"
            tabindex="0"
            title=texts::EVENT_HINT
            aria-label=texts::EVENT
            aria-orientation="horizontal"
            aria-valuemin="1"
            aria-valuemax=last.to_string()
            aria-valuenow=move || (seen.event.get() + 1).to_string()
            aria-valuetext=words
            on:wheel=wheel
            on:mousemove=moved
            on:click=pressed
            on:keydown=key
        ></canvas>
    }
}

fn in_words(line: &ExecutionLine, index: usize) -> String {
    let Some((verdict, place)) = line.event(index) else {
        return String::new();
    };
    let object = line.object_of.get(index).copied().unwrap_or_default();
    let verdict = texts::verdict(verdict);
    texts::event_in_words(
        index + 1,
        &place_in_words(place),
        verdict,
        object,
        line.action_before(index),
    )
}

fn place_in_words(place: &EventPlace) -> String {
    match (&place.location, &place.by) {
        (Some(location), _) => format!("{}:{}", short_name(&location.url), location.line),
        (None, Some(by)) => by.clone(),
        (None, None) => texts::NOWHERE.to_owned(),
    }
}
