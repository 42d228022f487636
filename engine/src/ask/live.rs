//! `lastChange` from one execution: which line wrote last, and what made the page run it.
//!
//! With the question's own hooks, the agent keeps with each value that is asked the site of its last change and the
//! event that was being dispatched, beside the value itself: on the object in a private field, or in the shadow of the
//! variable. At the reproduction point they are read. Every write is compared with what is really there, as in the
//! execution that an answer usually ends with, so a line is named only if it made the last change. Where more would
//! have to be watched first, which takes another execution, the answer is "not observed".
//!
//! With live hooks ([`Instrument::Live`]) every write of the page leaves its site and task in a shadow, and the answer
//! is what the shadow says. That is less: see the module `shadows` of the rewriter. Of all that is in sight at the
//! reproduction point it is told who wrote it last, asked or not.

use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::{Answer, PointAnswer, Status};
use querypoint::plan::{PlannedQuery, Sought};

use super::round::hit_of;
use super::{AskError, AskRequest, Progress, Question};
use crate::collection::Instrument;
use crate::error::EngineError;
use crate::execution::Task;
use crate::last_writers::is_whole;
use crate::report::QueryResult;
use crate::sources::SeenScripts;
use cdp_driver::protocol::{Clock, Protocol};

/// The answer to `request` from one execution: each `lastChange` with its location and its cause, without old values,
/// stacks and scopes. How the reproduction point is reached and which sites get hooks, the request does not say here:
/// the page is replayed, with hooks for its queries.
///
/// # Errors
/// As [`super::ask`].
pub async fn ask_live(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Answer, AskError> {
    let instrument = match request.instrument {
        Instrument::Live => Instrument::Live,
        Instrument::Query | Instrument::Standby => Instrument::Query,
    };
    let request = AskRequest {
        instrument,
        ..request.clone()
    };
    let mut question = Question::new(protocol, clock, &request, progress)?;
    Ok(question.live().await?)
}

impl Question<'_> {
    async fn live(&mut self) -> Result<Answer, EngineError> {
        let is_live = self.setting.collection.is_live();
        // What is in sight at the reproduction point has last writers, too.
        let mut task = Task {
            live: true,
            read_ahead: is_live,
            ..Task::default()
        };
        let mut outcome = self.execute(&task, "reading who wrote last").await?;
        if outcome.may_lack_input {
            task.read_ahead = false;
            outcome = self.execute(&task, "reading who wrote last").await?;
        }
        let Some(hit) = hit_of(&outcome) else {
            return Ok(self.not_reached(&outcome));
        };
        let nothing = BTreeMap::new();
        let results = self.results(Some(hit), &nothing);
        let mut answer = self.assemble(&outcome, &results, outcome.hits(), Some(hit));
        // There is no other execution that it could differ from.
        answer.consistency.agrees = true;
        for query in &self.setting.plan.queries {
            let Some(point) = answer.points.get_mut(query.index + 1) else {
                continue;
            };
            let result = results.get(&query.index).copied();
            *point = last_writer(query, result, point.clone());
            if is_live {
                *point = from_shadow(&outcome.seen, point.clone());
            }
        }
        Ok(answer)
    }
}

/// What one execution says of a point.
fn last_writer(
    query: &PlannedQuery,
    result: Option<&QueryResult>,
    point: PointAnswer,
) -> PointAnswer {
    // An origin begins as a lastChange, and goes on.
    if !matches!(query.sought, Sought::Change(_)) || query.is_origin || query.is_omission {
        return not_observed(point, "only lastChange is answered in one execution");
    }
    if let Some(result) = result
        && (!result.parts.is_empty() || !result.reads.is_empty() || result.opens)
    {
        return not_observed(
            point,
            "more than the names in the question must be watched for it",
        );
    }
    if point.status != Status::Found {
        return point;
    }
    // A stack that the page itself took does not name every function.
    let is_called = result.is_some_and(|result| result.by.is_some());
    PointAnswer {
        live: Some(true),
        function: point.function.filter(|_| !is_called),
        old: None,
        stack: Vec::new(),
        scopes: Vec::new(),
        watches: Vec::new(),
        ..point
    }
}

/// What a shadow says of a point: nothing where code without hooks may have written.
fn from_shadow(seen: &SeenScripts, point: PointAnswer) -> PointAnswer {
    let is_whole = is_whole(seen);
    match point.status {
        Status::Found if is_whole => point,
        Status::Found => not_observed(point, "a script of the page has writes without hooks"),
        _ => not_observed(
            point,
            "no shadow keeps its last writer, or something else wrote it",
        ),
    }
}

/// The same point without an answer, and why.
fn not_observed(point: PointAnswer, why: &str) -> PointAnswer {
    PointAnswer {
        note: Some(format!(
            "{why}; ask with --instrument query, and without --live"
        )),
        value: point.value.or(point.new),
        ..PointAnswer::new(point.name, point.query, Status::Blind)
    }
}
