//! What there is to say: whether there is a back end, how far something is, what was refused, what an answer leaves
//! open.

use leptos::prelude::*;
use querypoint::session::Session;
use querypoint::session::methods;

use super::fields::button;
use super::leaving::leaving;
use crate::link::inspected;
use crate::link::order;
use crate::model::{Link, Model};
use crate::texts;

/// What is said, each in its place, so that a screen reader hears it when it comes.
pub(crate) fn notes(model: Model) -> impl IntoView {
    view! {
        <div class="link" role="status">{move || link(&model.link.get())}</div>
        <div class="progress" role="status">
            {move || model.doing.get().map(|_| progress(model))}
        </div>
        <div class="said" role="alert">
            {move || model.said.get().map(|said| view! {
                <pre class:error=said.is_error>{said.text}</pre>
                {button("dismiss", texts::DISMISS, || false, move || model.said.set(None))}
            })}
        </div>
        {move || model.not_following.get().map(|why| view! {
            <div class="not-following">
                <span>{texts::not_following(&why)}</span>
                {button("follow", texts::FOLLOW, || false, move || inspected::follow(model))}
            </div>
        })}
        {move || {
            let notes = open_notes(model);
            (!notes.is_empty()).then(|| view! {
                <ul class="notes" aria-label=texts::NOTES>
                    {notes.into_iter().map(|note| noted(model, note)).collect_view()}
                </ul>
            })
        }}
    }
}

fn link(link: &Link) -> Option<String> {
    match link {
        Link::Open => None,
        Link::Connecting => Some(texts::CONNECTING.to_owned()),
        Link::Lost => Some(texts::LOST.to_owned()),
        Link::Refused(why) => Some(why.clone()),
    }
}

fn progress(model: Model) -> impl IntoView {
    let stage = leaving(move || model.progress.get().map(|progress| progress.stage));
    let parts = leaving(move || model.progress.get().and_then(|progress| progress.parts));
    view! {
        <span class="stage">{stage}</span>
        {move || parts().map(|(done, of)| view! {
            <progress max=of.to_string() value=done.to_string() aria-label=texts::STEPS></progress>
        })}
        {button("cancel", texts::CANCEL, || false, move || order(model, methods::Cancel {}))}
    }
}

/// What the answer leaves open and the person has not read yet.
fn open_notes(model: Model) -> Vec<String> {
    let mut notes = Vec::new();
    model.session.with(|session| {
        let Some(answer) = &session.answer else {
            return;
        };
        if let Some(names) = another_time(model, session) {
            notes.push(texts::another_time(&names));
        }
        if !answer.consistency.agrees {
            notes.push(texts::DISAGREE.to_owned());
        }
        notes.extend(answer.consistency.notes.iter().cloned());
        let spots = answer.coverage.blind_spots.iter();
        notes.extend(spots.map(|spot| texts::blind_spot(&spot.url, &spot.reason)));
    });
    model
        .dismissed
        .with(|dismissed| notes.retain(|note| !dismissed.contains(note)));
    notes
}

/// The variables by which `R` is seen to be another time than the one that the person asked from; none: it is the same,
/// as far as can be seen, or was not asked from a stop.
fn another_time(model: Model, session: &Session) -> Option<Vec<String>> {
    let stop = model.asked_from.get()?;
    let is_there = stop.point() == session.at;
    let point = session.answer.as_ref()?.points.first()?;
    let names = stop.differences(point);
    (is_there && !names.is_empty()).then_some(names)
}

fn noted(model: Model, note: String) -> impl IntoView {
    let read = note.clone();
    let dismiss = move || {
        model
            .dismissed
            .update(|dismissed| dismissed.push(read.clone()))
    };
    view! {
        <li>
            <span>{note}</span>
            {button("dismiss", texts::DISMISS, || false, dismiss)}
        </li>
    }
}
