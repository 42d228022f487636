//! What ran of the scripts, put together with what they say: which decisions kept a place from being reached.

mod analysing;
mod early_exits;
mod flips;
mod imports;
mod located;
mod locating;
mod modules;
mod not_run;
mod template_loops;
mod ways;

use js_analysis::Goal;
use js_analysis::call_graph::{CallFacts, ObjectPlace, OperationSite, operations};
use js_analysis::omission::{CountedScript, CountedSpan, explain};
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition, LineIndex};
use querypoint::point::{Hit, ReproductionPoint};
use querypoint::query::{CodeLine, ElementKey, Reference, ReferenceRoot, Segment};
use querypoint::session::libraries::is_library_url;

use super::job::Job;
use super::seen_scripts::{PointSearch, SeenScripts};
use super::{SourceLocation, Sources, Text};
pub(super) use flips::CountedEnds;
use located::AnalysedScript;
pub(crate) use located::{
    Analysed, Explained, ExpressionAt, Extent, Flip, Located, LocatedOperation, LocatedSuspect,
    NoPlace, PlaceInScript, Step, Unchanged,
};
use modules::located_without_script;
use ways::PageWays;

/// A longer text of a decision is cut.
const LONGEST_TEXT: usize = 200;

/// Where a decision of the author's is known, no more of libraries are shown.
const MOST_OF_LIBRARIES: usize = 2;
/// What the addresses of sources begin with in the source maps that webpack writes.
const WEBPACK: &str = "webpack://";
/// So often it is looked for what decided in functions that were handed over.
const MOST_SEARCHES_BESIDE: u32 = 20;

impl Sources {
    /// Where a line of an author's file is in the scripts.
    pub(crate) fn place_of_line(
        &self,
        analysed: &Analysed,
        line: &CodeLine,
    ) -> Result<PlaceInScript, NoPlace> {
        let at = ReproductionPoint::Location {
            file: line.file.clone(),
            line: line.line,
            column: line.column,
            hit: Hit(-1),
        };
        let (row, column) = (
            line.line.saturating_sub(1),
            line.column.map(|column| column.saturating_sub(1)),
        );
        let mut is_seen = false;
        let mut nearest = Vec::new();
        // A library may have a file of the same name.
        let mut scripts: Vec<(usize, &AnalysedScript)> =
            analysed.scripts.iter().enumerate().collect();
        scripts.sort_by_key(|(_, script)| {
            let text = self.texts.get(script.text);
            text.is_some_and(|text| is_library_url(&text.url, &[]))
        });
        for (index, script) in scripts {
            let Some(text) = self.texts.get(script.text) else {
                continue;
            };
            let is_named = at.matches_url(&text.url);
            let is_source = text.source_map.as_ref().is_some_and(|map| {
                map.sources()
                    .iter()
                    .any(|source| at.matches_url(&source.url))
            });
            if !is_named && !is_source {
                continue;
            }
            is_seen = true;
            if script.script.goal == Goal::EventHandler {
                continue;
            }
            let Some(content) = text.content(&script.script) else {
                continue;
            };
            let job = text.job(script.text);
            let is_own = job.is_line_of_text(&at, row);
            let span = script.script.span;
            let (place, near) = script.parsed.with(content, |parsed| {
                let places = parsed.code_places();
                let mut search = PointSearch::default();
                let place = match is_own {
                    true => job.place_on_line(span, &places, row, column),
                    false => job.place_in_source(&at, parsed, row, column, &mut search),
                };
                let place = place.map(|place| place.at);
                let place = place.or_else(|| {
                    let line = job
                        .lines
                        .line_span(row)
                        .filter(|_| is_own && column.is_none())?;
                    let within = |at: ByteOffset| ByteOffset(at.0.saturating_sub(span.start.0));
                    parsed.first_expression(ByteSpan {
                        start: within(line.start),
                        end: within(line.end),
                    })
                });
                let near = match is_own {
                    true => job.nearest_lines(span, &places, row),
                    false => search.nearest,
                };
                (place, near)
            });
            match place {
                Some(at) => {
                    return Ok(PlaceInScript {
                        script: ByteOffset::from_index(index).0,
                        at,
                    });
                }
                None => nearest.extend(near),
            }
        }
        if is_seen {
            nearest.sort_by_key(|near| near.abs_diff(line.line));
            nearest.dedup();
            nearest.truncate(2);
            return Err(NoPlace::NoCode(nearest));
        }
        if let Some((why, place)) = self.unparsed(|url| at.matches_url(url)) {
            let detail = format!("the script does not parse: {why}");
            let candidate = located_without_script(place, detail.clone());
            return Err(NoPlace::NotParsed(detail, Box::new(candidate)));
        }
        Err(NoPlace::NoScript(self.imports_of(analysed, &line.file)))
    }

    /// Which decisions kept a place from being reached, and what the functions gave that they call.
    pub(crate) fn explained(
        &self,
        analysed: &Analysed,
        place: PlaceInScript,
        most_calls: u32,
    ) -> Explained {
        self.explained_by(analysed, place, most_calls, true)
    }

    /// The same; `in_called`: what functions gave is looked at, too.
    fn explained_by(
        &self,
        analysed: &Analysed,
        place: PlaceInScript,
        most_calls: u32,
        in_called: bool,
    ) -> Explained {
        let scripts: Vec<CountedScript<'_>> = analysed
            .scripts
            .iter()
            .map(|script| CountedScript {
                facts: &script.facts,
                coverage: script.coverage.as_ref(),
                is_handler: script.script.goal == Goal::EventHandler,
            })
            .collect();
        let mut ways = PageWays {
            sources: self,
            analysed,
            searches_left: MOST_SEARCHES_BESIDE,
            in_called,
        };
        let target = (place.script, place.at);
        let found = explain(&scripts, &analysed.graph, &mut ways, target, most_calls);
        let located = |candidate| self.located(analysed, self.as_failure(analysed, candidate));
        let mut unknown = analysed.unknown.clone();
        unknown.extend(found.unknown);
        let mut candidates: Vec<Located> =
            found.candidates.into_iter().filter_map(located).collect();
        candidates.sort_by_key(|one| (one.found.is_partial, one.is_foreign));
        let is_own = |one: &Located| !one.is_foreign && !one.found.is_partial;
        if candidates.iter().any(is_own) {
            let mut shown = 0;
            candidates.retain(|one| {
                shown += usize::from(one.is_foreign);
                !one.is_foreign || shown <= MOST_OF_LIBRARIES
            });
        }
        let is_far = |one: &Located| one.is_foreign && one.found.calls > 0;
        if !candidates.is_empty()
            && candidates.iter().all(is_far)
            && let Some(called) = self.called_by_libraries(analysed, place)
            && !called.is_foreign
        {
            // What a library does inside is not why.
            candidates.insert(0, called);
        }
        Explained {
            count: found.count,
            candidates,
            suspects: found
                .suspects
                .into_iter()
                .filter_map(|suspect| self.located_suspect(analysed, &suspect))
                .collect(),
            steps: self.steps(analysed, place),
            place: self.source_location(analysed, place),
            unknown,
        }
    }

    /// The place that a reference names at a place of a script; at none, in the global scope.
    pub(crate) fn object_place(
        &self,
        analysed: &Analysed,
        at: Option<PlaceInScript>,
        reference: &Reference,
    ) -> Option<(u32, ObjectPlace)> {
        let script = at.map_or(0, |at| at.script);
        let place = match (reference.segments.last(), &reference.root) {
            (Some(Segment::Property(name)), _) => ObjectPlace::property(name),
            (Some(Segment::Private(name)), _) => ObjectPlace::property(&format!("#{name}")),
            (Some(Segment::Element(ElementKey::String(name))), _) => ObjectPlace::property(name),
            (Some(Segment::Element(_) | Segment::MapEntry(_)), _) => ObjectPlace::element(),
            (Some(_), _) => return None,
            (None, ReferenceRoot::Variable(name)) => match at {
                Some(at) => self.read_tree(analysed, at.script, |parsed, _| {
                    parsed.variable_place(name, at.at)
                })?,
                None => ObjectPlace::global(name),
            },
            (None, ReferenceRoot::This) => {
                let at = at?;
                let facts = &analysed.scripts.get(at.script as usize)?.facts;
                let function = facts.functions.get(facts.function_around(at.at) as usize)?;
                ObjectPlace::this(function.this_of)
            }
            (None, _) => return None,
        };
        Some((script, place))
    }

    /// What could have been done to what is at a place and was not, and which decisions kept it from being done. `name`
    /// is put in for the object in the texts.
    pub(crate) fn unchanged(
        &self,
        analysed: &Analysed,
        (script, place): (u32, ObjectPlace),
        name: &str,
        most_calls: u32,
    ) -> Unchanged {
        /// Of more operations, those that come first in the scripts are looked at.
        const MOST_OPERATIONS: usize = 60;
        let facts: Vec<&CallFacts> = analysed
            .scripts
            .iter()
            .map(|script| &script.facts)
            .collect();
        let (mut sites, is_by_object) = operations(&facts, &analysed.graph, script, &place);
        let mut found = Unchanged {
            is_by_object,
            may_have_thrown: analysed.may_have_thrown,
            ..Unchanged::default()
        };
        found.explained.unknown.clone_from(&analysed.unknown);
        // By their names, libraries do much to any object; where the author does something, that is meant.
        let is_own = |site: &OperationSite| {
            let at = PlaceInScript {
                script: site.script,
                at: site.span.start,
            };
            !self.is_of_library(analysed, at.script, at.at)
        };
        if sites.iter().any(is_own) {
            let all = sites.len();
            sites.retain(is_own);
            if sites.len() < all {
                let what = format!("{} operations in code of libraries", all - sites.len());
                found.explained.unknown.push(what);
            }
        }
        if sites.len() > MOST_OPERATIONS {
            let what = format!("{} more operations", sites.len() - MOST_OPERATIONS);
            found.explained.unknown.push(what);
            sites.truncate(MOST_OPERATIONS);
        }
        let mut candidates: Vec<Located> = Vec::new();
        for site in sites {
            let at = PlaceInScript {
                script: site.script,
                at: ByteOffset(site.span.end.0.saturating_sub(1)),
            };
            let Some(mut operation) = self.operation(analysed, &site, name) else {
                continue;
            };
            // Of many operations there would be many such functions.
            let explained = self.explained_by(analysed, at, most_calls, false);
            operation.count = explained.count;
            for what in explained.unknown {
                if !found.explained.unknown.contains(&what) {
                    found.explained.unknown.push(what);
                }
            }
            if explained.count > 0 {
                found.explained.suspects.push(LocatedSuspect {
                    script: site.script,
                    place: operation.place.clone(),
                    function: None,
                    text: operation.text.clone(),
                    calls: 0,
                    is_foreign: false,
                    extent: None,
                    steps: explained.steps,
                    operation: Some(operation.clone()),
                });
                found.done.push(operation);
                continue;
            }
            found.omitted += 1;
            for suspect in explained.suspects {
                found.explained.suspects.push(LocatedSuspect {
                    operation: Some(operation.clone()),
                    ..suspect
                });
            }
            for candidate in explained.candidates {
                let same = |other: &&mut Located| {
                    other.place == candidate.place && other.found.reason == candidate.found.reason
                };
                match candidates.iter_mut().find(same) {
                    Some(same) => {
                        let own = same.operation.as_ref();
                        same.others +=
                            usize::from(own.is_some_and(|own| own.place != operation.place));
                    }
                    None => candidates.push(Located {
                        operation: Some(operation.clone()),
                        ..candidate
                    }),
                }
            }
        }
        candidates.sort_by_key(|candidate| {
            let rank = js_analysis::omission::rank(&candidate.found);
            let operation = candidate.operation.as_ref();
            let is_named = operation.is_some_and(|operation| operation.is_named);
            (
                candidate.found.is_partial,
                candidate.is_foreign,
                !is_named,
                rank,
            )
        });
        found.explained.candidates = candidates;
        found
    }

    /// Whether a line of a file is one of more than two thousand characters that no source map explains.
    pub(crate) fn is_minified(&self, analysed: &Analysed, place: PlaceInScript) -> bool {
        const LONG: usize = 2000;
        let own = analysed.scripts.get(place.script as usize);
        let Some(text) = own.and_then(|own| self.texts.get(own.text)) else {
            return false;
        };
        let at = own.map_or(0, |own| own.script.span.start.0) + place.at.0;
        let position = text.mapped.position_of(ByteOffset(at));
        let line = text.mapped.original_line(position.line);
        text.source_map.is_none() && line.is_some_and(|line| line.len() > LONG)
    }

    /// Where the scripts end that are known, for messages.
    pub(crate) fn script_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.latest.keys().cloned().collect();
        names.sort();
        names
    }
}

fn shortened(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    if one_line.chars().count() <= LONGEST_TEXT {
        return one_line;
    }
    let kept: String = one_line.chars().take(LONGEST_TEXT).collect();
    format!("{kept}…")
}

/// Spans in code units of the running text behind `base`, in bytes of the author's text.
fn in_original(text: &Text, base: ByteOffset, spans: &[CountedSpan]) -> Option<Vec<CountedSpan>> {
    let running = text.mapped.rewritten.get(base.index()..)?;
    let mut units: Vec<u32> = spans
        .iter()
        .flat_map(|counted| [counted.span.start.0, counted.span.end.0])
        .collect();
    units.sort_unstable();
    units.dedup();
    let mut places = Vec::with_capacity(units.len());
    let mut wanted = units.iter().copied().peekable();
    let mut unit = 0;
    let mut take = |unit: u32, byte: usize, places: &mut Vec<(u32, ByteOffset)>| {
        while wanted.peek().is_some_and(|&next| next <= unit) {
            if let Some(next) = wanted.next() {
                let at = ByteOffset::from_index(base.index() + byte);
                places.push((next, text.mapped.map().to_original(at)));
            }
        }
    };
    for (byte, character) in running.char_indices() {
        take(unit, byte, &mut places);
        unit += u32::from(character.len_utf16() == 2) + 1;
    }
    take(u32::MAX, running.len(), &mut places);
    let find = |unit: u32| {
        let index = places.binary_search_by_key(&unit, |(unit, _)| *unit).ok()?;
        places.get(index).map(|(_, at)| *at)
    };
    spans
        .iter()
        .map(|counted| {
            Some(CountedSpan {
                span: ByteSpan {
                    start: find(counted.span.start.0)?,
                    end: find(counted.span.end.0)?,
                },
                ..*counted
            })
        })
        .collect()
}

impl Text {
    /// What is needed to find places in it.
    fn job(&self, number: usize) -> Job<'_> {
        Job {
            url: &self.url,
            source: &self.mapped.original,
            lines: LineIndex::new(&self.mapped.original),
            source_map: self.source_map.as_ref(),
            capture: false,
            kind: self.kind,
            text: number,
            outer: None,
            edits: js_analysis::edits::Edits::default(),
            scripts: Vec::new(),
            in_templates: Vec::new(),
            seen: SeenScripts::default(),
            names: None,
        }
    }
}

impl SourceLocation {
    /// As it is said.
    pub(crate) fn in_words(&self) -> String {
        let file = self.location.url.rsplit('/').next().unwrap_or_default();
        let position = HumanPosition {
            line: self.location.line,
            column: self.location.column,
        };
        format!("{file}:{}", position.line)
    }
}
