//! Decisions are turned round, to see whether it happens then.

use std::sync::Arc;

use querypoint::answer::{Answer, Flipped, Status};
use querypoint::graph::DependencyGraph;
use querypoint::query::{CodeLine, Query};

use super::Omission;
use super::exceptions::point;
use super::reading::Reading;
use crate::ask::Reproduce;
use crate::ask::calls::Via;
use crate::ask::{AskError, AskRequest, Flips, Progress, Question};
use crate::sources::{Flip, Located};
use cdp_driver::protocol::{Clock, Protocol};

/// How many decisions of one query are turned round.
pub(super) const MOST_TURNED: usize = 4;

/// Runs the page with decisions turned round: predicate switching (Zhang, Tallam, Gupta, Gupta, *Towards Locating
/// Execution Omission Errors*, PLDI 2007).
pub(super) struct Turning<'t> {
    pub(super) protocol: Arc<dyn Protocol>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) request: &'t AskRequest,
    pub(super) omission: &'t Omission,
}

impl Turning<'_> {
    /// Turns the first decisions round, each at the last time that it was made; those with which it happens come first.
    /// How often the page ran.
    pub(super) async fn turn(
        &self,
        candidates: &mut Vec<Located>,
        reading: &mut Reading,
        answer: &Answer,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<u32, AskError> {
        let mut executions = 0;
        let mut left = MOST_TURNED;
        for (located, name) in candidates.iter_mut().zip(&reading.candidates) {
            let index = name.as_ref().and_then(|name| point(answer, name)?.index);
            let (Some(flip), Some(index)) = (&located.flip, index) else {
                continue;
            };
            if located.found.is_partial || located.is_foreign || left == 0 {
                continue;
            }
            left -= 1;
            let flip = flip.clone().at(index + 1);
            let target = match &located.operation {
                Some(operation) => operation.line(),
                None => self.omission.line.clone(),
            };
            let (flipped, ran) = self.run(flip, &target, progress).await?;
            located.flipped = flipped;
            executions += ran;
        }
        reading.rearrange(candidates, sort);
        Ok(executions)
    }

    pub(super) async fn run(
        &self,
        flip: Flip,
        target: &CodeLine,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(Option<Flipped>, u32), AskError> {
        let query = Query::parse(&format!("trace(line({target}), index 0)"));
        let graph = DependencyGraph::new(query.into_iter().collect()).map_err(|_| unfinished())?;
        let asking = AskRequest {
            graph,
            watches: self.omission.reference.iter().cloned().collect(),
            reproduce: Reproduce::Replay,
            ..self.request.clone()
        };
        let (protocol, clock) = (self.protocol.clone(), self.clock.clone());
        let mut question = Question::new(protocol, clock, &asking, progress)?;
        let home = match self.request.limits.flips {
            Flips::Free => None,
            Flips::OwnServer => Some(server_of(&self.request.page)),
            Flips::Recorded | Flips::No => Some(String::new()),
        };
        question.setting.sources.lock().turn_round(flip, home);
        let answer = loop {
            if let Some(answer) = question.round(&mut Via::Page).await? {
                break answer;
            }
            question.watch_more();
        };
        let executions = question.executions;
        let [r, happened] = answer.points.as_slice() else {
            return Ok((None, executions));
        };
        if r.status != Status::Found {
            return Ok((None, executions));
        }
        let watch = r.watches.first().filter(|watch| watch.threw.is_none());
        let flipped = Flipped {
            happened: happened.status == Status::Found,
            value: watch.map(|watch| watch.value.clone()),
        };
        Ok((Some(flipped), executions))
    }
}

/// Those with which it happened come first, then those that nobody turned round; those with which it did not are last.
fn sort(candidates: &mut Vec<(Located, Option<String>)>) {
    let happened = |located: &Located| {
        let flipped = located.flipped.as_ref();
        flipped.map(|flipped| flipped.happened)
    };
    candidates.sort_by_key(|(located, _)| {
        let order = match happened(located) {
            Some(true) => 0,
            // What libraries do says less than what the author wrote, also where that is not enough.
            None if located.is_foreign => 3,
            None if located.found.is_result && located.flip.is_none() => 3,
            // What explains it is before it, whatever came of that.
            None if located.found.is_explained => 2,
            None => 1,
            Some(false) => 2,
        };
        (located.found.is_partial, order)
    });
    // Of functions that were handed over, it was not known which one decides.
    if candidates
        .iter()
        .any(|(located, _)| happened(located) == Some(true))
    {
        candidates
            .retain(|(located, _)| located.found.distance == 0 || happened(located) != Some(false));
    }
}

/// The server of an address: `http://127.0.0.1:41234`.
pub(super) fn server_of(address: &str) -> String {
    url::Url::parse(address).map_or_else(
        |_| String::new(),
        |address| address.origin().ascii_serialization(),
    )
}

pub(super) fn unfinished() -> crate::error::EngineError {
    crate::error::EngineError::Log {
        message: "the decisions could not be read".to_owned(),
    }
}
