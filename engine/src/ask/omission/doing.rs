//! Operations that began and were not done: what they were given, or the object itself, threw.
//!
//! A browser counts that an operation began. Where something was thrown while the page ran, it runs once more, and each
//! operation is counted where it ends.

use std::sync::Arc;

use querypoint::answer::{Status, ValueType};
use querypoint::graph::DependencyGraph;

use super::exceptions::exception_at;
use super::turning::unfinished;
use super::{Finding, Omission};
use crate::ask::calls::Via;
use crate::ask::{AskError, AskRequest, Progress, Question, Reproduce};
use crate::prefix::unguessable_prefix;
use crate::sources::{LocatedOperation, Step, Unchanged};
use cdp_driver::protocol::{Clock, Protocol};

/// Of more operations, the first are counted so.
const MOST_COUNTED: usize = 30;

/// Takes the operations that threw out of what was done; how often the page ran for it.
pub(super) async fn take_thrown(
    protocol: &Arc<dyn Protocol>,
    clock: &Arc<dyn Clock>,
    request: &AskRequest,
    omissions: &mut [Omission],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<u32, AskError> {
    let mut executions = 0;
    for omission in omissions {
        let Finding::Unchanged(unchanged) = &mut omission.finding else {
            continue;
        };
        let began = unchanged.done.iter().filter(|it| !it.is_optional);
        let began: Vec<LocatedOperation> = began.take(MOST_COUNTED).cloned().collect();
        if !unchanged.may_have_thrown || began.is_empty() {
            continue;
        }
        let counted = counted(protocol, clock, request, &began, progress);
        let (ended, ran) = Box::pin(counted).await?;
        executions += ran;
        let all = began.iter().zip(ended);
        for (operation, ended) in all {
            // What could not be read is taken to have been done.
            let Some(ended) = ended.filter(|ended| *ended < operation.count) else {
                continue;
            };
            without(unchanged, operation, ended);
        }
    }
    Ok(executions)
}

/// How often each operation ended.
async fn counted(
    protocol: &Arc<dyn Protocol>,
    clock: &Arc<dyn Clock>,
    request: &AskRequest,
    operations: &[LocatedOperation],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(Vec<Option<u64>>, u32), AskError> {
    let name = unguessable_prefix(&request.page, clock.now_ms()) + "Ends";
    let watch = |number: usize| format!("{name}[{number}]");
    let asking = AskRequest {
        graph: DependencyGraph::new(Vec::new()).map_err(|_| unfinished())?,
        watches: (0..operations.len()).map(watch).collect(),
        reproduce: Reproduce::Replay,
        ..request.clone()
    };
    let mut question = Question::new(protocol.clone(), clock.clone(), &asking, progress)?;
    let sources = question.setting.sources.clone();
    sources.lock().count_ends(&name, operations);
    let answer = loop {
        if let Some(answer) = question.round(&mut Via::Page).await? {
            break answer;
        }
        question.watch_more();
    };
    let r = answer.points.first();
    let r = r.filter(|r| r.status == Status::Found);
    let counts = (0..operations.len()).map(|number| {
        let watches = r.into_iter().flat_map(|r| &r.watches);
        let mut own = watches.filter(|one| one.expression == watch(number));
        let own = own.next().filter(|one| one.threw.is_none())?;
        match own.value.kind {
            ValueType::Undefined => Some(0),
            _ => own.value.text.parse().ok(),
        }
    });
    Ok((counts.collect(), question.executions))
}

/// An operation was done less often than it began.
fn without(unchanged: &mut Unchanged, operation: &LocatedOperation, ended: u64) {
    let same = |other: &LocatedOperation| other.place == operation.place;
    match ended {
        0 => {
            unchanged.done.retain(|other| !same(other));
            unchanged.omitted += 1;
        }
        _ => {
            for other in unchanged.done.iter_mut().filter(|other| same(other)) {
                other.count = ended;
            }
        }
    }
    let step = Step {
        place: operation.place.clone(),
        line: operation.line(),
        text: operation.text.clone(),
    };
    let mut candidate = exception_at(&step, 0, Some(operation.clone()));
    candidate.found.hits = operation.count - ended;
    candidate.found.is_partial = ended > 0;
    let candidates = &mut unchanged.explained.candidates;
    let at = candidates.iter().position(|other| {
        (other.found.is_partial && !candidate.found.is_partial) || other.found.calls > 0
    });
    let at = match ended {
        0 => at.unwrap_or(candidates.len()),
        _ => candidates.len(),
    };
    candidates.insert(at, candidate);
}
