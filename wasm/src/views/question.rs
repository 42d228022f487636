//! A question, on its way to the back end.

use leptos::prelude::*;
use querypoint::session::methods;

use crate::link::order_and;
use crate::model::Model;

/// Asks, at a reproduction point that may be another one than before, and looks at the point that is found.
pub(crate) fn ask_at(model: Model, query: String, at: Option<String>) {
    order_and(model, methods::Ask { query, at }, move |asked| {
        model.query.set(String::new());
        let (point, session) = (asked.point, model.name.get_untracked());
        let found = point.clone();
        model
            .of_tab
            .update(|it| (it.session, it.point) = (session, found));
        model.chosen.set(point);
    });
}
