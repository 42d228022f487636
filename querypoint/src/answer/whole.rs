//! An answer with the answers of a log beside it: what `ask` prints. The panel asks its logs apart, and knows no more
//! than [`Answer`].

use serde::{Deserialize, Serialize};

use super::Answer;
use super::events::EventsResult;

/// All that is said where a log was asked as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WholeAnswer {
    /// What is said of the points.
    #[serde(flatten)]
    pub answer: Answer,
    /// The answers to the questions that were asked of a log of an execution, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<EventsResult>,
}

impl From<Answer> for WholeAnswer {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            results: Vec::new(),
        }
    }
}

impl WholeAnswer {
    /// The exit status: that of [`Answer::exit_status`], and 1 instead of 0 where a question to a log has no answer.
    /// One that found nothing in a log that has not all of it has none.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let has_answer = |result: &EventsResult| result.complete || result.total > 0;
        match self.answer.exit_status() {
            0 => u8::from(!self.results.iter().all(has_answer)),
            status => status,
        }
    }
}
