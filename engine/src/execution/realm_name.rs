//! A realm as it is known from one execution to the next.

/// That.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RealmName {
    pub(super) place: String,
    /// How many came before it at that place.
    pub(super) number: usize,
}
