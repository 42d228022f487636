//! `whyNot(FILE:LINE)`: which decision kept a line from running; `omitted(R:list)`: which operations could have been
//! done to an object and were not, and which decision kept each.
//!
//! 1. *Count*: the page is replayed without hooks, and the browser counts how often each place ran. What the scripts
//!    say about control flow and calls ([`js_analysis::omission`]) gives the decisions that led away, best first.
//! 2. *Read*: each of these is asked as a trace query would be, `trace(line(file:line:column), index -1)`, in the place
//!    of `whyNot`; there the values of its operands are read, and what a person asks at its point is asked there.
//! 3. A browser does not count what an exception cut off. Where a call seems to have run and its function was not
//!    entered, step 2 also asks whether the statements before it were reached, and the exception is looked for.
//!
//! (Sakurai, Masuhara, *The Omission Finder*, SAC 2015, section 3.3.)

use std::collections::BTreeSet;
use std::sync::Arc;

use js_analysis::omission::{MOST_CALLS, Reason};
use querypoint::answer::{
    Answer, Candidate, EndOperand, Flipped, OmissionReason, Operation, PointAnswer, Status,
    Value as Preview, ValueType,
};
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::query::{CodeLine, GlobalReference, Query};

use super::calls::Via;
use super::pausing::Asked;
use super::round::hit_of;
use super::{AskError, AskRequest, Flips, Progress, Question};
use crate::ask::Reproduce;
use crate::execution::{ExecutionOutcome, Task};
use crate::sources::{
    Analysed, Explained, Flip, Located, LocatedOperation, NoPlace, SourceLocation, Step, Unchanged,
};
use cdp_driver::protocol::{Clock, Protocol};

/// Of more candidates, only the first have values.
const MOST_READ: usize = 6;
/// More candidates are not shown.
const MOST_SHOWN: usize = 10;
/// Calls that are looked at more closely.
const MOST_SUSPECTS: usize = 3;

/// The same where an object is asked about: each operation that seems to have been done is one.
const MOST_OPERATIONS_READ: usize = 5;

/// Whether a request asks why something did not happen.
pub(super) fn is_asked(request: &AskRequest) -> bool {
    let mut queries = request.graph.queries();
    queries.any(|(_, query)| query.why_not().is_some() || query.omitted().is_some())
}

/// What is known of one query before its decisions are read.
struct Omission {
    /// Its number among the queries.
    query: usize,
    line: CodeLine,
    /// The reference to the object, where one is asked about.
    reference: Option<String>,
    finding: Finding,
}

enum Finding {
    /// Decisions, or that the line ran.
    Explained(Box<Explained>),
    /// Decisions that kept operations on an object from being done.
    Unchanged(Box<Unchanged>),
    /// Why there is no answer; what is known of scripts that did not load.
    None {
        why: String,
        candidates: Vec<Located>,
    },
}

/// The queries that stand for one omission in the second step.
#[derive(Default)]
struct Reading {
    /// For each candidate, the query at its decision.
    candidates: Vec<Option<String>>,
    /// For each step to the line, and of each suspect.
    steps: Vec<String>,
    suspects: Vec<Vec<String>>,
}

pub(super) async fn ask_and_keep(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AskError> {
    // What it is made of must be possible.
    CollectionPlan::new(&request.graph, &request.watches)?;
    let start = clock.now_ms();
    let counted = count(protocol.clone(), clock.clone(), request, progress).await?;
    let Counted {
        omissions,
        executions,
    } = match counted {
        Ok(counted) => counted,
        Err(outcome) => {
            let question = Question::new(protocol, clock, request, progress)?;
            let answer = question.not_reached(&outcome);
            return Ok(question.answered(answer));
        }
    };
    let mut names = taken_names(request);
    let mut found: Vec<Vec<Located>> = omissions.iter().map(|one| one.candidates()).collect();
    let mut executed = executions;
    let (mut is_checked, mut is_turned) = (false, request.limits.flips == Flips::No);
    let mut is_settled = false;
    loop {
        let (asking, readings) =
            reading_request(request, &omissions, &found, &mut names, is_checked);
        let inner = Box::pin(super::ask_and_keep(
            protocol.clone(),
            clock.clone(),
            &asking,
            progress,
        ));
        let mut asked = inner.await?;
        executed += asked.answer.executions;
        // An exception that cut something off is known only when that was looked for.
        if !is_checked {
            is_checked = true;
            let mut is_cut_off = false;
            let all = omissions.iter().zip(&readings).zip(&mut found);
            for ((omission, reading), candidates) in all {
                is_cut_off |= omission.cut_off(reading, candidates, &asked.answer);
            }
            if is_cut_off {
                continue;
            }
        }
        let firsts = |found: &[Vec<Located>]| -> Vec<Option<SourceLocation>> {
            let firsts = found.iter().map(|one| one.first());
            firsts.map(|first| Some(first?.place.clone())).collect()
        };
        if !is_settled {
            is_settled = true;
            let before = firsts(&found);
            for (reading, candidates) in readings.iter().zip(&mut found) {
                settle(candidates, reading, &asked.answer);
            }
            if firsts(&found) != before {
                continue;
            }
        }
        if !is_turned {
            is_turned = true;
            let before = firsts(&found);
            let all = omissions.iter().zip(&readings).zip(&mut found);
            for ((omission, reading), candidates) in all {
                let turning = Turning {
                    protocol: protocol.clone(),
                    clock: clock.clone(),
                    request,
                    omission,
                };
                let turned = turning.turn(candidates, reading, &asked.answer, progress);
                executed += Box::pin(turned).await?;
            }
            if firsts(&found) != before {
                continue;
            }
        }
        let points = points(request, &omissions, &found, &readings, &asked.answer);
        asked.answer.points = points;
        asked.answer.executions = executed;
        asked.answer.timing_ms.total = super::assembly::whole_ms(clock.now_ms() - start);
        if request.reproduce != Reproduce::Replay {
            let note = "the page was replayed: what ran is counted in no other way";
            asked.answer.consistency.notes.push(note.to_owned());
        }
        return Ok(asked);
    }
}

/// What a function gives was read: how it came out is known now. What no test can have tested is left out, and what
/// came out true comes last, for most ask whether they may.
fn settle(candidates: &mut Vec<Located>, reading: &Reading, answer: &Answer) {
    if !candidates.iter().any(|located| located.found.is_result) {
        return;
    }
    let mut names = reading.candidates.iter();
    let mut kept: Vec<(bool, Located)> = Vec::new();
    for mut located in candidates.drain(..) {
        let name = names.next().and_then(Option::as_ref);
        let mut is_late = false;
        if located.found.is_result {
            let at = name.and_then(|name| point(answer, name));
            match value_of(&located, at) {
                Some(value) => match (value.kind, value.text.as_str()) {
                    (ValueType::Boolean, "true") => {
                        located.found.held = true;
                        is_late = true;
                    }
                    (ValueType::Boolean | ValueType::Undefined, _) | (_, "null" | "0") => {}
                    _ => continue,
                },
                // What was not read may be anything.
                None => {
                    is_late = true;
                    located.flip = None;
                }
            }
        }
        kept.push((is_late, located));
    }
    kept.sort_by_key(|(is_late, located)| (located.found.is_partial, located.is_foreign, *is_late));
    candidates.extend(kept.into_iter().map(|(_, located)| located));
}

/// The value of what a function gives.
fn value_of(located: &Located, at: Option<&PointAnswer>) -> Option<Preview> {
    let text = located.operands.first()?;
    let watch = at?.watches.iter().find(|watch| watch.expression == *text)?;
    watch.threw.is_none().then(|| watch.value.clone())
}

/// How many decisions of one query are turned round.
const MOST_TURNED: usize = 3;

/// Runs the page with decisions turned round: predicate switching (Zhang, Tallam, Gupta, Gupta, *Towards Locating
/// Execution Omission Errors*, PLDI 2007).
struct Turning<'t> {
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &'t AskRequest,
    omission: &'t Omission,
}

impl Turning<'_> {
    /// Turns the first decisions round, each at the last time that it was made; those with which it happens come first.
    /// How often the page ran.
    async fn turn(
        &self,
        candidates: &mut Vec<Located>,
        reading: &Reading,
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
        let happened = |located: &Located| {
            let flipped = located.flipped.as_ref();
            flipped.map(|flipped| flipped.happened)
        };
        candidates
            .sort_by_key(|located| (located.found.is_partial, happened(located) != Some(true)));
        // Of functions that were handed over, it was not known which one decides.
        if candidates
            .iter()
            .any(|located| happened(located) == Some(true))
        {
            candidates
                .retain(|located| located.found.distance == 0 || happened(located) != Some(false));
        }
        Ok(executions)
    }

    async fn run(
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

/// The server of an address: `http://127.0.0.1:41234`.
fn server_of(address: &str) -> String {
    url::Url::parse(address).map_or_else(
        |_| String::new(),
        |address| address.origin().ascii_serialization(),
    )
}

fn unfinished() -> crate::error::EngineError {
    crate::error::EngineError::Log {
        message: "the decisions could not be read".to_owned(),
    }
}

struct Counted {
    omissions: Vec<Omission>,
    executions: u32,
}

/// Counts what runs, and finds the decisions. `Err` inside: the reproduction point was not reached.
async fn count(
    protocol: Arc<dyn Protocol>,
    clock: Arc<dyn Clock>,
    request: &AskRequest,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Result<Counted, Box<ExecutionOutcome>>, AskError> {
    let nothing = DependencyGraph::new(Vec::new()).map_err(|_| unfinished())?;
    let plain = AskRequest {
        graph: nothing,
        watches: Vec::new(),
        ..request.clone()
    };
    let mut question = Question::new(protocol, clock, &plain, progress)?;
    let task = Task {
        counts: true,
        ..Task::default()
    };
    let mut outcome = question.execute(&task, "counting what runs").await?;
    let Some(hit) = hit_of(&outcome).cloned() else {
        return Ok(Err(Box::new(outcome)));
    };
    if matches!(
        request.at,
        ReproductionPoint::Location { .. } | ReproductionPoint::Console { .. }
    ) {
        // Which hit is meant is known only now; what comes after it does not count.
        let task = Task {
            stop_at_hit: Some(hit.hit),
            realm: outcome.realm.clone(),
            sites: vec![0],
            ..task
        };
        outcome = question
            .execute(&task, "counting what runs up to R")
            .await?;
        if hit_of(&outcome).is_none() {
            return Ok(Err(Box::new(outcome)));
        }
    }
    let counts = outcome.run_counts.take().unwrap_or_default();
    let sources = question.setting.sources.lock();
    let is_of_object = |(_, query): (_, &Query)| query.omitted().is_some();
    let analysed = sources.analysed(&counts, request.graph.queries().any(is_of_object));
    let queries = request.graph.queries().enumerate();
    let omissions = queries.filter_map(|(number, (_, query))| {
        if let Some(reference) = query.omitted() {
            return Some(Omission {
                query: number,
                // Nothing happens there.
                line: CodeLine {
                    file: "omitted".to_owned(),
                    line: 1,
                    column: None,
                },
                reference: Some(reference.reference.to_string()),
                finding: find_object(&sources, &analysed, &outcome, reference),
            });
        }
        let line = query.why_not()?.clone();
        let finding = find(&sources, &analysed, &line);
        Some(Omission {
            query: number,
            line,
            reference: None,
            finding,
        })
    });
    let omissions = omissions.collect();
    drop(sources);
    Ok(Ok(Counted {
        omissions,
        executions: question.executions,
    }))
}

fn find(sources: &crate::sources::Sources, analysed: &Analysed, line: &CodeLine) -> Finding {
    let place = match sources.place_of_line(analysed, line) {
        Ok(place) => place,
        Err(NoPlace::NoCode(nearest)) => {
            let near: Vec<String> = nearest.iter().map(ToString::to_string).collect();
            let near = match near.is_empty() {
                true => String::new(),
                false => format!("; the nearest lines with code: {}", near.join(", ")),
            };
            let why = format!("{line} has no code that could run{near}");
            let candidates = Vec::new();
            return Finding::None { why, candidates };
        }
        Err(NoPlace::NoScript(candidates)) => {
            let names = sources.script_names();
            let names: Vec<&str> = names.iter().map(|name| last_part(name)).take(10).collect();
            let why = format!(
                "no script that the page loaded has the name {}; it loaded {}",
                line.file,
                names.join(", ")
            );
            return Finding::None { why, candidates };
        }
    };
    if line.column.is_none() && sources.is_minified(analysed, place) {
        let why = format!(
            "{line} is a line of minified code with many statements, and no source map says what they were; ask with a \
             column, as {line}:120"
        );
        return Finding::None {
            why,
            candidates: Vec::new(),
        };
    }
    Finding::Explained(Box::new(sources.explained(analysed, place, MOST_CALLS)))
}

/// What was not done to an object.
fn find_object(
    sources: &crate::sources::Sources,
    analysed: &Analysed,
    outcome: &ExecutionOutcome,
    reference: &GlobalReference,
) -> Finding {
    let none = |why: String| Finding::None {
        why,
        candidates: Vec::new(),
    };
    let point = reference.point_or_reproduction_point();
    if !point.is_reproduction_point() {
        return none(format!(
            "omitted can be asked at R only, not at {point}: take that line as the reproduction point"
        ));
    }
    let stack = outcome
        .point
        .as_ref()
        .map_or(&[][..], |state| state.stack.as_slice());
    let frame = match usize::try_from(reference.frame) {
        Ok(frame) => stack.get(frame),
        Err(_) => stack.last(),
    };
    let at = frame.and_then(|frame| {
        let line = CodeLine {
            file: frame.location.url.clone(),
            line: frame.location.line,
            column: Some(frame.location.column),
        };
        sources.place_of_line(analysed, &line).ok()
    });
    let name = reference.reference.to_string();
    let Some(place) = sources.object_place(analysed, at, &reference.reference) else {
        return none(format!(
            "{name} cannot be followed: begin with a variable or this"
        ));
    };
    Finding::Unchanged(Box::new(
        sources.unchanged(analysed, place, &name, MOST_CALLS),
    ))
}

fn last_part(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/')
        .find(|part| !part.is_empty())
        .unwrap_or(url)
}

impl Omission {
    fn candidates(&self) -> Vec<Located> {
        match &self.finding {
            Finding::Explained(explained) => explained.candidates.clone(),
            Finding::Unchanged(unchanged) => unchanged.explained.candidates.clone(),
            Finding::None { candidates, .. } => candidates.clone(),
        }
    }

    fn explained(&self) -> Option<&Explained> {
        match &self.finding {
            Finding::Explained(explained) => Some(explained),
            Finding::Unchanged(unchanged) => Some(&unchanged.explained),
            Finding::None { .. } => None,
        }
    }

    /// Puts exceptions that cut something off before the other candidates; whether there is one.
    fn cut_off(&self, reading: &Reading, candidates: &mut Vec<Located>, answer: &Answer) -> bool {
        let Some(explained) = self.explained() else {
            return false;
        };
        let mut found = false;
        if explained.count > 0
            && let Some(step) = thrower(&explained.steps, &reading.steps, answer)
        {
            if is_under_way(&explained.steps, &step, answer) {
                return false;
            }
            candidates.insert(0, exception(step, 0, None, answer));
            found = true;
        }
        let suspects = explained.suspects.iter().zip(&reading.suspects);
        for (suspect, names) in suspects {
            let Some(step) = thrower(&suspect.steps, names, answer) else {
                continue;
            };
            if is_under_way(&suspect.steps, &step, answer) {
                continue;
            }
            // What an earlier decision turned away at other times counts less.
            let at = candidates
                .iter()
                .position(|other| other.found.is_partial || other.found.calls >= suspect.calls)
                .unwrap_or(candidates.len());
            // The call that was cut off is none.
            candidates.retain(|other| other.place != suspect.place);
            let at = at.min(candidates.len());
            let operation = suspect.operation.clone();
            candidates.insert(at, exception(step, suspect.calls, operation, answer));
            found = true;
        }
        found
    }
}

/// The last step that was reached, if the one after it was not: it threw.
fn thrower<'s>(steps: &'s [Step], names: &[String], answer: &Answer) -> Option<(&'s Step, String)> {
    let reached = |name: &String| point(answer, name).is_some_and(|it| it.status == Status::Found);
    if names.last().is_none_or(reached) {
        return None;
    }
    let last = names.iter().rposition(reached)?;
    Some((steps.get(last)?, names.get(last)?.clone()))
}

/// Whether the reproduction point is in what a step calls: then what is behind it has not come yet.
fn is_under_way(steps: &[Step], (step, _): &(&Step, String), answer: &Answer) -> bool {
    let next = steps.iter().find(|other| other.line.line > step.line.line);
    let Some(r) = answer.points.first() else {
        return false;
    };
    r.stack.iter().any(|frame| {
        frame.location.url == step.place.location.url
            && frame.location.line >= step.line.line
            && next.is_none_or(|next| frame.location.line < next.line.line)
    })
}

fn point<'a>(answer: &'a Answer, name: &str) -> Option<&'a PointAnswer> {
    answer.points.iter().find(|point| point.name == name)
}

/// An exception as a candidate.
fn exception(
    (step, name): (&Step, String),
    calls: u32,
    operation: Option<LocatedOperation>,
    answer: &Answer,
) -> Located {
    let at = point(answer, &name);
    Located {
        found: js_analysis::omission::Candidate {
            held: true,
            hits: at.and_then(|point| point.events).unwrap_or(1),
            calls,
            detail: Some(
                "what is behind it was not reached: it threw, or never came back".to_owned(),
            ),
            ..js_analysis::omission::Candidate::new(
                Reason::Exception,
                u32::MAX,
                js_analysis::position::ByteSpan {
                    start: js_analysis::position::ByteOffset(0),
                    end: js_analysis::position::ByteOffset(0),
                },
            )
        },
        place: step.place.clone(),
        jump: None,
        function: at.and_then(|point| point.function.clone()),
        text: step.text.clone(),
        operands: Vec::new(),
        pause: Some(step.line.clone()),
        is_foreign: false,
        flip: None,
        flipped: None,
        operation,
        others: 0,
    }
}

fn taken_names(request: &AskRequest) -> BTreeSet<String> {
    let points = request.graph.points();
    points.map(|name| name.to_string()).collect()
}

fn another(names: &mut BTreeSet<String>, kind: &str) -> String {
    let mut number = 0;
    loop {
        let name = format!("{kind}_{number}");
        if names.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

fn at_line(line: &CodeLine) -> String {
    format!("trace(line({line}), index -1)")
}

/// The request in which trace queries stand for what did not happen.
fn reading_request(
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
            if is_last
                && candidate.found.script == u32::MAX
                && let Some(at) = &query
            {
                let thrown = another(names, "thrown");
                more.push(format!("{thrown} = exceptionAfter({at})"));
            }
            reading.candidates.push(query);
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
            .filter(|watch| super::check_watch(watch).is_ok())
            .collect(),
        reproduce: Reproduce::Replay,
        ..request.clone()
    };
    (asking, readings)
}

/// `items` of `items.length`: if it is a promise, an `await` is missing.
fn object_of(operand: &str) -> Option<String> {
    let (object, key) = operand.rsplit_once('.')?;
    let is_word = |text: &str| {
        let mut characters = text.chars();
        characters.all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '.'))
    };
    let object = object.trim_end_matches('?');
    (is_word(object) && is_word(key) && !object.is_empty()).then(|| object.to_owned())
}

/// The points as they were asked.
fn points(
    request: &AskRequest,
    omissions: &[Omission],
    found: &[Vec<Located>],
    readings: &[Reading],
    answer: &Answer,
) -> Vec<PointAnswer> {
    let is_asked = |point: &mut PointAnswer| {
        let watches = request.watches.as_slice();
        point
            .watches
            .retain(|watch| watches.contains(&watch.expression));
    };
    let mut points: Vec<PointAnswer> = answer.points.first().cloned().into_iter().collect();
    for (number, (name, query)) in request.graph.queries().enumerate() {
        let Some(own) = point(answer, name.as_str()) else {
            continue;
        };
        let omission = omissions.iter().position(|one| one.query == number);
        let point = match omission {
            None => own.clone(),
            Some(index) => {
                let (Some(omission), Some(found), Some(reading)) =
                    (omissions.get(index), found.get(index), readings.get(index))
                else {
                    continue;
                };
                PointAnswer {
                    name: name.to_string(),
                    query: Some(query.kind.to_string()),
                    ..omission_point(omission, found, reading, own, answer)
                }
            }
        };
        points.push(point);
    }
    points.iter_mut().for_each(is_asked);
    points
}

/// The point of one omission.
fn omission_point(
    omission: &Omission,
    found: &[Located],
    reading: &Reading,
    own: &PointAnswer,
    answer: &Answer,
) -> PointAnswer {
    let line = &omission.line;
    let shown: Vec<Candidate> = found
        .iter()
        .take(MOST_SHOWN)
        .enumerate()
        .map(|(index, located)| {
            let at = reading.candidates.get(index).and_then(Option::as_ref);
            candidate(located, at.and_then(|name| point(answer, name)), answer)
        })
        .collect();
    let Some(explained) = omission.explained() else {
        let Finding::None { why, .. } = &omission.finding else {
            return own.clone();
        };
        return of_no_line(why, shown, found, own);
    };
    let complete = Some(explained.unknown.is_empty());
    let mut notes = Vec::new();
    let is_cut_off = found
        .first()
        .is_some_and(|first| first.found.script == u32::MAX);
    if explained.count > 0 && !is_cut_off && own.status != Status::Found {
        notes.push(format!(
            "{line} did not run before the reproduction point, and nothing that was looked at kept it from running"
        ));
        notes.extend(not_looked_at(explained));
        return PointAnswer {
            complete: Some(false),
            note: Some(notes.join("; ")),
            ..PointAnswer::new("", None, Status::Blind)
        };
    }
    if explained.count > 0 && !is_cut_off {
        let hits = own.events.unwrap_or(explained.count);
        let skipped = found.iter().filter(|one| one.found.calls == 0);
        let skipped: u64 = skipped.map(|one| one.found.hits).sum();
        notes.push(match skipped {
            0 => format!("{line} ran {}", times(hits)),
            skipped => format!(
                "{line} ran {}; it was skipped {}",
                times(hits),
                times(skipped)
            ),
        });
        notes.extend(not_looked_at(explained));
        return PointAnswer {
            candidates: shown,
            complete,
            note: Some(notes.join("; ")),
            ..own.clone()
        };
    }
    if let Finding::Unchanged(unchanged) = &omission.finding {
        return of_object(unchanged, found, shown, own);
    }
    notes.extend(not_looked_at(explained));
    let Some(first) = found.first() else {
        notes.insert(
            0,
            format!("{line} did not run, and no decision is known that kept it from running"),
        );
        return PointAnswer {
            complete: Some(false),
            note: Some(notes.join("; ")),
            ..PointAnswer::new("", None, Status::Blind)
        };
    };
    decided(first, shown, complete, notes, own)
}

/// The point of what was not done to an object.
fn of_object(
    unchanged: &Unchanged,
    found: &[Located],
    shown: Vec<Candidate>,
    own: &PointAnswer,
) -> PointAnswer {
    const MOST: usize = 5;
    let mut notes = Vec::new();
    let explained = &unchanged.explained;
    if !unchanged.done.is_empty() {
        let texts = unchanged
            .done
            .iter()
            .take(MOST)
            .map(|operation| format!("{} {}", operation.text, times(operation.count)));
        let texts: Vec<String> = texts.collect();
        let more = unchanged.done.len().saturating_sub(MOST);
        let more = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        notes.push(format!("done: {}{more}", texts.join(", ")));
    }
    if !unchanged.is_by_object {
        notes.push(
            "where the object was made is not known (the browser made it, or it was handed over in a way that is not \
             followed): what goes by the same name was looked at"
                .to_owned(),
        );
    }
    let complete = explained.unknown.is_empty() && unchanged.is_by_object;
    notes.extend(not_looked_at(explained));
    match found.first() {
        Some(first) => decided(first, shown, Some(complete), notes, own),
        None => {
            let said = match unchanged.omitted {
                0 => "no operation in the scripts that could change it was left out".to_owned(),
                omitted => format!(
                    "{omitted} operations were left out, and no decision is known that kept them"
                ),
            };
            notes.insert(0, said);
            PointAnswer {
                complete: Some(complete && unchanged.omitted == 0),
                note: Some(notes.join("; ")),
                ..PointAnswer::new("", None, Status::Blind)
            }
        }
    }
}

/// The point at the first decision.
fn decided(
    first: &Located,
    shown: Vec<Candidate>,
    complete: Option<bool>,
    notes: Vec<String>,
    own: &PointAnswer,
) -> PointAnswer {
    let read = match first.pause.is_some() && own.status == Status::Found {
        true => own.clone(),
        false => PointAnswer::new("", None, Status::Found),
    };
    PointAnswer {
        status: Status::Found,
        location: Some(first.place.location.clone()),
        source_line: first.place.source_line.clone(),
        function: read.function.clone().or_else(|| first.function.clone()),
        candidates: shown,
        complete,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        ..read
    }
}

fn of_no_line(
    why: &str,
    shown: Vec<Candidate>,
    found: &[Located],
    own: &PointAnswer,
) -> PointAnswer {
    match found.first() {
        Some(first) => decided(first, shown, Some(true), vec![why.to_owned()], own),
        None => PointAnswer {
            note: Some(why.to_owned()),
            complete: Some(false),
            ..PointAnswer::new("", None, Status::Blind)
        },
    }
}

fn not_looked_at(explained: &Explained) -> Option<String> {
    const MOST: usize = 3;
    let unknown = &explained.unknown;
    let shown = unknown
        .get(..unknown.len().min(MOST))
        .unwrap_or_default()
        .join("; ");
    match unknown.len() {
        0 => None,
        1..=MOST => Some(format!("not looked at: {shown}")),
        more => Some(format!("not looked at: {shown}; and {} more", more - MOST)),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// A candidate with the values that were read at it.
fn candidate(located: &Located, at: Option<&PointAnswer>, answer: &Answer) -> Candidate {
    let value = |text: &str| {
        let watches = at.into_iter().flat_map(|point| &point.watches);
        let watch = watches.into_iter().find(|watch| watch.expression == text);
        watch
            .filter(|watch| watch.threw.is_none())
            .map(|watch| watch.value.clone())
    };
    let values: Vec<EndOperand> = located
        .operands
        .iter()
        .filter_map(|text| {
            Some(EndOperand {
                text: text.clone(),
                value: value(text)?,
            })
        })
        .collect();
    let is_promise = |value: &Preview| value.text.starts_with("Promise");
    let own = located.operands.iter().filter_map(|text| value(text));
    let objects = located
        .operands
        .iter()
        .filter_map(|text| value(&object_of(text)?));
    let mut reason = reason(located.found.reason);
    let mut detail: Vec<String> = located.found.detail.iter().cloned().collect();
    let is_test = matches!(
        reason,
        OmissionReason::Branch | OmissionReason::Return | OmissionReason::Loop
    );
    if is_test && own.chain(objects).any(|value| is_promise(&value)) {
        reason = OmissionReason::Await;
        detail.push("it uses a promise, not what the promise gives".to_owned());
    }
    if let Some(jump) = &located.jump {
        detail.push(format!("it led to {}", jump.in_words()));
    }
    match located.others {
        0 => {}
        1 => detail.push("it kept another operation from being done, too".to_owned()),
        others => detail.push(format!(
            "it kept {others} other operations from being done, too"
        )),
    }
    if located.found.is_partial {
        detail.push("at other times it led on".to_owned());
    }
    if located.found.script == u32::MAX
        && let Some(thrown) = exception_of(at, answer)
    {
        detail = vec![thrown];
    }
    Candidate {
        reason,
        location: located.place.location.clone(),
        text: located.text.clone(),
        held: located.found.held,
        values,
        hits: located.found.hits,
        operation: located.operation.as_ref().map(|operation| Operation {
            location: operation.place.location.clone(),
            text: operation.text.clone(),
            calls: located.found.calls,
        }),
        flipped: located.flipped.clone(),
        function: located.function.clone(),
        source_line: located.place.source_line.clone(),
        calls: Some(located.found.calls).filter(|calls| *calls > 0),
        detail: (!detail.is_empty()).then(|| detail.join("; ")),
    }
}

/// What was thrown after a point, in words.
fn exception_of(at: Option<&PointAnswer>, answer: &Answer) -> Option<String> {
    let asked = format!("exceptionAfter({})", at?.name);
    let thrown = answer
        .points
        .iter()
        .find(|point| point.query.as_deref() == Some(&asked))?;
    let exception = thrown.exception.as_ref()?;
    let place = thrown.location.as_ref().map(|location| {
        let file = last_part(&location.url);
        format!(" at {file}:{}", location.line)
    });
    Some(format!(
        "{}: {} was thrown{}",
        exception.class,
        exception.message,
        place.unwrap_or_default()
    ))
}

fn reason(reason: Reason) -> OmissionReason {
    match reason {
        Reason::Branch => OmissionReason::Branch,
        Reason::Listener => OmissionReason::Listener,
        Reason::Promise => OmissionReason::Promise,
        Reason::Timer => OmissionReason::Timer,
        Reason::Callback => OmissionReason::Callback,
        Reason::Loop => OmissionReason::Loop,
        Reason::Return => OmissionReason::Return,
        Reason::Exception => OmissionReason::Exception,
        Reason::NotLoaded => OmissionReason::NotLoaded,
        Reason::Unreachable => OmissionReason::Unreachable,
    }
}
