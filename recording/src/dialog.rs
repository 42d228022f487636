//! How the user answered the page's dialogs: a member `dialogs` of the `querypoint` of the step during which they came.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Step;

/// A dialog of the page's and how it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it said.
    #[serde(default)]
    pub message: String,
    /// Whether it was accepted: OK, and for `beforeunload` that the page is left.
    pub accept: bool,
    /// What was typed into a `prompt` that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Dialog {
    /// More in one step than a person answers.
    const MOST: usize = 1000;

    /// What it says, cut to the length that makes sense in a recording.
    pub(super) fn shortened(mut self) -> Self {
        const LONGEST: usize = 2000;
        self.message = self.message.chars().take(LONGEST).collect();
        self
    }
}

impl Step {
    /// The dialogs that came because of the step, in order. What is not understood is left out.
    #[must_use]
    pub fn dialogs(&self) -> Vec<Dialog> {
        let dialogs = self.ours("dialogs").and_then(Value::as_array);
        let dialogs = dialogs.into_iter().flatten();
        dialogs
            .filter_map(|dialog| Dialog::deserialize(dialog).ok())
            .collect()
    }

    pub(super) fn add_dialog(&mut self, dialog: Dialog) {
        let mut dialogs = self.dialogs();
        if dialogs.len() < Dialog::MOST {
            dialogs.push(dialog.shortened());
            self.set_ours("dialogs", json!(dialogs));
        }
    }
}
