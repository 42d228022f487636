//! The tab that is recorded, with its frames of other sites and the tabs that it opens.

use agent::evaluated;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, join_all};
use recording::{Environment, Storage, Viewport};
use serde_json::{Value, json};

use super::network::Responses;
use super::tabs::{Tab, open_tab};
use super::{BINDING, TapeScript, WORLD, installed, viewport_of};
use crate::error::EngineError;
use crate::page::auto_attach;
use crate::replay::{environment_of, environment_params};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Event, Protocol, ProtocolError, SessionId, required_text};

const ADD_SCRIPT: &str = cdp::page::AddScriptToEvaluateOnNewDocument::METHOD;
const REMOVE_SCRIPT: &str = cdp::page::RemoveScriptToEvaluateOnNewDocument::METHOD;

pub(super) struct Targets {
    protocol: Arc<dyn Protocol>,
    script: String,
    context_id: String,
    /// Whether the tab was there before.
    is_taken: bool,
    /// The tab, which is also the id of its main frame.
    target_id: String,
    main: SessionId,
    /// What each document of the tab runs first.
    scripts: Vec<String>,
    /// What tells what the first document has stored, until it has.
    storage_script: Option<String>,
    viewport: Option<(u32, u32)>,
    others: HashMap<SessionId, Other>,
    /// Its workers, as far as they are recorded.
    workers: HashSet<SessionId>,
    pub(super) tape: TapeScript,
    is_closed: bool,
}

/// A tab that the page opened, or a frame of another site.
struct Other {
    target: String,
    /// The session of the page or frame that a frame is in; none: it is a tab.
    within: Option<SessionId>,
    /// What it shows.
    url: String,
    /// What each document of it runs first.
    scripts: Vec<String>,
}

impl Other {
    /// A tab that is being opened or closed shows a document without an address; it is called by the last that had one.
    fn shows(&mut self, url: &str) {
        if !url.is_empty() {
            url.clone_into(&mut self.url);
        }
    }
}

impl Targets {
    /// Opens a blank tab in a browser context of its own, in which every document will be recorded by `script`.
    pub(super) async fn open(
        protocol: Arc<dyn Protocol>,
        viewport: Option<(u32, u32)>,
        script: String,
        tape: TapeScript,
    ) -> Result<Self, EngineError> {
        let method = cdp::target::CreateBrowserContext::METHOD;
        // The browser disposes the context itself when our connection ends, however it ends.
        let params = json!({ "disposeOnDetach": true });
        let result = protocol.send(None, method, params).await?;
        let context_id = required_text(method, &result, "/browserContextId")?;
        let method = cdp::target::CreateTarget::METHOD;
        let params = json!({ "url": "about:blank", "browserContextId": context_id });
        let result = protocol.send(None, method, params).await?;
        let tab = Tab {
            target: required_text(method, &result, "/targetId")?,
            context: context_id,
            url: String::new(),
        };
        Self::attach(protocol, tab, false, viewport, script, tape).await
    }

    /// The tab that shows `page`, in which every further document will be recorded by `script`, and what the first one
    /// has stored.
    pub(super) async fn take(
        protocol: Arc<dyn Protocol>,
        page: &str,
        viewport: Option<(u32, u32)>,
        script: String,
        tape: TapeScript,
    ) -> Result<Self, EngineError> {
        let tab = open_tab(protocol.as_ref(), page).await?;
        let mut targets = Self::attach(protocol, tab, true, viewport, script, tape).await?;
        let source = format!(
            "if (window === window.parent) globalThis.{BINDING}(JSON.stringify({{ storage: {}() }}));",
            Storage::READING
        );
        let params = json!({ "source": source, "worldName": WORLD });
        let added = targets.send(ADD_SCRIPT, params).await?;
        targets.storage_script = Some(required_text(ADD_SCRIPT, &added, "/identifier")?);
        Ok(targets)
    }

    async fn attach(
        protocol: Arc<dyn Protocol>,
        tab: Tab,
        is_taken: bool,
        viewport: Option<(u32, u32)>,
        script: String,
        tape: TapeScript,
    ) -> Result<Self, EngineError> {
        let method = cdp::target::AttachToTarget::METHOD;
        let params = json!({ "targetId": tab.target, "flatten": true });
        let result = protocol.send(None, method, params).await?;
        let main = SessionId(required_text(method, &result, "/sessionId")?);
        let mut targets = Self {
            protocol,
            script,
            context_id: tab.context,
            is_taken,
            target_id: tab.target,
            main,
            scripts: Vec::new(),
            storage_script: None,
            viewport,
            others: HashMap::new(),
            workers: HashSet::new(),
            tape,
            is_closed: false,
        };
        targets.scripts = targets.install(&targets.main).await?;
        // Tabs that the page opens are no children of it, as the protocol sees it.
        let params = json!({
            "autoAttach": true, "flatten": true, "waitForDebuggerOnStart": true, "filter": [{ "type": "page" }],
        });
        targets
            .protocol
            .send(None, cdp::target::SetAutoAttach::METHOD, params)
            .await?;
        Ok(targets)
    }

    /// Has every document of a session recorded; the ids of the scripts that are run there first. All is queued at
    /// once: something new may not answer before it is let go.
    fn install<'t>(
        &'t self,
        session: &'t SessionId,
    ) -> impl Future<Output = Result<Vec<String>, ProtocolError>> + use<'t> {
        // What is in the tab that was taken is about to be loaded again.
        let is_recorded = !self.is_taken || *session != self.main;
        let attach = json!({ "autoAttach": true, "flatten": true, "waitForDebuggerOnStart": true });
        let binding = json!({ "name": BINDING, "executionContextName": WORLD });
        let mut commands = vec![
            (cdp::page::Enable::METHOD, json!({})),
            // Without it a world gets no binding (seen in Chromium 156).
            (cdp::runtime::Enable::METHOD, json!({})),
            (cdp::runtime::AddBinding::METHOD, binding),
            (ADD_SCRIPT, installed(&self.script, is_recorded)),
            (cdp::target::SetAutoAttach::METHOD, attach),
        ];
        if let Some(source) = &self.tape.source {
            let binding = json!({ "name": self.tape.binding });
            commands.push((cdp::runtime::AddBinding::METHOD, binding));
            let source = json!({ "source": source });
            commands.push((ADD_SCRIPT, source));
        }
        let sent: Vec<_> = commands
            .into_iter()
            .map(|(method, params)| self.protocol.send(Some(session), method, params))
            .collect();
        let network = self
            .tape
            .has_network
            .then(|| Responses::follow(self.protocol.as_ref(), session));
        async move {
            let mut scripts = Vec::new();
            for result in join_all(sent).await {
                let answer = result?;
                let id = answer.get("identifier").and_then(Value::as_str);
                scripts.extend(id.map(str::to_owned));
            }
            if let Some(network) = network {
                network.await?;
            }
            Ok(scripts)
        }
    }

    /// Goes to a page and comes back when that has begun; where the tab shows it already, it is loaded again.
    pub(super) async fn go_to(&self, url: &str) -> Result<(), EngineError> {
        if self.is_taken {
            self.send(cdp::page::Reload::METHOD, json!({})).await?;
            return Ok(());
        }
        let result = self
            .send(cdp::page::Navigate::METHOD, json!({ "url": url }))
            .await?;
        match result.get("errorText").and_then(Value::as_str) {
            Some(why) if !why.is_empty() => Err(EngineError::PageNotLoaded {
                url: url.to_owned(),
                why: why.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    async fn send(&self, method: &str, params: Value) -> Result<Value, ProtocolError> {
        self.protocol.send(Some(&self.main), method, params).await
    }

    /// The page's size; gives it the one that was asked for.
    pub(super) async fn viewport(&self) -> Result<Viewport, ProtocolError> {
        if let Some((width, height)) = self.viewport {
            let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
            self.send(cdp::emulation::SetDeviceMetricsOverride::METHOD, size)
                .await?;
        }
        let metrics = self
            .send(cdp::page::GetLayoutMetrics::METHOD, json!({}))
            .await?;
        let number = |pointer: &str| metrics.pointer(pointer).and_then(Value::as_f64);
        let scale = match (
            number("/layoutViewport/clientWidth"),
            number("/cssLayoutViewport/clientWidth"),
        ) {
            (Some(device), Some(css)) if css > 0.0 && device > 0.0 && self.viewport.is_none() => {
                device / css
            }
            _ => 1.0,
        };
        Ok(viewport_of(&metrics, self.viewport, scale))
    }

    /// What the browser's clock says, in milliseconds since 1970, if it tells.
    pub(super) async fn browser_time_ms(&self) -> Result<Option<f64>, ProtocolError> {
        let params = json!({ "expression": evaluated("Date.now()"), "silent": true });
        let answer = self.evaluate_apart(params).await?;
        Ok(answer.pointer("/result/value").and_then(Value::as_f64))
    }

    /// What the browser tells a page of the person.
    pub(super) async fn environment(&self) -> Result<Environment, ProtocolError> {
        let answer = self.evaluate_apart(environment_params()).await?;
        Ok(environment_of(&answer))
    }

    /// Evaluates in a world of our own in the document that is there, which may be anybody's.
    async fn evaluate_apart(&self, mut params: Value) -> Result<Value, ProtocolError> {
        let world = json!({ "frameId": self.target_id, "worldName": "querypoint look" });
        let world = self
            .send(cdp::page::CreateIsolatedWorld::METHOD, world)
            .await?;
        params["contextId"] = world.get("executionContextId").cloned().unwrap_or_default();
        self.send(cdp::runtime::Evaluate::METHOD, params).await
    }

    /// What the tab shows, with the fragment of its address.
    pub(super) async fn address(&self) -> Result<String, EngineError> {
        let method = cdp::page::GetNavigationHistory::METHOD;
        let history = self.send(method, json!({})).await?;
        let current = history.get("currentIndex").and_then(Value::as_u64);
        let pointer = format!("/entries/{}/url", current.unwrap_or_default());
        Ok(required_text(method, &history, &pointer)?)
    }

    /// [`Self::address`], once the tab has one: one that is on its way to its first page shows a blank document before,
    /// and loading that again would come to nothing.
    pub(super) async fn first_address(&self, clock: &dyn Clock) -> Result<String, EngineError> {
        const LONGEST_MS: f64 = 30_000.0;
        const PAUSE: Duration = Duration::from_millis(20);
        let start = clock.now_ms();
        loop {
            let address = self.address().await?;
            let is_blank = address.is_empty() || address == "about:blank";
            let is_going = is_blank && self.address_and_title().await?.0 != address;
            if !is_going || clock.now_ms() - start > LONGEST_MS {
                return Ok(address);
            }
            clock.sleep(PAUSE).await;
        }
    }

    /// Whether nothing was told before of what is stored; nothing will be told from now on.
    pub(super) fn is_first_told_storage(&mut self) -> bool {
        let Some(script) = self.storage_script.take() else {
            return false;
        };
        let params = json!({ "identifier": script });
        drop(self.protocol.send(Some(&self.main), REMOVE_SCRIPT, params));
        true
    }

    /// The address and the title of the main document.
    pub(super) async fn address_and_title(&self) -> Result<(String, String), ProtocolError> {
        let params = json!({ "targetId": self.target_id });
        let result = self
            .protocol
            .send(None, cdp::target::GetTargetInfo::METHOD, params)
            .await?;
        let text = |pointer: &str| {
            let text = result.pointer(pointer).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        Ok((text("/targetInfo/url"), text("/targetInfo/title")))
    }

    pub(super) fn main(&self) -> &SessionId {
        &self.main
    }

    pub(super) fn main_frame(&self) -> &str {
        &self.target_id
    }

    /// What a recording calls the page of a session, or the one that a frame is in; `None`: it is none of the page's.
    pub(super) fn name(&self, session: &SessionId) -> Option<String> {
        let mut session = session;
        while *session != self.main {
            let other = self.others.get(session)?;
            match &other.within {
                None => return Some(other.url.clone()),
                Some(around) => session = around,
            }
        }
        Some("main".to_owned())
    }

    /// Whether a session is of one of the page's realms.
    pub(super) fn has(&self, session: &SessionId) -> bool {
        *session == self.main || self.others.contains_key(session) || self.workers.contains(session)
    }

    /// Whether that is the tab, or one that the page opened.
    fn has_tab(&self, target: &str) -> bool {
        let mut others = self.others.values();
        target == self.target_id
            || others.any(|other| other.target == target && other.within.is_none())
    }

    /// Something stands still: a worker before its first script is given its tape.
    pub(super) async fn stands(&self, event: &Event) -> Result<(), ProtocolError> {
        if let Some(source) = &self.tape.source {
            self.tape.workers.put(event, source).await?;
        }
        Ok(())
    }

    /// Something new waits before its first script: it is recorded if it is the page's, and let go.
    pub(super) async fn attached(&mut self, event: &Event) -> Result<(), ProtocolError> {
        let session = SessionId(event.text("/sessionId").to_owned());
        if session == self.main {
            return Ok(());
        }
        let target = event.text("/targetInfo/targetId").to_owned();
        let is_ours = target != self.target_id
            && match self.is_taken {
                // Beside it the user does other things.
                true => {
                    let around = event.session.as_ref();
                    around.is_some_and(|around| self.has(around))
                        || self.has_tab(event.text("/targetInfo/openerId"))
                }
                false => event.text("/targetInfo/browserContextId") == self.context_id,
            };
        let kind = event.text("/targetInfo/type");
        let go = cdp::runtime::RunIfWaitingForDebugger::METHOD;
        if !(is_ours && matches!(kind, "page" | "iframe")) {
            if is_ours && matches!(kind, "worker" | "shared_worker") {
                self.follow_worker(&session);
            }
            let gone = self.protocol.send(Some(&session), go, json!({}));
            return gone.await.map(drop);
        }
        let other = Other {
            target,
            within: event.session.clone().filter(|_| kind == "iframe"),
            url: event.text("/targetInfo/url").to_owned(),
            scripts: Vec::new(),
        };
        self.others.insert(session.clone(), other);
        let installed = self.install(&session);
        let gone = self.protocol.send(Some(&session), go, json!({}));
        let (installed, gone) = futures::join!(installed, gone);
        if let Some(other) = self.others.get_mut(&session) {
            other.scripts = installed?;
        }
        gone.map(drop)
    }

    fn follow_worker(&mut self, session: &SessionId) {
        if self.tape.source.is_none() && !self.tape.has_network {
            return;
        }
        self.workers.insert(session.clone());
        if self.tape.source.is_some() {
            self.tape.workers.expect(session);
        }
        if self.tape.has_network {
            drop(Responses::follow(self.protocol.as_ref(), session));
        }
        let attach = auto_attach(true);
        let method = cdp::target::SetAutoAttach::METHOD;
        drop(self.protocol.send(Some(session), method, attach));
    }

    /// A tab that was opened, or a frame of another site, shows another document.
    pub(super) fn moved(&mut self, event: &Event) {
        let other = event
            .session
            .as_ref()
            .and_then(|session| self.others.get_mut(session));
        if let Some(other) = other
            && event.text("/frame/id") == other.target
        {
            other.shows(event.text("/frame/url"));
        }
    }

    /// The browser says what a target shows, whichever session it says it to.
    pub(super) fn informed(&mut self, event: &Event) {
        let target = event.text("/targetInfo/targetId");
        for other in self.others.values_mut().filter(|it| it.target == target) {
            other.shows(event.text("/targetInfo/url"));
        }
    }

    /// Something is no more; if it is a tab that the page opened, what it showed.
    pub(super) fn detached(&mut self, event: &Event) -> Option<String> {
        let session = SessionId(event.text("/sessionId").to_owned());
        let other = self.others.remove(&session)?;
        other.within.is_none().then_some(other.url)
    }

    /// The addresses in the tab's history, and which of them is shown; `None`: the browser does not say just now.
    pub(super) async fn history(&self) -> Result<Option<(Vec<String>, usize)>, ProtocolError> {
        let history = match self
            .send(cdp::page::GetNavigationHistory::METHOD, json!({}))
            .await
        {
            Ok(history) => history,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => return Ok(None),
        };
        let entries = history.get("entries").and_then(Value::as_array);
        let url = |entry: &Value| Some(entry.get("url")?.as_str()?.to_owned());
        let urls = entries.map(|entries| entries.iter().filter_map(url).collect());
        let index = history.get("currentIndex").and_then(Value::as_u64);
        Ok(urls.zip(index.and_then(|index| usize::try_from(index).ok())))
    }

    /// Whether an event says that the tab is no more.
    pub(super) fn is_main_gone(&self, event: &Event) -> bool {
        event.text("/sessionId") == self.main.0
            || event.text("/targetId") == self.target_id
            || event.method == cdp::inspector::Detached::METHOD
                && event.session.as_ref() == Some(&self.main)
    }

    /// Closes the tab and what it opened, if they are still there and the tab is ours; what others open waits for us no
    /// longer.
    pub(super) async fn close(mut self, is_open: bool) {
        self.is_closed = true;
        let ended = join_all(self.farewell()).await;
        if let Some(Err(error)) = ended.last()
            && is_open
        {
            tracing::debug!(%error, "the recorded tab was not closed");
        }
    }

    /// Queues the commands that end it.
    fn farewell(&self) -> Vec<BoxFuture<'_, Result<Value, ProtocolError>>> {
        let let_go =
            json!({ "autoAttach": false, "flatten": true, "waitForDebuggerOnStart": false });
        let mut queued = vec![
            self.protocol
                .send(None, cdp::target::SetAutoAttach::METHOD, let_go),
        ];
        if self.is_taken {
            let opened = self.others.iter();
            let opened = opened.filter(|(_, other)| other.within.is_none());
            for (session, other) in opened {
                self.give_back(session, &other.scripts, &other.url, &mut queued);
            }
            self.give_back(&self.main, &self.scripts, "http", &mut queued);
        } else {
            let context = json!({ "browserContextId": self.context_id });
            let dispose = cdp::target::DisposeBrowserContext::METHOD;
            queued.push(self.protocol.send(None, dispose, context));
        }
        queued
    }

    /// Queues what leaves a tab of the user's to them: without what recorded it, and loaded again, for its random
    /// numbers were made of what the recording holds.
    fn give_back<'a>(
        &'a self,
        session: &'a SessionId,
        scripts: &[String],
        url: &str,
        queued: &mut Vec<BoxFuture<'a, Result<Value, ProtocolError>>>,
    ) {
        for script in scripts {
            let script = json!({ "identifier": script });
            queued.push(self.protocol.send(Some(session), REMOVE_SCRIPT, script));
        }
        // What a script has written into a blank tab would not come again.
        if url.starts_with("http") {
            queued.push(
                self.protocol
                    .send(Some(session), cdp::page::Reload::METHOD, json!({})),
            );
        }
        let session = json!({ "sessionId": session.0 });
        let detach = cdp::target::DetachFromTarget::METHOD;
        queued.push(self.protocol.send(None, detach, session));
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        if !self.is_closed {
            drop(self.farewell());
        }
    }
}
