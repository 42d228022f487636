//! The page's realms: its documents in this tab and in others, its frames of other sites, its workers and worklets.
//!
//! Each has an agent of its own, with counters of its own: a number of one says nothing in another. A realm that has a
//! session of its own waits there until it is prepared; in a worker, which cannot be prepared from outside, the agent
//! is evaluated while it stands before its first script. An agent's first words say where it is; by them a realm of one
//! execution is known again in the next.

use agent::evaluated;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};

use super::preparation::{Preparation, TargetKind};
use super::stops::let_go_on;
use crate::agent_message::answered;
use crate::document_id::DocumentId;
use crate::error::EngineError;
use crate::intercept::{Interceptor, is_request};
use crate::page::{AttendedTabs, ChildTarget, Page};
use crate::recorded_inputs::{Answer, InputReplay, breakpoint_before_first_script};
use crate::report::{Greeting, Report};
use crate::sessions::Sessions;
use cdp::network::ResourceType;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, Clock, Command, Encoded, Event, Protocol, ProtocolError, SessionId, with_time_limit,
};

/// A realm as it is known from one execution to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RealmName {
    place: String,
    /// How many came before it at that place.
    number: usize,
}

/// A realm of this execution.
#[derive(Clone, Debug)]
struct Realm {
    session: SessionId,
    context: i64,
    /// Of its document or worker.
    address: String,
    name: RealmName,
    /// Whether it is a document of the tab itself, which is asked on another way.
    of_tab: bool,
}

/// What is known of them.
#[derive(Default)]
struct State {
    kinds: HashMap<SessionId, TargetKind>,
    /// Workers without an agent, each with the answer that names the breakpoint before its first script.
    starting: HashMap<SessionId, BoxFuture<'static, Answer>>,
    /// By the number that an agent gave itself.
    realms: HashMap<DocumentId, Realm>,
    /// How many there were at each place.
    numbers: HashMap<String, usize>,
    /// The targets of documents that have sessions of their own.
    targets: HashMap<SessionId, String>,
    /// Documents that are being loaded in sessions of their own.
    loading: HashMap<SessionId, String>,
    /// Addresses of scripts that workers are to be made of.
    requested: HashSet<String>,
    /// Whether there was a worker, which may start others.
    workers: bool,
    /// The contexts of worklets that run beside a document, in its session, as those that paint do.
    painting: HashSet<(SessionId, i64)>,
}

/// The realms of one execution.
pub(super) struct Realms {
    protocol: Arc<dyn Protocol>,
    tab: SessionId,
    target: String,
    preparation: Preparation,
    /// What replays the recorded inputs, if there are any.
    pub(super) input_replay: Option<Arc<InputReplay>>,
    /// The tabs whose dialogs are the replay's.
    attended: AttendedTabs,
    /// The page's sessions.
    pub(super) sessions: Arc<Sessions>,
    state: Mutex<State>,
}

impl Realms {
    pub(super) fn new(
        page: &Page,
        preparation: Preparation,
        input_replay: Option<Arc<InputReplay>>,
    ) -> Self {
        Self {
            protocol: page.protocol().clone(),
            tab: page.session().clone(),
            target: page.target_id().to_owned(),
            preparation,
            input_replay,
            attended: page.attended_tabs().clone(),
            sessions: Arc::new(Sessions::new(page.session().clone(), page.context_id())),
            state: Mutex::default(),
        }
    }

    /// Makes the tab ready, and sees to it that what it starts elsewhere waits.
    ///
    /// # Errors
    /// Those of the connection.
    pub(super) async fn prepare(&self, page: &Page) -> Result<(), crate::error::EngineError> {
        if let Some(browser) = page.hold_children().await? {
            self.sessions.set_browser(browser);
        }
        let send = |commands: Vec<Encoded>| {
            let sent = commands.into_iter().map(|command| {
                let (protocol, session) = (page.protocol().as_ref(), page.session());
                command.send(protocol, Some(session))
            });
            join_all(sent)
        };
        let documents = send(self.preparation.documents());
        if let Some(input_replay) = &self.input_replay {
            input_replay.joined(&self.tab);
        }
        for result in documents.await {
            result?;
        }
        // Chromium takes a breakpoint on another thread than what enables the debugger, and refuses it before that.
        for result in send(self.preparation.unoptimised()).await {
            match result {
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => {
                    tracing::debug!(%error, "a function is not kept from being optimised")
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// The commands that keep functions from being optimised.
    pub(super) fn unoptimised(&self) -> Vec<Encoded> {
        self.preparation.unoptimised()
    }

    /// The text of the agent, as documents get it.
    pub(super) fn agent(&self) -> &str {
        self.preparation.agent_of_documents()
    }

    /// Takes in an event of the browser or of one of the page's sessions, if it is about realms.
    pub(super) fn happened(&self, event: &Event) {
        let of_browser =
            event.session.is_some() && event.session.as_ref() == self.sessions.browser();
        if !of_browser && !self.sessions.holds(event) {
            return;
        }
        match event.method.as_str() {
            cdp::target::AttachedToTarget::METHOD => {
                if let Some(attached) = event.read() {
                    self.attached(event.session.as_ref(), attached, of_browser);
                }
            }
            cdp::target::DetachedFromTarget::METHOD => {
                if let Some(detached) = event.read::<cdp::target::DetachedFromTarget>() {
                    self.detached(&detached.session_id);
                }
            }
            // Nobody is there to answer it, unless the replay is just acting in that tab.
            cdp::page::JavascriptDialogOpening::METHOD
                if event.session.as_ref() != Some(&self.tab) && !self.is_attended(event) =>
            {
                let dialog = event.read::<cdp::page::JavascriptDialogOpening>();
                let accept = cdp::page::HandleJavaScriptDialog {
                    prompt_text: dialog.and_then(|dialog| dialog.default_prompt),
                    ..cdp::page::HandleJavaScriptDialog::new(true)
                };
                self.command(event.session.as_ref(), &accept);
            }
            // Only a worker's own script belongs to no document.
            cdp::network::RequestWillBeSent::METHOD => {
                let sent = event.read::<cdp::network::RequestWillBeSent>();
                let of_worker = sent.filter(|sent| {
                    sent.r#type == Some(ResourceType::Script)
                        && sent.loader_id.as_ref().is_none_or(|it| it.0.is_empty())
                });
                if let Some(sent) = of_worker {
                    self.state.lock().requested.insert(sent.request.url);
                }
            }
            // What is no worker's own script after all, or cannot be had.
            cdp::fetch::RequestPaused::METHOD => {
                let Some(paused) = event.read::<cdp::fetch::RequestPaused>() else {
                    return;
                };
                let status = paused.response_status_code;
                // Of a request nothing is known yet.
                let may_be = is_request(&paused) || status.is_some_and(|status| status < 400);
                let makes_worker = paused.resource_type == ResourceType::OtherKind && may_be;
                if !makes_worker {
                    self.state.lock().requested.remove(&paused.request.url);
                }
            }
            // A worker has no such context in a session that is not its own.
            cdp::runtime::ExecutionContextCreated::METHOD => {
                let created = event.read::<cdp::runtime::ExecutionContextCreated>();
                if let (Some(created), Some(session)) = (created, &event.session)
                    && created
                        .context
                        .aux_data
                        .is_some_and(|it| it.get("type") == Some(&"worker".into()))
                {
                    let context = (session.clone(), created.context.id.0);
                    self.state.lock().painting.insert(context);
                }
            }
            // No worker was to be made of it.
            cdp::debugger::ScriptParsed::METHOD if !self.state.lock().painting.is_empty() => {
                let parsed = event.read::<cdp::debugger::ScriptParsed>();
                if let (Some(parsed), Some(session)) = (parsed, &event.session) {
                    let mut state = self.state.lock();
                    let context = (session.clone(), parsed.execution_context_id.0);
                    if state.painting.contains(&context) {
                        state.requested.remove(&parsed.url);
                    }
                }
            }
            cdp::page::FrameStoppedLoading::METHOD => {
                let stopped = event.read::<cdp::page::FrameStoppedLoading>();
                if let (Some(stopped), Some(session)) = (stopped, &event.session) {
                    let mut state = self.state.lock();
                    if state.loading.get(session) == Some(&stopped.frame_id.0) {
                        state.loading.remove(session);
                    }
                }
            }
            _ => {}
        }
    }

    /// Sends a command whose answer nobody waits for: it may come only after the realm has been let go.
    fn command(&self, session: Option<&SessionId>, command: &impl Command) {
        drop(self.protocol.call(session, command));
    }

    /// Whether the replay answers the dialogs of the tab that an event is of.
    fn is_attended(&self, event: &Event) -> bool {
        let state = self.state.lock();
        let target = event
            .session
            .as_ref()
            .and_then(|session| state.targets.get(session));
        target.is_some_and(|target| self.attended.has(target))
    }

    fn attached(
        &self,
        parent: Option<&SessionId>,
        attached: cdp::target::AttachedToTarget,
        of_browser: bool,
    ) {
        let session = attached.session_id;
        let info = attached.target_info;
        let target = info.target_id.0;
        let context = info.browser_context_id.map(|it| it.0);
        let is_other = context.as_deref() != Some(self.sessions.context.as_str());
        let let_go = cdp::runtime::RunIfWaitingForDebugger {};
        if of_browser && (is_other || target == self.target) {
            self.command(Some(&session), &let_go);
            let gone = cdp::target::DetachFromTarget {
                session_id: Some(session.clone()),
            };
            self.command(parent, &gone);
            return;
        }
        let kind = TargetKind::of(&info.r#type);
        if kind != TargetKind::Other {
            // Before the first command, whose events are the page's.
            self.sessions.add(session.clone());
            for command in self.preparation.waiting(kind) {
                drop(command.send(self.protocol.as_ref(), Some(&session)));
            }
        }
        if let Some(input_replay) = self
            .input_replay
            .as_ref()
            .filter(|_| kind == TargetKind::Documents)
        {
            input_replay.joined(&session);
        }
        let mut state = self.state.lock();
        state.requested.remove(&info.url);
        state.kinds.insert(session.clone(), kind);
        match kind {
            TargetKind::Documents => {
                state.loading.insert(session.clone(), target.clone());
                state.targets.insert(session.clone(), target);
            }
            TargetKind::Worker | TargetKind::SharedWorker | TargetKind::Worklet => {
                if kind != TargetKind::Worklet && !state.workers {
                    state.workers = true;
                    let enable = cdp::fetch::Enable {
                        patterns: Some(Interceptor::patterns_of_browser()),
                        ..cdp::fetch::Enable::default()
                    };
                    self.command(self.sessions.browser(), &enable);
                }
                let breakpoint = self.breakpoint_before_first_script(session.clone());
                state.starting.insert(session.clone(), breakpoint);
            }
            TargetKind::Other => {}
        }
        drop(state);
        self.command(Some(&session), &let_go);
    }

    fn breakpoint_before_first_script(&self, session: SessionId) -> BoxFuture<'static, Answer> {
        let mut answer = breakpoint_before_first_script(self.protocol.clone(), session);
        // The command is queued at the first poll.
        match (&mut answer).now_or_never() {
            Some(answer) => futures::future::ready(answer).boxed(),
            None => answer,
        }
    }

    fn detached(&self, session: &SessionId) {
        let mut state = self.state.lock();
        state.starting.remove(session);
        state.loading.remove(session);
        state
            .realms
            .retain(|_, realm| realm.session != *session || realm.of_tab);
    }

    /// A session stands still: if that is before a worker's first script, the agent is put in, and it goes on.
    /// Whether it was that.
    ///
    /// # Errors
    /// The session is gone.
    pub(super) async fn put_agent(
        &self,
        session: &SessionId,
        paused: &cdp::debugger::Paused,
    ) -> Result<bool, ProtocolError> {
        if paused.reason != cdp::debugger::PausedReason::Instrumentation {
            return Ok(false);
        }
        let breakpoint = self.state.lock().starting.remove(session);
        if let Some(breakpoint) = breakpoint {
            let id = breakpoint.await?.breakpoint_id;
            // First of all, or evaluating the agent would stop as well.
            let remove = cdp::debugger::RemoveBreakpoint::new(id);
            self.protocol.call(Some(session), &remove).await?;
            let agent = self.preparation.agent_of_workers();
            let inputs = self.input_replay.as_ref();
            let inputs = inputs.map(|input_replay| input_replay.joined_by_worker(session));
            let expression = format!("{agent}\n{}", inputs.unwrap_or_default());
            let agent = cdp::runtime::Evaluate {
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(expression)
            };
            let result = self.protocol.call(Some(session), &agent).await?;
            if let Some(problem) = result.exception_details {
                tracing::warn!(?problem, "the agent could not be put into a worker");
            }
        }
        let_go_on(self.protocol.as_ref(), session).await?;
        Ok(true)
    }

    /// An agent has said where it is.
    pub(super) fn greeted(
        &self,
        session: &SessionId,
        context: cdp::runtime::ExecutionContextId,
        greeting: &Greeting,
    ) {
        let of_tab = *session == self.tab && greeting.realm.top;
        let mut state = self.state.lock();
        let word = match state.kinds.get(session) {
            None => "page",
            Some(TargetKind::Documents) if greeting.realm.top => "tab",
            Some(TargetKind::Documents) => "frame",
            Some(_) => "worker",
        };
        // Of the tab there is one document after another, wherever it goes.
        let place = if of_tab {
            word.to_owned()
        } else {
            format!("{word} {}", place_of(&greeting.realm.url))
        };
        let count = state.numbers.entry(place.clone()).or_default();
        let number = *count;
        *count += 1;
        let realm = Realm {
            session: session.clone(),
            context: context.0,
            address: greeting.realm.url.clone(),
            name: RealmName { place, number },
            of_tab,
        };
        state.realms.insert(greeting.document, realm);
    }

    /// The name of the realm whose agent gave itself that number.
    pub(super) fn name(&self, document: DocumentId) -> Option<RealmName> {
        let state = self.state.lock();
        state.realms.get(&document).map(|realm| realm.name.clone())
    }

    /// The address of the realm that is this context of a session.
    pub(super) fn address(&self, session: &SessionId, context: i64) -> Option<String> {
        let state = self.state.lock();
        let is_it = |realm: &&Realm| realm.session == *session && realm.context == context;
        state
            .realms
            .values()
            .find(is_it)
            .map(|realm| realm.address.clone())
    }

    /// Whether there are realms beside the documents of the tab.
    pub(super) fn are_many(&self) -> bool {
        let is_other = |realm: &Realm| !realm.of_tab;
        self.are_starting() || self.state.lock().realms.values().any(is_other)
    }

    /// Whether one is about to begin.
    pub(super) fn are_starting(&self) -> bool {
        let state = self.state.lock();
        // A worklet that paints has threads that share one stop: all but one of them run on without having stood.
        let is_awaited = |session: &SessionId| {
            state.painting.is_empty() || state.kinds.get(session) != Some(&TargetKind::Worklet)
        };
        state.starting.keys().any(is_awaited)
            || !state.loading.is_empty()
            || !state.requested.is_empty()
    }

    /// What the agents beside those of the tab's documents have to report. One that is busy, or stands still, is not
    /// waited for.
    pub(super) async fn reports(
        &self,
        prefix: &str,
        clock: &dyn Clock,
    ) -> Result<Vec<Report>, EngineError> {
        const LONGEST: Duration = Duration::from_millis(250);
        let realms: Vec<Realm> = {
            let state = self.state.lock();
            let realms = state.realms.values().filter(|realm| !realm.of_tab);
            realms.cloned().collect()
        };
        let reads = realms.iter().map(|realm| async move {
            let look = cdp::runtime::Evaluate {
                context_id: Some(realm.context.into()),
                return_by_value: Some(true),
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated(format_args!("{prefix}E.report()")))
            };
            let read = self.protocol.call(Some(&realm.session), &look);
            // A realm may be busy, or gone, or have no agent.
            let Ok(Ok(answer)) = with_time_limit(clock, LONGEST, "a realm's report", read).await
            else {
                return Ok(None);
            };
            match answer.result.value {
                Some(report) if answer.exception_details.is_none() => Ok(Some(answered(&report)?)),
                _ => Ok(None),
            }
        });
        let reports: Result<Vec<Option<Report>>, EngineError> =
            join_all(reads).await.into_iter().collect();
        Ok(reports?.into_iter().flatten().collect())
    }

    /// Why the scripts of a target are not hooked, if they are not.
    pub(super) fn why_unhooked(&self, child: &ChildTarget) -> Option<&'static str> {
        let kind = match &child.session {
            Some(session) => self.state.lock().kinds.get(session).copied(),
            // A tab that was opened is reported with a session elsewhere.
            None => Some(TargetKind::Documents),
        };
        match (kind, child.kind.as_str()) {
            (Some(TargetKind::Other) | None, "service_worker") => Some(
                "it is a service worker: neither it nor the scripts that it answers with are hooked",
            ),
            (Some(TargetKind::Other) | None, _) => {
                Some("it runs in another target, where nothing is hooked")
            }
            _ => None,
        }
    }
}

/// What stays of an address from one execution to the next.
fn place_of(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    // The rest is made up anew each time.
    ["blob:", "data:"]
        .into_iter()
        .find(|scheme| url.starts_with(scheme))
        .unwrap_or(url)
}
