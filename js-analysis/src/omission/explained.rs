//! Candidates of which others are why: these come behind.

use std::ops::Range;

use super::candidates::Reason;
use super::deciders::HOP;
use super::search::Search;

impl Search<'_, '_> {
    /// How many candidates, and functions that may have some, are known.
    pub(super) fn known(&self) -> usize {
        self.found.candidates.len() + self.left.len()
    }

    /// The last candidate is explained by those that `search` adds, if it adds any.
    pub(super) fn explained_by(&mut self, search: impl FnOnce(&mut Self)) {
        let last = self.found.candidates.len().checked_sub(1);
        self.is_explained_by(last, search);
    }

    /// The same of the candidate with this number.
    pub(super) fn is_explained_by(
        &mut self,
        candidate: Option<usize>,
        search: impl FnOnce(&mut Self),
    ) {
        let known = self.known();
        search(self);
        let explains = self.known() > known;
        let candidate = candidate.and_then(|number| self.found.candidates.get_mut(number));
        if let Some(candidate) = candidate {
            candidate.is_explained |= explains;
        }
    }

    /// What was handed over and not called, or had no element, is so because of what was found beside it: of the
    /// candidates from `known` on.
    pub(super) fn explained_beside(&mut self, known: usize, nearest: u32, calls: u32) {
        let found = self.found.candidates.get_mut(known..);
        for candidate in found.into_iter().flatten() {
            let is_only_known = match candidate.reason {
                Reason::Callback | Reason::Listener => true,
                // Only what filters the same list.
                Reason::Loop => nearest < HOP,
                _ => false,
            };
            if is_only_known && candidate.calls == calls + 1 && candidate.detail.is_some() {
                candidate.is_explained = true;
            }
        }
    }

    /// Of these candidates others are why.
    pub(super) fn are_explained(&mut self, candidates: Range<usize>) {
        let candidates = self.found.candidates.get_mut(candidates);
        for candidate in candidates.into_iter().flatten() {
            candidate.is_explained = true;
        }
    }

    /// Why a library did not call what it has is known: of these candidates.
    pub(super) fn callbacks_are_explained(&mut self, candidates: Range<usize>) {
        let candidates = self.found.candidates.get_mut(candidates);
        for candidate in candidates.into_iter().flatten() {
            candidate.is_explained = candidate.reason == Reason::Callback;
        }
    }
}
