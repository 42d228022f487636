//! What is asked at the point of an origin, where an event log says where that is.
//!
//! No query leads an execution along hops that only the log knows. But the log knows at which hit of which place the
//! value was made: that is a reproduction point, and what is asked there is a question of its own, with executions of
//! its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::{Answer, PointAnswer, StackFrame, Status};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::{Constraint, PointName, Query, QueryKind};

use super::{Chain, numbered};
use crate::ask::pausing::{Asked, ReachedFrom};
use crate::ask::{AskError, AskRequest, Progress, Reproduce, ask_within};
use cdp_driver::protocol::{Clock, Protocol};

/// The queries that are asked at the point of an origin, directly or at points of others that are, by number. `None`:
/// one of them needs a point that is not among these, so that it cannot be asked from there alone.
pub(super) fn asked_there(graph: &DependencyGraph, origin: usize) -> Option<Vec<usize>> {
    let names: Vec<&PointName> = graph.queries().map(|(name, _)| name).collect();
    let own = *names.get(origin)?;
    let mut known = vec![own];
    let mut there = Vec::new();
    for (number, (name, query)) in graph.queries().enumerate() {
        // The value of an operand is followed in the log.
        let is_of_operand = query
            .operand()
            .is_some_and(|operand| &operand.origin == own);
        if is_of_operand || !query.points().any(|point| known.contains(&point)) {
            continue;
        }
        if !query.points().all(|point| known.contains(&point)) || !ends_at_its_point(query) {
            return None;
        }
        known.push(name);
        there.push(number);
    }
    Some(there)
}

/// Whether nothing behind a query's point counts up to another one.
fn ends_at_its_point(query: &Query) -> bool {
    let QueryKind::Trace(trace) = &query.kind else {
        return true;
    };
    let mut constraints = trace.constraints.iter();
    !constraints.any(|constraint| matches!(constraint, Constraint::After(_)))
}

impl Chain {
    /// The reproduction point at which the value was made, where the point that is shown is the one that the log says.
    fn made_at(&self, shown: &PointAnswer) -> Option<(&ReproductionPoint, Option<&String>)> {
        let trail = self.trail.as_ref()?;
        let is_shown = shown.end.as_ref() == Some(&trail.end);
        let at = trail.at.as_ref().filter(|_| is_shown)?;
        Some((at, trail.decided.as_ref()))
    }
}

/// An origin whose point the log says, and what is asked there.
pub(super) struct There {
    origin: usize,
    name: String,
    queries: Vec<usize>,
    request: AskRequest,
    /// What is to be said of queries, by number.
    notes: BTreeMap<usize, String>,
}

/// The origins whose points the log says, each with the question that is asked there.
pub(super) fn all_there(
    request: &AskRequest,
    chains: &[Chain],
    points: &[PointAnswer],
) -> Vec<There> {
    let all = chains.iter().filter_map(|chain| {
        let (at, decided) = chain.made_at(points.get(chain.query + 1)?)?;
        let queries = asked_there(&request.graph, chain.query)?;
        let own = request.graph.queries().nth(chain.query)?.0.to_string();
        let asked = queries.iter().filter_map(|&number| {
            let (name, query) = request.graph.queries().nth(number)?;
            let query = Query::parse(&format!("{name} = {}", query.kind)).ok()?;
            Query::parse(&query.renamed(&own, &PointName::reproduction_point())).ok()
        });
        let graph = DependencyGraph::new(asked.collect()).ok()?;
        let notes = decided.map_or_else(BTreeMap::new, |condition| {
            let note = format!(
                "this is before the statement in which the value was made; in it `{condition}` decides next"
            );
            let at_it = queries.iter().filter(|&&number| {
                let query = request.graph.queries().nth(number).map(|(_, query)| &query.kind);
                matches!(query, Some(QueryKind::LastCondition(point)) if point.to_string() == own)
            });
            at_it.map(|&number| (number, note.clone())).collect()
        });
        (graph.len() == queries.len()).then(|| There {
            origin: chain.query,
            notes,

            name: own,
            queries,
            request: AskRequest {
                at: at.clone(),
                graph,
                reproduce: Reproduce::Replay,
                ..request.clone()
            },
        })
    });
    all.collect()
}

impl There {
    /// Asks it, and puts what is found into the answer, and how the page is brought to these points.
    pub(super) async fn ask(
        mut self,
        protocol: Arc<dyn Protocol>,
        clock: Arc<dyn Clock>,
        asked: &mut Asked,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), AskError> {
        let (before, most) = (asked.answer.executions, self.request.limits.max_executions);
        let left = most.saturating_sub(before);
        if !self.queries.is_empty() && left == 0 {
            self.leave_out(&mut asked.answer, most);
            return Ok(());
        }
        if !self.queries.is_empty() {
            self.request.limits.max_executions = left;
            let mut further = numbered(before, progress);
            let request = &self.request;
            // Boxed, for it is one large future, and what is asked there may be an origin as well.
            let there = ask_within(protocol, clock, request, &mut further, Some(left));
            let there = Box::pin(there).await?;
            self.take(&mut asked.answer, there.answer);
        }
        let names = self.queries.iter().filter_map(|&number| {
            let point = asked.answer.points.get(number + 1)?;
            Some((point.name.clone(), point.name.clone()))
        });
        let own = (self.name.clone(), "R".to_owned());
        let reached: Vec<_> = names.chain([own]).collect();
        for (name, there) in reached {
            let from = ReachedFrom {
                request: self.request.clone(),
                name: there,
                origin: self.name.clone(),
            };
            asked.reached_from.insert(name, from);
        }
        Ok(())
    }

    /// The page has run as often as it may: what is asked there is not.
    fn leave_out(&self, answer: &mut Answer, most: u32) {
        for &number in &self.queries {
            if let Some(point) = answer.points.get_mut(number + 1) {
                let (name, query) = (point.name.clone(), point.query.take());
                *point = PointAnswer {
                    note: Some(format!(
                        "not asked: the page was to run at most {most} times"
                    )),
                    ..PointAnswer::new(&name, query, Status::Blind)
                };
            }
        }
    }

    fn take(&self, answer: &mut Answer, there: Answer) {
        answer.executions += there.executions;
        answer.consistency.agrees &= there.consistency.agrees;
        let notes = there.consistency.notes.into_iter();
        let notes = notes.map(|note| self.with_own_name(note));
        answer.consistency.notes.extend(notes);
        let mut points = there.points.into_iter();
        let Some(at) = points.next() else { return };
        if let Some(origin) = answer.points.get_mut(self.origin + 1) {
            if at.status == Status::Found && !is_same_place(origin, &at) {
                let note = format!(
                    "the page did something else when it ran to where the value of {} was made",
                    self.name
                );
                answer.consistency.agrees = false;
                answer.consistency.notes.push(note);
            } else if at.status == Status::Found {
                origin.scopes = at.scopes;
                origin.watches = at.watches;
            }
        }
        for (&number, point) in self.queries.iter().zip(points) {
            let own = self.notes.get(&number).cloned();
            if let Some(asked) = answer.points.get_mut(number + 1) {
                let mut end = point.end;
                if let Some(detail) = end.as_mut().and_then(|end| end.detail.as_mut()) {
                    *detail = self.with_own_name(std::mem::take(detail));
                }
                *asked = PointAnswer {
                    query: asked.query.take(),
                    note: joined(point.note.map(|note| self.with_own_name(note)), own),
                    end,
                    ..point
                };
            }
        }
    }

    /// What is said of the reproduction point there is said of the origin's point.
    fn with_own_name(&self, text: String) -> String {
        text.replace("the reproduction point", &self.name)
    }
}

/// Both notes, where there are two.
fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

/// Whether the page is called from the same places as where the log has the end of the way. Of a call the log has the
/// place where it begins, a debugger that of its name or its parenthesis, which may be lines behind; and a source map
/// may have two files for them.
fn is_same_place(origin: &PointAnswer, at: &PointAnswer) -> bool {
    let line = |frame: &StackFrame| match &frame.location.generated {
        Some(generated) => (generated.url.clone(), generated.line),
        None => (frame.location.url.clone(), frame.location.line),
    };
    let is_same = |log: &StackFrame, debugger: &StackFrame| {
        let ((url, begins), (other, named)) = (line(log), line(debugger));
        let may_begin_before = log.function == debugger.function;
        url == other && (begins == named || begins < named && may_begin_before)
    };
    let callers = origin.stack.iter().skip(1);
    // The log has the calls of one task; a debugger shows what scheduled it as well.
    let mut pairs = callers.zip(at.stack.iter().skip(1));
    pairs.all(|(log, debugger)| is_same(log, debugger))
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn there(queries: &[&str]) -> Option<Vec<usize>> {
        let queries = queries.iter().map(|text| Query::parse(text).unwrap());
        asked_there(&DependencyGraph::new(queries.collect()).unwrap(), 0)
    }

    #[test]
    fn what_is_asked_there_goes_with_its_origin() {
        let queries = [
            "C = origin(R:x)",
            "B = lastChange(R:y)",
            "D = lastChange(C:y)",
            "E = trace(write(.y), before(D), index -1)",
            "F = origin(C:operand(2))",
            "lastChange(F:y)",
        ];
        assert_eq!(there(&queries), Some(vec![2, 3]));
        assert_eq!(there(&queries[..1]), Some(Vec::new()));
    }

    #[test]
    fn what_needs_a_point_that_is_elsewhere_keeps_its_origin_where_it_is() {
        let origin = "C = origin(R:x)";
        for query in [
            "trace(write(.y), after(C), index 0)",
            "trace(write(.y), before(C), before(R), index 0)",
        ] {
            assert_eq!(there(&[origin, query]), None, "{query}");
        }
    }
}
