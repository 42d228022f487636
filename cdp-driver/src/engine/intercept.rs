//! Responses on their way in: documents and scripts are rewritten before the page sees them.
//!
//! Interception is at the response stage: the browser has fetched, redirected, decompressed; what is changed is
//! the body, in the encoding it came in. Everything else of the response stays. A response that cannot be
//! rewritten goes on as it is and is listed as a blind spot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt;
use futures::stream::BoxStream;
use js_analysis::source_map::{MapReference, SourceMap, find_source_mapping_url};
use js_analysis::text_encoding::{Resource, decode, encode, encoding_for_label};
use serde_json::{Value, json};

use super::protocol::{Clock, Event, Protocol, ProtocolError, SessionId};
use super::sources::{ResponseKind, Seen, Sources};

/// What stands between the network and one page.
pub(super) struct Interceptor {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) session: SessionId,
    /// The main frame, in whose name source maps are fetched.
    pub(super) frame: String,
    pub(super) sources: Arc<Mutex<Sources>>,
    pub(super) seen: Mutex<Seen>,
    pub(super) capture: bool,
    /// What is known of the documents, by frame.
    pub(super) documents: Mutex<HashMap<String, FrameDocument>>,
    /// Where requests that were redirected began, by the network domain's number.
    pub(super) redirected: Mutex<HashMap<String, String>>,
}

/// The newest document of a frame.
#[derive(Clone, Debug)]
pub(super) struct FrameDocument {
    origin: Option<url::Origin>,
    /// What classic scripts fall back to.
    encoding: &'static encoding_rs::Encoding,
}

/// One response that waits.
struct Paused {
    request: String,
    frame: String,
    /// Whether a frame of the page asked for it, not a worker or worklet.
    of_frame: bool,
    url: String,
    /// Where it was asked for before it was redirected: the address a classic script has in stacks.
    asked_at: String,
    kind: ResponseKind,
    status: u64,
    headers: Vec<(String, String)>,
}

impl Interceptor {
    /// The patterns for `Fetch.enable`.
    pub(super) fn patterns() -> Value {
        json!({ "patterns": [
            { "resourceType": "Document", "requestStage": "Response" },
            { "resourceType": "Script", "requestStage": "Response" },
        ]})
    }

    /// Handles responses until the connection ends.
    pub(super) async fn run(&self, events: BoxStream<'static, Event>) {
        let paused = events
            .filter(|event| futures::future::ready(event.is(&self.session, "Fetch.requestPaused")));
        paused
            .for_each_concurrent(None, |event| async move {
                if let Err(error) = self.handle(&event.params).await {
                    tracing::debug!(%error, "a response went on as it was");
                }
            })
            .await;
    }

    async fn send(&self, method: &str, params: Value) -> Result<Value, ProtocolError> {
        self.protocol
            .send(Some(&self.session), method, params)
            .await
    }

    async fn handle(&self, params: &Value) -> Result<(), ProtocolError> {
        let Some(request) = params.get("requestId").and_then(Value::as_str) else {
            return Ok(());
        };
        let replaced = match self.wanted(params, request) {
            Some(paused) => self.replace(&paused).await,
            None => Ok(false),
        };
        match replaced {
            Ok(true) => Ok(()),
            result => {
                self.send("Fetch.continueRequest", json!({ "requestId": request }))
                    .await?;
                result.map(|_| ())
            }
        }
    }

    /// The response, if it may hold scripts.
    fn wanted(&self, params: &Value, request: &str) -> Option<Paused> {
        let text = |pointer: &str| {
            let text = params.pointer(pointer).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let status = params.get("responseStatusCode")?.as_u64()?;
        let kind = match params.get("resourceType")?.as_str()? {
            "Document" => ResponseKind::Document,
            "Script" => ResponseKind::Script,
            _ => return None,
        };
        let headers: Vec<(String, String)> = params
            .get("responseHeaders")?
            .as_array()?
            .iter()
            .filter_map(|header| {
                let name = header.get("name")?.as_str()?;
                let value = header.get("value")?.as_str()?;
                Some((name.to_owned(), value.to_owned()))
            })
            .collect();
        let mut url = params.pointer("/request/url")?.as_str()?.to_owned();
        if let Some(fragment) = url.find('#') {
            url.truncate(fragment);
        }
        let network = text("/networkId");
        let asked_at = self.redirected().remove(&network);
        if (300..400).contains(&status) && !network.is_empty() {
            let first = asked_at.clone().unwrap_or_else(|| url.clone());
            self.redirected().insert(network, first);
        }
        // A redirect has no body; an error page of a script is not run.
        let has_body = (200..300).contains(&status) && status != 204
            || kind == ResponseKind::Document && status >= 400;
        has_body.then(|| Paused {
            request: request.to_owned(),
            frame: text("/frameId"),
            // Requests of workers come under the page's session, but its network domain does not know them.
            of_frame: params.get("networkId").is_some(),
            asked_at: asked_at.unwrap_or_else(|| url.clone()),
            url,
            kind,
            status,
            headers,
        })
    }

    /// Rewrites and answers; `false` if the response is to go on as it is.
    async fn replace(&self, paused: &Paused) -> Result<bool, ProtocolError> {
        let content_type = header(&paused.headers, "content-type");
        if !may_hold_scripts(paused.kind, content_type) {
            return Ok(false);
        }
        if self.sources().is_untouchable(&paused.url) {
            let reason = "the page checks its digest, which no attribute in the document gives, so it stays as it is";
            self.seen().unhooked_script(&paused.url, reason);
            return Ok(false);
        }
        if let Some(reason) = self.has_no_agent(paused).await {
            self.seen().blind(&paused.url, reason);
            return Ok(false);
        }
        let body = self
            .send(
                "Fetch.getResponseBody",
                json!({ "requestId": paused.request }),
            )
            .await?;
        let Some(bytes) = bytes_of(&body) else {
            self.seen()
                .blind(&paused.url, "its response could not be read");
            return Ok(false);
        };
        let is_module = {
            let mut sources = self.sources();
            if paused.kind == ResponseKind::Script {
                sources.redirected(&paused.asked_at, &paused.url);
            }
            sources.is_module(&paused.url)
        };
        let resource = match paused.kind {
            ResponseKind::Document => Resource::Document,
            ResponseKind::Script if is_module => Resource::ModuleScript,
            ResponseKind::Script => Resource::ClassicScript {
                fallback: self
                    .sources()
                    .charset(&paused.asked_at)
                    .and_then(encoding_for_label)
                    .unwrap_or_else(|| self.fallback(&paused.frame)),
            },
        };
        let decoded = decode(&bytes, content_type, resource);
        drop(bytes);
        if paused.kind == ResponseKind::Document {
            let document = FrameDocument {
                origin: origin_of(&paused.url),
                encoding: decoded.encoding,
            };
            self.documents().insert(paused.frame.clone(), document);
        }
        let map = match paused.kind {
            ResponseKind::Script => self.source_map(&paused.url, &decoded.text).await,
            ResponseKind::Document => None,
        };
        let started = self.clock.now_ms();
        let rewritten = {
            let mut sources = self.sources();
            let mut seen = self.seen();
            sources
                .rewrite(
                    &paused.url,
                    &decoded.text,
                    paused.kind,
                    map,
                    self.capture,
                    &mut seen,
                )
                .map(|text| encode(&decoded, text))
        };
        self.seen().rewrite_ms += self.clock.now_ms() - started;
        let bytes = match rewritten {
            None => return Ok(false),
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => {
                self.seen().blind(&paused.url, error.to_string());
                return Ok(false);
            }
        };
        let params = json!({
            "requestId": paused.request,
            "responseCode": paused.status,
            "responseHeaders": kept_headers(&paused.headers, bytes.len()),
            "body": STANDARD.encode(&bytes),
        });
        self.send("Fetch.fulfillRequest", params).await?;
        Ok(true)
    }

    fn sources(&self) -> std::sync::MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn redirected(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.redirected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn documents(&self) -> std::sync::MutexGuard<'_, HashMap<String, FrameDocument>> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn fallback(&self, frame: &str) -> &'static encoding_rs::Encoding {
        let documents = self.documents();
        let document = documents.get(frame).or_else(|| documents.get(&self.frame));
        document.map_or(encoding_rs::WINDOWS_1252, |document| document.encoding)
    }

    /// Why what this response holds will run where there is no agent. There it must not be rewritten: a hook
    /// without an agent is a `ReferenceError`.
    async fn has_no_agent(&self, paused: &Paused) -> Option<&'static str> {
        const WORKER: &str = "it runs in a worker or worklet, where nothing is hooked";
        const OTHER_SITE: &str = "it is a frame of another origin, where nothing is hooked";
        const SANDBOXED: &str = "it is a sandboxed frame, where nothing is hooked";
        if !paused.of_frame {
            return Some(WORKER);
        }
        if paused.kind == ResponseKind::Script || paused.frame == self.frame {
            return None;
        }
        // A frame of another site, and a sandboxed one, moves to a process of its own when it commits, and with
        // that to another session.
        let page = self.documents().get(&self.frame).cloned();
        if page.and_then(|page| page.origin) != origin_of(&paused.url) {
            return Some(OTHER_SITE);
        }
        let policy = header(&paused.headers, "content-security-policy").unwrap_or_default();
        let by_header = policy
            .split([';', ','])
            .filter_map(|directive| directive.split_whitespace().next())
            .any(|name| name.eq_ignore_ascii_case("sandbox"));
        (by_header || self.is_sandboxed(&paused.frame).await).then_some(SANDBOXED)
    }

    /// Whether the element that holds `frame` has the attribute `sandbox`; `true` if that cannot be told.
    async fn is_sandboxed(&self, frame: &str) -> bool {
        let owner = match self
            .send("DOM.getFrameOwner", json!({ "frameId": frame }))
            .await
        {
            Ok(owner) => owner,
            Err(_) => return true,
        };
        let node = json!({ "backendNodeId": owner.get("backendNodeId") });
        let Ok(described) = self.send("DOM.describeNode", node).await else {
            return true;
        };
        // Names and values by turns.
        let attributes = described
            .pointer("/node/attributes")
            .and_then(Value::as_array);
        attributes.is_none_or(|list| {
            list.iter()
                .step_by(2)
                .any(|name| name.as_str() == Some("sandbox"))
        })
    }

    /// The source map that a script names, if it can be had.
    async fn source_map(&self, url: &str, script: &str) -> Option<SourceMap> {
        let json = match find_source_mapping_url(script)? {
            MapReference::Inline(json) => json,
            MapReference::External(reference) => {
                let address = url::Url::parse(url).ok()?.join(&reference).ok()?;
                if !matches!(address.scheme(), "http" | "https") {
                    return None;
                }
                match self.fetch_text(address.as_str()).await {
                    Ok(json) => json,
                    Err(why) => {
                        self.note_map(url, &why);
                        return None;
                    }
                }
            }
            MapReference::Malformed(reference) => {
                self.note_map(url, &format!("{reference} cannot be decoded"));
                return None;
            }
        };
        SourceMap::parse(&json, Some(url))
            .inspect_err(|error| self.note_map(url, &error.to_string()))
            .ok()
    }

    fn note_map(&self, url: &str, why: &str) {
        tracing::info!(
            url,
            why,
            "no source map: lines are those of the script itself"
        );
    }

    /// Fetches a text as the page would, without its cookies: no server gets a secret it did not ask for.
    async fn fetch_text(&self, address: &str) -> Result<String, String> {
        const LARGEST: usize = 256 * 1024 * 1024;
        let params = json!({
            "frameId": self.frame, "url": address,
            "options": { "disableCache": true, "includeCredentials": false },
        });
        let result = self
            .send("Network.loadNetworkResource", params)
            .await
            .map_err(|error| error.to_string())?;
        let Some(stream) = result.pointer("/resource/stream").and_then(Value::as_str) else {
            let status = result
                .pointer("/resource/httpStatusCode")
                .unwrap_or(&Value::Null);
            return Err(format!("{address} could not be loaded (status {status})"));
        };
        let mut bytes = Vec::new();
        let outcome = loop {
            let chunk = match self.send("IO.read", json!({ "handle": stream })).await {
                Ok(chunk) => chunk,
                Err(error) => break Err(error.to_string()),
            };
            match chunk_of(&chunk) {
                Some(part) => bytes.extend_from_slice(&part),
                None => break Err(format!("{address} came in a form that is not understood")),
            }
            if bytes.len() > LARGEST {
                break Err(format!("{address} is larger than 256 MiB"));
            }
            if chunk.get("eof").and_then(Value::as_bool) != Some(false) {
                break Ok(());
            }
        };
        drop(self.send("IO.close", json!({ "handle": stream })).await);
        outcome?;
        String::from_utf8(bytes).map_err(|_| format!("{address} is not UTF-8"))
    }
}

/// The origin of an address, if it has one that is the same as itself.
fn origin_of(address: &str) -> Option<url::Origin> {
    let origin = url::Url::parse(address).ok()?.origin();
    origin.is_tuple().then_some(origin)
}

fn chunk_of(chunk: &Value) -> Option<Vec<u8>> {
    let data = chunk.get("data")?.as_str()?;
    if chunk.get("base64Encoded").and_then(Value::as_bool) == Some(true) {
        STANDARD.decode(data).ok()
    } else {
        Some(data.as_bytes().to_vec())
    }
}

fn bytes_of(body: &Value) -> Option<Vec<u8>> {
    let text = body.get("body")?.as_str()?;
    if body.get("base64Encoded").and_then(Value::as_bool) == Some(true) {
        STANDARD.decode(text).ok()
    } else {
        Some(text.as_bytes().to_vec())
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// The headers that still hold for a body of `length` bytes that is not compressed.
fn kept_headers(headers: &[(String, String)], length: usize) -> Vec<Value> {
    let mut kept: Vec<Value> = headers
        .iter()
        .filter(|(name, _)| {
            !["content-length", "content-encoding", "transfer-encoding"]
                .iter()
                .any(|gone| name.eq_ignore_ascii_case(gone))
        })
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    kept.push(json!({ "name": "Content-Length", "value": length.to_string() }));
    kept
}

fn may_hold_scripts(kind: ResponseKind, content_type: Option<&str>) -> bool {
    let essence = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match kind {
        ResponseKind::Document => {
            matches!(essence.as_str(), "" | "text/html" | "application/xhtml+xml")
        }
        // JSON and CSS modules come as scripts too; wasm is not text.
        // What is certainly no script is not run.
        ResponseKind::Script => {
            let family = essence.split('/').next().unwrap_or_default();
            !essence.ends_with("json")
                && !matches!(family, "image" | "audio" | "video")
                && !matches!(
                    essence.as_str(),
                    "text/css" | "text/csv" | "application/wasm"
                )
        }
    }
}
