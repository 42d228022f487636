//! What is shown of a recording.

use querypoint::session::RecordingOutline;

use crate::Recording;

impl Recording {
    /// Its title, and its steps in words, with the time that the user thought before each.
    #[must_use]
    pub fn outline(&self) -> RecordingOutline {
        RecordingOutline {
            title: self.title.clone(),
            steps: self
                .steps
                .iter()
                .map(|step| step.describe_with_think_time())
                .collect(),
        }
    }
}
