//! Advice as a panel gives it: messages are written for the command line, and name its options; here they name what a
//! person at a panel presses.

use std::borrow::Cow;

/// What a message advises at the command line, and what at a panel.
const ADVICE: [(&str, &str); 10] = [
    (
        "give a recording (--recording FILE) of the actions that lead there",
        "press Record and do what leads there",
    ),
    (
        "give a recording of the actions that lead to one",
        "press Record and do what leads to one",
    ),
    ("ask without --pause to see why", "ask it again to see why"),
    (
        "--live=network does without it",
        "press Record to have another",
    ),
    (
        "give it more time with --timeout SECONDS",
        "ask again when less else is running here",
    ),
    (
        "give them with --user NAME:PASSWORD",
        "press Record and log in there",
    ),
    (
        ", or with another browser version (--browser PATH)",
        ", or with another version of the browser",
    ),
    (
        ", or name one with --browser PATH or QUERYPOINT_BROWSER",
        ", then do it again",
    ),
    (
        "; ask with --reproduce replay",
        "; press Record and do what leads there, then ask again",
    ),
    (
        "help: give a JavaScript expression after --watch",
        "help: type a JavaScript expression",
    ),
];

/// A message with the advice that fits a panel.
///
/// ```
/// use querypoint::session::advice::for_panel;
/// let message = "a.js:3 was never reached in this replay; check the line, or give a recording (--recording FILE) of \
///     the actions that lead there";
/// assert_eq!(
///     for_panel(message),
///     "a.js:3 was never reached in this replay; check the line, or press Record and do what leads there"
/// );
/// ```
#[must_use]
pub fn for_panel(message: &str) -> Cow<'_, str> {
    let mut told = Cow::Borrowed(message);
    for (typed, pressed) in ADVICE {
        if told.contains(typed) {
            told = Cow::Owned(told.replace(typed, pressed));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_advice_of_a_panel_names_an_option() {
        for (typed, pressed) in ADVICE {
            assert!(!pressed.contains("--"), "{pressed}");
            assert_eq!(for_panel(typed), pressed);
        }
        assert_eq!(for_panel("nothing to press"), "nothing to press");
    }
}
