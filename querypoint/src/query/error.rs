//! The error for text that is not a query.

/// Text that is not a query: where it stops being one, what was expected there, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render())]
pub struct QueryError {
    /// The text that was parsed.
    pub text: String,
    /// Byte offset into `text`; on a character boundary, at most the length of `text`.
    pub offset: usize,
    /// What was expected at that place.
    pub message: String,
    /// What to do, where there is something better to say than the message.
    pub help: Option<String>,
}

impl QueryError {
    /// The query, a caret under the place with the message beside it, and the help.
    #[must_use]
    pub fn render(&self) -> String {
        crate::caret::render(&self.text, self.offset, &self.message, self.help.as_deref())
    }
}
