//! What was typed, understood and checked before any browser starts.

use std::time::Duration;

use engine::ask::{AskRequest, Flips, OriginLimits, Reproduce};
use engine::collection::Instrument;
use querypoint::catalogue::Definitions;
use querypoint::graph::DependencyGraph;
use querypoint::plan::{CollectionPlan, PlanError};
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use querypoint::questions::{LogQuestions, Questions};
use recording::Recording;

use crate::failure::Failure;
use crate::page::Page;

/// Whether the page of an omission is run again with decisions turned round. Then code runs that did not run before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turning {
    /// It is not.
    Never,
    /// Where nothing of it reaches a server: the page is a file that we serve, or responses are in the recording.
    #[default]
    WhereNoServerIsReached,
    /// It is, and requests reach the page's servers.
    Always,
}

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
    /// What is asked of a log of an execution as well.
    pub log: Option<LogQuestions>,
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
        Self::about(at, dependency_graph(queries)?, watches)
    }

    /// Understands the texts of a question that may be to a log as well.
    ///
    /// # Errors
    /// [`Failure::NotUnderstood`] with a caret under the place.
    pub fn read_with_log<Text: AsRef<str>>(
        at: &str,
        queries: &[Text],
        watches: &[Text],
        definitions: &Definitions,
    ) -> Result<Self, Failure> {
        let at = reproduction_point(at)?;
        let questions = Questions::read(queries, definitions);
        let questions = questions.map_err(|error| Failure::NotUnderstood {
            what: "query",
            rendered: error.render(),
        })?;
        for at_event in questions.log.iter().flat_map(|log| &log.at_events) {
            collection_plan(&at_event.graph, &[])?;
        }
        let log = questions.log;
        Ok(Self {
            log,
            ..Self::about(at, questions.graph, watches)?
        })
    }

    fn about<Text: AsRef<str>>(
        at: ReproductionPoint,
        graph: DependencyGraph,
        watches: &[Text],
    ) -> Result<Self, Failure> {
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
            log: None,
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

    /// The same question, whose page is run again with decisions turned round, or is not.
    #[must_use]
    pub fn turning_round(mut self, turning: Turning, page: &Page) -> Self {
        let recording = self.recording.as_ref();
        let is_answered = recording.is_some_and(|recording| recording.responses.is_some());
        self.limits.flips = match (turning, page) {
            (Turning::Never, _) => Flips::No,
            (Turning::Always, _) => Flips::Free,
            (Turning::WhereNoServerIsReached, Page::Served(_)) => Flips::OwnServer,
            (Turning::WhereNoServerIsReached, Page::Remote(_)) if is_answered => Flips::Recorded,
            (Turning::WhereNoServerIsReached, Page::Remote(_)) => Flips::No,
        };
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use url::Url;

    use super::*;

    #[tokio::test]
    async fn no_server_is_reached_by_a_turned_decision_unless_it_is_wanted() {
        let question = |recording: Option<&str>| {
            let recording = recording.map(|text| Recording::parse(text).unwrap());
            let question = Question::read("end", &["omitted(R:cart.items)"], &[]).unwrap();
            question.with_recording(recording)
        };
        let remote = Page::Remote(Url::parse("http://shop.example/").unwrap());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.html");
        std::fs::write(&file, "<p>shop").unwrap();
        let served = Page::open(file.to_str().unwrap(), &[]).await.unwrap();
        let without_responses = question(Some("{ \"steps\": [] }"));
        let default = Turning::default();
        let flips = |question: Question, turning, page: &Page| {
            let question = question.turning_round(turning, page);
            question.limits.flips
        };
        assert_eq!(flips(question(None), default, &served), Flips::OwnServer);
        assert_eq!(flips(without_responses, default, &remote), Flips::No);
        let mut with_responses = question(Some("{ \"steps\": [] }"));
        if let Some(recording) = &mut with_responses.recording {
            recording.responses = Some(Arc::default());
        }
        assert_eq!(flips(with_responses, default, &remote), Flips::Recorded);
        for page in [&served, &remote] {
            let never = flips(question(None), Turning::Never, page);
            assert_eq!(never, Flips::No);
            let always = flips(question(None), Turning::Always, page);
            assert_eq!(always, Flips::Free);
        }
    }
}
