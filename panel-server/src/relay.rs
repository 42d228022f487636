//! The tab that a person debugs, spoken to through their panel: it passes on what is said, either way, without looking
//! into it.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use cdp_driver::native::TokioClock;
use cdp_driver::protocol::{Event, Listeners, Offers, Protocol, ProtocolError, SessionId, Wanted};
use engine::bodies::ReplacedBodies;
use engine::inspected::{Inside, InspectedTab, Selection};
use engine::record::tab::{PresentRecording, TabRecording, follow_tab};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use querypoint::session::messages::{News, Refusal, RefusalCode};
use querypoint::session::methods::{
    Break, EndSelecting, Live, Look, LookInside, Method, SelectElement, Unbreak,
};
use querypoint::session::results::{BreakpointSet, Expanded, Nothing, TabRecorded, TabState};
use querypoint::session::tab::asked_at_r;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A panel that passes on. When it is dropped, nothing is said to the tab any more.
pub(crate) struct Relay {
    connection: Arc<Connection>,
    tab: Arc<InspectedTab>,
    /// What is recorded of it.
    recording: TabRecording,
    following: [JoinHandle<()>; 2],
    /// What scripts of the tab were that get hooks.
    replaced: ReplacedBodies,
    /// What gives them theirs.
    hooking: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Relay {
    /// Follows where the tab behind a panel stops. What is to be said to the panel comes out of `news`.
    pub(crate) fn new(news: mpsc::UnboundedSender<News>) -> Self {
        let connection = Arc::new(Connection {
            news: news.clone(),
            listeners: Listeners::default(),
            state: Mutex::default(),
        });
        let tab = Arc::new(InspectedTab::new(connection.clone(), tab()));
        let followed = tab.clone();
        let (recording, orders) = TabRecording::new();
        let recorded = connection.clone();
        let replaced = ReplacedBodies::default();
        let replaced_there = replaced.clone();
        let of_recording = news.clone();
        let following = tokio::spawn(async move {
            let mut tell = |stop: Option<_>| {
                let stop = stop.map(Box::new);
                // A panel that is gone needs no news.
                let _ = news.send(News::Stopped { stop });
            };
            // A tab that cannot be debugged does not stop.
            let _ = followed.follow_stops(&mut tell).await;
        });
        let recording_it = tokio::spawn(async move {
            let mut tell = |present: Option<PresentRecording>| {
                let recorded = present.map(|it| TabRecorded {
                    load: it.load,
                    url: it.url,
                    steps: it.steps,
                    is_full: it.is_full,
                });
                // A panel that is gone needs no news.
                let _ = of_recording.send(News::Recorded { recorded });
            };
            let clock = Arc::new(TokioClock::new());
            // A tab that cannot be recorded is not.
            let tab = self::tab();
            let _ = follow_tab(recorded, clock, tab, orders, replaced_there, &mut tell).await;
        });
        Self {
            connection,
            tab,
            recording,
            following: [following, recording_it],
            replaced,
            hooking: Arc::default(),
        }
    }

    /// What is recorded of the tab.
    pub(crate) const fn recording(&self) -> &TabRecording {
        &self.recording
    }

    /// What the tab answered to a command.
    pub(crate) fn answered(&self, command: u64, answer: Result<Value, String>) {
        let waiting = self.connection.state().waiting.remove(&command);
        if let Some((method, waiting)) = waiting {
            let answer = answer.map_err(|message| ProtocolError::Refused {
                method,
                code: 0,
                message,
            });
            // Whoever wanted it may have gone.
            let _ = waiting.send(answer);
        }
    }

    /// What the tab said by itself.
    pub(crate) fn event(&self, method: String, params: Value) {
        let event = Event {
            session: Some(tab()),
            method,
            params: Arc::new(params),
            times: 1,
        };
        self.connection.listeners.tell(&event);
    }
}

/// A method that the tab has to answer for.
pub(crate) trait InTab: Method {
    /// Asks the tab; ready when it has answered.
    fn ask(
        self,
        relay: &Relay,
    ) -> impl Future<Output = Result<Self::Result, Refusal>> + Send + 'static;
}

impl InTab for Break {
    fn ask(
        self,
        relay: &Relay,
    ) -> impl Future<Output = Result<BreakpointSet, Refusal>> + Send + 'static {
        let tab = relay.tab.clone();
        let Self { url, line, runs_as } = self;
        async move {
            let set = tab.set_breakpoint(&url, runs_as.as_deref(), line).await;
            let set = set.map_err(|error| Refusal::new(RefusalCode::Failed, error))?;
            Ok(BreakpointSet {
                breakpoint: set.id,
                line: set.line,
            })
        }
    }
}

impl InTab for Unbreak {
    fn ask(self, relay: &Relay) -> impl Future<Output = Result<Nothing, Refusal>> + Send + 'static {
        let tab = relay.tab.clone();
        async move {
            let removed = tab.remove_breakpoint(&self.breakpoint).await;
            removed.map_err(|error| Refusal::new(RefusalCode::Failed, error))?;
            Ok(Nothing {})
        }
    }
}

impl InTab for Look {
    fn ask(
        self,
        relay: &Relay,
    ) -> impl Future<Output = Result<TabState, Refusal>> + Send + 'static {
        let tab = relay.tab.clone();
        let asked = self.query.as_deref().and_then(asked_at_r);
        async move {
            let asked = asked.as_ref();
            let asked = asked.map(|(reference, frame)| (reference.as_str(), *frame));
            Ok(TabState {
                variables: tab.look(asked).await,
            })
        }
    }
}

impl InTab for LookInside {
    fn ask(
        self,
        relay: &Relay,
    ) -> impl Future<Output = Result<Expanded, Refusal>> + Send + 'static {
        let tab = relay.tab.clone();
        let inside = Inside {
            expression: self.expression,
            frame: self.frame,
            from: self.from,
            filter: self.filter,
        };
        async move {
            let expanded = tab.expand(&inside).await;
            let expanded = expanded.map_err(|error| Refusal::new(RefusalCode::Failed, error))?;
            Ok(Expanded {
                variables: expanded.properties,
                of: expanded.of,
                notes: Vec::new(),
            })
        }
    }
}

impl InTab for SelectElement {
    fn ask(self, relay: &Relay) -> impl Future<Output = Result<Nothing, Refusal>> + Send + 'static {
        let (tab, news) = (relay.tab.clone(), relay.connection.news.clone());
        async move {
            let selecting = tab.select_element().await;
            let refused = |error: ProtocolError| Refusal::new(RefusalCode::Failed, error);
            let selecting = selecting.map_err(refused)?;
            // It ends with the connection to the tab, if not before.
            tokio::spawn(async move {
                let (element, cancelled) = match tab.selection(selecting).await {
                    Selection::Element(element) => (element, false),
                    Selection::Cancelled => (None, true),
                };
                // A panel that is gone needs no news.
                let _ = news.send(News::Selected { element, cancelled });
            });
            Ok(Nothing {})
        }
    }
}

impl InTab for EndSelecting {
    fn ask(self, relay: &Relay) -> impl Future<Output = Result<Nothing, Refusal>> + Send + 'static {
        let tab = relay.tab.clone();
        async move {
            tab.end_selecting();
            Ok(Nothing {})
        }
    }
}

impl InTab for Live {
    fn ask(self, relay: &Relay) -> impl Future<Output = Result<Nothing, Refusal>> + Send + 'static {
        let (tab, hooking) = (relay.tab.clone(), relay.hooking.clone());
        let replaced = relay.replaced.clone();
        async move {
            let refused = |error: ProtocolError| Refusal::new(RefusalCode::Failed, error);
            let before = hooking.lock().take();
            match self.on {
                true => {
                    let clock = Arc::new(TokioClock::new());
                    let run = tab.hook(clock, replaced).await.map_err(refused)?;
                    *hooking.lock() = Some(tokio::spawn(run.run()));
                }
                false => tab.unhook(true).await.map_err(refused)?,
            }
            // What is not let in any more waits for nobody.
            if let Some(before) = before {
                before.abort();
            }
            Ok(Nothing {})
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let hooking = self.hooking.lock().take();
        for following in self.following.iter().chain(&hooking) {
            following.abort();
        }
        self.connection.end();
    }
}

/// The one session there is.
fn tab() -> SessionId {
    SessionId("tab".to_owned())
}

struct Connection {
    news: mpsc::UnboundedSender<News>,
    listeners: Listeners,
    state: Mutex<RelayState>,
}

#[derive(Default)]
struct RelayState {
    next: u64,
    /// Commands without an answer yet: their names, and who waits.
    waiting: HashMap<u64, (String, oneshot::Sender<Result<Value, ProtocolError>>)>,
    /// Whether the panel is gone.
    is_over: bool,
}

impl Connection {
    fn state(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock()
    }

    /// Whoever waits for an answer hears that there is none, and no listener is told anything more.
    fn end(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.waiting.clear();
        self.listeners.end();
    }
}

impl Protocol for Connection {
    fn send<'a>(
        &'a self,
        _session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        let (answer, answered) = oneshot::channel();
        let command = {
            let mut state = self.state();
            state.next += 1;
            let command = state.next;
            // An answer that is dropped says that the panel is gone.
            if !state.is_over {
                state.waiting.insert(command, (method.to_owned(), answer));
            }
            command
        };
        let name = method.to_owned();
        let sent = self.news.send(News::Command {
            command,
            name,
            params,
        });
        Box::pin(async move {
            let lost = || ProtocolError::ConnectionLost {
                reason: "the panel is gone".to_owned(),
            };
            sent.map_err(|_| lost())?;
            answered.await.map_err(|_| lost())?
        })
    }

    fn offers(&self) -> Offers {
        Offers::one_tab(String::new())
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        // Held while it is added, so that no listener outlives the panel.
        let state = self.state();
        self.listeners.add(wanted, state.is_over)
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use serde_json::json;

    use super::*;

    /// The next news but for the commands that the recording begins with.
    async fn next(news: &mut mpsc::UnboundedReceiver<News>) -> Option<News> {
        loop {
            match news.recv().await {
                Some(News::Command { name, .. }) if name.starts_with("Page.") => {}
                news => return news,
            }
        }
    }

    #[tokio::test]
    async fn a_stop_comes_through_the_panel() {
        let (sender, mut news) = mpsc::unbounded_channel();
        let relay = Relay::new(sender);
        let Some(News::Command { command, name, .. }) = next(&mut news).await else {
            panic!();
        };
        assert_eq!(name, "Debugger.enable");
        relay.answered(command, Ok(json!({})));
        // What nobody asked for is nobody's.
        relay.answered(99, Ok(json!({})));
        let script = json!({ "scriptId": "9", "url": "http://h/app.js", "startLine": 0, "startColumn": 0,
            "executionContextId": 1, "hash": "" });
        relay.event("Debugger.scriptParsed".to_owned(), script);
        let frame = json!({
            "callFrameId": "1", "functionName": "pay", "url": "",
            "location": { "scriptId": "9", "lineNumber": 21, "columnNumber": 4 },
            "scopeChain": [{ "type": "local", "object": { "type": "object", "objectId": "scope" } }],
            "this": { "type": "undefined" },
        });
        let paused = json!({ "reason": "other", "callFrames": [frame] });
        relay.event("Debugger.paused".to_owned(), paused);
        let Some(News::Command { command, name, .. }) = next(&mut news).await else {
            panic!();
        };
        assert_eq!(name, "Runtime.getProperties");
        relay.answered(command, Ok(json!({ "result": [] })));
        let Some(News::Stopped { stop: Some(stop) }) = next(&mut news).await else {
            panic!();
        };
        assert_eq!(stop.point().as_deref(), Some("app.js:22:5"));
        relay.event("Debugger.resumed".to_owned(), json!({}));
        let told = next(&mut news).await;
        assert!(
            matches!(told, Some(News::Stopped { stop: None })),
            "{told:?}"
        );
    }

    #[tokio::test]
    async fn a_breakpoint_is_set_through_the_panel_unless_that_goes() {
        let (sender, mut news) = mpsc::unbounded_channel();
        let relay = Relay::new(sender);
        let mut command = async |wanted: &str| match next(&mut news).await {
            Some(News::Command { command, name, .. }) if name == wanted => command,
            other => panic!("{other:?}"),
        };
        command("Debugger.enable").await;
        let set = tokio::spawn(
            Break {
                url: "http://h/app.js".to_owned(),
                line: 3,
                runs_as: None,
            }
            .ask(&relay),
        );
        let number = command("Debugger.setBreakpointByUrl").await;
        let answer =
            json!({ "breakpointId": "b", "locations": [{ "scriptId": "9", "lineNumber": 3 }] });
        relay.answered(number, Ok(answer));
        let set = set.await.unwrap().unwrap();
        assert_eq!((set.breakpoint.as_str(), set.line), ("b", 4));
        let breakpoint = "b".to_owned();
        let removed = tokio::spawn(Unbreak { breakpoint }.ask(&relay));
        command("Debugger.removeBreakpoint").await;
        drop(relay);
        let refusal = removed.await.unwrap().unwrap_err();
        assert!(refusal.message.contains("the panel is gone"), "{refusal:?}");
    }

    /// Nobody reads what waits here, as while the page is paused.
    #[tokio::test]
    async fn what_a_tab_does_by_the_hundred_thousand_takes_one_place() {
        const TIMES: u64 = 100_000;
        let (sender, mut news) = mpsc::unbounded_channel();
        let relay = Relay::new(sender);
        let Some(News::Command { .. }) = next(&mut news).await else {
            panic!();
        };
        let counting = Wanted::of(&tab(), &["Runtime.exceptionThrown", "Debugger.resumed"])
            .counting(&["Runtime.exceptionThrown"]);
        let mut counted = relay.connection.events_of(counting);
        let mut other = relay
            .connection
            .events_of(Wanted::of(&tab(), &["Debugger.resumed"]));
        for _ in 0..TIMES {
            relay.event("Runtime.exceptionThrown".to_owned(), json!({ "a": 1 }));
        }
        relay.event("Debugger.resumed".to_owned(), json!({}));
        drop(relay);
        let mut told = Vec::new();
        while let Some(event) = counted.next().await {
            told.push((event.method, event.times));
        }
        let resumed = ("Debugger.resumed".to_owned(), 1);
        assert_eq!(
            told,
            [("Runtime.exceptionThrown".to_owned(), TIMES), resumed]
        );
        let told = other.next().await.map(|event| event.method);
        assert_eq!(told.as_deref(), Some("Debugger.resumed"));
        assert_eq!(other.next().await, None);
    }

    #[tokio::test]
    async fn nobody_waits_for_a_panel_that_is_gone() {
        let (sender, _news) = mpsc::unbounded_channel();
        let relay = Relay::new(sender);
        let connection = relay.connection.clone();
        drop(relay);
        let answer = connection.send(None, "Page.enable", json!({})).await;
        assert!(
            matches!(answer, Err(ProtocolError::ConnectionLost { .. })),
            "{answer:?}"
        );
        assert_eq!(connection.events().next().await, None);
    }

    #[tokio::test]
    async fn a_tab_that_cannot_be_debugged_is_left_alone() {
        let (sender, mut news) = mpsc::unbounded_channel();
        let relay = Relay::new(sender);
        let Some(News::Command { command, .. }) = next(&mut news).await else {
            panic!();
        };
        relay.answered(command, Err("Another debugger is attached".to_owned()));
        relay.event("Debugger.paused".to_owned(), json!({}));
        drop(relay);
        assert!(next(&mut news).await.is_none());
    }
}
