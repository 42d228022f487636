//! How the page's dialogs are answered: as it was said beforehand, or in a default way, because nobody is there to do
//! it.

use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use cdp_driver::protocol::generated::page::JavascriptDialogOpening;

/// The tabs that a page opened and whose dialogs a replay answers just now, by the ids of their targets. Cheap to
/// clone; all clones show the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct AttendedTabs(Arc<Mutex<HashSet<String>>>);

impl AttendedTabs {
    pub(crate) fn attend(&self, target: &str) {
        self.with(|tabs| tabs.insert(target.to_owned()));
    }

    pub(crate) fn leave(&self, target: &str) {
        self.with(|tabs| tabs.remove(target));
    }

    pub(crate) fn has(&self, target: &str) -> bool {
        self.with(|tabs| tabs.contains(target))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        look(&mut self.0.lock())
    }
}

/// A dialog that is expected, and the answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedDialog {
    /// The protocol's word: `alert`, `confirm`, `prompt`, `beforeunload`.
    pub(crate) kind: String,
    pub(crate) accept: bool,
    /// What is typed into a `prompt`.
    pub(crate) text: Option<String>,
}

/// The answer to a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialogAnswer {
    pub(crate) accept: bool,
    pub(crate) text: String,
}

/// The dialogs of one page.
#[derive(Debug, Default)]
pub(crate) struct Dialogs {
    expected: VecDeque<ExpectedDialog>,
    /// Those that came without being expected: kind and message.
    unexpected: Vec<(String, String)>,
    accepted: usize,
    /// Whether a person answers them.
    are_left: bool,
}

impl Dialogs {
    /// From now on a person answers them.
    pub(crate) fn leave(&mut self) {
        self.are_left = true;
    }

    /// A dialog has opened: the answer to it; `None`: a person gives it.
    pub(crate) fn opened(&mut self, dialog: JavascriptDialogOpening) -> Option<DialogAnswer> {
        if self.are_left {
            return None;
        }
        let kind = dialog.r#type.as_str();
        let expected = self
            .expected
            .iter()
            .position(|expected| expected.kind == kind);
        let answer = match expected.and_then(|index| self.expected.remove(index)) {
            Some(expected) => DialogAnswer {
                accept: expected.accept,
                text: expected.text.unwrap_or_default(),
            },
            None => {
                let message = dialog.message.unwrap_or_default();
                self.unexpected.push((kind.to_owned(), message));
                DialogAnswer {
                    accept: true,
                    text: dialog.default_prompt.unwrap_or_default(),
                }
            }
        };
        self.accepted += usize::from(answer.accept);
        Some(answer)
    }

    /// From now on these are expected, in this order, and no others.
    pub(crate) fn expect(&mut self, dialogs: Vec<ExpectedDialog>) {
        self.expected = dialogs.into();
    }

    /// How many are still expected.
    pub(crate) fn missing(&self) -> usize {
        self.expected.len()
    }

    /// Those that came without being expected since the last call: kind and message.
    pub(crate) fn take_unexpected(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.unexpected)
    }

    /// How many were accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn opening(kind: &str) -> JavascriptDialogOpening {
        JavascriptDialogOpening {
            r#type: kind.into(),
            message: Some("m".into()),
            default_prompt: Some("d".into()),
        }
    }

    fn expected(kind: &str, accept: bool, text: Option<&str>) -> ExpectedDialog {
        ExpectedDialog {
            kind: kind.into(),
            accept,
            text: text.map(str::to_owned),
        }
    }

    #[test]
    fn each_gets_the_answer_that_was_meant_for_its_kind() {
        let mut dialogs = Dialogs::default();
        dialogs.expect(vec![
            expected("confirm", false, None),
            expected("prompt", true, Some("seven")),
            expected("confirm", true, None),
        ]);
        let answers =
            ["prompt", "confirm", "confirm"].map(|kind| dialogs.opened(opening(kind)).unwrap());
        assert_eq!(answers[0].text, "seven");
        assert_eq!(answers.map(|answer| answer.accept), [true, false, true]);
        assert_eq!(dialogs.missing(), 0);
        assert_eq!(dialogs.take_unexpected(), []);
        assert_eq!(dialogs.accepted(), 2);
    }

    #[test]
    fn what_is_not_expected_is_accepted_and_told() {
        let mut dialogs = Dialogs::default();
        dialogs.expect(vec![expected("alert", true, None)]);
        let answer = dialogs.opened(opening("prompt")).unwrap();
        assert_eq!((answer.accept, answer.text.as_str()), (true, "d"));
        assert_eq!(dialogs.missing(), 1);
        assert_eq!(
            dialogs.take_unexpected(),
            [("prompt".to_owned(), "m".to_owned())]
        );
        assert_eq!(dialogs.take_unexpected(), []);
    }

    #[test]
    fn what_is_left_to_a_person_gets_no_answer() {
        let mut dialogs = Dialogs::default();
        dialogs.expect(vec![expected("prompt", true, None)]);
        dialogs.leave();
        assert_eq!(dialogs.opened(opening("prompt")), None);
        assert_eq!(dialogs.take_unexpected(), []);
        assert_eq!(dialogs.accepted(), 0);
    }
}
