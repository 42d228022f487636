//! A text field with a list below it of what the text may become, which the field's own list would be if that opened in
//! the developer tools.

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html::Input;
use leptos::prelude::*;

use super::leaving::leaving;

/// More are not shown at once.
const MOST: usize = 50;

/// What is offered for a text: those that have each of its words.
pub(crate) fn fitting(offered: Vec<String>, text: &str) -> Vec<(usize, String)> {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let all = offered.into_iter().enumerate();
    let fits = all.filter(|(_, it)| {
        let it = it.to_ascii_lowercase();
        words.iter().all(|word| it.contains(word))
    });
    // What has the text as a whole comes first.
    let (whole, others): (Vec<_>, Vec<_>) =
        fits.partition(|(_, it)| it.to_ascii_lowercase().contains(&text));
    whole.into_iter().chain(others).take(MOST).collect()
}

/// A field with a list.
#[derive(Clone, Copy)]
pub(crate) struct Choices {
    /// By which the field is known in the document.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) text: RwSignal<String>,
    /// Whether the list is shown.
    pub(crate) is_open: RwSignal<bool>,
    /// Which of the list is chosen; none: the text as it is.
    pub(crate) at: RwSignal<Option<usize>>,
}

impl Choices {
    pub(crate) fn new(
        name: &'static str,
        label: &'static str,
        hint: &'static str,
        text: RwSignal<String>,
    ) -> Self {
        Self {
            name,
            label,
            hint,
            text,
            is_open: RwSignal::new(false),
            at: RwSignal::new(None),
        }
    }

    fn list(self) -> String {
        format!("{}-list", self.name)
    }

    fn option(self, at: usize) -> String {
        format!("{}-{at}", self.name)
    }
}

/// The field and the list. `taken` gets the number of what was chosen; Enter without a choice does what the form does.
/// `left` hears that nothing is to be chosen any more.
pub(crate) fn choices(
    it: Choices,
    input: NodeRef<Input>,
    offered: Memo<Vec<(usize, String)>>,
    taken: impl Fn(usize) + Send + Sync + 'static,
    left: impl Fn() + Send + Sync + 'static,
) -> AnyView {
    choices_of(
        it,
        input,
        offered,
        Callback::new(taken),
        Callback::new(move |()| left()),
    )
}

fn choices_of(
    it: Choices,
    input: NodeRef<Input>,
    offered: Memo<Vec<(usize, String)>>,
    taken: Callback<usize>,
    left: Callback<()>,
) -> AnyView {
    let close = move || {
        it.is_open.set(false);
        it.at.set(None);
    };
    let key = move |event: KeyboardEvent| {
        let count = offered.with_untracked(Vec::len);
        let at = it.at.get_untracked();
        match event.key().as_str() {
            "ArrowDown" if count > 0 => {
                it.is_open.set(true);
                it.at.set(Some(at.map_or(0, |at| (at + 1) % count)));
            }
            "ArrowUp" if count > 0 => {
                it.is_open.set(true);
                it.at
                    .set(Some(at.map_or(count - 1, |at| (at + count - 1) % count)));
            }
            "Escape" => {
                close();
                left.run(());
            }
            "Tab" => return close(),
            "Enter" => match at.filter(|_| it.is_open.get_untracked()) {
                Some(at) => {
                    let number =
                        offered.with_untracked(|all| all.get(at).map(|(number, _)| *number));
                    close();
                    if let Some(number) = number {
                        taken.run(number);
                    }
                }
                None => return close(),
            },
            _ => return,
        }
        event.prevent_default();
    };
    let typed = move |event| {
        it.text.set(event_target_value(&event));
        it.at.set(None);
        it.is_open.set(true);
    };
    let blurred = move |_: FocusEvent| {
        close();
        left.run(());
    };
    let is_shown = move || it.is_open.get() && offered.with(|all| !all.is_empty());
    view! {
        <div class="choices">
            <input
                id=it.name
                name=it.name
                node_ref=input
                placeholder=it.hint
                autocomplete="off"
                spellcheck="false"
                role="combobox"
                aria-label=it.label
                aria-autocomplete="list"
                aria-controls=it.list()
                aria-expanded=leaving(move || is_shown().to_string())
                aria-activedescendant=leaving(move || it.at.get().map(|at| it.option(at)))
                prop:value=leaving(move || it.text.get())
                on:input=typed
                on:keydown=key
                on:blur=blurred
            />
            <ul
                id=it.list()
                role="listbox"
                aria-label=it.label
                hidden=leaving(move || !is_shown())
                // A press on it does not take the focus from the field.
                on:mousedown=move |event| event.prevent_default()
            >
                {leaving(move || {
                    let chosen = it.at.get();
                    let all = if is_shown() { offered.get() } else { Vec::new() };
                    all.into_iter().enumerate().map(|(at, (number, text))| view! {
                        <li
                            id=it.option(at)
                            role="option"
                            aria-selected=(chosen == Some(at)).to_string()
                            on:click=move |_| { close(); taken.run(number); }
                        >
                            {text}
                        </li>
                    }).collect_view()
                })}
            </ul>
        </div>
    }
    .into_any()
}
