//! From places in scripts that ran to those in the files of their authors.

use js_analysis::call_graph::{FunctionRef, OperationSite};
use js_analysis::html::markup_that_names;
use js_analysis::omission::{
    Candidate, EventPath, Handed, Holders, HoldingScript, Reason, Suspect, WayOut, WayTo, way_out,
};
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition, LineIndex, Utf16Position};
use js_analysis::rewrite::{NamesAsWritten, OriginalNames, Script};
use querypoint::query::CodeLine;
use querypoint::session::libraries::is_library;

use crate::sources::map_names::MapNames;
use crate::sources::{ResponseKind, SourceLocation, Sources};

use super::early_exits::{Exit, early_exit, is_negated};
use super::{
    Analysed, ExpressionAt, Extent, Flip, LONGEST_TEXT, Located, LocatedOperation, LocatedSuspect,
    PlaceInScript, Step, WEBPACK, shortened,
};

/// A line of a file, in words.
fn in_words(url: &str, line: u32) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().filter(|part| !part.is_empty());
    format!("{}:{line}", file.unwrap_or(path))
}

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
        let own = analysed.scripts.get(site.script as usize)?;
        Some(LocatedOperation {
            place: self.source_location(analysed, place)?,
            text: shortened(&format!("{before}{name}{after}")),
            is_named: site.is_named,
            count: 0,
            is_optional: {
                let mut calls = own.facts.calls.iter();
                calls.any(|call| call.span == site.span && call.is_optional)
            },
            at: ExpressionAt {
                url: self.texts.get(own.text)?.url.clone(),
                begins: own.script.span.start,
                span: site.span,
            },
        })
    }

    pub(super) fn way_to(&self, analysed: &Analysed, script: u32, at: ByteOffset) -> WayTo {
        let way = self.read_tree(analysed, script, |parsed, own| {
            Some(parsed.way_to(own.coverage.as_ref()?, at))
        });
        way.flatten().unwrap_or_default()
    }

    /// Where markup names something, of a document or in a text of the author's scripts: file and line.
    pub(super) fn named_in_markup(&self, analysed: &Analysed, name: &str) -> Option<String> {
        self.named_in_document(name)
            .or_else(|| self.named_in_texts(analysed, name))
    }

    fn named_in_document(&self, name: &str) -> Option<String> {
        let mut latest: Vec<usize> = self.latest.values().copied().collect();
        latest.sort_unstable();
        let mut texts = latest.iter().filter_map(|it| self.texts.get(*it));
        texts.find_map(|text| {
            if text.kind != ResponseKind::Document {
                return None;
            }
            let markup = &text.mapped.original;
            let at = markup_that_names(markup, name)?;
            let at = HumanPosition::from(LineIndex::new(markup).position(markup, at));
            Some(in_words(&text.url, at.line))
        })
    }

    fn named_in_texts(&self, analysed: &Analysed, name: &str) -> Option<String> {
        (0..).zip(&analysed.scripts).find_map(|(script, _)| {
            let at = self.holders(analysed, script)?.markup_that_names(name)?;
            let place = PlaceInScript {
                script,
                at: at.start,
            };
            let place = self.source_location(analysed, place)?;
            let is_foreign = self.is_foreign(analysed, script, &place);
            (!is_foreign).then(|| in_words(&place.location.url, place.location.line))
        })
    }

    /// What a script does with what it holds.
    fn holders<'a>(&self, analysed: &'a Analysed, script: u32) -> Option<&'a Holders> {
        let own = analysed.scripts.get(script as usize)?;
        if own.holders.get().is_none() {
            let found = self.read_tree(analysed, script, |parsed, _| parsed.holders())?;
            let _ = own.holders.set(found);
        }
        own.holders.get()
    }

    /// Where a function, or what it is a member of, gets where its calls are not followed: file and line.
    pub(super) fn way_out(&self, analysed: &Analysed, function: FunctionRef) -> Option<String> {
        let mut scripts = Vec::new();
        for (number, own) in (0..).zip(&analysed.scripts) {
            let text = self.texts.get(own.text)?;
            scripts.push(HoldingScript {
                url: &text.url,
                facts: &own.facts,
                holders: self.holders(analysed, number)?,
            });
        }
        let (script, at) = match way_out(&scripts, function, analysed.unread.is_some())? {
            WayOut::At(script, at) => (script, at),
            WayOut::Unread => {
                let unread = analysed.unread.as_deref().unwrap_or_default();
                return Some(format!("{unread}, which was not read"));
            }
        };
        let place = PlaceInScript {
            script,
            at: at.start,
        };
        let place = self.source_location(analysed, place)?;
        Some(in_words(&place.location.url, place.location.line))
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
        let mut why = "only code of libraries can call it, and did not".to_owned();
        let by_markup = function.name.rsplit('.').next();
        if let Some(place) = by_markup.and_then(|name| self.named_in_markup(analysed, name)) {
            why.push_str(&format!("; {place} names it"));
        }
        let candidate = Candidate {
            detail: Some(why),
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
        // What a library makes of a text, as of a template, does what the author wrote there.
        if location.eval_origin.is_some() && location.generated.is_none() {
            return false;
        }
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
            || own.is_some_and(|own| own.is_published)
            || has_map && location.generated.is_none()
            || is_library(location, &[])
    }

    /// Whether a place is in code that the page's author did not write.
    pub(super) fn is_of_library(&self, analysed: &Analysed, script: u32, at: ByteOffset) -> bool {
        let known = || {
            let own = analysed.scripts.get(script as usize)?;
            let text = self.texts.get(own.text)?;
            let in_text = ByteOffset(own.script.span.start.0 + at.0);
            let map = text.source_map.as_ref();
            let source = map.and_then(|map| map.source_at(text.mapped.position_of(in_text)));
            if let Some(known) = own.foreign.lock().get(&source) {
                return Some(*known);
            }
            let place = PlaceInScript { script, at };
            let place = self.source_location(analysed, place)?;
            let is_foreign = self.is_foreign(analysed, script, &place);
            own.foreign.lock().insert(source, is_foreign);
            Some(is_foreign)
        };
        known().unwrap_or(true)
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

    /// Where a decision is in its author's text. Where a source map knows nothing of its first character, as of the
    /// head of a loop, it is where the first of its parts is that the map knows.
    fn mapped_location(&self, analysed: &Analysed, found: &Candidate) -> Option<SourceLocation> {
        let at = |at: ByteOffset| {
            let script = found.script;
            self.source_location(analysed, PlaceInScript { script, at })
        };
        let own = analysed.scripts.get(found.script as usize)?;
        let has_map = self.texts.get(own.text)?.source_map.is_some();
        let first = at(found.decision.start)?;
        if !has_map || first.location.generated.is_some() {
            return Some(first);
        }
        let parts = found
            .operands
            .iter()
            .filter(|part| found.decision.start <= part.start && part.end <= found.decision.end);
        let mut parts = parts.filter_map(|part| at(part.start));
        let mapped = parts.find(|place| place.location.generated.is_some());
        Some(mapped.unwrap_or(first))
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
        let lines = text.mapped.original_lines();
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, lines);
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
        Some(own.parsed.with(content, read))
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
        let place = self.mapped_location(analysed, &found)?;
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
        let check = found
            .path
            .as_ref()
            .and_then(|path| self.path_check(analysed, found.script, path));
        let handed = found
            .handed
            .as_ref()
            .and_then(|handed| self.handed_texts(analysed, found.script, handed))
            .unwrap_or_default();
        let tried = found.tried.iter();
        let tried = tried
            .filter_map(|tried| {
                let texts = self.texts_of(analysed, found.script, &[*tried])?;
                let step = self.step(analysed, found.script, tried.start)?;
                Some(Step {
                    text: shortened(texts.first()?),
                    ..step
                })
            })
            .collect();
        let jump = found
            .jump
            .and_then(|jump| self.source_location(analysed, at(jump.start)));
        let pause = found
            .pause
            .and_then(|pause| self.code_line(analysed, found.script, pause));
        let mut located = Located {
            function: self.function_name(analysed, found.script, found.decision.start),
            jump,
            operands,
            pause,
            is_foreign,
            check,
            handed,
            tried,
            flip,
            ..Located::new(found, place, text)
        };
        self.as_early_exit(analysed, &mut located);
        self.as_template_loop(analysed, &mut located);
        Some(located)
    }

    /// What says whether an event that was stopped was on its way to a listener, where it is stopped.
    fn path_check(&self, analysed: &Analysed, script: u32, path: &EventPath) -> Option<String> {
        let event = self.texts_of(analysed, script, &[path.event])?.pop()?;
        let (listening, object) = path.listening;
        let object = self.texts_of(analysed, listening, &[object])?.pop()?;
        // What `this` is there is something else.
        if object.starts_with("this") || object.contains("=>") || object.contains("function") {
            return None;
        }
        let same = path.is_immediate;
        let current = format!("({event}).currentTarget");
        Some(format!(
            "({object})===window||({object})==={current}?{same}||({object})!=={current}:\
             {current}!==window&&(({event}).eventPhase===1?{current}.contains({object}):({object}).contains({current}))"
        ))
    }

    /// Expressions for what a call was given; of a list that is spread, the first function in it.
    fn handed_texts(
        &self,
        analysed: &Analysed,
        script: u32,
        handed: &Handed,
    ) -> Option<Vec<String>> {
        let spans: Vec<ByteSpan> = handed.arguments.iter().map(|(span, _)| *span).collect();
        let texts = self.texts_of(analysed, script, &spans)?.into_iter();
        let texts = texts
            .zip(&handed.arguments)
            .map(|(text, (_, is_spread))| match is_spread {
                true => format!("({text}).find((it)=>typeof it===\"function\")"),
                false => text,
            });
        Some(texts.collect())
    }

    /// What a minifier made of `if (!user) return;` is that again.
    fn as_early_exit(&self, analysed: &Analysed, located: &mut Located) {
        let is_test = located.found.reason == Reason::Branch && located.jump.is_none();
        let script = analysed.scripts.get(located.found.script as usize);
        let text = script.and_then(|own| self.texts.get(own.text));
        let (true, Some(map)) = (is_test, text.and_then(|text| text.source_map.as_ref())) else {
            return;
        };
        let at = &located.place.location;
        let found = || {
            let (source, lines) = map.source_with_lines(&at.url)?;
            let position = Utf16Position {
                line: at.line.checked_sub(1)?,
                column: at.column.checked_sub(1)?,
            };
            let at = lines.offset(source, position)?;
            let (condition, exit, body) = early_exit(source, at.index())?;
            let written = source.get(condition.clone())?;
            // In what the `if` itself does, it is a test like any other.
            let is_left = match is_negated(written, &located.text) {
                true => !located.found.held,
                false => located.found.held,
            };
            let position =
                |at: usize| HumanPosition::from(lines.position(source, ByteOffset::from_index(at)));
            is_left.then(|| {
                (
                    written.to_owned(),
                    exit,
                    position(condition.start),
                    position(body),
                )
            })
        };
        let Some((written, exit, begins, leaves)) = found() else {
            return;
        };
        located.found.reason = match exit {
            Exit::Return => Reason::Return,
            Exit::Throw => Reason::Exception,
            Exit::Jump => Reason::Branch,
        };
        located.found.held = true;
        located.text = shortened(&written);
        let mut jump = located.place.clone();
        (jump.location.line, jump.location.column) = (leaves.line, leaves.column);
        located.jump = Some(jump);
        let place = &mut located.place.location;
        (place.line, place.column) = (begins.line, begins.column);
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
            script: suspect.script,
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
            extent: match suspect.is_to_end {
                true => Some(Extent {
                    first: self.source_location(analysed, begins)?,
                    last: self.source_location(analysed, place)?,
                }),
                false => None,
            },
            operation: None,
            steps: self.steps(analysed, place),
        })
    }

    fn step(&self, analysed: &Analysed, script: u32, at: ByteOffset) -> Option<Step> {
        let location = self.source_location(analysed, PlaceInScript { script, at })?;
        Some(Step {
            line: self.code_line(analysed, script, at)?,
            text: location
                .source_line
                .as_deref()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            place: location,
        })
    }

    /// The statements up to a place in its function.
    pub(super) fn steps(&self, analysed: &Analysed, place: PlaceInScript) -> Vec<Step> {
        /// Of more, those nearest to the place are looked at.
        const MOST_STEPS: usize = 12;
        let steps = self.read_tree(analysed, place.script, |parsed, _| {
            parsed.steps_to(place.at)
        });
        let steps = steps.unwrap_or_default();
        let first = steps.len().saturating_sub(MOST_STEPS);
        let near = steps.get(first..).unwrap_or_default();
        let step = |at: &ByteOffset| self.step(analysed, place.script, *at);
        near.iter().filter_map(step).collect()
    }
}
