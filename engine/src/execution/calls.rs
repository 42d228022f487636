//! Call-stack reproduction (*Debugging by lastChange*, section on reproduction): the page is paused at the reproduction
//! point, and the oldest function on its stack is called again, with hooks, instead of running the page anew.
//!
//! The paper keeps that function, its `this` and its arguments. Here the stack keeps them: the browser takes the frames
//! off and begins the oldest again (`Debugger.restartFrame`), so closures and arguments are the very same, and neither
//! `finally` blocks nor anything else of the page runs on the way. What the calls have changed stays changed.

use agent::{EVALUATED_URL, evaluated};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, select};
use querypoint::answer::Location;

use super::pause_status::PausedForCall;
use super::preparation::agent_config;
use super::stops::NO_CONTEXT;
use super::{
    Arrival, ExecutionOutcome, PauseLoop, Role, Setting, Task, Watcher, Work, agent_url, run_and_do,
};
use crate::agent_message::answered;
use crate::error::EngineError;
use crate::page::Page;
use crate::report::{QueryResult, Report};
use crate::stopped::{Frame, Stopped};
use agent::{question_config, question_source};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Wanted, with_time_limit};

/// How long is waited between two looks at a page that is busy with a call.
const PAUSE: Duration = Duration::from_millis(2);

/// Why the oldest function cannot be called again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is none.
    #[error("no function of the page was running")]
    NothingRuns,
    /// It is the script.
    #[error(
        "{url} itself was running, as it was loaded, and no function that could be called again"
    )]
    Script {
        /// The script's address.
        url: String,
    },
    /// A function that was gone on with.
    #[error(
        "{function} is an async function or a generator: the browser goes on with such a function in the middle, and cannot \
         begin it again"
    )]
    Resumed {
        /// Its name.
        function: String,
    },
    /// The browser's own code is between.
    #[error(
        "{function} was called by the browser from within {oldest}, as by click() or dispatchEvent(), and the browser does \
         not undo such a call"
    )]
    Between {
        /// The oldest function that could be called again.
        function: String,
        /// The oldest function.
        oldest: String,
    },
    /// An older browser.
    #[error("this browser cannot begin a function again; a newer Chromium can")]
    Unable,
    /// Built-ins were exchanged.
    #[error("the page has replaced {name}, which hooks that come later would call")]
    Replaced {
        /// As it is written: `Object.assign`.
        name: String,
    },
    /// It went on.
    #[error("the page has gone on since it was paused at the reproduction point")]
    WentOn,
    /// The same call did not lead there.
    #[error(
        "{function} was called again and did not reach the reproduction point, because of what it, or the page, had changed \
         before"
    )]
    NotReached {
        /// Its name.
        function: String,
    },
    /// It would have to be loaded with other hooks.
    #[error(
        "calling {function} again is not enough: what is asked needs hooks that the page was not loaded with, or the calls \
         differ"
    )]
    NotEnough {
        /// Its name.
        function: String,
    },
}

/// A page that is paused at the reproduction point.
pub(crate) struct PausedExecution<'p> {
    watcher: &'p Watcher<'p>,
    page: &'p Page,
    /// `None`: it is paused no more.
    at: Option<PausedForCall>,
    /// How often a function was called.
    calls: u32,
    values: Option<BTreeMap<usize, QueryResult>>,
    /// That of the last question.
    agent: Option<QuestionAgent>,
    replay_ms: f64,
}

/// The agent of a question, in the realm in which the page is paused.
struct QuestionAgent {
    text: String,
    /// The protocol's id of the function that begins it.
    function: cdp::runtime::RemoteObjectId,
}

/// Whoever asks at a page that is paused.
pub(crate) trait AtPoint: Send {
    /// What comes of it.
    type Found: Send;

    /// A step of the recording is done.
    fn step(&mut self, step: usize, steps: usize, description: &str);

    /// The page is paused; `come` has the reports until then.
    fn ask(
        &mut self,
        paused: PausedExecution<'_>,
        come: &ExecutionOutcome,
    ) -> impl Future<Output = Self::Found> + Send;
}

/// Runs the page with dormant hooks to the hit that the task stops at; while the page is paused there, it is asked.
/// Gives nothing found if it was not reached.
///
/// # Errors
/// As [`super::run`].
pub(crate) async fn run_and_pause<A: AtPoint>(
    setting: &Setting,
    task: &Task,
    asker: &mut A,
) -> Result<(ExecutionOutcome, Option<A::Found>), EngineError> {
    run_and_do(setting, task, PauseAndAsk { asker }).await
}

struct PauseAndAsk<'a, A> {
    asker: &'a mut A,
}

impl<A: AtPoint> Work for PauseAndAsk<'_, A> {
    type Given = Option<A::Found>;

    async fn run(
        self,
        watcher: &Watcher<'_>,
        page: &Page,
        arrival: &mut Arrival,
    ) -> Result<(f64, Self::Given), EngineError> {
        let Self { asker } = self;
        let replay_ms = {
            let mut step = |step: usize, steps: usize, what: &str| asker.step(step, steps, what);
            let coming = watcher.work(page, &mut step, arrival);
            let (clock, limit) = (watcher.setting.clock.as_ref(), watcher.setting.timeout);
            with_time_limit(clock, limit, "running to the reproduction point", coming)
                .await
                .map_err(EngineError::Protocol)
                .flatten()?
        };
        let at = watcher.pause_status.lock().for_call().cloned();
        let Some(at) = at else {
            return Ok((replay_ms, None));
        };
        let paused = PausedExecution {
            watcher,
            page,
            at: Some(at),
            calls: 0,
            values: None,
            agent: None,
            replay_ms,
        };
        let come = {
            let gathered = watcher.gathered.lock();
            let outcome = &gathered.outcome;
            ExecutionOutcome {
                reports: outcome.reports.clone(),
                counted: outcome.counted,
                ..ExecutionOutcome::default()
            }
        };
        Ok((replay_ms, Some(asker.ask(paused, &come).await)))
    }
}

impl PauseLoop<'_> {
    /// Whether the page is paused for its oldest function to be called again.
    pub(super) fn is_paused(&self) -> bool {
        self.task.role == Role::Standby && self.watcher.pause_status.lock().for_call().is_some()
    }

    /// The page has reached where it is left paused.
    pub(super) fn pause_for_call(&self, stopped: &Stopped, index: u64) {
        let frames = stopped.frames.clone();
        self.watcher
            .pause_status
            .lock()
            .pause_for_call(frames, index);
    }

    /// The dormant hook of the reproduction point has stopped the page: nobody has asked anything yet.
    pub(super) async fn at_dormant_point(&self, home: &Frame) -> Result<bool, EngineError> {
        let expression = format!("{}E.report()", self.setting.collection.prefix);
        let report = self.watcher.reader.json_in(home, &expression).await?;
        let report: Report = answered(&report)?;
        self.watcher.gathered.lock().reach(report, None);
        Ok(true)
    }
}

impl Watcher<'_> {
    /// What watches a call in a page that is paused.
    fn of_call<'c>(&self, setting: &'c Setting, task: &'c Task, page: &Page) -> Watcher<'c> {
        let mut watcher = Watcher::new(setting, task, page, None);
        watcher.scripts = self.scripts.clone();
        watcher.cursor = self.cursor.clone();
        watcher
    }
}

impl PausedForCall {
    /// The page's own frames, newest first.
    fn own<'f>(&'f self, prefix: &str) -> Vec<&'f Frame> {
        let agent = agent_url(prefix);
        let frames = self.frames.iter();
        frames.filter(|frame| frame.url != agent).collect()
    }
}

impl PausedExecution<'_> {
    /// How long it took to come here.
    pub(crate) fn replay_ms(&self) -> f64 {
        self.replay_ms
    }

    /// How often a function was called.
    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }

    /// The oldest function on the stack, and where it is; nothing, where there is none.
    pub(crate) fn oldest(&self) -> Option<(String, Location)> {
        let prefix = &self.watcher.setting.collection.prefix;
        let at = self.at.as_ref()?;
        let oldest = at.own(prefix).last().copied()?;
        let sources = self.watcher.setting.sources.lock();
        let place = sources.place(&oldest.url, oldest.position);
        let name = sources.function_at(&oldest.url, oldest.position);
        Some((
            name.unwrap_or_else(|| oldest.function.clone()),
            place.location,
        ))
    }

    /// Why the oldest function cannot be called again, if it cannot.
    ///
    /// # Errors
    /// The page or the browser is lost.
    pub(crate) async fn refusal(&self) -> Result<Option<Refusal>, EngineError> {
        let Some(at) = &self.at else {
            return Ok(Some(Refusal::WentOn));
        };
        if let Some(refusal) = self.refusal_of(at) {
            return Ok(Some(refusal));
        }
        let prefix = &self.watcher.setting.collection.prefix;
        let Some(top) = at.frames.first() else {
            return Ok(Some(Refusal::NothingRuns));
        };
        let expression = format!("{prefix}E.isReplaced()");
        let replaced = self.watcher.reader.json_in(top, &expression).await?;
        let replaced: Option<String> = answered(&replaced)?;
        Ok(replaced.map(|name| Refusal::Replaced { name }))
    }

    fn refusal_of(&self, at: &PausedForCall) -> Option<Refusal> {
        let frames = at.own(&self.watcher.setting.collection.prefix);
        let sources = self.watcher.setting.sources.lock();
        let name = |frame: &Frame| {
            let known = sources.function_at(&frame.url, frame.position);
            known.unwrap_or_else(|| frame.function.clone())
        };
        let Some(oldest) = frames.last() else {
            return Some(Refusal::NothingRuns);
        };
        if oldest.begins.is_none() {
            let url = oldest.url.clone();
            return Some(Refusal::Script { url });
        }
        let is_resumed = |frame: &&&Frame| {
            let function = sources.function_of_frame(&frame.url, frame.position, frame.begins);
            function.is_some_and(|function| function.is_resumed)
        };
        if let Some(resumed) = frames.iter().find(is_resumed) {
            return Some(Refusal::Resumed {
                function: name(resumed),
            });
        }
        match oldest.can_be_restarted {
            Some(true) => None,
            None => Some(Refusal::Unable),
            Some(false) => {
                let mut restarted = frames.iter().rev();
                let newer = restarted.find(|frame| frame.can_be_restarted == Some(true));
                Some(Refusal::Between {
                    function: newer.map(|frame| name(frame)).unwrap_or_default(),
                    oldest: name(oldest),
                })
            }
        }
    }

    /// What the queries that are asked at the reproduction point had there before anything was called again; once,
    /// after the first call.
    pub(crate) fn take_values(&mut self) -> Option<BTreeMap<usize, QueryResult>> {
        self.values.take()
    }

    /// What those queries have now.
    async fn values_now(
        &self,
        watcher: &Watcher<'_>,
        at: &PausedForCall,
    ) -> Result<BTreeMap<usize, QueryResult>, EngineError> {
        let collection = &watcher.setting.collection;
        let prefix = &collection.prefix;
        let own = at.own(prefix);
        let Some(top) = own.first() else {
            return Ok(BTreeMap::new());
        };
        let context = watcher.context(top, &collection.root_dependents);
        if context == NO_CONTEXT {
            return Ok(BTreeMap::new());
        }
        let queries = serde_json::to_string(&collection.agent_config().roots).unwrap_or_default();
        let expression = format!("{prefix}E.late({queries},{context})");
        let value = watcher.reader.json_in(top, &expression).await?;
        Ok(answered(&value)?)
    }

    /// Puts the agent of a question into the realm in which the page is paused.
    async fn arm(&mut self, watcher: &Watcher<'_>, at: &PausedForCall) -> Result<(), EngineError> {
        let protocol = watcher.setting.protocol.clone();
        let session = &at.session;
        let Some(context) = watcher.realm_of(at) else {
            return Err(EngineError::PageScript {
                what: "putting hooks into a paused page".to_owned(),
                message: "the browser did not name the script in which it is paused".to_owned(),
            });
        };
        let config = agent_config(watcher.setting, watcher.task);
        let text = question_source(&watcher.setting.collection.prefix, &config);
        let failed = |problem: &dyn std::fmt::Debug| EngineError::PageScript {
            what: "putting hooks into a paused page".to_owned(),
            message: format!("{problem:?}"),
        };
        let known = self.agent.as_ref().filter(|agent| agent.text == text);
        let function = match known {
            Some(agent) => agent.function.clone(),
            None => {
                let context = cdp::runtime::ExecutionContextId(context);
                let compile = cdp::runtime::CompileScript {
                    execution_context_id: Some(context),
                    ..cdp::runtime::CompileScript::new(text.as_str(), EVALUATED_URL, true)
                };
                let compiled = protocol.call(Some(session), &compile).await?;
                let script = compiled.script_id.as_ref();
                let script = script.ok_or_else(|| failed(&compiled.exception_details))?;
                watcher.scripts.lock().add_agent(session, &script.0);
                let run = cdp::runtime::RunScript {
                    execution_context_id: Some(context),
                    silent: Some(true),
                    ..cdp::runtime::RunScript::new(script.clone())
                };
                let ran = protocol.call(Some(session), &run).await?;
                let function = ran.result.object_id.clone();
                function.ok_or_else(|| failed(&ran))?
            }
        };
        let call = cdp::runtime::CallFunctionOn {
            object_id: Some(function.clone()),
            arguments: Some(vec![cdp::runtime::CallArgument {
                value: Some(question_config(&config)),
                ..cdp::runtime::CallArgument::default()
            }]),
            silent: Some(true),
            ..cdp::runtime::CallFunctionOn::new("function (given) { this(given); }")
        };
        let result = protocol.call(Some(session), &call).await?;
        if let Some(problem) = result.exception_details {
            return Err(failed(&problem));
        }
        self.agent = Some(QuestionAgent { text, function });
        watcher.control.keep_unoptimised(session).await?;
        Ok(())
    }

    /// Calls the oldest function again, up to the same hit of the reproduction point. Nothing of it is in the outcome
    /// if that was not reached again; then the page is paused no more.
    ///
    /// # Errors
    /// The page or the browser is lost, time is up.
    pub(crate) async fn call(
        &mut self,
        setting: &Setting,
        task: &Task,
    ) -> Result<ExecutionOutcome, EngineError> {
        let Some(at) = self.at.take() else {
            return Ok(ExecutionOutcome::default());
        };
        let task = Task {
            role: Role::Call,
            stop_at_hit: Some(at.index),
            realm: None,
            ..task.clone()
        };
        let start = setting.clock.now_ms();
        let watcher = self.watcher.of_call(setting, &task, self.page);
        self.arm(&watcher, &at).await?;
        let own = at.own(&setting.collection.prefix);
        let Some(oldest) = own.last() else {
            return Ok(ExecutionOutcome::default());
        };
        if self.calls == 0 {
            self.values = Some(self.values_now(&watcher, &at).await?);
        }
        self.calls += 1;
        const OF_CALL: &[&str] = &[
            cdp::debugger::ScriptParsed::METHOD,
            cdp::debugger::Paused::METHOD,
        ];
        let sessions = watcher.control.sessions.own();
        let events = setting.protocol.events_of(Wanted::of(sessions, OF_CALL));
        let (arrived, mut arrival) = mpsc::unbounded();
        let mut pauses = PauseLoop::new(&watcher);
        {
            let following = pauses.run(events, &arrived);
            let calling = async {
                use cdp::debugger::{RestartFrame, RestartFrameMode};
                let restart = RestartFrame {
                    mode: Some(RestartFrameMode::StepInto),
                    ..RestartFrame::new(&oldest.id)
                };
                setting.protocol.call(Some(&at.session), &restart).await?;
                let ended = watcher.until_returned(&at);
                futures::pin_mut!(ended);
                match select(arrival.next(), ended).await {
                    Either::Left((Some(Err(error)), _)) => Err(error),
                    Either::Left(_) => Ok(()),
                    Either::Right((result, _)) => result,
                }
            };
            futures::pin_mut!(following, calling);
            let limited = async {
                match select(calling, following).await {
                    Either::Left((result, _)) => result,
                    Either::Right((_, calling)) => calling.await,
                }
            };
            let clock = setting.clock.as_ref();
            with_time_limit(clock, setting.timeout, "calling a function again", limited)
                .await
                .map_err(EngineError::Protocol)
                .flatten()?;
        }
        let paused = watcher.pause_status.lock().for_call().cloned();
        self.at = paused.map(|paused| PausedForCall {
            index: at.index,
            ..paused
        });
        let taken = setting.clock.now_ms() - start;
        let readings = pauses.into_readings();
        let mut outcome = watcher.finish(readings, taken, Vec::new(), &BTreeSet::new());
        outcome.seen = self.watcher.interceptor.seen().clone();
        outcome.is_of_call = true;
        Ok(outcome)
    }
}

impl Watcher<'_> {
    /// The protocol's id of the realm in which the page is paused.
    fn realm_of(&self, at: &PausedForCall) -> Option<i64> {
        let own = at.own(&self.setting.collection.prefix);
        let scripts = self.scripts.lock();
        let script = scripts.get(&at.session, &own.first()?.script);
        script.map(|script| script.context)
    }

    /// Waits until the function that was called has returned, and with it the task has ended. While a page runs it
    /// answers nothing; it does when it is paused, and then something of ours is on top.
    async fn until_returned(&self, at: &PausedForCall) -> Result<(), EngineError> {
        let prefix = &self.setting.collection.prefix;
        let expression = evaluated(format!("{prefix}E.isPaused()"));
        let context = self.realm_of(at);
        loop {
            let before = self.pause_status.lock().resumed();
            if before > 0 {
                let look = cdp::runtime::Evaluate {
                    context_id: context.map(cdp::runtime::ExecutionContextId),
                    return_by_value: Some(true),
                    silent: Some(true),
                    ..cdp::runtime::Evaluate::new(expression.as_str())
                };
                let paused = self.setting.protocol.call(Some(&at.session), &look);
                let paused = paused.await;
                let is_paused = match paused {
                    Err(error) if error.is_fatal() => return Err(error.into()),
                    // The realm is gone, or its agent.
                    Err(_) => false,
                    Ok(told) if told.exception_details.is_some() => true,
                    Ok(told) => answered(&told.result.value.unwrap_or_default())?,
                };
                let after = self.pause_status.lock().resumed();
                if !is_paused && before == after {
                    return Ok(());
                }
            }
            self.setting.clock.sleep(PAUSE).await;
        }
    }
}
