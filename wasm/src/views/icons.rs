//! The signs on buttons, drawn as lines: none of them is a letter that a font may lack.

use leptos::prelude::*;

/// What a button shows in place of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    Pick,
    Written,
    Undo,
    Redo,
    Go,
    Replay,
    Commands,
    Condition,
    Exception,
    Copy,
    Save,
    Execution,
}

impl Icon {
    /// The lines, in a square of 16.
    const fn path(self) -> &'static str {
        match self {
            Self::Pick => {
                "M13.500 6V2.500h-11v11H6M7.500 7.500l6.500 2.300-2.800 1.400-1.400 2.800z"
            }
            Self::Written => "M13 3.500V9H3.500M6.5 6l-3 3 3 3M8 13.500h5",
            Self::Undo => "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6",
            Self::Redo => "M10 3l3.5 3.500L10 10M13 6.500H6.500a3.5 3.5 0 0 0 0 7H10",
            Self::Go => "M3 8h9M8.5 4 12.5 8l-4 4",
            Self::Replay => "M5 3.500v9L12.5 8z",
            Self::Commands => "M3 4.5 6.5 8 3 11.500M8 12h5",
            Self::Condition => "M8 2v4M8 6 4 10v4M8 6l4 4v4",
            Self::Exception => "M8 2.5 14 13H2zM8 6.500v3M8 11v.5",
            Self::Copy => "M5.5 5.500h8v8h-8zM10.5 3v-.500h-8v8H3",
            Self::Execution => "M2.5 3.500h4M5 8h5M7.500 12.500h6M3.500 3.500V8H5M6.500 8v4.500h1",
            Self::Save => "M8 2.500v7.500M5 7l3 3 3-3M2.5 13h11",
        }
    }
}

/// A button with a sign; `label` says what it does, and is shown when the pointer rests on it.
pub(crate) fn icon_button(
    class: &'static str,
    icon: Icon,
    label: &'static str,
    is_off: impl Fn() -> bool + Send + 'static,
    done: impl Fn() + 'static,
) -> AnyView {
    icon_button_of(class, icon, label, Box::new(is_off), Box::new(done))
}

fn icon_button_of(
    class: &'static str,
    icon: Icon,
    label: &'static str,
    is_off: Box<dyn Fn() -> bool + Send>,
    done: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button
            type="button"
            class=format!("icon {class}")
            title=label
            aria-label=label
            disabled=super::leaving::leaving(is_off)
            on:click=move |_| done()
        >
            {drawn(icon)}
        </button>
    }
    .into_any()
}

/// The sign itself.
pub(crate) fn drawn(icon: Icon) -> AnyView {
    view! {
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=icon.path() />
        </svg>
    }
    .into_any()
}
