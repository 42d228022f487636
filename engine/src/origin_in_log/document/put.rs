//! What a call or an assignment put into the document.

use super::texts::Text;

/// What put a text into the document.
#[derive(Clone, Debug)]
pub(in crate::origin_in_log) struct Put {
    /// The event behind the call; none: it was assigned.
    pub(super) event: Option<u32>,
    /// The texts that it is, all of them.
    pub(super) texts: Vec<Text>,
    /// The text that is asked about.
    pub(super) shown: String,
}
