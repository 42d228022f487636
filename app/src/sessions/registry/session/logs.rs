//! The event logs of a session: recorded, listed, and asked. What reads one runs beside what is being done, on a thread
//! of its own.

use std::path::Path;
use std::sync::Arc;

use event_log::call_tree::CallTree;
use event_log::catalogue::{CatalogueError, answer, missing, point_in, reproduction_point_of};
use event_log::compare::compare;
use event_log::model::{Model, NONE};
use parking_lot::Mutex;
use querypoint::catalogue::Definitions;
use querypoint::events::EventsResult;
use querypoint::point::ReproductionPoint;
use querypoint::session::messages::{Refusal, RefusalCode};
use querypoint::session::methods::{
    CallEnd, Calls, CompareLogs, DeleteLog, EventPoint, Events, Log, Logs,
};
use querypoint::session::results::{CallPage, ComparedLogs, LogList, LogRecorded, Nothing, Text};

use super::jobs::LogJob;
use super::methods::{InSession, TypedReply, ready};
use super::{Done, LiveSession, Reply, failed, not_now, refused};
use crate::definitions::definitions;
use crate::failure::Failure;
use crate::logs::{outline, read_log};
use crate::sessions::store::KeptLog;

/// More rows, or events, are not given at once.
const MOST: usize = 200;

/// Of how many events of a call it is tried to find the first, or last, place.
const MOST_TRIED: usize = 200;

const NO_SUCH_LOG: &str = "there is no log with this number any more; record the execution again";

/// The log that was asked last, in memory.
#[derive(Clone, Default)]
pub(super) struct Opened(Arc<Mutex<Option<OpenedLog>>>);

#[derive(Clone)]
struct OpenedLog {
    /// Of one that was removed the number may be given again.
    kept: KeptLog,
    log: Arc<ReadLog>,
}

/// A log in memory, with its call tree.
pub(super) struct ReadLog {
    pub(super) model: Model,
    tree: CallTree,
}

/// A refusal, as there is no log with a number.
pub(super) fn no_such_log() -> Refusal {
    not_now(NO_SUCH_LOG)
}

impl Opened {
    /// The log in memory, read if another one was asked last. Who comes meanwhile waits for it.
    fn get(&self, kept: &KeptLog) -> Result<Arc<ReadLog>, Failure> {
        let mut opened = self.0.lock();
        if let Some(it) = opened.as_ref().filter(|it| it.kept == *kept) {
            return Ok(it.log.clone());
        }
        // There are not two of them in memory.
        *opened = None;
        let model = read_log(&kept.path)?;
        let tree = CallTree::of(&model);
        let log = Arc::new(ReadLog { model, tree });
        *opened = Some(OpenedLog {
            kept: kept.clone(),
            log: log.clone(),
        });
        Ok(log)
    }

    /// There is no log in memory any more.
    fn close(&self) {
        *self.0.lock() = None;
    }
}

impl LiveSession {
    fn log_list(&self) -> LogList {
        let logs = self.registry.store.logs(&self.name).into_iter();
        // What cannot be read is not shown; it goes with the next ones.
        let logs = logs.filter_map(|log| outline(log.number, &log.path, log.recorded_ms).ok());
        let mut list = LogList {
            logs: logs.collect(),
            ..LogList::default()
        };
        match self.definitions() {
            Ok(definitions) => list.questions = definitions.iter().map(|it| it.usage()).collect(),
            Err(failure) => list.unusable = Some(failure.to_string()),
        }
        list
    }

    /// What was composed and saved by the person, and for the project that the page is a file of.
    fn definitions(&self) -> Result<Definitions, Failure> {
        let page = self.state().session.page.clone().unwrap_or_default();
        let folder = Path::new(&page).parent().filter(|folder| folder.is_dir());
        definitions(folder, &[])
    }

    fn delete_log(&self, number: u32) -> Result<Nothing, Refusal> {
        let deleted = self.registry.store.delete_log(&self.name, number);
        if !deleted.map_err(|error| failed(&error))? {
            return Err(no_such_log());
        }
        self.opened.close();
        Ok(Nothing {})
    }

    /// Has a log read.
    pub(super) fn with_log<R: Send + 'static>(
        &self,
        number: u32,
        read: impl FnOnce(&ReadLog) -> Result<R, Refusal> + Send + 'static,
    ) -> Reply<Result<R, Refusal>> {
        let Some(kept) = self.registry.store.log(&self.name, number) else {
            return ready(Err(no_such_log()));
        };
        let opened = self.opened.clone();
        on_a_thread(move || {
            let log = opened.get(&kept).map_err(|failure| refused(&failure))?;
            read(&log)
        })
    }
}

/// Does what takes its time, without anything else having to wait.
fn on_a_thread<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Refusal> + Send + 'static,
) -> Reply<Result<R, Refusal>> {
    Reply::Pending(Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        let done = done.unwrap_or_else(|_| {
            Err(Refusal::new(
                RefusalCode::Failed,
                "the log could not be read",
            ))
        });
        Done::of(done.map(|result| (result, None)))
    }))
}

/// Answers a question from a log, and gives the events from one on.
fn asked(
    log: &ReadLog,
    at: Option<&str>,
    definitions: &Definitions,
    method: &Events,
) -> Result<EventsResult, Refusal> {
    let not_understood = |why: String| Refusal::new(RefusalCode::NotUnderstood, why);
    let question = definitions.question(&method.query);
    let question = question.map_err(|error| not_understood(error.render()))?;
    let wanted = at
        .and_then(|at| ReproductionPoint::parse(at).ok())
        .unwrap_or(ReproductionPoint::End);
    let (at, missed) = match point_in(&log.model, &wanted) {
        Ok(_) => (wanted, None),
        Err(error) => (ReproductionPoint::End, Some(error)),
    };
    let answered = answer(&log.model, &at, std::slice::from_ref(&question));
    let answered = answered.map_err(|error| match error {
        CatalogueError::NotReached(why) => Refusal::new(RefusalCode::Failed, why),
        error @ CatalogueError::Question { .. } => not_understood(error.to_string()),
    })?;
    let mut result = answered.results.into_iter().next().unwrap_or_default();
    result.events = result
        .events
        .into_iter()
        .skip(method.from)
        .take(MOST)
        .collect();
    if let Some(error) = missed {
        result
            .notes
            .push(format!("R is the end of the log here: {error}"));
    }
    Ok(result)
}

impl InSession for Log {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let job = LogJob {
            of: session.clone(),
        };
        session.start(
            |session| Ok((session.clone(), job)),
            |recorded: LogRecorded, _| recorded,
        )
    }
}

impl InSession for Logs {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let session = session.clone();
        on_a_thread(move || Ok(session.log_list()))
    }
}

impl InSession for DeleteLog {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.delete_log(self.log))
    }
}

impl InSession for Calls {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.with_log(self.log, move |log| {
            let page = log.tree.rows(&log.model, self.of, self.from as u64, MOST);
            Ok(CallPage {
                rows: page.rows,
                of: page.of,
            })
        })
    }
}

impl InSession for Events {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let at = session.state().session.at.clone();
        // What cannot be used is told with the list of the logs; what the catalogue has can be asked all the same.
        let definitions = session.definitions().unwrap_or_default();
        session.with_log(self.log, move |log| {
            asked(log, at.as_deref(), &definitions, &self)
        })
    }
}

impl InSession for EventPoint {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.with_log(self.log, move |log| {
            let event = u32::try_from(self.event).ok();
            let point = event.and_then(|event| match self.of_call {
                Some(end) => point_in_call(&log.model, event, end),
                None => reproduction_point_of(&log.model, event),
            });
            point.map(|text| Text { text }).ok_or_else(|| {
                let message = "no line of its own belongs to this event; choose one of the call that it is in";
                Refusal::new(RefusalCode::Failed, message)
            })
        })
    }
}

/// The reproduction point of the first or the last event in the call that begins with an event.
fn point_in_call(model: &Model, event: u32, end: CallEnd) -> Option<String> {
    let call = model.events.get(event as usize)?.call;
    let own = model.calls.get(call as usize)?;
    let last = match own.exit {
        NONE => u32::try_from(model.events.len()).ok()?,
        exit => exit.checked_add(1)?,
    };
    let is_own = |event: &u32| {
        let it = model.events.get(*event as usize);
        it.is_some_and(|it| it.call == call)
    };
    // Of events at one place the point is the same, and only few are at none.
    let point = |event| reproduction_point_of(model, event);
    let inside = own.enter.checked_add(1)?..last;
    match end {
        CallEnd::Begin => inside.filter(is_own).take(MOST_TRIED).find_map(point),
        CallEnd::End => inside.rev().filter(is_own).take(MOST_TRIED).find_map(point),
    }
}

impl InSession for CompareLogs {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let store = &session.registry.store;
        let paths =
            [self.left, self.right].map(|number| (number, store.log(&session.name, number)));
        let [(left, Some(of_left)), (right, Some(of_right))] = paths else {
            return ready(Err(no_such_log()));
        };
        on_a_thread(move || {
            let read = |kept: &KeptLog| read_log(&kept.path).map_err(|failure| refused(&failure));
            let (one, other) = (read(&of_left)?, read(&of_right)?);
            let of_log = |number: u32, model: &Model| {
                let notes = missing(model).into_iter();
                notes
                    .map(move |note| format!("log {number}: {note}"))
                    .collect::<Vec<_>>()
            };
            let notes = [of_log(left, &one), of_log(right, &other)].concat();
            Ok(ComparedLogs {
                comparison: compare(&one, &other),
                notes,
            })
        })
    }
}
