//! What is asked, what is told meanwhile, and why there is no answer.

use std::time::Duration;

use event_log::catalogue::CatalogueError;
use querypoint::execution_line::NoLine;
use querypoint::graph::DependencyGraph;
use querypoint::plan::PlanError;
use querypoint::point::ReproductionPoint;
use recording::Recording;

use crate::collection::Instrument;
use crate::error::EngineError;
use crate::pausing::PauseError;

/// How the reproduction point is reached again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reproduce {
    /// The page is loaded again, and the recorded actions are replayed.
    #[default]
    Replay,
    /// The oldest function on the stack is called again.
    CallStack,
    /// That, where it answers everything and saves a replay; else a replay.
    Auto,
}

/// A question.
#[derive(Clone, Debug)]
pub struct AskRequest {
    /// The page's address.
    pub page: String,
    /// The user's actions; without them the page is just opened.
    pub recording: Option<Recording>,
    /// The reproduction point.
    pub at: ReproductionPoint,
    /// The queries.
    pub graph: DependencyGraph,
    /// Expressions evaluated at every found point.
    pub watches: Vec<String>,
    /// Which sites get hooks.
    pub instrument: Instrument,
    /// How the reproduction point is reached again.
    pub reproduce: Reproduce,
    /// How long one execution may take.
    pub timeout: Duration,
    /// How far origins are followed.
    pub limits: OriginLimits,
    /// Whether the execution that finds the events may read them as well: then there is only one, where two would have
    /// to agree.
    pub read_ahead: bool,
    /// Whether a picture of the page is taken at each point: see [`Asked::picture`](super::Asked::picture).
    pub takes_pictures: bool,
}

impl AskRequest {
    /// A question as it is asked where nothing else is said: the page is opened, without a recording, and each site
    /// that can write what is asked for gets a hook. `timeout` is of one execution.
    #[must_use]
    pub fn new(
        page: String,
        at: ReproductionPoint,
        graph: DependencyGraph,
        timeout: Duration,
    ) -> Self {
        Self {
            page,
            recording: None,
            at,
            graph,
            watches: Vec::new(),
            instrument: Instrument::Query,
            reproduce: Reproduce::Replay,
            timeout,
            limits: OriginLimits::default(),
            read_ahead: true,
            takes_pictures: false,
        }
    }
}

/// How far an origin is followed, and whether decisions are turned round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginLimits {
    /// After so many executions no further hop is looked for.
    pub max_executions: u32,
    /// The same where an event log has followed the value: what comes behind it seldom goes further.
    pub max_with_log: u32,
    /// Whether hops in libraries are shown one by one.
    pub through: bool,
    /// Whether the page runs again with a decision turned round that kept something from happening.
    pub flips: Flips,
}

/// Whether decisions are turned round. Then code runs that did not run before: what it may reach is said with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flips {
    /// None is.
    #[default]
    No,
    /// Requests reach the page's own server, which only gives files, and no other.
    OwnServer,
    /// Requests have their responses from the recording; none is sent.
    Recorded,
    /// Requests are sent as the page sends them: a person said so.
    Free,
}

impl Default for OriginLimits {
    fn default() -> Self {
        Self {
            max_executions: 40,
            max_with_log: 4,
            through: false,
            flips: Flips::No,
        }
    }
}

/// What is being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// An execution begins: which one, and what it is for.
    Execution {
        /// Counted from 1.
        number: u32,
        /// In words.
        purpose: &'static str,
    },
    /// A step of the recording is done.
    Step {
        /// Counted from 1.
        step: usize,
        /// How many there are.
        steps: usize,
        /// In words.
        description: String,
    },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The queries cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A watch is not an expression.
    #[error("the watch {watch:?} is not a JavaScript expression: {why}")]
    Watch {
        /// The expression.
        watch: String,
        /// What the parser says.
        why: String,
    },
    /// The page cannot be stopped at a point.
    #[error(transparent)]
    Pause(#[from] PauseError),
    /// A query has no execution line.
    #[error(transparent)]
    Line(#[from] NoLine),
    /// A question to a log names what there is not.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The page or the browser.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A watch goes into the page's own code, so it must be one expression and nothing else.
pub(super) fn check_watch(watch: &str) -> Result<(), AskError> {
    // In two kinds of brackets, so that the watch cannot close ours.
    for wrapped in [format!("()=>({watch})"), format!("[\n{watch}\n]")] {
        js_analysis::rewrite::with_script(&wrapped, js_analysis::Goal::Script, |_| ()).map_err(
            |error| AskError::Watch {
                watch: watch.to_owned(),
                why: error.to_string(),
            },
        )?;
    }
    Ok(())
}
