//! A picture of the page where it was stopped at a point, taken in the execution that found the point.

use std::fmt;
use std::sync::Arc;

/// A JPEG of what the tab showed, in base64. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture(Arc<str>);

impl Picture {
    pub(crate) fn new(base64: String) -> Self {
        Self(base64.into())
    }

    /// The JPEG, in base64.
    #[must_use]
    pub fn base64(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a picture of {} characters", self.0.len())
    }
}
