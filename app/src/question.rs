//! What was typed, understood and checked before any browser starts.

use std::time::Duration;

use engine::ask::{AskRequest, Flips, OriginLimits, Reproduce};
use engine::collection::Instrument;
use querypoint::graph::DependencyGraph;
use querypoint::plan::{CollectionPlan, PlanError};
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use recording::Recording;

use crate::failure::Failure;

/// What is asked of a page, checked as far as it can be without a browser.
#[derive(Debug)]
pub struct Question {
    /// Where the execution is stopped.
    pub at: ReproductionPoint,
    /// The queries, in the order in which they are answered.
    pub graph: DependencyGraph,
    /// The expressions that are evaluated at each found point.
    pub watches: Vec<String>,
    /// What the user does before.
    pub recording: Option<Recording>,
    /// Where hooks are placed.
    pub instrument: Instrument,
    /// How the point is reached again.
    pub reproduce: Reproduce,
    /// Whether one execution is to say who wrote last, and no more.
    pub live: bool,
    /// How far origins are followed.
    pub limits: OriginLimits,
    /// Whether one execution may do where two would have to agree.
    pub read_ahead: bool,
}

impl Question {
    /// Understands the texts of a question.
    ///
    /// # Errors
    /// [`Failure::NotUnderstood`] with a caret under the place.
    pub fn read<Text: AsRef<str>>(
        at: &str,
        queries: &[Text],
        watches: &[Text],
    ) -> Result<Self, Failure> {
        let at = reproduction_point(at)?;
        let graph = dependency_graph(queries)?;
        let watches: Vec<String> = watches
            .iter()
            .map(|watch| watch.as_ref().to_owned())
            .collect();
        // The driver plans as well; here it is done so that wrong usage ends before a browser starts.
        collection_plan(&graph, &watches)?;
        Ok(Self {
            at,
            graph,
            watches,
            recording: None,
            instrument: Instrument::Query,
            reproduce: Reproduce::Replay,
            live: false,
            limits: OriginLimits::default(),
            read_ahead: true,
        })
    }

    /// The same question after these actions.
    #[must_use]
    pub fn with_recording(self, recording: Option<Recording>) -> Self {
        Self { recording, ..self }
    }

    /// The question as the driver takes it.
    pub fn into_request(self, page: String, timeout: Duration) -> AskRequest {
        AskRequest {
            page,
            recording: self.recording,
            at: self.at,
            graph: self.graph,
            watches: self.watches,
            instrument: self.instrument,
            reproduce: self.reproduce,
            timeout,
            limits: self.limits,
            read_ahead: self.read_ahead,
            takes_pictures: false,
        }
    }

    /// The same question, with the point reproduced so.
    #[must_use]
    pub fn reproduced(self, reproduce: Reproduce) -> Self {
        Self { reproduce, ..self }
    }

    /// The same question, answered from one execution or not.
    #[must_use]
    pub fn answered_live(self, live: bool) -> Self {
        Self { live, ..self }
    }

    /// The same question, with origins followed so far.
    #[must_use]
    pub fn within(self, limits: OriginLimits) -> Self {
        Self { limits, ..self }
    }

    /// The same question, read in an execution of its own, which must agree with the one before it.
    #[must_use]
    pub fn read_twice(self, twice: bool) -> Self {
        let read_ahead = !twice;
        Self { read_ahead, ..self }
    }

    /// The same question, with decisions turned round or not.
    #[must_use]
    pub fn turning_round(mut self, flips: Flips) -> Self {
        self.limits.flips = flips;
        self
    }

    /// The same question, with hooks placed so.
    #[must_use]
    pub fn with_instrument(self, instrument: Instrument) -> Self {
        Self { instrument, ..self }
    }
}

/// The reproduction point.
///
/// # Errors
/// [`Failure::NotUnderstood`] with a caret under the place.
pub fn reproduction_point(text: &str) -> Result<ReproductionPoint, Failure> {
    ReproductionPoint::parse(text).map_err(|error| Failure::NotUnderstood {
        what: "reproduction point",
        rendered: error.render(),
    })
}

/// The queries, put in order by which uses the point of which.
///
/// # Errors
/// [`Failure::NotUnderstood`] with a caret under the place.
pub fn dependency_graph<Text: AsRef<str>>(queries: &[Text]) -> Result<DependencyGraph, Failure> {
    let not_understood = |rendered| Failure::NotUnderstood {
        what: "query",
        rendered,
    };
    let queries = queries
        .iter()
        .map(|text| Query::parse(text.as_ref()).map_err(|error| not_understood(error.render())))
        .collect::<Result<Vec<_>, _>>()?;
    DependencyGraph::new(queries).map_err(|error| not_understood(error.render()))
}

/// What must be collected for the queries and watches.
///
/// # Errors
/// [`Failure::NotUnderstood`] for what this version cannot answer, with a caret under the place.
pub fn collection_plan(
    graph: &DependencyGraph,
    watches: &[String],
) -> Result<CollectionPlan, Failure> {
    CollectionPlan::new(graph, watches).map_err(|error| match error {
        PlanError::EmptyWatch { .. } => Failure::NotPossible(error.render()),
        PlanError::NotYet { .. }
        | PlanError::NoEvent { .. }
        | PlanError::NoObject { .. }
        | PlanError::NoOrigin { .. } => Failure::NotUnderstood {
            what: "query",
            rendered: error.render(),
        },
    })
}
