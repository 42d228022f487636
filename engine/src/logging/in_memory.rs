//! The log of an execution that is kept in memory, not in a file: `origin` reads it, with the texts of its scripts, and
//! questions that are asked together with queries.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use event_log::file::{LogEnd, LogFile, LogInfo};
use event_log::model::Model;
use event_log::wire::MOST_UNITS;
use parking_lot::Mutex;
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::query::Lookup;

use super::{
    LogRequest, LoggedScript, LoggedScripts, Recorder, TellsInside, log_execution, run_logged,
    written,
};
use crate::agent_message::NodesAround;
use crate::ask::{AskError, AskRequest, Progress};
use crate::collection::{Collection, Instrument};
use crate::error::EngineError;
use crate::execution::{RealmName, Setting, Task};
use crate::prefix::unguessable_prefix;
use crate::sources::Sources;
use cdp_driver::protocol::{Clock, Protocol};
use js_analysis::log::Detail;

/// A log that is larger is given up.
const MOST_BYTES: usize = 256 << 20;
/// A log with more events is not read: its model takes some 60 bytes for each.
const MOST_EVENTS: u64 = 20_000_000;

/// A logged execution.
#[derive(Debug)]
pub(crate) struct LoggedExecution {
    pub(crate) model: Model,
    pub(crate) scripts: Vec<LoggedScript>,
    pub(crate) sources: Arc<Mutex<Sources>>,
    /// For each of the elements that were asked about, the nodes that the log knows around it.
    pub(crate) elements: Vec<NodesAround>,
    /// Whether the log ends at the reproduction point.
    pub(crate) ends_there: bool,
}

/// Memory that a log is written to.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock();
        if all.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::other(
                "the log is too large to be kept in memory",
            ));
        }
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    /// What a log is written to; each time from the start.
    fn output(&self) -> impl FnMut() -> io::Result<Box<dyn Write + Send>> + Send + 'static {
        let memory = self.clone();
        move || {
            memory.0.lock().clear();
            let output: Box<dyn Write + Send> = Box::new(memory.clone());
            Ok(output)
        }
    }

    /// The log that was written, read.
    fn model(&self, events: u64) -> Result<Model, EngineError> {
        if events > MOST_EVENTS {
            let message = format!("the log has {events} events, which is too many");
            return Err(EngineError::Log { message });
        }
        let bytes = std::mem::take(&mut *self.0.lock());
        let file = LogFile::open(bytes);
        file.and_then(|file| Model::read(&file)).map_err(written)
    }
}

/// Runs the page of `request` and reads what it did.
///
/// # Errors
/// [`AskError::Engine`](crate::ask::AskError::Engine) if the browser cannot run the page at all, or the log is too
/// large. A page that crashes, or that does not end in time, has a log.
pub(crate) async fn logged_in_memory(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &LogRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Model, AskError> {
    let memory = Memory::default();
    let mut output = memory.output();
    let outcome = log_execution(protocol, clock, request, &mut output, progress).await?;
    let model = memory.model(outcome.written.events);
    model.map_err(|error| match error {
        EngineError::Log { message } => AskError::Engine(EngineError::Log {
            message: format!(
                "{message}; record it into a file, with `querypoint log`, and ask that"
            ),
        }),
        error => AskError::Engine(error),
    })
}

/// Runs the page of `request` up to the reproduction point, this hit of it, with all scripts logged. Of `elements`, the
/// nodes are told that the log knows around each.
///
/// # Errors
/// [`EngineError`] if the page or the browser is lost, time is up, or the log cannot be kept.
pub(crate) async fn logged_execution(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    hit: (Option<u64>, Option<RealmName>),
    elements: &[Lookup],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LoggedExecution, EngineError> {
    let unplanned = |message: String| EngineError::Log { message };
    let graph = DependencyGraph::new(Vec::new()).map_err(|error| unplanned(error.to_string()))?;
    let plan = CollectionPlan::new(&graph, &[]).map_err(|error| unplanned(error.to_string()))?;
    let prefix = unguessable_prefix(&request.page, clock.now_ms());
    let collection = Arc::new(Collection::new(&plan, &prefix, Instrument::Query));
    // A script that is rewritten for the log has no hook of the point.
    let at = match &request.at {
        ReproductionPoint::Location { .. } => ReproductionPoint::End,
        at => at.clone(),
    };
    let ends_there = at == request.at;
    let info = LogInfo {
        page: request.page.clone(),
        ..LogInfo::default()
    };
    let recorder = Recorder::new(info, LoggedScripts::All, Detail::All, &prefix);
    // What is inside what built-ins made, no write says; and what was read of a text, only the whole text.
    let recorder = recorder.for_versions(None, TellsInside::Results);
    let recorder = Arc::new(recorder.with_texts_of(MOST_UNITS));
    let mut sources = Sources::new(collection.clone(), at.clone());
    sources.log_to(recorder.clone());
    let (stop_at_hit, realm) = hit;
    let task = Task {
        stop_at_hit: stop_at_hit.filter(|_| ends_there && at != ReproductionPoint::End),
        realm,
        ..Task::default()
    };
    let sources = Arc::new(Mutex::new(sources));
    let setting = Setting {
        protocol,
        clock,
        page_url: request.page.clone(),
        recording: request.recording.clone(),
        readings: None,
        responses: None,
        at,
        plan,
        collection,
        sources: sources.clone(),
        timeout: request.timeout,
        origins: BTreeMap::new(),
        logged: None,
        recorder: Some(recorder.clone()),
        elements: elements.to_vec(),
        unanswered: Arc::default(),
        tabs: Arc::default(),
        takes_pictures: false,
    };
    let memory = Memory::default();
    let mut output = memory.output();
    let result = run_logged(&setting, &task, &recorder, &mut output, progress).await?;
    let outcome = result?;
    let notes = recorder.notes();
    let log = recorder.finish(&LogEnd::default()).map_err(written)?;
    if let Some(note) = notes.into_iter().next() {
        return Err(EngineError::Log { message: note });
    }
    let model = memory.model(log.events)?;
    let is_reached = outcome.report().is_some();
    let elements = outcome.elements;
    Ok(LoggedExecution {
        model,
        scripts: recorder.scripts(),
        sources,
        elements,
        ends_there: ends_there && is_reached,
    })
}
