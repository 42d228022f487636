//! What is between two parts of the panel, to be moved: with the pointer, or with the arrow keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;
use web_sys::{Element, Storage};

use super::leaving::leaving;
use crate::model::Say;

/// How far an arrow key moves it, in thousandths of the whole, as all sizes here. What prints other numbers than whole
/// ones is large.
const STEP: i32 = 20;
const LEAST: i32 = 80;
const MOST: i32 = 700;

/// The size of a part, as it was left the last time.
pub(crate) fn size(name: &'static str, first: i32) -> RwSignal<i32> {
    let kept = storage().and_then(|it| it.get_item(name).ok().flatten());
    let kept = kept.and_then(|text| text.parse::<i32>().ok());
    let size = RwSignal::new(kept.map_or(first, |it| it.clamp(LEAST, MOST)));
    Effect::new(move |before: Option<()>| {
        let size = size.get();
        if let (Some(()), Some(storage)) = (before, storage()) {
            // Without room for it, it is dropped.
            let _ = storage.set_item(name, &size.to_string());
        }
    });
    size
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// The splitter of a part of this size, which is before it (`sign` 1) or behind it (-1).
pub(crate) fn splitter(label: &'static str, size: RwSignal<i32>, sign: i32) -> impl IntoView {
    let bar = NodeRef::<Div>::new();
    let move_by = move |part: i32| {
        let now = size.try_get_untracked().unwrap_or(LEAST);
        size.say((now + part * sign).clamp(LEAST, MOST));
    };
    let pressed = move |event: PointerEvent| {
        if let Some(bar) = bar.get_untracked() {
            // Else it moves no further than the pointer stays on it.
            let _ = bar.set_pointer_capture(event.pointer_id());
        }
        event.prevent_default();
    };
    let moved = move |event: PointerEvent| {
        const HELD: u16 = 1;
        let Some(bar) = bar.get_untracked().filter(|_| event.buttons() & HELD != 0) else {
            return;
        };
        let Some(whole) = bar.parent_element() else {
            return;
        };
        let (by, of) = match is_row(&bar) {
            true => (event.movement_y(), whole.client_height()),
            false => (event.movement_x(), whole.client_width()),
        };
        move_by(by.saturating_mul(1000) / of.max(1));
    };
    let key = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => STEP,
            "ArrowLeft" | "ArrowUp" => -STEP,
            _ => return,
        };
        event.prevent_default();
        move_by(by);
    };
    view! {
        <div
            class="splitter"
            role="separator"
            tabindex="0"
            node_ref=bar
            aria-label=label
            aria-valuemin=LEAST.to_string()
            aria-valuemax=MOST.to_string()
            aria-valuenow=leaving(move || size.get().to_string())
            on:pointerdown=pressed
            on:pointermove=moved
            on:keydown=key
        ></div>
    }
}

/// Whether it lies across, between parts above each other.
fn is_row(bar: &Element) -> bool {
    bar.client_width() > bar.client_height()
}
