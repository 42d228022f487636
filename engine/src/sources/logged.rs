//! Scripts that are rewritten for the event log, and what the log's tables have of them.

use std::collections::HashSet;
use std::sync::Arc;

use event_log::ids::{FunctionId, ScriptId, SiteId, StaticScopeId, VariableId};
use event_log::tables::{
    Function, FunctionKind, Site, SiteKind, StaticScope, StaticScopeKind, Tables, Variable,
};
use js_analysis::jsdoc::DocTypes;
use js_analysis::log::{
    LogOptions, LogRewritten, LoggedFunctionKind, LoggedKind, LoggedScopeKind, short_text,
};
use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition};
use js_analysis::rewrite::{Extents, OriginalNames, RewriteError, Script};
use js_analysis::{Goal, html};
use querypoint::session::libraries::{is_library_url, is_published};

use super::job::{Job, Part};
use super::seen_scripts::SeenScripts;
use super::{Home, PointSearch, Sources};
use crate::logging::{LoggedScript, LoggedSource, Recorder};

/// Longer texts of calls and conditions are cut: of them nobody sees the author's whole.
const LONGEST_TEXT: u32 = 512;

/// Where something is, in its author's file.
struct LoggedPosition {
    script: ScriptId,
    line: u32,
    column: u32,
}

impl Sources {
    /// From now on scripts tell what they do, and the log's tables have them.
    pub(crate) fn log_to(&mut self, recorder: Arc<Recorder>) {
        self.recorder = Some(recorder);
    }

    /// A script of a text, rewritten for the log.
    pub(super) fn logged_part(
        &self,
        recorder: &Recorder,
        job: &Job<'_>,
        script: &Script<'_>,
        (goal, span, content): (Goal, ByteSpan, &str),
        attribute: Option<&html::AttributeValue>,
        names: &dyn OriginalNames,
    ) -> Result<Part, RewriteError> {
        let mut part = Part {
            edits: Vec::new(),
            sites: Vec::new(),
            unhooked: 0,
            reasons: Vec::new(),
            imported: script.imported_specifiers(),
            linked: script.linked_specifiers(),
            span,
            shift: span.start.0,
            goal,
            number: self.next_script,
            conditions: Vec::new(),
            asked: Vec::new(),
            search: PointSearch::default(),
            inner: SeenScripts::default(),
            names: job
                .source_map
                .is_some()
                .then(|| script.original_scopes(names)),
        };
        let is_ignored = job.source_map.is_some_and(|map| {
            let mut sources = map.sources().iter();
            !map.sources().is_empty()
                && sources.all(|source| source.ignored || source.url.contains("/node_modules/"))
        });
        if !recorder.scripts.take(job.url, is_ignored) {
            part.reasons.push((
                ByteOffset(0),
                "its script is not among those that are recorded (--scripts)",
            ));
            return Ok(part);
        }
        let is_known = job.outer.as_ref().is_some_and(|outer| outer.is_logged());
        if let (
            Goal::Eval {
                in_function: true, ..
            },
            false,
        ) = (goal, is_known)
        {
            part.reasons.push((
                ByteOffset(0),
                "the event log has no code given to `eval` in a function",
            ));
            return Ok(part);
        }
        let options = LogOptions {
            prefix: self.collection.prefix.clone(),
            script: self.next_script,
            first: recorder.first_numbers(),
            detail: recorder.detail,
            watches_document: recorder.watches_page,
            in_document: job.kind == super::ResponseKind::Document
                || self.of_documents.contains(job.url),
            outer: job.outer.clone(),
            first_code_site: ByteOffset::from_index(self.sites.len()).0 + 1,
        };
        let logged = script.logged(&options, names)?;
        let extents = job.source_map.map(|_| script.extents());
        let in_text = |at: ByteOffset| match attribute {
            Some(value) => value.raw_offset(at).unwrap_or(value.raw.start),
            None => ByteOffset(at.0 + span.start.0),
        };
        part.unhooked = logged.unlogged.len();
        part.reasons = logged
            .unlogged
            .iter()
            .map(|site| (site.at, site.reason))
            .collect();
        let mut tables = Tables::default();
        // What is given out as a file of its own has no map that says so.
        let is_given_out = job.kind != super::ResponseKind::Document
            && job.source_map.is_none()
            && is_published(job.url, content);
        let is_library = is_given_out || is_library_url(job.url, &[]);
        let author_text = |text: ByteSpan| {
            let (start, end) = (in_text(text.start), in_text(text.end));
            let is_short = text.end.0.saturating_sub(text.start.0) <= LONGEST_TEXT;
            let map = job.source_map.filter(|_| is_short)?;
            let written = map.original_text(job.source, &job.lines, ByteSpan { start, end })?;
            Some(short_text(written))
        };
        fill_tables(&logged, &mut tables, &author_text, &mut |at, tables| {
            place(
                recorder,
                job,
                content,
                (extents.as_ref(), is_library),
                at,
                in_text(at),
                tables,
            )
        });
        if job.source_map.is_some() {
            let own = recorder.script_number(job.url, false, &mut tables);
            let of_bundler = recorder.script_number(job.url, true, &mut tables);
            trust_helpers(&mut tables, options.first.function, own, of_bundler);
        }
        recorder.keep_source(LoggedSource {
            url: job.url.to_owned(),
            text: content.to_owned(),
            goal,
            is_mapped: job.source_map.is_some(),
            functions: (options.first.function..)
                .map(FunctionId)
                .zip(logged.functions.iter().map(|it| it.span))
                .collect(),
            sites: (
                SiteId(options.first.site),
                logged.sites.iter().map(|it| it.at).collect(),
            ),
            names: match names.gives_names() {
                true => script.author_names(names),
                false => Vec::new(),
            },
            declared: declared(
                job,
                content,
                extents.as_ref(),
                &logged,
                options.first.function,
            ),
            unlogged: unlogged(&logged, options.first.function),
        });
        // In an attribute positions are not those of the text.
        let known = attribute.is_none().then(|| LoggedScript {
            home: Home::of(job.text, span.start),
            first: options.first,
            sites: logged
                .sites
                .iter()
                .map(|site| (site.at, site.kind, site.name.clone()))
                .collect(),
            functions: logged
                .functions
                .iter()
                .map(|it| (it.span, it.running.clone()))
                .collect(),
            outer: job.outer.clone(),
        });
        recorder.add(tables, known);
        part.conditions = vec![None; logged.code_sites.len()];
        part.sites = logged.code_sites;
        part.edits = logged.edits.into_list();
        Ok(part)
    }
}

/// Functions of a bundle that no file of its source map has anything of are the bundler's, and so a library's.
/// `first` is the number of the script itself; `own` is the number of the bundle among files, `of_bundler` that of the
/// same as a library.
fn trust_helpers(tables: &mut Tables, first: u32, own: ScriptId, of_bundler: ScriptId) {
    let sites = tables.sites.iter().filter(|it| it.script != own);
    let authors: HashSet<FunctionId> = sites.map(|it| it.function).collect();
    let functions = tables.functions.iter_mut().zip(first..).skip(1);
    for (function, number) in functions {
        if function.script == own && !authors.contains(&FunctionId(number)) {
            function.script = of_bundler;
        }
    }
}

/// What happens without being recorded, with the function that it happens in; `first` is the number of the script
/// itself.
fn unlogged(logged: &LogRewritten, first: u32) -> Vec<(FunctionId, &'static str)> {
    let function_at = |at: ByteOffset| {
        let functions = logged.functions.iter().zip(first..);
        let around = functions.filter(|(it, _)| it.span.start <= at && at < it.span.end);
        let innermost = around.min_by_key(|(it, _)| it.span.end.0 - it.span.start.0);
        FunctionId(innermost.map_or(first, |(_, number)| number))
    };
    let sites = logged.unlogged.iter();
    sites.map(|it| (function_at(it.at), it.reason)).collect()
}

/// What the files that a source map leads to declare of the functions of a script; `first` is the number of the script
/// itself, which declares nothing.
fn declared(
    job: &Job<'_>,
    content: &str,
    extents: Option<&Extents>,
    logged: &LogRewritten,
    first: u32,
) -> Vec<(FunctionId, DocTypes)> {
    let Some((map, extents)) = job.source_map.zip(extents) else {
        return Vec::new();
    };
    let functions = logged.functions.iter().zip(first..).skip(1);
    let found = functions.filter_map(|(function, number)| {
        let original = extents.original(map, content, function.span.start, None)?;
        let types = map.declared_types(&original.source, original.position)?;
        Some((FunctionId(number), types))
    });
    found.collect()
}

/// Where an offset of a script is, through the source map if there is one; `is_library`: what has no place in a map is
/// a library's.
fn place(
    recorder: &Recorder,
    job: &Job<'_>,
    content: &str,
    (extents, is_library): (Option<&Extents>, bool),
    at: ByteOffset,
    in_text: ByteOffset,
    tables: &mut Tables,
) -> LoggedPosition {
    let generated = job.lines.position(job.source, in_text);
    let original = job.source_map.zip(extents).and_then(|(map, extents)| {
        let original = extents.original(map, content, at, None)?;
        let library = map.is_ignored(&original.source) || is_library_url(&original.source, &[]);
        Some((original.source, original.position, library))
    });
    let (url, position, library) = match original {
        Some((url, position, library)) => (url, position, library),
        None => (job.url.to_owned(), generated, is_library),
    };
    let human = HumanPosition::from(position);
    LoggedPosition {
        script: recorder.script_number(&url, library, tables),
        line: human.line,
        column: human.column,
    }
}

fn fill_tables(
    logged: &LogRewritten,
    tables: &mut Tables,
    author_text: &dyn Fn(ByteSpan) -> Option<String>,
    place: &mut dyn FnMut(ByteOffset, &mut Tables) -> LoggedPosition,
) {
    for function in &logged.functions {
        let at = place(function.span.start, tables);
        let last = ByteOffset(function.span.end.0.saturating_sub(1));
        let end_line = place(last, tables).line.max(at.line);
        tables.functions.push(Function {
            script: at.script,
            line: at.line,
            column: at.column,
            end_line,
            name: function.name.clone(),
            kind: function_kind(function.kind),
            is_async: function.is_async,
            is_generator: function.is_generator,
            scope: StaticScopeId(function.scope),
            parameters: function.parameters.clone(),
            shape: function.shape,
        });
    }
    let scopes = logged.scopes.iter().map(|scope| StaticScope {
        parent: StaticScopeId(scope.parent),
        function: FunctionId(scope.function),
        kind: match scope.kind {
            LoggedScopeKind::Function => StaticScopeKind::Function,
            LoggedScopeKind::Block => StaticScopeKind::Block,
            LoggedScopeKind::Catch => StaticScopeKind::Catch,
            LoggedScopeKind::Module => StaticScopeKind::Module,
            LoggedScopeKind::Script => StaticScopeKind::Script,
        },
    });
    tables.scopes.extend(scopes);
    let variables = logged.variables.iter().map(|variable| Variable {
        name: variable.name.clone(),
        scope: StaticScopeId(variable.scope),
    });
    tables.variables.extend(variables);
    for site in &logged.sites {
        let at = place(site.at, tables);
        let written = site.named.and_then(author_text);
        let written = written.filter(|written| *written != site.name);
        tables.sites.push(Site {
            script: at.script,
            line: at.line,
            column: at.column,
            function: FunctionId(site.function),
            scope: StaticScopeId(site.scope),
            kind: site_kind(site.kind),
            name: site.name.clone(),
            written: written.unwrap_or_default(),
            variable: VariableId(site.variable),
            branch: site.branch,
            sources: Vec::new(),
        });
    }
    debug_assert!(SiteId::NONE.index().is_none());
}

fn function_kind(kind: LoggedFunctionKind) -> FunctionKind {
    match kind {
        LoggedFunctionKind::Function => FunctionKind::Function,
        LoggedFunctionKind::Script => FunctionKind::Script,
        LoggedFunctionKind::Module => FunctionKind::Module,
        LoggedFunctionKind::Method => FunctionKind::Method,
        LoggedFunctionKind::Getter => FunctionKind::Getter,
        LoggedFunctionKind::Setter => FunctionKind::Setter,
        LoggedFunctionKind::Constructor => FunctionKind::Constructor,
        LoggedFunctionKind::Handler => FunctionKind::Handler,
    }
}

fn site_kind(kind: LoggedKind) -> SiteKind {
    match kind {
        LoggedKind::Call => SiteKind::Call,
        LoggedKind::Return => SiteKind::Return,
        LoggedKind::Throw => SiteKind::Throw,
        LoggedKind::Catch => SiteKind::Catch,
        LoggedKind::Write => SiteKind::Write,
        LoggedKind::Assign => SiteKind::Assign,
        LoggedKind::Create => SiteKind::Create,
        LoggedKind::Branch => SiteKind::Branch,
        LoggedKind::Suspend => SiteKind::Suspend,
    }
}
