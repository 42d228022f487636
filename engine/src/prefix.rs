//! The prefix of every name that stands in a page for us.

/// A prefix that a page cannot know beforehand.
pub(crate) fn unguessable_prefix(page: &str, now_ms: f64) -> String {
    use std::hash::{BuildHasher, Hash, Hasher};
    // The hasher's keys are random for each process and instance.
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    page.hash(&mut hasher);
    now_ms.to_bits().hash(&mut hasher);
    format!("$Qp{:08x}", hasher.finish() & 0xffff_ffff)
}
