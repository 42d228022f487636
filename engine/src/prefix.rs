//! The prefix of every name that is in a page for us.

/// A prefix that a page cannot know beforehand.
pub(crate) fn unguessable_prefix(page: &str, now_ms: f64) -> String {
    use std::hash::{BuildHasher, Hash, Hasher};
    // The hasher's keys are random for each process and instance.
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    page.hash(&mut hasher);
    now_ms.to_bits().hash(&mut hasher);
    format!("_$Qp{:08x}", hasher.finish() & 0xffff_ffff)
}

/// The address of the agent whose names begin so, by which its frames are known.
pub(crate) fn agent_url(prefix: &str) -> String {
    format!("querypoint-agent-{}.js", prefix.trim_start_matches("_$"))
}

/// Whether a name begins with such a prefix, whoever put it into the page.
pub(crate) fn is_ours(name: &str) -> bool {
    let marks = name.strip_prefix("_$Qp").and_then(|rest| rest.get(..8));
    marks.is_some_and(|marks| {
        let is_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
        marks.bytes().all(is_hex)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn names_of_ours_are_known_by_their_beginning() {
        let prefix = unguessable_prefix("http://h/", 1.0);
        assert!(is_ours(&prefix) && is_ours(&format!("{prefix}$total")));
        for other in [
            "total",
            "_$Qp",
            "_$Qptotal12",
            "_$Qp1234567",
            "_$Qp1234567é",
            "",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
