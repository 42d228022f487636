//! What the search for decisions asks of the scripts.

use js_analysis::call_graph::FunctionFact;
use js_analysis::omission::{Coverage, Decider, WayTo, Ways};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::Script;

use super::{Analysed, PlaceInScript};
use crate::sources::Sources;

/// What a search asks of the scripts.
pub(super) struct PageWays<'a> {
    pub(super) sources: &'a Sources,
    pub(super) analysed: &'a Analysed,
    pub(super) searches_left: u32,
}

impl PageWays<'_> {
    /// Looks in a script at a place that its author wrote; what is found in code of libraries is left out.
    fn beside(
        &mut self,
        script: u32,
        at: ByteOffset,
        search: impl FnOnce(&Script<'_>, &Coverage) -> Vec<Decider>,
    ) -> Vec<Decider> {
        let is_foreign = |at: ByteOffset| {
            let place = PlaceInScript { script, at };
            let place = self.sources.source_location(self.analysed, place);
            place.is_none_or(|place| self.sources.is_foreign(self.analysed, script, &place))
        };
        if self.searches_left == 0 || is_foreign(at) {
            return Vec::new();
        }
        self.searches_left -= 1;
        let found = || {
            let own = self.analysed.scripts.get(script as usize)?;
            let text = self.sources.texts.get(own.text)?;
            let coverage = own.coverage.as_ref()?;
            let content = text.content(&own.script)?;
            let search = |parsed: &Script<'_>| search(parsed, coverage);
            text.parsed.with(content, own.script.goal, search).ok()
        };
        let mut found = found().unwrap_or_default();
        found.retain(|decider| !is_foreign(decider.gate.decision.start));
        found
    }
}

impl Ways for PageWays<'_> {
    fn way_to(&mut self, script: u32, at: ByteOffset) -> WayTo {
        self.sources.way_to(self.analysed, script, at)
    }

    fn deciders(&mut self, script: u32, function: &FunctionFact) -> Vec<Decider> {
        self.beside(script, function.span.start, |parsed, coverage| {
            parsed.deciders(coverage, function.body)
        })
    }

    fn deciders_in(&mut self, script: u32, span: ByteSpan) -> Vec<Decider> {
        let own = self.analysed.scripts.get(script as usize);
        let has_functions = own.is_some_and(|own| own.facts.has_functions_in(span));
        if !has_functions {
            return Vec::new();
        }
        self.beside(script, span.start, |parsed, coverage| {
            parsed.deciders_in(coverage, span)
        })
    }
}
