//! What is offered to be done with what a person points at.

use std::sync::Arc;

/// What can be done, and where on the screen that is offered.
#[derive(Clone)]
pub(crate) struct Menu {
    /// What it is about.
    pub(crate) label: String,
    /// In CSS pixels, whole ones: what prints others is as large as all of this.
    pub(crate) place: (i32, i32),
    pub(crate) items: Vec<Item>,
}

/// One thing that can be done.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) text: String,
    /// Whether it has to wait until nothing else is done.
    pub(crate) waits: bool,
    pub(crate) done: Arc<dyn Fn() + Send + Sync>,
}

impl Item {
    /// What the back end does, which does one thing at a time.
    pub(crate) fn job(text: impl Into<String>, done: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            waits: true,
            ..Self::at_once(text, done)
        }
    }

    /// What is done whatever else is.
    pub(crate) fn at_once(
        text: impl Into<String>,
        done: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            text: text.into(),
            waits: false,
            done: Arc::new(done),
        }
    }
}
