//! Replays the recorded inputs in the realms of a page.
//!
//! What a realm gets is a call that is in a script of its own: it names the seed of the realm that begins next at
//! each place, and by how much clocks are moved now. It is exchanged whenever one of these changes; realms that run
//! already are told the clocks alone.

mod children;
mod scripts;
mod steps;
#[cfg(test)]
mod tests;

use agent::evaluated;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::{BoxStream, StreamExt};
use recording::{Exchange, Recording};
use serde_json::Value;

use super::loads::Loads;
use super::network::{Responses, Taken, fulfilled};
use super::order::Order;
use super::same_responses::{self, Turns};
use super::{ClockReadings, SameResponses, Workers, binding_of};
use crate::agent_message::{ReadingsTold, RealmBegun, posted_as};
use crate::page::{Page, allow_local_network};
use crate::sessions::Sessions;
use agent::inputs_source;
use cdp::fetch::{RequestPattern, RequestPaused, RequestStage};
use cdp::network::ResourceType;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Call as _, Clock, Command as _, Event, Protocol, ProtocolError, SessionId, Wanted,
};

type Answer = Result<cdp::page::AddScriptToEvaluateOnNewDocumentResult, ProtocolError>;

/// How long a busy document is waited for until it has taken its recorded inputs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Replays the recorded inputs of one execution.
pub(crate) struct InputReplay {
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    prefix: String,
    workers: Workers,
    responses: Option<Responses>,
    order: Order,
    /// In which order scripts are answered, where executions are compared and the recording does not say it.
    turns: Option<Turns>,
    loads: Loads,
    /// What the page reads from its clocks, where executions are compared.
    readings: Option<Arc<ClockReadings>>,
    tab: SessionId,
    target: String,
    context: String,
    sessions: Arc<Sessions>,
    state: Mutex<InputReplayState>,
    /// Held while a script is exchanged for the next.
    turn: futures::lock::Mutex<()>,
}

#[derive(Default)]
struct InputReplayState {
    /// What is left of the seeds at each place; none: random numbers are live.
    seeds: Option<BTreeMap<String, VecDeque<String>>>,
    time: Option<TimeState>,
    /// Sessions of documents, and the script that each has now.
    documents: HashSet<SessionId>,
    scripts: HashMap<SessionId, Registered>,
    /// Workers that have not begun. What is evaluated in one is what it pauses at instead of its own first script.
    starting_workers: HashSet<SessionId>,
    running_workers: HashSet<SessionId>,
    /// What each session is attached to: of a document, the frame that it begins at.
    targets: HashMap<SessionId, String>,
    /// Sessions whose document is on its way elsewhere and waits for us. They answer nothing until it is there.
    on_their_way: HashSet<SessionId>,
    /// The page's own worlds.
    contexts: HashMap<SessionId, BTreeSet<i64>>,
    /// Whether nobody else sees to what the page starts.
    is_alone: bool,
    /// That on which the browser reports tabs and shared workers, where we see to them.
    browser: Option<SessionId>,
    /// Places where realms began that the recorded inputs do not have.
    unknown: Vec<String>,
    /// Sessions that did not take their recorded inputs in time.
    late: BTreeSet<SessionId>,
}

impl InputReplayState {
    /// Whether a session is one of the page's.
    fn has(&self, session: &SessionId) -> bool {
        self.documents.contains(session)
            || self.starting_workers.contains(session)
            || self.running_workers.contains(session)
    }
}

struct TimeState {
    /// What the clock said when the page was opened, in milliseconds since 1970.
    start_ms: f64,
    /// What the browser's clock says when ours says 0.
    wall_ms: f64,
    /// Whole milliseconds.
    shift_ms: f64,
    /// Whether the page has been opened.
    is_open: bool,
    /// When the step under way was done, in milliseconds since 1970, and how the clock was moved then.
    doing: Option<(f64, f64)>,
    /// How much later the step before was done than it had been.
    late_ms: f64,
}

enum Registered {
    Is(cdp::page::ScriptIdentifier),
    WillBe(BoxFuture<'static, Answer>),
}

/// What [`InputReplay::run`] takes in. `is_compared`: responses are those of another execution.
pub(crate) fn wanted(sessions: &Sessions, is_compared: bool) -> Wanted {
    const OF_PAGE: &[&str] = &[
        cdp::network::LoadingFinished::METHOD,
        cdp::network::LoadingFailed::METHOD,
        cdp::runtime::BindingCalled::METHOD,
        cdp::runtime::ExecutionContextCreated::METHOD,
        cdp::runtime::ExecutionContextDestroyed::METHOD,
        cdp::runtime::ExecutionContextsCleared::METHOD,
        cdp::page::FrameNavigated::METHOD,
        cdp::page::FrameStoppedLoading::METHOD,
        cdp::debugger::Paused::METHOD,
        cdp::fetch::RequestPaused::METHOD,
    ];
    const OF_BOTH: &[&str] = &[
        cdp::target::DetachedFromTarget::METHOD,
        cdp::target::AttachedToTarget::METHOD,
    ];
    let of_responses = match is_compared {
        true => same_responses::EVENTS,
        false => &[],
    };
    Wanted::of(sessions.own(), OF_PAGE)
        .and(sessions.own(), of_responses)
        .and(sessions.own(), OF_BOTH)
        .and(sessions.of_browser(), OF_BOTH)
}

impl InputReplay {
    /// What replays the inputs of `recording` in `page`; `None` if all of it is live. `address` is the page's now,
    /// where that may be another one than the recorded; `prefix` is that of the scripts with the part for recorded
    /// inputs. `readings` are kept, or given, where random numbers and the time are replayed.
    ///
    /// # Errors
    /// Those of the connection.
    pub(crate) async fn new(
        page: &Page,
        recording: &Recording,
        address: Option<&str>,
        prefix: &str,
        readings: Option<Arc<ClockReadings>>,
    ) -> Result<Option<Self>, ProtocolError> {
        let inputs = recording.recorded_inputs();
        let responses = recording.responses.as_ref();
        if inputs.random.is_none() && inputs.time.is_none() && responses.is_none() {
            return Ok(None);
        }
        let seeds = inputs.random.as_ref().map(|realms| {
            let mut seeds = BTreeMap::<String, VecDeque<String>>::new();
            for realm in realms {
                let at = seeds.entry(realm.place.clone()).or_default();
                at.push_back(realm.seed.clone());
            }
            seeds
        });
        let time = match inputs.time {
            None => None,
            Some(time) => {
                let look = cdp::runtime::Evaluate {
                    silent: Some(true),
                    ..cdp::runtime::Evaluate::new(evaluated("Date.now()"))
                };
                let answer = page.drive(page.call(&look)).await?;
                let now = answer.result.value.and_then(|now| now.as_f64());
                now.map(|now| TimeState {
                    start_ms: time.start,
                    wall_ms: now - page.clock().now_ms(),
                    shift_ms: (time.start - now).round(),
                    is_open: false,
                    doing: None,
                    late_ms: 0.0,
                })
            }
        };
        let protocol = page.protocol().clone();
        Ok(Some(Self {
            workers: Workers::new(protocol.clone(), binding_of(prefix)),
            protocol,
            clock: page.clock().clone(),
            responses: responses.map(|har| {
                let is_logged_in = !recording.login().is_empty();
                Responses::new(har, address, is_logged_in)
            }),
            order: Order::new(responses.iter().flat_map(|har| &har.exchanges)),
            turns: None,
            loads: Loads::default(),
            readings: readings.inspect(|it| it.begin()),
            prefix: prefix.to_owned(),
            tab: page.session().clone(),
            target: page.target_id().to_owned(),
            context: page.context_id().to_owned(),
            sessions: page.sessions().clone(),
            state: Mutex::new(InputReplayState {
                seeds,
                time,
                targets: HashMap::from([(page.session().clone(), page.target_id().to_owned())]),
                ..InputReplayState::default()
            }),
            turn: futures::lock::Mutex::default(),
        }))
    }

    /// With these responses, where the recording has none.
    pub(crate) fn with_responses(self, same: Option<Arc<SameResponses>>) -> Self {
        let turns = same.filter(|_| self.responses.is_none()).map(Turns::new);
        Self { turns, ..self }
    }

    /// Makes the tab and all that it starts ready, where nobody else does.
    ///
    /// # Errors
    /// Those of the connection.
    pub(crate) async fn go_alone(&self, page: &Page) -> Result<(), crate::error::EngineError> {
        let browser = page.hold_children().await?;
        {
            let mut state = self.state();
            (state.browser, state.is_alone) = (browser, true);
        }
        if self.responses.is_some() {
            allow_local_network(page).await?;
        }
        self.install(&self.tab);
        page.drive(self.publish()).await;
        Ok(())
    }

    /// The script of a session of documents that has none of ours.
    fn install(&self, session: &SessionId) {
        let script = inputs_source(&self.prefix);
        for command in [
            cdp::runtime::Enable {}.encoded(),
            cdp::page::Enable {}.encoded(),
            cdp::runtime::AddBinding::new(binding_of(&self.prefix)).encoded(),
            cdp::page::AddScriptToEvaluateOnNewDocument::new(script).encoded(),
        ] {
            drop(command.send(self.protocol.as_ref(), Some(session)));
        }
        self.intercept(session);
        self.joined(session);
    }

    /// Has the requests of a session wait that are to be answered from the recording, or that must not be sent too
    /// early.
    fn intercept(&self, session: &SessionId) {
        let patterns = self.patterns();
        if !patterns.is_empty() {
            let enable = cdp::fetch::Enable {
                patterns: Some(patterns),
                ..cdp::fetch::Enable::default()
            };
            drop(self.protocol.call(Some(session), &enable));
        }
    }

    /// Which requests are to wait: all, where they are answered from the recording; else those of documents, for what
    /// is fed to a document has to be there before it begins.
    pub(crate) fn patterns(&self) -> Vec<RequestPattern> {
        let waiting = |url_pattern, resource_type| RequestPattern {
            url_pattern,
            resource_type,
            request_stage: Some(RequestStage::Request),
        };
        let mut patterns = Vec::new();
        if self.responses.is_some() {
            patterns.push(waiting(Some("*".to_owned()), None));
        } else if self.state().seeds.is_some() {
            patterns.push(waiting(None, Some(ResourceType::Document)));
        }
        if self.turns.is_some() {
            let kinds = [ResourceType::Xhr, ResourceType::Fetch];
            patterns.extend(kinds.map(|kind| waiting(None, Some(kind))));
        }
        patterns
    }

    /// What the request that waits was answered with when it was recorded, once it is the turn of that. A document
    /// begins only when what is to be fed to it is there.
    pub(crate) async fn answer_to(
        &self,
        session: &SessionId,
        paused: &RequestPaused,
    ) -> Option<Arc<Exchange>> {
        let kind = &paused.resource_type;
        if *kind == ResourceType::Document {
            drop(self.turn.lock().await);
        }
        if let (Some(turns), ResourceType::Xhr | ResourceType::Fetch) = (&self.turns, kind) {
            return turns.turn_of(paused, self.clock.as_ref()).await;
        }
        let responses = self.responses.as_ref()?;
        let Taken { number, exchange } = responses.take(&paused.request)?;
        let request = paused.network_id.as_ref().map(|it| it.as_str());
        match (number, request) {
            (Some(number), Some(request))
                if matches!(kind, ResourceType::Xhr | ResourceType::Fetch) =>
            {
                let clock = self.clock.as_ref();
                self.order.turn_of(number, session, request, clock).await;
                if let Some(ended_ms) = self.order.ended_ms(number) {
                    self.moves_to(ended_ms).await;
                }
                self.order.sends(number, clock.now_ms());
            }
            (Some(number), request) => {
                let ended_ms = self.order.ended_ms(number);
                if let (Some(request), Some(ended_ms)) = (request, ended_ms)
                    && *kind != ResourceType::Document
                {
                    self.loads.begins(session, request, ended_ms);
                    self.loaded_at(session, paused, ended_ms).await;
                }
                self.order.gives(number);
            }
            (None, _) => {}
        }
        Some(exchange)
    }

    async fn answer(&self, session: &SessionId, paused: &RequestPaused) {
        let request = paused.request_id.as_str();
        let sent = match self.answer_to(session, paused).await {
            Some(exchange) => {
                let answer = fulfilled(request, &exchange, &exchange.body);
                self.protocol.call(Some(session), &answer).await
            }
            None => self.pass_on(session, paused).await,
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "a request was gone before it was answered");
        }
    }

    /// A request that the recording does not have goes to its server, unless it might change something there.
    ///
    /// # Errors
    /// Those of the connection.
    pub(crate) async fn pass_on(
        &self,
        session: &SessionId,
        paused: &RequestPaused,
    ) -> Result<cdp_driver::protocol::Done, ProtocolError> {
        let request = paused.request_id.as_str();
        let method = paused.request.method.as_str();
        let responses = self.responses.as_ref();
        if responses.is_some_and(|it| it.is_held_back(method)) {
            let reason = cdp::network::ErrorReason::BlockedByClient;
            let failed = cdp::fetch::FailRequest::new(request, reason);
            return self.protocol.call(Some(session), &failed).await;
        }
        let go_on = cdp::fetch::ContinueRequest::new(request);
        self.protocol.call(Some(session), &go_on).await
    }

    /// A worker begins that has the part for recorded inputs: what it is to run then.
    pub(crate) fn joined_by_worker(&self, session: &SessionId) -> String {
        self.state().running_workers.insert(session.clone());
        self.call()
    }

    /// Sees to it that what is fed is what comes next, until the connection ends.
    pub(crate) async fn run(&self, events: BoxStream<'static, Event>) {
        // Beside each other: a page that waits for a response may hold up everything else that is asked of it.
        let work = events.filter_map(|event| futures::future::ready(self.happened(event)));
        work.for_each_concurrent(None, |work| work).await;
    }

    /// Takes an event in, in order; what is to be done about it.
    fn happened(&self, event: Event) -> Option<BoxFuture<'_, ()>> {
        let session = event.session.clone()?;
        match event.method.as_str() {
            cdp::network::LoadingFinished::METHOD => {
                let ended = event.read::<cdp::network::LoadingFinished>()?;
                self.ended(&session, ended.request_id.as_str());
                let request = ended.request_id.0;
                let turns = self.turns.as_ref()?;
                if turns.arrived(&request, self.clock.now_ms()) {
                    let (protocol, clock) = (self.protocol.as_ref(), self.clock.as_ref());
                    let read = async move { turns.read(protocol, &session, &request, clock).await };
                    return Some(read.boxed());
                }
            }
            cdp::network::LoadingFailed::METHOD => {
                let ended = event.read::<cdp::network::LoadingFailed>()?;
                self.ended(&session, ended.request_id.as_str());
                if let Some(turns) = &self.turns {
                    turns.failed(ended.request_id.as_str(), self.clock.now_ms());
                }
            }
            method if same_responses::EVENTS.contains(&method) => {
                if let Some(turns) = &self.turns {
                    turns.told(&event, self.clock.now_ms());
                }
            }
            cdp::runtime::BindingCalled::METHOD => {
                let called = event.read::<cdp::runtime::BindingCalled>()?;
                if called.name == binding_of(&self.prefix) {
                    if let Some(told) = posted_as::<ReadingsTold>(&called.payload) {
                        self.read_clocks(&session, &told);
                        return None;
                    }
                    let told = posted_as::<RealmBegun>(&called.payload)?;
                    let is_other = self.took(&session, told.place);
                    return is_other.then(|| self.publish().boxed());
                }
            }
            cdp::runtime::ExecutionContextCreated::METHOD => {
                self.created(&session, event.read()?);
            }
            cdp::runtime::ExecutionContextDestroyed::METHOD => {
                let gone = event.read::<cdp::runtime::ExecutionContextDestroyed>()?;
                if let Some(known) = self.state().contexts.get_mut(&session) {
                    known.remove(&gone.execution_context_id.0);
                }
            }
            cdp::runtime::ExecutionContextsCleared::METHOD => {
                self.state().contexts.remove(&session);
            }
            cdp::target::DetachedFromTarget::METHOD => {
                let gone = event.read::<cdp::target::DetachedFromTarget>()?.session_id;
                self.workers.remove(&gone);
                let mut state = self.state();
                state.documents.remove(&gone);
                state.scripts.remove(&gone);
                state.starting_workers.remove(&gone);
                state.running_workers.remove(&gone);
                state.contexts.remove(&gone);
                state.targets.remove(&gone);
                state.on_their_way.remove(&gone);
            }
            cdp::target::AttachedToTarget::METHOD => self.attached(&session, event.read()?),
            cdp::page::FrameNavigated::METHOD => {
                let navigated = event.read::<cdp::page::FrameNavigated>()?;
                self.arrived(&session, navigated.frame.id.as_str());
            }
            cdp::page::FrameStoppedLoading::METHOD => {
                let stopped = event.read::<cdp::page::FrameStoppedLoading>()?;
                self.arrived(&session, stopped.frame_id.as_str());
            }
            cdp::debugger::Paused::METHOD if self.is_alone() => {
                return Some(async move { self.paused(&session, &event).await }.boxed());
            }
            cdp::fetch::RequestPaused::METHOD => {
                let paused = event.read()?;
                self.departs(&session, &paused);
                if !self.is_alone() || !self.has(&session) {
                    return None;
                }
                return Some(async move { self.answer(&session, &paused).await }.boxed());
            }
            _ => {}
        }
        None
    }

    /// A response has arrived, or will not.
    fn ended(&self, session: &SessionId, request: &str) {
        self.order.ended(session, request);
        self.loads.ended(session, request);
    }

    /// A request waits: where it is that of a session's own document, nothing else of the session is answered.
    fn departs(&self, session: &SessionId, paused: &RequestPaused) {
        let mut state = self.state();
        let frame = paused.frame_id.as_ref().map(|frame| &frame.0);
        let is_own = frame.is_some() && state.targets.get(session) == frame;
        if is_own && paused.resource_type == ResourceType::Document {
            state.on_their_way.insert(session.clone());
        }
    }

    /// A frame is where it went, or goes nowhere.
    fn arrived(&self, session: &SessionId, frame: &str) {
        let mut state = self.state();
        if state.targets.get(session).is_some_and(|own| own == frame) {
            state.on_their_way.remove(session);
        }
    }

    /// Whether nobody else sees to what the page starts.
    fn is_alone(&self) -> bool {
        self.state().is_alone
    }

    /// Whether a session is one of the page's.
    fn has(&self, session: &SessionId) -> bool {
        self.state().has(session)
    }

    /// What was not replayed because the recording does not have it, since the last call.
    pub(crate) fn differences(&self) -> Vec<String> {
        let (unknown, late) = {
            let mut state = self.state();
            (
                std::mem::take(&mut state.unknown),
                std::mem::take(&mut state.late),
            )
        };
        let late = (!late.is_empty()).then(|| {
            let documents = late.len();
            let seconds = PATIENCE.as_secs();
            format!("{documents} of the page's documents took the recorded time and random numbers later than they \
                     were due: they were busy for more than {seconds} s")
        });
        let unknown = unknown.into_iter().map(|place| {
            format!("random numbers were live in the {place}, which the recording does not know")
        });
        let missing = self.responses.as_ref().map(Responses::missing);
        let missing = missing.into_iter().flatten();
        let out_of_turn = self.order.late();
        unknown
            .chain(missing)
            .chain(late)
            .chain(out_of_turn)
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, InputReplayState> {
        self.state.lock()
    }

    /// A realm began; whether that changes what comes next.
    fn took(&self, session: &SessionId, place: String) -> bool {
        const MOST_UNKNOWN: usize = 100;
        let mut state = self.state();
        if !state.has(session) || state.seeds.is_none() {
            return false;
        }
        let readings = self.readings.as_ref();
        let has_other_readings = readings.is_some_and(|it| it.realm_begins(&place));
        let seeds = state.seeds.as_mut().and_then(|seeds| seeds.get_mut(&place));
        match seeds.and_then(VecDeque::pop_front) {
            Some(_) => true,
            None => {
                // A blank document hardly asks for random numbers, and browsers make them as they like.
                let is_blank = place.ends_with("about:");
                if !is_blank && state.unknown.len() < MOST_UNKNOWN {
                    state.unknown.push(place);
                }
                has_other_readings
            }
        }
    }

    /// A realm of the page's has read its clocks.
    fn read_clocks(&self, session: &SessionId, told: &ReadingsTold) {
        if let Some(readings) = &self.readings
            && self.has(session)
        {
            readings.told(told);
        }
    }

    fn created(&self, session: &SessionId, created: cdp::runtime::ExecutionContextCreated) {
        let about = created.context.aux_data;
        let is_default = about.is_some_and(|it| it.get("isDefault") == Some(&Value::Bool(true)));
        let id = created.context.id.0;
        let mut state = self.state();
        if is_default && (*session == self.tab || state.documents.contains(session)) {
            state
                .contexts
                .entry(session.clone())
                .or_default()
                .insert(id);
        }
    }
}
