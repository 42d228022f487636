//! `origin(P:x)`: the writes that brought a value, one after the other, to where it was made.
//!
//! A chain of queries that grows: `lastChange(P:x)` finds the last write; when the page is paused there, the syntax
//! tree and the frames say which reference the value comes from ([`crate::execution`]), and that is asked at this
//! point, as a person would ask on; what a function returned is `trace(return(f), before(P), index -1)`. Each further
//! question asks the whole chain again, so that what an answer shows is of one execution: a chain that comes out
//! otherwise than before goes on from where it does.

use std::collections::BTreeMap;
use std::sync::Arc;

use querypoint::answer::{End, EndKind, Hop, PointAnswer, Status, Value as Preview, ValueType};
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::query::Query;

use super::calls::Via;
use super::pausing::Asked;
use super::{AskError, AskRequest, LastExecution, Progress, Question, numbered};
use crate::ask::Reproduce;
use crate::origin::{Followed, Next, Probe};
use crate::origin_in_log::Trail;
use crate::sources::Guesses;
use cdp_driver::protocol::{Clock, Protocol};
use rounds::{DEEPEST, round};
use shown::folded;
use there::{all_there, asked_there};

mod in_log;
mod rounds;
mod shown;
mod there;

/// Whether a request asks for an origin.
pub(super) fn is_asked(request: &AskRequest) -> bool {
    let mut queries = request.graph.queries();
    queries.any(|(_, query)| query.origin().is_some() || query.operand().is_some())
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
    /// At which operands it goes on where it ends in computations; only the log follows it there.
    operands: Vec<u32>,
    links: Vec<Link>,
    /// Which of them has the name of the query: the last one that was found, once the chain has an end.
    named: usize,
    end: Option<End>,
    /// The queries that represent the links in the last round, by number.
    shown: Vec<usize>,
    /// What the event log says of the whole chain.
    trail: Option<Trail>,
    /// The computation that both end at, as the log has it.
    computed: Option<End>,
    /// The hops of that log, where only its end is taken.
    logged: Vec<Hop>,
}

/// A link that is asked in one round: of a chain, or a guess of what comes next.
#[derive(Clone, Debug)]
struct Node {
    link: Link,
    /// The one at whose point it is asked.
    parent: Option<usize>,
    /// Its number among the queries of the round.
    number: usize,
}

/// What is asked in one round.
struct Round {
    request: AskRequest,
    origins: BTreeMap<usize, Followed>,
    /// For each chain.
    nodes: Vec<Vec<Node>>,
    /// For each query that was asked, the number of the one that represents it: of a chain, of the link with its name.
    numbers: Vec<usize>,
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
    let mut most = request.limits.max_executions;
    // What the rounds before have found, should there be no more executions for the next one.
    let mut kept: Option<Asked> = None;
    let mut guesses = Guesses::default();
    let mut is_logged = false;
    let mut note = None;
    let start = clock.now_ms();
    loop {
        // Each further link may take an execution of its own.
        let left = most.saturating_sub(executions);
        let deepest = usize::try_from(left.saturating_sub(2)).unwrap_or(DEEPEST);
        let mut round = round(request, &chains, &guesses, deepest.min(DEEPEST));
        let plan = CollectionPlan::new(&round.request.graph, &request.watches)?;
        let (protocol, clock) = (protocol.clone(), clock.clone());
        let mut question = Question::planned(
            protocol.clone(),
            clock.clone(),
            &round.request,
            plan,
            progress,
        )?;
        question.setting.origins.clone_from(&round.origins);
        question.executions = executions;
        question.most_executions = Some(most);
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
        let is_cut = question.is_cut;
        if let Some(mut asked) = kept.take_if(|_| is_cut) {
            asked.answer.executions = executions;
            drop(question);
            return asked_there_too(request, &chains, asked, (protocol, clock), start, progress)
                .await;
        }
        let probes = match &question.last {
            Some(last) => probes_of(last),
            None => BTreeMap::new(),
        };
        let mut goes_on = false;
        for (chain, nodes) in chains.iter_mut().zip(&mut round.nodes) {
            goes_on |= chain.go_on(nodes, &answer.points, (&probes, is_cut));
            // Who asks at its point must be asked at the one that it has now.
            goes_on |= chain.is_asked_elsewhere(request, &round.numbers);
        }
        let is_over = executions >= most;
        let asked = firsts(request, &chains, &answer.points);
        if !std::mem::replace(&mut is_logged, true) && !is_over && asked.iter().any(Option::is_some)
        {
            executions += 1;
            answer.executions = executions;
            let (protocol, clock) = (protocol.clone(), clock.clone());
            let last = question.last.as_ref();
            let mut progress = numbered(executions - 1, &mut *question.progress);
            // Boxed, for it is one large future.
            let trails = Box::pin(in_log::trails(
                protocol,
                clock,
                request,
                last,
                &asked,
                &mut progress,
            ));
            match trails.await {
                Ok(trails) => {
                    for (chain, trail) in chains.iter_mut().zip(trails) {
                        // What is asked at a point that no execution is led to would be asked elsewhere.
                        let is_reached = |trail: &Trail| {
                            trail.at.is_some() || !is_asked_at(request, chain.query)
                        };
                        if let Some(trail) = trail.filter(is_reached) {
                            chain.take(trail);
                            most = most.min(request.limits.max_with_log);
                        }
                    }
                }
                Err(why) => {
                    let why = format!("no event log was of use for the origin: {why}");
                    note = Some(why);
                }
            }
            goes_on = chains.iter().any(|chain| {
                let is_open = chain.end.is_none();
                !chain.is_done() && (is_open || chain.is_asked_elsewhere(request, &round.numbers))
            });
        }
        let is_over = executions >= most;
        answer.consistency.notes.extend(note.clone());
        if request.reproduce != Reproduce::Replay {
            let note = "the page was replayed: an origin is followed in no other way";
            answer.consistency.notes.push(note.to_owned());
        }
        answer.points = folded((request, most), &answer, &chains, &round.numbers, &probes);
        drop(probes);
        guesses = question.setting.sources.lock().guesses();
        before = Some(question.setting.sources.clone());
        let asked = question.answered(answer);
        if !goes_on || is_over || is_cut {
            return asked_there_too(request, &chains, asked, (protocol, clock), start, progress)
                .await;
        }
        kept = Some(asked);
    }
}

/// Asks what is asked at the points of the origins, where the log says where these are.
async fn asked_there_too(
    request: &AskRequest,
    chains: &[Chain],
    mut asked: Asked,
    (protocol, clock): (Arc<dyn Protocol>, Arc<dyn Clock>),
    start_ms: f64,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AskError> {
    for there in all_there(request, chains, &asked.answer.points) {
        there
            .ask(protocol.clone(), clock.clone(), &mut asked, progress)
            .await?;
    }
    asked.answer.timing_ms.total = super::assembly::whole_ms(clock.now_ms() - start_ms);
    Ok(asked)
}

/// For each chain what the event log is asked of it.
fn firsts(
    request: &AskRequest,
    chains: &[Chain],
    points: &[PointAnswer],
) -> Vec<Option<in_log::First>> {
    let chains = chains.iter().map(|chain| {
        let (_, reference, _) = request.graph.followed(chain.query)?;
        let is_asked_there = asked_there(&request.graph, chain.query).is_some();
        chain.first(reference, points, is_asked_there)
    });
    chains.collect()
}

/// Whether something is asked at the point of a query. An operand is not: its value is followed in the log.
fn is_asked_at(request: &AskRequest, query: usize) -> bool {
    let Some(name) = request.graph.queries().map(|(name, _)| name).nth(query) else {
        return false;
    };
    let mut queries = request.graph.queries();
    queries.any(|(_, other)| other.operand().is_none() && other.points().any(|point| point == name))
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
    let chains = (0..graph.len()).filter_map(|number| {
        let (_, reference, operands) = graph.followed(number)?;
        Some(Chain {
            query: number,
            operands,
            links: vec![Link {
                asked: Asking::First(reference.to_string()),
                expected: None,
                followed: Followed::default(),
            }],
            named: 0,
            end: None,
            shown: Vec::new(),
            trail: None,
            computed: None,
            logged: Vec::new(),
        })
    });
    chains.collect()
}

impl Asking {
    /// The query, at the point `previous`.
    fn text(&self, previous: &str) -> String {
        match self {
            Self::First(reference) => format!("lastChange({reference})"),
            Self::Change {
                frame: 0,
                reference,
            } => format!("lastChange({previous}:{reference})"),
            Self::Change { frame, reference } => {
                format!("lastChange({previous}({frame}):{reference})")
            }
            Self::Return(function) => {
                format!("trace(return({function}), before({previous}), index -1)")
            }
        }
    }
}

impl Chain {
    /// Whether something is asked at its point, and was asked at another one that it had when the round began.
    fn is_asked_elsewhere(&self, request: &AskRequest, numbers: &[usize]) -> bool {
        let point = self.shown.get(self.named);
        is_asked_at(request, self.query) && point != numbers.get(self.query)
    }

    /// Takes in what a round has found of the links, and of the guesses that came true; whether there is one more to be
    /// looked for. A round that was cut has not read what it found.
    fn go_on(
        &mut self,
        nodes: &mut [Node],
        points: &[PointAnswer],
        (probes, is_cut): (&BTreeMap<usize, &Probe>, bool),
    ) -> bool {
        self.links.clear();
        self.shown.clear();
        self.end = None;
        let mut current = 0;
        // No chain is longer than what was asked.
        for _ in 0..=nodes.len() {
            let Some(node) = nodes.get(current) else {
                break;
            };
            let Some(point) = points.get(node.number + 1) else {
                break;
            };
            let probe = probes.get(&node.number).copied();
            if let Some(why) = is_another(&node.link, point, probe) {
                // What was found is no hop of this value.
                self.end = Some(unobserved(why));
                return false;
            }
            let next = told(&node.link, point, probe);
            self.links.push(node.link.clone());
            self.shown.push(node.number);
            if point.status == Status::Found {
                self.named = self.links.len() - 1;
            }
            let is_read = probe.is_some() || point.by_user == Some(true);
            if is_cut && !is_read && point.status == Status::Found {
                return false;
            }
            if let Some(trail) = self.trail.as_ref().filter(|_| self.is_done()) {
                self.end = Some(trail.end.clone());
                return false;
            }
            let next = match next {
                Next::End(end) => {
                    self.end = Some(end);
                    return false;
                }
                next => link_of(next),
            };
            let Some(next) = next else {
                self.end = Some(unobserved("no query can ask on from there"));
                return false;
            };
            let is_next = |node: &Node| {
                node.parent == Some(current)
                    && node.link.asked == next.asked
                    && node.link.followed.way == next.followed.way
            };
            match nodes.iter().position(is_next) {
                Some(known) => {
                    nodes[known].link = next;
                    current = known;
                }
                None => {
                    self.links.push(next);
                    self.named = self.links.len() - 1;
                    return true;
                }
            }
        }
        self.end = Some(unobserved("the chain is longer than what was asked"));
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

/// Why what was found of a link is not the write of the value that is followed; `None`: it is, or nothing was found.
fn is_another(link: &Link, point: &PointAnswer, probe: Option<&Probe>) -> Option<String> {
    if point.status != Status::Found {
        return None;
    }
    if matches!(link.asked, Asking::Return(_)) {
        let probe = probe?;
        if probe.caller != link.followed.call {
            let why = "the function was not called from there when it returned last";
            return Some(why.to_owned());
        }
        let is_it = is_value_of(link, probe);
        let why = "what the function returned last is not what was written";
        return (!is_it).then(|| why.to_owned());
    }
    let (expected, new) = (link.expected.as_ref()?, point.new.as_ref()?);
    (!is_same(expected, new)).then(|| {
        format!(
            "the write that was found brought {}, not {}",
            new.text, expected.text
        )
    })
}

/// Whether a return gave the very value that was written.
fn is_value_of(link: &Link, probe: &Probe) -> bool {
    let Asking::Return(_) = link.asked else {
        return true;
    };
    let value = match &probe.next {
        Next::Change { value, .. } if !link.followed.way.is_empty() => Some(value),
        _ => probe.value.as_ref(),
    };
    let is_same_value = match (&link.expected, value) {
        (Some(expected), Some(value)) => is_same(expected, value),
        _ => false,
    };
    is_same_value && (link.followed.identity.is_none() || link.followed.identity == probe.identity)
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
    let had_value = link
        .expected
        .as_ref()
        .is_some_and(|expected| expected.kind != ValueType::Undefined);
    if is_undefined && had_value {
        return unobserved(format!("{reference} has no value when it is looked for"));
    }
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
    Query::parse(&link.asked.text("B")).ok().map(|_| link)
}

impl Question<'_> {
    /// Takes over what another question about the same page knows of its scripts.
    fn know(&mut self, sources: Arc<parking_lot::Mutex<crate::sources::Sources>>) {
        let before = sources.lock();
        let mut own = self.setting.sources.lock();
        own.learn_from(&before);
    }
}
