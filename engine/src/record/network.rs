//! What the page asks of servers while it is recorded, and what it is answered with.
//!
//! The page's requests go their way; what came is asked of the browser afterwards, which keeps it beyond the document
//! that asked for it (`enableDurableMessages`).

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt};
use recording::{Exchange, Har, RequestKey, is_secret_name};

use super::loads::{LONGEST_MS, Loaded, Loads};
use crate::bodies::ReplacedBodies;
use crate::recorded_inputs::request_key;
use crate::streams::bytes_of;
use cdp::network::{
    LoadingFailed, LoadingFinished, RequestWillBeSent, ResourceType, Response, ResponseReceived,
    ResponseReceivedExtraInfo,
};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, Clock, Event, Protocol, ProtocolError, SessionId, SessionSet, Wanted,
};

/// The most that is kept of bodies, in bytes of what is unpacked.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// The most requests: a page cannot fill the memory.
const MOST_EXCHANGES: usize = 50_000;

/// Records the responses of one page, in all its sessions.
pub(super) struct Responses {
    protocol: Arc<dyn Protocol>,
    /// Whether cookies are kept.
    with_secrets: bool,
    /// The origin that is left out: we serve it ourselves, from files.
    ours: Option<String>,
    state: Mutex<ResponsesState>,
    /// What bodies were that were changed on their way in.
    replaced: ReplacedBodies,
}

#[derive(Default)]
struct ResponsesState {
    open: HashMap<(SessionId, String), Open>,
    done: Vec<Answered>,
    requests: usize,
    /// Where only what belongs to the present document is kept.
    present: Option<Present>,
    bytes: usize,
    /// Bodies that are being read.
    reading: usize,
    too_many: usize,
    lost: usize,
    /// Responses that set cookies which are not kept.
    cookies: usize,
}

/// The present document of a tab that is recorded as long as it is debugged.
struct Present {
    loads: Loads,
    /// The number of the request that asked for a document last.
    asked: usize,
    /// The first request that belongs to the present document, and when that was asked for, in milliseconds since 1970;
    /// none: nothing is recorded of it.
    since: Option<(usize, f64)>,
    /// What names it.
    loader: String,
}

impl Present {
    /// Whether a request that is made at this time is recorded, the one after `requests` others.
    fn records(&self, requests: usize, at_ms: f64) -> bool {
        let is_recorded = |(first, since_ms): (usize, f64)| {
            requests - first.min(requests) < MOST_EXCHANGES && at_ms - since_ms <= LONGEST_MS
        };
        self.loads.is_pending() || self.since.is_some_and(is_recorded)
    }
}

/// A request that was answered.
struct Answered {
    number: usize,
    loader: String,
    exchange: Exchange,
}

/// A request that is under way.
struct Open {
    number: usize,
    /// The document that it belongs to; empty: that is not told.
    loader: String,
    key: RequestKey,
    kind: String,
    started_ms: f64,
    began_s: f64,
    status: u16,
    status_text: String,
    headers: Vec<(String, String)>,
    cookies: Vec<String>,
}

/// What tells of requests and responses.
pub(super) const EVENTS: [&str; 5] = [
    RequestWillBeSent::METHOD,
    ResponseReceived::METHOD,
    ResponseReceivedExtraInfo::METHOD,
    LoadingFailed::METHOD,
    LoadingFinished::METHOD,
];

/// What [`Responses::run`] takes in.
pub(super) fn wanted(sessions: &SessionSet) -> Wanted {
    Wanted::of(sessions, &EVENTS)
}

/// The same, where only what belongs to the present document is kept.
pub(super) fn wanted_of_present(tab: &SessionId) -> Wanted {
    Wanted::of(tab, &EVENTS).and(tab, &super::loads::EVENTS)
}

impl Responses {
    pub(super) fn new(
        protocol: Arc<dyn Protocol>,
        with_secrets: bool,
        ours: Option<String>,
    ) -> Self {
        Self {
            protocol,
            with_secrets,
            ours,
            state: Mutex::default(),
            replaced: ReplacedBodies::default(),
        }
    }

    /// The same, but of what was recorded only that is kept which belongs to the present document of a tab. `replaced`
    /// has what bodies were that somebody changes there on their way in.
    pub(super) fn of_present(
        protocol: Arc<dyn Protocol>,
        loads: Loads,
        replaced: ReplacedBodies,
    ) -> Self {
        let this = Self {
            replaced,
            ..Self::new(protocol, false, None)
        };
        this.state().present = Some(Present {
            loads,
            asked: 0,
            since: None,
            loader: String::new(),
        });
        this
    }

    /// Has the requests of a session told. The commands are queued at the call.
    pub(super) fn follow<'p>(
        protocol: &'p dyn Protocol,
        session: &'p SessionId,
    ) -> impl Future<Output = Result<(), ProtocolError>> + use<'p> {
        let most = i64::try_from(MOST_BYTES).ok();
        let lasting = cdp::network::Enable {
            enable_durable_messages: Some(true),
            max_total_buffer_size: most,
            max_resource_buffer_size: most,
            ..cdp::network::Enable::default()
        };
        // A browser in which responses do not outlive their documents refuses the second.
        let sent = [cdp::network::Enable::default(), lasting]
            .map(|enable| protocol.call(Some(session), &enable));
        async move {
            let [plain, lasting] = sent;
            plain.await?;
            match lasting.await {
                Err(error) if error.is_fatal() => Err(error),
                _ => Ok(()),
            }
        }
    }

    /// Records until the connection ends.
    pub(super) async fn run(&self, events: BoxStream<'static, Event>) {
        let finished = events.filter_map(|event| {
            let finished = self.happened(&event);
            futures::future::ready(finished)
        });
        finished
            .for_each_concurrent(None, |(session, request, open, time_ms)| async move {
                self.read(&session, &request, open, time_ms).await;
            })
            .await;
    }

    /// Waits until the bodies are read that have come, for a second at most; for a shorter time, until those have come
    /// whose beginning has: a page may have read a body to its end before the browser says that it has ended.
    pub(super) async fn settle(&self, clock: &dyn Clock) {
        const LONGEST_MS: f64 = 1000.0;
        const LONGEST_FOR_AN_END_MS: f64 = 300.0;
        const PAUSE: Duration = Duration::from_millis(5);
        let start_ms = clock.now_ms();
        loop {
            let waited_ms = clock.now_ms() - start_ms;
            let is_waited_for = {
                let state = self.state();
                let has_begun = state.open.values().any(|open| open.status >= 200);
                state.reading > 0 || has_begun && waited_ms < LONGEST_FOR_AN_END_MS
            };
            if !is_waited_for || waited_ms >= LONGEST_MS {
                return;
            }
            clock.sleep(PAUSE).await;
        }
    }

    /// Drops what was recorded of the present document; nothing more is recorded of it.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.keep(|_, _| false);
        if let Some(present) = &mut state.present {
            present.since = None;
        }
    }

    /// All that was recorded.
    pub(super) fn finished(&self) -> Har {
        let mut state = self.state();
        state.done.sort_by_key(|it| it.number);
        let done = std::mem::take(&mut state.done);
        state.har(done.into_iter().map(|it| it.exchange))
    }

    /// A copy of what was recorded so far.
    pub(super) fn so_far(&self) -> Har {
        let mut state = self.state();
        state.done.sort_by_key(|it| it.number);
        state.har(state.done.iter().map(|it| it.exchange.clone()))
    }

    fn state(&self) -> MutexGuard<'_, ResponsesState> {
        self.state.lock()
    }

    /// Takes an event in; a request that is answered, with the time that it took.
    fn happened(&self, event: &Event) -> Option<(SessionId, String, Open, f64)> {
        let session = event.session.as_ref()?;
        self.state().follow_document(event);
        match event.method.as_str() {
            RequestWillBeSent::METHOD => {
                let sent = event.read::<RequestWillBeSent>()?;
                let id = (session.clone(), sent.request_id.0);
                if let Some(response) = &sent.redirect_response {
                    self.redirected(&id, response);
                }
                let key = request_key(&sent.request)?;
                let is_ours = self.ours.as_ref().is_some_and(|ours| {
                    let path = key.url.strip_prefix(ours.as_str());
                    path.is_some_and(|path| path.starts_with('/'))
                });
                let kind = sent.r#type.as_ref();
                let is_stream = matches!(
                    kind,
                    Some(ResourceType::EventSource | ResourceType::WebSocket)
                );
                let started_ms = sent.wall_time * 1000.0;
                let mut state = self.state();
                let is_recorded = match &state.present {
                    None => state.requests < MOST_EXCHANGES,
                    Some(present) => present.records(state.requests, started_ms),
                };
                state.requests += 1;
                if !is_ours && !is_stream && is_recorded {
                    let open = Open {
                        number: state.requests,
                        loader: sent.loader_id.map(|it| it.0).unwrap_or_default(),
                        key,
                        kind: kind.map_or("", |it| it.as_str()).to_ascii_lowercase(),
                        started_ms,
                        began_s: sent.timestamp,
                        status: 0,
                        status_text: String::new(),
                        headers: Vec::new(),
                        cookies: Vec::new(),
                    };
                    state.open.insert(id, open);
                }
            }
            ResponseReceived::METHOD => {
                let received = event.read::<ResponseReceived>()?;
                let id = (session.clone(), received.request_id.0);
                if let Some(open) = self.state().open.get_mut(&id) {
                    open.answered(&received.response);
                }
            }
            // Only here cookies are told.
            ResponseReceivedExtraInfo::METHOD => {
                let more = event.read::<ResponseReceivedExtraInfo>()?;
                let id = (session.clone(), more.request_id.0);
                let mut headers = more.headers.iter();
                let cookies = headers.find(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
                if let Some(cookies) = cookies.and_then(|(_, cookies)| cookies.as_str()) {
                    let mut state = self.state();
                    state.cookies += usize::from(!self.with_secrets);
                    if let Some(open) = state.open.get_mut(&id).filter(|_| self.with_secrets) {
                        open.cookies = cookies.lines().map(str::to_owned).collect();
                    }
                }
            }
            LoadingFailed::METHOD => {
                let failed = event.read::<LoadingFailed>()?;
                self.state()
                    .open
                    .remove(&(session.clone(), failed.request_id.0));
            }
            LoadingFinished::METHOD => {
                let finished = event.read::<LoadingFinished>()?;
                let id = (session.clone(), finished.request_id.0);
                let mut state = self.state();
                let open = state.open.remove(&id).filter(|open| open.status >= 200)?;
                state.reading += 1;
                let time_ms = (finished.timestamp - open.began_s) * 1000.0;
                return Some((id.0, id.1, open, time_ms));
            }
            _ => {}
        }
        None
    }

    /// A request that goes on elsewhere was answered with that.
    fn redirected(&self, id: &(SessionId, String), response: &Response) {
        let open = self.state().open.remove(id);
        if let Some(mut open) = open {
            open.answered(response);
            self.keep(open, 0.0, Vec::new());
        }
    }

    async fn read(&self, session: &SessionId, request: &str, mut open: Open, time_ms: f64) {
        let body = match self.replaced.take(request) {
            Some(body) => {
                // It is that of what came in its place.
                let is_length = |name: &str| name.eq_ignore_ascii_case("content-length");
                open.headers.retain(|(name, _)| !is_length(name));
                body
            }
            None => {
                let whole = cdp::network::GetResponseBody::new(request);
                let told = self.protocol.call(Some(session), &whole).await;
                told.ok()
                    .and_then(|it| bytes_of(it.body, it.base64_encoded))
            }
        };
        self.state().reading -= 1;
        match body {
            Some(body) => self.keep(open, time_ms, body),
            // What has no body is not kept by every browser.
            None if matches!(open.status, 204 | 205) || open.key.method == "HEAD" => {
                self.keep(open, time_ms, Vec::new());
            }
            None => self.state().lost += 1,
        }
    }

    fn keep(&self, open: Open, time_ms: f64, body: Vec<u8>) {
        let mut state = self.state();
        if state.bytes.saturating_add(body.len()) > MOST_BYTES {
            state.too_many += 1;
            return;
        }
        state.bytes += body.len();
        let mut headers = open.headers;
        if !self.with_secrets {
            headers.retain(|(name, _)| !is_secret_name(name));
        }
        let request = match self.with_secrets {
            true => open.key,
            false => open.key.without_secrets(),
        };
        let cookies = open.cookies.into_iter();
        headers.extend(cookies.map(|cookie| ("Set-Cookie".to_owned(), cookie)));
        let exchange = Exchange {
            request,
            kind: open.kind,
            started_ms: open.started_ms,
            time_ms,
            status: open.status,
            status_text: open.status_text,
            headers,
            body,
        };
        state.done.push(Answered {
            number: open.number,
            loader: open.loader,
            exchange,
        });
    }
}

impl ResponsesState {
    /// Drops what belongs to a document that is not there any more.
    fn follow_document(&mut self, event: &Event) {
        let requests = self.requests;
        let Some(present) = &mut self.present else {
            return;
        };
        match present.loads.take(event) {
            None | Some(Loaded::Continued) => {}
            // This request is counted next.
            Some(Loaded::Asked) => present.asked = requests + 1,
            Some(Loaded::Begun(load)) => {
                let first = present.asked;
                present.since = Some((first, load.asked_ms));
                let former = std::mem::replace(&mut present.loader, load.loader);
                self.keep(|number, loader| number >= first && loader != former);
            }
            Some(Loaded::Unknown) => {
                present.since = None;
                self.keep(|_, _| false);
            }
        }
    }

    /// These exchanges, and what is missing among them.
    fn har(&self, exchanges: impl Iterator<Item = Exchange>) -> Har {
        let mut missing = Vec::new();
        for (count, what) in [
            (
                self.too_many,
                "responses left out, for there is more than 128 MiB of them",
            ),
            (self.lost, "responses that could not be read"),
            (self.cookies, "responses whose cookies were left out"),
        ] {
            if count > 0 {
                missing.push(format!("{what}: {count}"));
            }
        }
        Har {
            exchanges: exchanges.collect(),
            comment: (!missing.is_empty()).then(|| missing.join("; ")),
        }
    }

    /// Keeps the requests that are to be kept, by their numbers and what names their documents.
    fn keep(&mut self, is_kept: impl Fn(usize, &str) -> bool) {
        self.open
            .retain(|_, open| is_kept(open.number, &open.loader));
        self.done.retain(|it| is_kept(it.number, &it.loader));
        self.bytes = self.done.iter().map(|it| it.exchange.body.len()).sum();
        (self.too_many, self.lost, self.cookies) = (0, 0, 0);
    }
}

impl Open {
    fn answered(&mut self, response: &Response) {
        // What is no status is none that is kept.
        self.status = Some(response.status)
            .filter(|it| *it < 600)
            .unwrap_or_default();
        self.status_text = response.status_text.clone().unwrap_or_default();
        let headers = response.headers.iter().flatten();
        self.headers = headers
            .flat_map(|(name, values)| {
                // Several of one name come as lines.
                let values = values.as_str().unwrap_or_default().lines();
                values.map(|value| (name.clone(), value.to_owned()))
            })
            .collect();
    }
}
