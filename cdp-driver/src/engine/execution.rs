//! One execution: a fresh tab, the agent before the first script, responses rewritten on their way in, the
//! recorded actions, and what is read wherever the page stops.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, join, join_all, select};
use futures::stream::BoxStream;
use querypoint::answer::{Cause, Scope, ScopeKind, StackFrame, Value as Shown, Watch};
use querypoint::graph::Parent;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::recording::Recording;
use serde_json::{Value, json};

use super::agent::{AgentConfig, agent_source};
use super::collection::Collection;
use super::debugger::{Frame, Reader, Stopped};
use super::intercept::Interceptor;
use super::page::{ChildTarget, Page};
use super::protocol::{Clock, Event, Protocol, ProtocolError};
use super::replay::{ReplayCursor, ReplayOptions, SCRIPT_URL, Speed, replay, wait_until_idle};
use super::report::{QueryResult, Report};
use super::sources::{Place, Seen, Sources};
use crate::error::DriverError;

/// What all executions of one question share.
pub(super) struct Setting {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) page_url: String,
    pub(super) recording: Option<Recording>,
    pub(super) at: ReproductionPoint,
    pub(super) plan: CollectionPlan,
    pub(super) collection: Arc<Collection>,
    pub(super) sources: Arc<Mutex<Sources>>,
    pub(super) timeout: Duration,
}

/// What one execution is for.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    /// Sequence numbers of the events to stop at.
    pub(super) stops: Vec<u64>,
    /// The hit of the reproduction point to stop at, in its document.
    pub(super) stop_at_hit: Option<u64>,
    /// Owners that are followed exactly, by watched slot.
    pub(super) exact: Vec<u64>,
    /// Whether state is captured inside the page.
    pub(super) capture: bool,
    /// Which queries each of those events answers.
    pub(super) answered: BTreeMap<u64, Vec<usize>>,
    /// How many documents with hits come before the one that counts.
    pub(super) documents_before: usize,
}

/// State read at a stop.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) stack: Vec<StackFrame>,
    pub(super) top: Option<Place>,
    pub(super) scopes: Vec<Scope>,
    pub(super) watches: Vec<Watch>,
    pub(super) cause: Option<Cause>,
}

/// One event the page was stopped at.
#[derive(Clone, Debug)]
pub(super) struct EventCapture {
    pub(super) sequence: u64,
    pub(super) site: u32,
    pub(super) owner: u64,
    pub(super) owner_class: Option<String>,
    pub(super) created: bool,
    pub(super) old: Shown,
    pub(super) new: Shown,
    pub(super) index: u64,
    pub(super) state: State,
}

/// What an execution gave.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The reports of the documents in which the reproduction point was passed, in order.
    pub(super) reports: Vec<Report>,
    /// By sequence number.
    pub(super) events: BTreeMap<u64, EventCapture>,
    pub(super) point: Option<State>,
    /// What only a debugger could resolve, by query number.
    pub(super) late: BTreeMap<usize, QueryResult>,
    pub(super) seen: Seen,
    pub(super) replay_ms: f64,
    pub(super) notes: Vec<String>,
}

impl Outcome {
    /// The document that counts: the last one in which the reproduction point was passed.
    pub(super) fn report(&self) -> Option<&Report> {
        self.reports.last().filter(|report| report.hit.is_some())
    }

    pub(super) fn hits(&self) -> u64 {
        self.reports.iter().map(|report| report.hits).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of the address of the agent, by which its frames are known.
fn agent_url(prefix: &str) -> String {
    format!("querypoint-agent-{}.js", prefix.trim_start_matches('$'))
}

/// Runs one execution from a blank tab to the reproduction point.
///
/// # Errors
/// The page does not load, a step cannot be done, the browser or the tab is lost, time is up.
pub(super) async fn run(
    setting: &Setting,
    task: &Task,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<Outcome, DriverError> {
    let page = Page::open(setting.protocol.clone(), setting.clock.clone()).await?;
    let events = setting.protocol.events();
    let stops = setting.protocol.events();
    let watcher = Watcher::new(setting, task, &page);
    prepare(setting, task, &page).await?;
    let (arrived, mut arrival) = mpsc::unbounded();
    let outcome = {
        let loops = join(
            watcher.interceptor.run(events),
            watcher.run(stops, &arrived),
        );
        let work = watcher.work(&page, progress, &mut arrival);
        futures::pin_mut!(loops, work);
        match select(work, loops).await {
            Either::Left((result, _)) => result,
            // The connection is gone; what waits has been answered with that.
            Either::Right((_, work)) => work.await,
        }
    };
    let children = page.child_targets();
    let disposed = page.dispose().await;
    let replay_ms = outcome?;
    disposed?;
    Ok(watcher.finish(replay_ms, children))
}

/// Everything that must be there before the page's first byte.
async fn prepare(setting: &Setting, task: &Task, page: &Page) -> Result<(), DriverError> {
    let prefix = &setting.collection.prefix;
    let mut config: AgentConfig = setting.collection.agent_config();
    config.stops.clone_from(&task.stops);
    config.stop_at_hit = task.stop_at_hit;
    config.capture = task.capture;
    config.post = Some(format!("{prefix}B"));
    config.hit = match &setting.at {
        // In the document that counts, the hit is the one that was found there.
        ReproductionPoint::Location { hit, .. } => task
            .stop_at_hit
            .and_then(|hit| i64::try_from(hit).ok())
            .unwrap_or(if hit.0 < 0 { -1 } else { hit.0 }),
        _ => -1,
    };
    if let ReproductionPoint::Console { text } = &setting.at {
        config.console = Some(text.clone());
    }
    for slot in &mut config.slots {
        slot.exact.clone_from(&task.exact);
    }
    let agent = format!(
        "{}\n//# sourceURL={}\n",
        agent_source(prefix, &config),
        agent_url(prefix)
    );
    let pause = match setting.at {
        ReproductionPoint::Exception { .. } => "uncaught",
        _ => "none",
    };
    let commands = [
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
        ("Page.setBypassCSP", json!({ "enabled": true })),
        ("Fetch.enable", Interceptor::patterns()),
        ("Debugger.enable", json!({})),
        ("Debugger.setPauseOnExceptions", json!({ "state": pause })),
        (
            "Runtime.addBinding",
            json!({ "name": format!("{prefix}B") }),
        ),
        (
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": agent }),
        ),
    ];
    for result in join_all(commands.map(|(method, params)| page.send(method, params))).await {
        result?;
    }
    Ok(())
}

/// What watches one execution.
struct Watcher<'s> {
    setting: &'s Setting,
    task: &'s Task,
    reader: Reader,
    interceptor: Interceptor,
    cursor: ReplayCursor,
    outcome: Mutex<Outcome>,
    scripts: Mutex<HashMap<String, String>>,
    /// Events captured in each document, by its agent's script.
    documents: Mutex<HashMap<String, BTreeMap<u64, EventCapture>>>,
    late: Mutex<BTreeMap<usize, QueryResult>>,
    reached: AtomicBool,
}

impl<'s> Watcher<'s> {
    fn new(setting: &'s Setting, task: &'s Task, page: &Page) -> Self {
        Self {
            setting,
            task,
            reader: Reader {
                protocol: setting.protocol.clone(),
                session: page.session().clone(),
                prefix: setting.collection.prefix.clone(),
            },
            interceptor: Interceptor {
                protocol: setting.protocol.clone(),
                clock: setting.clock.clone(),
                session: page.session().clone(),
                frame: page.target_id().to_owned(),
                sources: setting.sources.clone(),
                seen: Mutex::default(),
                capture: task.capture,
                document_charset: Mutex::default(),
            },
            cursor: ReplayCursor::default(),
            outcome: Mutex::default(),
            scripts: Mutex::default(),
            documents: Mutex::default(),
            late: Mutex::default(),
            reached: AtomicBool::new(false),
        }
    }

    fn finish(self, replay_ms: f64, children: Vec<ChildTarget>) -> Outcome {
        let mut outcome = self
            .outcome
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        outcome.late = self
            .late
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        outcome.replay_ms = replay_ms;
        let mut seen = self.interceptor.seen().clone();
        for child in children {
            let reason = match child.kind.as_str() {
                "worker" | "shared_worker" | "service_worker" => {
                    "it runs in a worker, where nothing is hooked"
                }
                "iframe" => "it runs in a frame of another site, where nothing is hooked",
                _ => "it runs in another target, where nothing is hooked",
            };
            if !child.url.is_empty() && child.url != "about:blank" {
                seen.blind(&child.url, reason);
            }
        }
        // What the event loop saw comes on top of what the responses told.
        for spot in std::mem::take(&mut outcome.seen.blind_spots) {
            seen.unhooked_script(&spot.url, spot.reason);
        }
        outcome.seen = seen;
        outcome
    }

    // ---- the replay --------------------------------------------------------------------------------------

    /// The recorded actions, and then as much more as the reproduction point needs. Gives the time of the
    /// replay in milliseconds.
    async fn work(
        &self,
        page: &Page,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
        arrival: &mut mpsc::UnboundedReceiver<Result<(), DriverError>>,
    ) -> Result<f64, DriverError> {
        let start = self.setting.clock.now_ms();
        let replayed = {
            let actions = self.actions(page, progress);
            let arrived = arrival.next();
            futures::pin_mut!(actions, arrived);
            match select(actions, arrived).await {
                Either::Left((result, _)) => result,
                Either::Right((Some(Err(error)), _)) => Err(error),
                // The reproduction point is reached; what would come after it is not asked for.
                Either::Right(_) => Ok(()),
            }
        };
        replayed?;
        Ok(self.setting.clock.now_ms() - start)
    }

    async fn actions(
        &self,
        page: &Page,
        progress: &mut (dyn FnMut(usize, usize, &str) + Send),
    ) -> Result<(), DriverError> {
        let options = ReplayOptions {
            speed: Speed::Fast,
            page_url: Some(self.setting.page_url.clone()),
            ..ReplayOptions::default()
        };
        match &self.setting.recording {
            Some(recording) => {
                let report = replay(page, recording, &options, &self.cursor, progress).await?;
                lock(&self.outcome).notes.extend(
                    report
                        .divergences
                        .into_iter()
                        .map(|divergence| divergence.note),
                );
            }
            None => {
                progress(1, 1, "open the page");
                page.navigate(&self.setting.page_url, self.setting.timeout)
                    .await?;
            }
        }
        self.until_reached(page).await
    }

    /// Gives the page time until the reproduction point was passed and the page is idle, or it is clear that it
    /// will not be passed.
    async fn until_reached(&self, page: &Page) -> Result<(), DriverError> {
        const FIRST_BUDGET: Duration = Duration::from_secs(2);
        const FURTHER_BUDGET: Duration = Duration::from_secs(5);
        const FURTHER_ROUNDS: u32 = 12;
        let limit = self.setting.timeout;
        wait_until_idle(page, FIRST_BUDGET, limit).await?;
        if self.setting.at == ReproductionPoint::End {
            return self.at_end(page).await;
        }
        for _ in 0..FURTHER_ROUNDS {
            if self.drain(page).await? {
                return Ok(());
            }
            // Animation frames keep real time, so some of that is given as well.
            self.setting.clock.sleep(Duration::from_millis(30)).await;
            wait_until_idle(page, FURTHER_BUDGET, limit).await?;
        }
        self.drain(page).await.map(|_| ())
    }

    /// Takes the report of the present document; whether the reproduction point was passed often enough.
    async fn drain(&self, page: &Page) -> Result<bool, DriverError> {
        if self.reached.load(Ordering::SeqCst) {
            return Ok(true);
        }
        let expression = format!(
            "typeof {0}E==='undefined'?'':{0}E.report()",
            self.setting.collection.prefix
        );
        let params = json!({ "expression": expression, "returnByValue": true, "silent": true });
        let result = page.drive(page.send("Runtime.evaluate", params)).await?;
        let text = result
            .pointer("/result/value")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let Ok(report) = serde_json::from_str::<Report>(text) else {
            return Ok(false);
        };
        let wanted = match &self.setting.at {
            ReproductionPoint::Location { hit, .. } => {
                u64::try_from(hit.0).map_or(1, |hit| hit + 1)
            }
            _ => 1,
        };
        let mut outcome = lock(&self.outcome);
        if outcome.hits() + report.hits >= wanted {
            if report.hits > 0 {
                outcome.reports.push(report);
            }
            return Ok(true);
        }
        Ok(false)
    }

    async fn at_end(&self, page: &Page) -> Result<(), DriverError> {
        let dependents = &self.setting.collection.root_dependents;
        let context = lock(&self.setting.sources).global_context(dependents);
        let context = if context.is_empty() {
            "undefined"
        } else {
            &context
        };
        let expression = format!("{}E.at({context})", self.setting.collection.prefix);
        let params = json!({ "expression": expression, "returnByValue": true, "silent": true });
        let result = page.drive(page.send("Runtime.evaluate", params)).await?;
        let report = report_of(&result, "the end of the replay")?;
        let state = State {
            scopes: vec![Scope {
                kind: ScopeKind::Global,
                function: None,
                variables: self.reader.globals().await?,
            }],
            watches: self
                .reader
                .watches(None, &self.setting.plan.watches)
                .await?,
            ..State::default()
        };
        let events = self.newest_document();
        let mut outcome = lock(&self.outcome);
        outcome.reports.push(report);
        outcome.point = Some(state);
        outcome.events = events;
        Ok(())
    }

    /// The events captured in the newest document.
    fn newest_document(&self) -> BTreeMap<u64, EventCapture> {
        let mut documents = lock(&self.documents);
        let newest = documents
            .keys()
            .max_by_key(|script| script.parse::<u64>().unwrap_or(0))
            .cloned();
        newest
            .and_then(|script| documents.remove(&script))
            .unwrap_or_default()
    }

    // ---- stops -------------------------------------------------------------------------------------------

    /// Follows the page's events until the connection ends; says on `arrived` when the reproduction point is
    /// reached.
    async fn run(
        &self,
        mut events: BoxStream<'static, Event>,
        arrived: &mpsc::UnboundedSender<Result<(), DriverError>>,
    ) {
        while let Some(event) = events.next().await {
            if event.session.as_ref() != Some(&self.reader.session) {
                continue;
            }
            let result = match event.method.as_str() {
                "Debugger.scriptParsed" => {
                    self.script_parsed(&event);
                    Ok(false)
                }
                "Runtime.bindingCalled" => {
                    self.document_left(&event);
                    Ok(false)
                }
                "Debugger.paused" => self.stopped(&event.params).await,
                _ => Ok(false),
            };
            match result {
                Ok(false) => {}
                Ok(true) => {
                    self.reached.store(true, Ordering::SeqCst);
                    let _ = arrived.unbounded_send(Ok(()));
                    return std::future::pending().await;
                }
                Err(error) => {
                    let _ = arrived.unbounded_send(Err(error));
                    return std::future::pending().await;
                }
            }
        }
    }

    fn script_parsed(&self, event: &Event) {
        let url = event.text("/url");
        lock(&self.scripts).insert(event.text("/scriptId").to_owned(), url.to_owned());
        // Code made by code: the page's `eval`, `Function`, string timers. Ours has no page frame below it.
        let made_by_page = event.params.pointer("/stackTrace/callFrames/0").is_some()
            && event
                .params
                .pointer("/executionContextAuxData/isDefault")
                .and_then(Value::as_bool)
                != Some(false);
        let maker = event.text("/stackTrace/callFrames/0/url");
        // While the page stands in the agent, it is we who evaluate.
        let is_agent = maker == agent_url(&self.setting.collection.prefix);
        if url.is_empty() && made_by_page && !is_agent {
            let line = event
                .params
                .pointer("/stackTrace/callFrames/0/lineNumber")
                .and_then(Value::as_u64)
                .unwrap_or(0)
                + 1;
            lock(&self.outcome).seen.blind(
                maker,
                format!(
                    "code made at line {line} by eval, Function or a string timer is not rewritten"
                ),
            );
        }
    }

    fn document_left(&self, event: &Event) {
        if event.text("/name") != format!("{}B", self.setting.collection.prefix) {
            return;
        }
        if let Ok(report) = serde_json::from_str::<Report>(event.text("/payload")) {
            lock(&self.outcome).reports.push(report);
        }
    }

    /// The page stands still: reads what there is to read and lets it go on. Whether it is at the reproduction
    /// point, where it is left standing.
    async fn stopped(&self, params: &Value) -> Result<bool, DriverError> {
        let stopped = {
            let scripts = lock(&self.scripts);
            Stopped::read(params, &|script| scripts.get(script).cloned())
        };
        let agent = agent_url(&self.setting.collection.prefix);
        let is_agent = |frame: &&Frame| frame.url == agent;
        let document = stopped
            .frames
            .iter()
            .find(is_agent)
            .map(|frame| frame.script.clone());
        let frames: Vec<&Frame> = stopped
            .frames
            .iter()
            .filter(|frame| !is_agent(frame) && frame.url != SCRIPT_URL)
            .collect();
        let ours = stopped
            .frames
            .first()
            .filter(|frame| is_agent(frame) && frame.function == "stop");
        let at_point = match ours {
            Some(stop) => self.at_hook(stop, &frames, document.as_deref()).await?,
            None => self.at_exception(&stopped, &frames).await?,
        };
        if !at_point {
            self.reader
                .protocol
                .send(Some(&self.reader.session), "Debugger.resume", json!({}))
                .await
                .map(|_| ())
                .or_else(|error| if error.is_fatal() { Err(error) } else { Ok(()) })?;
        }
        Ok(at_point)
    }

    async fn at_hook(
        &self,
        stop: &Frame,
        frames: &[&Frame],
        document: Option<&str>,
    ) -> Result<bool, DriverError> {
        let event = self
            .reader
            .json_in(
                stop,
                "({kind:event.kind,sequence:event.sequence,site:event.site,number:event.number,\
                 created:event.created,deleted:event.deleted,index:event.index,hit:event.hit,\
                 unknown:event.unknown,host:event.host})",
            )
            .await?;
        let number = |name: &str| event.get(name).and_then(Value::as_u64).unwrap_or(0);
        match event.get("kind").and_then(Value::as_str) {
            Some("point") => {
                if lock(&self.outcome).reports.len() != self.task.documents_before {
                    return Ok(false);
                }
                self.at_point(frames, document, None).await
            }
            Some("console") => self.at_point(frames, document, Some(frames)).await,
            Some("write" | "assign") => {
                let (old, new, owner, state) = futures::try_join!(
                    self.shown(stop, "event.old"),
                    self.shown(stop, "event.value"),
                    self.shown(stop, "event.owner"),
                    self.state(frames),
                )?;
                let capture = EventCapture {
                    sequence: number("sequence"),
                    site: u32::try_from(number("site")).unwrap_or(0),
                    owner: number("number"),
                    owner_class: (owner.1 != "undefined").then_some(owner.1),
                    created: event.get("created").and_then(Value::as_bool) == Some(true),
                    old: old.0,
                    new: new.0,
                    index: number("index"),
                    state,
                };
                self.late_at_event(&capture, frames).await?;
                lock(&self.documents)
                    .entry(document.unwrap_or_default().to_owned())
                    .or_default()
                    .insert(capture.sequence, capture);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    async fn at_exception(
        &self,
        stopped: &Stopped,
        frames: &[&Frame],
    ) -> Result<bool, DriverError> {
        let ReproductionPoint::Exception { text } = &self.setting.at else {
            return Ok(false);
        };
        let thrown = matches!(stopped.reason.as_str(), "exception" | "promiseRejection");
        let message = stopped.exception_message();
        let meant = text.as_deref().is_none_or(|text| message.contains(text));
        if !thrown || !stopped.uncaught || !meant || frames.is_empty() {
            return Ok(false);
        }
        self.at_point(frames, None, Some(frames)).await
    }

    /// The page stands at the reproduction point. `resolve_in`: the frames in which the queries are resolved, if
    /// the page has not resolved them itself.
    async fn at_point(
        &self,
        frames: &[&Frame],
        document: Option<&str>,
        resolve_in: Option<&[&Frame]>,
    ) -> Result<bool, DriverError> {
        let prefix = &self.setting.collection.prefix;
        let Some(top) = frames.first() else {
            return Ok(false);
        };
        let report = if resolve_in.is_some() {
            let context = self.context(top, &self.setting.collection.root_dependents);
            self.reader
                .json_in(top, &format!("{prefix}E.at({context})"))
                .await?
        } else {
            self.reader
                .json_in(top, &format!("{prefix}E.report()"))
                .await?
        };
        let report: Report = serde_json::from_str(report.as_str().unwrap_or_default())
            .map_err(|error| malformed("the agent's report", &error))?;
        let state = self.state(frames).await?;
        self.late_queries(Parent::ReproductionPoint, frames).await?;
        let events = match document {
            Some(document) => lock(&self.documents).remove(document).unwrap_or_default(),
            None => self.newest_document(),
        };
        let mut outcome = lock(&self.outcome);
        outcome.reports.push(report);
        outcome.point = Some(state);
        outcome.events = events;
        Ok(true)
    }

    async fn shown(&self, frame: &Frame, expression: &str) -> Result<(Shown, String), DriverError> {
        Ok(self.reader.shown_in(frame, expression).await?)
    }

    fn context(&self, frame: &Frame, dependents: &[usize]) -> String {
        let context = lock(&self.setting.sources).context(&frame.url, frame.position, dependents);
        if context.is_empty() {
            "undefined".to_owned()
        } else {
            context
        }
    }

    /// What hangs on the queries that this event answers and needs one of its frames.
    async fn late_at_event(
        &self,
        event: &EventCapture,
        frames: &[&Frame],
    ) -> Result<(), DriverError> {
        for &query in self
            .task
            .answered
            .get(&event.sequence)
            .into_iter()
            .flatten()
        {
            self.late_queries(Parent::Query(query), frames).await?;
        }
        Ok(())
    }

    /// Resolves what hangs on `parent` and needs a frame that only a debugger reaches.
    async fn late_queries(&self, parent: Parent, frames: &[&Frame]) -> Result<(), DriverError> {
        let collection = &self.setting.collection;
        for (query, frame) in collection.late_queries(&self.setting.plan, parent) {
            let index = match usize::try_from(frame) {
                Ok(index) => Some(index),
                Err(_) => usize::try_from(frame.unsigned_abs())
                    .ok()
                    .and_then(|back| frames.len().checked_sub(back)),
            };
            let Some(frame) = index.and_then(|index| frames.get(index)) else {
                lock(&self.late).insert(query.query, no_such_frame(frame, frames.len()));
                continue;
            };
            let context = self.context(frame, &[query.dependent]);
            let mut asked = query.clone();
            asked.late = false;
            let asked = serde_json::to_string(&[asked]).unwrap_or_default();
            let expression = format!("{}E.late({asked},{context})", collection.prefix);
            let value = self.reader.json_in(frame, &expression).await?;
            let results: BTreeMap<usize, QueryResult> =
                serde_json::from_str(value.as_str().unwrap_or_default())
                    .map_err(|error| malformed("the agent's result", &error))?;
            lock(&self.late).extend(results);
        }
        Ok(())
    }

    async fn state(&self, frames: &[&Frame]) -> Result<State, DriverError> {
        let Some(top) = frames.first() else {
            return Ok(State::default());
        };
        let (scopes, watches, cause) = futures::try_join!(
            self.reader.scopes(top),
            self.reader.watches(Some(top), &self.setting.plan.watches),
            self.reader.cause(top),
        )?;
        let sources = lock(&self.setting.sources);
        let mut scopes = scopes;
        for scope in &mut scopes {
            if let (ScopeKind::Local, Some(name)) =
                (scope.kind, sources.function_at(&top.url, top.position))
            {
                scope.function = Some(name);
            }
            for variable in &mut scope.variables {
                let name = sources.variable_at(&top.url, top.position, &variable.name);
                variable.name = name.unwrap_or_else(|| std::mem::take(&mut variable.name));
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
        let top = sources.place(&top.url, top.position);
        Ok(State {
            stack,
            top: Some(top),
            scopes,
            watches,
            cause: cause.or_else(|| self.step_as_cause()),
        })
    }

    /// The user's action under way, where the page dispatches no event.
    fn step_as_cause(&self) -> Option<Cause> {
        self.cursor.current().map(|step| Cause {
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

fn report_of(result: &Value, what: &str) -> Result<Report, DriverError> {
    let text = result
        .pointer("/result/value")
        .and_then(Value::as_str)
        .unwrap_or_default();
    serde_json::from_str(text).map_err(|_| DriverError::PageScript {
        what: what.to_owned(),
        message: result
            .pointer("/exceptionDetails/exception/description")
            .and_then(Value::as_str)
            .unwrap_or("the agent is not in the page")
            .to_owned(),
    })
}

fn malformed(what: &str, error: &serde_json::Error) -> DriverError {
    ProtocolError::Malformed {
        method: "Debugger.evaluateOnCallFrame".to_owned(),
        detail: format!("{what}: {error}"),
    }
    .into()
}

fn no_such_frame(frame: i32, frames: usize) -> QueryResult {
    QueryResult {
        status: super::report::ResultStatus::Error,
        sequence: None,
        site: None,
        owner: None,
        changes: None,
        value: None,
        same: None,
        exact: None,
        message: Some(format!("there is no frame {frame}: the stack has {frames}")),
        kids: BTreeMap::new(),
        captured: None,
    }
}
