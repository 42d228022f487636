//! Where two logs part, side by side.

use leptos::ev::MouseEvent;
use leptos::html::Section;
use leptos::prelude::*;
use querypoint::events::LoggedEvent;
use querypoint::session::results::ComparedLogs;
use web_sys::Element;

use super::Execution;
use super::event::{attribute_of, say};
use crate::texts;
use crate::views::made::{made, put, show};

/// It, while two logs are compared.
pub(super) fn comparison(it: Execution) -> impl IntoView {
    let section = NodeRef::<Section>::new();
    Effect::new(move |_| {
        let (Some(section), log) = (section.get(), it.log.get()) else {
            return;
        };
        it.compared.with(|compared| {
            let both = log.zip(compared.as_ref());
            show(
                &section,
                both.into_iter()
                    .flat_map(|(log, (other, compared))| drawn(log, *other, compared)),
            );
        });
    });
    // A press shows the line of a side, of the text as it was in that execution.
    let pressed = move |event: MouseEvent| {
        let side = attribute_of(event.target(), "data-side");
        let chosen = it.compared.with_untracked(|compared| {
            let (other, compared) = compared.as_ref()?;
            let first = compared.comparison.first.as_ref()?;
            match side.as_deref()? {
                "left" => Some((it.log.get_untracked()?, first.left.clone()?)),
                _ => Some((*other, first.right.clone()?)),
            }
        });
        if let Some((log, event)) = chosen {
            it.choose(log, event);
        }
    };
    view! {
        <section
            class="comparison"
            node_ref=section
            aria-label=texts::COMPARISON
            aria-live="polite"
            hidden=move || it.compared.with(Option::is_none)
            on:click=pressed
        ></section>
    }
}

fn drawn(log: u32, other: u32, compared: &ComparedLogs) -> Vec<Element> {
    let comparison = &compared.comparison;
    let note = |text: &str| made("p", &[("class", "note")], text);
    let mut all = Vec::new();
    match &comparison.first {
        Some(first) => {
            let sides = made("div", &[("class", "sides")], "");
            if let Some(sides) = &sides {
                put(sides, side(log, "left", first.left.as_ref()));
                put(sides, side(other, "right", first.right.as_ref()));
            }
            all.extend([sides, note(texts::parted(first.kind))]);
        }
        None => all.push(note(texts::NOT_PARTED)),
    }
    all.extend(comparison.cause.as_ref().map(|cause| note(&cause.detail)));
    all.extend(compared.notes.iter().map(|text| note(text)));
    all.into_iter().flatten().collect()
}

/// What one of them does there.
fn side(log: u32, which: &str, event: Option<&LoggedEvent>) -> [Option<Element>; 2] {
    let name = made("span", &[], &texts::log_number(log));
    let Some(event) = event else {
        return [name, made("span", &[], texts::ENDED_THERE)];
    };
    let attributes = [("type", "button"), ("class", "side"), ("data-side", which)];
    let button = made("button", &attributes, "");
    if let Some(button) = &button {
        say(button, event);
    }
    [name, button]
}
