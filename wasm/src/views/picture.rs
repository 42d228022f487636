//! What the tab showed at the point that is looked at.

use leptos::prelude::*;
use querypoint::answer::{PointAnswer, Status};
use querypoint::session::methods;

use crate::link::request;
use crate::model::Model;
use crate::texts;

/// A picture of the page there, where one was taken.
pub(crate) fn picture(model: Model, point: Memo<Option<PointAnswer>>) -> impl IntoView {
    let shown: RwSignal<Option<(String, String)>> = RwSignal::new(None);
    Effect::new(move |_| {
        // It is another one after each answer.
        model.session.track();
        let found = point.get().filter(|it| it.status == Status::Found);
        let Some(point) = found.map(|it| it.name) else {
            return shown.set(None);
        };
        let method = methods::Picture {
            point: point.clone(),
        };
        request(method, move |given| {
            let jpeg = given.ok().and_then(|it| it.jpeg);
            // The person may have turned to another point meanwhile.
            if model.chosen.get_untracked() == point {
                shown.set(jpeg.map(|jpeg| (point, jpeg)));
            }
        });
    });
    move || {
        let (point, jpeg) = shown.get()?;
        Some(view! {
            <details class="section" open>
                <summary>{texts::PICTURE}</summary>
                <img class="picture" alt=texts::page_at(&point) src=format!("data:image/jpeg;base64,{jpeg}")/>
            </details>
        })
    }
}
