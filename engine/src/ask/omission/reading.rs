//! The second step: trace queries represent what did not happen, so that the values at decisions are read.

use std::collections::BTreeSet;

use querypoint::graph::DependencyGraph;
use querypoint::query::{CodeLine, Query};

use super::{Finding, MOST_OPERATIONS_READ, MOST_READ, MOST_SUSPECTS, Omission};
use crate::ask::AskRequest;
use crate::ask::Reproduce;
use crate::sources::{Located, Step};

/// The queries that represent one omission in the second step.
#[derive(Default)]
pub(super) struct Reading {
    /// For each candidate, the query at its decision.
    pub(super) candidates: Vec<Option<String>>,
    /// For each step to the line, and of each suspect.
    pub(super) steps: Vec<String>,
    pub(super) suspects: Vec<Vec<String>>,
}

impl Reading {
    /// Changes the candidates, each with the query at its decision.
    pub(super) fn rearrange(
        &mut self,
        candidates: &mut Vec<Located>,
        change: impl FnOnce(&mut Vec<(Located, Option<String>)>),
    ) {
        let names = std::mem::take(&mut self.candidates).into_iter();
        let names = names.chain(std::iter::repeat(None));
        let mut all: Vec<(Located, Option<String>)> = candidates.drain(..).zip(names).collect();
        change(&mut all);
        (*candidates, self.candidates) = all.into_iter().unzip();
    }
}

pub(super) fn taken_names(request: &AskRequest) -> BTreeSet<String> {
    let points = request.graph.points();
    points.map(|name| name.to_string()).collect()
}

pub(super) fn another(names: &mut BTreeSet<String>, kind: &str) -> String {
    let mut number = 0;
    loop {
        let name = format!("{kind}_{number}");
        if names.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

pub(super) fn at_line(line: &CodeLine) -> String {
    format!("trace(line({line}), index -1)")
}

/// The request in which trace queries represent what did not happen.
pub(super) fn reading_request(
    request: &AskRequest,
    omissions: &[Omission],
    found: &[Vec<Located>],
    names: &mut BTreeSet<String>,
    is_last: bool,
) -> (AskRequest, Vec<Reading>) {
    let mut queries = Vec::new();
    let mut more = Vec::new();
    let mut readings = Vec::new();
    let mut watches = request.watches.clone();
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let omission = omissions
            .iter()
            .zip(found)
            .find(|(one, _)| one.query == number);
        let Some((omission, candidates)) = omission else {
            queries.push(format!("{name} = {}", query.kind));
            continue;
        };
        let mut reading = Reading::default();
        watches.extend(omission.links.iter().cloned());
        let first = candidates.first().and_then(|first| first.pause.as_ref());
        let has_run = omission
            .explained()
            .is_some_and(|explained| explained.count > 0);
        let is_cut_off = candidates
            .first()
            .is_some_and(|first| first.found.script == u32::MAX);
        // Of a line that ran, the line itself is the point.
        let own = match first {
            Some(line) if !has_run || is_cut_off => line,
            _ => &omission.line,
        };
        queries.push(format!("{name} = {}", at_line(own)));
        for (index, candidate) in candidates.iter().take(MOST_READ).enumerate() {
            let is_own = index == 0 && (!has_run || is_cut_off);
            let query = match &candidate.pause {
                Some(_) if is_own => Some(name.to_string()),
                Some(_) if candidate.is_foreign => None,
                Some(line) => {
                    let query = another(names, "decision");
                    more.push(format!("{query} = {}", at_line(line)));
                    Some(query)
                }
                None => None,
            };
            if (candidate.found.script == u32::MAX || !candidate.tried.is_empty())
                && let Some(at) = &query
            {
                let thrown = another(names, "thrown");
                more.push(format!("{thrown} = exceptionAfter({at})"));
            }
            reading.candidates.push(query);
            watches.extend(candidate.check.clone());
            watches.extend(candidate.handed.iter().cloned());
            for operand in &candidate.operands {
                watches.push(operand.clone());
                watches.extend(object_of(operand));
            }
        }
        if !is_last && let Some(explained) = omission.explained() {
            let mut steps = |steps: &[Step]| {
                let asked = steps.iter().map(|step| {
                    let query = another(names, "step");
                    more.push(format!("{query} = {}", at_line(&step.line)));
                    query
                });
                asked.collect::<Vec<String>>()
            };
            if explained.count > 0 {
                reading.steps = steps(&explained.steps);
            } else {
                let most = match &omission.finding {
                    Finding::Unchanged(_) => MOST_OPERATIONS_READ,
                    _ => MOST_SUSPECTS,
                };
                // A library's code runs so often that executions would have to be compared for long.
                let mut left = most;
                let suspects = explained.suspects.iter().map(|suspect| {
                    if left == 0 || suspect.is_foreign {
                        return Vec::new();
                    }
                    left -= 1;
                    steps(&suspect.steps)
                });
                reading.suspects = suspects.collect();
            }
        }
        readings.push(reading);
    }
    watches.sort();
    watches.dedup();
    queries.extend(more);
    let parsed = queries.iter().filter_map(|text| Query::parse(text).ok());
    let graph = DependencyGraph::new(parsed.collect());
    let asking = AskRequest {
        graph: graph.unwrap_or_else(|_| request.graph.clone()),
        watches: watches
            .into_iter()
            .filter(|watch| crate::ask::check_watch(watch).is_ok())
            .collect(),
        reproduce: Reproduce::Replay,
        ..request.clone()
    };
    (asking, readings)
}

/// `items` of `items.length`: if it is a promise, an `await` is missing.
pub(super) fn object_of(operand: &str) -> Option<String> {
    let (object, key) = operand.rsplit_once('.')?;
    let is_word = |text: &str| {
        let mut characters = text.chars();
        characters.all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '.'))
    };
    let object = object.trim_end_matches('?');
    (is_word(object) && is_word(key) && !object.is_empty()).then(|| object.to_owned())
}
