//! A plan and the page's scripts: where hooks would be placed, and for what.
//!
//! The page runs once, as in the first execution of the question, so that the scripts come as they do then: those of
//! documents, those that a recording makes it load, and those that it makes of texts. Where that execution reaches the
//! reproduction point and learns that more must be watched, it runs once more with that.

use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::Coverage;
use querypoint::outline::Outline;
use querypoint::point::ReproductionPoint;
use querypoint::reexecution::Refinement;

use super::ask::{AskError, AskRequest, Progress, Question, why_not_reached};
use super::execution::{ExecutionOutcome, Task};
use super::report::collect;
use cdp_driver::protocol::{Clock, Protocol};

/// What would be done to answer `request` in the browser behind `protocol`.
///
/// # Errors
/// As [`ask`](super::ask::ask). A reproduction point that is not reached is no error: its note says so where it is in
/// no script.
pub async fn survey(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Outline, AskError> {
    let mut question = Question::new(protocol, clock, request, progress)?;
    loop {
        lock(&question).survey();
        let outcome = question
            .execute(&Task::default(), "seeing which scripts there are")
            .await?;
        if !is_refined(&mut question, &outcome) {
            return Ok(outline(&question, &outcome));
        }
        question.watch_more();
    }
}

fn lock<'q>(question: &'q Question<'_>) -> parking_lot::MutexGuard<'q, super::sources::Sources> {
    question.setting.sources.lock()
}

/// Whether the reproduction point was passed, and it was learned there that more must be watched.
fn is_refined(question: &mut Question<'_>, outcome: &ExecutionOutcome) -> bool {
    let Some(hit) = outcome.report().and_then(|report| report.hit.as_ref()) else {
        return false;
    };
    let queries = 0..question.setting.plan.queries.len();
    let parents: BTreeMap<usize, usize> = queries
        .filter_map(|query| Some((query, question.setting.parent_query(query)?)))
        .collect();
    let parent = |query: usize| parents.get(&query).copied();
    let mut results = hit.all_results(&parent);
    collect(&outcome.late, &parent, &mut results);
    question.learn(&results) != Refinement::Nothing
}

fn outline(question: &Question<'_>, outcome: &ExecutionOutcome) -> Outline {
    let setting = &question.setting;
    let sources = lock(question);
    let mut outline = Outline::new(&setting.page_url, &setting.plan, &setting.at);
    if let Some(point) = outline.points.first_mut() {
        point.sites = sources.places_of_point();
        let is_location = matches!(setting.at, ReproductionPoint::Location { .. });
        if is_location && outcome.report().is_none_or(|report| report.hit.is_none()) {
            let why = why_not_reached(&setting.at, &outcome.seen.search, outcome.hits());
            point.note = Some(why);
        }
    }
    for query in 0..setting.plan.queries.len() {
        let Some(point) = outline.point_mut(query) else {
            continue;
        };
        (point.sites, point.calls) = sources.sites_of(query);
        for name in sources.names_watched_by(query) {
            if !point.watched.contains(&name) {
                point.watched.push(name);
            }
        }
    }
    let seen = &outcome.seen;
    outline.coverage = Coverage {
        scripts: seen.scripts,
        hooked: seen.hooked,
        unhooked_sites: (seen.unhooked_sites > 0).then_some(seen.unhooked_sites),
        blind_spots: seen.blind_spots.clone(),
        not_run: Vec::new(),
    };
    outline
}
