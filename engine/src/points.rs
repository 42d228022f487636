//! From what executions gave to the points of the answer.

mod in_page;
mod missing;
mod page_reads;

use in_page::{captured_caller, fill_captured};
use querypoint::answer::{
    Cause, ConditionAnswer, Operand, Owner, PointAnswer, StackFrame, Status, Value as Preview,
    ValueType,
};
use querypoint::graph::Parent;
use querypoint::plan::{PlannedQuery, Sought};
use querypoint::point::ReproductionPoint;
use querypoint::query::Target;
use querypoint::resolution::{Finding, verdict};

use super::captured::{CapturedState, EventCapture};
use super::early_names::{not_initialised, not_kept};
use super::execution::{ExecutionOutcome, Setting};
use super::report::{Captured, QueryResult, Text};
use super::sources::{SiteEntry, SourceLocation, Sources};

/// What is said of a point at which the page was not looked at before the answer had to be there.
const NO_TIME: &str = "there was no time to read the state there";

/// Where the points come from.
pub(super) struct Evidence<'e> {
    pub(super) sources: &'e Sources,
    pub(super) setting: &'e Setting,
    pub(super) outcome: &'e ExecutionOutcome,
    /// Whether state was captured inside the page.
    pub(super) in_page: bool,
    /// Whether the execution that was to read the state at each event took too long.
    pub(super) is_unfinished: bool,
}

/// The reproduction point itself.
pub(super) fn reproduction_point(
    evidence: &Evidence<'_>,
    captured: Option<&Captured>,
    hit: u64,
    hits: u64,
) -> PointAnswer {
    let mut point = PointAnswer {
        hit: Some(hit),
        hits: Some(hits),
        ..PointAnswer::new("R", None, Status::Found)
    };
    if let Some(state) = &evidence.outcome.point {
        if let Some(top) = &state.top {
            point.location = Some(top.location.clone());
            point.source_line.clone_from(&top.source_line);
            point.function = state.stack.first().map(|frame| frame.function.clone());
        }
        point.stack.clone_from(&state.stack);
        point.scopes.clone_from(&state.scopes);
        point.watches.clone_from(&state.watches);
        point.cause.clone_from(&state.cause);
    } else if let Some(captured) = captured {
        fill_captured(evidence, captured, &mut point);
    }
    if evidence.outcome.seen.search.places == 1
        && let Some(place) = evidence.sources.attribute_point()
    {
        if let Some(top) = point.stack.first_mut() {
            top.location = place.location.clone();
        }
        point.location = Some(place.location);
        point.source_line = place.source_line;
    }
    if point.location.is_none() {
        let why = match evidence.setting.at {
            ReproductionPoint::End => "the end of the replay is at no line",
            _ => NO_TIME,
        };
        point.note = Some(why.to_owned());
    }
    point
}

/// The answer to one query. `parent`: the point it is asked at, if that was found.
pub(super) fn point_answer(
    evidence: &Evidence<'_>,
    query: &PlannedQuery,
    parent: Option<&PointAnswer>,
    result: Option<&QueryResult>,
) -> PointAnswer {
    let at = match query.parent {
        Parent::ReproductionPoint => "the reproduction point".to_owned(),
        Parent::Query(parent) => match evidence.setting.plan.queries.get(parent) {
            Some(parent) => parent.name.to_string(),
            None => "the point it is asked at".to_owned(),
        },
    };
    let mut finding = result.map(QueryResult::finding);
    let mut is_early = false;
    if let (Some(Finding::NoValue { message }), Some(parent)) = (&mut finding, parent)
        && let Some(why) = (query.frame != 0)
            .then(|| not_kept(message))
            .flatten()
            .or_else(|| not_initialised(message, &parent.scopes))
    {
        *message = why;
        is_early = true;
    }
    let (status, note) = verdict(finding.as_ref(), parent.is_some(), &at);
    let mut point = PointAnswer {
        note,
        ..PointAnswer::new(query.name.to_string(), Some(query.text.clone()), status)
    };
    let point = match (status, result) {
        (Status::Found, Some(result)) => {
            let mut point = found(evidence, query, result, point);
            if let Some(accessor) = &result.accessor {
                point.note = Some(match point.note.take() {
                    Some(note) => format!("{accessor}; {note}"),
                    None => accessor.clone(),
                });
            }
            point
        }
        (Status::NeverChanged, Some(result)) if result.accessor.is_some() => {
            point.value = result.value.as_ref().map(shown);
            point.note.clone_from(&result.accessor);
            point
        }
        (Status::NeverChanged | Status::Blind, Some(result)) => {
            point.value = result.value.as_ref().map(shown);
            if let Some(absent) = &result.absent {
                missing::add_note(&mut point, &missing::property(absent));
            }
            if is_early {
                return point;
            }
            if let Some(near) = missing::variable(evidence, query.parent, result) {
                missing::add_note(&mut point, &format!("the nearest variable there is {near}"));
            } else if let Some(names) = missing::names_there(evidence, query.parent, result) {
                missing::add_note(&mut point, names);
            }
            point
        }
        _ => point,
    };
    match evidence.outcome.page_reads.get(&query.index) {
        Some(read) => page_reads::compared(read, point),
        None if evidence.in_page && result.is_some_and(|result| result.trapped) => {
            page_reads::not_compared(point)
        }
        None => point,
    }
}

fn found(
    evidence: &Evidence<'_>,
    query: &PlannedQuery,
    result: &QueryResult,
    mut point: PointAnswer,
) -> PointAnswer {
    let is_variable = matches!(query.sought.target(), Some(Target::Variable { .. }));
    let is_condition = query.sought == Sought::Condition;
    let site = result.site.and_then(|site| evidence.sources.site(site));
    if matches!(query.sought, Sought::Trace(_)) {
        return counted(evidence, result, point);
    }
    if query.sought == Sought::Exception {
        return thrown(evidence, query, point);
    }
    if evidence.in_page {
        let Some(captured) = &result.captured else {
            point.status = Status::Diverged;
            point.note = Some("no single execution gave the answer".to_owned());
            return point;
        };
        fill_captured(evidence, captured, &mut point);
        if is_condition {
            let operands = result.operands.iter().flatten();
            let operands = operands
                .map(|operand| operand.as_ref().map(shown))
                .collect();
            let outcome = captured
                .value
                .as_ref()
                .is_some_and(|value| value.text == "true");
            decided(evidence, site, outcome, operands, result.frame, &mut point);
            return point;
        }
        point.old = captured.old.as_ref().map(shown);
        // One that was not read then is still there, if nothing else has written it.
        let now = result.value.as_ref().filter(|_| result.same != Some(false));
        point.new = captured.value.as_ref().or(now).map(shown);
        point.created = captured.created.then_some(true);
        if let (Some(owner), Some(class), false) = (result.owner, &captured.class, is_variable) {
            point.owner = Some(Owner {
                id: owner,
                class: class.clone(),
            });
        }
        point.changes = result
            .exact
            .map_or(result.changes, |exact| Some(exact.changes));
        point.index = point.changes.and_then(|changes| changes.checked_sub(1));
        point.note = earlier_unseen(result);
        match &result.by {
            Some(by) => {
                let caller = captured_caller(evidence, captured, by);
                put_at_caller(by, captured.deleted, caller, &mut point);
            }
            None => {
                put_at_site(evidence, site, &mut point);
                if captured.deleted && !is_variable && point.note.is_none() {
                    point.note = Some("the property was deleted".to_owned());
                }
            }
        }
        if captured.old_unknown {
            missing::add_note(&mut point, NOT_READ);
        }
        if captured.short {
            missing::add_note(&mut point, SHORT);
        }
        return point;
    }
    let event = result
        .sequence
        .and_then(|sequence| evidence.outcome.events.get(&sequence));
    let Some(event) = event else {
        if evidence.is_unfinished {
            return unread(evidence, result, point);
        }
        point.status = Status::Diverged;
        point.note = Some("the event was found but not met again".to_owned());
        return point;
    };
    if is_condition {
        fill_event(event, &mut point);
        let outcome = point
            .new
            .take()
            .is_some_and(|outcome| outcome.text == "true");
        let site = evidence.sources.site(event.site);
        decided(
            evidence,
            site,
            outcome,
            event.operands.clone(),
            result.frame,
            &mut point,
        );
        return point;
    }
    // The getter of an accessor may have read a variable.
    let is_variable = is_variable || (result.accessor.is_some() && event.owner_class.is_none());
    fill_event(event, &mut point);
    if event.unknown && result.same != Some(false) {
        // It is still the one that was written.
        point.new = result.value.as_ref().map(shown);
    }
    let changes = result
        .exact
        .map_or(result.changes, |exact| Some(exact.changes));
    point.changes = changes.map(|changes| changes.max(event.index + 1));
    point.index = point.changes.map(|_| event.index);
    if !is_variable {
        point.owner = Some(Owner {
            id: event.owner,
            class: event
                .owner_class
                .clone()
                .unwrap_or_else(|| "Object".to_owned()),
        });
    }
    // What was written before the hooks of a call were there is no blind spot.
    if !evidence.outcome.is_of_call {
        point.note = earlier_unseen(result);
    }
    match &event.by {
        Some(by) => put_at_caller(by, event.deleted, event.caller.clone(), &mut point),
        None => put_at_site(evidence, evidence.sources.site(event.site), &mut point),
    }
    if is_variable {
        point.scope_id = Some(event.owner);
    } else if event.deleted && event.by.is_none() && point.note.is_none() {
        point.note = Some("the property was deleted".to_owned());
    }
    point
}

/// Why a change has no variables around it.
const SHORT: &str = "the variables there were not read: executions differ, and to read them at each of so many \
    changes takes too long";

/// A change that was found and at which the state was not read. One whose line is not known is no answer.
fn unread(evidence: &Evidence<'_>, result: &QueryResult, mut point: PointAnswer) -> PointAnswer {
    if let Some(by) = &result.by {
        let note = match by.as_str() {
            USER => "changed by the user; there was no time to find out in which event".to_owned(),
            by => format!("written by {by}; there was no time to find out at which line"),
        };
        return PointAnswer {
            note: Some(note),
            value: result.value.as_ref().map(shown),
            ..PointAnswer::new(point.name, point.query, Status::Blind)
        };
    }
    if result.same != Some(false) {
        point.new = result.value.as_ref().map(shown);
    }
    point.changes = result.changes;
    point.index = result.changes.and_then(|changes| changes.checked_sub(1));
    let site = result.site.and_then(|site| evidence.sources.site(site));
    put_at_site(evidence, site, &mut point);
    point.note = Some(NO_TIME.to_owned());
    point
}

/// Why a change has no old value.
const NOT_READ: &str = "the value before it was not read: executions differ, and to read what is so large before each \
    change takes too long";

/// How many values no hook saw before the last, if any.
fn earlier_unseen(result: &QueryResult) -> Option<String> {
    let blind = result.exact.map_or(0, |exact| exact.blind);
    let values = match blind {
        0 => return None,
        1 => "value was",
        _ => "values were",
    };
    Some(format!(
        "{blind} earlier {values} written where no hook could be placed; this one, the last, was seen"
    ))
}

/// Says where a condition is, and how it came out.
fn decided(
    evidence: &Evidence<'_>,
    site: Option<&SiteEntry>,
    outcome: bool,
    operands: Vec<Option<Preview>>,
    frame: u32,
    point: &mut PointAnswer,
) {
    let texts = site.and_then(|site| site.condition.clone());
    let texts = texts.unwrap_or_default();
    let last = operands.iter().rposition(Option::is_some);
    let count = last.map_or(operands.len(), |last| last + 1);
    let place = site.and_then(|site| evidence.sources.condition_location(site, count));
    put_at(place, site, point);
    let operands = texts.operands.into_iter().zip(operands);
    let evaluated =
        operands.filter_map(|(expression, value)| value.map(|value| Operand { expression, value }));
    point.condition = Some(ConditionAnswer {
        text: texts.text,
        outcome,
        operands: evaluated.collect(),
    });
    point.frame = Some(frame);
}

/// An event of a trace query.
fn counted(evidence: &Evidence<'_>, result: &QueryResult, mut point: PointAnswer) -> PointAnswer {
    let event = result
        .sequence
        .and_then(|sequence| evidence.outcome.events.get(&sequence));
    let Some(event) = event else {
        point.status = Status::Diverged;
        point.note = Some("the event was counted but not met again".to_owned());
        return point;
    };
    fill_event(event, &mut point);
    if event.unknown {
        // Nothing was written.
        point.new = None;
    }
    point.events = result.changes;
    point.index = result.index;
    match (&event.by, &event.exception) {
        (Some(by), _) => put_at_caller(by, false, event.caller.clone(), &mut point),
        (None, Some(exception)) => {
            point.exception = Some(exception.clone());
            put_at_top(&event.state, &mut point);
        }
        (None, None) => put_at_site(evidence, evidence.sources.site(event.site), &mut point),
    }
    point
}

/// An exception, where it was thrown.
fn thrown(evidence: &Evidence<'_>, query: &PlannedQuery, mut point: PointAnswer) -> PointAnswer {
    let Some(capture) = evidence.outcome.exceptions.get(&query.index) else {
        point.status = Status::Diverged;
        point.note = Some("the exception was not thrown again".to_owned());
        return point;
    };
    let state = &capture.state;
    point.exception = Some(capture.exception.clone());
    point.stack.clone_from(&state.stack);
    point.scopes.clone_from(&state.scopes);
    point.watches.clone_from(&state.watches);
    point.cause.clone_from(&state.cause);
    point.function = state.stack.first().map(|frame| frame.function.clone());
    put_at_top(state, &mut point);
    point
}

/// The location is that of the newest frame.
fn put_at_top(state: &CapturedState, point: &mut PointAnswer) {
    if let Some(top) = &state.top {
        point.location = Some(top.location.clone());
        point.source_line.clone_from(&top.source_line);
    }
}

fn fill_event(event: &EventCapture, point: &mut PointAnswer) {
    point.old.clone_from(&event.old);
    point.new = Some(event.new.clone());
    point.created = event.created.then_some(true);
    point.stack.clone_from(&event.state.stack);
    point.scopes.clone_from(&event.state.scopes);
    point.watches.clone_from(&event.state.watches);
    point.cause.clone_from(&event.state.cause);
    point.function = event
        .state
        .stack
        .first()
        .map(|frame| frame.function.clone());
}

/// The location is the site's, to the character; so is that of the top frame.
fn put_at_site(evidence: &Evidence<'_>, site: Option<&SiteEntry>, point: &mut PointAnswer) {
    let place = site.and_then(|site| evidence.sources.site_location(site));
    put_at(place, site, point);
}

fn put_at(place: Option<SourceLocation>, site: Option<&SiteEntry>, point: &mut PointAnswer) {
    let Some(place) = place else {
        point.location = point.stack.first().map(|frame| frame.location.clone());
        return;
    };
    // Where the stack could not be read, its newest frame is known all the same.
    if point.stack.is_empty() {
        point.stack.push(StackFrame {
            function: String::new(),
            location: place.location.clone(),
        });
    }
    if let Some(top) = point.stack.first_mut() {
        top.location = place.location.clone();
    }
    if let Some(function) = site.and_then(|site| site.function.as_ref()) {
        point.function = Some(function.clone());
        if let Some(top) = point.stack.first_mut() {
            top.function.clone_from(function);
        }
    }
    point.location = Some(place.location);
    point.source_line = place.source_line;
}

/// What the agent says made a change that no script made.
const USER: &str = "the user";

/// The location is that of the call of a built-in; so is that of the top frame. What the user did is at no line.
fn put_at_caller(
    by: &str,
    deleted: bool,
    caller: Option<Result<SourceLocation, String>>,
    point: &mut PointAnswer,
) {
    if by == USER {
        point.note = Some(match &point.cause {
            Some(Cause {
                kind,
                target: Some(target),
            }) => format!("changed by the user: {kind} on {target}"),
            Some(cause) => format!("changed by the user: {}", cause.kind),
            None => "changed by the user".to_owned(),
        });
        point.by_user = Some(true);
        return;
    }
    let caller = match caller.transpose() {
        Ok(caller) => caller,
        Err(why) => {
            // The place is not known, and another one would be wrong.
            *point = PointAnswer {
                note: Some(why),
                value: point.new.take(),
                ..PointAnswer::new(point.name.clone(), point.query.clone(), Status::Blind)
            };
            return;
        }
    };
    let verb = if deleted { "deleted" } else { "written" };
    let is_received = by.starts_with("from ");
    let mut note = match is_received {
        true => by.to_owned(),
        false => format!("{verb} by {by}"),
    };
    if caller.is_none() && !is_received {
        note.push_str(", which the browser itself called");
    }
    point.note = Some(match point.note.take() {
        Some(more) => format!("{note}; {more}"),
        None => note,
    });
    let Some(place) = caller else { return };
    if let Some(top) = point.stack.first_mut() {
        top.location = place.location.clone();
    }
    point.location = Some(place.location);
    point.source_line = place.source_line;
}

fn shown(text: &Text) -> Preview {
    Preview::new(ValueType::from_typeof(&text.kind), text.text.clone())
}
