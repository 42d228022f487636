//! What is sent to the sessions of the page's realms: to the tab, and to whatever waits before its first script.
//! [`super::realms`] says what to send where.

use agent::evaluated;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, join_all};

use super::PauseLoop;
use super::preparation::{Preparation, TargetKind};
use super::realms::{RealmAction, RealmEvent};
use super::stops::let_go_on;
use crate::agent_message::answered;
use crate::error::EngineError;
use crate::intercept::Interceptor;
use crate::page::{AttendedTabs, Page};
use crate::recorded_inputs::{Answer, InputReplay, breakpoint_before_first_script};
use crate::report::Report;
use crate::sessions::Sessions;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, Clock, Command, Encoded, Event, Protocol, ProtocolError, SessionId, with_time_limit,
};

/// The answers that name the breakpoints before the first scripts of workers, by session.
pub(super) type FirstScripts = HashMap<SessionId, Shared<BoxFuture<'static, Answer>>>;

/// The sessions of one execution, and what is sent to them.
pub(super) struct RealmControl {
    protocol: Arc<dyn Protocol>,
    tab: SessionId,
    preparation: Preparation,
    /// What replays the recorded inputs, if there are any.
    pub(super) input_replay: Option<Arc<InputReplay>>,
    /// The tabs whose dialogs are the replay's.
    attended: AttendedTabs,
    /// The page's sessions.
    pub(super) sessions: Arc<Sessions>,
}

impl RealmControl {
    pub(super) fn new(
        page: &Page,
        preparation: Preparation,
        input_replay: Option<Arc<InputReplay>>,
    ) -> Self {
        Self {
            protocol: page.protocol().clone(),
            tab: page.session().clone(),
            preparation,
            input_replay,
            attended: page.attended_tabs().clone(),
            sessions: page.sessions().clone(),
        }
    }

    /// Makes the tab ready, and sees to it that what it starts in other targets waits.
    ///
    /// # Errors
    /// Those of the connection.
    pub(super) async fn prepare(&self, page: &Page) -> Result<(), EngineError> {
        page.hold_children().await?;
        let documents = self.send_all(&self.tab, self.preparation.documents());
        if let Some(input_replay) = &self.input_replay {
            input_replay.joined(&self.tab);
        }
        for result in documents.await {
            result?;
        }
        Ok(self.keep_unoptimised(&self.tab).await?)
    }

    /// Queues the commands; the future gives the answers.
    fn send_all<'s>(
        &'s self,
        session: &'s SessionId,
        commands: Vec<Encoded>,
    ) -> BoxFuture<'s, Vec<Result<(), ProtocolError>>> {
        let sent = commands.into_iter().map(|command| {
            let answer = command.send(self.protocol.as_ref(), Some(session));
            async move { answer.await.map(drop) }
        });
        join_all(sent.collect::<Vec<_>>()).boxed()
    }

    /// Keeps the functions of the events that are stopped at from being optimised. Chromium takes a breakpoint on
    /// another thread than what enables the debugger, and refuses it before that: so the session's debugger must be
    /// known to be enabled. The commands are queued at once.
    ///
    /// # Errors
    /// The connection or the session is lost. That a breakpoint is refused is none: state may be missing at that stop.
    pub(super) fn keep_unoptimised<'s>(
        &'s self,
        session: &'s SessionId,
    ) -> BoxFuture<'s, Result<(), ProtocolError>> {
        let answers = self.send_all(session, self.preparation.unoptimised());
        async move {
            for result in answers.await {
                match result {
                    Err(error) if error.is_fatal() => return Err(error),
                    Err(error) => {
                        tracing::debug!(%error, "a function is not kept from being optimised");
                    }
                    Ok(()) => {}
                }
            }
            Ok(())
        }
        .boxed()
    }

    /// The text of the agent, as documents get it.
    pub(super) fn agent(&self) -> &str {
        self.preparation.agent_of_documents()
    }

    /// Whether an event is of the browser's own session; `None`: it is none of the page's.
    fn is_of_browser(&self, event: &Event) -> Option<bool> {
        let of_browser =
            event.session.is_some() && event.session.as_ref() == self.sessions.browser();
        (of_browser || self.sessions.holds(event)).then_some(of_browser)
    }

    /// Sends a command whose answer nobody waits for: it may come only after the realm has been let go.
    fn command(&self, session: Option<&SessionId>, command: &impl Command) {
        drop(self.protocol.call(session, command));
    }

    fn run(&self, session: &SessionId) {
        self.command(Some(session), &cdp::runtime::RunIfWaitingForDebugger {});
    }

    /// A session that waits gets what its kind needs.
    fn prepare_waiting(&self, session: &SessionId, kind: TargetKind) {
        // Before the first command, whose events are the page's.
        self.sessions.add(session.clone());
        drop(self.send_all(session, self.preparation.waiting(kind)));
        if let Some(input_replay) = &self.input_replay
            && kind == TargetKind::Documents
        {
            input_replay.joined(session);
        }
    }

    fn answer_dialog(&self, session: &SessionId, target: Option<&str>, prompt: Option<String>) {
        if target.is_some_and(|target| self.attended.has(target)) {
            return;
        }
        let accept = cdp::page::HandleJavaScriptDialog {
            prompt_text: prompt,
            ..cdp::page::HandleJavaScriptDialog::new(true)
        };
        self.command(Some(session), &accept);
    }

    /// What the agents of realms have to report, each by its session and context. One that is busy, or paused, is not
    /// waited for.
    ///
    /// # Errors
    /// A report cannot be read.
    pub(super) async fn reports(
        &self,
        realms: Vec<(SessionId, i64)>,
        prefix: &str,
        clock: &dyn Clock,
    ) -> Result<Vec<Report>, EngineError> {
        const LONGEST: Duration = Duration::from_millis(250);
        let reads = realms.iter().map(|(session, context)| async move {
            let look = cdp::runtime::Evaluate {
                context_id: Some((*context).into()),
                return_by_value: Some(true),
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(evaluated(format_args!("{prefix}E.report()")))
            };
            let read = self.protocol.call(Some(session), &look);
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
}

impl PauseLoop<'_> {
    /// Takes in an event of the browser or of one of the page's sessions, if it is about realms.
    pub(super) fn follow_realms(&mut self, event: &Event) {
        let Some(of_browser) = self.watcher.control.is_of_browser(event) else {
            return;
        };
        let actions = {
            let mut realms = self.watcher.realms.lock();
            match RealmEvent::read(event, of_browser, &realms) {
                Some(event) => realms.take(event),
                None => return,
            }
        };
        for action in actions {
            self.act(action);
        }
    }

    fn act(&mut self, action: RealmAction) {
        let control = &self.watcher.control;
        match action {
            RealmAction::Release { session, parent } => {
                control.run(&session);
                let gone = cdp::target::DetachFromTarget {
                    session_id: Some(session),
                };
                control.command(parent.as_ref(), &gone);
            }
            RealmAction::Prepare { session, kind } => control.prepare_waiting(&session, kind),
            RealmAction::HoldRequestsOfWorkers => {
                let enable = cdp::fetch::Enable {
                    patterns: Some(Interceptor::patterns_of_browser()),
                    ..cdp::fetch::Enable::default()
                };
                control.command(control.sessions.browser(), &enable);
            }
            RealmAction::PauseBeforeFirstScript(session) => {
                let protocol = control.protocol.clone();
                let answer = breakpoint_before_first_script(protocol, session.clone()).shared();
                // The command is queued at the first poll.
                let _ = answer.clone().now_or_never();
                self.first_scripts.insert(session, answer);
            }
            RealmAction::Run(session) => control.run(&session),
            RealmAction::KeepUnoptimised(session) => drop(control.keep_unoptimised(&session)),
            RealmAction::DropFirstScript(session) => {
                self.first_scripts.remove(&session);
            }
            RealmAction::AnswerDialog {
                session,
                target,
                prompt,
            } => control.answer_dialog(&session, target.as_deref(), prompt),
        }
    }

    /// A session is paused: if that is before a worker's first script, the agent is put in, and it goes on. Whether it
    /// was that.
    ///
    /// # Errors
    /// The session is gone.
    pub(super) async fn put_agent(
        &mut self,
        session: &SessionId,
        paused: &cdp::debugger::Paused,
    ) -> Result<bool, ProtocolError> {
        if paused.reason != cdp::debugger::PausedReason::Instrumentation {
            return Ok(false);
        }
        let control = &self.watcher.control;
        let begins = self.watcher.realms.lock().begin_worker(session);
        let breakpoint = self.first_scripts.remove(session).filter(|_| begins);
        if let Some(breakpoint) = breakpoint {
            let id = breakpoint.await?.breakpoint_id;
            // First of all, or evaluating the agent would stop as well.
            let remove = cdp::debugger::RemoveBreakpoint::new(id);
            control.protocol.call(Some(session), &remove).await?;
            // Its debugger is enabled, and none of its functions has run.
            control.keep_unoptimised(session).await?;
            let agent = control.preparation.agent_of_workers();
            let inputs = control.input_replay.as_ref();
            let inputs = inputs.map(|input_replay| input_replay.joined_by_worker(session));
            let expression = format!("{agent}\n{}", inputs.unwrap_or_default());
            let agent = cdp::runtime::Evaluate {
                silent: Some(true),
                ..cdp::runtime::Evaluate::new(expression)
            };
            let result = control.protocol.call(Some(session), &agent).await?;
            if let Some(problem) = result.exception_details {
                tracing::warn!(?problem, "the agent could not be put into a worker");
            }
        }
        let_go_on(control.protocol.as_ref(), session).await?;
        Ok(true)
    }
}
