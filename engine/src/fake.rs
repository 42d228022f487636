//! A browser in memory, for tests of the engine: it answers as scripted, and time passes when it is told to.

pub(crate) mod transcript;

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::{Value, json};

use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Clock, Event, Listeners, Offers, Protocol, ProtocolError, SessionId, Wanted,
};

/// What happens when a command is sent.
#[derive(Default)]
pub(crate) struct Script {
    events: Vec<Event>,
    /// `None`: no answer until the connection is lost.
    answer: Option<Result<Value, ProtocolError>>,
}

#[derive(Default)]
struct Inner {
    scripts: HashMap<String, VecDeque<Script>>,
    sent: Vec<(Option<String>, String, Value)>,
    listeners: Listeners,
    waiting: Vec<oneshot::Sender<ProtocolError>>,
    lost: Option<ProtocolError>,
    has_one_tab: bool,
}

/// The fake. Commands without a script are answered with what opening a page needs, or with `{}`.
#[derive(Default)]
pub(crate) struct FakeProtocol(Mutex<Inner>);

/// The session that the fake gives its one page.
pub(crate) const SESSION: &str = "session";
/// The target, and so the main frame, of its one page.
pub(crate) const TARGET: &str = "target";

/// An event of the page.
pub(crate) fn event(method: &str, params: Value) -> Event {
    Event {
        session: Some(SessionId(SESSION.into())),
        method: method.into(),
        params: Arc::new(params),
        times: 1,
    }
}

impl FakeProtocol {
    /// The next time `method` is sent: `events`, then `answer`.
    pub(crate) fn on(
        &self,
        method: &str,
        events: Vec<Event>,
        answer: Option<Result<Value, ProtocolError>>,
    ) {
        let mut inner = self.0.lock();
        inner
            .scripts
            .entry(method.to_owned())
            .or_default()
            .push_back(Script { events, answer });
    }

    /// Says this; how many listeners it is kept for.
    pub(crate) fn emit(&self, event: &Event) -> usize {
        self.0.lock().listeners.tell(event)
    }

    /// One that has sessions of one tab and offers nothing of the browser around it.
    pub(crate) fn of_one_tab() -> Self {
        let fake = Self::default();
        fake.0.lock().has_one_tab = true;
        fake
    }

    /// What was sent to the browser itself: the names of the commands.
    pub(crate) fn sent_to_browser(&self) -> Vec<String> {
        let inner = self.0.lock();
        let to_browser = inner.sent.iter().filter(|(session, ..)| session.is_none());
        to_browser.map(|(_, method, _)| method.clone()).collect()
    }

    /// The connection is gone.
    pub(crate) fn lose(&self, error: &ProtocolError) {
        let mut inner = self.0.lock();
        inner.lost = Some(error.clone());
        inner.listeners.end();
        for waiting in inner.waiting.drain(..) {
            let _ = waiting.send(error.clone());
        }
    }

    /// The same of one session.
    pub(crate) fn sent_in(&self, session: &SessionId, method: &str) -> Vec<Value> {
        let inner = self.0.lock();
        let of_it = inner
            .sent
            .iter()
            .filter(|(of, sent, _)| sent == method && of.as_deref() == Some(session.0.as_str()));
        of_it.map(|(.., params)| params.clone()).collect()
    }

    /// The parameters with which `method` was sent, each time.
    pub(crate) fn sent(&self, method: &str) -> Vec<Value> {
        let inner = self.0.lock();
        inner
            .sent
            .iter()
            .filter(|(_, sent, _)| sent == method)
            .map(|(.., params)| params.clone())
            .collect()
    }
}

impl Protocol for FakeProtocol {
    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let script = {
            let mut inner = self.0.lock();
            inner.sent.push((
                session.map(|session| session.0.clone()),
                method.to_owned(),
                params,
            ));
            if let Some(error) = inner.lost.clone() {
                return Box::pin(async move { Err(error) });
            }
            inner.scripts.get_mut(method).and_then(VecDeque::pop_front)
        };
        let answer = match script {
            None => Some(Ok(match method {
                cdp::target::CreateBrowserContext::METHOD => {
                    json!({ "browserContextId": "context" })
                }
                cdp::target::CreateTarget::METHOD => json!({ "targetId": TARGET }),
                cdp::target::AttachToTarget::METHOD => json!({ "sessionId": SESSION }),
                cdp::runtime::Evaluate::METHOD
                | cdp::debugger::EvaluateOnCallFrame::METHOD
                | cdp::runtime::CallFunctionOn::METHOD => {
                    json!({ "result": { "type": "undefined" } })
                }
                cdp::page::AddScriptToEvaluateOnNewDocument::METHOD => {
                    json!({ "identifier": "script" })
                }
                cdp::target::AttachToBrowserTarget::METHOD => json!({ "sessionId": "browser" }),
                cdp::debugger::SetInstrumentationBreakpoint::METHOD => {
                    json!({ "breakpointId": "first script" })
                }
                cdp::page::GetFrameTree::METHOD => {
                    let frame = json!({ "id": TARGET, "loaderId": "loader", "url": "about:blank" });
                    json!({ "frameTree": { "frame": frame } })
                }
                cdp::network::LoadNetworkResource::METHOD => json!({ "resource": {} }),
                cdp::runtime::GetProperties::METHOD => json!({ "result": [] }),
                _ => json!({}),
            })),
            Some(script) => {
                for event in &script.events {
                    self.emit(event);
                }
                script.answer
            }
        };
        match answer {
            Some(answer) => Box::pin(async move { answer }),
            None => {
                let (sender, receiver) = oneshot::channel();
                self.0.lock().waiting.push(sender);
                Box::pin(async move { Err(receiver.await.unwrap()) })
            }
        }
    }

    fn offers(&self) -> Offers {
        match self.0.lock().has_one_tab {
            true => Offers::one_tab(TARGET.to_owned()),
            false => Offers::everything(),
        }
    }

    fn renew_tab(&self) -> BoxFuture<'_, Result<SessionId, ProtocolError>> {
        Box::pin(async { Ok(SessionId(SESSION.into())) })
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        let inner = self.0.lock();
        inner.listeners.add(wanted, inner.lost.is_some())
    }
}

/// A clock that does not move by itself.
#[derive(Default)]
pub(crate) struct FakeClock(Mutex<(f64, Vec<Sleeper>)>);

/// Until when, and whom to wake.
type Sleeper = (f64, oneshot::Sender<()>);

impl FakeClock {
    /// Lets time pass; sleeps that are over then are ready.
    pub(crate) fn advance(&self, duration: Duration) {
        let mut inner = self.0.lock();
        inner.0 += duration.as_secs_f64() * 1000.0;
        let now = inner.0;
        let (over, asleep) = std::mem::take(&mut inner.1)
            .into_iter()
            .partition(|(until, _)| *until <= now);
        inner.1 = asleep;
        let over: Vec<Sleeper> = over;
        for (_, sleeper) in over {
            let _ = sleeper.send(());
        }
    }
}

impl FakeClock {
    /// Lets time pass up to the end of the sleep that is over first, if that is not more than `most` away and somebody
    /// still waits for it; whether there was one.
    pub(crate) fn advance_to_next(&self, most: Duration) -> bool {
        let wait = {
            let mut inner = self.0.lock();
            inner.1.retain(|(_, sleeper)| !sleeper.is_canceled());
            let next = inner.1.iter().map(|(until, _)| *until);
            next.min_by(f64::total_cmp)
                .map(|until| (until - inner.0).max(0.0))
        };
        match wait {
            Some(wait) if wait <= most.as_secs_f64() * 1000.0 => {
                // Rounded up, so that it is over.
                self.advance(Duration::from_secs_f64(wait / 1000.0) + Duration::from_nanos(1000));
                true
            }
            _ => false,
        }
    }
}

impl Clock for FakeClock {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let (sender, receiver) = oneshot::channel();
        let mut inner = self.0.lock();
        let until = inner.0 + duration.as_secs_f64() * 1000.0;
        inner.1.push((until, sender));
        Box::pin(async move {
            if receiver.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn now_ms(&self) -> f64 {
        self.0.lock().0
    }
}

/// A page of a new fake.
pub(crate) fn page() -> (Arc<FakeProtocol>, Arc<FakeClock>, super::page::Page) {
    page_of(FakeProtocol::default())
}

/// A page of this fake.
pub(crate) fn page_of(
    protocol: FakeProtocol,
) -> (Arc<FakeProtocol>, Arc<FakeClock>, super::page::Page) {
    let (protocol, clock) = (Arc::new(protocol), Arc::new(FakeClock::default()));
    let page =
        futures::executor::block_on(super::page::Page::open(protocol.clone(), clock.clone()))
            .unwrap();
    (protocol, clock, page)
}
