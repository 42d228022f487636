//! What an execution teaches: names, calls and parts of the platform that must be watched, and were not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use js_analysis::rewrite::WatchedTarget;

use super::Question;
use crate::engine::collection::Collection;
use crate::engine::report::{NameKind, QueryResult, ResultStatus};
use crate::engine::sources::Sources;

/// What results say must be watched besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Lesson {
    /// Nothing that is not watched.
    Nothing,
    /// Conditions and `try` blocks around calls. Their events are numbered apart, so what is known of the others stands.
    Calls,
    /// Names: the events must be found anew.
    Names,
}

impl Question<'_> {
    /// Takes up what these results say must be watched besides, if there is time for it.
    pub(in crate::engine) fn learn(&mut self, results: &BTreeMap<usize, &QueryResult>) -> Lesson {
        // Each round watches more than the one before: what a getter reads may be read through another getter.
        const MOST_ROUNDS: u32 = 8;
        let mut is_new = false;
        let mut has_new_calls = false;
        for (&query, result) in results {
            for name in &result.reads {
                let key = name.key.clone();
                is_new |= self.learned.add(
                    query,
                    match name.kind {
                        NameKind::Property => WatchedTarget::Property(key),
                        NameKind::Variable => WatchedTarget::Variable(key),
                        NameKind::Map => WatchedTarget::Entries("map"),
                    },
                );
            }
            is_new |= result.opens && self.learned.open();
            for call in &result.calls {
                has_new_calls |= self.learned.add_call(query, call.clone());
            }
            // Dormant hooks ask no getter, and link no modules.
            let is_followed = matches!(
                result.status,
                ResultStatus::Accessor | ResultStatus::Unwatched
            );
            if is_followed && self.setting.collection.is_standby() {
                is_new |= self.learned.wake();
            }
        }
        match self.rounds < MOST_ROUNDS {
            true if is_new => Lesson::Names,
            true if has_new_calls => Lesson::Calls,
            _ => Lesson::Nothing,
        }
    }

    /// Begins again with hooks for all that was learned.
    pub(in crate::engine) fn watch_more(&mut self) {
        let sources = self.watch_learned();
        self.setting.sources = Arc::new(Mutex::new(sources));
    }

    /// Puts in hooks for the calls that were learned; what was found stands. The texts are rewritten at once, so that their functions
    /// can be kept from being optimised.
    pub(super) fn watch_calls(&mut self) {
        let started = self.setting.clock.now_ms();
        let mut sources = self.watch_learned();
        {
            let others = self.setting.sources.lock();
            let mut others = others.unwrap_or_else(PoisonError::into_inner);
            sources.rewrite_again(&mut others);
        }
        self.setting.sources = Arc::new(Mutex::new(sources));
        self.rewrite_ms += self.setting.clock.now_ms() - started;
    }

    /// Watches what was learned; gives sources that know nothing of texts.
    fn watch_learned(&mut self) -> Sources {
        self.rounds += 1;
        let setting = &mut self.setting;
        let prefix = setting.collection.prefix.clone();
        let collection = Collection::with(&setting.plan, &prefix, self.instrument, &self.learned);
        setting.collection = Arc::new(collection);
        let mut sources = Sources::new(setting.collection.clone(), setting.at.clone());
        let others = setting.sources.lock();
        sources.learn_from(&others.unwrap_or_else(PoisonError::into_inner));
        sources
    }
}

/// What of the platform results say would have to be watched.
pub(super) fn parts_of(results: &BTreeMap<usize, QueryResult>) -> Vec<String> {
    let mut parts = BTreeSet::new();
    let mut left: Vec<&QueryResult> = results.values().collect();
    while let Some(result) = left.pop() {
        parts.extend(result.parts.iter().cloned());
        left.extend(result.kids.values());
    }
    parts.into_iter().collect()
}

/// The built-ins that results name.
pub(super) fn makers_of(results: &BTreeMap<usize, &QueryResult>) -> Vec<String> {
    let makers = results.values().filter_map(|result| result.by.clone());
    makers.collect::<BTreeSet<String>>().into_iter().collect()
}
