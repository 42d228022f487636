//! One execution: a fresh tab, the agent before the first script, responses rewritten on their way in, the
//! recorded actions, and what is read wherever the page stops.

mod actions;
mod after_point;
mod at_hook;
mod browser_events;
mod calls;
mod conditions;
mod counting;
mod dynamic_code;
mod events;
mod exceptions;
mod gathered;
mod holding;
mod nodes_around;
mod origin;
mod outcome;
mod page_reads;
mod pause_status;
mod pictures;
mod preparation;
mod read_ahead;
mod realm_control;
mod realm_name;
mod realms;
mod rest_of_log;
mod scripts;
mod stacks;
mod stops;
mod tabs;
mod task;
mod throws;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use futures::future::{Either, OptionFuture, join, join5, select};
use futures::stream::BoxStream;
use js_analysis::position::Utf16Position;
use querypoint::graph::Parent;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::query::Lookup;
use querypoint::resolution::Sequence;
use recording::Recording;

use super::captured::{CapturedState, EventCapture, ExceptionCapture};
use super::collection::Collection;
use super::debugger::{Effects, Reader};
use super::event_reader::EventReader;
use super::intercept::{Interceptor, Reach};
use super::log::Logs;
use super::logging::Recorder;
use super::page::{ChildTarget, Page, Unanswered, allow_local_network};
use super::pausing::{HeldFor, Hold};
use super::prefix::agent_url;
use super::recorded_inputs::{ClockReadings, InputReplay, SameResponses, wanted_of_input_replay};
use super::replay::ReplayCursor;
use super::report::QueryResult;
use super::sources::{DynamicCode, FunctionOfFrame, Sources};
use crate::error::EngineError;
use crate::origin::{Followed, Probe};
pub(crate) use calls::{AtPoint, PausedExecution, Refusal, run_and_pause};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Clock, Event, Protocol, SessionId, Wanted};
use counting::UncaughtLog;
pub(crate) use counting::{RunCounts, ScriptCounts, Uncaught};
use events::TraceReadings;
use gathered::Gathered;
pub(crate) use outcome::ExecutionOutcome;
use outcome::sum_of_hits;
pub(crate) use page_reads::{PageRead, Reading};
use pause_status::PauseStatus;
use pictures::PictureCount;
use preparation::Preparation;
use realm_control::{FirstScripts, RealmControl};
pub(crate) use realm_name::RealmName;
use realms::Realms;
use scripts::Scripts;
pub(crate) use tabs::Tabs;
pub(crate) use task::{Role, Task};

/// What all executions of one question share.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) protocol: Arc<dyn Protocol>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) page_url: String,
    pub(crate) recording: Option<Recording>,
    /// What the page reads from its clocks, where executions are compared.
    pub(crate) readings: Option<Arc<ClockReadings>>,
    /// What scripts are answered, where it is compared with another.
    pub(crate) responses: Option<Arc<SameResponses>>,
    pub(crate) at: ReproductionPoint,
    pub(crate) plan: CollectionPlan,
    pub(crate) collection: Arc<Collection>,
    pub(crate) sources: Arc<Mutex<Sources>>,
    pub(crate) timeout: Duration,
    /// The queries whose value is followed: by index.
    pub(crate) origins: BTreeMap<usize, Followed>,
    /// The trace query whose events are logged.
    pub(crate) logged: Option<usize>,
    /// What logs the execution, if it is logged.
    pub(crate) recorder: Option<Arc<Recorder>>,
    /// Elements of whose nodes the log's numbers are asked at the end.
    pub(crate) elements: Vec<Lookup>,
    /// The requests of the execution under way, or the last, that have no answer.
    pub(crate) unanswered: Arc<Mutex<Option<Unanswered>>>,
    pub(crate) tabs: Arc<Tabs>,
    /// Whether a picture of the page is taken at each point.
    pub(crate) takes_pictures: bool,
}

impl Setting {
    /// The query at whose point another is asked; `None`: the reproduction point.
    pub(crate) fn parent_query(&self, query: usize) -> Option<usize> {
        match self.plan.queries.get(query)?.parent {
            Parent::Query(parent) => Some(parent),
            Parent::ReproductionPoint => None,
        }
    }
}

/// Runs one execution from a blank tab to the reproduction point.
///
/// # Errors
/// The page does not load, a step cannot be done, the browser or the tab is lost, time is up.
pub(crate) async fn run(
    setting: &Setting,
    task: &Task,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ExecutionOutcome, EngineError> {
    let nobody: Hold<'_> = Arc::new(|_| Box::pin(std::future::ready(())));
    run_and_hold(setting, task, &nobody, progress).await
}

/// [`run`]; where the task has a point at which the page is left paused, `hold` says how long.
pub(crate) async fn run_and_hold(
    setting: &Setting,
    task: &Task,
    hold: &Hold<'_>,
    progress: &mut (dyn FnMut(usize, usize, &str) + Send),
) -> Result<ExecutionOutcome, EngineError> {
    let done = run_and_do(setting, task, RunAndHold { hold, progress }).await;
    done.map(|(outcome, ())| outcome)
}

/// The recorded actions, and then a person.
struct RunAndHold<'r, 'h> {
    hold: &'r Hold<'h>,
    progress: &'r mut (dyn FnMut(usize, usize, &str) + Send),
}

impl Work for RunAndHold<'_, '_> {
    type Given = ();

    async fn run(
        self,
        watcher: &Watcher<'_>,
        page: &Page,
        arrival: &mut Arrival,
    ) -> Result<(f64, ()), EngineError> {
        let replay_ms = watcher.work(page, self.progress, arrival).await?;
        watcher.keep_paused(page, self.hold).await?;
        Ok((replay_ms, ()))
    }
}

/// Whether, and why, the reproduction point was reached.
type Arrival = mpsc::UnboundedReceiver<Result<(), EngineError>>;

/// What is done with a page that is watched.
trait Work {
    type Given;

    /// Does it; gives how many milliseconds the replay took, and what else is to be given back.
    fn run(
        self,
        watcher: &Watcher<'_>,
        page: &Page,
        arrival: &mut Arrival,
    ) -> impl Future<Output = Result<(f64, Self::Given), EngineError>> + Send;
}

/// Opens the page in a tab of its own, which is watched while `work` is done, and closed then.
async fn run_and_do<W: Work>(
    setting: &Setting,
    task: &Task,
    work: W,
) -> Result<(ExecutionOutcome, W::Given), EngineError> {
    let (protocol, clock) = (&setting.protocol, &setting.clock);
    let page = setting.tabs.open(protocol, clock).await?;
    *setting.unanswered.lock() = Some(page.unanswered());
    const INTERCEPTED: &[&str] = &[cdp::fetch::RequestPaused::METHOD];
    const HANDED_OVER: &[&str] = &[cdp::runtime::BindingCalled::METHOD];
    let sessions = page.sessions();
    let intercepted =
        Wanted::of(sessions.own(), INTERCEPTED).and(sessions.of_browser(), INTERCEPTED);
    let handed_over = || Wanted::of(sessions.own(), HANDED_OVER);
    let events = protocol.events_of(intercepted);
    let stops = protocol.events_of(stops::wanted(sessions));
    let inputs = protocol.events_of(wanted_of_input_replay(
        sessions,
        setting.responses.is_some(),
    ));
    let mut logs = setting.logged.map(|_| {
        let logs = Logs::new(&setting.collection.prefix);
        EventReader::new(protocol.as_ref(), handed_over(), logs)
    });
    let reads_uncaught = task.counts || matches!(setting.at, ReproductionPoint::Exception { .. });
    let mut uncaught = reads_uncaught.then(|| {
        let log = UncaughtLog::default();
        EventReader::new(protocol.as_ref(), counting::wanted(sessions.own()), log)
    });
    let recorder = setting.recorder.as_ref();
    let mut batches = recorder.map(|_| protocol.events_of(handed_over()));
    let input_replay = match &setting.recording {
        Some(recording) => {
            let address = Some(setting.page_url.as_str());
            let prefix = &setting.collection.prefix;
            let readings = setting.readings.clone();
            let replay = InputReplay::new(&page, recording, address, prefix, readings).await?;
            replay.map(|it| it.with_responses(setting.responses.clone()))
        }
        None => None,
    };
    let watcher = Watcher::new(setting, task, &page, input_replay.map(Arc::new));
    watcher.prepare_input();
    allow_local_network(&page).await?;
    watcher.control.prepare(&page).await?;
    let (arrived, mut arrival) = mpsc::unbounded();
    let mut pauses = PauseLoop::new(&watcher);
    let done = {
        // Recorded inputs are replaced before the next document is let in.
        let recorded = async {
            if let Some((recorder, batches)) = setting.recorder.as_ref().zip(batches.as_mut()) {
                recorder.run(batches).await;
            }
        };
        let read_as_they_come = async {
            let logs = OptionFuture::from(logs.as_mut().map(EventReader::run));
            let uncaught = OptionFuture::from(uncaught.as_mut().map(EventReader::run));
            join(logs, uncaught).await
        };
        let loops = join5(
            watcher.replay_inputs(inputs),
            watcher.interceptor.run(events),
            pauses.run(stops, &arrived),
            recorded,
            read_as_they_come,
        );
        let work = work.run(&watcher, &page, &mut arrival);
        futures::pin_mut!(loops, work);
        match select(work, loops).await {
            Either::Left((result, _)) => result,
            // The connection is gone; what waits has been answered with that.
            Either::Right((_, work)) => work.await,
        }
    };
    let run_counts = match (&done, task.counts) {
        (Ok(_), true) => Some(watcher.counts().await?),
        _ => None,
    };
    let children = page.child_targets();
    let challenged = page.read(|state| state.challenged.clone());
    if setting.recorder.is_some() {
        let failed = matches!(done, Err(EngineError::StepFailed { .. }));
        let workers = children.iter().filter_map(|child| child.session.as_ref());
        let page = failed.then_some(&watcher.tab);
        rest_of_log::hand_over(setting, workers.chain(page)).await;
    }
    // What was sent until now was sent before the answer to what the page was asked last.
    if let Some((recorder, batches)) = setting.recorder.as_ref().zip(batches.as_mut()) {
        recorder.take_present(batches);
    }
    let is_followed = task.is_followed && done.is_ok();
    let disposed = setting.tabs.close(page, is_followed).await;
    let (replay_ms, given) = done?;
    disposed?;
    let readings = pauses.into_readings();
    let others: Vec<String> = children.iter().map(|child| child.url.clone()).collect();
    let mut outcome = watcher.finish(readings, replay_ms, children, &challenged);
    let uncaught = uncaught.map(EventReader::finish);
    outcome.uncaught = uncaught.map(UncaughtLog::into_found).unwrap_or_default();
    outcome.run_counts = run_counts.map(|mut counts| {
        let others = others
            .into_iter()
            .filter(|url| !url.is_empty() && url != "about:blank");
        counts.uncounted.extend(others);
        counts.uncaught.clone_from(&outcome.uncaught);
        counts
    });
    if let (Some(logs), Some(report)) = (logs, outcome.report()) {
        outcome.log = logs.finish().into_log_of(report.document);
    }
    Ok((outcome, given))
}

/// What watches one execution: what its concurrent loops share. The loop that follows the page's pauses has what it
/// alone knows ([`PauseLoop`]).
struct Watcher<'s> {
    setting: &'s Setting,
    task: &'s Task,
    /// The session of the tab.
    tab: SessionId,
    realms: Mutex<Realms>,
    control: RealmControl,
    reader: Reader,
    interceptor: Interceptor,
    cursor: ReplayCursor,
    /// Shared with who watches a call in the page.
    scripts: Arc<Mutex<Scripts>>,
    gathered: Mutex<Gathered>,
    pause_status: Mutex<PauseStatus>,
    pictures: PictureCount,
}

impl<'s> Watcher<'s> {
    fn new(
        setting: &'s Setting,
        task: &'s Task,
        page: &Page,
        input_replay: Option<Arc<InputReplay>>,
    ) -> Self {
        let requests = input_replay
            .as_ref()
            .map(|input_replay| input_replay.patterns());
        let preparation = Preparation::new(setting, task, requests.unwrap_or_default());
        let control = RealmControl::new(page, preparation, input_replay);
        let realms = Realms::new(page.session().clone(), page.target_id(), page.context_id());
        Self {
            setting,
            task,
            tab: page.session().clone(),
            reader: Reader {
                protocol: setting.protocol.clone(),
                prefix: setting.collection.prefix.clone(),
                effects: Effects::Refused,
            },
            interceptor: Interceptor {
                protocol: setting.protocol.clone(),
                clock: setting.clock.clone(),
                sessions: control.sessions.clone(),
                tab: page.session().clone(),
                frame: page.target_id().to_owned(),
                sources: setting.sources.clone(),
                seen: Mutex::default(),
                capture: task.capture,
                is_for_person: task
                    .pause
                    .as_ref()
                    .is_some_and(|pause| pause.held_for == HeldFor::Person),
                documents: Mutex::default(),
                redirected: Mutex::default(),
                input_replay: control.input_replay.clone(),
                reach: Reach::Everything,
            },
            realms: Mutex::new(realms),
            control,
            cursor: ReplayCursor::default(),
            scripts: Arc::default(),
            gathered: Mutex::default(),
            pause_status: Mutex::default(),
            pictures: PictureCount::default(),
        }
    }

    /// Replays the recorded inputs, if there are any, until the connection ends.
    async fn replay_inputs(&self, events: BoxStream<'static, Event>) {
        if let Some(input_replay) = &self.control.input_replay {
            input_replay.run(events).await;
        }
    }

    fn finish(
        self,
        readings: Readings,
        replay_ms: f64,
        children: Vec<ChildTarget>,
        challenged: &BTreeSet<String>,
    ) -> ExecutionOutcome {
        let mut gathered = self.gathered.into_inner();
        let is_read_ahead = self.task.read_ahead && gathered.take_read_ahead();
        let Gathered {
            mut outcome,
            exceptions,
            identities_at_end,
            ..
        } = gathered;
        outcome.is_read_ahead = is_read_ahead;
        outcome.may_lack_input = self.cursor.sent.may_be_lost();
        let Readings {
            late,
            page_reads,
            origins,
            mut traces,
        } = readings;
        outcome.late = late;
        outcome.origins = origins;
        outcome.page_reads.extend(page_reads);
        outcome.exceptions = exceptions.into_came();
        traces.add_at_end(identities_at_end);
        outcome.counts = std::mem::take(&mut traces.counts);
        let counted = outcome.report().map(|report| report.document);
        let task = self.task;
        (outcome.examined, outcome.stacks) = traces.judged(&task.examined, counted, task.is_sure);
        outcome.replay_ms = replay_ms;
        outcome.was_held = self.pause_status.into_inner().for_person().is_some();
        outcome.realm = counted.and_then(|document| self.realms.lock().name(document));
        let mut seen = self.interceptor.seen().clone();
        for child in children {
            if let Some(reason) = self.realms.lock().why_unhooked(&child)
                && !child.url.is_empty()
                && child.url != "about:blank"
            {
                seen.blind(&child.url, reason);
            }
        }
        for url in challenged {
            seen.blind(
                url,
                "it asks for a name and a password, and was given none that it takes; give them with --user NAME:PASSWORD",
            );
        }
        // What the event loop saw comes on top of what the responses told.
        for spot in std::mem::take(&mut outcome.seen.blind_spots) {
            seen.unhooked_script(&spot.url, spot.reason);
        }
        outcome.seen = seen;
        outcome
    }
}

/// Follows the pauses of a page: the one loop that reads it where it is paused, and what it alone knows.
struct PauseLoop<'w> {
    watcher: &'w Watcher<'w>,
    setting: &'w Setting,
    task: &'w Task,
    readings: Readings,
    /// The functions that frames were seen to be in, by where they begin; of the top of a script, where it is.
    functions: HashMap<(String, Utf16Position, bool), Option<FunctionOfFrame>>,
    /// The text that each session has handed over and waits for.
    handed: HashMap<SessionId, DynamicCode>,
    /// The breakpoints before the first scripts of workers that are about to begin.
    first_scripts: FirstScripts,
    /// Where the agent was seen to catch what is thrown, by position in its text.
    caught: HashMap<Utf16Position, bool>,
}

/// What was read where the page was paused.
#[derive(Debug, Default)]
struct Readings {
    /// What only a debugger could resolve, by query number.
    late: BTreeMap<usize, QueryResult>,
    /// What the page reads through proxies otherwise than it was looked up, by query number.
    page_reads: BTreeMap<usize, PageRead>,
    /// Where values come from that are followed, by the event that wrote them.
    origins: BTreeMap<Sequence, Probe>,
    traces: TraceReadings,
}

impl<'w> PauseLoop<'w> {
    fn new(watcher: &'w Watcher<'w>) -> Self {
        Self {
            watcher,
            setting: watcher.setting,
            task: watcher.task,
            readings: Readings::default(),
            functions: HashMap::new(),
            handed: HashMap::new(),
            first_scripts: FirstScripts::new(),
            caught: HashMap::new(),
        }
    }

    /// The loop is over.
    fn into_readings(self) -> Readings {
        self.readings
    }
}
