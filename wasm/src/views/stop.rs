//! Where the page that is debugged is paused, and what is so there.

use leptos::prelude::*;
use querypoint::session::excerpt::short_name;
use querypoint::session::methods;
use querypoint::session::stop::{Stop, StopFrame};

use super::fields::button;
use super::scopes::ScopePosition;
use super::values::scopes;
use crate::link::order;
use crate::model::Model;
use crate::texts;

/// It, while it is paused.
pub(crate) fn stop(model: Model) -> impl IntoView {
    move || model.stop.get().map(|stop| paused(model, &stop))
}

fn paused(model: Model, stop: &Stop) -> impl IntoView + use<> {
    let place = stop.frames.first().map(|top| {
        let location = &top.frame.location;
        format!("{}:{}", short_name(&location.url), location.line)
    });
    let there = stop.clone();
    let look = move || {
        if let Some(point) = there.point() {
            model.asked_from.set(Some(there.clone()));
            order(model, methods::At { point });
        }
    };
    let exception = stop.exception.clone().map(|point| {
        let look = move || {
            let point = point.clone();
            order(model, methods::At { point });
        };
        button(
            "exception-here",
            texts::USE_EXCEPTION,
            move || model.doing.get().is_some(),
            look,
        )
    });
    let frames = stop.frames.iter().enumerate();
    let frames = frames.map(|(number, frame)| shown(model, stop, number, frame));
    view! {
        <section class="stop" aria-labelledby="stop">
            <div class="title">
                <h2 id="stop">{texts::PAUSED_AT} " " <span class="place">{place}</span></h2>
                {super::writers::offer(model)}
                {exception}
                {button("look", texts::USE_AS_POINT, move || model.doing.get().is_some(), look)}
            </div>
            <p role="status">{stop.reason.clone()}</p>
            {stop.unhooked.as_ref().map(|spot| view! { <p class="note">{texts::unhooked(spot)}</p> })}
            {frames.collect_view()}
        </section>
    }
}

fn shown(model: Model, stop: &Stop, number: usize, frame: &StopFrame) -> impl IntoView + use<> {
    let place = ScopePosition {
        point: match number {
            0 => "R".to_owned(),
            number => format!("R({number})"),
        },
        stop: Some(stop.clone()),
    };
    let function = super::frames::function(&frame.frame);
    let location = &frame.frame.location;
    let at = format!("{}:{}", short_name(&location.url), location.line);
    // A recursion may have hundreds: what is folded is not made.
    let is_open = RwSignal::new(number == 0);
    let toggled = move |event: leptos::ev::Event| {
        is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    };
    let seen = frame.scopes.clone();
    let inside = move || is_open.get().then(|| scopes(model, place.clone(), &seen));
    view! {
        <details class="frame" open=number == 0 on:toggle=toggled>
            <summary><code>{function}</code> <span class="place">{at}</span></summary>
            {inside}
        </details>
    }
}
