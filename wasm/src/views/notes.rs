//! What there is to say: whether there is a back end, how far something is, what was refused, what an answer leaves
//! open.

use leptos::prelude::*;
use querypoint::session::Session;
use querypoint::session::methods;

use super::fields::button;
use super::leaving::leaving;
use crate::link::inspected;
use crate::link::{connect_anew, order, turn_to_session};
use crate::model::{Link, Model};
use crate::{devtools, texts};

/// What is said, each in its place, so that a screen reader hears it when it comes.
pub(crate) fn notes(model: Model) -> impl IntoView {
    view! {
        <div class="link" role="status">
            {move || link(&model.link.get())}
            {move || (model.link.get() == Link::Ended).then(|| {
                button("start", texts::START_BACK_END, || false, move || connect_anew(model))
            })}
        </div>
        <div class="progress" role="status">
            {move || model.doing.get().map(|_| progress(model))}
        </div>
        <div class="said" role="alert">
            {move || model.said.get().map(|said| view! {
                <pre class:error=said.is_error>{said.text}</pre>
                {button("dismiss", texts::DISMISS, || false, move || model.said.set(None))}
            })}
        </div>
        {move || model.came_from.get().map(|session| view! {
            <div class="came-from" role="status">
                <span>{texts::OF_ANOTHER_PAGE}</span>
                {button("back", texts::BACK, || false, move || turn_to_session(session.clone(), false, model))}
                {button("dismiss", texts::DISMISS, || false, move || model.came_from.set(None))}
            </div>
        })}
        {move || model.not_following.get().map(|why| view! {
            <div class="not-following">
                <span>{texts::not_following(&why)}</span>
                {button("follow", texts::FOLLOW, || false, move || inspected::follow(model))}
            </div>
        })}
        {another_hit(model)}
        {bar_explained()}
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
        Link::Ended => Some(texts::ENDED.to_owned()),
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

/// That the page paused at another hit than the one of the answer, with the ways to the others.
fn another_hit(model: Model) -> impl IntoView {
    /// More are not offered.
    const MOST: u64 = 5;
    let told = Memo::new(move |_| {
        model.session.with(|session| {
            let names = another_time(model, session)?;
            let point = session.answer.as_ref()?.points.first()?;
            let at = session.at.clone().filter(|at| !at.contains('#'))?;
            let hits = point.hits.unwrap_or_default().min(MOST);
            Some((texts::another_time(&names), at, hits))
        })
    });
    move || {
        told.get().map(|(text, at, hits)| {
        let hits = (0..hits).map(|hit| {
            let point = format!("{at}#{hit}");
            let use_it = move |_| order(model, methods::At { point: point.clone() });
            view! { <button type="button" class="hit" on:click=use_it>{texts::use_hit(hit + 1)}</button> }
        });
        view! { <div class="another-hit" role="status"><span>{text}</span> {hits.collect_view()}</div> }
    })
    }
}

/// What the browser's own bar means, until somebody has read it.
fn bar_explained() -> impl IntoView {
    const READ: &str = "bar-explained";
    let storage = || web_sys::window()?.local_storage().ok()?;
    let is_read = move || {
        storage()
            .and_then(|it| it.get_item(READ).ok().flatten())
            .is_some()
    };
    let is_shown = RwSignal::new(devtools::is_extension() && !is_read());
    let read = move || {
        if let Some(storage) = storage() {
            // Without room for it, it is said again.
            let _ = storage.set_item(READ, "1");
        }
        is_shown.set(false);
    };
    move || {
        is_shown.get().then(|| {
            view! {
                <div class="explained" role="status">
                    <span>{texts::BAR_EXPLAINED}</span>
                    {button("understood", texts::UNDERSTOOD, || false, read)}
                </div>
            }
        })
    }
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
