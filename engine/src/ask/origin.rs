//! `origin(P:x)`: the writes that brought a value, one after the other, to where it was made.
//!
//! A chain of queries that grows: `lastChange(P:x)` finds the last write; when the page is paused there, the syntax tree
//! and the frames say which reference the value comes from ([`crate::execution`]), and that is asked at this point, as a
//! person would ask on; what a function returned is `trace(return(f), before(P), index -1)`. Each further question asks
//! the whole chain again, so that what an answer shows is of one execution: a chain that comes out otherwise than before
//! goes on from where it does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use querypoint::answer::{
    Answer, End, EndKind, Hop, HopKind, PointAnswer, Status, Value as Preview, ValueType,
};
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::query::Query;

use super::calls::Via;
use super::pausing::Asked;
use super::{AskError, AskRequest, LastExecution, Progress, Question};
use crate::ask::Reproduce;
use crate::origin::{Followed, Next, Probe};
use cdp_driver::protocol::{Clock, Protocol};

/// Whether a request asks for an origin.
pub(super) fn is_asked(request: &AskRequest) -> bool {
    let mut queries = request.graph.queries();
    queries.any(|(_, query)| query.origin().is_some())
}

/// One write of a chain.
#[derive(Clone, Debug, PartialEq)]
struct Link {
    /// What is asked at the point of the one before, without that point: `lastChange(` and the rest.
    asked: Asking,
    /// The value that it must have brought, if that is known.
    expected: Option<Preview>,
    /// What is followed there.
    followed: Followed,
}

#[derive(Clone, Debug, PartialEq)]
enum Asking {
    /// The last change of a reference, with the point at which it is asked.
    First(String),
    /// The last change of a reference, in this frame of the point before.
    Change { frame: i32, reference: String },
    /// The last return of a function before the point before.
    Return(String),
}

/// The chain of one query.
#[derive(Clone, Debug)]
struct Chain {
    /// Its number among the queries that were asked.
    query: usize,
    links: Vec<Link>,
    end: Option<End>,
}

/// What is asked in one round, and which of it belongs to which chain.
struct Round {
    request: AskRequest,
    origins: BTreeMap<usize, Followed>,
    /// For each query that was asked, the numbers of those that stand for it.
    numbers: Vec<Vec<usize>>,
}

pub(super) async fn ask_and_keep(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AskError> {
    // What it is made of must be possible.
    CollectionPlan::new(&request.graph, &request.watches)?;
    let mut chains = chains(&request.graph);
    let (mut executions, mut before) = (0, None);
    let start = clock.now_ms();
    loop {
        let round = round(request, &chains);
        let plan = CollectionPlan::new(&round.request.graph, &request.watches)?;
        let (protocol, clock) = (protocol.clone(), clock.clone());
        let mut question =
            Question::planned(protocol, clock.clone(), &round.request, plan, progress)?;
        question.setting.origins.clone_from(&round.origins);
        question.executions = executions;
        if let Some(before) = before.take() {
            question.know(before);
        }
        let mut answer = loop {
            if let Some(answer) = question
                .round(&mut Via::Page)
                .await
                .map_err(AskError::Engine)?
            {
                break answer;
            }
            question.watch_more();
        };
        executions = question.executions;
        let probes = match &question.last {
            Some(last) => probes_of(last),
            None => BTreeMap::new(),
        };
        let mut grew = false;
        for chain in &mut chains {
            let numbers = round
                .numbers
                .get(chain.query)
                .map_or(&[][..], Vec::as_slice);
            let points: Vec<&PointAnswer> = numbers
                .iter()
                .filter_map(|number| answer.points.get(number + 1))
                .collect();
            let probes: Vec<Option<&Probe>> = numbers
                .iter()
                .map(|number| probes.get(number).copied())
                .collect();
            grew |= chain.go_on(&points, &probes);
        }
        let is_over = executions >= request.limits.max_executions;
        if !grew || is_over {
            let total = clock.now_ms() - start;
            answer.timing_ms.total = super::assembly::whole_ms(total);
            let shown = chains.iter().map(|chain| {
                let numbers = round
                    .numbers
                    .get(chain.query)
                    .map_or(&[][..], Vec::as_slice);
                (chain, numbers)
            });
            let points = folded(request, &answer, shown, &probes, executions);
            drop(probes);
            answer.points = points;
            return Ok(question.answered(answer));
        }
        before = Some(question.setting.sources.clone());
    }
}

/// What the writes tell that answer the queries, by query number.
fn probes_of(last: &LastExecution) -> BTreeMap<usize, &Probe> {
    let sequences = last.sequences.iter();
    sequences
        .filter_map(|(&query, sequence)| Some((query, last.outcome.origins.get(sequence)?)))
        .collect()
}

/// The chains as they begin.
fn chains(graph: &DependencyGraph) -> Vec<Chain> {
    let queries = graph.queries().enumerate();
    let chains = queries.filter_map(|(number, (_, query))| {
        let reference = query.origin()?;
        Some(Chain {
            query: number,
            links: vec![Link {
                asked: Asking::First(reference.to_string()),
                expected: None,
                followed: Followed::default(),
            }],
            end: None,
        })
    });
    chains.collect()
}

/// The queries of the next round: for each origin its chain, whose last link has its name.
fn round(request: &AskRequest, chains: &[Chain]) -> Round {
    let taken: BTreeSet<String> = request
        .graph
        .points()
        .map(|name| name.to_string())
        .collect();
    let (mut queries, mut origins, mut numbers) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let Some(chain) = chains.iter().find(|chain| chain.query == number) else {
            numbers.push(vec![queries.len()]);
            queries.push(format!("{name} = {}", query.kind));
            continue;
        };
        let mut own = Vec::new();
        let mut previous = String::new();
        for (index, link) in chain.links.iter().enumerate() {
            let is_last = index + 1 == chain.links.len();
            let mut called = name.to_string();
            if !is_last {
                called = format!("{name}_{index}");
                while taken.contains(&called) {
                    called.push('_');
                }
            }
            let text = match &link.asked {
                Asking::First(reference) => format!("lastChange({reference})"),
                Asking::Change {
                    frame: 0,
                    reference,
                } => {
                    format!("lastChange({previous}:{reference})")
                }
                Asking::Change { frame, reference } => {
                    format!("lastChange({previous}({frame}):{reference})")
                }
                Asking::Return(function) => {
                    format!("trace(return({function}), before({previous}), index -1)")
                }
            };
            origins.insert(queries.len(), link.followed.clone());
            own.push(queries.len());
            queries.push(format!("{called} = {text}"));
            previous = called;
        }
        numbers.push(own);
    }
    let parsed = queries.iter().filter_map(|text| Query::parse(text).ok());
    let graph = DependencyGraph::new(parsed.collect());
    Round {
        request: AskRequest {
            // What is not in the graph was refused before: see `Chain::go_on`.
            graph: graph.unwrap_or_else(|_| request.graph.clone()),
            reproduce: Reproduce::Replay,
            ..request.clone()
        },
        origins,
        numbers,
    }
}

impl Chain {
    /// Takes in what a round has found of the links; whether there is one more to be looked for.
    fn go_on(&mut self, points: &[&PointAnswer], probes: &[Option<&Probe>]) -> bool {
        for index in 0..self.links.len() {
            let (Some(point), Some(link)) = (points.get(index), self.links.get(index)) else {
                break;
            };
            let probe = probes.get(index).copied().flatten();
            let next = match told(link, point, probe) {
                Next::End(end) => {
                    self.links.truncate(index + 1);
                    self.end = Some(end);
                    return false;
                }
                next => link_of(next),
            };
            let Some(next) = next else {
                self.links.truncate(index + 1);
                self.end = Some(unobserved("no query can ask on from there"));
                return false;
            };
            let known = self.links.get(index + 1);
            if known.is_none_or(|known| known.asked != next.asked) {
                self.links.truncate(index + 1);
                self.links.push(next);
                self.end = None;
                return true;
            }
            self.links[index + 1] = next;
        }
        false
    }
}

fn unobserved(detail: impl Into<String>) -> End {
    End {
        kind: EndKind::Unobserved,
        location: None,
        detail: Some(detail.into()),
        operands: Vec::new(),
    }
}

/// Where a link leads: what was found of it must be the write of the value that is followed.
fn told(link: &Link, point: &PointAnswer, probe: Option<&Probe>) -> Next {
    let ended = |end| Next::End(end);
    match point.status {
        Status::Found => {}
        Status::NeverChanged => return ended(never_changed(link, point)),
        Status::Blind | Status::NotReached | Status::Diverged => {
            let note = point.note.clone();
            let why = note.unwrap_or_else(|| "the write was not found".to_owned());
            return ended(unobserved(why));
        }
    }
    if let (Some(expected), Some(new)) = (&link.expected, &point.new)
        && !is_same(expected, new)
    {
        return ended(unobserved(format!(
            "the write that was found brought {}, not {}",
            new.text, expected.text
        )));
    }
    if point.by_user == Some(true) {
        return ended(End {
            kind: EndKind::Input,
            location: None,
            detail: point.note.clone(),
            operands: Vec::new(),
        });
    }
    match probe {
        Some(probe) => probe.next.clone(),
        None => ended(unobserved(
            "the executions differ, so the write could not be read where it happens",
        )),
    }
}

/// An object may have changed since; that it is the same one, the query itself says.
fn is_same(one: &Preview, other: &Preview) -> bool {
    let is_object = |value: &Preview| {
        matches!(value.kind, ValueType::Object | ValueType::Function) && value.text != "null"
    };
    one.kind == other.kind && (one.text == other.text || is_object(one) && is_object(other))
}

/// What was there from the beginning, or never.
fn never_changed(link: &Link, point: &PointAnswer) -> End {
    let reference = match &link.asked {
        Asking::First(reference) => reference.clone(),
        Asking::Change { reference, .. } => reference.clone(),
        Asking::Return(function) => function.clone(),
    };
    let is_undefined = point
        .value
        .as_ref()
        .is_none_or(|value| value.kind == ValueType::Undefined);
    if is_undefined {
        let note = point.note.as_ref().map(|note| format!("; {note}"));
        return End {
            kind: EndKind::Missing,
            location: None,
            detail: Some(format!(
                "{reference} was never written{}",
                note.unwrap_or_default()
            )),
            operands: Vec::new(),
        };
    }
    let note = point.note.clone().unwrap_or_else(|| {
        "it was there before any code with hooks ran, or what made it has no hook".to_owned()
    });
    unobserved(format!("{reference} was never written: {note}"))
}

/// The next link; `None`: no query can be made of it.
fn link_of(next: Next) -> Option<Link> {
    let link = match next {
        Next::Change {
            frame,
            reference,
            value,
        } => Link {
            asked: Asking::Change { frame, reference },
            expected: Some(value),
            followed: Followed::default(),
        },
        Next::Return {
            function,
            value,
            followed,
        } => Link {
            asked: Asking::Return(function),
            expected: value,
            followed,
        },
        Next::End(_) => return None,
    };
    let text = match &link.asked {
        Asking::First(reference) => format!("lastChange({reference})"),
        Asking::Change { frame, reference } => format!("lastChange(B({frame}):{reference})"),
        Asking::Return(function) => format!("trace(return({function}), before(B), index -1)"),
    };
    Query::parse(&text).ok().map(|_| link)
}

/// The points as they were asked: those of a chain are one, with its hops.
fn folded<'c>(
    request: &AskRequest,
    answer: &Answer,
    chains: impl Iterator<Item = (&'c Chain, &'c [usize])>,
    probes: &BTreeMap<usize, &Probe>,
    executions: u32,
) -> Vec<PointAnswer> {
    let chains: Vec<(&Chain, &[usize])> = chains.collect();
    let mut points: Vec<PointAnswer> = answer.points.first().cloned().into_iter().collect();
    let plain = |name: &str| {
        answer
            .points
            .iter()
            .find(|point| point.name == name)
            .cloned()
    };
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let chain = chains.iter().find(|(chain, _)| chain.query == number);
        let Some((chain, numbers)) = chain else {
            points.extend(plain(name.as_str()));
            continue;
        };
        let own: Vec<(&PointAnswer, Option<&Probe>)> = numbers
            .iter()
            .filter_map(|number| {
                Some((answer.points.get(number + 1)?, probes.get(number).copied()))
            })
            .collect();
        points.push(origin_point(name.as_str(), query, chain, &own, executions));
    }
    points
}

/// The point of an origin.
fn origin_point(
    name: &str,
    query: &Query,
    chain: &Chain,
    own: &[(&PointAnswer, Option<&Probe>)],
    executions: u32,
) -> PointAnswer {
    let mut hops = Vec::new();
    let mut last: Option<&PointAnswer> = None;
    for ((point, probe), link) in own.iter().zip(&chain.links) {
        if point.status != Status::Found {
            break;
        }
        hops.extend(hop(point, *probe, link));
        hops.extend(probe.iter().flat_map(|probe| probe.further.iter().cloned()));
        last = Some(point);
    }
    let end = chain.end.clone().unwrap_or_else(|| {
        unobserved(format!(
            "followed no further: the page has run {executions} times, and it was to run no more often"
        ))
    });
    let text = query.kind.to_string();
    let Some(last) = last else {
        let first = own.first().map(|(point, _)| (*point).clone());
        let first = first.unwrap_or_else(|| PointAnswer::new(name, None, Status::NotReached));
        return PointAnswer {
            name: name.to_owned(),
            query: Some(text),
            end: (first.status != Status::NotReached).then_some(end),
            ..first
        };
    };
    let place = end.location.clone();
    let is_moved = place.is_some() && place != last.location;
    PointAnswer {
        name: name.to_owned(),
        query: Some(text),
        location: place.or_else(|| last.location.clone()),
        source_line: last.source_line.clone().filter(|_| !is_moved),
        hops,
        end: Some(end),
        ..last.clone()
    }
}

/// One write of a chain, as it is shown.
fn hop(point: &PointAnswer, probe: Option<&Probe>, link: &Link) -> Option<Hop> {
    let place = probe.and_then(|probe| probe.place.as_ref());
    let location = place
        .map(|place| place.location.clone())
        .or_else(|| point.location.clone())?;
    let library = location.library.then(|| library_of(&location.url));
    let kind = match probe {
        Some(probe) => probe.kind,
        None if matches!(link.asked, Asking::Return(_)) => HopKind::Return,
        None => HopKind::Copy,
    };
    Some(Hop {
        kind,
        value: probe
            .and_then(|probe| probe.value.clone())
            .or_else(|| point.new.clone())?,
        name: Some(match &link.asked {
            Asking::First(reference) => reference.clone(),
            Asking::Change { reference, .. } => reference.clone(),
            Asking::Return(function) => function.clone(),
        }),
        function: match place {
            Some(place) => place.function.clone(),
            None => point.function.clone(),
        },
        source_line: match place {
            Some(place) => place.source_line.clone(),
            None => point.source_line.clone(),
        },
        library,
        location,
    })
}

/// The name of the library that a file is of: `zustand` of `../node_modules/zustand/esm/vanilla.mjs`.
fn library_of(url: &str) -> String {
    let behind = url.rsplit_once("node_modules/").map(|(_, behind)| behind);
    let Some(behind) = behind else {
        return url.to_owned();
    };
    let mut parts = behind.split('/');
    match (parts.next(), parts.next()) {
        (Some(scope), Some(name)) if scope.starts_with('@') => format!("{scope}/{name}"),
        (Some(name), _) => name.to_owned(),
        (None, _) => url.to_owned(),
    }
}

impl Question<'_> {
    /// Takes over what another question about the same page knows of its scripts.
    fn know(&mut self, sources: Arc<parking_lot::Mutex<crate::sources::Sources>>) {
        let before = sources.lock();
        let mut own = self.setting.sources.lock();
        own.learn_from(&before);
    }
}

#[cfg(test)]
mod tests;
