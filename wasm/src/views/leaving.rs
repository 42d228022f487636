//! What is shown for a while, of values that are there all the time.

use leptos::prelude::on_cleanup;
use leptos::reactive::graph::{Observer, Subscriber};

/// The same function, for a view that is made anew again and again, inside of another `move ||`.
///
/// A signal never drops an effect that has read it, not even when the effect is gone with its view. So an effect that
/// calls this takes its leave when the function around it runs again, while there still is an effect.
pub(crate) fn leaving<T>(read: impl Fn() -> T) -> impl Fn() -> T {
    move || {
        if let Some(effect) = Observer::get() {
            on_cleanup(move || effect.clear_sources(&effect));
        }
        read()
    }
}
