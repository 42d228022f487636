//! Which scripts a text holds, and their rewriting.

use js_analysis::Goal;
use js_analysis::edits::Edits;
use js_analysis::html;
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::rewrite::{NamesAsWritten, OriginalNames, RequestedPoint, RewriteError, Script};
use querypoint::point::{Hit, ReproductionPoint};
use querypoint::query::{CodeLine, Event};

use super::conditions;
use super::job::{Job, Part, join, merged};
use super::map_names::MapNames;
use super::seen_scripts::{PointSearch, SeenScripts};
use super::{ResponseKind, Sources};

impl Sources {
    pub(super) fn script(&mut self, job: &mut Job<'_>) {
        self.sees(job);
        if let Some(map) = job.source_map {
            for source in map.sources() {
                job.seen.search.seen.add(&source.url);
            }
        }
        let whole = ByteSpan {
            start: ByteOffset(0),
            end: ByteOffset::from_index(job.source.len()),
        };
        let goal = if self.is_module(job.url) {
            Goal::Module
        } else {
            Goal::Script
        };
        match self.part(job, whole, job.source, goal, None) {
            Ok(part) => job.insert(part),
            Err(first) if goal == Goal::Script => {
                // Nothing told that it is a module, but it may be one.
                match self.part(job, whole, job.source, Goal::Module, None) {
                    Ok(part) => job.insert(part),
                    Err(_) => self.cannot_read(job, whole, first),
                }
            }
            Err(error) => self.cannot_read(job, whole, error),
        }
    }

    /// A text has come in which the reproduction point may be.
    fn sees(&self, job: &mut Job<'_>) {
        let search = &mut job.seen.search;
        search.seen.add(job.url);
        if matches!(self.at, ReproductionPoint::Location { .. }) && self.at.matches_url(job.url) {
            search.matching.add(job.url);
        }
    }

    /// A script of a text stays as it is.
    fn cannot_read(&self, job: &mut Job<'_>, span: ByteSpan, error: RewriteError) {
        let reason = job.why_not(span, error);
        if let ReproductionPoint::Location { line, .. } = &self.at
            && self.at.matches_url(job.url)
            && job.has_line(span, line.saturating_sub(1))
        {
            job.seen.search.unread.get_or_insert(reason.clone());
        }
        job.seen.unhooked_script(job.url, reason);
    }

    pub(super) fn document(&mut self, job: &mut Job<'_>) {
        self.sees(job);
        let mut base = url::Url::parse(job.url).ok();
        let mark = format!("{}-", self.collection.prefix);
        for script in html::find_scripts(job.source) {
            match script {
                html::HtmlScript::Inline(inline) => {
                    let goal = match inline.kind {
                        html::ScriptKind::Classic => Goal::Script,
                        html::ScriptKind::Module => Goal::Module,
                        _ => continue,
                    };
                    let span = inline.content;
                    let Some(content) = job.source.get(span.start.index()..span.end.index()) else {
                        continue;
                    };
                    if inline.in_template {
                        job.in_templates.push(span);
                    }
                    match self.part(job, span, content, goal, None) {
                        Ok(part) => job.insert(part),
                        Err(error) => self.cannot_read(job, span, error),
                    }
                }
                html::HtmlScript::External(external) => {
                    if let (Some(charset), Some(address)) =
                        (&external.charset, join(base.as_ref(), &external.src))
                    {
                        self.charsets.insert(address, charset.clone());
                    }
                    if let Some(address) = join(base.as_ref(), &external.src) {
                        match external.kind {
                            html::ScriptKind::Module => self.modules.insert(address),
                            _ => self.of_documents.insert(address),
                        };
                    }
                    job.disarm(&external.integrity, &mark);
                }
                html::HtmlScript::Preload(preload) => {
                    if preload.kind == html::ScriptKind::Module
                        && let Some(address) = join(base.as_ref(), &preload.href)
                    {
                        self.modules.insert(address);
                    }
                    job.disarm(&preload.integrity, &mark);
                }
                html::HtmlScript::EventHandler(handler) => self.event_handler(job, &handler),
                // The agent has them rewritten where a link is followed, or as they are parsed.
                html::HtmlScript::JavaScriptUrl(_) | html::HtmlScript::Srcdoc(_) => {}
                html::HtmlScript::Foreign(foreign) => self.foreign_script(job, &foreign),
                html::HtmlScript::BaseHref(attribute) => {
                    if let Some(joined) = join(base.as_ref(), &attribute.value.decoded) {
                        base = url::Url::parse(&joined).ok();
                    }
                }
            }
        }
    }

    /// A script inside SVG or MathML, whose text is markup.
    fn foreign_script(&mut self, job: &mut Job<'_>, foreign: &html::ForeignScript) {
        let goal = match foreign.kind {
            html::ScriptKind::Classic => Goal::Script,
            html::ScriptKind::Module => Goal::Module,
            _ => return,
        };
        // One with an address comes in a response.
        if foreign.href.is_some() || foreign.content.is_none() {
            return;
        }
        let code = foreign.code(job.source);
        let content = code.and_then(|code| {
            job.source
                .get(code.span.start.index()..code.span.end.index())
        });
        let (Some(code), Some(content)) = (code, content) else {
            let reason = "a script inside SVG or MathML is not rewritten, because it is not written as it is read";
            return job.seen.unhooked_script(job.url, reason);
        };
        let part = match self.part(job, code.span, content, goal, None) {
            Ok(part) => part,
            Err(error) => return self.cannot_read(job, code.span, error),
        };
        let mut edits = Edits::default();
        for (start, deleted, text) in &part.edits {
            edits.substitute(*start, *deleted, text);
        }
        if code.may_become(&edits.apply(content).0) {
            job.insert(part);
        } else {
            let reason = "a script inside SVG or MathML is not rewritten, because it would not be read as it would be \
                written";
            job.seen.unhooked_script(job.url, reason);
        }
    }

    fn event_handler(&mut self, job: &mut Job<'_>, handler: &html::EventHandler) {
        let value = &handler.value;
        let (raw, decoded) = (value.raw, &value.decoded);
        let mut part = match self.part(job, raw, decoded, Goal::EventHandler, Some(value)) {
            Ok(part) => part,
            Err(error) => {
                let reason = format!("the attribute {} is {error}", handler.name);
                job.seen.unhooked_script(job.url, reason);
                return;
            }
        };
        let decoded: Vec<html::TextEdit> = std::mem::take(&mut part.edits)
            .into_iter()
            .map(|(start, deleted, replacement)| html::TextEdit {
                span: ByteSpan {
                    start,
                    end: ByteOffset(start.0 + deleted),
                },
                replacement,
            })
            .collect();
        let decoded = merged(decoded);
        match value.edits(job.source, &decoded) {
            Ok(edits) => {
                for edit in edits {
                    let deleted = edit.span.end.0 - edit.span.start.0;
                    job.edits
                        .substitute(edit.span.start, deleted, &edit.replacement);
                }
                for site in &mut part.sites {
                    site.at = value.raw_offset(site.at).unwrap_or(value.raw.start);
                }
                part.shift = 0;
                job.take(part, &mut self.sites);
            }
            Err(error) => {
                let reason = format!("the attribute {} cannot be edited: {error}", handler.name);
                job.seen.unhooked_script(job.url, reason);
            }
        }
    }

    /// Rewrites one script of a text.
    pub(super) fn part(
        &mut self,
        job: &Job<'_>,
        span: ByteSpan,
        content: &str,
        goal: Goal,
        attribute: Option<&html::AttributeValue>,
    ) -> Result<Part, RewriteError> {
        let script_number = self.next_script;
        let first_site = ByteOffset::from_index(self.sites.len()).0 + 1;
        let names = MapNames::new(job.source_map, job.source, &job.lines);
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let mut search = PointSearch::default();
        let parsed = self.parsed.clone();
        let recorder = self.recorder.clone();
        let mut part = parsed.with(content, goal, |script| {
            if let Some(recorder) = &recorder {
                return self.logged_part(
                    recorder,
                    job,
                    script,
                    (goal, span, content),
                    attribute,
                    names,
                );
            }
            let mut points = self.points(job, span, attribute, script, &mut search);
            if attribute.is_none() {
                points.extend(self.counted_lines(job, span, script));
            }
            let mut instrumentation =
                self.collection
                    .instrumentation(script_number, first_site, job.capture, points);
            instrumentation.in_document =
                job.kind == ResponseKind::Document || self.of_documents.contains(job.url);
            instrumentation.outer.clone_from(&job.outer);
            // The engine's positions in attributes are not those of the document: no frame is known to be there.
            let in_text = attribute.is_none().then_some((job.url, span));
            instrumentation.conditions =
                self.conditions(in_text, script, &instrumentation, names)?;
            let blocks = self.try_blocks(in_text, script, &instrumentation, names)?;
            instrumentation.try_blocks = blocks.iter().map(|(block, _)| *block).collect();
            instrumentation.try_blocks.dedup();
            instrumentation.activations = self.activations(in_text);
            let mut rewritten = script.rewrite(&instrumentation, names)?;
            if attribute.is_none() {
                for (at, text) in self.flip_edits(job.url, span) {
                    rewritten.edits.insert(at, &text);
                }
            }
            let asked = match self.is_surveyed {
                true => self.asked(script, &instrumentation, names, &rewritten.sites, &blocks)?,
                false => Vec::new(),
            };
            Ok::<Part, RewriteError>(Part {
                conditions: conditions::texts(content, &rewritten.sites),
                asked,
                sites: rewritten.sites,
                number: script_number,
                unhooked: rewritten.unhooked.len(),
                reasons: rewritten
                    .unhooked
                    .iter()
                    .map(|site| (site.at, site.reason))
                    .collect(),
                edits: rewritten.edits.into_list(),
                imported: script.imported_specifiers(),
                linked: script.linked_specifiers(),
                span,
                shift: span.start.0,
                goal,
                search,
                inner: SeenScripts::default(),
                names: job
                    .source_map
                    .is_some()
                    .then(|| script.original_scopes(names)),
            })
        })??;
        self.next_script += 1;
        if let Ok(base) = url::Url::parse(job.url) {
            for specifier in &part.imported {
                let relative = specifier.starts_with('.') || specifier.starts_with('/');
                if let Ok(address) = if relative {
                    base.join(specifier)
                } else {
                    url::Url::parse(specifier)
                } {
                    self.modules.insert(address.into());
                }
            }
        }
        if attribute.is_none() {
            self.keep_sites(job.text, &part);
        }
        self.link_with_data(job, &mut part);
        Ok(part)
    }

    fn keep_sites(&mut self, text: usize, part: &Part) {
        self.sites.extend(part.entries(text, part.shift));
    }

    /// The lines of this script that trace queries count.
    fn counted_lines(
        &self,
        job: &Job<'_>,
        span: ByteSpan,
        script: &Script<'_>,
    ) -> Vec<RequestedPoint> {
        let counted = self.collection.traces().iter().filter_map(|trace| {
            let Event::Line(CodeLine { file, line, column }) = &trace.event else {
                return None;
            };
            let at = ReproductionPoint::Location {
                file: file.clone(),
                line: *line,
                column: *column,
                hit: Hit(-1),
            };
            let line = line.saturating_sub(1);
            let column = column.map(|column| column.saturating_sub(1));
            let place = if job.is_line_of_text(&at, line) {
                job.place_on_line(span, &script.code_places(), line, column)
            } else {
                job.place_in_source(&at, script, line, column, &mut PointSearch::default())
            };
            Some(RequestedPoint {
                place: place?,
                dependents: Vec::new(),
                slot: Some(trace.slot),
            })
        });
        counted.collect()
    }

    /// The places in this script that the reproduction point means.
    fn points(
        &mut self,
        job: &Job<'_>,
        span: ByteSpan,
        attribute: Option<&html::AttributeValue>,
        script: &Script<'_>,
        search: &mut PointSearch,
    ) -> Vec<RequestedPoint> {
        let at = self.at.clone();
        let ReproductionPoint::Location { line, column, .. } = &at else {
            return Vec::new();
        };
        let (line0, column0) = (
            line.saturating_sub(1),
            column.map(|column| column.saturating_sub(1)),
        );
        let place = if job.is_line_of_text(&at, line0) {
            search.matching.add(job.url);
            let places = script.code_places();
            let found = match attribute {
                Some(value) => job.place_in_attribute(value, &places, line0, column0),
                None => job.place_on_line(span, &places, line0, column0),
            };
            if found.is_none() && attribute.is_none() {
                search.nearest = job.nearest_lines(span, &places, line0);
            }
            found
        } else {
            job.place_in_source(&self.at, script, line0, column0, search)
        };
        let Some(place) = place else {
            return Vec::new();
        };
        search.places += 1;
        self.attribute_point = attribute
            .and_then(|value| value.raw_offset(place.at))
            .map(|at| (job.text, at));
        let in_text = (job.text, ByteOffset(place.at.0 + span.start.0));
        self.point_places
            .push(self.attribute_point.unwrap_or(in_text));
        vec![RequestedPoint {
            place,
            dependents: self.collection.root_dependents.clone(),
            slot: None,
        }]
    }
}
