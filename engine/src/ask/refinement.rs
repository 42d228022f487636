//! What an execution teaches: names, calls and parts of the platform that must be watched, and were not.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use js_analysis::rewrite::WatchedTarget;
use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;
use querypoint::reexecution::Refinement;

use super::Question;
use crate::collection::Collection;
use crate::report::{NameKind, QueryResult, ResultStatus};
use crate::sources::{FrameFlow, Sources};

impl Question<'_> {
    /// Takes up what these results say must be watched besides, if there is time for it.
    pub(crate) fn learn(&mut self, results: &BTreeMap<usize, &QueryResult>) -> Refinement {
        // Each round watches more than the one before: what a getter reads may be read through another getter.
        const MOST_ROUNDS: u32 = 8;
        let mut is_new = false;
        let mut has_new_calls = false;
        for (&query, result) in results {
            for name in &result.reads {
                let key = name.key.clone();
                is_new |= self.refinements.add(
                    query,
                    match name.kind {
                        NameKind::Property => WatchedTarget::Property(key),
                        NameKind::Variable => WatchedTarget::Variable(key),
                        NameKind::Map => WatchedTarget::Entries("map"),
                    },
                );
            }
            is_new |= result.opens && self.refinements.open();
            for call in &result.calls {
                has_new_calls |= self.refinements.add_call(query, call.clone());
            }
            // Dormant hooks ask no getter, and link no modules.
            let is_followed = matches!(
                result.status,
                ResultStatus::Accessor | ResultStatus::Unwatched
            );
            if is_followed && self.setting.collection.is_standby() {
                is_new |= self.refinements.wake();
            }
        }
        match self.rounds < MOST_ROUNDS {
            true if is_new => Refinement::Names,
            true if has_new_calls => Refinement::Calls,
            _ => Refinement::Nothing,
        }
    }

    /// Begins again with hooks for all that was learned.
    pub(crate) fn watch_more(&mut self) {
        let sources = self.watch_learned();
        self.setting.sources = Arc::new(Mutex::new(sources));
    }

    /// Takes up which conditions and `try` blocks must be watched for what is asked at a change, from the frames that
    /// there were at it; whether any must be. Only a debugger reads what they were, in the next execution.
    pub(super) fn learn_from_stacks(&mut self, results: &BTreeMap<usize, &QueryResult>) -> bool {
        let collection = self.setting.collection.clone();
        let has_hook = |parent: Parent| match parent {
            Parent::ReproductionPoint => {
                matches!(self.setting.at, ReproductionPoint::Location { .. })
            }
            Parent::Query(parent) => results.get(&parent).is_some_and(|it| it.by.is_none()),
        };
        let stack = |query: usize| {
            let frames = results.get(&query).map_or(&[][..], |it| &it.stack[..]);
            frames.iter().filter(|frame| frame.is_of_page())
        };
        let mut calls = Vec::new();
        {
            let sources = self.setting.sources.lock();
            let sources = sources;
            for asked in collection.condition_queries() {
                for (number, frame) in stack(asked.query).enumerate() {
                    let is_newest = number == 0;
                    // There the page has looked itself.
                    if is_newest && has_hook(asked.parent) {
                        continue;
                    }
                    let (url, position) = (&frame.url, frame.position());
                    if let FrameFlow::Unwatched(call) =
                        sources.frame_flow(asked, url, position, is_newest)
                    {
                        calls.push((asked.query, call));
                    }
                }
            }
            for asked in collection.exception_queries() {
                let mut blocks = stack(asked.query)
                    .map(|frame| sources.try_blocks_at(&frame.url, frame.position()));
                let nearest = blocks.find_map(|blocks| blocks.into_iter().next());
                let unwatched = nearest.filter(|block| !sources.watches_block(&block.place));
                calls.extend(unwatched.map(|block| (asked.query, block.place)));
            }
        }
        let mut is_new = false;
        for (query, call) in calls {
            is_new |= self.refinements.add_call(query, call);
        }
        is_new
    }

    /// Puts in hooks for the calls that were learned; what was found holds. The texts are rewritten at once, so that
    /// the functions in which these `sites` are can be kept from being optimised: gives their numbers from now on, and
    /// whether these are all.
    pub(super) fn watch_calls(&mut self, sites: &[u32]) -> (Vec<u32>, bool) {
        let started = self.setting.clock.now_ms();
        let mut sources = self.watch_learned();
        let carried = {
            let others = self.setting.sources.lock();
            let mut others = others;
            sources.rewrite_again(&mut others);
            sources.carried(&others, sites)
        };
        // Those in texts that the page makes are known once it has made them.
        let is_sure =
            carried.is_some() && self.refinements.calls().all(|it| sources.has_text(&it.url));
        let mut numbers = sources.sites_on_stacks();
        numbers.push(0);
        numbers.extend(carried.into_iter().flatten());
        numbers.sort_unstable();
        numbers.dedup();
        self.setting.sources = Arc::new(Mutex::new(sources));
        self.rewrite_ms += self.setting.clock.now_ms() - started;
        (numbers, is_sure)
    }

    /// Watches what was learned; gives sources that know nothing of texts.
    fn watch_learned(&mut self) -> Sources {
        self.rounds += 1;
        let setting = &mut self.setting;
        let prefix = setting.collection.prefix.clone();
        let collection =
            Collection::with(&setting.plan, &prefix, self.instrument, &self.refinements);
        setting.collection = Arc::new(collection);
        let mut sources = Sources::new(setting.collection.clone(), setting.at.clone());
        let others = setting.sources.lock();
        sources.learn_from(&others);
        sources
    }
}

/// What of the platform results say would have to be watched.
pub(super) fn parts_of(results: &BTreeMap<usize, QueryResult>) -> Vec<String> {
    let mut parts = BTreeSet::new();
    let mut left: Vec<&QueryResult> = results.values().collect();
    while let Some(result) = left.pop() {
        parts.extend(result.parts.iter().cloned());
        left.extend(result.asked_there.values());
    }
    parts.into_iter().collect()
}

/// The built-ins that results name.
pub(super) fn native_functions_of(results: &BTreeMap<usize, &QueryResult>) -> Vec<String> {
    let native_functions = results.values().filter_map(|result| result.by.clone());
    native_functions
        .collect::<BTreeSet<String>>()
        .into_iter()
        .collect()
}
