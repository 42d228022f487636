//! Exceptions that cut something off: a browser does not count what did not run behind them.

use js_analysis::omission::{Candidate as Found, Reason};
use js_analysis::position::{ByteOffset, ByteSpan};
use querypoint::answer::{Answer, Candidate, OmissionReason, PointAnswer, StackFrame, Status};
use querypoint::session::libraries::is_library;

use super::Omission;
use super::reading::Reading;
use crate::report::NOT_EVALUATED;
use crate::sources::{Located, LocatedOperation, Step};

impl Omission {
    /// Puts exceptions that cut something off before the other candidates; whether there is one.
    pub(super) fn cut_off(
        &self,
        reading: &Reading,
        candidates: &mut Vec<Located>,
        answer: &Answer,
    ) -> bool {
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
            let step = match suspect.extent.is_some() {
                true => last_reached(&suspect.steps, names, answer),
                false => thrower(&suspect.steps, names, answer),
            };
            let Some(step) = step.filter(|step| !is_under_way(&suspect.steps, step, answer)) else {
                continue;
            };
            // What an earlier decision turned away at other times counts less.
            let at = candidates
                .iter()
                .position(|other| other.found.is_partial || other.found.calls >= suspect.calls)
                .unwrap_or(candidates.len());
            // The call that was cut off is none.
            candidates.retain(|other| other.place != suspect.place);
            let at = at.min(candidates.len());
            let operation = suspect.operation.clone();
            let mut thrown = exception(step, suspect.calls, operation, answer);
            if let Some(extent) = &suspect.extent {
                thrown.only_if_thrown = Some(extent.clone());
                thrown.tried.clone_from(&suspect.steps);
            }
            candidates.insert(at, thrown);
            found = true;
        }
        if candidates.is_empty() {
            let called = explained.suspects.iter().zip(&reading.suspects);
            let mut called = called.filter(|(suspect, names)| {
                let call = names.last().and_then(|name| point(answer, name));
                suspect.calls > 0 && call.is_some_and(|call| call.status == Status::Found)
            });
            if let Some((suspect, names)) = called.next()
                && let Some(step) = suspect.steps.last().zip(names.last().cloned())
            {
                let operation = suspect.operation.clone();
                let mut another = exception(step, suspect.calls, operation, answer);
                another.found.reason = Reason::Callback;
                another.found.script = suspect.script;
                another.found.held = false;
                another.found.detail = Some("what ran there is another function".to_owned());
                another.place = suspect.place.clone();
                another.text.clone_from(&suspect.text);
                candidates.push(another);
                found = true;
            }
        }
        found
    }
}

/// The last step that was reached, if the one after it was not: it threw.
pub(super) fn thrower<'s>(
    steps: &'s [Step],
    names: &[String],
    answer: &Answer,
) -> Option<(&'s Step, String)> {
    let reached = |name: &String| point(answer, name).is_some_and(was_reached);
    if names.last().is_none_or(reached) {
        return None;
    }
    last_reached(steps, names, answer)
}

/// The last step that was reached.
fn last_reached<'s>(
    steps: &'s [Step],
    names: &[String],
    answer: &Answer,
) -> Option<(&'s Step, String)> {
    let reached = |name: &String| point(answer, name).is_some_and(was_reached);
    let last = names.iter().rposition(reached)?;
    Some((steps.get(last)?, names.get(last)?.clone()))
}

/// Whether the place of a point was reached, even if its last time could not be read: where the stack is full, that is
/// another one in each execution, and nothing can be called there.
pub(super) fn was_reached(point: &PointAnswer) -> bool {
    match point.status {
        Status::Found | Status::Diverged => true,
        Status::NotReached => point.note.as_deref() == Some(NOT_EVALUATED),
        Status::NeverChanged | Status::Blind => false,
    }
}

/// Whether the reproduction point is in what a step calls: then what is behind it has not come yet.
pub(super) fn is_under_way(steps: &[Step], (step, _): &(&Step, String), answer: &Answer) -> bool {
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

/// Which statement of a `try` block threw is known where the exception was looked for.
pub(super) fn name_throwers(candidates: &mut [Located], reading: &Reading, answer: &Answer) {
    for (located, name) in candidates.iter_mut().zip(&reading.candidates) {
        let Some(name) = name else { continue };
        let (Some(at), Some(thrown)) = (point(answer, name), thrown_after(name, answer)) else {
            continue;
        };
        let own = frame_of(at, thrown);
        let is_own = |step: &&Step| {
            let frames = own.map_or(thrown.stack.as_slice(), std::slice::from_ref);
            frames.iter().any(|frame| {
                let (own, other) = (&frame.location, &step.place.location);
                own.url == other.url && (own.line, own.column) >= (other.line, other.column)
            })
        };
        let last = located.tried.iter().rev().find(is_own).cloned();
        if let Some(step) = last {
            located.place = step.place;
            located.text = step.text;
        }
    }
}

/// The frame of the function that a point is in, on the stack of what was thrown after it.
fn frame_of<'a>(at: &PointAnswer, thrown: &'a PointAnswer) -> Option<&'a StackFrame> {
    let inside = thrown.stack.len().checked_sub(at.stack.len())?;
    let frame = thrown.stack.get(inside)?;
    let own = at.stack.first()?;
    let is_it = frame.function == own.function && frame.location.url == own.location.url;
    is_it.then_some(frame)
}

/// Where the author's code was when something was thrown, if that is in a function that the statement called.
pub(super) fn thrown_inside(
    candidate: &Candidate,
    at: Option<&PointAnswer>,
    answer: &Answer,
) -> Option<Candidate> {
    let is_of_line = candidate.operation.is_none();
    let at = at.filter(|_| is_of_line && candidate.reason == OmissionReason::Exception)?;
    let thrown = thrown_after(&at.name, answer)?;
    let own = frame_of(at, thrown)?;
    let is_inside = |frame: &&StackFrame| !std::ptr::eq(*frame, own);
    let mut inside = thrown.stack.iter().take_while(is_inside).enumerate();
    let (number, frame) = inside.find(|(_, frame)| !is_library(&frame.location, &[]))?;
    let called = number
        .checked_sub(1)
        .and_then(|called| thrown.stack.get(called));
    let text = match called {
        Some(called) => format!("{}(…)", called.function),
        None => thrown.source_line.as_deref()?.trim().to_owned(),
    };
    Some(Candidate {
        location: frame.location.clone(),
        text,
        values: Vec::new(),
        hits: 1,
        flipped: None,
        function: Some(frame.function.clone()),
        source_line: thrown.source_line.clone().filter(|_| called.is_none()),
        ..candidate.clone()
    })
}

/// What was thrown after the point of this name.
pub(super) fn thrown_after<'a>(name: &str, answer: &'a Answer) -> Option<&'a PointAnswer> {
    let asked = format!("exceptionAfter({name})");
    let mut points = answer.points.iter();
    let thrown = points.find(|point| point.query.as_deref() == Some(&asked))?;
    thrown.exception.is_some().then_some(thrown)
}

pub(super) fn point<'a>(answer: &'a Answer, name: &str) -> Option<&'a PointAnswer> {
    answer.points.iter().find(|point| point.name == name)
}

/// An exception as a candidate.
pub(super) fn exception(
    (step, name): (&Step, String),
    calls: u32,
    operation: Option<LocatedOperation>,
    answer: &Answer,
) -> Located {
    let at = point(answer, &name);
    let mut located = exception_at(step, calls, operation);
    located.found.hits = at.and_then(|point| point.events).unwrap_or(1);
    located.function = at.and_then(|point| point.function.clone());
    located
}

/// An exception of which no more is known than where it may have come from.
pub(super) fn exception_at(
    step: &Step,
    calls: u32,
    operation: Option<LocatedOperation>,
) -> Located {
    let nowhere = ByteSpan {
        start: ByteOffset(0),
        end: ByteOffset(0),
    };
    let why = "what is behind it was not reached: it threw, or never came back";
    let found = Found {
        held: true,
        hits: 1,
        calls,
        detail: Some(why.to_owned()),
        ..Found::new(Reason::Exception, u32::MAX, nowhere)
    };
    Located {
        pause: Some(step.line.clone()),
        operation,
        ..Located::new(found, step.place.clone(), step.text.clone())
    }
}
