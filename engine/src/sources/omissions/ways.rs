//! What the search for decisions asks of the scripts.

use js_analysis::call_graph::FunctionFact;
use js_analysis::omission::{Coverage, Decider, HandedOver, WayTo, Ways};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::Script;

use super::Analysed;
use crate::sources::Sources;

/// What a search asks of the scripts.
pub(super) struct PageWays<'a> {
    pub(super) sources: &'a Sources,
    pub(super) analysed: &'a Analysed,
    pub(super) searches_left: u32,
    /// Whether it is of interest what the functions gave that a decision calls.
    pub(super) in_called: bool,
}

impl PageWays<'_> {
    /// Looks in a script at a place that its author wrote; what is found in code of libraries is left out.
    fn beside(
        &mut self,
        script: u32,
        at: ByteOffset,
        search: impl FnOnce(&Script<'_>, &HandedOver, &Coverage) -> Vec<Decider>,
    ) -> Vec<Decider> {
        if self.searches_left == 0 || self.is_foreign(script, at) {
            return Vec::new();
        }
        self.searches_left -= 1;
        let found = self
            .sources
            .read_tree(self.analysed, script, |parsed, own| {
                let coverage = own.coverage.as_ref()?;
                let handed_over = own.beside.get_or_init(|| parsed.handed_over(coverage));
                Some(search(parsed, handed_over, coverage))
            });
        let mut found = found.flatten().unwrap_or_default();
        found.retain(|decider| !self.is_foreign(script, decider.gate.decision.start));
        found
    }
}

impl Ways for PageWays<'_> {
    fn way_to(&mut self, script: u32, at: ByteOffset) -> WayTo {
        self.sources.way_to(self.analysed, script, at)
    }

    fn is_foreign(&mut self, script: u32, at: ByteOffset) -> bool {
        self.sources.is_of_library(self.analysed, script, at)
    }

    fn deciders(&mut self, script: u32, function: &FunctionFact) -> Vec<Decider> {
        self.beside(
            script,
            function.span.start,
            |parsed, handed_over, coverage| parsed.deciders(handed_over, coverage, function.body),
        )
    }

    fn decided_by(&mut self, script: u32, function: &FunctionFact) -> Vec<Decider> {
        if !self.in_called {
            return Vec::new();
        }
        self.beside(
            script,
            function.span.start,
            |parsed, handed_over, coverage| parsed.decided_by(handed_over, coverage, function.body),
        )
    }

    fn mentions(&mut self, script: u32, function: u32) -> Vec<ByteSpan> {
        let found = self
            .sources
            .read_tree(self.analysed, script, |parsed, own| {
                let mentions = own.mentions.get_or_init(|| parsed.mentions());
                mentions.of_function(&own.facts, function)
            });
        found.unwrap_or_default()
    }

    fn named(&mut self, script: u32, function: &FunctionFact) -> Vec<ByteSpan> {
        let found = self
            .sources
            .read_tree(self.analysed, script, |parsed, own| {
                let coverage = own.coverage.as_ref()?;
                let handed_over = own.beside.get_or_init(|| parsed.handed_over(coverage));
                Some(parsed.named(handed_over, function.body))
            });
        let mut found = found.flatten().unwrap_or_default();
        found.retain(|span| !self.is_foreign(script, span.start));
        found
    }

    fn deciders_in(&mut self, script: u32, span: ByteSpan) -> Vec<Decider> {
        self.beside(script, span.start, |parsed, handed_over, coverage| {
            parsed.deciders_in(handed_over, coverage, span)
        })
    }
}
