//! Dynamic code: the texts of which the page makes code. It gives them to `eval`, `Function` and timers, and to
//! elements that it creates.
//!
//! No response holds them; the agent hands each over as it comes, and takes back what it has become. They are known by
//! their content, so that a text has the same sites in every execution, and again by the digest of what it became: that
//! is how the browser names a script without an address.

mod memory;

use std::sync::OnceLock;

use js_analysis::Goal;
use js_analysis::edits::{Edits, MappedText};
use js_analysis::position::{ByteOffset, ByteSpan, LineIndex, Utf16Position};
use js_analysis::rewrite::Making;
use js_analysis::source_map::{MapReference, SourceMap, find_source_mapping_url, find_source_url};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use querypoint::answer::{EvalOrigin, Location};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::budget::OVER_BUDGET;
use super::job::{Job, Part};
use super::{Kept, ResponseKind, SeenScripts, Sources, Text};
pub(crate) use memory::InMemoryScript;
pub(super) use memory::StoredScript;

/// A text of which code is to be made, as the agent hands it over.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum DynamicCode {
    /// Given to `eval` at a site; 0 where `eval` was called as a value.
    Eval { site: u32, text: String },
    /// Given to `Function` or one of its kin, which `open` tells apart: `function*`.
    Function {
        open: String,
        parameters: String,
        body: String,
    },
    /// Given to `setTimeout` or `setInterval`.
    Timer { text: String },
    /// The text of a script element that the page inserted.
    Script {
        module: bool,
        /// The document whose parser made it, where no script did.
        place: Option<String>,
        /// Whether it was written into the document, in pieces.
        #[serde(default)]
        #[cfg_attr(test, ts(as = "Option<bool>", optional))]
        written: bool,
        /// What comes behind it there: nothing that runs.
        #[serde(default)]
        #[cfg_attr(test, ts(as = "Option<String>", optional))]
        after: String,
        text: String,
    },
    /// An event-handler attribute that the page set.
    Handler {
        name: String,
        /// As of a script.
        place: Option<String>,
        text: String,
    },
    /// The `javascript:` URL of a link in the document `place` that is followed.
    Url { place: Option<String>, text: String },
    /// What the page wrote into its document.
    Markup { text: String },
    /// A script that the page keeps in memory, under an address of its own.
    Memory(InMemoryScript),
    /// The text of such a one.
    #[serde(skip)]
    StoredScript(StoredScript),
    /// No text: the address of a module that is to run where there is no agent.
    #[serde(rename = "workletModule")]
    WorkletModule { address: String },
}

/// What a text has become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RewrittenCode {
    Text(String),
    /// The two texts of a function.
    Function {
        parameters: String,
        body: String,
    },
    /// What is to be found at an address of its own, and of which media type it is.
    Blob {
        text: String,
        media_type: String,
    },
    /// An address that holds it.
    Address(String),
    /// Not yet anything: these addresses that it imports from must be exchanged first.
    Imports(Vec<String>),
}

/// Where the two texts of a function are in the whole.
#[derive(Clone, Copy, Debug)]
struct FunctionParts {
    parameters: usize,
    parameters_end: usize,
    body: usize,
    body_end: usize,
}

impl FunctionParts {
    /// The text as the language puts it together, and where its parts are.
    fn put_together(open: &str, parameters: &str, body: &str) -> (String, Self) {
        let text = format!("({open} anonymous({parameters}\n) {{\n{body}\n}})");
        let start = open.len() + "( anonymous(".len();
        let parameters_end = start + parameters.len();
        let body_start = parameters_end + "\n) {\n".len();
        let parts = Self {
            parameters: start,
            parameters_end,
            body: body_start,
            body_end: body_start + body.len(),
        };
        (text, parts)
    }
}

impl DynamicCode {
    /// What made it, in a word.
    pub(crate) fn by(&self) -> &str {
        match self {
            Self::Eval { .. } => "eval",
            Self::Function { .. } => "Function",
            Self::Timer { .. } => "timer",
            Self::Script { written: true, .. } => "document.write",
            Self::Script { .. } => "script",
            Self::Handler { name, .. } => name,
            Self::Url { .. } => "javascript:",
            Self::Markup { .. } => "document.write",
            Self::Memory(memory) => memory.scheme(),
            Self::StoredScript(stored) => stored.scheme,
            Self::WorkletModule { .. } => "addModule",
        }
    }

    /// The document whose parser made it. Of one in memory the scheme alone: what comes behind is made up anew each
    /// time.
    fn place(&self) -> Option<&str> {
        match self {
            Self::Script { place, .. } | Self::Handler { place, .. } | Self::Url { place, .. } => {
                let place = place.as_deref()?;
                let mut in_memory = ["blob:", "data:"].into_iter();
                Some(
                    in_memory
                        .find(|scheme| place.starts_with(scheme))
                        .unwrap_or(place),
                )
            }
            _ => None,
        }
    }

    /// What texts of the same content may differ in.
    fn key(&self) -> String {
        match self {
            Self::Eval { site, .. } => format!("eval {site}"),
            Self::Script {
                module, written, ..
            } => format!("script {module} {written}"),
            Self::StoredScript(stored) if stored.is_module => {
                format!("module {} {}", stored.scheme, stored.address)
            }
            _ => self.by().to_owned(),
        }
    }
}

impl Sources {
    /// What becomes of a text that the page makes code of; `None`: it stays as it is. `caller`: where the page
    /// is paused.
    pub(crate) fn make(
        &mut self,
        made: &DynamicCode,
        caller: Option<&Location>,
        capture: bool,
        seen: &mut SeenScripts,
    ) -> Option<RewrittenCode> {
        let (text, function) = match made {
            DynamicCode::Eval { text, .. }
            | DynamicCode::Timer { text }
            | DynamicCode::Script { text, .. }
            | DynamicCode::Handler { text, .. }
            | DynamicCode::Markup { text }
            | DynamicCode::StoredScript(StoredScript { text, .. }) => (text.clone(), None),
            DynamicCode::Url { text, .. } => (code_of_url(text)?, None),
            // It becomes code as the text that it holds.
            DynamicCode::Memory(_) | DynamicCode::WorkletModule { .. } => return None,
            DynamicCode::Function {
                open,
                parameters,
                body,
            } => {
                let (text, parts) = FunctionParts::put_together(open, parameters, body);
                (text, Some(parts))
            }
        };
        let key = (made.key(), super::content_hash(&text), capture);
        let kept = match self.kept.get(&key) {
            Some(kept) => kept.clone(),
            None if !self.budget.holds(&text) => {
                let by = made.by();
                let url = caller.map_or(by, |caller| &caller.url);
                seen.unhooked_script(
                    url,
                    format!("dynamic code of {by} is not rewritten, because {OVER_BUDGET}"),
                );
                return None;
            }
            None => {
                let kept = self.make_anew(made, &text, function, caller, capture);
                self.kept.insert(key, kept.clone());
                kept
            }
        };
        seen.add(&kept.seen);
        let text = self.texts.get(kept.text)?;
        let rewritten = &text.mapped.rewritten;
        if kept.seen.hooked == 0 || *rewritten == text.mapped.original {
            return None;
        }
        let Some(parts) = function else {
            // What comes behind it may be another in each execution.
            if let DynamicCode::Script { after, .. } = made
                && !after.is_empty()
            {
                let whole = digest(&format!("{rewritten}{after}"));
                self.made.insert(whole, (kept.text, ByteOffset(0)));
            }
            return Some(RewrittenCode::Text(match made {
                DynamicCode::Url { .. } => url_of_code(rewritten),
                _ => rewritten.clone(),
            }));
        };
        let after = |end: usize| {
            let end = ByteOffset::from_index(end.saturating_sub(1));
            text.mapped.map().to_rewritten(end).index() + 1
        };
        let at = |start: usize| {
            let start = ByteOffset::from_index(start);
            text.mapped.map().to_rewritten(start).index()
        };
        Some(RewrittenCode::Function {
            parameters: rewritten
                .get(after(parts.parameters)..at(parts.parameters_end))?
                .to_owned(),
            body: rewritten
                .get(after(parts.body)..at(parts.body_end))?
                .to_owned(),
        })
    }

    fn make_anew(
        &mut self,
        made: &DynamicCode,
        source: &str,
        function: Option<FunctionParts>,
        caller: Option<&Location>,
        capture: bool,
    ) -> Kept {
        let by = made.by();
        let (making, place) = match made {
            DynamicCode::Eval { site, .. } => match self.site(*site) {
                Some(site) => (site.making.clone(), self.site_location(site)),
                None => (None, None),
            },
            _ => (None, None),
        };
        let outer = match making {
            Some(Making::Direct(outer)) => Some(outer),
            _ => None,
        };
        let eval_origin = place
            .map(|place| place.location)
            .as_ref()
            .or(caller)
            .map(|location| EvalOrigin {
                by: by.to_owned(),
                url: location.url.clone(),
                line: location.line,
                column: location.column,
            });
        let own_address = find_source_url(source).map(str::to_owned);
        let address = own_address
            .clone()
            .unwrap_or_else(|| match (&eval_origin, made.place()) {
                (Some(eval_origin), _) => {
                    format!(
                        "{by} at {}:{}:{}",
                        eval_origin.url, eval_origin.line, eval_origin.column
                    )
                }
                (None, Some(place)) => format!("{by} in {place}"),
                (None, None) => by.to_owned(),
            });
        let source_map = match find_source_mapping_url(source) {
            Some(MapReference::Inline(json)) => SourceMap::parse(&json, Some(&address)).ok(),
            _ => None,
        };
        let text = self.reserve(&address, ResponseKind::Script);
        let mut job = Job {
            url: &address,
            source,
            lines: LineIndex::new(source),
            source_map: source_map.as_ref(),
            capture,
            kind: match made {
                // It begins with putting the author's text back.
                DynamicCode::Script { .. }
                | DynamicCode::Markup { .. }
                | DynamicCode::Url { .. } => ResponseKind::Document,
                DynamicCode::StoredScript(stored) if stored.in_document => ResponseKind::Document,
                _ => ResponseKind::Script,
            },
            text,
            outer: outer.clone(),
            edits: Edits::default(),
            scripts: Vec::new(),
            in_templates: Vec::new(),
            seen: SeenScripts::default(),
            names: None,
        };
        if own_address.is_some() {
            job.seen.search.seen.add(&address);
        }
        if matches!(made, DynamicCode::Markup { .. }) {
            self.document(&mut job);
        } else {
            self.make_script(made, &mut job, function, eval_origin.as_ref());
        }
        let Job {
            edits,
            scripts,
            seen,
            names,
            ..
        } = job;
        let (rewritten, map) = edits.apply(source);
        let mapped = MappedText::new(source.to_owned(), rewritten, map);
        let digest = digest(&mapped.rewritten);
        if matches!(made, DynamicCode::Markup { .. }) {
            let inline = scripts
                .iter()
                .filter(|script| script.goal != Goal::EventHandler);
            let inline: Vec<ByteSpan> = inline.map(|script| script.span).collect();
            self.keep_running(text, &mapped, &inline);
        } else {
            self.made.insert(digest.clone(), (text, ByteOffset(0)));
        }
        if let Some(own_address) = own_address {
            self.latest.insert(own_address, text);
        }
        self.latest.insert(dynamic_address(text), text);
        let whole = Text {
            url: address,
            mapped,
            source_map,
            extents: OnceLock::new(),
            scripts,
            names,
            kind: ResponseKind::Script,
            digest: Some(digest),
            eval_origin,
            outer,
            parsed: self.parsed.clone(),
        };
        self.fill(text, whole);
        Kept { text, seen }
    }

    /// Makes it known which scripts of a rewritten document the browser will name by their digests.
    pub(super) fn keep_running(&mut self, text: usize, mapped: &MappedText, spans: &[ByteSpan]) {
        for (start, script) in running_scripts(mapped, spans) {
            self.made.insert(script, (text, start));
            self.latest.insert(dynamic_address(text), text);
        }
    }

    /// Rewrites a text that is one script.
    fn make_script(
        &mut self,
        made: &DynamicCode,
        job: &mut Job<'_>,
        function: Option<FunctionParts>,
        eval_origin: Option<&EvalOrigin>,
    ) {
        let source = job.source;
        let outer = job.outer.clone();
        let goal = match (made, outer.as_deref()) {
            (DynamicCode::Eval { .. }, outer) => Goal::Eval {
                strict: outer.is_some_and(|outer| outer.strict),
                in_function: outer.is_some_and(|outer| outer.in_function),
            },
            (DynamicCode::Script { module: true, .. }, _) => Goal::Module,
            (DynamicCode::StoredScript(stored), _) if stored.is_module => Goal::Module,
            (DynamicCode::Handler { .. }, _) => Goal::EventHandler,
            _ => Goal::Script,
        };
        let whole = ByteSpan {
            start: ByteOffset(0),
            end: ByteOffset::from_index(source.len()),
        };
        let part = match self.part(job, whole, source, goal, None) {
            // A worker's options may not have told that it is a module.
            Err(first) if matches!(made, DynamicCode::StoredScript(_)) && goal == Goal::Script => {
                self.part(job, whole, source, Goal::Module, None)
                    .map_err(|_| first)
            }
            part => part,
        };
        let part = match (part, made) {
            (Ok(mut part), DynamicCode::StoredScript(stored)) => {
                self.link_in_memory(&mut part, stored);
                Ok(part)
            }
            (part, _) => part,
        };
        let part = match (part, function) {
            (Ok(part), Some(parts)) => parts.fitted(source, part),
            (part, _) => part.map_err(|error| error.to_string()),
        };
        match part {
            Ok(part) => job.insert(part),
            Err(error) => {
                let (url, line) = match eval_origin {
                    Some(eval_origin) => (
                        eval_origin.url.as_str(),
                        format!(" at line {}", eval_origin.line),
                    ),
                    None => (job.url, String::new()),
                };
                let reason = format!("dynamic code of {}{line} is {error}", made.by());
                job.seen.unhooked_script(url, reason);
            }
        }
    }

    /// The address that a script of this digest is known by here, if it is a text that was handed over, and where in
    /// that text it begins.
    pub(crate) fn dynamic_address(&self, digest: &str) -> Option<(String, Utf16Position)> {
        let &(text, start) = self.made.get(digest)?;
        let start = self.texts.get(text)?.mapped.rewritten_position(start);
        Some((dynamic_address(text), start))
    }
}

impl FunctionParts {
    /// The edits that are in one of the parts. What was inserted behind the opening brace goes to the start of the
    /// body's first line, what was inserted before the closing one behind its last line, which may be a comment.
    fn fitted(self, source: &str, mut part: Part) -> Result<Part, String> {
        let brace_end = self.body - 1;
        let last_brace = self.body_end + 1;
        part.edits.retain(|(at, ..)| {
            (self.parameters..=self.parameters_end).contains(&at.index())
                || (brace_end..=last_brace).contains(&at.index())
        });
        let body = source.get(self.body..self.body_end).unwrap_or_default();
        for (at, _, inserted) in &mut part.edits {
            if at.index() == last_brace {
                *at = ByteOffset::from_index(self.body_end);
                inserted.insert(0, '\n');
            }
            if at.index() == brace_end {
                if body.contains("-->") {
                    return Err(
                        "not rewritten, because its first line may be a comment that begins with -->"
                            .to_owned(),
                    );
                }
                *at = ByteOffset::from_index(self.body);
            }
        }
        Ok(part)
    }
}

/// The scripts of a rewritten document that are at `spans` of its source: where each begins in it, and its digest.
fn running_scripts(mapped: &MappedText, spans: &[ByteSpan]) -> Vec<(ByteOffset, String)> {
    let running = spans.iter().filter_map(|&span| {
        let part = running_part(mapped, span)?;
        let text = mapped.rewritten.get(part.start.index()..part.end.index())?;
        Some((part.start, digest(text)))
    });
    running.collect()
}

/// Where a script that is at `script` of a document's source is in what runs.
pub(super) fn running_part(mapped: &MappedText, script: ByteSpan) -> Option<ByteSpan> {
    // Behind the tag's end, so that what was inserted at the script's start is in it.
    let tag_end = ByteOffset(script.start.0.checked_sub(1)?);
    Some(ByteSpan {
        start: ByteOffset(mapped.map().to_rewritten(tag_end).0 + 1),
        end: mapped.map().to_rewritten(script.end),
    })
}

/// The code that a `javascript:` URL represents.
fn code_of_url(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let code = url.as_str().strip_prefix("javascript:")?;
    Some(percent_decode_str(code).decode_utf8_lossy().into_owned())
}

/// A `javascript:` URL that represents `code`.
fn url_of_code(code: &str) -> String {
    format!("javascript:{}", utf8_percent_encode(code, NON_ALPHANUMERIC))
}

/// The address under which a text without one is kept.
fn dynamic_address(text: usize) -> String {
    format!("querypoint-made:{text}")
}

/// The digest by which the browser names a script's content.
fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
