//! Wherever the page stops: what there is to read is read, and it goes on; at the reproduction point it is left
//! paused.

use std::collections::BTreeMap;

use futures::channel::mpsc;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use querypoint::answer::{Cause, ScopeKind, StackFrame, Value as Preview, ValueType};
use querypoint::graph::Parent;
use querypoint::point::ReproductionPoint;

use super::{CapturedState, EventCapture, PauseLoop, Role, Watcher, agent_url, dynamic_code};
use crate::agent_message::answered;
use crate::debugger::{MOST_VARIABLES, ScopeRead, Where};
use crate::document_id::DocumentId;
use crate::early_names::not_initialised;
use crate::error::EngineError;
use crate::last_writers::{InSight, give, is_whole, told};
use crate::pausing::Moment;
use crate::replay::SCRIPT_URL;
use crate::report::{QueryResult, Report, ResultStatus};
use crate::sessions::Sessions;
use crate::stopped::{Frame, Stopped, frame_at};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Event, Protocol, ProtocolError, SessionId, Wanted};

/// What is handed over where a place has nothing that is asked for.
pub(super) const NO_CONTEXT: &str = "undefined";

/// The agent's function in which the page is paused at an event.
pub(super) const STOP: &str = "stop";

/// Lets what is paused in a session go on. One that is paused no more, for a worker may be ended meanwhile, needs
/// nothing.
///
/// # Errors
/// Connection, browser or session are gone.
pub(super) async fn let_go_on(
    protocol: &dyn Protocol,
    session: &SessionId,
) -> Result<(), ProtocolError> {
    match protocol
        .call(Some(session), &cdp::debugger::Resume {})
        .await
    {
        Err(error) if error.is_fatal() => Err(error),
        _ => Ok(()),
    }
}

/// So many entries of the browser's log wait at most while a pause is dealt with.
const MOST_LOGGED: usize = 1000;

/// What [`PauseLoop::run`] takes in, with what is about realms.
pub(super) fn wanted(sessions: &Sessions) -> Wanted {
    const OF_PAGE: &[&str] = &[
        cdp::debugger::ScriptParsed::METHOD,
        cdp::debugger::Paused::METHOD,
        cdp::runtime::BindingCalled::METHOD,
        cdp::runtime::ExecutionContextCreated::METHOD,
        cdp::log::EntryAdded::METHOD,
        cdp::page::JavascriptDialogOpening::METHOD,
        cdp::page::FrameStoppedLoading::METHOD,
        cdp::network::RequestWillBeSent::METHOD,
    ];
    const OF_BOTH: &[&str] = &[
        cdp::target::AttachedToTarget::METHOD,
        cdp::target::DetachedFromTarget::METHOD,
        cdp::fetch::RequestPaused::METHOD,
    ];
    // A request that fails is logged, and a page can make them by the million.
    const LOGGED: &[&str] = &[cdp::log::EntryAdded::METHOD];
    Wanted::of(sessions.own(), OF_PAGE)
        .and(sessions.own(), OF_BOTH)
        .and(sessions.of_browser(), OF_BOTH)
        .limiting(LOGGED, MOST_LOGGED)
}

impl Watcher<'_> {
    /// What the queries need that are asked in the global scope.
    pub(super) fn global_context(&self, dependents: &[usize]) -> String {
        let context = self.setting.sources.lock().global_context(dependents);
        if context.is_empty() {
            NO_CONTEXT.to_owned()
        } else {
            context
        }
    }

    pub(super) fn context(&self, frame: &Frame, dependents: &[usize]) -> String {
        let context = self.setting.sources.lock().context(
            &frame.url,
            frame.position,
            frame.begins,
            dependents,
        );
        if context.is_empty() {
            NO_CONTEXT.to_owned()
        } else {
            context
        }
    }
}

impl PauseLoop<'_> {
    /// Follows the page's events until the connection ends; says on `arrived` when the reproduction point is
    /// reached.
    pub(super) async fn run(
        &mut self,
        mut events: BoxStream<'static, Event>,
        arrived: &mpsc::UnboundedSender<Result<(), EngineError>>,
    ) {
        let is_call = self.task.role == Role::Call;
        while let Some(event) = events.next().await {
            if !is_call {
                self.follow_realms(&event);
            }
            let Some(session) = event
                .session
                .as_ref()
                .filter(|session| self.watcher.control.sessions.has(session))
            else {
                continue;
            };
            let result = match event.method.as_str() {
                cdp::debugger::ScriptParsed::METHOD => {
                    if let Some(script) = event.read() {
                        self.script_parsed(session, &script);
                    }
                    Ok(false)
                }
                // Of a call all else is seen by whoever watches the page that it is made in.
                method if is_call && method != cdp::debugger::Paused::METHOD => Ok(false),
                cdp::runtime::BindingCalled::METHOD => {
                    if let Some(called) = event.read() {
                        self.posted(session, &called);
                    }
                    Ok(false)
                }
                cdp::log::EntryAdded::METHOD => {
                    if let Some(added) = event.read::<cdp::log::EntryAdded>() {
                        self.logged(&added.entry);
                    }
                    Ok(false)
                }
                // What cannot be read would be paused for ever.
                cdp::debugger::Paused::METHOD => match event.decode() {
                    Ok(paused) => self.stopped(session, &paused).await,
                    Err(error) => Err(error.into()),
                },
                _ => Ok(false),
            };
            let result = result.or_else(|error| self.unless_its_end(session, error));
            match result {
                Ok(false) => {}
                Ok(true) => {
                    let _ = arrived.unbounded_send(Ok(()));
                    // A page that is left paused goes on when a person lets it, or is made to do more.
                    if !self.is_held() && !self.is_paused() {
                        return std::future::pending().await;
                    }
                }
                Err(error) => {
                    let _ = arrived.unbounded_send(Err(error));
                    return std::future::pending().await;
                }
            }
        }
    }

    /// A worker, a frame or another tab may end while it is read: then there is nothing to read in it.
    fn unless_its_end(&self, session: &SessionId, error: EngineError) -> Result<bool, EngineError> {
        match error {
            EngineError::Protocol(
                ProtocolError::SessionClosed { .. } | ProtocolError::TargetCrashed { .. },
            ) if *session != self.watcher.tab => Ok(false),
            other => Err(other),
        }
    }

    /// The page is paused: reads what there is to read and lets it go on. Whether it is at the reproduction
    /// point, where it is left paused.
    async fn stopped(
        &mut self,
        session: &SessionId,
        paused: &cdp::debugger::Paused,
    ) -> Result<bool, EngineError> {
        let is_call = self.task.role == Role::Call;
        // Of what the user does nothing comes until the page goes on.
        let _paused = self.watcher.sent().pause().await;
        if let Some(recorder) = &self.setting.recorder {
            recorder.caught_up().await;
        }
        if !is_call && self.put_agent(session, paused).await? {
            return Ok(false);
        }
        let agent = agent_url(&self.setting.collection.prefix);
        let stopped = {
            let scripts = self.watcher.scripts.lock();
            let prefix = &self.setting.collection.prefix;
            let script_of = |script: &str| scripts.in_stack(session, script, &agent);
            Stopped::read(session, paused, prefix, &script_of)
        };
        let is_agent = |frame: &&Frame| frame.url == agent;
        let frames: Vec<&Frame> = stopped
            .frames
            .iter()
            .filter(|frame| !is_agent(frame) && frame.url != SCRIPT_URL)
            .collect();
        let top = stopped.frames.first().filter(is_agent);
        if let Some(top) = top.filter(|frame| frame.function == dynamic_code::FUNCTION) {
            if !is_call {
                self.make(session, top, &frames).await?;
            }
            return Ok(false);
        }
        if self.is_paused() {
            return Ok(false);
        }
        let ours = top.filter(|frame| frame.function == STOP);
        if self.is_held() {
            return self.pass_by(session, &stopped).await;
        }
        let at_point = match ours {
            Some(stop) => {
                self.compare_input(stop).await?;
                self.at_hook(stop, &frames, &stopped).await?
            }
            None => self.at_exception(&stopped, &frames).await?,
        };
        if self.is_held() {
            return self.release(session, &stopped).await;
        }
        // Where something after it is waited for, the page goes on; it has been read.
        let stays = at_point && !self.watcher.goes_on();
        if !stays {
            self.resume(session).await?;
        }
        if at_point {
            self.watcher.gathered.lock().pass();
        }
        // The last of them came after the reproduction point.
        Ok(stays || self.has_gone_on() && !self.watcher.goes_on())
    }

    pub(super) async fn resume(&self, session: &SessionId) -> Result<(), EngineError> {
        let_go_on(self.watcher.reader.protocol.as_ref(), session).await?;
        self.watcher.pause_status.lock().resume();
        Ok(())
    }

    /// Resolves what hangs on an event, and keeps it.
    pub(super) async fn take_event(
        &mut self,
        document: DocumentId,
        capture: EventCapture,
        frames: &[&Frame],
    ) -> Result<bool, EngineError> {
        self.late_at_event(&capture, frames).await?;
        self.follow(&capture, frames).await?;
        self.hold_at_event(document, &capture, frames);
        self.keep(document, capture);
        Ok(false)
    }

    async fn at_exception(
        &mut self,
        stopped: &Stopped,
        frames: &[&Frame],
    ) -> Result<bool, EngineError> {
        if !stopped.is_exception() || frames.is_empty() {
            return Ok(false);
        }
        let is_listening =
            self.watcher.awaits_exceptions() || self.setting.collection.counts_exceptions();
        if is_listening && !self.is_own(stopped) {
            // What is waited for from this exception on is another one.
            let awaited = self.watcher.gathered.lock().exceptions.awaited();
            self.count_exception(stopped, frames).await?;
            if !awaited.is_empty() {
                self.take_exception(awaited, stopped, frames).await?;
            }
            let at_point = self.at_exception_point(stopped, frames).await?;
            self.leave_exception(frames).await?;
            return Ok(at_point);
        }
        self.at_exception_point(stopped, frames).await
    }

    /// Whether an exception is the reproduction point, which is then read.
    async fn at_exception_point(
        &mut self,
        stopped: &Stopped,
        frames: &[&Frame],
    ) -> Result<bool, EngineError> {
        let ReproductionPoint::Exception { text } = &self.setting.at else {
            return Ok(false);
        };
        if self.has_gone_on() {
            return Ok(false);
        }
        let message = stopped.exception_message();
        let meant = text.as_deref().is_none_or(|text| message.contains(text));
        if !stopped.uncaught || !meant {
            return Ok(false);
        }
        self.at_point(frames, frames[0], true).await
    }

    /// The page is paused at the reproduction point. `home` is a frame in which the agent can be spoken to;
    /// `unresolved`: the queries are to be resolved now, for the page has not done so itself.
    pub(super) async fn at_point(
        &mut self,
        frames: &[&Frame],
        home: &Frame,
        unresolved: bool,
    ) -> Result<bool, EngineError> {
        let prefix = &self.setting.collection.prefix;
        let Some(top) = frames.first() else {
            return Ok(false);
        };
        let report = if unresolved {
            let context = self
                .watcher
                .context(top, &self.setting.collection.root_dependents);
            let expression = format!("{prefix}E.at({context})");
            self.watcher.reader.json_in(top, &expression).await?
        } else {
            self.watcher
                .reader
                .json_in(home, &format!("{prefix}E.report()"))
                .await?
        };
        let report: Report = answered(&report)?;
        let state = self.state(frames, home).await?;
        self.hold_at(Parent::ReproductionPoint, frames, || {
            Moment::of_state(&state)
        });
        self.late_queries(Parent::ReproductionPoint, frames, false)
            .await?;
        self.compare_with_page(Parent::ReproductionPoint, frames)
            .await?;
        self.watcher.gathered.lock().reach(report, Some(state));
        self.nodes_at_pause(home).await?;
        let place = |frame| frame_at(frames, frame).map(Where::Frame);
        let reads = &mut self.readings.page_reads;
        self.watcher.compare_at_end(&place, reads).await?;
        Ok(true)
    }

    pub(super) async fn shown(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Preview, EngineError> {
        Ok(self.watcher.reader.shown_in(frame, expression).await?)
    }

    pub(super) async fn class(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<String, EngineError> {
        Ok(self.watcher.reader.class_in(frame, expression).await?)
    }

    /// What hangs on the queries that this event answers and needs one of its frames.
    async fn late_at_event(
        &mut self,
        event: &EventCapture,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        for &query in self
            .task
            .answered
            .get(&event.sequence)
            .into_iter()
            .flatten()
        {
            // Where there was no hook of a write, or only one that counts, nothing is resolved yet.
            let unresolved = event.by.is_some() || self.trace(query).is_some();
            self.late_queries(Parent::Query(query), frames, unresolved)
                .await?;
            self.compare_with_page(Parent::Query(query), frames).await?;
        }
        Ok(())
    }

    /// Resolves what hangs on `parent` and needs a frame that only a debugger reaches; after a built-in that is every
    /// frame.
    pub(super) async fn late_queries(
        &mut self,
        parent: Parent,
        frames: &[&Frame],
        by_built_in: bool,
    ) -> Result<(), EngineError> {
        self.conditions_before(parent, frames, by_built_in).await?;
        self.count_at(parent, frames).await?;
        self.await_exceptions(parent, frames).await?;
        let collection = &self.setting.collection;
        for (query, frame) in collection.late_queries(&self.setting.plan, parent, by_built_in) {
            let Some(at) = frame_at(frames, frame) else {
                let result = no_such_frame(frame, frames.len());
                self.readings.late.insert(query.query, result);
                continue;
            };
            let context = self.watcher.context(at, &query.dependents);
            let mut asked = query.clone();
            asked.late = false;
            let asked = serde_json::to_string(&[asked]).unwrap_or_default();
            let expression = format!("{}E.late({asked},{context})", collection.prefix);
            let value = self.watcher.reader.json_in(at, &expression).await?;
            let results: BTreeMap<usize, QueryResult> = answered(&value)?;
            self.readings.late.extend(results);
        }
        Ok(())
    }

    pub(super) async fn state(
        &self,
        frames: &[&Frame],
        home: &Frame,
    ) -> Result<CapturedState, EngineError> {
        let Some(top) = frames.first() else {
            return Ok(CapturedState::default());
        };
        let watched =
            self.setting
                .sources
                .lock()
                .watched(&top.url, top.position, &self.setting.plan.watches);
        let (scopes, mut watches, cause, picture) = futures::try_join!(
            self.scopes(top, home),
            self.watcher
                .reader
                .watches(&top.session, Some(top), &watched),
            self.watcher.reader.cause(home),
            self.watcher.picture(&top.session).map(Ok),
        )?;
        let sources = self.setting.sources.lock();
        let mut told = Vec::new();
        let lacks_values = self.task.read_ahead
            && scopes
                .iter()
                .any(|read| sources.lacks_values(&top.url, top.position, &read.scope));
        for (mut scope, extent) in scopes.into_iter().map(|read| (read.scope, read.extent)) {
            if let (ScopeKind::Local, Some(name)) =
                (scope.kind, sources.function_at(&top.url, top.position))
            {
                scope.function = Some(name);
            }
            sources.name_variables(&top.url, top.position, &mut scope, extent);
            scope.variables.truncate(MOST_VARIABLES);
            told.push(scope);
        }
        for watch in watches.iter_mut().filter(|watch| watch.threw == Some(true)) {
            if let Some(why) = not_initialised(&watch.value.text, &told) {
                watch.value = Preview::new(ValueType::Undefined, why);
            }
        }
        let stack = frames
            .iter()
            .map(|frame| StackFrame {
                function: sources
                    .function_at(&frame.url, frame.position)
                    .unwrap_or_else(|| frame.function.clone()),
                location: sources.place(&frame.url, frame.position).location,
            })
            .collect();
        let names_in_sight = sources.names_in_sight(&top.url, top.position);
        let top = sources.place(&top.url, top.position);
        Ok(CapturedState {
            names_in_sight,
            lacks_values,
            picture,
            stack,
            top: Some(top),
            scopes: told,
            watches,
            cause: cause.or_else(|| self.step_as_cause()),
        })
    }

    /// The scopes of a frame; where hooks are live, with who wrote each variable last.
    async fn scopes(&self, top: &Frame, home: &Frame) -> Result<Vec<ScopeRead>, ProtocolError> {
        let reader = &self.watcher.reader;
        let first = |kind, extent| {
            let sources = self.setting.sources.lock();
            sources.read_first(&top.url, top.position, kind, extent)
        };
        let mut read = reader.scopes(top, home, &first).await?;
        if !self.setting.collection.is_live() {
            return Ok(read);
        }
        let asked = top.scopes.iter().map(|scope| InSight::Scope {
            kind: &scope.kind,
            object: &scope.object,
        });
        let asked: Vec<InSight<'_>> = asked.collect();
        let is_whole = is_whole(&self.watcher.interceptor.seen());
        let (protocol, prefix) = (reader.protocol.as_ref(), &reader.prefix);
        let told = told(protocol, &top.session, prefix, &asked, is_whole).await?;
        let sources = self.setting.sources.lock();
        for ScopeRead { scope, number, .. } in &mut read {
            give(&mut scope.variables, *number, &told, &sources);
        }
        Ok(read)
    }

    /// The user's action under way, where the page dispatches no event.
    fn step_as_cause(&self) -> Option<Cause> {
        self.watcher.cursor.current().map(|step| Cause {
            kind: if step.kind == "navigate" {
                "load"
            } else {
                step.kind
            }
            .to_owned(),
            target: step.selector,
        })
    }
}

fn no_such_frame(frame: i32, frames: usize) -> QueryResult {
    let message = format!("there is no frame {frame}: the stack has {frames}");
    QueryResult::of(ResultStatus::Error, Some(message))
}
