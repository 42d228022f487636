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

mod doing;
mod exceptions;
mod reading;
mod settling;
mod shown;
mod turning;

use std::sync::Arc;

use js_analysis::omission::MOST_CALLS;
use querypoint::answer::LinesNotRun;
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::point::ReproductionPoint;
use querypoint::query::{CodeLine, GlobalReference, Query};

use super::pausing::Asked;
use super::round::hit_of;
use super::{AskError, AskRequest, Flips, Progress, Question};
use crate::ask::Reproduce;
use crate::execution::{ExecutionOutcome, Task};
use crate::sources::{Analysed, Explained, Located, NoPlace, SourceLocation, Unchanged};
use cdp_driver::protocol::{Clock, Protocol};
use exceptions::name_throwers;
use reading::{reading_request, taken_names};
use settling::settle;
use shown::points;
use turning::{Turning, unfinished};

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
    /// The expressions that the reference goes through, up to itself: `cart`, `cart.items`.
    links: Vec<String>,
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
        mut omissions,
        not_run,
        mut executions,
    } = match counted {
        Ok(counted) => counted,
        Err(outcome) => {
            let question = Question::new(protocol, clock, request, progress)?;
            let answer = question.not_reached(&outcome);
            return Ok(question.answered(answer));
        }
    };
    let thrown = doing::take_thrown(&protocol, &clock, request, &mut omissions, progress);
    executions += Box::pin(thrown).await?;
    let mut names = taken_names(request);
    let mut found: Vec<Vec<Located>> = omissions.iter().map(|one| one.candidates()).collect();
    let mut executed = executions;
    let (mut is_checked, mut is_turned) = (false, request.limits.flips == Flips::No);
    let mut is_settled = false;
    loop {
        let (asking, mut readings) =
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
            for (reading, candidates) in readings.iter_mut().zip(&mut found) {
                settle(candidates, reading, &asked.answer);
            }
            if firsts(&found) != before {
                continue;
            }
        }
        if !is_turned {
            is_turned = true;
            let before = firsts(&found);
            let all = omissions.iter().zip(&mut readings).zip(&mut found);
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
        for (reading, candidates) in readings.iter().zip(&mut found) {
            name_throwers(candidates, reading, &asked.answer);
        }
        let points = points(request, &omissions, &found, &readings, &asked.answer);
        asked.answer.points = points;
        asked.answer.coverage.not_run = not_run;
        asked.answer.executions = executed;
        asked.answer.timing_ms.total = super::assembly::whole_ms(clock.now_ms() - start);
        if request.reproduce != Reproduce::Replay {
            let note = "the page was replayed: what ran is counted in no other way";
            asked.answer.consistency.notes.push(note.to_owned());
        }
        return Ok(asked);
    }
}

struct Counted {
    omissions: Vec<Omission>,
    not_run: Vec<LinesNotRun>,
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
                links: links_of(reference),
                finding: find_object(&sources, &analysed, &outcome, reference),
            });
        }
        let line = query.why_not()?.clone();
        let finding = find(&sources, &analysed, &line);
        Some(Omission {
            query: number,
            line,
            reference: None,
            links: Vec::new(),
            finding,
        })
    });
    let omissions: Vec<Omission> = omissions.collect();
    let urls = omissions.iter().flat_map(Omission::files).collect();
    let not_run = sources.lines_not_run(&analysed, &urls);
    drop(sources);
    Ok(Ok(Counted {
        omissions,
        not_run,
        executions: question.executions,
    }))
}

/// What is read on the way to an object, at the reproduction point.
fn links_of(asked: &GlobalReference) -> Vec<String> {
    let is_read = asked.frame == 0 && asked.point_or_reproduction_point().is_reproduction_point();
    let lengths = match is_read {
        true => 0..=asked.reference.segments.len(),
        false => return Vec::new(),
    };
    let links = lengths.map(|length| {
        let mut link = asked.reference.clone();
        link.segments.truncate(length);
        link.to_string()
    });
    links.collect()
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
        Err(NoPlace::NotParsed(why, candidate)) => {
            let candidates = vec![*candidate];
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

    /// The files that the decisions, and what did not happen, are in.
    fn files(&self) -> Vec<String> {
        let place = self
            .explained()
            .and_then(|explained| explained.place.as_ref());
        let found = self.candidates();
        let operations = found
            .iter()
            .filter_map(|one| Some(&one.operation.as_ref()?.place));
        let decisions = found.iter().map(|one| &one.place);
        let all = place.into_iter().chain(decisions).chain(operations);
        all.map(|place| place.location.url.clone()).collect()
    }

    fn explained(&self) -> Option<&Explained> {
        match &self.finding {
            Finding::Explained(explained) => Some(explained),
            Finding::Unchanged(unchanged) => Some(&unchanged.explained),
            Finding::None { .. } => None,
        }
    }
}
