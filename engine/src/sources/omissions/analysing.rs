//! The scripts of a page, read, with what ran of them and who may call whom.

use std::sync::OnceLock;

use js_analysis::Goal;
use js_analysis::call_graph::{CallFacts, CallGraph, MOST_STEPS};
use js_analysis::omission::{CountedSpan, Coverage};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::{NamesAsWritten, OriginalNames, Script};
use parking_lot::Mutex;
use querypoint::session::libraries::is_published;

use super::in_original;
use super::located::{Analysed, AnalysedScript};
use crate::execution::{RunCounts, ScriptCounts};
use crate::sources::map_names::MapNames;
use crate::sources::{Sources, Text};

/// How much is looked at before the analysis gives up.
#[derive(Clone, Copy, Debug)]
struct AnalysisLimits {
    /// Larger scripts are not looked at, in bytes.
    largest_script: usize,
    /// Of the call graph, see [`CallGraph::within`].
    most_steps: u64,
}

impl Default for AnalysisLimits {
    fn default() -> Self {
        Self {
            largest_script: 64 << 20,
            most_steps: MOST_STEPS,
        }
    }
}

impl Sources {
    /// Puts together what the scripts say and what ran of them.
    pub(crate) fn analysed(&self, counts: &RunCounts, with_objects: bool) -> Analysed {
        self.analysed_within(counts, with_objects, AnalysisLimits::default())
    }

    /// The same, within limits: what was not looked at is said.
    fn analysed_within(
        &self,
        counts: &RunCounts,
        with_objects: bool,
        limits: AnalysisLimits,
    ) -> Analysed {
        let mut analysed = Analysed::default();
        let mut latest: Vec<usize> = self.latest.values().copied().collect();
        latest.sort_unstable();
        latest.dedup();
        for number in latest {
            let Some(text) = self.texts.get(number) else {
                continue;
            };
            for &script in &text.scripts {
                let Some(content) = text.content(&script) else {
                    continue;
                };
                if content.len() > limits.largest_script {
                    let megabytes = limits.largest_script >> 20;
                    let what = format!("{}, which is larger than {megabytes} MB", text.url);
                    analysed.unread.get_or_insert(text.url.clone());
                    analysed.unknown.push(what);
                    continue;
                }
                let Ok(parsed) = text.parsed.parse(content, script.goal) else {
                    analysed.unread.get_or_insert(text.url.clone());
                    continue;
                };
                analysed.scripts.push(AnalysedScript {
                    text: number,
                    script,
                    facts: parsed.with(content, |parsed| self.call_facts(text, parsed)),
                    mentions: OnceLock::new(),
                    holders: OnceLock::new(),
                    texts: OnceLock::new(),
                    parsed,
                    beside: OnceLock::new(),
                    foreign: Mutex::default(),
                    is_published: text.source_map.is_none()
                        && script.goal == Goal::Script
                        && is_published(&text.url, content),
                    coverage: None,
                });
            }
        }
        for counted in &counts.scripts {
            self.take_counts(&mut analysed, counted);
        }
        for script in &mut analysed.scripts {
            // What was never compiled did not run; how often an attribute's code ran is not counted at its place.
            if script.script.goal != Goal::EventHandler {
                script.coverage.get_or_insert_with(Coverage::default);
            }
        }
        analysed.may_have_thrown =
            !counts.uncaught.is_empty() || analysed.scripts.iter().any(AnalysedScript::has_caught);
        let facts: Vec<&CallFacts> = analysed
            .scripts
            .iter()
            .map(|script| &script.facts)
            .collect();
        analysed.graph = CallGraph::within(&facts, with_objects, limits.most_steps);
        if analysed.graph.gave_up {
            let what = "all that may be called: the scripts are so large that the analysis gave up";
            analysed.unknown.push(what.to_owned());
        }
        self.take_failures(&mut analysed, counts);
        let others = counts.uncounted.iter();
        let others = others
            .map(|url| format!("what {url} did, which is a worker or a frame of another site"));
        analysed.unknown.extend(others);
        analysed
    }

    /// What a script says about calls, with its author's names and the addresses of the modules that it imports.
    fn call_facts(&self, text: &Text, parsed: &Script<'_>) -> CallFacts {
        let lines = text.mapped.original_lines();
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, lines);
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let address = |specifier: Option<&str>| {
            let Some(specifier) = specifier else {
                return Some(text.url.clone());
            };
            // What an import map makes of a name is not known.
            let is_address = specifier.starts_with(['.', '/']) || specifier.contains("://");
            let url = url::Url::parse(&text.url).ok().filter(|_| is_address)?;
            let url = String::from(url.join(specifier).ok()?);
            Some(self.redirects.get(&url).cloned().unwrap_or(url))
        };
        parsed.call_facts_of(&address, names)
    }

    fn take_counts(&self, analysed: &mut Analysed, counted: &ScriptCounts) {
        let url = counted.url.split('#').next().unwrap_or_default();
        let Some(number) = self
            .latest
            .get(url)
            .or_else(|| self.latest.get(self.redirects.get(url)?))
        else {
            return;
        };
        let Some(text) = self.texts.get(*number) else {
            return;
        };
        let Some(base) = text.mapped.rewritten_offset(counted.start) else {
            return;
        };
        let Some(spans) = in_original(text, base, &counted.spans) else {
            return;
        };
        let Some(whole) = spans.first().map(|first| first.span.start) else {
            return;
        };
        let own = analysed.scripts.iter_mut().find(|script| {
            let span = script.script.span;
            script.text == *number
                && script.script.goal != Goal::EventHandler
                && span.start <= whole
                && whole < span.end
        });
        let Some(own) = own else { return };
        let begins = own.script.span.start.0;
        let within = spans.into_iter().map(|counted| CountedSpan {
            span: ByteSpan {
                start: ByteOffset(counted.span.start.0.saturating_sub(begins)),
                end: ByteOffset(counted.span.end.0.saturating_sub(begins)),
            },
            ..counted
        });
        let coverage = Coverage::new(within.collect());
        own.coverage = Some(match own.coverage.take() {
            Some(before) => before.and(&coverage),
            None => coverage,
        });
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
    use crate::sources::{ResponseKind, SeenScripts};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// What was not looked at of two scripts of a page.
    fn unknown(limits: AnalysisLimits) -> Vec<String> {
        let query = Query::parse("B = lastChange(R:box.a)").unwrap();
        let graph = DependencyGraph::new(vec![query]).unwrap();
        let plan = CollectionPlan::new(&graph, &[]).unwrap();
        let collection = Arc::new(Collection::new(&plan, "$Qp", Instrument::Query));
        let mut sources = Sources::new(collection, ReproductionPoint::End);
        let long = format!(
            "function f() {{ box.a = 1; }} f(); // {}",
            "x".repeat(2 << 20)
        );
        for (url, source) in [("http://a/1.js", "box.a = 2"), ("http://a/2.js", &long)] {
            let mut seen = SeenScripts::default();
            let rewritten =
                sources.rewrite(url, source, ResponseKind::Script, None, false, &mut seen);
            assert!(rewritten.is_some());
        }
        let counts = RunCounts::default();
        let both = [false, true].map(|with_objects| {
            let analysed = sources.analysed_within(&counts, with_objects, limits);
            analysed.unknown
        });
        assert_eq!(both[0], both[1]);
        let [found, _] = both;
        found
    }

    #[test]
    fn a_script_that_is_too_large_is_named() {
        let limits = AnalysisLimits {
            largest_script: 1 << 20,
            ..AnalysisLimits::default()
        };
        assert_eq!(
            unknown(limits),
            ["http://a/2.js, which is larger than 1 MB"]
        );
        assert!(unknown(AnalysisLimits::default()).is_empty());
    }

    #[test]
    fn an_analysis_that_gives_up_says_so() {
        let limits = AnalysisLimits {
            most_steps: 1,
            ..AnalysisLimits::default()
        };
        let what = "all that may be called: the scripts are so large that the analysis gave up";
        assert_eq!(unknown(limits), [what]);
    }
}
