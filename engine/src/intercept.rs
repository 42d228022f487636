//! Responses on their way in: documents and scripts are rewritten before the page sees them.
//!
//! Interception is at the response stage: the browser has fetched, redirected, decompressed; what is changed is the
//! body, in the encoding it came in. Everything else of the response stays. A response that cannot be rewritten goes on
//! as it is and is listed as a blind spot. Where that shows too late, the execution is repeated, and then it does.

mod reach;

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt;
use futures::stream::BoxStream;
use js_analysis::source_map::{MapReference, SourceMap, find_source_mapping_url};
use js_analysis::text_encoding::{Resource, decode, encode, encoding_for_label};

use super::bodies::{Body, LARGEST as LARGEST_BODY, TOO_LARGE, kept_headers, read_body};
use super::maps::InFrame;
use super::other_servers::is_within;
use super::recorded_inputs::{InputReplay, fulfilled};
use super::sessions::Sessions;
use super::sources::{ResponseKind, SeenScripts, Sources};
use super::streams::LARGEST;
use cdp::fetch::{HeaderEntry, RequestPattern, RequestPaused, RequestStage};
use cdp::network::{ErrorReason, ResourceType};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, CallBrowser as _, Clock, Event, Protocol, ProtocolError, SessionId,
};
use reach::BOUND;
pub(super) use reach::Reach;

/// The headers of a response that name a script's map, the newer one first.
const MAP_HEADERS: [&str; 2] = ["sourcemap", "x-sourcemap"];
const UNREADABLE: &str = "its response could not be read";

/// What is between the network and one page, in all its sessions.
pub(super) struct Interceptor {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) clock: Arc<dyn Clock>,
    /// The sessions that are the page's.
    pub(super) sessions: Arc<Sessions>,
    /// That of its tab.
    pub(super) tab: SessionId,
    /// The main frame, in whose name source maps are fetched.
    pub(super) frame: String,
    pub(super) sources: Arc<Mutex<Sources>>,
    pub(super) seen: Mutex<SeenScripts>,
    pub(super) capture: bool,
    /// Whether a person will look at the page: its scripts then tell where they come from.
    pub(super) is_for_person: bool,
    /// What is known of the documents, by frame.
    pub(super) documents: Mutex<HashMap<String, FrameDocument>>,
    /// Where requests that were redirected began, by the network domain's number.
    pub(super) redirected: Mutex<HashMap<String, String>>,
    /// What feeds the page what was recorded, if it was.
    pub(super) input_replay: Option<Arc<InputReplay>>,
    pub(super) reach: Reach,
}

/// The newest document of a frame.
#[derive(Clone, Debug)]
pub(super) struct FrameDocument {
    /// What classic scripts fall back to.
    encoding: &'static encoding_rs::Encoding,
}

/// One response that waits.
struct Paused {
    session: SessionId,
    request: String,
    frame: String,
    /// The request, as the network domain names it.
    network: Option<String>,
    /// Whether a document asked for it, not a worker or worklet.
    of_frame: bool,
    url: String,
    /// Where it was asked for before it was redirected: the address a classic script has in stacks.
    asked_at: String,
    kind: ResponseKind,
    status: u64,
    headers: Vec<(String, String)>,
}

impl Interceptor {
    /// The responses that wait.
    pub(super) fn patterns() -> Vec<RequestPattern> {
        // The last: the script that a worker is made of, and what a module worker imports.
        let kinds = [
            ResourceType::Document,
            ResourceType::Script,
            ResourceType::OtherKind,
        ];
        kinds.map(responses).into()
    }

    /// Those that a tab's main document waits for.
    pub(super) fn patterns_of_document() -> Vec<RequestPattern> {
        [ResourceType::Document, ResourceType::Script]
            .map(responses)
            .into()
    }

    /// Those for the browser's session: the script of a worker that a worker starts has no session of the page.
    pub(super) fn patterns_of_browser() -> Vec<RequestPattern> {
        vec![responses(ResourceType::OtherKind)]
    }

    /// Handles responses until the connection ends.
    pub(super) async fn run(&self, events: BoxStream<'static, Event>) {
        let paused = events.filter(|event| {
            let ours = event.method == cdp::fetch::RequestPaused::METHOD
                && (self.sessions.holds(event) || self.is_of_browser(event.session.as_ref()));
            futures::future::ready(ours)
        });
        paused
            .for_each_concurrent(None, |event| async move {
                if let Some(session) = &event.session
                    && let Some(paused) = event.read()
                    && let Err(error) = self.handle(session, &paused).await
                {
                    tracing::debug!(%error, "a response went on as it was");
                }
            })
            .await;
    }

    async fn handle(
        &self,
        session: &SessionId,
        paused: &RequestPaused,
    ) -> Result<(), ProtocolError> {
        let request = paused.request_id.as_str();
        if let Some(input_replay) = self.input_replay.as_ref().filter(|_| is_request(paused)) {
            return self
                .answer_request(input_replay, session, paused, request)
                .await;
        }
        if is_request(paused) && self.is_held_back(paused) {
            return self.abort(session, request).await;
        }
        let replaced = match self.wanted(session, paused, request) {
            Some(paused)
                if !self.is_of_browser(Some(session)) || self.is_inner_worker(&paused).await =>
            {
                self.sources().awaits(&paused.url);
                let replaced = self.replace(&paused).await;
                self.sources().has(&paused.url);
                replaced
            }
            _ => Ok(false),
        };
        match replaced {
            Ok(true) => Ok(()),
            result => {
                let go_on = cdp::fetch::ContinueRequest::new(request);
                self.protocol.call(Some(session), &go_on).await?;
                result.map(|_| ())
            }
        }
    }

    /// Whether a request must not be sent: a decision is turned round, and it goes to a server that is not to be
    /// reached.
    fn is_held_back(&self, paused: &RequestPaused) -> bool {
        let sources = self.sources();
        let home = sources.confined_to();
        home.is_some_and(|home| !is_within(home, &paused.request.url))
    }

    /// A request that has not been sent: it is answered from the recording, or goes on.
    async fn answer_request(
        &self,
        input_replay: &InputReplay,
        session: &SessionId,
        paused: &RequestPaused,
        request: &str,
    ) -> Result<(), ProtocolError> {
        let Some(exchange) = input_replay.answer_to(session, paused).await else {
            if self.is_held_back(paused) {
                return self.abort(session, request).await;
            }
            input_replay.pass_on(session, paused).await?;
            return Ok(());
        };
        let headers = exchange.headers.iter();
        let headers = headers.map(|(name, value)| HeaderEntry::new(name, value));
        let answered = RequestPaused {
            response_status_code: Some(i64::from(exchange.status)),
            response_headers: Some(headers.collect()),
            ..paused.clone()
        };
        let rewritten = match self.wanted(session, &answered, request) {
            Some(paused) => self.rewritten_recorded(&paused, &exchange.body).await,
            None => None,
        };
        let body = rewritten.as_deref().unwrap_or(&exchange.body);
        let mut answer = fulfilled(request, &exchange, body);
        if rewritten.is_some() && self.is_for_person {
            take_map_header(&mut answer);
        }
        self.protocol.call(Some(session), &answer).await?;
        Ok(())
    }

    /// What a recorded body becomes; `None`: it stays as it is.
    async fn rewritten_recorded(&self, paused: &Paused, body: &[u8]) -> Option<Vec<u8>> {
        let content_type = header(&paused.headers, "content-type");
        if !may_hold_scripts(paused.kind, content_type) {
            return None;
        }
        if body.len() > LARGEST_BODY {
            self.goes_on(paused, TOO_LARGE);
            return None;
        }
        self.rewritten(paused, content_type, body).await
    }

    async fn abort(&self, session: &SessionId, request: &str) -> Result<(), ProtocolError> {
        let failed = cdp::fetch::FailRequest::new(request, ErrorReason::Aborted);
        self.protocol.call(Some(session), &failed).await?;
        Ok(())
    }

    fn is_of_browser(&self, session: Option<&SessionId>) -> bool {
        session.is_some() && session == self.sessions.browser()
    }

    /// Whether what the browser reports is the script of a worker of this page that was started by another worker.
    /// Everything else that is the page's is reported in a session of its own as well.
    async fn is_inner_worker(&self, paused: &Paused) -> bool {
        let asked = cdp::target::GetTargetInfo {
            target_id: Some(paused.frame.as_str().into()),
        };
        let described = self.protocol.call_browser(&asked).await;
        described.is_ok_and(|told| {
            let context = told.target_info.browser_context_id;
            told.target_info.r#type == "worker"
                && context.is_some_and(|it| it.0 == self.sessions.context)
        })
    }

    /// The response, if it may hold scripts.
    fn wanted(&self, session: &SessionId, told: &RequestPaused, request: &str) -> Option<Paused> {
        let status = u64::try_from(told.response_status_code?).ok()?;
        let resource = &told.resource_type;
        let kind = match resource {
            ResourceType::Document => ResponseKind::Document,
            ResourceType::Script | ResourceType::OtherKind => ResponseKind::Script,
            _ => return None,
        };
        let headers = told.response_headers.iter().flatten();
        let headers = headers.map(|header| (header.name.clone(), header.value.clone()));
        let headers: Vec<(String, String)> = headers.collect();
        let mut url = told.request.url.clone();
        if let Some(fragment) = url.find('#') {
            url.truncate(fragment);
        }
        let network = told.network_id.as_ref();
        let asked_at = network.and_then(|network| self.redirected().remove(&network.0));
        if let Some(network) = network.filter(|_| (300..400).contains(&status)) {
            let first = asked_at.clone().unwrap_or_else(|| url.clone());
            self.redirected().insert(network.0.clone(), first);
        }
        // A redirect has no body; an error page of a script is not run.
        let has_body = (200..300).contains(&status) && status != 204
            || kind == ResponseKind::Document && status >= 400;
        // An icon comes as this kind, too; a worker is not made of what does not say that it is a script.
        let is_other = *resource == ResourceType::OtherKind;
        let is_script = !is_other
            || header(&headers, "content-type").is_some_and(|kind| kind.contains("script"));
        let paused = (has_body && is_script).then(|| Paused {
            session: session.clone(),
            network: network.map(|it| it.0.clone()),
            request: request.to_owned(),
            frame: told
                .frame_id
                .as_ref()
                .map(|it| it.0.clone())
                .unwrap_or_default(),
            // What workers ask for comes under the page's session, but its network domain does not know it.
            of_frame: !is_other && network.is_some(),
            asked_at: asked_at.unwrap_or_else(|| url.clone()),
            url,
            kind,
            status,
            headers,
        });
        paused.filter(|paused| self.reaches(paused))
    }

    /// Rewrites and answers; `false` if the response is to go on as it is.
    async fn replace(&self, paused: &Paused) -> Result<bool, ProtocolError> {
        let content_type = header(&paused.headers, "content-type");
        self.begins_anew(paused);
        if !may_hold_scripts(paused.kind, content_type) {
            return Ok(false);
        }
        let untouchable = self.sources().why_untouchable(&paused.url);
        if let Some(reason) = untouchable {
            return Ok(self.goes_on(paused, reason));
        }
        let (session, request) = (&paused.session, &paused.request);
        let length = length_of(&paused.headers);
        let (bytes, taken) = match read_body(&self.protocol, session, request, length).await? {
            Body::Whole(bytes) => (bytes, false),
            Body::Taken(bytes) => (bytes, true),
            Body::Unreadable => return Ok(self.goes_on(paused, UNREADABLE)),
            Body::Broken => {
                self.goes_on(paused, UNREADABLE);
                self.abort(session, request).await?;
                return Ok(true);
            }
            Body::TooLarge => return Ok(self.goes_on(paused, TOO_LARGE)),
            Body::TooLargeAfterAll => {
                self.goes_on(paused, TOO_LARGE);
                self.sources().leave_alone(&paused.url, TOO_LARGE);
                self.abort(session, request).await?;
                return Ok(true);
            }
        };
        let rewritten = self.rewritten(paused, content_type, &bytes).await;
        if let (Reach::MainDocument(replaced), Some(network), true) =
            (&self.reach, &paused.network, rewritten.is_some())
        {
            replaced.keep(network, &bytes);
        }
        let tells_map = self.is_for_person && rewritten.is_some();
        let bytes = match rewritten {
            Some(rewritten) => rewritten,
            None if taken => bytes,
            None => return Ok(false),
        };
        let status = i64::try_from(paused.status).unwrap_or_default();
        let mut answer = cdp::fetch::FulfillRequest {
            response_headers: Some(kept_headers(&paused.headers, bytes.len())),
            body: Some(STANDARD.encode(&bytes)),
            ..cdp::fetch::FulfillRequest::new(paused.request.as_str(), status)
        };
        if tells_map {
            take_map_header(&mut answer);
        }
        let fulfilled = self.protocol.call(Some(session), &answer);
        match fulfilled.await {
            Err(ProtocolError::Refused { .. }) if taken => {
                self.goes_on(paused, UNREADABLE);
                self.abort(session, request).await?;
                Ok(true)
            }
            fulfilled => fulfilled.map(|_| true),
        }
    }

    /// What a body becomes; `None`: it stays as it is.
    async fn rewritten(
        &self,
        paused: &Paused,
        content_type: Option<&str>,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let is_module = {
            let mut sources = self.sources();
            if paused.kind == ResponseKind::Script {
                sources.redirected(&paused.asked_at, &paused.url);
            }
            sources.is_module(&paused.url)
        };
        let resource = match paused.kind {
            ResponseKind::Document => Resource::Document,
            // Whatever a worker runs is UTF-8.
            ResponseKind::Script if is_module || !paused.of_frame => Resource::ModuleScript,
            ResponseKind::Script => Resource::ClassicScript {
                fallback: self
                    .sources()
                    .charset(&paused.asked_at)
                    .and_then(encoding_for_label)
                    .unwrap_or_else(|| self.fallback(&paused.frame)),
            },
        };
        let decoded = decode(bytes, content_type, resource);
        if paused.kind == ResponseKind::Document {
            let document = FrameDocument {
                encoding: decoded.encoding,
            };
            self.documents().insert(paused.frame.clone(), document);
        }
        if self.is_bound(paused, &decoded.text) {
            self.goes_on(paused, BOUND);
            return None;
        }
        let stays = paused.kind == ResponseKind::Script
            && self
                .sources()
                .stays_elsewhere(&paused.url, &decoded.text, &mut self.seen());
        if stays {
            return None;
        }
        let map = match paused.kind {
            ResponseKind::Script => self.source_map(paused, &decoded.text).await,
            ResponseKind::Document => None,
        };
        let started = self.clock.now_ms();
        let rewritten = {
            let mut sources = self.sources();
            let mut seen = self.seen();
            let rewritten = sources
                .rewrite(
                    &paused.url,
                    &decoded.text,
                    paused.kind,
                    map,
                    self.capture,
                    &mut seen,
                )
                .map(|text| encode(&decoded, text));
            let shown = rewritten
                .is_some()
                .then(|| self.shown_as_written(&sources, paused))
                .flatten();
            match shown {
                Some(text) => Some(encode(&decoded, &text)),
                None => rewritten,
            }
        };
        self.seen().rewrite_ms += self.clock.now_ms() - started;
        rewritten?
            .inspect_err(|error| self.seen().blind(&paused.url, error.to_string()))
            .ok()
    }

    /// What a rewritten response becomes with its map, if it gets one.
    fn shown_as_written(&self, sources: &Sources, paused: &Paused) -> Option<String> {
        self.is_for_person
            .then(|| sources.shown_as_written(&paused.url))
            .flatten()
    }

    /// Lists a response that goes on as it is; `false`.
    fn goes_on(&self, paused: &Paused, reason: &str) -> bool {
        match paused.kind {
            ResponseKind::Script => self.seen().unhooked_script(&paused.url, reason),
            ResponseKind::Document => self.seen().blind(&paused.url, reason),
        }
        false
    }

    fn sources(&self) -> parking_lot::MutexGuard<'_, Sources> {
        self.sources.lock()
    }

    pub(super) fn seen(&self) -> parking_lot::MutexGuard<'_, SeenScripts> {
        self.seen.lock()
    }

    fn redirected(&self) -> parking_lot::MutexGuard<'_, HashMap<String, String>> {
        self.redirected.lock()
    }

    fn documents(&self) -> parking_lot::MutexGuard<'_, HashMap<String, FrameDocument>> {
        self.documents.lock()
    }

    fn fallback(&self, frame: &str) -> &'static encoding_rs::Encoding {
        let documents = self.documents();
        let document = documents.get(frame).or_else(|| documents.get(&self.frame));
        document.map_or(encoding_rs::WINDOWS_1252, |document| document.encoding)
    }

    /// The source map that a script names, or the response that holds it, if it can be had.
    async fn source_map(&self, paused: &Paused, script: &str) -> Option<SourceMap> {
        let url = paused.url.as_str();
        let named = || {
            let reference = MAP_HEADERS
                .into_iter()
                .find_map(|name| header(&paused.headers, name))?;
            Some(MapReference::of(reference.trim()))
        };
        let reference = find_source_mapping_url(script).or_else(named)?;
        let fetching = InFrame {
            protocol: self.protocol.as_ref(),
            session: &self.tab,
            frame: &self.frame,
        };
        let map = fetching.source_map(reference, url, LARGEST).await;
        map.inspect_err(|why| self.note_map(url, why)).ok()
    }

    fn note_map(&self, url: &str, why: &str) {
        tracing::info!(
            url,
            why,
            "no source map: lines are those of the script itself"
        );
    }
}

/// The address of a script that the browser refused because its digest is not the one that an element or an import map
/// gave.
pub(super) fn refused_for_its_digest(entry: &cdp::log::LogEntry) -> Option<&str> {
    const REFUSED: &str =
        "Failed to find a valid digest in the 'integrity' attribute for resource '";
    let url = entry.text.strip_prefix(REFUSED)?.split('\'').next()?;
    (entry.source == cdp::log::LogEntrySource::Security).then_some(url)
}

/// Whether what waits is a request, not its response.
pub(super) fn is_request(paused: &RequestPaused) -> bool {
    paused.response_status_code.is_none() && paused.response_error_reason.is_none()
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// The length of a body that is not packed, if it is told.
fn length_of(headers: &[(String, String)]) -> Option<usize> {
    let packed = header(headers, "content-encoding").unwrap_or_default();
    let length = header(headers, "content-length")?;
    match packed.trim() {
        "" | "identity" => length.trim().parse().ok(),
        _ => None,
    }
}

/// Takes from an answer the headers that name a map: the browser prefers them to what the script itself says.
fn take_map_header(answer: &mut cdp::fetch::FulfillRequest) {
    if let Some(headers) = &mut answer.response_headers {
        headers.retain(|header| {
            !MAP_HEADERS
                .iter()
                .any(|gone| header.name.eq_ignore_ascii_case(gone))
        });
    }
}

/// All responses of a kind.
/// Every request, before it is sent.
pub(super) fn every_request() -> RequestPattern {
    RequestPattern {
        url_pattern: Some("*".to_owned()),
        request_stage: Some(RequestStage::Request),
        ..RequestPattern::default()
    }
}

fn responses(kind: ResourceType) -> RequestPattern {
    RequestPattern {
        resource_type: Some(kind),
        request_stage: Some(RequestStage::Response),
        ..RequestPattern::default()
    }
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
