//! Which document, worker or worklet something is of.

use serde::Deserialize;

/// The identity that the agent of a document (or worker) gave itself: a random number, which says nothing but whether
/// two are the same. Their order is one, and means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "f64")]
pub(crate) struct DocumentId(u64);

impl From<f64> for DocumentId {
    fn from(number: f64) -> Self {
        Self(number.to_bits())
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn it_is_read_from_the_number_that_an_agent_gives_and_is_the_same_only_for_that_number() {
        let read = |text| serde_json::from_str::<DocumentId>(text).unwrap();
        assert_eq!(read("0.25"), read("2.5e-1"));
        assert_eq!(read("1"), DocumentId::from(1.0));
        assert_ne!(read("0.25"), read("0.25000000000000006"));
        assert!(serde_json::from_str::<DocumentId>(r#""0.25""#).is_err());
    }
}
