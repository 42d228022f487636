//! Scripts that a page keeps in memory, under `blob:` and `data:` addresses. No response holds them; the agent hands
//! each over where its address is used, and gets what is to be used instead: for a blob the text of another one, for a
//! `data:` address another such address. A module that others import by a `data:` address is exchanged in their text as
//! well, so that all of them import the same one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data_url::DataUrl;
use js_analysis::Goal;
use js_analysis::position::{ByteOffset, HumanPosition};
use js_analysis::rewrite::with_script;
use js_analysis::text_encoding::{Resource, decode, encoding_for_label};
use querypoint::answer::Location;
use serde::Deserialize;

use super::super::job::{Job, Part};
use super::super::{DynamicCode, RewrittenCode, SeenScripts, Sources, content_hash};

/// A script in memory whose address is about to be used, as the agent hands it over.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(crate) struct InMemoryScript {
    module: bool,
    /// The address, if it begins with `data:`; else empty, and it is a blob.
    address: String,
    /// The blob's own.
    #[serde(rename = "type")]
    media_type: String,
    /// The name of the encoding that classic scripts fall back to.
    encoding: String,
    /// Whether a document is to run it.
    document: bool,
    /// What the blob holds, where the agent could read it.
    text: Option<String>,
    /// The addresses that replace those it imports from.
    imports: Vec<(String, String)>,
}

/// The text of a script in memory.
#[derive(Clone, Debug)]
pub(crate) struct StoredScript {
    pub(in crate::sources) is_module: bool,
    /// `blob` or `data`.
    pub(in crate::sources) scheme: &'static str,
    /// The address, if it begins with `data:`; else empty.
    pub(in crate::sources) address: String,
    pub(in crate::sources) in_document: bool,
    pub(in crate::sources) text: String,
    imports: Vec<(String, String)>,
}

impl InMemoryScript {
    /// `blob` or `data`.
    pub(in crate::sources) fn scheme(&self) -> &'static str {
        if self.address.is_empty() {
            "blob"
        } else {
            "data"
        }
    }

    /// Whether what it holds must be read first.
    pub(crate) fn needs_reading(&self) -> bool {
        self.address.is_empty() && self.text.is_none()
    }

    /// The text and the media type; `None` if it cannot be run. `bytes`: what the blob holds, if that was read.
    fn source(&self, bytes: Option<&[u8]>) -> Option<(String, String)> {
        if let Some(text) = &self.text {
            return Some((text.clone(), self.media_type.clone()));
        }
        let held;
        let (bytes, media_type) = if self.address.is_empty() {
            (bytes?, self.media_type.clone())
        } else {
            let url = DataUrl::process(&self.address).ok()?;
            held = url.decode_to_vec().ok()?.0;
            (held.as_slice(), url.mime_type().to_string())
        };
        let fallback = encoding_for_label(&self.encoding).filter(|_| !self.module);
        let resource = match fallback {
            Some(fallback) => Resource::ClassicScript { fallback },
            None => Resource::ModuleScript,
        };
        Some((decode(bytes, Some(&media_type), resource).text, media_type))
    }
}

/// Whether something of that media type is run as a script. A classic one may be of no type, or be called plain text.
fn is_run(media_type: &str, is_module: bool) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let is_javascript = essence.ends_with("javascript") || essence.ends_with("ecmascript");
    is_javascript || !is_module && matches!(essence.as_str(), "" | "text/plain")
}

/// The media type of the rewritten text, which is in UTF-8.
fn in_utf8(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let essence = if essence.is_empty() {
        "text/javascript"
    } else {
        essence
    };
    format!("{essence};charset=utf-8")
}

impl Sources {
    /// What is to be used instead of a script in memory; `None`: it stays as it is. `bytes`: what a blob holds, if that
    /// was read. `caller`: where the page is paused.
    pub(crate) fn rewrite_in_memory(
        &mut self,
        memory: &InMemoryScript,
        bytes: Option<&[u8]>,
        caller: Option<&Location>,
        capture: bool,
        seen: &mut SeenScripts,
    ) -> Option<RewrittenCode> {
        let (text, media_type) = memory.source(bytes)?;
        if !is_run(&media_type, memory.module) {
            return None;
        }
        if memory.module && memory.imports.is_empty() {
            let imports = blobs_imported(&text);
            if !imports.is_empty() {
                return Some(RewrittenCode::Imports(imports));
            }
        }
        let scheme = memory.scheme();
        let stored = DynamicCode::StoredScript(StoredScript {
            is_module: memory.module,
            scheme,
            address: memory.address.clone(),
            in_document: memory.document,
            text,
            imports: memory.imports.clone(),
        });
        let RewrittenCode::Text(text) = self.make(&stored, caller, capture, seen)? else {
            return None;
        };
        let media_type = in_utf8(&media_type);
        Some(if scheme == "data" {
            // Addresses that differ are different modules, whatever they hold.
            RewrittenCode::Address(format!(
                "data:{media_type};base64,{}#{:x}",
                STANDARD.encode(&text),
                content_hash(&memory.address)
            ))
        } else {
            RewrittenCode::Blob { text, media_type }
        })
    }

    /// Has a module import the rewritten ones in memory, and tell its own address as before.
    pub(in crate::sources) fn link_in_memory(&self, part: &mut Part, stored: &StoredScript) {
        for (span, specifier) in &part.linked {
            let exchanged = stored.imports.iter().find(|(from, _)| from == specifier);
            if let Some((_, to)) = exchanged.filter(|(from, to)| from != to) {
                let literal = serde_json::Value::from(to.as_str()).to_string();
                let deleted = span.end.0 - span.start.0;
                part.edits.push((span.start, deleted, literal));
            }
        }
        if part.goal == Goal::Module && stored.text.contains("meta") {
            let prefix = &self.collection.prefix;
            let own_address = if stored.address.is_empty() {
                format!("import.meta.url={prefix}Cu(import.meta.url);")
            } else {
                let address = serde_json::Value::from(stored.address.as_str());
                format!("import.meta.url={address};")
            };
            // A hashbang stays where it is.
            let is_first = !stored.text.starts_with("#!");
            let line_end = if is_first {
                Some(0)
            } else {
                stored.text.find('\n').map(|end| end + 1)
            };
            if let Some(start) = line_end {
                let edit = (ByteOffset::from_index(start), 0, own_address);
                part.edits.insert(0, edit);
            }
        }
    }

    /// Has a module import rewritten ones where it imports from `data:` addresses.
    pub(in crate::sources) fn link_with_data(&mut self, job: &Job<'_>, part: &mut Part) {
        let linked = std::mem::take(&mut part.linked);
        for (span, specifier) in &linked {
            if !specifier.starts_with("data:") {
                continue;
            }
            let at = ByteOffset(span.start.0 + part.shift);
            let position = HumanPosition::from(job.lines.position(job.source, at));
            let importer = Location {
                url: job.url.to_owned(),
                line: position.line,
                column: position.column,
                generated: None,
                eval_origin: None,
                library: false,
            };
            let memory = InMemoryScript {
                module: true,
                address: specifier.clone(),
                media_type: String::new(),
                encoding: String::new(),
                document: false,
                text: None,
                imports: Vec::new(),
            };
            let inner = &mut part.inner;
            let made = self.rewrite_in_memory(&memory, None, Some(&importer), job.capture, inner);
            if let Some(RewrittenCode::Address(address)) = made {
                let literal = serde_json::Value::from(address).to_string();
                let deleted = span.end.0 - span.start.0;
                part.edits.push((span.start, deleted, literal));
            }
        }
        part.linked = linked;
    }
}

/// The `blob:` addresses that a module imports from.
fn blobs_imported(text: &str) -> Vec<String> {
    if !text.contains("blob:") {
        return Vec::new();
    }
    let linked = with_script(text, Goal::Module, |script| script.linked_specifiers());
    let linked = linked.unwrap_or_default().into_iter();
    linked
        .map(|(_, specifier)| specifier)
        .filter(|specifier| specifier.starts_with("blob:"))
        .collect()
}
