//! Questions to the log of an execution, beside the queries of an answer, and queries at events of that log.
//!
//! The point and the queries at it come first. Then the page runs once more and is logged, for all questions together;
//! each event at which something is asked is a point of its own, to which an execution is led by its place and how
//! often that was reached. Nobody says what is to be recorded: the scripts of the page's author are, and all others too
//! only where the point is in one of those.
//!
//! (Girgis and Jayaraman, *JavaTA*; *Debugging by lastChange*, 2011, section on trace queries and re-execution.)

use std::sync::Arc;

use event_log::catalogue::{CatalogueError, answer, point_in, reproduction_point_of};
use event_log::model::Model;
use js_analysis::log::Detail;
use querypoint::answer::{Answer, PointAnswer, Status, WholeAnswer};
use querypoint::events::{EventsResult, LoggedEvent};
use querypoint::point::ReproductionPoint;
use querypoint::questions::{AtEvent, LogQuestions};

use super::{AskError, AskRequest, Progress, ask, numbered};
use crate::logging::{LogRequest, LoggedScripts, logged_in_memory};
use cdp_driver::protocol::{Clock, Protocol};

/// [`ask`], and the questions to a log with it. An event at which queries are asked is a point
/// `where(H[2])` before them.
///
/// # Errors
/// As [`ask`]; [`AskError::Catalogue`] if a question names what there is not.
pub async fn ask_with_log(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    questions: &LogQuestions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<WholeAnswer, AskError> {
    let start = clock.now_ms();
    // Each is one large future.
    let first = Box::pin(ask(protocol.clone(), clock.clone(), request, progress));
    let mut whole = first.await?;
    let is_reached = |point: &PointAnswer| point.status == Status::Found;
    if !whole.points.first().is_some_and(is_reached) {
        return Ok(whole.into());
    }
    let (model, executions) = {
        let mut progress = numbered(whole.executions, progress);
        let logging = model(protocol.clone(), clock.clone(), request, &mut progress);
        Box::pin(logging).await?
    };
    whole.executions += executions;
    let results = match point_in(&model, &request.at) {
        Ok(_) => answer(&model, &request.at, &questions.questions)?.results,
        Err(error) => unanswered(questions, &error),
    };
    let mut points: Vec<(usize, PointAnswer)> = Vec::new();
    let mut asked = std::mem::take(&mut whole.points).into_iter();
    let reproduction_point = asked.next();
    points.extend(questions.order.iter().copied().zip(asked));
    for at_event in &questions.at_events {
        let event = found(at_event, &results).map(|event| event.seq);
        let event = event.and_then(|event| u32::try_from(event).ok());
        let place = event.and_then(|event| reproduction_point_of(&model, event));
        let at = place.and_then(|place| ReproductionPoint::parse(&place).ok());
        let Some(at) = at else {
            let why = match event {
                Some(_) => {
                    "no execution is led to that event: it has no place of its own in the text"
                }
                None => "there is no such event",
            };
            points.extend(not_asked(at_event, why));
            continue;
        };
        let mut progress = numbered(whole.executions, progress);
        let request = AskRequest {
            at,
            graph: at_event.graph.clone(),
            ..request.clone()
        };
        let asking = ask(protocol.clone(), clock.clone(), &request, &mut progress);
        let there = Box::pin(asking).await?;
        points.extend(at_event_points(at_event, there.points.clone()));
        whole.take(&there, at_event.event.as_str());
        let logged = found(at_event, &results);
        if logged.is_some_and(|logged| !is_there(logged, &there)) {
            whole.consistency.agrees = false;
            let name = &at_event.event;
            let note = format!("{name} is at another place in the execution that was led to it");
            whole.consistency.notes.push(note);
        }
    }
    // As they were asked; an event comes before what is asked at it.
    points.sort_by_key(|(order, _)| *order);
    let points = points.into_iter().map(|(_, point)| point);
    whole.points = reproduction_point.into_iter().chain(points).collect();
    whole.timing_ms.total = super::assembly::whole_ms(clock.now_ms() - start);
    let answer = whole;
    Ok(WholeAnswer { answer, results })
}

/// The log of an execution of the page, and in how many executions it was made.
async fn model(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(Model, u32), AskError> {
    let mut logged = LogRequest {
        page: request.page.clone(),
        recording: request.recording.clone(),
        readings: None,
        responses: None,
        recording_name: None,
        scripts: LoggedScripts::Own,
        // A point may be at what only this has: a condition.
        detail: Detail::All,
        from: None,
        to: None,
        timeout: request.timeout,
        versions: None,
        tells_inside: true,
    };
    let own = logged_in_memory(protocol.clone(), clock.clone(), &logged, progress).await?;
    if point_in(&own, &request.at).is_ok() {
        return Ok((own, 1));
    }
    drop(own);
    logged.scripts = LoggedScripts::All;
    let mut progress = numbered(1, progress);
    let all = logged_in_memory(protocol, clock, &logged, &mut progress).await?;
    Ok((all, 2))
}

/// The event that is asked at.
fn found<'r>(at_event: &AtEvent, results: &'r [EventsResult]) -> Option<&'r LoggedEvent> {
    let result = results.iter().find(|it| it.name == at_event.question)?;
    let index = match at_event.index {
        index if index < 0 => {
            let behind = usize::try_from(index.unsigned_abs()).ok()?;
            result.events.len().checked_sub(behind)?
        }
        index => usize::try_from(index).ok()?,
    };
    result.events.get(index)
}

/// Whether an execution that was led to an event is at its line. One that was not led there says so itself.
fn is_there(logged: &LoggedEvent, there: &Answer) -> bool {
    let at = there
        .points
        .first()
        .and_then(|point| point.location.as_ref());
    match (&logged.location, at) {
        (Some(logged), Some(at)) => (&logged.url, logged.line) == (&at.url, at.line),
        _ => true,
    }
}

/// What is said of each question where the log has not the point at which it is asked.
fn unanswered(questions: &LogQuestions, error: &CatalogueError) -> Vec<EventsResult> {
    let results = questions.questions.iter().map(|question| EventsResult {
        name: question.name().unwrap_or_default().to_owned(),
        query: question.text().to_owned(),
        notes: vec![error.to_string()],
        ..EventsResult::default()
    });
    results.collect()
}

/// How the point of an event is asked for.
fn event_query(at_event: &AtEvent) -> Option<String> {
    Some(format!("where({})", at_event.event))
}

/// The points of what is asked at an event that no execution was led to, with their places in the order.
fn not_asked(at_event: &AtEvent, why: &str) -> Vec<(usize, PointAnswer)> {
    let first = at_event.order.first().copied().unwrap_or_default();
    let name = at_event.event.as_str();
    let missing = |name: &str, query| PointAnswer {
        note: Some(why.to_owned()),
        ..PointAnswer::new(name, query, Status::NotReached)
    };
    let mut points = vec![(first, missing(name, event_query(at_event)))];
    let queries = at_event.graph.queries().zip(&at_event.asked);
    for (((name, _), asked), order) in queries.zip(&at_event.order) {
        points.push((*order, missing(name.as_str(), Some(asked.clone()))));
    }
    points
}

/// The points of what was asked at an event, which was `R` there.
fn at_event_points(at_event: &AtEvent, points: Vec<PointAnswer>) -> Vec<(usize, PointAnswer)> {
    let mut points = points.into_iter();
    let first = at_event.order.first().copied().unwrap_or_default();
    let event = points.next().map(|point| PointAnswer {
        name: at_event.event.to_string(),
        query: event_query(at_event),
        hit: None,
        hits: None,
        ..point
    });
    let queries = points.zip(&at_event.asked).zip(&at_event.order);
    let queries = queries.map(|((point, asked), order)| {
        let query = Some(asked.clone());
        (*order, PointAnswer { query, ..point })
    });
    event
        .map(|event| (first, event))
        .into_iter()
        .chain(queries)
        .collect()
}
