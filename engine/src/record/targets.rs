//! The tab that is recorded, with its frames of other sites and the tabs that it opens.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::future::{BoxFuture, join, join_all};
use recording::Storage;

use super::network::Responses;
use super::tabs::{Tab, open_tab};
use super::{InputScript, NAMES, Names, installed};
use crate::error::EngineError;
use crate::page::{attach_to, auto_attach, only, open_context};
use cdp::page::{
    AddScriptToEvaluateOnNewDocument as AddScript,
    RemoveScriptToEvaluateOnNewDocument as RemoveScript, ScriptIdentifier,
};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, CallBrowser as _, Command, Done, Encoded, Event, Protocol, ProtocolError, SessionId,
    SessionSet,
};

mod tab_state;

/// A connection, and whose events are heard of it.
pub(super) struct Connection {
    pub(super) protocol: Arc<dyn Protocol>,
    /// The sessions of the page that is recorded.
    pub(super) sessions: SessionSet,
}

pub(super) struct Targets {
    protocol: Arc<dyn Protocol>,
    /// The sessions that are heard.
    sessions: SessionSet,
    pub(super) names: Names,
    script: String,
    context_id: String,
    /// Whether the tab was there before.
    is_taken: bool,
    /// Whether a person goes on in it when it is not recorded any more: it is not loaded again, and what it starts is
    /// not recorded.
    is_followed: bool,
    /// The tab, which is also the id of its main frame.
    target_id: String,
    main: SessionId,
    /// What each document of the tab runs first.
    scripts: Vec<ScriptIdentifier>,
    /// What tells what the first document has stored, until it has.
    storage_script: Option<ScriptIdentifier>,
    viewport: Option<(u32, u32)>,
    others: HashMap<SessionId, Other>,
    /// Its workers, as far as they are recorded.
    workers: HashSet<SessionId>,
    pub(super) inputs: InputScript,
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
    scripts: Vec<ScriptIdentifier>,
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
        connection: Connection,
        viewport: Option<(u32, u32)>,
        script: String,
        inputs: InputScript,
    ) -> Result<Self, EngineError> {
        let (target, context) = open_context(connection.protocol.as_ref()).await?;
        let url = String::new();
        let tab = Tab {
            target,
            context,
            url,
        };
        Self::attach(connection, tab, false, viewport, script, inputs).await
    }

    /// The tab that shows `page`, in which every further document will be recorded by `script`, and what the first one
    /// has stored.
    pub(super) async fn take(
        connection: Connection,
        page: &str,
        viewport: Option<(u32, u32)>,
        script: String,
        inputs: InputScript,
    ) -> Result<Self, EngineError> {
        let tab = open_tab(connection.protocol.as_ref(), page).await?;
        let mut targets = Self::attach(connection, tab, true, viewport, script, inputs).await?;
        targets.storage_script = Some(
            targets
                .call(&storage_script(targets.names))
                .await?
                .identifier,
        );
        Ok(targets)
    }

    /// The tab behind a session that is there already: every further document will be recorded by `script`, and each
    /// says what it has stored.
    pub(super) async fn follow(
        protocol: Arc<dyn Protocol>,
        session: SessionId,
        names: Names,
        script: String,
        inputs: InputScript,
    ) -> Result<Self, EngineError> {
        let tree = protocol.call(Some(&session), &cdp::page::GetFrameTree {});
        let target_id = tree.await?.frame_tree.frame.id.0;
        let mut targets = Self {
            protocol,
            sessions: SessionSet::from(session.clone()),
            names,
            script,
            context_id: String::new(),
            is_taken: true,
            is_followed: true,
            target_id,
            main: session,
            scripts: Vec::new(),
            storage_script: None,
            viewport: None,
            others: HashMap::new(),
            workers: HashSet::new(),
            inputs,
            is_closed: false,
        };
        targets.scripts = targets.install(&targets.main).await?;
        let stored = targets
            .call(&storage_script(targets.names))
            .await?
            .identifier;
        targets.scripts.push(stored);
        Ok(targets)
    }

    async fn attach(
        connection: Connection,
        tab: Tab,
        is_taken: bool,
        viewport: Option<(u32, u32)>,
        script: String,
        inputs: InputScript,
    ) -> Result<Self, EngineError> {
        let Connection { protocol, sessions } = connection;
        let main = attach_to(protocol.as_ref(), &tab.target).await?;
        sessions.add(main.clone());
        let mut targets = Self {
            protocol,
            sessions,
            names: NAMES,
            script,
            context_id: tab.context,
            is_taken,
            is_followed: false,
            target_id: tab.target,
            main,
            scripts: Vec::new(),
            storage_script: None,
            viewport,
            others: HashMap::new(),
            workers: HashSet::new(),
            inputs,
            is_closed: false,
        };
        targets.scripts = targets.install(&targets.main).await?;
        // Tabs that the page opens are no children of it, as the protocol sees it.
        let attach = cdp::target::SetAutoAttach {
            filter: Some(vec![only("page")]),
            ..auto_attach(true)
        };
        match targets.protocol.call_browser(&attach).await {
            // Then only what the tab itself reports is recorded; `Offers::missing` has it.
            Err(ProtocolError::NotOffered { .. }) | Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(targets)
    }

    /// Has every document of a session recorded; the ids of the scripts that are run there first. All is queued at
    /// once: something new may not answer before it is let go.
    fn install<'t>(
        &'t self,
        session: &'t SessionId,
    ) -> impl Future<Output = Result<Vec<ScriptIdentifier>, ProtocolError>> + use<'t> {
        // What is in the tab that was taken is about to be loaded again.
        let is_recorded = !self.is_taken || *session != self.main;
        let binding = cdp::runtime::AddBinding {
            execution_context_name: Some(self.names.world.to_owned()),
            ..cdp::runtime::AddBinding::new(self.names.binding)
        };
        let call = |command: Encoded| command.send(self.protocol.as_ref(), Some(session));
        let add = |script: AddScript| self.protocol.call(Some(session), &script);
        let mut sent = vec![
            call(cdp::page::Enable {}.encoded()),
            // Without it a world gets no binding (seen in Chromium 156).
            call(cdp::runtime::Enable {}.encoded()),
            call(binding.encoded()),
        ];
        let mut added = vec![add(installed(self.names.world, &self.script, is_recorded))];
        if !self.is_followed {
            sent.push(call(auto_attach(true).encoded()));
        }
        if let Some(source) = &self.inputs.source {
            sent.push(call(
                cdp::runtime::AddBinding::new(&self.inputs.binding).encoded(),
            ));
            added.push(add(AddScript::new(source)));
        }
        let network = self
            .inputs
            .has_network
            .then(|| Responses::follow(self.protocol.as_ref(), session));
        async move {
            let (sent, added) = join(join_all(sent), join_all(added)).await;
            for result in sent {
                result?;
            }
            let mut scripts = Vec::new();
            for result in added {
                scripts.push(result?.identifier);
            }
            if let Some(network) = network {
                network.await?;
            }
            Ok(scripts)
        }
    }

    /// Loads the page again.
    pub(super) async fn reload(&self) -> Result<(), ProtocolError> {
        self.call(&cdp::page::Reload {}).await.map(drop)
    }

    /// Goes to a page and comes back when that has begun; where the tab shows it already, it is loaded again.
    pub(super) async fn go_to(&self, url: &str) -> Result<(), EngineError> {
        if self.is_taken {
            self.call(&cdp::page::Reload {}).await?;
            return Ok(());
        }
        match self.call(&cdp::page::Navigate::new(url)).await?.error_text {
            Some(why) if !why.is_empty() => Err(EngineError::PageNotLoaded {
                url: url.to_owned(),
                why,
            }),
            _ => Ok(()),
        }
    }

    fn call<'t, C: Command>(
        &'t self,
        command: &C,
    ) -> BoxFuture<'t, Result<C::Result, ProtocolError>> {
        self.protocol.call(Some(&self.main), command)
    }

    /// Whether nothing was told before of what is stored; nothing will be told from now on.
    pub(super) fn is_first_told_storage(&mut self) -> bool {
        let Some(script) = self.storage_script.take() else {
            return false;
        };
        drop(self.call(&RemoveScript::new(script.clone())));
        true
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

    /// Something is paused: a worker before its first script, which is given its recorded inputs.
    pub(super) async fn paused(&self, event: &Event) -> Result<(), ProtocolError> {
        if let Some(source) = &self.inputs.source {
            self.inputs.workers.put(event, source).await?;
        }
        Ok(())
    }

    /// Something new waits before its first script: it is recorded if it is the page's, and let go.
    pub(super) async fn attached(
        &mut self,
        around: Option<&SessionId>,
        attached: cdp::target::AttachedToTarget,
    ) -> Result<(), ProtocolError> {
        let session = attached.session_id;
        if session == self.main {
            return Ok(());
        }
        let info = attached.target_info;
        let target = info.target_id.0;
        let is_ours = target != self.target_id
            && match self.is_taken {
                // Beside it the user does other things.
                true => {
                    around.is_some_and(|around| self.has(around))
                        || info.opener_id.is_some_and(|it| self.has_tab(it.as_str()))
                }
                false => info
                    .browser_context_id
                    .is_some_and(|it| it.0 == self.context_id),
            };
        let kind = info.r#type.as_str();
        let go = cdp::runtime::RunIfWaitingForDebugger {};
        if !(is_ours && matches!(kind, "page" | "iframe")) {
            if is_ours && matches!(kind, "worker" | "shared_worker") {
                self.follow_worker(&session);
            }
            let gone = self.protocol.call(Some(&session), &go);
            return gone.await.map(drop);
        }
        let other = Other {
            target,
            within: around.cloned().filter(|_| kind == "iframe"),
            url: info.url,
            scripts: Vec::new(),
        };
        self.sessions.add(session.clone());
        self.others.insert(session.clone(), other);
        let installed = self.install(&session);
        let gone = self.protocol.call(Some(&session), &go);
        let (installed, gone) = futures::join!(installed, gone);
        if let Some(other) = self.others.get_mut(&session) {
            other.scripts = installed?;
        }
        gone.map(drop)
    }

    fn follow_worker(&mut self, session: &SessionId) {
        if self.inputs.source.is_none() && !self.inputs.has_network {
            return;
        }
        self.sessions.add(session.clone());
        self.workers.insert(session.clone());
        if self.inputs.source.is_some() {
            self.inputs.workers.expect(session);
        }
        if self.inputs.has_network {
            drop(Responses::follow(self.protocol.as_ref(), session));
        }
        drop(self.protocol.call(Some(session), &auto_attach(true)));
    }

    /// A tab that was opened, or a frame of another site, shows another document.
    pub(super) fn moved(
        &mut self,
        session: Option<&SessionId>,
        navigated: cdp::page::FrameNavigated,
    ) {
        let other = session.and_then(|session| self.others.get_mut(session));
        if let Some(other) = other
            && navigated.frame.id.as_str() == other.target
        {
            other.shows(&navigated.frame.url);
        }
    }

    /// The browser says what a target shows, whichever session it says it to.
    pub(super) fn informed(&mut self, changed: cdp::target::TargetInfoChanged) {
        let info = changed.target_info;
        let target = info.target_id.as_str();
        for other in self.others.values_mut().filter(|it| it.target == target) {
            other.shows(&info.url);
        }
    }

    /// Something is no more; if it is a tab that the page opened, what it showed.
    pub(super) fn detached(&mut self, gone: &cdp::target::DetachedFromTarget) -> Option<String> {
        let session = &gone.session_id;
        let other = self.others.remove(session)?;
        other.within.is_none().then_some(other.url)
    }

    /// Whether an event says that the tab is no more.
    pub(super) fn is_main_gone(&self, event: &Event) -> bool {
        if let Some(gone) = event.read::<cdp::target::DetachedFromTarget>() {
            let is_target = gone.target_id.is_some_and(|it| it.0 == self.target_id);
            return is_target || gone.session_id == self.main;
        }
        if let Some(gone) = event.read::<cdp::target::TargetDestroyed>() {
            return gone.target_id.0 == self.target_id;
        }
        event.is_a::<cdp::inspector::Detached>() && event.session.as_ref() == Some(&self.main)
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
    fn farewell(&self) -> Vec<BoxFuture<'_, Result<Done, ProtocolError>>> {
        if self.is_followed {
            let remove = |script: &ScriptIdentifier| self.call(&RemoveScript::new(script.clone()));
            return self.scripts.iter().map(remove).collect();
        }
        let let_go = cdp::target::SetAutoAttach {
            flatten: Some(true),
            ..cdp::target::SetAutoAttach::new(false, false)
        };
        let mut queued = vec![self.protocol.call_browser(&let_go)];
        if self.is_taken {
            let opened = self.others.iter();
            let opened = opened.filter(|(_, other)| other.within.is_none());
            for (session, other) in opened {
                self.give_back(session, &other.scripts, &other.url, &mut queued);
            }
            self.give_back(&self.main, &self.scripts, "http", &mut queued);
        } else {
            let dispose = cdp::target::DisposeBrowserContext::new(&self.context_id);
            queued.push(self.protocol.call_browser(&dispose));
        }
        queued
    }

    /// Queues what leaves a tab of the user's to them: without what recorded it, and loaded again, for its random
    /// numbers were made of what the recording holds.
    fn give_back<'a>(
        &'a self,
        session: &'a SessionId,
        scripts: &[ScriptIdentifier],
        url: &str,
        queued: &mut Vec<BoxFuture<'a, Result<Done, ProtocolError>>>,
    ) {
        for script in scripts {
            queued.push(
                self.protocol
                    .call(Some(session), &RemoveScript::new(script.clone())),
            );
        }
        // What a script has written into a blank tab would not come again.
        if url.starts_with("http") {
            queued.push(self.protocol.call(Some(session), &cdp::page::Reload {}));
        }
        let detach = cdp::target::DetachFromTarget {
            session_id: Some(session.clone()),
        };
        queued.push(self.protocol.call_browser(&detach));
    }
}

/// What tells what a main document has stored when it begins.
fn storage_script(names: Names) -> AddScript {
    let source = format!(
        "if (window === window.parent) globalThis.{binding}(JSON.stringify({{ storage: {}() }}));",
        Storage::READING,
        binding = names.binding
    );
    AddScript {
        world_name: Some(names.world.to_owned()),
        ..AddScript::new(source)
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        if !self.is_closed {
            drop(self.farewell());
        }
    }
}
