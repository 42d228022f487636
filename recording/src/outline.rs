//! What is shown of a recording.

use querypoint::session::RecordingOutline;

use crate::Recording;
use crate::step::{Step, StepKind};

impl Recording {
    /// Its title, and its steps in words, with the time that the user thought before each; the first of them that the
    /// user does, beyond opening the page.
    ///
    /// ```
    /// use recording::Recording;
    /// let text = r##"{ "title": "Pay", "steps": [
    ///     { "type": "setViewport", "width": 800, "height": 600 },
    ///     { "type": "navigate", "url": "http://h/" },
    ///     { "type": "click", "selectors": [["#pay"]], "offsetX": 1, "offsetY": 1 }
    /// ] }"##;
    /// let outline = Recording::parse(text).unwrap().outline();
    /// assert_eq!(outline.steps[1..], ["navigate to http://h/", "click #pay"]);
    /// assert_eq!(outline.first_action.as_deref(), Some("click #pay"));
    /// ```
    #[must_use]
    pub fn outline(&self) -> RecordingOutline {
        RecordingOutline {
            title: self.title.clone(),
            steps: self
                .steps
                .iter()
                .map(|step| step.describe_with_think_time())
                .collect(),
            first_action: self
                .steps
                .iter()
                .find(|step| !is_preparation(&step.kind))
                .map(Step::describe),
        }
    }
}

/// Whether it opens a page or prepares for that.
const fn is_preparation(kind: &StepKind) -> bool {
    matches!(
        kind,
        StepKind::Navigate { .. }
            | StepKind::SetViewport(_)
            | StepKind::EmulateNetworkConditions { .. }
    )
}
