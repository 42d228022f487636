//! From places in scripts that ran to those in the files of their authors.

use js_analysis::call_graph::OperationSite;
use js_analysis::omission::{Candidate, Reason, Suspect, WayTo};
use js_analysis::position::{ByteOffset, ByteSpan, LineIndex};
use js_analysis::rewrite::{NamesAsWritten, OriginalNames, Script};
use querypoint::query::CodeLine;
use querypoint::session::libraries::is_library;

use crate::sources::map_names::MapNames;
use crate::sources::{SourceLocation, Sources};

use super::{
    Analysed, Flip, LONGEST_TEXT, Located, LocatedOperation, LocatedSuspect, PlaceInScript, Step,
    WEBPACK, shortened,
};

impl Sources {
    pub(super) fn operation(
        &self,
        analysed: &Analysed,
        site: &OperationSite,
        name: &str,
    ) -> Option<LocatedOperation> {
        let place = PlaceInScript {
            script: site.script,
            at: site.span.start,
        };
        let before = ByteSpan {
            start: site.span.start,
            end: site.object.start,
        };
        let after = ByteSpan {
            start: site.object.end,
            end: site.span.end,
        };
        let texts = self.texts_of(analysed, site.script, &[before, after])?;
        let [before, after] = texts.as_slice() else {
            return None;
        };
        Some(LocatedOperation {
            place: self.source_location(analysed, place)?,
            text: shortened(&format!("{before}{name}{after}")),
            count: 0,
        })
    }

    pub(super) fn way_to(&self, analysed: &Analysed, script: u32, at: ByteOffset) -> WayTo {
        let way = || {
            let own = analysed.scripts.get(script as usize)?;
            let text = self.texts.get(own.text)?;
            let coverage = own.coverage.as_ref()?;
            let content = text.content(&own.script)?;
            let way = |parsed: &Script<'_>| parsed.way_to(coverage, at);
            text.parsed.with(content, own.script.goal, way).ok()
        };
        way().unwrap_or_default()
    }

    /// The function around a place, as what only libraries call.
    pub(super) fn called_by_libraries(
        &self,
        analysed: &Analysed,
        place: PlaceInScript,
    ) -> Option<Located> {
        let own = analysed.scripts.get(place.script as usize)?;
        let function = own.facts.function_around(place.at);
        let function = own.facts.functions.get(function as usize)?;
        let candidate = Candidate {
            detail: Some("only code of libraries can call it, and did not".to_owned()),
            ..Candidate::new(
                Reason::Callback,
                place.script,
                ByteSpan {
                    start: function.span.start,
                    end: function.body.max(function.span.start),
                },
            )
        };
        self.located(analysed, candidate)
    }

    /// Whether a place is in code that the page's author did not write.
    pub(super) fn is_foreign(
        &self,
        analysed: &Analysed,
        script: u32,
        place: &SourceLocation,
    ) -> bool {
        let own = analysed.scripts.get(script as usize);
        let text = own.and_then(|own| self.texts.get(own.text));
        let has_map = text.is_some_and(|text| text.source_map.is_some());
        let location = &place.location;
        // A library's own bundle, in a bundle that another tool made.
        let is_nested = location.url.starts_with(WEBPACK)
            && text
                .and_then(|text| text.source_map.as_ref())
                .is_some_and(|map| {
                    let mut sources = map.sources().iter();
                    sources.any(|source| !source.url.starts_with(WEBPACK))
                });
        // Of a bundle, what no source of the map covers is not the author's.
        location.library
            || is_nested
            || has_map && location.generated.is_none()
            || is_library(location, &[])
    }

    pub(super) fn source_location(
        &self,
        analysed: &Analysed,
        place: PlaceInScript,
    ) -> Option<SourceLocation> {
        let own = analysed.scripts.get(place.script as usize)?;
        let text = self.texts.get(own.text)?;
        let at = ByteOffset(own.script.span.start.0 + place.at.0);
        Some(text.place(text.mapped.position_of(at)))
    }

    /// A place as a query names it.
    pub(super) fn code_line(
        &self,
        analysed: &Analysed,
        script: u32,
        at: ByteOffset,
    ) -> Option<CodeLine> {
        let place = self.source_location(analysed, PlaceInScript { script, at })?;
        Some(CodeLine {
            file: place.location.url,
            line: place.location.line,
            column: Some(place.location.column),
        })
    }

    /// The text of a span with its author's names, and the name of the function around it.
    pub(super) fn texts_of(
        &self,
        analysed: &Analysed,
        script: u32,
        spans: &[ByteSpan],
    ) -> Option<Vec<String>> {
        let own = analysed.scripts.get(script as usize)?;
        let text = self.texts.get(own.text)?;
        let content = text.content(&own.script)?;
        let lines = LineIndex::new(&text.mapped.original);
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, &lines);
        // A source map is of a script that is all of its text.
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let read = |parsed: &Script<'_>| {
            let texts = spans.iter().map(|span| match text.source_map.is_some() {
                true => parsed.authored_text(*span, names),
                false => {
                    let range = span.start.index()..span.end.index();
                    content.get(range).unwrap_or_default().to_owned()
                }
            });
            texts.collect::<Vec<String>>()
        };
        text.parsed.with(content, own.script.goal, read).ok()
    }

    pub(super) fn function_name(
        &self,
        analysed: &Analysed,
        script: u32,
        at: ByteOffset,
    ) -> Option<String> {
        let own = analysed.scripts.get(script as usize)?;
        let text = self.texts.get(own.text)?;
        let in_text = ByteOffset(own.script.span.start.0 + at.0);
        if let Some(name) = text
            .names
            .as_ref()
            .and_then(|names| names.function(in_text))
        {
            return Some(name.to_owned());
        }
        let function = own
            .facts
            .functions
            .get(own.facts.function_around(at) as usize)?;
        Some(function.name.clone())
    }

    pub(super) fn located(&self, analysed: &Analysed, found: Candidate) -> Option<Located> {
        let at = |at: ByteOffset| PlaceInScript {
            script: found.script,
            at,
        };
        let place = self.source_location(analysed, at(found.decision.start))?;
        let mut spans = vec![found.decision];
        spans.extend(found.operands.iter().copied());
        let mut texts = self.texts_of(analysed, found.script, &spans)?.into_iter();
        let text = texts.next().unwrap_or_default();
        let text = match self.without_functions(analysed, &found) {
            Some(text) => shortened(&text),
            None => shortened(&text),
        };
        let mut operands: Vec<String> = texts.collect();
        // What a literal is its text says.
        let is_literal = |text: &str| {
            text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '"' | '\'' | '`'))
        };
        operands.retain(|operand| operand.len() <= LONGEST_TEXT && !is_literal(operand));
        operands.dedup();
        let is_foreign = self.is_foreign(analysed, found.script, &place);
        let flip = found.flip.and_then(|(condition, wanted)| {
            let own = analysed.scripts.get(found.script as usize)?;
            Some(Flip {
                url: self.texts.get(own.text)?.url.clone(),
                begins: own.script.span.start,
                span: condition.span,
                wanted: (!found.is_result).then_some(wanted),
                number: 0,
            })
        });
        let jump = found
            .jump
            .and_then(|jump| self.source_location(analysed, at(jump.start)));
        let pause = found
            .pause
            .and_then(|pause| self.code_line(analysed, found.script, pause));
        Some(Located {
            function: self.function_name(analysed, found.script, found.decision.start),
            jump,
            text,
            operands,
            pause,
            place,
            found,
            is_foreign,
            flip,
            flipped: None,
            operation: None,
            others: 0,
        })
    }

    /// The text of a call with `…` for each function that it hands over.
    pub(super) fn without_functions(
        &self,
        analysed: &Analysed,
        found: &Candidate,
    ) -> Option<String> {
        let own = analysed.scripts.get(found.script as usize)?;
        let mut calls = own.facts.calls.iter();
        let call = calls.find(|call| call.span == found.decision)?;
        let mut spans = Vec::new();
        let mut at = call.span.start;
        for argument in &call.arguments {
            if own.facts.function_at(argument.start).is_some() && at <= argument.start {
                spans.push(ByteSpan {
                    start: at,
                    end: argument.start,
                });
                at = argument.end;
            }
        }
        spans.push(ByteSpan {
            start: at,
            end: call.span.end,
        });
        Some(self.texts_of(analysed, found.script, &spans)?.join("…"))
    }

    pub(super) fn located_suspect(
        &self,
        analysed: &Analysed,
        suspect: &Suspect,
    ) -> Option<LocatedSuspect> {
        let place = PlaceInScript {
            script: suspect.script,
            at: ByteOffset(suspect.at.end.0.saturating_sub(1)),
        };
        let begins = PlaceInScript {
            at: suspect.at.start,
            ..place
        };
        let texts = self.texts_of(analysed, suspect.script, &[suspect.at])?;
        Some(LocatedSuspect {
            is_foreign: self.is_foreign(
                analysed,
                suspect.script,
                &self.source_location(analysed, begins)?,
            ),
            place: self.source_location(analysed, begins)?,
            function: self.function_name(analysed, suspect.script, place.at),
            text: texts
                .first()
                .map(|text| shortened(text))
                .unwrap_or_default(),
            calls: suspect.calls,
            operation: None,
            steps: self.steps(analysed, place),
        })
    }

    /// The statements up to a place in its function.
    pub(super) fn steps(&self, analysed: &Analysed, place: PlaceInScript) -> Vec<Step> {
        /// Of more, those nearest to the place are looked at.
        const MOST_STEPS: usize = 12;
        let steps = || {
            let own = analysed.scripts.get(place.script as usize)?;
            let text = self.texts.get(own.text)?;
            let content = text.content(&own.script)?;
            let read = |parsed: &Script<'_>| parsed.steps_to(place.at);
            text.parsed.with(content, own.script.goal, read).ok()
        };
        let steps = steps().unwrap_or_default();
        let first = steps.len().saturating_sub(MOST_STEPS);
        let near = steps.get(first..).unwrap_or_default();
        let step = |at: &ByteOffset| {
            let own = PlaceInScript {
                script: place.script,
                at: *at,
            };
            let location = self.source_location(analysed, own)?;
            Some(Step {
                line: self.code_line(analysed, place.script, *at)?,
                text: location
                    .source_line
                    .as_deref()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
                place: location,
            })
        };
        near.iter().filter_map(step).collect()
    }
}
