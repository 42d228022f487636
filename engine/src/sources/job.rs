//! One text while it is being rewritten: its edits, what was seen in it, the places that a line means.

use std::sync::Arc;

use js_analysis::edits::Edits;
use js_analysis::html;
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition, LineIndex, Utf16Position};
use js_analysis::rewrite::{
    CodePlaces, OriginalScopes, OuterScope, PointPlace, RewriteError, Script,
};
use js_analysis::source_map::{Generated, SourceMap};
use js_analysis::{Goal, SyntaxError};
use querypoint::point::ReproductionPoint;

use super::seen_scripts::{PointSearch, SeenScripts};
use super::{ConditionText, ResponseKind, ScriptIn, SiteEntry};

/// One text being rewritten.
pub(super) struct Job<'a> {
    pub(super) url: &'a str,
    pub(super) source: &'a str,
    pub(super) lines: LineIndex,
    pub(super) source_map: Option<&'a SourceMap>,
    pub(super) capture: bool,
    pub(super) kind: ResponseKind,
    pub(super) text: usize,
    /// What it sees of the code around, where it was given to `eval`.
    pub(super) outer: Option<Arc<OuterScope>>,
    pub(super) edits: Edits,
    pub(super) scripts: Vec<ScriptIn>,
    /// Where those are that run where a copy of a template is inserted.
    pub(super) in_templates: Vec<ByteSpan>,
    pub(super) seen: SeenScripts,
    pub(super) names: Option<OriginalScopes>,
}

/// One script of it, rewritten.
pub(super) struct Part {
    pub(super) edits: Vec<(ByteOffset, u32, String)>,
    pub(super) sites: Vec<js_analysis::rewrite::Site>,
    pub(super) unhooked: usize,
    pub(super) reasons: Vec<(ByteOffset, &'static str)>,
    pub(super) imported: Vec<String>,
    /// Specifiers of modules that it is linked with, and where their literals are.
    pub(super) linked: Vec<(ByteSpan, String)>,
    pub(super) span: ByteSpan,
    pub(super) shift: u32,
    pub(super) goal: Goal,
    /// Its number among all scripts.
    pub(super) number: u32,
    /// The conditions of its sites, by index.
    pub(super) conditions: Vec<Option<ConditionText>>,
    /// The queries that its sites are for, by index of the site; empty where that is not asked.
    pub(super) asked: Vec<Vec<usize>>,
    pub(super) search: PointSearch,
    /// What was seen in scripts that are in its specifiers.
    pub(super) inner: SeenScripts,
    pub(super) names: Option<OriginalScopes>,
}

impl Part {
    /// Its sites, as those of the text with the number `text`, in which it begins at `shift`.
    pub(super) fn entries(&self, text: usize, shift: u32) -> impl Iterator<Item = SiteEntry> {
        let conditions = self.conditions.iter().cloned();
        let asked = self.asked.iter().cloned();
        let asked = asked.chain(std::iter::repeat(Vec::new()));
        let sites = self.sites.iter().zip(conditions).zip(asked);
        sites.map(move |((site, condition), asked)| SiteEntry {
            text,
            at: ByteOffset(site.at.0 + shift),
            function: site.function.clone(),
            anchor: site.anchor,
            calls: site.calls.clone(),
            making: site.making.clone(),
            condition,
            kind: site.kind,
            asked,
        })
    }
}

impl Job<'_> {
    pub(super) fn insert(&mut self, mut part: Part) {
        self.names = part.names.take();
        for (start, deleted, text) in &part.edits {
            self.edits
                .substitute(ByteOffset(start.0 + part.shift), *deleted, text);
        }
        self.account(&part);
    }

    pub(super) fn take(&mut self, part: Part, sites: &mut Vec<SiteEntry>) {
        let text = self.text;
        sites.extend(part.entries(text, 0));
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
        self.seen.add(&part.inner);
        self.scripts.push(ScriptIn {
            span: part.span,
            goal: part.goal,
            number: part.number,
        });
        self.seen.search.add(&part.search);
    }

    /// Lets the browser pass over digests, which are not those of rewritten scripts. The agent takes the marks away.
    pub(super) fn disarm(&mut self, attributes: &[ByteSpan], mark: &str) {
        for &attribute in attributes {
            for edit in html::integrity_edits(self.source, attribute, mark) {
                self.edits.substitute(edit.span.start, 0, &edit.replacement);
            }
        }
    }

    /// Why the script at `span` stays as it is: where, in this text.
    pub(super) fn why_not(&self, span: ByteSpan, mut error: RewriteError) -> String {
        if let RewriteError::Syntax(SyntaxError { position, .. }) = &mut error {
            let start = self.lines.position(self.source, span.start);
            if position.line == 1 {
                position.column += start.column;
            }
            position.line += start.line;
        }
        error.to_string()
    }

    /// Whether a line of this text, from 0, is one of the script at `span`.
    pub(super) fn has_line(&self, span: ByteSpan, line: u32) -> bool {
        let line = self.lines.line_span(line);
        line.is_some_and(|line| span.start < line.end && line.start < span.end)
    }

    /// The place that a line of this text means, in the script at `span`.
    pub(super) fn place_on_line(
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
                // The indentation is the line.
                let before = self.source.get(in_text.start.index()..offset.index())?;
                let rest = self.source.get(offset.index()..in_text.end.index())?;
                let is_blank = |text: &str| text.chars().all(char::is_whitespace);
                match is_blank(before) && rest.starts_with(char::is_whitespace) && !is_blank(rest) {
                    true => places.on_line(in_script),
                    false => None,
                }
                .or_else(|| places.at_column(in_script, within(offset)))
            }
        }
    }

    /// The place that a line of this text means, in an event-handler attribute.
    pub(super) fn place_in_attribute(
        &self,
        value: &html::AttributeValue,
        places: &CodePlaces,
        line: u32,
        column: Option<u32>,
    ) -> Option<PointPlace> {
        let line_span = self.lines.line_span(line)?;
        let raw = |decoded: ByteOffset| value.raw_offset(decoded);
        let decoded = (0..=value.decoded.len()).map(ByteOffset::from_index);
        let mut on_line = decoded
            .filter(|it| raw(*it).is_some_and(|raw| line_span.start <= raw && raw < line_span.end));
        let start = on_line.next()?;
        let end = on_line.next_back().unwrap_or(start);
        let in_value = ByteSpan {
            start,
            end: ByteOffset(end.0 + 1),
        };
        let Some(column) = column else {
            return places.on_line(in_value);
        };
        let position = Utf16Position { line, column };
        let asked = self.lines.offset(self.source, position)?;
        if raw(end).is_some_and(|end| end < asked) {
            return None;
        }
        let decoded = (start.0..=end.0).map(ByteOffset);
        let mut passed = decoded.filter(|it| raw(*it).is_some_and(|raw| raw <= asked));
        places.at_column(in_value, passed.next_back().unwrap_or(start))
    }

    /// Whether a line of this text is meant, and not one of an original source: sources may have the name of the text
    /// that was made of them, and their author means those. Of a line that such a source has not, that of the text.
    pub(super) fn is_line_of_text(&self, at: &ReproductionPoint, line: u32) -> bool {
        let Some(map) = self.source_map.filter(|_| at.matches_url(self.url)) else {
            return at.matches_url(self.url);
        };
        let mut sources = map.sources().iter();
        let source = sources.find(|source| at.matches_url(&source.url));
        source.is_some_and(|source| {
            let text = map.source_with_lines(&source.url);
            text.is_some_and(|(_, lines)| lines.line_span(line).is_none())
        }) || source.is_none()
    }

    /// The place that a line of an original source means, found through the source map.
    pub(super) fn place_in_source(
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
        search.matching.add(&source.url);
        let mut generated = map.generated(&is_source, line);
        generated.sort_by_key(|place| (place.original.column, place.generated));
        if let Some(column) = column {
            // A column between two mappings is of the one before it.
            let begun = generated.partition_point(|place| place.original.column <= column);
            let own = begun.checked_sub(1).and_then(|last| generated.get(last));
            let first = own.or(generated.first()).map(|place| place.original.column);
            generated.retain(|place| Some(place.original.column) == first);
        }
        let places = script.code_places();
        let offset = |place: &Generated| self.lines.offset(self.source, place.generated);
        // Some tools map what is before a statement, too: white space, and comments of their own.
        let code = |at: ByteOffset| {
            let rest = self.source.get(at.index()..)?;
            Some(ByteOffset::from_index(
                at.index() + rest.len() - without_space(rest).len(),
            ))
        };
        let mut exact = generated.iter().filter_map(offset);
        let exact = exact.find_map(|offset| {
            places
                .exactly_at(offset)
                .or_else(|| places.exactly_at(code(offset)?))
        });
        let found = exact.or_else(|| {
            generated.first().and_then(|first| {
                let span = self.lines.line_span(first.generated.line)?;
                places.at_column(span, offset(first)?)
            })
        });
        if found.is_none() {
            // A map may have the line, where a brace is that closes something.
            search.nearest = map
                .nearest_lines(&is_source, line, 3)
                .into_iter()
                .filter(|&near| near != line)
                .take(2)
                .map(|line| line + 1)
                .collect();
        }
        found
    }

    /// Lines that have code, 1-based, nearest first.
    pub(super) fn nearest_lines(&self, span: ByteSpan, places: &CodePlaces, line: u32) -> Vec<u32> {
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

/// A text from its first word on.
fn without_space(text: &str) -> &str {
    let text = text.trim_start();
    let behind = text
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"));
    match behind {
        Some((_, rest)) => without_space(rest),
        None => text,
    }
}

/// Edits at one place, put together: the document's attribute wants them apart.
pub(super) fn merged(edits: Vec<html::TextEdit>) -> Vec<html::TextEdit> {
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

pub(super) fn join(base: Option<&url::Url>, address: &str) -> Option<String> {
    match base {
        Some(base) => base.join(address).ok().map(Into::into),
        None => url::Url::parse(address).ok().map(Into::into),
    }
}
