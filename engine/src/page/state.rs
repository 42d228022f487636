//! What a page's events have told: a pure fold over them.

use std::collections::{BTreeMap, BTreeSet};

use futures::channel::oneshot;
use recording::ScriptEvents;

use super::dialogs::{DialogAnswer, Dialogs};
use super::wanted::wanted_of;
use crate::sessions::Sessions;
use cdp::network::{
    Headers, LoadingFailed, LoadingFinished, RequestWillBeSent, ResourceType, ResponseReceived,
    ResponseReceivedExtraInfo,
};
use cdp::page::{
    FrameDetached, FrameId, FrameNavigated, FrameStartedNavigating,
    FrameStartedNavigatingNavigationType as NavigationKind, FrameStoppedLoading,
    JavascriptDialogOpening, LifecycleEvent, NavigatedWithinDocument, NavigationType, WindowOpen,
};
use cdp::target::{AttachedToTarget, DetachedFromTarget};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, ProtocolError, SessionFilter, SessionId, Wanted};

/// A target that belongs to the page but runs elsewhere: a worker, a popup, a cross-site frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildTarget {
    /// Its own session, if one was attached (a popup has none).
    pub session: Option<SessionId>,
    /// The protocol's word: `worker`, `service_worker`, `shared_worker`, `iframe`; `popup` for an opened window.
    pub kind: String,
    /// Where its code comes from.
    pub url: String,
}

/// What came of a navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOutcome {
    /// The address after redirects.
    pub url: String,
    /// The HTTP status of the document; `None` where there is none, as for `data:` and `file:`.
    pub status: Option<u16>,
}

/// What the page must do about an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    None,
    AnswerDialog(DialogAnswer),
    FollowChild { session: SessionId },
}

#[derive(Debug)]
enum End {
    Crashed,
    Closed,
}

/// Statuses of responses that ask for a name and a password.
const UNAUTHORIZED: u16 = 401;
const PROXY_UNAUTHORIZED: u16 = 407;
/// More addresses that asked for them are not kept.
const MOST_CHALLENGED: usize = 20;

/// Whether a refusal says how to authenticate; others are the application's own.
fn is_challenge(headers: &Headers) -> bool {
    headers.iter().any(|(name, _)| {
        name.eq_ignore_ascii_case("www-authenticate")
            || name.eq_ignore_ascii_case("proxy-authenticate")
    })
}

fn shortened(url: &str) -> String {
    const LONGEST: usize = 200;
    match url.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", url.get(..end).unwrap_or_default()),
        None => url.to_owned(),
    }
}

/// The fold.
#[derive(Debug)]
pub(crate) struct PageState {
    session: SessionId,
    main_frame: String,
    end: Option<End>,
    loader: String,
    /// How many documents the main frame has committed.
    pub(crate) loads: usize,
    /// How many times its address changed within the document.
    pub(crate) moves_within: usize,
    /// Whether the current document's `load` event has fired.
    pub(crate) loaded: bool,
    /// Whether the main frame is on its way to another document.
    pub(crate) navigating: bool,
    pub(crate) url: String,
    status: Option<(String, u16)>,
    /// The requests that are under way, and what they ask for.
    pub(crate) in_flight: BTreeMap<String, String>,
    /// What asked for a name and a password and got none, or wrong ones.
    pub(crate) challenged: BTreeSet<String>,
    /// The request of each child frame's document that is under way.
    documents: BTreeMap<String, String>,
    /// Requests that stay open for as long as the page likes.
    pub(crate) streams: BTreeSet<String>,
    /// Whether a debugger has stopped the page.
    pub(crate) paused: bool,
    pub(crate) children: Vec<ChildTarget>,
    /// Whether someone else sees to the children.
    pub(crate) holds_children: bool,
    pub(crate) dialogs: Dialogs,
    /// What scripts did that anybody can see.
    pub(crate) script_events: ScriptEvents,
    /// How many budgets of virtual time have been used up.
    pub(crate) budgets_expired: usize,
    pub(crate) waiters: Vec<oneshot::Sender<()>>,
}

/// What [`PageState::happened`] takes in: what the tab says, what else its targets start, and that the browser has
/// closed it.
pub(super) fn wanted(tab: &SessionId, sessions: &Sessions) -> Wanted {
    const OF_TAB: &[&str] = &[
        FrameStoppedLoading::METHOD,
        LifecycleEvent::METHOD,
        WindowOpen::METHOD,
        FrameDetached::METHOD,
        RequestWillBeSent::METHOD,
        cdp::debugger::Resumed::METHOD,
        LoadingFinished::METHOD,
        LoadingFailed::METHOD,
        ResponseReceivedExtraInfo::METHOD,
        ResponseReceived::METHOD,
        cdp::emulation::VirtualTimeBudgetExpired::METHOD,
    ];
    wanted_of(tab, OF_TAB)
        .and(sessions.own(), &[AttachedToTarget::METHOD])
        .and(SessionFilter::Browser, &[DetachedFromTarget::METHOD])
}

impl PageState {
    pub(crate) fn new(session: SessionId, main_frame: String) -> Self {
        Self {
            session,
            main_frame,
            end: None,
            loader: String::new(),
            loads: 0,
            moves_within: 0,
            loaded: true,
            navigating: false,
            url: "about:blank".to_owned(),
            status: None,
            in_flight: BTreeMap::new(),
            challenged: BTreeSet::new(),
            documents: BTreeMap::new(),
            streams: BTreeSet::new(),
            paused: false,
            children: Vec::new(),
            holds_children: false,
            dialogs: Dialogs::default(),
            script_events: ScriptEvents::default(),
            budgets_expired: 0,
            waiters: Vec::new(),
        }
    }

    /// Which requests have no answer yet, for an error: ` (no answer yet from A and B)`; empty if there are none.
    pub(crate) fn unanswered(&self) -> String {
        const MOST_NAMED: usize = 3;
        let urls: BTreeSet<&str> = self.in_flight.values().map(String::as_str).collect();
        let named: Vec<String> = urls
            .iter()
            .take(MOST_NAMED)
            .map(|url| match self.challenged.contains(*url) {
                true => format!("{}, which asks for a name and a password", shortened(url)),
                false => shortened(url),
            })
            .collect();
        let more = match urls.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match named.is_empty() {
            true => String::new(),
            false => format!(" (no answer yet from {}{more})", named.join(", ")),
        }
    }

    /// The error if the tab is gone, as an answer to `what`.
    pub(crate) fn ended(&self, what: &str) -> Option<ProtocolError> {
        let method = what.to_owned();
        self.end.as_ref().map(|end| match end {
            End::Crashed => ProtocolError::TargetCrashed { method },
            End::Closed => ProtocolError::SessionClosed { method },
        })
    }

    pub(crate) fn outcome(&self) -> LoadOutcome {
        let status = self
            .status
            .as_ref()
            .filter(|(loader, _)| *loader == self.loader)
            .map(|(_, status)| *status);
        LoadOutcome {
            url: self.url.clone(),
            status,
        }
    }

    /// Takes an event in; `None` if it is not about this page.
    pub(crate) fn happened(&mut self, event: &Event) -> Option<Reaction> {
        let child_session = |session: &SessionId| {
            self.children
                .iter()
                .any(|child| child.session.as_ref() == Some(session))
        };
        match &event.session {
            Some(session) if *session == self.session => {}
            Some(session) if event.is_a::<AttachedToTarget>() && child_session(session) => {}
            None if event.is_a::<DetachedFromTarget>() => {}
            _ => return None,
        }
        match event.method.as_str() {
            cdp::runtime::ConsoleApiCalled::METHOD => self.script_events.console += event.times,
            cdp::runtime::ExceptionThrown::METHOD => self.script_events.exceptions += event.times,
            cdp::inspector::TargetCrashed::METHOD => self.end = Some(End::Crashed),
            cdp::inspector::Detached::METHOD => self.closed(),
            DetachedFromTarget::METHOD => {
                let gone = event.read::<DetachedFromTarget>();
                match gone.is_some_and(|it| it.session_id == self.session) {
                    true => self.closed(),
                    false if event.session.is_none() => return None,
                    false => {}
                }
            }
            FrameStartedNavigating::METHOD => {
                if let Some(started) = event.read::<FrameStartedNavigating>()
                    && self.is_main(&started.frame_id)
                    && !matches!(
                        started.navigation_type,
                        NavigationKind::SameDocument | NavigationKind::HistorySameDocument
                    )
                {
                    self.navigating = true;
                }
            }
            FrameNavigated::METHOD => {
                if let Some(navigated) = event.read() {
                    self.navigated(navigated);
                }
            }
            NavigatedWithinDocument::METHOD => {
                if let Some(moved) = event.read::<NavigatedWithinDocument>()
                    && self.is_main(&moved.frame_id)
                {
                    self.url = moved.url;
                    self.moves_within += 1;
                }
            }
            // Also the end of a navigation that led nowhere: a download, a 204, one that was stopped.
            FrameStoppedLoading::METHOD => {
                if let Some(stopped) = event.read::<FrameStoppedLoading>()
                    && self.is_main(&stopped.frame_id)
                {
                    self.navigating = false;
                }
            }
            LifecycleEvent::METHOD => {
                if let Some(reached) = event.read::<LifecycleEvent>()
                    && self.is_main(&reached.frame_id)
                    && reached.name == "load"
                    && reached.loader_id.as_str() == self.loader
                {
                    self.loaded = true;
                }
            }
            WindowOpen::METHOD => {
                if let Some(opened) = event.read::<WindowOpen>() {
                    self.children.push(ChildTarget {
                        session: None,
                        kind: "popup".to_owned(),
                        url: opened.url,
                    });
                }
            }
            JavascriptDialogOpening::METHOD => {
                let opened = event.read()?;
                let answer = self.dialogs.opened(opened);
                return Some(answer.map_or(Reaction::None, Reaction::AnswerDialog));
            }
            // A frame that moves to a process of its own, or is removed, takes its document's request along.
            FrameDetached::METHOD => {
                if let Some(detached) = event.read::<FrameDetached>() {
                    self.frame_left(detached.frame_id.as_str());
                }
            }
            AttachedToTarget::METHOD => {
                if let Some(attached) = event.read::<AttachedToTarget>() {
                    return Some(self.attached(attached));
                }
            }
            RequestWillBeSent::METHOD => {
                if let Some(sent) = event.read() {
                    self.sent(sent);
                }
            }
            cdp::debugger::Paused::METHOD => self.paused = true,
            cdp::debugger::Resumed::METHOD => self.paused = false,
            LoadingFinished::METHOD => {
                if let Some(finished) = event.read::<LoadingFinished>() {
                    self.request_ended(finished.request_id.as_str());
                }
            }
            LoadingFailed::METHOD => {
                if let Some(failed) = event.read::<LoadingFailed>() {
                    self.request_ended(failed.request_id.as_str());
                }
            }
            ResponseReceivedExtraInfo::METHOD => {
                if let Some(more) = event.read::<ResponseReceivedExtraInfo>()
                    && matches!(more.status_code, UNAUTHORIZED | PROXY_UNAUTHORIZED)
                    && is_challenge(&more.headers)
                    && let Some(url) = self.in_flight.get(more.request_id.as_str())
                {
                    self.was_challenged(url.clone());
                }
            }
            ResponseReceived::METHOD => {
                if let Some(received) = event.read() {
                    self.received(received);
                }
            }
            cdp::emulation::VirtualTimeBudgetExpired::METHOD => self.budgets_expired += 1,
            _ => {}
        }
        Some(Reaction::None)
    }

    fn is_main(&self, frame: &FrameId) -> bool {
        frame.as_str() == self.main_frame
    }

    fn closed(&mut self) {
        if self.end.is_none() {
            self.end = Some(End::Closed);
        }
    }

    fn attached(&mut self, attached: AttachedToTarget) -> Reaction {
        let info = attached.target_info;
        let session = attached.session_id;
        self.frame_left(info.target_id.as_str());
        self.children.push(ChildTarget {
            session: Some(session.clone()),
            kind: info.r#type,
            url: info.url,
        });
        match self.holds_children {
            true => Reaction::None,
            false => Reaction::FollowChild { session },
        }
    }

    fn sent(&mut self, sent: RequestWillBeSent) {
        let request = sent.request_id.0;
        match sent.r#type {
            Some(ResourceType::EventSource) => {
                self.streams.insert(request);
            }
            // Nobody waits for an answer to a ping.
            Some(ResourceType::WebSocket | ResourceType::Ping) => {}
            // A worker's own script: its end is not reported here.
            _ if sent.loader_id.is_none_or(|it| it.0.is_empty()) => {}
            kind => {
                if kind == Some(ResourceType::Document)
                    && let Some(frame) = sent.frame_id
                    && !self.is_main(&frame)
                {
                    self.documents.insert(frame.0, request.clone());
                }
                self.in_flight.insert(request, sent.request.url);
            }
        }
    }

    fn request_ended(&mut self, request: &str) {
        self.in_flight.remove(request);
        self.streams.remove(request);
    }

    fn received(&mut self, received: ResponseReceived) {
        let response = received.response;
        let status = response.status;
        let url = response.url.unwrap_or_default();
        match status {
            UNAUTHORIZED | PROXY_UNAUTHORIZED
                if response.headers.as_ref().is_some_and(is_challenge) =>
            {
                self.was_challenged(url);
            }
            // It was told the name and the password then.
            _ => _ = self.challenged.remove(&url),
        }
        let Some(loader) = received.loader_id else {
            return;
        };
        if received.r#type == ResourceType::Document
            && received.request_id.as_str() == loader.as_str()
            && received.frame_id.is_some_and(|frame| self.is_main(&frame))
            && status > 0
        {
            self.status = Some((loader.0, status));
        }
    }

    fn was_challenged(&mut self, url: String) {
        if self.challenged.len() < MOST_CHALLENGED {
            self.challenged.insert(url);
        }
    }

    fn frame_left(&mut self, frame: &str) {
        if let Some(request) = self.documents.remove(frame) {
            self.in_flight.remove(&request);
        }
    }

    fn navigated(&mut self, navigated: FrameNavigated) {
        let frame = navigated.frame;
        if !self.is_main(&frame.id) {
            return;
        }
        self.loader = frame.loader_id.0;
        self.loads += 1;
        // A document that comes back from the back/forward cache was loaded before; it does not load again.
        self.loaded = navigated.r#type == Some(NavigationType::BackForwardCacheRestore);
        self.navigating = false;
        self.url = frame.url + frame.url_fragment.as_deref().unwrap_or_default();
        // The old document's requests are reported no more.
        let document = self.loader.clone();
        self.streams.clear();
        self.in_flight.retain(|request, _| *request == document);
        self.documents.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn state() -> PageState {
        PageState::new(SessionId("S".into()), "F".into())
    }

    fn event(method: &str, params: Value) -> Event {
        Event {
            session: Some(SessionId("S".into())),
            method: method.into(),
            params: Arc::new(params),
            times: 1,
        }
    }

    #[test]
    fn other_sessions_unknown_events_and_wrong_shapes_change_nothing() {
        let mut state = state();
        let mut foreign = event(cdp::inspector::TargetCrashed::METHOD, json!({}));
        foreign.session = Some(SessionId("T".into()));
        assert_eq!(state.happened(&foreign), None);
        for (method, params) in [
            ("Future.event", json!({"a": 1})),
            (cdp::page::FrameNavigated::METHOD, json!(null)),
            (
                cdp::network::ResponseReceived::METHOD,
                json!({"response": {"status": "no"}}),
            ),
            (cdp::page::LifecycleEvent::METHOD, json!([1])),
        ] {
            assert_eq!(
                state.happened(&event(method, params)),
                Some(Reaction::None),
                "{method}"
            );
        }
        assert!(state.ended("x").is_none());
        assert_eq!(state.loads, 0);
    }

    #[test]
    fn a_load_is_told_by_its_own_loader() {
        let mut state = state();
        let navigated = json!({"frame": {"id": "F", "loaderId": "L2", "url": "http://a/"}});
        let _ = state.happened(&event(cdp::page::FrameNavigated::METHOD, navigated));
        let load = |loader: &str| json!({"frameId": "F", "name": "load", "loaderId": loader});
        let _ = state.happened(&event(cdp::page::LifecycleEvent::METHOD, load("L1")));
        assert!(!state.loaded, "the load of an earlier document");
        let _ = state.happened(&event(cdp::page::LifecycleEvent::METHOD, load("L2")));
        assert!(state.loaded);
        assert_eq!(
            state.outcome(),
            LoadOutcome {
                url: "http://a/".into(),
                status: None
            }
        );
    }

    #[test]
    fn requests_that_never_end_are_not_counted() {
        let mut state = state();
        for (id, kind, loader) in [
            ("1", "Fetch", "L"),
            ("2", "EventSource", "L"),
            ("3", "Script", ""),
        ] {
            let _ = state.happened(&event(
                cdp::network::RequestWillBeSent::METHOD,
                json!({"requestId": id, "type": kind, "loaderId": loader, "timestamp": 1, "wallTime": 1,
                    "request": {"url": "http://a/x", "method": "GET"}}),
            ));
        }
        assert_eq!(state.in_flight.len(), 1);
        let _ = state.happened(&event(
            cdp::network::LoadingFailed::METHOD,
            json!({"requestId": "1"}),
        ));
        assert!(state.in_flight.is_empty());
    }

    #[test]
    fn a_frame_that_moves_to_another_process_takes_its_request_along() {
        let mut state = state();
        let request = json!({"requestId": "D", "type": "Document", "loaderId": "D", "frameId": "G", "timestamp": 1,
                "wallTime": 1, "request": {"url": "http://a/g", "method": "GET"}});
        let _ = state.happened(&event(cdp::network::RequestWillBeSent::METHOD, request));
        assert_eq!(state.in_flight.len(), 1);
        let moved = json!({"sessionId": "C", "targetInfo": {"type": "iframe", "targetId": "G", "title": "", "url": ""}});
        let _ = state.happened(&event(cdp::target::AttachedToTarget::METHOD, moved));
        assert!(state.in_flight.is_empty());
    }

    #[test]
    fn dialogs_are_answered_and_children_followed() {
        let mut state = state();
        let dialog = event(
            cdp::page::JavascriptDialogOpening::METHOD,
            json!({"type": "prompt", "defaultPrompt": "x"}),
        );
        assert_eq!(
            state.happened(&dialog),
            Some(Reaction::AnswerDialog(DialogAnswer {
                accept: true,
                text: "x".into()
            }))
        );
        let child = json!({"sessionId": "C", "targetInfo": {"type": "worker", "targetId": "W", "title": "", "url": "http://a/w.js"}});
        let session = SessionId("C".into());
        assert_eq!(
            state.happened(&event(cdp::target::AttachedToTarget::METHOD, child)),
            Some(Reaction::FollowChild {
                session: session.clone()
            })
        );
        assert_eq!(state.children[0].kind, "worker");
        // A child of the child is one of ours, too.
        let nested = Event {
            session: Some(session),
            method: cdp::target::AttachedToTarget::METHOD.into(),
            params: Arc::new(
                json!({"sessionId": "D", "targetInfo": {"type": "worker", "targetId": "V", "title": "", "url": "http://a/v.js"}}),
            ),
            times: 1,
        };
        assert!(state.happened(&nested).is_some());
        assert_eq!(state.children.len(), 2);
    }
}
