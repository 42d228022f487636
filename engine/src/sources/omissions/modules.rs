//! Modules that were loaded and did not run: one that they import did not load, does not parse, has no such export, or
//! threw.
//!
//! A browser counts the function around such a module all the same: it was called once, when the module was linked.

use std::collections::{HashMap, HashSet};

use js_analysis::Goal;
use js_analysis::omission::{Candidate, Coverage, Reason};
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::RewriteError;

use super::located::AnalysedScript;
use super::{Analysed, Located};
use crate::execution::{RunCounts, Uncaught};
use crate::sources::{ResponseKind, Sources};

/// What went wrong with the modules of a page.
struct Modules<'a> {
    sources: &'a Sources,
    analysed: &'a Analysed,
    uncaught: &'a [Uncaught],
    /// The modules that have addresses of their own.
    by_url: HashMap<&'a str, u32>,
}

/// A module that fails.
#[derive(Clone)]
struct Failure {
    candidate: Candidate,
    /// Whether the module itself began to run.
    has_begun: bool,
}

impl AnalysedScript {
    /// Whether something may have been caught in it.
    pub(super) fn has_caught(&self) -> bool {
        let Some(coverage) = &self.coverage else {
            return true;
        };
        let mut catches = self.facts.catches.iter();
        let mut calls = self.facts.calls.iter();
        catches.any(|body| coverage.inside(*body) > 0)
            || calls.any(|call| {
                let catches = match call.name.as_str() {
                    "catch" | "allSettled" | "any" | "race" => true,
                    "then" => call.arguments.len() > 1,
                    _ => false,
                };
                catches && coverage.evaluated(call.span.start) > 0
            })
    }
}

impl Sources {
    /// Notes which modules did not run, and why; what was counted of them is not true.
    pub(super) fn take_failures(&self, analysed: &mut Analysed, counts: &RunCounts) {
        let modules = Modules {
            sources: self,
            analysed,
            uncaught: &counts.uncaught,
            by_url: self.modules_by_url(analysed),
        };
        let mut failures = HashMap::new();
        for script in 0..ByteOffset::from_index(analysed.scripts.len()).0 {
            if let Some(failure) = modules.failure(script, &mut HashSet::new())
                && !failure.has_begun
            {
                failures.insert(script, failure.candidate);
            }
        }
        for script in failures.keys() {
            if let Some(own) = analysed.scripts.get_mut(*script as usize) {
                own.coverage = Some(Coverage::default());
            }
        }
        analysed.failures = failures;
    }

    fn modules_by_url(&self, analysed: &Analysed) -> HashMap<&str, u32> {
        let scripts = analysed.scripts.iter().zip(0..);
        let modules = scripts.filter(|(own, _)| own.script.goal == Goal::Module);
        let addresses = modules.filter_map(|(own, number)| {
            let text = self.texts.get(own.text)?;
            (text.kind == ResponseKind::Script).then_some((text.url.as_str(), number))
        });
        addresses.collect()
    }

    /// Why a script did not run that was loaded.
    pub(super) fn as_failure(&self, analysed: &Analysed, candidate: Candidate) -> Candidate {
        let is_whole = candidate.reason == Reason::NotLoaded && candidate.pause.is_none();
        let own = analysed.scripts.get(candidate.script as usize);
        let whole = own.and_then(|own| own.facts.functions.first());
        match analysed.failures.get(&candidate.script) {
            Some(failure) if is_whole && whole.is_some_and(|it| it.span == candidate.decision) => {
                Candidate {
                    calls: candidate.calls,
                    ..failure.clone()
                }
            }
            _ => candidate,
        }
    }

    /// The script of this name that came and does not parse: why, and where.
    pub(super) fn unparsed(
        &self,
        is_named_so: impl Fn(&str) -> bool,
    ) -> Option<(String, crate::sources::SourceLocation)> {
        let mut latest: Vec<(&String, &usize)> = self.latest.iter().collect();
        latest.sort_unstable();
        latest.into_iter().find_map(|(url, number)| {
            let text = self.texts.get(*number)?;
            if text.kind != ResponseKind::Script || !text.scripts.is_empty() || !is_named_so(url) {
                return None;
            }
            let content = &text.mapped.original;
            let goal = match self.modules.contains(url) {
                true => Goal::Module,
                false => Goal::Script,
            };
            let Err(RewriteError::Syntax(error)) = self.parsed.parse(content, goal) else {
                return None;
            };
            let lines = text.mapped.original_lines();
            let line = lines.line_span(error.position.line.saturating_sub(1))?;
            let at =
                ByteOffset(line.start.0 + error.position.column.saturating_sub(1)).min(line.end);
            let place = text.place(text.mapped.position_of(at));
            Some((error.message, place))
        })
    }

    /// The static imports of modules that name a file which did not load.
    pub(super) fn failed_imports_of(&self, analysed: &Analysed, name: &str) -> Vec<Located> {
        let failures = analysed.failures.values().filter(|failure| {
            let text = self.script_text(analysed, failure.script, failure.decision);
            let text = text.unwrap_or_default();
            text.contains(name) && failure.reason == Reason::NotLoaded
        });
        let mut found: Vec<Located> = failures
            .filter_map(|failure| self.located(analysed, failure.clone()))
            .collect();
        found.sort_by(|one, other| {
            let key = |it: &Located| (it.place.location.url.clone(), it.place.location.line);
            key(one).cmp(&key(other))
        });
        found.dedup_by(|one, other| one.place == other.place);
        found
    }

    fn script_text(&self, analysed: &Analysed, script: u32, span: ByteSpan) -> Option<String> {
        let own = analysed.scripts.get(script as usize)?;
        let content = self.texts.get(own.text)?.content(&own.script)?;
        Some(
            content
                .get(span.start.index()..span.end.index())?
                .to_owned(),
        )
    }
}

impl Modules<'_> {
    /// Why a module did not run, or not to its end; `seen`: those that import it.
    fn failure(&self, script: u32, seen: &mut HashSet<u32>) -> Option<Failure> {
        let own = self.analysed.scripts.get(script as usize)?;
        if own.script.goal != Goal::Module || !seen.insert(script) {
            return None;
        }
        if let Some(candidate) = self.not_linked(script, own) {
            return Some(Failure {
                candidate,
                has_begun: false,
            });
        }
        for (span, specifier) in self.imports(own) {
            if let Some(candidate) = self.of_import(script, own, span, &specifier, seen) {
                return Some(Failure {
                    candidate,
                    has_begun: false,
                });
            }
        }
        self.threw(script, own).map(|candidate| Failure {
            candidate,
            has_begun: true,
        })
    }

    fn imports(&self, own: &AnalysedScript) -> Vec<(ByteSpan, String)> {
        let text = self.sources.texts.get(own.text);
        let content = text.and_then(|text| text.content(&own.script));
        content.map_or_else(Vec::new, |content| {
            own.parsed
                .with(content, |parsed| parsed.linked_specifiers())
        })
    }

    /// What an import says that names something that its module does not export.
    fn not_linked(&self, script: u32, own: &AnalysedScript) -> Option<Candidate> {
        let mut thrown = self.uncaught.iter().filter(|thrown| {
            thrown.root.is_none()
                && thrown.text.starts_with("SyntaxError")
                && self.is_of(own, thrown)
        });
        let thrown = thrown.next()?;
        let at = self.offset(own, thrown)?;
        let span = self.statement(own, at)?;
        Some(not_loaded(script, span, thrown.text.clone()))
    }

    /// Why the module that an import names keeps the one that imports it from running.
    fn of_import(
        &self,
        script: u32,
        own: &AnalysedScript,
        span: ByteSpan,
        specifier: &str,
        seen: &mut HashSet<u32>,
    ) -> Option<Candidate> {
        let is_address = specifier.starts_with(['.', '/']) || specifier.contains("://");
        let base = self.sources.texts.get(own.text)?.url.as_str();
        // What an import map makes of a name is not known.
        let url = url::Url::parse(base).ok()?.join(specifier).ok()?;
        if !is_address {
            return None;
        }
        let url = String::from(url);
        let known = self.sources.redirects.get(&url).unwrap_or(&url);
        if let Some(other) = self.by_url.get(known.as_str()) {
            return Some(self.failure(*other, seen)?.candidate);
        }
        let statement = self.statement(own, span.start)?;
        match self.sources.latest.contains_key(known) {
            false => {
                let detail = format!("{specifier} did not load");
                Some(not_loaded(script, statement, detail))
            }
            true => {
                let (why, _) = self.sources.unparsed(|url| url == known)?;
                let detail = format!("{specifier} does not parse: {why}");
                Some(not_loaded(script, statement, detail))
            }
        }
    }

    /// What a module threw while it ran.
    fn threw(&self, script: u32, own: &AnalysedScript) -> Option<Candidate> {
        self.uncaught.iter().find_map(|thrown| {
            let (url, root) = thrown.root.as_ref()?;
            let at_root = self.offset_of(own, url, *root)?;
            if own.facts.function_around(at_root) != 0 {
                return None;
            }
            let span = self.statement(own, at_root)?;
            let file = url.rsplit('/').next().unwrap_or(url);
            Some(Candidate {
                pause: Some(span.start),
                held: true,
                hits: 1,
                detail: Some(format!(
                    "{} was thrown: what imports {file} does not run",
                    thrown.text
                )),
                ..Candidate::new(Reason::Exception, script, span)
            })
        })
    }

    fn is_of(&self, own: &AnalysedScript, thrown: &Uncaught) -> bool {
        self.offset(own, thrown).is_some()
    }

    fn offset(&self, own: &AnalysedScript, thrown: &Uncaught) -> Option<ByteOffset> {
        self.offset_of(own, &thrown.url, thrown.at)
    }

    /// Where a place of a text that ran is in a script, if it is in it.
    fn offset_of(
        &self,
        own: &AnalysedScript,
        url: &str,
        at: js_analysis::position::Utf16Position,
    ) -> Option<ByteOffset> {
        let text = self.sources.texts.get(own.text)?;
        let url = url.split('#').next().unwrap_or_default();
        let offset = (text.url == url).then(|| text.mapped.original_offset(at))??;
        let span = own.script.span;
        (span.start <= offset && offset <= span.end).then(|| ByteOffset(offset.0 - span.start.0))
    }

    /// The line of a module with a place, from its statement on.
    fn statement(&self, own: &AnalysedScript, at: ByteOffset) -> Option<ByteSpan> {
        let text = self.sources.texts.get(own.text)?;
        let content = text.content(&own.script)?;
        let steps = own.parsed.with(content, |parsed| parsed.steps_to(at));
        let line = content
            .get(..at.index())?
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let indent = content.get(line..)?.find(|it: char| !it.is_whitespace())?;
        let line = ByteOffset::from_index(line + indent);
        let start = steps
            .last()
            .copied()
            .filter(|step| *step > line)
            .unwrap_or(line);
        let rest = content.get(start.index()..)?;
        let length = rest.find('\n').unwrap_or(rest.len());
        let end = start.index() + rest.get(..length)?.trim_end().len();
        Some(ByteSpan {
            start,
            end: ByteOffset::from_index(end),
        })
    }
}

fn not_loaded(script: u32, span: ByteSpan, detail: String) -> Candidate {
    Candidate {
        detail: Some(detail),
        hits: 1,
        ..Candidate::new(Reason::NotLoaded, script, span)
    }
}

/// A place in a script that does not parse, as why it did not run.
pub(super) fn located_without_script(
    place: crate::sources::SourceLocation,
    detail: String,
) -> Located {
    let span = ByteSpan {
        start: ByteOffset(0),
        end: ByteOffset(0),
    };
    let text = place.source_line.clone().unwrap_or_default();
    Located::new(not_loaded(0, span, detail), place, text.trim().to_owned())
}
