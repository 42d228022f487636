//! What a page's events have told: a pure fold over them.

use std::collections::{BTreeMap, BTreeSet};

use futures::channel::oneshot;
use recording::ScriptEvents;
use serde_json::Value;

use super::dialogs::{DialogAnswer, Dialogs};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, ProtocolError, SessionId};

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
const UNAUTHORIZED: u64 = 401;
const PROXY_UNAUTHORIZED: u64 = 407;
/// More addresses that asked for them are not kept.
const MOST_CHALLENGED: usize = 20;

/// Whether a refusal says how to authenticate; others are the application's own.
fn is_challenge(headers: Option<&Value>) -> bool {
    let headers = headers.and_then(Value::as_object);
    headers.into_iter().flatten().any(|(name, _)| {
        name.eq_ignore_ascii_case("www-authenticate")
            || name.eq_ignore_ascii_case("proxy-authenticate")
    })
}

/// An address as an error shows it.
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
            Some(session)
                if event.method == cdp::target::AttachedToTarget::METHOD
                    && child_session(session) => {}
            None if event.method == cdp::target::DetachedFromTarget::METHOD
                && event.text("/sessionId") == self.session.0 => {}
            _ => return None,
        }
        let main = event.text("/frameId") == self.main_frame;
        match event.method.as_str() {
            cdp::runtime::ConsoleApiCalled::METHOD => self.script_events.console += 1,
            cdp::runtime::ExceptionThrown::METHOD => self.script_events.exceptions += 1,
            cdp::inspector::TargetCrashed::METHOD => self.end = Some(End::Crashed),
            cdp::inspector::Detached::METHOD | cdp::target::DetachedFromTarget::METHOD => {
                let ours = event.method == cdp::inspector::Detached::METHOD
                    || event.text("/sessionId") == self.session.0;
                if ours && self.end.is_none() {
                    self.end = Some(End::Closed);
                }
            }
            cdp::page::FrameStartedNavigating::METHOD
                if main
                    && !matches!(
                        event.text("/navigationType"),
                        "sameDocument" | "historySameDocument"
                    ) =>
            {
                self.navigating = true;
            }
            cdp::page::FrameNavigated::METHOD => self.navigated(event),
            cdp::page::NavigatedWithinDocument::METHOD if main => {
                self.url = event.text("/url").to_owned();
                self.moves_within += 1;
            }
            // Also the end of a navigation that led nowhere: a download, a 204, one that was stopped.
            cdp::page::FrameStoppedLoading::METHOD if main => self.navigating = false,
            cdp::page::LifecycleEvent::METHOD
                if main
                    && event.text("/name") == "load"
                    && event.text("/loaderId") == self.loader =>
            {
                self.loaded = true;
            }
            cdp::page::WindowOpen::METHOD => self.children.push(ChildTarget {
                session: None,
                kind: "popup".to_owned(),
                url: event.text("/url").to_owned(),
            }),
            cdp::page::JavascriptDialogOpening::METHOD => {
                return Some(Reaction::AnswerDialog(self.dialogs.opened(event)));
            }
            // A frame that moves to a process of its own, or is removed, takes its document's request along.
            cdp::page::FrameDetached::METHOD => self.frame_left(event.text("/frameId")),
            cdp::target::AttachedToTarget::METHOD => {
                self.frame_left(event.text("/targetInfo/targetId"));
                let session = SessionId(event.text("/sessionId").to_owned());
                self.children.push(ChildTarget {
                    session: Some(session.clone()),
                    kind: event.text("/targetInfo/type").to_owned(),
                    url: event.text("/targetInfo/url").to_owned(),
                });
                if !self.holds_children {
                    return Some(Reaction::FollowChild { session });
                }
            }
            cdp::network::RequestWillBeSent::METHOD => {
                let request = event.text("/requestId").to_owned();
                match event.text("/type") {
                    "EventSource" => {
                        self.streams.insert(request);
                    }
                    // Nobody waits for an answer to a ping.
                    "WebSocket" | "Ping" => {}
                    // A worker's own script: its end is not reported here.
                    _ if event.text("/loaderId").is_empty() => {}
                    kind => {
                        if kind == "Document" && !main {
                            let frame = event.text("/frameId").to_owned();
                            self.documents.insert(frame, request.clone());
                        }
                        let url = event.text("/request/url").to_owned();
                        self.in_flight.insert(request, url);
                    }
                }
            }
            cdp::debugger::Paused::METHOD => self.paused = true,
            cdp::debugger::Resumed::METHOD => self.paused = false,
            cdp::network::LoadingFinished::METHOD | cdp::network::LoadingFailed::METHOD => {
                self.in_flight.remove(event.text("/requestId"));
                self.streams.remove(event.text("/requestId"));
            }
            cdp::network::ResponseReceivedExtraInfo::METHOD => {
                let status = event.params.get("statusCode").and_then(Value::as_u64);
                let url = self.in_flight.get(event.text("/requestId"));
                if let (Some(UNAUTHORIZED | PROXY_UNAUTHORIZED), Some(url)) = (status, url.cloned())
                    && is_challenge(event.params.get("headers"))
                {
                    self.was_challenged(url);
                }
            }
            cdp::network::ResponseReceived::METHOD => {
                let status = event.params.pointer("/response/status");
                let status = status.and_then(Value::as_u64);
                let url = event.text("/response/url");
                match status {
                    Some(UNAUTHORIZED | PROXY_UNAUTHORIZED)
                        if is_challenge(event.params.pointer("/response/headers")) =>
                    {
                        self.was_challenged(url.to_owned());
                    }
                    // It was told the name and the password then.
                    _ => _ = self.challenged.remove(url),
                }
                if event.text("/type") == "Document"
                    && event.text("/requestId") == event.text("/loaderId")
                    && event.text("/frameId") == self.main_frame
                    && let Some(status) = event
                        .params
                        .pointer("/response/status")
                        .and_then(Value::as_u64)
                    && let Ok(status) = u16::try_from(status)
                    && status > 0
                {
                    self.status = Some((event.text("/loaderId").to_owned(), status));
                }
            }
            cdp::emulation::VirtualTimeBudgetExpired::METHOD => self.budgets_expired += 1,
            _ => {}
        }
        Some(Reaction::None)
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

    fn navigated(&mut self, event: &Event) {
        if event.text("/frame/id") != self.main_frame {
            return;
        }
        self.loader = event.text("/frame/loaderId").to_owned();
        self.loads += 1;
        // A document that comes back from the back/forward cache was loaded before; it does not load again.
        self.loaded = event.text("/type") == "BackForwardCacheRestore";
        self.navigating = false;
        self.url = format!(
            "{}{}",
            event.text("/frame/url"),
            event.text("/frame/urlFragment")
        );
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

    use serde_json::json;

    use super::*;

    fn state() -> PageState {
        PageState::new(SessionId("S".into()), "F".into())
    }

    fn event(method: &str, params: Value) -> Event {
        Event {
            session: Some(SessionId("S".into())),
            method: method.into(),
            params: Arc::new(params),
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
                json!({"requestId": id, "type": kind, "loaderId": loader}),
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
        let request =
            json!({"requestId": "D", "type": "Document", "loaderId": "D", "frameId": "G"});
        let _ = state.happened(&event(cdp::network::RequestWillBeSent::METHOD, request));
        assert_eq!(state.in_flight.len(), 1);
        let moved = json!({"sessionId": "C", "targetInfo": {"type": "iframe", "targetId": "G"}});
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
        let child =
            json!({"sessionId": "C", "targetInfo": {"type": "worker", "url": "http://a/w.js"}});
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
                json!({"sessionId": "D", "targetInfo": {"type": "worker", "url": "http://a/v.js"}}),
            ),
        };
        assert!(state.happened(&nested).is_some());
        assert_eq!(state.children.len(), 2);
    }
}
