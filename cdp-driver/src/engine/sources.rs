//! The texts of an execution: what the author wrote, what the browser runs, and the way back.
//!
//! A text is rewritten once and kept: the next execution gets the same text with the same site numbers, so that
//! the events of two executions can be compared by number.

use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use js_analysis::edits::{Edits, MappedText};
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition, LineIndex, Utf16Position};
use js_analysis::rewrite::{
    CodePlaces, NamesAsWritten, OriginalNames, OriginalScopes, PointPlace, RequestedPoint,
    RewriteError, Script, SiteKind, with_script,
};
use js_analysis::source_map::SourceMap;
use js_analysis::{Goal, html};
use querypoint::answer::{BlindSpot, GeneratedLocation, Location};
use querypoint::point::ReproductionPoint;

use super::collection::Collection;

/// One text that the browser got, with the way back to what its author wrote.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) url: String,
    pub(super) mapped: MappedText,
    source_map: Option<SourceMap>,
    /// The scripts in it: one, or those of a document.
    scripts: Vec<(ByteSpan, Goal)>,
    /// The author's names, where a source map tells them.
    names: Option<OriginalScopes>,
}

/// A site, as an execution's events name it.
#[derive(Clone, Debug)]
pub(super) struct SiteEntry {
    text: usize,
    at: ByteOffset,
    pub(super) kind: SiteKind,
    pub(super) function: Option<String>,
}

/// What was seen of the reproduction point's file.
#[derive(Clone, Debug, Default)]
pub(super) struct PointSearch {
    /// Addresses (or original sources) that match the file that was named.
    pub(super) matching: Vec<String>,
    /// How many places were found in them.
    pub(super) places: usize,
    /// Lines that have code, nearest first, where the named one has none.
    pub(super) nearest: Vec<u32>,
    /// All scripts seen, for the message when none matches.
    pub(super) seen: Vec<String>,
}

/// What one execution saw of the page's scripts.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) scripts: u32,
    pub(super) hooked: u32,
    pub(super) unhooked_sites: u32,
    pub(super) blind_spots: Vec<BlindSpot>,
    pub(super) search: PointSearch,
    pub(super) rewrite_ms: f64,
}

impl Seen {
    pub(super) fn blind(&mut self, url: &str, reason: impl Into<String>) {
        let spot = BlindSpot {
            url: url.to_owned(),
            reason: reason.into(),
        };
        if !self.blind_spots.contains(&spot) {
            self.blind_spots.push(spot);
        }
    }

    /// A script that runs as its author wrote it.
    pub(super) fn unhooked_script(&mut self, url: &str, reason: impl Into<String>) {
        self.scripts += 1;
        self.blind(url, reason);
    }
}

/// All texts seen, over all executions of one question.
#[derive(Debug)]
pub(super) struct Sources {
    collection: Arc<Collection>,
    at: ReproductionPoint,
    texts: Vec<Text>,
    latest: HashMap<String, usize>,
    sites: Vec<SiteEntry>,
    kept: HashMap<(String, u64, bool), Kept>,
    modules: HashSet<String>,
    next_script: u32,
}

#[derive(Clone, Debug)]
struct Kept {
    text: usize,
    seen: Seen,
}

/// How a response is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseKind {
    Document,
    Script,
}

impl Sources {
    pub(super) fn new(collection: Arc<Collection>, at: ReproductionPoint) -> Self {
        Self {
            collection,
            at,
            texts: Vec::new(),
            latest: HashMap::new(),
            // Site numbers begin at 1.
            sites: Vec::new(),
            kept: HashMap::new(),
            modules: HashSet::new(),
            next_script: 1,
        }
    }

    /// Whether a script of this address is known to be a module.
    pub(super) fn is_module(&self, url: &str) -> bool {
        self.modules.contains(url)
    }

    /// Rewrites one response, or takes what it became before; adds what it saw to `seen`. `None`: the response
    /// stays as it is.
    pub(super) fn rewrite(
        &mut self,
        url: &str,
        source: &str,
        kind: ResponseKind,
        source_map: Option<SourceMap>,
        capture: bool,
        seen: &mut Seen,
    ) -> Option<&str> {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let key = (url.to_owned(), hasher.finish(), capture);
        let kept = match self.kept.get(&key) {
            Some(kept) => kept.clone(),
            None => {
                let kept = self.rewrite_anew(url, source, kind, source_map, capture);
                self.kept.insert(key, kept.clone());
                kept
            }
        };
        seen.scripts += kept.seen.scripts;
        seen.hooked += kept.seen.hooked;
        seen.unhooked_sites += kept.seen.unhooked_sites;
        for spot in &kept.seen.blind_spots {
            seen.blind(&spot.url, spot.reason.clone());
        }
        let search = &kept.seen.search;
        seen.search.matching.extend(search.matching.iter().cloned());
        seen.search.places += search.places;
        seen.search.nearest.extend(&search.nearest);
        seen.search.seen.extend(search.seen.iter().cloned());
        self.latest.insert(url.to_owned(), kept.text);
        let text = self.texts.get(kept.text)?;
        (kept.seen.hooked > 0 || text.mapped.rewritten != text.mapped.original)
            .then_some(text.mapped.rewritten.as_str())
    }

    fn rewrite_anew(
        &mut self,
        url: &str,
        source: &str,
        kind: ResponseKind,
        source_map: Option<SourceMap>,
        capture: bool,
    ) -> Kept {
        let text = self.texts.len();
        let mut job = Job {
            url,
            source,
            lines: LineIndex::new(source),
            source_map: source_map.as_ref(),
            capture,
            text,
            edits: Edits::default(),
            scripts: Vec::new(),
            seen: Seen::default(),
            names: None,
        };
        match kind {
            ResponseKind::Script => self.script(&mut job),
            ResponseKind::Document => self.document(&mut job),
        }
        let Job {
            edits,
            scripts,
            seen,
            names,
            ..
        } = job;
        let (rewritten, map) = edits.apply(source);
        self.texts.push(Text {
            url: url.to_owned(),
            mapped: MappedText::new(source.to_owned(), rewritten, map),
            source_map,
            scripts,
            names,
        });
        Kept { text, seen }
    }

    fn script(&mut self, job: &mut Job<'_>) {
        job.seen.search.seen.push(job.url.to_owned());
        if let Some(map) = job.source_map {
            let sources = map.sources().iter().map(|source| source.url.clone());
            job.seen.search.seen.extend(sources);
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
        match self.part(job, whole, job.source, goal) {
            Ok(part) => job.insert(part),
            Err(first) if goal == Goal::Script => {
                // Nothing told that it is a module, but it may be one.
                match self.part(job, whole, job.source, Goal::Module) {
                    Ok(part) => job.insert(part),
                    Err(_) => job.seen.unhooked_script(job.url, first.to_string()),
                }
            }
            Err(error) => job.seen.unhooked_script(job.url, error.to_string()),
        }
    }

    fn document(&mut self, job: &mut Job<'_>) {
        job.seen.search.seen.push(job.url.to_owned());
        let mut base = url::Url::parse(job.url).ok();
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
                    match self.part(job, span, content, goal) {
                        Ok(part) => job.insert(part),
                        Err(error) => job.seen.unhooked_script(job.url, error.to_string()),
                    }
                }
                html::HtmlScript::External(external) => {
                    if external.kind == html::ScriptKind::Module
                        && let Some(address) = join(base.as_ref(), &external.src)
                    {
                        self.modules.insert(address);
                    }
                    job.remove(&external.integrity);
                }
                html::HtmlScript::Preload(preload) => {
                    if preload.kind == html::ScriptKind::Module
                        && let Some(address) = join(base.as_ref(), &preload.href)
                    {
                        self.modules.insert(address);
                    }
                    job.remove(&preload.integrity);
                }
                html::HtmlScript::EventHandler(handler) => self.event_handler(job, &handler),
                html::HtmlScript::JavaScriptUrl(_) => {
                    job.seen
                        .unhooked_script(job.url, "a javascript: URL is not rewritten");
                }
                html::HtmlScript::Srcdoc(_) => {
                    job.seen
                        .blind(job.url, "scripts in a srcdoc attribute are not rewritten");
                }
                html::HtmlScript::Foreign(_) => {
                    job.seen
                        .unhooked_script(job.url, "a script inside SVG or MathML is not rewritten");
                }
                html::HtmlScript::BaseHref(attribute) => {
                    if let Some(joined) = join(base.as_ref(), &attribute.value.decoded) {
                        base = url::Url::parse(&joined).ok();
                    }
                }
            }
        }
    }

    fn event_handler(&mut self, job: &mut Job<'_>, handler: &html::EventHandler) {
        let value = &handler.value;
        let mut part = match self.part(job, value.raw, &value.decoded, Goal::EventHandler) {
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
    fn part(
        &mut self,
        job: &Job<'_>,
        span: ByteSpan,
        content: &str,
        goal: Goal,
    ) -> Result<Part, RewriteError> {
        let script_number = self.next_script;
        let first_site = ByteOffset::from_index(self.sites.len()).0 + 1;
        let names = MapNames::new(job.source_map, job.source, &job.lines);
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let mut search = PointSearch::default();
        let part = with_script(content, goal, |script| {
            let points = self.points(job, span, goal, script, &mut search);
            let instrumentation =
                self.collection
                    .instrumentation(script_number, first_site, job.capture, points);
            let rewritten = script.rewrite(&instrumentation, names)?;
            Ok::<Part, RewriteError>(Part {
                sites: rewritten.sites,
                unhooked: rewritten.unhooked.len(),
                reasons: rewritten
                    .unhooked
                    .iter()
                    .map(|site| (site.at, site.reason))
                    .collect(),
                edits: rewritten.edits.into_list(),
                imported: script.imported_specifiers(),
                span,
                shift: span.start.0,
                goal,
                search,
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
        if goal != Goal::EventHandler {
            self.keep_sites(job.text, &part);
        }
        Ok(part)
    }

    fn keep_sites(&mut self, text: usize, part: &Part) {
        let shift = part.shift;
        self.sites.extend(part.sites.iter().map(|site| SiteEntry {
            text,
            at: ByteOffset(site.at.0 + shift),
            kind: site.kind,
            function: site.function.clone(),
        }));
    }

    /// The places in this script that the reproduction point means.
    fn points(
        &self,
        job: &Job<'_>,
        span: ByteSpan,
        goal: Goal,
        script: &Script<'_>,
        search: &mut PointSearch,
    ) -> Vec<RequestedPoint> {
        let ReproductionPoint::Location { line, column, .. } = &self.at else {
            return Vec::new();
        };
        if goal == Goal::EventHandler {
            return Vec::new();
        }
        let (line0, column0) = (
            line.saturating_sub(1),
            column.map(|column| column.saturating_sub(1)),
        );
        let place = if self.at.matches_url(job.url) {
            search.matching.push(job.url.to_owned());
            let places = script.code_places();
            let found = job.place_on_line(span, &places, line0, column0);
            if found.is_none() {
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
        vec![RequestedPoint {
            place,
            dependents: self.collection.root_dependents.clone(),
        }]
    }

    // ---- the way back ------------------------------------------------------------------------------------

    /// A site by its number.
    pub(super) fn site(&self, number: u32) -> Option<&SiteEntry> {
        self.sites.get((number as usize).checked_sub(1)?)
    }

    /// Where a site is, in its author's file.
    pub(super) fn site_location(&self, site: &SiteEntry) -> Option<Place> {
        let text = self.texts.get(site.text)?;
        Some(text.place(text.mapped.position_of(site.at)))
    }

    /// Where a position of the running text is, in its author's file.
    pub(super) fn place(&self, url: &str, running: Utf16Position) -> Place {
        match self.text_of(url) {
            Some(text) => text.place(text.mapped.original_position(running)),
            None => Place::unmapped(url, running),
        }
    }

    /// What the author called the function that a frame stands in; `None` if that is the name it runs under.
    pub(super) fn function_at(&self, url: &str, running: Utf16Position) -> Option<String> {
        let text = self.text_of(url)?;
        let at = text.mapped.original_offset(running)?;
        text.names.as_ref()?.function(at).map(str::to_owned)
    }

    /// What the author called the variable that runs as `name`, seen from a frame.
    pub(super) fn variable_at(
        &self,
        url: &str,
        running: Utf16Position,
        name: &str,
    ) -> Option<String> {
        let text = self.text_of(url)?;
        let at = text.mapped.original_offset(running)?;
        text.names.as_ref()?.variable(at, name).map(str::to_owned)
    }

    /// The first place inside which a running position lies, as an offset of the author's text.
    pub(super) fn text_of(&self, url: &str) -> Option<&Text> {
        self.texts.get(*self.latest.get(url)?)
    }

    /// What a debugger evaluates in a frame that stands at `running` of `url` to get the references numbered
    /// `dependents`.
    pub(super) fn context(
        &self,
        url: &str,
        running: Utf16Position,
        dependents: &[usize],
    ) -> String {
        let instrumentation = self.collection.instrumentation(0, 1, false, Vec::new());
        let global = || js_analysis::rewrite::global_context(&instrumentation, dependents);
        let Some(text) = self.text_of(url) else {
            return global();
        };
        let Some(offset) = text.mapped.original_offset(running) else {
            return global();
        };
        let inside = |(span, _): &&(ByteSpan, Goal)| span.start <= offset && offset <= span.end;
        let Some(&(span, goal)) = text.scripts.iter().find(inside) else {
            return global();
        };
        let Some(content) = text
            .mapped
            .original
            .get(span.start.index()..span.end.index())
        else {
            return global();
        };
        let lines = LineIndex::new(&text.mapped.original);
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, &lines);
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let at = ByteOffset(offset.0 - span.start.0);
        with_script(content, goal, |script| {
            script.context_at(at, &instrumentation, dependents, names)
        })
        .unwrap_or_else(|_| global())
    }

    /// The global context.
    pub(super) fn global_context(&self, dependents: &[usize]) -> String {
        let instrumentation = self.collection.instrumentation(0, 1, false, Vec::new());
        js_analysis::rewrite::global_context(&instrumentation, dependents)
    }
}

/// A place in a file, with what stands there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) location: Location,
    pub(super) source_line: Option<String>,
}

impl Place {
    fn unmapped(url: &str, position: Utf16Position) -> Self {
        let human = HumanPosition::from(position);
        Self {
            location: Location {
                url: url.to_owned(),
                line: human.line,
                column: human.column,
                generated: None,
            },
            source_line: None,
        }
    }
}

impl Text {
    /// The place of a position of the author's (or bundler's) text, through its source map if it has one.
    fn place(&self, position: Utf16Position) -> Place {
        let mut place = Place::unmapped(&self.url, position);
        place.source_line = self.mapped.original_line(position.line).map(cut_line);
        let Some(map) = &self.source_map else {
            return place;
        };
        let Some(original) = map.original(position) else {
            return place;
        };
        let human = HumanPosition::from(original.position);
        place.source_line = map
            .source_text(&original.source)
            .and_then(|text| text.lines().nth(original.position.line as usize))
            .map(cut_line);
        let generated = place.location;
        place.location = Location {
            url: original.source,
            line: human.line,
            column: human.column,
            generated: Some(GeneratedLocation {
                url: generated.url,
                line: generated.line,
                column: generated.column,
            }),
        };
        place
    }
}

/// Lines of minified files are cut: nobody reads them.
fn cut_line(line: &str) -> String {
    const LONGEST: usize = 500;
    line.chars().take(LONGEST).collect()
}

/// One text being rewritten.
struct Job<'a> {
    url: &'a str,
    source: &'a str,
    lines: LineIndex,
    source_map: Option<&'a SourceMap>,
    capture: bool,
    text: usize,
    edits: Edits,
    scripts: Vec<(ByteSpan, Goal)>,
    seen: Seen,
    names: Option<OriginalScopes>,
}

/// One script of it, rewritten.
struct Part {
    edits: Vec<(ByteOffset, u32, String)>,
    sites: Vec<js_analysis::rewrite::Site>,
    unhooked: usize,
    reasons: Vec<(ByteOffset, &'static str)>,
    imported: Vec<String>,
    span: ByteSpan,
    shift: u32,
    goal: Goal,
    search: PointSearch,
    names: Option<OriginalScopes>,
}

impl Job<'_> {
    fn insert(&mut self, mut part: Part) {
        self.names = part.names.take();
        for (start, deleted, text) in &part.edits {
            self.edits
                .substitute(ByteOffset(start.0 + part.shift), *deleted, text);
        }
        self.account(&part);
    }

    fn take(&mut self, part: Part, sites: &mut Vec<SiteEntry>) {
        let text = self.text;
        sites.extend(part.sites.iter().map(|site| SiteEntry {
            text,
            at: site.at,
            kind: site.kind,
            function: site.function.clone(),
        }));
        self.account(&part);
    }

    fn account(&mut self, part: &Part) {
        self.seen.scripts += 1;
        self.seen.hooked += 1;
        self.seen.unhooked_sites += ByteOffset::from_index(part.unhooked).0;
        for (at, reason) in &part.reasons {
            let at = ByteOffset(at.0 + part.shift);
            let position = HumanPosition::from(self.lines.position(self.source, at));
            self.seen
                .blind(self.url, format!("line {position} is not hooked: {reason}"));
        }
        self.scripts.push((part.span, part.goal));
        let search = &mut self.seen.search;
        search.matching.extend(part.search.matching.iter().cloned());
        search.places += part.search.places;
        search.nearest.extend(&part.search.nearest);
    }

    fn remove(&mut self, attributes: &[ByteSpan]) {
        for &attribute in attributes {
            let edit = html::attribute_removal(self.source, attribute);
            let deleted = edit.span.end.0 - edit.span.start.0;
            self.edits
                .substitute(edit.span.start, deleted, &edit.replacement);
        }
    }

    /// The place that a line of this text means, in the script at `span`.
    fn place_on_line(
        &self,
        span: ByteSpan,
        places: &CodePlaces,
        line: u32,
        column: Option<u32>,
    ) -> Option<PointPlace> {
        let in_text = self.lines.line_span(line)?;
        if in_text.end <= span.start || span.end < in_text.start {
            return None;
        }
        let within = |offset: ByteOffset| ByteOffset(offset.0.saturating_sub(span.start.0));
        let in_script = ByteSpan {
            start: within(in_text.start),
            end: within(in_text.end),
        };
        match column {
            None => places.on_line(in_script),
            Some(column) => {
                let position = Utf16Position { line, column };
                let offset = self.lines.offset(self.source, position)?;
                places.at_column(in_script, within(offset))
            }
        }
    }

    /// The place that a line of an original source means, found through the source map.
    fn place_in_source(
        &self,
        at: &ReproductionPoint,
        script: &Script<'_>,
        line: u32,
        column: Option<u32>,
        search: &mut PointSearch,
    ) -> Option<PointPlace> {
        let map = self.source_map?;
        let is_source = |source: &str| at.matches_url(source);
        let source = map.sources().iter().find(|source| is_source(&source.url))?;
        search.matching.push(source.url.clone());
        let mut generated = map.generated(&is_source, line);
        if let Some(column) = column {
            generated.retain(|place| place.original.column >= column);
        }
        generated.sort_by_key(|place| (place.original.column, place.generated));
        let places = script.code_places();
        let offsets: Vec<ByteOffset> = generated
            .iter()
            .filter_map(|place| self.lines.offset(self.source, place.generated))
            .collect();
        let exact = offsets.iter().find_map(|&offset| places.exactly_at(offset));
        let found = exact.or_else(|| {
            generated.first().and_then(|first| {
                let span = self.lines.line_span(first.generated.line)?;
                places.at_column(span, self.lines.offset(self.source, first.generated)?)
            })
        });
        if found.is_none() {
            search.nearest = map
                .nearest_lines(&is_source, line, 2)
                .into_iter()
                .map(|line| line + 1)
                .collect();
        }
        found
    }

    /// Lines that have code, 1-based, nearest first.
    fn nearest_lines(&self, span: ByteSpan, places: &CodePlaces, line: u32) -> Vec<u32> {
        let mut lines: Vec<u32> = places
            .offsets()
            .map(|at| {
                self.lines
                    .position(self.source, ByteOffset(at.0 + span.start.0))
                    .line
            })
            .collect();
        lines.sort_by_key(|&other| (other.abs_diff(line), other));
        lines.dedup();
        lines.truncate(2);
        lines.into_iter().map(|line| line + 1).collect()
    }
}

/// Edits at one place, put together: the document's attribute wants them apart.
fn merged(edits: Vec<html::TextEdit>) -> Vec<html::TextEdit> {
    let mut list: Vec<html::TextEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match list.last_mut() {
            Some(last) if last.span.end == edit.span.start => {
                last.span.end = edit.span.end;
                last.replacement.push_str(&edit.replacement);
            }
            _ => list.push(edit),
        }
    }
    list
}

fn join(base: Option<&url::Url>, address: &str) -> Option<String> {
    match base {
        Some(base) => base.join(address).ok().map(Into::into),
        None => url::Url::parse(address).ok().map(Into::into),
    }
}

/// The names that a source map's sources have where the bundler's text has shorter ones.
struct MapNames<'a> {
    map: &'a SourceMap,
    text: &'a str,
    lines: &'a LineIndex,
    source_lines: RefCell<HashMap<String, LineIndex>>,
    known: RefCell<HashMap<ByteOffset, Option<String>>>,
}

impl<'a> MapNames<'a> {
    fn new(map: Option<&'a SourceMap>, text: &'a str, lines: &'a LineIndex) -> Option<Self> {
        map.map(|map| Self {
            map,
            text,
            lines,
            source_lines: RefCell::default(),
            known: RefCell::default(),
        })
    }

    fn look_up(&self, at: ByteOffset) -> Option<String> {
        let position = self.lines.position(self.text, at);
        let original = self.map.original(position)?;
        if !original.exact {
            return None;
        }
        if original.name.is_some() {
            return original.name;
        }
        // Not every bundler writes names; the identifier stands in the source.
        let source = self.map.source_text(&original.source)?;
        let mut indices = self.source_lines.borrow_mut();
        let lines = indices
            .entry(original.source)
            .or_insert_with(|| LineIndex::new(source));
        let start = lines.offset(source, original.position)?.index();
        let rest = source.get(start..)?;
        let length = rest
            .find(|character: char| {
                !(character.is_alphanumeric() || character == '_' || character == '$')
            })
            .unwrap_or(rest.len());
        rest.get(..length)
            .filter(|name| {
                !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())
            })
            .map(str::to_owned)
    }
}

impl OriginalNames for MapNames<'_> {
    fn original_name(&self, at: ByteOffset) -> Option<String> {
        if let Some(known) = self.known.borrow().get(&at) {
            return known.clone();
        }
        let name = self.look_up(at);
        self.known.borrow_mut().insert(at, name.clone());
        name
    }
}
