//! How much of a page's code is kept: a page may make code without end, of texts that are all different.

use super::Text;

/// Why a text is not rewritten.
pub(super) const OVER_BUDGET: &str =
    "the page has more code than is kept: 512 MiB, original and rewritten together";

/// What is left.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(512 << 20)
    }
}

impl Budget {
    /// What is kept of a text besides the text: addresses, places, digests. A made-up figure, so that a million empty
    /// texts end.
    const EACH: usize = 4096;

    /// Whether there is room for a text and what it becomes.
    pub(super) fn holds(&self, source: &str) -> bool {
        2 * source.len() + Self::EACH <= self.0
    }

    /// Counts a text that is kept.
    pub(super) fn take(&mut self, text: &Text) {
        let taken = text.mapped.original.len() + text.mapped.rewritten.len() + Self::EACH;
        self.0 = self.0.saturating_sub(taken);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use querypoint::graph::DependencyGraph;
    use querypoint::plan::CollectionPlan;
    use querypoint::point::ReproductionPoint;
    use querypoint::query::Query;

    use super::*;
    use crate::collection::{Collection, Instrument};
    use crate::sources::{DynamicCode, ResponseKind, SeenScripts, Sources};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn sources(room: usize) -> Sources {
        let query = Query::parse("B = lastChange(R:box.a)").unwrap();
        let graph = DependencyGraph::new(vec![query]).unwrap();
        let plan = CollectionPlan::new(&graph, &[]).unwrap();
        let collection = Arc::new(Collection::new(&plan, "$Qp", Instrument::Query));
        let mut sources = Sources::new(collection, ReproductionPoint::End);
        sources.budget = Budget(room);
        sources
    }

    #[test]
    fn a_response_that_finds_no_room_stays_as_it_is_and_is_listed() {
        let mut sources = sources(3 * Budget::EACH);
        let mut rewrite = |url: &str, source: &str| {
            let mut seen = SeenScripts::default();
            let rewritten =
                sources.rewrite(url, source, ResponseKind::Script, None, false, &mut seen);
            (rewritten.is_some(), seen.blind_spots)
        };
        assert_eq!(rewrite("http://a/1.js", "box.a = 1"), (true, vec![]));
        assert_eq!(rewrite("http://a/2.js", "box.a = 2"), (true, vec![]));
        let (is_rewritten, blind_spots) = rewrite("http://a/3.js", "box.a = 3");
        assert!(!is_rewritten);
        assert_eq!(blind_spots.len(), 1);
        assert_eq!(blind_spots[0].url, "http://a/3.js");
        assert_eq!(blind_spots[0].reason, OVER_BUDGET);
        // What is kept needs no more.
        assert_eq!(rewrite("http://a/1.js", "box.a = 1"), (true, vec![]));
    }

    #[test]
    fn of_code_made_without_end_as_much_is_rewritten_as_there_is_room_for() {
        let mut sources = sources(100 * Budget::EACH);
        let mut rewritten = 0;
        let mut seen = SeenScripts::default();
        for number in 0..1000 {
            let text = format!("box.a = {number}");
            let made = DynamicCode::Timer { text };
            rewritten += usize::from(sources.make(&made, None, false, &mut seen).is_some());
        }
        assert!((90..100).contains(&rewritten), "{rewritten}");
        let told =
            "dynamic code of timer is not rewritten, because the page has more code than is kept";
        let of_room = seen.blind_spots.iter();
        assert_eq!(
            of_room.filter(|spot| spot.reason.starts_with(told)).count(),
            1
        );
        assert_eq!(seen.scripts, 1000);
    }
}
