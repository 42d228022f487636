//! What the search for decisions asks of the scripts.

use js_analysis::call_graph::{FunctionFact, FunctionRef};
use js_analysis::omission::{Coverage, Decider, HandedOver, Texts, WayTo, Ways};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::Script;

use super::{Analysed, PlaceInScript};
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
    /// Whether neither a function that begins at a place is the author's, nor a statement or a call in it. Of a
    /// function that a compiler makes of a template, source maps know only what is in it.
    fn is_of_libraries_around(&mut self, script: u32, at: ByteOffset) -> bool {
        if !self.is_foreign(script, at) {
            return false;
        }
        let analysed = self.analysed;
        let Some(own) = analysed.scripts.get(script as usize) else {
            return true;
        };
        let number = own.facts.function_around(ByteOffset(at.0 + 1));
        let Some(function) = own.facts.functions.get(number as usize) else {
            return true;
        };
        let calls = own.facts.calls.iter();
        let calls = calls.filter(|call| call.function == number);
        let mut inside: Vec<ByteOffset> = calls.map(|call| call.span.start).collect();
        let end = ByteOffset(function.span.end.0.saturating_sub(1));
        let statements = self
            .sources
            .read_tree(analysed, script, |parsed, _| parsed.steps_to(end));
        inside.extend(statements.unwrap_or_default());
        inside.iter().all(|&at| self.is_foreign(script, at))
    }

    /// Looks in the texts of each script.
    fn in_texts<T>(&self, search: impl Fn(&Texts) -> T) -> Vec<(u32, T)> {
        let scripts = (0..).zip(&self.analysed.scripts);
        let found = scripts.filter_map(|(script, _)| {
            let found = self
                .sources
                .read_tree(self.analysed, script, |parsed, own| {
                    search(own.texts.get_or_init(|| parsed.texts()))
                })?;
            Some((script, found))
        });
        found.collect()
    }

    /// Looks in a script at a place that its author wrote; what is found in code of libraries is left out.
    fn beside(
        &mut self,
        script: u32,
        at: ByteOffset,
        search: impl FnOnce(&Script<'_>, &HandedOver, &Coverage) -> Vec<Decider>,
    ) -> Vec<Decider> {
        match self.is_of_libraries_around(script, at) {
            true => Vec::new(),
            false => self.beside_any(script, at, search),
        }
    }

    /// The same whoever wrote what is there, but for files of libraries.
    fn beside_any(
        &mut self,
        script: u32,
        at: ByteOffset,
        search: impl FnOnce(&Script<'_>, &HandedOver, &Coverage) -> Vec<Decider>,
    ) -> Vec<Decider> {
        let place = PlaceInScript { script, at };
        let place = self.sources.source_location(self.analysed, place);
        let own = self.analysed.scripts.get(script as usize);
        let text = own.and_then(|own| self.sources.texts.get(own.text));
        let has_map = text.is_some_and(|text| text.source_map.is_some());
        let is_unmapped = place.is_some_and(|place| place.location.generated.is_none());
        let is_of_libraries = self.is_foreign(script, at) && !(has_map && is_unmapped);
        if self.searches_left == 0 || is_of_libraries {
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
        // Of a class that a compiler made, source maps know nothing; where its author names it, they do.
        self.beside_any(
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

    fn told(&mut self, text: &str) -> Vec<(u32, ByteSpan)> {
        let told = |texts: &Texts| texts.told(text).to_vec();
        let found = self.in_texts(told);
        let own = found
            .into_iter()
            .flat_map(|(script, spans)| spans.into_iter().map(move |span| (script, span)));
        let mut own: Vec<(u32, ByteSpan)> = own.collect();
        own.retain(|(script, span)| !self.is_foreign(*script, span.start));
        own
    }

    fn almost_told(&mut self, text: &str) -> Vec<(String, u32, ByteSpan)> {
        let counts = self.in_texts(|texts| texts.count(text));
        if counts.iter().map(|(_, count)| count).sum::<u32>() != 1 {
            return Vec::new();
        }
        let almost = |texts: &Texts| -> Vec<(String, ByteSpan)> {
            let all = texts.almost(text);
            all.flat_map(|(other, spans)| spans.iter().map(|span| (other.to_owned(), *span)))
                .collect()
        };
        let mut own = Vec::new();
        for (script, found) in self.in_texts(almost) {
            own.extend(found.into_iter().map(|(other, span)| (other, script, span)));
        }
        own.retain(|(_, script, span)| !self.is_foreign(*script, span.start));
        own.sort();
        own
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

    fn named_in_markup(&mut self, name: &str) -> Option<String> {
        self.sources.named_in_markup(self.analysed, name)
    }

    fn way_out(&mut self, function: FunctionRef) -> Option<String> {
        self.sources.way_out(self.analysed, function)
    }

    fn deciders_in(&mut self, script: u32, span: ByteSpan) -> Vec<Decider> {
        self.beside(script, span.start, |parsed, handed_over, coverage| {
            parsed.deciders_in(handed_over, coverage, span)
        })
    }
}
